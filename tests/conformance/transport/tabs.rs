//! Several tabs of one browser.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{FutureExt as _, LocalBoxFuture};
use watchglass::runtime::Traffic::Watch;
use watchglass::runtime::{Slot, Slots};
use watchglass::testing::Sandbox;
use watchglass::transport::Connections;

use super::network::{Asked, Network, SocketNetwork, asked, request};

const SLOTS: usize = 4;

/// The browser's locks.
#[derive(Clone, Default)]
struct Locks {
    taken: Rc<Cell<usize>>,
    waiting: Rc<RefCell<Vec<oneshot::Sender<Lock>>>>,
    wanted: Rc<RefCell<Vec<oneshot::Sender<()>>>>,
}

struct Lock(Locks);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.taken.set(self.0.taken.get() - 1);
        while self.0.taken.get() < SLOTS && !self.0.waiting.borrow().is_empty() {
            let next = self.0.waiting.borrow_mut().remove(0);
            let _ = next.send(self.0.lock());
        }
    }
}

impl Locks {
    fn lock(&self) -> Lock {
        self.taken.set(self.taken.get() + 1);
        Lock(self.clone())
    }

    fn free(&self) -> Option<Box<dyn Slot>> {
        (self.taken.get() < SLOTS).then(|| Box::new(self.lock()) as Box<dyn Slot>)
    }
}

impl Slots for Locks {
    fn take(&self, waits: bool) -> LocalBoxFuture<'static, Option<Box<dyn Slot>>> {
        let locks = self.clone();
        async move {
            if let Some(lock) = locks.free() {
                return Some(lock);
            }
            if !waits {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            locks.waiting.borrow_mut().push(sender);
            if let Some(holder) = locks.wanted.borrow_mut().pop() {
                let _ = holder.send(());
            }
            Some(Box::new(receiver.await.expect("the locks outlive the page")) as Box<dyn Slot>)
        }
        .boxed_local()
    }
}

impl Slot for Lock {
    fn wanted(&self) -> LocalBoxFuture<'static, ()> {
        let (sender, receiver) = oneshot::channel();
        self.0.wanted.borrow_mut().push(sender);
        receiver.map(|_| ()).boxed_local()
    }
}

struct Tabs {
    sandbox: Sandbox,
    network: Network,
    sockets: SocketNetwork,
    locks: Locks,
}

impl Tabs {
    fn new() -> Self {
        let (network, sockets) = (Network::default(), SocketNetwork::default());
        Self { sandbox: Sandbox::new(), network, sockets, locks: Locks::default() }
    }

    fn tab(&self, with_sockets: bool) -> Connections {
        let sockets = with_sockets.then(|| Rc::new(self.sockets.clone()) as _);
        let slots = Rc::new(self.locks.clone());
        Connections::sharing(&self.sandbox.runtime(), Rc::new(self.network.clone()), sockets, slots)
    }

    fn watches(&self, tab: &Connections, name: &str, count: usize) -> Vec<Asked> {
        let asks = |number| asked(&self.sandbox.runtime(), tab, request(&format!("{name}{number}"), Watch));
        let watches = (0..count).map(asks).collect();
        self.sandbox.run_until_idle();
        watches
    }
}

/// Case 40 of the browser test list.
#[test]
fn the_second_tab_s_watches_go_over_sockets_and_stay_when_the_first_tab_is_closed() {
    let tabs = Tabs::new();
    let (first, second) = (tabs.tab(true), tabs.tab(true));
    let of_first = tabs.watches(&first, "first", 3);
    let of_second = tabs.watches(&second, "second", 3);
    tabs.sandbox.advance(Duration::from_secs(1));
    assert_eq!(tabs.network.open(), ["first0", "first1", "first2", "second0"]);
    assert_eq!(tabs.sockets.open_count(), 2);
    drop((of_first, first));
    tabs.sandbox.run_until_idle();
    assert!(of_second.iter().all(|watch| watch.status() == Some(200) && watch.end().is_none()));
    assert_eq!((tabs.network.open(), tabs.sockets.open_count()), (vec!["second0".to_owned()], 2));
    let _more = tabs.watches(&second, "more", 3);
    assert_eq!(tabs.network.open().len(), 4);
}

#[test]
fn a_tab_that_waits_gets_a_connection_of_another_tab_s_in_turn() {
    let tabs = Tabs::new();
    let (first, second) = (tabs.tab(false), tabs.tab(false));
    let of_first = tabs.watches(&first, "first", 4);
    tabs.sandbox.advance(Duration::from_secs(30));
    assert!(of_first.iter().all(|watch| watch.end().is_none()));
    let of_second = tabs.watches(&second, "second", 1);
    assert_eq!(of_second[0].status(), Some(200));
    assert_eq!(of_first.iter().filter(|watch| watch.end() == Some(Ok(()))).count(), 1);
    assert_eq!(tabs.network.open().len(), 4);
}
