use jiff::Timestamp;

use crate::api::Error;
use crate::cache::{Connection, Pause, Phase, Refused};
use crate::view::{Access, Contact};

/// How an informer stands with its server, and since when it fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Link {
    pub(crate) connection: Connection,
    pub(crate) failing_since: Option<Timestamp>,
    /// The last failure, also while the next try is under way; none once it worked.
    pub(crate) error: Option<Error>,
    pub(crate) attempts: u32,
}

impl Link {
    pub(crate) fn contact(&self) -> Contact {
        let Connection { synced, last_contact, refused, .. } = self.connection;
        let is_unwatched = refused == Some(Refused::Watch);
        Contact {
            synced,
            failing_since: self.failing_since,
            is_paused: self.is_paused(),
            last: last_contact,
            is_unwatched,
        }
    }

    /// Somebody has asked for no more changes.
    pub(crate) fn is_paused(&self) -> bool {
        self.connection.phase == Phase::Paused { pause: Pause::Asked }
    }

    /// The device has no network, and nothing is tried before it has.
    pub(crate) fn is_offline(&self) -> bool {
        self.connection.phase == Phase::Paused { pause: Pause::Offline }
    }

    /// What the user may do, as far as this informer has shown.
    pub(super) fn access(&self) -> Access {
        match self.connection.refused {
            Some(Refused::List) => Access::Refused,
            Some(Refused::Watch) => Access::Unwatched,
            None if self.connection.synced => Access::Whole,
            None => Access::Asking,
        }
    }

    pub(super) fn follow(&mut self, connection: &Connection, now: Timestamp) {
        match &connection.phase {
            // The list has come, and there is no watch to be lost.
            Phase::Reconnecting { error, .. } if connection.refused == Some(Refused::Watch) && error.is_forbidden() => {
                *self = Self { error: Some(error.clone()), ..Self::default() };
            }
            Phase::Reconnecting { error, attempts, .. } => {
                self.failing_since.get_or_insert(now);
                self.error = Some(error.clone());
                self.attempts = *attempts;
            }
            Phase::Connected { .. } => *self = Self::default(),
            Phase::Idle | Phase::Listing { .. } | Phase::Paused { .. } | Phase::Stopped => {}
        }
        self.connection = connection.clone();
    }

    /// That of several kinds: of those that the user may list, where there are some.
    pub(super) fn of_those_allowed(links: Vec<Self>) -> Self {
        let (allowed, refused): (Vec<_>, Vec<_>) = links.into_iter().partition(|it| it.access() != Access::Refused);
        Self::of_several(&allowed).or_else(|| Self::of_several(&refused)).unwrap_or_default()
    }

    /// That of several informers, if there are any: of the one that fails for longest, may not watch, or has come least
    /// far.
    pub(super) fn of_several(links: &[Self]) -> Option<Self> {
        let may_watch = |link: &Self| link.connection.refused != Some(Refused::Watch);
        let rank =
            |link: &&Self| (link.failing_since.is_none(), link.failing_since, may_watch(link), link.connection.synced);
        let mut link = links.iter().min_by_key(rank)?.clone();
        link.connection.synced = links.iter().all(|link| link.connection.synced);
        if !links.iter().all(may_watch) {
            link.connection.refused = Some(Refused::Watch);
        }
        Some(link)
    }
}
