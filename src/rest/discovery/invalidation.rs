use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use event_listener::{Event, EventListener};

use super::cached::CachedDiscoveryClient;
use crate::api::{GroupVersionResource, Object};
use crate::cache::{InformerLease, Registration, ResourceEventHandlerFuncs, SharedInformerFactory};
use crate::runtime::Task;

/// How long after a definition changes the server is asked again: it may still say what it said before, and one that
/// is busy does so for longer.
const SETTLE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(8)];

/// Keeps a memory of discovery up to date for as long as it is held (client-go has no such thing).
#[must_use = "nothing is invalidated any more when this is dropped"]
pub struct Invalidation {
    _leases: Vec<InformerLease>,
    _registrations: Vec<Registration>,
    watcher: Rc<Watcher>,
}

struct Watcher {
    client: CachedDiscoveryClient,
    again: RefCell<Option<Task>>,
    changed: Event,
}

impl CachedDiscoveryClient {
    /// Invalidates the memory whenever a CustomResourceDefinition or an APIService comes, changes or goes, and once
    /// more two and ten seconds after the last of it: the server tells of the definition before it serves it.
    ///
    /// Only names matter here, so that the factory should be one over metadata. Who may not watch the two kinds gets
    /// no invalidations, and is harmed in no other way.
    pub fn invalidate_on(&self, factory: &SharedInformerFactory) -> Invalidation {
        let watched = [
            GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
            GroupVersionResource::new("apiregistration.k8s.io", "v1", "apiservices"),
        ];
        let watcher = Rc::new(Watcher { client: self.clone(), again: RefCell::default(), changed: Event::new() });
        let leases: Vec<_> = watched.iter().map(|resource| factory.lease(resource)).collect();
        let handler = Rc::new(watcher.handler());
        // A lease's informer runs, so that it takes handlers; only a factory that is shut down has none.
        let registrations = leases.iter().filter_map(|lease| lease.add_event_handler(handler.clone()).ok()).collect();
        Invalidation { _leases: leases, _registrations: registrations, watcher }
    }
}

impl Invalidation {
    /// Ends with the next invalidation after this call; called before a question, it tells when the answer is old.
    pub fn changed(&self) -> EventListener {
        self.watcher.changed.listen()
    }
}

impl Watcher {
    fn handler(self: &Rc<Self>) -> ResourceEventHandlerFuncs {
        let on_change = || {
            let watcher = Rc::downgrade(self);
            move || watcher.upgrade().into_iter().for_each(|watcher| watcher.tell_changed())
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

    fn tell_changed(self: &Rc<Self>) {
        self.invalidate();
        self.client.set_settling(true);
        let (watcher, runtime) = (Rc::downgrade(self), self.client.client().runtime().clone());
        let again = runtime.clone().spawn(async move {
            for wait in SETTLE {
                runtime.sleep(wait).await;
                if let Some(watcher) = watcher.upgrade() {
                    watcher.client.set_settling(wait != SETTLE[1]);
                    watcher.invalidate();
                }
            }
        });
        self.again.replace(Some(again));
    }

    fn invalidate(&self) {
        self.client.invalidate();
        self.changed.notify(usize::MAX);
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
