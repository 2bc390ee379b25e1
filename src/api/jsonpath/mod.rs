//! kubectl's JSONPath: parsed once, evaluated over objects as they are kept (client-go: `util/jsonpath`).
//!
//! What columns of custom resources may say, and no templates: no text around the path, no `range`.

mod evaluate;
mod parser;
mod print;

use std::borrow::Cow;

pub use self::evaluate::{EvaluationError, Found};
use self::parser::Parser;

/// A path to values of an object: `.status.conditions[?(@.type=="Ready")].status`.
///
/// As in client-go a key with dots is written with backslashes, also in brackets: `.metadata.labels.example\.com/x`,
/// `['example\.com/x']`.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "JSONPath")]
pub struct JsonPath {
    steps: Steps,
}

/// A path that cannot be read, and the place in bytes where its reading ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the JSONPath {path:?} at {at}: {reason}")]
pub struct JsonPathError {
    pub path: String,
    pub at: usize,
    pub reason: &'static str,
}

impl JsonPath {
    /// Reads a path as it stands in a column of a CustomResourceDefinition, without braces around it.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(path: &str) -> Result<Self, JsonPathError> {
        match Parser::new(path, 0).finish() {
            Ok(steps) => Ok(Self { steps }),
            Err((at, reason)) => Err(JsonPathError { path: path.into(), at, reason }),
        }
    }

    /// Reads a path as a person writes it: braces and the first dot may be there or not (kubectl:
    /// `pkg/cmd/get/customcolumn.go`, `RelaxedJSONPathExpression`).
    ///
    /// # Errors
    /// When it is none.
    pub fn parse_relaxed(path: &str) -> Result<Self, JsonPathError> {
        let inner = path.strip_prefix('{').and_then(|path| path.strip_suffix('}')).unwrap_or(path);
        let starts = inner.starts_with(['.', '[', '$', '@']);
        Self::parse(&[if starts { "" } else { "." }, inner].concat())
    }
}

type Steps = Box<[Step]>;

/// What is done with all values that were found so far.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(Box<str>),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Box<[Steps]>),
    Filter(Box<Filter>),
    Constant(Scalar<'static>),
    /// A word that means nothing: client-go finds it only when it evaluates, and the path may stay in a table.
    UnknownWord,
}

/// `[start:end:step]`; negative numbers count from the end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slice {
    start: i64,
    end: End,
    step: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Of one value: `[start]`.
    AfterStart,
    OfList,
    At(i64),
}

/// `[?(left operator right)]`
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Steps,
    operator: Operator,
    right: Steps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Unknown,
}

/// A value that has nothing below it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Float(f64),
    Bool(bool),
}

#[cfg(test)]
mod tests;
