use std::ops::Range;

use super::bound::{Bound, Sign};
use super::condition::{Condition, Target, Test, plain};
use super::cursor::Cursor;
use super::object::path_of;
use super::parsed::{KindName, QueryError};
use super::pattern::Pattern;
use crate::api::LabelSelector;

/// What a term says.
pub(super) enum Parsed {
    Condition(Condition),
    Kinds(Vec<KindName>),
}

/// The signs between a field and its value, the longer before the shorter; `true` for those that must not match.
const SIGNS: [(&str, Operator, bool); 10] = [
    ("!=", Operator::Equals, true),
    ("!~", Operator::Contains, true),
    ("==", Operator::Equals, false),
    (">=", Operator::Compares(Sign::AtLeast), false),
    ("<=", Operator::Compares(Sign::AtMost), false),
    ("=", Operator::Equals, false),
    (":", Operator::Matches, false),
    ("~", Operator::Contains, false),
    (">", Operator::Compares(Sign::More), false),
    ("<", Operator::Compares(Sign::Less), false),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Matches,
    Equals,
    Contains,
    Compares(Sign),
}

enum Field {
    Kind,
    Of(Target),
}

type Result<T> = std::result::Result<T, QueryError>;

/// Reads the term that begins here, up to the gap after it, also when it is in error.
pub(super) fn term(cursor: &mut Cursor<'_>) -> Result<Parsed> {
    let (start, mut is_inverse) = (cursor.at, false);
    while cursor.eat("!") {
        is_inverse = !is_inverse;
    }
    if cursor.is_at_gap() {
        return error(start..cursor.at, "What must not match is missing after !");
    }
    let from = cursor.at;
    let field = field(cursor);
    let (target, test) = match field {
        Some((Field::Kind, sign)) => return kinds(cursor, is_inverse, sign),
        Some((Field::Of(target), None)) => (target, Test::Exists),
        Some((Field::Of(target), Some((operator, is_not)))) => {
            is_inverse ^= is_not;
            let test = value_test(cursor, operator, &target)?;
            (target, test)
        }
        None => plain_term(cursor, from > start)?,
    };
    Ok(Parsed::Condition(Condition { range: start..cursor.at, is_inverse, target, test }))
}

/// A term that names no field.
fn plain_term(cursor: &mut Cursor<'_>, has_sign: bool) -> Result<(Target, Test)> {
    let rest = cursor.rest();
    let is_flag =
        |flag| rest.strip_prefix(flag).is_some_and(|it: &str| it.is_empty() || it.starts_with(char::is_whitespace));
    if is_flag("-f") || is_flag("-l") {
        return flag(cursor);
    }
    match rest.as_bytes()[0] {
        b'"' => {
            let range = cursor.value();
            let word = unquoted(cursor, &range)?;
            if word.is_empty() {
                return error(range, "There is nothing between the quotes");
            }
            Ok((Target::Cells, one(Pattern::Contains(word.to_lowercase()))))
        }
        b'/' => regex(cursor).map(|pattern| (Target::Cells, one(pattern))),
        _ => {
            let word = cursor.word();
            let word = cursor.slice(&word).to_lowercase();
            if has_sign && word == "ready" {
                return Ok((Target::Ready, one(Pattern::Ready)));
            }
            Ok((Target::Cells, one(Pattern::Contains(word))))
        }
    }
}

/// `-f text` or `-l selector`.
fn flag(cursor: &mut Cursor<'_>) -> Result<(Target, Test)> {
    let (start, is_fuzzy) = (cursor.at, cursor.eat("-f"));
    if !is_fuzzy {
        cursor.eat("-l");
    }
    let end = cursor.at;
    cursor.skip_gap();
    let range = cursor.value();
    if range.is_empty() {
        cursor.at = end;
        let missing = if is_fuzzy {
            "The letters of a name are missing after -f"
        } else {
            "A label selector is missing after -l, such as app=web"
        };
        return error(start..end, missing);
    }
    let text = unquoted(cursor, &range)?;
    if is_fuzzy {
        return Ok((Target::Name, one(Pattern::InOrder(text.to_lowercase()))));
    }
    match text.parse::<LabelSelector>() {
        Ok(selector) => Ok((Target::Labels(selector), Test::Exists)),
        Err(problem) => error(range, &["No label selector: ", problem.reason].concat()),
    }
}

