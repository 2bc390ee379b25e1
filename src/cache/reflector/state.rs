//! What a reflector does next: pure rules, without I/O.
//!
//! client-go: `tools/cache/reflector.go`, `ListAndWatch`, `list`, `watchList` and `watch`.

use std::time::Duration;

use super::versions::Versions;
use crate::api::Error;
use crate::cache::WatchStream;
use crate::runtime::Moment;

/// Where a reflector is in one round of listing and watching.
pub(super) enum State {
    /// A stream that begins with the whole state is next.
    WatchListing,
    /// A list is next: the first one, or one that replaces everything.
    Listing,
    /// The store holds a list, and a watch from the last resourceVersion is next.
    Opening,
    /// A watch is open.
    Watching(OpenWatch),
    /// Something failed.
    Waiting { wait: Wait, then: Next },
    /// The round is over: what follows is a wait, and a new round with a new list.
    Over(Over),
}

impl State {
    /// The store was filled in this round.
    pub(super) fn holds_list(&self) -> bool {
        matches!(self, Self::Opening | Self::Watching(_))
    }

    /// What is asked for in this state, or asked for again when it is given up; none where nothing is.
    pub(super) fn request(&self) -> Option<Next> {
        match self {
            Self::WatchListing => Some(Next::WatchList),
            Self::Listing => Some(Next::List),
            Self::Opening | Self::Watching(_) => Some(Next::Watch),
            Self::Waiting { .. } | Self::Over(_) => None,
        }
    }
}

/// The time between a failure and the next try.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) until: Moment,
    /// What failed is that nobody was reached, as far as one can tell.
    pub(super) needs_network: bool,
}

/// Why a round is over.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) reason: Error,
    /// A request was refused, or what came could not be stored. Else a watch has ended, which is how rounds end.
    pub(super) failed: bool,
}

pub(super) struct OpenWatch {
    pub(super) events: WatchStream,
    pub(super) opened: Moment,
    /// When something was last received, the head counting as something.
    pub(super) heard: Moment,
    /// The server ends the watch before this; if it has not, nobody is there any more.
    pub(super) deadline: Moment,
    pub(super) has_bookmarks: bool,
    /// Events tell how far the reflector has come.
    pub(super) is_ordered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    WatchList,
    List,
    Watch,
}

/// What follows a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    AtOnce(Next),
    AfterBackoff(Next),
    /// The device slept: nothing has failed, but all its reflectors wake at once.
    AfterPause(Next),
    Over {
        failed: bool,
    },
}

/// How a watch ends, or what opening it comes to instead.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// The server closed it in good order.
    Closed,
    Failed(Error),
    /// The device slept, and nobody knows what the connection has become.
    Slept,
    /// A WatchList that does not mark the end of the initial state.
    Unmarked {
        reason: String,
    },
    /// The store did not take the initial state.
    NotStored(Error),
}

#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: End,
    pub(super) lifetime: Duration,
    pub(super) events: usize,
}

impl Ended {
    /// A watch that could not be opened.
    pub(super) fn before_open(end: End) -> Self {
        Self { end, lifetime: Duration::ZERO, events: 0 }
    }

    /// A server that closes at once, again and again, must not be asked again at once. One that says why it closes
    /// has said it.
    pub(super) fn is_very_short(&self) -> bool {
        let says_nothing =
            matches!(self.end, End::Closed | End::Failed(Error::Interrupted { .. } | Error::Silent { .. }));
        says_nothing && self.lifetime < Duration::from_secs(1) && self.events == 0
    }

    /// In words for a person.
    pub(super) fn reason(self) -> Error {
        let interrupted = |reason: &str| Error::Interrupted { reason: reason.into() };
        match self.end {
            End::Failed(error) | End::NotStored(error) => error,
            End::Slept => interrupted("this device was asleep"),
            End::Unmarked { reason } => Error::Interrupted { reason },
            End::Closed => interrupted("the watch lasted less than a second and brought nothing"),
        }
    }
}

pub(super) fn after_failed_list(error: &Error, versions: &mut Versions) -> Decision {
    if version_is_of_no_use(error) && !versions.last_is_unavailable {
        // Once and at once: the next list asks for the newest state whatever it is (kubernetes/kubernetes#91073).
        versions.last_is_unavailable = true;
        return Decision::AtOnce(Next::List);
    }
    Decision::Over { failed: true }
}

pub(super) fn after_failed_open(end: &End) -> Decision {
    match end {
        End::Slept => Decision::AfterPause(Next::Watch),
        // Nothing is known to have been missed: no need for a new list.
        End::Failed(error) if is_not_there(error) || is_broken(error) => Decision::AfterBackoff(Next::Watch),
        _ => Decision::Over { failed: true },
    }
}

