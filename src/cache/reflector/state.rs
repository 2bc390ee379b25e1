//! What a reflector does next: pure rules, without I/O.
//!
//! client-go: `tools/cache/reflector.go`, `ListAndWatch`, `list` and `handleWatch`.

use std::time::Duration;

use crate::api::{Error, ListOptions};
use crate::cache::WatchStream;
use crate::runtime::Moment;

/// Where a reflector is.
pub(super) enum State {
    /// A list is next: the first one, or one that replaces everything.
    Listing,
    /// The store holds a list, and a watch from the last resourceVersion is next.
    Opening,
    /// A watch is open.
    Watching(OpenWatch),
    /// Something failed.
    Waiting { until: Moment, then: Next },
}

pub(super) struct OpenWatch {
    pub(super) events: WatchStream,
    pub(super) opened: Moment,
    /// The server ends the watch before this; if it has not, nobody is there any more.
    pub(super) deadline: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    List,
    Watch,
}

/// What follows a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    AtOnce(Next),
    AfterBackoff(Next),
}

/// A watch that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// None for a clean close.
    pub(super) reason: Option<Error>,
    pub(super) lifetime: Duration,
    pub(super) events: usize,
}

impl Ended {
    /// A server that closes at once, again and again, must not be asked again at once.
    pub(super) fn is_very_short(&self) -> bool {
        self.lifetime < Duration::from_secs(1) && self.events == 0
    }
}

pub(super) fn after_failed_list(error: &Error, versions: &mut Versions) -> Decision {
    let version_is_of_no_use = error.is_gone() || error.is_too_large_resource_version();
    if version_is_of_no_use && !versions.last_is_unavailable {
        // Once and at once: the next list asks for the newest state whatever it is (kubernetes/kubernetes#91073).
        versions.last_is_unavailable = true;
        return Decision::AtOnce(Next::List);
    }
    Decision::AfterBackoff(Next::List)
}

pub(super) fn after_failed_open(error: &Error) -> Decision {
    match error {
        // Nothing is known to have been missed: no need for a new list.
        _ if error.is_unreachable() || error.is_too_many_requests() => Decision::AfterBackoff(Next::Watch),
        Error::Interrupted { .. } | Error::Silent { .. } => Decision::AfterBackoff(Next::Watch),
        _ => Decision::AfterBackoff(Next::List),
    }
}

pub(super) fn after_watch(ended: &Ended) -> Decision {
    match &ended.reason {
        _ if ended.is_very_short() => Decision::AfterBackoff(Next::List),
        None | Some(Error::Interrupted { .. } | Error::Silent { .. }) => Decision::AtOnce(Next::Watch),
        Some(error) if error.is_too_many_requests() => Decision::AfterBackoff(Next::Watch),
        Some(_) => Decision::AfterBackoff(Next::List),
    }
}

/// The resourceVersions a reflector goes by.
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
    /// from the server's cache (kubernetes/kubernetes#86430).
    pub(super) fn list_options(&self) -> ListOptions {
        let resource_version = match self.last_sync.as_str() {
            _ if self.last_is_unavailable => "",
            "" => "0",
            last => last,
        };
        let whole_at_once = !self.paginated && !matches!(resource_version, "" | "0");
        ListOptions {
            resource_version: resource_version.into(),
            limit: (!whole_at_once).then_some(PAGE_SIZE),
            ..ListOptions::default()
        }
    }

    pub(super) fn listed(&mut self, resource_version: &str, paginated: bool) {
        if paginated && self.list_options().resource_version == "0" {
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
    use crate::api::Status;

    fn status(code: u16) -> Error {
        Status::failure(code, "failed").into()
    }

    fn ended(reason: Option<Error>) -> Ended {
        Ended { reason, lifetime: Duration::from_secs(9), events: 0 }
    }

    #[test]
    fn lists_ask_for_any_age_first_then_for_the_last_version_and_for_the_newest_when_that_is_gone() {
        let mut versions = Versions::default();
        let asked = |versions: &Versions| {
            let options = versions.list_options();
            (options.resource_version, options.limit)
        };
        assert_eq!(asked(&versions), ("0".into(), Some(500)));
        versions.listed("7", false);
        assert_eq!(asked(&versions), ("7".into(), None));
        assert_eq!(after_failed_list(&status(410), &mut versions), Decision::AtOnce(Next::List));
        assert_eq!(asked(&versions), (String::new(), Some(500)));
        assert_eq!(after_failed_list(&status(410), &mut versions), Decision::AfterBackoff(Next::List));
        versions.listed("9", true);
        assert_eq!(asked(&versions), ("9".into(), None));
    }

    #[test]
    fn a_server_whose_first_list_came_in_pages_is_asked_for_pages_for_ever() {
        let mut versions = Versions::default();
        versions.listed("7", true);
        assert_eq!(versions.list_options().limit, Some(500));
    }

    #[test]
    fn what_does_not_tell_of_missed_events_leads_to_a_new_watch_and_all_else_to_a_new_list() {
        let unreachable = Error::Unreachable { url: "u".into(), reason: "refused".into() };
        let upstream = Error::Upstream { code: 500, text: "connection refused".into() };
        let interrupted = Error::Interrupted { reason: "reset".into() };
        let garbage = Error::Undecodable { url: "u".into(), reason: "html".into() };
        for (error, at_open, in_stream) in [
            (unreachable, Decision::AfterBackoff(Next::Watch), Decision::AfterBackoff(Next::List)),
            (upstream, Decision::AfterBackoff(Next::Watch), Decision::AfterBackoff(Next::List)),
            (status(429), Decision::AfterBackoff(Next::Watch), Decision::AfterBackoff(Next::Watch)),
            (interrupted, Decision::AfterBackoff(Next::Watch), Decision::AtOnce(Next::Watch)),
            (Error::Silent { seconds: 180 }, Decision::AfterBackoff(Next::Watch), Decision::AtOnce(Next::Watch)),
            (status(410), Decision::AfterBackoff(Next::List), Decision::AfterBackoff(Next::List)),
            (status(403), Decision::AfterBackoff(Next::List), Decision::AfterBackoff(Next::List)),
            (garbage, Decision::AfterBackoff(Next::List), Decision::AfterBackoff(Next::List)),
        ] {
            assert_eq!(after_failed_open(&error), at_open, "{error}");
            assert_eq!(after_watch(&ended(Some(error.clone()))), in_stream, "{error}");
        }
        assert_eq!(after_watch(&ended(None)), Decision::AtOnce(Next::Watch));
    }

    #[test]
    fn a_watch_that_closes_at_once_and_empty_is_not_opened_again_at_once() {
        let short = |events| Ended { reason: None, lifetime: Duration::from_millis(999), events };
        assert_eq!(after_watch(&short(0)), Decision::AfterBackoff(Next::List));
        assert_eq!(after_watch(&short(1)), Decision::AtOnce(Next::Watch));
    }
}