/// `/regex/`
fn regex(cursor: &mut Cursor<'_>) -> Result<Pattern> {
    let start = cursor.at;
    let is_closed = |text: &str| text.len() > 1 && text.ends_with('/') && !text.ends_with("\\/");
    let range = cursor.until(|before, c| c.is_whitespace() && is_closed(before));
    if !is_closed(cursor.slice(&range)) {
        cursor.at = start;
        return error(cursor.word(), "The expression has no / at its end; put it in quotes to look for it as text");
    }
    pattern_of_regex(cursor, range.start + 1..range.end - 1)
}

fn pattern_of_regex(cursor: &Cursor<'_>, range: Range<usize>) -> Result<Pattern> {
    let pattern = Pattern::regex(&cursor.slice(&range).replace("\\/", "/"));
    pattern.or_else(|problem| error(range, &["No regular expression: ", &problem.to_string()].concat()))
}

/// A field and the sign after it; none, and the cursor stays, when no field stands here.
fn field(cursor: &mut Cursor<'_>) -> Option<(Field, Option<(Operator, bool)>)> {
    let start = *cursor;
    let range = cursor.until(|_, c| c.is_whitespace() || "!=:~<>\"".contains(c));
    let name = cursor.slice(&range);
    let sign = SIGNS.into_iter().find(|(sign, ..)| cursor.eat(sign)).map(|(_, operator, is_not)| (operator, is_not));
    let field = target(name, &range).filter(|field| {
        sign.is_some() || (cursor.is_at_gap() && matches!(field, Field::Of(Target::Label(_) | Target::Annotation(_))))
    });
    if field.is_none() {
        *cursor = start;
    }
    field.map(|field| (field, sign))
}

fn target(name: &str, range: &Range<usize>) -> Option<Field> {
    let behind = |prefix| name.strip_prefix(prefix).filter(|rest: &&str| !rest.is_empty()).map(str::to_owned);
    if let Some(key) = behind("label.") {
        return Some(Field::Of(Target::Label(key)));
    }
    if let Some(key) = behind("annotation.") {
        return Some(Field::Of(Target::Annotation(key)));
    }
    let is_word = |text: &str| text.starts_with(char::is_alphabetic);
    if name.strip_prefix('.').is_some_and(is_word) {
        return Some(Field::Of(Target::Path(path_of(name))));
    }
    if !is_word(name) || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '%')) {
        return None;
    }
    let name = plain(name);
    Some(match name.as_str() {
        "kind" => Field::Kind,
        "name" => Field::Of(Target::Name),
        "ns" | "namespace" => Field::Of(Target::Namespace),
        "image" => Field::Of(Target::Image),
        _ => Field::Of(Target::Column { name, at: range.clone() }),
    })
}

/// The value after a field's sign.
fn value_test(cursor: &mut Cursor<'_>, operator: Operator, target: &Target) -> Result<Test> {
    let sign = cursor.at;
    let range = cursor.value();
    if range.is_empty() {
        return error(sign.saturating_sub(1)..sign, "A value is missing; two quotes stand for nothing");
    }
    let is_age = matches!(target, Target::Column { name, .. } if name == "age");
    if let Operator::Compares(sign) = operator {
        let bound = Bound::parse(sign, &unquoted(cursor, &range)?);
        return match bound {
            Some(bound) if !is_age || bound.is_duration() => Ok(Test::Compare(bound)),
            _ if is_age => error(range, "An age is compared with a duration, such as 10m or 2d3h"),
            _ => error(range, "It can be compared with a number, a quantity or a duration, such as 3, 500Mi or 2d3h"),
        };
    }
    if is_age {
        return error(range, "An age changes all the time: compare it, as in age<10m");
    }
    let patterns = alternatives(cursor, &range)?.into_iter().map(|range| pattern(cursor, operator, range));
    Ok(Test::Text(patterns.collect::<Result<_>>()?))
}

