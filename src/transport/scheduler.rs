//! Counts who holds a connection and who waits for one. It sends nothing.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::channel::oneshot;
use futures::future::select;

use crate::runtime::{Clock, Moment, Traffic};

/// Of a browser's six, so that a request finds one at once and a list beside it another.
pub(super) const LONGEST_HELD: usize = 4;
/// Lists included: one connection is never held for long.
const LONG: usize = 5;
/// Streams are not ended for others, so that one place is left where watches take turns.
const STREAMS: usize = LONGEST_HELD - 1;

/// Whoever has its turn keeps it for so long, and not so short that the server is asked all the time.
pub(super) const TURN: Duration = Duration::from_secs(10);

pub(super) struct Scheduler {
    clock: Rc<dyn Clock>,
    state: RefCell<State>,
    changed: Event,
}

#[derive(Default)]
struct State {
    holders: Vec<Holder>,
    /// In the order in which they came.
    waiting: Vec<(u64, Traffic)>,
    next_id: u64,
}

struct Holder {
    id: u64,
    traffic: Traffic,
    turn: Turn,
}

/// Whether a holder can be asked to make room.
enum Turn {
    Fixed,
    Since(Moment, oneshot::Sender<()>),
    Leaving,
}

/// A connection may be held as long as this lives.
pub(super) struct Permit {
    scheduler: Rc<Scheduler>,
    id: u64,
}

/// A place in the queue.
struct Place<'a> {
    scheduler: &'a Rc<Scheduler>,
    id: u64,
}

impl Scheduler {
    pub(super) fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        Rc::new(Self { clock, state: RefCell::default(), changed: Event::new() })
    }

    /// A permit, if nobody has to wait for it.
    pub(super) fn try_acquire(self: &Rc<Self>, traffic: Traffic) -> Option<Permit> {
        Place::join(self, traffic).try_leave()
    }

    /// A permit, when it is this one's turn. While it waits, watches that had theirs are asked to make room.
    pub(super) async fn acquire(self: &Rc<Self>, traffic: Traffic) -> Permit {
        let place = Place::join(self, traffic);
        loop {
            let changed = self.changed.listen();
            if let Some(permit) = place.try_leave() {
                return permit;
            }
            match self.rotate() {
                Some(due) => drop(select(changed, self.clock.sleep_until(due)).await),
                None => changed.await,
            }
        }
    }

    /// Asks as many watches to make room as others wait for it, the longest holder first; gives the moment at which
    /// the next one will have had its turn.
    fn rotate(&self) -> Option<Moment> {
        let (asked, due) = self.state.borrow_mut().rotate(self.clock.now());
        for holder in asked {
            // Gone when its answer has just ended.
            let _ = holder.send(());
        }
        due
    }

    fn notify(&self) {
        self.changed.notify(usize::MAX);
    }
}

impl State {
    fn count(&self, is_counted: impl Fn(&Holder) -> bool) -> usize {
        self.holders.iter().filter(|holder| is_counted(holder)).count()
    }

    fn held_longest(&self) -> usize {
        self.count(|holder| holder.traffic != Traffic::List)
    }

    fn streams(&self) -> usize {
        self.count(|holder| holder.traffic == Traffic::Stream)
    }

    fn has_room(&self, traffic: Traffic) -> bool {
        self.holders.len() < LONG
            && match traffic {
                Traffic::Request | Traffic::List => true,
                Traffic::Watch => self.held_longest() < LONGEST_HELD,
                Traffic::Stream => self.held_longest() < LONGEST_HELD && self.streams() < STREAMS,
            }
    }

    /// How many watches must end until nobody waits who could be helped by that.
    fn missing(&self) -> usize {
        let waiting = |kind| self.waiting.iter().filter(|(_, traffic)| *traffic == kind).count();
        let wanted = waiting(Traffic::Watch) + waiting(Traffic::Stream).min(STREAMS.saturating_sub(self.streams()));
        let free = LONGEST_HELD.saturating_sub(self.held_longest()).min(LONG.saturating_sub(self.holders.len()));
        wanted.saturating_sub(free + self.count(|holder| matches!(holder.turn, Turn::Leaving)))
    }
}

impl State {
    fn rotate(&mut self, now: Moment) -> (Vec<oneshot::Sender<()>>, Option<Moment>) {
        let mut asked = Vec::new();
        for _ in 0..self.missing() {
            let turns = self.holders.iter_mut().map(|holder| &mut holder.turn);
            let turns = turns.filter_map(|turn| Some((turn.since()?, turn)));
            let Some((since, turn)) = turns.min_by_key(|(since, _)| *since) else { break };
            if now.since(since) < TURN {
                return (asked, Some(since + TURN));
            }
            if let Turn::Since(_, sender) = std::mem::replace(turn, Turn::Leaving) {
                asked.push(sender);
            }
        }
        (asked, None)
    }
}

impl Turn {
    fn since(&self) -> Option<Moment> {
        match self {
            Self::Since(since, _) => Some(*since),
            Self::Fixed | Self::Leaving => None,
        }
    }
}

impl<'a> Place<'a> {
    fn join(scheduler: &'a Rc<Scheduler>, traffic: Traffic) -> Self {
        let mut state = scheduler.state.borrow_mut();
        let id = state.next_id;
        state.next_id += 1;
        state.waiting.push((id, traffic));
        Self { scheduler, id }
    }

    /// The permit, unless there is no room or somebody who came earlier is to have it.
    fn try_leave(&self) -> Option<Permit> {
        let mut state = self.scheduler.state.borrow_mut();
        let place = state.waiting.iter().position(|(_, traffic)| state.has_room(*traffic))?;
        if state.waiting[place].0 != self.id {
            return None;
        }
        let (id, traffic) = state.waiting.remove(place);
        state.holders.push(Holder { id, traffic, turn: Turn::Fixed });
        drop(state);
        self.scheduler.notify();
        Some(Permit { scheduler: Rc::clone(self.scheduler), id })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.scheduler.state.borrow_mut().waiting.retain(|(id, _)| *id != self.id);
        self.scheduler.notify();
    }
}

impl Permit {
    /// The holder takes turns with others from now on: it is to end when this does.
    pub(super) fn take_turns(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let now = self.scheduler.clock.now();
        if let Some(holder) = self.scheduler.state.borrow_mut().holders.iter_mut().find(|it| it.id == self.id) {
            holder.turn = Turn::Since(now, sender);
        }
        self.scheduler.notify();
        receiver
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.scheduler.state.borrow_mut().holders.retain(|holder| holder.id != self.id);
        self.scheduler.notify();
    }
}
