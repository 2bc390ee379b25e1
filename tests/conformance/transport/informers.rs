//! Informers over a browser's few connections, and the in-memory API server at their other end.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use watchglass::api::{GroupVersionResource, ResourcePath};
use watchglass::cache::{FactoryOptions, SharedInformer, SharedInformerFactory};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{
    Inbox, Message, Random as _, Request, Response, Runtime, SeededRandom, Socket, SocketError, SocketRequest,
    SocketTransport, Task, Traffic, Transport, TransportError, Wire,
};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::{ApiServer, Fault, FaultRule};
use watchglass::testing::objects;
use watchglass::transport::Connections;

const NAMESPACES: usize = 10;

/// Six connections; a seventh request waits, as in a browser.
#[derive(Clone)]
struct SixConnections {
    server: Rc<dyn Transport>,
    open: Rc<Cell<usize>>,
    freed: Rc<Event>,
    lists: Rc<Cell<usize>>,
}

struct Taken(SixConnections);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get() - 1);
        self.0.freed.notify(usize::MAX);
    }
}

impl Transport for SixConnections {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let connections = self.clone();
        if request.traffic == Traffic::List {
            self.lists.set(self.lists.get() + 1);
        }
        async move {
            while connections.open.get() == 6 {
                connections.freed.listen().await;
            }
            connections.open.set(connections.open.get() + 1);
            let taken = Taken(connections.clone());
            let response = connections.server.send(request).await?;
            let body = response.body.map(move |chunk| {
                let _taken = &taken;
                chunk
            });
            Ok(Response { body: body.boxed_local(), ..response })
        }
        .boxed_local()
    }
}

/// Sockets to the same server, whose frames are the watch's lines.
#[derive(Clone)]
struct Sockets {
    server: Rc<dyn Transport>,
    runtime: Runtime,
    work: Rc<Cell<bool>>,
    opened: Rc<Cell<usize>>,
}

struct Silent;

impl Wire for Silent {
    fn send(&self, _: Message) -> Result<(), SocketError> {
        Ok(())
    }

    fn close(&self) {}
}

impl SocketTransport for Sockets {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let sockets = self.clone();
        async move {
            let refused = || SocketError::NotOpened { reason: "1006".into() };
            let watch = Request { path: request.path, traffic: Traffic::Watch, ..Request::default() };
            let response = sockets.server.send(watch).await.map_err(|_| refused())?;
            if response.status != 200 || !sockets.work.get() {
                return Err(refused());
            }
            sockets.opened.set(sockets.opened.get() + 1);
            let inbox = Inbox::new(request.backlog_limit);
            let pump = sockets.runtime.spawn(pump(response, inbox.clone()));
            Ok(Socket { protocol: String::new(), messages: inbox.messages(pump), wire: Rc::new(Silent) })
        }
        .boxed_local()
    }
}

async fn pump(mut response: Response, inbox: Inbox) {
    let mut line = Vec::new();
    while let Some(chunk) = response.body.next().await {
        let Ok(chunk) = chunk else { return inbox.end(Err(SocketError::Closed { code: 1006 })) };
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if let Some(text) = line.strip_suffix(b"\n") {
                assert!(inbox.deliver(Message::Text(String::from_utf8(text.to_vec()).expect("JSON"))));
                line.clear();
            }
        }
    }
    inbox.end(Ok(()));
}

struct World {
    sandbox: Sandbox,
    server: ApiServer,
    sockets: Sockets,
    lists: Rc<Cell<usize>>,
    connections: Rc<Connections>,
}

impl World {
    fn new(with_sockets: bool) -> Self {
        let sandbox = Sandbox::new();
        let server = ApiServer::new(sandbox.runtime());
        let lists = Rc::new(Cell::new(0));
        let six = SixConnections {
            server: server.transport(),
            open: Rc::default(),
            freed: Rc::default(),
            lists: Rc::clone(&lists),
        };
        let (runtime, work) = (sandbox.runtime(), Rc::new(Cell::new(with_sockets)));
        let sockets = Sockets { server: server.transport(), runtime, work, opened: Rc::default() };
        let connections = Connections::new(&sandbox.runtime(), Rc::new(six), Some(Rc::new(sockets.clone())));
        for number in 0..NAMESPACES {
            server.create(objects::namespace(&namespace(number))).expect("the server takes a namespace");
        }
        Self { sandbox, server, sockets, lists, connections: Rc::new(connections) }
    }

    fn client(&self) -> RestClient {
        RestClient::for_config(&Config::without_rate_limit(&self.sandbox.runtime(), self.connections.clone()))
    }

