use std::fmt::Write as _;

use super::GroupVersionResource;

/// Where a resource, or one object of it, lies below the API server's root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourcePath {
    pub resource: GroupVersionResource,
    /// None for cluster-scoped resources and for all namespaces.
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub subresource: Option<String>,
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

    /// A part of the object with an address of its own: `status`.
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.into());
        self
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
        for part in [&self.name, &self.subresource].into_iter().flatten() {
            write!(f, "/{}", percent_encode(part))?;
        }
        Ok(())
    }
}

/// How exactly a list must meet the resourceVersion asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceVersionMatch {
    Exact,
    NotOlderThan,
}

/// The query of a list or a watch (`metav1.ListOptions`); what is empty is not sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListOptions {
    pub label_selector: String,
    pub field_selector: String,
    pub watch: bool,
    pub allow_watch_bookmarks: bool,
    pub resource_version: String,
    pub resource_version_match: Option<ResourceVersionMatch>,
    pub timeout_seconds: Option<u32>,
    pub limit: Option<u32>,
    pub r#continue: String,
    pub send_initial_events: Option<bool>,
}

impl ListOptions {
    /// The query without its `?`, in the order of the fields.
    pub fn to_query(&self) -> String {
        let resource_version_match = self.resource_version_match.map(|it| match it {
            ResourceVersionMatch::Exact => "Exact".to_owned(),
            ResourceVersionMatch::NotOlderThan => "NotOlderThan".to_owned(),
        });
        let text = |text: &str| (!text.is_empty()).then(|| percent_encode(text));
        let flag = |flag: bool| flag.then(|| "true".to_owned());
        let pairs = [
            ("labelSelector", text(&self.label_selector)),
            ("fieldSelector", text(&self.field_selector)),
            ("watch", flag(self.watch)),
            ("allowWatchBookmarks", flag(self.allow_watch_bookmarks)),
            ("resourceVersion", text(&self.resource_version)),
            ("resourceVersionMatch", resource_version_match),
            ("timeoutSeconds", self.timeout_seconds.map(|it| it.to_string())),
            ("limit", self.limit.map(|it| it.to_string())),
            ("continue", text(&self.r#continue)),
            ("sendInitialEvents", self.send_initial_events.map(|it| it.to_string())),
        ];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        pairs.collect::<Vec<_>>().join("&")
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
        assert_eq!(pod.subresource("status").to_string(), "api/v1/namespaces/shop/pods/web-0/status");
        let deployments = ResourcePath::all(GroupVersionResource::new("apps", "v1", "deployments"));
        assert_eq!(deployments.in_namespace("a/../b").to_string(), "apis/apps/v1/namespaces/a%2F..%2Fb/deployments");
    }

    #[test]
    fn a_query_holds_only_what_is_set() {
        assert_eq!(ListOptions::default().to_query(), "");
        let options = ListOptions {
            label_selector: "app=web,tier in (a,b)".into(),
            watch: true,
            resource_version: "7".into(),
            limit: Some(500),
            ..ListOptions::default()
        };
        let query = "labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&watch=true&resourceVersion=7&limit=500";
        assert_eq!(options.to_query(), query);
    }
}
