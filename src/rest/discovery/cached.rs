use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::lock::Mutex;
use indexmap::IndexMap;

use super::client::DiscoveryClient;
use super::error::DiscoveryError;
use super::open_api::OpenApi;
use super::resources::{GroupsAndMaybeResources, ServerResources};
use super::roots::Roots;
use super::stored::{DiscoveryStorage, Stored};
use crate::api::{ApiGroup, ApiResourceList, GroupVersion, VersionInfo};
use crate::runtime::Moment;

/// Remembers what a server serves until it is told to forget it
/// (client-go: `discovery/cached/memory/memcache.go`, and with a storage `discovery/cached/disk`).
///
/// The first question asks the server for everything. After that a version that is not known is not found, without
/// a request; one that failed for a while is asked for again. What a server said before is confirmed, and not sent
/// again, where it gives its answers an ETag.
///
/// A handle: clones share their memory. Dropping a question's future leaves the memory as it was.
#[doc(alias = "NewMemCacheClient")]
#[derive(Clone)]
pub struct CachedDiscoveryClient {
    inner: Rc<Inner>,
}

struct Inner {
    client: DiscoveryClient,
    storage: Option<DiscoveryStorage>,
    /// Who fills the memory holds it, so that many questions at once are one request.
    filling: Mutex<()>,
    generation: Cell<u64>,
    filled: RefCell<Option<Rc<Filled>>>,
    /// What the server said last, to be confirmed.
    said: RefCell<Rc<Roots>>,
    /// After the first invalidation what others have stored no longer counts.
    storage_counts: Cell<bool>,
    /// The server has changed, and may not yet have told all of it.
    is_settling: Cell<bool>,
    open_api: OpenApi,
}

type Entry = Result<Rc<ApiResourceList>, DiscoveryError>;

struct Filled {
    groups: Vec<ApiGroup>,
    entries: RefCell<IndexMap<GroupVersion, Entry>>,
    is_aggregated: bool,
    is_from_storage: bool,
    at: Moment,
}

impl CachedDiscoveryClient {
    /// An empty memory. (client-go: `NewMemCacheClient`.)
    pub fn new(client: DiscoveryClient) -> Self {
        Self::with(client, None)
    }

    /// A memory that outlives the program (client-go: `NewCachedDiscoveryClientForConfig`).
    #[doc(alias = "NewCachedDiscoveryClientForConfig")]
    pub fn with_storage(client: DiscoveryClient, storage: DiscoveryStorage) -> Self {
        Self::with(client, Some(storage))
    }

    fn with(client: DiscoveryClient, storage: Option<DiscoveryStorage>) -> Self {
        let inner = Inner {
            client,
            storage,
            filling: Mutex::default(),
            generation: Cell::default(),
            filled: RefCell::default(),
            said: RefCell::default(),
            storage_counts: Cell::new(true),
            is_settling: Cell::default(),
            open_api: OpenApi::default(),
        };
        Self { inner: Rc::new(inner) }
    }

    /// The groups with their versions, the core group first.
    ///
    /// # Errors
    /// When the server does not answer, or refuses; the next question asks again.
    pub async fn server_groups(&self) -> Result<Vec<ApiGroup>, DiscoveryError> {
        Ok(self.filled().await?.groups.clone())
    }

    /// The groups and, when the server has the aggregated form, the resources.
    ///
    /// # Errors
    /// As [`server_groups`](Self::server_groups).
    #[doc(alias = "GroupsAndMaybeResources")]
    pub async fn groups_and_maybe_resources(&self) -> Result<GroupsAndMaybeResources, DiscoveryError> {
        let filled = self.filled().await?;
        let mut found = GroupsAndMaybeResources { groups: filled.groups.clone(), ..Default::default() };
        let entries = filled.entries.borrow();
        if filled.is_aggregated && !entries.is_empty() {
            let resources = found.resources.get_or_insert_default();
            for (version, entry) in &*entries {
                match entry {
                    Ok(list) => drop(resources.insert(version.clone(), list.clone())),
                    Err(error) => drop(found.failed.insert(version.clone(), error.clone())),
                }
            }
        }
        Ok(found)
    }

