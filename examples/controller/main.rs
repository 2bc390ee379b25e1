//! A controller, end to end: the flow of client-go's `examples/workqueue` and of its sample-controller.
//!
//! ```text
//! config → client → factories → informers ─ handlers ─► queue of keys ─► workers ─► reconcile
//!                                   ▲ the cluster as it is now                          │
//!                                   └───────────────── API server ◄── writes ───────────┘
//! ```
//! It keeps a copy of each ConfigMap that has the label `watchglass.example/source=true`: `settings-copy` beside
//! `settings`, with the same data in upper case. The copy is made, corrected when somebody edits or deletes it, and
//! removed when its source is gone.
//!
//! `kubectl proxy & cargo run --example controller --features native -- --namespace default`
//!
//! To make another controller of it: keep `controller.rs`, and write what `copies.rs` does anew.

mod config;
mod controller;
mod copies;

use std::process::ExitCode;

use watchglass::cache::SharedInformerFactory;
use watchglass::runtime::{StopSource, native};

use config::{Config, HELP};
use controller::Controller;
use copies::{COPY_LABEL, Copies, SOURCE_LABEL, config_maps, key_of_copy, key_of_source, labelled};

async fn run(config: &Config) -> Result<(), String> {
    let runtime = native::runtime();
    let client = config.client()?;
    let version = client.version().await.map_err(|error| format!("{} cannot be used: {error}", config.server))?;
    tracing::info!(server = config.server, version, namespace = config.namespace, "the API server answers");

    let factories = [SOURCE_LABEL, COPY_LABEL].map(|label| labelled(&runtime, &client, &config.namespace, label));
    let [sources, copies] = factories.each_ref().map(|factory| factory.informer_for(&config_maps()));

    let reconciler = Copies { client, sources: sources.clone(), copies: copies.clone() };
    let mut controller = Controller::new(&runtime, reconciler);
    controller.watch(&sources, key_of_source).map_err(|error| error.to_string())?;
    controller.watch(&copies, key_of_copy).map_err(|error| error.to_string())?;

    let stop = StopSource::new();
    let token = stop.token();
    let _interrupted = runtime.spawn(stop_at_ctrl_c(stop));
    factories.iter().for_each(SharedInformerFactory::start);
    controller.run(config.workers, token).await;
    for factory in &factories {
        factory.shutdown().await;
    }
    Ok(())
}

/// Stops at the first Ctrl-C, and ends the program at the second (sample-controller: `SetupSignalHandler`).
async fn stop_at_ctrl_c(mut stop: StopSource) {
    match tokio::signal::ctrl_c().await {
        Ok(()) => tracing::info!("stopping after what is queued; Ctrl-C again to stop at once"),
        Err(error) => tracing::error!("stopping, because Ctrl-C cannot be heard: {error}"),
    }
    stop.stop();
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(1);
    }
}

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let result = Config::read(std::env::args().skip(1)).and_then(|config| {
        let Some(config) = config else {
            #[expect(clippy::print_stdout, reason = "it was asked for")]
            {
                println!("{HELP}");
            }
            return Ok(());
        };
        // One thread: informers, queue and workers share their state without locks.
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let tokio = tokio.map_err(|error| format!("tokio cannot start: {error}"))?;
        tokio::task::LocalSet::new().block_on(&tokio, run(&config))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("controller: {error}");
            ExitCode::FAILURE
        }
    }
}
