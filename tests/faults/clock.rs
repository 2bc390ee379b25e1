use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use jiff::Timestamp;
use tokio::sync::watch;
use watchglass::runtime::{Clock, Moment, Runtime, native};

/// Real time, which a test may put forward, so that nobody waits for what only takes long.
pub struct SkippingClock {
    real: Rc<dyn Clock>,
    ahead: watch::Sender<Duration>,
}

impl SkippingClock {
    /// A clock, and the native ports with it.
    pub fn with_runtime() -> (Rc<Self>, Runtime) {
        let runtime = native::runtime();
        let clock = Rc::new(Self { real: Rc::clone(&runtime.clock), ahead: watch::Sender::default() });
        let runtime = Runtime { clock: Rc::new(Shared(Rc::clone(&clock))), ..runtime };
        (clock, runtime)
    }

    pub fn skip(&self, duration: Duration) {
        self.ahead.send_modify(|ahead| *ahead += duration);
    }
}

struct Shared(Rc<SkippingClock>);

impl Clock for Shared {
    fn now(&self) -> Moment {
        self.0.real.now() + *self.0.ahead.borrow()
    }

    fn wall(&self) -> Timestamp {
        self.0.real.wall() + *self.0.ahead.borrow()
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        let (real, mut ahead) = (Rc::clone(&self.0.real), self.0.ahead.subscribe());
        async move {
            loop {
                let deadline = deadline - *ahead.borrow_and_update();
                tokio::select! {
                    () = real.sleep_until(deadline) => return,
                    changed = ahead.changed() => changed.expect("the clock outlives who waits by it"),
                }
            }
        }
        .boxed_local()
    }
}
