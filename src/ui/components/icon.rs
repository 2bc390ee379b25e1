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
    Columns,
    Grip,
    Export,
    Copy,
    Open,
    Delete,
    Again,
    Lock,
    Up,
    Star,
    Collapse,
    Pulse,
    Bell,
    Command,
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
            Self::Star => "M8 2.3l1.7 3.6 3.9.5-2.9 2.7.8 3.9L8 11.1 4.5 13l.8-3.9-2.9-2.7 3.9-.5Z",
            Self::Collapse => "M2.5 3v10M13.5 8H6M9 5 6 8l3 3",
            Self::Pulse => "M1.5 8.5h3l2-5 3 9 2-4h3",
            Self::Bell => "M4 11h8c-1-1-1.2-2-1.2-4a2.8 2.8 0 0 0-5.6 0c0 2-.2 3-1.2 4ZM6.8 13.2h2.4",
            Self::Command => "M3 4.5 6.5 8 3 11.5M8 12h5",
            Self::Columns => "M2.5 3.5h11v9h-11ZM6.2 3.5v9M9.8 3.5v9",
            Self::Grip => "M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01",
            Self::Export => "M8 2.5v7M5 6.5l3 3 3-3M2.5 10.5v3h11v-3",
            Self::Open => "M6.5 3.5h-4v10h10v-4M9.5 2.5h4v4M13.5 2.5l-6 6",
            Self::Delete => "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
            Self::Namespaces => "M5.5 2.5h-3v3M10.5 2.5h3v3M5.5 13.5h-3v-3M10.5 13.5h3v-3M6 8h4",
            Self::Again => "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
            Self::Lock => "M3.5 7.5h9v6h-9zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",
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
