use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::ui::hooks::use_window_event;
use crate::view::UrlState;

/// The view's state, which is the page's hash: a link restores it. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    state: RwSignal<UrlState>,
}

impl Navigation {
    pub(crate) fn new() -> Self {
        let state = RwSignal::new(UrlState::parse(&hash()));
        use_window_event(leptos::ev::hashchange, move |_| {
            let now = UrlState::parse(&hash());
            if state.with_untracked(|state| *state != now) {
                state.set(now);
            }
        });
        Self { state }
    }

    /// The page's name.
    pub(crate) fn page(&self) -> Signal<String> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| page_of(state).to_owned())).into()
    }

    /// The hash of another page: the chosen namespaces stay, and what is of this page only does not.
    pub(crate) fn link_to(&self, page: &str) -> String {
        let namespaces = self.state.with(|state| state.namespaces.clone());
        UrlState { page: page.into(), namespaces, ..UrlState::default() }.to_hash()
    }

    /// Goes to a page, as a link does: the one before it is behind the "back" button.
    pub(crate) fn go(&self, page: &str, namespaces: BTreeSet<String>, query: String) {
        self.open(UrlState { page: page.into(), namespaces, query, ..UrlState::default() });
    }

    /// Goes to an object in the table of its kind.
    pub(crate) fn go_to_object(&self, page: &str, namespaces: BTreeSet<String>, namespace: &str, name: &str) {
        let query = match namespace {
            "" => format!("name:{name}"),
            namespace => format!("name:{name} ns:{namespace}"),
        };
        self.go(page, namespaces, query);
    }

    fn open(&self, state: UrlState) {
        let location = web_sys::window().map(|window| window.location());
        if let Some(location) = location {
            // The browser tells of it when it is there; it takes any fragment.
            let _ = location.set_hash(&state.to_hash());
        }
    }

    pub(crate) fn namespaces(&self) -> Signal<BTreeSet<String>> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.namespaces.clone())).into()
    }

    pub(crate) fn query(&self) -> Signal<String> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.query.clone())).into()
    }

    /// The sorted column and whether it descends.
    pub(crate) fn sort(&self) -> Signal<Option<(String, bool)>> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.sort.clone())).into()
    }

    /// The columns of `kubectl get -o wide` are shown too.
    pub(crate) fn is_wide(&self) -> Signal<bool> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.wide)).into()
    }

    pub(crate) fn toggle_wide(&self) {
        self.change(|state| state.wide = !state.wide);
    }

    pub(crate) fn set_namespaces(&self, namespaces: BTreeSet<String>) {
        self.change(|state| state.namespaces = namespaces);
    }

    pub(crate) fn set_query(&self, query: String) {
        self.change(|state| state.query = query);
    }

    pub(crate) fn set_sort(&self, sort: Option<(String, bool)>) {
        self.change(|state| state.sort = sort);
    }

    /// Replaces the entry in the history: "back" leaves the view, it does not undo letters of a query.
    fn change(&self, change: impl FnOnce(&mut UrlState)) {
        self.state.update(|state| {
            change(state);
            state.page = page_of(state).into();
        });
        let hash = self.state.with_untracked(UrlState::to_hash);
        let history = web_sys::window().and_then(|window| window.history().ok());
        if let Some(history) = history {
            // Refused when called too often; the next change brings the address up to date.
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&hash));
        }
    }
}

/// The page that the address names.
pub(crate) fn page_in_address() -> String {
    page_of(&UrlState::parse(&hash())).into()
}

fn page_of(state: &UrlState) -> &str {
    if state.page.is_empty() { "pods" } else { &state.page }
}

fn hash() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}
