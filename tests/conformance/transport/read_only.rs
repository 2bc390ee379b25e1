use std::rc::Rc;

use watchglass::api::{GroupVersionResource, Manifest, ResourcePath};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Method, Request, SocketError, SocketRequest, SocketTransport as _, Traffic, Transport as _};
use watchglass::transport::ReadOnly;

use super::network::{Network, Page, SocketNetwork};

fn read_only(network: &Network, sockets: &SocketNetwork) -> ReadOnly {
    ReadOnly::new(Rc::new(network.clone()), Rc::new(sockets.clone()), "ask again")
}

#[test]
fn only_what_reads_is_sent() {
    let page = Page::with_sockets();
    let transport = read_only(&page.network, &page.sockets);
    let status = |method, path: &str| {
        let request = Request { method, path: path.into(), ..Request::default() };
        page.sandbox.block_on(transport.send(request)).expect("an answer").status
    };
    for method in [Method::Post, Method::Put, Method::Patch, Method::Delete] {
        assert_eq!(status(method, "api/v1/pods"), 405);
    }
    for way in ["exec?command=ls", "attach", "portforward"] {
        assert_eq!(status(Method::Get, &format!("api/v1/namespaces/a/pods/b/{way}")), 405);
    }
    assert_eq!(page.network.count(), 0);
    assert_eq!(status(Method::Get, "api/v1/namespaces/exec/pods/attach/log?follow=true"), 200);
    assert_eq!(page.network.count(), 1);
}

#[test]
fn a_refused_write_says_why_and_what_to_do() {
    let page = Page::with_sockets();
    let transport = Rc::new(read_only(&page.network, &page.sockets));
    let client = RestClient::for_config(&Config::without_rate_limit(&page.runtime(), transport));
    let path = ResourcePath::all(GroupVersionResource::core("pods")).in_namespace("shop").named("web-0");
    let error = page.sandbox.block_on(client.update(&path, &Manifest::default(), &Default::default())).unwrap_err();
    assert!(error.status().is_some_and(|status| status.is_method_not_supported()), "{error:?}");
    assert_eq!(
        error.to_string(),
        "PUT api/v1/namespaces/shop/pods/web-0 was not sent, because this connection is read-only; \
         to allow it, ask again"
    );
}

#[test]
fn only_sockets_that_watch_are_opened() {
    let page = Page::with_sockets();
    let transport = read_only(&page.network, &page.sockets);
    let open = |path: &str| {
        let request = SocketRequest { path: path.into(), protocols: Vec::new(), backlog_limit: 1 };
        page.sandbox.block_on(transport.open(request)).map(|_| ())
    };
    for path in ["pods/b/exec?command=ls", "pods/b/exec?command=ls&watch=true", "services/s/proxy", "pods/b/attach"] {
        let error = open(&format!("api/v1/namespaces/a/{path}")).unwrap_err();
        assert!(matches!(&error, SocketError::NotOpened { reason } if reason.contains("read-only")), "{error}");
    }
    assert_eq!(page.sockets.count(), 0);
    assert_eq!(open("api/v1/pods?resourceVersion=7&watch=true"), Ok(()));
}

#[test]
fn a_page_s_connections_work_over_it() {
    let page = Page::with_sockets();
    let read_only = Rc::new(read_only(&page.network, &page.sockets));
    let connections = watchglass::transport::Connections::new(&page.runtime(), read_only.clone(), Some(read_only));
    let request = super::network::request("api/v1/pods?watch=true", Traffic::Watch);
    let _watches: Vec<_> =
        (0..5).map(|_| super::network::asked(&page.runtime(), &connections, request.clone())).collect();
    page.sandbox.advance(std::time::Duration::from_secs(1));
    assert_eq!((page.network.open().len(), page.sockets.open_count()), (4, 1));
}
