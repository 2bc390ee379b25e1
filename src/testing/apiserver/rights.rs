//! Who asks, and what that one may do.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;

use super::ApiServer;
use super::refusal::{self, Refusal};
use crate::api::Manifest;
use crate::runtime::Request;

const MASTERS: &str = "system:masters";
pub(super) const AUTHENTICATED: &str = "system:authenticated";

/// Somebody who sends requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    pub name: String,
    /// Everybody is in `system:authenticated` too. Who is in `system:masters` may do everything.
    pub groups: Vec<String>,
}

impl User {
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), groups: Vec::new() }
    }

    pub fn in_group(mut self, group: &str) -> Self {
        self.groups.push(group.into());
        self
    }

    fn authenticated(mut self) -> Self {
        if let Some((namespace, _)) = self.service_account() {
            let group = format!("system:serviceaccounts:{namespace}");
            self.groups.extend(["system:serviceaccounts".to_owned(), group]);
        }
        if !self.groups.iter().any(|group| group == AUTHENTICATED) {
            self.groups.push(AUTHENTICATED.into());
        }
        self
    }

    /// Namespace and name of the service account that it is.
    fn service_account(&self) -> Option<(&str, &str)> {
        self.name.strip_prefix("system:serviceaccount:")?.split_once(':')
    }

    pub(super) fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }

    /// As the subject of a binding names it, with the kind of the subject; none when it means somebody else.
    pub(super) fn matches(&self, subject: &Value, binding_namespace: &str) -> Option<(&'static str, String)> {
        let text = |name: &str| subject[name].as_str().unwrap_or_default();
        let name = text("name");
        match text("kind") {
            "User" if name == self.name => Some(("User", name.to_owned())),
            "Group" if self.groups.iter().any(|group| group == name) => Some(("Group", name.to_owned())),
            "ServiceAccount" => {
                let namespace = if text("namespace").is_empty() { binding_namespace } else { text("namespace") };
                (self.service_account()? == (namespace, name))
                    .then(|| ("ServiceAccount", format!("{name}/{namespace}")))
            }
            _ => None,
        }
    }
}

/// What a request wants, as rights see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes<'a> {
    pub(super) verb: &'a str,
    pub(super) group: &'a str,
    /// With the subresource behind a slash.
    pub(super) resource: &'a str,
    /// None is the cluster scope.
    pub(super) namespace: Option<&'a str>,
    /// Empty for a whole collection.
    pub(super) name: &'a str,
    /// Of what is no resource; empty otherwise.
    pub(super) path: &'a str,
}

/// Whether something is allowed, and why when there is a reason to tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    pub(super) allowed: bool,
    pub(super) reason: String,
}

/// Who is known, and what the user without a token may not do.
#[derive(Default)]
pub(super) struct Rights {
    tokens: HashMap<String, (User, Option<Timestamp>)>,
    forbidden: Vec<Rule>,
}

struct Rule {
    verb: String,
    resource: String,
    /// None is the cluster scope.
    namespace: Option<String>,
}

impl Rights {
    /// The name of the user who sends no token.
    pub(super) const USER: &str = "demo";

    pub(super) fn add_token(&mut self, token: &str, user: User, expires: Option<Timestamp>) {
        self.tokens.insert(token.into(), (user, expires));
    }

    pub(super) fn forbid(&mut self, verb: &str, resource: &str, namespace: Option<&str>) {
        self.forbidden.push(Rule {
            verb: verb.into(),
            resource: resource.into(),
            namespace: namespace.map(str::to_owned),
        });
    }

    pub(super) fn allow_all(&mut self) {
        self.forbidden.clear();
    }

    pub(super) fn forbids_something(&self) -> bool {
        !self.forbidden.is_empty()
    }

