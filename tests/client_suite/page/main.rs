//! The client suite as a page: `cases()` names the cases, and `run(name)` runs one; `Informers` is for longer tests.
//!
//! Built by `scripts/build client-suite` and driven by `tests/e2e/client-suite.spec.ts`.
#![cfg(target_arch = "wasm32")]

mod informers;
#[path = "../mod.rs"]
#[allow(dead_code, reason = "each target is one of three servers")]
mod suite;

use std::rc::Rc;

pub use informers::Informers;
use suite::{Context, Server, cases_of};
use wasm_bindgen::prelude::wasm_bindgen;
use watchglass::rest::Config;
use watchglass::runtime::web::{self, FetchTransport, WebSocketTransport};
use watchglass::transport::Connections;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// A panic ends the page; the console has its message.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
}

/// The names of the cases, one a line.
#[wasm_bindgen]
pub fn cases() -> String {
    let (cases, _) = cases_of(Server::Proxy);
    cases.iter().map(|case| case.name).collect::<Vec<_>>().join("\n")
}

/// What the server cannot have: a name and the reason, one a line.
#[wasm_bindgen]
pub fn absent() -> String {
    let (_, absent) = cases_of(Server::Proxy);
    absent.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("\n")
}

/// Runs a case in a namespace whose name holds `run`.
#[wasm_bindgen]
pub async fn run(name: String, run: String) {
    let (cases, _) = cases_of(Server::Proxy);
    let number = cases.iter().position(|case| case.name == name).expect("there is a case of this name");
    let (runtime, sockets) = (web::runtime(), Rc::new(WebSocketTransport::new("../")));
    let connections = Connections::new(&runtime, Rc::new(FetchTransport::new(&runtime, "../")), Some(sockets.clone()));
    let config = Config::without_rate_limit(&runtime, Rc::new(connections)).with_sockets(sockets);
    let context = Context::new(config, Server::Proxy, &run, number);
    suite::run(&cases[number], &context).await;
    context.clean_up().await;
}
