use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{self, FutureExt as _};
use futures::{StreamExt as _, pin_mut};
use jiff::Timestamp;

use super::client::{Line, LogClient};
use super::container::{Container, ContainerEnd, Stage};
use super::join::{Joined, Joiner};
use crate::api::{Error, GetOptions, GroupVersionResource, LogOptions, Manifest, ResourcePath};
use crate::flow_control::{BackoffConfig, BackoffWithReset};
use crate::rest::RestClient;
use crate::runtime::{Runtime, Turn};

/// How often the pod is looked at while its container waits.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// So many lines are taken at a time, when they are there.
const BATCH: usize = 256;

/// Which log is wanted, and from where on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRequest {
    pub namespace: String,
    pub pod: String,
    pub container: String,
    /// Of the container before its last restart; it is read to its end.
    pub previous: bool,
    pub start: LogStart,
    /// The pod's uid and how often the container was restarted, where they are known: what differs from them later is
    /// told.
    pub known: Option<(String, i64)>,
}

/// Where a log begins to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogStart {
    #[default]
    All,
    /// At so many lines before the end.
    Lines(u32),
    /// So many seconds ago.
    Seconds(u32),
}

/// What happens in a log that is followed.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEvent {
    /// A line, with its time before it.
    Line(String),
    /// The last line again, of which only a part had come.
    LastLine(String),
    /// The container was restarted, and its new log follows. Of several restarts only the last two logs can be read.
    Restarted {
        at: Option<Timestamp>,
        times: i64,
    },
    /// Another pod of the same name has taken the pod's place, and its log follows.
    Replaced,
    State(LogState),
}

/// How it stands with a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LogState {
    /// It is asked for. A browser tells of an answer only when something of it has come.
    #[default]
    Opening,
    /// Lines come as they are written.
    Following,
    /// There is nothing to read, because the container does not run yet, or not again.
    Waiting { why: String },
    /// It broke off, and will be asked for again.
    Retrying { error: Error },
    /// All has been read, and no more will come; how the container ended, of a log that was followed.
    Ended(Option<ContainerEnd>),
    /// There is no such pod, or no more.
    Gone,
    /// The server refuses it.
    Failed(Error),
}

/// Reads a container's log, over breaks and restarts, without losing lines and without giving any twice.
///
/// A break is followed by a request from the second of the last line on. A restart is noticed at the pod: what the old
/// container wrote last is read first.
pub struct LogFollower {
    client: RestClient,
    runtime: Runtime,
    request: LogRequest,
    joiner: Joiner,
    backoff: BackoffWithReset,
    wake: Rc<Event>,
    /// The container had ended already when the last request was sent.
    has_read_to_end: bool,
}

/// What to do after a log has ended.
enum Next {
    Read,
    Wait(LogState, Duration),
    Stop(LogState),
}

impl LogFollower {
    pub fn new(client: &RestClient, runtime: &Runtime, request: LogRequest) -> Self {
        let backoff = BackoffWithReset::new(BackoffConfig::reflector(), runtime.now());
        Self {
            client: client.without_retries(),
            runtime: runtime.clone(),
            request,
            joiner: Joiner::default(),
            backoff,
            wake: Rc::default(),
            has_read_to_end: false,
        }
    }

    /// Ends each wait at once when it is notified: somebody asks for it, or the pod has changed.
    pub fn wake(&self) -> Rc<Event> {
        Rc::clone(&self.wake)
    }

    /// Reads until no more will come; the last event is a state that says why. Dropping it ends the request.
    pub async fn run(mut self, tell: &dyn Fn(LogEvent)) {
        loop {
            tell(LogEvent::State(LogState::Opening));
            let options = self.options();
            let mut next = match self.read(&options, tell).await {
                Ok(()) if self.request.previous => Next::Stop(LogState::Ended(None)),
                Ok(()) => self.look(tell, false).await,
                Err(error) if error.is_not_found() => self.not_found(error).await,
                Err(error) => self.after_error(error),
            };
            while let Next::Wait(state, time) = next {
                tell(LogEvent::State(state));
                self.wait(time).await;
                next = if self.request.previous { Next::Read } else { self.look(tell, true).await };
            }
            if let Next::Stop(state) = next {
                tell(LogEvent::State(state));
                return;
            }
        }
    }

    fn options(&self) -> LogOptions {
        let LogRequest { container, previous, start, .. } = &self.request;
        let mut options = LogOptions {
            container: container.clone(),
            follow: !previous,
            previous: *previous,
            timestamps: true,
            since_time: self.joiner.since(),
            ..LogOptions::default()
        };
        match start {
            _ if options.since_time.is_some() => {}
            LogStart::All => {}
            LogStart::Lines(lines) => options.tail_lines = Some(*lines),
            LogStart::Seconds(seconds) => options.since_seconds = Some(*seconds),
        }
        options
    }

    /// Reads to the end of one answer.
    async fn read(&mut self, options: &LogOptions, tell: &dyn Fn(LogEvent)) -> Result<(), Error> {
        let LogRequest { namespace, pod, .. } = &self.request;
        let lines = LogClient::new(&self.client).open_lines(namespace, pod, options).await?;
        tell(LogEvent::State(LogState::Following));
        self.joiner.begin_again();
        let runtime = self.runtime.clone();
        let is_frozen = Cell::new(false);
        let frozen = async {
            while !runtime.host.state().is_frozen {
                runtime.host.changed().await;
            }
            is_frozen.set(true);
        };
        pin_mut!(frozen);
        let mut batches = lines.take_until(frozen).ready_chunks(BATCH);
        let mut turn = Turn::start(&runtime);
        while let Some(batch) = batches.next().await {
            for line in batch {
                self.take(line?, tell);
            }
            turn.pause_when_over().await;
        }
        if is_frozen.get() { Err(Error::Interrupted { reason: "the page is at rest".into() }) } else { Ok(()) }
    }

