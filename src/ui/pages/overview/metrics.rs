use std::collections::BTreeMap;

use leptos::prelude::*;

use super::super::until_seen;
use crate::api::{Error, Object};
use crate::runtime::Task;
use crate::ui::state::{BETWEEN_MEASUREMENTS, MOST_MEASURED, Session, list_metrics, metrics_resource};
use crate::view::overview::{Amounts, Ring, usage_of};

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
                session.runtime().sleep(BETWEEN_MEASUREMENTS).await;
            }
        });
        let _asking: StoredValue<Task, LocalStorage> = StoredValue::new_local(asking);
        this
    }

    async fn ask(&self, session: Session, pods: Signal<usize>) {
        let Some(nodes) = metrics_resource(session, "nodes").await else {
            self.answer.try_set(None);
            return;
        };
        let answer = list_metrics(session, &nodes, None).await;
        if let Ok(all) = &answer {
            self.nodes.try_update(|nodes| {
                nodes.retain(|name, _| all.iter().any(|it| it.name() == name));
                for node in all {
                    nodes.entry(node.name().into()).or_default().take(node);
                }
            });
        }
        self.answer.try_set(Some(answer.map(drop)));
        let is_worth_it = pods.try_get_untracked().is_some_and(|pods| pods <= MOST_MEASURED);
        if is_worth_it
            && let Some(pods) = metrics_resource(session, "pods").await
            && let Ok(all) = list_metrics(session, &pods, None).await
        {
            let pod =
                |it: &Object| PodUse { namespace: it.namespace().into(), name: it.name().into(), used: usage_of(it) };
            self.pods.try_set(all.iter().map(pod).collect());
        }
    }
}
