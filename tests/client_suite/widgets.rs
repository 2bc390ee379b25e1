//! A definition of a custom resource, of one case alone.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, GroupVersionResource, ListOptions, Manifest, ResourcePath};
use watchglass::rest::DynamicResource;

use super::context::{Context, object};

pub fn definitions() -> GroupVersionResource {
    GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions")
}

/// Widgets of a group that has the namespace's name, so that cases do not meet.
pub struct Widgets {
    pub group: String,
    pub resource: GroupVersionResource,
    pub client: DynamicResource,
}

impl Widgets {
    /// What the definition is to be called, before it is there.
    pub fn of(context: &Context) -> Self {
        let group = format!("{}.example.com", context.namespace);
        let resource = GroupVersionResource::new(&group, "v1", "widgets");
        let client = context.resource(&resource);
        Self { group, resource, client }
    }

    /// Creates the definition, and waits until the server serves its objects.
    pub async fn define(context: &Context) -> Self {
        let widgets = Self::of(context);
        widgets.create_definition(context).await;
        widgets
    }

    pub async fn create_definition(&self, context: &Context) {
        let name = format!("widgets.{}", self.group);
        context.remove_at_end(ResourcePath::all(definitions()).named(&name));
        let all = context.everywhere(&definitions());
        all.create(&definition(&self.group), &CreateOptions::default()).await.expect("the definition is created");
        context.until(async || self.client.list(&ListOptions::default()).await.is_ok()).await;
    }

    pub fn widget(&self, name: &str, spec: Value) -> Manifest {
        object(json!({
            "apiVersion": format!("{}/v1", self.group), "kind": "Widget", "metadata": { "name": name }, "spec": spec,
        }))
    }

    pub async fn create(&self, name: &str, size: u32) -> Manifest {
        let widget = self.widget(name, json!({ "size": size }));
        self.client.create(&widget, &CreateOptions::default()).await.expect("it is created")
    }
}

fn definition(group: &str) -> Manifest {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": { "type": "integer" },
                    "color": { "type": "string" },
                    "replicas": { "type": "integer" },
                    "parts": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["name"],
                            "properties": { "name": { "type": "string" }, "weight": { "type": "integer" } },
                        },
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                    },
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "phase": { "type": "string" },
                    "replicas": { "type": "integer" },
                    "selector": { "type": "string" },
                },
            },
        },
    });
    let scale = json!({
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    });
    let columns = json!([
        { "name": "Size", "type": "integer", "jsonPath": ".spec.size", "description": "How large it is" },
        { "name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1 },
        { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
    ]);
    object(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList",
                "shortNames": ["wdg"], "categories": ["gadgets"],
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
                "subresources": { "status": {}, "scale": scale },
                "additionalPrinterColumns": columns,
            }],
        },
    }))
}
