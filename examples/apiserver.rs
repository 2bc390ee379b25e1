//! The in-memory API server over HTTP on the loopback interface, until it is ended.
//!
//! `cargo run --example apiserver --features testing-http -- [--port N] [--www DIR] [--pods N] [--scenario] [--seed N]`
//!
//! It prints one line of JSON, `{"url":"http://127.0.0.1:…/"}`, as soon as it listens. Without `--port` it takes a free
//! one. `--www` serves a folder below `/ui/`, `--pods` creates so many pods in the namespace `load`, `--scenario` starts
//! the living cluster. The switches for faults are described in `watchglass::testing::apiserver::http`.

use std::error::Error;
use std::path::PathBuf;

use watchglass::runtime::native;
use watchglass::testing::Scenario;
use watchglass::testing::apiserver::http::{HttpOptions, HttpServer};
use watchglass::testing::apiserver::{ApiServer, ApiServerOptions};

struct Arguments {
    http: HttpOptions,
    pods: usize,
    scenario: bool,
    seed: u64,
}

impl Arguments {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut read = Self { http: HttpOptions::default(), pods: 0, scenario: false, seed: 1 };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--port" => read.http.port = value()?.parse()?,
                "--www" => read.http.www = Some(PathBuf::from(value()?)),
                "--pods" => read.pods = value()?.parse()?,
                "--seed" => read.seed = value()?.parse()?,
                "--scenario" => read.scenario = true,
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        Ok(read)
    }
}

async fn serve(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let runtime = native::runtime();
    // Thousands of pods may be loaded at once: a watch that is behind by fewer than this is not cut off.
    let options = ApiServerOptions { seed: arguments.seed, history: 5_000, ..ApiServerOptions::default() };
    let server = ApiServer::with_options(runtime.clone(), options);
    server.load_pods("load", arguments.pods).map_err(|status| status.message)?;
    let _scenario = arguments.scenario.then(|| Scenario::start(&server, &runtime, arguments.seed));
    let http = HttpServer::start(server, arguments.http).await?;
    #[expect(clippy::print_stdout, reason = "it is what whoever started the server waits for")]
    {
        println!("{}", serde_json::json!({ "url": http.url() }));
    }
    std::future::pending().await
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, serve(arguments))
}
