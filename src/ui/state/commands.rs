use std::collections::BTreeSet;

use leptos::prelude::*;

use super::{Appearance, Columns, Density, Kinds, LiveTable, Navigation, RailChoices, Session, Tables, Theme};
use crate::view::palette::{Action, Candidate, Choice, NamedObject, Scope, Sources, candidates};
use crate::view::{UrlState, object_key};

const RECENT_KEY: &str = "watchglass.recent";

/// What the palette offers, and what it does. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Commands {
    pub(crate) session: Session,
    pub(crate) navigation: Navigation,
    pub(crate) tables: Tables,
    pub(crate) kinds: Kinds,
    pub(crate) appearance: Appearance,
    pub(crate) rail: RailChoices,
    pub(crate) columns: Columns,
    /// The table on the page.
    pub(crate) shown: RwSignal<Option<LiveTable>>,
    /// The page that is shown.
    pub(crate) page: Signal<String>,
    /// The namespaces that are known.
    pub(crate) namespaces: Signal<Vec<String>>,
    /// Those of them that are shown; empty for all.
    pub(crate) chosen: Signal<BTreeSet<String>>,
    pub(crate) is_help_open: RwSignal<bool>,
}

impl Commands {
    /// What fits a text, the best first.
    pub(crate) fn candidates(&self, typed: &str) -> Vec<Candidate> {
        let recent = self.recent();
        let tables = untrack(|| self.tables.all());
        let objects = |call: &mut dyn FnMut(NamedObject<'_>)| {
            for table in &tables {
                let (page, noun) = (table.served().to_string(), table.resource.noun());
                let mut named = |namespace: &str, name: &str| {
                    call(NamedObject { page: &page, noun: &noun, namespace, name });
                };
                untrack(|| table.read(|model| model.each_name(&mut named)));
            }
        };
        self.kinds.catalog().with(|catalog| {
            self.namespaces.with(|namespaces| {
                let sources = Sources { catalog: catalog.as_ref(), namespaces, recent: &recent, objects: &objects };
                candidates(typed, sources)
            })
        })
    }

    /// Whose objects are found by their names.
    pub(crate) fn searched(&self) -> String {
        let nouns: Vec<_> = untrack(|| self.tables.all()).iter().map(|table| table.resource.nouns()).collect();
        if nouns.is_empty() { String::new() } else { format!("Names of {} are searched", nouns.join(", ")) }
    }

    /// A namespace that is chosen already.
    pub(crate) fn is_chosen(&self, choice: &Choice) -> bool {
        self.chosen.with(|chosen| match choice {
            Choice::Namespaces(Scope::One(name)) => chosen.contains(name),
            Choice::Namespaces(Scope::All) => chosen.is_empty(),
            _ => false,
        })
    }

    /// The hash that a choice leads to; none for what is done on the page.
    pub(crate) fn link(&self, choice: &Choice) -> Option<String> {
        match choice {
            Choice::View { page, scope, query } => {
                let (page, query) = (page.clone(), query.clone());
                let namespaces = self.scoped(scope, false);
                Some(UrlState { page, namespaces, query, ..UrlState::default() }.to_hash())
            }
            Choice::Object { page, namespace, name } => {
                Some(untrack(|| self.navigation.link_to_object(page, &object_key(namespace, name))))
            }
            Choice::Namespaces(_) | Choice::Action(_) => None,
        }
    }

    /// Does what was chosen; `adds` to the chosen namespaces, or takes away from them.
    pub(crate) fn run(&self, choice: &Choice, adds: bool) {
        let recent = choice.remembered(&self.recent());
        self.session.storage().set(RECENT_KEY, &recent.join("\n"));
        match choice {
            Choice::Namespaces(scope) => self.navigation.set_namespaces(self.scoped(scope, adds)),
            Choice::Action(action) => self.act(*action),
            Choice::View { .. } | Choice::Object { .. } => {
                self.link(choice).iter().for_each(|hash| self.navigation.follow(hash));
            }
        }
    }

    fn here(&self) -> Option<LiveTable> {
        self.shown.get_untracked()
    }

    fn act(&self, action: Action) {
        let Self { appearance, .. } = self;
        match action {
            Action::SystemTheme => appearance.theme.set(Theme::System),
            Action::LightTheme => appearance.theme.set(Theme::Light),
            Action::DarkTheme => appearance.theme.set(Theme::Dark),
            Action::Compact => appearance.density.set(Density::Compact),
            Action::Comfortable => appearance.density.set(Density::Comfortable),
            Action::Wide => {
                self.here().iter().for_each(|table| _ = self.columns.toggle_wide(table.resource));
            }
            Action::ListAgain => self.here().iter().for_each(LiveTable::list_again),
            Action::Favourite => self.rail.toggle_favourite(&self.page.get_untracked()),
            Action::Rail => self.rail.toggle_collapsed(),
            Action::Keys => self.is_help_open.set(true),
        }
    }

    fn scoped(&self, scope: &Scope, adds: bool) -> BTreeSet<String> {
        let mut chosen = self.chosen.get_untracked();
        match scope {
            Scope::AsItIs => {}
            Scope::All => chosen.clear(),
            Scope::One(name) if adds && chosen.contains(name) => drop(chosen.remove(name)),
            Scope::One(name) => {
                if !adds {
                    chosen.clear();
                }
                chosen.insert(name.clone());
            }
        }
        chosen
    }

    fn recent(&self) -> Vec<String> {
        self.session.storage().get(RECENT_KEY).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}
