//! Scripts by chance, the same for the same seed.

use std::collections::BTreeSet;

use watchglass::runtime::SeededRandom;
use watchglass::testing::apiserver::Fault;

use super::call::HandlerSpec;
use super::script::{Befall, Change, Interruption, Mode, Script, Step};

/// How many names there are, so that they are used again and again.
const NAMES: usize = 8;
/// More than a page of a list (client-go: `tools/pager`, `defaultPageSize`).
const MORE_THAN_A_PAGE: usize = 520;
/// The shortest period that client-go grants.
const RESYNC_MS: u64 = 1000;

impl Script {
    pub fn new(seed: u64) -> Self {
        Maker::new(seed).script(seed)
    }
}

pub fn name(number: usize) -> String {
    format!("item-{number:03}")
}

struct Maker {
    random: SeededRandom,
    mode: Mode,
    present: BTreeSet<String>,
    /// Waits that the reflectors double each time: their number decides how long a script takes.
    waits_left: u32,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let random = SeededRandom::new(seed);
        let waits_left = 3 + random.below(2) as u32;
        let mode = [Mode::List, Mode::List, Mode::WatchList, Mode::PlainQueue][random.below(4)];
        Self { random, mode, present: BTreeSet::new(), waits_left }
    }

    fn chance(&self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn one_of<T: Clone>(&self, choices: &[T]) -> T {
        choices[self.random.below(choices.len())].clone()
    }

    fn script(mut self, seed: u64) -> Script {
        let in_pages = self.chance(5);
        let initial = if in_pages { MORE_THAN_A_PAGE } else { self.random.below(NAMES) };
        self.present.extend((0..initial).map(name));
        let resyncs = self.chance(25);
        let specs = |periods: &[u64]| {
            periods.iter().enumerate().map(|(handler, &resync_ms)| HandlerSpec { handler, resync_ms }).collect()
        };
        let handlers: Vec<_> =
            if resyncs { specs(&[RESYNC_MS, 0]) } else { specs(&[0, 0][..1 + self.random.below(2)]) };
        let first_list = if self.chance(15) { self.list_fault() } else { None };
        // When a first list that is refused as too old comes in pages the second time, from etcd, client-go takes this
        // for a sign that there is no watch cache; here only a list from the cache is one.
        let first_list = first_list.filter(|it| !(in_pages && it.0 == Fault::Gone));
        let count = 8 + self.random.below(5);
        let mut steps = Vec::new();
        let mut late = Late { next: handlers.len(), present: Vec::new() };
        if resyncs {
            // From here on both sides know which handlers are told of what did not change.
            steps.push(Step::Resync);
        }
        while steps.len() < count {
            let step = self.step(resyncs, &mut late);
            let has_come = matches!(step, Step::AddHandler(_));
            steps.push(step);
            if resyncs && has_come {
                // Until the next resync it counts as one that resyncs.
                steps.push(Step::Resync);
            }
        }
        Script { seed, mode: self.mode, in_pages, handlers, initial, first_list, steps }
    }

    fn step(&mut self, resyncs: bool, late: &mut Late) -> Step {
        match self.random.below(100) {
            0..12 if resyncs => Step::Resync,
            0..6 => late.add(),
            6..12 => match late.present.pop() {
                Some(handler) => Step::RemoveHandler(handler),
                None => late.add(),
            },
            12..20 => Step::Bookmark { unseen: 1 + self.random.below(5), missed: self.changes(3) },
            20..70 => self.interruption().map_or_else(|| Step::Write(self.changes(6)), Step::Interrupt),
            _ => Step::Write(self.changes(6)),
        }
    }

    /// None when it would take too long.
    fn interruption(&mut self) -> Option<Interruption> {
        let how = self.one_of(&[
            Fault::DropOpen,
            Fault::DropOpen,
            Fault::CloseOpen,
            Fault::ErrorEvent { code: 410 },
            Fault::ErrorEvent { code: 429 },
            Fault::ErrorEvent { code: 500 },
            Fault::GarbageFrame,
        ]);
        let watches_again = matches!(how, Fault::DropOpen | Fault::CloseOpen | Fault::ErrorEvent { code: 429 });
        let forgets = watches_again && self.chance(25);
        let waits = u32::from(!matches!(how, Fault::DropOpen | Fault::CloseOpen)) + u32::from(forgets);
        self.waits_left = self.waits_left.checked_sub(waits)?;
        let missed = self.changes(5);
        // More than what a cut leaves, so that no later event is cut instead.
        let is_told_much = watches_again && !forgets && missed.len() >= 3;
        let watch = if self.chance(40) { self.watch_fault(&how, is_told_much) } else { None };
        let lists = !watches_again || forgets || watch.as_ref().is_some_and(|it| leads_to_a_list(&it.0));
        let list = if lists && self.chance(35) { self.list_fault() } else { None };
        Some(Interruption { how, missed, forgets, watch, list })
    }

    /// What befalls the requests for the next watch.
    fn watch_fault(&mut self, how: &Fault, is_told_much: bool) -> Option<Befall> {
        let mut choices = vec![
            Fault::Refuse,
            Fault::TooManyRequests { retry_after_seconds: 1 },
            Fault::Gone,
            Fault::Forbidden,
            Fault::HtmlPage,
            Fault::ProxyError,
            // A very short watch.
            Fault::Truncate { after_bytes: 0 },
            Fault::Drop { after_bytes: 0 },
        ];
        if is_told_much {
            // Within the first event, or within a later one.
            let after_bytes = self.one_of(&[50, 700]);
            choices.push(Fault::Drop { after_bytes });
            // A WatchList that closes before its end is not asked for again here; client-go does ask.
            if self.mode != Mode::WatchList {
                choices.push(Fault::Truncate { after_bytes });
            }
        }
        if matches!(how, Fault::DropOpen | Fault::CloseOpen) {
            // Else it would befall the watch that is open.
            choices.extend([429, 500, 410].map(|code| Fault::ErrorEvent { code }));
        }
        let fault = self.one_of(&choices);
        self.befall(fault)
    }

    fn list_fault(&mut self) -> Option<Befall> {
        if self.mode == Mode::WatchList {
            // It lists only when a WatchList failed, and what makes one fail is not the same on both sides.
            return None;
        }
        let fault = self.one_of(&[
            Fault::Refuse,
            Fault::TooManyRequests { retry_after_seconds: 1 },
            Fault::Gone,
            Fault::Forbidden,
            Fault::HtmlPage,
            Fault::ProxyError,
            Fault::Truncate { after_bytes: 0 },
            Fault::Truncate { after_bytes: 100 },
            Fault::Drop { after_bytes: 100 },
        ]);
        self.befall(fault)
    }

    fn befall(&mut self, fault: Fault) -> Option<Befall> {
        let at_most = match fault {
            // The second time it would befall a watch that is told too little.
            Fault::Truncate { after_bytes } | Fault::Drop { after_bytes } if after_bytes > 0 => 1,
            // A WatchList that breaks off at once is asked for again here; client-go lists, and the next watch would
            // meet the fault.
            Fault::Drop { .. } if self.mode == Mode::WatchList => 1,
            _ => 2,
        };
        let count = 1 + self.random.below(at_most) as u32;
        self.waits_left = self.waits_left.checked_sub(count)?;
        Some(Befall(fault, count))
    }

    /// At most so many changes, all of which change something.
    fn changes(&mut self, most: usize) -> Vec<Change> {
        (0..self.random.below(most + 1)).map(|_| self.change()).collect()
    }

    fn change(&mut self) -> Change {
        let name = name(self.random.below(NAMES));
        if self.present.insert(name.clone()) {
            return Change::Create(name);
        }
        match self.random.below(10) {
            0..5 => Change::Update(name),
            5..7 => Change::Recreate(name),
            _ => {
                self.present.remove(&name);
                Change::Delete(name)
            }
        }
    }
}

/// Handlers that come while the informer runs.
struct Late {
    next: usize,
    present: Vec<usize>,
}

impl Late {
    fn add(&mut self) -> Step {
        let handler = self.next;
        self.next += 1;
        self.present.push(handler);
        Step::AddHandler(handler)
    }
}

/// Whether a watch that meets this fault is always followed by a list, on both sides.
fn leads_to_a_list(fault: &Fault) -> bool {
    match fault {
        Fault::Gone | Fault::Forbidden | Fault::HtmlPage => true,
        Fault::ErrorEvent { code } => *code != 429,
        Fault::Truncate { after_bytes } | Fault::Drop { after_bytes } => *after_bytes < 100,
        _ => false,
    }
}
