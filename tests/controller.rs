//! `examples/controller` against a real API server: `make test-cluster`.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "../examples/controller/config.rs"]
mod config;
#[path = "../examples/controller/controller.rs"]
mod controller;
#[path = "../examples/controller/copies.rs"]
mod copies;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, List, ListOptions, Manifest, Object, Patch, PatchOptions, ResourcePath,
    ValueRef,
};
use watchglass::cache::{SharedInformer, SharedInformerFactory, meta_namespace_key};
use watchglass::rest::RestClient;
use watchglass::runtime::{Runtime, SeededRandom, StopSource, native};

use cluster::{Cluster, cluster};
use config::{Config, Credentials, HELP};
use controller::{Controller, Reconcile};
use copies::{COPY_LABEL, Copies, CopyError, SOURCE_LABEL, config_maps, key_of_copy, key_of_source, labelled};

const NAMESPACE: &str = "controller";
const OBJECTS: usize = 500;
const WORKERS: usize = 8;
/// How many programs change objects at once, and how long each of them pauses after a change.
const CHANGERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(10);
const CHANGING: Duration = Duration::from_secs(30);
const SETTLING: Duration = Duration::from_secs(120);

/// What the workers were seen doing.
#[derive(Default)]
struct Observed {
    in_work: RefCell<BTreeSet<String>>,
    in_work_twice: RefCell<BTreeSet<String>>,
    most_in_work: Cell<usize>,
    reconciled: Cell<usize>,
    failed: Cell<usize>,
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reconciled, failed, most) = (self.reconciled.get(), self.failed.get(), self.most_in_work.get());
        write!(f, "{reconciled} reconciled, {failed} failed, at most {most} at once")
    }
}

/// The example's reconciler, observed.
struct Watched {
    copies: Copies,
    observed: Rc<Observed>,
}

impl Reconcile for Watched {
    type Error = CopyError;

    async fn reconcile(&self, key: &str) -> Result<(), CopyError> {
        let _in_work = InWork::begin(&self.observed, key);
        let result = self.copies.reconcile(key).await;
        let count = if result.is_ok() { &self.observed.reconciled } else { &self.observed.failed };
        count.set(count.get() + 1);
        result
    }
}

/// A worker has the key until this is dropped, also when the controller gives the work up.
struct InWork<'a> {
    observed: &'a Observed,
    key: &'a str,
}

impl<'a> InWork<'a> {
    fn begin(observed: &'a Observed, key: &'a str) -> Self {
        let mut in_work = observed.in_work.borrow_mut();
        if !in_work.insert(key.into()) {
            observed.in_work_twice.borrow_mut().insert(key.into());
        }
        observed.most_in_work.set(observed.most_in_work.get().max(in_work.len()));
        Self { observed, key }
    }
}

impl Drop for InWork<'_> {
    fn drop(&mut self) {
        self.observed.in_work.borrow_mut().remove(self.key);
    }
}

/// One change, of a source or of a copy, with a value that it brings.
#[derive(Clone, Copy, Debug)]
enum Change {
    PutSource(usize),
    UnlabelSource,
    DeleteSource,
    EditCopy(usize),
    DeleteCopy,
}

/// Those who change objects beside the controller.
struct Changers {
    client: RestClient,
    runtime: Runtime,
    random: SeededRandom,
    on: Cell<bool>,
    changed: Cell<usize>,
    /// There was nothing to change, or somebody was faster.
    missed: Cell<usize>,
    /// The server was away.
    failed: Cell<usize>,
}

impl Changers {
    fn new(client: RestClient, runtime: Runtime, seed: u64) -> Self {
        let (changed, missed, failed) = (Cell::default(), Cell::default(), Cell::default());
        Self { client, runtime, random: SeededRandom::new(seed), on: Cell::new(true), changed, missed, failed }
    }

    /// The same sequence for the same seed, whoever of the changers takes the next one.
    fn next(&self) -> (String, Change) {
        let name = name(self.random.below(OBJECTS));
        let change = match self.random.below(10) {
            0..=3 => Change::PutSource(self.random.below(1000)),
            4 => Change::UnlabelSource,
            5 => Change::DeleteSource,
            6..=7 => Change::EditCopy(self.random.below(1000)),
            _ => Change::DeleteCopy,
        };
        (name, change)
    }

