use serde::{Serialize, Serializer};

/// The body of a deletion (`metav1.DeleteOptions`); what is empty is not sent, and the server decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteOptions {
    /// How long a pod may take to end; 0 removes it at once, whether it has ended or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_period_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Preconditions::is_empty")]
    pub preconditions: Preconditions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation_policy: Option<PropagationPolicy>,
    /// Goes through all checks, and deletes nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not", serialize_with = "all_stages")]
    pub dry_run: bool,
}

/// What becomes of the objects that the deleted one owns (`metav1.DeletionPropagation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PropagationPolicy {
    /// They stay, without an owner.
    Orphan,
    /// They are deleted after it.
    Background,
    /// They are deleted before it.
    Foreground,
}

/// What an object must be for a request to be carried out (`metav1.Preconditions`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preconditions {
    /// This very object, and no later one of the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Unchanged since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
}

impl Preconditions {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn all_stages<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    ["All"].serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_sent_and_nothing_else() {
        let body = |options: &DeleteOptions| serde_json::to_string(options).unwrap();
        assert_eq!(body(&DeleteOptions::default()), "{}");
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            preconditions: Preconditions { uid: Some("u1".into()), resource_version: None },
            propagation_policy: Some(PropagationPolicy::Foreground),
            dry_run: true,
        };
        let expected = r#"{"gracePeriodSeconds":0,"preconditions":{"uid":"u1"},"propagationPolicy":"Foreground","dryRun":["All"]}"#;
        assert_eq!(body(&options), expected);
    }
}
