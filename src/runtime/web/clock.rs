use std::cell::Cell;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture, select};
use gloo_timers::future::TimeoutFuture;
use jiff::Timestamp;
use web_sys::Performance;

use super::host::WebHost;
use crate::runtime::{Clock, Moment, clock_offset_ms};

/// The page's monotonic clock, `performance.now()`.
///
/// A browser holds back the timers of a page that nobody sees, and of one that sleeps. So each wait looks at its
/// deadline also when the page is told that it is seen, online or awake again.
pub(super) struct WebClock {
    host: WebHost,
    performance: Option<Performance>,
    /// To be added to the device's wall clock.
    offset_ms: Cell<i64>,
}

impl WebClock {
    pub(super) fn new(host: WebHost) -> Self {
        let performance = web_sys::window().and_then(|window| window.performance());
        Self { host, performance, offset_ms: Cell::default() }
    }
}

/// A longer `setTimeout` fires at once.
const LONGEST_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);

impl Clock for WebClock {
    fn now(&self) -> Moment {
        now(self.performance.as_ref())
    }

    fn wall(&self) -> Timestamp {
        Timestamp::from_millisecond(js_sys::Date::now() as i64 + self.offset_ms.get()).unwrap_or_default()
    }

    fn server_told(&self, sent: Moment, date: Timestamp) {
        let received = js_sys::Date::now() as i64;
        let waited = i64::try_from(self.now().since(sent).as_millis()).unwrap_or(i64::MAX);
        let offset =
            clock_offset_ms(self.offset_ms.get(), received.saturating_sub(waited), received, date.as_millisecond());
        self.offset_ms.set(offset);
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        let (host, performance) = (self.host.clone(), self.performance.clone());
        async move {
            loop {
                let woken = host.woken();
                let remaining = deadline.since(now(performance.as_ref()));
                if remaining.is_zero() {
                    return;
                }
                // Rounded up: a timer that fires early would only be set again.
                let millis = remaining.min(LONGEST_TIMEOUT).as_micros().div_ceil(1000);
                select(TimeoutFuture::new(u32::try_from(millis).unwrap_or(i32::MAX as u32)), woken).await;
            }
        }
        .boxed_local()
    }
}

fn now(performance: Option<&Performance>) -> Moment {
    let millis = performance.map_or(0.0, Performance::now);
    Moment::after_start(Duration::from_secs_f64(millis.max(0.0) / 1000.0))
}
