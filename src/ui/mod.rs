//! The page: Leptos components over the informers. wasm only.
//!
//! `state` turns informers into signals, `components` show what they are given as props and signals,
//! `pages` bring the two together; only pages and `app` read context. `hooks` own listeners and undo them.

mod app;
mod components;
mod hooks;
mod pages;
mod panic;
mod state;
mod time;

pub use app::mount;
pub use panic::show_panics;
pub use state::Options;
