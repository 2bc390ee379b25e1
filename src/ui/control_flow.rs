//! Leptos' `Show` and `For`, with their code there once: of Leptos' own, each use is code of its own, and kilobytes of
//! what a visitor downloads.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use leptos::prelude::*;

/// Its children while a condition holds.
#[component]
pub(crate) fn When(
    /// The condition; its children are made anew when it comes to hold again.
    when: impl Fn() -> bool + Send + Sync + 'static,
    children: ChildrenFn,
    /// What stands there otherwise; nothing when it is absent.
    #[prop(optional, into)]
    fallback: ViewFn,
) -> impl IntoView {
    shown_when(Box::new(when), children, fallback)
}

fn shown_when(when: Box<dyn Fn() -> bool + Send + Sync>, children: ChildrenFn, fallback: ViewFn) -> AnyView {
    let holds = ArcMemo::new(move |_| when());
    (move || if holds.get() { children() } else { fallback.run() }).into_any()
}

/// A view for each item; one whose key stays keeps its view.
pub(crate) fn each<T: Send + 'static, K: Hash>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> K + Send + 'static,
    view: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    let item = move |item| {
        let view = view.clone();
        Item { key: hash_of(&key(&item)), view: Box::new(move || view(item)) }
    };
    each_item(Box::new(move || items().into_iter().map(&item).collect()))
}

struct Item {
    key: u64,
    view: Box<dyn FnOnce() -> AnyView + Send>,
}

fn each_item(items: Box<dyn Fn() -> Vec<Item> + Send>) -> AnyView {
    view! { <For each=items key=|item| item.key children=|item: Item| (item.view)() /> }.into_any()
}

fn hash_of(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
