use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

/// Of an object that is nothing but names and this.
fn written(it: &Value) -> String {
    let text = yaml_text(&object(json!({"apiVersion": "v1", "kind": "It", "metadata": {"name": "a"}, "z": it})), false);
    text.strip_prefix("apiVersion: v1\nkind: It\nmetadata:\n  name: a\nz:").unwrap().to_owned()
}

fn lines(object: &Object, managed_fields: bool, revealed: &[&str]) -> Vec<YamlLine> {
    let revealed = revealed.iter().map(|key| (*key).to_owned()).collect();
    yaml_lines(object, &YamlOptions { managed_fields, revealed: &revealed })
}

#[test]
fn a_line_is_cut_where_something_is_found() {
    let span = |kind, text: &'static str| YamlSpan { kind, text: text.into() };
    let spans = vec![
        span(YamlSpanKind::Key, "image"),
        span(YamlSpanKind::Punctuation, ": "),
        span(YamlSpanKind::Text, "webé-web"),
    ];
    let line = YamlLine { indent: 2, spans, secret: None };
    let cut = |places: &[(usize, usize)]| {
        let places: Vec<_> = places.iter().map(|(start, end)| *start..*end).collect();
        let part = |(_, text, mark): (YamlSpanKind, &str, Option<usize>)| match mark {
            Some(mark) => format!("{text}#{mark}"),
            None => text.to_owned(),
        };
        line.parts(&places).into_iter().map(part).collect::<Vec<_>>()
    };
    for (places, expected) in [
        (&[] as &[(usize, usize)], &["image", ": ", "webé-web"] as &[&str]),
        (&[(2, 7)], &["image#0", ": ", "webé-web"]),
        (&[(0, 3), (4, 10)], &["i#0", "m", "age#1", ": #1", "w#1", "ebé-web"]),
        (&[(9, 12), (15, 18), (20, 24)], &["image", ": ", "web#0", "é-", "web#1"]),
        (&[(12, 99)], &["image", ": ", "web", "é-web#0"]),
    ] {
        assert_eq!(cut(places), expected, "{places:?}");
    }
}

/// Written by sigs.k8s.io/yaml 1.6.0.
#[test]
fn an_object_reads_as_kubectl_prints_it() {
    let long_key = "k".repeat(129);
    let object = object(json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {
            "name": "a", "creationTimestamp": "2026-11-29T10:00:00Z",
            "labels": {"b": "true", "a10": "x", "a2": "1.5"}, "annotations": {},
        },
        "spec": {
            "args": ["--a=b: c", {"name": "x", "list": [1, 2]}, [["deep"], []], {}],
            "script": "#!/bin/sh\necho hi\n", "noEnd": "a\nb", "ends": ["a\n\n", " a\nb\n"],
            "none": null, "ratio": 0.5, "big": u64::MAX, "on": false, "tabs": "a\n\tb",
            "message": "0/3 nodes are available: 1 node(s) had untolerated taint \
                {node.kubernetes.io/not-ready: }, 2 Insufficient cpu.",
            long_key.as_str(): {"a": 1, "b": 2},
        },
    }));
    let expected = r#"apiVersion: example.com/v1
kind: Widget
metadata:
  annotations: {}
  creationTimestamp: "2026-11-29T10:00:00Z"
  labels:
    a2: "1.5"
    a10: x
    b: "true"
  name: a
spec:
  args:
  - '--a=b: c'
  - list:
    - 1
    - 2
    name: x
  - - - deep
    - []
  - {}
  big: 18446744073709551615
  ends:
  - |+
    a

  - |2
     a
    b
  ? KEY
  : a: 1
    b: 2
  message: '0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready:
    }, 2 Insufficient cpu.'
  noEnd: |-
    a
    b
  none: null
  "on": false
  ratio: 0.5
  script: |
    #!/bin/sh
    echo hi
  tabs: "a\n\tb"
"#;
    let expected = expected.replace("KEY", &long_key);
    assert_eq!(yaml_text(&object, false), expected);
    let unfolded = expected.replace("not-ready:\n    }", "not-ready: }");
    assert_eq!(lines(&object, false, &[]).iter().map(|line| line.text() + "\n").collect::<String>(), unfolded);
}

