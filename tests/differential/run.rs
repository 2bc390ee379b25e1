//! One script, from the first list to the last comparison.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use watchglass::runtime::native;
use watchglass::testing::apiserver::http::{HttpOptions, HttpServer};
use watchglass::testing::apiserver::{ApiServer, ApiServerOptions, Fault, FaultRule};
use watchglass::testing::objects;

use super::call::{Call, HandlerSpec, State, Versions};
use super::chance::name;
use super::compare::{Difference, View, compare};
use super::go_side::{GoInformer, GoProcess};
use super::our_side::OurInformer;
use super::script::{Befall, Change, Interruption, Mode, Script, Step};
use super::wait::{Stalls, look_later, or_hang, until};

const NAMESPACE: &str = "default";
const RESOURCE: &str = "configmaps";
/// Changes last in each step: what a handler is told after it belongs to the next one.
const SENTINEL: &str = "sentinel";
const SIDES: [&str; 2] = ["ours", "go"];

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub steps: usize,
    pub calls: usize,
    pub differences: BTreeMap<Difference, usize>,
}

/// Both informers, and the server that they watch.
struct World {
    server: ApiServer,
    ours: OurInformer,
    go: GoInformer,
    handlers: Vec<HandlerSpec>,
    /// By side and handler.
    views: BTreeMap<(&'static str, usize), View>,
    mode: Mode,
    stalls: Stalls,
    outcome: Outcome,
    _http: HttpServer,
}

/// # Errors
/// With the step and what differed.
pub async fn run(script: &Script, number: usize, process: &Rc<GoProcess>, stalls: &Stalls) -> Result<Outcome, String> {
    let mut world = World::start(script, number, process, stalls).await;
    world.settle(&[], None).await.map_err(|error| format!("the first list: {error}"))?;
    for (at, step) in script.steps.iter().enumerate() {
        world.step(step).await.map_err(|error| format!("step {at}: {error}"))?;
    }
    Ok(world.outcome)
}

impl World {
    async fn start(script: &Script, number: usize, process: &Rc<GoProcess>, stalls: &Stalls) -> Self {
        let options = ApiServerOptions {
            bookmark_interval: Duration::from_millis(300),
            pages_from_cache: script.in_pages,
            seed: script.seed,
            ..ApiServerOptions::default()
        };
        let server = ApiServer::with_options(native::runtime(), options);
        for name in (0..script.initial).map(name).chain([SENTINEL.to_owned()]) {
            server.create(objects::config_map(NAMESPACE, &name)).expect("the server takes a new object");
        }
        befall(&server, "list", script.first_list.as_ref());
        let http = HttpServer::start(server.clone(), HttpOptions::default()).await.expect("a free port is found");
        Self {
            ours: OurInformer::start(script.mode, &http.url(), &script.handlers),
            go: GoInformer::start(process, number, &http.url(), &script.handlers),
            server,
            handlers: script.handlers.clone(),
            views: BTreeMap::new(),
            mode: script.mode,
            stalls: stalls.clone(),
            outcome: Outcome::default(),
            _http: http,
        }
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        let before = self.watches().concat();
        match step {
            Step::Write(changes) => {
                for change in changes {
                    self.change(change);
                    tokio::task::yield_now().await;
                }
                self.settle(&[], None).await
            }
            Step::Interrupt(interruption) => {
                self.interrupt(interruption);
                self.settle(&before, interruption.stated_difference()).await
            }
            Step::Bookmark { unseen, missed } => {
                for _ in 0..*unseen {
                    let mut elsewhere = objects::config_map("kube-system", "");
                    elsewhere.metadata.generate_name = Some("unseen-".into());
                    self.server.create(elsewhere).expect("the server takes a new object");
                }
                self.both_reach(&self.server.resource_version()).await?;
                self.server.compact();
                self.both_reach(&self.server.resource_version()).await?;
                self.server.inject(Fault::DropOpen);
                missed.iter().for_each(|change| self.change(change));
                self.settle(&before, None).await
            }
            Step::AddHandler(handler) => {
                let spec = HandlerSpec { handler: *handler, resync_ms: 0 };
                self.handlers.push(spec);
                self.ours.add_handler(spec);
                self.go.add_handler(spec);
                self.settle(&[], None).await
            }
            Step::RemoveHandler(handler) => {
                self.handlers.retain(|spec| spec.handler != *handler);
                self.views.retain(|(_, of), _| of != handler);
                self.ours.remove_handler(*handler);
                self.go.remove_handler(*handler);
                // The answer comes after the removal.
                self.go.state().await?;
                self.settle(&[], None).await
            }
            Step::Resync => {
                until("both resync", || self.has_resynced(self.ours.calls()) && self.has_resynced(self.go.calls()))
                    .await?;
                self.settle(&[], None).await
            }
        }
    }

    /// All at once: nobody sees a part of it, because the server lives on this thread.
    fn interrupt(&self, Interruption { how, missed, forgets, watch, list }: &Interruption) {
        befall(&self.server, "watch", watch.as_ref());
        befall(&self.server, "list", list.as_ref());
        match how {
            Fault::DropOpen | Fault::CloseOpen => self.server.inject(how.clone()),
            _ => befall(&self.server, "watch", Some(&Befall(how.clone(), 1))),
        }
        missed.iter().for_each(|change| self.change(change));
        if *forgets {
            self.server.compact();
        }
    }

