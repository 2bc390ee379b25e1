use super::read::{at, below, condition, is_condition, items, plain, sorted, status, text_below};
use super::{Cell, Column, Object, Resource, Source, ValueRef};

const GROUP: &str = "admissionregistration.k8s.io";

/// What decides about requests, and what serves further APIs.
pub(super) static KINDS: [Resource; 8] = [
    Resource::of(
        "CustomResourceDefinitions",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "apiextensions.k8s.io",
        "v1",
        &DEFINITIONS,
    ),
    Resource::of("APIServices", "APIService", "apiservices", "apiregistration.k8s.io", "v1", &API_SERVICES),
    Resource::of(
        "ValidatingWebhookConfigurations",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        GROUP,
        "v1",
        &WEBHOOKS,
    ),
    Resource::of(
        "MutatingWebhookConfigurations",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        GROUP,
        "v1",
        &WEBHOOKS,
    ),
    Resource::of(
        "ValidatingAdmissionPolicies",
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        GROUP,
        "v1",
        &VALIDATING_POLICIES,
    ),
    Resource::of(
        "ValidatingAdmissionPolicyBindings",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        GROUP,
        "v1",
        &BINDINGS,
    ),
    Resource::of(
        "MutatingAdmissionPolicies",
        "MutatingAdmissionPolicy",
        "mutatingadmissionpolicies",
        GROUP,
        "v1",
        &MUTATING_POLICIES,
    ),
    Resource::of(
        "MutatingAdmissionPolicyBindings",
        "MutatingAdmissionPolicyBinding",
        "mutatingadmissionpolicybindings",
        GROUP,
        "v1",
        &BINDINGS,
    ),
];

const PARAM_KIND: Column = Column::of("PARAMKIND", Source::By(param_kind), "The kind of its parameters");

static WEBHOOKS: [Column; 3] =
    [Column::NAME, Column::of("WEBHOOKS", Source::Count("webhooks"), "Webhooks that it has"), Column::AGE];

static VALIDATING_POLICIES: [Column; 4] = [
    Column::NAME,
    Column::of("VALIDATIONS", Source::Count("spec.validations"), "Rules that it has"),
    PARAM_KIND,
    Column::AGE,
];

static MUTATING_POLICIES: [Column; 4] = [
    Column::NAME,
    Column::of("MUTATIONS", Source::Count("spec.mutations"), "Changes that it makes"),
    PARAM_KIND,
    Column::AGE,
];

static BINDINGS: [Column; 4] = [
    Column::NAME,
    Column::of("POLICYNAME", Source::Text("spec.policyName"), "The policy that it applies"),
    Column::of("PARAMREF", Source::By(param_ref), "The policy's parameters"),
    Column::AGE,
];

static DEFINITIONS: [Column; 8] = [
    Column::NAME,
    Column::of("SCOPE", Source::Text("spec.scope"), "Whether the objects are in namespaces"),
    Column::of("VERSIONS", Source::By(versions), "Versions that are served"),
    Column::CREATED_AT,
    Column::of("GROUP", Source::Text("spec.group"), "The API group").wide(),
    Column::of("KIND", Source::Text("spec.names.kind"), "The kind of the objects").wide(),
    Column::of("SHORTNAMES", Source::Joined("spec.names.shortNames"), "Short names of the resource").wide(),
    Column::of("ESTABLISHED", Source::By(established), "Whether it is served").wide(),
];

static API_SERVICES: [Column; 4] = [
    Column::NAME,
    Column::of("SERVICE", Source::By(service), "What serves it"),
    Column::of("AVAILABLE", Source::By(available), "Whether it can be reached, and why not"),
    Column::AGE,
];

fn param_kind(policy: &Object) -> Cell {
    let Some(kind) = at(policy, "spec.paramKind") else { return Cell::exact("<unset>") };
    Cell::exact(&[&text_below(kind, "apiVersion"), "/", &*text_below(kind, "kind")].concat())
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `printValidatingAdmissionPolicyBinding`)
fn param_ref(binding: &Object) -> Cell {
    let part = |field| at(binding, "spec.paramRef").map(|it| text_below(it, field)).unwrap_or_default();
    let (namespace, name) = (part("namespace"), part("name"));
    Cell::exact(&match (&*namespace, &*name, at(binding, "spec.paramRef.selector")) {
        (_, "", None) => "<unset>".into(),
        (_, "", Some(selector)) => go_text(selector),
        ("", name, _) => ["*/", name].concat(),
        (namespace, name, _) => [namespace, "/", name].concat(),
    })
}

/// A label selector as Go's protocol buffers print it (apimachinery: `metav1.LabelSelector.String`).
fn go_text(selector: ValueRef<'_>) -> String {
    let labels = below(selector, "matchLabels").into_iter().flat_map(ValueRef::entries);
    let labels = sorted(labels.map(|(key, value)| [key, ": ", &plain(value), ","].concat()).collect()).concat();
    let expression = |it| {
        let values = below(it, "values").into_iter().flat_map(ValueRef::items).map(plain).collect::<Vec<_>>();
        let (key, operator) = (text_below(it, "key"), text_below(it, "operator"));
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{}],}},", values.join(" "))
    };
    let expressions = below(selector, "matchExpressions").into_iter().flat_map(ValueRef::items);
    let expressions = expressions.map(expression).collect::<Vec<_>>().concat();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn versions(definition: &Object) -> Cell {
    let is_true = |it, field| below(it, field).and_then(ValueRef::as_bool) == Some(true);
    let served = items(definition, "spec.versions").filter(|it| is_true(*it, "served"));
    let label = |it| [&*text_below(it, "name"), if is_true(it, "storage") { "(storage)" } else { "" }].concat();
    Cell::exact(&sorted(served.map(label).collect()).join(","))
}

fn established(definition: &Object) -> Cell {
    status(if is_condition(definition, "Established") { "true" } else { "false" })
}

fn service(api: &Object) -> Cell {
    let Some(service) = at(api, "spec.service") else { return Cell::exact("Local") };
    Cell::exact(&[&text_below(service, "namespace"), "/", &*text_below(service, "name")].concat())
}

/// (kube-aggregator: pkg/registry/apiservice/etcd, `ConvertToTable`)
fn available(api: &Object) -> Cell {
    let Some(condition) = condition(api, "Available") else { return status("Unknown") };
    let (word, reason) = (text_below(condition, "status"), text_below(condition, "reason"));
    match (&*word, &*reason) {
        ("True", _) | (_, "") => status(&word),
        _ => status(&[&*word, " (", &reason, ")"].concat()),
    }
}
