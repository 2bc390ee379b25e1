use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::GroupVersionResource;

/// The names of a program's informers, each given once (client-go: `tools/cache/identity.go`).
///
/// client-go keeps them for the whole process. Here the program owns them, and hands them to who makes informers.
/// A handle: clones are of the same names.
#[derive(Clone, Debug, Default)]
pub struct InformerNames {
    taken: Rc<RefCell<FxHashSet<String>>>,
}

/// Why a name cannot be had (client-go: `tools/cache/identity.go`, the errors of `NewInformerName`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InformerNameError {
    /// A name without a letter tells nothing apart.
    #[error("informer name cannot be empty")]
    Empty,
    /// Somebody has it and has not given it back.
    #[error("informer name {0:?} is already registered")]
    Taken(String),
}

impl InformerNames {
    /// Takes a name, for as long as it is held and not [released](InformerName::release).
    ///
    /// # Errors
    /// When the name is empty or taken.
    #[doc(alias = "NewInformerName")]
    pub fn register(&self, name: impl Into<String>) -> Result<InformerName, InformerNameError> {
        let name = name.into();
        if name.is_empty() {
            return Err(InformerNameError::Empty);
        }
        if !self.taken.borrow_mut().insert(name.clone()) {
            return Err(InformerNameError::Taken(name));
        }
        Ok(InformerName { name, names: self.clone(), released: Cell::new(false), resources: RefCell::default() })
    }
}

/// The name of a program's informers, by which their metrics are told apart. Dropping it releases it
/// (client-go: `tools/cache/identity.go`, `InformerName`, which nothing releases but a call).
#[derive(Debug)]
pub struct InformerName {
    name: String,
    names: InformerNames,
    released: Cell<bool>,
    resources: RefCell<FxHashMap<GroupVersionResource, Rc<Cell<bool>>>>,
}

impl InformerName {
    /// The name itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The identity of the informer of a resource. Only the first one for each resource is reserved.
    pub fn with_resource(&self, resource: GroupVersionResource) -> InformerNameAndResource {
        let resources = &mut *self.resources.borrow_mut();
        let is_first = !self.released.get() && !resources.contains_key(&resource);
        let reserved = Rc::new(Cell::new(is_first));
        if is_first {
            resources.insert(resource.clone(), Rc::clone(&reserved));
        } else {
            let (informer, resource) = (&self.name, resource.to_string());
            tracing::error!(informer, resource, "an informer of this name exists: no metrics will be published");
        }
        InformerNameAndResource { name: self.name.clone(), resource, reserved }
    }

    /// Gives the name back. No identity is reserved from now on. Does nothing the second time.
    pub fn release(&self) {
        if self.released.replace(true) {
            return;
        }
        for reserved in self.resources.take().into_values() {
            reserved.set(false);
        }
        self.names.taken.borrow_mut().remove(&self.name);
    }
}

impl Drop for InformerName {
    fn drop(&mut self) {
        self.release();
    }
}

/// The identity of one informer. Clones are of the same informer
/// (client-go: `tools/cache/identity.go`, `InformerNameAndResource`).
#[derive(Clone, Debug)]
#[doc(alias = "Identifier")]
pub struct InformerNameAndResource {
    name: String,
    resource: GroupVersionResource,
    reserved: Rc<Cell<bool>>,
}

impl InformerNameAndResource {
    /// Of an informer that has no name. It is never reserved.
    pub fn unnamed(resource: GroupVersionResource) -> Self {
        Self { name: String::new(), resource, reserved: Rc::default() }
    }

    /// Whether metrics are to be published: it is the first of its name and resource, and the name is not released.
    pub fn reserved(&self) -> bool {
        self.reserved.get()
    }

    /// The informer's name; empty when it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The resource of its objects.
    #[doc(alias = "GroupVersionResource")]
    pub fn resource(&self) -> &GroupVersionResource {
        &self.resource
    }
}
