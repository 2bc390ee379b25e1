use serde::Serialize;

/// The body of a deletion (`metav1.DeleteOptions`); what is empty is not sent, and the server decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteOptions {
    #[serde(skip_serializing_if = "Preconditions::is_empty")]
    pub preconditions: Preconditions,
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
