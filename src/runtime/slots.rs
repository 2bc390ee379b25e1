use futures::future::{FutureExt as _, LocalBoxFuture};

/// Hands out the few connections that all programs of one host share: the tabs of a browser.
///
/// Who waits is served sooner or later, not in any order.
pub trait Slots {
    /// A slot, as soon as one is free; none only when nobody waits for it and none is free now.
    /// Dropping the future gives up waiting.
    fn take(&self, waits: bool) -> LocalBoxFuture<'static, Option<Box<dyn Slot>>>;
}

/// A connection that may be used. It is free again when this is dropped, and when the program ends.
pub trait Slot {
    /// Ends when another program waits for this slot.
    fn wanted(&self) -> LocalBoxFuture<'static, ()>;
}

/// Slots of a program that shares its host with no other: there is always one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unshared;

impl Slots for Unshared {
    fn take(&self, _: bool) -> LocalBoxFuture<'static, Option<Box<dyn Slot>>> {
        std::future::ready(Some(Box::new(Self) as Box<dyn Slot>)).boxed_local()
    }
}

impl Slot for Unshared {
    fn wanted(&self) -> LocalBoxFuture<'static, ()> {
        std::future::pending().boxed_local()
    }
}
