use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::lines::{Line, Lines};
use super::loads::{NodeLoad, PodLoad};
use super::problems::{Problem, problems};
use super::{Amounts, Topic};
use crate::api::Object;
use crate::view::{Catalog, EventGroups, has_namespace};

/// What is known of the cluster, of each object as little as is told.
#[derive(Debug, Default)]
pub struct Survey {
    /// By topic, and then by the object's key.
    facts: [BTreeMap<String, Facts>; 7],
    events: EventGroups,
}

#[derive(Debug, Default)]
struct Facts {
    problems: Vec<Problem>,
    load: Option<Box<Load>>,
}

#[derive(Debug)]
enum Load {
    Pod(PodLoad),
    /// Larger, and of few objects.
    Node(Box<NodeLoad>),
}

impl Survey {
    /// Takes an object, or the next state of one.
    pub fn upsert(&mut self, topic: Topic, key: &str, object: &Object) {
        let Some(facts) = self.facts.get_mut(topic as usize) else { return self.events.upsert(key, object) };
        let problems = problems(topic, object);
        let load = match topic {
            Topic::Pods => PodLoad::of(object).map(Load::Pod),
            Topic::Nodes => {
                let is_ready = problems.iter().all(|problem| problem.reason != "NotReady");
                Some(Load::Node(Box::new(NodeLoad::of(object, is_ready))))
            }
            _ => None,
        };
        let new = Facts { problems, load: load.map(Box::new) };
        match facts.get_mut(key) {
            Some(known) => *known = new,
            None => _ = facts.insert(key.into(), new),
        }
    }

    pub fn remove(&mut self, topic: Topic, key: &str) {
        match self.facts.get_mut(topic as usize) {
            Some(facts) => _ = facts.remove(key),
            None => self.events.remove(key),
        }
    }

    pub fn events(&self) -> &EventGroups {
        &self.events
    }

    /// How many objects there are in the chosen namespaces; in all when none is chosen.
    pub fn count(&self, topic: Topic, namespaces: &BTreeSet<String>) -> usize {
        match self.facts.get(topic as usize) {
            Some(facts) if namespaces.is_empty() || !topic.is_namespaced() => facts.len(),
            Some(facts) => facts.keys().filter(|key| is_chosen(key, namespaces)).count(),
            None if namespaces.is_empty() => self.events.events(),
            None => self.events.events_in(namespaces),
        }
    }

    /// What is wrong, the worst first. What is of no namespace is told whatever is chosen. The kinds are for links to
    /// what was warned of.
    pub fn lines(&self, namespaces: &BTreeSet<String>, catalog: Option<&Catalog>, now: Timestamp) -> Vec<Line> {
        let mut lines = Lines::default();
        for (topic, facts) in Topic::ALL.into_iter().zip(&self.facts) {
            for (key, known) in facts.iter().filter(|(_, known)| !known.problems.is_empty()) {
                if topic.is_namespaced() && !is_chosen(key, namespaces) {
                    continue;
                }
                for problem in known.problems.iter().filter(|problem| problem.from.is_none_or(|from| from <= now)) {
                    lines.add(topic, key, problem);
                }
            }
        }
        lines.add_warnings(&self.events, namespaces, catalog, now);
        lines.finish(namespaces)
    }

    /// The nodes by name, with what the pods of the chosen namespaces ask of them.
    pub fn nodes(&self, namespaces: &BTreeSet<String>) -> Vec<NodeLoad> {
        let node = |facts: &Facts| match facts.load.as_deref() {
            Some(Load::Node(node)) => Some(NodeLoad::clone(node)),
            _ => None,
        };
        let mut nodes: Vec<_> = self.facts[Topic::Nodes as usize].values().filter_map(node).collect();
        for (key, facts) in &self.facts[Topic::Pods as usize] {
            if let Some(Load::Pod(pod)) = facts.load.as_deref()
                && is_chosen(key, namespaces)
                && let Ok(at) = nodes.binary_search_by(|node| node.name.cmp(&pod.node))
            {
                nodes[at].add(pod);
            }
        }
        nodes
    }

    /// All nodes taken together.
    pub fn whole(nodes: &[NodeLoad]) -> NodeLoad {
        let mut whole = NodeLoad { is_ready: true, ..NodeLoad::default() };
        let sum = |amounts: fn(&NodeLoad) -> Amounts| nodes.iter().map(amounts).fold(Amounts::default(), |a, b| a + b);
        whole.allocatable = sum(|node| node.allocatable);
        whole.requests = sum(|node| node.requests);
        whole.limits = sum(|node| node.limits);
        whole.pods = nodes.iter().map(|node| node.pods).sum();
        whole.max_pods = nodes.iter().map(|node| node.max_pods).sum();
        whole
    }
}

