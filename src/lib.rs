#![doc = include_str!("ARCHITECTURE.md")]
#![warn(unreachable_pub)]

pub mod api;
pub mod cache;
pub mod flow_control;
pub mod rest;
pub mod runtime;
#[cfg(feature = "testing")]
pub mod testing;
pub mod transport;
#[cfg(all(feature = "dashboard", target_arch = "wasm32"))]
pub mod ui;
pub mod view;
pub mod watch_tools;
pub mod workqueue;

/// The README's examples are tests.
#[cfg(all(doctest, feature = "native"))]
#[doc = include_str!("../README.md")]
struct Readme;
