//! Our informer on all pods, in a native program: `scripts/bench-peers`. It never keeps `managedFields`.

#![allow(unsafe_code, reason = "an allocator that counts, and the processor's time")]

#[path = "peers/measure.rs"]
mod measure;

use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;

use watchglass::api::{GroupVersionResource, ResourcePath};
use watchglass::cache::{ResourceEventHandlerFuncs, SharedInformer};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::runtime::StopSource;
use watchglass::runtime::native::{self, HttpTransport};

use measure::{Asked, Counting, Mode, Run};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

async fn peer(asked: Asked) -> Result<(), Box<dyn Error>> {
    let transport = Rc::new(HttpTransport::new(&asked.url)?);
    let streamed = asked.mode == Mode::Stream;
    let run = Rc::new(RefCell::new(Run::begin("watchglass", asked)));

    let runtime = native::runtime();
    let client = RestClient::for_config(&Config::without_rate_limit(&runtime, transport));
    let pods = ResourceListWatch::new(client, ResourcePath::all(GroupVersionResource::core("pods")));
    let pods = pods.with_watch_list(streamed);
    let informer = SharedInformer::new(runtime.clone(), Rc::new(pods), "pods".into());
    let (all, of_handler) = (StopSource::new(), run.clone());
    let stopped = all.token();
    let all = RefCell::new(all);
    let handler = ResourceEventHandlerFuncs::new().on_update(move |_, _| {
        if of_handler.borrow_mut().update() {
            all.borrow_mut().stop();
        }
    });
    let registration = informer.add_event_handler(Rc::new(handler))?;

    let (stop, follows) = (StopSource::new(), informer.clone());
    let token = stop.token();
    let _task = runtime.spawn(async move { follows.run(token).await });
    registration.synced().await;
    run.borrow_mut().synced(informer.indexer().len());
    if run.borrow().wants_updates() {
        stopped.stopped().await;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked = Asked::read()?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&tokio, peer(asked))
}
