use leptos::prelude::*;

use super::Session;
use crate::ui::hooks::use_window_event;

const FAVOURITES_KEY: &str = "watchglass.favourites";
const GROUPS_KEY: &str = "watchglass.groups";
const COLLAPSED_KEY: &str = "watchglass.rail";

/// A window of this width has better use for it than titles, in CSS pixels.
const NARROW: f64 = 1100.0;

/// How a person has arranged the rail, kept in the browser. A handle.
#[derive(Clone, Copy)]
pub(crate) struct RailChoices {
    session: Session,
    favourites: RwSignal<Vec<String>>,
    /// Groups that were opened or closed by hand: `+Access`, `-Workloads`.
    groups: RwSignal<Vec<String>>,
    is_collapsed: RwSignal<bool>,
}

impl RailChoices {
    pub(crate) fn new(session: Session) -> Self {
        let favourites = RwSignal::new(read(session, FAVOURITES_KEY));
        let groups = RwSignal::new(read(session, GROUPS_KEY));
        let is_narrow = || window().inner_width().ok().and_then(|width| width.as_f64()).is_some_and(|it| it <= NARROW);
        let is_collapsed = RwSignal::new(match read(session, COLLAPSED_KEY).first().map(String::as_str) {
            Some(chosen) => chosen == "collapsed",
            None => is_narrow(),
        });
        // Another tab has changed them.
        use_window_event(leptos::ev::storage, move |_| {
            let now = read(session, FAVOURITES_KEY);
            if favourites.with_untracked(|favourites| *favourites != now) {
                favourites.set(now);
            }
        });
        Self { session, favourites, groups, is_collapsed }
    }

    /// Pages, the first one at the top.
    pub(crate) fn favourites(&self) -> Signal<Vec<String>> {
        self.favourites.into()
    }

    pub(crate) fn toggle_favourite(&self, page: &str) {
        self.change(self.favourites, FAVOURITES_KEY, |all| match all.iter().position(|other| other == page) {
            Some(at) => drop(all.remove(at)),
            None => all.push(page.into()),
        });
    }

    /// Moves a favourite up or down by so many places, as far as there are some.
    pub(crate) fn move_favourite(&self, page: &str, by: isize) {
        self.change(self.favourites, FAVOURITES_KEY, |all| {
            let at = all.iter().position(|other| other == page);
            let to = at.and_then(|at| at.checked_add_signed(by)).filter(|to| *to < all.len());
            if let (Some(at), Some(to)) = (at, to) {
                all.swap(at, to);
            }
        });
    }

    /// What was chosen for a group; none where nothing was.
    pub(crate) fn is_open(&self, group: &str) -> Option<bool> {
        self.groups.with(|groups| {
            let chosen = groups.iter().find(|it| it.get(1..) == Some(group))?;
            Some(chosen.starts_with('+'))
        })
    }

    pub(crate) fn set_open(&self, group: &str, is_open: bool) {
        self.change(self.groups, GROUPS_KEY, |groups| {
            groups.retain(|it| it.get(1..) != Some(group));
            groups.push(format!("{}{group}", if is_open { '+' } else { '-' }));
        });
    }

    /// Only icons are shown.
    pub(crate) fn is_collapsed(&self) -> Signal<bool> {
        self.is_collapsed.into()
    }

    pub(crate) fn toggle_collapsed(&self) {
        let now = !self.is_collapsed.get_untracked();
        self.is_collapsed.set(now);
        self.session.storage().set(COLLAPSED_KEY, if now { "collapsed" } else { "expanded" });
    }

    fn change(&self, signal: RwSignal<Vec<String>>, key: &str, change: impl FnOnce(&mut Vec<String>)) {
        signal.update(change);
        self.session.storage().set(key, &signal.get_untracked().join("\n"));
    }
}

/// The lines under a key.
fn read(session: Session, key: &str) -> Vec<String> {
    let text = session.storage().get(key).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
