//! A list: into the store as a whole.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};

use super::state::{Over, State};
use super::{Reflector, not_stored};
use crate::api::Error;
use crate::cache::connection::{Phase, Refused};
use crate::cache::list_watch::{ListProgress, ListResult};

/// A list that has sent nothing for so long is not coming.
const LIST_SILENCE: Duration = Duration::from_secs(60);

/// client-go: `tools/cache/reflector.go`, `list`, its trace.
const LONG_LIST: Duration = Duration::from_secs(10);

impl Reflector {
    pub(super) async fn list(&self) -> Result<ListResult, Error> {
        let options = self.versions.borrow().list_options(self.options.page_size);
        self.show_listing();
        let started = self.runtime.now();
        let last_progress = Rc::new(Cell::new(started));
        let progress = self.list_progress(Rc::clone(&last_progress));
        let mut list = self.lister_watcher.list(options, progress);
        let result = loop {
            let silent_at = last_progress.get() + LIST_SILENCE;
            match select(list, self.runtime.clock.sleep_until(silent_at)).await {
                Either::Left((result, _)) => break result?,
                Either::Right((_, unfinished)) if last_progress.get() + LIST_SILENCE > silent_at => list = unfinished,
                Either::Right(_) => return Err(Error::Silent { seconds: LIST_SILENCE.as_secs() }),
            }
        };
        self.check_list(&result)?;
        self.measure_list(self.runtime.now().since(started), result.list.items.len());
        Ok(result)
    }

    fn list_progress(&self, last: Rc<Cell<crate::runtime::Moment>>) -> Rc<dyn Fn(ListProgress)> {
        let (clock, connection) = (Rc::clone(&self.runtime.clock), Rc::clone(&self.connection));
        Rc::new(move |ListProgress { received, expected, objects }| {
            last.set(clock.now());
            let now = clock.wall();
            connection.update(|connection| {
                connection.phase = Phase::Listing { received, expected };
                // Until it is whole, a list that replaces another changes nothing of what is shown.
                if !connection.synced {
                    connection.last_contact = Some(now);
                }
            });
            if !objects.is_empty() && !connection.is_synced() {
                connection.preview.tell(objects);
            }
        })
    }

    /// A Table has rows, not objects (kubernetes/kubernetes#132926).
    fn check_list(&self, ListResult { list, .. }: &ListResult) -> Result<(), Error> {
        if !is_table(&list.api_version, &list.kind) {
            return Ok(());
        }
        let reason = format!("unsupported list gvk: {}, Kind={}", list.api_version, list.kind);
        Err(Error::Undecodable { url: self.options.description.clone(), reason })
    }

    pub(super) fn measure_list(&self, duration: Duration, items: usize) {
        self.options.metrics.listed(duration, items);
        if duration > LONG_LIST {
            tracing::info!(resource = %self.options.description, ?duration, items, "the list took long");
        }
    }

    pub(super) fn listed(&self, ListResult { list, paginated }: ListResult) -> State {
        let resource_version = list.metadata.resource_version;
        if let Err(error) = self.store.replace(list.items, &resource_version) {
            let reason = not_stored("unable to sync list result", &error);
            return State::Over(Over { reason, failed: true });
        }
        self.synced_at(&resource_version, paginated);
        let now = self.runtime.clock.wall();
        self.connection.update(|connection| {
            connection.last_contact = Some(now);
            // Whether it may be watched shows when that is tried.
            connection.refused = connection.refused.filter(|refused| *refused == Refused::Watch);
        });
        State::Opening
    }

    /// A whole state stands in the store.
    pub(super) fn synced_at(&self, resource_version: &str, paginated: bool) {
        self.versions.borrow_mut().listed(resource_version, paginated);
        self.options.metrics.last_resource_version(resource_version);
        self.attempts.set(0);
        self.wants_list.set(false);
    }
}

/// client-go: `tools/cache/reflector.go`, `isUnsupportedTableObject`.
pub(super) fn is_table(api_version: &str, kind: &str) -> bool {
    kind == "Table" && matches!(api_version, "meta.k8s.io/v1" | "meta.k8s.io/v1beta1")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client-go: `TestIsUnsupportedTableObject`.
    #[test]
    fn a_table_is_known_by_its_kind_and_both_its_versions() {
        assert!(is_table("meta.k8s.io/v1", "Table") && is_table("meta.k8s.io/v1beta1", "Table"));
        assert!(!is_table("meta.k8s.io/v1", "Status") && !is_table("furniture.example/v1", "Table"));
        assert!(!is_table("meta.k8s.io/v2", "Table"));
    }
}