/// As sigs.k8s.io/yaml 1.6.0 writes them.
#[test]
fn texts_are_quoted_where_yaml_would_read_something_else() {
    let plain = "-0x8000000000000001 0x1ffffffffffffffff +0xffffffffffffffff 1e309 12e3456 5.e 1e 1e+ -- .. + -a ?a :a a:b \
        a#b it's a\"b a,b = 2001-13-01 2001-02-30 2023-02-29 2001-01-01T10:00:00 2001-01-01T10:00:00-0200 \
        2001-01-01T24:00:00Z 8080:80 1:60 \u{e9}t\u{e9} \u{a0} \u{7f00} a\\b 1e5a 0x 0b 0b2 0o8 _1 -. +-1 0xg Infinity NaN \
        nan 1::2 :1 1:5_ 1:5.0:3 2001-01-01T 2001-01-01x 02001-01-01 2001-001-01 2001-01-001 2001-00-01 \
        2001-01-01T1:2:3.Z 2001-01-01T10:00:60Z 2001-01-01T10:60:00Z 2001-01-01T10:00:00+9:00 2001-01-01T10:00:00z";
    let double = "<< y Y yes true TRUE on off null ~ NULL .nan .inf +.inf -.INF 0 1 -1 +1 0x1F 0b101 0o17 017 08 1_000 \
        -0x8000000000000000 0xffffffffffffffff 18446744073709551616 1e3 1.5e-999 0e999 .5 .5e3 5. 1.e5 2001-01-01 \
        2001-1-1 2001-02-28 2024-02-29 2001-01-01T10:00:00Z 2001-01-01t1:2:3Z 2001-01-01T10:00:00.123+02:00 \
        2001-01-01T10:00:00,5Z 10:30 1:2:3 10:30.5 -1:30 1_0:10 00000 -0b11 +0b11 0_7 1_ 1__2 1_.5 -.5 +.5e1 0x_1 -017 \
        -08 9223372036854775808 -9223372036854775809 1:5.0_0 0000-01-01 2001-01-01T10:00:00+24:00";
    let single = "- --- ---- ... a: #a @a %a `a \"a\" *a &a !a | |a > ,a [a] ] {a} } 1:2:";
    for text in plain.split_whitespace().chain(["a  b", "2001-01-01 10:00:00Z", "\u{a0}"]) {
        assert_eq!(written(&text.into()), format!(" {text}\n"));
    }
    for text in double.split_whitespace().chain(["", "2001-01-01 10:00:00", "2001-01-01 10:00:00.5"]) {
        assert_eq!(written(&text.into()), format!(" \"{text}\"\n"));
    }
    for text in single.split_whitespace().chain(["- a", "? a", ": a", "a: b", " a", "a ", "a #b", " ", "2001-01-01 "]) {
        assert_eq!(written(&text.into()), format!(" '{text}'\n"));
    }
    for (text, expected) in [
        ("'a'", "'''a'''"),
        ("\u{1f600}", r#""\U0001F600""#),
        ("\0\u{7}\u{1b}", r#""\0\a\e""#),
        ("\u{85}\u{7f}", r#""\N\x7F""#),
        ("\t\"\\", r#""\t\"\\""#),
        ("a \nb", r#""a \nb""#),
        ("\n", "|2+\n"),
        ("a\n b", "|-\n  a\n   b"),
    ] {
        assert_eq!(written(&text.into()), format!(" {expected}\n"));
    }
}

/// As sigs.k8s.io/yaml 1.6.0 breaks them.
#[test]
fn long_texts_are_broken_at_a_space_as_kubectl_breaks_them() {
    let words = "word ".repeat(30);
    let break_after = |count: usize| {
        let mut text = words.trim_end().to_owned();
        text.replace_range(count * 5 - 1..count * 5, "\n  ");
        text
    };
    assert_eq!(written(&words.trim_end().into()), format!(" {}\n", break_after(16)));
    assert_eq!(written(&format!("#{}", &words[1..149]).into()), format!(" '#{}'\n", &break_after(16)[1..]));
    assert_eq!(written(&"x".repeat(200).into()), format!(" {}\n", "x".repeat(200)));
}

#[test]
fn each_part_of_a_line_has_its_kind() {
    use YamlSpanKind::{Key, Number, Punctuation, Text, Word};
    let object = object(json!({"metadata": {"name": "a"}, "spec": [{"a": 1, "t": "x", "w": null}, {}, "a\nb"]}));
    let lines = lines(&object, false, &[]);
    let of = |line: usize| lines[line].spans.iter().map(|span| (span.kind, &*span.text)).collect::<Vec<_>>();
    assert_eq!(of(1), [(Key, "name"), (Punctuation, ": "), (Text, "a")]);
    assert_eq!(of(2), [(Key, "spec"), (Punctuation, ":")]);
    assert_eq!(of(3), [(Punctuation, "- "), (Key, "a"), (Punctuation, ": "), (Number, "1")]);
    assert_eq!(of(5), [(Key, "w"), (Punctuation, ": "), (Word, "null")]);
    assert_eq!(of(6), [(Punctuation, "- "), (Punctuation, "{}")]);
    assert_eq!(of(7), [(Punctuation, "- "), (Punctuation, "|-")]);
    assert_eq!(of(8), [(Text, "a")]);
    assert_eq!(lines.iter().map(|line| line.indent).collect::<Vec<_>>(), [0, 2, 0, 0, 2, 2, 0, 0, 2, 2]);
}

#[test]
fn managed_fields_are_shown_when_they_are_asked_for() {
    let fields = json!([{"manager": "kubectl", "operation": "Update", "time": "2026-11-29T10:00:00Z"}]);
    let object = object(json!({"metadata": {"name": "a", "managedFields": fields}, "managedFields": 1}));
    let text = |managed_fields: bool| {
        lines(&object, managed_fields, &[]).iter().map(YamlLine::text).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(text(false), "managedFields: 1\nmetadata:\n  name: a");
    assert!(text(true).contains("\n  managedFields:\n  - manager: kubectl\n    operation: Update\n"), "{}", text(true));
    assert_eq!(yaml_text(&object, false), text(false) + "\n");
}

#[test]
fn a_secret_s_values_are_dots_until_they_are_revealed() {
    let applied = "kubectl.kubernetes.io/last-applied-configuration";
    let secret = object(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a", "annotations": {applied: "{\"data\":{\"text\":\"aGkK\"}}", "other": "seen"}},
        "data": {"binary": "/+8=", "broken": "%", "empty": "", "lines": "YQpi", "number": "MTI=", "one": "YQ=="},
        "stringData": {"plain": "hidden"},
        "type": "Opaque",
    }));
    let text =
        |revealed: &[&str]| lines(&secret, false, revealed).iter().map(YamlLine::text).collect::<Vec<_>>().join("\n");
    let dots = "\u{2022}".repeat(8);
    let masked = format!(
        "apiVersion: v1\ndata:\n  binary: {dots}  # 2 bytes\n  broken: {dots}  # 1 byte\n  empty: {dots}  # 0 bytes\n  \
         lines: {dots}  # 3 bytes\n  number: {dots}  # 2 bytes\n  one: {dots}  # 1 byte\nkind: Secret\nmetadata:\n  \
         annotations:\n    {applied}: {dots}  # 24 bytes\n    other: seen\n  name: a\nstringData:\n  plain: {dots}  # 6 \
         bytes\ntype: Opaque"
    );
    assert_eq!(text(&[]), masked);
    assert!(!format!("{:?}", lines(&secret, false, &[])).contains("aGkK"));
    for (key, shown) in [
        ("binary", "  binary: /+8="),
        ("broken", "  broken: '%'"),
        ("empty", "  empty: \"\""),
        ("lines", "  lines: |-\n    a\n    b"),
        ("number", "  number: \"12\""),
        ("plain", "  plain: hidden"),
        (applied, "    kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"text\":\"aGkK\"}}'"),
    ] {
        let others = text(&[key]).replace(shown, "");
        assert_eq!(others.matches(&dots).count(), 7, "{key}: {others}");
        assert!(text(&[key]).contains(shown), "{}", text(&[key]));
    }
    let keys: Vec<_> = lines(&secret, false, &["lines"]).into_iter().filter_map(|line| line.secret).collect();
    assert_eq!(
        keys.iter().map(|key| &**key).collect::<Vec<_>>(),
        ["binary", "broken", "empty", "lines", "number", "one", applied, "plain"]
    );
    assert!(yaml_text(&secret, false).contains("\n  lines: YQpi\n"));
}

#[test]
fn what_others_hold_at_a_secret_s_places_is_shown() {
    let map =
        object(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"b": "YQ=="}}));
    assert_eq!(lines(&map, false, &[])[2].text(), "  b: YQ==");
    assert!(lines(&map, false, &[]).iter().all(|line| line.secret.is_none()));
}

