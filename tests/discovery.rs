//! Discovery and the RESTMapper against a real API server, with kubectl as the oracle: `make test-cluster`.

#[path = "support/cluster.rs"]
mod cluster;

use std::cell::RefCell;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::RwLock;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture, TryFutureExt as _};
use serde_json::{Value, json};
use watchglass::api::{GroupVersion, GroupVersionResource};
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::discovery::{
    ApiResourcesOptions, ApiResourcesOutput, CachedDiscoveryClient, DiscoveryClient, DiscoveryError, DiscoveryStorage,
    print_api_resources, print_api_versions,
};
use watchglass::rest::rest_mapper::DeferredDiscoveryRestMapper;
use watchglass::runtime::{MemoryStorage, Request, Response, Transport, TransportError, native};

use cluster::{Cluster, cluster};

/// Held for writing by the tests that change what the server serves, for reading by all others.
static SERVED: RwLock<()> = RwLock::new(());

/// Ends a test that hangs.
fn run(test: impl Future<Output = ()>) {
    cluster::run(Duration::from_secs(120), test);
}

fn client(cluster: &Cluster) -> DiscoveryClient {
    DiscoveryClient::for_config(&cluster.config("admin"))
}

/// `kubectl apply`, which takes its objects from a file or from its input.
fn apply(cluster: &Cluster, object: &Value) {
    let mut kubectl = Command::new(cluster.setting("/kubectl"))
        .args(["--kubeconfig", &cluster.setting("/admin/kubeconfig"), "apply", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("kubectl runs");
    kubectl.stdin.take().expect("it reads").write_all(object.to_string().as_bytes()).expect("it reads all");
    assert!(kubectl.wait().expect("kubectl ends").success(), "kubectl apply");
}

/// What a test has added to the server, until the test ends.
struct Installed {
    cluster: &'static Cluster,
    path: String,
}

impl Drop for Installed {
    fn drop(&mut self) {
        self.cluster.kubectl(&["delete", &self.path, "--ignore-not-found", "--wait=true", "--timeout=60s"]);
    }
}

/// Defines a kind with a short name and a category, in a group of its own.
fn define(cluster: &'static Cluster, kind: &str, short_name: &str) -> Installed {
    let singular = kind.to_lowercase();
    let group = format!("{singular}.watchglass.example");
    let path = format!("customresourcedefinition/{singular}s.{group}");
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": { "openAPIV3Schema": { "type": "object" } },
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{singular}s.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "versions": [version("v1", true), version("v1alpha1", false)],
            "names": {
                "plural": format!("{singular}s"), "singular": singular, "kind": kind, "shortNames": [short_name],
                "categories": ["all", "telescopes"],
            },
        },
    });
    let installed = Installed { cluster, path };
    apply(cluster, &definition);
    cluster.kubectl(&["wait", "--for=condition=Established", "--timeout=60s", &installed.path]);
    installed
}

/// Asks until the answer is so; the server needs a moment after it has taken a definition.
async fn until<F: Future<Output = bool>>(ask: impl Fn() -> F) {
    while !ask().await {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn both_forms_print_what_kubectl_prints_byte_for_byte() {
    let _served = SERVED.write();
    let cluster = cluster();
    let _lens = define(cluster, "Lens", "ln");
    run(async {
        let aggregated = client(cluster);
        let legacy = aggregated.with_legacy();
        for (form, client) in [("aggregated", &aggregated), ("legacy", &legacy)] {
            let ask = || async {
                let served = client.server_groups_and_resources().await.expect("an answer");
                served.each_resource().any(|(_, resource)| resource.kind == "Lens")
            };
            until(ask).await;
            let served = client.server_preferred_resources().await.expect("an answer");
            assert_eq!(served.failure(), None);
            let groups = client.server_groups().await.expect("an answer");
            let wide = ApiResourcesOptions { output: ApiResourcesOutput::Wide, ..ApiResourcesOptions::default() };
            let name = ApiResourcesOptions { output: ApiResourcesOutput::Name, ..ApiResourcesOptions::default() };
            let all = ApiResourcesOptions { categories: vec!["all".into()], ..ApiResourcesOptions::default() };
            let printed = |options: &ApiResourcesOptions| print_api_resources(&served, options);
            let cases = [
                (vec!["api-resources"], printed(&ApiResourcesOptions::default())),
                (vec!["api-resources", "-o", "wide"], printed(&wide)),
                (vec!["api-resources", "-o", "name"], printed(&name)),
                (vec!["api-resources", "--categories=all"], printed(&all)),
                (vec!["api-versions"], print_api_versions(&groups)),
            ];
            for (arguments, ours) in cases {
                let theirs = cluster.kubectl(&arguments);
                assert!(theirs.lines().count() > 5);
                assert_eq!(ours, theirs, "{form} {arguments:?}");
            }
        }
    });
}

#[test]
fn both_forms_tell_the_same() {
    let _served = SERVED.read();
    let cluster = cluster();
    run(async {
        let client = client(cluster);
        let aggregated = client.server_groups_and_resources().await.expect("an answer");
        let legacy = client.with_legacy().server_groups_and_resources().await.expect("an answer");
        assert_eq!(aggregated.groups, legacy.groups);
        let names = |served: &watchglass::rest::discovery::ServerResources| {
            let mut names: Vec<_> = served.group_version_resources().collect();
            names.sort();
            names
        };
        assert_eq!(names(&aggregated), names(&legacy));
        let version = client.server_version().await.expect("an answer");
        assert!(version.git_version.starts_with(&format!("v{}.{}", version.major, version.minor)));
        let paths = client.open_api_v3_paths().await.expect("an answer");
        let schema = client.open_api_v3_schema(&paths["apis/apps/v1"]).await.expect("a document");
        assert!(schema.get().contains("io.k8s.api.apps.v1.Deployment"));
    });
}

#[test]
fn an_extension_that_is_down_fails_alone() {
    let _served = SERVED.write();
    let cluster = cluster();
    let _nowhere = Installed { cluster, path: "apiservice/v1.nowhere.watchglass.example".into() };
    let service = json!({ "name": "nowhere", "namespace": "default" });
    let nowhere = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": { "name": "v1.nowhere.watchglass.example" },
        "spec": {
            "group": "nowhere.watchglass.example", "version": "v1", "groupPriorityMinimum": 100,
            "versionPriority": 100, "insecureSkipTLSVerify": true, "service": service,
        },
    });
    apply(cluster, &nowhere);
    run(async {
        let aggregated = client(cluster);
        let legacy = aggregated.with_legacy();
        let nowhere = GroupVersion::new("nowhere.watchglass.example", "v1");
        for client in [&aggregated, &legacy] {
            let ask = || async {
                let served = client.server_groups_and_resources().await.expect("an answer");
                served.failed.contains_key(&nowhere)
            };
            until(ask).await;
            let served = client.server_groups_and_resources().await.expect("all others are there");
            assert_eq!(served.failed.len(), 1, "{:?}", served.failed);
            let is_there = |name: &str| served.each_resource().any(|(_, resource)| resource.name == name);
            assert!(is_there("pods") && is_there("deployments") && is_there("apiservices"));
            let failure = served.failure().expect("there is one");
            assert!(failure.contains("nowhere.watchglass.example/v1: "), "{failure}");
        }
        let stale = aggregated.server_groups_and_resources().await.expect("the rest").failed.remove(&nowhere);
        assert_eq!(stale, Some(DiscoveryError::Stale { group_version: nowhere.clone() }));
        let down = legacy.server_groups_and_resources().await.expect("the rest").failed.remove(&nowhere);
        assert!(down.is_some_and(|error| error.is_transient()), "503: the service may come back");
    });
}

