use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use futures::channel::mpsc;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use watchglass::api::{Error, GroupVersionResource, List, ListMeta, ListOptions, Manifest, Object, WatchEvent};
use watchglass::cache::{
    BoxError, ListProgress, ListResult, ListerWatcher, ListerWatcherSource, TransformFunc, WatchStream,
    meta_namespace_key,
};

/// A server of one resource that a test changes and breaks (client-go: `testing.FakeControllerSource`).
#[derive(Clone, Default)]
pub struct FakeSource {
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    objects: RefCell<BTreeMap<String, Object>>,
    version: Cell<u64>,
    requests: RefCell<Vec<String>>,
    namespaces: RefCell<Vec<Option<String>>>,
    list_failures: RefCell<VecDeque<Error>>,
    watch_failures: RefCell<VecDeque<Error>>,
    lists_are_silent: Cell<bool>,
    /// No head comes.
    watches_are_silent: Cell<bool>,
    supports_watch_list: Cell<bool>,
    withholds_initial_bookmark: Cell<bool>,
    /// WatchLists end with a bookmark that says so.
    lists_open: Rc<Cell<usize>>,
    watches: RefCell<Vec<mpsc::UnboundedSender<Result<WatchEvent, Error>>>>,
    watches_open: Rc<Cell<usize>>,
}

pub fn pod(name: &str) -> Manifest {
    let mut pod = Manifest { api_version: "v1".into(), kind: "Pod".into(), ..Manifest::default() };
    pod.metadata.name = name.into();
    pod.metadata.namespace = "ns".into();
    pod.metadata.uid = format!("uid-{name}");
    pod
}

/// A transformation that changes objects.
pub fn editing(change: impl Fn(&mut Manifest) -> Result<(), BoxError> + 'static) -> TransformFunc {
    Rc::new(move |object| object.edit(&change))
}

impl FakeSource {
    /// Adds or changes an object; open watches are told.
    pub fn put(&self, object: Manifest) -> Object {
        let before = self.state.objects.borrow().len();
        let object = self.put_unseen(object);
        let existed = self.state.objects.borrow().len() == before;
        let event = if existed { WatchEvent::Modified } else { WatchEvent::Added };
        self.send(event(object.clone()));
        object
    }

    /// Adds or changes an object while nobody watches.
    pub fn put_unseen(&self, mut object: Manifest) -> Object {
        object.metadata.resource_version = self.next_version();
        let object = Object::from(object);
        self.state.objects.borrow_mut().insert(meta_namespace_key(&object), object.clone());
        object
    }

    pub fn delete(&self, name: &str) {
        let mut object = self.delete_unseen(name).to_manifest().expect("it is an object");
        object.metadata.resource_version = self.state.version.get().to_string();
        self.send(WatchEvent::Deleted(object.into()));
    }

    pub fn delete_unseen(&self, name: &str) -> Object {
        self.next_version();
        self.state.objects.borrow_mut().remove(&format!("ns/{name}")).expect("the test deletes what it has put")
    }

    pub fn bookmark(&self) {
        let resource_version = self.next_version();
        self.send(WatchEvent::Bookmark { resource_version, initial_events_end: false });
    }

    pub fn send(&self, event: WatchEvent) {
        for watch in &*self.state.watches.borrow() {
            // The informer may have left this watch already.
            let _ = watch.unbounded_send(Ok(event.clone()));
        }
    }

    /// Ends the open watches cleanly.
    pub fn close(&self) {
        self.state.watches.take();
    }

    /// Ends the open watches with an error.
    pub fn break_with(&self, error: Error) {
        for watch in self.state.watches.take() {
            let _ = watch.unbounded_send(Err(error.clone()));
        }
    }

    pub fn fail_next_lists(&self, errors: impl IntoIterator<Item = Error>) {
        self.state.list_failures.borrow_mut().extend(errors);
    }

    pub fn fail_next_watches(&self, errors: impl IntoIterator<Item = Error>) {
        self.state.watch_failures.borrow_mut().extend(errors);
    }

    pub fn silence_lists(&self, silent: bool) {
        self.state.lists_are_silent.set(silent);
    }

    pub fn silence_watches(&self, silent: bool) {
        self.state.watches_are_silent.set(silent);
    }

