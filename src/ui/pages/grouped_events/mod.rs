//! Events as they come, those about one object for one reason together.

mod keys;
mod page;
mod row;

pub(crate) use page::EventsPage;

use crate::view::overview::Topic;

/// What it follows.
pub(crate) static TOPICS: [Topic; 1] = [Topic::Events];
