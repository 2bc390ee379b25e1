use super::columns::built_ins;
use super::object_key;
use crate::api::{ApiResource, GroupVersion, GroupVersionKind, GroupVersionResource};

/// A kind of objects that can be listed and watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    pub resource: GroupVersionResource,
    /// `Deployment`
    pub kind: String,
    /// Many of them: `Deployments`.
    pub title: String,
    /// One of them, in lower case: `deployment`.
    pub singular: String,
    pub is_namespaced: bool,
    pub short_names: Vec<String>,
}

/// Kinds that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogGroup {
    /// `Workloads`, or the API group of custom resources.
    pub title: String,
    /// The API's own kinds, as against custom resources.
    pub is_built_in: bool,
    pub entries: Vec<CatalogEntry>,
}

/// Where a kind's objects are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindPage {
    pub resource: GroupVersionResource,
    pub is_namespaced: bool,
}

/// What a server has, in the groups that people know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    pub groups: Vec<CatalogGroup>,
}

/// The groups of the API's own kinds, each with its resources in the order they stand in. What is of no group and of
/// the API stands in the last.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Workloads",
        &[
            "pods",
            "deployments",
            "statefulsets",
            "daemonsets",
            "replicasets",
            "jobs",
            "cronjobs",
            "replicationcontrollers",
            "horizontalpodautoscalers",
            "poddisruptionbudgets",
        ],
    ),
    (
        "Network",
        &[
            "services",
            "ingresses",
            "networkpolicies",
            "endpointslices",
            "endpoints",
            "ingressclasses",
            "servicecidrs",
            "ipaddresses",
        ],
    ),
    ("Config", &["configmaps", "secrets", "resourcequotas", "limitranges", "podtemplates"]),
    (
        "Storage",
        &[
            "persistentvolumeclaims",
            "persistentvolumes",
            "storageclasses",
            "volumeattachments",
            "volumeattributesclasses",
            "csidrivers",
            "csinodes",
            "csistoragecapacities",
        ],
    ),
    (
        "Access",
        &[
            "serviceaccounts",
            "roles",
            "rolebindings",
            "clusterroles",
            "clusterrolebindings",
            "certificatesigningrequests",
        ],
    ),
    ("Cluster", &["nodes", "namespaces", "events", "customresourcedefinitions", "apiservices"]),
];

impl Catalog {
    /// Groups what can be listed and watched; each resource is expected once, in the version to use.
    pub fn of<'a>(resources: impl Iterator<Item = (&'a GroupVersion, &'a ApiResource)>) -> Self {
        let mut built_in: Vec<Vec<(usize, CatalogEntry)>> = vec![Vec::new(); GROUPS.len()];
        let mut custom: Vec<CatalogGroup> = Vec::new();
        for (version, resource) in resources.filter(|(_, resource)| can_be_shown(resource)) {
            let entry = CatalogEntry::of(version, resource);
            if is_of_the_api(&version.group) {
                let (group, place) = place_of(&resource.name);
                built_in[group].push((place, entry));
                continue;
            }
            match custom.iter_mut().find(|group| group.title == version.group) {
                Some(group) => group.entries.push(entry),
                None => {
                    let title = version.group.clone();
                    custom.push(CatalogGroup { title, is_built_in: false, entries: vec![entry] });
                }
            }
        }
        custom.sort_unstable_by(|a, b| a.title.cmp(&b.title));
        let built_in = GROUPS.iter().zip(built_in).map(|((title, _), mut entries)| {
            entries.sort_unstable_by(|(a, one), (b, other)| a.cmp(b).then_with(|| order(one).cmp(&order(other))));
            let entries = entries.into_iter().map(|(_, entry)| entry).collect();
            CatalogGroup { title: (*title).into(), is_built_in: true, entries }
        });
        let mut groups: Vec<_> = built_in.chain(custom).filter(|group| !group.entries.is_empty()).collect();
        groups.iter_mut().for_each(tell_apart);
        Self { groups }
    }

    pub fn entries(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.groups.iter().flat_map(|group| &group.entries)
    }

    /// The kind of this name in a group, whatever its version.
    pub fn of_kind(&self, group: &str, kind: &str) -> Option<&CatalogEntry> {
        self.entries().find(|entry| entry.kind == kind && entry.resource.group == group)
    }

    /// The kind that a page is of; see [`CatalogEntry::page`].
    pub fn of_page(&self, page: &str) -> Option<&CatalogEntry> {
        self.entries().find(|entry| entry.page() == page)
    }
}

