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
const FOLLOWED: [(&str, usize); 16] = [
    ("tools/cache", 199),
    ("tools/pager", 3),
    ("tools/watch", 13),
    ("tools/remotecommand", 17),
    ("util/workqueue", 24),
    ("util/flowcontrol", 16),
    ("util/consistencydetector", 2),
    ("util/watchlist", 2),
    ("util/retry", 2),
    ("rest", 118),
    ("dynamic", 31),
    ("metadata", 12),
    ("discovery", 45),
    ("restmapper", 9),
    ("apimachinery", 20),
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

/// What has become of the functions of some files.
#[derive(Default)]
struct Count {
    tested: usize,
    go_only: usize,
    without: usize,
    own: BTreeSet<String>,
}

impl Count {
    fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut count = Self::default();
        for entry in entries {
            match entry {
                Entry::Tests(tests) if !tests.is_empty() => {
                    count.tested += 1;
                    count.own.extend(tests.iter().cloned());
                }
                Entry::GoOnly(reason) if !reason.is_empty() => count.go_only += 1,
                Entry::Without(reason) if !reason.is_empty() => count.without += 1,
                _ => panic!("each has a test or a reason: {entry:?}"),
            }
        }
        count
    }

    fn all(&self) -> usize {
        self.tested + self.go_only + self.without
    }
}

#[test]
fn the_ledger_is_whole_and_nearly_everything_in_it_has_a_test() {
    let ledger = ledger();
    let mut report = String::new();
    for (package, expected) in FOLLOWED {
        let files = ledger.iter().filter(|(file, _)| file.starts_with(&format!("{package}/")));
        let count = Count::of(files.flat_map(|(_, functions)| functions.values()));
        assert_eq!(count.all(), expected, "{package}");
        let Count { tested, go_only, without, own } = &count;
        report += &format!("| `{package}` | {expected} | {tested} | {go_only} | {without} | {} |\n", own.len());
    }
    let whole = Count::of(ledger.values().flat_map(BTreeMap::values));
    assert_eq!(whole.all(), FOLLOWED.iter().map(|(_, count)| count).sum::<usize>(), "each file is of a package above");
    let Count { tested, go_only, without, own } = &whole;
    report += &format!("| all | {} | {tested} | {go_only} | {without} | {} |\n", whole.all(), own.len());
    #[expect(clippy::print_stdout, reason = "`make test` shows it")]
    {
        println!("| package | functions there | with a test here | only in Go | without | tests here |\n{report}");
    }
    assert!(tested * 100 >= (whole.all() - go_only) * 95, "{report}");
    let readme = include_str!("README.md");
    let missing: Vec<_> = report.lines().filter(|line| !readme.contains(line)).collect();
    assert!(missing.is_empty(), "README.md says otherwise:\n{}", missing.join("\n"));
}