    /// The resources of one version of a group, `apps/v1`.
    ///
    /// # Errors
    /// [`DiscoveryError::NotFound`] when the version was not there when the memory was filled.
    /// Else as the server answered when it was asked for the version.
    pub async fn server_resources_for_group_version(
        &self,
        group_version: &str,
    ) -> Result<Rc<ApiResourceList>, DiscoveryError> {
        let filled = self.filled().await?;
        self.entry(&filled, &GroupVersion::from_api_version(group_version)).await
    }

    /// Everything that is served.
    ///
    /// # Errors
    /// As [`server_groups`](Self::server_groups).
    pub async fn server_groups_and_resources(&self) -> Result<ServerResources, DiscoveryError> {
        let filled = self.filled().await?;
        let mut found = ServerResources { groups: filled.groups.clone(), ..ServerResources::default() };
        let versions: Vec<_> = filled.entries.borrow().keys().cloned().collect();
        for version in versions {
            match self.entry(&filled, &version).await {
                Ok(list) => drop(found.resources.insert(version, list)),
                Err(error) => drop(found.failed.insert(version, error)),
            }
        }
        Ok(found)
    }

    /// Each resource once, in the version that the server prefers.
    ///
    /// # Errors
    /// As [`server_groups`](Self::server_groups).
    pub async fn server_preferred_resources(&self) -> Result<ServerResources, DiscoveryError> {
        Ok(self.server_groups_and_resources().await?.preferred())
    }

    /// Those of the preferred resources whose objects live in namespaces.
    ///
    /// # Errors
    /// As [`server_groups`](Self::server_groups).
    pub async fn server_preferred_namespaced_resources(&self) -> Result<ServerResources, DiscoveryError> {
        Ok(self.server_preferred_resources().await?.filtered_by(|_, resource| resource.namespaced))
    }

    /// Which build the server is; it is always asked.
    ///
    /// # Errors
    /// As any request.
    pub async fn server_version(&self) -> Result<VersionInfo, DiscoveryError> {
        self.inner.client.server_version().await
    }

    /// The memory holds what this client itself has heard, so that to ask again is in vain
    /// (client-go: `CachedDiscoveryInterface`, `Fresh`).
    #[doc(alias = "Fresh")]
    pub fn is_fresh(&self) -> bool {
        !self.inner.is_settling.get() && self.inner.current().is_some_and(|filled| !filled.is_from_storage)
    }

    /// Forgets everything: nothing that is older than now is answered any more.
    pub fn invalidate(&self) {
        let inner = &self.inner;
        inner.generation.set(inner.generation.get() + 1);
        inner.storage_counts.set(false);
        inner.filled.take();
        inner.open_api.forget();
    }

    /// Another number after each invalidation.
    pub(in crate::rest) fn generation(&self) -> u64 {
        self.inner.generation.get()
    }

    pub(super) fn client(&self) -> &DiscoveryClient {
        &self.inner.client
    }

    pub(super) fn open_api(&self) -> &OpenApi {
        &self.inner.open_api
    }

    pub(super) fn set_settling(&self, is_settling: bool) {
        self.inner.is_settling.set(is_settling);
    }

    /// What is remembered; asks the server when that is nothing.
    async fn filled(&self) -> Result<Rc<Filled>, DiscoveryError> {
        let inner = &self.inner;
        if let Some(filled) = inner.current() {
            return Ok(filled);
        }
        let _filling = inner.filling.lock().await;
        if let Some(filled) = inner.current().or_else(|| inner.load()) {
            return Ok(filled);
        }
        let generation = self.generation();
        let said = inner.said.borrow().clone();
        let roots = inner.client.roots(&said).await?;
        let filled = Rc::new(inner.fill(&roots).await);
        let is_empty = filled.groups.is_empty() && !filled.is_aggregated;
        inner.said.replace(Rc::new(roots));
        if generation == self.generation() && !is_empty {
            inner.filled.replace(Some(filled.clone()));
            inner.save(&filled);
        }
        Ok(filled)
    }

