//! kube-rs's reflector on all pods, as its documentation writes it: `scripts/bench-peers`.
//!
//! Modes: `default`, and `no-managed-fields`, which drops them before the store gets the object.

#[path = "../../measure.rs"]
mod measure;

use std::error::Error;
use std::pin::pin;

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt as _, reflector, watcher};
use kube::{Api, Client, Config, ResourceExt as _};

use measure::{Asked, Counting, Run};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let asked = Asked::read()?;
    let (server, mode) = (asked.server.parse()?, asked.mode.clone());
    let mut run = Run::begin("kube-rs", asked);

    let client = Client::try_from(Config::new(server))?;
    let (store, writer) = reflector::store::<Pod>();
    let events = watcher(Api::<Pod>::all(client), watcher::Config::default()).default_backoff();
    let events = match mode.as_str() {
        "default" => events.left_stream(),
        "no-managed-fields" => events.modify(|pod| pod.managed_fields_mut().clear()).right_stream(),
        _ => return Err(format!("--mode {mode} is unknown: default and no-managed-fields are known").into()),
    };
    let mut events = pin!(events.reflect(writer));

    while let Some(event) = events.try_next().await? {
        match event {
            watcher::Event::InitDone => {
                store.wait_until_ready().await?;
                let synced_ms = run.elapsed_ms();
                run.synced(synced_ms, store.len());
                if !run.wants_updates() {
                    return Ok(());
                }
            }
            watcher::Event::Apply(_) if run.update() => return Ok(()),
            _ => {}
        }
    }
    Err("the watch ended".into())
}
