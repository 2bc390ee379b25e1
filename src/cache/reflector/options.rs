use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::metrics::{NoReflectorMetrics, ReflectorMetrics};
use crate::api::{Error, GroupVersionKind};
use crate::flow_control::BackoffConfig;

/// Is told of each round of listing and watching that failed, with the reflector's description; the reflector waits
/// and tries again after it (client-go: `tools/cache/reflector.go`, `WatchErrorHandler`).
///
/// It should return quickly.
pub type WatchErrorHandler = Rc<dyn Fn(&str, &Error)>;

/// Is told, in words, that what a WatchList brought is not what a list brings
/// (client-go: `util/consistencydetector/data_consistency_detector.go`, which panics).
pub type InconsistencyHandler = Rc<dyn Fn(&str)>;

/// How a [`Reflector`](super::Reflector) behaves (client-go: `tools/cache/reflector.go`, `ReflectorOptions`).
///
/// ```
/// use std::time::Duration;
/// use watchglass::cache::ReflectorOptions;
///
/// let options = ReflectorOptions {
///     description: "deployments.apps".into(),
///     resync_period: Duration::from_secs(600),
///     ..ReflectorOptions::default()
/// };
/// assert!(options.watch_list);
/// ```
#[derive(Clone)]
pub struct ReflectorOptions {
    /// Names the resource in messages: `deployments.apps`. When empty, the expected kind does.
    pub description: String,
    /// Events of other kinds are dropped. None takes all.
    pub expected_kind: Option<GroupVersionKind>,
    /// How often the store is told to resync; zero is never.
    pub resync_period: Duration,
    /// Asked at each end of the period; none is always.
    #[doc(alias = "ShouldResync")]
    pub should_resync: Option<Rc<dyn Fn() -> bool>>,
    /// A watch is asked to last between this and its double, at random. Less than five minutes counts as five minutes.
    pub min_watch_timeout: Duration,
    /// The page size of all lists; none leaves it to the reflector, which asks for pages only where the server
    /// answers from etcd anyway. Pages are always answered from etcd.
    #[doc(alias = "WatchListPageSize")]
    pub page_size: Option<u32>,
    /// The waits between failures (kubernetes/kubernetes#136943).
    pub backoff: BackoffConfig,
    /// For how long a watch that ends with an internal error of the server is opened again at once; zero is never.
    #[doc(alias = "MaxInternalErrorRetryDuration")]
    pub max_internal_error_retry: Duration,
    /// After how long a page that nobody sees gives up its watches, until it is seen again; none is never. What has
    /// changed meanwhile comes by the next watch, or by a list where the server has forgotten it.
    pub pause_when_hidden: Option<Duration>,
    /// None logs the error at a level that fits it.
    pub watch_error_handler: Option<WatchErrorHandler>,
    /// Get the first state by a stream, where the [`ListerWatcher`](crate::cache::ListerWatcher) supports it too.
    #[doc(alias = "WatchListClient")]
    pub watch_list: bool,
    /// For debugging: list after each WatchList, and tell this of a difference. The reflector waits for that list.
    pub check_consistency: Option<InconsistencyHandler>,
    /// What its lists and watches are measured by; nothing unless given.
    pub metrics: Rc<dyn ReflectorMetrics>,
}

impl Default for ReflectorOptions {
    /// client-go's numbers.
    fn default() -> Self {
        Self {
            description: String::new(),
            expected_kind: None,
            resync_period: Duration::ZERO,
            should_resync: None,
            min_watch_timeout: SHORTEST_WATCH,
            page_size: None,
            backoff: BackoffConfig::reflector(),
            max_internal_error_retry: Duration::ZERO,
            pause_when_hidden: None,
            watch_error_handler: None,
            watch_list: true,
            check_consistency: None,
            metrics: Rc::new(NoReflectorMetrics),
        }
    }
}

/// client-go: `tools/cache/reflector.go`, `defaultMinWatchTimeout`.
const SHORTEST_WATCH: Duration = Duration::from_secs(300);

/// client-go: `tools/cache/reflector.go`, `defaultExpectedTypeName`.
const UNSPECIFIED: &str = "<unspecified>";

impl ReflectorOptions {
    /// With the description filled in, and numbers that would harm the server replaced.
    pub(super) fn completed(mut self) -> Self {
        if self.description.is_empty() {
            self.description =
                self.expected_kind.as_ref().map_or_else(|| UNSPECIFIED.into(), GroupVersionKind::to_string);
        }
        self.min_watch_timeout = self.min_watch_timeout.max(SHORTEST_WATCH);
        self.page_size = self.page_size.filter(|size| *size > 0);
        self
    }
}

impl fmt::Debug for ReflectorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("description", &self.description)
            .field("resync_period", &self.resync_period)
            .field("backoff", &self.backoff)
            .finish_non_exhaustive()
    }
}
