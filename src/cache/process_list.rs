//! Takes in what a queue hands out, a whole list in turns: a page must paint while 200,000 objects come.
//!
//! Whoever reads the store meanwhile sees it as it was, and then, in one step, as the list says. Handlers are told after
//! that; one that comes while the others are told was given what the list brought, and is not told of it again.
//!
//! client-go: `processReplacedAllInfo` and `processSyncAllInfo` in `tools/cache/controller.go`.

use std::collections::BTreeMap;
use std::rc::Rc;

use futures::FutureExt as _;

use super::controller::ProcessInTurns;
use super::indexer::Indexer;
use super::items::{Items, kept};
use super::keys::DeletedObject;
use super::notification::{BACKLOG_LIMIT, Notification};
use super::process_deltas::{process_deltas, upserted};
use super::queue::{Delta, KeyedDelta};
use super::store::StoreError;
use crate::api::Object;
use crate::runtime::{Runtime, Turn};

/// Tells those of a change who were there when the store changed.
pub(super) type Tell = Box<dyn Fn(&Notification)>;

/// What a controller does with what comes: into the store, and from there to whom `audience` names at each change.
///
/// Changes of single objects are in the store before anything is waited for: the queue relies on it.
pub(super) fn process_in_turns(
    runtime: Runtime,
    indexer: Rc<Indexer>,
    audience: Rc<dyn Fn() -> Tell>,
) -> ProcessInTurns {
    Rc::new(move |deltas, is_in_initial_list| {
        let (runtime, indexer, audience) = (runtime.clone(), Rc::clone(&indexer), Rc::clone(&audience));
        async move {
            let (turn, audience) = (Turn::start(&runtime), &*audience);
            let mut step = Step { runtime: &runtime, indexer: &indexer, is_in_initial_list, audience, turn, told: 0 };
            step.process(deltas).await
        }
        .boxed_local()
    })
}

struct Step<'a> {
    runtime: &'a Runtime,
    indexer: &'a Indexer,
    is_in_initial_list: bool,
    audience: &'a dyn Fn() -> Tell,
    turn: Turn,
    /// Notifications of the list so far.
    told: usize,
}

impl Step<'_> {
    async fn process(&mut self, deltas: Vec<KeyedDelta>) -> Result<(), StoreError> {
        let mut single = Vec::with_capacity(deltas.len());
        for item in deltas {
            match item.delta {
                Delta::ReplacedAll { resource_version, objects } => {
                    self.apply(std::mem::take(&mut single));
                    self.replace_all(objects, &resource_version).await?;
                }
                Delta::SyncAll => {
                    self.apply(std::mem::take(&mut single));
                    self.sync_all().await;
                }
                _ => single.push(item),
            }
        }
        self.apply(single);
        Ok(())
    }

    fn apply(&self, deltas: Vec<KeyedDelta>) {
        let notifications = process_deltas(self.indexer, deltas, self.is_in_initial_list);
        notifications.iter().for_each((self.audience)());
    }

    async fn replace_all(&mut self, mut objects: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        let (next, mut before) = (self.indexer.without_content(objects.len()), Vec::with_capacity(objects.len()));
        for object in &mut objects {
            let (key, stored) = self.indexer.keyed(object.clone())?;
            let held = self.indexer.get_by_key(&key);
            *object = self.indexer.shared(&key, kept(held.as_ref(), stored));
            // Of two objects with one key the last one stays, as a change of the first.
            let repeated = next.upsert(&key, object.clone());
            before.push(repeated.or(held));
            self.turn.pause_now_and_then().await;
        }
        let (held, tell) = (self.indexer.take_over(next, resource_version), (self.audience)());
        for (key, object) in self.gone(held).await {
            tell(&Notification::Delete(DeletedObject::FinalStateUnknown { key, object: Some(object) }));
            self.let_handlers_follow().await;
        }
        for (new, old) in objects.into_iter().zip(before) {
            tell(&upserted(old, new, self.is_in_initial_list));
            self.let_handlers_follow().await;
        }
        Ok(())
    }

    /// What is not in the store any more, sorted by key.
    async fn gone(&mut self, held: Items) -> BTreeMap<String, Object> {
        let mut gone = BTreeMap::new();
        for (slot, object) in held.iter() {
            if let Some((key, _)) = held.at(slot).filter(|(key, _)| !self.indexer.contains(*key)) {
                gone.insert(key.to_string(), object.clone());
            }
            self.turn.pause_now_and_then().await;
        }
        gone
    }

    async fn sync_all(&mut self) {
        let (held, tell) = (self.indexer.list(), (self.audience)());
        for object in held {
            tell(&Notification::Update { old: object.clone(), new: object });
            self.let_handlers_follow().await;
        }
    }

    /// Gives way as often as a backlog is full, so that none need hold a whole list. Waits for no handler that is slow.
    async fn let_handlers_follow(&mut self) {
        self.told += 1;
        if self.told.is_multiple_of(BACKLOG_LIMIT) {
            self.runtime.spawner.yield_now().await;
        }
        self.turn.pause_now_and_then().await;
    }
}
