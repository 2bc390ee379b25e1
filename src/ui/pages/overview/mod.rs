//! The first page: what is wrong now, how full the nodes are, and how much there is.

mod certificates;
mod counts;
mod metrics;
mod nodes;
mod page;
mod problems;

pub(crate) use page::OverviewPage;

use crate::view::overview::Topic;

/// What it follows.
pub(crate) static TOPICS: [Topic; 8] = Topic::ALL;
