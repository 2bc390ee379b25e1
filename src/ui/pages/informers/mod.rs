//! What the page's informers do, and what the page takes.

mod memory;
mod page;

pub(crate) use page::InformersPage;
