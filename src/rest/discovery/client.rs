use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{join, join_all};
use serde_json::value::RawValue;

use super::error::DiscoveryError;
use super::resources::{GroupsAndMaybeResources, ServerResources, by_version, extract_group_versions, versions};
use super::roots::{Answer, Root, Roots};
use crate::api::{
    ApiGroup, ApiResourceList, Error, GroupVersion, GroupVersionResource, OpenApiV3Discovery, VersionInfo,
};
use crate::rest::{Config, RawAnswer, RestClient};
use crate::runtime::{Request, Runtime};

/// client-go: `discovery/discovery_client.go`, `defaultTimeout`.
const TIMEOUT: Duration = Duration::from_secs(32);
/// Many custom resources are many requests (kubernetes/kubernetes#86149; client-go: `defaultBurst`).
const BURST: u32 = 300;
/// How often what is partial is asked for: groups may vanish between two requests (client-go: `defaultRetries`).
const ATTEMPTS: usize = 2;

const JSON: &str = "application/json";
/// v2beta1 is what servers from 1.26 to 1.29 have.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
    application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
const NO_PEER: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer";

/// Asks a server what it serves (client-go: `discovery/discovery_client.go`, `DiscoveryClient`).
///
/// With the aggregated form two requests tell everything; a server that has it not is asked for each version.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use watchglass::rest::{Config, discovery::DiscoveryClient};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// let client = DiscoveryClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let served = sandbox.block_on(client.server_preferred_resources()).unwrap();
/// assert!(served.each_resource().any(|(version, resource)| version.to_string() == "v1" && resource.name == "pods"));
/// # }
/// ```
#[derive(Clone)]
pub struct DiscoveryClient {
    client: RestClient,
    use_legacy: bool,
    no_peer: bool,
}

impl DiscoveryClient {
    /// Requests end after 32 s, unless the configuration says otherwise, and of those that the rate limit holds back,
    /// 300 are sent at once (client-go: `discovery/discovery_client.go`, `NewDiscoveryClientForConfig`).
    #[doc(alias = "NewDiscoveryClientForConfig")]
    pub fn for_config(config: &Config) -> Self {
        let mut config = config.clone();
        config.timeout = config.timeout.or(Some(TIMEOUT));
        if let Some(qps) = config.rate_limiter.as_ref().map(|limiter| limiter.qps()) {
            config = config.with_qps(qps, BURST);
        }
        Self { client: RestClient::for_config(&config), use_legacy: false, no_peer: false }
    }

    /// Asks for the legacy form only (client-go: `WithLegacy`, `UseLegacyDiscovery`).
    #[doc(alias = "UseLegacyDiscovery")]
    #[must_use]
    pub fn with_legacy(&self) -> Self {
        Self { use_legacy: true, ..self.clone() }
    }

    /// Asks only for what this one of several API servers serves itself (client-go: `NoPeerDiscovery`).
    #[doc(alias = "NoPeerDiscovery")]
    #[must_use]
    pub fn with_no_peer(&self) -> Self {
        Self { no_peer: true, ..self.clone() }
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.client.config().runtime
    }

    /// The groups with their versions, the core group first.
    ///
    /// # Errors
    /// When the server does not answer, or refuses.
    pub async fn server_groups(&self) -> Result<Vec<ApiGroup>, DiscoveryError> {
        Ok(self.groups_and_maybe_resources().await?.groups)
    }

    /// The groups and, from a server that has the aggregated form, the resources.
    ///
    /// # Errors
    /// When the server does not answer, or refuses. A server without a core group is none of this.
    #[doc(alias = "GroupsAndMaybeResources")]
    pub async fn groups_and_maybe_resources(&self) -> Result<GroupsAndMaybeResources, DiscoveryError> {
        Ok(self.roots(&Roots::default()).await?.joined())
    }

    /// Asks `/api` and `/apis`, whether they still say what they said before.
    pub(super) async fn roots(&self, before: &Roots) -> Result<Roots, Error> {
        let (api, apis) =
            join(self.root("api", before.api.etag.as_ref()), self.root("apis", before.apis.etag.as_ref())).await;
        let api = match api {
            Ok(Some(answer)) => Root::of_api(&answer)?,
            Ok(None) => before.api.clone(),
            // Aggregated API servers have none.
            Err(error) if error.is_not_found() => Root::absent(),
            Err(error) => return Err(error),
        };
        let apis = apis?.map_or_else(|| Ok(before.apis.clone()), |answer| Root::of_apis(&answer))?;
        Ok(Roots { api, apis })
    }

