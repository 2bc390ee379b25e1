//! The texts of those that others are described by.

use std::ops::Range;
use std::sync::{Arc, Weak};

use super::base::Base;
use super::change_writer::KEPT;
use super::place::Place;

/// The text of a base, and where its values stand in it.
///
/// A text that has the same fields is compared with it as one, and read only where it differs.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) text: Box<[u8]>,
    values: Box<[Value]>,
}

/// A value in the text of a base.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Where it begins and ends.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) what: What,
    /// The number of the value that holds it; the outermost one has its own.
    pub(super) holder: u32,
}

impl Value {
    const fn node(&self) -> Option<u32> {
        match self.what {
            What::Node(node, _) => Some(node),
            What::LeftOut | What::TextLeftOut => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Node(u32, Place),
    /// What is not kept, and a text in it.
    LeftOut,
    TextLeftOut,
}

/// The values of a text, as they come.
#[derive(Debug)]
pub(super) struct Values {
    values: Vec<Value>,
    holder: u32,
}

/// Bytes of text in which one value may be expected.
const SHORTEST: usize = 16;

impl Values {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { values: Vec::with_capacity(text.len() / SHORTEST), holder: 0 }
    }

    /// A value begins; gives its number.
    pub(super) fn open(&mut self, start: usize, what: What) -> u32 {
        let number = self.values.len() as u32;
        self.values.push(Value { start: start as u32, end: 0, what, holder: self.holder });
        self.holder = number;
        number
    }

    /// The value of this number ends.
    pub(super) fn close(&mut self, number: u32, end: usize) {
        let value = &mut self.values[number as usize];
        value.end = end as u32;
        self.holder = value.holder;
    }

    /// A text begins and ends in what is not kept.
    pub(super) fn left_out(&mut self, at: Range<usize>) {
        let text = self.open(at.start, What::TextLeftOut);
        self.close(text, at.end);
    }
}

impl Template {
    /// The number of the last value that has begun at a place, where another text has `byte`; `number` is that of one
    /// before it.
    pub(super) fn last_begun(&self, mut number: usize, at: usize, byte: u8) -> usize {
        // Where something ends, nothing begins.
        let end = at + usize::from(!matches!(byte, b'}' | b']'));
        while self.values.get(number + 1).is_some_and(|next| (next.start as usize) < end) {
            number += 1;
        }
        number
    }

    /// The number of the innermost value that has begun and not ended at a place, where another text has `byte`, and the
    /// value in it that ended last. `number` is that of the last one that began.
    pub(super) fn open_value(&self, number: usize, at: usize, byte: u8) -> Option<(u32, Option<Value>)> {
        let (mut number, mut ended) = (number as u32, None);
        loop {
            let value = self.value(number)?;
            if self.is_open(value, at, byte) {
                return Some((number, ended));
            }
            (number, ended) = (Some(value.holder).filter(|holder| *holder != number)?, Some(value));
        }
    }

    fn is_open(&self, value: Value, at: usize, byte: u8) -> bool {
        let is_text = self.text.get(value.start as usize) == Some(&b'"');
        let may_go_on = !is_text && !matches!(byte, b',' | b'}' | b']');
        at < value.end as usize || at == value.end as usize && may_go_on
    }

    /// The value of this number.
    pub(super) fn value(&self, number: u32) -> Option<Value> {
        self.values.get(number as usize).copied()
    }

    /// The first node that the value `holder` holds behind the value `last`, which is the last one that began.
    pub(super) fn next_node(&self, holder: u32, last: usize) -> Option<u32> {
        let end = self.value(holder)?.end;
        let behind = self.values.get(last + 1..)?.iter().take_while(|value| value.start < end);
        behind.filter(|value| value.holder == holder).find_map(Value::node)
    }
}

/// The templates of the bases that were used last. They keep no base alive.
#[derive(Debug, Default)]
pub(super) struct Templates(Vec<(Weak<Base>, Template)>);

/// Lists come sorted by name, and so one family after another.
const MOST: usize = 8;

impl Templates {
    pub(super) fn of(&mut self, base: &Arc<Base>) -> Option<&Template> {
        let found = self.0.iter().rposition(|(of, _)| of.as_ptr() == Arc::as_ptr(base))?;
        self.0[found..].rotate_left(1);
        self.0.last().map(|(_, template)| template)
    }

    pub(super) fn take(&mut self, base: &Arc<Base>, text: &[u8], values: Values) {
        if text.len() > KEPT {
            return;
        }
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((Arc::downgrade(base), Template { text: text.into(), values: values.values.into() }));
    }
}
