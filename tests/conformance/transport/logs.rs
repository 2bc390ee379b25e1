use std::rc::Rc;

use futures::StreamExt as _;
use watchglass::api::LogOptions;
use watchglass::rest::{Config, Lines, LogClient};
use watchglass::runtime::Traffic;

use super::network::{Answer, Page};

fn client(page: &Page) -> LogClient {
    LogClient::for_config(&Config::without_rate_limit(&page.runtime(), Rc::new(page.connections.clone())))
}

fn read_to_end(page: &Page, lines: Lines) -> Vec<String> {
    let as_text = |line: Result<String, _>| line.unwrap_or_else(|error: watchglass::api::Error| error.to_string());
    page.sandbox.block_on(lines.map(as_text).collect())
}

#[test]
fn a_log_s_lines_come_as_they_are_written() {
    let page = Page::without_sockets();
    let options = LogOptions { container: "web".into(), follow: true, tail_lines: Some(2), ..LogOptions::default() };
    let client = client(&page);
    let mut lines = page.sandbox.block_on(client.lines("shop", "web-0", &options)).expect("it is there");
    let path = "api/v1/namespaces/shop/pods/web-0/log?container=web&follow=true&tailLines=2&pretty=false";
    let log = page.network.last(path);
    assert_eq!(log.request.traffic, Traffic::Stream);
    log.says("first\nhalf");
    assert_eq!(page.sandbox.block_on(lines.next()).unwrap().unwrap(), "first");
    log.says(" and half\nrest");
    assert_eq!(page.sandbox.block_on(lines.next()).unwrap().unwrap(), "half and half");
    log.breaks();
    assert_eq!(read_to_end(&page, lines), ["rest", "the answer broke off: reset"]);
    assert!(!log.is_open());
}

#[test]
fn dropping_a_log_ends_its_request() {
    let page = Page::without_sockets();
    let client = client(&page);
    let path = "api/v1/namespaces/shop/pods/web-0/log?pretty=false";
    let log = || page.sandbox.block_on(client.lines("shop", "web-0", &LogOptions::default())).expect("it is there");
    let dropped = log();
    let sent = page.network.last(path);
    assert!(sent.is_open());
    drop(dropped);
    assert!(!sent.is_open());
    let lines = log();
    page.network.last(path).says("one\n");
    page.network.last(path).ends();
    assert_eq!(read_to_end(&page, lines), ["one"]);
}

#[test]
fn a_log_that_is_refused_is_an_error() {
    let page = Page::without_sockets();
    page.network.answers([Answer::Status(404)]);
    let client = client(&page);
    let _task = page.sandbox.spawn({
        let (network, runtime) = (page.network.clone(), page.runtime());
        async move {
            runtime.sleep(std::time::Duration::from_secs(1)).await;
            network.last("api/v1/namespaces/shop/pods/gone/log?pretty=false").ends();
        }
    });
    let error = page.sandbox.block_on(client.lines("shop", "gone", &LogOptions::default())).err().expect("refused");
    assert!(error.is_not_found(), "{error:?}");
    let error = page.sandbox.block_on(client.lines("shop", "..", &LogOptions::default())).err().expect("not sent");
    assert!(error.to_string().contains("cannot be a name"), "{error}");
}
