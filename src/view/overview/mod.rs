//! What the first page tells: what is wrong now, how much there is, and how full the nodes are.
//!
//! A [`Survey`] takes each object once when it changes, and keeps little of it: an object's problems, what a pod asks
//! for, what a node has. What is told is summed up from that, for the namespaces that are chosen.

mod amounts;
mod certificates;
mod lines;
mod loads;
mod problems;
mod survey;
mod topic;
mod usage;

pub use amounts::{Amounts, bytes_text, cores_text};
pub use certificates::{Certificate, expiry_of_secret};
pub use lines::{Line, Named, certificate_line};
pub use loads::NodeLoad;
pub use survey::Survey;
pub use topic::Topic;
pub use usage::{Ring, usage_of};
