use leptos::prelude::*;

use super::{events, logs, related, summary, yaml};
use crate::api::Object;
use crate::ui::hooks::focus_by_id;
use crate::ui::state::{LiveTable, Navigation};
use crate::view::Resource;
use crate::view::object::Life;

/// The object that the panel shows. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// The table of its kind.
    pub(crate) table: LiveTable,
    pub(super) life: RwSignal<Life>,
}

impl Shown {
    /// Reads its newest state, or the last one before it was deleted, and again after each change when called where
    /// signals are followed; none before it was found.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Object) -> R) -> Option<R> {
        self.life.with(|life| life.object().map(read))
    }
}

/// A tab of the panel.
pub(super) struct Tab {
    /// Its name in the address; empty for the first one.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Opens a row in it; none when empty.
    pub(super) key: &'static str,
    /// Whether objects of a kind have it.
    pub(super) is_for: fn(&Resource) -> bool,
    /// Made when it is opened, and anew for each object; an object is there then.
    pub(super) view: fn(Shown) -> AnyView,
}

static TABS: [Tab; 5] = [
    Tab { id: "", title: "Summary", key: "d", is_for: |_| true, view: summary::view },
    Tab {
        id: "logs",
        title: "Logs",
        key: "l",
        is_for: |it| it.group.is_empty() && it.name == "pods",
        view: logs::view,
    },
    Tab { id: "yaml", title: "YAML", key: "Y", is_for: |_| true, view: yaml::view },
    Tab { id: "events", title: "Events", key: "", is_for: |it| it.name != "events", view: events::view },
    Tab { id: "related", title: "Related", key: "", is_for: |_| true, view: related::view },
];

/// The tabs of a kind, in the order in which they stand.
pub(super) fn tabs_of(resource: &Resource) -> impl Iterator<Item = &'static Tab> {
    TABS.iter().filter(|tab| (tab.is_for)(resource))
}

/// The tab of an address; the first one where there is none such.
pub(super) fn tab_named(resource: &Resource, id: &str) -> &'static Tab {
    tabs_of(resource).find(|tab| tab.id == id).unwrap_or(&TABS[0])
}

/// The name of the tab that a key opens a row in.
pub(crate) fn tab_of_key(resource: &Resource, key: &str) -> Option<&'static str> {
    tabs_of(resource).find(|tab| tab.key == key).map(|tab| tab.id)
}

/// The line of tabs.
#[component]
pub(super) fn TabList(
    /// Whose objects are shown.
    resource: &'static Resource,
    /// The tab that is open.
    open: Memo<&'static str>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let choose = move |tab: &'static Tab| {
        navigation.set_tab(tab.id);
        focus_by_id(&id_of(tab));
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let tabs: Vec<_> = tabs_of(resource).collect();
        let at = tabs.iter().position(|tab| tab.id == open.get_untracked()).unwrap_or(0);
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % tabs.len(),
            "ArrowLeft" => (at + tabs.len() - 1) % tabs.len(),
            "Home" => 0,
            "End" => tabs.len() - 1,
            _ => return,
        };
        event.prevent_default();
        choose(tabs[to]);
    };
    let tab = |(at, tab): (usize, &'static Tab)| {
        let is_open = move || open.get() == tab.id;
        let keys = if tab.key.is_empty() { String::new() } else { format!(", {}", tab.key) };
        view! {
            <button
                id=id_of(tab)
                class="object-tab"
                role="tab"
                aria-controls="object-tabpanel"
                aria-selected=move || is_open().to_string()
                tabindex=move || if is_open() { "0" } else { "-1" }
                title=format!("{} ({}{keys})", tab.title, at + 1)
                on:click=move |_| navigation.set_tab(tab.id)
            >
                {tab.title}
            </button>
        }
    };
    view! {
        <div class="object-tabs" role="tablist" aria-label="Views of the object" on:keydown=on_key>
            {tabs_of(resource).enumerate().map(tab).collect_view()}
        </div>
    }
}

pub(super) fn id_of(tab: &Tab) -> String {
    format!("object-tab-{}", tab.title.to_ascii_lowercase())
}
