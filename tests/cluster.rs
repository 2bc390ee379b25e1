//! The core against a real API server: `make test-cluster`.
//!
//! One cluster serves all tests, each in a namespace of its own.

#[path = "support/cluster.rs"]
mod cluster;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::RwLock;
use std::time::Duration;

use jiff::Timestamp;
use watchglass::api::{GroupVersionResource, ListOptions, ResourcePath};
use watchglass::cache::{FilteredListWatch, ListerWatcher, NAMESPACE_INDEX, Phase, SharedInformer};
use watchglass::rest::{IncludeObject, ResourceListWatch, RestClient};
use watchglass::runtime::native;
use watchglass::runtime::{StopSource, Task};
use watchglass::view::columns::PODS;

use cluster::{Cluster, cluster, until};

/// Held for writing by the tests that break the API server, for reading by all others.
static UNBROKEN: RwLock<()> = RwLock::new(());

fn run_pod(cluster: &Cluster, namespace: &str, name: &str) {
    cluster.kubectl(&["run", name, "-n", namespace, "--image=registry.example/app:1"]);
}

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

/// Ends a test that hangs.
fn run(test: impl Future<Output = ()>) {
    cluster::run(Duration::from_secs(120), test);
}

/// An informer of a namespace's pods, running.
struct Running {
    informer: SharedInformer,
    _stop: StopSource,
    _task: Task,
}

fn informer(client: RestClient, namespace: &str) -> Running {
    let path = ResourcePath::all(pods()).in_namespace(namespace);
    start(Rc::new(ResourceListWatch::new(client, path)))
}

fn start(source: Rc<dyn ListerWatcher>) -> Running {
    let runtime = native::runtime();
    let informer = SharedInformer::new(runtime.clone(), source, "pods".into());
    let stop = StopSource::new();
    let (token, runs) = (stop.token(), informer.clone());
    let task = runtime.spawn(async move { runs.run(token).await });
    Running { informer, _stop: stop, _task: task }
}

