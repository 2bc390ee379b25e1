//! Which kinds there are, by group and version.

use crate::rest::{Config, RestClient};

/// Requests to all kinds that Kubernetes brings along (client-go: `kubernetes/clientset.go`, and
/// `apiextensions-apiserver` and `kube-aggregator` for theirs).
///
/// All groups share the configuration's rate limit.
#[derive(Clone, Debug)]
pub struct Clientset {
    client: RestClient,
}

impl Clientset {
    /// (client-go: `kubernetes.NewForConfig`.)
    #[doc(alias = "NewForConfig")]
    pub fn for_config(config: &Config) -> Self {
        Self { client: RestClient::for_config(config) }
    }

    /// For what has no type.
    pub fn rest_client(&self) -> &RestClient {
        &self.client
    }
}

/// Makes the accessors from the table: a struct for each group and version, a method for each kind.
macro_rules! groups {
    ($($accessor:ident: $group:ident in $($part:ident)::+ {
        namespaced { $($many:ident: $namespaced:ident,)* }
        cluster { $($all:ident: $cluster:ident,)* }
    })+) => {
        impl Clientset {
            $(
                #[doc = concat!("The kinds of `", stringify!($($part)::+), "`.")]
                pub fn $accessor(&self) -> $group {
                    $group { client: self.client.clone() }
                }
            )+
        }

        $(
            pub use $accessor::$group;

            mod $accessor {
                use k8s_openapi::$($part)::+ as kinds;

                use super::super::Api;
                use crate::rest::RestClient;

                #[doc = concat!("The kinds of a group and version (client-go: `", stringify!($group), "Interface`).")]
                #[derive(Clone, Debug)]
                pub struct $group {
                    pub(super) client: RestClient,
                }

                impl $group {
                    $(
                        #[doc = concat!("`", stringify!($namespaced), "` in a namespace; in all for an empty one.")]
                        pub fn $many(&self, namespace: &str) -> Api<kinds::$namespaced> {
                            Api::namespaced(&self.client, namespace)
                        }
                    )*
                    $(
                        #[doc = concat!("`", stringify!($cluster), "`, which is in no namespace.")]
                        pub fn $all(&self) -> Api<kinds::$cluster> {
                            Api::cluster(&self.client)
                        }
                    )*
                }
            }
        )+
    };
}

