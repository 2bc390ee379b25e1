use std::cell::{Cell, RefCell};
use std::rc::Rc;

use watchglass::api::{Error, Status};
use watchglass::flow_control::{Backoff, DEFAULT_BACKOFF, DEFAULT_RETRY, on_error, retry_on_conflict};
use watchglass::runtime::Runtime;
use watchglass::testing::Sandbox;

use super::{Fixed, millis};

fn conflict(text: &str) -> Error {
    Error::from(Status::failure(409, text))
}

/// Three tries without a pause.
fn three() -> Backoff {
    Backoff { factor: 1.0, steps: 3, ..Backoff::default() }
}

/// The result of tries that come out as scripted, the last one again and again, and how many there were.
fn retry(
    runtime: &Runtime,
    sandbox: &Sandbox,
    backoff: Backoff,
    script: &[Result<(), Error>],
) -> (Result<(), Error>, usize) {
    let tries = Cell::new(0);
    let result = sandbox.block_on(retry_on_conflict(runtime, backoff, || {
        let result = script[tries.get().min(script.len() - 1)].clone();
        tries.set(tries.get() + 1);
        async { result }
    }));
    (result, tries.get())
}

/// client-go: `TestRetryOnConflict`, `TestExponentialBackoff` (apimachinery `util/wait`).
#[test]
fn a_conflict_is_tried_again_as_often_as_there_are_steps() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let other = Error::from(Status::failure(500, "some other error"));
    let cases = [
        (vec![Err(conflict("1")), Err(conflict("2")), Err(conflict("3"))], Err(conflict("3")), 3),
        (vec![Ok(())], Ok(()), 1),
        (vec![Err(other.clone())], Err(other.clone()), 1),
        (vec![Err(conflict("1")), Err(other.clone())], Err(other), 2),
        (vec![Err(conflict("1")), Err(conflict("2")), Ok(())], Ok(()), 3),
    ];
    for (script, result, tries) in cases {
        assert_eq!(retry(&runtime, &sandbox, three(), &script), (result, tries));
    }
    let none = Backoff { steps: 0, ..three() };
    assert_eq!(retry(&runtime, &sandbox, none, &[Err(conflict("1"))]), (Err(conflict("1")), 1), "one try at least");
}

/// client-go: `TestRetryOnConflictPreservesContextErrorWithoutLastError`.
#[test]
fn a_request_that_was_broken_off_is_no_conflict() {
    let sandbox = Sandbox::new();
    let error = Error::Interrupted { reason: "cancelled".into() };
    let result = retry(&sandbox.runtime(), &sandbox, DEFAULT_BACKOFF, &[Err(error.clone())]);
    assert_eq!(result, (Err(error), 1));
}

#[test]
fn tries_are_as_far_apart_as_the_backoff_says() {
    let sandbox = Sandbox::new();
    let runtime = Runtime { random: Rc::new(Fixed(0.5)), ..sandbox.runtime() };
    let capped = Backoff { duration: millis(10), factor: 5.0, jitter: 0.0, steps: 9, cap: Some(millis(60)) };
    let cases = [
        (DEFAULT_RETRY, vec![0, 10_500, 10_500, 10_500, 10_500]),
        (DEFAULT_BACKOFF, vec![0, 10_500, 52_500, 262_500]),
        (capped, vec![0, 10_000]),
    ];
    for (backoff, expected) in cases {
        let (pauses, last) = (RefCell::new(Vec::new()), Cell::new(runtime.now()));
        let result: Result<(), &str> = sandbox.block_on(on_error(
            &runtime,
            backoff,
            |_| true,
            async || {
                let now = runtime.now();
                pauses.borrow_mut().push(now.since(last.replace(now)).as_micros());
                Err("again")
            },
        ));
        assert_eq!((result, pauses.into_inner()), (Err("again"), expected));
    }
}