/// Whether the object of a key is in one of the namespaces.
fn is_chosen(key: &str, namespaces: &BTreeSet<String>) -> bool {
    namespaces.is_empty() || key.split_once('/').is_some_and(|(namespace, _)| has_namespace(namespaces, namespace))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::parse_time;

    fn add(survey: &mut Survey, topic: Topic, key: &str, fields: Value) {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let mut object = fields;
        object["metadata"]["name"] = name.into();
        object["metadata"]["namespace"] = namespace.into();
        survey.upsert(topic, key, &serde_json::from_value(object).unwrap());
    }

    fn pod(node: &str, cpu: &str) -> Value {
        let containers = json!([{ "resources": { "requests": { "cpu": cpu }, "limits": { "cpu": "2" } } }]);
        json!({ "spec": { "nodeName": node, "containers": containers }, "status": { "phase": "Failed" } })
    }

    fn running(node: &str, cpu: &str) -> Value {
        let mut pod = pod(node, cpu);
        pod["status"]["phase"] = "Running".into();
        pod
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|it| (*it).into()).collect()
    }

    fn cluster() -> Survey {
        let mut survey = Survey::default();
        let node = |cpu: &str| json!({ "status": { "allocatable": { "cpu": cpu, "pods": "110" } } });
        add(&mut survey, Topic::Nodes, "n2", node("2"));
        add(&mut survey, Topic::Nodes, "n1", node("4"));
        add(&mut survey, Topic::Pods, "shop/web-0", running("n1", "500m"));
        add(&mut survey, Topic::Pods, "shop/web-1", running("n2", "500m"));
        add(&mut survey, Topic::Pods, "media/cdn", running("n1", "1"));
        add(&mut survey, Topic::Pods, "media/gone", pod("n1", "1"));
        add(&mut survey, Topic::Pods, "media/lost", running("n9", "1"));
        survey
    }

    #[test]
    fn nodes_are_filled_by_the_pods_of_the_chosen_namespaces() {
        let survey = cluster();
        let loads = |namespaces: &[&str]| {
            let line = |node: &NodeLoad| format!("{} {} {}", node.name, node.requests.cpu_milli, node.pods);
            survey.nodes(&names(namespaces)).iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(loads(&[]), ["n1 1500 2", "n2 500 1"]);
        assert_eq!(loads(&["shop"]), ["n1 500 1", "n2 500 1"]);
        let whole = Survey::whole(&survey.nodes(&names(&[])));
        assert_eq!((whole.allocatable.cpu_milli, whole.limits.cpu_milli), (6000, 6000));
        assert_eq!((whole.pods, whole.max_pods), (3, 220));
    }

    #[test]
    fn objects_are_counted_in_the_chosen_namespaces() {
        let mut survey = cluster();
        assert_eq!(survey.count(Topic::Pods, &names(&[])), 5);
        assert_eq!(survey.count(Topic::Pods, &names(&["shop", "x"])), 2);
        assert_eq!(survey.count(Topic::Nodes, &names(&["shop"])), 2);
        survey.remove(Topic::Pods, "shop/web-0");
        survey.remove(Topic::Pods, "shop/web-0");
        assert_eq!(survey.count(Topic::Pods, &names(&["shop"])), 1);
        assert_eq!(survey.count(Topic::Events, &names(&[])), 0);
    }

    #[test]
    fn what_is_wrong_is_told_of_the_chosen_namespaces_and_of_the_cluster() {
        let mut survey = cluster();
        let pending = json!({ "status": { "phase": "Pending" } });
        add(&mut survey, Topic::Claims, "shop/data", pending.clone());
        add(&mut survey, Topic::Claims, "media/data", pending);
        let now = parse_time("2026-11-29T12:00:00Z").unwrap();
        let told = |namespaces: &[&str]| {
            let lines = survey.lines(&names(namespaces), None, now);
            lines.iter().map(|line| format!("{} {}", line.reason, line.count)).collect::<Vec<_>>()
        };
        assert_eq!(told(&[]), ["NotReady 2", "Failed 1", "Not ready 4", "Pending 2"]);
        assert_eq!(told(&["shop"]), ["NotReady 2", "Not ready 2", "Pending 1"]);
    }
}
