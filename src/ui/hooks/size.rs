use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlDivElement, ResizeObserver};

use super::use_window_event;

/// The widest page that is as narrow as a phone, in CSS pixels.
const NARROW: f64 = 640.0;

/// The inner height of an element in CSS pixels, followed as it changes; zero before it is laid out.
pub(crate) fn use_height(element: NodeRef<Div>) -> Signal<f64> {
    let height = RwSignal::new(0.0);
    use_observer(element, move |element| height.set(f64::from(element.client_height())));
    height.into()
}

/// The inner width and height of an element, as [`use_height`] tells them.
pub(crate) fn use_size(element: NodeRef<Div>) -> Signal<(f64, f64)> {
    let size = RwSignal::new((0.0, 0.0));
    use_observer(element, move |it| size.set((f64::from(it.client_width()), f64::from(it.client_height()))));
    size.into()
}

/// Has an element looked at where the browser tells that its size is another one.
///
/// Read at any other time, the browser would have to lay the page out for it.
fn use_observer(element: NodeRef<Div>, look: impl Fn(&HtmlDivElement) + Copy + 'static) {
    let observed = StoredValue::new_local(None::<Observed>);
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let target = element.clone();
        let on_resize = Closure::<dyn FnMut()>::new(move || look(&element));
        // Every browser that runs wasm has it; without it a few rows stand.
        if let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) {
            observer.observe(&target);
            observed.set_value(Some(Observed { observer, _on_resize: on_resize }));
        }
    });
    on_cleanup(move || {
        observed.try_update_value(|it| it.take());
    });
}

/// Whether the page is as narrow as a phone, followed as it changes.
pub(crate) fn use_is_narrow() -> Signal<bool> {
    let is_narrow = RwSignal::new(is_narrow());
    use_window_event(leptos::ev::resize, move |_| {
        let now = self::is_narrow();
        if is_narrow.get_untracked() != now {
            is_narrow.set(now);
        }
    });
    is_narrow.into()
}

fn is_narrow() -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    width.is_some_and(|width| width <= NARROW)
}

/// Ends the observation when dropped.
struct Observed {
    observer: ResizeObserver,
    _on_resize: Closure<dyn FnMut()>,
}

impl Drop for Observed {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
