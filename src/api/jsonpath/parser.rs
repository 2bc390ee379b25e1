use serde_json::Value;

use super::{End, Filter, Operator, Scalar, Slice, Step, Steps};

/// Where reading ended, and why.
type Problem = (usize, &'static str);

/// Reads one path (client-go: `util/jsonpath/parser.go`).
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Where this text stands in the whole path.
    offset: usize,
    steps: Vec<Step>,
}

impl<'a> Parser<'a> {
    pub(super) const fn new(text: &'a str, offset: usize) -> Self {
        Self { text, at: 0, offset, steps: Vec::new() }
    }

    /// Reads to the end, or to a brace: what would follow that is another action of a template.
    pub(super) fn finish(mut self) -> Result<Steps, Problem> {
        while let Some(next) = self.rest().chars().next() {
            match next {
                '}' => break,
                ' ' | '@' | '$' => self.at += 1,
                '[' if self.rest().starts_with("[?(") => self.filter()?,
                '[' => self.brackets()?,
                '.' if self.rest().starts_with("..") => self.recursive()?,
                '.' => {
                    self.at += 1;
                    self.field()?;
                }
                '"' | '\'' => self.quoted()?,
                '+' | '-' | '0'..='9' => self.number()?,
                _ if is_alphanumeric(next) => self.identifier()?,
                _ => return self.fail("this character means nothing here"),
            }
        }
        Ok(self.steps.into())
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T, Problem> {
        Err((self.offset + self.at.min(self.text.len()), reason))
    }

    /// A parser of a part of this text.
    fn part(&self, text: &'a str, at: usize) -> Self {
        Self::new(text, self.offset + at)
    }

    /// To the next character that ends a name and has no backslash before it.
    fn word(&mut self) -> Result<&'a str, Problem> {
        let start = self.at;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'[' | b']' | b'$' | b'@' | b'{' | b'}' => break,
                _ => self.at += 1,
            }
        }
        if self.at > self.text.len() {
            return self.fail("a backslash has nothing to escape");
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn field(&mut self) -> Result<(), Problem> {
        let step = match self.word()? {
            "*" => Step::Wildcard,
            name => Step::Field(name.replace('\\', "").into()),
        };
        self.steps.push(step);
        Ok(())
    }

    fn recursive(&mut self) -> Result<(), Problem> {
        if self.steps.last() == Some(&Step::Recursive) {
            return self.fail("a recursive descent follows another one");
        }
        self.at += 2;
        self.steps.push(Step::Recursive);
        if self.rest().chars().next().is_some_and(is_alphanumeric) {
            self.field()?;
        }
        Ok(())
    }

    fn identifier(&mut self) -> Result<(), Problem> {
        let step = match self.word()? {
            "true" => Step::Constant(Scalar::Bool(true)),
            "false" => Step::Constant(Scalar::Bool(false)),
            _ => Step::UnknownWord,
        };
        self.steps.push(step);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Problem> {
        let rest = self.rest();
        let is_part =
            |(at, byte): &(usize, u8)| byte.is_ascii_digit() || *byte == b'.' || (*at == 0 && b"+-".contains(byte));
        let length = rest.bytes().enumerate().take_while(is_part).count();
        let text = &rest[..length];
        let number = match text.parse() {
            Ok(number) => Scalar::Integer(number),
            Err(_) => {
                match serde_json::from_slice::<Value>(text.trim_matches(['+', '.']).as_bytes())
                    .ok()
                    .and_then(|it| it.as_f64())
                {
                    Some(number) => Scalar::Float(number),
                    None => return self.fail("this is no number"),
                }
            }
        };
        self.at += length;
        self.steps.push(Step::Constant(number));
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Problem> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        let end = chars.next().map(|(_, quote)| quote);
        while let Some((at, next)) = chars.next() {
            if Some(next) == end {
                self.at += at + 1;
                self.steps.push(Step::Constant(Scalar::Text(text.into())));
                return Ok(());
            }
            if next != '\\' {
                text.push(next);
                continue;
            }
            match chars.next().map(|(_, escaped)| escaped) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(escaped) if escaped == '\\' || Some(escaped) == end => text.push(escaped),
                _ => {
                    self.at += at;
                    return self.fail("this escape is not known");
                }
            }
        }
        self.fail("the quotes are not closed")
    }

    /// `[…]`, but no filter.
    fn brackets(&mut self) -> Result<(), Problem> {
        let start = self.at + 1;
        let inner = self.text[start..].split_once(']').map(|(inner, _)| inner);
        let Some(inner) = inner.filter(|inner| !inner.contains('\n')) else {
            return self.fail("the bracket is not closed");
        };
        self.selector(inner, start)?;
        self.at = start + inner.len() + 1;
        Ok(())
    }

    /// What stands between brackets.
    fn selector(&mut self, inner: &'a str, mut at: usize) -> Result<(), Problem> {
        if inner.contains(',') {
            let mut union = Vec::new();
            for text in inner.split(',') {
                let trimmed = text.trim_start_matches(' ');
                let mut part = self.part("", at + text.len() - trimmed.len());
                part.selector(trimmed.trim_end_matches(' '), 0)?;
                union.push(part.steps.into());
                at += text.len() + 1;
            }
            self.steps.push(Step::Union(union.into()));
            return Ok(());
        }
        if let Some(key) =
            inner.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')).filter(|key| !key.contains('\''))
        {
            let mut part = self.part(key, at + 1);
            part.field()?;
            self.steps.extend(part.finish()?);
            return Ok(());
        }
        match slice(if inner == "*" { ":" } else { inner }) {
            Some(slice) => self.steps.push(Step::Slice(slice)),
            None => return Err((self.offset + at, "neither an index, nor a slice, nor a key in single quotes")),
        }
        Ok(())
    }

    fn filter(&mut self) -> Result<(), Problem> {
        let start = self.at + "[?(".len();
        let end = self.filter_end(start)?;
        let text = &self.text[start..end];
        let filter = match split_comparison(text) {
            None => {
                Filter { left: self.part(text, start).finish()?, operator: Operator::Exists, right: Steps::default() }
            }
            Some((left, sign, right)) => Filter {
                left: self.part(left, start).finish()?,
                operator: operator(sign),
                right: self.part(right, end - right.len()).finish()?,
            },
        };
        self.steps.push(Step::Filter(filter.into()));
        self.at = end + ")]".len();
        Ok(())
    }

    /// The place of the parenthesis that closes a filter: one pair of quotes may hide others.
    fn filter_end(&self, start: usize) -> Result<usize, Problem> {
        let (mut quote, mut is_closed) = (None, false);
        let mut before = b'(';
        for (at, byte) in self.text.bytes().enumerate().skip(start) {
            match byte {
                b'\n' => break,
                b'"' | b'\'' if quote.is_none() => quote = Some(byte),
                b'"' | b'\'' => is_closed |= quote == Some(byte) && before != b'\\',
                b')' if quote.is_some() == is_closed => {
                    if self.byte(at + 1) == Some(b']') {
                        return Ok(at);
                    }
                    return Err((self.offset + at + 1, "expected ] after the filter"));
                }
                _ => {}
            }
            before = byte;
        }
        self.fail("the filter is not closed")
    }
}