impl KindPage {
    /// Of the kind that an object or a reference names, as the server tells, and of the built-in kinds before it has.
    pub fn of(catalog: Option<&Catalog>, api_version: &str, kind: &str) -> Option<Self> {
        let GroupVersionKind { group, kind, .. } = GroupVersionKind::from_api_version(api_version, kind);
        if let Some(entry) = catalog.and_then(|catalog| catalog.of_kind(&group, &kind)) {
            return Some(Self { resource: entry.resource.clone(), is_namespaced: entry.is_namespaced });
        }
        let resource = built_ins().find(|it| it.group == group && it.kind == kind)?;
        Some(Self { resource: resource.group_version_resource(), is_namespaced: resource.is_namespaced() })
    }

    /// The page's name in the address.
    pub fn name(&self) -> String {
        self.resource.to_string()
    }

    /// The key of an object, whose namespace is told of objects that have none too.
    pub fn key(&self, namespace: &str, name: &str) -> String {
        object_key(if self.is_namespaced { namespace } else { "" }, name)
    }
}

impl CatalogEntry {
    fn of(version: &GroupVersion, resource: &ApiResource) -> Self {
        Self {
            resource: GroupVersionResource::new(&version.group, &version.version, &resource.name),
            kind: resource.kind.clone(),
            title: plural_of(&resource.kind, &resource.name),
            singular: Some(&resource.singular_name)
                .filter(|it| !it.is_empty())
                .unwrap_or(&resource.kind)
                .to_lowercase(),
            is_namespaced: resource.namespaced,
            short_names: resource.short_names.clone(),
        }
    }

    /// A few letters that stand for the kind where there is no room for its name: its short name, else its capitals, else
    /// its beginning.
    pub fn abbreviation(&self) -> String {
        let capitals: String = self.kind.chars().filter(char::is_ascii_uppercase).collect();
        match self.short_names.first() {
            Some(short) => short.chars().take(6).collect(),
            None if capitals.len() > 1 => capitals.to_lowercase(),
            None => self.kind.chars().take(4).collect::<String>().to_lowercase(),
        }
    }

    /// The name of the kind's page in the address: `pods`, `deployments.apps`.
    pub fn page(&self) -> String {
        self.resource.to_string()
    }
}

fn can_be_shown(resource: &ApiResource) -> bool {
    ["list", "watch"].iter().all(|verb| resource.verbs.iter().any(|it| it == verb))
}

