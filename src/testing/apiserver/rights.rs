use super::kinds::Kind;
use super::refusal::{self, Refusal};

/// What the server's only user may not do.
#[derive(Default)]
pub(super) struct Rights {
    forbidden: Vec<Rule>,
}

struct Rule {
    verb: String,
    resource: String,
    /// None is the cluster scope.
    namespace: Option<String>,
}

impl Rights {
    /// The user's name, as refusals say it.
    pub(super) const USER: &str = "demo";

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

    pub(super) fn check(&self, verb: &str, kind: &Kind, namespace: Option<&str>, name: &str) -> Result<(), Refusal> {
        let covers = |rule: &str, asked: &str| rule == "*" || rule == asked;
        let hit = self.forbidden.iter().any(|rule| {
            let scope = match (rule.namespace.as_deref(), namespace) {
                (Some("*"), _) | (None, None) => true,
                (rule, asked) => rule == asked,
            };
            scope && covers(&rule.verb, verb) && covers(&rule.resource, &kind.resource)
        });
        if hit { Err(refusal::forbidden(Self::USER, verb, kind, namespace, name)) } else { Ok(()) }
    }
}