fn pattern(cursor: &Cursor<'_>, operator: Operator, range: Range<usize>) -> Result<Pattern> {
    let (raw, text) = (cursor.slice(&range), unquoted(cursor, &range)?.to_lowercase());
    let is_plain = operator == Operator::Matches && !raw.starts_with('"');
    if is_plain && raw.len() > 2 && raw.starts_with('/') && raw.ends_with('/') {
        return pattern_of_regex(cursor, range.start + 1..range.end - 1);
    }
    Ok(match operator {
        Operator::Equals => Pattern::Equals(text),
        _ if is_plain && text.contains(['*', '?']) => Pattern::Glob(text),
        _ => Pattern::Contains(text),
    })
}

/// The values in `(a|b)`, or the one value.
fn alternatives(cursor: &Cursor<'_>, range: &Range<usize>) -> Result<Vec<Range<usize>>> {
    let text = cursor.slice(range);
    let Some(text) = text.strip_prefix('(') else { return Ok(vec![range.clone()]) };
    let Some(text) = text.strip_suffix(')') else { return error(range.clone(), "A ) is missing at the end") };
    let mut is_quoted = false;
    let parts = text.split(|c| {
        is_quoted ^= c == '"';
        c == '|' && !is_quoted
    });
    let start = range.start + 1;
    let mut at = start;
    let ranges = parts.map(|part| {
        let from = at + part.len() - part.trim_start().len();
        at += part.len() + 1;
        from..from + part.trim().len()
    });
    let ranges: Vec<_> = ranges.collect();
    match ranges.iter().find(|it| it.is_empty()) {
        Some(_) => error(range.clone(), "One of the alternatives is empty"),
        None => Ok(ranges),
    }
}

/// `pod,deploy` or `(pod|deploy)`
fn kinds(cursor: &mut Cursor<'_>, is_inverse: bool, sign: Option<(Operator, bool)>) -> Result<Parsed> {
    let range = cursor.value();
    let mut kinds = Vec::new();
    for part in alternatives(cursor, &range)? {
        unquoted(cursor, &part)?;
        let mut at = part.start;
        for name in cursor.slice(&part).split(',') {
            let from = at + name.len() - name.trim_start_matches(is_around).len();
            at += name.len() + 1;
            let name = name.trim_matches(is_around).to_lowercase();
            if !name.is_empty() {
                kinds.push(KindName { at: from..from + name.len(), name });
            }
        }
    }
    if kinds.is_empty() {
        return error(range.start.saturating_sub(1)..range.end, "A kind is missing, as in kind:pod,deploy");
    }
    match sign {
        Some((Operator::Matches | Operator::Equals, false)) if !is_inverse => Ok(Parsed::Kinds(kinds)),
        _ => error(range, "Kinds can be named and cannot be excluded, as in kind:pod,deploy"),
    }
}

/// What may stand around a kind's name.
fn is_around(c: char) -> bool {
    c == '"' || c.is_whitespace()
}

/// The text without its quotes.
fn unquoted(cursor: &Cursor<'_>, range: &Range<usize>) -> Result<String> {
    let text = cursor.slice(range);
    if text.matches('"').count() % 2 == 1 {
        return error(range.clone(), "A quote is missing at the end");
    }
    Ok(text.replace('"', ""))
}

fn one(pattern: Pattern) -> Test {
    Test::Text(vec![pattern])
}

fn error<T>(at: Range<usize>, message: &str) -> Result<T> {
    Err(QueryError { at, message: message.into() })
}
