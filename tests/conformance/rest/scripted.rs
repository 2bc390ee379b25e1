//! A server that answers as the test says, and remembers what it was asked and when.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;
use watchglass::api::{GroupVersionResource, ResourcePath};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Clock as _, Moment, Request, Response, Transport, TransportError};
use watchglass::testing::Sandbox;

/// One answer, or what comes instead.
#[derive(Clone)]
pub struct Step {
    /// Fails with this text instead.
    failure: Option<&'static str>,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<Bytes>,
    /// The head, or the end of the body, never comes.
    is_silent: bool,
}

pub fn answer(status: u16) -> Step {
    Step { failure: None, status, headers: Vec::new(), body: Vec::new(), is_silent: false }
}

pub fn json(status: u16, body: &Value) -> Step {
    answer(status).header("content-type", "application/json").body(body.to_string())
}

pub fn fails(text: &'static str) -> Step {
    Step { failure: Some(text), ..answer(0) }
}

impl Step {
    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.into(), value.to_string()));
        self
    }

    pub fn retry_after(self, seconds: u32) -> Self {
        self.header("retry-after", seconds)
    }

    pub fn body(mut self, text: impl Into<Bytes>) -> Self {
        self.body.push(text.into());
        self
    }

    pub fn silent(mut self) -> Self {
        self.is_silent = true;
        self
    }
}

/// The last step is repeated.
#[derive(Clone)]
pub struct Scripted {
    sandbox: Rc<Sandbox>,
    steps: Rc<RefCell<VecDeque<Step>>>,
    asked: Rc<RefCell<Vec<(Moment, Request)>>>,
}

impl Scripted {
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let steps = Rc::new(RefCell::new(steps.into_iter().collect()));
        Self { sandbox: Rc::new(Sandbox::new()), steps, asked: Rc::default() }
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Without a rate limit.
    pub fn config(&self) -> Config {
        Config::without_rate_limit(&self.sandbox.runtime(), Rc::new(self.clone()))
    }

    pub fn client(&self) -> RestClient {
        RestClient::for_config(&self.config())
    }

    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.sandbox.block_on(future)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.asked.borrow().iter().map(|(_, request)| request.clone()).collect()
    }

    /// `GET api/v1/pods?limit=1`, without what every request has.
    pub fn lines(&self) -> Vec<String> {
        let line = |request: &Request| {
            let path = request.path.replace("&pretty=false", "").replace("?pretty=false", "");
            format!("{} {path}", request.method.as_str())
        };
        self.requests().iter().map(line).collect()
    }

    pub fn attempts(&self) -> usize {
        self.asked.borrow().len()
    }

    /// How many seconds after the one before it each request but the first was sent.
    pub fn waits(&self) -> Vec<u64> {
        let asked = self.asked.borrow();
        asked.windows(2).map(|pair| pair[1].0.since(pair[0].0).as_secs()).collect()
    }

    /// When each request was sent, since the beginning.
    pub fn moments(&self) -> Vec<Duration> {
        self.asked.borrow().iter().map(|(moment, _)| moment.since(Moment::default())).collect()
    }

    pub fn body(&self, index: usize) -> Value {
        let body = self.requests()[index].body.clone().expect("the request has a body");
        serde_json::from_slice(&body).expect("it is JSON")
    }
}

impl Transport for Scripted {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        self.asked.borrow_mut().push((self.sandbox.clock().now(), request));
        let mut steps = self.steps.borrow_mut();
        let step = if steps.len() > 1 { steps.pop_front() } else { steps.front().cloned() };
        let Step { failure, status, headers, body, is_silent } = step.expect("there is a step");
        async move {
            if let Some(text) = failure {
                return Err(TransportError(text.into()));
            }
            if is_silent && status == 0 {
                std::future::pending::<()>().await;
            }
            let body = stream::iter(body).map(Ok);
            let body = if is_silent { body.chain(stream::pending()).boxed_local() } else { body.boxed_local() };
            Ok(Response { status, headers, body })
        }
        .boxed_local()
    }
}

pub fn pods() -> ResourcePath {
    ResourcePath::all(GroupVersionResource::core("pods")).in_namespace("shop")
}

pub fn pod() -> Value {
    serde_json::json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "shop" } })
}

pub fn list(items: &[Value]) -> Value {
    serde_json::json!({ "apiVersion": "v1", "kind": "PodList", "metadata": { "resourceVersion": "7" }, "items": items })
}
