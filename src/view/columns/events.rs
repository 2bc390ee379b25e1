use std::borrow::Cow;

use jiff::Timestamp;

use super::read::{at, plain, text};
use super::{Cell, Column, Object, Resource, Source, parse_time};

/// Events that are told together, in the columns of their page.
pub(in crate::view) static GROUPED: Resource = Resource::of("Events", "Event", "events", "", "v1", &GROUPED_EVENTS);

/// Events under both of their groups, which name some fields differently.
pub(super) static KINDS: [Resource; 2] = [
    Resource::of("Events", "Event", "events", "", "v1", &EVENTS),
    Resource::of("Events", "Event", "events", "events.k8s.io", "v1", &EVENTS),
];

static EVENTS: [Column; 11] = [
    Column::NAMESPACE,
    Column::of("LAST SEEN", Source::By(last_seen), "Time since it happened last").numeric(),
    Column::of("TYPE", Source::Status("type"), "Whether it is normal or a warning"),
    Column::of("REASON", Source::Text("reason"), "What happened, in a word"),
    Column::of("OBJECT", Source::By(target), "The object it is about"),
    Column::of("SUBOBJECT", Source::By(part), "The part of the object").wide(),
    Column::of("SOURCE", Source::By(source), "Who reports it").wide(),
    Column::of("MESSAGE", Source::By(message), "What happened"),
    Column::of("FIRST SEEN", Source::By(first_seen), "Time since it happened first").numeric().wide(),
    Column::of("COUNT", Source::By(times), "How often it happened").numeric().wide(),
    Column::NAME.wide(),
];

static GROUPED_EVENTS: [Column; 8] = [
    Column::NAMESPACE,
    Column::of("LAST SEEN", Source::Printed, "Time since it happened last").numeric(),
    Column::of("TYPE", Source::Printed, "Whether it is normal or a warning"),
    Column::of("REASON", Source::Printed, "What happened, in a word"),
    Column::of("OBJECT", Source::Printed, "The object it is about"),
    Column::of("COUNT", Source::Printed, "How often it happened").numeric(),
    Column::of("FIRST SEEN", Source::Printed, "Time since it happened first").numeric(),
    Column::of("MESSAGE", Source::Printed, "What happened, in its last words"),
];

/// The text at the first of the paths that has one.
fn first<'a>(event: &'a Object, paths: [&str; 2]) -> Cow<'a, str> {
    let found = paths.iter().find_map(|path| at(event, path).map(plain).filter(|it| !it.is_empty()));
    found.unwrap_or_default()
}

fn time(event: &Object, paths: [&str; 2]) -> Option<Timestamp> {
    parse_time(&first(event, paths))
}

pub(in crate::view) fn first_time(event: &Object) -> Option<Timestamp> {
    let first = time(event, ["firstTimestamp", "deprecatedFirstTimestamp"]);
    first.or_else(|| parse_time(&text(event, "eventTime")))
}

fn first_seen(event: &Object) -> Cell {
    Cell::Age(first_time(event))
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `printEvent`)
pub(in crate::view) fn last_time(event: &Object) -> Option<Timestamp> {
    match at(event, "series") {
        Some(_) => parse_time(&text(event, "series.lastObservedTime")),
        None => time(event, ["lastTimestamp", "deprecatedLastTimestamp"]).or_else(|| first_time(event)),
    }
}

fn last_seen(event: &Object) -> Cell {
    Cell::Age(last_time(event))
}

pub(in crate::view) fn number_of_times(event: &Object) -> i64 {
    let number = |path| at(event, path).and_then(|it| it.as_i64()).unwrap_or(0);
    match (at(event, "series"), number("count").max(number("deprecatedCount"))) {
        (Some(_), _) => number("series.count"),
        (None, 0) => 1,
        (None, count) => count,
    }
}

fn times(event: &Object) -> Cell {
    Cell::Number(number_of_times(event))
}

fn target(event: &Object) -> Cell {
    let kind = first(event, ["involvedObject.kind", "regarding.kind"]).to_ascii_lowercase();
    Cell::exact(&match first(event, ["involvedObject.name", "regarding.name"]) {
        name if name.is_empty() => kind,
        name => [&kind, "/", &name].concat(),
    })
}

fn part(event: &Object) -> Cell {
    Cell::exact(&first(event, ["involvedObject.fieldPath", "regarding.fieldPath"]))
}

fn source(event: &Object) -> Cell {
    let either = |field: &str, reporting| {
        let paths = [["source.", field].concat(), ["deprecatedSource.", field].concat()];
        let found = first(event, [&paths[0], &paths[1]]);
        if found.is_empty() { first(event, reporting) } else { found }
    };
    // Events of the core group have another name for the same.
    let component = either("component", ["reportingComponent", "reportingController"]);
    Cell::exact(&match either("host", ["reportingInstance", "reportingInstance"]) {
        host if host.is_empty() => component.into_owned(),
        host => [&component, ", ", &*host].concat(),
    })
}

fn message(event: &Object) -> Cell {
    Cell::exact(message_of(event).trim())
}

pub(in crate::view) fn message_of(event: &Object) -> Cow<'_, str> {
    first(event, ["message", "note"])
}
