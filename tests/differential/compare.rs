//! When two sequences of calls are the same, and which differences are stated ones.

use std::fmt::Write as _;

use super::call::{Call, HandlerSpec, Kind, Versions};

/// A difference that is known and stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// An update that changes nothing is told to nobody here; client-go tells it to handlers that are in resync, which
    /// all are until a first resync is due.
    UpdateThatChangesNothing,
    /// Changes of different keys are told in another order.
    OrderOfKeys,
    /// A proxy's 500 in plain text means here that the server cannot be reached, and the watch goes on where it was;
    /// client-go lists again.
    ProxyError,
}

impl Difference {
    /// All that may be.
    const STATED: [Self; 3] = [Self::UpdateThatChangesNothing, Self::OrderOfKeys, Self::ProxyError];

    /// Makes calls that differ only in this way equal; the order of calls matters no more after [`Self::OrderOfKeys`].
    fn remove_from(self, calls: &mut Vec<Call>) {
        match self {
            Self::UpdateThatChangesNothing => calls.retain(|call| !call.changes_nothing()),
            Self::OrderOfKeys => calls.sort_by(|a, b| a.key.cmp(&b.key)),
            // Each side's calls lead to what its store holds, which is checked apart.
            Self::ProxyError => calls.clear(),
        }
    }
}

/// Compares what one handler was told on both sides.
///
/// # Errors
/// With both sequences, when they differ in a way that is not stated.
pub fn compare(
    spec: HandlerSpec,
    ours: &[Call],
    gos: &[Call],
    met_proxy_error: bool,
) -> Result<Vec<Difference>, String> {
    let (ours, gos) = (canonical(spec, ours), canonical(spec, gos));
    let possible = Difference::STATED.into_iter().filter(|it| *it != Difference::ProxyError || met_proxy_error);
    let possible: Vec<_> = possible.collect();
    // The smallest set that explains it: sets are tried in the order of their size.
    let mut sets: Vec<u32> = (0..1 << possible.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    for set in sets {
        let chosen: Vec<_> = (0..possible.len()).filter(|at| set & (1 << at) != 0).map(|at| possible[at]).collect();
        let (mut left, mut right) = (ours.clone(), gos.clone());
        for difference in &chosen {
            difference.remove_from(&mut left);
            difference.remove_from(&mut right);
        }
        if left == right {
            return Ok(chosen);
        }
    }
    Err(format!("handler {} is told\n  by ours     {}\n  by client-go {}", spec.handler, listing(&ours), listing(&gos)))
}

/// The calls without what depends on chance in client-go: the order of a map, and how often a resync was due.
fn canonical(spec: HandlerSpec, calls: &[Call]) -> Vec<Call> {
    let is_due_any_time = |call: &Call| spec.resync_ms > 0 && call.changes_nothing();
    let mut calls: Vec<_> = calls.iter().filter(|call| !is_due_any_time(call)).cloned().collect();
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
