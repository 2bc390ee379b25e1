//! `browser_list.md` names each of the 40 cases in which a browser is another host, with the tests that hold it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::known_bugs::documentation;
use super::ledger::run_self;

const NUMBERS: RangeInclusive<u32> = 1..=40;

/// A line of the table.
struct Case {
    number: u32,
    tests: Vec<&'static str>,
}

fn cases() -> Vec<Case> {
    let case = |line: &'static str| {
        let number = line.strip_prefix("| ")?.split_once(' ')?.0.parse().ok()?;
        Some(Case { number, tests: line.split('`').skip(1).step_by(2).collect() })
    };
    include_str!("browser_list.md").lines().filter_map(case).collect()
}

/// The numbers of `Case 6 of the browser test list` and `Cases 1 to 5 and 11 of the browser test list`.
fn numbers(documentation: &str) -> BTreeSet<u32> {
    let mut numbers = BTreeSet::new();
    for said in documentation.split("Case").skip(1).filter_map(|said| said.split_once(" of the browser test list")) {
        let words: Vec<_> = said.0.trim_start_matches('s').split([' ', ',']).filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let Ok(number) = word.parse::<u32>() else { continue };
            let to = words.get(at + 2).filter(|_| words.get(at + 1) == Some(&"to")).and_then(|to| to.parse().ok());
            numbers.extend(number..=to.unwrap_or(number));
        }
    }
    numbers
}

#[test]
fn each_case_is_listed_once_and_has_a_test() {
    let cases = cases();
    assert!(cases.iter().map(|case| case.number).eq(NUMBERS));
    let without: Vec<_> = cases.iter().filter(|case| case.tests.is_empty()).map(|case| case.number).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn each_test_of_a_case_is_there_and_names_its_number() {
    let listed = run_self(&["--list", "--format=terse"]);
    let here: BTreeSet<_> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    for Case { number, tests } in cases() {
        for test in tests {
            assert!(test.contains('/') || here.contains(test), "{number}: there is no {test}");
            let documentation = documentation(test).unwrap_or_else(|| panic!("{number}: there is no {test}"));
            assert!(numbers(&documentation).contains(&number), "{number}: {test} does not name it");
        }
    }
}

#[test]
fn numbers_are_read_from_words() {
    let read = |text: &str| numbers(text).into_iter().collect::<Vec<_>>();
    assert_eq!(read("/// Case 6 of the browser test list."), [6]);
    assert_eq!(read("Cases 1 to 5 and 11 of the browser test list; PR #7"), [1, 2, 3, 4, 5, 11]);
    assert_eq!(read("Cases 18, 19 and 20 of the browser test list: in 4 ways"), [18, 19, 20]);
    assert!(read("Case 6 of another list").is_empty());
}
