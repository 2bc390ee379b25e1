use super::read::{at, count, plain, sorted};
use super::{Cell, Column, Object, Resource, Source, ValueRef};

/// What pods are configured and limited by.
pub(super) static KINDS: [Resource; 5] = [
    Resource::of("ConfigMaps", "ConfigMap", "configmaps", "", "v1", &CONFIG_MAPS),
    Resource::of("Secrets", "Secret", "secrets", "", "v1", &SECRETS),
    Resource::of("ResourceQuotas", "ResourceQuota", "resourcequotas", "", "v1", &RESOURCE_QUOTAS),
    Resource::of("LimitRanges", "LimitRange", "limitranges", "", "v1", &LIMIT_RANGES),
    Resource::of("PodTemplates", "PodTemplate", "podtemplates", "", "v1", &POD_TEMPLATES),
];

static CONFIG_MAPS: [Column; 4] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("DATA", Source::By(entries), "How many entries it has").numeric(),
    Column::AGE,
];

static SECRETS: [Column; 5] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("TYPE", Source::Text("type"), "What it is for"),
    Column::of("DATA", Source::Count("data"), "How many entries it has"),
    Column::AGE,
];

static RESOURCE_QUOTAS: [Column; 5] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("REQUEST", Source::By(requests), "What is used of what may be requested"),
    Column::of("LIMIT", Source::By(limits), "What is used of what limits may add up to"),
    Column::AGE,
];

static LIMIT_RANGES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::CREATED_AT];

static POD_TEMPLATES: [Column; 5] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::containers("template.spec.containers[].name"),
    Column::images("template.spec.containers[].image"),
    Column::of("POD LABELS", Source::Labels("template.metadata.labels"), "The labels of its pods"),
];

fn entries(map: &Object) -> Cell {
    Cell::Number(count(map, "data") + count(map, "binaryData"))
}

fn requests(quota: &Object) -> Cell {
    quotas(quota, false)
}

fn limits(quota: &Object) -> Cell {
    quotas(quota, true)
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `printResourceQuota`)
fn quotas(quota: &Object, are_limits: bool) -> Cell {
    let hard = at(quota, "status.hard").into_iter().flat_map(ValueRef::entries);
    let names = hard.map(|(name, _)| name).filter(|name| name.starts_with("limits.") == are_limits);
    let amount = |list: &str, name: &str| {
        let amount = quota.get(&["status", list, name]).map(plain);
        amount.map_or_else(|| "0".into(), |it| it.into_owned())
    };
    let line = |name: String| [&name, ": ", &amount("used", &name), "/", &amount("hard", &name)].concat();
    let lines = sorted(names.map(str::to_owned).collect()).into_iter().map(line);
    Cell::exact(&lines.collect::<Vec<_>>().join(", "))
}
