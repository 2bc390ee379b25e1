use leptos::prelude::*;

use super::{Icon, Shape};

/// The bar at the top: the mark, the cluster, and the controls that stand on every page.
#[component]
pub(crate) fn TopBar(
    /// Where the cluster is reached.
    address: String,
    /// The server's version, once known.
    #[prop(into)]
    version: Signal<Option<String>>,
    /// The cluster is made up.
    is_demo: bool,
    /// Shows and hides the rail where there is no room for it.
    on_rail: Callback<()>,
    /// The controls, from the left to the right.
    children: Children,
) -> impl IntoView {
    let title = move || match version.get() {
        Some(version) => format!("Kubernetes {version}"),
        None => "Version not known yet".into(),
    };
    view! {
        <header class="top-bar">
            <button class="top-bar-rail" aria-label="Pages" title="Pages" on:click=move |_| on_rail.run(())>
                <Icon shape=Shape::Menu />
            </button>
            <span class="top-bar-mark">
                <Icon shape=Shape::Mark />
                <span class="top-bar-name">"Watchglass"</span>
            </span>
            <span class="top-bar-cluster" title=title>
                {if is_demo {
                    view! { <span class="top-bar-demo">"Demo cluster"</span> }.into_any()
                } else {
                    view! { <span class="top-bar-address">{address}</span> }.into_any()
                }}
                <span class="top-bar-version">{move || version.get().unwrap_or_default()}</span>
            </span>
            {children()}
        </header>
    }
}
