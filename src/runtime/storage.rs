use std::cell::RefCell;
use std::collections::BTreeMap;

/// Texts that outlive the page: the theme, the namespaces last looked at, what a server was found to serve (some tens
/// of KB). Never an object of a cluster.
pub trait Storage {
    fn get(&self, key: &str) -> Option<String>;

    /// A host that cannot store forgets; nothing depends on the storage.
    fn set(&self, key: &str, value: &str);
}

/// A storage that lasts as long as the program.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    entries: RefCell<BTreeMap<String, String>>,
}

impl Storage for MemoryStorage {
    fn get(&self, key: &str) -> Option<String> {
        self.entries.borrow().get(key).cloned()
    }

    fn set(&self, key: &str, value: &str) {
        self.entries.borrow_mut().insert(key.into(), value.into());
    }
}
