//! Lists and watches from bytes, however the bytes are cut.

mod list;
mod scan;
mod watch;

pub use list::{ListDecoder, ListHead};
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

/// The beginning of a text that was expected to be something else, short enough to be shown.
fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if bytes.len() > SHOWN { format!("{text}…") } else { text }
}
