use std::collections::BTreeMap;
use std::time::Duration;

use leptos::prelude::*;

use super::super::until_seen;
use crate::api::{Error, GroupVersionResource, ListOptions, Object, ResourcePath};
use crate::runtime::Task;
use crate::ui::state::Session;
use crate::view::overview::{Amounts, Ring, usage_of};

/// metrics-server measures every fifteen seconds.
const BETWEEN_LISTS: Duration = Duration::from_secs(15);

/// With more, a list of them every few seconds is more than a glance is worth.
const MOST_PODS: usize = 5_000;

/// What is used now, where metrics.k8s.io is served. A handle.
#[derive(Clone, Copy)]
pub(super) struct Metrics {
    /// By the node's name.
    pub(super) nodes: RwSignal<BTreeMap<String, Ring>>,
    /// Namespace, name and use.
    pub(super) pods: RwSignal<Vec<PodUse>>,
    /// What came of the last try; none while it is not served.
    pub(super) answer: RwSignal<Option<Result<(), Error>>>,
}

/// What a pod uses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodUse {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) used: Amounts,
}

impl Metrics {
    /// Asked for while the caller's owner lives and the page is seen; `pods` says how many pods there are.
    pub(super) fn new(session: Session, pods: Signal<usize>) -> Self {
        let (nodes, used, answer) = (RwSignal::new(BTreeMap::new()), RwSignal::new(Vec::new()), RwSignal::new(None));
        let this = Self { nodes, pods: used, answer };
        let asking = session.runtime().spawn(async move {
            loop {
                until_seen(session).await;
                this.ask(session, pods).await;
                session.runtime().sleep(BETWEEN_LISTS).await;
            }
        });
        let _asking: StoredValue<Task, LocalStorage> = StoredValue::new_local(asking);
        this
    }

    async fn ask(&self, session: Session, pods: Signal<usize>) {
        // Mostly known already: the rail asks for it too.
        let Ok(found) = session.discovery().server_preferred_resources().await else { return };
        let metrics = found.each_resource().filter(|(version, _)| version.group == "metrics.k8s.io");
        let resource = |name: &str, version: &str| GroupVersionResource::new("metrics.k8s.io", version, name);
        let served: Vec<_> = metrics.map(|(version, it)| resource(&it.name, &version.version)).collect();
        let named = |name: &str| served.iter().find(|it| it.resource == name).cloned();
        let Some(resource) = named("nodes") else {
            self.answer.try_set(None);
            return;
        };
        let answer = list(session, resource).await;
        if let Ok(all) = &answer {
            self.nodes.try_update(|nodes| {
                nodes.retain(|name, _| all.iter().any(|it| it.name() == name));
                for node in all {
                    nodes.entry(node.name().into()).or_default().take(node);
                }
            });
        }
        self.answer.try_set(Some(answer.map(drop)));
        let is_worth_it = pods.try_get_untracked().is_some_and(|pods| pods <= MOST_PODS);
        if let Some(resource) = named("pods").filter(|_| is_worth_it)
            && let Ok(all) = list(session, resource).await
        {
            let pod =
                |it: &Object| PodUse { namespace: it.namespace().into(), name: it.name().into(), used: usage_of(it) };
            self.pods.try_set(all.iter().map(pod).collect());
        }
    }
}

async fn list(session: Session, resource: GroupVersionResource) -> Result<Vec<Object>, Error> {
    let path = ResourcePath::all(resource);
    session.client().list(&path, &ListOptions::default(), &|_| {}).await.map(|list| list.items)
}
