use jiff::Timestamp;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node};

use crate::api::{GroupVersionKind, GroupVersionResource, OwnerReference};
use crate::cache::Phase;
use crate::ui::components::wait_text;
use crate::ui::dom::{element, fill, tell_ages, text, with};
use crate::ui::state::{Kinds, LiveList, Navigation, Session};
use crate::view::advice;
use crate::view::columns::built_ins;
use crate::view::object::Scope;

/// What content is made with. A handle.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) session: Session,
    pub(super) navigation: Navigation,
    pub(super) kinds: Kinds,
}

impl Context {
    pub(super) fn new() -> Self {
        Self { session: expect_context(), navigation: expect_context(), kinds: expect_context() }
    }

    /// Not followed: ages go on by themselves.
    pub(super) fn now(&self) -> Timestamp {
        self.session.now.get_untracked()
    }

    /// A link to an object in its kind's page; its name alone where there is no such page.
    pub(super) fn link(&self, page: Option<&KindPage>, namespace: &str, name: &str) -> Node {
        let Some(KindPage { resource, is_namespaced }) = page else { return text(name) };
        let key = if *is_namespaced { [namespace, "/", name].concat() } else { name.to_owned() };
        let href = self.navigation.link_to_object(&resource.to_string(), &key);
        with(element("a", "object-link", vec![text(name)]), "href", &href)
    }

    /// `Deployment web`, as a link to it.
    pub(super) fn owner(&self, owner: &OwnerReference, namespace: &str) -> Node {
        let page = self.page_of(owner);
        let kind = note(&[&owner.kind, " "].concat());
        element("li", "", vec![kind, self.link(page.as_ref(), namespace, &owner.name)])
    }

    /// The page of an owner's kind, as the server tells, and of the built-in kinds before it has; followed.
    pub(super) fn page_of(&self, owner: &OwnerReference) -> Option<KindPage> {
        let GroupVersionKind { group, version, kind } =
            GroupVersionKind::from_api_version(&owner.api_version, &owner.kind);
        let known = self.kinds.catalog().with(|catalog| {
            let entry = catalog.as_ref()?.of_kind(&group, &kind)?;
            Some(KindPage { resource: entry.resource.clone(), is_namespaced: entry.is_namespaced })
        });
        known.or_else(|| {
            let resource = built_ins().find(|it| it.group == group && it.kind == kind)?;
            // The version that the owner was written in is one that the server has.
            let named = GroupVersionResource::new(&group, &version, resource.name);
            Some(KindPage { resource: named, is_namespaced: resource.is_namespaced() })
        })
    }

    /// Why a list is not there; nothing where it is. `at` is its place among those that [`content`] is given.
    pub(super) fn list_state(&self, list: LiveList, at: usize, scope: &Scope) -> Vec<Node> {
        let link = list.link().get();
        if link.connection.synced {
            return Vec::new();
        }
        let Some(error) = link.error else {
            return vec![with(element("p", "object-note object-waits", vec![text("Listing…")]), "role", "status")];
        };
        let place = scope.namespace.as_ref().map_or("all namespaces", String::as_str);
        let verb = if error.is_forbidden() { "You may not list " } else { "Could not list " };
        let told = [verb, &scope.resource.to_string(), " in ", place].concat();
        let next_try = match &link.connection.phase {
            Phase::Reconnecting { retry_at, .. } => {
                ["Next try ", &wait_text(*retry_at, self.session.now.get())].concat()
            }
            _ => String::new(),
        };
        let retry = with(element("button", "button", vec![text("Retry now")]), "data-retry", &at.to_string());
        let lines = vec![
            element("p", "", vec![text(&told)]),
            element("p", "object-note", vec![text(&error.to_string())]),
            element("p", "object-note", vec![text(advice(&error))]),
            element("p", "object-retry", vec![retry, note(&next_try)]),
        ];
        vec![with(element("div", "object-refused", lines), "role", "alert")]
    }
}

/// A kind of another page.
#[derive(Clone, PartialEq)]
pub(super) struct KindPage {
    pub(super) resource: GroupVersionResource,
    pub(super) is_namespaced: bool,
}

/// Content that scrolls, and is made anew whenever something changes that `make` reads. Its lists can be tried again.
pub(super) fn content(
    label: &'static str,
    test_id: &'static str,
    lists: Vec<LiveList>,
    make: Box<dyn Fn() -> Vec<Node>>,
) -> AnyView {
    let root = NodeRef::<Div>::new();
    let now = expect_context::<Session>().now;
    Effect::new(move |_| {
        if let Some(root) = root.get() {
            fill(&root, make());
        }
    });
    Effect::new(move |_| {
        let now = now.get();
        if let Some(root) = root.get_untracked() {
            tell_ages(&root, now);
        }
    });
    let retry = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let at = target.and_then(|it| it.get_attribute("data-retry")?.parse::<usize>().ok());
        if let Some(list) = at.and_then(|at| lists.get(at)) {
            list.retry_now();
        }
    };
    view! {
        <div
            class="object-scroll object-summary"
            data-testid=test_id
            tabindex="0"
            role="group"
            aria-label=label
            node_ref=root
            on:click=retry
        ></div>
    }
    .into_any()
}

/// A part of content, below its title.
pub(super) fn section(title: &str, content: Node) -> Node {
    element("section", "object-section", vec![element("h3", "", vec![text(title)]), content])
}

/// Quiet words.
pub(super) fn note(words: &str) -> Node {
    element("span", "object-note", vec![text(words)])
}

/// A table's cell with a class.
pub(super) fn cell(class: &str, children: Vec<Node>) -> Node {
    element("td", class, children)
}

/// A table of rows of cells.
pub(super) fn table(label: &str, heads: &[&str], rows: Vec<Vec<Node>>) -> Node {
    let head = |name: &&str| with(element("th", "", vec![text(name)]), "scope", "col");
    let head = element("tr", "", heads.iter().map(head).collect());
    let rows = rows.into_iter().map(|cells| element("tr", "", cells)).collect();
    let parts = vec![element("thead", "", vec![head]), element("tbody", "", rows)];
    element("div", "object-table", vec![with(element("table", "", parts), "aria-label", label)])
}
