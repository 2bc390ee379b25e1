use serde_json::{Value, json};
use watchglass::runtime::{Method, Request};

use super::client::{Answer, Client, summary};

const DEFINITIONS: &str = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "apis/example.com/v1/namespaces/default/widgets";

/// A kind in two versions, with everything that a definition may say here.
pub fn widgets() -> Value {
    let subresources = json!({ "status": {}, "scale": {
        "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    } });
    let spec = json!({ "type": "object", "required": ["size"], "properties": {
        "size": { "type": "string", "enum": ["small", "big"], "maxLength": 10 },
        "replicas": { "type": "integer", "minimum": 0, "maximum": 10, "default": 1 },
        "ratio": { "type": "number" },
        "code": { "type": "string", "pattern": "^[a-z]+$", "minLength": 2 },
        "tags": { "type": "array", "maxItems": 3, "items": { "type": "string" } },
        "extra": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "labels": { "type": "object", "additionalProperties": { "type": "string" } },
        "flag": { "type": "boolean" },
        "port": { "x-kubernetes-int-or-string": true },
        "maybe": { "type": "string", "nullable": true },
    } });
    let status = json!({ "type": "object", "properties": {
        "ready": { "type": "boolean" }, "replicas": { "type": "integer" }, "selector": { "type": "string" },
    } });
    let schema = json!({ "type": "object", "required": ["spec"], "properties": { "spec": spec, "status": status } });
    let columns = json!([
        { "name": "Size", "type": "string", "jsonPath": ".spec.size", "description": "How big" },
        { "name": "Ready", "type": "boolean", "jsonPath": ".status.ready" },
        { "name": "Tags", "type": "string", "jsonPath": ".spec.tags[*]" },
        { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
    ]);
    definition(
        "Widget",
        "widgets",
        json!([
            { "name": "v1alpha1", "served": true, "storage": false, "subresources": subresources, "schema": {
                "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } },
            { "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "additionalPrinterColumns": columns, "selectableFields": [{ "jsonPath": ".spec.size" }],
                "schema": { "openAPIV3Schema": schema } },
        ]),
    )
}

fn definition(kind: &str, plural: &str, versions: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "versions": versions,
            "names": { "kind": kind, "plural": plural, "shortNames": ["wd"], "categories": ["all"] },
        },
    })
}

/// With one version and this schema.
fn definition_of(schema: Value) -> Value {
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    definition("Probe", "probes", json!([version]))
}

fn widget(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name }, "spec": spec })
}

impl Client {
    fn create(&self, path: &str, object: &Value) -> Answer {
        self.write(Method::Post, path, "application/json", object)
    }

    fn with_widgets() -> Self {
        let client = Self::new();
        assert_eq!(client.create(DEFINITIONS, &widgets()).status, 201);
        client
    }
}

#[test]
fn a_definition_is_answered_with_its_defaults_and_then_established() {
    let client = Client::new();
    let mut watch = client.watch(&format!("{DEFINITIONS}?watch=true"));
    let created = client.create(DEFINITIONS, &widgets()).json();
    assert_eq!(created["spec"]["names"]["singular"], "widget");
    assert_eq!(created["spec"]["names"]["listKind"], "WidgetList");
    assert_eq!(created["spec"]["conversion"], json!({ "strategy": "None" }));
    let status = json!({ "conditions": null, "acceptedNames": { "plural": "", "kind": "" }, "storedVersions": ["v1"] });
    assert_eq!(created["status"], status);
    assert_eq!(watch.event()["type"], "ADDED");
    let status = watch.event()["object"]["status"].clone();
    assert_eq!(status["acceptedNames"], created["spec"]["names"]);
    let conditions: Vec<_> = status["conditions"].as_array().unwrap().iter().map(condition).collect();
    let expected = ["NamesAccepted True NoConflicts", "Established True InitialNamesAccepted"];
    assert_eq!(conditions, expected);
}

fn condition(condition: &Value) -> String {
    let text = |name: &str| condition[name].as_str().expect("the test asks for what is there").to_owned();
    format!("{} {} {}", text("type"), text("status"), text("reason"))
}

