use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use event_listener::Event;
use futures::future::{FutureExt as _, LocalBoxFuture};

use crate::runtime::{Host, HostState};

/// A host that treats the program as a test says. Clones are the same host.
///
/// ```
/// use futures::FutureExt as _;
/// use watchglass::runtime::Host as _;
/// use watchglass::testing::ManualHost;
///
/// let host = ManualHost::new();
/// let changed = host.changed();
/// host.set_online(false);
/// assert!(!host.state().is_online);
/// assert!(changed.now_or_never().is_some());
/// ```
#[derive(Clone)]
pub struct ManualHost {
    inner: Rc<Inner>,
}

struct Inner {
    state: Cell<HostState>,
    changed: Event,
}

impl ManualHost {
    /// A host that stands in the way of nothing.
    #[expect(clippy::new_without_default, reason = "a default host would hide that two of them are not the same")]
    pub fn new() -> Self {
        Self { inner: Rc::new(Inner { state: Cell::new(HostState::AWAKE), changed: Event::new() }) }
    }

    /// There is a network, or there is none.
    pub fn set_online(&self, is_online: bool) {
        self.set(HostState { is_online, ..self.state() });
    }

    /// The page is about to be stopped, or goes on.
    pub fn set_frozen(&self, is_frozen: bool) {
        self.set(HostState { is_frozen, ..self.state() });
    }

    /// Nobody can see the page, or somebody can.
    pub fn set_hidden(&self, is_hidden: bool) {
        self.set(HostState { is_hidden, ..self.state() });
    }

    fn set(&self, state: HostState) {
        self.inner.state.set(state);
        self.inner.changed.notify(usize::MAX);
    }
}

impl Host for ManualHost {
    fn state(&self) -> HostState {
        self.inner.state.get()
    }

    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        let (host, before) = (self.clone(), self.state());
        async move {
            loop {
                let changed = host.inner.changed.listen();
                if host.state() != before {
                    return;
                }
                changed.await;
            }
        }
        .boxed_local()
    }
}

impl fmt::Debug for ManualHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualHost").field(&self.state()).finish()
    }
}
