use futures::StreamExt as _;

use super::accept::{Accept, IncludeObject, JSON};
use super::client::{RestClient, address, decoded, reading, undecodable};
use crate::api::{Error, GetOptions, List, ListOptions, Manifest, Object, ResourcePath, Status, Table};
use crate::rest::decode::{ListDecoder, ListHead};
use crate::rest::metadata;
use crate::rest::response;
use crate::runtime::{Request, Traffic};

/// What has come of a list.
enum Read {
    Item(Object),
    /// Whatever was in a piece of its text, also nothing whole: a large item on a slow line is no silence.
    Piece,
}

impl RestClient {
    /// One object.
    ///
    /// # Errors
    /// A Status "not found" when there is none; else as any request.
    pub async fn get(&self, path: &ResourcePath, options: &GetOptions) -> Result<Manifest, Error> {
        self.get_as(path, options, Accept::Object).await
    }

    /// One object, whole or its metadata only (client-go: `metadata/metadata.go`, `Get`).
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_as(&self, path: &ResourcePath, options: &GetOptions, accept: Accept) -> Result<Manifest, Error> {
        let request = reading(address(path, &options.to_query(), accept)?, accept.header());
        self.answer_object(request, accept).await
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
        Ok(self.answer::<Version>(reading("version?pretty=false".into(), JSON)).await?.git_version)
    }

    /// A resource, or one object of it, as the server prints it.
    ///
    /// # Errors
    /// As any request.
    pub async fn table(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        include: IncludeObject,
    ) -> Result<Table, Error> {
        self.answer(table_request(path, options, include)?).await
    }

    /// As [`table`](Self::table), whatever came instead of one too, for who reads little of it: its `kind` says what it
    /// is.
    ///
    /// # Errors
    /// As any request.
    pub async fn table_object(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        include: IncludeObject,
    ) -> Result<Object, Error> {
        self.answer(table_request(path, options, include)?).await
    }

    /// One page of a list; `on_items` is told of the items that have come so far whenever something has.
    ///
    /// # Errors
    /// As any request; [`Error::Interrupted`] when the list breaks off.
    pub async fn list(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        on_items: &dyn Fn(&[Object]),
    ) -> Result<List, Error> {
        self.list_as(path, options, Accept::Object, on_items).await
    }

    /// One page of a list of whole objects or of metadata; else as [`list`](Self::list).
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn list_as(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        accept: Accept,
        on_items: &dyn Fn(&[Object]),
    ) -> Result<List, Error> {
        let mut items = Vec::new();
        let mut on_read = |read| match read {
            Read::Item(item) => items.push(item),
            Read::Piece => on_items(&items),
        };
        let head = self.read_list(path, options, accept, &mut on_read).await?;
        // Those that came before the list said what it is.
        for item in items.iter_mut().filter(|item| item.kind().is_empty()) {
            *item = item.with_type_meta(head.item_type());
        }
        Ok(List { api_version: head.api_version, kind: head.kind, metadata: head.metadata, items })
    }

    /// One page of a list, each item given as soon as it is whole, and none held: kinds that only the list names are
    /// not filled in. What was given before an error was in the list.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn list_items(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        accept: Accept,
        on_item: &mut dyn FnMut(Object),
    ) -> Result<ListHead, Error> {
        let mut on_read = |read| match read {
            Read::Item(item) => on_item(item),
            Read::Piece => {}
        };
        self.read_list(path, options, accept, &mut on_read).await
    }

    async fn read_list(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        accept: Accept,
        on_read: &mut dyn FnMut(Read),
    ) -> Result<ListHead, Error> {
        let request = reading(address(path, &options.to_query(), accept)?, accept.list_header());
        let url = request.path.clone();
        let mut response = self.send(Request { traffic: Traffic::List, ..request }).await?;
        let mut decoder = ListDecoder::with_pool(&self.config.pool);
        while let Some(chunk) = response.body.next().await {
            let chunk = chunk.map_err(response::interrupted)?;
            let mut on_item = |item| on_read(Read::Item(metadata::reduced(item, accept)));
            decoder.push(&chunk, &mut on_item).map_err(|error| undecodable(&url, &error))?;
            on_read(Read::Piece);
        }
        decoder.finish().map_err(|error| undecodable(&url, &error))
    }

    /// An answer that is one object.
    pub(in crate::rest) async fn answer_object(&self, request: Request, accept: Accept) -> Result<Manifest, Error> {
        let path = request.path.clone();
        let body = self.answer_bytes(request).await?;
        let object: Manifest = decoded(&path, &body)?;
        if object.kind == "Status" && object.str_at(&["status"]) == Some("Failure") {
            return Err(decoded::<Status>(&path, &body)?.into());
        }
        metadata::checked(&path, object, accept)
    }
}

fn table_request(path: &ResourcePath, options: &ListOptions, include: IncludeObject) -> Result<Request, Error> {
    let accept = Accept::Table(include);
    let request = reading(address(path, &options.to_query(), accept)?, accept.header());
    Ok(Request { traffic: Traffic::List, ..request })
}
