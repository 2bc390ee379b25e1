//! Discovery and the RESTMapper against a real API server, with kubectl as the oracle: `make test-cluster`.

#[path = "support/cluster.rs"]
mod cluster;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::RwLock;
use std::time::Duration;

use watchglass::api::{GroupVersion, GroupVersionResource};
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::discovery::{
    ApiResourcesOptions, ApiResourcesOutput, CachedDiscoveryClient, DiscoveryClient, DiscoveryError, DiscoveryStorage,
    print_api_resources, print_api_versions,
};
use watchglass::rest::rest_mapper::DeferredDiscoveryRestMapper;
use watchglass::runtime::{MemoryStorage, native};

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
fn apply(cluster: &Cluster, manifest: &str) {
    let mut kubectl = Command::new(cluster.setting("/kubectl"))
        .args(["--kubeconfig", &cluster.setting("/admin/kubeconfig"), "apply", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("kubectl runs");
    kubectl.stdin.take().expect("it reads").write_all(manifest.as_bytes()).expect("it reads all");
    assert!(kubectl.wait().expect("kubectl ends").success(), "kubectl apply");
}

/// A definition of a kind with a short name and a category, in a group of its own.
struct Definition {
    cluster: &'static Cluster,
    name: String,
}

impl Definition {
    fn install(cluster: &'static Cluster, kind: &str, short_name: &str) -> Self {
        let singular = kind.to_lowercase();
        let group = format!("{singular}.watchglass.example");
        let name = format!("{singular}s.{group}");
        let manifest = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{ name: {name} }}\n\
             spec:\n  group: {group}\n  scope: Namespaced\n  names:\n    plural: {singular}s\n    singular: {singular}\n\
             \x20   kind: {kind}\n    shortNames: [{short_name}]\n    categories: [all, telescopes]\n  versions:\n  \
             - {{ name: v1, served: true, storage: true, schema: {{ openAPIV3Schema: {{ type: object }} }} }}\n  \
             - {{ name: v1alpha1, served: true, storage: false, schema: {{ openAPIV3Schema: {{ type: object }} }} }}\n"
        );
        apply(cluster, &manifest);
        let definition = Self { cluster, name };
        cluster.kubectl(&["wait", "--for=condition=Established", "--timeout=60s", &definition.path()]);
        definition
    }

    fn path(&self) -> String {
        format!("customresourcedefinition/{}", self.name)
    }
}

impl Drop for Definition {
    fn drop(&mut self) {
        self.cluster.kubectl(&["delete", &self.path(), "--wait=true", "--timeout=60s"]);
    }
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
    let _lens = Definition::install(cluster, "Lens", "ln");
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
    apply(
        cluster,
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.nowhere.watchglass.example }\n\
         spec:\n  group: nowhere.watchglass.example\n  version: v1\n  groupPriorityMinimum: 100\n  versionPriority: 100\n  \
         insecureSkipTLSVerify: true\n  service: { name: nowhere, namespace: default }\n",
    );
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
    cluster.kubectl(&["delete", "apiservice", "v1.nowhere.watchglass.example"]);
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

        let mirror = Definition::install(cluster, "Mirror", "mr");
        until(is_listed).await;
        let expected = GroupVersionResource::new("mirror.watchglass.example", "v1", "mirrors");
        assert_eq!(mapper.resource_for(&short).await, Ok(expected));
        drop(mirror);
        until(|| async { !is_listed().await }).await;
        assert!(mapper.resource_for(&short).await.is_err_and(|error| error.is_no_match()));
    });
}

/// The server gives its discovery an ETag, and confirms it.
#[test]
fn what_an_earlier_program_has_stored_is_confirmed() {
    let _served = SERVED.read();
    let cluster = cluster();
    run(async {
        let storage = Rc::new(MemoryStorage::default());
        let start = || {
            let storage = DiscoveryStorage::new(storage.clone(), "discovery", Duration::from_secs(600));
            CachedDiscoveryClient::with_storage(client(cluster), storage)
        };
        let first = start().server_groups_and_resources().await.expect("an answer");
        let second = start();
        assert_eq!(second.server_groups_and_resources().await.expect("an answer"), first);
        assert!(!second.is_fresh());
        second.invalidate();
        assert_eq!(second.server_groups_and_resources().await.expect("an answer"), first);
        assert!(second.is_fresh());
    });
}
