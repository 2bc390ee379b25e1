use std::ops::Range;

/// A place in a query's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// White space, or the end.
    pub(super) fn is_at_gap(&self) -> bool {
        self.rest().chars().next().is_none_or(char::is_whitespace)
    }

    pub(super) fn skip_gap(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Goes past this if it stands here.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let is_here = self.rest().starts_with(token);
        self.at += if is_here { token.len() } else { 0 };
        is_here
    }

    /// The letters up to the next gap.
    pub(super) fn word(&mut self) -> Range<usize> {
        self.until(|_, c| c.is_whitespace())
    }

    /// The letters up to one that ends them, which is given with those before it.
    pub(super) fn until(&mut self, mut ends: impl FnMut(&str, char) -> bool) -> Range<usize> {
        let (start, rest) = (self.at, self.rest());
        let end = rest.char_indices().find(|(at, c)| ends(&rest[..*at], *c));
        self.at += end.map_or(rest.len(), |(at, _)| at);
        start..self.at
    }

    /// A value: up to a gap that is neither in quotes nor in parentheses that it begins with.
    pub(super) fn value(&mut self) -> Range<usize> {
        let (mut is_quoted, mut is_open) = (false, self.rest().starts_with('('));
        self.until(|_, c| {
            match c {
                '"' => is_quoted = !is_quoted,
                ')' if !is_quoted => is_open = false,
                _ => {}
            }
            c.is_whitespace() && !is_quoted && !is_open
        })
    }
}
