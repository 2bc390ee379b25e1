use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::cached::CachedDiscoveryClient;
use crate::api::{GroupVersionResource, Object};
use crate::cache::{InformerLease, Registration, ResourceEventHandlerFuncs, SharedInformerFactory};
use crate::runtime::Task;

/// How long after a definition changes the server may still say what it said before.
const SETTLE: Duration = Duration::from_secs(2);

/// Keeps a memory of discovery up to date for as long as it is held (client-go has no such thing).
#[must_use = "nothing is invalidated any more when this is dropped"]
pub struct Invalidation {
    _leases: Vec<InformerLease>,
    _registrations: Vec<Registration>,
    _watcher: Rc<Watcher>,
}

struct Watcher {
    client: CachedDiscoveryClient,
    again: RefCell<Option<Task>>,
}

impl CachedDiscoveryClient {
    /// Invalidates the memory whenever a CustomResourceDefinition or an APIService comes, changes or goes, and once
    /// more two seconds after the last of it: the server tells of the definition before it serves it.
    ///
    /// Only names matter here, so that the factory should be one over metadata. Who may not watch the two kinds gets
    /// no invalidations, and is harmed in no other way.
    pub fn invalidate_on(&self, factory: &SharedInformerFactory) -> Invalidation {
        let watched = [
            GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
            GroupVersionResource::new("apiregistration.k8s.io", "v1", "apiservices"),
        ];
        let watcher = Rc::new(Watcher { client: self.clone(), again: RefCell::default() });
        let leases: Vec<_> = watched.iter().map(|resource| factory.lease(resource)).collect();
        let handler = Rc::new(watcher.handler());
        // A lease's informer runs, so that it takes handlers; only a factory that is shut down has none.
        let registrations = leases.iter().filter_map(|lease| lease.add_event_handler(handler.clone()).ok()).collect();
        Invalidation { _leases: leases, _registrations: registrations, _watcher: watcher }
    }
}

impl Watcher {
    fn handler(self: &Rc<Self>) -> ResourceEventHandlerFuncs {
        let on_change = || {
            let watcher = Rc::downgrade(self);
            move || watcher.upgrade().into_iter().for_each(|watcher| watcher.changed())
        };
        let (added, updated, deleted) = (on_change(), on_change(), on_change());
        ResourceEventHandlerFuncs::new()
            .on_add(move |_, _| added())
            .on_update(move |old, new| {
                // A resync is no change.
                if !Object::ptr_eq(old, new) {
                    updated();
                }
            })
            .on_delete(move |_| deleted())
    }

    fn changed(&self) {
        self.client.invalidate();
        self.client.set_settling(true);
        let client = self.client.clone();
        let settled = self.client.client().runtime().sleep(SETTLE);
        let again = self.client.client().runtime().spawn(async move {
            settled.await;
            client.invalidate();
            client.set_settling(false);
        });
        self.again.replace(Some(again));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.client.set_settling(false);
    }
}

impl fmt::Debug for Invalidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invalidation").finish_non_exhaustive()
    }
}
