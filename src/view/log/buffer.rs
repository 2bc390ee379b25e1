use std::collections::VecDeque;

use jiff::Timestamp;

use crate::api::parse_time;

/// The last lines of a log, as many as fit into so many bytes. They lie one after the other in one text.
///
/// Lines are numbered from the log's first on, so that a number means the same line after others were dropped.
#[derive(Debug)]
pub struct LogBuffer {
    text: String,
    /// Where `text` begins in all that was written.
    base: u64,
    lines: VecDeque<Place>,
    first: u64,
    /// Of those dropped, the ones that the container wrote.
    dropped: u64,
    limit: usize,
}

/// Where a line lies.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    len: u32,
    /// Of its time and the space behind it; zero when it has none.
    time_len: u8,
    is_note: bool,
}

/// What a line costs besides its text.
const PLACE: usize = size_of::<Place>();

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// With its time before it, as it came.
    pub whole: &'a str,
    time_len: usize,
    /// Our own words, between what the container wrote.
    pub is_note: bool,
}

impl<'a> LogLine<'a> {
    /// What the container wrote.
    pub fn text(&self) -> &'a str {
        let text = self.whole.get(self.time_len..).unwrap_or_default();
        text.strip_suffix('\r').unwrap_or(text)
    }

    pub fn time(&self) -> Option<Timestamp> {
        parse_time(self.whole_time())
    }

    /// The time as it came.
    pub fn whole_time(&self) -> &'a str {
        self.whole.get(..self.time_len).unwrap_or_default().trim_end()
    }
}

impl Default for LogBuffer {
    fn default() -> Self {
        Self::with_limit(Self::BYTES)
    }
}

impl LogBuffer {
    /// Some 30,000 lines, and little enough to be searched at once.
    pub const BYTES: usize = 4 * 1024 * 1024;

    /// A buffer that holds so many bytes of lines, the places where they lie included.
    pub fn with_limit(limit: usize) -> Self {
        Self { text: String::new(), base: 0, lines: VecDeque::new(), first: 0, dropped: 0, limit }
    }

    /// Adds a line, with its time before it.
    pub fn push(&mut self, line: &str) {
        self.add(line, time_len(line), false);
    }

    /// Adds words of our own.
    pub fn note(&mut self, words: &str) {
        self.add(words, 0, true);
    }

    /// Takes the place of the last line, of which only a part had come.
    pub fn replace_last(&mut self, line: &str) {
        if let Some(last) = self.lines.pop_back() {
            self.text.truncate((last.start - self.base) as usize);
        }
        self.push(line);
    }

    fn add(&mut self, line: &str, time_len: u8, is_note: bool) {
        let len = u32::try_from(line.len()).unwrap_or(u32::MAX);
        self.make_room(line.len());
        let start = self.base + self.text.len() as u64;
        self.text.push_str(line);
        self.lines.push_back(Place { start, len, time_len, is_note });
        while self.bytes() > self.limit && self.lines.len() > 1 {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if let Some(place) = self.lines.pop_front() {
            self.first += 1;
            self.dropped += u64::from(!place.is_note);
        }
    }

    /// Moves the text together when much of it was dropped: once for each quarter of the limit that comes.
    fn make_room(&mut self, len: usize) {
        let dead = self.lines.front().map_or(self.text.len(), |first| (first.start - self.base) as usize);
        if dead > self.limit / 4 {
            self.text.drain(..dead);
            self.base += dead as u64;
        }
        if self.text.capacity() - self.text.len() < len {
            self.text.reserve_exact(len.max(self.text.len() / 4).max(4096));
        }
    }

    /// Forgets everything, also what was dropped.
    pub fn clear(&mut self) {
        *self = Self::with_limit(self.limit);
    }

    /// The number of the first line that is there.
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// The number of the next line that comes.
    pub fn end(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many lines were dropped at the front.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Of the lines that are there and their places.
    pub fn bytes(&self) -> usize {
        let text = self.lines.front().map_or(0, |first| self.base + self.text.len() as u64 - first.start);
        text as usize + self.lines.len() * PLACE
    }

    /// A line by its number; none when it was dropped, or has not come yet.
    pub fn get(&self, number: u64) -> Option<LogLine<'_>> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.lines.get(at).map(|place| self.line(*place))
    }

    /// All lines from a number on.
    pub fn lines_from(&self, number: u64) -> impl Iterator<Item = (u64, LogLine<'_>)> {
        let skipped = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.lines.len());
        (self.first + skipped as u64..).zip(self.lines.range(skipped..).map(|place| self.line(*place)))
    }

