use std::sync::Arc;

use futures::StreamExt as _;

use super::client::{JSON, RestClient, compact, reading, undecodable, with_options};
use crate::api::{Error, List, ListOptions, Object, ResourcePath, Table};
use crate::rest::decode::ListDecoder;
use crate::rest::response;
use crate::runtime::{Request, Traffic};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

impl RestClient {
    /// One object.
    ///
    /// # Errors
    /// A Status "not found" when there is none; else as any request.
    pub async fn get(&self, path: &ResourcePath) -> Result<Arc<Object>, Error> {
        self.answer(reading(compact(path), JSON)).await.map(Arc::new)
    }

    /// The API server's version, `v1.37.2`.
    ///
    /// # Errors
    /// As any request.
    pub async fn version(&self) -> Result<String, Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            git_version: String,
        }
        Ok(self.answer::<Version>(reading(compact(&"version"), JSON)).await?.git_version)
    }

    /// A resource as the server prints it.
    ///
    /// # Errors
    /// As any request.
    pub async fn table(&self, path: &ResourcePath) -> Result<Table, Error> {
        self.answer(reading(compact(path), TABLE)).await
    }

    /// One page of a list; `on_item` is told how many items have come each time some have.
    ///
    /// # Errors
    /// As any request; [`Error::Interrupted`] when the list breaks off.
    pub async fn list(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        on_items: &dyn Fn(usize),
    ) -> Result<List, Error> {
        let url = with_options(path, options);
        let mut response = self.send(Request { traffic: Traffic::List, ..reading(url.clone(), JSON) }).await?;
        let (mut decoder, mut items) = (ListDecoder::default(), Vec::new());
        while let Some(chunk) = response.body.next().await {
            let chunk = chunk.map_err(response::interrupted)?;
            decoder.push(&chunk, &mut |item| items.push(Arc::new(item))).map_err(|error| undecodable(&url, &error))?;
            on_items(items.len());
        }
        let head = decoder.finish().map_err(|error| undecodable(&url, &error))?;
        let item_kind = head.kind.strip_suffix("List").unwrap_or_default();
        for item in items.iter_mut().filter(|item| item.kind.is_empty()) {
            // Nobody else holds the item yet, so that this copies nothing.
            let item = Arc::make_mut(item);
            item.kind = item_kind.into();
            item.api_version.clone_from(&head.api_version);
        }
        Ok(List { api_version: head.api_version, kind: head.kind, metadata: head.metadata, items })
    }
}
