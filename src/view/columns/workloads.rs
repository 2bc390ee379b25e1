use super::read::{at, below, is_condition, items, number_below, selector, status, text, text_below};
use super::{Cell, Column, Object, Resource, Source, Span, ValueRef, parse_time};

/// The controllers of pods.
pub(super) static KINDS: [Resource; 8] = [
    Resource::of("Deployments", "Deployment", "deployments", "apps", "v1", &DEPLOYMENTS),
    Resource::of("StatefulSets", "StatefulSet", "statefulsets", "apps", "v1", &STATEFUL_SETS),
    Resource::of("DaemonSets", "DaemonSet", "daemonsets", "apps", "v1", &DAEMON_SETS),
    Resource::of("ReplicaSets", "ReplicaSet", "replicasets", "apps", "v1", &REPLICA_SETS),
    Resource::of("Jobs", "Job", "jobs", "batch", "v1", &JOBS),
    Resource::of("CronJobs", "CronJob", "cronjobs", "batch", "v1", &CRON_JOBS),
    Resource::of(
        "ReplicationControllers",
        "ReplicationController",
        "replicationcontrollers",
        "",
        "v1",
        &REPLICATION_CONTROLLERS,
    ),
    Resource::of("ControllerRevisions", "ControllerRevision", "controllerrevisions", "apps", "v1", &REVISIONS),
];

const CONTAINERS: Column = Column::containers("spec.template.spec.containers[].name").wide();
const IMAGES: Column = Column::images("spec.template.spec.containers[].image").wide();
const SELECTOR: Column = Column::selector(Source::Selector("spec.selector"));
const READY: Column = Column::of("READY", Source::By(ready), "Pods that are ready, of those wanted").numeric();
const DESIRED: Column = Column::of("DESIRED", Source::Number("spec.replicas"), "Pods that are wanted");
const CURRENT: Column = Column::of("CURRENT", Source::Number("status.replicas"), "Pods that exist");
const READY_PODS: Column = Column::of("READY", Source::Number("status.readyReplicas"), "Pods that are ready");

static DEPLOYMENTS: [Column; 9] = [
    Column::NAMESPACE,
    Column::NAME,
    READY,
    Column::of("UP-TO-DATE", Source::Number("status.updatedReplicas"), "Pods of the newest template"),
    Column::of("AVAILABLE", Source::Number("status.availableReplicas"), "Pods that have been ready for long enough"),
    Column::AGE,
    CONTAINERS,
    IMAGES,
    Column::selector(Source::By(deployment_selector)),
];

static STATEFUL_SETS: [Column; 6] = [Column::NAMESPACE, Column::NAME, READY, Column::AGE, CONTAINERS, IMAGES];

static DAEMON_SETS: [Column; 12] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("DESIRED", Source::Number("status.desiredNumberScheduled"), "Nodes that should run its pod"),
    Column::of("CURRENT", Source::Number("status.currentNumberScheduled"), "Nodes that run its pod and should"),
    Column::of("READY", Source::Number("status.numberReady"), "Nodes whose pod is ready"),
    Column::of(
        "UP-TO-DATE",
        Source::Number("status.updatedNumberScheduled"),
        "Nodes with a pod of the newest template",
    ),
    Column::of("AVAILABLE", Source::Number("status.numberAvailable"), "Nodes whose pod has been ready for long enough"),
    Column::of(
        "NODE SELECTOR",
        Source::Labels("spec.template.spec.nodeSelector"),
        "The labels of the nodes it runs on",
    ),
    Column::AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static REPLICA_SETS: [Column; 9] =
    [Column::NAMESPACE, Column::NAME, DESIRED, CURRENT, READY_PODS, Column::AGE, CONTAINERS, IMAGES, SELECTOR];

static REPLICATION_CONTROLLERS: [Column; 9] = [
    Column::NAMESPACE,
    Column::NAME,
    DESIRED,
    CURRENT,
    READY_PODS,
    Column::AGE,
    CONTAINERS,
    IMAGES,
    Column::selector(Source::Labels("spec.selector")),
];