    /// None when nothing has changed.
    async fn root(&self, path: &str, etag: Option<&String>) -> Result<Option<Answer>, Error> {
        let accept = match (self.use_legacy, self.no_peer) {
            (true, _) => JSON.into(),
            (false, true) => format!("{NO_PEER},{AGGREGATED}"),
            (false, false) => AGGREGATED.into(),
        };
        let mut request = Request::get(path).with_header("accept", accept);
        if let Some(etag) = etag.filter(|_| !self.use_legacy) {
            request = request.with_header("if-none-match", etag.clone());
        }
        match self.ask(request).await {
            Err(error) if error.status().is_some_and(|status| status.code == 304) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The resources of one version of a group, `apps/v1`, always in the legacy form.
    ///
    /// # Errors
    /// A Status "not found" when there is no such version, the core group's excepted, which is then empty.
    /// Else as any request.
    pub async fn server_resources_for_group_version(
        &self,
        group_version: &str,
    ) -> Result<Rc<ApiResourceList>, DiscoveryError> {
        let path = match group_version {
            "" => return Err(DiscoveryError::NoGroupVersion),
            named if named.contains('/') => format!("apis/{named}"),
            core => format!("api/{core}"),
        };
        match self.read::<ApiResourceList>(path).await {
            Ok(list) => Ok(Rc::new(ApiResourceList { group_version: group_version.to_owned(), ..list })),
            Err(error) if group_version == "v1" && error.is_not_found() => {
                Ok(Rc::new(ApiResourceList { group_version: group_version.to_owned(), resources: Vec::new() }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Everything that is served. What failed is asked for once more.
    ///
    /// # Errors
    /// When the server does not answer, or refuses to tell the groups. A version that fails is in
    /// [`ServerResources::failed`].
    pub async fn server_groups_and_resources(&self) -> Result<ServerResources, DiscoveryError> {
        let mut found = ServerResources::default();
        for _ in 0..ATTEMPTS {
            found = self.server_groups_and_resources_once().await?;
            if found.failed.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    async fn server_groups_and_resources_once(&self) -> Result<ServerResources, DiscoveryError> {
        let GroupsAndMaybeResources { groups, resources, mut failed } = self.groups_and_maybe_resources().await?;
        if let Some(resources) = resources {
            return Ok(ServerResources { groups, resources, failed });
        }
        let mut lists = Vec::new();
        for (version, list) in self.resources_of_each(versions(&groups)).await {
            match list {
                Ok(list) => lists.push(list),
                Err(error) => drop(failed.insert(version, error)),
            }
        }
        Ok(ServerResources { groups, resources: by_version(lists.into_iter()), failed })
    }

    /// Asks for all of these versions at once.
    pub(super) async fn resources_of_each(
        &self,
        versions: impl Iterator<Item = GroupVersion>,
    ) -> Vec<(GroupVersion, Result<Rc<ApiResourceList>, DiscoveryError>)> {
        let requests = versions.map(|version| async {
            let list = self.server_resources_for_group_version(&version.to_string()).await;
            (version, list)
        });
        join_all(requests).await
    }

    /// Each resource once, in the version that the server prefers. What failed is asked for once more.
    ///
    /// # Errors
    /// As [`server_groups_and_resources`](Self::server_groups_and_resources).
    pub async fn server_preferred_resources(&self) -> Result<ServerResources, DiscoveryError> {
        Ok(self.server_groups_and_resources().await?.preferred())
    }

    /// Those of the preferred resources whose objects live in namespaces; nothing is asked for twice.
    ///
    /// # Errors
    /// As [`server_groups_and_resources`](Self::server_groups_and_resources).
    pub async fn server_preferred_namespaced_resources(&self) -> Result<ServerResources, DiscoveryError> {
        let preferred = self.server_groups_and_resources_once().await?.preferred();
        Ok(preferred.filtered_by(|_, resource| resource.namespaced))
    }

    /// Which build the server is.
    ///
    /// # Errors
    /// As any request.
    pub async fn server_version(&self) -> Result<VersionInfo, DiscoveryError> {
        Ok(self.read("version".to_owned()).await?)
    }

    /// Where the OpenAPI documents lie, below the server's root, by what they describe: `apis/apps/v1`
    /// (client-go: `openapi/client.go`, `Paths`). The addresses change with what the documents say.
    ///
    /// # Errors
    /// As any request.
    #[doc(alias = "OpenAPIV3")]
    pub async fn open_api_v3_paths(&self) -> Result<BTreeMap<String, String>, DiscoveryError> {
        let OpenApiV3Discovery { paths } = self.read("openapi/v3".to_owned()).await?;
        let below_root = |url: String| url.trim_start_matches('/').to_owned();
        Ok(paths.into_iter().map(|(name, path)| (name, below_root(path.server_relative_url))).collect())
    }

    /// One of the documents that [`open_api_v3_paths`](Self::open_api_v3_paths) names, by its address, as it came
    /// (client-go: `openapi/groupversion.go`, `Schema`).
    ///
    /// # Errors
    /// As any request.
    pub async fn open_api_v3_schema(&self, address: &str) -> Result<Rc<RawValue>, DiscoveryError> {
        Ok(self.read::<Box<RawValue>>(address.to_owned()).await?.into())
    }

    /// Whether the server has the resource (client-go: `discovery/helper.go`, `IsResourceEnabled`).
    ///
    /// # Errors
    /// As any request; that there is no such version is no error.
    #[doc(alias = "IsResourceEnabled")]
    pub async fn is_resource_enabled(&self, resource: &GroupVersionResource) -> Result<bool, DiscoveryError> {
        match self.server_resources_for_group_version(&resource.api_version()).await {
            Ok(list) => Ok(list.resources.iter().any(|known| known.name == resource.resource)),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether the server has the version; one that tells of no version at all counts as having it
    /// (client-go: `discovery/helper.go`, `ServerSupportsVersion`).
    ///
    /// # Errors
    /// [`DiscoveryError::UnsupportedVersion`] when it has not; else as any request.
    #[doc(alias = "ServerSupportsVersion")]
    pub async fn server_supports_version(&self, required: &GroupVersion) -> Result<(), DiscoveryError> {
        let versions = extract_group_versions(&self.server_groups().await?);
        if versions.is_empty() || versions.contains(&required.to_string()) {
            return Ok(());
        }
        Err(DiscoveryError::UnsupportedVersion { group_version: required.clone() })
    }

    async fn read<T: serde::de::DeserializeOwned>(&self, path: String) -> Result<T, Error> {
        self.ask(Request::get(path).with_header("accept", JSON)).await?.decode()
    }

    async fn ask(&self, request: Request) -> Result<Answer, Error> {
        let url = request.path.clone();
        let RawAnswer { headers, body, .. } = self.client.raw(request).await?;
        let header = |name| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let (content_type, etag) = (header("content-type").unwrap_or_default(), header("etag"));
        Ok(Answer { url, content_type, etag, body })
    }
}
