//! Lists and watches from bytes, however the bytes are cut.

mod list;
mod pool;
mod scan;
mod watch;

pub use list::{ListDecoder, ListHead};
pub use pool::SharedPool;
pub use watch::WatchDecoder;

/// Bytes that are not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The answer is no JSON object. Holds its beginning.
    #[error("expected JSON, got: {start}")]
    NotJson { start: String },

    /// A value in the answer cannot be read.
    #[error("cannot read {what}: {reason}")]
    Value { what: String, reason: String },

    /// The answer ended too early.
    #[error("it ended in the middle of {what}")]
    Truncated { what: String },

    /// A single value is longer than any object an API server stores.
    #[error("an object is longer than {limit} bytes")]
    TooLong { limit: usize },
}

/// client-go: `apimachinery/pkg/util/json/stream` refuses longer frames too.
const LONGEST_VALUE: usize = 16 * 1024 * 1024;

/// Why a text cannot be read, without what stands in it: serde's own words hold values, and a value may be a Secret's.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if !error.is_data() || text.starts_with("missing field ") {
        return text;
    }
    let is_serdes =
        ["invalid type: ", "invalid value: ", "invalid length "].iter().any(|words| text.starts_with(words));
    match text.rsplit_once(", expected ").filter(|_| is_serdes) {
        Some((_, expected)) => format!("expected {expected}"),
        None => format!("a value is not what it should be at line {} column {}", error.line(), error.column()),
    }
}

/// The beginning of a text that was expected to be something else, short enough to be shown.
fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if bytes.len() > SHOWN { format!("{text}…") } else { text }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::api::Manifest;

    fn reason_of<'a, T: Deserialize<'a>>(text: &'a str) -> String {
        reason(&serde_json::from_str::<T>(text).err().unwrap())
    }

    #[test]
    fn a_reason_says_what_was_expected_and_where_and_not_what_stood_there() {
        let mistyped = reason_of::<Manifest>(r#"{"metadata":{"labels":"s3cret, expected nothing"}}"#);
        assert_eq!(mistyped, "expected a map at line 1 column 48");
        let no_date = reason_of::<Manifest>(r#"{"metadata":{"creationTimestamp":"s3cret"}}"#);
        assert_eq!(no_date, "a value is not what it should be at line 1 column 42");
        let cut = reason_of::<Manifest>(r#"{"data":{"password":"s3cr"#);
        assert_eq!(cut, "EOF while parsing a string at line 1 column 25");
        #[derive(Deserialize)]
        struct Named {
            #[expect(dead_code, reason = "only its absence matters")]
            name: String,
        }
        assert_eq!(reason_of::<Named>("{}"), "missing field `name` at line 1 column 2");
    }
}
