use crate::api::{GroupVersionResource, Object, ValueRef};

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
    /// Where the question is posted to.
    pub const PATH: &str = "apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

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

    /// As a SelfSubjectAccessReview.
    pub fn review(&self) -> String {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((&self.resource, ""));
        let attributes = [
            ("verb", self.verb.as_str()),
            ("group", &self.group),
            ("resource", resource),
            ("subresource", subresource),
            ("namespace", self.namespace.as_deref().unwrap_or_default()),
        ];
        review("SelfSubjectAccessReview", &["{\"resourceAttributes\":", &json_object(&attributes), "}"].concat())
    }

    /// What the server answered; none when it did not say.
    pub fn answer(review: &Object) -> Option<bool> {
        review.get(&["status", "allowed"])?.as_bool()
    }
}

/// What a user may do in one namespace, as a SelfSubjectRulesReview tells.
#[derive(Clone, Debug)]
pub struct Rules(Object);

impl Rules {
    /// Where the question is posted to.
    pub const PATH: &str = "apis/authorization.k8s.io/v1/selfsubjectrulesreviews";

    /// The question for a namespace.
    pub fn review(namespace: &str) -> String {
        review("SelfSubjectRulesReview", &json_object(&[("namespace", namespace)]))
    }

    /// Of the server's answer.
    pub fn of(review: Object) -> Self {
        Self(review)
    }

    /// Whether the rules allow it for all objects; none when they do not and are not all there are: some authorizers
    /// cannot name their rules.
    pub fn allow(&self, verb: &str, resource: &GroupVersionResource) -> Option<bool> {
        let is_allowed = self.0.list_at(&["status", "resourceRules"]).any(|rule| {
            has(rule, "verbs", verb)
                && has(rule, "apiGroups", &resource.group)
                && has(rule, "resources", &resource.resource)
                && items(rule, "resourceNames").next().is_none()
        });
        let is_incomplete = self.0.get(&["status", "incomplete"]).and_then(ValueRef::as_bool) != Some(false);
        if is_allowed || !is_incomplete { Some(is_allowed) } else { None }
    }
}

/// Written by hand: a serializer would be larger than all of this.
fn review(kind: &str, spec: &str) -> String {
    ["{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"", kind, "\",\"spec\":", spec, "}"].concat()
}

fn json_object(fields: &[(&str, &str)]) -> String {
    let field = |(name, value): &(&str, &str)| {
        // Texts can always be written.
        let value = serde_json::to_string(value).unwrap_or_default();
        ["\"", name, "\":", &value].concat()
    };
    ["{", &fields.iter().map(field).collect::<Vec<_>>().join(","), "}"].concat()
}

fn has(rule: ValueRef<'_>, field: &str, wanted: &str) -> bool {
    items(rule, field).filter_map(ValueRef::as_str).any(|name| matches!(&*name, "*") || *name == *wanted)
}

fn items<'a>(rule: ValueRef<'a>, field: &str) -> impl Iterator<Item = ValueRef<'a>> {
    rule.get(field).into_iter().flat_map(ValueRef::items)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn rules(rules: &Value, is_incomplete: bool) -> Rules {
        let mut review = read(&Rules::review("a"));
        review["status"] = json!({ "resourceRules": rules, "nonResourceRules": [], "incomplete": is_incomplete });
        Rules::of(serde_json::from_value(review).unwrap())
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
        let unanswered = Rules::of(serde_json::from_str(&Rules::review("a")).unwrap());
        assert_eq!(unanswered.allow("list", &pods), None);
    }

    #[test]
    fn questions_are_the_servers_reviews() {
        let question = AccessQuestion::new("get", &GroupVersionResource::core("pods"), Some("a")).of_subresource("log");
        let mut review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": {
                "verb": "get", "group": "", "resource": "pods", "subresource": "log", "namespace": "a",
            } },
        });
        assert_eq!(read(&question.review()), review);
        let answer = |review: &Value| AccessQuestion::answer(&serde_json::from_value(review.clone()).unwrap());
        assert_eq!(answer(&review), None);
        review["status"] = json!({ "allowed": true });
        assert_eq!(answer(&review), Some(true));
        assert_eq!(read(&Rules::review("a\"b"))["spec"], json!({ "namespace": "a\"b" }));
    }
}