    pub fn last(&self) -> Option<LogLine<'_>> {
        self.lines.back().map(|place| self.line(*place))
    }

    fn line(&self, place: Place) -> LogLine<'_> {
        let start = (place.start - self.base) as usize;
        let whole = self.text.get(start..start + place.len as usize).unwrap_or_default();
        LogLine { whole, time_len: place.time_len.into(), is_note: place.is_note }
    }

    /// All lines as one text, with their times or without.
    pub fn to_text(&self, has_times: bool) -> String {
        let mut all = String::with_capacity(self.text.len() + self.lines.len());
        for (_, line) in self.lines_from(self.first) {
            all.push_str(if has_times { line.whole } else { line.text() });
            all.push('\n');
        }
        all
    }
}

/// Long enough for a time with nanoseconds and an offset, and the space behind it.
const LONGEST_TIME: usize = 36;

/// How many bytes at the beginning of a line are its time. It is not read yet, only told from other words.
fn time_len(line: &str) -> u8 {
    let bytes = line.as_bytes();
    let is_time = bytes.len() > 19 && bytes[4] == b'-' && bytes[10] == b'T' && bytes[13] == b':' && bytes[16] == b':';
    let space = bytes.iter().take(LONGEST_TIME).position(|byte| *byte == b' ').filter(|_| is_time);
    space.map_or(0, |space| space as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> String {
        format!("2026-11-29T10:00:{:02}.{number:09}Z line {number}", number % 60)
    }

    #[test]
    fn the_last_lines_stay_and_those_dropped_are_counted() {
        let mut buffer = LogBuffer::with_limit(10_000);
        for number in 0..5_000 {
            buffer.push(&line(number));
            assert!(buffer.bytes() <= 10_000);
            assert!(buffer.text.capacity() <= 16_000, "{}", buffer.text.capacity());
        }
        assert_eq!(buffer.dropped(), buffer.first());
        assert_eq!((buffer.end(), buffer.len()), (5_000, 5_000 - buffer.dropped() as usize));
        assert!(buffer.len() > 100);
        for (number, shown) in buffer.lines_from(buffer.first()) {
            assert_eq!(shown.text(), format!("line {number}"));
            assert_eq!(buffer.get(number), Some(shown));
        }
        assert_eq!(buffer.lines_from(4_990).count(), 10);
        assert_eq!(buffer.lines_from(9_000).count(), 0);
        assert_eq!((buffer.get(buffer.first() - 1), buffer.get(5_000)), (None, None));
    }

    #[test]
    fn a_line_has_its_text_and_its_time_apart() {
        let cases = [
            ("2026-11-29T10:00:01.000000002Z a b", "a b", true),
            ("2026-11-29T10:00:01.5+02:00 a", "a", true),
            ("2026-11-29T10:00:01Z ", "", true),
            ("2026-11-29T10:00:01Z windows\r", "windows", true),
            ("no time at all", "no time at all", false),
            ("a piece of a long line without any", "a piece of a long line without any", false),
            ("", "", false),
            ("2026-11-29T10:00:01.000000002Z", "2026-11-29T10:00:01.000000002Z", false),
            ("éééé-ééééé", "éééé-ééééé", false),
        ];
        let mut buffer = LogBuffer::default();
        for (whole, text, has_time) in cases {
            buffer.push(whole);
            let last = buffer.last().expect("it was added");
            assert_eq!((last.text(), last.time().is_some()), (text, has_time), "{whole:?}");
        }
        assert_eq!(buffer.get(0).and_then(|line| line.time()), parse_time("2026-11-29T10:00:01.000000002Z"));
    }

    #[test]
    fn a_line_that_became_whole_takes_the_place_of_its_part() {
        let mut buffer = LogBuffer::default();
        buffer.push("2026-11-29T10:00:01Z a");
        buffer.push("2026-11-29T10:00:02Z he");
        buffer.replace_last("2026-11-29T10:00:02Z hello");
        assert_eq!(buffer.to_text(false), "a\nhello\n");
        assert_eq!(buffer.to_text(true), "2026-11-29T10:00:01Z a\n2026-11-29T10:00:02Z hello\n");
        let mut empty = LogBuffer::default();
        empty.replace_last("a");
        assert_eq!((empty.to_text(true).as_str(), empty.end()), ("a\n", 1));
    }

    #[test]
    fn notes_are_no_lines_of_the_container() {
        let mut buffer = LogBuffer::with_limit(200);
        buffer.note("restarted");
        assert!(buffer.last().is_some_and(|line| line.is_note && line.time().is_none()));
        for number in 0..10 {
            buffer.push(&line(number));
        }
        assert_eq!(buffer.dropped() + 1, buffer.first());
        buffer.clear();
        assert!(buffer.is_empty() && buffer.dropped() == 0 && buffer.end() == 0);
    }

    #[test]
    fn a_line_longer_than_the_limit_is_shown_alone() {
        let mut buffer = LogBuffer::with_limit(100);
        buffer.push("short");
        buffer.push(&"long ".repeat(100));
        buffer.push("short again");
        assert_eq!((buffer.len(), buffer.dropped()), (1, 2));
    }
}
