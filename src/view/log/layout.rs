use std::collections::VecDeque;
use std::ops::Range;

use super::ansi::AnsiText;
use super::buffer::LogBuffer;

/// Which lines of a log stand in the page, and where, in rows of equal height.
///
/// A line that is wrapped takes several rows. How many is computed from its letters, which are equally wide.
#[derive(Debug, Default)]
pub struct LogLayout {
    /// How many letters a row has; none when lines are not wrapped.
    columns: Option<usize>,
    /// Of each line, when they are wrapped.
    rows: VecDeque<u16>,
    first: u64,
    end: u64,
    total: u64,
}

impl LogLayout {
    /// The most lines that stand in the page at once.
    pub const MAX_LINES: u64 = 180;

    /// Lines above and below those in view.
    const OVERSCAN: u64 = 12;

    /// Takes over what has changed in the buffer.
    pub fn update(&mut self, buffer: &LogBuffer, columns: Option<usize>) {
        if self.columns != columns || self.end > buffer.end() || self.end < buffer.first() {
            *self = Self { columns, first: buffer.first(), end: buffer.first(), ..Self::default() };
        }
        let Some(columns) = columns else {
            (self.first, self.end) = (buffer.first(), buffer.end());
            self.total = self.end - self.first;
            return;
        };
        while self.first < buffer.first() {
            self.total -= self.rows.pop_front().map_or(0, u64::from);
            self.first += 1;
        }
        // Only a part of the last line may have been there.
        if let Some(last) = self.rows.pop_back() {
            self.total -= u64::from(last);
            self.end -= 1;
        }
        for (number, line) in buffer.lines_from(self.end) {
            let rows = rows_of(&AnsiText::read(line.text()).text, columns);
            self.rows.push_back(rows);
            self.total += u64::from(rows);
            self.end = number + 1;
        }
    }

    /// The height of all lines.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The rows above a line.
    pub fn top(&self, line: u64) -> u64 {
        let lines = line.clamp(self.first, self.end) - self.first;
        match self.columns {
            None => lines,
            Some(_) => self.rows.iter().take(lines as usize).map(|rows| u64::from(*rows)).sum(),
        }
    }

    /// How many rows a line has.
    pub fn height(&self, line: u64) -> u64 {
        let rows = line.checked_sub(self.first).and_then(|at| self.rows.get(at as usize));
        rows.map_or(1, |rows| u64::from(*rows))
    }

    /// The line that a row belongs to; the last one behind the end.
    pub fn line_at(&self, row: u64) -> u64 {
        let last = self.end.saturating_sub(1).max(self.first);
        if self.columns.is_none() {
            return (self.first + row).min(last);
        }
        let mut below = 0;
        let at = self.rows.iter().position(|rows| {
            below += u64::from(*rows);
            below > row
        });
        at.map_or(last, |at| self.first + at as u64)
    }

    /// The lines to show: those in these rows, and some around them.
    pub fn visible(&self, rows: Range<u64>) -> Range<u64> {
        if self.first == self.end {
            return self.first..self.first;
        }
        let first = self.line_at(rows.start);
        let end = (self.line_at(rows.end) + 1).min(first + Self::MAX_LINES);
        let around = Self::OVERSCAN.min((Self::MAX_LINES - (end - first)) / 2);
        first.saturating_sub(around).max(self.first)..(end + around).min(self.end)
    }
}

fn rows_of(text: &str, columns: usize) -> u16 {
    let width = if text.is_ascii() && !text.contains('\t') { text.len() } else { width_of(text) };
    u16::try_from(width.div_ceil(columns.max(1))).unwrap_or(u16::MAX).max(1)
}

/// In letters: signs of East Asian scripts and pictures are twice as wide.
fn width_of(text: &str) -> usize {
    const TAB: usize = 8;
    text.chars().fold(0, |width, letter| match letter {
        '\t' => (width / TAB + 1) * TAB,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => width,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => width + 2,
        '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' => width + 2,
        '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}' => width + 2,
        _ => width + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(lines: usize) -> LogBuffer {
        let mut buffer = LogBuffer::with_limit(8_000);
        (0..lines).for_each(|at| buffer.push(&"x".repeat(at % 25)));
        buffer
    }

    #[test]
    fn each_line_is_a_row_without_wrapping() {
        let (mut layout, mut buffer) = (LogLayout::default(), buffer(2_000));
        layout.update(&buffer, None);
        let first = buffer.first();
        assert!(first > 0);
        assert_eq!(layout.total(), buffer.len() as u64);
        assert_eq!((layout.top(first), layout.top(first + 9), layout.line_at(9)), (0, 9, first + 9));
        assert_eq!(layout.line_at(1_000_000), 1_999);
        assert_eq!(layout.visible(0..40), first..first + 53);
        assert_eq!(layout.visible(100..140), first + 88..first + 153);
        assert!(layout.visible(0..100_000).count() as u64 <= LogLayout::MAX_LINES);
        buffer.clear();
        layout.update(&buffer, None);
        assert_eq!((layout.total(), layout.visible(0..40)), (0, 0..0));
    }

    #[test]
    fn wrapped_lines_take_the_rows_that_their_letters_need() {
        let mut layout = LogLayout::default();
        for lines in [0, 1, 7, 300, 2_000, 10] {
            let buffer = buffer(lines);
            layout.update(&buffer, Some(10));
            let mut top = 0;
            for (number, line) in buffer.lines_from(0) {
                let rows = line.whole.len().div_ceil(10).max(1) as u64;
                assert_eq!((layout.top(number), layout.height(number)), (top, rows));
                assert_eq!((layout.line_at(top), layout.line_at(top + rows - 1)), (number, number));
                top += rows;
            }
            assert_eq!(layout.total(), top);
        }
    }

    #[test]
    fn a_last_line_that_became_longer_is_measured_again() {
        let (mut layout, mut buffer) = (LogLayout::default(), LogBuffer::default());
        for (text, rows) in [("abc", 1), ("abcdefghijk", 2), ("a", 1), ("日本語日本語", 2), ("\ta", 1), ("\t\ta", 2)]
        {
            buffer.replace_last(text);
            layout.update(&buffer, Some(10));
            assert_eq!(layout.total(), rows, "{text:?}");
        }
    }
}
