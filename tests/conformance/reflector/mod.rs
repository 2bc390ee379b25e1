//! What a reflector asks a server, what it tells its store, and when.

mod asked;
mod host;
mod list;
mod mirror;
mod resync;
mod retry;
mod script;
mod sleep;
mod watch;
mod watch_list;

use std::rc::Rc;
use std::time::Duration;

use watchglass::api::{Error, Status};
use watchglass::cache::{ListerWatcher, Reflector, ReflectorOptions};
use watchglass::flow_control::{Backoff, BackoffConfig};
use watchglass::runtime::{StopSource, Task};
use watchglass::testing::Sandbox;

use super::fake_source::{FakeSource, pod};
use mirror::Mirror;

/// A reflector that runs over a source, into a [`Mirror`].
pub struct Running {
    pub sandbox: Sandbox,
    pub reflector: Rc<Reflector>,
    pub store: Rc<Mirror>,
    pub stop: StopSource,
    _task: Task,
}

/// Run until nothing more happens at the first moment.
pub fn start(source: impl ListerWatcher + 'static, options: ReflectorOptions) -> Running {
    start_in(Sandbox::new(), source, Mirror::default(), options)
}

pub fn start_in(
    sandbox: Sandbox,
    source: impl ListerWatcher + 'static,
    store: Mirror,
    options: ReflectorOptions,
) -> Running {
    let store = Rc::new(store);
    let reflector = reflector(&sandbox, source, &store, options);
    let stop = StopSource::new();
    let (token, runs) = (stop.token(), Rc::clone(&reflector));
    let task = sandbox.spawn(async move { runs.run(token).await });
    sandbox.run_until_idle();
    Running { sandbox, reflector, store, stop, _task: task }
}

pub fn reflector(
    sandbox: &Sandbox,
    source: impl ListerWatcher + 'static,
    store: &Rc<Mirror>,
    options: ReflectorOptions,
) -> Rc<Reflector> {
    Rc::new(Reflector::new(sandbox.runtime(), Rc::new(source), store.clone(), options))
}

/// One round of listing and watching, in virtual time.
pub fn round(source: impl ListerWatcher + 'static, options: ReflectorOptions) -> (Result<(), Error>, Rc<Mirror>) {
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    let reflector = reflector(&sandbox, source, &store, options);
    (sandbox.block_on(reflector.list_and_watch()), store)
}

pub fn pods() -> ReflectorOptions {
    ReflectorOptions { description: "pods".into(), ..ReflectorOptions::default() }
}

pub fn with_one_pod() -> FakeSource {
    let source = FakeSource::default();
    source.put(pod("a"));
    source
}

pub fn unreachable() -> Error {
    Error::Unreachable { url: "api/v1/pods".into(), reason: "Failed to fetch".into() }
}

pub fn status(code: u16) -> Error {
    Status::failure(code, format!("failed with {code}")).into()
}

pub fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The longest wait after the nth failure in a row, the first being 0.
pub fn longest_wait(failure: u32) -> Duration {
    Duration::from_millis(1600 * 2_u64.pow(failure))
}

/// A reflector's waits, but for what is changed.
fn waits(change: impl FnOnce(&mut Backoff)) -> BackoffConfig {
    let mut config = BackoffConfig::reflector();
    change(&mut config.initial);
    config
}

/// So many reflectors ask again within two seconds, and not all at once.
fn assert_they_come_back_spread_out(sandbox: &Sandbox, source: &FakeSource, reflectors: usize) {
    let back: Vec<_> = (0..4)
        .map(|_| {
            sandbox.advance(Duration::from_millis(500));
            source.requests().len()
        })
        .collect();
    assert_eq!(back.iter().sum::<usize>(), reflectors);
    assert!(back.iter().all(|count| (1..=10).contains(count)), "{back:?}");
}

/// Twenty reflectors in one page.
fn many(options: &ReflectorOptions) -> (Sandbox, FakeSource, StopSource, Vec<Task>) {
    let (sandbox, source, stop) = (Sandbox::new(), with_one_pod(), StopSource::new());
    let tasks = (0..20)
        .map(|_| {
            let reflector = reflector(&sandbox, source.clone(), &Default::default(), options.clone());
            let token = stop.token();
            sandbox.spawn(async move { reflector.run(token).await })
        })
        .collect();
    sandbox.run_until_idle();
    (sandbox, source, stop, tasks)
}