    fn take(&mut self, line: Line, tell: &dyn Fn(LogEvent)) {
        match self.joiner.take(&line.text, line.is_open) {
            Joined::New => {
                self.backoff.reset(self.runtime.now());
                tell(LogEvent::Line(line.text));
            }
            Joined::LastAgain => tell(LogEvent::LastLine(line.text)),
            Joined::Known => {}
        }
    }

    /// Asks the pod why its log has ended, and what comes next. A kubelet tells of a container's end a moment after it:
    /// who has not waited looks once more before the same log is asked for again.
    async fn look(&mut self, tell: &dyn Fn(LogEvent), has_waited: bool) -> Next {
        let pod = match self.pod().await {
            Ok(pod) => pod,
            Err(error) if error.is_not_found() => return Next::Stop(LogState::Gone),
            // Whoever may read logs only learns nothing more, and asks again.
            Err(error) if error.is_forbidden() && has_waited => return Next::Read,
            Err(error) if error.is_forbidden() => {
                let why = "it has ended, and you may not read the pod to see why".to_owned();
                return Next::Wait(LogState::Waiting { why }, self.pause());
            }
            Err(error) => return self.after_error(error),
        };
        let container = Container::read(&pod, &self.request.container);
        let now = (pod.uid().to_owned(), container.restarts);
        let (uid, restarts) = self.request.known.replace(now).unwrap_or_else(|| (pod.uid().into(), container.restarts));
        if uid != pod.uid() {
            self.joiner = Joiner::default();
            self.has_read_to_end = false;
            tell(LogEvent::Replaced);
            return Next::Read;
        }
        let times = container.restarts - restarts;
        if times > 0 {
            self.restarted(&container.stage, times, tell).await;
            return Next::Read;
        }
        match container.stage {
            Stage::Running { .. } if has_waited => Next::Read,
            Stage::Running { .. } => Next::Wait(LogState::Following, self.pause()),
            Stage::Waiting { why } => Next::Wait(LogState::Waiting { why }, LOOK_AGAIN),
            Stage::Ended(end) if self.has_read_to_end => Next::Stop(LogState::Ended(Some(end))),
            Stage::Ended(_) => {
                self.has_read_to_end = true;
                Next::Read
            }
        }
    }

    async fn restarted(&mut self, stage: &Stage, times: i64, tell: &dyn Fn(LogEvent)) {
        let at = match stage {
            Stage::Running { started_at } => *started_at,
            Stage::Waiting { .. } | Stage::Ended(_) => None,
        };
        let is_of_old = |last: Timestamp| at.is_none_or(|at| last.as_second() <= at.as_second());
        // It may be the new container's log that was read already.
        if !self.joiner.last_time().is_none_or(is_of_old) {
            return;
        }
        if at.is_some() {
            let options = LogOptions { previous: true, follow: false, ..self.options() };
            // Nothing more is known of it when it is not there any more.
            let _ = self.read(&options, tell).await;
        }
        tell(LogEvent::Restarted { at, times });
    }

    /// The pod is gone, or only its node knows nothing of it.
    async fn not_found(&mut self, error: Error) -> Next {
        match self.pod().await {
            Err(of_pod) if of_pod.is_not_found() => Next::Stop(LogState::Gone),
            _ if self.request.previous => Next::Stop(LogState::Failed(error)),
            _ => Next::Wait(LogState::Retrying { error }, self.pause()),
        }
    }

    fn after_error(&mut self, error: Error) -> Next {
        if error.is_bad_request() && !self.request.previous {
            // The kubelet's words (pkg/kubelet/kubelet_pods.go, `validateContainerLogStatus`).
            let why = error.to_string();
            if why.contains("waiting to start") || why.contains("is not available") {
                let why = why.rsplit_once("waiting to start: ").map_or(why.as_str(), |(_, why)| why).to_owned();
                return Next::Wait(LogState::Waiting { why }, LOOK_AGAIN);
            }
        }
        let is_final = |code| matches!(code, 400..=499) && !matches!(code, 401 | 408 | 429);
        if error.status().is_some_and(|status| is_final(status.code)) {
            return Next::Stop(LogState::Failed(error));
        }
        let time = error.retry_after().unwrap_or_else(|| self.pause());
        Next::Wait(LogState::Retrying { error }, time)
    }

    async fn pod(&self) -> Result<Manifest, Error> {
        let LogRequest { namespace, pod, .. } = &self.request;
        let path = ResourcePath::all(GroupVersionResource::core("pods")).in_namespace(namespace).named(pod);
        self.client.get(&path, &GetOptions::default()).await
    }

    fn pause(&mut self) -> Duration {
        self.backoff.step_further(&*self.runtime.random)
    }

    /// Ends early when it is woken, or when the host has another state: it is online again, or seen again.
    async fn wait(&self, time: Duration) {
        let (woken, changed) = (self.wake.listen(), self.runtime.host.changed());
        future::select(self.runtime.sleep(time), future::select(woken, changed)).map(|_| ()).await;
        while self.runtime.host.state().is_frozen {
            self.runtime.host.changed().await;
        }
    }
}
