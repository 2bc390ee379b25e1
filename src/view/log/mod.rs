//! A container's log as the page shows it: its last lines in one bounded ring, found, measured and coloured.

mod ansi;
mod buffer;
mod containers;
mod found;
mod layout;
mod line;
mod search;

pub use ansi::{AnsiRun, AnsiText, Ink};
pub use buffer::{LogBuffer, LogLine};
pub use containers::{LogContainer, LogPod, Role};
pub use found::Found;
pub use layout::LogLayout;
pub use line::{Level, Segment, level, segments};
pub use search::LogSearch;
