use serde::{Deserialize, Serialize};

/// What can go wrong between a client and the server, to be switched on while it runs.
///
/// As JSON: `"gone"`, or `{"delay":{"milliseconds":500}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Fault {
    /// No answer at all: the connection fails before the head.
    Refuse,
    /// The head comes later.
    Delay { milliseconds: u64 },
    /// The connection breaks after so many bytes of the body.
    Drop { after_bytes: u64 },
    /// All open watches and followed logs break now. Nothing remains switched on.
    DropOpen,
    /// All open watches and followed logs end now in good order, as at their time-out. Nothing remains switched on.
    CloseOpen,
    /// The body ends after so many bytes, as if that were all.
    Truncate { after_bytes: u64 },
    /// 410: a list's status, a watch's first event.
    Gone,
    /// 429 with the header `Retry-After`.
    TooManyRequests { retry_after_seconds: u32 },
    /// 403 in the real server's words.
    Forbidden,
    /// Half-open: watches, also those already open, stay open for ever and nothing more comes, not even bookmarks.
    Silence,
    /// Watches, also those already open, send one frame of garbage and go on.
    GarbageFrame,
    /// Watches, also those already open, end with an event of type ERROR that holds a Status with this code.
    ErrorEvent { code: u16 },
    /// A WatchList brings the initial events and never the bookmark that marks their end, as some aggregated API
    /// servers do (kubernetes/kubernetes#140890).
    NoInitialBookmark,
    /// A WatchList ends in good order just before the bookmark that marks the end of the initial events.
    CloseBeforeInitialBookmark,
    /// A web page with status 200, as a login portal sends it.
    HtmlPage,
    /// 500 in plain text, as `kubectl proxy` says that it does not reach the API server.
    ProxyError,
}

/// A fault, and which requests it befalls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRule {
    pub fault: Fault,
    /// Only requests whose path with its query contains this, percent-encoding and all: `pods`, `watch=true`.
    #[serde(default)]
    pub path: String,
    /// How many requests it befalls before it is used up; none is until it is cleared.
    #[serde(default)]
    pub count: Option<u32>,
}

impl From<Fault> for FaultRule {
    fn from(fault: Fault) -> Self {
        Self { fault, path: String::new(), count: None }
    }
}

impl FaultRule {
    pub fn on_path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    pub fn times(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }
}

/// What is switched on.
#[derive(Default)]
pub(super) struct Faults {
    rules: Vec<FaultRule>,
    /// Each [`Fault::DropOpen`] and [`Fault::CloseOpen`] so far.
    ends: Vec<EndOfOpen>,
}

struct EndOfOpen {
    /// The path filter.
    path: String,
    in_good_order: bool,
}

/// What befalls an open watch.
pub(super) enum WatchFault {
    Dropped,
    Closed,
    Error { code: u16 },
    Silent,
    Garbage,
}

/// What befalls the bookmark that marks the end of a WatchList's initial events.
pub(super) enum BookmarkFault {
    Withheld,
    Closed,
}

/// What a watch remembers of the faults that it has met.
#[derive(Default)]
pub(super) struct WatchMemory {
    ends_seen: usize,
    garbage_sent: bool,
    is_silent: bool,
}

impl WatchMemory {
    /// A client still gets all that it is told.
    pub(super) fn is_sound(&self) -> bool {
        !self.garbage_sent && !self.is_silent
    }
}

impl Faults {
    pub(super) fn add(&mut self, rule: FaultRule) {
        match rule.fault {
            Fault::DropOpen | Fault::CloseOpen => {
                self.ends.push(EndOfOpen { path: rule.path, in_good_order: rule.fault == Fault::CloseOpen });
            }
            _ => self.rules.push(rule),
        }
    }

    pub(super) fn clear(&mut self) {
        self.rules.clear();
    }

    pub(super) fn rules(&self) -> &[FaultRule] {
        &self.rules
    }

