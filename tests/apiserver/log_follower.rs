//! Logs that are followed over breaks, restarts and refusals, against the in-memory server in virtual time.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use watchglass::rest::{Config, LogEvent, LogFollower, LogRequest, LogStart, LogState, RestClient};
use watchglass::runtime::Task;
use watchglass::testing::apiserver::{Fault, FaultRule};
use watchglass::testing::objects::{self, Build as _};

use super::client::Client;

/// What a reader sees: the lines without their times, and what is said between them.
#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    states: Vec<LogState>,
}

struct Log {
    client: Client,
    seen: Rc<RefCell<Seen>>,
    task: Option<Task>,
}

const SECOND: Duration = Duration::from_secs(1);

impl Log {
    /// A pod that runs and has said nothing yet.
    fn new() -> Self {
        let client = Client::new();
        let status = json!([{
            "name": "app", "restartCount": 0, "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } },
        }]);
        let pod = objects::pod("default", "db-0")
            .with_field("spec.containers", json!([{ "name": "app" }]))
            .with_field("spec.nodeName", "n1")
            .with_field("status.containerStatuses", status);
        client.server.create(pod).expect("the server takes it");
        Self { client, seen: Rc::default(), task: None }
    }

    fn open(self) -> Self {
        self.open_from(LogStart::All, false)
    }

    fn open_from(mut self, start: LogStart, previous: bool) -> Self {
        let runtime = self.client.sandbox.runtime();
        let config = Config::without_rate_limit(&runtime, self.client.server.transport());
        let request = LogRequest {
            namespace: "default".into(),
            pod: "db-0".into(),
            container: "app".into(),
            previous,
            start,
            known: None,
        };
        let follower = LogFollower::new(&RestClient::for_config(&config), &runtime, request);
        let seen = Rc::clone(&self.seen);
        self.task = Some(self.client.sandbox.spawn(async move {
            let text = |line: &str| line.split_once(' ').map_or(line, |(_, text)| text).to_owned();
            let tell = |event| {
                let mut seen = seen.borrow_mut();
                match event {
                    LogEvent::Line(line) => seen.lines.push(text(&line)),
                    LogEvent::LastLine(line) => {
                        *seen.lines.last_mut().expect("a line stands before it is made whole") = text(&line);
                    }
                    LogEvent::Restarted { times, .. } => seen.lines.push(format!("-- restarted {times}")),
                    LogEvent::Replaced => seen.lines.push("-- replaced".into()),
                    LogEvent::State(state) => seen.states.push(state),
                }
            };
            follower.run(&tell).await;
        }));
        self.client.sandbox.run_until_idle();
        self
    }

    fn say(&self, lines: &[&str]) {
        let lines = lines.iter().map(|line| (*line).to_owned());
        self.client.server.append_logs("default", "db-0", "app", lines).expect("the server takes it");
        self.client.sandbox.run_until_idle();
    }

    fn restart(&self) {
        self.client.server.restart_container("default", "db-0", "app").expect("the server takes it");
        self.client.sandbox.run_until_idle();
    }

    fn fault(&self, fault: impl Into<FaultRule>) {
        self.client.server.inject(fault);
        self.client.sandbox.run_until_idle();
    }

    fn set_state(&self, state: serde_json::Value) {
        let statuses = json!([{ "name": "app", "restartCount": 0, "state": state }]);
        self.client
            .server
            .modify("pods", "default", "db-0", |pod| objects::set_field(pod, "status.containerStatuses", statuses))
            .expect("the server takes it");
        self.client.sandbox.run_until_idle();
    }

    fn wait(&self, seconds: u32) {
        self.client.sandbox.advance(SECOND * seconds);
    }

    fn lines(&self) -> Vec<String> {
        self.seen.borrow().lines.clone()
    }

    fn state(&self) -> LogState {
        self.seen.borrow().states.last().cloned().expect("a state was told")
    }
}

#[test]
fn lines_come_as_they_are_written() {
    let log = Log::new();
    log.say(&["one", "two", "three"]);
    let log = log.open_from(LogStart::Lines(2), false);
    assert_eq!(log.lines(), ["two", "three"]);
    log.say(&["four"]);
    assert_eq!(log.lines(), ["two", "three", "four"]);
    assert_eq!(log.state(), LogState::Following);
}

#[test]
fn a_broken_connection_neither_loses_nor_doubles_a_line() {
    let breaks = [Fault::DropOpen, Fault::CloseOpen];
    for (at, fault) in breaks.into_iter().enumerate() {
        let log = Log::new().open();
        log.say(&["one", "two", "two"]);
        log.fault(fault.clone());
        log.say(&["two", "three"]);
        log.wait(5);
        assert_eq!(log.lines(), ["one", "two", "two", "two", "three"], "{fault:?}");
        log.say(&["four"]);
        log.fault(fault);
        log.wait(1);
        log.say(&["five"]);
        log.wait(30);
        assert_eq!(log.lines()[5..], ["four", "five"], "break {at}");
        assert_eq!(log.state(), LogState::Following);
    }
}

#[test]
fn a_line_that_breaks_off_anywhere_is_made_whole() {
    for after_bytes in 0..120 {
        for fault in [Fault::Drop { after_bytes }, Fault::Truncate { after_bytes }] {
            let log = Log::new();
            log.say(&["first", "second", "third"]);
            log.fault(FaultRule::from(fault.clone()).on_path("/log").times(2));
            let log = log.open();
            log.wait(60);
            assert_eq!(log.lines(), ["first", "second", "third"], "{fault:?}");
        }
    }
}

