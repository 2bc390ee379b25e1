use super::read::{at, condition, items, plain, status, text_below};
use super::{Cell, Column, Health, Object, Resource, Source, ValueRef};

const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";

/// What is of the cluster as a whole.
pub(super) static KINDS: [Resource; 6] = [
    Resource::of("Leases", "Lease", "leases", "coordination.k8s.io", "v1", &LEASES),
    Resource::of("PriorityClasses", "PriorityClass", "priorityclasses", "scheduling.k8s.io", "v1", &PRIORITY_CLASSES),
    Resource::of("RuntimeClasses", "RuntimeClass", "runtimeclasses", "node.k8s.io", "v1", &RUNTIME_CLASSES),
    Resource::of("FlowSchemas", "FlowSchema", "flowschemas", FLOW_CONTROL, "v1", &FLOW_SCHEMAS),
    Resource::of(
        "PriorityLevelConfigurations",
        "PriorityLevelConfiguration",
        "prioritylevelconfigurations",
        FLOW_CONTROL,
        "v1",
        &PRIORITY_LEVELS,
    ),
    Resource::of("ComponentStatuses", "ComponentStatus", "componentstatuses", "", "v1", &COMPONENTS),
];

pub(super) static NAMESPACES: [Column; 3] = [
    Column::NAME,
    Column::of("STATUS", Source::Status("status.phase"), "Whether it is in use or being deleted"),
    Column::AGE,
];

static LEASES: [Column; 4] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("HOLDER", Source::Text("spec.holderIdentity"), "Who has it"),
    Column::AGE,
];

static PRIORITY_CLASSES: [Column; 5] = [
    Column::NAME,
    Column::of("VALUE", Source::Number("value"), "The greater, the more important"),
    Column::of("GLOBAL-DEFAULT", Source::Flag("globalDefault"), "Whether it is that of pods that name none"),
    Column::AGE,
    Column::of("PREEMPTIONPOLICY", Source::Text("preemptionPolicy"), "Whether its pods may displace others"),
];

static RUNTIME_CLASSES: [Column; 3] =
    [Column::NAME, Column::of("HANDLER", Source::Text("handler"), "What runs its containers"), Column::AGE];

static FLOW_SCHEMAS: [Column; 6] = [
    Column::NAME,
    Column::of("PRIORITYLEVEL", Source::Text("spec.priorityLevelConfiguration.name"), "The level of its requests"),
    Column::of("MATCHINGPRECEDENCE", Source::Number("spec.matchingPrecedence"), "The smaller, the sooner it is asked"),
    Column::of("DISTINGUISHERMETHOD", Source::By(distinguisher), "What sets flows of requests apart"),
    Column::AGE,
    Column::of("MISSINGPL", Source::By(missing_level), "Whether its priority level does not exist"),
];

static PRIORITY_LEVELS: [Column; 7] = [
    Column::NAME,
    Column::of("TYPE", Source::Text("spec.type"), "Whether its requests are limited"),
    Column::of("NOMINALCONCURRENCYSHARES", Source::By(shares), "Its share of the requests at once").numeric(),
    Column::of("QUEUES", Source::Quantity("spec.limited.limitResponse.queuing.queues", "<none>"), "Its queues"),
    Column::of(
        "HANDSIZE",
        Source::Quantity("spec.limited.limitResponse.queuing.handSize", "<none>"),
        "Queues that a flow is spread over",
    ),
    Column::of(
        "QUEUELENGTHLIMIT",
        Source::Quantity("spec.limited.limitResponse.queuing.queueLengthLimit", "<none>"),
        "Requests that may wait in a queue",
    ),
    Column::AGE,
];

static COMPONENTS: [Column; 4] = [
    Column::NAME,
    Column::of("STATUS", Source::By(component_status), "Whether it is healthy"),
    Column::of("MESSAGE", Source::By(component_message), "What it says"),
    Column::of("ERROR", Source::By(component_error), "What is wrong"),
];

fn distinguisher(schema: &Object) -> Cell {
    match at(schema, "spec.distinguisherMethod") {
        Some(method) => Cell::exact(&text_below(method, "type")),
        None => Cell::Text(None),
    }
}

fn missing_level(schema: &Object) -> Cell {
    let Some(dangling) = condition(schema, "Dangling") else {
        return Cell::Status { text: "?".into(), health: Health::Unknown };
    };
    let word = text_below(dangling, "status");
    let health = match &*word {
        "True" => Health::Error,
        "False" => Health::Ok,
        _ => Health::Unknown,
    };
    Cell::Status { text: word.as_ref().into(), health }
}

fn shares(level: &Object) -> Cell {
    let shares = at(level, "spec.limited").map(|_| at(level, "spec.limited.nominalConcurrencyShares").map(plain));
    Cell::Quantity(match shares {
        None => "<none>".into(),
        Some(shares) => shares.unwrap_or_else(|| "0".into()).into_owned().into(),
    })
}

fn component_status(component: &Object) -> Cell {
    status(match healthy(component).map(|it| text_below(it, "status") == "True") {
        None => "Unknown",
        Some(true) => "Healthy",
        Some(false) => "Unhealthy",
    })
}

fn component_message(component: &Object) -> Cell {
    Cell::exact(&healthy(component).map(|it| text_below(it, "message")).unwrap_or_default())
}

fn component_error(component: &Object) -> Cell {
    Cell::exact(&healthy(component).map(|it| text_below(it, "error")).unwrap_or_default())
}

fn healthy(component: &Object) -> Option<ValueRef<'_>> {
    items(component, "conditions").find(|it| text_below(*it, "type") == "Healthy")
}