static JOBS: [Column; 9] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("STATUS", Source::By(job_status), "How far the job is"),
    Column::of("COMPLETIONS", Source::By(completions), "Pods that have succeeded, of those that must").numeric(),
    Column::of("DURATION", Source::By(duration), "How long the job took, or takes by now").numeric(),
    Column::AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static CRON_JOBS: [Column; 11] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("SCHEDULE", Source::Text("spec.schedule"), "When jobs are started, as cron has it"),
    Column::of("TIMEZONE", Source::By(time_zone), "The time zone of the schedule"),
    Column::of("SUSPEND", Source::By(suspend), "Whether no further job is started"),
    Column::of("ACTIVE", Source::Count("status.active"), "Jobs that run"),
    Column::of("LAST SCHEDULE", Source::By(last_schedule), "Time since the last job was started").numeric(),
    Column::AGE,
    Column::containers("spec.jobTemplate.spec.template.spec.containers[].name").wide(),
    Column::images("spec.jobTemplate.spec.template.spec.containers[].image").wide(),
    Column::selector(Source::Selector("spec.jobTemplate.spec.selector")),
];

static REVISIONS: [Column; 5] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("CONTROLLER", Source::By(controller), "The object whose state it holds"),
    Column::of("REVISION", Source::Number("revision"), "Its number among the states of the object"),
    Column::AGE,
];

fn number(object: &Object, path: &str) -> i64 {
    object.get(&[]).map_or(0, |it| number_below(it, path))
}

/// `3/5`; as a text where the numbers are out of range.
fn share(part: i64, whole: i64) -> Cell {
    match (u32::try_from(part), u32::try_from(whole)) {
        (Ok(ready), Ok(total)) => Cell::Ready { ready, total },
        _ => Cell::exact(&format!("{part}/{whole}")),
    }
}

fn ready(object: &Object) -> Cell {
    share(number(object, "status.readyReplicas"), number(object, "spec.replicas"))
}

fn deployment_selector(deployment: &Object) -> Cell {
    Cell::exact(selector(at(deployment, "spec.selector")).as_deref().unwrap_or("<invalid>"))
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `printJob`)
fn job_status(job: &Object) -> Cell {
    let states = |states: &[(&str, &'static str)]| {
        states.iter().find(|(condition, _)| is_condition(job, condition)).map(|(_, status)| *status)
    };
    let ended = states(&[("Complete", "Complete"), ("Failed", "Failed")]);
    let deleted = || at(job, "metadata.deletionTimestamp").map(|_| "Terminating");
    let others =
        [("Suspended", "Suspended"), ("FailureTarget", "FailureTarget"), ("SuccessCriteriaMet", "SuccessCriteriaMet")];
    status(ended.or_else(deleted).or_else(|| states(&others)).unwrap_or("Running"))
}

fn completions(job: &Object) -> Cell {
    let (succeeded, parallelism) = (number(job, "status.succeeded"), number(job, "spec.parallelism"));
    match at(job, "spec.completions") {
        Some(completions) => share(succeeded, completions.as_i64().unwrap_or(0)),
        None if parallelism > 1 => Cell::exact(&format!("{succeeded}/1 of {parallelism}")),
        None => share(succeeded, 1),
    }
}

fn duration(job: &Object) -> Cell {
    let time = |path| parse_time(&text(job, path));
    let (start, end) = (time("status.startTime"), time("status.completionTime"));
    Cell::Duration(start.map(|start| match end {
        Some(end) => Span::Seconds(end.as_second() - start.as_second()),
        None => Span::Since(start),
    }))
}

fn time_zone(job: &Object) -> Cell {
    Cell::Text(at(job, "spec.timeZone").and_then(|it| it.as_str()).map(|it| it.as_ref().into()))
}

fn suspend(job: &Object) -> Cell {
    Cell::exact(match at(job, "spec.suspend").and_then(|it| it.as_bool()) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    })
}

fn last_schedule(job: &Object) -> Cell {
    Cell::Since(parse_time(&text(job, "status.lastScheduleTime")))
}

fn controller(revision: &Object) -> Cell {
    let is_controller = |it: &ValueRef<'_>| below(*it, "controller").and_then(ValueRef::as_bool) == Some(true);
    let mut owners = items(revision, "metadata.ownerReferences");
    let Some(owner) = owners.find(is_controller) else { return Cell::Text(None) };
    let (kind, name) = (text_below(owner, "kind").to_ascii_lowercase(), text_below(owner, "name"));
    Cell::exact(&match text_below(owner, "apiVersion").split_once('/') {
        Some((group, _)) => [&kind, ".", &group.to_ascii_lowercase(), "/", &name].concat(),
        None if kind.is_empty() => name.into_owned(),
        None => [&kind, "/", &name].concat(),
    })
}
