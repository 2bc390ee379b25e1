//! `ledger.toml` names each test function of the Go packages that are followed here, with the test of ours that stands
//! for it, or the reason why none does.
//!
//! `cargo test --features testing,metrics --test conformance ledger -- --nocapture` prints the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde::Deserialize;

/// The functions of a Go file by name.
type Ledger = BTreeMap<String, BTreeMap<String, Entry>>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Entry {
    Tests(BTreeSet<String>),
    /// It tests what Rust's types or one thread make impossible.
    GoOnly(String),
    /// It has no test here, for another reason.
    Without(String),
}

/// What is followed, and how many test functions (for controller-runtime: functions and specs) it has at the versions
/// that `tests/cluster/go.mod` names, or the newest.
const FOLLOWED: [(&str, usize); 10] = [
    ("tools/cache", 199),
    ("tools/pager", 3),
    ("tools/watch", 13),
    ("util/workqueue", 24),
    ("util/flowcontrol", 16),
    ("util/consistencydetector", 2),
    ("util/watchlist", 2),
    ("util/retry", 2),
    ("rest/watch", 3),
    ("controller-runtime", 32),
];

fn ledger() -> Ledger {
    toml::from_str(include_str!("ledger.toml")).expect("the ledger is TOML")
}

/// Runs this program again with the arguments, and gives what it prints.
pub(crate) fn run_self(arguments: &[&str]) -> String {
    let program = std::env::current_exe().expect("a test knows its program");
    let output = Command::new(program).args(arguments).output().expect("it runs");
    String::from_utf8(output.stdout).expect("tests print text")
}

fn tests(ledger: &Ledger) -> BTreeSet<&str> {
    let entries = ledger.values().flat_map(BTreeMap::values);
    let tests = entries.filter_map(|entry| if let Entry::Tests(tests) = entry { Some(tests) } else { None });
    tests.flatten().map(String::as_str).collect()
}

#[test]
fn each_test_that_the_ledger_names_is_there_runs_and_passes() {
    let ledger = ledger();
    let tests = tests(&ledger);
    let arguments: Vec<&str> = ["--exact", "--test-threads=2"].into_iter().chain(tests.iter().copied()).collect();
    let output = run_self(&arguments);
    let passed: BTreeSet<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"))
        // A test that must panic says so in its line.
        .map(|name| name.strip_suffix(" - should panic").unwrap_or(name))
        .collect();
    let missing: Vec<_> = tests.difference(&passed).collect();
    assert!(missing.is_empty(), "these are missing, ignored or fail: {missing:#?}\n{output}");
}

#[test]
fn the_ledger_is_whole_and_nearly_everything_in_it_has_a_test() {
    let ledger = ledger();
    let (mut with_test, mut needed, mut report) = (0, 0, String::new());
    for (file, functions) in &ledger {
        let count = |wanted: fn(&Entry) -> bool| functions.values().filter(|entry| wanted(entry)).count();
        let tested = count(|entry| matches!(entry, Entry::Tests(tests) if !tests.is_empty()));
        let go_only = count(|entry| matches!(entry, Entry::GoOnly(reason) if !reason.is_empty()));
        let without = count(|entry| matches!(entry, Entry::Without(reason) if !reason.is_empty()));
        assert_eq!(tested + go_only + without, functions.len(), "{file}: each has a test or a reason");
        with_test += tested;
        needed += functions.len() - go_only;
        report +=
            &format!("{file:<64} {tested:>3} of {:>3}, {go_only} only in Go, {without} without\n", functions.len());
    }
    for (package, count) in FOLLOWED {
        let listed = ledger.iter().filter(|(file, _)| file.starts_with(package)).map(|(_, functions)| functions.len());
        assert_eq!(listed.sum::<usize>(), count, "{package}");
    }
    report += &format!("{with_test} of {needed} have a test: {:.1} %\n", 100.0 * with_test as f64 / needed as f64);
    #[expect(clippy::print_stdout, reason = "`make test` shows it")]
    {
        println!("{report}");
    }
    assert!(with_test * 100 >= needed * 95, "{report}");
}
