//! Resources as the server prints them.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, ListOptions, Table};
use watchglass::rest::IncludeObject;

use super::{Context, Widgets, config_map, config_maps, deployment, pod, with_fields};

/// The columns' names, those of wide tables in brackets.
fn columns(table: &Table) -> Vec<String> {
    let name = |priority: i32, name: &str| if priority > 0 { format!("({name})") } else { name.to_owned() };
    table.column_definitions.iter().map(|column| name(column.priority, &column.name)).collect()
}

fn cells(table: &Table, row: usize, of: &[&str]) -> Vec<Value> {
    of.iter().map(|name| table.rows[row].cells[table.column(name).expect("the column is there")].clone()).collect()
}

pub async fn of_config_maps_count_their_data(context: Context) {
    let map = config_map("one", json!({ "a": "1", "b": "2" }));
    context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    let path = context.path(&config_maps());
    let named = with_fields("metadata.name=one");
    let table = context.rest().table(&path, &named, IncludeObject::Metadata).await.expect("a table");
    assert_eq!(columns(&table), ["Name", "Data", "Age"]);
    assert_eq!(table.rows.len(), 1);
    assert_eq!(cells(&table, 0, &["Name", "Data"]), [json!("one"), json!(2)]);
    let row = table.rows[0].object.as_ref().expect("the metadata");
    assert_eq!((row.kind.as_str(), row.name(), row.get(&["data"])), ("PartialObjectMetadata", "one", None));
}

pub async fn hold_as_much_of_the_object_as_asked(context: Context) {
    context.config_maps().create(&config_map("one", json!({ "a": "1" })), &CreateOptions::default()).await.expect("it");
    let path = context.path(&config_maps()).named("one");
    let table = async |include| {
        let table = context.rest().table(&path, &ListOptions::default(), include).await;
        table.expect("a table of one object").rows.remove(0).object
    };
    assert_eq!(table(IncludeObject::None).await.filter(|object| !object.name().is_empty()), None);
    let whole = table(IncludeObject::Object).await.expect("the object");
    assert_eq!((whole.kind.as_str(), whole.str_at(&["data", "a"])), ("ConfigMap", Some("1")));
}

pub async fn of_pods_show_their_state(context: Context) {
    context.pods().create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    let path = context.path(&super::pods());
    let table = context.rest().table(&path, &ListOptions::default(), IncludeObject::None).await.expect("a table");
    let expected =
        ["Name", "Ready", "Status", "Restarts", "Age", "(IP)", "(Node)", "(Nominated Node)", "(Readiness Gates)"];
    assert_eq!(columns(&table), expected);
    let expected = ["web", "0/1", "Pending", "0", "<none>", "<none>"].map(Value::from);
    let found = cells(&table, 0, &["Name", "Ready", "Status", "Restarts", "IP", "Node"]);
    assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected.iter().map(text).collect::<Vec<_>>());
}

fn text(cell: &Value) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_owned)
}

pub async fn of_deployments_count_replicas(context: Context) {
    context.deployments().create(&deployment("web"), &CreateOptions::default()).await.expect("it is created");
    let path = context.path(&super::deployments());
    let table = context.rest().table(&path, &ListOptions::default(), IncludeObject::None).await.expect("a table");
    let expected = ["Name", "Ready", "Up-to-date", "Available", "Age", "(Containers)", "(Images)", "(Selector)"];
    assert_eq!(columns(&table), expected);
    let found = cells(&table, 0, &["Name", "Ready", "Up-to-date", "Available", "Containers", "Images", "Selector"]);
    let expected = ["web", "0/0", "0", "0", "app", "registry.example/app:1", "app=web"];
    assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected);
}

pub async fn of_a_custom_resource_have_its_columns(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 3).await;
    let path = context.path(&widgets.resource);
    let table = context.rest().table(&path, &ListOptions::default(), IncludeObject::Metadata).await.expect("a table");
    assert_eq!(columns(&table), ["Name", "Size", "(Phase)", "Age"]);
    let size = &table.column_definitions[1];
    assert_eq!((size.r#type.as_str(), size.description.as_str()), ("integer", "How large it is"));
    assert_eq!(table.column_definitions[3].r#type, "date");
    assert_eq!(cells(&table, 0, &["Name", "Size", "Phase"]), [json!("one"), json!(3), Value::Null]);
    let object = context.rest().table_object(&path, &ListOptions::default(), IncludeObject::Metadata).await;
    let same = Table::from_object(&object.expect("a table as one object")).expect("it is one");
    assert_eq!((&same.column_definitions, &same.rows[0].cells), (&table.column_definitions, &table.rows[0].cells));
    let age = cells(&table, 0, &["Age"]).remove(0);
    assert!(age.as_str().is_some_and(|age| age.ends_with('s')), "{age}");
}
