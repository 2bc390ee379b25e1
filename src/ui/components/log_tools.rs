use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::log_screen::{LogScreen, Summary};
use super::{Icon, Shape};
use crate::rest::LogStart;
use crate::ui::control_flow::When;
use crate::ui::time::grouped;
use crate::view::log::{LogContainer, LogPod, Role};

/// Where a log may begin; the first is what it begins with.
static STARTS: [(&str, LogStart); 4] = [
    ("Last 500 lines", LogStart::Lines(500)),
    ("Last 5 minutes", LogStart::Seconds(300)),
    ("Last hour", LogStart::Seconds(3600)),
    ("All lines", LogStart::All),
];

/// Which log is read. A handle.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) container: RwSignal<String>,
    pub(super) is_previous: RwSignal<bool>,
    /// The place in the list of where it may begin.
    start: RwSignal<usize>,
}

impl Choice {
    pub(super) fn new(container: String) -> Self {
        Self { container: RwSignal::new(container), is_previous: RwSignal::new(false), start: RwSignal::new(0) }
    }

    pub(super) fn start(&self) -> LogStart {
        self.start.with(|at| STARTS.get(*at).map(|(_, start)| *start)).unwrap_or_default()
    }
}

/// The row of tools over a log.
#[component]
pub(super) fn LogTools(
    /// Its lines.
    screen: LogScreen,
    /// Which log it is.
    choice: Choice,
    /// The pod.
    pod: Signal<LogPod>,
    /// Copies the log.
    on_copy: Callback<()>,
    /// Saves the log as a file.
    on_save: Callback<()>,
) -> impl IntoView {
    let has_previous = move || {
        choice.is_previous.get()
            || pod.with(|pod| choice.container.with(|name| pod.container(name).is_some_and(|it| it.has_previous)))
    };
    view! {
        <div class="log-tools" role="group" aria-label="What is shown of the log">
            <select
                id="log-container"
                class="log-select"
                data-testid="log-container"
                aria-label="Container"
                title="Container (c)"
                prop:value=move || choice.container.get()
                on:change:target=move |event| {
                    choice.is_previous.set(false);
                    choice.container.set(event.target().value());
                }
            >
                {move || pod.with(|pod| pod.containers.iter().map(|it| option(it, &choice.container.get())).collect_view())}
            </select>
            <select
                id="log-start"
                class="log-select"
                data-testid="log-start"
                aria-label="From where on"
                title="From where on (b)"
                on:change:target=move |event| choice.start.set(event.target().value().parse().unwrap_or_default())
            >
                {STARTS.iter().enumerate().map(|(at, (name, _))| view! { <option value=at>{*name}</option> }).collect_view()}
            </select>
            {switch("Previous", "The log before the last restart (p)", "log-previous", choice.is_previous, Signal::derive(has_previous))}
            {switch("Follow", "Keep the end in view (f)", "log-follow", screen.is_following, true.into())}
            {switch("Times", "Show times (t)", "log-times", screen.has_times, true.into())}
            {switch("Wrap", "Wrap long lines (w)", "log-wrap", screen.wraps, true.into())}
            <span class="log-actions">
                <button class="button" data-testid="log-copy" title="Copy the log (y)" on:click=move |_| on_copy.run(())>
                    "Copy"
                </button>
                <button class="button" data-testid="log-save" title="Save the log as a file (s)" on:click=move |_| on_save.run(())>
                    "Save"
                </button>
            </span>
            <SearchBox screen=screen />
        </div>
    }
    .into_any()
}

fn option(container: &LogContainer, chosen: &str) -> AnyView {
    let LogContainer { name, role, restarts, .. } = container;
    let role = match role {
        Role::Main => "",
        Role::Init => " (init)",
        Role::Ephemeral => " (ephemeral)",
    };
    let restarts = match restarts {
        0 => String::new(),
        1 => ", 1 restart".into(),
        many => format!(", {many} restarts"),
    };
    view! { <option value=name.clone() selected=name == chosen>{format!("{name}{role}{restarts}")}</option> }.into_any()
}

fn switch(
    name: &'static str,
    title: &'static str,
    test_id: &'static str,
    is_on: RwSignal<bool>,
    is_possible: Signal<bool>,
) -> AnyView {
    view! {
        <button
            class="button log-switch"
            data-testid=test_id
            title=title
            aria-pressed=move || is_on.get().to_string()
            disabled=move || !is_possible.get()
            on:click=move |_| is_on.update(|is_on| *is_on = !*is_on)
        >
            {name}
        </button>
    }
    .into_any()
}

#[component]
fn SearchBox(
    /// Where it searches.
    screen: LogScreen,
) -> impl IntoView {
    let LogScreen { search, search_error, summary, .. } = screen;
    let has_text = move || !search.with(String::is_empty);
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Enter" => screen.go_to_found(!event.shift_key()),
            "Escape" if search.with_untracked(String::is_empty) => screen.focus(),
            "Escape" => search.set(String::new()),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let told = move || {
        let Summary { found, place, .. } = summary.get();
        match (search_error.get(), place) {
            (Some(error), _) => error,
            (None, _) if !has_text() => String::new(),
            (None, Some(place)) => format!("{} of {}", grouped(place), grouped(found)),
            (None, None) if found == 0 => "None".into(),
            (None, None) => format!("{} found", grouped(found)),
        }
    };
    view! {
        <div class="log-search" role="search">
            <Icon shape=Shape::Search />
            <input
                id="log-search"
                type="text"
                data-testid="log-search"
                placeholder="Search"
                aria-label="Search in the log"
                title="Words, or an expression as /time.?out/ (/)"
                aria-invalid=move || search_error.with(Option::is_some).then_some("true")
                aria-describedby="log-found"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || search.get()
                on:input:target=move |event| search.set(event.target().value())
                on:keydown=on_key
            />
            <span id="log-found" class="log-found" data-testid="log-found" aria-live="polite">{told}</span>
            <When when=has_text>
                <button class="log-step previous" aria-label="Previous line found" title="Previous line found (N)" on:click=move |_| screen.go_to_found(false)>
                    <Icon shape=Shape::Down />
                </button>
                <button class="log-step" aria-label="Next line found" title="Next line found (n)" on:click=move |_| screen.go_to_found(true)>
                    <Icon shape=Shape::Down />
                </button>
            </When>
        </div>
    }
    .into_any()
}
