//! The page: Leptos components over the informers. wasm only.
//!
//! `state` turns informers into signals, `components` show what they are given as props and signals,
//! `pages` bring the two together; only pages and `app` read context. `dom` makes elements one by one, and `control_flow` shows them
//! by conditions and lists. `hooks` own listeners and undo them.

// `#[component]` makes a public builder beside each component.
#[allow(unreachable_pub)]
mod app;
#[allow(unreachable_pub)]
mod components;
#[allow(unreachable_pub)]
mod control_flow;
mod dom;
mod hooks;
#[allow(unreachable_pub)]
mod pages;
mod panic;
mod state;
mod time;

pub use app::mount;
pub use panic::show_panics;
pub use state::Options;
