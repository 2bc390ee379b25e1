/// Texts packed one after the other: two words each and no allocation of their own.
///
/// The place of what was removed is taken back by [`compact`](Self::compact), so that churn does not add up.
#[derive(Debug, Default)]
pub(super) struct Arena {
    text: String,
    /// Bytes of what was removed.
    dead: usize,
}

/// Where a text stands in its [`Arena`]; the default is the empty text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    start: u32,
    len: u32,
}

impl Arena {
    pub(super) fn add(&mut self, text: &str) -> Span {
        let start = self.text.len();
        if self.text.capacity() - start < text.len() {
            self.text.reserve_exact(text.len() + start / 8);
        }
        self.text.push_str(text);
        Span { start: small(start), len: small(text.len()) }
    }

    pub(super) fn get(&self, span: Span) -> &str {
        self.text.get(span.start as usize..(span.start + span.len) as usize).unwrap_or_default()
    }

    /// Gives the text up; its owner forgets the span.
    pub(super) fn remove(&mut self, span: &mut Span) {
        self.dead += span.len as usize;
        *span = Span::default();
    }

    /// It is time to [`compact`](Self::compact).
    pub(super) const fn is_wasteful(&self) -> bool {
        self.dead > 4096 && self.dead > self.text.len() / 3
    }

    /// Moves what is left together; takes all spans that are in use.
    pub(super) fn compact<'a>(&mut self, spans: impl Iterator<Item = &'a mut Span>) {
        let mut packed = Self { text: String::with_capacity(self.text.len() - self.dead), dead: 0 };
        for span in spans {
            *span = packed.add(self.get(*span));
        }
        *self = packed;
    }

    pub(super) const fn heap_bytes(&self) -> usize {
        self.text.capacity()
    }
}

/// Pushes without doubling the memory: a table's columns are long, and there are many.
pub(super) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(8 + list.len() / 8);
    }
    list.push(item);
}

/// Numbers of rows and bytes: a page's memory ends before four billions.
pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn churn_does_not_add_up() {
        let mut arena = Arena::default();
        let mut spans: Vec<_> = (0..1000).map(|at| arena.add(&format!("pod-{at:05}"))).collect();
        for round in 0..100_000 {
            let at = round * 7 % 1000;
            arena.remove(&mut spans[at]);
            spans[at] = arena.add(&format!("new-{at:05}"));
            if arena.is_wasteful() {
                arena.compact(spans.iter_mut());
            }
        }
        assert!(spans.iter().enumerate().all(|(at, span)| arena.get(*span) == format!("new-{at:05}")));
        assert!(arena.heap_bytes() < 32_000, "{}", arena.heap_bytes());
    }
}
