use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::value::RawValue;

use super::cached::CachedDiscoveryClient;
use super::error::DiscoveryError;

/// The documents that were asked for (client-go: `openapi/cached`).
#[derive(Default)]
pub(super) struct OpenApi {
    paths: RefCell<Option<Rc<BTreeMap<String, String>>>>,
    schemas: RefCell<BTreeMap<String, Rc<RawValue>>>,
}

impl OpenApi {
    pub(super) fn forget(&self) {
        self.paths.take();
        self.schemas.take();
    }
}

impl CachedDiscoveryClient {
    /// As [the client](crate::rest::discovery::DiscoveryClient::open_api_v3_paths), asked once.
    ///
    /// # Errors
    /// As any request.
    pub async fn open_api_v3_paths(&self) -> Result<Rc<BTreeMap<String, String>>, DiscoveryError> {
        if let Some(paths) = self.open_api().paths.borrow().as_ref() {
            return Ok(paths.clone());
        }
        let generation = self.generation();
        let paths = Rc::new(self.client().open_api_v3_paths().await?);
        if generation == self.generation() {
            self.open_api().paths.replace(Some(paths.clone()));
        }
        Ok(paths)
    }

    /// As [the client](crate::rest::discovery::DiscoveryClient::open_api_v3_schema), asked once for each address.
    ///
    /// # Errors
    /// As any request.
    pub async fn open_api_v3_schema(&self, address: &str) -> Result<Rc<RawValue>, DiscoveryError> {
        if let Some(schema) = self.open_api().schemas.borrow().get(address) {
            return Ok(schema.clone());
        }
        let generation = self.generation();
        let schema = self.client().open_api_v3_schema(address).await?;
        if generation == self.generation() {
            self.open_api().schemas.borrow_mut().insert(address.to_owned(), schema.clone());
        }
        Ok(schema)
    }
}
