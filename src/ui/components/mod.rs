//! What the page is made of: each shows its props and signals, and reads no context.

mod appearance;
mod connection;
mod help;
mod icon;
mod namespaces;
mod notices;
mod palette;
mod progress;
mod query_box;
mod rail;
mod rail_entry;
mod screen;
mod table;
mod table_rows;
mod top_bar;

pub(crate) use appearance::AppearanceMenu;
pub(crate) use connection::{ConnectionIndicator, wait_text, watch_text};
pub(crate) use help::Help;
pub(crate) use icon::{Icon, Shape};
pub(crate) use namespaces::{NamespaceChoice, NamespacePicker};
pub(crate) use notices::NoticeList;
pub(crate) use palette::{Palette, PaletteButton};
pub(crate) use progress::Progress;
pub(crate) use query_box::QueryBox;
pub(crate) use rail::{Rail, RailEntry, RailGroup, RailModel};
pub(crate) use screen::{Screen, ScreenKind};
pub(crate) use table::Table;
pub(crate) use top_bar::TopBar;
