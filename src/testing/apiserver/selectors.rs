//! Selectors in their text form, checked in the real server's words
//! (apimachinery: `pkg/labels/selector.go`, `pkg/fields/selector.go`).

use super::validation;
use crate::api::{Manifest, field_text};

const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
     with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
     'example.com/MyName')";

const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// The longest name or value of a label.
const MAX_LENGTH: usize = 63;

/// # Errors
/// With what is wrong with a label selector.
pub(super) fn check_labels(text: &str) -> Result<(), String> {
    let mut tokens = Tokens { rest: text };
    let is_start = |token: &str| token == "!" || is_identifier(token);
    if tokens.peek().is_empty() {
        return Ok(());
    }
    if !is_start(tokens.peek()) {
        return Err(format!("found '{}', expected: !, identifier, or 'end of string'", tokens.peek()));
    }
    loop {
        check_requirement(&mut tokens).map_err(|error| format!("unable to parse requirement: {error}"))?;
        match tokens.next() {
            "" => return Ok(()),
            "," if is_start(tokens.peek()) => {}
            "," => return Err(format!("found '{}', expected: identifier after ','", tokens.peek())),
            other => return Err(format!("found '{other}', expected: ',' or 'end of string'")),
        }
    }
}

fn check_requirement(tokens: &mut Tokens<'_>) -> Result<(), String> {
    let mut key = tokens.next();
    let must_be_absent = key == "!";
    if must_be_absent {
        key = tokens.next();
    }
    if !is_identifier(key) {
        return Err(format!("found '{key}', expected: identifier"));
    }
    check_key(key)?;
    if must_be_absent || ["", ","].contains(&tokens.peek()) {
        return Ok(());
    }
    match tokens.next() {
        "in" | "notin" => check_set(tokens, key),
        sign @ ("=" | "==" | "!=" | "<" | ">") => {
            let value = match tokens.peek() {
                "" | "," => "",
                _ => tokens.next(),
            };
            if !value.is_empty() && !is_identifier(value) {
                return Err(format!("found '{value}', expected: identifier"));
            }
            if ["<", ">"].contains(&sign) && value.parse::<i64>().is_err() {
                let why = "for 'Gt', 'Lt' operators, the value must be an integer";
                return Err(format!("values[0]: Invalid value: \"{value}\": {why}"));
            }
            check_value(key, 0, value)
        }
        other => Err(format!("found '{other}', expected: {OPERATORS}")),
    }
}

fn check_set(tokens: &mut Tokens<'_>, key: &str) -> Result<(), String> {
    let open = tokens.next();
    if open != "(" {
        return Err(format!("found '{open}' expected: '('"));
    }
    let mut values = vec![];
    loop {
        match tokens.next() {
            ")" => break values.push(""),
            "," => values.push(""),
            value if is_identifier(value) => {
                values.push(value);
                match tokens.next() {
                    "," => {}
                    ")" => break,
                    other => return Err(format!("found '{other}', expected: ',' or ')'")),
                }
            }
            other if values.is_empty() => return Err(format!("found '{other}', expected: ',', ')' or identifier")),
            other => return Err(format!("found '{other}', expected: ',', or identifier")),
        }
    }
    values.sort_unstable();
    values.dedup();
    values.iter().enumerate().try_for_each(|(place, value)| check_value(key, place, value))
}

fn check_key(key: &str) -> Result<(), String> {
    let mut problems = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else if !validation::is_subdomain(prefix) {
                problems.push(format!("prefix part {}", validation::SUBDOMAIN));
            }
            name
        }
        _ => return Err(format!("<nil>: Invalid value: \"{key}\": {KEY}")),
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".into());
    } else if name.len() > MAX_LENGTH {
        problems.push(format!("name part must be no more than {MAX_LENGTH} bytes"));
    }
    if !is_label(name) {
        problems.push(NAME.into());
    }
    if problems.is_empty() { Ok(()) } else { Err(format!("<nil>: Invalid value: \"{key}\": {}", problems.join("; "))) }
}

