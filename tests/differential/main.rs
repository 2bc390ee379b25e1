//! client-go's own informer and ours watch the same server over HTTP, while it is changed, broken off and made to
//! forget at random: their handlers are told the same, and their stores hold the same.
//!
//! `make test-differential` builds the Go program and runs 200 scripts. `DIFFERENTIAL_SCRIPTS` is another number of
//! them, `DIFFERENTIAL_SEED` the first one's seed: a script that failed is run again alone by 1 and its seed.
#![cfg(feature = "testing-http")]

mod call;
mod chance;
mod compare;
mod go_side;
mod our_side;
mod run;
mod script;
mod wait;

use std::collections::BTreeMap;

use futures::StreamExt as _;
use futures::stream;

use go_side::GoProcess;
use run::Outcome;
use script::{Mode, Script};
use wait::Stalls;

/// Scripts mostly wait: for backoffs, each in a world of its own.
const AT_ONCE: usize = 64;

fn number(variable: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number"))
}

#[test]
fn our_informer_and_client_go_s_tell_their_handlers_the_same() {
    let (count, first_seed) = (number("DIFFERENTIAL_SCRIPTS", 200), number("DIFFERENTIAL_SEED", 1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let failures = tokio::task::LocalSet::new().block_on(&runtime, run_all(first_seed..first_seed + count));
    assert_eq!(failures, 0, "scripts in which the two informers differ");
}

async fn run_all(seeds: std::ops::Range<u64>) -> usize {
    let begin = tokio::time::Instant::now();
    let count = seeds.end - seeds.start;
    let processes = BTreeMap::from(Mode::ALL.map(|mode| (mode, GoProcess::start(mode))));
    let stalls = Stalls::start();
    let one = |(number, seed): (usize, u64)| {
        let (processes, stalls) = (&processes, &stalls);
        async move {
            let script = Script::new(seed);
            (run::run(&script, number, &processes[&script.mode], stalls).await, script)
        }
    };
    let mut results = stream::iter(seeds.enumerate()).map(one).buffer_unordered(AT_ONCE);
    let (mut total, mut failures) = (Outcome::default(), 0);
    while let Some((result, script)) = results.next().await {
        match result {
            Ok(outcome) => add(&mut total, outcome),
            Err(error) => {
                failures += 1;
                eprintln!("seed {}: {error}\n{script}", script.seed);
            }
        }
    }
    let differences: BTreeMap<_, _> =
        total.differences.iter().map(|(kind, times)| (format!("{kind:?}"), times)).collect();
    eprintln!(
        "{count} scripts, {} steps, {} calls compared, stated differences {differences:?}, {failures} failures, {} s",
        total.steps,
        total.calls,
        begin.elapsed().as_secs()
    );
    failures
}

fn add(total: &mut Outcome, outcome: Outcome) {
    total.steps += outcome.steps;
    total.calls += outcome.calls;
    for (difference, times) in outcome.differences {
        *total.differences.entry(difference).or_default() += times;
    }
}