#[test]
fn a_break_is_told_with_its_reason_and_retried_until_it_passes() {
    let log = Log::new().open();
    log.say(&["one"]);
    log.fault(FaultRule::from(Fault::ProxyError).on_path("db-0"));
    log.fault(Fault::DropOpen);
    assert!(matches!(log.state(), LogState::Retrying { .. }), "{:?}", log.state());
    log.wait(300);
    log.say(&["two"]);
    assert!(matches!(log.state(), LogState::Retrying { .. }), "{:?}", log.state());
    log.client.server.clear_faults();
    log.wait(60);
    assert_eq!(log.lines(), ["one", "two"]);
}

#[test]
fn a_restart_is_told_and_the_new_log_follows() {
    let log = Log::new().open();
    log.say(&["one"]);
    // The first break tells how often the container had been restarted.
    log.fault(Fault::CloseOpen);
    log.wait(10);
    log.restart();
    log.say(&["again"]);
    log.wait(10);
    assert_eq!(log.lines(), ["one", "-- restarted 1", "again"]);
    log.say(&["more"]);
    assert_eq!(log.lines().last().expect("the server takes it"), "more");
}

#[test]
fn what_was_written_before_a_restart_is_read_though_the_connection_broke() {
    let log = Log::new().open();
    log.say(&["one"]);
    log.fault(Fault::CloseOpen);
    log.wait(10);
    log.fault(FaultRule::from(Fault::Refuse).on_path("db-0"));
    log.fault(Fault::DropOpen);
    log.say(&["last words"]);
    log.wait(2);
    log.restart();
    log.say(&["again"]);
    log.client.server.clear_faults();
    log.wait(60);
    assert_eq!(log.lines(), ["one", "last words", "-- restarted 1", "again"]);
}

#[test]
fn a_container_that_does_not_run_yet_is_waited_for() {
    let log = Log::new();
    log.set_state(json!({ "waiting": { "reason": "ContainerCreating" } }));
    let log = log.open();
    assert_eq!(log.state(), LogState::Waiting { why: "ContainerCreating".into() });
    log.wait(20);
    log.set_state(json!({ "running": { "startedAt": "2026-01-01T00:00:20Z" } }));
    log.say(&["one"]);
    log.wait(6);
    assert_eq!(log.lines(), ["one"]);
    assert_eq!(log.state(), LogState::Following);
}

#[test]
fn a_container_that_has_ended_is_read_to_its_end() {
    let log = Log::new().open();
    log.say(&["one"]);
    log.fault(FaultRule::from(Fault::Truncate { after_bytes: 40 }).on_path("/log"));
    log.fault(Fault::DropOpen);
    log.say(&["two"]);
    log.client
        .server
        .modify("pods", "default", "db-0", |pod| objects::set_field(pod, "status.phase", "Succeeded"))
        .expect("the server takes it");
    log.set_state(json!({ "terminated": { "exitCode": 3, "reason": "Error" } }));
    log.client.server.clear_faults();
    log.wait(60);
    assert_eq!(log.lines(), ["one", "two"]);
    let LogState::Ended(Some(end)) = log.state() else { panic!("{:?}", log.state()) };
    assert_eq!((end.exit_code, end.reason.as_str()), (3, "Error"));
}

#[test]
fn a_pod_that_goes_ends_its_log_and_one_of_the_same_name_begins_another() {
    let log = Log::new().open();
    log.say(&["one"]);
    log.fault(Fault::CloseOpen);
    log.wait(10);
    let pod = (*log.client.server.get("pods", "default", "db-0").expect("the server takes it")).clone();
    log.fault(FaultRule::from(Fault::Refuse).on_path("db-0"));
    log.client.server.delete("pods", "default", "db-0").expect("the server takes it");
    let mut next = pod;
    next.metadata = objects::pod("default", "db-0").metadata;
    log.client.server.create(next).expect("the server takes it");
    log.say(&["of the new one"]);
    log.client.server.clear_faults();
    log.wait(60);
    assert_eq!(log.lines(), ["one", "-- replaced", "of the new one"]);
    log.client.server.delete("pods", "default", "db-0").expect("the server takes it");
    log.wait(10);
    assert_eq!(log.state(), LogState::Gone);
}

#[test]
fn the_previous_log_is_read_once_and_its_absence_told() {
    let log = Log::new().open_from(LogStart::All, true);
    assert!(matches!(log.state(), LogState::Failed(error) if error.to_string().contains("not found")));
    let log = Log::new();
    log.say(&["one"]);
    log.restart();
    log.say(&["two"]);
    let log = log.open_from(LogStart::All, true);
    assert_eq!((log.lines(), log.state()), (vec!["one".to_owned()], LogState::Ended(None)));
}

#[test]
fn who_may_not_read_it_is_told_so_and_nothing_is_tried_again() {
    let log = Log::new();
    log.fault(FaultRule::from(Fault::Forbidden).on_path("/log").times(1));
    let log = log.open();
    log.wait(300);
    assert!(matches!(log.state(), LogState::Failed(error) if error.is_forbidden()));
}
