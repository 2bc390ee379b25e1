//! What the page costs an API server: requests and bytes of an hour, in virtual time, beside what polling would take.
#![cfg(feature = "testing")]
#![expect(clippy::print_stdout, reason = "the figures go into the documents")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use watchglass::cache::{Registration, ResourceEventHandlerFuncs, SharedInformerFactory};
use watchglass::rest::{Config, FirstPage, FirstPages, RestClient};
use watchglass::runtime::{Clock as _, Moment, Request, Response, Traffic, Transport, TransportError};
use watchglass::testing::apiserver::{ApiServer, Fault, FaultRule};
use watchglass::testing::{Sandbox, objects};
use watchglass::transport::Connections;
use watchglass::view::MAX_ROWS;
use watchglass::view::columns::{NAMESPACES, PODS};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// How often a page that polls asks for each list.
const POLL: Duration = Duration::from_secs(5);

/// What went over the wire.
#[derive(Default)]
struct Counts {
    lists: RefCell<Vec<Sent>>,
    watches: RefCell<Vec<Sent>>,
    others: Cell<usize>,
    bytes: Cell<u64>,
}

struct Sent {
    at: Moment,
    /// Without the query.
    path: String,
}

struct Counting {
    server: Rc<dyn Transport>,
    sandbox: Rc<Sandbox>,
    counts: Rc<Counts>,
}

impl Transport for Counting {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let sent = Sent { at: self.sandbox.clock().now(), path };
        match request.traffic {
            Traffic::List => self.counts.lists.borrow_mut().push(sent),
            Traffic::Watch => self.counts.watches.borrow_mut().push(sent),
            Traffic::Request | Traffic::Stream => self.counts.others.set(self.counts.others.get() + 1),
        }
        let (answer, counts) = (self.server.send(request), Rc::clone(&self.counts));
        async move {
            let response = answer.await?;
            let body = response.body.inspect(move |chunk| {
                let length = chunk.as_ref().map_or(0, bytes::Bytes::len);
                counts.bytes.set(counts.bytes.get() + length as u64);
            });
            Ok(Response { body: body.boxed_local(), ..response })
        }
        .boxed_local()
    }
}

/// The page's pieces on a server: pods and namespaces, each shown by several views.
struct Page {
    sandbox: Rc<Sandbox>,
    server: ApiServer,
    counts: Rc<Counts>,
    factory: SharedInformerFactory,
    seen: Rc<Cell<u64>>,
    views: Vec<Registration>,
}

impl Page {
    fn open(sandbox: &Rc<Sandbox>, server: &ApiServer) -> Self {
        let (runtime, counts) = (sandbox.runtime(), Rc::<Counts>::default());
        let counting = Counting { server: server.transport(), sandbox: Rc::clone(sandbox), counts: Rc::clone(&counts) };
        let connections = Connections::new(&runtime, Rc::new(counting), None);
        let client = RestClient::for_config(&Config::without_rate_limit(&runtime, Rc::new(connections)));
        let until_shown = Rc::new(|| std::future::ready(()).boxed_local());
        let source = FirstPages { client, page: FirstPage { size: MAX_ROWS as u32, until_shown } };
        let factory = SharedInformerFactory::new(runtime, Rc::new(source));
        let (sandbox, server) = (Rc::clone(sandbox), server.clone());
        let mut page = Self { sandbox, server, counts, factory, seen: Rc::default(), views: Vec::new() };
        page.open_view();
        page.factory.start();
        page.sandbox.run_until_idle();
        page
    }

    /// One more view of each kind, as a tab within the page or a panel beside the table would open it.
    fn open_view(&mut self) {
        for resource in [&PODS, &NAMESPACES] {
            let informer = self.factory.informer_for(&resource.group_version_resource());
            let (added, updated) = (Rc::clone(&self.seen), Rc::clone(&self.seen));
            let handler = ResourceEventHandlerFuncs::new()
                .on_add(move |_, _| added.set(added.get() + 1))
                .on_update(move |_, _| updated.set(updated.get() + 1));
            self.views.push(informer.add_event_handler(Rc::new(handler)).expect("the informer runs"));
        }
    }

    /// Lets the time pass while pods change at this rate.
    fn churn(&self, duration: Duration, per_second: u32) {
        let pods = self.server.objects("pods");
        let (steps_per_second, changes_per_step) =
            if per_second > 20 { (20, per_second / 20) } else { (1, per_second) };
        let mut change = 0_usize;
        for _ in 0..duration.as_secs() * steps_per_second {
            for _ in 0..changes_per_step {
                let pod = &pods[change % pods.len()];
                let touch = |pod: &mut _| objects::set_field(pod, "status.touched", change as u64);
                self.server.modify("pods", pod.namespace(), pod.name(), touch).expect("the pod is there");
                change += 1;
            }
            self.sandbox.advance(SECOND / steps_per_second as u32);
        }
    }

    /// The network is away for so long: what is open breaks, and nothing new is answered.
    fn lose_network(&self, duration: Duration) {
        self.server.inject(Fault::DropOpen);
        self.server.inject(FaultRule::from(Fault::Refuse));
        self.sandbox.advance(duration);
        self.server.clear_faults();
    }

    fn lists_of(&self, path: &str) -> usize {
        self.counts.lists.borrow().iter().filter(|sent| sent.path == path).count()
    }

    fn watches_of(&self, path: &str) -> Vec<Moment> {
        self.counts.watches.borrow().iter().filter(|sent| sent.path == path).map(|sent| sent.at).collect()
    }

    fn open_watches(&self, resource: &str) -> usize {
        self.server.open_watches(&format!("/{resource}?")).len()
    }
}