    fn forbids(&self, asked: &Attributes<'_>) -> bool {
        let covers = |rule: &str, asked: &str| rule == "*" || rule == asked;
        self.forbidden.iter().any(|rule| {
            let scope = match (rule.namespace.as_deref(), asked.namespace) {
                (Some("*"), _) | (None, None) => true,
                (rule, asked) => rule == asked,
            };
            scope && covers(&rule.verb, asked.verb) && covers(&rule.resource, asked.resource)
        })
    }

    /// # Errors
    /// 401 for a token that is unknown or has expired.
    fn user_of(&self, request: &Request, now: Timestamp) -> Result<User, Refusal> {
        let Some((_, header)) = request.headers.iter().find(|(name, _)| name == "authorization") else {
            return Ok(User::new(Self::USER).in_group(MASTERS).authenticated());
        };
        let known = header.strip_prefix("Bearer ").and_then(|token| self.tokens.get(token.trim()));
        match known {
            Some((user, expires)) if expires.is_none_or(|expires| now < expires) => Ok(user.clone().authenticated()),
            _ => Err(refusal::plain(401, "Unauthorized")),
        }
    }
}

/// Who is asked on behalf of by the headers; none without any.
///
/// # Errors
/// 400 for groups without a user, 501 for what else can be impersonated.
fn impersonated(request: &Request) -> Result<Option<User>, Refusal> {
    let values = |wanted: &str| -> Vec<String> {
        request.headers.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value.clone()).collect()
    };
    let groups = values("impersonate-group");
    match values("impersonate-user").first() {
        _ if request
            .headers
            .iter()
            .any(|(name, _)| name.starts_with("impersonate-extra") || name == "impersonate-uid") =>
        {
            Err(refusal::not_offered("the impersonation of a uid or of extra fields"))
        }
        Some(name) => Ok(Some(User { name: name.clone(), groups }.authenticated())),
        None if groups.is_empty() => Ok(None),
        None => {
            let groups: Vec<_> = groups.iter().map(|group| format!("{group:?}")).collect();
            let user = format!("&user.DefaultInfo{{Name:\"\", UID:\"\", Groups:[]string{{{}}}", groups.join(", "));
            let message =
                format!("requested {user}, Extra:map[string][]string(nil)}} without impersonating a user name");
            Err(refusal::plain(400, message))
        }
    }
}

impl ApiServer {
    /// Makes a bearer token known, as a user's, until it expires by the wall clock. What users may do beyond reading
    /// the server's description is said by roles and their bindings, like on a real server.
    ///
    /// Requests without a token are those of `demo`, who may do everything.
    pub fn add_token(&self, token: &str, user: User, expires: Option<Timestamp>) {
        self.inner.rights.borrow_mut().add_token(token, user, expires);
    }

    /// Who sends a request.
    ///
    /// # Errors
    /// 401 without a valid token, 403 for who may not impersonate.
    pub(super) fn identify(&self, request: &Request, asked: &Attributes<'_>) -> Result<User, Refusal> {
        let user = self.inner.rights.borrow().user_of(request, self.inner.runtime.clock.wall())?;
        let Some(other) = impersonated(request)? else { return Ok(user) };
        let may = |resource, name| {
            let attributes = Attributes { verb: "impersonate", resource, name, ..Attributes::default() };
            self.judge(&user, &attributes).allowed
        };
        if may("users", &other.name) && other.groups.iter().all(|it| it == AUTHENTICATED || may("groups", it)) {
            return Ok(other);
        }
        let verb = format!("impersonate-on:user-info:{}", asked.verb);
        Err(refusal::forbidden(&user.name, &Attributes { verb: &verb, ..*asked }))
    }

    /// # Errors
    /// 403 in the real server's words.
    pub(super) fn authorize(&self, user: &User, asked: &Attributes<'_>) -> Result<(), Refusal> {
        if self.judge(user, asked).allowed { Ok(()) } else { Err(refusal::forbidden(&user.name, asked)) }
    }

