use std::fmt;
use std::hash::Hasher as _;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use super::roots::Roots;
use crate::api::ApiResourceList;
use crate::runtime::Storage;

/// Where discovery is kept beyond the program's end (client-go: `discovery/cached/disk`).
///
/// It is written in one piece (kubernetes/kubernetes#110753), and read only when it is whole: anything else counts as
/// not being there. It holds names of resources, no objects.
#[derive(Clone)]
pub struct DiscoveryStorage {
    storage: Rc<dyn Storage>,
    key: String,
    time_to_live: Duration,
}

impl DiscoveryStorage {
    /// `key` names the entry; each server needs one of its own. What is older than the time to live is asked for
    /// again, though the server need not repeat what it has said before.
    pub fn new(storage: Rc<dyn Storage>, key: &str, time_to_live: Duration) -> Self {
        Self { storage, key: key.into(), time_to_live }
    }

    pub(super) fn time_to_live(&self) -> Duration {
        self.time_to_live
    }

    pub(super) fn load(&self) -> Option<Stored> {
        let text = self.storage.get(&self.key)?;
        let (sum, json) = text.split_once('\n')?;
        (sum == checksum(json)).then(|| serde_json::from_slice(json.as_bytes()).ok())?
    }

    pub(super) fn save(&self, stored: &Stored) {
        if let Ok(json) = serde_json::to_string(stored) {
            self.storage.set(&self.key, &format!("{}\n{json}", checksum(&json)));
        }
    }
}

impl fmt::Debug for DiscoveryStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscoveryStorage").field("key", &self.key).finish_non_exhaustive()
    }
}

/// What is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stored {
    /// Wall time, in milliseconds since 1970.
    pub(super) written_at: i64,
    pub(super) roots: Roots,
    /// What each version said, from a server that has the legacy form only.
    pub(super) lists: Vec<Rc<ApiResourceList>>,
}

/// Against what was cut or edited, not against an adversary: who can write here can write anything.
fn checksum(json: &str) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(json.as_bytes());
    format!("{:x}-{:016x}", json.len(), hasher.finish())
}
