use jiff::Timestamp;
use leptos::prelude::*;

use crate::api::GroupVersionResource;
use crate::cache::Phase;
use crate::ui::components::wait_text;
use crate::ui::state::{Kinds, LiveList, Navigation, Session};
use crate::ui::time::local_date_time;
use crate::view::columns::built_ins;
use crate::view::{Health, advice, age_text};

/// A word of the one vocabulary, with its icon.
pub(super) fn status_word(word: &str, health: Health) -> impl IntoView + use<> {
    view! { <span class=format!("status {}", health.as_str())>{word.to_owned()}</span> }
}

/// How long ago that was, as it goes on; the moment itself as its title.
pub(super) fn age(moment: Option<Timestamp>) -> impl IntoView {
    let now = expect_context::<Session>().now;
    let text = Memo::new(move |_| moment.map(|_| age_text(moment, now.get())));
    view! { <time title=moment.map(local_date_time)>{text}</time> }
}

/// A table's head and body.
pub(super) fn plain_table(label: &'static str, heads: &'static [&'static str], rows: AnyView) -> AnyView {
    let head = |name: &&'static str| view! { <th scope="col">{*name}</th> };
    view! {
        <div class="object-table">
            <table aria-label=label>
                <thead>
                    <tr>{heads.iter().map(head).collect_view()}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A kind of another page.
#[derive(Clone, PartialEq)]
pub(super) struct KindPage {
    pub(super) resource: GroupVersionResource,
    pub(super) is_namespaced: bool,
}

/// The page of a kind, as the server tells, and of the built-in kinds before it has; followed.
pub(super) fn page_of_kind(kinds: Kinds, group: &str, kind: &str) -> Option<KindPage> {
    let known = kinds.catalog().with(|catalog| {
        let entry = catalog.as_ref()?.of_kind(group, kind)?;
        Some(KindPage { resource: entry.resource.clone(), is_namespaced: entry.is_namespaced })
    });
    known.or_else(|| {
        let resource = built_ins().find(|it| it.group == group && it.kind == kind)?;
        Some(KindPage { resource: resource.group_version_resource(), is_namespaced: resource.is_namespaced() })
    })
}

/// A link to an object in its kind's page; its words alone where there is no such page.
pub(super) fn object_link(text: String, namespace: &str, name: &str, page: Option<KindPage>) -> AnyView {
    let navigation = expect_context::<Navigation>();
    let Some(KindPage { resource, is_namespaced }) = page else { return view! { <span>{text}</span> }.into_any() };
    let key = if is_namespaced { format!("{namespace}/{name}") } else { name.to_owned() };
    let href = move || navigation.link_to_object(&resource.to_string(), &key);
    view! { <a class="object-link" href=href>{text}</a> }.into_any()
}

/// Why a list is not there; nothing where it is.
#[component]
pub(super) fn ListState(
    /// The list.
    list: LiveList,
    /// Plural, as the server names it: `events`, `replicasets.apps`.
    resource: String,
    /// All when absent.
    namespace: Option<String>,
) -> impl IntoView {
    let now = expect_context::<Session>().now;
    let link = list.link();
    let scope = namespace.map_or_else(|| "in all namespaces".to_owned(), |namespace| format!("in {namespace}"));
    let state = Memo::new(move |_| link.with(|link| (link.connection.synced, link.error.clone())));
    let next_try = move || {
        link.with(|link| match &link.connection.phase {
            Phase::Reconnecting { retry_at, .. } => format!("Next try {}", wait_text(*retry_at, now.get())),
            _ => String::new(),
        })
    };
    move || {
        match state.get() {
            (true, _) => ().into_any(),
            (false, None) => view! { <p class="object-note object-waits" role="status">"Listing…"</p> }.into_any(),
            (false, Some(error)) => {
                let told = match error.is_forbidden() {
                    true => format!("You may not list {resource} {scope}"),
                    false => format!("Could not list {resource} {scope}"),
                };
                view! {
                    <div class="object-refused" role="alert">
                        <p>{told}</p>
                        <p class="object-note">{error.to_string()}</p>
                        <p class="object-note">{advice(&error)}</p>
                        <button class="button" on:click=move |_| list.retry_now()>"Retry now"</button>
                        " "
                        <span class="object-note">{next_try}</span>
                    </div>
                }
                .into_any()
            }
        }
        .into_any()
    }
}
