use leptos::prelude::*;
use web_sys::Node;

use super::owned::Owned;
use super::parts::{Context, content, note, section};
use super::tabs::Shown;
use crate::api::{GetOptions, Object, OwnerReference, ResourcePath};
use crate::rest::Accept;
use crate::runtime::Task;
use crate::ui::dom::{age, element, status_word, text, with};
use crate::ui::state::{LiveList, Session};
use crate::view::object::{Related, Relation, related, relations};
use crate::view::{KindPage, UrlState};

/// So many of a relation are listed; all of them are in the kind's table.
const MOST: usize = 100;

/// No chain of owners is longer; one that is goes round.
const LONGEST_CHAIN: usize = 8;

/// The objects that own this one and those that it owns, or has to do with otherwise.
pub(super) fn view(shown: Shown) -> AnyView {
    let context = Context::new();
    let owners = Owners::of(shown, context);
    let owned = Owned::of(shown, context);
    let relations = Memo::new(move |_| shown.read(relations).unwrap_or_default());
    let content = move || {
        let with_list = |relation: Relation| (LiveList::new(context.session, &relation.scope), relation);
        let lists: Vec<_> = relations.get().into_iter().map(with_list).collect();
        let tried_again: Vec<_> = lists.iter().map(|(list, _)| *list).collect();
        let retry = move |at: usize| match tried_again.get(at) {
            Some(list) => list.retry_now(),
            None => owned.retry(at - tried_again.len()),
        };
        let make = move || shown.read(|object| parts(context, owners, owned, &lists, object)).unwrap_or_default();
        content("Related", "object-related", Box::new(retry), Box::new(make))
    };
    content.into_any()
}

fn parts(context: Context, owners: Owners, owned: Owned, lists: &[(LiveList, Relation)], object: &Object) -> Vec<Node> {
    let mut parts = owners.parts(context, object);
    let mut before = Vec::new();
    let is_of_cluster = object.namespace().is_empty();
    let found = owned.lists();
    // The search's button stands between them.
    let numbers = (0..lists.len()).chain(lists.len() + 1..);
    for (at, (list, relation)) in numbers.zip(lists.iter().chain(&found)) {
        let kept = relation.keep(object, &before, list.objects());
        parts.push(relation_part(context, (at, *list), relation, (&kept, is_of_cluster)));
        before = kept;
    }
    parts.push(owned.part(lists.len()));
    parts
}

fn relation_part(
    context: Context,
    (at, list): (usize, LiveList),
    relation: &Relation,
    (objects, with_namespaces): (&[Object], bool),
) -> Node {
    let scope = &relation.scope;
    let page = KindPage { resource: scope.resource.clone(), is_namespaced: false };
    let items = related(scope, objects);
    let item = |it: &Related| {
        let mut item = vec![context.link(&page, &it.key, if with_namespaces { &it.key } else { &it.name })];
        item.extend(it.status.as_ref().map(|(word, health)| status_word(word, *health)));
        item.push(element("span", "object-note", vec![age(it.created, context.now())]));
        element("li", "", item)
    };
    let mut lines = context.list_state(list, at, scope);
    let is_there = lines.is_empty();
    lines.push(element("ul", "object-list", items.iter().take(MOST).map(item).collect()));
    if items.len() > MOST {
        lines.push(rest(items.len() - MOST, relation));
    } else if items.is_empty() && is_there {
        lines.push(note("None"));
    }
    let count =
        if is_there { [&*relation.title, " ", &items.len().to_string()].concat() } else { relation.title.to_string() };
    with(section(&count, element("div", "", lines)), "data-relation", &scope.resource.to_string())
}

/// Leads to all of them in their kind's table, where a query finds them there.
fn rest(count: usize, relation: &Relation) -> Node {
    let words = [&count.to_string(), " more"].concat();
    let Some(query) = relation.query() else { return note(&words) };
    let namespaces = relation.scope.namespace.clone().into_iter().collect();
    let page = relation.scope.resource.to_string();
    let href = UrlState { page, namespaces, query, ..UrlState::default() }.to_hash();
    with(element("a", "object-link", vec![text(&words)]), "href", &href)
}

/// Who owns an object, who owns that, and so on. A handle.
#[derive(Clone, Copy)]
struct Owners {
    /// From the nearest to the one that nobody owns.
    chain: RwSignal<Vec<OwnerReference>>,
    /// Why it is not known further.
    told: RwSignal<String>,
}

impl Owners {
    /// Asks for one after the other, as soon as their kinds are known.
    fn of(shown: Shown, context: Context) -> Self {
        let this = Self { chain: RwSignal::new(Vec::new()), told: RwSignal::new(String::new()) };
        let asking = StoredValue::new_local(None::<Task>);
        Effect::new(move |_| {
            let first = shown.read(|object| first_of(object.owner_references().collect())).flatten();
            if this.chain.with_untracked(|chain| chain.first() != first.as_ref()) {
                this.chain.set(first.into_iter().collect());
            }
        });
        Effect::new(move |_| {
            let Some(last) = this.chain.with(|chain| chain.last().cloned()) else { return };
            let Some(page) = context.page_of(&last) else { return };
            let namespace = untrack(|| shown.read(|object| object.namespace().to_owned())).unwrap_or_default();
            let task = context.session.runtime().spawn(async move {
                match owner_of(context.session, &last, &page, &namespace).await {
                    Ok(Some(next)) if this.chain.with_untracked(Vec::len) < LONGEST_CHAIN => {
                        this.chain.update(|chain| chain.push(next));
                    }
                    Ok(_) => {}
                    Err(error) => this.told.set(error),
                }
            });
            asking.set_value(Some(task));
        });
        this
    }

    fn parts(self, context: Context, object: &Object) -> Vec<Node> {
        let chain = self.chain.get();
        if chain.is_empty() {
            return Vec::new();
        }
        // Beside the one whose owners are followed.
        let others = object.owner_references().filter(|owner| Some(&owner.uid) != chain.first().map(|it| &it.uid));
        let items = chain.iter().cloned().chain(others);
        let items = items.map(|owner| context.owner(&owner, object.namespace())).collect();
        let lines = vec![element("ul", "object-list", items), note(&self.told.get())];
        vec![with(section("Owners", element("div", "", lines)), "data-relation", "owners")]
    }
}

/// The one that controls, if any does.
fn first_of(owners: Vec<OwnerReference>) -> Option<OwnerReference> {
    let controller = owners.iter().position(|owner| owner.controller == Some(true)).unwrap_or(0);
    owners.into_iter().nth(controller)
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
        Ok(found) => Ok(first_of(found.metadata.owner_references)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) if error.is_forbidden() => {
            Err(format!("Who owns it is not known: you may not get {}", page.resource))
        }
        Err(error) => Err(format!("Who owns it is not known: {error}")),
    }
}
