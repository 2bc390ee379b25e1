//! What the page's informers do, and what the page takes.

mod frames;
mod memory;
mod page;
mod queues;
mod rows;

pub(crate) use page::InformersPage;
