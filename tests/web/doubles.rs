use js_sys::{Array, Function, JSON, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast as _, JsValue};

/// The page's `fetch` and `WebSocket`, played by a script until this is dropped.
pub(crate) struct Doubles(JsValue);

impl Drop for Doubles {
    fn drop(&mut self) {
        call(&self.0, "restore", &[]);
    }
}

impl Doubles {
    pub(crate) fn new() -> Self {
        Self(js_sys::eval(include_str!("doubles.js")).expect("the script runs"))
    }

    /// What the next requests are answered with, one after another; later ones stay open and empty.
    pub(crate) fn answers(&self, answers: Value) {
        let answers = JSON::parse(&answers.to_string()).expect("it is JSON");
        Reflect::set(&self.0, &"answers".into(), &answers).expect("it is an object");
    }

    /// What was asked.
    pub(crate) fn requests(&self) -> Vec<Value> {
        let requests = self.get("requests");
        let text = JSON::stringify(&requests).expect("it is plain").as_string().expect("it is a text");
        serde_json::from_str(&text).expect("it is JSON")
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let path = |request: Value| request["url"].as_str().expect("it has one").to_owned();
        self.requests().into_iter().map(path).collect()
    }

    pub(crate) fn aborted(&self) -> f64 {
        self.get("aborted").as_f64().expect("a number")
    }

    /// The sockets that were tried, the oldest first.
    pub(crate) fn sockets(&self) -> Vec<SocketDouble> {
        self.get("sockets").unchecked_into::<Array>().iter().map(SocketDouble).collect()
    }

    fn get(&self, name: &str) -> JsValue {
        Reflect::get(&self.0, &name.into()).expect("it is an object")
    }
}

pub(crate) struct SocketDouble(JsValue);

impl SocketDouble {
    pub(crate) fn opens(&self, protocol: &str) {
        call(&self.0, "opens", &[protocol.into()]);
    }

    pub(crate) fn says(&self, text: &str) {
        call(&self.0, "says", &[text.into()]);
    }

    pub(crate) fn says_bytes(&self, bytes: &[u8]) {
        let bytes: Array = bytes.iter().map(|byte| JsValue::from(*byte)).collect();
        call(&self.0, "saysBytes", &[bytes.into()]);
    }

    pub(crate) fn ends(&self, code: u16) {
        call(&self.0, "ends", &[code.into()]);
    }

    /// A field, as JSON.
    pub(crate) fn field(&self, name: &str) -> Value {
        let value = Reflect::get(&self.0, &name.into()).expect("it is an object");
        let text = JSON::stringify(&value).expect("it is plain").as_string().expect("it is a text");
        serde_json::from_str(&text).expect("it is JSON")
    }

    /// Whether anything listens to it.
    pub(crate) fn has_handlers(&self) -> bool {
        let set = |name: &str| Reflect::get(&self.0, &name.into()).is_ok_and(|handler| handler.is_function());
        ["onopen", "onmessage", "onclose"].into_iter().any(set)
    }
}

fn call(object: &JsValue, name: &str, arguments: &[JsValue]) {
    let function = Reflect::get(object, &name.into()).expect("it is an object");
    let arguments: Array = arguments.iter().collect();
    Reflect::apply(function.unchecked_ref::<Function>(), object, &arguments).expect("it does not throw");
}
