use jiff::Timestamp;
use leptos::ev::KeyboardEvent;
use leptos::html::{Aside, Div};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node};

use super::owned::SEARCH_BUTTON;
use super::resize::{Resizer, Width};
use super::tabs::{Shown, TabList, id_of, tab_named, tabs_of};
use super::yaml_find::{CLEAR, NEXT, PREVIOUS};
use crate::api::Object;
use crate::ui::components::{Icon, Screen, ScreenKind, Shape};
use crate::ui::control_flow::each;
use crate::ui::dom::{age, fill, is_keyboard_free, status_word};
use crate::ui::hooks::{focus_by_id, press_by_id, use_shortcuts, use_window_event};
use crate::ui::state::{LiveTable, Navigation, Notices, Session};
use crate::ui::time::local_time;
use crate::view::object::{Life, status_of};
use crate::view::{Health, Leaving, advice};

/// At this width of the page, in CSS pixels, and below it, the panel covers the page; as in panel.css.
const NARROW: f64 = 720.0;

/// Shows an object in the panel, and gives it the keyboard.
pub(crate) fn open_object(navigation: Navigation, key: String, tab: Option<&str>) {
    navigation.open_object(key, tab);
    request_animation_frame(|| focus_by_id("object-panel"));
}

/// Closes the panel, and gives the keyboard back to the table.
pub(crate) fn close_object(navigation: Navigation) {
    navigation.close_object();
    // Behind a panel that covers the page it takes none.
    request_animation_frame(|| focus_by_id("table"));
}

/// The object that the address names, beside the table on the page; nothing where it names none.
#[component]
pub(crate) fn ObjectPanel(
    /// The table that it is a row of: that of its kind, or of several.
    table: LiveTable,
) -> impl IntoView {
    let opened = expect_context::<Navigation>().object();
    let home = move || opened.get().and_then(|key| table.home(&key));
    let key = Memo::new(move |_| home().map(|(_, key)| key).unwrap_or_default());
    // Another panel for another kind alone.
    let kind = Memo::new(move |_| home().map(|(table, _)| table.served().to_string()));
    move || {
        kind.get()?;
        let (of_kind, _) = untrack(home)?;
        Some(view! { <Panel table=of_kind rows=table key=key /> }.into_any())
    }
}

#[component]
fn Panel(
    /// The table of the object's kind.
    table: LiveTable,
    /// The table that it is a row of.
    rows: LiveTable,
    /// The object's key in the table of its kind.
    key: Memo<String>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let shown = Shown { table, life: follow(table, key) };
    let open_tab = Memo::new(move |_| navigation.tab().with(|tab| tab_named(table.resource, tab).id));
    let width = Width::new();
    let panel = NodeRef::<Aside>::new();
    take_keyboard(panel);
    let is_narrow = RwSignal::new(is_narrow());
    use_window_event(leptos::ev::resize, move |_| is_narrow.set(self::is_narrow()));
    let keys = Keys::new(table, rows, key);
    // The page's own keys are for the rest.
    use_shortcuts(move |pressed| keys.is_for_all(pressed) && keys.act(pressed));
    view! {
        <aside
            id="object-panel"
            class="object-panel"
            data-testid="object-panel"
            role=move || if is_narrow.get() { "dialog" } else { "complementary" }
            aria-modal=move || is_narrow.get().then_some("true")
            aria-labelledby="object-title"
            tabindex="-1"
            node_ref=panel
            style=("--share", move || width.share.get().to_string())
            on:keydown=move |event| keys.on_key(&event)
        >
            <Resizer width=width />
            <Head shown=shown key=key keys=keys />
            <TabList resource=table.resource open=open_tab />
            <Body shown=shown key=key open=open_tab />
        </aside>
    }
    .into_any()
}

/// What becomes of the object of a key.
fn follow(table: LiveTable, key: Memo<String>) -> RwSignal<Life> {
    let session = expect_context::<Session>();
    let life = RwSignal::new(Life::default());
    let last_key = StoredValue::new(String::new());
    Effect::new(move |_| {
        let key = key.get();
        let object = table.follow(&key);
        if last_key.get_value() != key {
            last_key.set_value(key);
            life.set(Life::default());
        }
        // Of a list that broke off, nothing stays.
        if object.is_none() && !table.link().with_untracked(|link| link.connection.synced) {
            return;
        }
        let now = session.now.get_untracked();
        if life.try_update_untracked(|life| life.see(object, now)) == Some(true) {
            life.notify();
        }
    });
    on_cleanup(move || table.unfollow());
    life
}