#[test]
fn a_definition_that_is_not_as_it_must_be_is_refused_in_the_real_servers_words() {
    let client = Client::new();
    let of = |change: fn(&mut Value)| {
        let mut definition = definition_of(json!({ "type": "object" }));
        change(&mut definition);
        client.create(DEFINITIONS, &definition).json()
    };
    let invalid = |name: &str, rest: &str| {
        Value::from(format!("CustomResourceDefinition.apiextensions.k8s.io \"{name}\" is invalid: {rest}"))
    };
    let name = of(|it| it["metadata"]["name"] = "foo".into());
    let rest = "metadata.name: Invalid value: \"foo\": must be spec.names.plural+\".\"+spec.group";
    assert_eq!((&name["code"], &name["message"]), (&422.into(), &invalid("foo", rest)));
    let scope = of(|it| it["spec"]["scope"] = "Foo".into());
    let rest = "spec.scope: Unsupported value: \"Foo\": supported values: \"Cluster\", \"Namespaced\"";
    assert_eq!(scope["message"], invalid("probes.example.com", rest));
    let schema = of(|it| drop(it["spec"]["versions"][0].as_object_mut().unwrap().remove("schema")));
    let rest = "spec.versions[0].schema.openAPIV3Schema: Required value";
    assert_eq!(schema["message"], invalid("probes.example.com", rest));
    let untyped = of(|it| {
        it["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = json!({ "spec": { "properties": {} } });
    });
    let rest = "spec.validation.openAPIV3Schema.properties[spec].type: Required value: \
                must not be empty for specified object fields";
    assert_eq!(untyped["message"], invalid("probes.example.com", rest));
}

#[test]
fn what_is_not_understood_of_a_definition_is_refused_and_nothing_is_served() {
    let client = Client::new();
    let property = |schema: Value| definition_of(json!({ "type": "object", "properties": { "a": schema } }));
    let mut webhook = definition_of(json!({ "type": "object" }));
    webhook["spec"]["conversion"] = json!({ "strategy": "Webhook" });
    let mut path = definition_of(json!({ "type": "object" }));
    path["spec"]["versions"][0]["additionalPrinterColumns"] =
        json!([{ "name": "A", "type": "string", "jsonPath": ".a[1:2]" }]);
    for definition in [
        property(json!({ "type": "string", "oneOf": [] })),
        property(json!({ "type": "object", "x-kubernetes-validations": [] })),
        property(json!({ "type": "string", "format": "email" })),
        property(json!({ "type": "string", "pattern": "(" })),
        webhook,
        path,
    ] {
        let refused = client.create(DEFINITIONS, &definition);
        assert_eq!((refused.status, &refused.json()["reason"]), (501, &"NotImplemented".into()));
    }
    assert_eq!(client.get("apis/example.com/v1/probes").status, 404);
    assert!(client.get(DEFINITIONS).names().is_empty());
}

#[test]
fn names_that_another_kind_has_are_not_accepted() {
    let client = Client::with_widgets();
    let version = json!([{ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object" } } }]);
    client.create(DEFINITIONS, &definition("Widget", "gadgets", version));
    let status = client.get(&format!("{DEFINITIONS}/gadgets.example.com")).json()["status"].clone();
    let conditions: Vec<_> = status["conditions"].as_array().unwrap().iter().map(condition).collect();
    assert_eq!(conditions, ["NamesAccepted False ListKindConflict", "Established False NotAccepted"]);
    assert_eq!(status["conditions"][0]["message"], "\"WidgetList\" is already in use");
    assert_eq!(client.get("apis/example.com/v1/gadgets").status, 404);
}

#[test]
fn a_custom_resource_is_pruned_filled_and_shown_in_each_version() {
    let client = Client::with_widgets();
    let mut object = widget(
        "a",
        json!({
            "size": "small", "junk": 1, "extra": { "x": { "y": 2 } }, "maybe": null, "flag": null, "port": 80,
        }),
    );
    object["top"] = 1.into();
    object["status"] = json!({ "ready": true });
    let created = client.create(WIDGETS, &object);
    assert_eq!(created.status, 201);
    let expected = json!({ "size": "small", "extra": { "x": { "y": 2 } }, "maybe": null, "port": 80, "replicas": 1 });
    let created = created.json();
    assert_eq!((&created["spec"], &created["status"], &created["top"]), (&expected, &Value::Null, &Value::Null));
    assert_eq!(created["metadata"]["generation"], 1);
    let older = client.get(&format!("{}/a", WIDGETS.replace("v1", "v1alpha1"))).json();
    assert_eq!((&older["apiVersion"], &older["spec"]), (&"example.com/v1alpha1".into(), &expected));
    let list = client.get("apis/example.com/v1alpha1/widgets").json();
    assert_eq!((&list["kind"], &list["apiVersion"]), (&"WidgetList".into(), &"example.com/v1alpha1".into()));
    assert_eq!((&list["items"][0]["kind"], &list["items"][0]["apiVersion"]), (&"Widget".into(), &older["apiVersion"]));
    let mut watch = client.watch("apis/example.com/v1alpha1/widgets?watch=true");
    assert_eq!(watch.event()["object"]["apiVersion"], "example.com/v1alpha1");
}

/// Specs, and what the real server says of them.
#[test]
fn a_custom_resource_that_breaks_its_schema_is_refused_in_the_real_servers_words() {
    let client = Client::with_widgets();
    let range = "spec.replicas in body should be";
    for (spec, problems) in [
        (json!({}), "spec.size: Required value".to_owned()),
        (json!({ "size": null }), "spec.size: Required value".to_owned()),
        (
            json!({ "size": "medium" }),
            "spec.size: Unsupported value: \"medium\": supported values: \"small\", \"big\"".to_owned(),
        ),
        (json!({ "replicas": 11 }), format!("spec.replicas: Invalid value: 11: {range} less than or equal to 10")),
        (
            json!({ "replicas": -1 }),
            format!(
                "[spec.replicas: Invalid value: -1: {range} greater than or equal to 0, \
                 .spec.replicas: Invalid value: -1: should be a non-negative integer]"
            ),
        ),
        (
            json!({ "replicas": 1.5 }),
            "[spec.replicas: Invalid value: \"number\": spec.replicas in body must be of type integer: \"number\", \
             <nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec.replicas, \
             .spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, \
             expected int64]"
                .to_owned(),
        ),
        (
            json!({ "code": "A" }),
            "[spec.code: Invalid value: \"A\": spec.code in body should be at least 2 chars long, \
             spec.code: Invalid value: \"A\": spec.code in body should match '^[a-z]+$']"
                .to_owned(),
        ),
        (json!({ "tags": ["a", "b", "c", "d"] }), "spec.tags: Too many: 4: must have at most 3 items".to_owned()),
        (
            json!({ "tags": [1] }),
            "spec.tags[0]: Invalid value: \"integer\": spec.tags[0] in body must be of type string: \"integer\""
                .to_owned(),
        ),
        (
            json!({ "labels": { "k": 1 } }),
            "spec.labels.k: Invalid value: \"integer\": spec.labels.k in body must be of type string: \"integer\""
                .to_owned(),
        ),
        (
            json!({ "flag": "yes" }),
            "spec.flag: Invalid value: \"string\": spec.flag in body must be of type boolean: \"string\"".to_owned(),
        ),
        (
            json!({ "port": 1.5 }),
            "spec.port: Invalid value: \"number\": spec.port in body must be of type integer,string: \"number\""
                .to_owned(),
        ),
    ] {
        let mut whole = spec.clone();
        if !spec.as_object().unwrap().contains_key("size") && !spec.as_object().unwrap().is_empty() {
            whole["size"] = "small".into();
        }
        let refused = client.create(WIDGETS, &widget("b", whole)).json();
        assert_eq!(refused["message"], format!("Widget.example.com \"b\" is invalid: {problems}"), "{spec}");
        assert_eq!((&refused["code"], &refused["details"]["kind"]), (&422.into(), &"Widget".into()));
    }
}

#[test]
fn fields_that_the_schema_does_not_know_are_warned_of_or_refused() {
    let client = Client::with_widgets();
    let object = widget("a", json!({ "size": "small", "junk": 1, "extra": { "free": 1 } }));
    let refused = client.create(&format!("{WIDGETS}?fieldValidation=Strict"), &object).json();
    let message = "Widget in version \"v1\" cannot be handled as a Widget: \
                   strict decoding error: unknown field \"spec.junk\"";
    assert_eq!((&refused["code"], &refused["message"]), (&400.into(), &message.into()));
    let warned = client.create(WIDGETS, &object);
    let warning = ("warning".to_owned(), "299 - \"unknown field \\\"spec.junk\\\"\"".to_owned());
    assert!(warned.headers.contains(&warning), "{:?}", warned.headers);
    let clean = widget("b", json!({ "size": "small" }));
    assert_eq!(client.create(&format!("{WIDGETS}?fieldValidation=Strict"), &clean).status, 201);
}

#[test]
fn lists_by_key_and_sets_hold_nothing_twice() {
    let client = Client::new();
    client.create(
        DEFINITIONS,
        &definition_of(json!({ "type": "object", "properties": {
        "lm": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } } },
        "ls": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } },
        "i32": { "type": "integer", "format": "int32" },
        "time": { "type": "string", "format": "date-time" },
    } })),
    );
    for (field, value, problem) in [
        ("lm", json!([{ "name": "a" }, { "name": "a" }]), "lm[1]: Duplicate value: {\"name\":\"a\"}"),
        ("lm", json!([{}]), "lm[0].name: Required value"),
        ("ls", json!(["a", "a"]), "ls[1]: Duplicate value: \"a\""),
        (
            "i32",
            json!(3_000_000_000_u64),
            "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in i32",
        ),
        ("time", json!("nope"), "time: Invalid value: \"nope\": time in body must be of type date-time: \"nope\""),
    ] {
        let mut probe = json!({ "apiVersion": "example.com/v1", "kind": "Probe", "metadata": { "name": "p" } });
        probe[field] = value;
        let refused = client.create("apis/example.com/v1/namespaces/default/probes", &probe).json();
        assert_eq!(refused["message"], format!("Probe.example.com \"p\" is invalid: {problem}"));
    }
}

