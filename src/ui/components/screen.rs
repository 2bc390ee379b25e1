use leptos::prelude::*;

/// What stands in place of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenKind {
    Loading,
    Empty,
    Forbidden,
    Failed,
}

impl ScreenKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Loading => "loading",
            Self::Empty => "empty",
            Self::Forbidden => "forbidden",
            Self::Failed => "failed",
        }
    }

    /// Lines in the accent's colour, and lines in the quiet one below them.
    const fn drawing(self) -> (&'static str, &'static str) {
        match self {
            // A glass over rows that are still to come.
            Self::Loading => (
                "M60 22a22 22 0 1 0 0 44 22 22 0 0 0 0-44ZM60 32v12l9 6",
                "M8 76h104M8 86h72M8 22h20M8 34h16M92 22h20M96 34h16",
            ),
            // An open, empty box.
            Self::Empty => (
                "M32 44 60 58l28-14M60 58v28M32 44v28l28 14 28-14V44",
                "M32 44 60 30l28 14M46 16l-6-8M60 14V4M74 16l6-8",
            ),
            // A closed lock.
            Self::Forbidden => ("M38 44h44v38H38zM60 58v10", "M46 44V32a14 14 0 0 1 28 0v12M12 82h14M94 82h14"),
            // A plug out of its socket.
            Self::Failed => (
                "M26 40h14a5 5 0 0 1 5 5v14a5 5 0 0 1-5 5H26ZM45 46h9M45 58h9M94 40H80a5 5 0 0 0-5 5v14a5 5 0 0 0 5 5h14Z",
                "M4 52h22M94 52h22M64 30l-2-10M71 31l5-8M64 74l-2 10M71 73l5 8",
            ),
        }
    }
}

/// A drawing, a sentence and the next step, where there are no rows to show.
#[component]
pub(crate) fn Screen(
    /// Which of the four.
    kind: ScreenKind,
    /// What is the matter, in a few words.
    #[prop(into)]
    title: String,
    /// What that means and what can be done, in a sentence.
    #[prop(into)]
    text: String,
    /// The server's own words.
    #[prop(optional_no_strip, into)]
    message: Option<String>,
    /// The next step.
    children: Children,
) -> impl IntoView {
    let (front, back) = kind.drawing();
    view! {
        <div class="screen" data-screen=kind.as_str() role=if kind == ScreenKind::Loading { "status" } else { "alert" }>
            <svg
                class="screen-drawing"
                width="120"
                height="96"
                viewBox="0 0 120 96"
                fill="none"
                stroke-width="3"
                stroke-linecap="round"
                stroke-linejoin="round"
                aria-hidden="true"
            >
                <path class="screen-back" d=back />
                <path class="screen-front" d=front />
            </svg>
            <h2>{title}</h2>
            <p class="screen-text">{text}</p>
            {message.map(|message| view! { <p class="screen-message" data-testid="screen-message">{message}</p> })}
            <div class="screen-actions">{children()}</div>
        </div>
    }
}
