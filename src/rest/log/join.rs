use std::collections::VecDeque;
use std::hash::{Hash as _, Hasher as _};

use jiff::Timestamp;
use rustc_hash::FxHasher;

use crate::api::parse_time;

/// So many lines are remembered in any case, for a node whose clock was set back.
const LEAST_REMEMBERED: usize = 4096;

/// Joins what comes after a break with what came before, so that no line is lost and none comes twice.
///
/// A log can be asked for from a second on, and no finer: the API server hands `sinceTime` on to the kubelet without
/// its fraction (registry: `core/pod/strategy.go`, `LogLocation`). So the lines of the last second come once more, in
/// the same order, and are told apart by their times and texts.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// The last lines, at least all of the last second.
    known: VecDeque<Known>,
    /// Those at the front that may come again after a break, and the next of them that is expected.
    again: std::ops::Range<usize>,
    /// The last line, which may have broken off within.
    last: String,
    last_time: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    second: i64,
    hash: u64,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    New,
    /// It has come before, or will come again.
    Known,
    /// The last line, which had broken off, and is whole now.
    LastAgain,
}

impl Joiner {
    /// From when on to ask after a break; none when it is not known: then all is asked for as at first.
    pub(super) fn since(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.last_time?.as_second()).ok()
    }

    /// The time of the last line.
    pub(super) fn last_time(&self) -> Option<Timestamp> {
        self.last_time
    }

    /// What comes from now on begins with lines that have come before.
    pub(super) fn begin_again(&mut self) {
        let since = self.last_time.map(Timestamp::as_second);
        let first = self.known.iter().position(|known| since.is_none_or(|since| known.second >= since));
        self.again = first.unwrap_or(self.known.len())..self.known.len();
    }

    /// Whether a line that comes, with its time before it, has come before. Of an open one only the beginning came.
    pub(super) fn take(&mut self, line: &str, is_open: bool) -> Joined {
        if is_open && is_begun_time(line) {
            return Joined::Known;
        }
        if !self.again.is_empty() {
            let hash = hash_of(line);
            if let Some(at) = self.known.range(self.again.clone()).position(|known| known.hash == hash) {
                // Those before it are gone from the node.
                self.again.start += at + 1;
                return Joined::Known;
            }
            if self.again.end == self.known.len() && goes_on(&self.last, line) {
                self.known.pop_back();
                self.again = 0..0;
                self.remember(line);
                return Joined::LastAgain;
            }
            // The beginning of one that has come before, and that comes whole after the next break.
            if is_open && time_of(line).is_none_or(|time| self.last_time.is_some_and(|last| time <= last)) {
                return Joined::Known;
            }
        }
        self.remember(line);
        Joined::New
    }

    fn remember(&mut self, line: &str) {
        let time = time_of(line);
        // The pieces of a long line have no times but the first.
        self.last_time = time.or(self.last_time);
        let second = self.last_time.map_or(i64::MIN, Timestamp::as_second);
        self.known.push_back(Known { second, hash: hash_of(line) });
        self.last.clear();
        self.last.push_str(line);
        while self.known.len() > LEAST_REMEMBERED && self.known.front().is_some_and(|known| known.second < second) {
            self.known.pop_front();
            self.again = self.again.start.saturating_sub(1)..self.again.end.saturating_sub(1);
        }
    }
}

/// Whether the first text is the beginning of the second.
fn goes_on(part: &str, whole: &str) -> bool {
    // A character that was cut has become another one.
    let part = part.trim_end_matches(char::REPLACEMENT_CHARACTER);
    !part.is_empty() && whole.len() > part.len() && whole.starts_with(part)
}

fn time_of(line: &str) -> Option<Timestamp> {
    parse_time(line.split_once(' ').map_or(line, |(time, _)| time))
}

/// Whether a line broke off before its text began.
fn is_begun_time(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
        && line.bytes().all(|byte| byte.is_ascii_digit() || b"-+:.TZ".contains(&byte))
}

