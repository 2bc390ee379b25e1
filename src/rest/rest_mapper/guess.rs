use crate::api::{GroupVersionKind, GroupVersionResource};

/// Guesses a kind's plural and singular resource by the rules of English, which is wrong for some
/// (apimachinery: `pkg/api/meta/restmapper.go`, `UnsafeGuessKindToResource`).
#[doc(alias = "UnsafeGuessKindToResource")]
pub fn unsafe_guess_kind_to_resource(kind: &GroupVersionKind) -> (GroupVersionResource, GroupVersionResource) {
    let singular = kind.kind.to_lowercase();
    let plural = if singular.is_empty() || singular.ends_with("endpoints") {
        singular.clone()
    } else if singular.ends_with('s') {
        format!("{singular}es")
    } else if let Some(stem) = singular.strip_suffix('y') {
        format!("{stem}ies")
    } else {
        format!("{singular}s")
    };
    let named =
        |resource: String| GroupVersionResource { group: kind.group.clone(), version: kind.version.clone(), resource };
    (named(plural), named(singular))
}
