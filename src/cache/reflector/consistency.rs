//! For debugging: whether a stream brought what a list brings (client-go: `util/consistencydetector`).

use std::rc::Rc;
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
        retrieved: Vec<Object>,
    ) -> Option<String> {
        let options = exact_options(options, resource_version, retrieved.len())?;
        let mut listed = self.list(&options).await;
        for object in &mut listed {
            if let Err(error) = transform(self.transformer.as_ref(), object) {
                return Some(format!("{}: {error}", object.name()));
            }
        }
        compare(listed, retrieved)
    }

    async fn list(&self, options: &ListOptions) -> Vec<Object> {
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

/// In any order: streams and lists have each their own.
fn compare(mut listed: Vec<Object>, mut retrieved: Vec<Object>) -> Option<String> {
    for objects in [&mut listed, &mut retrieved] {
        objects.sort_by(|left, right| left.uid().cmp(&right.uid()));
    }
    if listed == retrieved {
        return None;
    }
    let names = |objects: &[Object]| {
        let names: Vec<_> = objects.iter().map(|it| format!("{}@{}", it.name(), it.resource_version())).collect();
        names.join(", ")
    };
    Some(format!("the list has [{}], the stream brought [{}]", names(&listed), names(&retrieved)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Manifest;

    fn object(name: &str, resource_version: &str) -> Object {
        let mut object = Manifest::default();
        object.metadata.name = name.into();
        object.metadata.uid = format!("uid-{name}");
        object.metadata.resource_version = resource_version.into();
        object.into()
    }

    /// client-go: `TestDataConsistencyChecker`.
    #[test]
    fn the_list_is_of_exactly_the_state_and_limited_only_where_the_limit_held() {
        for (asked, limit, retrieved, expected) in [
            // The server's cache ignores limits at version 0, and did when more came than asked for.
            ("0", Some(1), 2, Some(None)),
            ("0", Some(2), 2, Some(Some(2))),
            ("0", Some(500), 2, Some(Some(500))),
            ("7", Some(1), 2, Some(Some(1))),
            ("", None, 0, Some(None)),
        ] {
            let options = ListOptions { resource_version: asked.into(), limit, ..ListOptions::default() };
            let exact = exact_options(options, "9", retrieved);
            assert_eq!(exact.as_ref().map(|it| it.limit), expected, "rv={asked} limit={limit:?}");
            let exact = exact.unwrap();
            assert_eq!(exact.resource_version, "9");
            assert_eq!(exact.resource_version_match, Some(ResourceVersionMatch::Exact));
        }
        assert_eq!(exact_options(ListOptions::default(), "0", 1), None);
        let later_page = ListOptions { r#continue: "token".into(), ..ListOptions::default() };
        assert_eq!(exact_options(later_page, "9", 1), None);
    }

    #[test]
    fn states_are_compared_in_any_order_and_a_difference_is_named() {
        let both = || vec![object("a", "1"), object("b", "2")];
        assert_eq!(compare(both(), both().into_iter().rev().collect()), None);
        assert_eq!(compare(Vec::new(), Vec::new()), None);
        let difference = compare(both(), vec![object("b", "3")]);
        assert_eq!(difference.as_deref(), Some("the list has [a@1, b@2], the stream brought [b@3]"));
    }
}
