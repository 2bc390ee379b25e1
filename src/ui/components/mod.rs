//! What the page is made of: each shows its props and signals, and reads no context.

mod appearance;
mod connection;
mod help;
mod icon;
mod log_lines;
mod log_screen;
mod log_state;
mod log_tools;
mod log_view;
mod namespaces;
mod notices;
mod progress;
mod query_box;
mod rail;
mod screen;
mod table;
mod table_rows;
mod top_bar;

pub(crate) use appearance::AppearanceMenu;
pub(crate) use connection::{ConnectionIndicator, wait_text};
pub(crate) use help::Help;
pub(crate) use icon::{Icon, Shape};
pub(crate) use log_view::LogView;
pub(crate) use namespaces::{NamespaceChoice, NamespacePicker};
pub(crate) use notices::NoticeList;
pub(crate) use progress::Progress;
pub(crate) use query_box::QueryBox;
pub(crate) use rail::{Rail, RailEntry, RailGroup};
pub(crate) use screen::{Screen, ScreenKind};
pub(crate) use table::Table;
pub(crate) use top_bar::TopBar;