    async fn carry_out(&self, name: &str, change: Change) -> Result<(), Error> {
        let source = all().named(name);
        let copy = all().named(&format!("{name}-copy"));
        match change {
            Change::PutSource(value) => {
                let Manifest { metadata, fields, .. } = &source_object(name, value);
                let patch = json!({ "metadata": { "labels": metadata.labels }, "data": fields["data"] });
                match self.client.patch(&source, &Patch::Merge(patch), &PatchOptions::default()).await {
                    Err(error) if error.is_not_found() => {
                        self.client.create(&all(), &source_object(name, value), &CreateOptions::default()).await
                    }
                    result => result,
                }
                .map(drop)
            }
            Change::UnlabelSource => {
                let patch = json!({ "metadata": { "labels": { SOURCE_LABEL: null } } });
                self.client.patch(&source, &Patch::Merge(patch), &PatchOptions::default()).await.map(drop)
            }
            Change::DeleteSource => self.client.delete(&source, &DeleteOptions::default()).await,
            Change::EditCopy(value) => {
                let patch = json!({ "data": { "value": format!("edited {value}"), "stray": "x" } });
                self.client.patch(&copy, &Patch::Merge(patch), &PatchOptions::default()).await.map(drop)
            }
            Change::DeleteCopy => self.client.delete(&copy, &DeleteOptions::default()).await,
        }
    }

    async fn run_one(&self) {
        while self.on.get() {
            let (name, change) = self.next();
            let count = match self.carry_out(&name, change).await {
                Ok(()) => &self.changed,
                Err(error) if error.is_not_found() || error.is_conflict() || error.is_already_exists() => &self.missed,
                Err(_) => &self.failed,
            };
            count.set(count.get() + 1);
            self.runtime.sleep(PAUSE).await;
        }
    }

    /// Changes objects for as long as the meanwhile lasts.
    async fn run(&self, meanwhile: impl Future<Output = ()>) {
        let until = async {
            meanwhile.await;
            self.on.set(false);
        };
        futures::join!(until, futures::future::join_all((0..CHANGERS).map(|_| self.run_one())));
    }
}

impl fmt::Display for Changers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (changed, missed, failed) = (self.changed.get(), self.missed.get(), self.failed.get());
        write!(f, "{changed} changes, {missed} missed, {failed} while the server was away")
    }
}

fn all() -> ResourcePath {
    ResourcePath::all(config_maps()).in_namespace(NAMESPACE)
}

fn name(number: usize) -> String {
    format!("source-{number:03}")
}

fn source_object(name: &str, value: usize) -> Manifest {
    let mut source = Manifest { api_version: "v1".into(), kind: "ConfigMap".into(), ..Manifest::default() };
    source.metadata.namespace = NAMESPACE.into();
    source.metadata.name = name.into();
    source.metadata.labels.insert(SOURCE_LABEL.into(), "true".into());
    source.fields.insert("data".into(), json!({ "value": format!("value {value}"), "of": name }));
    source
}

/// The cluster as it is, and as it should be: the data of the copies by their names.
fn found_and_wanted(list: &List) -> (BTreeMap<String, Value>, BTreeMap<String, Value>) {
    let labelled = |label: &'static str| list.items.iter().filter(move |it| it.label(label).is_some());
    let data = |object: &Object| object.get(&["data"]).map(ValueRef::to_value).unwrap_or_default();
    let found = labelled(COPY_LABEL).map(|copy| (copy.name().to_owned(), data(copy))).collect();
    let wanted = labelled(SOURCE_LABEL).map(|source| {
        let mut data = data(source);
        for value in data.as_object_mut().into_iter().flat_map(|data| data.values_mut()) {
            *value = value.as_str().expect("a text").to_uppercase().into();
        }
        (format!("{}-copy", source.name()), data)
    });
    (found, wanted.collect())
}

async fn fresh_list(client: &RestClient) -> Result<List, Error> {
    client.list(&all(), &ListOptions::default(), &|_| {}).await
}

/// The informer has heard of everything in the list.
fn is_up_to_date(informer: &SharedInformer, list: &List, label: &str) -> bool {
    let mut listed = list.items.iter().filter(|object| object.label(label).is_some());
    let known = |object: &Object| {
        let cached = informer.indexer().get_by_key(&meta_namespace_key(object));
        cached.is_some_and(|cached| cached.resource_version() == object.resource_version())
    };
    listed.clone().count() == informer.indexer().len() && listed.all(known)
}