/// What one request for the list brings.
fn list_bytes(sandbox: &Rc<Sandbox>, server: &ApiServer, path: &str) -> u64 {
    let transport = server.transport();
    let whole = async {
        let response = transport.send(Request::get(path)).await.expect("the server is there");
        response.body.fold(0, |sum, chunk| async move { sum + chunk.expect("it is whole").len() as u64 }).await
    };
    sandbox.block_on(whole)
}

fn server_with_pods(sandbox: &Sandbox, count: usize) -> ApiServer {
    let server = ApiServer::new(sandbox.runtime());
    for number in 0..count {
        server.seed(objects::pod("default", &format!("pod-{number:04}"))).expect("a name is given once");
    }
    server
}

/// The most that fall into any minute.
fn most_in_a_minute(moments: &[Moment]) -> usize {
    let in_minute = |first: &Moment| moments.iter().filter(|it| **it >= *first && it.since(*first) < MINUTE).count();
    moments.iter().map(in_minute).max().unwrap_or_default()
}

#[test]
fn an_hour_of_normal_use_costs_a_small_part_of_what_polling_costs() {
    const PODS_THERE: usize = 1_000;
    const HOUR: Duration = Duration::from_secs(3_600);
    let sandbox = Rc::new(Sandbox::new());
    let server = ApiServer::new(sandbox.runtime());
    server.load_pods("default", PODS_THERE).expect("an empty server takes pods");
    let mut page = Page::open(&sandbox, &server);
    page.churn(10 * MINUTE, 2);
    (0..4).for_each(|_| page.open_view());
    page.churn(20 * MINUTE, 2);
    page.lose_network(30 * SECOND);
    page.churn(HOUR - 30 * MINUTE - 30 * SECOND, 2);

    let polls = HOUR.as_secs() / POLL.as_secs();
    let (pods, namespaces) = ("api/v1/pods", "api/v1/namespaces");
    let polled_bytes = polls * (list_bytes(&sandbox, &server, pods) + list_bytes(&sandbox, &server, namespaces));
    let (bytes, watches) = (page.counts.bytes.get(), page.counts.watches.borrow().len());
    let (lists, others) = (page.counts.lists.borrow().len(), page.counts.others.get());
    println!(
        "An hour, {PODS_THERE} pods, 2 updates a second, 5 views of 2 kinds, one network break: {lists} lists, \
         {watches} watches, {others} other requests, {bytes} bytes. Polling every 5 s: {} requests, {polled_bytes} \
         bytes, {} times as many.",
        2 * polls,
        polled_bytes / bytes
    );
    // A screen of pods and then all of them.
    assert_eq!((page.lists_of(pods), page.lists_of(namespaces)), (2, 1), "a break costs no list more");
    assert_eq!(others, 0);
    assert_eq!((page.open_watches("pods"), page.open_watches("namespaces")), (1, 1));
    // A watch lasts five to ten minutes, and the tries of half a minute without a network are counted too.
    assert!(watches <= 2 * (12 + 1 + 5), "{watches} watches");
    assert!(bytes * 50 < polled_bytes, "{bytes} bytes, {polled_bytes} for polling");
    assert!(page.seen.get() > 7_000 * 3, "the views were told of {} changes", page.seen.get());
}

#[test]
fn no_more_than_one_watch_a_minute_is_opened_whatever_the_rate_of_events() {
    for (per_second, minutes) in [(0, 60), (10, 60), (1_000, 2)] {
        let sandbox = Rc::new(Sandbox::new());
        let server = server_with_pods(&sandbox, 200);
        let page = Page::open(&sandbox, &server);
        page.churn(minutes * MINUTE, per_second);
        let watches = [page.watches_of("api/v1/pods"), page.watches_of("api/v1/namespaces")];
        println!(
            "{per_second} events a second for {minutes} minutes: {} watches of pods, {} of namespaces, {} bytes",
            watches[0].len(),
            watches[1].len(),
            page.counts.bytes.get()
        );
        for watches in &watches {
            assert!(watches.len() >= minutes as usize / 10, "a watch ends after ten minutes at the latest");
            assert_eq!(most_in_a_minute(watches), 1);
        }
        assert_eq!((page.lists_of("api/v1/pods"), page.lists_of("api/v1/namespaces")), (2, 1));
        assert_eq!((page.open_watches("pods"), page.open_watches("namespaces")), (1, 1));
        let changes = u64::from(minutes * per_second) * 60;
        assert_eq!(page.seen.get(), 200 + 2 + changes, "every change was told");
    }
}

#[test]
fn one_list_and_one_watch_a_kind_however_many_views() {
    let sandbox = Rc::new(Sandbox::new());
    let server = server_with_pods(&sandbox, 20);
    let mut page = Page::open(&sandbox, &server);
    (0..20).for_each(|_| page.open_view());
    let pods = PODS.group_version_resource();
    let leases: Vec<_> = (0..5).map(|_| page.factory.lease(&pods)).collect();
    let listers: Vec<_> = (0..5).map(|_| page.factory.for_resource(&pods).lister).collect();
    page.factory.start();
    page.churn(MINUTE, 1);
    page.views.truncate(10);
    drop((leases, listers));
    page.churn(MINUTE, 1);
    assert_eq!((page.lists_of("api/v1/pods"), page.watches_of("api/v1/pods").len()), (1, 1));
    assert_eq!((page.lists_of("api/v1/namespaces"), page.watches_of("api/v1/namespaces").len()), (1, 1));
    assert_eq!((page.open_watches("pods"), page.open_watches("namespaces")), (1, 1));
}