fn names(informer: &SharedInformer) -> Vec<String> {
    let mut names: Vec<_> = informer.indexer().list().iter().map(|pod| pod.name().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_informer_follows_pods_as_they_come_and_go() {
    let _unbroken = UNBROKEN.read();
    let cluster = cluster();
    cluster.namespace("follows");
    run_pod(cluster, "follows", "before");
    run(async {
        let Running { informer, .. } = &informer(cluster.client("admin"), "follows");
        informer.synced().await;
        assert_eq!(names(informer), ["before"]);
        run_pod(cluster, "follows", "after");
        until(|| names(informer) == ["after", "before"]).await;
        cluster.kubectl(&["delete", "pod", "before", "-n", "follows", "--wait=false"]);
        until(|| names(informer) == ["after"]).await;
        assert_eq!(informer.indexer().by_index(NAMESPACE_INDEX, "follows").expect("it is there").len(), 1);
    });
}

/// kubernetes/kubernetes#140890 and its kind are about servers that never end the first state; the real one does.
#[test]
fn the_first_state_may_come_as_a_stream() {
    let _unbroken = UNBROKEN.read();
    let cluster = cluster();
    cluster.namespace("streams");
    run_pod(cluster, "streams", "before");
    cluster::run(Duration::from_secs(120), async {
        let asked: Rc<RefCell<Vec<Option<bool>>>> = Rc::default();
        let log = asked.clone();
        let path = ResourcePath::all(pods()).in_namespace("streams");
        let source = ResourceListWatch::new(cluster.client("admin"), path).with_watch_list(true);
        let modifier = move |options: &mut ListOptions| log.borrow_mut().push(options.send_initial_events);
        let source = FilteredListWatch::new(Rc::new(source), Rc::new(modifier));
        let Running { informer, .. } = &start(Rc::new(source));
        informer.synced().await;
        assert_eq!((names(informer), asked.take()), (vec!["before".to_owned()], vec![Some(true)]));
        run_pod(cluster, "streams", "after");
        until(|| names(informer) == ["after", "before"]).await;
        assert!(asked.borrow().is_empty(), "the stream goes on as the watch");
    });
}

/// The columns are computed here; what the server prints is the oracle.
#[test]
fn every_cell_of_a_pod_is_what_the_server_prints() {
    let _unbroken = UNBROKEN.read();
    let cluster = cluster();
    cluster.namespace("cells");
    cluster.kubectl(&["create", "deployment", "web", "-n", "cells", "--image=registry.example/web:1", "--replicas=3"]);
    cluster.kubectl(&["create", "job", "once", "-n", "cells", "--image=registry.example/once:1"]);
    cluster.kubectl(&["rollout", "status", "deployment/web", "-n", "cells", "--timeout=60s"]);
    cluster.kubectl(&["wait", "--for=condition=complete", "job/once", "-n", "cells", "--timeout=60s"]);
    run(async {
        let client = cluster.client("admin");
        let path = ResourcePath::all(pods()).in_namespace("cells");
        let list = client.list(&path, &ListOptions::default(), &|_| {}).await.expect("a list");
        let table = client.table(&path, &ListOptions::default(), IncludeObject::Metadata).await.expect("a table");
        assert_eq!((list.items.len(), table.rows.len()), (4, 4));
        for printed in &table.rows {
            let name = printed.cells[table.column("Name").expect("a name")].as_str().expect("a text");
            let pod = list.items.iter().find(|pod| pod.name() == name).expect("the same pods in both");
            let row = PODS.row(pod);
            for column in PODS.columns.iter().filter(|column| !["NAMESPACE", "AGE"].contains(&column.name)) {
                let expected = &printed.cells[table.column(column.name).expect("the server has the column")];
                let expected = expected.as_str().map_or_else(|| expected.to_string(), str::to_owned);
                let at = PODS.column(column.name).expect("our own column");
                assert_eq!(row.cells[at].display(Timestamp::now()), expected, "{name} {}", column.name);
            }
        }
    });
}

#[test]
fn a_user_without_the_right_is_told_which_and_hears_when_it_is_given() {
    let _unbroken = UNBROKEN.read();
    let cluster = cluster();
    cluster.namespace("denied");
    run(async {
        let client = cluster.client("restricted");
        let everywhere = client.list(&ResourcePath::all(pods()), &ListOptions::default(), &|_| {}).await;
        let error = everywhere.expect_err("the right is missing");
        assert!(error.is_forbidden());
        let expected = "pods is forbidden: User \"restricted\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
        assert!(error.to_string().starts_with(expected), "{error}");

        let Running { informer, .. } = &informer(client, "denied");
        let forbidden =
            || matches!(informer.connection().phase, Phase::Reconnecting { error, .. } if error.is_forbidden());
        until(forbidden).await;
        assert!(!informer.has_synced());
        let binding = ["create", "rolebinding", "reader", "--clusterrole=view", "--user=restricted", "-n", "denied"];
        cluster.kubectl(&binding);
        until(|| {
            informer.retry_now();
            informer.has_synced()
        })
        .await;
    });
}

#[test]
fn an_informer_catches_up_after_the_api_server_was_gone() {
    let _broken = UNBROKEN.write();
    let cluster = cluster();
    cluster.namespace("outage");
    ["stays", "goes"].iter().for_each(|name| run_pod(cluster, "outage", name));
    run(async {
        let Running { informer, .. } = &informer(cluster.client("admin"), "outage");
        informer.synced().await;
        cluster.kill_api_server().await;
        until(|| matches!(informer.connection().phase, Phase::Reconnecting { .. })).await;
        assert_eq!(names(informer), ["goes", "stays"], "what is held stays");
        cluster.restart_api_server().await;
        cluster.kubectl(&["delete", "pod", "goes", "-n", "outage", "--wait=false"]);
        run_pod(cluster, "outage", "new");
        until(|| names(informer) == ["new", "stays"]).await;
        until(|| matches!(informer.connection().phase, Phase::Connected { .. })).await;
    });
}