/// Waits until the copies are as they should be and the informers know it, so that nothing is left to be done.
/// That may need a resync: a copy that is made and deleted between an expired watch and the next list is in no event.
async fn settle(client: &RestClient, [sources, copies]: &[SharedInformer; 2]) {
    let last = RefCell::new(String::new());
    let settled = async {
        loop {
            match fresh_list(client).await {
                Err(error) => drop(last.replace(error.to_string())),
                Ok(list) => {
                    let (found, wanted) = found_and_wanted(&list);
                    let heard = is_up_to_date(sources, &list, SOURCE_LABEL) && is_up_to_date(copies, &list, COPY_LABEL);
                    if heard && found == wanted {
                        return;
                    }
                    let differ = |(name, data): &(&String, &Value)| found.get(*name) != Some(*data);
                    let differ: Vec<_> = wanted.iter().filter(differ).collect();
                    let extra: Vec<_> = found.keys().filter(|name| !wanted.contains_key(*name)).collect();
                    last.replace(format!("up to date: {heard}; missing or wrong: {differ:?}; too many: {extra:?}"));
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let settled = tokio::time::timeout(SETTLING, settled).await;
    assert!(settled.is_ok(), "not as it should be within {SETTLING:?}: {}", last.borrow());
}

/// The example's configuration for the cluster under test.
fn config(cluster: &Cluster) -> Config {
    let token_file = std::env::temp_dir().join(format!("watchglass-token-{}", std::process::id()));
    std::fs::write(&token_file, cluster.setting("/admin/token") + "\n").expect("the token can be written");
    let (server, ca_file) = (cluster.setting("/server"), cluster.setting("/ca_file"));
    let (token_file, workers) = (token_file.to_string_lossy().into_owned(), WORKERS.to_string());
    let arguments = [
        ("--server", server),
        ("--ca-file", ca_file),
        ("--token-file", token_file),
        ("--namespace", NAMESPACE.to_owned()),
        ("--workers", workers),
    ];
    read(&arguments.iter().flat_map(|(name, value)| [*name, value]).collect::<Vec<_>>())
        .expect("the arguments are right")
        .expect("no help is asked for")
}

/// The server is away twice while `changing` lasts, or for as long as it takes on a slow machine.
async fn break_the_server_twice(cluster: &Cluster, runtime: &Runtime) {
    let end = runtime.now() + CHANGING;
    for _ in 0..2 {
        tokio::time::sleep(CHANGING / 6).await;
        cluster.kill_api_server().await;
        tokio::time::sleep(CHANGING / 20).await;
        cluster.restart_api_server().await;
    }
    runtime.clock.sleep_until(end).await;
}

/// A number that a failed run has printed leads to the same sequence of changes again.
fn seed() -> u64 {
    let given = std::env::var("CONTROLLER_SEED").ok().map(|seed| seed.parse().expect("CONTROLLER_SEED is a number"));
    given.unwrap_or_else(|| Timestamp::now().as_millisecond().unsigned_abs())
}

/// The example as its `main` puts it together, observed.
struct Example {
    factories: [SharedInformerFactory; 2],
    informers: [SharedInformer; 2],
    observed: Rc<Observed>,
    stop: StopSource,
    controller: tokio::task::JoinHandle<()>,
}

impl Example {
    fn start(runtime: &Runtime, config: &Config) -> Self {
        let client = config.client().expect("a client");
        if let Some(Credentials { token_file, .. }) = &config.credentials {
            std::fs::remove_file(token_file).expect("the token has been read");
        }
        let factories = [SOURCE_LABEL, COPY_LABEL].map(|label| labelled(runtime, &client, &config.namespace, label));
        let informers = factories.each_ref().map(|factory| factory.informer_for(&config_maps()));
        let [sources, copies] = &informers;
        let observed = Rc::new(Observed::default());
        let copier = Copies { client, sources: sources.clone(), copies: copies.clone() };
        let mut controller = Controller::new(runtime, Watched { copies: copier, observed: Rc::clone(&observed) });
        controller.watch(sources, key_of_source).expect("it has not stopped");
        controller.watch(copies, key_of_copy).expect("it has not stopped");
        factories.iter().for_each(SharedInformerFactory::start);
        let stop = StopSource::new();
        let controller = tokio::task::spawn_local(controller.run(config.workers, stop.token()));
        Self { factories, informers, observed, stop, controller }
    }

    async fn stop(mut self) {
        self.stop.stop();
        self.controller.await.expect("the controller ends by itself");
        for factory in &self.factories {
            factory.shutdown().await;
        }
    }
}

#[test]
fn the_copies_are_right_after_random_changes_and_two_restarts_and_no_key_was_worked_on_twice_at_once() {
    let cluster = cluster();
    cluster.namespace(NAMESPACE);
    let seed = seed();
    // Tests show what they print when they fail.
    eprintln!("CONTROLLER_SEED={seed}");
    cluster::run(Duration::from_secs(400), async {
        let (runtime, client) = (native::runtime(), cluster.client("admin"));
        let example = Example::start(&runtime, &config(cluster));
        let observed = Rc::clone(&example.observed);
        for number in 0..OBJECTS {
            client
                .create(&all(), &source_object(&name(number), number), &CreateOptions::default())
                .await
                .expect("a source is created");
        }
        settle(&client, &example.informers).await;
        assert_eq!(example.informers[1].indexer().len(), OBJECTS);
        let before = observed.reconciled.get();

        let changers = Changers::new(client.clone(), runtime.clone(), seed);
        let began = runtime.now();
        changers.run(break_the_server_twice(cluster, &runtime)).await;
        let ended = runtime.now();
        settle(&client, &example.informers).await;
        let settling = runtime.now().since(ended).as_secs_f64();

        example.stop().await;
        let (found, wanted) = found_and_wanted(&fresh_list(&client).await.expect("the server answers"));
        eprintln!(
            "in {:.1} s: {changers}; {observed} (the first {before} before the changes)",
            ended.since(began).as_secs_f64()
        );
        eprintln!("{} copies, right after {settling:.1} s", found.len());
        assert_eq!(found, wanted);
        assert_eq!(*observed.in_work_twice.borrow(), BTreeSet::new(), "no key is in two workers at once");
        assert!(observed.in_work.borrow().is_empty(), "the drain waits for the workers");
        assert!((2..=WORKERS).contains(&observed.most_in_work.get()), "the workers work at the same time");
        assert!(changers.changed.get() > OBJECTS && changers.failed.get() > 0, "there were changes, and outages");
        assert!(found.len() < OBJECTS, "some sources are gone");
    });
}

fn read(arguments: &[&str]) -> Result<Option<Config>, String> {
    Config::read(arguments.iter().map(|argument| (*argument).to_owned()))
}

#[test]
fn without_arguments_the_example_looks_for_kubectl_proxy() {
    let expected =
        Config { server: "http://127.0.0.1:8001/".into(), credentials: None, namespace: "default".into(), workers: 4 };
    assert_eq!(read(&[]), Ok(Some(expected)));
}

#[test]
fn each_argument_that_is_read_stands_in_the_help() {
    let arguments =
        ["--server", "https://a", "--ca-file", "b", "--token-file", "c", "--namespace", "d", "--workers", "5"];
    let credentials = Some(Credentials { ca_file: "b".into(), token_file: "c".into() });
    let expected = Config { server: "https://a".into(), credentials, namespace: "d".into(), workers: 5 };
    assert_eq!(read(&arguments), Ok(Some(expected)));
    assert_eq!(read(&["--workers", "5", "--help"]), Ok(None));
    for name in arguments.iter().chain(&["--help"]).filter(|argument| argument.starts_with("--")) {
        assert!(HELP.contains(name), "{name}");
    }
}

#[test]
fn a_wrong_argument_is_named_with_what_it_should_be() {
    for (arguments, expected) in [
        (vec!["--name", "x"], "there is no argument --name; --help lists them"),
        (vec!["--server"], "--server needs a value after it"),
        (
            vec!["--server", "localhost:8001"],
            "--server localhost:8001 is no URL: it should begin with http:// or https://",
        ),
        (vec!["--workers", "many"], "--workers many is no number"),
        (vec!["--workers", "0"], "--workers 0 would never do anything: give 1 or more"),
        (vec!["--ca-file", "a"], "--ca-file and --token-file go together: give both, or none with `kubectl proxy`"),
    ] {
        assert_eq!(read(&arguments), Err(expected.into()));
    }
    let missing = read(&["--ca-file", "absent.pem", "--token-file", "absent"]).expect("it is read").expect("no help");
    assert!(missing.client().err().is_some_and(|error| error.starts_with("absent.pem cannot be read: ")));
}
