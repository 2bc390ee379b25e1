use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::api::Object;
use crate::view::columns::{NAMESPACES, PODS};

fn now() -> Timestamp {
    "2026-11-29T12:00:00Z".parse().unwrap()
}

/// A pod that is not ready, with `restartCount` 4, made an hour before now.
fn pod() -> Object {
    let created = now().saturating_sub(SignedDuration::from_hours(1)).unwrap().to_string();
    let container = |name: &str, image: &str| json!({ "name": name, "image": image });
    let waits = json!({ "reason": "CrashLoopBackOff" });
    let statuses = json!([{ "ready": false, "restartCount": 4, "state": { "waiting": waits } }]);
    read(json!({
        "metadata": {
            "name": "wéb-0",
            "namespace": "shop",
            "creationTimestamp": created,
            "labels": { "app": "Web", "app.kubernetes.io/name": "shop", "empty": "" },
            "annotations": { "team": "red" },
        },
        "spec": {
            "priority": 7,
            "hostNetwork": true,
            "nodeName": "worker-12",
            "initContainers": [container("init", "busybox:1.36")],
            "containers": [container("web", "nginx:1.25"), container("log", "docker.io/fluent/fluentd")],
        },
        "status": { "phase": "Running", "podIP": "10.0.0.7", "containerStatuses": statuses },
    }))
}

