//! As whom requests are sent, and what of that can be seen.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use jiff::Timestamp;
use watchglass::api::{Error, ListOptions};
use watchglass::rest::{BearerToken, Config, Impersonation, RestClient, Token, TokenSource};
use watchglass::runtime::{Request, TransportError};

use super::scripted::{Scripted, answer, json, list, pods};

/// Gives its tokens in order.
struct Tokens {
    tokens: RefCell<VecDeque<Result<Token, &'static str>>>,
    asked: Cell<u32>,
}

impl TokenSource for Tokens {
    fn token(&self) -> LocalBoxFuture<'static, Result<Token, TransportError>> {
        self.asked.set(self.asked.get() + 1);
        let token = self.tokens.borrow_mut().pop_front().expect("there is another token");
        async { token.map_err(|reason| TransportError(reason.into())) }.boxed_local()
    }
}

fn source(tokens: impl IntoIterator<Item = Result<Token, &'static str>>) -> Rc<Tokens> {
    Rc::new(Tokens { tokens: RefCell::new(tokens.into_iter().collect()), asked: Cell::new(0) })
}

fn token(value: &str, expires_at: Option<Timestamp>) -> Result<Token, &'static str> {
    Ok(Token { value: value.into(), expires_at })
}

fn sent(server: &Scripted) -> Vec<String> {
    let header = |request: &Request| request.header("authorization").unwrap_or("none").to_owned();
    server.requests().iter().map(header).collect()
}

fn with_source(server: &Scripted, source: &Rc<Tokens>) -> RestClient {
    let token = BearerToken::from_source(Rc::clone(source) as Rc<dyn TokenSource>);
    RestClient::for_config(&server.config().with_bearer_token(token))
}

fn ask(server: &Scripted, client: &RestClient) -> Result<(), Error> {
    server.block_on(client.raw(Request::get("a"))).map(|_| ())
}

#[test]
fn a_fixed_token_is_sent_with_everything_that_has_none_of_its_own() {
    let server = Scripted::new([json(200, &list(&[]))]);
    let config = server.config().with_bearer_token(BearerToken::fixed("secret\n"));
    let client = RestClient::for_config(&config);
    ask(&server, &client).expect("an answer");
    let own = Request::get("a").with_header("authorization", "Basic x");
    server.block_on(client.raw(own)).expect("an answer");
    server.block_on(client.watch(&pods(), &ListOptions::default())).map(drop).expect("a watch");
    assert_eq!(sent(&server), ["Bearer secret", "Basic x", "Bearer secret"]);
}

#[test]
fn a_token_is_fetched_once_until_it_is_about_to_expire() {
    let server = Scripted::new([answer(200)]);
    let now = server.sandbox().runtime().clock.wall();
    let tokens = source([token("first", Some(now + Duration::from_secs(60))), token("second", None)]);
    let client = with_source(&server, &tokens);
    let all = (0..3).map(|_| client.raw(Request::get("a")));
    server.block_on(futures::future::join_all(all));
    assert_eq!((sent(&server), tokens.asked.get()), (vec!["Bearer first".to_owned(); 3], 1));
    server.sandbox().advance(Duration::from_secs(49));
    ask(&server, &client).expect("an answer");
    assert_eq!(tokens.asked.get(), 1);
    server.sandbox().advance(Duration::from_secs(1));
    ask(&server, &client).expect("an answer");
    assert_eq!((sent(&server).last().unwrap().as_str(), tokens.asked.get()), ("Bearer second", 2));
    server.sandbox().advance(Duration::from_secs(86_400));
    ask(&server, &client).expect("an answer");
    assert_eq!(tokens.asked.get(), 2, "nobody knows when it expires");
}

#[test]
fn a_token_that_the_server_refuses_is_replaced_once_and_the_request_sent_again() {
    let server = Scripted::new([answer(401), answer(200)]);
    let tokens = source([token("old", None), token("new", None)]);
    ask(&server, &with_source(&server, &tokens)).expect("the new one is good");
    assert_eq!(sent(&server), ["Bearer old", "Bearer new"]);

    let server = Scripted::new([answer(401)]);
    let tokens = source([token("old", None), token("new", None)]);
    let error = ask(&server, &with_source(&server, &tokens)).expect_err("neither is good");
    assert!(error.is_unauthorized());
    assert_eq!(server.attempts(), 2);

    let server = Scripted::new([answer(401)]);
    let tokens = source([token("same", None), token("same", None)]);
    assert!(ask(&server, &with_source(&server, &tokens)).is_err_and(|error| error.is_unauthorized()));
    assert_eq!(server.attempts(), 1);

    let server = Scripted::new([answer(401)]);
    let fixed = RestClient::for_config(&server.config().with_bearer_token(BearerToken::fixed("secret")));
    assert!(ask(&server, &fixed).is_err_and(|error| error.is_unauthorized()));
    assert_eq!(server.attempts(), 1);
}