/// Where nothing has the keyboard, as when a link led here.
fn take_keyboard(panel: NodeRef<Aside>) {
    Effect::new(move |_| {
        let Some(panel) = panel.get() else { return };
        if is_keyboard_free() {
            // An element that is gone again cannot take it.
            let _ = panel.focus();
        }
    });
}

fn is_narrow() -> bool {
    window().inner_width().ok().and_then(|width| width.as_f64()).is_some_and(|width| width <= NARROW)
}

/// What keys do in the panel. A handle.
#[derive(Clone, Copy)]
struct Keys {
    table: LiveTable,
    rows: LiveTable,
    key: Memo<String>,
    navigation: Navigation,
    session: Session,
    notices: Notices,
    /// Where the object stood in the table last.
    place: StoredValue<usize>,
}

impl Keys {
    fn new(table: LiveTable, rows: LiveTable, key: Memo<String>) -> Self {
        let (navigation, session) = (expect_context::<Navigation>(), expect_context::<Session>());
        let place = StoredValue::new(0);
        Effect::new(move |_| {
            let opened = navigation.object().get().unwrap_or_default();
            if let Some(at) = rows.read(|model| model.index_of(&opened)) {
                place.set_value(at);
            }
        });
        Self { table, rows, key, navigation, session, notices: expect_context(), place }
    }

    /// Keys that the page has no other use for.
    fn is_for_all(&self, pressed: &str) -> bool {
        matches!(pressed, "[" | "]") || pressed.parse::<usize>().is_ok()
    }

    fn on_key(&self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_in =
            |selector: &str| target.as_ref().is_some_and(|target| target.closest(selector).ok().flatten().is_some());
        let pressed = event.key();
        if is_in("input") || is_in("button, a, summary") && matches!(pressed.as_str(), "Enter" | " ") {
            return;
        }
        if self.act(&pressed) || scroll(&pressed) {
            event.prevent_default();
            // The table below would move its selection.
            event.stop_propagation();
        }
    }

    fn act(&self, pressed: &str) -> bool {
        match pressed {
            "Escape" if press_by_id(CLEAR) => {}
            "Escape" => close_object(self.navigation),
            "[" => self.step(false),
            "]" => self.step(true),
            "y" => self.copy_name(),
            "o" => return press_by_id(SEARCH_BUTTON),
            "n" => return press_by_id(NEXT),
            "N" => return press_by_id(PREVIOUS),
            "/" if document().get_element_by_id("object-find").is_some() => focus_by_id("object-find"),
            _ => {
                let resource = self.table.resource;
                let number = pressed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let by_number = number.and_then(|at| tabs_of(resource).nth(at));
                let Some(tab) = by_number.or_else(|| tabs_of(resource).find(|tab| tab.key == pressed)) else {
                    return false;
                };
                self.navigation.set_tab(tab.id);
            }
        }
        true
    }

    fn copy_name(&self) {
        let key = self.key.get_untracked();
        let name = key.rsplit_once('/').map_or(key.as_str(), |(_, name)| name);
        self.session.copy(name.to_owned(), self.notices);
    }

    /// Goes to the next row of the table, or to the one before.
    fn step(&self, is_forward: bool) {
        let key = self.navigation.object().get_untracked().unwrap_or_default();
        let last = self.place.get_value();
        let found = untrack(|| {
            self.rows.read(|model| {
                let at = model.index_of(&key);
                // When it is gone, the next row has its place.
                let mut at = match (at, is_forward) {
                    (Some(at), true) => at + 1,
                    (None, true) => last,
                    (at, false) => at.unwrap_or(last).checked_sub(1)?,
                };
                loop {
                    let row = model.window(at..at + 1).pop()?;
                    if row.leaving == Leaving::No {
                        return Some(row.row.key());
                    }
                    at = if is_forward { at + 1 } else { at.checked_sub(1)? };
                }
            })
        });
        if let Some(key) = found {
            self.navigation.open_object(key, None);
        }
    }
}

/// Moves what the open tab shows.
fn scroll(pressed: &str) -> bool {
    let scroller = document().query_selector(".object-scroll").ok().flatten();
    let Some(scroller) = scroller else { return false };
    let (top, page) = (scroller.scroll_top(), scroller.client_height() - 40);
    let to = match pressed {
        "j" | "ArrowDown" => top + 40,
        "k" | "ArrowUp" => top - 40,
        "PageDown" | " " => top + page,
        "PageUp" => top - page,
        "g" | "Home" => 0,
        "G" | "End" => scroller.scroll_height(),
        _ => return false,
    };
    scroller.set_scroll_top(to);
    true
}