/// `may_retry`: the time for which internal errors are borne with is not over.
pub(super) fn after_watch(ended: &Ended, may_retry: bool) -> Decision {
    match &ended.end {
        _ if ended.is_very_short() => Decision::Over { failed: false },
        End::Slept => Decision::AfterPause(Next::Watch),
        End::Closed => Decision::AtOnce(Next::Watch),
        End::Failed(error) if is_broken(error) => Decision::AtOnce(Next::Watch),
        End::Failed(error) if error.is_too_many_requests() => Decision::AfterBackoff(Next::Watch),
        End::Failed(error) if is_internal(error) && may_retry => Decision::AtOnce(Next::Watch),
        _ => Decision::Over { failed: false },
    }
}

pub(super) fn after_watch_list(ended: &Ended, versions: &mut Versions) -> Decision {
    match &ended.end {
        End::Slept => Decision::AfterPause(Next::WatchList),
        End::NotStored(_) => Decision::Over { failed: true },
        End::Failed(error) if version_is_of_no_use(error) && !versions.last_is_unavailable => {
            versions.last_is_unavailable = true;
            Decision::AtOnce(Next::WatchList)
        }
        // client-go asks again without a wait when the stream broke off.
        End::Failed(error) if is_not_there(error) || is_broken(error) => Decision::AfterBackoff(Next::WatchList),
        End::Closed if !ended.is_very_short() => Decision::AfterBackoff(Next::List),
        End::Closed | End::Failed(_) | End::Unmarked { .. } => Decision::AtOnce(Next::List),
    }
}

/// Whether this end of a WatchList says that there is no use in asking this server for another one
/// (kubernetes/kubernetes#140890, derailed/k9s#4044). client-go asks again at each list.
pub(super) fn shows_no_watch_list(ended: &Ended) -> bool {
    match &ended.end {
        End::Unmarked { .. } => true,
        End::Closed => !ended.is_very_short(),
        // What servers say that do not know the options, or know and refuse them.
        End::Failed(error) => error.status().is_some_and(|status| matches!(status.code, 400 | 405 | 406 | 422 | 501)),
        End::Slept | End::NotStored(_) => false,
    }
}

fn version_is_of_no_use(error: &Error) -> bool {
    error.is_gone() || error.is_too_large_resource_version()
}

fn is_not_there(error: &Error) -> bool {
    error.is_unreachable() || error.is_too_many_requests()
}

/// The network may be what is missing.
pub(super) fn is_out_of_reach(error: &Error) -> bool {
    error.is_unreachable() || is_broken(error)
}

fn is_broken(error: &Error) -> bool {
    matches!(error, Error::Interrupted { .. } | Error::Silent { .. })
}

