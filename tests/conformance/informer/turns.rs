//! A large list comes in turns, between which a page paints.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use futures::future::LocalBoxFuture;
use jiff::Timestamp;
use watchglass::api::{Manifest, Object};
use watchglass::cache::{
    DeletedObject, Indexers, ResourceEventHandler, ResourceEventHandlerFuncs, meta_namespace_key, namespace_index,
};
use watchglass::runtime::{Clock, Moment, Runtime, Spawn};
use watchglass::testing::ManualClock;

use super::*;

/// A clock on which each look at it takes a millisecond: a turn is so many looks, however fast the machine is.
struct BusyClock(ManualClock);

impl Clock for BusyClock {
    fn now(&self) -> Moment {
        self.0.advance(Duration::from_millis(1));
        self.0.now()
    }

    fn wall(&self) -> Timestamp {
        self.0.wall()
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        self.0.sleep_until(deadline)
    }
}

/// Does something whenever the host gets its turn.
struct Watched {
    spawner: Rc<dyn Spawn>,
    on_turn: Rc<Hook>,
}

type OnTurn = Rc<dyn Fn(usize)>;

#[derive(Default)]
struct Hook {
    turns: Cell<usize>,
    act: RefCell<Option<OnTurn>>,
}

impl Spawn for Watched {
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>) {
        self.spawner.spawn_detached(future);
    }

    fn yield_now(&self) -> LocalBoxFuture<'static, ()> {
        let turn = self.on_turn.turns.replace(self.on_turn.turns.get() + 1);
        let act = self.on_turn.act.borrow().clone();
        if let Some(act) = act {
            act(turn);
        }
        self.spawner.yield_now()
    }
}

/// On a machine that has to take turns.
fn slow(pods: impl IntoIterator<Item = Manifest>) -> (Fixture, Rc<Hook>) {
    let (sandbox, source, hook) = (Sandbox::new(), FakeSource::default(), Rc::new(Hook::default()));
    pods.into_iter().for_each(|pod| drop(source.put(pod)));
    let host = sandbox.runtime();
    let runtime = Runtime {
        clock: Rc::new(BusyClock(sandbox.clock().clone())),
        spawner: Rc::new(Watched { spawner: Rc::clone(&host.spawner), on_turn: Rc::clone(&hook) }),
        ..host
    };
    let informer = SharedInformer::new(runtime, Rc::new(source.clone()), "pods".into());
    let stop = Rc::new(RefCell::new(StopSource::new()));
    (Fixture { sandbox, source, informer, stop, task: Cell::new(None) }, hook)
}

fn many(count: usize) -> impl Iterator<Item = Manifest> {
    (0..count).map(|number| pod(&format!("p{number:06}")))
}

/// Case 39 of the browser test list.
#[test]
fn two_hundred_thousand_objects_leave_the_host_its_turns_and_come_whole() {
    const COUNT: usize = 200_000;
    let (it, hook) = slow(many(COUNT));
    let told = Rc::new(Cell::new(0));
    let (counts, watched) = (Rc::clone(&told), it.informer.clone());
    let (turns_before, turns_after) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (before, after) = (Rc::clone(&turns_before), Rc::clone(&turns_after));
    hook.act.replace(Some(Rc::new(move |_| match watched.indexer().len() {
        0 => before.set(before.get() + 1),
        COUNT => after.set(after.get() + 1),
        part => panic!("{part} objects are a part of a list"),
    })));
    let handler = ResourceEventHandlerFuncs::new().on_add(move |_, _| counts.set(counts.get() + 1));
    let registration = it.informer.add_event_handler(Rc::new(handler)).unwrap();
    it.run();
    assert_eq!((told.get(), registration.has_synced(), registration.pending()), (COUNT, true, 0));
    // A turn has eight looks at the clock, and there are 64 objects between two.
    let fewest = COUNT / (9 * 64);
    assert!(turns_before.get() >= fewest, "{} turns to make the store", turns_before.get());
    assert!(turns_after.get() >= fewest, "{} turns to tell of it", turns_after.get());
}

/// Keeps what it is told of, and takes nothing that does not follow from it.
#[derive(Default)]
struct Ledger {
    objects: RefCell<BTreeMap<String, String>>,
}

impl Ledger {
    fn put(&self, object: &Object) -> Option<String> {
        self.objects.borrow_mut().insert(meta_namespace_key(object), object.resource_version().to_owned())
    }
}

impl ResourceEventHandler for Ledger {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        assert_eq!(self.put(object), None, "{} is told of twice", object.name());
    }

    fn on_update(&self, old: &Object, new: &Object) {
        assert_eq!(self.put(new).as_deref(), Some(old.resource_version()), "{}", new.name());
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        // Of an addition that was merged with its deletion the deletion is told.
        self.objects.borrow_mut().remove(&deleted.key());
    }
}

