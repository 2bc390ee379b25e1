use std::collections::VecDeque;

use super::ansi::AnsiText;
use super::buffer::LogBuffer;
use super::search::LogSearch;

/// The lines of a log that a search finds, kept as lines come and go.
#[derive(Debug, Default)]
pub struct Found {
    search: Option<LogSearch>,
    /// Their numbers, in order.
    lines: VecDeque<u64>,
    /// The next line to be looked at.
    next: u64,
}

impl Found {
    /// Looks for something else, or for nothing.
    pub fn set(&mut self, search: Option<LogSearch>) {
        *self = Self { search, ..Self::default() };
    }

    /// Begins again with another log.
    pub fn start_over(&mut self) {
        self.lines.clear();
        self.next = 0;
    }

    pub const fn search(&self) -> Option<&LogSearch> {
        self.search.as_ref()
    }

    /// Looks at the lines that have come, at `most` of them; whether none is left.
    pub fn update(&mut self, buffer: &LogBuffer, most: usize) -> bool {
        while self.lines.front().is_some_and(|line| *line < buffer.first()) {
            self.lines.pop_front();
        }
        let Some(search) = &self.search else { return true };
        // Only a part of the last line may have been there.
        self.next = self.next.saturating_sub(1).max(buffer.first());
        if self.lines.back() == Some(&self.next) {
            self.lines.pop_back();
        }
        for (number, line) in buffer.lines_from(self.next).take(most) {
            if !line.is_note && search.finds(&AnsiText::read(line.text()).text) {
                self.lines.push_back(number);
            }
            self.next = number + 1;
        }
        self.next == buffer.end()
    }

    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The place of a line among those found, from one on; none when it is not found.
    pub fn place(&self, line: u64) -> Option<usize> {
        self.lines.binary_search(&line).ok().map(|at| at + 1)
    }

    /// The first found line after this one; behind the last it begins anew.
    pub fn after(&self, line: Option<u64>) -> Option<u64> {
        let at = line.map_or(0, |line| self.lines.partition_point(|found| *found <= line));
        self.lines.get(at).or_else(|| self.lines.front()).copied()
    }

    /// The last found line before this one; before the first it goes on at the end.
    pub fn before(&self, line: Option<u64>) -> Option<u64> {
        let at = line.map_or(self.lines.len(), |line| self.lines.partition_point(|found| *found < line));
        at.checked_sub(1).and_then(|at| self.lines.get(at)).or_else(|| self.lines.back()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(search: &str) -> Found {
        let mut found = Found::default();
        found.set(LogSearch::parse(search).expect("it is right"));
        found
    }

    #[test]
    fn lines_are_found_as_they_come_and_forgotten_as_they_go() {
        let mut buffer = LogBuffer::with_limit(2_000);
        let mut found = found("7");
        for number in 0..1_000 {
            buffer.push(&format!("line {number}"));
            if number % 3 == 0 {
                while !found.update(&buffer, 2) {}
                let numbers = buffer.lines_from(0).filter(|(_, line)| line.text().contains('7'));
                assert_eq!(found.lines, numbers.map(|(number, _)| number).collect::<Vec<_>>());
            }
        }
        buffer.clear();
        buffer.push("7");
        found.start_over();
        assert!(found.update(&buffer, 100));
        assert_eq!(found.lines, [0]);
    }

    #[test]
    fn a_line_that_became_whole_is_looked_at_again() {
        let (mut buffer, mut found) = (LogBuffer::default(), found("hello"));
        for (part, count) in [("he", 0), ("hello", 1), ("hello you", 1), ("good bye", 0)] {
            buffer.replace_last(part);
            assert!(found.update(&buffer, 100));
            assert_eq!(found.count(), count, "{part}");
        }
    }

    #[test]
    fn one_walks_in_circles_through_what_is_found() {
        let (mut buffer, mut found) = (LogBuffer::default(), found("x"));
        for text in ["x", "a", "\u{1b}[1mx\u{1b}[0m", "b", "x"] {
            buffer.push(text);
        }
        buffer.note("x");
        assert_eq!((found.after(None), found.before(Some(1))), (None, None));
        found.update(&buffer, 100);
        for (from, after, before) in [(None, 0, 4), (Some(0), 2, 4), (Some(1), 2, 0), (Some(2), 4, 0), (Some(4), 0, 2)]
        {
            assert_eq!((found.after(from), found.before(from)), (Some(after), Some(before)), "from {from:?}");
        }
        assert_eq!((found.place(2), found.place(1), found.count()), (Some(2), None, 3));
    }
}
