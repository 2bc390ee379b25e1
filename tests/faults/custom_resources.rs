//! Kinds that come, change and go, and an API server that is not there behind the API server.

use std::time::Duration;

use serde_json::{Value, json};
use watchglass::api::{DeleteOptions, Error, ListOptions, Patch, PatchOptions, ResourcePath};
use watchglass::rest::IncludeObject;
use watchglass::runtime::Traffic;

use crate::UNBROKEN;
use crate::scene::{Scene, changes, path, run};

fn version(name: &str, is_stored: bool, columns: &Value) -> Value {
    json!({
        "name": name, "served": true, "storage": is_stored, "additionalPrinterColumns": columns,
        "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
    })
}

/// A cluster-wide object that is deleted at the end, also of a test that fails.
struct Cleared<'a>(&'a Scene, &'a str, &'a str);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        self.0.cluster.kubectl(&["delete", self.1, self.2, "--ignore-not-found", "--wait=false"]);
    }
}

struct Widgets<'a> {
    scene: &'a Scene,
    group: String,
    name: String,
    definitions: ResourcePath,
}

impl<'a> Widgets<'a> {
    fn new(scene: &'a Scene) -> Self {
        let group = format!("{}.example", scene.namespace);
        let definitions = path("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        Self { scene, name: format!("widgets.{group}"), group, definitions }
    }

    fn path(&self, version: &str) -> ResourcePath {
        self.scene.path(&self.group, version, "widgets")
    }

    async fn define(&self) {
        let fields = json!({ "spec": {
            "group": self.group, "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget" },
            "versions": [version("v1", true, &json!([]))],
        }});
        self.scene.create(&self.definitions, "CustomResourceDefinition", &self.name, fields).await;
        self.is_served("v1", |_| true).await;
    }

    /// Waits until the server prints the kind so.
    async fn is_served(&self, version: &str, columns: impl Fn(&[String]) -> bool) {
        let admin = &self.scene.admin;
        loop {
            let table = admin.table(&self.path(version), &ListOptions::default(), IncludeObject::Metadata).await;
            let names =
                table.map(|table| table.column_definitions.iter().map(|it| it.name.clone()).collect::<Vec<_>>());
            if names.is_ok_and(|names| columns(&names)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn add_a_version_and_a_column(&self) {
        let column = json!([{ "name": "Size", "type": "string", "jsonPath": ".spec.size" }]);
        let versions = json!([version("v1", true, &column), version("v2", false, &column)]);
        let patch = Patch::Merge(json!({ "spec": { "versions": versions } }));
        let path = self.definitions.clone().named(&self.name);
        self.scene.admin.patch(&path, &patch, &PatchOptions::default()).await.expect("it is changed");
        for version in ["v1", "v2"] {
            self.is_served(version, |names| names.iter().any(|name| name == "Size")).await;
        }
    }

    async fn undefine(&self) {
        let path = self.definitions.clone().named(&self.name);
        self.scene.admin.delete(&path, &DeleteOptions::default()).await.expect("it is deleted");
        let list = async || self.scene.admin.list(&self.path("v1"), &ListOptions::default(), &|_| {}).await;
        while !list().await.is_err_and(|error| error.is_not_found()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn create(&self, name: &str) {
        self.scene.create(&self.path("v1"), "Widget", name, json!({ "spec": { "size": "large" } })).await;
    }
}

/// kubernetes/kubernetes#79610: an informer of a kind that is gone asked again and again.
#[test]
fn an_informer_follows_a_kind_that_is_defined_changed_removed_and_defined_again() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = &Scene::new("widgets").await;
        let widgets = Widgets::new(scene);
        let watched = scene.informer(widgets.path("v1"));
        watched.until(|| watched.error().is_some_and(|error| error.is_not_found())).await;

        let _cleared = Cleared(scene, "customresourcedefinition", &widgets.name);
        widgets.define().await;
        watched.connected().await;
        widgets.create("one").await;
        watched.until(|| watched.holds("one")).await;

        widgets.add_a_version_and_a_column().await;
        widgets.create("two").await;
        watched.is_in_step().await;

        widgets.undefine().await;
        watched.until(|| watched.store().is_empty()).await;
        assert_eq!(changes(&watched), ["+one", "+two", "-one", "-two"]);
        watched.until_late(|| watched.error().is_some_and(|error| error.is_not_found())).await;

        scene.log.forget();
        let ten_minutes_on = scene.runtime.now() + Duration::from_secs(600);
        watched.until(|| scene.runtime.now() >= ten_minutes_on).await;
        // The waits of two minutes are 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30 and 30 s at least; then they begin again.
        let asked = scene.log.all().len();
        assert!((10..=45).contains(&asked), "{asked} requests in ten minutes");

        widgets.define().await;
        watched.connected().await;
        widgets.create("three").await;
        watched.until(|| watched.holds("three")).await;
        watched.is_in_step().await;
    });
}

#[test]
fn an_api_service_that_points_nowhere_is_named_and_disturbs_no_other_informer() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = &Scene::new("nowhere").await;
        let group = format!("{}.example", scene.namespace);
        let name = format!("v1.{group}");
        let _cleared = Cleared(scene, "apiservice", &name);
        let fields = json!({ "spec": {
            "group": group, "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
            "insecureSkipTLSVerify": true, "service": { "name": "nowhere", "namespace": scene.namespace },
        }});
        scene.create(&path("apiregistration.k8s.io", "v1", "apiservices"), "APIService", &name, fields).await;

        let others = scene.informer(scene.config_maps());
        scene.is_watched_by(&others).await;
        let (lists, watches) = crate::scene::lists_and_watches(&scene.log);
        let nowhere = scene.path(&group, "v1", "things");
        let watched = scene.informer(nowhere.clone());
        // Registered first, and then found to be unavailable.
        let unavailable = || matches!(watched.error(), Some(Error::Upstream { code: 503, .. }));
        watched.until(unavailable).await;
        let asked = scene.log.count(Traffic::List) - lists;
        watched.until(|| scene.log.count(Traffic::List) - lists > asked + 3).await;
        assert!(!watched.informer.has_synced() && others.is_connected());
        scene.create_config_map("comes").await;
        others.until(|| others.holds("comes")).await;
        assert_eq!(scene.log.count(Traffic::Watch), watches, "the other watch goes on");
    });
}