fn read(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

fn matches_pod(query: &Query, pod: &Object) -> bool {
    let row = PODS.row(pod);
    query.matches(&Subject { resource: &PODS, row: &row, object: pod, hidden: 0, now: now() })
}

/// Each query is in no error, and matches the pod or not.
fn assert_matches(cases: &[(&str, bool)]) {
    for (text, matches) in cases {
        let query = Query::parse(text);
        assert_eq!(query.check(&PODS), [], "{text}");
        assert_eq!(matches_pod(&query, &pod()), *matches, "{text}");
    }
}

#[test]
fn every_word_must_occur_in_some_cell_whatever_its_case() {
    assert_matches(&[
        ("", true),
        ("  ", true),
        ("shop", true),
        ("SHO crashloop", true),
        ("backoff shop wéb", true),
        ("WÉB", true),
        ("0/2", true),
        ("shop web", false),
        ("shopw", false),
        ("a-word-longer-than-any-of-the-cells-of-this-row", false),
        ("\"shop\"", true),
        ("\"shop wéb\"", false),
        ("10.0.0", true),
        ("<none>", true),
    ]);
    assert!(Query::parse(" \t").is_empty());
}

#[test]
fn expressions_are_looked_for_in_each_cell() {
    assert_matches(&[
        ("/^w.+-[0-9]$/", true),
        ("/CRASH/", true),
        ("/^0$/", false),
        ("/^(shop|bank)$/ /loop/", true),
        ("/shop wéb/", false),
        ("/\\//", true),
        ("!/^bank/", true),
    ]);
}

#[test]
fn a_term_after_a_sign_must_not_match() {
    assert_matches(&[
        ("!bank", true),
        ("!shop", false),
        ("!!shop", true),
        ("!\"crash loop\"", true),
        ("!status:CrashLoopBackOff", false),
        ("!ns!=shop", true),
        ("!-f zz", true),
        ("!ready", true),
        ("!READY shop", true),
        ("!!ready", false),
        ("!\"ready\"", true),
        ("ready", false),
    ]);
}

#[test]
fn what_is_not_ready_shows_in_the_ready_or_the_status_column() {
    let object = read(json!({ "metadata": { "name": "a" }, "status": { "phase": "Active" } }));
    let row = NAMESPACES.row(&object);
    let subject = Subject { resource: &NAMESPACES, row: &row, object: &object, hidden: 0, now: now() };
    assert!(Query::parse("!ready").matches(&subject), "no namespace says that it is ready");
    assert_eq!(Query::parse("!ready").check(&NAMESPACES), []);
}

#[test]
fn fields_are_columns_by_any_spelling_of_their_names() {
    assert_matches(&[
        ("status:crash", true),
        ("STATUS:CrashLoopBackOff", true),
        ("status:Crash*", true),
        ("status:Crash?", false),
        ("status~rash*", false),
        ("status=crashloopbackoff", true),
        ("status=crash", false),
        ("status!=Running", true),
        ("status!~loop", false),
        ("node:worker-*", true),
        ("node:\"worker-*\"", false),
        ("ns:(bank|shop)", true),
        ("ns:( bank | sh* )", true),
        ("ns!=(bank|shop)", false),
        ("ns=(bank|\"shop\")", true),
        ("namespace:ban", false),
        ("name:/^w.b-[0-9]$/", true),
        ("ip=10.0.0.7", true),
        ("node=\"\"", false),
        ("node!=\"\"", true),
        ("-f wb0", true),
        ("-f \"w0\" shop", true),
        ("-f 0w", false),
    ]);
}

#[test]
fn values_are_compared_by_what_they_mean() {
    assert_matches(&[
        ("restarts>3", true),
        ("restarts>4", false),
        ("restarts>=4 restarts<=4", true),
        ("restarts<10", true),
        ("ready<1", true),
        ("age>59m age<61m", true),
        ("age<10m", false),
        ("age>=1h age<=1h", true),
        ("age<2d3h", true),
        ("!age>1d", true),
        ("status>3", false),
        (".spec.priority>6", true),
        (".spec.priority<500m", false),
    ]);
    assert!(!Query::parse("restarts>3").is_timed() && Query::parse("a !age<1m").is_timed());
}

#[test]
fn objects_are_read_for_labels_paths_and_images() {
    let cases = [
        ("-l app=Web,tier!=db", true),
        ("-l app=web", false),
        ("-l \"app in (Web, db)\" shop", true),
        ("-l !tier", true),
        ("label.app=web", true),
        ("label.app", true),
        ("label.tier", false),
        ("!label.tier", true),
        ("label.app!=db", true),
        ("label.tier!=db", true),
        ("label.app:w*", true),
        ("label.tier:*", false),
        ("label.app.kubernetes.io/name=shop", true),
        ("label.empty=\"\" label.tier=\"\"", true),
        ("annotation.team=(red|blue)", true),
        ("annotation.team~lu", false),
        (".spec.nodeName=worker-12", true),
        (".status.phase:Run*", true),
        (".spec.hostNetwork=true", true),
        (".spec.containers.image:nginx", true),
        (".spec.containers[*].name=log", true),
        (".spec.containers[0].name=log", false),
        (".spec.containers[1].name=log", true),
        (".metadata.labels.app\\.kubernetes\\.io/name=shop", true),
        (".spec.absent=\"\"", true),
        (".spec.absent!=\"\"", false),
        (".spec=\"\"", true),
        ("image~fluentd image:nginx:1.25", true),
        ("image:busybox*", true),
        ("image=nginx", false),
    ];
    assert_matches(&cases);
    for (text, _) in cases {
        assert!(Query::parse(text).reads_objects(), "{text}");
    }
    assert!(!Query::parse("a node:b restarts>3 !ready -f c kind:pod").reads_objects());
    let template = json!({ "spec": { "containers": [{ "image": "nginx" }] } });
    let deployment = read(json!({ "metadata": { "name": "web" }, "spec": { "template": template } }));
    assert!(matches_pod(&Query::parse("image=nginx"), &deployment));
}

#[test]
fn kinds_are_given_out_and_let_every_row_through() {
    for (text, kinds) in [
        ("kind:pod,deploy web", &["pod", "deploy"][..]),
        ("KIND=(Pod|svc) kind:ds", &["pod", "svc", "ds"]),
        ("pod", &[]),
    ] {
        let query = Query::parse(text);
        assert!(query.kinds().iter().map(|kind| &kind.name).eq(kinds) && query.errors().is_empty(), "{text}");
    }
    assert!(Query::parse("kind:pod").is_empty() && matches_pod(&Query::parse("kind:node"), &pod()));
}

#[test]
fn an_error_is_told_with_its_place_and_lets_every_row_through() {
    for (text, place, message) in [
        ("shop /a(b/", "a(b", "regular expression"),
        ("/cra shop", "/cra", "no / at its end"),
        ("/", "/", "no / at its end"),
        ("shop \"crash lo", "\"crash lo", "quote is missing"),
        ("\"\" shop", "\"\"", "nothing between the quotes"),
        ("shop ! wéb", "!", "missing after !"),
        ("wéb -f", "-f", "missing after -f"),
        ("-l", "-l", "missing after -l"),
        ("wéb -l app=!x shop", "app=!x", "label selector"),
        ("status: shop", ":", "value is missing"),
        ("restarts>=", "=", "value is missing"),
        ("restarts>many", "many", "number, a quantity or a duration"),
        ("age<10", "10", "duration"),
        ("age<old", "old", "duration"),
        ("age:5m", "5m", "compare it"),
        ("ns:(a|b", "(a|b", ") is missing"),
        ("ns:(a|)", "(a|)", "alternatives is empty"),
        ("name:/[/", "[", "regular expression"),
        ("!kind:pod", "pod", "cannot be excluded"),
        ("kind:", ":", "kind is missing"),
        ("!kind:", ":", "kind is missing"),
        ("kind>pod", "pod", "cannot be excluded"),
        ("wéb nginx:1.25", "nginx", "no column nginx"),
        ("!colour=red", "colour", "no column colour"),
    ] {
        let query = Query::parse(text);
        let errors = query.check(&PODS);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert_eq!(&text[errors[0].at.clone()], place, "{text}");
        assert!(errors[0].message.contains(message), "{text}: {}", errors[0].message);
        assert!(matches_pod(&query, &pod()), "{text}");
    }
    let errors = Query::parse("x:1 age:5 y:2 -l").check(&PODS);
    assert_eq!(errors.iter().map(|it| it.at.clone()).collect::<Vec<_>>(), [0..1, 8..9, 10..11, 14..16]);
}

#[test]
fn terms_stand_where_they_were_written_and_can_be_taken_away() {
    let text = " wéb  -l \"app in (a)\" /x y/ !ns:( a | b ) \"open";
    let query = Query::parse(text);
    let terms = query.terms();
    let texts: Vec<_> = terms.iter().map(|it| it.text).collect();
    assert_eq!(texts, ["wéb", "-l \"app in (a)\"", "/x y/", "!ns:( a | b )", "\"open"]);
    assert!(terms.iter().all(|it| &text[it.range.clone()] == it.text));
    assert_eq!(query.without(&terms[2].range).text(), "wéb  -l \"app in (a)\" !ns:( a | b ) \"open");
    assert_eq!(query.without(&terms[0].range).terms().len(), 4);
    assert_eq!(Query::parse("wéb").without(&(0..4)), Query::default());
}

#[test]
fn typing_on_narrows() {
    let narrows = |new: &str, old: &str| Query::parse(new).narrows(&Query::parse(old));
    for (new, old) in [
        ("w", ""),
        ("we", "w"),
        ("shop web", "we"),
        ("web-web", "web"),
        ("\"we b\"", "we"),
        ("!a b", "!a"),
        ("ns:a b", "ns:a"),
        ("b /x/", "/x/"),
        ("age<1m", ""),
        ("-l a=b c", "-l a=b"),
        ("a", "a -l"),
        ("a", "a kind:pod"),
    ] {
        assert!(narrows(new, old), "{new:?} after {old:?}");
    }
    for (new, old) in [
        ("", "w"),
        ("w", "we"),
        ("shop", "web"),
        ("!web", "!we"),
        ("!we", "!web"),
        ("!web", "web"),
        ("status:", "status"),
        ("/we/", "we x"),
        ("ns:ab", "ns:a"),
        ("age<1m b", "age<1m"),
        ("web -l", "web x"),
        ("name:web", "web"),
        ("restarts>10", "restarts>1"),
    ] {
        assert!(!narrows(new, old), "{new:?} after {old:?}");
    }
}

/// Whatever is typed, nothing panics, and terms and errors are in the text.
#[test]
fn any_text_is_a_query() {
    let parts = [
        "!", "/", "\"", "(", ")", "|", ":", "=", "~", ">", "<", " ", "-f", "-l", "a", "é", "label.", ".a", "age", "\\",
        "[", "*", "kind",
    ];
    let pod = read(json!({ "metadata": { "name": "a" } }));
    let mut seed = 7_u64;
    for _ in 0..5_000 {
        let mut text = String::new();
        for _ in 0..8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(parts[(seed >> 33) as usize % parts.len()]);
        }
        let query = Query::parse(&text);
        matches_pod(&query, &pod);
        assert!(
            query.check(&PODS).iter().all(|error| text.get(error.at.clone()).is_some_and(|it| !it.is_empty())),
            "{text}"
        );
        let left: String = query.terms().iter().map(|it| it.text).collect();
        assert_eq!(left.replace(' ', ""), text.replace(' ', ""));
        for term in query.terms() {
            assert_eq!(
                query.without(&term.range).terms().len(),
                query.terms().len() - 1,
                "{text} without {}",
                term.text
            );
        }
    }
}
