//! What single kinds have besides the common verbs (client-go: the `*_expansion.go` files of `kubernetes/typed`).

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::autoscaling::v1::Scale;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{Pod, ReplicationController, ServiceAccount};
use k8s_openapi::api::policy::v1::Eviction;

use super::{Api, Kind};
use crate::api::{ApplyOptions, CreateOptions, Error, GetOptions, LogOptions, UpdateOptions};
use crate::runtime::Response;

/// A kind with the subresource `scale`.
pub trait HasScale: Kind {}

impl HasScale for Deployment {}
impl HasScale for ReplicaSet {}
impl HasScale for ReplicationController {}
impl HasScale for StatefulSet {}

impl<K: HasScale> Api<K> {
    /// How many replicas are wanted, and how many there are.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    #[doc(alias = "GetScale")]
    pub async fn scale(&self, name: &str, options: &GetOptions) -> Result<Scale, Error> {
        self.read(&self.named(name).subresource("scale"), options).await
    }

    /// Asks for another number of replicas.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn update_scale(&self, name: &str, scale: &Scale, options: &UpdateOptions) -> Result<Scale, Error> {
        self.put(&self.named(name).subresource("scale"), scale, options).await
    }

    /// Owns the number of replicas.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub async fn apply_scale(&self, name: &str, scale: &Scale, options: &ApplyOptions) -> Result<Scale, Error> {
        self.apply_at(&self.named(name).subresource("scale"), scale, options).await
    }
}

impl Api<Pod> {
    /// Ends a pod if its disruption budget allows it (client-go: `typed/policy/v1/eviction_expansion.go`).
    ///
    /// # Errors
    /// A Status "too many requests" when the budget does not allow it now; else as any request.
    #[doc(alias = "EvictV1")]
    pub async fn evict(&self, name: &str, eviction: &Eviction) -> Result<(), Error> {
        let path = self.named(name).subresource("eviction");
        self.post::<_, serde_json::Value>(&path, eviction, &CreateOptions::default()).await.map(|_| ())
    }

    /// What a container wrote, while it comes (client-go: `typed/core/v1/pod_expansion.go`, `GetLogs`).
    ///
    /// # Errors
    /// As any request.
    #[doc(alias = "GetLogs")]
    pub async fn logs(&self, name: &str, options: &LogOptions) -> Result<Response, Error> {
        self.client.logs(&self.named(name), options).await
    }
}

impl Api<ServiceAccount> {
    /// A token for the account (client-go: `typed/core/v1/serviceaccount.go`, `CreateToken`).
    ///
    /// # Errors
    /// As [`create`](Self::create).
    #[doc(alias = "CreateToken")]
    pub async fn create_token(
        &self,
        name: &str,
        request: &TokenRequest,
        options: &CreateOptions,
    ) -> Result<TokenRequest, Error> {
        self.post(&self.named(name).subresource("token"), request, options).await
    }
}

impl Api<CertificateSigningRequest> {
    /// Approves or denies a request, as its conditions say
    /// (client-go: `typed/certificates/v1/certificatesigningrequest.go`, `UpdateApproval`).
    ///
    /// # Errors
    /// As [`update`](Self::update).
    #[doc(alias = "UpdateApproval")]
    pub async fn update_approval(
        &self,
        name: &str,
        request: &CertificateSigningRequest,
        options: &UpdateOptions,
    ) -> Result<CertificateSigningRequest, Error> {
        self.put(&self.named(name).subresource("approval"), request, options).await
    }
}