/// Kubernetes keeps names without a dot, and those below `k8s.io`, for itself.
pub(super) fn is_of_the_api(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// The group and the place in it.
fn place_of(name: &str) -> (usize, usize) {
    let found = GROUPS
        .iter()
        .enumerate()
        .find_map(|(group, (_, names))| names.iter().position(|it| *it == name).map(|place| (group, place)));
    found.unwrap_or((GROUPS.len() - 1, usize::MAX))
}

fn order(entry: &CatalogEntry) -> (&str, &str) {
    (&entry.title, &entry.resource.group)
}

/// The kind's own letters as far as the resource's name has them, and the rest of that: `NetworkPolicies`.
fn plural_of(kind: &str, name: &str) -> String {
    let common = kind.chars().zip(name.chars()).take_while(|(a, b)| a.to_ascii_lowercase() == *b);
    let length: usize = common.map(|(letter, _)| letter.len_utf8()).sum();
    format!("{}{}", &kind[..length], &name[length..])
}

/// Adds the API group where a group of the catalog has two of the same title.
fn tell_apart(group: &mut CatalogGroup) {
    let titles: Vec<_> = group.entries.iter().map(|entry| entry.title.clone()).collect();
    for entry in &mut group.entries {
        if titles.iter().filter(|title| **title == entry.title).count() > 1 && !entry.resource.group.is_empty() {
            entry.title = format!("{} ({})", entry.title, entry.resource.group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(name: &str, kind: &str, namespaced: bool) -> ApiResource {
        let verbs = ["get", "list", "watch"].map(String::from).into();
        ApiResource { name: name.into(), kind: kind.into(), namespaced, verbs, ..ApiResource::default() }
    }

    fn catalog(all: &[(&str, ApiResource)]) -> Catalog {
        let all: Vec<_> =
            all.iter().map(|(version, resource)| (GroupVersion::from_api_version(version), resource)).collect();
        Catalog::of(all.iter().map(|(version, resource)| (version, *resource)))
    }

    fn outline(catalog: &Catalog) -> Vec<String> {
        let titles = |group: &CatalogGroup| {
            let titles: Vec<_> = group.entries.iter().map(|entry| entry.title.clone()).collect();
            format!("{}: {}", group.title, titles.join(", "))
        };
        catalog.groups.iter().map(titles).collect()
    }

    #[test]
    fn kinds_stand_in_the_groups_that_people_know() {
        let catalog = catalog(&[
            ("v1", resource("nodes", "Node", false)),
            ("v1", resource("pods", "Pod", true)),
            ("v1", resource("events", "Event", true)),
            ("events.k8s.io/v1", resource("events", "Event", true)),
            ("apps/v1", resource("deployments", "Deployment", true)),
            ("networking.k8s.io/v1", resource("networkpolicies", "NetworkPolicy", true)),
            ("coordination.k8s.io/v1", resource("leases", "Lease", true)),
            ("example.com/v1", resource("widgets", "Widget", true)),
            ("acme.io/v1", resource("certificates", "Certificate", true)),
        ]);
        assert_eq!(
            outline(&catalog),
            [
                "Workloads: Pods, Deployments",
                "Network: NetworkPolicies",
                "Cluster: Nodes, Events, Events (events.k8s.io), Leases",
                "acme.io: Certificates",
                "example.com: Widgets",
            ]
        );
        let found = catalog.of_page("deployments.apps").unwrap();
        assert_eq!((&*found.resource.version, found.is_namespaced), ("v1", true));
        assert_eq!(catalog.of_page("deployments"), None);
    }

    #[test]
    fn a_kind_has_a_page_before_the_server_has_told_if_it_is_built_in() {
        let known = catalog(&[("example.com/v2", resource("widgets", "Widget", false))]);
        let key = |catalog, api_version, kind| {
            let page = KindPage::of(catalog, api_version, kind)?;
            Some((page.name(), page.key("shop", "x")))
        };
        let told = |page: &str, key: &str| Some((page.to_owned(), key.to_owned()));
        assert_eq!(key(None, "apps/v1", "Deployment"), told("deployments.apps", "shop/x"));
        assert_eq!(key(Some(&known), "v1", "Node"), told("nodes", "x"));
        assert_eq!(key(Some(&known), "example.com/v1", "Widget"), told("widgets.example.com", "x"));
        assert_eq!(key(None, "example.com/v1", "Widget"), None);
    }

    #[test]
    fn a_kind_has_a_few_letters() {
        let mut pods = resource("pods", "Pod", true);
        pods.short_names = vec!["po".into()];
        let all = [
            ("v1", pods),
            ("v1", resource("secrets", "Secret", true)),
            ("rbac.authorization.k8s.io/v1", resource("clusterrolebindings", "ClusterRoleBinding", false)),
        ];
        let catalog = catalog(&all);
        let letters: Vec<_> = catalog.entries().map(CatalogEntry::abbreviation).collect();
        assert_eq!(letters, ["po", "secr", "crb"]);
    }

    #[test]
    fn what_cannot_be_listed_and_watched_is_left_out() {
        let mut reviews = resource("tokenreviews", "TokenReview", false);
        reviews.verbs = vec!["create".into()];
        let mut statuses = resource("componentstatuses", "ComponentStatus", false);
        statuses.verbs = vec!["get".into(), "list".into()];
        assert_eq!(catalog(&[("v1", reviews), ("v1", statuses)]), Catalog::default());
    }

    #[test]
    fn plurals_keep_the_kind_s_letters() {
        for (kind, name, plural) in [
            ("NetworkPolicy", "networkpolicies", "NetworkPolicies"),
            ("HTTPRoute", "httproutes", "HTTPRoutes"),
            ("Endpoints", "endpoints", "Endpoints"),
            ("Person", "people", "People"),
            ("Ärger", "things", "things"),
        ] {
            assert_eq!(plural_of(kind, name), plural);
        }
    }
}
