use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Gives a menu the keyboard when it opens, and its items to the arrows; the answer takes the keys that are pressed in it.
pub(crate) fn use_menu(menu: NodeRef<Div>) -> impl Fn(KeyboardEvent) + Copy + 'static {
    Effect::new(move |_| {
        if menu.get().is_some() {
            focus(&items(menu), 0);
        }
    });
    move |event: KeyboardEvent| {
        let items = items(menu);
        let focused = document().active_element();
        let at = items.iter().position(|item| focused.as_ref() == Some(item.as_ref())).unwrap_or(0);
        let last = items.len().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowDown" => (at + 1) % items.len().max(1),
            "ArrowUp" => at.checked_sub(1).unwrap_or(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        focus(&items, to);
    }
}

fn items(menu: NodeRef<Div>) -> Vec<HtmlElement> {
    let all = menu.get_untracked().and_then(|menu| menu.query_selector_all("[role^=menuitem]").ok());
    let item = |all: &web_sys::NodeList, at| all.item(at)?.dyn_into().ok();
    all.map_or_else(Vec::new, |all| (0..all.length()).filter_map(|at| item(&all, at)).collect())
}

fn focus(items: &[HtmlElement], at: usize) {
    if let Some(item) = items.get(at) {
        // An item that is gone cannot take the keyboard.
        let _ = item.focus();
    }
}