groups! {
    admissionregistration_v1: AdmissionregistrationV1 in api::admissionregistration::v1 {
        namespaced {}
        cluster {
            mutating_admission_policies: MutatingAdmissionPolicy,
            mutating_admission_policy_bindings: MutatingAdmissionPolicyBinding,
            mutating_webhook_configurations: MutatingWebhookConfiguration,
            validating_admission_policies: ValidatingAdmissionPolicy,
            validating_admission_policy_bindings: ValidatingAdmissionPolicyBinding,
            validating_webhook_configurations: ValidatingWebhookConfiguration,
        }
    }
    admissionregistration_v1alpha1: AdmissionregistrationV1alpha1 in api::admissionregistration::v1alpha1 {
        namespaced {}
        cluster {
            mutating_admission_policies: MutatingAdmissionPolicy,
            mutating_admission_policy_bindings: MutatingAdmissionPolicyBinding,
        }
    }
    admissionregistration_v1beta1: AdmissionregistrationV1beta1 in api::admissionregistration::v1beta1 {
        namespaced {}
        cluster {
            mutating_admission_policies: MutatingAdmissionPolicy,
            mutating_admission_policy_bindings: MutatingAdmissionPolicyBinding,
        }
    }
    internal_v1alpha1: InternalV1alpha1 in api::apiserverinternal::v1alpha1 {
        namespaced {}
        cluster {
            storage_versions: StorageVersion,
        }
    }
    apps_v1: AppsV1 in api::apps::v1 {
        namespaced {
            controller_revisions: ControllerRevision,
            daemon_sets: DaemonSet,
            deployments: Deployment,
            replica_sets: ReplicaSet,
            stateful_sets: StatefulSet,
        }
        cluster {}
    }
    authentication_v1: AuthenticationV1 in api::authentication::v1 {
        namespaced {}
        cluster {
            self_subject_reviews: SelfSubjectReview,
            token_reviews: TokenReview,
        }
    }
    authorization_v1: AuthorizationV1 in api::authorization::v1 {
        namespaced {
            local_subject_access_reviews: LocalSubjectAccessReview,
        }
        cluster {
            self_subject_access_reviews: SelfSubjectAccessReview,
            self_subject_rules_reviews: SelfSubjectRulesReview,
            subject_access_reviews: SubjectAccessReview,
        }
    }
    autoscaling_v1: AutoscalingV1 in api::autoscaling::v1 {
        namespaced {
            horizontal_pod_autoscalers: HorizontalPodAutoscaler,
        }
        cluster {}
    }
    autoscaling_v2: AutoscalingV2 in api::autoscaling::v2 {
        namespaced {
            horizontal_pod_autoscalers: HorizontalPodAutoscaler,
        }
        cluster {}
    }
    batch_v1: BatchV1 in api::batch::v1 {
        namespaced {
            cron_jobs: CronJob,
            jobs: Job,
        }
        cluster {}
    }
    certificates_v1: CertificatesV1 in api::certificates::v1 {
        namespaced {
            pod_certificate_requests: PodCertificateRequest,
        }
        cluster {
            certificate_signing_requests: CertificateSigningRequest,
            cluster_trust_bundles: ClusterTrustBundle,
        }
    }
    certificates_v1beta1: CertificatesV1beta1 in api::certificates::v1beta1 {
        namespaced {
            pod_certificate_requests: PodCertificateRequest,
        }
        cluster {
            cluster_trust_bundles: ClusterTrustBundle,
        }
    }
    coordination_v1: CoordinationV1 in api::coordination::v1 {
        namespaced {
            leases: Lease,
        }
        cluster {}
    }
    coordination_v1alpha2: CoordinationV1alpha2 in api::coordination::v1alpha2 {
        namespaced {
            lease_candidates: LeaseCandidate,
        }
        cluster {}
    }
    coordination_v1beta1: CoordinationV1beta1 in api::coordination::v1beta1 {
        namespaced {
            lease_candidates: LeaseCandidate,
        }
        cluster {}
    }
    core_v1: CoreV1 in api::core::v1 {
        namespaced {
            bindings: Binding,
            config_maps: ConfigMap,
            endpoints: Endpoints,
            events: Event,
            limit_ranges: LimitRange,
            persistent_volume_claims: PersistentVolumeClaim,
            pods: Pod,
            pod_templates: PodTemplate,
            replication_controllers: ReplicationController,
            resource_quotas: ResourceQuota,
            secrets: Secret,
            services: Service,
            service_accounts: ServiceAccount,
        }
        cluster {
            component_statuses: ComponentStatus,
            namespaces: Namespace,
            nodes: Node,
            persistent_volumes: PersistentVolume,
        }
    }
    discovery_v1: DiscoveryV1 in api::discovery::v1 {
        namespaced {
            endpoint_slices: EndpointSlice,
        }
        cluster {}
    }
    events_v1: EventsV1 in api::events::v1 {
        namespaced {
            events: Event,
        }
        cluster {}
    }
    flowcontrol_v1: FlowcontrolV1 in api::flowcontrol::v1 {
        namespaced {}
        cluster {
            flow_schemas: FlowSchema,
            priority_level_configurations: PriorityLevelConfiguration,
        }
    }
    lifecycle_v1alpha1: LifecycleV1alpha1 in api::lifecycle::v1alpha1 {
        namespaced {
            evictions: Eviction,
            eviction_requests: EvictionRequest,
        }
        cluster {}
    }
    networking_v1: NetworkingV1 in api::networking::v1 {
        namespaced {
            ingresses: Ingress,
            network_policies: NetworkPolicy,
        }
        cluster {
            ip_addresses: IPAddress,
            ingress_classes: IngressClass,
            service_cidrs: ServiceCIDR,
        }
    }
    node_v1: NodeV1 in api::node::v1 {
        namespaced {}
        cluster {
            runtime_classes: RuntimeClass,
        }
    }
    policy_v1: PolicyV1 in api::policy::v1 {
        namespaced {
            pod_disruption_budgets: PodDisruptionBudget,
        }
        cluster {}
    }
    rbac_v1: RbacV1 in api::rbac::v1 {
        namespaced {
            roles: Role,
            role_bindings: RoleBinding,
        }
        cluster {
            cluster_roles: ClusterRole,
            cluster_role_bindings: ClusterRoleBinding,
        }
    }
    resource_v1: ResourceV1 in api::resource::v1 {
        namespaced {
            resource_claims: ResourceClaim,
            resource_claim_templates: ResourceClaimTemplate,
        }
        cluster {
            device_classes: DeviceClass,
            device_taint_rules: DeviceTaintRule,
            resource_slices: ResourceSlice,
        }
    }
    resource_v1alpha3: ResourceV1alpha3 in api::resource::v1alpha3 {
        namespaced {}
        cluster {
            device_taint_rules: DeviceTaintRule,
            resource_pool_status_requests: ResourcePoolStatusRequest,
        }
    }
    resource_v1beta1: ResourceV1beta1 in api::resource::v1beta1 {
        namespaced {
            resource_claims: ResourceClaim,
            resource_claim_templates: ResourceClaimTemplate,
        }
        cluster {
            device_classes: DeviceClass,
            resource_slices: ResourceSlice,
        }
    }
    resource_v1beta2: ResourceV1beta2 in api::resource::v1beta2 {
        namespaced {
            resource_claims: ResourceClaim,
            resource_claim_templates: ResourceClaimTemplate,
        }
        cluster {
            device_classes: DeviceClass,
            device_taint_rules: DeviceTaintRule,
            resource_slices: ResourceSlice,
        }
    }
    scheduling_v1: SchedulingV1 in api::scheduling::v1 {
        namespaced {}
        cluster {
            priority_classes: PriorityClass,
        }
    }
    scheduling_v1alpha3: SchedulingV1alpha3 in api::scheduling::v1alpha3 {
        namespaced {
            composite_pod_groups: CompositePodGroup,
            pod_groups: PodGroup,
            workloads: Workload,
        }
        cluster {}
    }
    scheduling_v1beta1: SchedulingV1beta1 in api::scheduling::v1beta1 {
        namespaced {
            pod_groups: PodGroup,
            workloads: Workload,
        }
        cluster {}
    }
    storage_v1: StorageV1 in api::storage::v1 {
        namespaced {
            csi_storage_capacities: CSIStorageCapacity,
        }
        cluster {
            csi_drivers: CSIDriver,
            csi_nodes: CSINode,
            storage_classes: StorageClass,
            volume_attachments: VolumeAttachment,
            volume_attributes_classes: VolumeAttributesClass,
        }
    }
    storagemigration_v1: StoragemigrationV1 in api::storagemigration::v1 {
        namespaced {}
        cluster {
            storage_version_migrations: StorageVersionMigration,
        }
    }
    storagemigration_v1beta1: StoragemigrationV1beta1 in api::storagemigration::v1beta1 {
        namespaced {}
        cluster {
            storage_version_migrations: StorageVersionMigration,
        }
    }
    apiextensions_v1: ApiextensionsV1 in apiextensions_apiserver::pkg::apis::apiextensions::v1 {
        namespaced {}
        cluster {
            custom_resource_definitions: CustomResourceDefinition,
        }
    }
    apiregistration_v1: ApiregistrationV1 in kube_aggregator::pkg::apis::apiregistration::v1 {
        namespaced {}
        cluster {
            api_services: APIService,
        }
    }
}