    pub(super) fn judge(&self, user: &User, asked: &Attributes<'_>) -> Verdict {
        if user.name == Rights::USER && self.inner.rights.borrow().forbids(asked) {
            return Verdict::default();
        }
        if user.is_master() {
            return Verdict { allowed: true, reason: String::new() };
        }
        let mut verdict = Verdict::default();
        self.each_rule(user, asked.namespace, |rule, source| {
            if !verdict.allowed && covers(rule, asked) {
                verdict = Verdict { allowed: true, reason: format!("RBAC: allowed by {source}") };
            }
        });
        verdict
    }

    /// Shows each rule that counts for a user in a namespace, and what it comes from.
    pub(super) fn each_rule(&self, user: &User, namespace: Option<&str>, mut show: impl FnMut(&Value, &str)) {
        for (name, rules) in everybodys() {
            let source =
                format!("ClusterRoleBinding \"{name}\" of ClusterRole \"{name}\" to Group \"{AUTHENTICATED}\"");
            rules.as_array().into_iter().flatten().for_each(|rule| show(rule, &source));
        }
        for binding in self.objects("clusterrolebindings") {
            self.show_rules(user, &binding, &mut show);
        }
        let Some(namespace) = namespace else { return };
        for binding in self.objects("rolebindings").iter().filter(|binding| binding.namespace() == namespace) {
            self.show_rules(user, binding, &mut show);
        }
    }

    fn show_rules(&self, user: &User, binding: &Manifest, show: &mut impl FnMut(&Value, &str)) {
        let mut subjects = binding.list_at(&["subjects"]).iter();
        let Some((kind, name)) = subjects.find_map(|subject| user.matches(subject, binding.namespace())) else {
            return;
        };
        let text = |name| binding.str_at(&["roleRef", name]).unwrap_or_default();
        let (role_kind, role) = (text("kind"), text("name"));
        let found = match role_kind {
            "ClusterRole" => self.get("clusterroles", "", role),
            _ => self.get("roles", binding.namespace(), role),
        };
        let slash = if binding.namespace().is_empty() { "" } else { "/" };
        let binding_name = format!("{}{slash}{}", binding.name(), binding.namespace());
        let source = format!("{} \"{binding_name}\" of {role_kind} \"{role}\" to {kind} \"{name}\"", binding.kind);
        for rule in found.iter().flat_map(|role| role.list_at(&["rules"])) {
            show(rule, &source);
        }
    }
}

/// Whether a role's rule allows it (kubernetes: `pkg/apis/rbac/v1/evaluation_helpers.go`).
fn covers(rule: &Value, asked: &Attributes<'_>) -> bool {
    let names = |field: &str| rule[field].as_array().into_iter().flatten().filter_map(Value::as_str);
    let has = |field: &str, wanted: &str| names(field).any(|name| name == "*" || name == wanted);
    if !has("verbs", asked.verb) {
        return false;
    }
    if !asked.path.is_empty() {
        return names("nonResourceURLs").any(|url| match url.strip_suffix('*') {
            Some(prefix) => asked.path.starts_with(prefix),
            None => url == asked.path,
        });
    }
    let of_all = asked.resource.split_once('/').map(|(_, subresource)| format!("*/{subresource}"));
    let has_resource =
        has("resources", asked.resource) || of_all.is_some_and(|it| names("resources").any(|name| name == it));
    let mut only = names("resourceNames").peekable();
    has("apiGroups", asked.group) && has_resource && (only.peek().is_none() || only.any(|name| name == asked.name))
}

/// What everybody may do who is known.
fn everybodys() -> [(&'static str, Value); 3] {
    let ready = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let described = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    [
        (
            "system:basic-user",
            serde_json::json!([
                {
                    "verbs": ["create"], "apiGroups": ["authorization.k8s.io"],
                    "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
                },
                { "verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"] },
            ]),
        ),
        ("system:discovery", serde_json::json!([{ "verbs": ["get"], "nonResourceURLs": described }])),
        ("system:public-info-viewer", serde_json::json!([{ "verbs": ["get"], "nonResourceURLs": ready }])),
    ]
}