/// apimachinery: `pkg/api/errors`, `IsInternalError`. What cannot be decoded counts, as in client-go.
pub(super) fn is_internal(error: &Error) -> bool {
    match error {
        Error::Status(status) => {
            status.reason == "InternalError" || (status.code == 500 && matches!(&*status.reason, "" | "Unknown"))
        }
        Error::Undecodable { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Status;

    fn status(code: u16) -> Error {
        Status::failure(code, "failed").into()
    }

    fn after(end: End) -> Ended {
        Ended { end, lifetime: Duration::from_secs(9), events: 0 }
    }

    fn unreachable() -> Error {
        Error::Unreachable { url: "u".into(), reason: "refused".into() }
    }

    fn upstream() -> Error {
        Error::Upstream { code: 500, text: "connection refused".into() }
    }

    fn interrupted() -> Error {
        Error::Interrupted { reason: "reset".into() }
    }

    fn garbage() -> Error {
        Error::Undecodable { url: "u".into(), reason: "html".into() }
    }

    const SILENT: Error = Error::Silent { seconds: 180 };
    const FAILED: Decision = Decision::Over { failed: true };
    const ENDED: Decision = Decision::Over { failed: false };

    #[test]
    fn a_version_of_no_use_is_given_up_once_and_at_once() {
        let too_large = || Status::failure(504, "Too large resource version: 9, current: 1").into();
        for error in [status(410), too_large()] {
            let mut versions = Versions::default();
            assert_eq!(after_failed_list(&error, &mut versions), Decision::AtOnce(Next::List));
            assert!(versions.last_is_unavailable);
            assert_eq!(after_failed_list(&error, &mut versions), FAILED);
            let (mut versions, ended) = (Versions::default(), after(End::Failed(error)));
            assert_eq!(after_watch_list(&ended, &mut versions), Decision::AtOnce(Next::WatchList));
            assert!(versions.last_is_unavailable);
            assert_eq!(after_watch_list(&ended, &mut versions), Decision::AtOnce(Next::List));
        }
        let mut versions = Versions::default();
        assert_eq!(after_failed_list(&status(500), &mut versions), FAILED);
        assert!(!versions.last_is_unavailable);
    }

    #[test]
    fn what_does_not_tell_of_missed_events_leads_to_a_new_watch_and_all_else_to_a_new_list() {
        use Decision::{AfterBackoff, AtOnce};
        for (error, at_open, in_stream) in [
            (unreachable(), AfterBackoff(Next::Watch), ENDED),
            (upstream(), AfterBackoff(Next::Watch), ENDED),
            (status(429), AfterBackoff(Next::Watch), AfterBackoff(Next::Watch)),
            (interrupted(), AfterBackoff(Next::Watch), AtOnce(Next::Watch)),
            (SILENT, AfterBackoff(Next::Watch), AtOnce(Next::Watch)),
            (status(410), FAILED, ENDED),
            (status(403), FAILED, ENDED),
            (status(500), FAILED, ENDED),
            (garbage(), FAILED, ENDED),
        ] {
            assert_eq!(after_failed_open(&End::Failed(error.clone())), at_open, "{error}");
            assert_eq!(after_watch(&after(End::Failed(error.clone())), false), in_stream, "{error}");
        }
        assert_eq!(after_watch(&after(End::Closed), false), AtOnce(Next::Watch));
    }

    #[test]
    fn only_internal_errors_are_borne_with() {
        let unknown = Status { reason: String::new(), ..Status::failure(500, "no leader") };
        let named_unknown = Status { reason: "Unknown".into(), ..Status::failure(500, "no leader") };
        let other = Status { reason: "StorageReadError".into(), ..Status::failure(500, "corrupt") };
        for (error, decision) in [
            (status(500), Decision::AtOnce(Next::Watch)),
            (unknown.into(), Decision::AtOnce(Next::Watch)),
            (named_unknown.into(), Decision::AtOnce(Next::Watch)),
            (garbage(), Decision::AtOnce(Next::Watch)),
            (other.into(), ENDED),
            (status(410), ENDED),
            (unreachable(), ENDED),
        ] {
            assert_eq!(after_watch(&after(End::Failed(error.clone())), true), decision, "{error}");
        }
    }

    #[test]
    fn a_watch_that_closes_at_once_and_empty_is_not_opened_again_at_once() {
        let short = |end, milliseconds, events| Ended { end, lifetime: Duration::from_millis(milliseconds), events };
        assert_eq!(after_watch(&short(End::Closed, 999, 0), false), ENDED);
        assert_eq!(after_watch(&short(End::Failed(interrupted()), 999, 0), false), ENDED);
        assert_eq!(after_watch(&short(End::Closed, 1000, 0), false), Decision::AtOnce(Next::Watch));
        assert_eq!(after_watch(&short(End::Closed, 999, 1), false), Decision::AtOnce(Next::Watch));
        assert_eq!(after_watch(&short(End::Failed(status(429)), 0, 0), false), Decision::AfterBackoff(Next::Watch));
    }

    #[test]
    fn sleep_is_no_failure() {
        assert_eq!(after_watch(&Ended::before_open(End::Slept), false), Decision::AfterPause(Next::Watch));
        assert_eq!(after_failed_open(&End::Slept), Decision::AfterPause(Next::Watch));
        let mut versions = Versions::default();
        assert_eq!(after_watch_list(&after(End::Slept), &mut versions), Decision::AfterPause(Next::WatchList));
    }

    #[test]
    fn a_watch_list_is_asked_for_again_when_it_broke_and_given_up_when_the_server_does_not_do_it() {
        use Decision::{AfterBackoff, AtOnce};
        let unmarked = End::Unmarked { reason: "no bookmark".into() };
        for (end, decision, given_up) in [
            (End::Failed(unreachable()), AfterBackoff(Next::WatchList), false),
            (End::Failed(status(429)), AfterBackoff(Next::WatchList), false),
            (End::Failed(interrupted()), AfterBackoff(Next::WatchList), false),
            (End::Failed(SILENT), AfterBackoff(Next::WatchList), false),
            (End::Failed(status(403)), AtOnce(Next::List), false),
            (End::Failed(status(500)), AtOnce(Next::List), false),
            (End::Failed(garbage()), AtOnce(Next::List), false),
            (End::Failed(status(400)), AtOnce(Next::List), true),
            (End::Failed(status(405)), AtOnce(Next::List), true),
            (End::Failed(status(406)), AtOnce(Next::List), true),
            (End::Failed(status(422)), AtOnce(Next::List), true),
            (End::Failed(status(501)), AtOnce(Next::List), true),
            (End::Closed, AfterBackoff(Next::List), true),
            (unmarked, AtOnce(Next::List), true),
            (End::NotStored(interrupted()), FAILED, false),
        ] {
            let ended = after(end.clone());
            assert_eq!(after_watch_list(&ended, &mut Versions::default()), decision, "{end:?}");
            assert_eq!(shows_no_watch_list(&ended), given_up, "{end:?}");
        }
        let short = Ended::before_open(End::Closed);
        assert_eq!(after_watch_list(&short, &mut Versions::default()), AtOnce(Next::List));
        assert!(!shows_no_watch_list(&short));
    }
}