    /// All that befalls a new request, in the order in which it was switched on.
    pub(super) fn of_request(&mut self, path: &str, verb: &str) -> Vec<Fault> {
        let applies = |fault: &Fault| match fault {
            Fault::Silence | Fault::GarbageFrame | Fault::ErrorEvent { .. } | Fault::DropOpen | Fault::CloseOpen => {
                false
            }
            Fault::NoInitialBookmark | Fault::CloseBeforeInitialBookmark => false,
            Fault::Gone => ["list", "watch"].contains(&verb),
            _ => true,
        };
        let mut faults = Vec::new();
        while let Some(fault) = self.take(path, |fault| applies(fault) && !faults.contains(fault)) {
            faults.push(fault);
        }
        faults
    }

    /// What a watch remembers that starts now.
    pub(super) fn new_memory(&self) -> WatchMemory {
        WatchMemory { ends_seen: self.ends.len(), ..WatchMemory::default() }
    }

    /// What befalls an open watch now.
    pub(super) fn of_watch(&mut self, path: &str, memory: &mut WatchMemory) -> Option<WatchFault> {
        if let Some(in_good_order) = self.end_of_open(path, memory) {
            return Some(if in_good_order { WatchFault::Closed } else { WatchFault::Dropped });
        }
        if memory.is_silent || self.take(path, |fault| *fault == Fault::Silence).is_some() {
            memory.is_silent = true;
            return Some(WatchFault::Silent);
        }
        if !memory.garbage_sent && self.take(path, |fault| *fault == Fault::GarbageFrame).is_some() {
            memory.garbage_sent = true;
            return Some(WatchFault::Garbage);
        }
        match self.take(path, |fault| matches!(fault, Fault::ErrorEvent { .. })) {
            Some(Fault::ErrorEvent { code }) => Some(WatchFault::Error { code }),
            _ => None,
        }
    }

    /// Whether an answer that is open ends now, and whether in good order.
    pub(super) fn end_of_open(&self, path: &str, memory: &mut WatchMemory) -> Option<bool> {
        let seen = std::mem::replace(&mut memory.ends_seen, self.ends.len());
        self.ends[seen..].iter().find(|end| path.contains(&end.path)).map(|end| end.in_good_order)
    }

    /// What befalls the bookmark of a WatchList that is about to send it.
    pub(super) fn of_initial_bookmark(&mut self, path: &str) -> Option<BookmarkFault> {
        match self.take(path, |fault| matches!(fault, Fault::NoInitialBookmark | Fault::CloseBeforeInitialBookmark))? {
            Fault::NoInitialBookmark => Some(BookmarkFault::Withheld),
            _ => Some(BookmarkFault::Closed),
        }
    }

    fn take(&mut self, path: &str, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let place = self.rules.iter().position(|rule| {
            path.contains(&rule.path) && wanted(&rule.fault) && rule.count.is_none_or(|count| count > 0)
        })?;
        let rule = &mut self.rules[place];
        let fault = rule.fault.clone();
        rule.count = rule.count.map(|count| count - 1);
        if rule.count == Some(0) {
            self.rules.remove(place);
        }
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_from_json() {
        let rules =
            r#"[{"fault":"gone","count":1},{"fault":{"drop":{"afterBytes":9}},"path":"pods"},{"fault":"dropOpen"}]"#;
        let rules: Vec<FaultRule> = serde_json::from_str(rules).unwrap();
        let drop = FaultRule::from(Fault::Drop { after_bytes: 9 }).on_path("pods");
        assert_eq!(rules, [FaultRule::from(Fault::Gone).times(1), drop, Fault::DropOpen.into()]);
    }

    #[test]
    fn a_counted_fault_is_used_up_and_others_stay() {
        let mut faults = Faults::default();
        faults.add(FaultRule::from(Fault::Refuse).times(1));
        faults.add(FaultRule::from(Fault::HtmlPage).on_path("nodes"));
        assert_eq!(faults.of_request("api/v1/nodes", "list"), [Fault::Refuse, Fault::HtmlPage]);
        assert_eq!(faults.of_request("api/v1/nodes", "list"), [Fault::HtmlPage]);
        assert_eq!(faults.of_request("api/v1/pods", "list"), []);
    }
}
