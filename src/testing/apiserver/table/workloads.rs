//! What runs pods.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::BuiltIn;
use super::text::{
    Now, at, below, bool_text, has_condition, items, labels, list, number, selector, selector_or_none, text, texts,
};
use crate::api::{Manifest, human_duration};

pub(super) const POD_TEMPLATES: BuiltIn = ("Name Containers Images Pod_Labels", |object, _| {
    let [names, images] = containers(at(object, "template"));
    vec![object.name().into(), names, images, labels(at(object, "template.metadata.labels")).into()]
});

pub(super) const REPLICATION_CONTROLLERS: BuiltIn =
    ("Name Desired:integer Current:integer Ready:integer Age Containers* Images* Selector*", |object, now| {
        with_template(replicas(object, now), object, labels(at(object, "spec.selector")))
    });

pub(super) const REPLICA_SETS: BuiltIn =
    ("Name Desired:integer Current:integer Ready:integer Age Containers* Images* Selector*", |object, now| {
        with_template(replicas(object, now), object, selector_or_none(at(object, "spec.selector")))
    });

pub(super) const CONTROLLER_REVISIONS: BuiltIn = ("Name Controller Revision Age", |object, now| {
    let owner = object.metadata.owner_references.iter().find(|owner| owner.controller == Some(true));
    let owner = owner.map_or("<none>".into(), |owner| {
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        let dot = if group.is_empty() { "" } else { "." };
        format!("{}{dot}{group}/{}", owner.kind.to_lowercase(), owner.name)
    });
    vec![object.name().into(), owner.into(), number(object, "revision").into(), now.age(object)]
});

const DAEMON_SET_COUNTS: [&str; 5] = [
    "status.desiredNumberScheduled",
    "status.currentNumberScheduled",
    "status.numberReady",
    "status.updatedNumberScheduled",
    "status.numberAvailable",
];

pub(super) const DAEMON_SETS: BuiltIn = (
    "Name Desired:integer Current:integer Ready:integer Up-to-date:integer Available:integer Node_Selector Age \
     Containers* Images* Selector*",
    |object, now| {
        let mut cells = vec![Value::from(object.name())];
        cells.extend(DAEMON_SET_COUNTS.map(|path| Value::from(number(object, path))));
        cells.push(labels(at(object, "spec.template.spec.nodeSelector")).into());
        cells.push(now.age(object));
        with_template(cells, object, selector_or_none(at(object, "spec.selector")))
    },
);

pub(super) const DEPLOYMENTS: BuiltIn =
    ("Name Ready Up-to-date Available Age Containers* Images* Selector*", |object, now| {
        let cells = vec![
            object.name().into(),
            ready_of_desired(object),
            number(object, "status.updatedReplicas").into(),
            number(object, "status.availableReplicas").into(),
            now.age(object),
        ];
        with_template(cells, object, selector(at(object, "spec.selector")))
    });

pub(super) const STATEFUL_SETS: BuiltIn = ("Name Ready Age Containers* Images*", |object, now| {
    let [names, images] = containers(at(object, "spec.template"));
    vec![object.name().into(), ready_of_desired(object), now.age(object), names, images]
});

pub(super) const CRON_JOBS: BuiltIn = (
    "Name Schedule Timezone Suspend:boolean Active:integer Last_Schedule Age Containers* Images* Selector*",
    |object, now| {
        let last = at(object, "status.lastScheduleTime").as_str();
        let job = at(object, "spec.jobTemplate.spec");
        let [names, images] = containers(&job["template"]);
        vec![
            object.name().into(),
            text(object, "spec.schedule").into(),
            at(object, "spec.timeZone").as_str().unwrap_or("<none>").into(),
            bool_text(defaulted(object, "spec.suspend", false.into()).as_bool()).into(),
            list(object, "status.active").len().into(),
            last.map_or("<none>".into(), |last| now.since_text(last)).into(),
            now.age(object),
            names,
            images,
            selector_or_none(&job["selector"]).into(),
        ]
    },
);

pub(super) const JOBS: BuiltIn =
    ("Name Status Completions Duration Age Containers* Images* Selector*", |object, now| {
        let (done, time) = (number(object, "status.succeeded"), |path| text(object, path).parse::<Timestamp>().ok());
        // Without either number the server sets both to one.
        let completions = match (at(object, "spec.completions").as_i64(), at(object, "spec.parallelism").as_i64()) {
            (Some(completions), _) => format!("{done}/{completions}"),
            (None, Some(parallelism @ 2..)) => format!("{done}/1 of {parallelism}"),
            (None, _) => format!("{done}/1"),
        };
        let length = match (time("status.startTime"), time("status.completionTime")) {
            (None, _) => String::new(),
            (start, None) => now.since(start),
            (Some(start), Some(end)) => {
                human_duration(Duration::try_from(end.duration_since(start)).unwrap_or_default())
            }
        };
        let cells =
            vec![object.name().into(), job_status(object).into(), completions.into(), length.into(), now.age(object)];
        with_template(cells, object, selector_or_none(at(object, "spec.selector")))
    });

fn job_status(object: &Manifest) -> &'static str {
    let has = |name| has_condition(list(object, "status.conditions"), name);
    match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if object.metadata.deletion_timestamp.is_some() => "Terminating",
        () if has("Suspended") => "Suspended",
        () if has("FailureTarget") => "FailureTarget",
        () if has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

/// Name, the three counts and age.
fn replicas(object: &Manifest, now: Now) -> Vec<Value> {
    let [current, ready] = ["status.replicas", "status.readyReplicas"].map(|path| number(object, path).into());
    vec![object.name().into(), desired_replicas(object).into(), current, ready, now.age(object)]
}

fn desired_replicas(object: &Manifest) -> i64 {
    defaulted(object, "spec.replicas", 1.into()).as_i64().unwrap_or(0)
}

/// The value at a path, or what the real server writes there when it takes the object in. A bookmark has no spec.
fn defaulted(object: &Manifest, path: &str, default: Value) -> Value {
    let value = at(object, path);
    if value.is_null() && object.fields.contains_key("spec") { default } else { value.clone() }
}

fn ready_of_desired(object: &Manifest) -> Value {
    format!("{}/{}", number(object, "status.readyReplicas"), desired_replicas(object)).into()
}

fn with_template(mut cells: Vec<Value>, object: &Manifest, selector: String) -> Vec<Value> {
    cells.extend(containers(at(object, "spec.template")));
    cells.push(selector.into());
    cells
}

/// The names and the images of a template's containers.
fn containers(template: &Value) -> [Value; 2] {
    let containers = items(below(template, "spec.containers"));
    ["name", "image"].map(|name| texts(containers, name).join(",").into())
}