    fn change(&self, change: &Change) {
        let create = |name: &str| self.server.create(objects::config_map(NAMESPACE, name));
        let delete = |name: &str| self.server.delete(RESOURCE, NAMESPACE, name);
        match change {
            Change::Create(name) => create(name),
            Change::Update(name) => return self.touch(name),
            Change::Delete(name) => delete(name),
            Change::Recreate(name) => delete(name).and_then(|_| create(name)),
        }
        .expect("a script knows what there is");
    }

    fn touch(&self, name: &str) {
        let version = self.server.resource_version();
        let change = |object: &mut _| objects::set_field(object, "data.since", version);
        self.server.modify(RESOURCE, NAMESPACE, name, change).expect("a script knows what there is");
    }

    /// The open watches of each side.
    fn watches(&self) -> [Vec<u64>; 2] {
        SIDES.map(|side| self.server.open_watches(&format!("client={side}.watch")))
    }

    /// Every handler that wants it was told of everything again since the last comparison.
    fn has_resynced(&self, calls: &RefCell<Vec<Call>>) -> bool {
        let calls = calls.borrow();
        let keys: BTreeSet<_> = self.objects().into_keys().collect();
        let has = |spec: &HandlerSpec| {
            let again = calls.iter().filter(|call| call.handler == spec.handler && call.changes_nothing());
            again.map(|call| &call.key).collect::<BTreeSet<_>>().is_superset(&keys.iter().collect())
        };
        self.handlers.iter().filter(|spec| spec.resync_ms > 0).all(has)
    }

    /// What the informers should hold.
    fn objects(&self) -> Versions {
        let objects = self.server.objects(RESOURCE).into_iter().filter(|object| object.namespace() == NAMESPACE);
        objects.map(|object| (format!("{NAMESPACE}/{}", object.name()), object.resource_version().to_owned())).collect()
    }

    async fn both_reach(&self, version: &str) -> Result<[State; 2], String> {
        or_hang(&format!("both informers reach resourceVersion {version}"), async {
            loop {
                let states = [self.ours.state(), self.go.state().await?];
                if states.iter().all(|state| state.version == version) {
                    return Ok(states);
                }
                look_later().await;
            }
        })
        .await
    }

    /// Waits until both are quiet, and compares them.
    ///
    /// `ended`: the watches that must be gone.
    async fn settle(&mut self, ended: &[u64], stated: Option<Difference>) -> Result<(), String> {
        let stalls = self.stalls.count();
        let version = or_hang("both informers watch again and have seen everything", self.quiet(ended)).await?;
        let [ours, go] = self.both_reach(&version).await?;
        let store = self.objects();
        if ours.store != store || go.store != store {
            return Err(format!(
                "the server has\n  {store:?}\nours holds\n  {:?}\nclient-go holds\n  {:?}",
                ours.store, go.store
            ));
        }
        let stated = stated.filter(|it| *it != Difference::Stall || self.stalls.count() > stalls);
        let calls = [self.ours.calls().take(), self.go.calls().take()];
        self.compare(&calls, stated)?;
        for ((side, handler), view) in &self.views {
            if *view.versions() != store {
                return Err(format!("{side}: handler {handler} knows {:?} of {store:?}", view.versions()));
            }
        }
        Ok(())
    }

    /// The resourceVersion that both have reached.
    async fn quiet(&self, ended: &[u64]) -> Result<String, String> {
        loop {
            let watches = self.watches();
            let are_new = watches.iter().all(|open| open.len() == 1 && !ended.contains(&open[0]));
            if !are_new || !self.server.faults().is_empty() {
                look_later().await;
                continue;
            }
            // By the open watch, which has had an event then and whose next end is no very short watch.
            self.touch(SENTINEL);
            let version = self.server.resource_version();
            while !(self.has_heard(self.ours.calls(), &version) && self.has_heard(self.go.calls(), &version)) {
                look_later().await;
            }
            if self.watches() == watches {
                return Ok(version);
            }
        }
    }

    fn has_heard(&self, calls: &RefCell<Vec<Call>>, version: &str) -> bool {
        let calls = calls.borrow();
        self.handlers.iter().all(|spec| calls.iter().any(|call| call.handler == spec.handler && call.new == version))
    }

    fn compare(&mut self, calls: &[Vec<Call>; 2], stated: Option<Difference>) -> Result<(), String> {
        for (side, calls) in SIDES.into_iter().zip(calls) {
            for call in calls {
                if !self.handlers.iter().any(|spec| spec.handler == call.handler) {
                    return Err(format!("{side}: a handler that was removed is told [{call}]"));
                }
                let view = self.views.entry((side, call.handler)).or_default();
                view.apply(call).map_err(|error| format!("{side}: {error}"))?;
            }
        }
        let sentinel = format!("{NAMESPACE}/{SENTINEL}");
        for spec in &self.handlers {
            let of_handler = |calls: &Vec<Call>| -> Vec<Call> {
                calls.iter().filter(|call| call.handler == spec.handler && call.key != sentinel).cloned().collect()
            };
            let [ours, gos] = [of_handler(&calls[0]), of_handler(&calls[1])];
            self.outcome.calls += gos.len();
            if let Some(difference) = compare(self.mode, *spec, &ours, &gos, stated)? {
                *self.outcome.differences.entry(difference).or_default() += 1;
            }
        }
        self.outcome.steps += 1;
        Ok(())
    }
}

/// Each side meets the fault by itself: one that asks more often takes none from the other.
fn befall(server: &ApiServer, verb: &str, befall: Option<&Befall>) {
    let Some(Befall(fault, count)) = befall else { return };
    for side in SIDES {
        server.inject(FaultRule::from(fault.clone()).on_path(&format!("client={side}.{verb}")).times(*count));
    }
}
