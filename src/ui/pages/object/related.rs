use leptos::prelude::*;

use super::parts::{KindPage, ListState, age, page_of_kind, status_word};
use super::summary::owner_link;
use super::tabs::Shown;
use crate::api::{GetOptions, GroupVersionKind, Object, OwnerReference, ResourcePath};
use crate::rest::Accept;
use crate::runtime::Task;
use crate::ui::state::{Kinds, LiveList, Navigation, Session};
use crate::view::UrlState;
use crate::view::object::{Related, Relation, Scope, related, relations};

/// So many of a relation are listed; all of them are in the kind's table.
const MOST: usize = 100;

/// No chain of owners is longer; one that is goes round.
const LONGEST_CHAIN: usize = 8;

/// The objects that own this one and those that it owns, or has to do with otherwise.
pub(super) fn view(shown: Shown) -> AnyView {
    let relations = shown.memo(relations);
    let owner = shown.memo(|object| {
        let owners: Vec<_> = object.owner_references().collect();
        let is_controller = |owner: &&OwnerReference| owner.controller == Some(true);
        owners.iter().find(is_controller).or(owners.first()).cloned()
    });
    let namespace = untrack(|| shown.read(|object| object.namespace().to_owned())).unwrap_or_default();
    let is_alone = move || owner.with(Option::is_none) && relations.with(Vec::is_empty);
    view! {
        <div class="object-scroll object-summary" data-testid="object-related" tabindex="0" role="group" aria-label="Related">
            {move || owner.get().map(|owner| view! { <Owners owner=owner namespace=namespace.clone() /> })}
            {move || lists(shown, relations.get())}
            <Show when=is_alone>
                <p class="object-note">"Nothing owns it, and nothing is known to belong to it"</p>
            </Show>
        </div>
    }
    .into_any()
}

/// From the nearest to the one that nobody owns.
#[component]
fn Owners(
    /// The nearest.
    owner: OwnerReference,
    /// That of the object.
    namespace: String,
) -> impl IntoView {
    let (session, kinds) = (expect_context::<Session>(), expect_context::<Kinds>());
    let chain = RwSignal::new(vec![owner]);
    let told = RwSignal::new(None::<String>);
    let climbing = StoredValue::new_local(None::<Task>);
    let climber = namespace.clone();
    // The kinds may be known only later.
    let page = Memo::new(move |_| {
        let last = chain.with(|chain| chain.last().cloned())?;
        let of = GroupVersionKind::from_api_version(&last.api_version, &last.kind);
        Some((last, page_of_kind(kinds, &of.group, &of.kind)?))
    });
    Effect::new(move |_| {
        let Some((owner, page)) = page.get() else { return };
        let namespace = climber.clone();
        let climb = session.runtime().spawn(async move {
            match owner_of(session, &owner, &page, &namespace).await {
                Ok(Some(next)) if chain.with_untracked(Vec::len) < LONGEST_CHAIN => {
                    chain.update(|chain| chain.push(next));
                }
                Ok(_) => {}
                Err(error) => told.set(Some(error)),
            }
        });
        climbing.set_value(Some(climb));
    });
    let item = move |owner: OwnerReference| view! { <li>{owner_link(owner, namespace.clone())}</li> };
    view! {
        <section class="object-section" data-relation="owners">
            <h3>"Owners"</h3>
            <ul class="object-list">
                <For each=move || chain.get() key=|owner| owner.uid.clone() children=item />
            </ul>
            <p class="object-note">{told}</p>
        </section>
    }
}

/// Who owns an owner; none when nobody does, or it is gone.
async fn owner_of(
    session: Session,
    owner: &OwnerReference,
    page: &KindPage,
    namespace: &str,
) -> Result<Option<OwnerReference>, String> {
    let mut path = ResourcePath::all(page.resource.clone()).named(&owner.name);
    if page.is_namespaced {
        path = path.in_namespace(namespace);
    }
    match session.client().get_as(&path, &GetOptions::default(), Accept::Metadata).await {
        Ok(found) => {
            let owners = found.metadata.owner_references;
            let controller = owners.iter().find(|owner| owner.controller == Some(true)).or(owners.first());
            Ok(controller.cloned())
        }
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) if error.is_forbidden() => {
            Err(format!("Who owns it is not known: you may not get {}", page.resource))
        }
        Err(error) => Err(format!("Who owns it is not known: {error}")),
    }
}

/// One list after the other, since the next may be of what the one before has.
fn lists(shown: Shown, relations: Vec<Relation>) -> AnyView {
    let session = expect_context::<Session>();
    let mut before = Signal::stored(Vec::new());
    let list = |relation: Relation| {
        let list = LiveList::new(session, &relation.scope);
        let (kept, earlier) = (relation.clone(), before);
        let objects: Signal<Vec<Object>> = Signal::derive(move || {
            let listed = list.objects();
            let keep = |object: &Object| earlier.with(|earlier| kept.keep(object, earlier, listed));
            shown.read(keep).unwrap_or_default()
        });
        before = objects;
        view! { <RelationList relation=relation list=list objects=objects /> }.into_any()
    };
    relations.into_iter().map(list).collect_view().into_any()
}

#[component]
fn RelationList(
    /// What they have to do with the object.
    relation: Relation,
    /// Where they are from.
    list: LiveList,
    /// Those that are meant.
    objects: Signal<Vec<Object>>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let query = relation.query();
    let Relation { title, scope, .. } = relation;
    let Scope { resource, namespace, .. } = scope.clone();
    let of = resource.clone();
    let items = Memo::new(move |_| related(&of, &objects.get()));
    let link = list.link();
    let is_synced = Memo::new(move |_| link.with(|link| link.connection.synced));
    let count = move || is_synced.get().then(|| items.with(Vec::len));
    let page = resource.to_string();
    let rest = {
        let page = page.clone();
        move || {
            let count = items.with(Vec::len);
            (count > MOST).then(|| rest_link(count - MOST, &page, query.clone(), scope.namespace.clone()))
        }
    };
    let target = page.clone();
    let item = move |it: Related| {
        let Related { key, name, status, created } = it;
        let page = target.clone();
        let href = move || navigation.link_to_object(&page, &key);
        view! {
            <li>
                <a class="object-link" href=href>{name}</a>
                {status.map(|(word, health)| status_word(&word, health))}
                <span class="object-note">{age(created)}</span>
            </li>
        }
    };
    view! {
        <section class="object-section" data-relation=page>
            <h3>{title}" "<span class="object-note">{count}</span></h3>
            <ListState list=list resource=resource.to_string() namespace=namespace />
            <ul class="object-list">
                <For
                    each=move || items.with(|items| items.iter().take(MOST).cloned().collect::<Vec<_>>())
                    key=|it| (it.key.clone(), it.created, it.status.clone())
                    children=item
                />
            </ul>
            {rest}
            <Show when=move || is_synced.get() && items.with(Vec::is_empty)>
                <p class="object-note">"None"</p>
            </Show>
        </section>
    }
}

/// Leads to all of them in their kind's table, where a query finds them there.
fn rest_link(count: usize, page: &str, query: Option<String>, namespace: Option<String>) -> AnyView {
    let text = format!("{count} more");
    let Some(query) = query else { return view! { <p class="object-note">{text}</p> }.into_any() };
    let namespaces = namespace.into_iter().collect();
    let href = UrlState { page: page.to_owned(), namespaces, query, ..UrlState::default() }.to_hash();
    view! { <a class="object-link" href=href>{text}</a> }.into_any()
}