fn any_text() -> impl Strategy<Value = String> {
    let words =
        prop::sample::select(vec!["true", "1", "", "null", "2001-01-01", "*a", "a: b", "- a", "a #b", "0x1", "~"]);
    prop_oneof![
        words.prop_map(str::to_owned),
        "[a-c \n:#'\"-]{0,12}",
        "\\PC{0,20}",
        "(\\PC{1,8}[ \n\t]){1,30}",
        ".{0,8}"
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|number| Value::from(f64::from(number) / 8.0 + 0.125)),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let entries = prop::collection::vec((any_text(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            entries.prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// What is whole is an integer on the way back.
fn without_floats(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|it| it.trunc() == it && it.abs() < 9e15) => {
            json!(number.as_f64().unwrap() as i64)
        }
        Value::Array(items) => items.into_iter().map(without_floats).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, without_floats(value))).collect(),
        other => other,
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_as_the_same_value(it in any_value()) {
        let value = json!({"apiVersion": "v1", "kind": "It", "metadata": {"name": "a"}, "z": it});
        let written = object(value.clone());
        let unfolded = lines(&written, false, &[]).iter().map(|line| line.text() + "\n").collect::<String>();
        for text in [yaml_text(&written, false), unfolded] {
            let read: Value = serde_saphyr::from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(without_floats(read), without_floats(value.clone()), "{}", text);
        }
    }

    #[test]
    fn no_secret_s_value_is_in_what_is_masked(value in "[a-z]{9,20}") {
        let secret = object(json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"KEY": value}, "stringData": {"KEY": value},
        }));
        prop_assert!(lines(&secret, false, &[]).iter().all(|line| !line.text().contains(&value)));
    }
}
