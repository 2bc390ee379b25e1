use std::ops::Range;

use super::condition::{Condition, Subject, Target};
use super::cursor::Cursor;
use super::parse::{Parsed, term};
use crate::view::Resource;

/// What the rows of a table are asked for; the module's documentation has the language.
///
/// It always works: a term in error lets every row through.
#[derive(Clone, Debug, Default)]
pub struct Query {
    text: String,
    terms: Vec<Range<usize>>,
    conditions: Vec<Condition>,
    kinds: Vec<KindName>,
    errors: Vec<QueryError>,
}

/// A term that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Bytes of the query's text.
    pub at: Range<usize>,
    /// What is wrong, and what a person can do.
    pub message: String,
}

/// A kind that a query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindName {
    /// In lower case.
    pub name: String,
    /// Bytes of the query's text.
    pub at: Range<usize>,
}

/// One of a query's terms, in error or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// Bytes of the query's text.
    pub range: Range<usize>,
    pub text: &'a str,
}

/// What was written decides.
impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Query {}

impl Query {
    /// Reads what it can; see [`errors`](Self::errors).
    pub fn parse(text: &str) -> Self {
        let mut query = Self { text: text.into(), ..Self::default() };
        let mut cursor = Cursor::new(text);
        cursor.skip_gap();
        while !cursor.rest().is_empty() {
            let start = cursor.at;
            match term(&mut cursor) {
                Ok(Parsed::Condition(condition)) => query.conditions.push(condition),
                Ok(Parsed::Kinds(kinds)) => query.kinds.extend(kinds),
                Err(error) => query.errors.push(error),
            }
            query.terms.push(start..cursor.at);
            cursor.skip_gap();
        }
        query
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The terms in their order, for marks that can be taken away one by one.
    pub fn terms(&self) -> Vec<Term<'_>> {
        self.terms.iter().map(|range| Term { range: range.clone(), text: &self.text[range.clone()] }).collect()
    }

    /// The query without the term that stands there.
    #[must_use]
    pub fn without(&self, range: &Range<usize>) -> Self {
        let before = self.text.get(..range.start).unwrap_or_default().trim_end();
        let behind = self.text.get(range.end..).unwrap_or_default().trim_start();
        Self::parse([before, " ", behind].concat().trim())
    }

    /// The kinds that the query is for, in the order in which they were written; empty when it names none.
    pub fn kinds(&self) -> &[KindName] {
        &self.kinds
    }

    /// The query in two: the terms that name kinds, and all others.
    pub fn split_kinds(&self) -> (String, String) {
        let has_kind = |term: &Range<usize>| self.kinds.iter().any(|kind| term.contains(&kind.at.start));
        let (kinds, others): (Vec<_>, Vec<_>) = self.terms.iter().cloned().partition(has_kind);
        let text = |terms: &[Range<usize>]| {
            let parts: Vec<_> = terms.iter().filter_map(|term| self.text.get(term.clone())).collect();
            parts.join(" ")
        };
        (text(&kinds), text(&others))
    }

    /// What is wrong in any table.
    pub fn errors(&self) -> &[QueryError] {
        &self.errors
    }

    /// What is wrong in the table of this resource: also the columns that it does not have; in the order of the text.
    pub fn check(&self, resource: &Resource) -> Vec<QueryError> {
        let mut errors = self.errors.clone();
        for condition in self.conditions.iter().filter(|it| it.place(resource).is_none()) {
            let at = match &condition.target {
                Target::Column { at, .. } => at.clone(),
                _ => condition.range.clone(),
            };
            let nowhere = match resource.members().is_empty() {
                true => "There is no column ",
                false => "None of the kinds has a column ",
            };
            let message =
                [nowhere, &self.text[at.clone()], "; put the whole term in quotes to look for it as text"].concat();
            errors.push(QueryError { at, message });
        }
        errors.sort_unstable_by_key(|error| error.at.start);
        errors
    }

    /// Every row matches.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        self.conditions.iter().all(|condition| condition.matches(subject))
    }

    /// A change of an object that changes no cell may change whether it matches.
    pub fn reads_objects(&self) -> bool {
        self.conditions.iter().any(Condition::reads_objects)
    }

    /// What matches may change with time alone.
    pub fn is_timed(&self) -> bool {
        self.conditions.iter().any(Condition::is_timed)
    }

    /// Each row that this matches is one that the other matched too: a word that became longer, or one more term.
    /// False where that is not sure.
    pub fn narrows(&self, other: &Self) -> bool {
        let text = |query: &Self, it: &Condition| query.text.get(it.range.clone()).map(str::to_owned);
        let implies = |new: &Condition, old: &Condition| match (new.word(), old.word()) {
            (Some(new), Some(old)) => new.contains(old),
            _ => text(self, new) == text(other, old),
        };
        let is_implied = |old: &Condition| self.conditions.iter().any(|new| implies(new, old));
        !other.is_timed() && other.conditions.iter().all(is_implied)
    }

    pub(in crate::view) fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
}