    /// Answers WatchLists from now on, and says so.
    pub fn support_watch_list(&self) {
        self.state.supports_watch_list.set(true);
    }

    /// Does not mark the end of a WatchList's initial events.
    pub fn withhold_initial_bookmark(&self, withhold: bool) {
        self.state.withholds_initial_bookmark.set(withhold);
    }

    /// The requests since the last call, as `list rv=0 limit=500`, `watch rv=7` and `watch-list rv=`.
    pub fn requests(&self) -> Vec<String> {
        self.state.requests.take()
    }

    /// The namespaces that it was made a lister-watcher of.
    pub fn namespaces(&self) -> Vec<Option<String>> {
        self.state.namespaces.borrow().clone()
    }

    /// Lists that are asked for and not answered.
    pub fn lists_open(&self) -> usize {
        self.state.lists_open.get()
    }

    pub fn watches_open(&self) -> usize {
        self.state.watches_open.get()
    }

    fn open(&self, is_watch_list: bool) -> WatchStream {
        let (sender, receiver) = mpsc::unbounded();
        if is_watch_list {
            self.send_initial_events(&sender);
        }
        self.state.watches.borrow_mut().push(sender);
        let guard = OpenGuard::new(&self.state.watches_open);
        let events = receiver.map(move |event| {
            let _held_as_long_as_the_stream = &guard;
            event
        });
        events.boxed_local()
    }

    fn send_initial_events(&self, watch: &mpsc::UnboundedSender<Result<WatchEvent, Error>>) {
        let added = self.state.objects.borrow().values().cloned().map(WatchEvent::Added).collect::<Vec<_>>();
        let resource_version = self.state.version.get().to_string();
        let end = WatchEvent::Bookmark { resource_version, initial_events_end: true };
        let end = (!self.state.withholds_initial_bookmark.get()).then_some(end);
        for event in added.into_iter().chain(end) {
            watch.unbounded_send(Ok(event)).expect("the watch is not open yet, so that nobody has left it");
        }
    }

    fn next_version(&self) -> String {
        self.state.version.set(self.state.version.get() + 1);
        self.state.version.get().to_string()
    }

    fn result(&self) -> ListResult {
        let metadata = ListMeta { resource_version: self.state.version.get().to_string(), ..ListMeta::default() };
        let items = self.state.objects.borrow().values().cloned().collect();
        ListResult { list: List { metadata, items, ..List::default() }, paginated: false }
    }
}

/// Counts a request for as long as it is held.
struct OpenGuard(Rc<Cell<usize>>);

impl OpenGuard {
    fn new(open: &Rc<Cell<usize>>) -> Self {
        open.set(open.get() + 1);
        Self(Rc::clone(open))
    }
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl ListerWatcher for FakeSource {
    fn list(
        &self,
        options: ListOptions,
        _progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let limit = options.limit.map(|limit| format!(" limit={limit}")).unwrap_or_default();
        self.state.requests.borrow_mut().push(format!("list rv={}{limit}", options.resource_version));
        if self.state.lists_are_silent.get() {
            let guard = OpenGuard::new(&self.state.lists_open);
            return async move {
                let _held_as_long_as_the_request = guard;
                futures::future::pending().await
            }
            .boxed_local();
        }
        let failure = self.state.list_failures.borrow_mut().pop_front();
        let result = failure.map_or_else(|| Ok(self.result()), Err);
        async { result }.boxed_local()
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let is_watch_list = options.send_initial_events == Some(true);
        let name = if is_watch_list { "watch-list" } else { "watch" };
        self.state.requests.borrow_mut().push(format!("{name} rv={}", options.resource_version));
        assert!(options.allow_watch_bookmarks);
        if self.state.watches_are_silent.get() {
            return futures::future::pending().boxed_local();
        }
        let failure = self.state.watch_failures.borrow_mut().pop_front();
        let result = failure.map_or_else(|| Ok(self.open(is_watch_list)), Err);
        async { result }.boxed_local()
    }

    fn supports_watch_list(&self) -> bool {
        self.state.supports_watch_list.get()
    }
}

impl ListerWatcherSource for FakeSource {
    fn lister_watcher(&self, _resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        self.state.namespaces.borrow_mut().push(namespace.map(str::to_owned));
        Rc::new(self.clone())
    }
}
