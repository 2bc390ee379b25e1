use jiff::Timestamp;
use leptos::prelude::*;

use super::log_screen::{LogScreen, Summary};
use super::{Screen, ScreenKind};
use crate::rest::{ContainerEnd, LogState};
use crate::ui::control_flow::When;
use crate::ui::time::{grouped, local_time};
use crate::view::log::LogBuffer;

/// A log whose last line was this old when it came is behind.
const BEHIND: i64 = 5;

/// The row below a log: how it stands with it, how much of it there is, and how far behind it is.
#[component]
pub(super) fn LogStatus(
    /// The lines.
    screen: LogScreen,
    /// Ticks every second.
    now: Signal<Timestamp>,
) -> impl IntoView {
    let state = screen.stream.state();
    let lag = use_lag(screen, now);
    let counts = move || {
        let Summary { lines, dropped, .. } = screen.summary.get();
        match (lines, dropped) {
            (0, 0) => String::new(),
            (_, 0) => format!("{} lines", grouped(lines)),
            _ => format!("Last {} lines, {} older ones dropped", grouped(lines), grouped(dropped as usize)),
        }
    };
    let can_retry = move || state.with(|state| matches!(state, LogState::Retrying { .. } | LogState::Waiting { .. }));
    view! {
        <div class="log-status" data-testid="log-status" data-state=move || state.with(name_of)>
            <span class="log-dot" aria-hidden="true"></span>
            <span class="log-told" role="status">{move || state.with(words_of)}</span>
            <When when=can_retry>
                <button class="link" title="Try again at once (r)" on:click=move |_| screen.stream.retry_now()>
                    "Retry now"
                </button>
            </When>
            <span class="log-lag">{move || lag.get().map(|seconds| format!("{seconds} s behind"))}</span>
            <span class="log-counts" data-testid="log-counts">{counts}</span>
        </div>
    }
    .into_any()
}

/// How old the last line was, of a log that does not come as fast as it is written.
fn use_lag(screen: LogScreen, now: Signal<Timestamp>) -> RwSignal<Option<i64>> {
    let lag = RwSignal::new(None);
    let last_end = StoredValue::new(0);
    Effect::new(move |_| {
        let now = now.get();
        let (end, time) = screen.stream.read(|buffer| (buffer.end(), buffer.last().and_then(|line| line.time())));
        let has_come = last_end.get_value() < end;
        last_end.set_value(end);
        let age = time.map(|time| now.as_second() - time.as_second());
        let is_read = screen.stream.state().with_untracked(|state| *state == LogState::Following);
        let behind = age.filter(|age| has_come && is_read && *age >= BEHIND);
        if lag.get_untracked() != behind {
            lag.set(behind);
        }
    });
    lag
}

const fn name_of(state: &LogState) -> &'static str {
    match state {
        LogState::Opening => "opening",
        LogState::Following => "following",
        LogState::Waiting { .. } => "waiting",
        LogState::Retrying { .. } => "retrying",
        LogState::Ended(_) => "ended",
        LogState::Gone => "gone",
        LogState::Failed(_) => "failed",
    }
}

fn words_of(state: &LogState) -> String {
    match state {
        LogState::Opening => "Opening".into(),
        LogState::Following => "Live".into(),
        LogState::Waiting { why } => format!("Waiting for the container: {why}"),
        LogState::Retrying { error } => format!("Reconnecting: {error}"),
        LogState::Ended(None) => "Ended".into(),
        LogState::Ended(Some(end)) => ended(end),
        LogState::Gone => "The pod is gone".into(),
        LogState::Failed(error) if error.is_forbidden() => "You may not read this log".into(),
        LogState::Failed(error) => format!("Not read: {error}"),
    }
}

fn ended(end: &ContainerEnd) -> String {
    let ContainerEnd { exit_code, reason, finished_at } = end;
    let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let at = finished_at.map(|at| format!(" at {}", local_time(at))).unwrap_or_default();
    format!("Container ended{at} with exit code {exit_code}{reason}")
}

/// What stands in place of the lines while there are none.
#[component]
pub(super) fn NoLines(
    /// The lines.
    screen: LogScreen,
) -> impl IntoView {
    let is_empty = Memo::new(move |_| {
        screen.stream.revision().track();
        screen.stream.read(LogBuffer::is_empty)
    });
    let state = screen.stream.state();
    move || is_empty.get().then(|| state.with(|state| no_lines(state, screen)))
}

fn no_lines(state: &LogState, screen: LogScreen) -> AnyView {
    use ScreenKind::{Empty, Failed, Forbidden, Loading};
    let (kind, title, text, message) = match state {
        LogState::Opening => (Loading, "Opening the log", "Nothing of it has come yet", None),
        LogState::Following => (Empty, "No lines yet", "The container has written nothing since then", None),
        LogState::Waiting { why } => {
            (Empty, "The container does not run yet", "Its log follows as soon as it does", Some(why.clone()))
        }
        LogState::Ended(_) => (Empty, "No lines", "The container has written nothing since then", None),
        LogState::Gone => (Empty, "The pod is gone", "Its log went with it", None),
        LogState::Retrying { error } => {
            (Failed, "The log does not come", "It is asked for again and again", Some(error.to_string()))
        }
        LogState::Failed(error) if error.is_forbidden() => {
            let text =
                "Reading it needs the right to get pods/log in this namespace. Ask who manages the cluster for it";
            (Forbidden, "You may not read this log", text, Some(error.to_string()))
        }
        LogState::Failed(error) => (
            Failed,
            "There is no such log",
            "Choose another container, or the log that is written now",
            Some(error.to_string()),
        ),
    };
    let can_retry = matches!(state, LogState::Waiting { .. } | LogState::Retrying { .. });
    let retry = can_retry.then(|| {
        view! {
            <button class="button" title="Try again at once (r)" on:click=move |_| screen.stream.retry_now()>
                "Retry now"
            </button>
        }
    });
    view! { <Screen kind=kind title=title text=text message=message>{retry}</Screen> }.into_any()
}
