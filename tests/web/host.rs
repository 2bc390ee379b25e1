use std::time::Duration;

use futures::FutureExt as _;
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::runtime::{Runtime, web};
use web_sys::{Event, EventTarget};

fn page() -> (EventTarget, EventTarget) {
    let window = web_sys::window().expect("the tests run in a page");
    let document = window.document().expect("a page has a document");
    (window.into(), document.into())
}

fn tell(target: &EventTarget, name: &str) {
    target.dispatch_event(&Event::new(name).expect("it is a name")).expect("an event can be sent");
}

async fn some_turns(runtime: &Runtime) {
    for _ in 0..5 {
        runtime.spawner.yield_now().await;
    }
}

/// A property of the navigator or the document, until this is dropped.
struct Pretended {
    target: JsValue,
    name: &'static str,
}

impl Pretended {
    fn new(target: impl Into<JsValue>, name: &'static str, value: bool) -> Self {
        let target = target.into();
        let descriptor = js_sys::Object::new();
        Reflect::set(&descriptor, &"value".into(), &value.into()).expect("it is an object");
        Reflect::set(&descriptor, &"configurable".into(), &true.into()).expect("it is an object");
        js_sys::Object::define_property(target.unchecked_ref::<js_sys::Object>(), &name.into(), &descriptor);
        Self { target, name }
    }
}

impl Drop for Pretended {
    fn drop(&mut self) {
        let _ = Reflect::delete_property(self.target.unchecked_ref::<js_sys::Object>(), &self.name.into());
    }
}

/// Case 35 of the browser test list.
#[wasm_bindgen_test]
async fn the_loss_of_the_network_and_its_return_are_told() {
    let (runtime, (window, _)) = (web::runtime(), page());
    assert!(runtime.host.state().is_online);
    let mut changed = runtime.host.changed();
    assert!((&mut changed).now_or_never().is_none());
    let navigator = web_sys::window().expect("the tests run in a page").navigator();
    let offline = Pretended::new(navigator, "onLine", false);
    tell(&window, "offline");
    changed.await;
    assert!(!runtime.host.state().is_online);
    let changed = runtime.host.changed();
    drop(offline);
    tell(&window, "online");
    changed.await;
    assert!(runtime.host.state().is_online);
}

#[wasm_bindgen_test]
async fn a_page_that_is_put_away_or_frozen_is_so_until_it_comes_back() {
    let (runtime, (window, document)) = (web::runtime(), page());
    for (target, ends, begins) in
        [(&window, "pagehide", "pageshow"), (&document, "freeze", "resume"), (&window, "pagehide", "focus")]
    {
        assert!(!runtime.host.state().is_frozen);
        let changed = runtime.host.changed();
        tell(target, ends);
        changed.await;
        assert!(runtime.host.state().is_frozen, "{ends}");
        let changed = runtime.host.changed();
        tell(if begins == "focus" { &window } else { target }, begins);
        changed.await;
        assert!(!runtime.host.state().is_frozen, "{begins}");
    }
}

#[wasm_bindgen_test]
async fn a_page_that_nobody_sees_is_hidden() {
    let (runtime, (_, document)) = (web::runtime(), page());
    let changed = runtime.host.changed();
    let hidden = Pretended::new(document.clone(), "hidden", true);
    tell(&document, "visibilitychange");
    changed.await;
    assert!(runtime.host.state().is_hidden);
    drop(hidden);
    tell(&document, "visibilitychange");
    assert!(!runtime.host.state().is_hidden);
}

#[wasm_bindgen_test]
async fn an_event_that_changes_nothing_is_not_told() {
    let (runtime, (window, _)) = (web::runtime(), page());
    let mut changed = runtime.host.changed();
    tell(&window, "focus");
    some_turns(&runtime).await;
    assert!((&mut changed).now_or_never().is_none());
}

/// `setTimeout` gives numbers, and calls nothing back, until this is dropped: a page in the background.
struct NoTimers(JsValue);

impl NoTimers {
    fn new() -> Self {
        let set_timeout = Reflect::get(&js_sys::global(), &"setTimeout".into()).expect("a page has timers");
        let never = Function::new_no_args("return 0");
        Reflect::set(&js_sys::global(), &"setTimeout".into(), &never).expect("it can be replaced");
        Self(set_timeout)
    }
}

impl Drop for NoTimers {
    fn drop(&mut self) {
        let _ = Reflect::set(&js_sys::global(), &"setTimeout".into(), &self.0);
    }
}

/// Case 33 of the browser test list: timers that are held back are made up for as soon as the page is looked at.
#[wasm_bindgen_test]
async fn a_wait_that_is_over_ends_when_the_page_is_seen_again_and_not_with_its_late_timer() {
    let (runtime, (window, document)) = (web::runtime(), page());
    let no_timers = NoTimers::new();
    for (target, name) in [(&document, "visibilitychange"), (&window, "online"), (&document, "resume")] {
        let start = runtime.now();
        let mut wait = runtime.sleep(Duration::from_millis(20));
        assert!((&mut wait).now_or_never().is_none());
        tell(target, name);
        assert!((&mut wait).now_or_never().is_none(), "it is not over, and goes on");
        while runtime.now().since(start) < Duration::from_millis(20) {
            runtime.spawner.yield_now().await;
        }
        assert!((&mut wait).now_or_never().is_none(), "its timer is late");
        tell(target, name);
        wait.await;
    }
    drop(no_timers);
}

/// The methods by which listeners come and go count, until this is dropped.
struct CountedListeners;

impl CountedListeners {
    fn new() -> Self {
        Function::new_no_args(
            "const p = EventTarget.prototype, add = p.addEventListener, remove = p.removeEventListener;
             globalThis.listening = 0;
             globalThis.undo = () => { p.addEventListener = add; p.removeEventListener = remove; };
             p.addEventListener = function (...a) { globalThis.listening += 1; return add.apply(this, a); };
             p.removeEventListener = function (...a) { globalThis.listening -= 1; return remove.apply(this, a); };",
        )
        .call0(&JsValue::NULL)
        .expect("prototypes can be changed");
        Self
    }

    fn count(&self) -> f64 {
        Reflect::get(&js_sys::global(), &"listening".into()).ok().and_then(|it| it.as_f64()).unwrap_or_default()
    }
}

impl Drop for CountedListeners {
    fn drop(&mut self) {
        let _ = Function::new_no_args("globalThis.undo()").call0(&JsValue::NULL);
    }
}

#[wasm_bindgen_test]
fn who_only_asks_for_the_time_listens_to_nothing_and_a_dropped_host_listens_no_more() {
    let listeners = CountedListeners::new();
    let runtime = web::runtime();
    runtime.now();
    assert_eq!(listeners.count(), 0.0);
    runtime.host.state();
    let wait = runtime.sleep(Duration::from_secs(1));
    assert_eq!(listeners.count(), 8.0, "each event once, however many wait");
    drop((wait, runtime));
    assert_eq!(listeners.count(), 0.0);
}
