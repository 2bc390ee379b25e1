//! The browser's ports and the core over them, in a real browser.
#![cfg(target_arch = "wasm32")]

mod clock;
mod connections;
mod doubles;
mod fetch;
mod host;
mod informer;
mod spawn;
mod storage;

use wasm_bindgen_test::wasm_bindgen_test_configure;
use watchglass::api::GroupVersionResource;

wasm_bindgen_test_configure!(run_in_browser);

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}
