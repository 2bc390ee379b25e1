use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::each;
use crate::ui::state::Notice;

/// The lines at the bottom right that tell what just happened.
#[component]
pub(crate) fn NoticeList(
    /// From the oldest to the newest.
    #[prop(into)]
    list: Signal<Vec<Notice>>,
    /// Takes the id of one that is to go.
    on_dismiss: Callback<u32>,
) -> impl IntoView {
    let notice = move |notice: Notice| {
        view! {
            <div class="notice" class:error=notice.is_error>
                    <span class="notice-text">{notice.text}</span>
                    <button aria-label="Dismiss" title="Dismiss" on:click=move |_| on_dismiss.run(notice.id)>
                        <Icon shape=Shape::Close />
                    </button>
                </div>
        }
        .into_any()
    };
    view! {
        <div class="notices" role="status" aria-live="polite">
            {each(move || list.get(), |notice| (notice.id, notice.text.clone()), notice)}
        </div>
    }
}
