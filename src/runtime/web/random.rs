use crate::runtime::Random;

pub(super) struct WebRandom;

impl Random for WebRandom {
    fn unit(&self) -> f64 {
        js_sys::Math::random()
    }
}
