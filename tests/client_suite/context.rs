use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use watchglass::api::{GroupVersionResource, Object, ResourcePath};
use watchglass::rest::{Config, RestClient};

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

/// What a case gets: a server, as the administrator, and a namespace that nobody else uses.
#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub server: Server,
    pub namespace: String,
    /// What lies outside the namespace and is removed with it.
    remains: Rc<RefCell<Vec<ResourcePath>>>,
}

impl Context {
    /// `run` tells this run's namespaces from those of others on the same cluster.
    pub fn new(config: Config, server: Server, run: &str, number: usize) -> Self {
        Self { config, server, namespace: format!("suite-{run}-{number}"), remains: Rc::default() }
    }

    pub fn rest(&self) -> RestClient {
        RestClient::for_config(&self.config)
    }

    /// A resource of the core group in the case's namespace.
    pub fn core(&self, resource: &str) -> ResourcePath {
        ResourcePath::all(GroupVersionResource::core(resource)).in_namespace(&self.namespace)
    }

    /// Removes it with the namespace, also when the case fails.
    pub fn remove_at_end(&self, path: ResourcePath) {
        self.remains.borrow_mut().push(path);
    }

    pub async fn sleep(&self, milliseconds: u64) {
        self.config.runtime.sleep(Duration::from_millis(milliseconds)).await;
    }

    pub(super) async fn create_namespace(&self) {
        let client = self.rest();
        let all = ResourcePath::all(GroupVersionResource::core("namespaces"));
        let namespace = object(json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": self.namespace },
        }));
        client.create(&all, &namespace).await.expect("a namespace is created");
        if self.server != Server::InMemory {
            // Pods are refused until a controller has made it.
            let account = self.core("serviceaccounts").named("default");
            while client.get(&account).await.is_err() {
                self.sleep(20).await;
            }
        }
    }

    /// Asks for the removal of the namespace and what else the case left; waits for nothing.
    pub async fn clean_up(&self) {
        let client = self.rest();
        let remains = self.remains.take();
        let namespace = ResourcePath::all(GroupVersionResource::core("namespaces")).named(&self.namespace);
        for path in remains.iter().chain([&namespace]) {
            // What is gone already was the case's own doing.
            let _ = client.delete(path).await;
        }
    }
}

pub fn object(value: serde_json::Value) -> Object {
    serde_json::from_value(value).expect("it is an object")
}
