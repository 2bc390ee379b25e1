use super::overview::{Amounts, usage_of};
use super::{Cell, Resource, RowBeside};
use crate::api::Object;

/// Columns of what a pod or a node uses now, as `kubectl top` prints them. A pod has no share of itself.
const COLUMNS: [(&str, &str); 4] = [
    ("CPU", "How much of a core it uses, in thousandths, as metrics.k8s.io has measured"),
    ("MEMORY", "How much memory it uses, as metrics.k8s.io has measured"),
    ("CPU%", "How much it uses of the cores that pods may have"),
    ("MEMORY%", "How much it uses of the memory that pods may have"),
];

const MIB: i64 = 1 << 20;

/// The names of the columns that a kind has where metrics.k8s.io is served; none of most kinds.
pub fn measured_columns(resource: &Resource) -> impl Iterator<Item = &'static str> + use<> {
    let columns = match resource.name {
        "pods" if resource.group.is_empty() => 2,
        "nodes" if resource.group.is_empty() => COLUMNS.len(),
        _ => 0,
    };
    COLUMNS.iter().take(columns).map(|(name, _)| *name)
}

/// Where the cells of such a column stand, and what it tells.
pub(super) fn measured_column(resource: &Resource, name: &str) -> Option<(u8, &'static str)> {
    let at = measured_columns(resource).position(|column| column == name)?;
    Some((u8::try_from(at).ok()?, COLUMNS[at].1))
}

/// The cells of what is measured; those that are of a share are empty without the node
/// (kubectl: `pkg/metricsutil/metrics_printer.go`).
pub fn measured(metrics: &Object, node: Option<&Object>) -> RowBeside {
    let used = usage_of(metrics);
    let most = node.map(|node| Amounts::of(node.get(&["status", "allocatable"]))).unwrap_or_default();
    let texts = [
        [&used.cpu_milli.to_string(), "m"].concat(),
        [&(used.memory_bytes / MIB).to_string(), "Mi"].concat(),
        share(used.cpu_milli, most.cpu_milli),
        share(used.memory_bytes, most.memory_bytes),
    ];
    let cells = texts.map(|text| Cell::Quantity(text.into()));
    RowBeside {
        namespace: metrics.namespace().into(),
        name: metrics.name().into(),
        uid: Box::default(),
        cells: cells.into(),
    }
}

fn share(part: i64, whole: i64) -> String {
    if whole > 0 { [&(part.saturating_mul(100) / whole).to_string(), "%"].concat() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::view::columns::{PODS, built_ins};

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    fn texts(row: &RowBeside) -> Vec<String> {
        row.cells.iter().map(|cell| cell.display(jiff::Timestamp::UNIX_EPOCH)).collect()
    }

    #[test]
    fn a_pod_s_use_reads_as_kubectl_top_prints_it() {
        let usage = |cpu: &str, memory: &str| json!({ "usage": { "cpu": cpu, "memory": memory } });
        let containers = [usage("1500200n", "1023Ki"), usage("1", "2049Ki")];
        let metadata = json!({ "namespace": "shop", "name": "web" });
        let row = measured(&object(json!({ "metadata": metadata, "containers": containers })), None);
        assert_eq!((&*row.namespace, &*row.name), ("shop", "web"));
        assert_eq!(texts(&row), ["1002m", "3Mi", "", ""]);
    }

    #[test]
    fn a_node_s_use_is_told_as_a_share_of_what_pods_may_have() {
        let usage = json!({ "cpu": "999500u", "memory": "1535Mi" });
        let metrics = object(json!({ "metadata": { "name": "n1" }, "usage": usage }));
        let node = object(json!({ "status": { "allocatable": { "cpu": "2", "memory": "2Gi" } } }));
        assert_eq!(texts(&measured(&metrics, Some(&node))), ["1000m", "1535Mi", "50%", "74%"]);
        let unknown = object(json!({ "status": { "allocatable": { "cpu": "0" } } }));
        assert_eq!(texts(&measured(&metrics, Some(&unknown))), ["1000m", "1535Mi", "", ""]);
    }

    #[test]
    fn only_pods_and_nodes_are_measured() {
        let all: Vec<_> = built_ins().filter(|it| measured_columns(it).next().is_some()).map(|it| it.name).collect();
        assert_eq!(all, ["pods", "nodes"]);
        assert_eq!(measured_columns(&PODS).collect::<Vec<_>>(), ["CPU", "MEMORY"]);
        assert_eq!(measured_column(&PODS, "CPU%"), None);
    }

    #[test]
    fn what_is_used_sorts_by_value() {
        for pair in ["", "9m", "10m", "1000m", "1001m"].windows(2) {
            let cell = |text: &str| Cell::Quantity(text.into());
            assert!(cell(pair[0]).compare(&cell(pair[1])).is_lt(), "{pair:?}");
        }
        assert!(Cell::Quantity("9%".into()).compare(&Cell::Quantity("12%".into())).is_lt());
    }
}
