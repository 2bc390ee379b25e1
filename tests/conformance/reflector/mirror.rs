use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use event_listener::Event;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::Object;
use watchglass::cache::{DeletedObject, ReflectorStore, StoreError, TransformFunc, meta_namespace_key};

type Act = Rc<dyn Fn(&Mirror)>;

/// A reflector's store that writes down what it is told, and refuses what a test wants it to.
#[derive(Default)]
pub struct Mirror {
    objects: RefCell<BTreeMap<String, Object>>,
    calls: RefCell<Vec<String>>,
    /// How many calls of a name still succeed.
    failures: RefCell<BTreeMap<&'static str, usize>>,
    transformer: Option<TransformFunc>,
    is_full: Cell<bool>,
    room: Event,
    /// What to do when the content is replaced, before it is.
    before_replace: RefCell<Option<Act>>,
}

impl Mirror {
    pub fn with_transformer(transformer: TransformFunc) -> Self {
        Self { transformer: Some(transformer), ..Self::default() }
    }

    /// Calls of this name fail after so many more.
    pub fn fail_after(&self, name: &'static str, successes: usize) {
        self.failures.borrow_mut().insert(name, successes);
    }

    pub fn before_replace(&self, act: impl Fn(&Mirror) + 'static) {
        self.before_replace.replace(Some(Rc::new(act)));
    }

    pub fn set_full(&self, is_full: bool) {
        self.is_full.set(is_full);
        self.room.notify(usize::MAX);
    }

    /// `name resourceVersion` of all objects, in the order of their keys.
    pub fn listing(&self) -> Vec<String> {
        let objects = self.objects.borrow();
        objects.values().map(|it| format!("{} {}", it.name(), it.resource_version())).collect()
    }

    pub fn objects(&self) -> Vec<Object> {
        self.objects.borrow().values().cloned().collect()
    }

    /// The calls since the last time this was asked: `add a 1`, `delete a 2`, `replace 3 at 7`, `resync`,
    /// `bookmark 8`, `seen 8`.
    pub fn calls(&self) -> Vec<String> {
        self.calls.take()
    }

    fn call(&self, name: &'static str, what: &str) -> Result<(), StoreError> {
        self.calls.borrow_mut().push(format!("{name} {what}").trim_end().to_owned());
        match self.failures.borrow_mut().get_mut(name) {
            Some(0) => Err(StoreError::other(format!("no {name}"))),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn put(&self, name: &'static str, mut object: Object) -> Result<(), StoreError> {
        self.call(name, &format!("{} {}", object.name(), object.resource_version()))?;
        self.transform(&mut object);
        self.objects.borrow_mut().insert(meta_namespace_key(&object), object);
        Ok(())
    }

    fn transform(&self, object: &mut Object) {
        if let Some(transformer) = &self.transformer {
            *object = transformer(object).expect("the test's transformer takes everything");
        }
    }
}

impl ReflectorStore for Mirror {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.put("add", object)
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.put("update", object)
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        let version = deleted.object().map(|object| object.resource_version().to_owned()).unwrap_or_default();
        self.call("delete", &format!("{} {version}", deleted.key()))?;
        self.objects.borrow_mut().remove(&deleted.key());
        Ok(())
    }

    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        let before = self.before_replace.borrow().clone();
        if let Some(act) = before {
            act(self);
        }
        self.call("replace", &format!("{} at {resource_version}", list.len()))?;
        let transformed = list.into_iter().map(|mut object| {
            self.transform(&mut object);
            (meta_namespace_key(&object), object)
        });
        let objects = transformed.collect();
        self.objects.replace(objects);
        Ok(())
    }

    fn resync(&self) -> Result<(), StoreError> {
        self.call("resync", "")
    }

    fn bookmark(&self, resource_version: &str) {
        let _ = self.call("bookmark", resource_version);
    }

    fn update_resource_version(&self, resource_version: &str) {
        let _ = self.call("seen", resource_version);
    }

    fn transformer(&self) -> Option<TransformFunc> {
        self.transformer.clone()
    }

    fn room(&self) -> LocalBoxFuture<'_, ()> {
        async {
            loop {
                let room = self.room.listen();
                if !self.is_full.get() {
                    return;
                }
                room.await;
            }
        }
        .boxed_local()
    }
}
