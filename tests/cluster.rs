//! The core against a real API server: `make test-cluster`.
//!
//! One cluster serves all tests, each in a namespace of its own.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::{OnceLock, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use watchglass::api::{GroupVersionResource, ListOptions, ResourcePath};
use watchglass::cache::{ListerWatcher, NAMESPACE_INDEX, Phase, SharedInformer};
use watchglass::rest::{ResourceListWatch, RestClient};
use watchglass::runtime::native::{self, HttpTransport};
use watchglass::runtime::{StopSource, Task};
use watchglass::view::columns::PODS;

struct Cluster {
    file: PathBuf,
    /// The supervisor, when it was started here: it ends everything when its standard input closes.
    _own: Option<Child>,
}

/// Held for writing by the tests that break the API server, for reading by all others.
static UNBROKEN: RwLock<()> = RwLock::new(());

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| match std::env::var_os("WATCHGLASS_CLUSTER") {
        Some(folder) => Cluster { file: PathBuf::from(folder).join("cluster.json"), _own: None },
        None => Cluster::start(),
    })
}

impl Cluster {
    fn start() -> Self {
        let cache = std::env::var_os("WATCHGLASS_CACHE").map(PathBuf::from);
        let home = || PathBuf::from(std::env::var_os("HOME").expect("there is a home folder"));
        let cache = cache.unwrap_or_else(|| home().join(".cache/watchglass"));
        let folder = std::env::temp_dir().join(format!("watchglass-cluster-{}", std::process::id()));
        let own = Command::new(cache.join("cluster/watchglass-cluster"))
            .args(["run", "--until-stdin-closes", "--dir"])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the cluster starts; `make cluster` builds what it needs");
        let cluster = Self { file: folder.join("cluster.json"), _own: Some(own) };
        cluster.wait_until(|cluster| cluster.is_ready());
        cluster
    }

    fn is_ready(&self) -> bool {
        fs::read(&self.file)
            .is_ok_and(|text| serde_json::from_slice::<Value>(&text).is_ok_and(|file| file["ready"] == true))
    }

    fn wait_until(&self, condition: impl Fn(&Self) -> bool) {
        while !condition(self) {
            std::thread::yield_now();
        }
    }

    fn setting(&self, path: &str) -> String {
        let file: Value = serde_json::from_slice(&fs::read(&self.file).expect("the cluster runs")).expect("JSON");
        let value = file.pointer(path).unwrap_or_else(|| panic!("cluster.json has {path}"));
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    fn client(&self, user: &str) -> RestClient {
        let authority = fs::read(self.setting("/ca_file")).expect("the certificate is there");
        let token = self.setting(&format!("/{user}/token"));
        let transport = HttpTransport::with_token(&self.setting("/server"), &authority, &token).expect("a client");
        RestClient::new(Rc::new(transport))
    }

    fn kubectl(&self, arguments: &[&str]) -> String {
        let output = Command::new(self.setting("/kubectl"))
            .args(["--kubeconfig", &self.setting("/admin/kubeconfig")])
            .args(arguments)
            .output()
            .expect("kubectl runs");
        assert!(output.status.success(), "kubectl {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("kubectl prints text")
    }

    /// A namespace that takes pods.
    fn namespace(&self, name: &str) {
        self.kubectl(&["create", "namespace", name]);
        let account = ["wait", "--for=create", "serviceaccount/default", "--timeout=60s", "-n", name];
        self.kubectl(&account);
    }

    fn run_pod(&self, namespace: &str, name: &str) {
        self.kubectl(&["run", name, "-n", namespace, "--image=registry.example/app:1"]);
    }

    fn signal(&self, signal: &str, api_server_is_up: bool) {
        let pid = self.setting("/pid");
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        self.wait_until(|cluster| (cluster.setting("/parts/kube-apiserver/pid") != "0") == api_server_is_up);
    }
}

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

/// Runs a test on one thread with tokio, and ends it when it hangs.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let limited = async { tokio::time::timeout(Duration::from_secs(120), test).await };
    tokio::task::LocalSet::new().block_on(&runtime, limited).expect("it ends within two minutes");
}

/// An informer of a namespace's pods, running.
struct Running {
    informer: SharedInformer,
    _stop: StopSource,
    _task: Task,
}

fn informer(client: RestClient, namespace: &str) -> Running {
    let runtime = native::runtime();
    let path = ResourcePath::all(pods()).in_namespace(namespace);
    let source: Rc<dyn ListerWatcher> = Rc::new(ResourceListWatch::new(client, path));
    let informer = SharedInformer::new(runtime.clone(), source, "pods".into());
    let stop = StopSource::new();
    let (token, runs) = (stop.token(), informer.clone());
    let task = runtime.spawn(async move { runs.run(token).await });
    Running { informer, _stop: stop, _task: task }
}

async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
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
    cluster.run_pod("follows", "before");
    run(async {
        let Running { informer, .. } = &informer(cluster.client("admin"), "follows");
        informer.synced().await;
        assert_eq!(names(informer), ["before"]);
        cluster.run_pod("follows", "after");
        until(|| names(informer) == ["after", "before"]).await;
        cluster.kubectl(&["delete", "pod", "before", "-n", "follows", "--wait=false"]);
        until(|| names(informer) == ["after"]).await;
        assert_eq!(informer.indexer().by_index(NAMESPACE_INDEX, "follows").expect("it is there").len(), 1);
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
        let table = client.table(&path).await.expect("a table");
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
    ["stays", "goes"].iter().for_each(|name| cluster.run_pod("outage", name));
    run(async {
        let Running { informer, .. } = &informer(cluster.client("admin"), "outage");
        informer.synced().await;
        cluster.signal("-USR1", false);
        until(|| matches!(informer.connection().phase, Phase::Reconnecting { .. })).await;
        assert_eq!(names(informer), ["goes", "stays"], "what is held stays");
        cluster.signal("-USR2", true);
        cluster.wait_until(|_| {
            Command::new(cluster.setting("/kubectl"))
                .args(["--kubeconfig", &cluster.setting("/admin/kubeconfig"), "get", "--raw", "/readyz"])
                .output()
                .is_ok_and(|output| output.status.success())
        });
        cluster.kubectl(&["delete", "pod", "goes", "-n", "outage", "--wait=false"]);
        cluster.run_pod("outage", "new");
        until(|| names(informer) == ["new", "stays"]).await;
        until(|| matches!(informer.connection().phase, Phase::Connected { .. })).await;
    });
}
