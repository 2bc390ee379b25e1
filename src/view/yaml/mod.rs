//! An object as YAML: in lines of spans for a view that highlights them, and as text for who copies it.
//!
//! As `kubectl get -o yaml` writes it (sigs.k8s.io/yaml, go.yaml.in/yaml/v2), but that a view's lines are as long as
//! their text, and that they do not show a Secret's values before somebody asks for one.

pub(super) mod base64;
mod keys;
mod resolve;
mod scalar;
mod secret;
mod writer;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) use self::secret::{LAST_APPLIED, is_secret, is_secret_at, secret_size};
use self::writer::Writer;
use crate::api::Object;

/// What of an object is shown.
#[derive(Clone, Copy, Debug)]
pub struct YamlOptions<'a> {
    /// `metadata.managedFields` too, which say who changed what.
    pub managed_fields: bool,
    /// The keys of a Secret's values that are shown; see [`YamlLine::secret`].
    pub revealed: &'a BTreeSet<String>,
}

/// One line, without its break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YamlLine {
    /// Spaces before the first span.
    pub indent: usize,
    pub spans: Vec<YamlSpan>,
    /// The key of a Secret's value that starts on this line, to be revealed or hidden again.
    pub secret: Option<Box<str>>,
}

/// A part of a line that is shown in one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlSpan {
    pub kind: YamlSpanKind,
    pub text: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlSpanKind {
    Key,
    Text,
    Number,
    /// `true`, `false` and `null`.
    Word,
    /// Dots in place of a Secret's value.
    Mask,
    Comment,
    /// Colons, dashes, and the spaces after them.
    Punctuation,
}

/// The object's lines. What a Secret holds stands as dots, its size beside them, until its key is revealed; then it is
/// decoded if it is text.
pub fn yaml_lines(object: &Object, options: &YamlOptions<'_>) -> Vec<YamlLine> {
    Writer::new(options.managed_fields, secret::is_secret(object).then_some(options.revealed), None).write(object)
}

/// The object as `kubectl get -o yaml` prints it, long texts on several lines.
///
/// Nothing of it is masked: a Secret's values are there, encoded as base64.
pub fn yaml_text(object: &Object, managed_fields: bool) -> String {
    const WIDTH: usize = 80;
    let mut text = String::new();
    for line in Writer::new(managed_fields, None, Some(WIDTH)).write(object) {
        line.push_to(&mut text);
        text.push('\n');
    }
    text
}

impl YamlLine {
    /// The line as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.push_to(&mut text);
        text
    }

    /// The spans, cut where places begin and end, each part with the number of its place; none where there is none.
    /// `places` are bytes of the [text](Self::text), in order; what they have of the indent is left out.
    pub fn parts(&self, places: &[Range<usize>]) -> Vec<(YamlSpanKind, &str, Option<usize>)> {
        let mut parts = Vec::with_capacity(self.spans.len());
        let mut left = places.iter().enumerate().peekable();
        let mut start = self.indent;
        for YamlSpan { kind, text } in &self.spans {
            let end = start + text.len();
            let mut from = start;
            while from < end {
                while left.next_if(|(_, place)| place.end <= from).is_some() {}
                let (mark, to) = match left.peek() {
                    Some((at, place)) if place.start <= from => (Some(*at), place.end),
                    Some((_, place)) => (None, place.start),
                    None => (None, end),
                };
                let to = to.min(end);
                parts.push((*kind, text.get(from - start..to - start).unwrap_or_default(), mark));
                from = to;
            }
            start = end;
        }
        parts
    }

    fn push_to(&self, text: &mut String) {
        if !self.spans.is_empty() {
            text.extend(std::iter::repeat_n(' ', self.indent));
        }
        text.extend(self.spans.iter().map(|span| &*span.text));
    }
}

#[cfg(test)]
mod tests;
