use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::lock::Mutex;
use jiff::Timestamp;

use crate::runtime::{Clock, Request, Response, Transport, TransportError};

/// client-go: `transport/token_source.go`, `leeway`: a token must not expire on its way.
const LEEWAY: Duration = Duration::from_secs(10);

/// Says who asks. Never shown, and never part of an error.
#[derive(Clone)]
pub struct BearerToken {
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Fixed(Rc<str>),
    Renewed(Rc<Renewed>),
}

struct Renewed {
    source: Rc<dyn TokenSource>,
    /// Locked while one is fetched, so that all who need it wait for the same.
    held: Mutex<Option<Token>>,
}

/// One token, and how long it is of use.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub value: String,
    /// None when nobody knows; then it is used until the server refuses it.
    pub expires_at: Option<Timestamp>,
}

/// Gives tokens that do not last (client-go: `golang.org/x/oauth2`, `TokenSource`, and the `exec` plug-ins).
pub trait TokenSource {
    /// Fetches a new token: at the first request, when the last one is about to expire, and after the server refused it.
    ///
    /// # Errors
    /// Why there is none. The request that needs it is not sent.
    fn token(&self) -> LocalBoxFuture<'static, Result<Token, TransportError>>;
}

impl BearerToken {
    /// The same for ever.
    pub fn fixed(token: impl Into<String>) -> Self {
        Self { kind: Kind::Fixed(token.into().trim().into()) }
    }

    /// Fetched when there is need of one, and kept until it expires or the server refuses it.
    pub fn from_source(source: Rc<dyn TokenSource>) -> Self {
        Self { kind: Kind::Renewed(Rc::new(Renewed { source, held: Mutex::new(None) })) }
    }

    /// A token for a request; another one than `refused`, if that can be had.
    async fn value(&self, now: Timestamp, refused: Option<&str>) -> Result<String, TransportError> {
        let Renewed { source, held } = match &self.kind {
            Kind::Fixed(token) => return Ok(String::from(&**token)),
            Kind::Renewed(renewed) => &**renewed,
        };
        let mut held = held.lock().await;
        let is_good = |token: &Token| {
            refused != Some(&token.value)
                && token.expires_at.is_none_or(|at| now.saturating_add(LEEWAY).is_ok_and(|then| then < at))
        };
        if let Some(token) = held.as_ref().filter(|token| is_good(token)) {
            return Ok(token.value.clone());
        }
        match (source.token().await, held.as_ref()) {
            (Ok(token), _) => Ok(held.insert(token).value.clone()),
            // It may still do: client-go keeps it too when it cannot be renewed.
            (Err(_), Some(old)) if refused.is_none() => Ok(old.value.clone()),
            (Err(TransportError(reason)), _) => Err(TransportError(format!("no token to send: {reason}"))),
        }
    }
}

/// Adds the token; when the server refuses it, tries once more with a new one.
/// (client-go asks for a new one too, and leaves it to the next request.)
pub(super) struct WithToken {
    pub(super) inner: Rc<dyn Transport>,
    pub(super) token: BearerToken,
    pub(super) clock: Rc<dyn Clock>,
}

impl Transport for WithToken {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        if request.header("authorization").is_some() {
            return self.inner.send(request);
        }
        let (inner, token, clock) = (Rc::clone(&self.inner), self.token.clone(), Rc::clone(&self.clock));
        async move {
            let with = |token: &str| request.clone().with_header("authorization", format!("Bearer {token}"));
            let first = token.value(clock.wall(), None).await?;
            let response = inner.send(with(&first)).await?;
            if response.status != 401 {
                return Ok(response);
            }
            match token.value(clock.wall(), Some(&first)).await {
                Ok(second) if second != first => inner.send(with(&second)).await,
                _ => Ok(response),
            }
        }
        .boxed_local()
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(--- REDACTED ---)")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("value", &"--- REDACTED ---").field("expires_at", &self.expires_at).finish()
    }
}