fn held(informer: &SharedInformer) -> BTreeMap<String, String> {
    let objects = informer.indexer().list();
    objects.iter().map(|object| (meta_namespace_key(object), object.resource_version().to_owned())).collect()
}

/// A third goes, a third changes, a third comes.
fn change(source: &FakeSource) {
    (0..2000).for_each(|number| drop(source.delete_unseen(&format!("p{number:06}"))));
    (2000..6000).for_each(|number| drop(source.put_unseen(pod(&format!("p{number:06}")))));
}

#[test]
fn handlers_and_indexes_that_come_and_go_between_the_turns_of_a_list_miss_nothing_and_hear_nothing_twice() {
    let (it, hook) = slow(many(4000));
    let (first, removed) = (Rc::new(Ledger::default()), Rc::new(Ledger::default()));
    let _first = it.informer.add_event_handler(first.clone()).unwrap();
    let leaving = RefCell::new(Some(it.informer.add_event_handler(removed).unwrap()));
    it.run();
    let during: Rc<RefCell<Vec<_>>> = Rc::default();
    let glance = |informer: &SharedInformer| {
        let indexer = informer.indexer();
        (indexer.len(), ["ns/p000000", "ns/p003000", "ns/p005000"].map(|key| indexer.get_by_key(key)))
    };
    let before = glance(&it.informer);
    let (informer, source, added) = (it.informer.clone(), it.source.clone(), Rc::clone(&during));
    let (start, states) = (hook.turns.get(), Rc::new(RefCell::new(vec![before])));
    let seen = Rc::clone(&states);
    hook.act.replace(Some(Rc::new(move |turn| {
        let now = glance(&informer);
        let is_new = seen.borrow().last() != Some(&now);
        is_new.then(|| seen.borrow_mut().push(now));
        if added.borrow().len() == 20 {
            return;
        }
        let ledger = Rc::new(Ledger::default());
        let registration = informer.add_event_handler(ledger.clone()).unwrap();
        added.borrow_mut().push((ledger, registration));
        match turn - start {
            3 => {
                let by_name = |object: &Object| vec![object.name().to_owned()];
                informer.add_indexers(Indexers::from([("name".to_owned(), Rc::new(by_name) as _)])).unwrap();
                informer.add_indexers(Indexers::from([("ns".to_owned(), Rc::new(namespace_index) as _)])).unwrap();
            }
            // While the handlers are told of what is gone.
            14 => drop(leaving.take()),
            // After the list, and not lost in it.
            16 => drop(source.put(pod("late"))),
            _ => {}
        }
    })));
    it.relist_after(change);
    hook.act.take();
    it.sandbox.run_until_idle();
    let end = held(&it.informer);
    assert_eq!(end.len(), 4001);
    assert!(*first.objects.borrow() == end);
    assert_eq!(during.borrow().len(), 20);
    for (ledger, registration) in &*during.borrow() {
        assert!(*ledger.objects.borrow() == end);
        assert!(registration.has_synced());
    }
    assert_eq!(it.informer.pending_notifications(), 0, "nobody is owed anything");
    assert_eq!(states.borrow().len(), 3, "before the list, after it, and with what came later");
    assert_eq!(it.informer.indexer().by_index("name", "p005999").unwrap().len(), 1);
    assert!(it.informer.indexer().by_index("name", "p000001").unwrap().is_empty());
    assert_eq!(it.informer.indexer().index_keys("ns", "ns").unwrap().len(), 4001);
}

#[test]
fn an_informer_that_is_stopped_between_the_turns_of_a_list_tells_nobody_any_more() {
    let (it, hook) = slow(many(4000));
    let told = Rc::new(Cell::new(0));
    let counts = Rc::clone(&told);
    let handler = ResourceEventHandlerFuncs::new().on_add(move |_, _| counts.set(counts.get() + 1));
    let _registration = it.informer.add_event_handler(Rc::new(handler)).unwrap();
    let (stop, informer) = (it.stop.clone(), it.informer.clone());
    hook.act.replace(Some(Rc::new(move |turn| {
        if turn == 10 {
            assert!(!informer.indexer().is_empty() && !informer.has_synced());
            stop.borrow_mut().stop();
        }
    })));
    it.run();
    assert!(it.informer.is_stopped() && told.get() < 4000);
    let at_the_end = told.get();
    it.sandbox.advance(Duration::from_secs(60));
    assert_eq!((told.get(), it.source.watches_open()), (at_the_end, 0));
}