const fn is_alphanumeric(character: char) -> bool {
    character == '_' || character.is_ascii_alphanumeric() || !character.is_ascii()
}

/// Left side, sign and right side, none of them empty.
fn split_comparison(text: &str) -> Option<(&str, &str, &str)> {
    const SIGNS: [char; 4] = ['!', '<', '>', '='];
    let (left, rest) = text.split_at(text.find(SIGNS).filter(|at| *at > 0)?);
    let right = rest.trim_start_matches(SIGNS);
    let sign_length = if right.is_empty() { rest.len() - 1 } else { rest.len() - right.len() };
    let (sign, right) = rest.split_at(sign_length);
    (!sign.is_empty()).then_some((left, sign, right))
}

fn operator(sign: &str) -> Operator {
    match sign {
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => Operator::Unknown,
    }
}

/// `3`, `-1`, `1:3`, `::2`; nothing at all is the first value.
fn slice(text: &str) -> Option<Slice> {
    let mut parts = text.split(':');
    let mut number = || match parts.next() {
        None => Some(None),
        Some("") => Some(Some(None)),
        Some(text) if text.starts_with('+') => None,
        Some(text) => Some(Some(Some(text.parse::<i64>().ok()?))),
    };
    let (start, end, step) = (number()?, number()?, number()?);
    let end = match end {
        None => End::AfterStart,
        Some(None) => End::OfList,
        Some(Some(end)) => End::At(end),
    };
    let slice = Slice { start: start.flatten().unwrap_or(0), end, step: step.flatten().unwrap_or(1) };
    parts.next().is_none().then_some(slice)
}
