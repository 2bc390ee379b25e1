use js_sys::{ArrayBuffer, Reflect, WebAssembly};
use leptos::prelude::window;
use wasm_bindgen::{JsCast as _, JsValue};

/// The bytes of the program's memory, which never shrinks.
pub(super) fn wasm_bytes() -> Option<usize> {
    let memory = wasm_bindgen::memory().dyn_into::<WebAssembly::Memory>().ok()?;
    Some(memory.buffer().dyn_into::<ArrayBuffer>().ok()?.byte_length() as usize)
}

/// The bytes of the scripts' heap; only some browsers tell.
pub(super) fn script_bytes() -> Option<usize> {
    let get = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let memory = get(window().performance()?.as_ref(), "memory").filter(|memory| memory.is_object())?;
    Some(get(&memory, "usedJSHeapSize")?.as_f64()? as usize)
}
