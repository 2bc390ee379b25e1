use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::api::percent_encode;
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

    /// The link to an object of this page, by its key.
    pub(crate) fn link_to_object(&self, key: &str) -> String {
        let page = self.state.with_untracked(|state| page_of(state).to_owned());
        let page = UrlState { page, ..UrlState::default() }.to_hash();
        [&page, "?object=", &percent_encode(key)].concat()
    }

    /// The hash of another page: the chosen namespaces stay, and what is of this page only does not.
    pub(crate) fn link_to(&self, page: &str) -> String {
        let namespaces = self.state.with(|state| state.namespaces.clone());
        UrlState { page: page.into(), namespaces, ..UrlState::default() }.to_hash()
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

    /// The layout of the table's columns as text; empty for the usual one.
    pub(crate) fn columns(&self) -> Signal<String> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.columns.clone())).into()
    }

    /// Takes a layout of the table's columns, or the usual one with or without the wide columns.
    pub(crate) fn set_columns(&self, columns: String, is_wide: bool) {
        self.change(|state| {
            state.columns = columns;
            state.wide = is_wide;
        });
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
