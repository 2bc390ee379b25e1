use crate::api::{ListOptions, ResourceVersionMatch};

/// The options of a WatchList that brings what a list with these options brings; none when there is no such WatchList
/// (client-go: `util/watchlist`, `PrepareWatchListOptionsFromListOptions`).
///
/// ```
/// use watchglass::api::ListOptions;
/// use watchglass::rest::watch_list_options;
///
/// let options = ListOptions { label_selector: "app=web".into(), ..ListOptions::default() };
/// let options = watch_list_options(&options).expect("a list of everything can be streamed");
/// assert!(options.watch && options.label_selector == "app=web");
/// ```
#[doc(alias = "PrepareWatchListOptionsFromListOptions")]
pub fn watch_list_options(list: &ListOptions) -> Option<ListOptions> {
    let ListOptions { resource_version, resource_version_match, limit, r#continue, send_initial_events, .. } = list;
    // The server's own rules (apimachinery: `pkg/apis/meta/internalversion/validation/validation.go`).
    let refused = resource_version_match.is_some() && resource_version.is_empty() || send_initial_events.is_some();
    let exact = *resource_version_match == Some(ResourceVersionMatch::Exact);
    // The server's cache knows no limit for version "0": there alone a limit changes nothing.
    let paged = limit.is_some_and(|limit| limit > 0) && resource_version != "0";
    if refused || exact || paged || !r#continue.is_empty() {
        return None;
    }
    Some(ListOptions {
        watch: true,
        allow_watch_bookmarks: true,
        resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
        send_initial_events: Some(true),
        limit: None,
        ..list.clone()
    })
}