    /// What a version said; one that failed for a while is asked again.
    async fn entry(&self, filled: &Filled, version: &GroupVersion) -> Entry {
        let known = |entry: &Entry| !entry.as_ref().is_err_and(DiscoveryError::is_transient);
        let current = || filled.entries.borrow().get(version).cloned().unwrap_or(Err(DiscoveryError::NotFound));
        if known(&current()) {
            return current();
        }
        let _filling = self.inner.filling.lock().await;
        if known(&current()) {
            return current();
        }
        let list = self.inner.client.server_resources_for_group_version(&version.to_string()).await;
        let entry = not_empty(version, list);
        filled.entries.borrow_mut().insert(version.clone(), entry.clone());
        entry
    }
}

impl Inner {
    /// What is remembered and not too old.
    fn current(&self) -> Option<Rc<Filled>> {
        let filled = self.filled.borrow().clone()?;
        let age = self.client.runtime().now().since(filled.at);
        let lives = self.storage.as_ref().is_none_or(|storage| age < storage.time_to_live());
        lives.then_some(filled)
    }

    async fn fill(&self, roots: &Roots) -> Filled {
        let found = roots.joined();
        let is_aggregated = found.resources.is_some();
        let entries = match found.resources {
            Some(resources) => {
                let resources = resources.into_iter().map(|(version, list)| (version, Ok(list)));
                resources.chain(found.failed.into_iter().map(|(version, error)| (version, Err(error)))).collect()
            }
            None => {
                let lists = self.client.resources_of_each(super::resources::versions(&found.groups)).await;
                lists
                    .into_iter()
                    .map(|(version, list)| {
                        let entry = not_empty(&version, list);
                        (version, entry)
                    })
                    .collect()
            }
        };
        let at = self.client.runtime().now();
        Filled { groups: found.groups, entries: RefCell::new(entries), is_aggregated, is_from_storage: false, at }
    }

    /// What the storage holds. What is too old there may still be confirmed.
    fn load(&self) -> Option<Rc<Filled>> {
        let storage = self.storage.as_ref().filter(|_| self.storage_counts.get())?;
        let stored = storage.load()?;
        let age = self.client.runtime().clock.wall().as_millisecond().checked_sub(stored.written_at)?;
        let found = stored.roots.joined();
        let is_aggregated = found.resources.is_some();
        self.said.replace(Rc::new(stored.roots));
        let age = Duration::from_millis(u64::try_from(age).ok()?);
        if age >= storage.time_to_live() {
            return None;
        }
        let lists = found.resources.unwrap_or_else(|| super::resources::by_version(stored.lists.into_iter()));
        let lists = lists.into_iter().map(|(version, list)| (version, Ok(list)));
        let entries = lists.chain(found.failed.into_iter().map(|(version, error)| (version, Err(error)))).collect();
        let at = self.client.runtime().now() - age;
        let filled =
            Filled { groups: found.groups, entries: RefCell::new(entries), is_aggregated, is_from_storage: true, at };
        let filled = Rc::new(filled);
        self.filled.replace(Some(filled.clone()));
        Some(filled)
    }

    /// Only what is whole is kept: what failed should be asked for again by who comes next.
    fn save(&self, filled: &Filled) {
        let Some(storage) = &self.storage else { return };
        let entries = filled.entries.borrow();
        let lists: Option<Vec<_>> = match filled.is_aggregated {
            true => Some(Vec::new()),
            false => entries.values().map(|entry| entry.as_ref().ok().cloned()).collect(),
        };
        if let Some(lists) = lists {
            let written_at = self.client.runtime().clock.wall().as_millisecond();
            storage.save(&Stored { written_at, roots: (**self.said.borrow()).clone(), lists });
        }
    }
}

fn not_empty(version: &GroupVersion, list: Entry) -> Entry {
    match list {
        Ok(list) if list.resources.is_empty() => Err(DiscoveryError::Empty { group_version: version.clone() }),
        list => list,
    }
}

impl fmt::Debug for CachedDiscoveryClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedDiscoveryClient").field("is_fresh", &self.is_fresh()).finish_non_exhaustive()
    }
}
