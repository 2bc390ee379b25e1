use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::select;
use leptos::prelude::*;

use crate::runtime::Runtime;

/// Has the page drawn anew, by moving on the revision that its parts follow.
#[derive(Clone)]
pub(super) struct Redraw {
    revision: RwSignal<u64>,
    is_asked_for: Rc<Cell<bool>>,
}

impl Redraw {
    pub(super) fn new(revision: RwSignal<u64>) -> Self {
        Self { revision, is_asked_for: Rc::default() }
    }

    pub(super) const fn revision(&self) -> RwSignal<u64> {
        self.revision
    }

    pub(super) fn now(&self) {
        self.revision.update(|revision| *revision += 1);
    }

    /// Once, however often it is asked for before.
    pub(super) fn in_next_frame(&self) {
        if !self.is_asked_for.replace(true) {
            let this = self.clone();
            request_animation_frame(move || {
                this.is_asked_for.set(false);
                this.now();
            });
        }
    }
}

/// Waits for the moment before the browser draws; in a page that nobody sees, until somebody does.
pub(super) async fn next_frame() {
    let (frame, waiting) = oneshot::channel();
    request_animation_frame(move || {
        // Nobody waits any more when the table is gone.
        let _ = frame.send(());
    });
    // The browser drops what it is to call only with the page.
    let _ = waiting.await;
}

/// A browser that draws at all has done so by then.
const LONGEST_FRAMES: Duration = Duration::from_millis(100);

/// Waits until what changes now is on the screen, if it is seen.
pub(super) async fn painted(runtime: Runtime) {
    let frames = async {
        next_frame().await;
        next_frame().await;
    };
    select(pin!(frames), runtime.sleep(LONGEST_FRAMES)).await;
}
