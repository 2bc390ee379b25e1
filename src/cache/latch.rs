use std::cell::Cell;

use event_listener::Event;

/// Something that happens once and stays so, and that can be waited for.
#[derive(Debug, Default)]
pub(super) struct Latch {
    is_set: Cell<bool>,
    set: Event,
}

impl Latch {
    pub(super) fn set(&self) {
        self.is_set.set(true);
        self.set.notify(usize::MAX);
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set.get()
    }

    /// Ends when it is set, at once when it is already.
    pub(super) async fn wait(&self) {
        while !self.is_set() {
            self.set.listen().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn all_who_wait_learn_that_it_is_set_and_whoever_comes_later_too() {
        let latch = Latch::default();
        let (mut first, mut second) = (Box::pin(latch.wait()), Box::pin(latch.wait()));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        assert!(!latch.is_set());
        latch.set();
        latch.set();
        assert!(latch.is_set());
        assert!(first.now_or_never().is_some() && second.now_or_never().is_some());
        assert!(latch.wait().now_or_never().is_some());
    }
}
