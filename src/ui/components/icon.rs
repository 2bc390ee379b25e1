use leptos::prelude::*;

/// The drawings that controls use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Mark,
    Menu,
    Search,
    Close,
    Down,
    Check,
    Appearance,
    Namespaces,
    Up,
    Copy,
}

impl Shape {
    const fn path(self) -> &'static str {
        match self {
            Self::Mark => "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3l2.2 1.6",
            Self::Menu => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
            Self::Search => "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4l3.1 3.1",
            Self::Close => "M4 4l8 8M12 4l-8 8",
            Self::Up => "M4.5 9.5 8 6l3.5 3.5",
            Self::Copy => "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
            Self::Down => "M4.5 6.5 8 10l3.5-3.5",
            Self::Check => "M3.5 8.5 6.5 11.5 12.5 4.5",
            Self::Appearance => "M8 2.5a5.5 5.5 0 1 0 0 11v-11ZM8 2.5a5.5 5.5 0 0 1 0 11M10 5.5h2.4M10 8h3M10 10.5h2.4",
            Self::Namespaces => "M5.5 2.5h-3v3M10.5 2.5h3v3M5.5 13.5h-3v-3M10.5 13.5h3v-3M6 8h4",
        }
    }
}

/// A line drawing of 16 by 16, in the colour of the text around it; decoration only.
#[component]
pub(crate) fn Icon(
    /// Which drawing.
    shape: Shape,
) -> impl IntoView {
    view! {
        <svg
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="1.5"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            <path d=shape.path() />
        </svg>
    }
}
