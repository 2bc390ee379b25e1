use std::borrow::Cow;

use super::read::{below, items, plain, reference, text_below};
use super::{Cell, Column, Object, Resource, Source, ValueRef};

/// What changes how many pods there are.
pub(super) static KINDS: [Resource; 2] = [
    Resource::of(
        "HorizontalPodAutoscalers",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "autoscaling",
        "v2",
        &AUTOSCALERS,
    ),
    Resource::of("PodDisruptionBudgets", "PodDisruptionBudget", "poddisruptionbudgets", "policy", "v1", &BUDGETS),
];

static AUTOSCALERS: [Column; 8] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("REFERENCE", Source::By(scaled), "What it scales"),
    Column::of("TARGETS", Source::By(targets), "What is measured, and what it should be"),
    Column::of("MINPODS", Source::Quantity("spec.minReplicas", "<unset>"), "Pods that there are at least"),
    Column::of("MAXPODS", Source::Number("spec.maxReplicas"), "Pods that there are at most"),
    Column::of("REPLICAS", Source::Number("status.currentReplicas"), "Pods that there are"),
    Column::AGE,
];

static BUDGETS: [Column; 6] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("MIN AVAILABLE", Source::Quantity("spec.minAvailable", "N/A"), "Pods that must stay available"),
    Column::of("MAX UNAVAILABLE", Source::Quantity("spec.maxUnavailable", "N/A"), "Pods that may be unavailable"),
    Column::of("ALLOWED DISRUPTIONS", Source::Number("status.disruptionsAllowed"), "Pods that may be evicted now"),
    Column::AGE,
];

fn scaled(autoscaler: &Object) -> Cell {
    reference(autoscaler, "spec.scaleTargetRef")
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `formatHPAMetrics`)
fn targets(autoscaler: &Object) -> Cell {
    let mut current = items(autoscaler, "status.currentMetrics");
    let targets: Vec<_> = items(autoscaler, "spec.metrics").map(|spec| target(spec, current.next())).collect();
    match targets.len() {
        0 => Cell::Text(None),
        1 | 2 => Cell::exact(&targets.join(", ")),
        count => Cell::exact(&format!("{} + {} more...", targets[..2].join(", "), count - 2)),
    }
}

fn target(spec: ValueRef<'_>, status: Option<ValueRef<'_>>) -> String {
    let kind = text_below(spec, "type");
    let field = match &*kind {
        "External" => "external",
        "Object" => "object",
        "Pods" => "pods",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".into(),
    };
    let status = status.and_then(|it| below(it, field));
    let wanted = |value: &str| below(spec, &[field, ".target.", value].concat()).map(plain);
    let current = |value| status.map(|it| below(it, value).map(plain));
    let unknown = || "<unknown>".into();
    // A quantity that is not there where Kubernetes relies on it.
    let nil = || "<nil>".into();

    let is_of_resource = field.to_ascii_lowercase().ends_with("resource");
    let name = if is_of_resource { [&*text_below(spec, &[field, ".name"].concat()), ": "].concat() } else { "".into() };
    let average = wanted("averageValue");
    let (now, goal, note) = match (average, is_of_resource || field == "pods") {
        (Some(goal), is_plain) => {
            let now = match current("current.averageValue") {
                Some(None) if is_plain => nil(),
                now => now.flatten().unwrap_or_else(unknown),
            };
            (now, goal, if is_plain { "" } else { " (avg)" })
        }
        (None, _) if is_of_resource => {
            let percent = |value: Cow<'_, str>| [&*value, "%"].concat().into();
            let now = current("current.averageUtilization").flatten().map_or_else(unknown, percent);
            (now, wanted("averageUtilization").map_or_else(|| "<auto>".into(), percent), "")
        }
        (None, _) => {
            let value = if field == "pods" { "current.averageValue" } else { "current.value" };
            let now = current(value).map_or_else(unknown, |it| it.unwrap_or_else(nil));
            (now, wanted(if field == "pods" { "averageValue" } else { "value" }).unwrap_or_else(nil), "")
        }
    };
    [&name, &*now, "/", &*goal, note].concat()
}