#[component]
fn Head(
    /// The object.
    shown: Shown,
    /// Its key.
    key: Memo<String>,
    /// What the buttons do.
    keys: Keys,
) -> impl IntoView {
    let resource = shown.table.resource;
    let name = move || key.with(|key| key.rsplit_once('/').map_or(key.clone(), |(_, name)| name.to_owned()));
    let namespace = move || key.with(|key| key.rsplit_once('/').map(|(namespace, _)| format!("{namespace}/")));
    let state = NodeRef::<Div>::new();
    let now = expect_context::<Session>().now;
    Effect::new(move |_| {
        let (Some(state), now) = (state.get(), now.get()) else { return };
        let nodes = shown.read(|object| state_of(shown, object, now)).unwrap_or_default();
        fill(&state, nodes);
    });
    let history = Memo::new(move |_| shown.life.with(|life| (life.deleted_at(), life.recreated_at())));
    let told = move || match history.get() {
        (Some(at), _) => Some(format!("Deleted {}. This is its last state", local_time(at))),
        (None, Some(at)) => Some(format!("Created again {}. This is the new one", local_time(at))),
        (None, None) => None,
    };
    let button = move |shape: Shape, label: &'static str, key: &'static str| {
        view! {
            <button aria-label=label title=format!("{label} ({key})") on:click=move |_| { keys.act(if key == "Esc" { "Escape" } else { key }); }>
                <Icon shape=shape />
            </button>
        }
    };
    view! {
        <header class="object-head">
            <div class="object-line">
                <span class="object-kind">{resource.kind}</span>
                <div class="object-buttons">
                    {button(Shape::Up, "Previous row", "[")}
                    {button(Shape::Down, "Next row", "]")}
                    {button(Shape::Copy, "Copy the name", "y")}
                    {button(Shape::Close, "Close", "Esc")}
                </div>
            </div>
            <h2 id="object-title" class="object-title">
                <span class="object-namespace">{namespace}</span>
                {name}
            </h2>
            <div class="object-state" node_ref=state></div>
            <p class="object-told" role="status" data-testid="object-told">{told}</p>
        </header>
    }
}

/// The object's state in a word, and its age.
fn state_of(shown: Shown, object: &Object, now: Timestamp) -> Vec<Node> {
    let is_deleted = shown.life.with(|life| life.deleted_at().is_some());
    let status = match is_deleted {
        true => Some(("Deleted".into(), Health::Terminated)),
        false => status_of(shown.table.resource, object),
    };
    let word = status.map(|(word, health)| status_word(&word, health));
    word.into_iter().chain([age(object.creation_timestamp(), now)]).collect()
}

#[component]
fn Body(
    /// The object.
    shown: Shown,
    /// Its key.
    key: Memo<String>,
    /// The tab that is open.
    open: Memo<&'static str>,
) -> impl IntoView {
    let resource = shown.table.resource;
    // Another object under the same name has a content of its own, and no element or place of the last one.
    let content = Memo::new(move |_| (open.get(), shown.read(|object| object.uid().into_owned())));
    let view = move |(tab, uid): (&'static str, Option<String>)| match uid {
        Some(_) => (tab_named(resource, tab).view)(shown),
        None => view! { <Absent table=shown.table key=key /> }.into_any(),
    };
    view! {
        <div
            id="object-tabpanel"
            class="object-body"
            role="tabpanel"
            aria-labelledby=move || id_of(tab_named(resource, open.get()))
        >
            {each(move || vec![content.get()], Clone::clone, view)}
        </div>
    }
}

/// What stands in place of an object that is not there, or not yet.
#[component]
fn Absent(
    /// The table of its kind.
    table: LiveTable,
    /// Its key.
    key: Memo<String>,
) -> impl IntoView {
    let link = table.link();
    let state = Memo::new(move |_| match link.with(|link| (link.connection.synced, link.error.clone())) {
        (true, _) => (!table.is_behind(), None),
        (false, error) => (false, error),
    });
    let noun = table.resource.noun();
    move || {
        let (kind, title, text, message) = match state.get() {
            (true, _) => {
                let title = format!("There is no {noun} {}", key.get());
                (ScreenKind::Empty, title, "It is shown as soon as it is created", None)
            }
            (false, Some(error)) if error.is_forbidden() => {
                let title = format!("You may not list {}", table.resource.nouns());
                (ScreenKind::Forbidden, title, advice(&error), Some(error.to_string()))
            }
            (false, Some(error)) => {
                let title = format!("The {noun} could not be read");
                (ScreenKind::Failed, title, advice(&error), Some(error.to_string()))
            }
            (false, None) => {
                (ScreenKind::Loading, format!("Looking for {}…", key.get()), "The list is on its way", None)
            }
        };
        view! { <Screen kind=kind title=title text=text message=message>""</Screen> }
    }
}