fn hash_of(line: &str) -> u64 {
    let mut hasher = FxHasher::default();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the second and the nanosecond that are given.
    fn line(second: u32, nanosecond: u32, text: &str) -> String {
        format!("2026-11-29T10:00:{second:02}.{nanosecond:09}Z {text}")
    }

    /// `3.1 text` becomes the line of second 3 and nanosecond 1; other texts stay as they are.
    fn lines(short: &[&str]) -> Vec<String> {
        let read = |short: &&str| {
            let (time, text) = short.split_once(' ')?;
            let (second, nanosecond) = time.split_once('.')?;
            Some(line(second.parse().ok()?, nanosecond.parse().ok()?, text))
        };
        short.iter().map(|short| read(short).unwrap_or_else(|| (*short).to_owned())).collect()
    }

    /// What is shown of lines that come one after the other.
    #[derive(Default)]
    struct Screen {
        joiner: Joiner,
        shown: Vec<String>,
    }

    impl Screen {
        /// Takes a connection's lines, the last of which may be open.
        fn read(&mut self, lines: &[impl AsRef<str>], is_last_open: bool) {
            self.joiner.begin_again();
            for (at, line) in lines.iter().enumerate() {
                let line = line.as_ref();
                match self.joiner.take(line, is_last_open && at + 1 == lines.len()) {
                    Joined::New => self.shown.push(line.to_owned()),
                    Joined::Known => {}
                    Joined::LastAgain => *self.shown.last_mut().expect("there is a last line") = line.to_owned(),
                }
            }
        }
    }

    /// What is shown after all of the streams, each of which ends as the log does: with an open line.
    fn join(streams: &[&[&str]]) -> Vec<String> {
        let mut screen = Screen::default();
        streams.iter().for_each(|stream| screen.read(&lines(stream), true));
        screen.shown
    }

    /// What it is, what came in each connection, and what is shown.
    type Case<'a> = (&'a str, &'a [&'a [&'a str]], &'a [&'a str]);

    #[test]
    fn no_line_is_lost_and_none_comes_twice() {
        let cases: [Case<'_>; 19] = [
            ("nothing new", &[&["1.0 a", "2.0 b"], &["2.0 b"]], &["1.0 a", "2.0 b"]),
            ("one new line", &[&["1.0 a", "2.0 b"], &["2.0 b", "3.0 c"]], &["1.0 a", "2.0 b", "3.0 c"]),
            (
                "several of the last second",
                &[&["1.0 a", "2.0 b", "2.5 c"], &["2.0 b", "2.5 c", "2.7 d"]],
                &["1.0 a", "2.0 b", "2.5 c", "2.7 d"],
            ),
            ("the same text at another time", &[&["2.0 a"], &["2.0 a", "2.1 a"]], &["2.0 a", "2.1 a"]),
            (
                "the same text at the same time",
                &[&["2.0 a", "2.0 a"], &["2.0 a", "2.0 a", "2.0 a"]],
                &["2.0 a", "2.0 a", "2.0 a"],
            ),
            (
                "another text at the same time",
                &[&["2.0 a"], &["2.0 a", "2.0 b"], &["2.0 a", "2.0 b", "2.0 c"]],
                &["2.0 a", "2.0 b", "2.0 c"],
            ),
            (
                "a break within those that come again",
                &[&["2.0 a", "2.1 b"], &["2.0 a"], &["2.0 a", "2.1 b", "2.2 c"]],
                &["2.0 a", "2.1 b", "2.2 c"],
            ),
            ("nothing at all after a break", &[&["2.0 a"], &[], &["2.0 a", "3.0 b"]], &["2.0 a", "3.0 b"]),
            ("the node has thrown all of them away", &[&["2.0 a", "2.1 b"], &["9.0 c"]], &["2.0 a", "2.1 b", "9.0 c"]),
            (
                "the node has thrown some of them away",
                &[&["2.0 a", "2.0 b", "2.1 c"], &["2.1 c", "2.2 d"]],
                &["2.0 a", "2.0 b", "2.1 c", "2.2 d"],
            ),
            ("two outputs that overtake each other", &[&["2.2 a"], &["2.2 a", "2.1 b"]], &["2.2 a", "2.1 b"]),
            (
                "a line that broke off",
                &[&["1.0 a", "2.0 he"], &["2.0 hello", "2.1 b"]],
                &["1.0 a", "2.0 hello", "2.1 b"],
            ),
            ("a line that broke off within a letter", &[&["2.0 th\u{FFFD}"], &["2.0 thírd"]], &["2.0 thírd"]),
            (
                "a line that broke off within its time",
                &[&["2.0 a", "2026-11-29T10:0"], &["2.0 a", "2.3 b"]],
                &["2.0 a", "2.3 b"],
            ),
            (
                "a line that was whole, and that another one begins with",
                &[&["2.0 a", "2.0 ab"], &["2.0 a", "2.0 ab", "2.0 abc"]],
                &["2.0 a", "2.0 ab", "2.0 abc"],
            ),
            (
                "a break within a line that comes again",
                &[&["2.0 a", "2.1 b"], &["2.0 a", "2026-11-29T10:00:02.00000"], &["2.0 a", "2.1 b", "2.2 c"]],
                &["2.0 a", "2.1 b", "2.2 c"],
            ),
            (
                "a last line without a newline after all others are gone from the node",
                &[&["2.0 a", "2.1 b"], &["2.3 c"]],
                &["2.0 a", "2.1 b", "2.3 c"],
            ),
            (
                "a long line in pieces that broke off in the second",
                &[&["2.0 first-", "sec"], &["2.0 first-", "second-", "third", "3.0 b"]],
                &["2.0 first-", "second-", "third", "3.0 b"],
            ),
            ("lines without times", &[&["no log"], &["no log", "no log"]], &["no log", "no log"]),
        ];
        for (name, streams, shown) in cases {
            assert_eq!(join(streams), lines(shown), "{name}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_doubles_nothing() {
        let first: &[&str] = &["50.0 a", "51.0 b", "5.0 c", "6.0 d"];
        let again: &[&str] = &["50.0 a", "51.0 b", "6.0 d", "6.1 e"];
        assert_eq!(join(&[first, again]), lines(&["50.0 a", "51.0 b", "5.0 c", "6.0 d", "6.1 e"]));
    }

    #[test]
    fn every_two_cuts_of_a_log_join_to_the_whole() {
        let log: Vec<_> = (0..8).map(|at| line(at / 3, at % 3 * 1000, &format!("line {at}"))).collect();
        let read_until = |screen: &mut Screen, end: Option<usize>| {
            let since = screen.joiner.since();
            let text =
                log.iter().filter(|line| time_of(line) >= since).map(|line| format!("{line}\n")).collect::<String>();
            let text = &text[..end.unwrap_or(text.len()).min(text.len())];
            let lines: Vec<_> = text.split_terminator('\n').collect();
            screen.read(&lines, !text.ends_with('\n'));
        };
        let length = log.iter().map(|line| line.len() + 1).sum::<usize>();
        for first in 0..=length {
            for second in (0..=length).step_by(3) {
                let mut screen = Screen::default();
                for end in [Some(first), Some(second), None] {
                    read_until(&mut screen, end);
                }
                assert_eq!(screen.shown, log, "cut at {first}, then at {second}");
            }
        }
    }

    #[test]
    fn it_asks_from_the_last_second_on_and_remembers_no_more_than_it_must() {
        let mut joiner = Joiner::default();
        assert_eq!(joiner.since(), None);
        for at in 0..20_000 {
            joiner.take(&line(at / 400 % 60, at % 400, "x"), false);
        }
        assert_eq!(joiner.since(), parse_time("2026-11-29T10:00:49Z"));
        assert!(joiner.known.len() <= LEAST_REMEMBERED + 400, "{}", joiner.known.len());
    }
}
