use js_sys::{Array, Function, Object, Reflect, global};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{HtmlElement, Url};

/// Has the browser keep a text as a file. Tells whether it could be given to it.
pub(crate) fn download(name: &str, media_type: &str, text: &str) -> bool {
    save(name, media_type, text).is_ok()
}

fn save(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &media_type.into())?;
    let constructor: Function = Reflect::get(&global(), &"Blob".into())?.dyn_into()?;
    let blob = Reflect::construct(&constructor, &Array::of2(&Array::of1(&text.into()), &options))?;
    let urls = Reflect::get(&global(), &"URL".into())?;
    let make: Function = Reflect::get(&urls, &"createObjectURL".into())?.dyn_into()?;
    let url = make.call1(&urls, &blob)?.as_string().unwrap_or_default();
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let link: HtmlElement = document.create_element("a")?.dyn_into()?;
    link.set_attribute("href", &url)?;
    link.set_attribute("download", name)?;
    link.click();
    // The browser has taken the file over by now.
    Url::revoke_object_url(&url)
}
