use std::borrow::Cow;
use std::collections::BTreeSet;

use super::keys::sorted_entries;
use super::scalar::{Fold, Style, literal_head, pieces};
use super::secret::Place;
use super::{YamlLine, YamlSpan, YamlSpanKind};
use crate::api::{Object, ValueRef, number_text};

/// The longest key, in bytes, that stands before a colon without a question mark before it.
const LONGEST_SIMPLE_KEY: usize = 128;
/// What ends a line in YAML 1.1.
const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
/// Spaces by which what lies below stands further to the right.
const STEP: usize = 2;

/// Writes an object as lines (go.yaml.in/yaml/v2: `emitterc.go`).
pub(super) struct Writer<'a> {
    managed_fields: bool,
    /// The revealed keys, if the object is a Secret whose values are masked.
    revealed: Option<&'a BTreeSet<String>>,
    /// The column after which a text is broken at a space.
    width: Option<usize>,
    lines: Vec<YamlLine>,
    /// The last line ends with a sign after which a map or list may begin.
    after_sign: bool,
}

impl<'a> Writer<'a> {
    pub(super) const fn new(
        managed_fields: bool,
        revealed: Option<&'a BTreeSet<String>>,
        width: Option<usize>,
    ) -> Self {
        Self { managed_fields, revealed, width, lines: Vec::new(), after_sign: false }
    }

    pub(super) fn write(mut self, object: &Object) -> Vec<YamlLine> {
        if let Some(root) = object.get(&[]) {
            self.map(self.entries(root, Place::Root), 0, Place::Root);
        }
        self.lines
    }

    fn entries<'v>(&self, value: ValueRef<'v>, place: Place) -> Vec<(&'v str, ValueRef<'v>)> {
        let mut entries = sorted_entries(value);
        entries.retain(|(key, _)| self.managed_fields || place != Place::Metadata || *key != "managedFields");
        entries
    }

    fn map(&mut self, entries: Vec<(&str, ValueRef<'_>)>, indent: usize, place: Place) {
        for (key, value) in entries {
            self.begin(indent);
            if key.len() <= LONGEST_SIMPLE_KEY && !key.contains(BREAKS) {
                let written = pieces(key, Style::of(key, true), 0, None).concat();
                self.push(YamlSpanKind::Key, written);
                self.value(value, indent, key, place);
                continue;
            }
            self.sign("? ");
            self.text(key, indent + STEP, YamlSpanKind::Key);
            self.begin(indent);
            self.sign(": ");
            self.after(value, indent, key, place);
        }
    }

    /// What stands after a key.
    fn value(&mut self, value: ValueRef<'_>, indent: usize, key: &str, place: Place) {
        let below = place.below(key);
        let entries = self.entries(value, below);
        if !entries.is_empty() {
            self.sign(":");
            self.map(entries, indent + STEP, below);
        } else if value.items().next().is_some() {
            self.sign(":");
            self.list(value, indent);
        } else {
            self.sign(": ");
            self.scalar(value, indent, key, place);
        }
    }

    /// What stands after a dash, or after the colon of a long key.
    fn after(&mut self, value: ValueRef<'_>, indent: usize, key: &str, place: Place) {
        let below = place.below(key);
        let entries = self.entries(value, below);
        self.after_sign = true;
        if !entries.is_empty() {
            self.map(entries, indent + STEP, below);
        } else if value.items().next().is_some() {
            self.list(value, indent + STEP);
        } else {
            self.after_sign = false;
            self.scalar(value, indent, key, place);
        }
    }

    fn list(&mut self, value: ValueRef<'_>, indent: usize) {
        for item in value.items() {
            self.begin(indent);
            self.sign("- ");
            self.after(item, indent, "", Place::Elsewhere);
        }
    }

    fn scalar(&mut self, value: ValueRef<'_>, indent: usize, key: &str, place: Place) {
        if let Some(revealed) = self.revealed.filter(|_| place.is_secret(key)) {
            return self.secret(value, indent, (key, place), revealed.contains(key));
        }
        if let Some(text) = value.as_str() {
            return self.text(&text, indent + STEP, YamlSpanKind::Text);
        }
        let number = value.as_i64().map(|number| number.to_string());
        let number = number.or_else(|| value.as_u64().map(|number| number.to_string()));
        if let Some(number) = number.or_else(|| value.as_f64().map(number_text)) {
            return self.push(YamlSpanKind::Number, number);
        }
        let (kind, text) = match value.as_bool() {
            Some(true) => (YamlSpanKind::Word, "true"),
            Some(false) => (YamlSpanKind::Word, "false"),
            None if value.is_object() => (YamlSpanKind::Punctuation, "{}"),
            None if value.is_array() => (YamlSpanKind::Punctuation, "[]"),
            None => (YamlSpanKind::Word, "null"),
        };
        self.push(kind, text);
    }

    fn secret(&mut self, value: ValueRef<'_>, indent: usize, (key, place): (&str, Place), is_revealed: bool) {
        if let Some(line) = self.lines.last_mut() {
            line.secret = Some(key.into());
        }
        if is_revealed {
            return self.text(&place.revealed(value).unwrap_or_default(), indent + STEP, YamlSpanKind::Text);
        }
        let size = place.size(value);
        self.push(YamlSpanKind::Mask, "\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}");
        let unit = if size == 1 { " byte" } else { " bytes" };
        self.push(YamlSpanKind::Comment, ["  # ", &size.to_string(), unit].concat());
    }

    fn text(&mut self, text: &str, indent: usize, kind: YamlSpanKind) {
        let style = Style::of(text, false);
        if style != Style::Literal {
            let fold = self.width.map(|width| Fold { width, indent });
            for (at, piece) in pieces(text, style, self.column(), fold).into_iter().enumerate() {
                if at > 0 {
                    self.begin(indent);
                }
                self.push(kind, piece);
            }
            return;
        }
        self.sign(literal_head(text));
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.begin(indent);
            if !line.is_empty() {
                self.push(kind, line.to_owned());
            }
        }
    }

    /// Goes to a new line, unless the last one is open for what comes.
    fn begin(&mut self, indent: usize) {
        if !std::mem::take(&mut self.after_sign) {
            self.lines.push(YamlLine { indent, ..YamlLine::default() });
        }
    }

    fn sign(&mut self, sign: &'static str) {
        self.push(YamlSpanKind::Punctuation, sign);
    }

    fn push(&mut self, kind: YamlSpanKind, text: impl Into<Cow<'static, str>>) {
        if let Some(line) = self.lines.last_mut() {
            line.spans.push(YamlSpan { kind, text: text.into() });
        }
    }

    /// How many characters the last line has.
    fn column(&self) -> usize {
        let Some(line) = self.lines.last() else { return 0 };
        line.indent + line.spans.iter().map(|span| span.text.chars().count()).sum::<usize>()
    }
}
