//! What the page's informers do, and what the page takes.

mod memory;
mod page;
mod rows;

pub(crate) use page::InformersPage;
