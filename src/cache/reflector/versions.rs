//! The resourceVersions a reflector goes by, and the requests that follow from them.

use crate::api::{ListOptions, ResourceVersionMatch};

#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    /// Of the last list or event; empty before the first list.
    pub(super) last_sync: String,
    /// The server no longer, or not yet, knows the last one.
    pub(super) last_is_unavailable: bool,
    /// A first list came in pages: the server has no watch cache.
    pub(super) paginated: bool,
}

/// client-go: `tools/pager`, `defaultPageSize`.
const PAGE_SIZE: u32 = 500;

impl Versions {
    /// A first list may be of any age (`0`), a later one must not be older than what is known; both are answered
    /// from the server's cache (kubernetes/kubernetes#86430), which takes no part in lists with a limit.
    pub(super) fn list_options(&self, page_size: Option<u32>) -> ListOptions {
        let resource_version = match self.last_sync.as_str() {
            _ if self.last_is_unavailable => "",
            "" => "0",
            last => last,
        };
        let whole_at_once = !self.paginated && !matches!(resource_version, "" | "0");
        ListOptions {
            resource_version: resource_version.into(),
            limit: page_size.or((!whole_at_once).then_some(PAGE_SIZE)),
            ..ListOptions::default()
        }
    }

    /// A whole state was taken in.
    pub(super) fn listed(&mut self, resource_version: &str, paginated: bool) {
        if paginated && self.list_options(None).resource_version == "0" {
            self.paginated = true;
        }
        self.last_is_unavailable = false;
        self.last_sync = resource_version.into();
    }

    pub(super) fn watch_options(&self, timeout_seconds: u32) -> ListOptions {
        ListOptions {
            resource_version: self.last_sync.clone(),
            allow_watch_bookmarks: true,
            timeout_seconds: Some(timeout_seconds),
            ..ListOptions::default()
        }
    }

    /// Never `0`: the state must be the newest, or not older than what is known.
    pub(super) fn watch_list_options(&self, timeout_seconds: u32) -> ListOptions {
        let mut options = self.watch_options(timeout_seconds);
        if self.last_is_unavailable {
            options.resource_version.clear();
        }
        options.resource_version_match = Some(ResourceVersionMatch::NotOlderThan);
        options.send_initial_events = Some(true);
        options
    }

    /// A watch from `""` or `"0"` begins with the objects that are there, in no order of their resourceVersions
    /// (kubernetes/kubernetes#74022).
    pub(super) fn watch_begins_with_what_is_there(&self) -> bool {
        matches!(self.last_sync.as_str(), "" | "0")
    }

    /// Events without a resourceVersion do not undo what is known.
    pub(super) fn seen(&mut self, resource_version: &str) {
        if !resource_version.is_empty() {
            self.last_sync = resource_version.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(versions: &Versions) -> (String, Option<u32>) {
        let options = versions.list_options(None);
        (options.resource_version, options.limit)
    }

    #[test]
    fn lists_ask_for_any_age_first_then_for_the_last_version_and_for_the_newest_when_that_is_gone() {
        let mut versions = Versions::default();
        assert_eq!(asked(&versions), ("0".into(), Some(500)));
        versions.listed("7", false);
        assert_eq!(asked(&versions), ("7".into(), None));
        versions.last_is_unavailable = true;
        assert_eq!(asked(&versions), (String::new(), Some(500)));
        versions.listed("9", true);
        assert_eq!(asked(&versions), ("9".into(), None));
        versions.seen("");
        assert_eq!(versions.last_sync, "9");
        versions.seen("10");
        assert_eq!(versions.last_sync, "10");
    }

    #[test]
    fn a_server_whose_first_list_came_in_pages_is_asked_for_pages_for_ever() {
        let mut versions = Versions::default();
        versions.listed("7", true);
        assert_eq!(asked(&versions), ("7".into(), Some(500)));
        assert_eq!(versions.list_options(Some(4)).limit, Some(4));
    }

    #[test]
    fn a_watch_list_asks_for_a_state_that_is_not_older_than_what_is_known() {
        let mut versions = Versions::default();
        assert_eq!(versions.watch_list_options(300).resource_version, "");
        assert!(versions.watch_begins_with_what_is_there());
        versions.seen("0");
        assert!(versions.watch_begins_with_what_is_there());
        versions.seen("7");
        assert!(!versions.watch_begins_with_what_is_there());
        let query = "allowWatchBookmarks=true&resourceVersion=7&resourceVersionMatch=NotOlderThan&timeoutSeconds=300&\
                     sendInitialEvents=true";
        assert_eq!(versions.watch_list_options(300).to_query(), query);
        versions.last_is_unavailable = true;
        assert_eq!(versions.watch_list_options(300).resource_version, "");
        assert_eq!(versions.watch_options(300).resource_version, "7");
    }
}
