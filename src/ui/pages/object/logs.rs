use leptos::prelude::*;

use super::tabs::Shown;
use crate::ui::components::LogView;
use crate::ui::state::{Notices, Session};
use crate::view::log::LogPod;

/// What a pod's containers write.
pub(super) fn view(shown: Shown) -> AnyView {
    let (session, notices) = (expect_context::<Session>(), expect_context::<Notices>());
    view! { <LogView session=session notices=notices pod=shown.memo(LogPod::of) /> }.into_any()
}
