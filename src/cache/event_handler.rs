use std::fmt;

use super::keys::DeletedObject;
use crate::api::Object;

/// Is told of each change of an informer's objects, one at a time and in order, after the store has changed
/// (client-go: `tools/cache/controller.go`, `ResourceEventHandler`).
///
/// It may add and remove handlers, stop the informer, read the store and put keys into queues. It should do no more
/// than put a key into a queue: the newest object is in the store when the key is worked on.
pub trait ResourceEventHandler {
    /// `is_in_initial_list`: the object was there before the informer or the handler was.
    fn on_add(&self, object: &Object, is_in_initial_list: bool);

    /// `old` and `new` may be two objects of the same name with different uids: a deletion that was missed.
    /// In a resync they are the same object.
    fn on_update(&self, old: &Object, new: &Object);

    /// The object is gone. If its deletion was missed, only a last known state is at hand, or not even that.
    fn on_delete(&self, deleted: &DeletedObject);
}

type OnAdd = Box<dyn Fn(&Object, bool)>;
type OnUpdate = Box<dyn Fn(&Object, &Object)>;
type OnDelete = Box<dyn Fn(&DeletedObject)>;

/// A handler of closures; what has none is ignored
/// (client-go: `tools/cache/controller.go`, `ResourceEventHandlerFuncs` and `ResourceEventHandlerDetailedFuncs`).
///
/// ```
/// use watchglass::cache::ResourceEventHandlerFuncs;
///
/// let handler = ResourceEventHandlerFuncs::new()
///     .on_add(|object, _is_in_initial_list| drop(object.name().to_owned()))
///     .on_delete(|deleted| drop(deleted.key()));
/// ```
#[doc(alias = "ResourceEventHandlerDetailedFuncs")]
#[derive(Default)]
pub struct ResourceEventHandlerFuncs {
    add: Option<OnAdd>,
    update: Option<OnUpdate>,
    delete: Option<OnDelete>,
}

impl ResourceEventHandlerFuncs {
    /// A handler that ignores everything so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Called with the object, and whether it is of the initial list.
    #[must_use]
    pub fn on_add(mut self, call: impl Fn(&Object, bool) + 'static) -> Self {
        self.add = Some(Box::new(call));
        self
    }

    /// Called with the old and the new object.
    #[must_use]
    pub fn on_update(mut self, call: impl Fn(&Object, &Object) + 'static) -> Self {
        self.update = Some(Box::new(call));
        self
    }

    /// Called with the last state of what is gone, as far as it is known.
    #[must_use]
    pub fn on_delete(mut self, call: impl Fn(&DeletedObject) + 'static) -> Self {
        self.delete = Some(Box::new(call));
        self
    }
}

impl ResourceEventHandler for ResourceEventHandlerFuncs {
    fn on_add(&self, object: &Object, is_in_initial_list: bool) {
        self.add.iter().for_each(|call| call(object, is_in_initial_list));
    }

    fn on_update(&self, old: &Object, new: &Object) {
        self.update.iter().for_each(|call| call(old, new));
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.delete.iter().for_each(|call| call(deleted));
    }
}

impl fmt::Debug for ResourceEventHandlerFuncs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceEventHandlerFuncs").finish_non_exhaustive()
    }
}

/// Tells another handler only of the objects that pass a filter. An object that comes to pass by an update is added,
/// and one that ceases to pass is deleted, as far as that handler can see
/// (client-go: `tools/cache/controller.go`, `FilteringResourceEventHandler`).
///
/// A deletion of which only the key is known passes always: a handler that never saw the object can ignore it, and
/// one that did must learn of it.
#[derive(Debug)]
pub struct FilteringResourceEventHandler<F, H> {
    filter: F,
    handler: H,
}

impl<F: Fn(&Object) -> bool, H: ResourceEventHandler> FilteringResourceEventHandler<F, H> {
    /// The filter says yes to what the handler is to see. It should depend on nothing but the object.
    pub fn new(filter: F, handler: H) -> Self {
        Self { filter, handler }
    }
}

impl<F: Fn(&Object) -> bool, H: ResourceEventHandler> ResourceEventHandler for FilteringResourceEventHandler<F, H> {
    fn on_add(&self, object: &Object, is_in_initial_list: bool) {
        if (self.filter)(object) {
            self.handler.on_add(object, is_in_initial_list);
        }
    }

    fn on_update(&self, old: &Object, new: &Object) {
        match ((self.filter)(old), (self.filter)(new)) {
            (true, true) => self.handler.on_update(old, new),
            (false, true) => self.handler.on_add(new, false),
            (true, false) => self.handler.on_delete(&DeletedObject::Known(old.clone())),
            (false, false) => {}
        }
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        if deleted.object().is_none_or(|object| (self.filter)(object)) {
            self.handler.on_delete(deleted);
        }
    }
}
