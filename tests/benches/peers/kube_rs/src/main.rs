//! kube-rs's reflector on all pods, as its documentation writes it: `scripts/bench-peers`.

#[path = "../../measure.rs"]
mod measure;

use std::error::Error;
use std::pin::pin;

use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt as _, reflector, watcher};
use kube::{Api, Client, Config};

use measure::{Asked, Counting, Mode, Run};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let asked = Asked::read()?;
    let (url, strip) = (asked.url.parse()?, asked.strip_managed_fields);
    let config = match asked.mode {
        Mode::List => watcher::Config::default(),
        Mode::Stream => watcher::Config::default().streaming_lists(),
    };
    let mut run = Run::begin("kube-rs", asked);

    let client = Client::try_from(Config::new(url))?;
    let (store, writer) = reflector::store::<Pod>();
    let events = watcher(Api::<Pod>::all(client), config).default_backoff();
    let events = events.modify(move |pod| {
        if strip {
            pod.metadata.managed_fields = None;
        }
    });
    let mut events = pin!(events.reflect(writer));

    while let Some(event) = events.try_next().await? {
        match event {
            watcher::Event::InitDone => {
                store.wait_until_ready().await?;
                run.synced(store.len());
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
