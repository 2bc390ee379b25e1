//! Objects as tables: the columns and cells that `kubectl get` prints.
//!
//! Built-in kinds follow kubernetes' `pkg/printers/internalversion/printers.go`, custom ones their definition. The
//! descriptions of the columns are left out: they are the API's documentation, of several kilobytes each.
//! Kinds whose cells hold quantities in their canonical form have no table here, and are refused.

mod core;
pub(super) mod json_path;
mod pods;
mod text;
mod workloads;

use serde::Serialize;
use serde_json::Value;

use super::kinds::Kind;
use crate::api::{ListMeta, Manifest};
use text::Now;

/// How a kind is printed in one of its versions.
pub(super) struct Printer<'a> {
    pub(super) columns: Vec<Column>,
    cells: Cells<'a>,
}

enum Cells<'a> {
    BuiltIn(fn(&Manifest, Now) -> Vec<Value>),
    Custom(&'a [json_path::PrinterColumn]),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) r#type: String,
    pub(super) format: String,
    pub(super) description: String,
    /// 0 is always shown; greater numbers only on wide tables.
    pub(super) priority: i64,
}

/// Names with `_` for a space; `*` marks what only wide tables show, and a type other than text stands behind a colon.
type BuiltIn = (&'static str, fn(&Manifest, Now) -> Vec<Value>);

impl<'a> Printer<'a> {
    /// None for a kind that has no table here.
    pub(super) fn of(kind: &'a Kind, version: &str) -> Option<Self> {
        let name_column =
            Column { name: "Name".into(), r#type: "string".into(), format: "name".into(), ..<_>::default() };
        if kind.custom {
            let custom = &kind.version(version)?.columns;
            let columns = std::iter::once(name_column).chain(custom.iter().map(|column| column.definition.clone()));
            return Some(Self { columns: columns.collect(), cells: Cells::Custom(custom) });
        }
        let (columns, cells) = built_in(&kind.qualified)?;
        Some(Self { columns: columns.split(' ').map(read_column).collect(), cells: Cells::BuiltIn(cells) })
    }

    pub(super) fn cells(&self, object: &Manifest, now: jiff::Timestamp) -> Vec<Value> {
        match self.cells {
            Cells::BuiltIn(cells) => cells(object, Now(now)),
            Cells::Custom(columns) => json_path::cells(columns, object, Now(now)),
        }
    }
}

fn built_in(qualified: &str) -> Option<BuiltIn> {
    Some(match qualified {
        "pods" => pods::PODS,
        "podtemplates" => workloads::POD_TEMPLATES,
        "replicationcontrollers" => workloads::REPLICATION_CONTROLLERS,
        "controllerrevisions.apps" => workloads::CONTROLLER_REVISIONS,
        "daemonsets.apps" => workloads::DAEMON_SETS,
        "deployments.apps" => workloads::DEPLOYMENTS,
        "replicasets.apps" => workloads::REPLICA_SETS,
        "statefulsets.apps" => workloads::STATEFUL_SETS,
        "cronjobs.batch" => workloads::CRON_JOBS,
        "jobs.batch" => workloads::JOBS,
        _ => return core::built_in(qualified),
    })
}

fn read_column(text: &str) -> Column {
    let (text, r#type) = text.split_once(':').unwrap_or((text, "string"));
    let name = text.trim_end_matches('*').replace('_', " ");
    let format = if name == "Name" { "name" } else { "" };
    let priority = i64::from(text.ends_with('*'));
    Column { format: format.into(), r#type: r#type.into(), priority, name, ..Column::default() }
}

/// What stands in a row beside its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    Nothing,
    Metadata,
    Object,
}

/// The metadata of a table, which is that of the list or of the one object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TableMeta<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) resource_version: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) r#continue: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remaining_item_count: Option<i64>,
}

impl<'a> From<&'a ListMeta> for TableMeta<'a> {
    fn from(metadata: &'a ListMeta) -> Self {
        Self {
            resource_version: &metadata.resource_version,
            r#continue: &metadata.r#continue,
            remaining_item_count: metadata.remaining_item_count,
        }
    }
}
