use bytes::Bytes;
use serde::Serialize;

use super::accept::{Accept, JSON};
use super::client::{RestClient, address, reading};
use crate::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, ListOptions, Manifest, Patch, PatchOptions, ResourcePath,
    UpdateOptions,
};
use crate::rest::response;
use crate::runtime::{Method, Request};

/// Writes. One is sent twice only when the server asks for that, which it does when it has not carried it out: after
/// an error other than [`Error::Status`] it may have been carried out all the same.
impl RestClient {
    /// Creates an object, and gives it back with what the server added; `path` is the resource's, without a name, or a
    /// subresource's, `eviction` or `token` for example.
    /// (client-go: `rest/request.go`, `Post`.)
    ///
    /// # Errors
    /// A Status "already exists" ([`Error::is_already_exists`]); else as any request.
    #[doc(alias = "Post")]
    pub async fn create(
        &self,
        path: &ResourcePath,
        object: &Manifest,
        options: &CreateOptions,
    ) -> Result<Manifest, Error> {
        let request = writing(Method::Post, path, &options.to_query(), object)?;
        self.answer_object(request, Accept::Object).await
    }

    /// Replaces an object, or its status when `path` has the subresource `status`.
    /// With a resourceVersion only when nobody has changed the object since.
    /// (client-go: `rest/request.go`, `Put`.)
    ///
    /// What the server holds in `managedFields` is kept, though an [`Manifest`] does not carry it.
    ///
    /// # Errors
    /// A Status "conflict" ([`Error::is_conflict`]) when the object has changed: read it again, and decide again.
    /// A Status "not found" when there is none; else as any request.
    #[doc(alias = "Put")]
    pub async fn update(
        &self,
        path: &ResourcePath,
        object: &Manifest,
        options: &UpdateOptions,
    ) -> Result<Manifest, Error> {
        let request = writing(Method::Put, path, &options.to_query(), object)?;
        self.answer_object(request, Accept::Object).await
    }

    /// Changes an object, in one of the forms of [`Patch`].
    /// (client-go: `rest/request.go`, `Patch`.)
    ///
    /// # Errors
    /// A Status "not found" when there is no such object, which [`Patch::Apply`] creates.
    /// A Status "conflict" when the patch names a resourceVersion that is not the newest, or would take fields over
    /// from another manager without force. [`Error::NotSent`] for an apply without a field manager.
    /// Else as any request.
    pub async fn patch(&self, path: &ResourcePath, patch: &Patch, options: &PatchOptions) -> Result<Manifest, Error> {
        self.patch_as(path, patch, options, Accept::Object).await
    }

    /// As [`patch`](Self::patch), and gives back the object whole or its metadata only.
    ///
    /// # Errors
    /// As [`patch`](Self::patch).
    pub async fn patch_as(
        &self,
        path: &ResourcePath,
        patch: &Patch,
        options: &PatchOptions,
        accept: Accept,
    ) -> Result<Manifest, Error> {
        self.answer_object(patching(path, patch, options, accept)?, accept).await
    }

    /// Owns the fields that stand in the object, and gives up those that stood there the last time: server-side apply.
    /// (client-go: `rest/request.go`, `Patch` with `types.ApplyPatchType`.)
    ///
    /// # Errors
    /// A Status "conflict" with a cause for each field that another manager owns, unless forced.
    /// [`Error::NotSent`] without a field manager. Else as any request.
    #[doc(alias = "ApplyPatchType")]
    pub async fn apply(
        &self,
        path: &ResourcePath,
        object: &Manifest,
        options: &ApplyOptions,
    ) -> Result<Manifest, Error> {
        let body = serde_json::to_value(object).map_err(|error| Error::NotSent { reason: error.to_string() })?;
        self.patch(path, &Patch::Apply(body), &options.into()).await
    }

    /// Deletes an object if it is as the options' preconditions say. It may stay for a while, marked, until its
    /// finalizers are done.
    /// (client-go: `rest/request.go`, `Delete`.)
    ///
    /// # Errors
    /// A Status "not found" when there is none, "conflict" when it is not as it should be; else as any request.
    pub async fn delete(&self, path: &ResourcePath, options: &DeleteOptions) -> Result<(), Error> {
        self.deletion(path, "", options).await
    }

    /// Deletes all objects of a resource that the list's selectors match.
    /// (client-go: `dynamic/simple.go`, `DeleteCollection`.)
    ///
    /// # Errors
    /// As any request; some may have been deleted.
    pub async fn delete_collection(
        &self,
        path: &ResourcePath,
        options: &DeleteOptions,
        which: &ListOptions,
    ) -> Result<(), Error> {
        self.deletion(path, &which.to_query(), options).await
    }

    async fn deletion(&self, path: &ResourcePath, query: &str, options: &DeleteOptions) -> Result<(), Error> {
        let response = self.send(writing(Method::Delete, path, query, options)?).await?;
        // Some kinds answer with the object and others with a Status; neither says whether the object is gone.
        response::read_whole(response).await.map(|_| ())
    }
}

pub(in crate::rest) fn patching(
    path: &ResourcePath,
    patch: &Patch,
    options: &PatchOptions,
    accept: Accept,
) -> Result<Request, Error> {
    if matches!(patch, Patch::Apply(_)) && options.field_manager.is_empty() {
        return Err(Error::NotSent { reason: "an apply needs a field manager".into() });
    }
    let (query, content_type) = (options.to_query(), patch.content_type());
    writing(Method::Patch, path, &query, patch.body()).map(|mut request| {
        request.headers = vec![("accept".into(), accept.header().into()), ("content-type".into(), content_type.into())];
        request
    })
}

pub(in crate::rest) fn writing(
    method: Method,
    path: &ResourcePath,
    query: &str,
    body: &impl Serialize,
) -> Result<Request, Error> {
    let body = serde_json::to_vec(body).map_err(|error| Error::NotSent { reason: error.to_string() })?;
    let request = reading(address(path, query, Accept::Object)?, JSON).with_header("content-type", JSON);
    Ok(Request { method, body: Some(Bytes::from(body)), ..request })
}
