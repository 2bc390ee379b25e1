use jiff::Timestamp;
use leptos::prelude::*;
use web_sys::Node;

use super::parts::{Context, cell, content, note, section, table};
use super::tabs::Shown;
use crate::api::Object;
use crate::ui::dom::{age, element, status_word, text, with};
use crate::ui::state::LiveTable;
use crate::ui::time::local_date_time;
use crate::view::Cell;
use crate::view::object::{Condition, Container, annotations, conditions, containers, data_sizes, labels};

/// An annotation that is longer, in bytes, is folded.
const LONG: usize = 120;

/// Columns that the panel's head has.
const IN_HEAD: [&str; 2] = ["NAMESPACE", "NAME"];

/// What the object's table tells of it, and what every object tells of itself.
pub(super) fn view(shown: Shown) -> AnyView {
    let context = Context::new();
    let make = move || shown.read(|object| parts(context, shown.table, object)).unwrap_or_default();
    content("Summary", "object-summary", Box::new(|_| {}), Box::new(make))
}

fn parts(context: Context, live: LiveTable, object: &Object) -> Vec<Node> {
    let now = context.now();
    let mut parts = vec![facts(context, live, object)];
    let mut add = |title: &str, rows: Vec<Node>, tag: &str, class: &str| {
        if !rows.is_empty() {
            parts.push(section(title, element(tag, class, rows)));
        }
    };
    let containers = containers(object).into_iter().map(container).collect();
    add("Containers", rows("Containers", &["Name and image", "State", "Restarts", "Ports"], containers), "div", "");
    let conditions = conditions(object).into_iter().map(|it| condition(it, now)).collect();
    add("Conditions", rows("Conditions", &["Type", "Status", "Reason", "Changed"], conditions), "div", "");
    let owners = object.owner_references().map(|owner| context.owner(&owner, object.namespace()));
    add("Owners", owners.collect(), "ul", "object-list");
    add("Data", data(object), "dl", "object-facts");
    let label =
        |(key, value): (String, String)| element("li", "object-label", vec![note(&[&key, "="].concat()), text(&value)]);
    add("Labels", labels(object).into_iter().map(label).collect(), "ul", "object-labels");
    let annotations = annotations(object).into_iter().flat_map(|(key, text)| annotation(&key, text));
    add("Annotations", annotations.collect(), "dl", "object-annotations");
    parts
}

/// A table where there are rows.
fn rows(label: &str, heads: &[&str], rows: Vec<Vec<Node>>) -> Vec<Node> {
    if rows.is_empty() { Vec::new() } else { vec![table(label, heads, rows)] }
}

fn facts(context: Context, live: LiveTable, object: &Object) -> Node {
    let mut facts = Vec::new();
    for (column, value) in live.resource.columns.iter().zip(live.row_of(object).cells) {
        if !IN_HEAD.contains(&column.name) {
            facts.push(with(element("dt", "", vec![text(column.name)]), "title", column.description));
            facts.push(with(element("dd", "", value_of(context, &value)), "data-column", column.name));
        }
    }
    facts.push(element("dt", "", vec![text("UID")]));
    facts.push(element("dd", "object-mono", vec![text(&object.uid())]));
    element("dl", "object-facts", facts)
}

fn value_of(context: Context, value: &Cell) -> Vec<Node> {
    let now = context.now();
    match value {
        Cell::Status { text, health } => vec![status_word(text, *health)],
        Cell::Age(Some(moment)) => {
            vec![age(Some(*moment), now), note(&[" ", &local_date_time(*moment)].concat())]
        }
        value if value.is_none() => vec![note(&value.display(now))],
        // What goes on without an end is made again each second.
        value if value.next_change(now).is_some() => vec![text(&value.display(context.session.now.get()))],
        value => vec![text(&value.display(now))],
    }
}

fn container(container: Container) -> Vec<Node> {
    let Container { name, role, state, health, detail, restarts, image, ports } = container;
    let mut names = vec![text(&name)];
    if !role.is_empty() {
        names.push(note(&[" ", role].concat()));
    }
    names.push(element("p", "object-mono object-note", vec![text(&image)]));
    vec![
        row_head(names),
        cell("", vec![status_word(&state, health), element("p", "object-note", vec![text(&detail)])]),
        cell("object-number", vec![text(&restarts.to_string())]),
        cell("object-mono", vec![text(&ports.join(", "))]),
    ]
}

fn condition(condition: Condition, now: Timestamp) -> Vec<Node> {
    let Condition { kind, status, health, reason, message, since } = condition;
    vec![
        row_head(vec![text(&kind)]),
        cell("", vec![status_word(&status, health)]),
        cell("", vec![text(&reason), element("p", "object-note", vec![text(&message)])]),
        cell("object-number", vec![age(since, now)]),
    ]
}

fn row_head(children: Vec<Node>) -> Node {
    with(element("th", "", children), "scope", "row")
}

/// Of Secrets and ConfigMaps: the values themselves are in the YAML.
fn data(object: &Object) -> Vec<Node> {
    let entry = |(key, bytes): (String, usize)| {
        let unit = if bytes == 1 { " byte" } else { " bytes" };
        let size = text(&[&bytes.to_string(), unit].concat());
        [element("dt", "object-mono", vec![text(&key)]), element("dd", "object-note", vec![size])]
    };
    data_sizes(object).into_iter().flat_map(entry).collect()
}

fn annotation(key: &str, value: Option<String>) -> [Node; 2] {
    let value = match value {
        None => note("Hidden: it holds the Secret's values"),
        Some(long) if long.len() > LONG || long.contains('\n') => {
            let size = element("summary", "", vec![text(&[&long.len().to_string(), " bytes"].concat())]);
            element("details", "", vec![size, element("pre", "", vec![text(&long)])])
        }
        Some(short) => text(&short),
    };
    [element("dt", "object-mono", vec![text(key)]), element("dd", "", vec![value])]
}
