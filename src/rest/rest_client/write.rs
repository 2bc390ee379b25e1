use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use super::client::{JSON, RestClient, compact};
use crate::api::{DeleteOptions, Error, Object, ResourcePath};
use crate::rest::response;
use crate::runtime::{Method, Request, Traffic};

const MERGE_PATCH: &str = "application/merge-patch+json";

/// Writes. None is sent twice: after an error other than [`Error::Status`] it may have been carried out all the same.
impl RestClient {
    /// Creates an object, and gives it back with what the server added; `path` is the resource's, without a name.
    /// (client-go: `rest/request.go`, `Post`.)
    ///
    /// # Errors
    /// A Status "already exists" ([`Error::is_already_exists`]); else as any request.
    #[doc(alias = "Post")]
    pub async fn create(&self, path: &ResourcePath, object: &Object) -> Result<Arc<Object>, Error> {
        self.write(Method::Post, path, JSON, object).await
    }

    /// Replaces an object, or its status when `path` has the subresource `status`.
    /// With a resourceVersion only when nobody has changed the object since.
    /// (client-go: `rest/request.go`, `Put`.)
    ///
    /// What the server holds in `managedFields` is kept, though an [`Object`] does not carry it.
    ///
    /// # Errors
    /// A Status "conflict" ([`Error::is_conflict`]) when the object has changed: read it again, and decide again.
    /// A Status "not found" when there is none; else as any request.
    #[doc(alias = "Put")]
    pub async fn update(&self, path: &ResourcePath, object: &Object) -> Result<Arc<Object>, Error> {
        self.write(Method::Put, path, JSON, object).await
    }

    /// Changes what the JSON merge patch (RFC 7396) names: `null` removes a field, a list is replaced whole.
    /// (client-go: `rest/request.go`, `Patch` with `types.MergePatchType`.)
    ///
    /// # Errors
    /// A Status "not found" when there is no such object.
    /// A Status "conflict" when the patch names a resourceVersion that is not the newest; else as any request.
    #[doc(alias = "MergePatchType")]
    pub async fn patch(&self, path: &ResourcePath, merge_patch: &serde_json::Value) -> Result<Arc<Object>, Error> {
        self.write(Method::Patch, path, MERGE_PATCH, merge_patch).await
    }

    /// Deletes an object, whatever its state. It may stay for a while, marked, until its finalizers are done.
    /// (client-go: `rest/request.go`, `Delete`.)
    ///
    /// # Errors
    /// As [`delete_with`](Self::delete_with).
    pub async fn delete(&self, path: &ResourcePath) -> Result<(), Error> {
        self.delete_with(path, &DeleteOptions::default()).await
    }

    /// Deletes an object if it is as the options' preconditions say.
    ///
    /// # Errors
    /// A Status "not found" when there is none, "conflict" when it is not as it should be; else as any request.
    pub async fn delete_with(&self, path: &ResourcePath, options: &DeleteOptions) -> Result<(), Error> {
        let response = self.send(writing(Method::Delete, path, JSON, options)).await?;
        // Some kinds answer with the object and others with a Status; neither says whether the object is gone.
        response::read_whole(response).await.map(|_| ())
    }

    async fn write(
        &self,
        method: Method,
        path: &ResourcePath,
        content_type: &str,
        body: &impl Serialize,
    ) -> Result<Arc<Object>, Error> {
        self.answer(writing(method, path, content_type, body)).await.map(Arc::new)
    }
}

fn writing(method: Method, path: &ResourcePath, content_type: &str, body: &impl Serialize) -> Request {
    let body = serde_json::to_vec(body).expect("objects, patches and options have only texts as keys");
    let headers = vec![("accept", JSON.to_owned()), ("content-type", content_type.to_owned())];
    Request { method, path: compact(path), headers, body: Some(Bytes::from(body)), traffic: Traffic::Request }
}
