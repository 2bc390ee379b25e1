//! Moments as people read them, in the browser's time zone and language.

use jiff::Timestamp;
use js_sys::{Date, Object, Reflect};
use wasm_bindgen::JsValue;

/// `12:03:04`
pub(crate) fn local_time(moment: Timestamp) -> String {
    let date = date(moment);
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}

/// `11-29 12:03:04.567`, as wide for all moments.
pub(crate) fn log_time(moment: Timestamp) -> String {
    let date = date(moment);
    let milliseconds = date.get_milliseconds();
    format!("{:02}-{:02} {}.{milliseconds:03}", date.get_month() + 1, date.get_date(), local_time(moment))
}

/// Date, time and zone in the browser's own form.
pub(crate) fn local_date_time(moment: Timestamp) -> String {
    let options = Object::new();
    for (name, value) in [("dateStyle", "medium"), ("timeStyle", "long")] {
        // Cannot fail on a fresh object; without it the browser chooses the form.
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    // No language given: the browser's.
    let text = date(moment).to_locale_string("default", &options);
    text.into()
}

/// A number with commas between its thousands: `20,144`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn date(moment: Timestamp) -> Date {
    Date::new(&JsValue::from_f64(moment.as_millisecond() as f64))
}
