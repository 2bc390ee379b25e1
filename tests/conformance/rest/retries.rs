//! How often, when and with what a request is sent again.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::{CreateOptions, Error, GetOptions, ListOptions, Manifest};
use watchglass::flow_control::{FakeNever, RateLimiter, TokenBucket, WaitError};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Method, Moment, Request, Traffic};

use super::scripted::{Scripted, answer, fails, json, list, pod, pods};

fn with_retries(server: &Scripted, max_retries: u32) -> RestClient {
    RestClient::for_config(&Config { max_retries, ..server.config() })
}

/// client-go: `TestRequestMaxRetries`, `TestRequestDoWithRetry`, `TestRequestDoRawWithRetry`, `TestIsNextRetry`.
#[test]
fn a_request_is_sent_again_up_to_the_limit() {
    for (failures, max_retries, succeeds) in [(1, 0, false), (1, 1, true), (3, 5, true), (3, 2, false), (10, 10, true)]
    {
        let failing = (0..failures).map(|_| answer(500).retry_after(0));
        let server = Scripted::new(failing.chain([json(200, &pod())]));
        let client = with_retries(&server, max_retries);
        let got = server.block_on(client.get(&pods().named("web"), &GetOptions::default()));
        assert_eq!(got.is_ok(), succeeds, "{failures} failures, {max_retries} retries: {got:?}");
        assert_eq!(server.attempts(), failures.min(max_retries) as usize + 1);
    }
    let server = Scripted::new([answer(500).retry_after(0)]);
    server.block_on(server.client().get(&pods().named("web"), &GetOptions::default())).expect_err("it fails");
    assert_eq!(server.attempts(), 11, "ten times unless told otherwise");
}

/// client-go: `TestIsNextRetry`, `TestCheckRetryClosesBody`, `TestConnectionResetByPeerIsRetried`.
#[test]
fn a_retry_waits_as_long_as_the_server_asks_and_a_second_after_a_break() {
    let steps = [answer(429).retry_after(2), answer(503).retry_after(3), fails("connection reset by peer")];
    let server = Scripted::new(steps.into_iter().chain([answer(429).retry_after(0), json(200, &pod())]));
    server.block_on(server.client().get(&pods().named("web"), &GetOptions::default())).expect("the last is right");
    assert_eq!(server.waits(), [2, 3, 1, 0]);
}

/// client-go: `TestCheckRetryHandles429And5xx`, `TestRequestWithRetry`.
#[test]
fn the_whole_body_is_sent_each_time() {
    let steps = [429, 500, 501, 504].map(|code| answer(code).retry_after(0));
    let server = Scripted::new(steps.into_iter().chain([json(201, &pod())]));
    let object: Manifest = serde_json::from_value(pod()).unwrap();
    server.block_on(server.client().create(&pods(), &object, &CreateOptions::default())).expect("it is created");
    assert_eq!(server.attempts(), 5);
    assert!((0..5).all(|index| server.body(index) == pod()));
}

/// client-go: `TestRequestConcurrencyWithRetry`.
#[test]
fn requests_at_once_count_their_retries_each_for_itself() {
    let server = Scripted::new([answer(500).retry_after(1)]);
    let client = with_retries(&server, 9);
    let request = Request { method: Method::Post, ..Request::get("a") };
    let all = (0..20).map(|_| client.raw(request.clone()));
    let results = server.block_on(futures::future::join_all(all));
    assert!(results.iter().all(|result| result.as_ref().is_err_and(Error::is_internal_error)));
    assert_eq!(server.attempts(), 200);
}

/// client-go: `TestDoContext`.
#[test]
fn a_request_that_is_dropped_is_not_sent_again() {
    let server = Scripted::new([answer(429).retry_after(60)]);
    let client = server.client();
    let task = server.sandbox().spawn(async move {
        drop(client.raw(Request::get("a")).await);
    });
    server.sandbox().advance(Duration::from_secs(30));
    assert_eq!(server.attempts(), 1);
    drop(task);
    server.sandbox().advance(Duration::from_secs(600));
    assert_eq!(server.attempts(), 1);
}

