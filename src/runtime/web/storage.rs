use crate::runtime::Storage;

/// The origin's local storage; where the browser refuses it, nothing is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStorage;

impl Storage for LocalStorage {
    fn get(&self, key: &str) -> Option<String> {
        local_storage()?.get_item(key).ok()?
    }

    fn set(&self, key: &str, value: &str) {
        if let Some(storage) = local_storage() {
            // Refused when the quota is used up; the page works without.
            let _ = storage.set_item(key, value);
        }
    }
}

fn local_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}
