/// Finds where a JSON value ends, fed in pieces.
///
/// It tracks nesting and strings, and leaves all else to the parser that gets the whole value.
#[derive(Debug, Default)]
pub(super) struct ValueScanner {
    depth: usize,
    place: Place,
}

#[derive(Debug, Default, PartialEq)]
enum Place {
    #[default]
    Start,
    /// In a number or a literal, which only the byte after it ends.
    Scalar,
    Between,
    String,
    Escape,
}

impl ValueScanner {
    /// How many of the bytes belong to the value, once it has ended; none while it goes on.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.place {
                Place::String => {
                    // Almost all bytes of an object are inside strings.
                    let found = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
                    at += found + 1;
                    if bytes[at - 1] == b'\\' {
                        self.place = Place::Escape;
                    } else if self.depth == 0 {
                        return Some(at);
                    } else {
                        self.place = Place::Between;
                    }
                }
                Place::Escape => {
                    self.place = Place::String;
                    at += 1;
                }
                Place::Scalar if matches!(bytes[at], b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n') => {
                    return Some(at);
                }
                Place::Scalar => at += 1,
                Place::Start | Place::Between => {
                    at += 1;
                    if self.structural(bytes[at - 1]) {
                        return Some(at);
                    }
                }
            }
        }
        None
    }

    /// Takes a byte outside strings; true when the value ends with it.
    fn structural(&mut self, byte: u8) -> bool {
        let first = self.place == Place::Start;
        self.place = Place::Between;
        match byte {
            b'"' => self.place = Place::String,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ if first => self.place = Place::Scalar,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_it_ends_however_it_is_cut() {
        for (value, rest) in [
            (r#"{"a":"}\"]","b":[1,{}]}"#, ","),
            (r#""x\\""#, "rest"),
            ("123", ","),
            ("null", "}"),
            ("[[],[]]", "x"),
            (r#"{"é":"ü"}"#, ""),
        ] {
            let text = format!("{value}{rest}");
            for cut in 0..=text.len() {
                let (head, tail) = text.as_bytes().split_at(cut);
                let mut scanner = ValueScanner::default();
                let end = scanner.push(head).or_else(|| scanner.push(tail).map(|end| cut + end));
                assert_eq!(end, Some(value.len()), "{text} cut at {cut}");
            }
        }
    }
}
