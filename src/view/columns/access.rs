use super::read::{at, condition, items, reference, status, text, text_below};
use super::{Cell, Column, NONE, Object, Resource, Source, Span, ValueRef};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Who may do what.
pub(super) static KINDS: [Resource; 6] = [
    Resource::of("ServiceAccounts", "ServiceAccount", "serviceaccounts", "", "v1", &SERVICE_ACCOUNTS),
    Resource::of("Roles", "Role", "roles", GROUP, "v1", &ROLES),
    Resource::of("RoleBindings", "RoleBinding", "rolebindings", GROUP, "v1", &ROLE_BINDINGS),
    Resource::of("ClusterRoles", "ClusterRole", "clusterroles", GROUP, "v1", ROLES.split_at(1).1),
    Resource::of(
        "ClusterRoleBindings",
        "ClusterRoleBinding",
        "clusterrolebindings",
        GROUP,
        "v1",
        ROLE_BINDINGS.split_at(1).1,
    ),
    Resource::of(
        "CertificateSigningRequests",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "certificates.k8s.io",
        "v1",
        &SIGNING_REQUESTS,
    ),
];

static SERVICE_ACCOUNTS: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::AGE];

/// Those of cluster roles too, but for the namespace.
static ROLES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::CREATED_AT];

/// Those of the bindings of cluster roles too, but for the namespace.
static ROLE_BINDINGS: [Column; 7] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("ROLE", Source::By(role), "The role that is given"),
    Column::AGE,
    Column::of("USERS", Source::By(users), "Users who have the role").wide(),
    Column::of("GROUPS", Source::By(groups), "Groups that have the role").wide(),
    Column::of("SERVICEACCOUNTS", Source::By(accounts), "Service accounts that have the role").wide(),
];

static SIGNING_REQUESTS: [Column; 6] = [
    Column::NAME,
    Column::AGE,
    Column::of("SIGNERNAME", Source::OrNone("spec.signerName"), "Who is asked to sign"),
    Column::of("REQUESTOR", Source::Text("spec.username"), "Who asks"),
    Column::of("REQUESTEDDURATION", Source::By(requested), "How long the certificate should be valid").numeric(),
    Column::of("CONDITION", Source::By(request_status), "How far the request is"),
];

fn role(binding: &Object) -> Cell {
    reference(binding, "roleRef")
}

fn users(binding: &Object) -> Cell {
    subjects(binding, "User")
}

fn groups(binding: &Object) -> Cell {
    subjects(binding, "Group")
}

fn accounts(binding: &Object) -> Cell {
    subjects(binding, "ServiceAccount")
}

/// (kubernetes: pkg/apis/rbac, `SubjectsStrings`)
fn subjects(binding: &Object, kind: &str) -> Cell {
    let name = |subject: ValueRef<'_>| match kind {
        "ServiceAccount" => [&text_below(subject, "namespace"), "/", &*text_below(subject, "name")].concat(),
        _ => text_below(subject, "name").into_owned(),
    };
    let subjects = items(binding, "subjects").filter(|it| text_below(*it, "kind") == kind);
    Cell::exact(&subjects.map(name).collect::<Vec<_>>().join(", "))
}

fn requested(request: &Object) -> Cell {
    match at(request, "spec.expirationSeconds").and_then(ValueRef::as_i64) {
        Some(seconds) => Cell::Duration(Some(Span::Seconds(seconds))),
        None => Cell::exact(NONE),
    }
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `extractCSRStatus`)
fn request_status(request: &Object) -> Cell {
    let has = |kind| condition(request, kind).is_some();
    let decision = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (_, true) => "Approved",
        _ => "Pending",
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if text(request, "status.certificate").is_empty() { "" } else { ",Issued" };
    status(&[decision, failed, issued].concat())
}
