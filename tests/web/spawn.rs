use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::runtime::web;

#[wasm_bindgen_test]
async fn a_task_runs_until_it_is_dropped_and_yields_to_the_page() {
    let runtime = web::runtime();
    let turns = Rc::new(RefCell::new(0));
    let (counted, spawner) = (turns.clone(), runtime.spawner.clone());
    let task = runtime.spawn(async move {
        loop {
            *counted.borrow_mut() += 1;
            spawner.yield_now().await;
        }
    });
    while *turns.borrow() < 3 {
        runtime.spawner.yield_now().await;
    }
    drop(task);
    let at_the_end = *turns.borrow();
    for _ in 0..5 {
        runtime.spawner.yield_now().await;
    }
    assert!(*turns.borrow() <= at_the_end + 1);
}
