//! For debugging: whether a stream brought what a list brings (client-go: `util/consistencydetector`).

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::api::{ListOptions, Object, ResourceVersionMatch};
use crate::cache::list_watch::ListerWatcher;
use crate::cache::store::{TransformFunc, transform};
use crate::runtime::Runtime;

/// client-go: `util/consistencydetector/data_consistency_detector.go`, `CheckDataConsistency`.
const RETRY: Duration = Duration::from_secs(1);

pub(super) struct Check<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) lister_watcher: &'a dyn ListerWatcher,
    pub(super) transformer: Option<TransformFunc>,
}

impl Check<'_> {
    /// In words, how a list at the resourceVersion differs from what was retrieved with the options; none when it does
    /// not, or when no such list can be asked for. Lists until a list succeeds.
    pub(super) async fn difference(
        &self,
        options: ListOptions,
        resource_version: &str,
        mut retrieved: Vec<Arc<Object>>,
    ) -> Option<String> {
        let options = exact_options(options, resource_version, retrieved.len())?;
        let mut listed = self.list(&options).await;
        for object in &mut listed {
            if let Err(error) = transform(self.transformer.as_ref(), object) {
                return Some(format!("{}: {error}", object.name()));
            }
        }
        listed.sort_by(|left, right| left.uid().cmp(right.uid()));
        retrieved.sort_by(|left, right| left.uid().cmp(right.uid()));
        if listed == retrieved {
            return None;
        }
        let names = |objects: &[Arc<Object>]| {
            let names: Vec<_> = objects.iter().map(|it| format!("{}@{}", it.name(), it.resource_version())).collect();
            names.join(", ")
        };
        Some(format!("the list has [{}], the stream brought [{}]", names(&listed), names(&retrieved)))
    }

    async fn list(&self, options: &ListOptions) -> Vec<Arc<Object>> {
        loop {
            match self.lister_watcher.list(options.clone(), Rc::new(|_| {})).await {
                Ok(result) => return result.list.items,
                Err(error) => tracing::info!(%error, "the list for the consistency check failed"),
            }
            self.runtime.sleep(RETRY).await;
        }
    }
}

/// The options of a list of exactly that state; none where the server would refuse them.
fn exact_options(options: ListOptions, resource_version: &str, retrieved: usize) -> Option<ListOptions> {
    if !options.r#continue.is_empty() || resource_version == "0" {
        return None;
    }
    // The server's cache knows no limit for any state at all.
    let limit_was_ignored =
        options.resource_version == "0" && options.limit.is_some_and(|limit| retrieved > limit as usize);
    Some(ListOptions {
        limit: options.limit.filter(|_| !limit_was_ignored),
        resource_version: resource_version.into(),
        resource_version_match: Some(ResourceVersionMatch::Exact),
        ..options
    })
}
