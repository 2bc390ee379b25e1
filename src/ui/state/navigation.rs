use std::collections::BTreeSet;

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::History;

use crate::ui::hooks::use_window_event;
use crate::view::UrlState;
use crate::view::palette::PAGES;

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

    /// The hash of another page with a query, in the chosen namespaces.
    pub(crate) fn link_to_query(&self, page: &str, query: String) -> String {
        let namespaces = self.state.with(|state| state.namespaces.clone());
        UrlState { page: page.into(), namespaces, query, ..UrlState::default() }.to_hash()
    }

    /// Goes to another page as its query is being written, of which this page keeps what is for it.
    pub(crate) fn turn(&self, page: &str, query: String, kept: String) {
        self.set_query(kept);
        let before = self.state.with_untracked(|state| state.namespaces.clone());
        self.state.set(UrlState { page: page.into(), namespaces: before, query, ..UrlState::default() });
        self.write(|history, hash| history.push_state_with_url(&JsValue::NULL, "", Some(hash)));
    }

    /// Goes where a link with this hash leads: what was before it is behind the "back" button.
    pub(crate) fn follow(&self, hash: &str) {
        let location = web_sys::window().map(|window| window.location());
        if let Some(location) = location {
            // The browser tells of it when it is there; it takes any fragment.
            let _ = location.set_hash(hash);
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

    /// The object in the side panel: `namespace/name`, or the name alone.
    pub(crate) fn object(&self) -> Signal<Option<String>> {
        let state = self.state;
        let object = move |state: &UrlState| (!state.object.is_empty()).then(|| state.object.clone());
        Memo::new(move |_| state.with(object)).into()
    }

    /// The name of the tab that it is shown in; empty for the first one.
    pub(crate) fn tab(&self) -> Signal<String> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.tab.clone())).into()
    }

    /// The hash of an object in its kind's page, by its key.
    pub(crate) fn link_to_object(&self, page: &str, key: &str) -> String {
        self.state.with(|state| UrlState::of_object(page, &state.namespaces, key)).to_hash()
    }

    /// Shows an object, in the tab that is open or in another. "Back" closes it; from one object to the next, it still
    /// does.
    pub(crate) fn open_object(&self, object: String, tab: Option<&str>) {
        let mut from = None;
        self.update(|state| {
            from = state.object.is_empty().then(|| state.to_hash());
            state.object = object;
            if let Some(tab) = tab {
                state.tab = tab.into();
            }
        });
        match from {
            Some(from) => self.write(|history, hash| history.push_state_with_url(&from.into(), "", Some(hash))),
            None => self.replace(),
        }
    }

    /// Goes back to where the object was opened, where nothing else was done since.
    pub(crate) fn close_object(&self) {
        self.update(|state| {
            state.object.clear();
            state.tab.clear();
        });
        let hash = self.state.with_untracked(UrlState::to_hash);
        let opened_from = history().and_then(|history| history.state().ok()?.as_string());
        if opened_from.is_some_and(|from| from == hash) {
            self.write(|history, _| history.back());
        } else {
            self.replace();
        }
    }

    pub(crate) fn set_tab(&self, tab: &str) {
        self.change(|state| tab.clone_into(&mut state.tab));
    }

    /// The one type of events that is shown; empty for all.
    pub(crate) fn only(&self) -> Signal<String> {
        let state = self.state;
        Memo::new(move |_| state.with(|state| state.only.clone())).into()
    }

    pub(crate) fn set_only(&self, kind_of_event: &str) {
        self.change(|state| state.only = kind_of_event.into());
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
        self.update(change);
        self.replace();
    }

    fn update(&self, change: impl FnOnce(&mut UrlState)) {
        self.state.update(|state| {
            state.page = page_of(state).into();
            change(state);
        });
    }

    /// What an entry remembers stays with it.
    fn replace(&self) {
        self.write(|history, hash| {
            let remembered = history.state().unwrap_or(JsValue::NULL);
            history.replace_state_with_url(&remembered, "", Some(hash))
        });
    }

    fn write(&self, write: impl FnOnce(&History, &str) -> Result<(), JsValue>) {
        let hash = self.state.with_untracked(UrlState::to_hash);
        if let Some(history) = history() {
            // Refused when called too often; the next change brings the address up to date.
            let _ = write(&history, &hash);
        }
    }
}

fn history() -> Option<History> {
    web_sys::window().and_then(|window| window.history().ok())
}

/// The page that the address names.
pub(crate) fn page_in_address() -> String {
    page_of(&UrlState::parse(&hash())).into()
}

fn page_of(state: &UrlState) -> &str {
    if state.page.is_empty() { PAGES[0].0 } else { &state.page }
}

fn hash() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}
