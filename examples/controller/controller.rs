//! The part that every controller has: a queue of keys, workers, and another try for what failed
//! (client-go: `examples/workqueue/main.go`).

use std::rc::Rc;
use std::time::Duration;

use watchglass::api::Object;
use watchglass::cache::{
    DeletedObject, InformerError, Registration, ResourceEventHandler, SharedInformer, meta_namespace_key,
};
use watchglass::runtime::{Runtime, StopToken, Task};
use watchglass::workqueue::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, MaxOfRateLimiter, RateLimitingQueue,
};

/// A request to a server that has gone silent must not keep a worker for ever.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How often everything is looked at again (sample-controller: `NewSharedInformerFactory(client, time.Second*30)`).
///
/// An object that was made and deleted while a watch was away is in no event: the list after the gap does not have it,
/// and the cache never had. Only looking again shows that something is missing.
pub const RESYNC_PERIOD: Duration = Duration::from_secs(30);

/// The key to work on for an object's own key.
pub type ToKey = fn(&str) -> Option<String>;

/// The business logic: makes the cluster as it should be for one key.
pub trait Reconcile {
    type Error: std::fmt::Display;

    /// It is never called for a key that it is still working on. What it did before it failed is not undone: it is
    /// called again, and must find out by itself how far it came.
    fn reconcile(&self, key: &str) -> impl Future<Output = Result<(), Self::Error>>;
}

/// Puts keys into a queue, and lets workers reconcile them.
pub struct Controller<R> {
    runtime: Runtime,
    reconciler: R,
    queue: RateLimitingQueue<String>,
    /// The caches that the reconciler reads.
    informers: Vec<SharedInformer>,
    /// The handlers are removed when these are dropped.
    handlers: Vec<Registration>,
}

impl<R: Reconcile + 'static> Controller<R> {
    pub fn new(runtime: &Runtime, reconciler: R) -> Self {
        // As in client-go's sample-controller: an item's wait doubles with each of its failures, and no more than
        // 50 failures a second of all items together are tried again.
        let by_failures = ItemExponentialFailureRateLimiter::new(Duration::from_millis(5), Duration::from_secs(1000));
        let limiter =
            MaxOfRateLimiter::new(vec![Rc::new(by_failures), Rc::new(BucketRateLimiter::new(runtime, 50.0, 300))]);
        Self {
            runtime: runtime.clone(),
            reconciler,
            queue: RateLimitingQueue::new(runtime, Rc::new(limiter)),
            informers: Vec::new(),
            handlers: Vec::new(),
        }
    }

    /// Queues a key for each change of the informer's objects; `to_key` gives it for an object's own key.
    ///
    /// # Errors
    /// When the informer has stopped.
    pub fn watch(&mut self, informer: &SharedInformer, to_key: ToKey) -> Result<(), InformerError> {
        let handler = EnqueueKey { queue: self.queue.clone(), to_key };
        self.handlers.push(informer.add_event_handler(Rc::new(handler))?);
        self.informers.push(informer.clone());
        Ok(())
    }

    /// Works until stopped, and then on what is queued, without another try for what fails.
    /// Whoever calls it has started the informers.
    pub async fn run(self, workers: usize, stop: StopToken) {
        // A cache that is half full looks as if the rest had been deleted.
        let synced = async {
            for informer in &self.informers {
                informer.synced().await;
            }
        };
        if stop.unless_stopped(synced).await.is_none() {
            return;
        }
        tracing::info!("the caches are complete, {workers} workers start");
        let controller = Rc::new(self);
        let _workers: Vec<Task> = (0..workers)
            .map(|_| {
                let controller = Rc::clone(&controller);
                controller.runtime.clone().spawn(async move { while controller.process_next_item().await {} })
            })
            .collect();
        stop.stopped().await;
        controller.queue.shut_down_with_drain().await;
    }

    /// False when there will be no more items.
    async fn process_next_item(&self) -> bool {
        let Some(key) = self.queue.get().await else { return false };
        let deadline = self.runtime.now() + TIME_LIMIT;
        match self.runtime.timeout_at(deadline, self.reconciler.reconcile(&key)).await {
            // The key's next failure is a first one.
            Some(Ok(())) => self.queue.forget(&key),
            Some(Err(error)) => self.try_again(&key, &error),
            None => self.try_again(&key, &format_args!("not done within {} s", TIME_LIMIT.as_secs())),
        }
        // Only now may another worker have the key, for what has changed meanwhile.
        self.queue.done(&key);
        true
    }

    fn try_again(&self, key: &String, error: &dyn std::fmt::Display) {
        tracing::warn!(key, retries = self.queue.num_requeues(key), "{error}");
        self.queue.add_rate_limited(key.clone());
    }
}

/// A handler does nothing but this: by the time the key's turn comes, the cache may hold a newer object.
struct EnqueueKey {
    queue: RateLimitingQueue<String>,
    to_key: ToKey,
}

impl EnqueueKey {
    fn enqueue(&self, key: &str) {
        if let Some(key) = (self.to_key)(key) {
            self.queue.add(key);
        }
    }
}

impl ResourceEventHandler for EnqueueKey {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        self.enqueue(&meta_namespace_key(object));
    }

    fn on_update(&self, _old: &Object, new: &Object) {
        self.enqueue(&meta_namespace_key(new));
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.enqueue(&deleted.key());
    }
}
