use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::bearer_token::{BearerToken, WithToken};
use super::impersonation::{Impersonation, MissingUser};
use super::layers::{BelowBasePath, SocketsBelowBasePath, WithHeaders};
use super::url_backoff::WithBackoff;
use crate::flow_control::{RateLimiter, TokenBucket};
use crate::rest::decode::SharedPool;
use crate::rest::{WarningHandler, WarningLogger};
use crate::runtime::{NoSockets, Runtime, SocketTransport, Transport};

/// How clients reach an API server, and as whom (client-go: `rest/config.go`, `Config`).
///
/// All clients are made from one: `RestClient::for_config(&config)`. Clones share the rate limit and the token.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use watchglass::rest::{BearerToken, Config, Impersonation, RestClient};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer};
/// # let sandbox = Sandbox::new();
/// # let (runtime, transport) = (sandbox.runtime(), ApiServer::new(sandbox.runtime()).transport());
/// let auditor = Impersonation { user: "auditor".into(), ..Impersonation::default() };
/// let config = Config::new(&runtime, transport)
///     .with_base_path("/k8s/clusters/c-1")
///     .with_bearer_token(BearerToken::fixed("secret"))
///     .with_impersonation(&auditor)?
///     .with_qps(50.0, 100);
/// let client = RestClient::for_config(&Config { timeout: Some(Duration::from_secs(30)), ..config });
/// # }
/// # Ok::<(), watchglass::rest::MissingUser>(())
/// ```
#[derive(Clone)]
pub struct Config {
    /// Its clock is the one by which clients wait.
    pub runtime: Runtime,
    /// What sends the requests, with all layers.
    pub transport: Rc<dyn Transport>,
    /// For what needs a connection both ways. It carries no token, no headers and no impersonation.
    pub sockets: Rc<dyn SocketTransport>,
    /// Requests wait for it, and a watch only when it is tried again. None sends at once.
    pub rate_limiter: Option<Rc<dyn RateLimiter>>,
    /// How often a request is sent again because the server asks for that, or because the connection broke off.
    pub max_retries: u32,
    /// For a whole answer. Watches and streams have no such limit.
    pub timeout: Option<Duration>,
    /// Is told of the server's warnings.
    pub warning_handler: Rc<dyn WarningHandler>,
    /// What all objects have in common that are read by clients of this configuration.
    pub pool: SharedPool,
}

impl Config {
    /// As client-go's defaults: 5 requests a second and 10 at once, 10 retries, no timeout, warnings into the log.
    pub fn new(runtime: &Runtime, transport: Rc<dyn Transport>) -> Self {
        Self::without_rate_limit(runtime, transport).with_qps(5.0, 10)
    }

    /// As [`new`](Self::new), and requests are sent at once, however many there are.
    pub fn without_rate_limit(runtime: &Runtime, transport: Rc<dyn Transport>) -> Self {
        Self {
            runtime: runtime.clone(),
            transport,
            sockets: Rc::new(NoSockets),
            rate_limiter: None,
            max_retries: 10,
            timeout: None,
            warning_handler: Rc::new(WarningLogger::default()),
            pool: SharedPool::default(),
        }
    }

    /// So many requests a second, and so many at once after a pause; no limit when `qps` is negative.
    #[doc(alias = "QPS")]
    #[must_use]
    pub fn with_qps(mut self, qps: f64, burst: u32) -> Self {
        let bucket = || -> Rc<dyn RateLimiter> { Rc::new(TokenBucket::new(&self.runtime, qps, burst)) };
        self.rate_limiter = (qps >= 0.0).then(bucket);
        self
    }

    /// With sockets that reach the API server as whoever is meant: what is said to the requests later, as whom they are
    /// sent and with which headers, cannot be said to a socket, and takes the sockets away again.
    #[must_use]
    pub fn with_sockets(mut self, sockets: Rc<dyn SocketTransport>) -> Self {
        self.sockets = sockets;
        self
    }

    /// The API server's root lies below the transport's: `k8s/clusters/c-1` behind Rancher.
    /// (client-go: the path in `Config.Host`.)
    #[must_use]
    pub fn with_base_path(mut self, path: &str) -> Self {
        let base = path.trim_matches('/').to_owned();
        if base.is_empty() {
            return self;
        }
        self.sockets = Rc::new(SocketsBelowBasePath { inner: self.sockets, base: base.clone() });
        self.over(|inner| BelowBasePath { inner, base })
    }

    /// Requests that have no `authorization` of their own carry this token.
    #[doc(alias = "BearerToken")]
    #[must_use]
    pub fn with_bearer_token(self, token: BearerToken) -> Self {
        let clock = Rc::clone(&self.runtime.clock);
        self.without_sockets().over(|inner| WithToken { inner, token, clock })
    }

    /// Requests are sent as somebody else (client-go: `transport/round_trippers.go`,
    /// `NewImpersonatingRoundTripper`).
    ///
    /// # Errors
    /// When there is something to impersonate and no user's name.
    pub fn with_impersonation(self, who: &Impersonation) -> Result<Self, MissingUser> {
        let headers = who.headers()?;
        Ok(self.without_sockets().over(|inner| WithHeaders { inner, unless: "impersonate-user", headers }))
    }

    /// Every request carries this header, unless it has one of the name.
    #[must_use]
    pub fn with_header(self, name: &str, value: impl Into<String>) -> Self {
        let name = name.to_ascii_lowercase();
        let headers = vec![(Cow::Owned(name.clone()), value.into())];
        self.without_sockets().over(|inner| WithHeaders { inner, unless: name, headers })
    }

    /// After a 429 or a 5xx the next request waits `base`, then twice as long with each, up to `max`; any other answer
    /// ends it (client-go: `rest/urlbackoff.go`, there by `KUBE_CLIENT_BACKOFF_BASE` and `_DURATION`).
    #[doc(alias = "URLBackoff")]
    #[must_use]
    pub fn with_url_backoff(self, base: Duration, max: Duration) -> Self {
        let runtime = self.runtime.clone();
        self.over(|inner| WithBackoff::new(inner, runtime, base, max))
    }

    /// A socket would reach the server as somebody else.
    fn without_sockets(self) -> Self {
        self.with_sockets(Rc::new(NoSockets))
    }

    fn over<T: Transport + 'static>(mut self, layer: impl FnOnce(Rc<dyn Transport>) -> T) -> Self {
        self.transport = Rc::new(layer(self.transport));
        self
    }
}

/// Without what the layers hold: tokens are secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("qps", &self.rate_limiter.as_ref().map(|limiter| limiter.qps()))
            .field("max_retries", &self.max_retries)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
