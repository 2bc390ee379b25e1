use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A set of field paths, as a tree whose edges are the keys of `fieldsV1`: `f:name`, `k:{"name":"web"}`, `v:"text"`
/// (structured-merge-diff: `fieldpath/set.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// Whether the path that leads here is in the set; of the root it says nothing.
    pub(super) is_member: bool,
    pub(super) children: BTreeMap<String, Set>,
}

impl Set {
    pub(super) fn member() -> Self {
        Self { is_member: true, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_member && self.children.is_empty()
    }

    /// Puts what lies below an edge there, unless it is empty.
    pub(super) fn put(&mut self, edge: String, child: Self) {
        if !child.is_empty() {
            self.children.insert(edge, child);
        }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut children = self.children.clone();
        for (edge, theirs) in &other.children {
            let ours = children.entry(edge.clone()).or_default();
            *ours = ours.union(theirs);
        }
        Self { is_member: self.is_member || other.is_member, children }
    }

    /// Without what the other set has. A path goes without those below it.
    pub(super) fn difference(&self, other: &Self) -> Self {
        self.zip(other, |ours, theirs| ours && !theirs, |ours| Some(ours))
    }

    /// What both sets have.
    pub(super) fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |ours, theirs| ours && theirs, |_| None)
    }

    /// `alone` says what becomes of a branch that the other set does not have.
    fn zip(&self, other: &Self, both: fn(bool, bool) -> bool, alone: fn(&Self) -> Option<&Self>) -> Self {
        let mut result = Self { is_member: both(self.is_member, other.is_member), ..Self::default() };
        for (edge, ours) in &self.children {
            match other.children.get(edge) {
                Some(theirs) => result.put(edge.clone(), ours.zip(theirs, both, alone)),
                None => alone(ours).into_iter().for_each(|ours| result.put(edge.clone(), ours.clone())),
            }
        }
        result
    }

    /// Without these branches, each a path of field names, and all that lies below them.
    pub(super) fn without(mut self, path: &[&str]) -> Self {
        self.cut(path);
        self
    }

    fn cut(&mut self, path: &[&str]) {
        let Some((first, rest)) = path.split_first() else { return };
        let edge = format!("f:{first}");
        if rest.is_empty() {
            self.children.remove(&edge);
        } else if let Some(child) = self.children.get_mut(&edge) {
            child.cut(rest);
            if child.is_empty() {
                self.children.remove(&edge);
            }
        }
    }

    /// With this branch alone.
    pub(super) fn only(mut self, name: &str) -> Self {
        self.children.retain(|edge, _| edge.strip_prefix("f:") == Some(name));
        self
    }

    /// The paths in it as messages name them, `.spec.containers[name="web"].image`; those that end here come first.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect(&mut String::new(), &mut paths);
        paths
    }

    fn collect(&self, prefix: &mut String, paths: &mut Vec<String>) {
        let length = prefix.len();
        let members = self.children.iter().filter(|(_, child)| child.is_member);
        paths.extend(members.map(|(edge, _)| format!("{prefix}{}", in_words(edge))));
        for (edge, child) in &self.children {
            prefix.push_str(&in_words(edge));
            child.collect(prefix, paths);
            prefix.truncate(length);
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let mut map: Map<String, Value> =
            self.children.iter().map(|(edge, child)| (edge.clone(), child.to_json())).collect();
        if self.is_member && !map.is_empty() {
            map.insert(".".into(), Map::new().into());
        }
        map.into()
    }

    /// None when it is no tree of edges.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (edge, below) in value.as_object()? {
            if edge == "." {
                set.is_member = true;
            } else if edge.starts_with(['f', 'k', 'v', 'i']) && edge[1..].starts_with(':') {
                let mut child = Self::from_json(below)?;
                child.is_member |= child.children.is_empty();
                set.children.insert(edge.clone(), child);
            } else {
                return None;
            }
        }
        Some(set)
    }
}

/// A path element as messages name it.
pub(super) fn in_words(edge: &str) -> String {
    match (edge.get(..2), edge.get(2..).unwrap_or_default()) {
        (Some("f:"), name) => format!(".{name}"),
        (Some("k:"), keys) => {
            let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
            let keys: Vec<_> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("[{}]", keys.join(","))
        }
        (Some("v:"), value) => format!("[={value}]"),
        (_, index) => format!("[{index}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(value: &Value) -> Set {
        Set::from_json(value).unwrap()
    }

    #[test]
    fn a_set_reads_back_as_it_was_written() {
        let fields = json!({ "f:spec": { "f:ports": { ".": {}, "k:{\"port\":80}": { ".": {}, "f:name": {} } } },
            "f:metadata": { "f:finalizers": { "v:\"a\"": {} } } });
        assert_eq!(set(&fields).to_json(), fields);
        let paths =
            [".metadata.finalizers[=\"a\"]", ".spec.ports", ".spec.ports[port=80]", ".spec.ports[port=80].name"];
        assert_eq!(set(&fields).paths(), paths);
        assert_eq!(Set::from_json(&json!({ "spec": {} })), None);
    }

    #[test]
    fn sets_are_joined_and_parted() {
        let (one, two) = (json!({ "f:a": { ".": {}, "f:b": {} } }), json!({ "f:a": { "f:b": {}, "f:c": {} } }));
        let (one, two) = (set(&one), set(&two));
        assert_eq!(one.union(&two).to_json(), json!({ "f:a": { ".": {}, "f:b": {}, "f:c": {} } }));
        assert_eq!(one.intersection(&two).to_json(), json!({ "f:a": { "f:b": {} } }));
        assert_eq!(one.difference(&two).to_json(), json!({ "f:a": {} }));
        assert!(two.difference(&two).is_empty());
        assert_eq!(two.without(&["a", "b"]).to_json(), json!({ "f:a": { "f:c": {} } }));
    }
}
