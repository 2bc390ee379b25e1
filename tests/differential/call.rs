use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Deserialize;

/// One call of a handler. The resourceVersions are empty where there is no such object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Call {
    pub handler: usize,
    #[serde(rename = "call")]
    pub kind: Kind,
    pub key: String,
    /// What the handler knew; for a deletion the last state that is given.
    pub old: String,
    pub new: String,
    /// An addition's flag `is_in_initial_list`.
    pub initial: bool,
    /// A deletion that was missed.
    pub tombstone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Add,
    Update,
    Delete,
}

impl Call {
    /// An update to what is known already: from a resync, or from a list that brought nothing new.
    pub fn changes_nothing(&self) -> bool {
        self.kind == Kind::Update && self.old == self.new
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Add => write!(f, "add {} {}{}", self.key, self.new, if self.initial { " initial" } else { "" }),
            Kind::Update => write!(f, "update {} {} {}", self.key, self.old, self.new),
            Kind::Delete => {
                write!(f, "delete {} {}{}", self.key, self.old, if self.tombstone { " missed" } else { "" })
            }
        }
    }
}

/// ResourceVersions by key.
pub type Versions = BTreeMap<String, String>;

/// What an informer holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct State {
    /// The last resourceVersion of a list or an event.
    pub version: String,
    pub store: Versions,
}

/// What a handler wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerSpec {
    pub handler: usize,
    /// 0 is never.
    pub resync_ms: u64,
}

impl HandlerSpec {
    pub fn resync_period(&self) -> Duration {
        Duration::from_millis(self.resync_ms)
    }
}
