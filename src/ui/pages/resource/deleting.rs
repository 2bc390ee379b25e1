use crate::api::{DeleteOptions, GroupVersionResource, Object, Preconditions, PropagationPolicy, ResourcePath};
use crate::ui::state::{Notices, Session};
use crate::ui::time::grouped;
use crate::view::Resource;

/// So many failures are told one by one.
const MOST_TOLD: usize = 5;

/// Deletes these very objects, one after the other; their rows go when the watch says so.
pub(super) async fn delete(
    session: Session,
    (served, resource): (GroupVersionResource, &'static Resource),
    objects: Vec<Object>,
    policy: PropagationPolicy,
    notices: Notices,
) {
    let client = session.client();
    let count = objects.len();
    let progress = notices.hold(format!("Deleting {} {}…", grouped(count), resource.nouns()));
    let (mut deleted, mut failures) = (0, Vec::new());
    for (at, object) in objects.iter().enumerate() {
        if at > 0 {
            notices
                .change(progress, format!("Deleting {} of {} {}…", grouped(at + 1), grouped(count), resource.nouns()));
        }
        let mut path = ResourcePath::all(served.clone()).named(object.name());
        if !object.namespace().is_empty() {
            path = path.in_namespace(object.namespace());
        }
        let preconditions = Preconditions { uid: Some(object.uid().into_owned()), ..Preconditions::default() };
        let options = DeleteOptions { preconditions, propagation_policy: Some(policy), ..DeleteOptions::default() };
        match client.delete(&path, &options).await {
            Ok(()) => deleted += 1,
            // Somebody was quicker.
            Err(error) if error.is_not_found() => deleted += 1,
            Err(error) if error.is_conflict() => {
                failures.push(format!("{} was kept: it is another {} by now", object.name(), resource.noun()));
            }
            Err(error) => failures.push(format!("{} was not deleted: {error}", object.name())),
        }
    }
    notices.dismiss(progress);
    if deleted > 0 {
        let what = if deleted == 1 { resource.noun() } else { resource.nouns() };
        notices.tell(format!("Deleted {} {what}", grouped(deleted)));
    }
    let untold = failures.len().saturating_sub(MOST_TOLD);
    failures.into_iter().take(MOST_TOLD).for_each(|failure| notices.fail(failure));
    if untold > 0 {
        notices.fail(format!("{} more were not deleted", grouped(untold)));
    }
}
