use jiff::Timestamp;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node};

use crate::api::OwnerReference;
use crate::cache::Phase;
use crate::ui::components::wait_text;
use crate::ui::dom::{element, fill, tell_ages, text, with};
use crate::ui::state::{Kinds, LiveList, Navigation, Session};
use crate::view::object::Scope;
use crate::view::{KindPage, advice};

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

    /// A link to an object in its kind's page.
    pub(super) fn link(&self, page: &KindPage, key: &str, words: &str) -> Node {
        let href = self.navigation.link_to_object(&page.name(), key);
        with(element("a", "object-link", vec![text(words)]), "href", &href)
    }

    /// `Deployment web`, as a link to it where its kind has a page.
    pub(super) fn owner(&self, owner: &OwnerReference, namespace: &str) -> Node {
        let name = match self.page_of(owner) {
            Some(page) => self.link(&page, &page.key(namespace, &owner.name), &owner.name),
            None => text(&owner.name),
        };
        element("li", "", vec![note(&[&owner.kind, " "].concat()), name])
    }

    /// The page of an owner's kind; followed.
    pub(super) fn page_of(&self, owner: &OwnerReference) -> Option<KindPage> {
        self.kinds.catalog().with(|catalog| KindPage::of(catalog.as_ref(), &owner.api_version, &owner.kind))
    }

    /// Why a list is not there; nothing where it is. `at` is the number of its button; see [`content`].
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

/// Content that scrolls, and is made anew whenever something changes that `make` reads. `retry` is told the number of a
/// button that tries something again.
pub(super) fn content(
    label: &'static str,
    test_id: &'static str,
    retry: Box<dyn Fn(usize)>,
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
    let on_click = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let at = target.and_then(|it| it.get_attribute("data-retry")?.parse::<usize>().ok());
        at.into_iter().for_each(&retry);
    };
    view! {
        <div
            class="object-scroll object-summary"
            data-testid=test_id
            tabindex="0"
            role="group"
            aria-label=label
            node_ref=root
            on:click=on_click
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
