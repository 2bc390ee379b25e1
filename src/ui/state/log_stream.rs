use std::cell::RefCell;
use std::rc::Rc;

use event_listener::Event;
use leptos::prelude::*;

use super::Session;
use super::redraw::Redraw;
use crate::rest::{LogEvent, LogFollower, LogRequest, LogState};
use crate::runtime::Task;
use crate::ui::time::local_time;
use crate::view::log::LogBuffer;

/// A container's log while it is read. A handle; reading ends with its owner.
#[derive(Clone, Copy)]
pub(crate) struct LogStream {
    session: Session,
    inner: StoredValue<Inner, LocalStorage>,
    state: RwSignal<LogState>,
    /// Moved on once a frame when something has come.
    revision: RwSignal<u64>,
}

struct Inner {
    buffer: Rc<RefCell<LogBuffer>>,
    redraw: Redraw,
    wake: Option<Rc<Event>>,
    reading: Option<Task>,
    /// Counts the logs that were begun.
    epoch: u32,
}

impl LogStream {
    /// Without a log yet.
    pub(crate) fn new(session: Session) -> Self {
        let revision = RwSignal::new(0);
        let redraw = Redraw::new(revision);
        let inner = Inner { buffer: Rc::default(), redraw, wake: None, reading: None, epoch: 0 };
        Self { session, inner: StoredValue::new_local(inner), state: RwSignal::default(), revision }
    }

    /// Forgets what was read, and reads this.
    pub(crate) fn start(&self, request: LogRequest) {
        let follower = LogFollower::new(&self.session.client(), &self.session.runtime(), request);
        let state = self.state;
        state.set(LogState::Opening);
        self.inner.update_value(|inner| {
            // The old one is ended before its buffer is taken.
            inner.reading = None;
            inner.buffer.borrow_mut().clear();
            inner.epoch += 1;
            inner.wake = Some(follower.wake());
            let (buffer, redraw) = (Rc::clone(&inner.buffer), inner.redraw.clone());
            inner.reading = Some(self.session.runtime().spawn(async move {
                let tell = |event| {
                    match event {
                        LogEvent::State(now) => {
                            state.try_maybe_update(|state| (std::mem::replace(state, now.clone()) != now, ()));
                        }
                        event => write(&mut buffer.borrow_mut(), event),
                    }
                    redraw.in_next_frame();
                };
                follower.run(&tell).await;
            }));
        });
        self.redraw();
    }

    /// Ends a wait for the next try, or for the container.
    pub(crate) fn retry_now(&self) {
        self.inner.with_value(|inner| {
            if let Some(wake) = &inner.wake {
                wake.notify(usize::MAX);
            }
        });
    }

    pub(crate) fn state(&self) -> Signal<LogState> {
        self.state.into()
    }

    /// Follows what is read.
    pub(crate) fn revision(&self) -> Signal<u64> {
        self.revision.into()
    }

    /// Has the log drawn in the next frame.
    pub(crate) fn redraw(&self) {
        self.inner.with_value(|inner| inner.redraw.in_next_frame());
    }

    /// Tells a log from the one that was read before.
    pub(crate) fn epoch(&self) -> u32 {
        self.inner.with_value(|inner| inner.epoch)
    }

    /// Reads the lines that are there.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&LogBuffer) -> T) -> T {
        self.inner.with_value(|inner| read(&inner.buffer.borrow()))
    }
}

fn write(buffer: &mut LogBuffer, event: LogEvent) {
    match event {
        LogEvent::Line(line) => buffer.push(&line),
        LogEvent::LastLine(line) => buffer.replace_last(&line),
        LogEvent::Restarted { at, times } => {
            let at = at.map(|at| format!(" at {}", local_time(at))).unwrap_or_default();
            let times = if times > 1 { format!(", {times} times since the last line") } else { String::new() };
            buffer.note(&format!("Container restarted{at}{times}"));
        }
        LogEvent::Replaced => buffer.note("The pod was deleted and created again: this is the log of the new one"),
        LogEvent::State(_) => {}
    }
}
