use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use tokio::sync::watch;
use watchglass::runtime::{Request, Response, Traffic, Transport, TransportError};

/// A request, and the status of its answer once its head has come.
#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    pub traffic: Traffic,
    pub header_names: Vec<String>,
    pub status: Option<u16>,
}

type Choice = Box<dyn Fn(&Request) -> bool>;

/// What went through a [`Recording`], in order.
#[derive(Default)]
pub struct Log {
    sent: RefCell<Vec<Sent>>,
    under_way: Cell<usize>,
    /// Requests that are to be held.
    hold: RefCell<Option<Choice>>,
    held: watch::Sender<usize>,
    released: watch::Sender<()>,
}

impl Log {
    pub fn all(&self) -> Vec<Sent> {
        self.sent.borrow().clone()
    }

    pub fn count(&self, traffic: Traffic) -> usize {
        self.sent.borrow().iter().filter(|sent| sent.traffic == traffic).count()
    }

    /// The paths of the lists, without what stands before the query.
    pub fn list_queries(&self) -> Vec<String> {
        let sent = self.sent.borrow();
        let lists = sent.iter().filter(|sent| sent.traffic == Traffic::List);
        lists.map(|sent| sent.path.split_once('?').map_or("", |(_, query)| query).to_owned()).collect()
    }

    pub fn forget(&self) {
        self.sent.borrow_mut().clear();
    }

    /// Nobody waits for an answer. A watch that is open is not waited for.
    pub fn is_quiet(&self) -> bool {
        self.under_way.get() == 0
    }

    /// From now on holds the requests that are chosen, before they are sent.
    pub fn hold(&self, choice: impl Fn(&Request) -> bool + 'static) {
        self.hold.replace(Some(Box::new(choice)));
    }

    /// Waits until a request is held.
    pub async fn has_held(&self) {
        self.held.subscribe().wait_for(|held| *held > 0).await.expect("the sender lives");
    }

    /// Lets go what is held, and holds no more.
    pub fn release(&self) {
        self.hold.replace(None);
        self.released.send_replace(());
    }

    async fn pass(&self, request: &Request) {
        let is_held = self.hold.borrow().as_ref().is_some_and(|choice| choice(request));
        if is_held {
            let mut released = self.released.subscribe();
            self.held.send_modify(|held| *held += 1);
            released.changed().await.expect("the sender lives");
            self.held.send_modify(|held| *held -= 1);
        }
    }
}

/// A transport that keeps what it was asked to send.
pub struct Recording {
    inner: Rc<dyn Transport>,
    log: Rc<Log>,
}

impl Recording {
    pub fn new(inner: Rc<dyn Transport>, log: &Rc<Log>) -> Self {
        Self { inner, log: Rc::clone(log) }
    }
}

struct UnderWay(Rc<Log>);

impl UnderWay {
    fn begin(log: &Rc<Log>) -> Self {
        log.under_way.set(log.under_way.get() + 1);
        Self(Rc::clone(log))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.set(self.0.under_way.get() - 1);
    }
}

impl Transport for Recording {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let (inner, log) = (Rc::clone(&self.inner), Rc::clone(&self.log));
        let traffic = request.traffic;
        let header_names = request.headers.iter().map(|(name, _)| name.to_string()).collect();
        let at = log.sent.borrow().len();
        log.sent.borrow_mut().push(Sent { path: request.path.clone(), traffic, header_names, status: None });
        async move {
            let under_way = UnderWay::begin(&log);
            log.pass(&request).await;
            let response = inner.send(request).await?;
            if let Some(sent) = log.sent.borrow_mut().get_mut(at) {
                sent.status = Some(response.status);
            }
            let under_way = (traffic != Traffic::Watch).then_some(under_way);
            let body = response.body.map(move |chunk| {
                let _ = &under_way;
                chunk
            });
            Ok(Response { body: body.boxed_local(), ..response })
        }
        .boxed_local()
    }
}