#[test]
fn fields_are_selected_by_where_the_version_says_so() {
    let client = Client::with_widgets();
    for (name, size) in [("a", "small"), ("b", "big")] {
        client.create(WIDGETS, &widget(name, json!({ "size": size })));
    }
    assert_eq!(client.get(&format!("{WIDGETS}?fieldSelector=spec.size%3Dbig")).names(), ["b"]);
    for path in ["v1/widgets?fieldSelector=spec.code%3Da", "v1alpha1/widgets?fieldSelector=spec.size%3Dbig"] {
        let refused = client.get(&format!("apis/example.com/{path}")).json();
        let field = if path.contains("code") { "spec.code" } else { "spec.size" };
        let message = format!("field label not supported: {field}");
        assert_eq!((&refused["code"], &refused["message"]), (&400.into(), &message.into()));
    }
}

#[test]
fn the_columns_of_a_definition_are_printed() {
    let client = Client::with_widgets();
    client.create(WIDGETS, &widget("a", json!({ "size": "small", "tags": ["x", "y"] })));
    let headers = vec![("accept".into(), "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned())];
    let table = client.send(Request { path: WIDGETS.into(), headers, ..Request::default() }).json();
    let columns: Vec<_> = table["columnDefinitions"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(columns, ["Name", "Size", "Ready", "Tags", "Age"]);
    assert_eq!(table["columnDefinitions"][1]["description"], "How big");
    assert_eq!(table["rows"][0]["cells"], json!(["a", "small", null, "x", "0s"]));
}

#[test]
fn with_the_definition_its_objects_go_and_their_watches_end() {
    let client = Client::with_widgets();
    client.create(WIDGETS, &widget("a", json!({ "size": "small" })));
    let mut objects = client.watch("apis/example.com/v1/widgets?watch=true");
    let mut definitions = client.watch(&format!("{DEFINITIONS}?watch=true"));
    assert_eq!(
        (objects.event()["type"].clone(), definitions.event()["type"].clone()),
        ("ADDED".into(), "ADDED".into())
    );
    let path = format!("{DEFINITIONS}/widgets.example.com");
    let answer = client.send(Request { method: Method::Delete, path: path.clone(), ..Request::default() }).json();
    assert_eq!(
        (&answer["kind"], &answer["metadata"]["finalizers"][0]),
        (&"CustomResourceDefinition".into(), &"customresourcecleanup.apiextensions.k8s.io".into())
    );
    assert_eq!(condition(&answer["status"]["conditions"][2]), "Terminating True InstanceDeletionPending");
    assert_eq!(summary(&objects.event()), ("DELETED".into(), "a".into()));
    assert!(objects.chunk().is_none());
    let kinds: Vec<_> = definitions.ready().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["MODIFIED", "MODIFIED", "DELETED"]);
    let missing = client.get("apis/example.com/v1/widgets");
    assert_eq!((missing.status, missing.body.unwrap().as_str()), (404, "404 page not found\n"));
    assert_eq!(client.get(&path).status, 404);
    client.create(DEFINITIONS, &widgets());
    assert!(client.get(WIDGETS).names().is_empty());
}

#[test]
fn a_changed_definition_is_served_at_once_and_ends_the_watches_of_the_old_one() {
    let client = Client::with_widgets();
    let mut watch = client.watch("apis/example.com/v1/widgets?watch=true");
    assert!(watch.ready().is_empty());
    let path = format!("{DEFINITIONS}/widgets.example.com");
    let mut definition = client.get(&path).json();
    definition["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["enum"] =
        json!(["huge"]);
    assert_eq!(client.write(Method::Put, &path, "application/json", &definition).status, 200);
    assert!(watch.chunk().is_none());
    assert_eq!(client.create(WIDGETS, &widget("a", json!({ "size": "small" }))).status, 422);
    assert_eq!(client.create(WIDGETS, &widget("a", json!({ "size": "huge" }))).status, 201);
}

#[test]
fn a_custom_resource_is_updated_only_with_its_version() {
    let client = Client::with_widgets();
    client.create(WIDGETS, &widget("a", json!({ "size": "small" })));
    let path = format!("{WIDGETS}/a");
    let refused = client.write(Method::Put, &path, "application/json", &widget("a", json!({ "size": "big" }))).json();
    let message = "widgets.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: \
                   must be specified for an update";
    assert_eq!((&refused["code"], &refused["message"]), (&422.into(), &message.into()));
    let mut object = client.get(&path).json();
    object["status"] = json!({ "ready": true });
    let updated = client.write(Method::Put, &format!("{path}/status"), "application/json", &object).json();
    assert_eq!((&updated["status"]["ready"], &updated["metadata"]["generation"]), (&true.into(), &1.into()));
}
