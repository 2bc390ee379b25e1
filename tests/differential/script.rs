//! What happens to both informers.

use std::fmt;

use watchglass::testing::apiserver::Fault;

use super::call::HandlerSpec;
use super::compare::Difference;

/// How both informers come to their objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// As both do by default, but for WatchLists.
    List,
    /// A list comes as a watch that begins with the whole state.
    WatchList,
    /// The queue takes a list object by object.
    PlainQueue,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::List, Self::WatchList, Self::PlainQueue];

    /// The switches of client-go that are set.
    pub fn go_features(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::List => &[("WatchListClient", false)],
            Self::WatchList => &[("WatchListClient", true)],
            Self::PlainQueue => {
                &[("WatchListClient", false), ("AtomicFIFO", false), ("UnlockWhileProcessingFIFO", false)]
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Script {
    pub seed: u64,
    pub mode: Mode,
    /// The server's lists come in pages even when they come from its cache.
    pub in_pages: bool,
    pub handlers: Vec<HandlerSpec>,
    /// Objects that are there before the informers are.
    pub initial: usize,
    pub first_list: Option<Befall>,
    pub steps: Vec<Step>,
}

/// A fault that befalls so many requests of each side.
#[derive(Clone, Debug)]
pub struct Befall(pub Fault, pub u32);

#[derive(Clone, Debug)]
pub enum Step {
    /// Changes while both watch.
    Write(Vec<Change>),
    Interrupt(Interruption),
    /// Only bookmarks bring the informers past what the server then forgets, and so spare them a list.
    Bookmark {
        unseen: usize,
        missed: Vec<Change>,
    },
    AddHandler(usize),
    RemoveHandler(usize),
    /// Handlers that asked for it are told of everything again.
    Resync,
}

/// The watches end, and what changes before they are open again is missed.
#[derive(Clone, Debug)]
pub struct Interruption {
    pub how: Fault,
    pub missed: Vec<Change>,
    /// The server forgets the history, so that a watch from before is refused with 410.
    pub forgets: bool,
    pub watch: Option<Befall>,
    pub list: Option<Befall>,
}

impl Interruption {
    /// What it may make the two sides differ in.
    pub fn stated_difference(&self) -> Option<Difference> {
        match self.watch.as_ref()?.0 {
            Fault::ProxyError => Some(Difference::ProxyError),
            Fault::Truncate { .. } | Fault::Drop { .. } => Some(Difference::Stall),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Change {
    Create(String),
    Update(String),
    Delete(String),
    /// Deletes it and creates another of the same name.
    Recreate(String),
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed: _, mode, in_pages, handlers, initial, first_list, steps } = self;
        let periods: Vec<_> = handlers.iter().map(|spec| spec.resync_ms).collect();
        writeln!(
            f,
            "  {mode:?}, start with {initial} objects, in pages {in_pages}, resyncs {periods:?}, first list {first_list:?}"
        )?;
        steps.iter().enumerate().try_for_each(|(at, step)| writeln!(f, "  step {at}: {step:?}"))
    }
}
