use std::cmp::Ordering;

use super::{End, Filter, JsonPath, Operator, Scalar, Slice, Step};
use crate::api::ValueRef;

/// Something that a path came to.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// A value of the object.
    Value(ValueRef<'a>),
    /// A value that the path itself names.
    Constant(&'a Scalar<'static>),
}

/// An object that a path does not fit. Where a key is missing there is no error, and nothing is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    #[error("an index, slice or filter is applied to a value that is no list")]
    NotAList,
    #[error("an index is beyond the ends of its list")]
    OutOfBounds,
    #[error("a slice starts after its end")]
    StartAfterEnd,
    #[error("the step of a slice is not positive")]
    StepNotPositive,
    #[error("a filter compares more than one value at a time")]
    ManyCompared,
    #[error("a filter compares values of different types, or of one without order")]
    NotComparable,
    #[error("a filter has an operator that is not known")]
    UnknownOperator,
    #[error("the path has a word that is not known: a field has a dot before it")]
    UnknownWord,
}

type Result<T> = std::result::Result<T, EvaluationError>;

impl JsonPath {
    /// All values that the path leads to from this one.
    ///
    /// # Errors
    /// When the path asks for what the value does not have: [`EvaluationError`].
    #[doc(alias = "FindResults")]
    pub fn find<'a>(&'a self, root: ValueRef<'a>) -> Result<Vec<Found<'a>>> {
        // Fields are most of all paths, and need no list of what was found.
        let (mut value, mut steps) = (root, &*self.steps);
        while let [Step::Field(name), rest @ ..] = steps {
            steps = rest;
            match value.get(name) {
                Some(below) => value = below,
                None => return walk_all(steps, Vec::new()),
            }
        }
        walk_all(steps, vec![Found::Value(value)])
    }
}

impl<'a> Found<'a> {
    /// The value, unless it is null, a list or an object.
    pub fn scalar(self) -> Option<Scalar<'a>> {
        match self {
            Self::Constant(constant) => Some(constant.clone()),
            Self::Value(value) => {
                let text = || value.as_str().map(Scalar::Text);
                let flag = || value.as_bool().map(Scalar::Bool);
                let integer = || value.as_i64().map(Scalar::Integer);
                let float = || value.as_f64().map(Scalar::Float);
                text().or_else(flag).or_else(integer).or_else(float)
            }
        }
    }

    fn value(self) -> Option<ValueRef<'a>> {
        match self {
            Self::Value(value) if !value.is_null() => Some(value),
            _ => None,
        }
    }
}

fn walk_all<'a>(steps: &'a [Step], input: Vec<Found<'a>>) -> Result<Vec<Found<'a>>> {
    steps.iter().try_fold(input, |input, step| step.walk(input))
}

impl Step {
    fn walk<'a>(&'a self, input: Vec<Found<'a>>) -> Result<Vec<Found<'a>>> {
        let mut found = Vec::new();
        let values = input.iter().filter_map(|it| it.value());
        match self {
            Self::Field(name) => found.extend(values.filter_map(|value| value.get(name)).map(Found::Value)),
            Self::Wildcard => values.for_each(|value| push_below(value, &mut found)),
            Self::Recursive => values.for_each(|value| push_all(value, &mut found)),
            Self::Slice(slice) => {
                for value in values {
                    if slice.push(value, &mut found)?.is_none() {
                        break;
                    }
                }
            }
            Self::Union(union) => {
                for steps in union {
                    found.extend(walk_all(steps, input.clone())?);
                }
            }
            Self::Filter(filter) => {
                for it in &input {
                    let list = it.value().filter(|value| value.is_array()).ok_or(EvaluationError::NotAList)?;
                    for item in list.items().map(Found::Value) {
                        if filter.passes(item)? {
                            found.push(item);
                        }
                    }
                }
            }
            Self::Constant(constant @ Scalar::Text(_)) => found.push(Found::Constant(constant)),
            Self::Constant(constant) => found.extend(input.iter().map(|_| Found::Constant(constant))),
            Self::UnknownWord => return Err(EvaluationError::UnknownWord),
        }
        Ok(found)
    }
}

fn push_below<'a>(value: ValueRef<'a>, found: &mut Vec<Found<'a>>) {
    found.extend(value.entries().map(|(_, value)| value).chain(value.items()).map(Found::Value));
}

/// The value and all below it that are not empty; numbers and truth values are no place to go on from.
fn push_all<'a>(value: ValueRef<'a>, found: &mut Vec<Found<'a>>) {
    let mut below = value.entries().map(|(_, value)| value).chain(value.items()).peekable();
    if below.peek().is_some() || value.as_str().is_some_and(|text| !text.is_empty()) {
        found.push(Found::Value(value));
    }
    below.for_each(|value| push_all(value, found));
}

impl Slice {
    /// None where the slice is empty, which ends the search.
    fn push<'a>(&self, list: ValueRef<'a>, found: &mut Vec<Found<'a>>) -> Result<Option<()>> {
        if !list.is_array() {
            return Err(EvaluationError::NotAList);
        }
        let length = list.items().count() as i64;
        let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
        let start = from_end(self.start);
        let end = match self.end {
            End::AfterStart => start.wrapping_add(1),
            End::OfList => length,
            End::At(end) => from_end(end),
        };
        if start == end {
            return Ok(None);
        }
        if start < 0 || start >= length || end < 0 || end > length {
            return Err(EvaluationError::OutOfBounds);
        }
        if start > end {
            return Err(EvaluationError::StartAfterEnd);
        }
        if self.step <= 0 {
            return Err(EvaluationError::StepNotPositive);
        }
        let (start, count) = (start as usize, (end - start) as usize);
        let step = self.step.min(length) as usize;
        found.extend(list.items().skip(start).take(count).step_by(step).map(Found::Value));
        Ok(Some(()))
    }
}

impl Filter {
    fn passes(&self, item: Found<'_>) -> Result<bool> {
        let left = walk_all(&self.left, vec![item]);
        if self.operator == Operator::Exists {
            // client-go hands on what a failed step was given, and takes it for something that exists.
            return Ok(!left.is_ok_and(|left| left.is_empty()));
        }
        let Some(left) = only(&left?)? else { return Ok(false) };
        let Some(right) = only(&walk_all(&self.right, vec![item])?)? else { return Ok(false) };
        self.operator.compare(left, right)
    }
}

fn only<'a>(found: &[Found<'a>]) -> Result<Option<Found<'a>>> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => Err(EvaluationError::ManyCompared),
    }
}

impl Operator {
    /// Go's `text/template` compares so: an integer is not compared with a float, and truth values have no order.
    fn compare(self, left: Found<'_>, right: Found<'_>) -> Result<bool> {
        if self == Self::Unknown {
            return Err(EvaluationError::UnknownOperator);
        }
        let order = match (left.scalar(), right.scalar()) {
            (Some(Scalar::Text(left)), Some(Scalar::Text(right))) => Some(left.cmp(&right)),
            (Some(Scalar::Integer(left)), Some(Scalar::Integer(right))) => Some(left.cmp(&right)),
            (Some(Scalar::Float(left)), Some(Scalar::Float(right))) => left.partial_cmp(&right),
            (Some(Scalar::Bool(left)), Some(Scalar::Bool(right))) if matches!(self, Self::Equal | Self::NotEqual) => {
                Some(left.cmp(&right))
            }
            _ => None,
        };
        let order = order.ok_or(EvaluationError::NotComparable)?;
        Ok(match self {
            Self::Equal => order == Ordering::Equal,
            Self::NotEqual => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }
}
