use std::fmt::Write as _;

use super::{Error, GroupVersionResource};

/// Where a resource, or one object of it, lies below the API server's root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourcePath {
    pub resource: GroupVersionResource,
    /// None for cluster-scoped resources and for all namespaces.
    pub namespace: Option<String>,
    pub name: Option<String>,
    /// Below the object: `status`, or `proxy` and what follows it.
    pub subresources: Vec<String>,
}

impl ResourcePath {
    /// All objects of a resource.
    pub fn all(resource: GroupVersionResource) -> Self {
        Self { resource, ..Self::default() }
    }

    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// A part of the object with an address of its own: `status`. Called again, a part of that part.
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresources.push(subresource.into());
        self
    }

    /// Whether each part can stand in a path: neither empty, nor `.`, nor `..`, and without `/` and `%`
    /// (apimachinery: `pkg/api/validation/path/name.go`, `IsValidPathSegmentName`).
    ///
    /// # Errors
    /// [`Error::NotSent`], which names the part.
    #[doc(alias = "IsValidPathSegmentName")]
    pub fn validate(&self) -> Result<(), Error> {
        let GroupVersionResource { group, version, resource } = &self.resource;
        let named = [("version", version), ("resource", resource)];
        let group = (!group.is_empty()).then_some(("group", group));
        let namespace = self.namespace.as_ref().map(|it| ("namespace", it));
        let name = self.name.as_ref().map(|it| ("name", it));
        let below = self.subresources.iter().map(|it| ("subresource", it));
        for (what, segment) in named.into_iter().chain(group).chain(namespace).chain(name).chain(below) {
            let why = match segment.as_str() {
                "" => "it is empty",
                "." | ".." => "it would lead elsewhere",
                other if other.contains(['/', '%']) => "it contains / or %",
                _ => continue,
            };
            return Err(Error::NotSent { reason: format!("{segment:?} cannot be a {what}: {why}") });
        }
        Ok(())
    }
}

/// Relative, without a leading slash: `api/v1/namespaces/shop/pods/web-0`.
impl std::fmt::Display for ResourcePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GroupVersionResource { group, version, resource } = &self.resource;
        match group.as_str() {
            "" => write!(f, "api/{version}")?,
            group => write!(f, "apis/{group}/{version}")?,
        }
        if let Some(namespace) = &self.namespace {
            write!(f, "/namespaces/{}", percent_encode(namespace))?;
        }
        write!(f, "/{resource}")?;
        for part in self.name.iter().chain(&self.subresources) {
            write!(f, "/{}", percent_encode(part))?;
        }
        Ok(())
    }
}

/// Encodes all bytes but RFC 3986's unreserved ones.
pub fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            _ => write!(encoded, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_group_the_namespace_and_the_name() {
        let pods = ResourcePath::all(GroupVersionResource::core("pods"));
        assert_eq!(pods.to_string(), "api/v1/pods");
        let pod = pods.in_namespace("shop").named("web-0");
        assert_eq!(pod.to_string(), "api/v1/namespaces/shop/pods/web-0");
        let status = pod.subresource("status");
        assert_eq!(status.to_string(), "api/v1/namespaces/shop/pods/web-0/status");
        assert_eq!(status.subresource("deeper").to_string(), "api/v1/namespaces/shop/pods/web-0/status/deeper");
        let deployments = ResourcePath::all(GroupVersionResource::new("apps", "v1", "deployments"));
        assert_eq!(deployments.in_namespace("a/../b").to_string(), "apis/apps/v1/namespaces/a%2F..%2Fb/deployments");
    }
}
