//! What an answer that is no success comes to.

use serde_json::json;
use watchglass::api::{CreateOptions, Error, GetOptions, ListOptions, Manifest};
use watchglass::runtime::Request;

use super::scripted::{Scripted, Step, answer, fails, json, pod, pods};

fn get(step: Step) -> Error {
    let server = Scripted::new([step]);
    server.block_on(server.client().get(&pods().named("web"), &GetOptions::default())).expect_err("it failed")
}

fn put_or_post(step: Step, is_post: bool) -> Error {
    let server = Scripted::new([step]);
    let (client, object): (_, Manifest) = (server.client(), serde_json::from_value(pod()).expect("it is one"));
    let options = CreateOptions::default();
    let result = if is_post {
        server.block_on(client.create(&pods(), &object, &options))
    } else {
        server.block_on(client.update(&pods().named("web"), &object, &options))
    };
    result.expect_err("it failed")
}

/// client-go: `TestTransformResponse`, `TestTransformResponseNegotiate`, `TestDoRequestFailed`,
/// `TestDoRawRequestFailed`, `TestBadRequest`.
#[test]
fn a_code_without_a_status_makes_an_error_of_its_class() {
    type Is = fn(&Error) -> bool;
    let cases: [(u16, Is); 13] = [
        (400, Error::is_bad_request),
        (401, Error::is_unauthorized),
        (403, Error::is_forbidden),
        (404, Error::is_not_found),
        (405, Error::is_method_not_supported),
        (406, Error::is_not_acceptable),
        (409, Error::is_conflict),
        (410, Error::is_gone),
        (413, Error::is_request_entity_too_large),
        (415, Error::is_unsupported_media_type),
        (422, Error::is_invalid),
        (429, Error::is_too_many_requests),
        (500, Error::is_internal_error),
    ];
    for (code, is) in cases {
        for (content_type, body) in
            [("application/json", "aaaaa"), ("text/any", "aaaaa"), ("application/,others", "{}"), ("", "")]
        {
            let error = get(answer(code).header("content-type", content_type).body(body));
            assert!(is(&error) && error.is_unexpected_server_error(), "{code} {content_type}: {error:?}");
            assert_eq!(error.status().map(|status| status.code), Some(code));
            assert!(error.to_string().starts_with("api/v1/namespaces/shop/pods/web answered"), "{error}");
        }
    }
    let odd = get(answer(199));
    assert_eq!(odd.status().map(|status| status.code), Some(199));
}

/// client-go: `TestTransformUnstructuredError`.
#[test]
fn a_status_in_the_body_says_more_than_the_code_and_a_conflict_of_a_creation_is_another_one() {
    assert!(put_or_post(answer(409), true).is_already_exists());
    let conflict = put_or_post(answer(409), false);
    assert!(conflict.is_conflict() && !conflict.is_already_exists());
    let status = |kind: &str, status: &str| json!({ "kind": kind, "apiVersion": "v1", "status": status, "code": 404 });
    for (body, overrides) in [
        (status("Status", "Failure"), true),
        (json!({ "kind": "Status", "status": "Failure", "code": 404 }), true),
        (status("Status", "Success"), false),
        (status("Other", "Failure"), false),
        (json!({ "status": "Failure", "code": 404 }), false),
        (json!({}), false),
    ] {
        let error = get(json(400, &body));
        assert_eq!((error.is_not_found(), error.is_bad_request()), (overrides, !overrides), "{body}");
    }
    let without_code = get(json(404, &json!({ "kind": "Status", "status": "Failure", "message": "gone" })));
    assert!(without_code.is_not_found());
    assert_eq!(without_code.to_string(), "gone");
}

#[test]
fn a_status_s_details_are_kept() {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Conflict", "code": 409, "message": "m",
        "details": { "name": "web", "kind": "pods", "uid": "u1", "causes": [{ "reason": "FieldManagerConflict" }] },
    });
    let error = get(json(409, &body));
    assert_eq!(error.status().unwrap().details.as_ref().unwrap().uid, "u1");
    assert!(error.has_status_cause("FieldManagerConflict") && !error.has_status_cause("Other"));
}

#[test]
fn a_failure_in_an_answer_that_claims_success_is_a_failure() {
    let status =
        json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404 });
    assert!(get(json(200, &status)).is_not_found());
    let success = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success" });
    let server = Scripted::new([json(200, &success)]);
    let got = server.block_on(server.client().get(&pods().named("web"), &GetOptions::default()));
    assert_eq!(got.map(|status| status.kind), Ok("Status".into()));
}

/// client-go: `TestTruncateBody`.
#[test]
fn a_text_is_kept_up_to_its_2048th_byte_and_no_query_is_shown() {
    let page = "é".repeat(5000);
    let server = Scripted::new([answer(403).header("content-type", "text/html").body(page.clone())]);
    let request = Request::get("api/v1/pods?token=secret&continue=c");
    let error = server.block_on(server.client().raw(request)).expect_err("it is refused");
    assert!(error.is_forbidden());
    let text = error.to_string();
    assert!(!text.contains("secret") && !text.contains('?'), "{text}");
    let kept = &error.status().unwrap().details.as_ref().unwrap().causes[0].message;
    assert_eq!(*kept, page[..2048]);

    let server = Scripted::new([fails("refused"), answer(200).body("<html>")]);
    let options = ListOptions { r#continue: "secret".into(), ..ListOptions::default() };
    for _ in 0..2 {
        let error = server.block_on(server.client().list(&pods(), &options, &|_| {})).expect_err("no list");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