#[test]
fn a_definition_is_found_after_it_came_and_not_after_it_went() {
    let _served = SERVED.write();
    let cluster = cluster();
    run(async {
        let cached = CachedDiscoveryClient::new(client(cluster));
        let mapper = DeferredDiscoveryRestMapper::new(cached.clone()).with_shortcuts(None);
        let factory = SharedInformerFactory::new(native::runtime(), Rc::new(cluster.client("admin")));
        let _held = cached.invalidate_on(&factory);
        factory.wait_for_cache_sync().await;
        let short = GroupVersionResource::new("", "", "mr");
        assert!(mapper.resource_for(&short).await.is_err_and(|error| error.is_no_match()));
        let is_listed = || async {
            let served = cached.server_preferred_resources().await.expect("an answer");
            served.each_resource().any(|(_, resource)| resource.kind == "Mirror")
        };
        assert!(!is_listed().await);

        let mirror = define(cluster, "Mirror", "mr");
        until(is_listed).await;
        let expected = GroupVersionResource::new("mirror.watchglass.example", "v1", "mirrors");
        assert_eq!(mapper.resource_for(&short).await, Ok(expected));
        drop(mirror);
        until(|| async { !is_listed().await }).await;
        assert!(mapper.resource_for(&short).await.is_err_and(|error| error.is_no_match()));
    });
}

/// Hears the codes of the answers.
struct Heard {
    transport: Rc<dyn Transport>,
    codes: Rc<RefCell<Vec<u16>>>,
}

impl Transport for Heard {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let codes = self.codes.clone();
        let log = move |response: &Response| codes.borrow_mut().push(response.status);
        self.transport.send(request).inspect_ok(log).boxed_local()
    }
}

/// The server gives its discovery an ETag, and confirms it.
#[test]
fn what_an_earlier_program_has_stored_is_confirmed() {
    let _served = SERVED.write();
    let cluster = cluster();
    run(async {
        let (storage, codes) = (Rc::new(MemoryStorage::default()), Rc::new(RefCell::new(Vec::new())));
        let start = || {
            let mut config = cluster.config("admin");
            config.transport = Rc::new(Heard { transport: config.transport, codes: codes.clone() });
            let storage = DiscoveryStorage::new(storage.clone(), "discovery", Duration::from_secs(600));
            CachedDiscoveryClient::with_storage(DiscoveryClient::for_config(&config), storage)
        };
        let first = start().server_groups_and_resources().await.expect("an answer");
        assert_eq!(codes.take(), [200, 200]);
        let second = start();
        assert_eq!(second.server_groups_and_resources().await.expect("an answer"), first);
        assert_eq!((second.is_fresh(), codes.take()), (false, vec![]));
        second.invalidate();
        assert_eq!(second.server_groups_and_resources().await.expect("an answer"), first);
        assert_eq!((second.is_fresh(), codes.take()), (true, vec![304, 304]));
    });
}
