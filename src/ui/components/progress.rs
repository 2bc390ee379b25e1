use leptos::prelude::*;

use crate::ui::time::grouped;

/// A thin bar below a table's header while its list flows, with the count.
#[component]
pub(crate) fn Progress(
    /// Received so far, and how many there will be when that is known; none when nothing flows.
    #[prop(into)]
    flow: Signal<Option<(usize, Option<usize>)>>,
) -> impl IntoView {
    let percent = move || match flow.get() {
        Some((received, Some(expected))) if expected > 0 => Some((received * 100 / expected).min(100)),
        _ => None,
    };
    let text = move || match flow.get() {
        Some((received, Some(expected))) if expected >= received => {
            format!("{} of about {}", grouped(received), grouped(expected))
        }
        Some((received, _)) if received > 0 => format!("{} so far", grouped(received)),
        _ => String::new(),
    };
    view! {
        <div
            class="progress"
            class:idle=move || flow.get().is_none()
            class:unknown=move || percent().is_none()
            role="progressbar"
            aria-label="Listing"
            aria-valuetext=text
        >
            <span class="progress-bar" style:width=move || format!("{}%", percent().unwrap_or(30))></span>
            <span class="progress-text">{text}</span>
        </div>
    }
}
