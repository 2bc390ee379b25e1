use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::log_screen::LogScreen;
use super::log_state::{LogStatus, NoLines};
use super::log_tools::{Choice, LogTools};
use crate::rest::LogRequest;
use crate::ui::control_flow::When;
use crate::ui::hooks::{download, focus_by_id};
use crate::ui::state::{LogStream, Notices, Session};
use crate::ui::time::grouped;
use crate::view::log::{LogBuffer, LogPod};

/// The log of a pod's container, as it is written.
#[component]
pub(crate) fn LogView(
    /// The cluster.
    session: Session,
    /// Told of what was copied.
    notices: Notices,
    /// The pod, as it is now.
    #[prop(into)]
    pod: Signal<LogPod>,
) -> impl IntoView {
    let stream = LogStream::new(session);
    let screen = LogScreen::new(stream);
    let choice = Choice::new(pod.with_untracked(|pod| pod.default.clone()));
    read_what_is_chosen(screen, choice, pod);
    take_keyboard();
    let on_copy = Callback::new(move |()| {
        let text = stream.read(|buffer| buffer.to_text(screen.has_times.get_untracked()));
        let lines = stream.read(LogBuffer::len);
        session.copy_as(text, format!("{} lines", grouped(lines)), notices);
    });
    let on_save = Callback::new(move |()| {
        let text = stream.read(|buffer| buffer.to_text(screen.has_times.get_untracked()));
        let name = pod.with_untracked(|pod| pod.name.clone());
        let file = format!("{name}-{}.log", choice.container.get_untracked());
        if !download(&file, "text/plain;charset=utf-8", &text) {
            notices.fail("Not saved: the browser did not allow it");
        }
    });
    let keys = Keys { screen, choice, pod, on_copy, on_save };
    let label = move || pod.with(|pod| format!("Log of {} in {}", choice.container.get(), pod.name));
    view! {
        <section class="log" data-testid="log" aria-label="Log" on:keydown=move |event| keys.on_key(&event)>
            <LogTools screen=screen choice=choice pod=pod on_copy=on_copy on_save=on_save />
            <div class="log-frame" class:wraps=move || screen.wraps.get()>
                <div
                    id="log-lines"
                    class="log-scroll"
                    data-testid="log-lines"
                    role="log"
                    aria-live="off"
                    aria-label=label
                    tabindex="0"
                    node_ref=screen.scroller
                    on:scroll=move |_| screen.on_scroll()
                >
                    <div class="log-space" node_ref=screen.space>
                        <div class="log-body" node_ref=screen.body></div>
                    </div>
                </div>
                <NoLines screen=screen />
                <JumpToEnd screen=screen />
            </div>
            <LogStatus screen=screen now=session.now />
        </section>
    }
    .into_any()
}

/// Reads another log whenever another one is chosen, and looks again whenever the pod has changed.
fn read_what_is_chosen(screen: LogScreen, choice: Choice, pod: Signal<LogPod>) {
    Effect::new(move |_| {
        let (container, previous, start) = (choice.container.get(), choice.is_previous.get(), choice.start());
        let request = pod.with_untracked(|pod| LogRequest {
            namespace: pod.namespace.clone(),
            pod: pod.name.clone(),
            previous,
            start,
            known: pod.container(&container).map(|it| (pod.uid.clone(), it.restarts)),
            container,
        });
        screen.stream.start(request);
        screen.start_over();
    });
    Effect::new(move |_| {
        pod.track();
        screen.stream.retry_now();
    });
}

/// Takes it where nothing within has it: the log was opened by a key.
fn take_keyboard() {
    Effect::new(move |_| {
        request_animation_frame(|| {
            let active = document().active_element();
            if active.is_none_or(|active| active.tag_name() == "BODY" || active.id() == "object-panel") {
                focus_by_id("log-lines");
            }
        });
    });
}

/// What keys do in a log.
#[derive(Clone, Copy)]
struct Keys {
    screen: LogScreen,
    choice: Choice,
    pod: Signal<LogPod>,
    on_copy: Callback<()>,
    on_save: Callback<()>,
}

impl Keys {
    fn on_key(&self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let is_in =
            |selector| target.as_ref().is_some_and(|it| Element::closest(it, selector).ok().flatten().is_some());
        if is_in("select") && event.key() != "Escape" {
            // Letters choose in a list.
            event.stop_propagation();
            return;
        }
        if is_in("input") {
            return;
        }
        if self.act(&event.key()) {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    fn act(&self, key: &str) -> bool {
        let screen = self.screen;
        let toggle = |signal: RwSignal<bool>| signal.update(|is_on| *is_on = !*is_on);
        match key {
            "/" => focus_by_id("log-search"),
            "n" => screen.go_to_found(true),
            "N" => screen.go_to_found(false),
            "f" => screen.toggle_following(),
            "t" => toggle(screen.has_times),
            "w" => toggle(screen.wraps),
            "p" => self.toggle_previous(),
            "c" => focus_by_id("log-container"),
            "b" => focus_by_id("log-start"),
            "r" => screen.stream.retry_now(),
            "y" => self.on_copy.run(()),
            "s" => self.on_save.run(()),
            "j" => screen.scroll_by(1.0),
            "k" => screen.scroll_by(-1.0),
            "g" | "Home" => screen.go_to_start(),
            "G" | "End" => screen.go_to_end(),
            "Escape" if !screen.search.with_untracked(String::is_empty) => screen.search.set(String::new()),
            _ => return false,
        }
        true
    }

    fn toggle_previous(&self) {
        let Choice { is_previous, container, .. } = self.choice;
        let has_previous = self.pod.with_untracked(|pod| {
            container.with_untracked(|name| pod.container(name).is_some_and(|it| it.has_previous))
        });
        if has_previous || is_previous.get_untracked() {
            is_previous.update(|is_previous| *is_previous = !*is_previous);
        }
    }
}

#[component]
fn JumpToEnd(
    /// The lines.
    screen: LogScreen,
) -> impl IntoView {
    let new = Memo::new(move |_| screen.summary.with(|summary| summary.new));
    let has_lines = Memo::new(move |_| screen.summary.with(|summary| summary.lines > 0));
    let text = move || match new.get() {
        0 => "Jump to the end".to_owned(),
        1 => "Jump to the end, 1 new line".to_owned(),
        new => format!("Jump to the end, {} new lines", grouped(new as usize)),
    };
    view! {
        <When when=move || has_lines.get() && !screen.is_following.get()>
            <button
                class="button primary log-jump"
                data-testid="log-jump"
                title="Jump to the end (G)"
                on:click=move |_| {
                    screen.go_to_end();
                    screen.focus();
                }
            >
                {text}
            </button>
        </When>
    }
    .into_any()
}