    /// One for each namespace: as many watches as a page with ten resources has.
    fn informers(&self) -> (Vec<SharedInformerFactory>, Vec<SharedInformer>) {
        let factory = |number| {
            let options = FactoryOptions { namespace: Some(namespace(number)), ..FactoryOptions::default() };
            SharedInformerFactory::with_options(self.sandbox.runtime(), Rc::new(self.client()), options)
        };
        let factories: Vec<_> = (0..NAMESPACES).map(factory).collect();
        let informers = factories.iter().map(|factory| {
            let informer = factory.informer_for(&GroupVersionResource::core("pods"));
            factory.start();
            informer
        });
        let informers = informers.collect();
        (factories, informers)
    }

    /// Somebody asks for a pod every second and must have the answer within the next one.
    fn somebody_asks(&self, answers: &Rc<Cell<u32>>) -> Task {
        let (client, runtime, answers) = (self.client(), self.sandbox.runtime(), Rc::clone(answers));
        self.sandbox.spawn(async move {
            loop {
                let limit = runtime.now() + Duration::from_secs(1);
                let path = ResourcePath::all(GroupVersionResource::core("namespaces")).named("ns-0");
                let answer = runtime.timeout_at(limit, client.get(&path, &Default::default())).await;
                answer.expect("within a second").expect("it is there");
                answers.set(answers.get() + 1);
                runtime.sleep(Duration::from_secs(1)).await;
            }
        })
    }

    fn changes_something(&self, random: &SeededRandom, step: usize) {
        let namespace = namespace(random.below(NAMESPACES));
        let known: Vec<_> =
            self.server.objects("pods").into_iter().filter(|pod| pod.namespace() == namespace).collect();
        if random.unit() < 0.6 || known.is_empty() {
            self.server.create(objects::pod(&namespace, &format!("pod-{step}"))).expect("the server takes a pod");
        } else {
            let victim = &known[random.below(known.len())];
            self.server.delete("pods", &namespace, victim.name()).expect("it was there");
        }
    }

    fn assert_equal(&self, informers: &[SharedInformer]) {
        let held = informers.iter().flat_map(|informer| informer.indexer().list_keys());
        let on_server =
            self.server.objects("pods").into_iter().map(|pod| format!("{}/{}", pod.namespace(), pod.name()));
        assert_eq!(held.collect::<BTreeSet<_>>(), on_server.collect());
    }
}

fn namespace(number: usize) -> String {
    format!("ns-{number}")
}

/// Cases 27 and 30 of the browser test list.
#[test]
fn ten_informers_follow_the_server_and_a_get_answers_within_a_second() {
    for with_sockets in [true, false] {
        let world = World::new(with_sockets);
        let (_factories, informers) = world.informers();
        let answers = Rc::default();
        let _asking = world.somebody_asks(&answers);
        world.sandbox.advance(Duration::from_secs(5));
        assert!(informers.iter().all(SharedInformer::has_synced));
        let random = SeededRandom::new(7);
        for step in 0..300 {
            world.changes_something(&random, step);
            world.sandbox.advance(Duration::from_millis(700));
        }
        world.sandbox.advance(Duration::from_secs(40));
        world.assert_equal(&informers);
        assert!(answers.get() > 200, "{}", answers.get());
        assert_eq!(world.sockets.opened.get() > 0, with_sockets);
    }
}

/// Case 31 of the browser test list.
#[test]
fn a_watch_over_a_socket_is_opened_again_after_its_end_and_after_a_break() {
    let world = World::new(true);
    let (_factories, informers) = world.informers();
    world.sandbox.advance(Duration::from_secs(5));
    let opened = world.sockets.opened.get();
    assert_eq!(opened, NAMESPACES - Connections::WATCHES);
    let lists = || world.server.objects("pods").len();
    for (fault, more) in [(Fault::CloseOpen, 1), (Fault::DropOpen, 2)] {
        world.server.inject(FaultRule::from(fault).on_path("pods"));
        for number in 0..NAMESPACES {
            let pod = objects::pod(&namespace(number), &format!("pod-{more}"));
            world.server.create(pod).expect("the server takes a pod");
        }
        world.sandbox.advance(Duration::from_secs(10));
        world.assert_equal(&informers);
        assert_eq!(lists(), NAMESPACES * more);
        assert!(world.sockets.opened.get() > opened);
    }
}

/// Nothing is listed anew when the turns change: a list of a large resource would cost more than the watch.
#[test]
fn turns_cost_no_lists() {
    let world = World::new(false);
    let (_factories, informers) = world.informers();
    world.sandbox.advance(Duration::from_secs(30));
    let lists = world.lists.get();
    let random = SeededRandom::new(3);
    for step in 0..100 {
        world.changes_something(&random, step);
        world.sandbox.advance(Duration::from_secs(1));
    }
    world.sandbox.advance(Duration::from_secs(40));
    world.assert_equal(&informers);
    assert_eq!((lists, world.lists.get()), (NAMESPACES, NAMESPACES));
}