fn check_value(key: &str, place: usize, value: &str) -> Result<(), String> {
    let why = match value {
        "" => return Ok(()),
        _ if value.len() > MAX_LENGTH => format!("must be no more than {MAX_LENGTH} bytes"),
        _ if !is_label(value) => VALUE.into(),
        _ => return Ok(()),
    };
    Err(format!("values[{place}][{key}]: Invalid value: \"{value}\": {why}"))
}

fn is_label(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    text.starts_with(edge) && text.ends_with(edge) && text.chars().all(|c| edge(c) || "-_.".contains(c))
}

fn is_identifier(token: &str) -> bool {
    !token.is_empty() && !token.starts_with(['=', '!', '<', '>', '(', ')', ','])
}

/// A selector's words and signs; the empty one is the end.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn peek(&self) -> &'a str {
        let rest = self.rest.trim_start();
        let signs = ["==", "!=", "=", "!", "<", ">", "(", ")", ","];
        let sign = signs.into_iter().find(|sign| rest.starts_with(sign));
        let word = rest.find(|c: char| c.is_whitespace() || "=!<>(),".contains(c)).unwrap_or(rest.len());
        &rest[..sign.map_or(word, str::len)]
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.rest = &self.rest.trim_start()[token.len()..];
        token
    }
}

/// A field selector: `metadata.name=web-0,status.phase!=Running`. The empty one matches everything.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
struct Term {
    path: String,
    value: String,
    equal: bool,
}

impl FieldSelector {
    /// # Errors
    /// With what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let terms = split_unescaped(text).into_iter().filter(|term| !term.is_empty());
        terms.map(|term| Term::parse(text, term)).collect::<Result<_, _>>().map(|terms| Self { terms })
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| term.path.as_str())
    }

    /// A field that is absent is selected as the empty string.
    pub(super) fn matches(&self, object: &Manifest) -> bool {
        self.terms.iter().all(|term| (field_text(object, &term.path) == term.value) == term.equal)
    }
}

impl Term {
    fn parse(whole: &str, text: &str) -> Result<Self, String> {
        let signs = [("!=", false), ("==", true), ("=", true)];
        let sign = text.char_indices().find_map(|(at, _)| {
            let (sign, equal) = signs.into_iter().find(|(sign, _)| text[at..].starts_with(sign))?;
            Some((&text[..at], &text[at + sign.len()..], equal))
        });
        let (path, value, equal) =
            sign.ok_or_else(|| format!("invalid selector: '{whole}'; can't understand '{text}'"))?;
        Ok(Self { path: path.into(), value: unescaped(value)?, equal })
    }
}

fn split_unescaped(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if c == ',' && !is_escaped {
            parts.push(&text[start..at]);
            start = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    parts.push(&text[start..]);
    parts
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(escaped @ ('\\' | ',' | '=')) => text.push(escaped),
                other => {
                    let odd = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{odd}"));
                }
            },
            ',' | '=' => return Err(format!("invalid field selector: unescaped character in value: {c}")),
            _ => text.push(c),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::objects::{self, Build as _};

    #[test]
    fn label_selectors_that_are_right_pass() {
        for text in [
            "",
            "a",
            "!a",
            "a,!b",
            "a=b",
            "a==b",
            "a!=",
            "a = b , c",
            "a in (x, y)",
            "a notin (x)",
            "a in (,)",
            "a>1",
            "x.y/z=in",
        ] {
            assert_eq!(check_labels(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn field_selectors_undo_escapes_and_match() {
        let pod = objects::pod("shop", "web").with_field("spec.nodeName", "a,b");
        for (text, matches) in [
            ("", true),
            (r"spec.nodeName=a\,b,metadata.name==web", true),
            (r"spec.nodeName!=a\,b", false),
            ("status.reason=", true),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap().matches(&pod), matches, "{text}");
        }
        let error = FieldSelector::parse("a=b=c").unwrap_err();
        assert_eq!(error, "invalid field selector: unescaped character in value: =");
    }
}
