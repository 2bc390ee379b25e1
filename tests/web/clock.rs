use std::time::Duration;

use futures::future::{Either, select};
use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::runtime::web;

#[wasm_bindgen_test]
async fn the_clock_waits_at_least_as_long_as_asked() {
    let runtime = web::runtime();
    let start = runtime.now();
    runtime.sleep(Duration::from_millis(20)).await;
    assert!(runtime.now().since(start) >= Duration::from_millis(20));
    runtime.clock.sleep_until(start).await;
}

/// Case 37 of the browser test list; kube-rs/kube#1772: `setTimeout` takes no more than 24.8 days, and fires at once when it is given more.
#[wasm_bindgen_test]
async fn a_wait_of_a_month_does_not_end_at_once() {
    let runtime = web::runtime();
    let (month, soon) = (runtime.sleep(Duration::from_secs(30 * 24 * 3600)), runtime.sleep(Duration::from_millis(50)));
    assert!(matches!(select(month, soon).await, Either::Right(_)));
}