/// client-go: `TestWrapPreviousError`, `TestRequestDoWithWrapPreviousError`, `TestRequestWatchWithWrapPreviousError`.
#[test]
fn an_error_tells_of_the_one_before_it_if_that_was_another() {
    let status = |message: &str| {
        json(500, &serde_json::json!({ "kind": "Status", "reason": "InternalError", "code": 500, "message": message }))
    };
    let cases = [
        (vec![status("first").retry_after(0), status("second").retry_after(0)], "second", Some("first")),
        (vec![status("same").retry_after(0), status("same")], "same", None),
        (vec![fails("unexpected EOF"), fails("connection refused")], "connection refused", Some("unexpected EOF")),
        (vec![status("only")], "only", None),
        (vec![fails("EOF"), fails("EOF")], "EOF", None),
    ];
    for (steps, last, before) in cases {
        let server = Scripted::new(steps);
        let client = with_retries(&server, 1);
        let got = server.block_on(client.get(&pods().named("web"), &GetOptions::default())).expect_err("it fails");
        let text = got.to_string();
        let (shown_last, shown_before) = match text.split_once(" - error from a previous attempt: ") {
            Some((last, before)) => (last, Some(before)),
            None => (text.as_str(), None),
        };
        assert!(shown_last.ends_with(last), "{text}");
        assert!(shown_before.map(|shown| shown.ends_with(before.unwrap())) == before.map(|_| true), "{text}");
    }
    let server = Scripted::new([status("first").retry_after(0), status("second")]);
    let watch = server.block_on(server.client().watch(&pods(), &ListOptions::default()));
    let error = watch.err().expect("it is refused");
    assert!(error.is_internal_error());
    assert_eq!(error.to_string(), "second - error from a previous attempt: first");
}

/// Counts who waits, and lets everybody through.
#[derive(Clone, Default)]
struct Counted(Rc<RefCell<u32>>);

impl RateLimiter for Counted {
    fn try_accept(&self) -> bool {
        true
    }

    fn accept(&self) -> LocalBoxFuture<'static, ()> {
        futures::future::ready(()).boxed_local()
    }

    fn wait(&self, _deadline: Option<Moment>) -> LocalBoxFuture<'static, Result<(), WaitError>> {
        *self.0.borrow_mut() += 1;
        futures::future::ready(Ok(())).boxed_local()
    }

    fn qps(&self) -> f64 {
        0.0
    }
}

/// client-go: `TestRequestDoRetryWithRateLimiterBackoffAndMetrics`,
/// `TestRequestStreamRetryWithRateLimiterBackoffAndMetrics`, `TestRequestWatchRetryWithRateLimiterBackoffAndMetrics`,
/// `TestRequestDoWithRetryInvokeOrder`, `TestRequestStreamWithRetryInvokeOrder`, `TestRequestWatchWithRetryInvokeOrder`.
#[test]
fn each_attempt_waits_for_its_turn_but_a_watch_s_first() {
    for (traffic, turns) in [(Traffic::Request, 3), (Traffic::List, 3), (Traffic::Stream, 3), (Traffic::Watch, 2)] {
        let server = Scripted::new([answer(500).retry_after(1), answer(500).retry_after(1), answer(200)]);
        let limiter = Counted::default();
        let config = Config { rate_limiter: Some(Rc::new(limiter.clone())), ..server.config() };
        let request = Request { traffic, ..Request::get("a") };
        server.block_on(RestClient::for_config(&config).raw(request)).expect("the last is right");
        assert_eq!((*limiter.0.borrow(), server.waits()), (turns, vec![1, 1]), "{traffic:?}");
    }
}

