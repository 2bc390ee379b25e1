//! When two sequences of calls are the same, and which differences are stated ones.

use std::fmt::Write as _;

use super::call::{Call, HandlerSpec, Kind, Versions};
use super::script::Mode;

/// A difference that is known and stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A proxy's 500 in plain text means here that the server cannot be reached, and the watch goes on where it was;
    /// client-go lists again, and so tells of several changes as one.
    ProxyError,
    /// A watch that ended at once and empty leads to a list on both sides, but only when it lasted less than a second;
    /// this machine stood still meanwhile.
    Stall,
}

/// Compares what one handler was told on both sides; `stated` is the difference that the step may make.
///
/// What each side's calls lead to is checked apart, whatever their difference.
///
/// # Errors
/// With both sequences, when they differ and may not.
pub fn compare(
    mode: Mode,
    spec: HandlerSpec,
    ours: &[Call],
    gos: &[Call],
    stated: Option<Difference>,
) -> Result<Option<Difference>, String> {
    let (ours, gos) = (canonical(mode, spec, ours), canonical(mode, spec, gos));
    match stated {
        _ if ours == gos => Ok(None),
        Some(difference) => Ok(Some(difference)),
        None => {
            let (ours, gos) = (listing(&ours), listing(&gos));
            Err(format!("handler {} is told\n  by ours      {ours}\n  by client-go {gos}", spec.handler))
        }
    }
}

/// The calls without what depends on chance in client-go: the order of a map, and how often a resync was due.
fn canonical(mode: Mode, spec: HandlerSpec, calls: &[Call]) -> Vec<Call> {
    let is_due_any_time = |call: &Call| spec.resync_ms > 0 && call.changes_nothing();
    let mut calls: Vec<_> = calls.iter().filter(|call| !is_due_any_time(call)).cloned().collect();
    if mode == Mode::WatchList {
        // A WatchList is gathered in a map first, and nothing tells its calls from those of the watch.
        calls.sort_by(|a, b| a.key.cmp(&b.key));
        return calls;
    }
    // Deletions that a list shows; what a handler that comes late is told first.
    sort_runs(&mut calls, |call| call.tombstone);
    sort_runs(&mut calls, |call| call.initial);
    calls
}

fn sort_runs(calls: &mut [Call], belongs: impl Fn(&Call) -> bool) {
    for run in calls.chunk_by_mut(|a, b| belongs(a) && belongs(b)) {
        if run.len() > 1 {
            run.sort_by(|a, b| a.key.cmp(&b.key));
        }
    }
}

fn listing(calls: &[Call]) -> String {
    const MOST: usize = 40;
    let mut text = String::new();
    for call in calls.iter().take(MOST) {
        let _ = write!(text, "[{call}] ");
    }
    if calls.len() > MOST {
        let _ = write!(text, "and {} more", calls.len() - MOST);
    }
    text
}

/// What a handler knows from its calls alone.
#[derive(Clone, Debug, Default)]
pub struct View(Versions);

impl View {
    /// # Errors
    /// When the call does not fit what the handler was told before.
    pub fn apply(&mut self, call: &Call) -> Result<(), String> {
        let known = match call.kind {
            Kind::Delete => self.0.remove(&call.key),
            Kind::Add | Kind::Update => self.0.insert(call.key.clone(), call.new.clone()),
        };
        let fits = match call.kind {
            Kind::Add => known.is_none(),
            Kind::Update => known.as_ref() == Some(&call.old),
            Kind::Delete => known.as_ref().is_some_and(|known| !call.tombstone || *known == call.old),
        };
        let say = || format!("handler {} knew {known:?} and was told [{call}]", call.handler);
        fits.then_some(()).ok_or_else(say)
    }

    pub fn versions(&self) -> &Versions {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kind: Kind, key: &str, old: &str, new: &str) -> Call {
        let (key, old, new) = (key.into(), old.into(), new.into());
        Call { handler: 0, kind, key, old, new, initial: false, tombstone: false }
    }

    #[test]
    fn only_what_is_left_to_chance_may_be_in_another_order() {
        let plain = HandlerSpec { handler: 0, resync_ms: 0 };
        let (a, b) = (call(Kind::Add, "a", "", "1"), call(Kind::Add, "b", "", "2"));
        let forth = [a.clone(), b.clone()];
        let back = [b, a.clone()];
        let of_a_list = |calls: &[Call; 2]| calls.clone().map(|call| Call { initial: true, ..call });
        let missed = |calls: &[Call; 2]| calls.clone().map(|call| Call { kind: Kind::Delete, tombstone: true, ..call });
        assert!(compare(Mode::List, plain, &forth, &back, None).is_err());
        assert!(compare(Mode::List, plain, &forth, &of_a_list(&forth), None).is_err());
        assert!(compare(Mode::List, plain, &of_a_list(&forth), &of_a_list(&back), None).is_ok());
        assert!(compare(Mode::List, plain, &missed(&forth), &missed(&back), None).is_ok());
        assert!(compare(Mode::WatchList, plain, &forth, &back, None).is_ok());
        assert!(compare(Mode::WatchList, plain, &forth, &[a], None).is_err());
        let stated = compare(Mode::List, plain, &forth, &back, Some(Difference::ProxyError));
        assert_eq!(stated, Ok(Some(Difference::ProxyError)));
    }

    #[test]
    fn how_often_a_resync_came_counts_only_for_handlers_that_want_none() {
        let again = [call(Kind::Update, "a", "1", "1")];
        let spec = |resync_ms| HandlerSpec { handler: 0, resync_ms };
        assert_eq!(compare(Mode::List, spec(1000), &again, &[], None), Ok(None));
        assert!(compare(Mode::List, spec(0), &again, &[], None).is_err());
    }

    #[test]
    fn a_call_that_does_not_fit_what_was_told_before_is_found() {
        let mut view = View::default();
        let add = call(Kind::Add, "a", "", "1");
        assert!(view.apply(&add).is_ok());
        assert!(view.clone().apply(&add).is_err());
        assert!(view.clone().apply(&call(Kind::Update, "a", "1", "2")).is_ok());
        assert!(view.clone().apply(&call(Kind::Update, "a", "0", "2")).is_err());
        assert!(view.clone().apply(&call(Kind::Delete, "b", "1", "")).is_err());
        assert!(view.clone().apply(&Call { tombstone: true, ..call(Kind::Delete, "a", "0", "") }).is_err());
        assert!(view.apply(&call(Kind::Delete, "a", "3", "")).is_ok());
        assert!(view.versions().is_empty());
    }
}
