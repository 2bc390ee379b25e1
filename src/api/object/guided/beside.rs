//! Reading an object's text beside that of the object it is described by.

use super::{Astray, Guided};
use crate::api::object::bytes::shared_prefix;
use crate::api::object::nodes::Nodes as _;
use crate::api::object::template::{Template, What};

impl Guided<'_> {
    /// Reads the object that the text begins with, and gives its length in bytes.
    ///
    /// What both texts have in common is compared as one, and only values that differ are read.
    pub(in crate::api::object) fn read_beside(mut self, template: &Template) -> Result<usize, Astray> {
        self.scratch.writer.clear();
        let base_family = self.base.family_node();
        let mut is_family = base_family.is_none_or(|node| self.base.text(node) == self.family);
        // Where it is in the text of the base; both are the same from behind the value that was read before.
        let (mut at, mut read, mut last) = (0, 0, 0);
        // The value that is not kept of which a text was read last, and where it begins here.
        let mut left_out = None;
        loop {
            let shared = shared_prefix(&self.text[self.at..], &template.text[at..]);
            (self.at, at) = (self.at + shared, at + shared);
            if at == template.text.len() {
                break;
            }
            last = template.last_begun(last, at, self.peek());
            let (number, ended) = template.open_value(last, at, self.peek()).ok_or(Astray::Unlike)?;
            let value = template.value(number).ok_or(Astray::Unlike)?;
            let is_inside = at > value.start as usize
                && matches!(value.what, What::Node(node, _) if self.base.kind(node).is_container());
            let start = if is_inside { ended.map_or(value.start + 1, |ended| ended.end) } else { value.start } as usize;
            self.at = match left_out {
                _ if start >= read => self.at + start - at,
                Some((known, begins)) if known == number => begins,
                _ => return Err(Astray::Unlike),
            };
            match value.what {
                What::Node(node, place) if is_inside => {
                    let end = self.base.next(node);
                    let next = template.next_node(number, last).unwrap_or(end);
                    self.held(node, next, place, ended.is_some())?;
                    is_family |= base_family.is_some_and(|family| (next..end).contains(&family));
                }
                What::Node(node, place) => {
                    self.value(node, place)?;
                    is_family |= Some(node) == base_family;
                }
                What::TextLeftOut if self.peek() != b'"' => return Err(Astray::Unlike),
                What::TextLeftOut => {
                    let begins = template.value(value.holder).map(|whole| whole.start as usize);
                    if let Some(begins) = begins.filter(|begins| *begins >= read) {
                        left_out = Some((value.holder, self.at + begins - start));
                    }
                    self.raw_value()?;
                }
                What::LeftOut => {
                    self.raw_value()?;
                }
            }
            (at, read) = (value.end as usize, value.end as usize);
        }
        match base_family.filter(|_| !is_family) {
            Some(node) => Err(Astray::Family(self.base.text(node).into())),
            None => Ok(self.at),
        }
    }
}