#[test]
fn without_a_token_nothing_is_sent_and_an_old_one_may_do() {
    let server = Scripted::new([answer(200)]);
    let tokens =
        source([Err("the plug-in failed"), token("first", Some(Timestamp::UNIX_EPOCH)), Err("it failed again")]);
    let client = with_source(&server, &tokens);
    let error = ask(&server, &client).expect_err("there is no token");
    assert!(error.is_unreachable() && error.to_string().contains("the plug-in failed"), "{error}");
    assert_eq!(server.attempts(), 0);
    ask(&server, &client).expect("an answer");
    ask(&server, &client).expect("an answer");
    assert_eq!((sent(&server), tokens.asked.get()), (vec!["Bearer first".to_owned(); 2], 3));
}

#[test]
fn somebody_else_is_named_as_the_server_reads_it() {
    let server = Scripted::new([answer(200)]);
    let who = Impersonation {
        user: "jane".into(),
        uid: "u1".into(),
        groups: vec!["dev".into(), "ops".into()],
        extra: BTreeMap::from([("Scopes.example.com/a b%".into(), vec!["view".into(), "edit".into()])]),
    };
    let config = server.config().with_impersonation(&who).expect("there is a user");
    let client = RestClient::for_config(&config);
    ask(&server, &client).expect("an answer");
    let headers = server.requests()[0].headers.clone();
    let headers: Vec<_> = headers.iter().map(|(name, value)| (&**name, value.as_str())).collect();
    let expected = [
        ("impersonate-user", "jane"),
        ("impersonate-uid", "u1"),
        ("impersonate-group", "dev"),
        ("impersonate-group", "ops"),
        ("impersonate-extra-scopes.example.com%2fa%20b%25", "view"),
        ("impersonate-extra-scopes.example.com%2fa%20b%25", "edit"),
    ];
    assert_eq!(headers, expected);
    let own = Request::get("a").with_header("impersonate-user", "joe");
    server.block_on(client.raw(own)).expect("an answer");
    assert_eq!(server.requests()[1].headers.len(), 1);
}

#[test]
fn nobody_acts_with_a_group_alone() {
    let server = Scripted::new([answer(200)]);
    let nobody = Impersonation::default();
    for who in [
        Impersonation { groups: vec!["system:masters".into()], ..nobody.clone() },
        Impersonation { uid: "u".into(), ..nobody.clone() },
        Impersonation { extra: BTreeMap::from([("a".into(), vec![])]), ..nobody.clone() },
    ] {
        assert!(server.config().with_impersonation(&who).is_err(), "{who:?}");
    }
    let config = server.config().with_impersonation(&nobody).expect("there is nothing to do");
    ask(&server, &RestClient::for_config(&config)).expect("an answer");
    assert!(server.requests()[0].headers.is_empty());
}

/// client-go: `TestSetKubernetesDefaultsUserAgent`.
#[test]
fn a_header_of_the_configuration_is_sent_unless_the_request_has_it() {
    let server = Scripted::new([answer(200)]);
    let client = RestClient::for_config(&server.config().with_header("User-Agent", "mine/1"));
    ask(&server, &client).expect("an answer");
    server.block_on(client.raw(Request::get("a").with_header("user-agent", "other/1"))).expect("an answer");
    let agents: Vec<_> = server.requests().iter().map(|it| it.header("user-agent").unwrap().to_owned()).collect();
    assert_eq!(agents, ["mine/1", "other/1"]);
    assert!(server.requests().iter().all(|request| request.headers.len() == 1));
}

/// client-go: `TestConfigStringer`, `TestConfigSprint`.
#[test]
fn no_secret_can_be_seen() {
    let server = Scripted::new([answer(401)]);
    let fixed = BearerToken::fixed("secret");
    let now = Token { value: "secret".into(), expires_at: None };
    let config = server.config().with_bearer_token(fixed.clone()).with_header("authorization", "Bearer secret");
    let client = RestClient::for_config(&config);
    let error = ask(&server, &client).expect_err("it is refused");
    for text in [format!("{fixed:?} {now:?} {config:?} {client:?}"), format!("{error:?} {error}")] {
        assert!(!text.contains("secret"), "{text}");
    }
}

/// client-go: `TestCopyConfig`, `TestAnonymousAuthConfig`.
#[test]
fn a_configuration_can_be_changed_for_one_client_alone() {
    let server = Scripted::new([answer(200)]);
    let anonymous = server.config();
    let known = anonymous.clone().with_bearer_token(BearerToken::fixed("t"));
    let quick = Config { timeout: Some(Duration::from_secs(1)), max_retries: 0, ..known.clone() };
    ask(&server, &RestClient::for_config(&known)).expect("an answer");
    ask(&server, &RestClient::for_config(&anonymous)).expect("an answer");
    ask(&server, &RestClient::for_config(&quick)).expect("an answer");
    assert_eq!(sent(&server), ["Bearer t", "none", "Bearer t"]);
    assert_eq!((known.timeout, known.max_retries), (None, 10));
}
