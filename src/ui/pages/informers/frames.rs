use std::cell::Cell;
use std::rc::Rc;

use jiff::{SignedDuration, Timestamp};
use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::ui::state::Session;
use crate::view::queues::Frames;

/// What the browser calls a frame that took 50 ms or more; only some browsers tell.
const LONG_FRAME: &str = "long-animation-frame";

type OnEntries = Closure<dyn FnMut(JsValue)>;

/// Counts the long frames, for as long as it lives; the browser has kept some of before.
pub(super) struct FrameWatch {
    seen: Rc<Cell<Frames>>,
    observer: Option<(JsValue, OnEntries)>,
}

impl FrameWatch {
    pub(super) fn new(session: Session) -> Self {
        let seen = Rc::<Cell<Frames>>::default();
        let observer = observe(session, &seen).ok().flatten();
        Self { seen, observer }
    }

    /// None where the browser does not tell.
    pub(super) fn frames(&self) -> Option<Frames> {
        self.observer.as_ref().map(|_| self.seen.get())
    }
}

impl Drop for FrameWatch {
    fn drop(&mut self) {
        if let Some((observer, _)) = &self.observer {
            // Every observer can.
            let _ = call(observer, "disconnect", &JsValue::UNDEFINED);
        }
    }
}

/// None where the browser does not know of long frames.
fn observe(session: Session, seen: &Rc<Cell<Frames>>) -> Result<Option<(JsValue, OnEntries)>, JsValue> {
    let class = Reflect::get(&window(), &"PerformanceObserver".into())?.dyn_into::<Function>()?;
    let types = Reflect::get(&class, &"supportedEntryTypes".into())?.dyn_into::<Array>()?;
    if !types.includes(&LONG_FRAME.into(), 0) {
        return Ok(None);
    }
    let seen = Rc::clone(seen);
    let on_entries = OnEntries::new(move |list: JsValue| {
        let entries = call(&list, "getEntries", &JsValue::UNDEFINED).ok().and_then(|it| it.dyn_into::<Array>().ok());
        let mut frames = seen.get();
        for entry in entries.iter().flat_map(Array::iter) {
            let number = |name: &str| Reflect::get(&entry, &name.into()).ok().and_then(|it| it.as_f64()).unwrap_or(0.0);
            let us = (number("duration") * 1000.0) as u64;
            frames.all.observe(us);
            frames.last = Some((moment(session, number("startTime")), us));
        }
        seen.set(frames);
    });
    let observer = Reflect::construct(&class, &Array::of1(on_entries.as_ref()))?;
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &LONG_FRAME.into())?;
    Reflect::set(&options, &"buffered".into(), &true.into())?;
    call(&observer, "observe", &options)?;
    Ok(Some((observer, on_entries)))
}

fn call(object: &JsValue, method: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    Reflect::get(object, &method.into())?.dyn_into::<Function>()?.call1(object, argument)
}

/// Of a number of milliseconds since the page was loaded.
fn moment(session: Session, ms: f64) -> Timestamp {
    let now = session.runtime().clock.wall();
    let ago = window().performance().map_or(0.0, |performance| performance.now() - ms);
    now.checked_sub(SignedDuration::from_millis(ago as i64)).unwrap_or(now)
}
