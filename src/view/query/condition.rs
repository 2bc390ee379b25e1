use std::ops::Range;

use jiff::Timestamp;

use super::bound::Bound;
use super::object::{any_at, any_image};
use super::pattern::Pattern;
use crate::api::{LabelSelector, Object};
use crate::view::{Cell, Column, CustomColumn, Resource, Row};

/// One row as a query looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The table that it is a row of.
    pub resource: &'a Resource,
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
    /// What the object's own kind has, in a table of several.
    Kind,
}

impl Condition {
    /// A condition whose column is not there lets everything through.
    pub(super) fn matches(&self, subject: &Subject<'_>) -> bool {
        let (row, now) = (subject.row, subject.now);
        let found = match self.place(subject.resource) {
            None => return true,
            Some(Place::Cells) => {
                let mut shown = row.cells.iter().enumerate().filter(|(at, _)| is_shown(*at, subject.hidden));
                shown.any(|(_, cell)| self.test.admits(cell, now))
            }
            Some(Place::Name) => self.test.admits_text(&row.name),
            Some(Place::Namespace) => self.test.admits_text(&row.namespace),
            Some(Place::Column(at)) => row.cells.get(at).is_some_and(|cell| self.test.admits(cell, now)),
            Some(Place::Object) => self.finds_in(subject.object),
            Some(Place::Kind) => self.finds_in_kind(subject.resource, subject.object, now),
        };
        found != self.is_inverse
    }

    /// None when there is no such column, in a table of several kinds in none of them either.
    pub(in crate::view) fn place(&self, resource: &Resource) -> Option<Place> {
        let members = resource.members();
        match &self.target {
            Target::Cells => Some(Place::Cells),
            Target::Name => Some(Place::Name),
            Target::Namespace => Some(Place::Namespace),
            Target::Ready if !members.is_empty() => Some(Place::Kind),
            Target::Column { .. } | Target::Ready => self.column(resource.columns).map(Place::Column).or_else(|| {
                let is_there = members.iter().any(|member| self.column(member.resource.columns).is_some());
                is_there.then_some(Place::Kind)
            }),
            _ => Some(Place::Object),
        }
    }

    /// The place of the column that it names.
    fn column(&self, columns: &[Column]) -> Option<usize> {
        let column = |name: &str| columns.iter().position(|column| is_named(column.name, name));
        match &self.target {
            Target::Column { name, .. } => column(name),
            Target::Ready => column("ready").or_else(|| column("status")),
            _ => None,
        }
    }

    /// As [`finds_in`](Self::finds_in), by the cells of the object's own kind. Where that has no such column the cell
    /// is empty; what can be neither ready nor not never matches.
    pub(in crate::view) fn finds_in_kind(&self, resource: &Resource, object: &Object, now: Timestamp) -> bool {
        if matches!(self.target, Target::Ready) {
            let cells = resource.cells(object);
            let cell = |name| cells.get(resource.column(name)?).filter(|cell| **cell != Cell::exact(""));
            return match cell("READY").or_else(|| cell("STATUS")) {
                Some(cell) => self.test.admits(cell, now),
                None => self.is_inverse,
            };
        }
        let Some(member) = resource.members().get(resource.member_of(object)) else { return false };
        match self.column(member.resource.columns) {
            Some(at) => member.resource.cells(object).get(at).is_some_and(|cell| self.test.admits(cell, now)),
            None => self.test.admits_text(""),
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
    // A share is another column than the amount.
    name.chars().filter(|c| c.is_alphanumeric() || *c == '%').map(|c| c.to_ascii_lowercase())
}
