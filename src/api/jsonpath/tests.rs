use serde_json::json;

use super::*;
use crate::api::Object;

/// As `PrintResults` joins them; the value lies in an object's `it`.
fn found(path: &str, value: &serde_json::Value) -> Result<String, EvaluationError> {
    let object: Object = serde_json::from_value(json!({"metadata": {"name": "a"}, "it": value})).unwrap();
    let path = JsonPath::parse(path).unwrap_or_else(|error| panic!("{error}"));
    let texts: Vec<String> =
        path.find(object.get(&["it"]).unwrap())?.into_iter().map(|found| found.text().into_owned()).collect();
    Ok(texts.join(" "))
}

fn assert_found(value: &serde_json::Value, cases: &[(&str, &str)]) {
    for (path, expected) in cases {
        assert_eq!(found(path, value).as_deref(), Ok(*expected), "{path}");
    }
}

/// client-go: `TestTypesInput`
#[test]
fn lists_are_indexed_and_sliced() {
    let types = json!({
        "bools": [true, false, true, false],
        "integers": [1, 2, 3, 4],
        "floats": [1.0, 2.2, 3.3, 4.0],
        "strings": ["one", "two", "three", "four"],
        "interfaces": [true, "one", 1, 1.1],
        "maps": [
            {"name": "one", "value": 1}, {"name": "two", "value": 2.02},
            {"name": "three", "value": 3.03}, {"name": "four", "value": 4.04},
        ],
    });
    assert_found(
        &types,
        &[
            (" .bools ", "[true,false,true,false]"),
            (" .bools[-1] ", "false"),
            (".bools[0:2]", "true false"),
            (".bools[:4:2]", "true true"),
            (".integers", "[1,2,3,4]"),
            (".integers[-2]", "3"),
            (".integers[:2]", "1 2"),
            (".floats", "[1,2.2,3.3,4]"),
            (".floats[0]", "1"),
            (".floats[:4:2]", "1 3.3"),
            (".strings", r#"["one","two","three","four"]"#),
            (".strings[:4:2]", "one three"),
            (".interfaces", r#"[true,"one",1,1.1]"#),
            (".maps[-2]", r#"{"name":"three","value":3.03}"#),
            (".maps[::2]", r#"{"name":"one","value":1} {"name":"three","value":3.03}"#),
            (".maps[1::2]", r#"{"name":"two","value":2.02} {"name":"four","value":4.04}"#),
        ],
    );
}

/// client-go: `TestStructInput`; an object's values come in the order in which it has them, here that of the keys.
#[test]
fn a_store_is_read_as_client_go_reads_it() {
    let store = json!({
        "Name": "jsonpath",
        "Book": [
            {"Category": "reference", "Author": "Nigel Rees", "Price": 8.95},
            {"Category": "fiction", "Author": "Evelyn Waugh", "Price": 12.99},
            {"Category": "fiction", "Author": "Herman Melville", "Price": 8.99},
        ],
        "Bicycle": [{"Color": "red", "Price": 19.95, "IsNew": true}, {"Color": "green", "Price": 20.01, "IsNew": false}],
        "Labels": {"web/html": 15, "k8s-app": 20},
    });
    assert_found(
        &store,
        &[
            ("\"{\"", "{"),
            (".Name", "jsonpath"),
            ("$.Labels.web/html", "15"),
            (".Labels.k8s-app", "20"),
            (".Bicycle[*].Color", "red green"),
            (".Book[*].Author", "Nigel Rees Evelyn Waugh Herman Melville"),
            (".Bicycle[0].*", "red true 19.95"),
            ("..Price", "19.95 20.01 8.95 12.99 8.99"),
            ("...Price", "19.95 20.01 8.95 12.99 8.99"),
            (".Book[-1:].Author", "Herman Melville"),
            ("..Book[2].Author", "Herman Melville"),
            (".Bicycle[?(@.IsNew==true)].Color", "red"),
            (".Book[?(@.Price<8.99)].Price", "8.95"),
            (".Book[?(@.Price<=8.99)].Price", "8.95 8.99"),
            (".Book[?(@.Price>=8.99)].Price", "12.99 8.99"),
            (".Book[?(@.Category!='fiction')].Price", "8.95"),
            (".hello", ""),
            (".Name.hello", ""),
        ],
    );
    for (path, error) in [
        ("hello", EvaluationError::UnknownWord),
        (".Labels[0]", EvaluationError::NotAList),
        (".Labels[?(@.a)]", EvaluationError::NotAList),
        (".hello[?(@.a)].x[0:5]", EvaluationError::NotAList),
        (".Book[?(@.Price<>10)]", EvaluationError::UnknownOperator),
        (".Book[?(@.Price==10)]", EvaluationError::NotComparable),
        (".Book[?(@.*==10)]", EvaluationError::ManyCompared),
        (".Bicycle[?(@.IsNew>false)]", EvaluationError::NotComparable),
    ] {
        let expected = if path.starts_with(".hello") { Ok(String::new()) } else { Err(error) };
        assert_eq!(found(path, &store), expected, "{path}");
    }
    assert_found(&json!([2, 6, 3, 7]), &[("[?(@<5)]", "2 3"), ("[1,3]", "6 7"), ("[1, 3]", "6 7"), ("[0:2]", "2 6")]);
}

/// client-go: `TestJSONInput`
#[test]
fn a_filter_asks_whether_a_field_is_there() {
    let points = json!([{"id": "i1", "x": 4}, {"id": "i2", "z": 1}, {"id": "i5", "z": null}]);
    assert_found(&points, &[("[?(@.z)].id", "i2 i5"), ("[0]['id']", "i1"), ("[0]['x','id']", "4 i1")]);
}

/// client-go: `TestKubernetes`, `TestFilterPartialMatchesSometimesMissingAnnotations`
#[test]
fn nodes_are_read_as_client_go_reads_them() {
    let nodes = json!({
        "items": [
            {
                "kind": "None",
                "metadata": {"name": "127.0.0.1", "labels": {"kubernetes.io/hostname": "127.0.0.1"}},
                "status": {"capacity": {"cpu": "4"}, "ready": true, "addresses": [{"address": "127.0.0.1"}]},
            },
            {
                "kind": "None",
                "metadata": {"name": "127.0.0.2"},
                "status": {
                    "capacity": {"cpu": "8"}, "ready": false,
                    "addresses": [{"address": "127.0.0.2"}, {"address": "127.0.0.3"}],
                },
            },
        ],
        "users": [{"name": "myself", "user": {}}, {"name": "e2e", "user": {"password": "secret"}}],
    });
    assert_found(
        &nodes,
        &[
            (".items[*].status.addresses[*].address", "127.0.0.1 127.0.0.2 127.0.0.3"),
            (".items[*]['metadata.name', 'status.capacity']", r#"127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}"#),
            (r#".users[?(@.name=="e2e")].user.password"#, "secret"),
            (r".items[0].metadata.labels.kubernetes\.io/hostname", "127.0.0.1"),
            (r".items[0].metadata.labels['kubernetes\.io/hostname']", "127.0.0.1"),
            (r#".items[?(@.metadata.labels.kubernetes\.io/hostname=="127.0.0.1")].kind"#, "None"),
            (".items[?(@..ready==true)].metadata.name", "127.0.0.1"),
            (".items[?(.status.ready==true)].metadata.name", "127.0.0.1"),
            (".items[?(@.status.addresses[1])].metadata.name", "127.0.0.1 127.0.0.2"),
            ("..name", "127.0.0.1 127.0.0.2 myself e2e"),
        ],
    );
}

/// client-go: `TestNegativeIndex`, `TestStep`
#[test]
fn indices_count_from_either_end() {
    let four = json!(["0", "1", "2", "3"]);
    assert_found(
        &four,
        &[
            ("[0]", "0"),
            ("[]", "0"),
            ("[0:0]", ""),
            ("[0:-1]", "0 1 2"),
            ("[-1]", "3"),
            ("[-1:]", "3"),
            ("[-2:]", "2 3"),
            ("[-4]", "0"),
            ("[-4:]", "0 1 2 3"),
            ("[5:5]", ""),
            ("[-5:-5]", ""),
            ("[0:4:]", "0 1 2 3"),
            ("[1:4:2]", "1 3"),
            ("[1:4:9]", "1"),
            ("[*]", "0 1 2 3"),
        ],
    );
    for (path, error) in [
        ("[-1:0]", EvaluationError::StartAfterEnd),
        ("[4]", EvaluationError::OutOfBounds),
        ("[-5]", EvaluationError::OutOfBounds),
        ("[3:1]", EvaluationError::StartAfterEnd),
        ("[-1:-2]", EvaluationError::StartAfterEnd),
        ("[0:4:0]", EvaluationError::StepNotPositive),
        ("[0:4:-1]", EvaluationError::StepNotPositive),
        ("[9223372036854775807]", EvaluationError::OutOfBounds),
        ("[-9223372036854775808]", EvaluationError::OutOfBounds),
    ] {
        assert_eq!(found(path, &four), Err(error), "{path}");
    }
}

#[test]
fn values_read_as_go_prints_them() {
    let value = json!({"b": {"z": "<a&b>", "y": 1e-7}, "a": null, "n": 1e6, "s": "a\nb", "t": [null, {}]});
    assert_found(
        &value,
        &[
            (".b", r#"{"y":1e-7,"z":"\u003ca\u0026b\u003e"}"#),
            (".a", "<no value>"),
            (".a.b", ""),
            (".s", "a\nb"),
            (".t", "[null,{}]"),
            ("'it\\'s'", "it's"),
            ("-1.5", "-1.5"),
            ("+3", "3"),
            ("1.", "1"),
        ],
    );
}

#[test]
fn an_error_says_where_reading_ended() {
    for (path, at) in [
        (".a[", 2),
        (".a[x]", 3),
        (".a[1:2:3:4]", 3),
        (".a[\"b\"]", 3),
        (".a[0, x]", 6),
        (".a[?(@.b", 2),
        (".a[?(@.b)", 9),
        (".a[?(@.b==%)]", 10),
        (".a[?(@.b==1)].c[q]", 16),
        ("....a", 2),
        (".a 'b", 3),
        (".a '\\q'", 4),
        (".a 1.2.3", 3),
        (".a %", 3),
        (".a\\", 3),
        ("['a\\']", 4),
        (".a[99999999999999999999]", 3),
        ("\u{e9}%\n", 3),
    ] {
        let error = JsonPath::parse(path).map(|path| format!("{path:?}")).unwrap_err();
        assert_eq!((error.at, error.path.as_str()), (at, path), "{error}");
    }
    assert_eq!(
        JsonPath::parse(".a[x]").unwrap_err().to_string(),
        "cannot read the JSONPath \".a[x]\" at 3: neither an index, nor a slice, nor a key in single quotes"
    );
}

#[test]
fn a_person_may_leave_braces_and_the_first_dot_out() {
    for path in ["a.b", ".a.b", "{.a.b}", "{a.b}", "$.a.b", "['a'].b"] {
        assert_eq!(JsonPath::parse_relaxed(path), JsonPath::parse(".a.b"), "{path}");
    }
}

proptest::proptest! {
    #[test]
    fn no_path_makes_it_panic(path in "[.a\\[\\]()?@*:,'\"=<>!\\\\0-9 -]{0,24}|\\PC{0,20}") {
        if let Ok(path) = JsonPath::parse(&path) {
            let object: Object = serde_json::from_value(json!({"a": [{"a": [1, "x"]}, {"a": {"a": 0.5}}]})).unwrap();
            let _ = path.find(object.get(&[]).unwrap()).map(|found| found.into_iter().map(Found::text).collect::<Vec<_>>());
        }
    }
}