/// client-go: `TestRESTClientLimiter`.
#[test]
fn a_client_limits_itself_as_it_is_told() {
    let moments = |limit: &dyn Fn(Config) -> Config| {
        let server = Scripted::new([json(200, &list(&[]))]);
        let client = RestClient::for_config(&limit(server.config()));
        server.block_on(async {
            for _ in 0..15 {
                client.list(&pods(), &ListOptions::default(), &|_| {}).await.expect("a list");
            }
        });
        server.moments()
    };
    let unset = moments(&|config| Config::new(&config.runtime, config.transport));
    assert_eq!(unset[9], Duration::ZERO, "ten at once");
    assert_eq!([unset[10], unset[14]], [200, 1000].map(Duration::from_millis), "then five a second");
    let ten = moments(&|config| config.with_qps(10.0, 10));
    assert_eq!([ten[9], ten[14]], [0, 500].map(Duration::from_millis));
    let none = moments(&|config| config.with_qps(-1.0, 0));
    assert_eq!(none[14], Duration::ZERO);
    let own = moments(&|config| {
        let bucket = TokenBucket::new(&config.runtime, 1.0, 1);
        Config { rate_limiter: Some(Rc::new(bucket)), ..config }
    });
    assert_eq!(own[14], Duration::from_secs(14));
}

#[test]
fn clients_of_one_configuration_share_its_limit() {
    let server = Scripted::new([answer(200)]);
    let config = server.config().with_qps(1.0, 1);
    let [first, second] = [RestClient::for_config(&config), RestClient::for_config(&config.clone())];
    server.block_on(first.raw(Request::get("a"))).expect("an answer");
    server.block_on(second.raw(Request::get("a"))).expect("an answer");
    assert_eq!(server.waits(), [1]);
}

/// client-go: `TestTryThrottleWithInfoContextDeadline`.
#[test]
fn who_would_wait_too_long_for_its_turn_is_told_so_and_sends_nothing() {
    let server = Scripted::new([answer(200)]);
    let limit = |limiter: Rc<dyn RateLimiter>| Config { rate_limiter: Some(limiter), ..server.config() };
    let never = RestClient::for_config(&limit(Rc::new(FakeNever::default())));
    let refused = server.block_on(never.raw(Request::get("a"))).expect_err("nothing passes");
    assert!(matches!(&refused, Error::NotSent { reason } if reason.contains("rate limit")), "{refused}");
    let slow = TokenBucket::new(&server.sandbox().runtime(), 0.01, 1);
    assert!(slow.try_accept());
    let short = Config { timeout: Some(Duration::from_secs(1)), ..limit(Rc::new(slow)) };
    let late = server.block_on(RestClient::for_config(&short).raw(Request::get("a")));
    assert!(matches!(late, Err(Error::NotSent { .. })), "{late:?}");
    assert_eq!(server.attempts(), 0);
}

/// client-go: `TestRestClientTimeout`.
#[test]
fn a_whole_answer_must_come_in_time_unless_it_is_a_watch_or_a_stream() {
    let one_second = |server: &Scripted| {
        RestClient::for_config(&Config { timeout: Some(Duration::from_secs(1)), ..server.config() })
    };
    for step in [answer(0).silent(), answer(200).body("half").silent(), answer(429).retry_after(60)] {
        let server = Scripted::new([step]);
        let got = server.block_on(one_second(&server).raw(Request::get("a")));
        assert!(matches!(&got, Err(Error::Interrupted { reason }) if reason.contains("in time")), "{got:?}");
        assert_eq!(server.sandbox().runtime().now().since(Moment::default()), Duration::from_secs(1));
    }
    let server = Scripted::new([answer(200).body(r#"{"items":["#).silent()]);
    let got = server.block_on(one_second(&server).list(&pods(), &ListOptions::default(), &|_| {}));
    assert!(matches!(got, Err(Error::Interrupted { .. })), "{got:?}");

    for traffic in [Traffic::Watch, Traffic::Stream] {
        let server = Scripted::new([answer(0).silent()]);
        let client = one_second(&server);
        let request = Request { traffic, ..Request::get("a") };
        let over = Rc::new(RefCell::new(false));
        let told = Rc::clone(&over);
        let _task = server.sandbox().spawn(async move {
            drop(client.raw(request).await);
            *told.borrow_mut() = true;
        });
        server.sandbox().advance(Duration::from_secs(600));
        assert!(!*over.borrow(), "{traffic:?}");
    }
}
