use leptos::prelude::*;

use super::tabs::Shown;
use crate::ui::components::LogView;
use crate::ui::state::{Notices, Session};
use crate::view::log::LogPod;

/// What a pod's containers write.
pub(super) fn view(shown: Shown) -> AnyView {
    let (session, notices) = (expect_context::<Session>(), expect_context::<Notices>());
    // The pod changes more often than what a log needs of it.
    let pod = Memo::new(move |_| shown.read(LogPod::of).unwrap_or_default());
    view! { <LogView session=session notices=notices pod=pod /> }.into_any()
}
