use serde_json::{Map, Value, json};

use crate::api::{GroupVersionResource, Manifest, ResourcePath};

/// May the user do this? `namespace` is none for the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccessQuestion {
    /// `delete`
    pub verb: String,
    pub group: String,
    /// With the subresource behind a slash: `pods/log`.
    pub resource: String,
    pub namespace: Option<String>,
}

impl AccessQuestion {
    pub fn new(verb: &str, resource: &GroupVersionResource, namespace: Option<&str>) -> Self {
        let GroupVersionResource { group, resource, .. } = resource.clone();
        Self { verb: verb.into(), group, resource, namespace: namespace.map(str::to_owned) }
    }

    /// The same of a subresource, `log` or `scale`.
    #[must_use]
    pub fn of_subresource(mut self, subresource: &str) -> Self {
        self.resource = [&self.resource, "/", subresource].concat();
        self
    }

    /// Where the question is sent to.
    pub fn path() -> ResourcePath {
        path("selfsubjectaccessreviews")
    }

    /// As a SelfSubjectAccessReview.
    pub fn review(&self) -> Manifest {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((&self.resource, ""));
        let attributes = json!({
            "verb": self.verb, "group": self.group, "resource": resource, "subresource": subresource,
            "namespace": self.namespace.as_deref().unwrap_or_default(),
        });
        review("SelfSubjectAccessReview", "resourceAttributes", attributes)
    }

    /// What the server answered; none when it did not say.
    pub fn answer(review: &Manifest) -> Option<bool> {
        review.get(&["status", "allowed"])?.as_bool()
    }
}

/// What a user may do in one namespace, as a SelfSubjectRulesReview tells.
#[derive(Clone, Debug, Default)]
pub struct Rules(Manifest);

impl Rules {
    /// Where the question is sent to.
    pub fn path() -> ResourcePath {
        path("selfsubjectrulesreviews")
    }

    /// The question for a namespace.
    pub fn review(namespace: &str) -> Manifest {
        review("SelfSubjectRulesReview", "namespace", namespace.into())
    }

    /// Of the server's answer.
    pub fn of(review: Manifest) -> Self {
        Self(review)
    }

    /// Whether the rules allow it for all objects; none when they do not and are not all there are: some authorizers
    /// cannot name their rules.
    pub fn allow(&self, verb: &str, resource: &GroupVersionResource) -> Option<bool> {
        let rules = self.0.list_at(&["status", "resourceRules"]);
        let is_allowed = rules.iter().any(|rule| {
            has(rule, "verbs", verb)
                && has(rule, "apiGroups", &resource.group)
                && has(rule, "resources", &resource.resource)
                && names(rule, "resourceNames").next().is_none()
        });
        let is_incomplete = self.0.get(&["status", "incomplete"]).and_then(Value::as_bool) != Some(false);
        if is_allowed || !is_incomplete { Some(is_allowed) } else { None }
    }
}

fn path(resource: &str) -> ResourcePath {
    ResourcePath::all(GroupVersionResource::new("authorization.k8s.io", "v1", resource))
}

fn review(kind: &str, field: &str, value: Value) -> Manifest {
    let spec = Value::Object(Map::from_iter([(field.to_owned(), value)]));
    let fields = Map::from_iter([("spec".to_owned(), spec)]);
    Manifest { api_version: "authorization.k8s.io/v1".into(), kind: kind.into(), fields, ..Manifest::default() }
}

fn has(rule: &Value, field: &str, wanted: &str) -> bool {
    names(rule, field).any(|name| name == "*" || name == wanted)
}

fn names<'a>(rule: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    rule.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(rules: &Value, is_incomplete: bool) -> Rules {
        let mut review = Rules::review("a");
        let status = json!({ "resourceRules": rules, "nonResourceRules": [], "incomplete": is_incomplete });
        review.fields.insert("status".into(), status);
        Rules::of(review)
    }

    #[test]
    fn rules_allow_what_one_of_them_names_without_names_of_objects() {
        let some = json!([
            { "verbs": ["list"], "apiGroups": [""], "resources": ["pods", "services"] },
            { "verbs": ["*"], "apiGroups": ["apps"], "resources": ["*"] },
            { "verbs": ["list"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"] },
        ]);
        let (pods, secrets) = (GroupVersionResource::core("pods"), GroupVersionResource::core("secrets"));
        let deployments = GroupVersionResource::new("apps", "v1", "deployments");
        for (verb, resource, allowed) in
            [("list", &pods, true), ("watch", &pods, false), ("delete", &deployments, true), ("list", &secrets, false)]
        {
            assert_eq!(rules(&some, false).allow(verb, resource), Some(allowed), "{verb} {resource}");
            assert_eq!(rules(&some, true).allow(verb, resource), allowed.then_some(true), "{verb} {resource}");
        }
        assert_eq!(Rules::default().allow("list", &pods), None, "nothing was answered");
    }

    #[test]
    fn questions_are_the_servers_reviews() {
        let question = AccessQuestion::new("get", &GroupVersionResource::core("pods"), Some("a")).of_subresource("log");
        let spec = json!({ "resourceAttributes": {
            "verb": "get", "group": "", "resource": "pods", "subresource": "log", "namespace": "a",
        } });
        assert_eq!(question.review().fields["spec"], spec);
        assert_eq!(AccessQuestion::answer(&question.review()), None);
        let mut review = question.review();
        review.fields.insert("status".into(), json!({ "allowed": true }));
        assert_eq!(AccessQuestion::answer(&review), Some(true));
        assert_eq!(Rules::review("a").fields["spec"], json!({ "namespace": "a" }));
    }
}
