use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::runtime::{Clock, Moment};

/// The wall time at which a manual clock starts: 2026-01-01T00:00:00Z.
const FIRST_SECOND: i64 = 1_767_225_600;

/// A clock that moves only when a test moves it. Clones are the same clock.
#[derive(Clone)]
pub struct ManualClock {
    state: Rc<RefCell<State>>,
}

struct State {
    now: Moment,
    wall: Timestamp,
    /// In the order of their deadlines; the number keeps equal deadlines in the order of their registration.
    sleepers: BTreeMap<(Moment, u64), Waker>,
    next_sleeper: u64,
}

impl ManualClock {
    /// A clock at its start, at wall time 2026-01-01T00:00:00Z.
    #[expect(clippy::new_without_default, reason = "a default clock would hide that two of them are not the same")]
    pub fn new() -> Self {
        Self::starting_at(Timestamp::constant(FIRST_SECOND, 0))
    }

    /// A clock at its start, at the given wall time.
    pub fn starting_at(wall: Timestamp) -> Self {
        let state = State { now: Moment::default(), wall, sleepers: BTreeMap::new(), next_sleeper: 0 };
        Self { state: Rc::new(RefCell::new(state)) }
    }

    /// Moves the time and wakes everything that is due then, all at once.
    ///
    /// [`Sandbox::advance`](super::Sandbox::advance) stops at each deadline on the way, as real time would.
    pub fn advance(&self, duration: Duration) {
        let target = self.now() + duration;
        self.advance_to(target);
    }

    /// Moves the time to a moment that is not in the past, and wakes everything that is due then.
    pub fn advance_to(&self, target: Moment) {
        let due = {
            let mut state = self.state.borrow_mut();
            let step = target.since(state.now);
            state.now = state.now + step;
            state.wall = SignedDuration::try_from(step)
                .ok()
                .and_then(|step| state.wall.checked_add(step).ok())
                .unwrap_or(Timestamp::MAX);
            let mut due = Vec::new();
            while let Some(entry) = state.sleepers.first_entry().filter(|entry| entry.key().0 <= target) {
                due.push(entry.remove());
            }
            due
        };
        due.into_iter().for_each(Waker::wake);
    }

    /// Moves the wall time alone, forwards or backwards: the clock was set, or the device slept while its monotonic
    /// clock stood still. Nothing is woken.
    pub fn advance_wall(&self, duration: SignedDuration) {
        let mut state = self.state.borrow_mut();
        state.wall = state.wall.saturating_add(duration).unwrap_or(state.wall);
    }

    /// The earliest moment that something waits for.
    pub fn next_deadline(&self) -> Option<Moment> {
        self.state.borrow().sleepers.first_key_value().map(|((deadline, _), _)| *deadline)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        self.state.borrow().now
    }

    fn wall(&self) -> Timestamp {
        self.state.borrow().wall
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        Box::pin(Sleep { clock: self.clone(), deadline, number: None })
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.borrow();
        let sleepers = state.sleepers.len();
        f.debug_struct("ManualClock").field("now", &state.now).field("sleepers", &sleepers).finish()
    }
}

struct Sleep {
    clock: ManualClock,
    deadline: Moment,
    number: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut state = clock.state.borrow_mut();
        if state.now >= self.deadline {
            return Poll::Ready(());
        }
        let number = *self.number.get_or_insert_with(|| {
            state.next_sleeper += 1;
            state.next_sleeper
        });
        state.sleepers.insert((self.deadline, number), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.clock.state.borrow_mut().sleepers.remove(&(self.deadline, number));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_wait_ends_at_its_deadline_and_not_before() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(5));
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance(Duration::from_millis(4999));
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance(Duration::from_millis(1));
        assert!(sleep.now_or_never().is_some());
        assert_eq!(clock.wall().to_string(), "2026-01-01T00:00:05Z");
    }

    #[test]
    fn the_wall_time_moves_alone() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(5));
        clock.advance_wall(SignedDuration::from_secs(3600));
        assert!((&mut sleep).now_or_never().is_none());
        assert_eq!((clock.now(), clock.wall().to_string().as_str()), (Moment::default(), "2026-01-01T01:00:00Z"));
        clock.advance_wall(SignedDuration::from_secs(-3600));
        assert_eq!(clock.wall().to_string(), "2026-01-01T00:00:00Z");
    }

    #[test]
    fn a_dropped_wait_is_no_deadline_any_more() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(5));
        assert!((&mut sleep).now_or_never().is_none());
        assert_eq!(clock.next_deadline(), Some(Moment::after_start(Duration::from_secs(5))));
        drop(sleep);
        assert_eq!(clock.next_deadline(), None);
    }
}
