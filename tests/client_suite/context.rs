use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, GetOptions, GroupVersionResource, ListOptions, Manifest, ResourcePath,
};
use watchglass::rest::{Config, DynamicClient, DynamicResource, Impersonation, RestClient};

/// Who answers. Cases ask for it only where one of the servers says that it does not offer something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    InMemory,
    Native,
    Proxy,
}

impl Server {
    /// As the count of cases names it.
    pub fn title(self) -> &'static str {
        match self {
            Self::InMemory => "in memory",
            Self::Native => "real, native",
            Self::Proxy => "real, kubectl proxy in Chromium",
        }
    }
}

/// Runs a pod, by namespace and name.
pub type Kubelet = Rc<dyn Fn(&str, &str)>;

/// What a case gets: a server, as the administrator, and a namespace that nobody else uses.
#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub server: Server,
    pub namespace: String,
    /// On a server that has nobody who runs pods.
    pub kubelet: Option<Kubelet>,
    /// What lies outside the namespace and is removed with it.
    remains: Rc<RefCell<Vec<ResourcePath>>>,
}

impl Context {
    /// `run` tells this run's namespaces from those of others on the same cluster.
    pub fn new(config: Config, server: Server, run: &str, number: usize) -> Self {
        let namespace = format!("suite-{run}-{number}");
        Self { config, server, namespace, kubelet: None, remains: Rc::default() }
    }

    /// The same as another user, who has no rights but those that everybody has.
    pub fn as_user(&self, user: &str) -> Self {
        let groups = vec!["system:authenticated".to_owned()];
        let who = Impersonation { user: user.into(), groups, ..Impersonation::default() };
        self.with_config(self.config.clone().with_impersonation(&who).expect("there is a user"))
    }

    pub fn with_config(&self, config: Config) -> Self {
        Self { config, ..self.clone() }
    }

    pub fn rest(&self) -> RestClient {
        RestClient::for_config(&self.config)
    }

    /// A resource at the cluster scope, or in all namespaces.
    pub fn everywhere(&self, resource: &GroupVersionResource) -> DynamicResource {
        DynamicClient::for_config(&self.config).resource(resource)
    }

    /// A resource in the case's namespace.
    pub fn resource(&self, resource: &GroupVersionResource) -> DynamicResource {
        self.everywhere(resource).namespace(&self.namespace)
    }

    pub fn config_maps(&self) -> DynamicResource {
        self.resource(&config_maps())
    }

    pub fn pods(&self) -> DynamicResource {
        self.resource(&pods())
    }

    pub fn deployments(&self) -> DynamicResource {
        self.resource(&deployments())
    }

    pub fn path(&self, resource: &GroupVersionResource) -> ResourcePath {
        ResourcePath::all(resource.clone()).in_namespace(&self.namespace)
    }

    /// Creates ConfigMaps without data.
    pub async fn create_config_maps(&self, names: &[&str]) {
        for name in names {
            let map = config_map(name, json!({}));
            self.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
        }
    }

    /// Removes it with the namespace, also when the case fails.
    pub fn remove_at_end(&self, path: ResourcePath) {
        self.remains.borrow_mut().push(path);
    }

    pub async fn sleep(&self, milliseconds: u64) {
        self.config.runtime.sleep(Duration::from_millis(milliseconds)).await;
    }

    /// Waits for what a controller does in its own time.
    pub async fn until(&self, mut is_so: impl AsyncFnMut() -> bool) {
        while !is_so().await {
            self.sleep(25).await;
        }
    }

    pub(super) async fn create_namespace(&self) {
        self.create_other_namespace(&self.namespace).await;
        if self.server != Server::InMemory {
            // Pods are refused until a controller has made it.
            let accounts = self.resource(&GroupVersionResource::core("serviceaccounts"));
            self.until(async || accounts.get("default", &GetOptions::default()).await.is_ok()).await;
            // It is put into every namespace, and would come into a case's watch at any time.
            let root = "kube-root-ca.crt";
            self.until(async || self.config_maps().get(root, &GetOptions::default()).await.is_ok()).await;
        }
    }

    pub async fn create_other_namespace(&self, name: &str) {
        let namespace = object(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }));
        let all = self.everywhere(&namespaces());
        all.create(&namespace, &CreateOptions::default()).await.expect("a namespace is created");
        self.remove_at_end(ResourcePath::all(namespaces()).named(name));
    }

    /// Asks for the removal of the namespace and what else the case left; waits for nothing.
    pub async fn clean_up(&self) {
        let remains = self.remains.take();
        for path in &remains {
            // What is gone already was the case's own doing.
            let _ = self.rest().delete(path, &DeleteOptions::default()).await;
        }
    }
}

pub fn config_maps() -> GroupVersionResource {
    GroupVersionResource::core("configmaps")
}

pub fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

pub fn namespaces() -> GroupVersionResource {
    GroupVersionResource::core("namespaces")
}

pub fn deployments() -> GroupVersionResource {
    GroupVersionResource::new("apps", "v1", "deployments")
}

pub fn object(value: Value) -> Manifest {
    serde_json::from_value(value).expect("it is an object")
}

pub fn config_map(name: &str, data: Value) -> Manifest {
    object(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data }))
}

/// A pod that no scheduler takes, so that only the case changes it.
pub fn pod(name: &str) -> Manifest {
    object(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
        "spec": {
            "schedulerName": "nobody",
            "containers": [{ "name": "app", "image": "registry.example/app:1" }],
        },
    }))
}

/// A Deployment that no controller rolls out.
pub fn deployment(name: &str) -> Manifest {
    object(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "replicas": 0,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "app", "image": "registry.example/app:1" }] },
            },
        },
    }))
}

/// The server's answer to what it refused, whole.
pub fn failure<T>(result: Result<T, Error>) -> Value {
    let Err(error) = result else { panic!("the server did not refuse it") };
    let Some(status) = error.status() else { panic!("this is not the API server's: {error:?}") };
    serde_json::to_value(status).expect("a Status is JSON")
}

/// What is answered to who wrote over a newer version of the ConfigMap `one`.
pub fn conflict() -> Value {
    json!({
        "status": "Failure", "code": 409, "reason": "Conflict",
        "message": "Operation cannot be fulfilled on configmaps \"one\": the object has been modified; \
                    please apply your changes to the latest version and try again",
        "details": { "name": "one", "kind": "configmaps" },
    })
}

pub fn with_labels(selector: &str) -> ListOptions {
    ListOptions { label_selector: selector.into(), ..ListOptions::default() }
}

pub fn with_fields(selector: &str) -> ListOptions {
    ListOptions { field_selector: selector.into(), ..ListOptions::default() }
}
