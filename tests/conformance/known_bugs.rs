//! `known_bugs.md` names each known bug of informers and work queues, with the tests that hold the right behaviour.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::ledger::run_self;

/// A line of the list.
struct Bug {
    /// `#115658` and so on.
    reports: BTreeSet<&'static str>,
    tests: Vec<&'static str>,
}

fn bugs() -> Vec<Bug> {
    let bug = |line: &'static str| {
        let (said, _) = line.split_once('`').unwrap_or((line, ""));
        Bug { reports: numbers(said), tests: line.split('`').skip(1).step_by(2).collect() }
    };
    include_str!("known_bugs.md").lines().filter(|line| line.starts_with("- ")).map(bug).collect()
}

fn numbers(text: &str) -> BTreeSet<&str> {
    let length = |text: &str| 1 + text[1..].bytes().take_while(u8::is_ascii_digit).count();
    text.match_indices('#').map(|(at, _)| &text[at..at + length(&text[at..])]).filter(|it| it.len() > 1).collect()
}

/// The test's file and function; one of this program's has its module's path for a file.
fn place(test: &str) -> (PathBuf, &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (module, function) = test.rsplit_once("::").unwrap_or(("", test));
    if module.ends_with(".rs") {
        return (root.join(module), function);
    }
    (root.join("tests/conformance").join(module.replace("::", "/") + ".rs"), function)
}

/// What is written above a test; none when the file has no such function.
pub(crate) fn documentation(test: &str) -> Option<String> {
    let (file, function) = place(test);
    let text = fs::read_to_string(file).ok()?;
    let head = &text[..text.find(&format!("fn {function}("))?];
    let above = head.lines().rev().skip(1).map(str::trim).take_while(|line| line.starts_with(['/', '#']));
    Some(above.filter(|line| line.starts_with("///")).collect())
}

#[test]
fn each_test_that_the_list_names_is_there() {
    let listed = run_self(&["--list", "--format=terse"]);
    let here: BTreeSet<_> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let bugs = bugs();
    assert!(bugs.len() > 50 && bugs.iter().all(|bug| !bug.tests.is_empty()));
    let named: BTreeSet<_> = bugs.iter().flat_map(|bug| &bug.tests).copied().collect();
    let is_there = |test: &&str| if test.contains('/') { documentation(test).is_some() } else { here.contains(test) };
    let missing: Vec<_> = named.into_iter().filter(|test| !is_there(test)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn each_test_cites_a_report_that_it_stands_for() {
    let cites = |test: &str, bug: &Bug| {
        let text = documentation(test).unwrap_or_default();
        bug.reports.is_empty() || !numbers(&text).is_disjoint(&bug.reports)
    };
    let silent: Vec<_> = bugs()
        .iter()
        .flat_map(|bug| bug.tests.iter().copied().filter(|test| !cites(test, bug)).collect::<Vec<_>>())
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
