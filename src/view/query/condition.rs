use std::ops::Range;

use jiff::Timestamp;

use super::bound::Bound;
use super::object::{any_at, any_image};
use super::pattern::Pattern;
use crate::api::{LabelSelector, Object};
use crate::view::{Cell, Column, CustomColumn, Row};

/// One row as a query looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The columns of the row's cells.
    pub columns: &'a [Column],
    pub row: &'a Row,
    pub object: &'a Object,
    /// A bit for each column that is not shown.
    pub hidden: u64,
    /// When ages are told.
    pub now: Timestamp,
}

/// A term that is in no error.
#[derive(Clone, Debug)]
pub(in crate::view) struct Condition {
    /// Where it stands in the query's text.
    pub(super) range: Range<usize>,
    pub(in crate::view) is_inverse: bool,
    pub(super) target: Target,
    pub(in crate::view) test: Test,
}

/// What a term looks at.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Cells,
    Name,
    Namespace,
    /// By the letters and digits of its name, in lower case.
    Column {
        name: String,
        at: Range<usize>,
    },
    /// Whether all is ready.
    Ready,
    Image,
    Label(String),
    Annotation(String),
    Path(String),
    Labels(LabelSelector),
}

/// What a term asks of a cell or text.
#[derive(Clone, Debug)]
pub(in crate::view) enum Test {
    /// One of them.
    Text(Vec<Pattern>),
    Compare(Bound),
    /// Whatever it is.
    Exists,
}

/// A target in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::view) enum Place {
    Cells,
    Name,
    Namespace,
    Column(usize),
    Object,
}

impl Condition {
    /// A condition whose column is not there lets everything through.
    pub(super) fn matches(&self, subject: &Subject<'_>) -> bool {
        let (row, now) = (subject.row, subject.now);
        let found = match self.place(subject.columns) {
            None => return true,
            Some(Place::Cells) => {
                let mut shown = row.cells.iter().enumerate().filter(|(at, _)| is_shown(*at, subject.hidden));
                shown.any(|(_, cell)| self.test.admits(cell, now))
            }
            Some(Place::Name) => self.test.admits_text(&row.name),
            Some(Place::Namespace) => self.test.admits_text(&row.namespace),
            Some(Place::Column(at)) => row.cells.get(at).is_some_and(|cell| self.test.admits(cell, now)),
            Some(Place::Object) => self.finds_in(subject.object),
        };
        found != self.is_inverse
    }

    /// None when there is no such column.
    pub(in crate::view) fn place(&self, columns: &[Column]) -> Option<Place> {
        let column = |name: &str| columns.iter().position(|column| is_named(column.name, name)).map(Place::Column);
        match &self.target {
            Target::Cells => Some(Place::Cells),
            Target::Name => Some(Place::Name),
            Target::Namespace => Some(Place::Namespace),
            Target::Column { name, .. } => column(name),
            Target::Ready => column("ready").or_else(|| column("status")),
            _ => Some(Place::Object),
        }
    }

    /// Whether the object has what is looked for, whether or not that is to be.
    pub(in crate::view) fn finds_in(&self, object: &Object) -> bool {
        let mut is_there = false;
        let mut look = |text: &str| {
            is_there = true;
            self.test.admits_text(text)
        };
        let found = match &self.target {
            Target::Labels(selector) => return selector.matches_by(|key| object.label(key)),
            Target::Label(key) => object.label(key).is_some_and(|value| look(&value)),
            Target::Annotation(key) => object.annotation(key).is_some_and(|value| look(&value)),
            Target::Path(path) => object.get(&[]).is_some_and(|root| any_at(root, path, &mut look)),
            Target::Image => any_image(object, &mut look),
            _ => false,
        };
        found || (!is_there && self.test.is_for_nothing())
    }

    /// The word, if it is no more than one.
    pub(super) fn word(&self) -> Option<&str> {
        self.test.word().filter(|_| !self.is_inverse && matches!(self.target, Target::Cells))
    }

    pub(super) const fn reads_objects(&self) -> bool {
        use Target::{Annotation, Image, Label, Labels, Path};
        matches!(self.target, Image | Label(_) | Annotation(_) | Path(_) | Labels(_))
    }

    /// Time may change what it matches.
    pub(super) const fn is_timed(&self) -> bool {
        match (&self.target, &self.test) {
            (Target::Column { .. }, Test::Compare(bound)) => bound.is_duration(),
            _ => false,
        }
    }
}

impl Test {
    pub(in crate::view) fn admits(&self, cell: &Cell, now: Timestamp) -> bool {
        match (self, cell) {
            (Self::Compare(bound), _) => bound.admits(cell, now),
            // A row must not come and go as time passes unless that is asked for.
            (_, Cell::Age(_)) => false,
            _ => cell.with_search_text(|text| self.admits_text(text)),
        }
    }

    pub(in crate::view) fn admits_text(&self, text: &str) -> bool {
        match self {
            Self::Text(patterns) => patterns.iter().any(|pattern| pattern.matches(text)),
            Self::Compare(bound) => bound.admits_text(text),
            Self::Exists => true,
        }
    }

    /// The word in lower case, if it asks for no more than one.
    pub(in crate::view) fn word(&self) -> Option<&str> {
        match self {
            Self::Text(patterns) => match patterns.as_slice() {
                [Pattern::Contains(word)] => Some(word),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_for_nothing(&self) -> bool {
        let is_nothing = |pattern: &Pattern| matches!(pattern, Pattern::Equals(whole) if whole.is_empty());
        matches!(self, Self::Text(patterns) if patterns.iter().any(is_nothing))
    }
}

/// Whether the column's bit is not set. Those beyond the bits always are.
pub(in crate::view) fn is_shown(column: usize, hidden: u64) -> bool {
    column >= 64 || hidden >> column & 1 == 0
}

/// The letters and digits of a column's name in lower case: `ports` of `PORT(S)`.
pub(super) fn plain(name: &str) -> String {
    letters(name).collect()
}

fn is_named(column: &str, name: &str) -> bool {
    letters(&CustomColumn::heading(column)).eq(name.chars())
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase())
}
