//! What `kubectl proxy` lets the pages of other origins do, and what it does not: the README's section on security.

use futures::StreamExt as _;
use tokio_tungstenite::tungstenite::{self, client::IntoClientRequest as _, http::HeaderValue};
use watchglass::runtime::native::HttpTransport;
use watchglass::runtime::{Method, Request, Transport as _};

use crate::UNBROKEN;
use crate::cluster::cluster;
use crate::kubectl_proxy::KubectlProxy;
use crate::scene::{Scene, run, whole};

type Opened = Result<String, tungstenite::Error>;

const FOREIGN: [(&str, &str); 1] = [("origin", "https://elsewhere.example")];

/// The first message of a watch by a WebSocket, as a page's script would open it.
async fn first_message(port: u16, path: &str, headers: &[(&'static str, &str)]) -> Opened {
    let mut request = format!("ws://127.0.0.1:{port}/{path}").into_client_request()?;
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).expect("a header"));
    }
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    Ok(socket.next().await.expect("a message")?.into_text()?.to_string())
}

fn status(opened: Opened) -> Option<u16> {
    match opened {
        Err(tungstenite::Error::Http(response)) => Some(response.status().as_u16()),
        _ => None,
    }
}

/// kubernetes-sigs/headlamp#6796, kubernetes-sigs/kueue#12531: Host is looked at, Origin is not, and WebSockets know
/// no same-origin policy.
#[test]
fn a_page_of_any_origin_may_watch_through_kubectl_proxy_by_a_web_socket() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("origin").await;
        scene.create_config_map("private").await;
        let proxy = KubectlProxy::start(scene.cluster, &["--reject-methods=POST,PUT,PATCH,DELETE"]);
        let watch = format!("{}?watch=true&fieldSelector=metadata.name=private", scene.config_maps());
        let message = first_message(proxy.port, &watch, &FOREIGN).await.expect("it is accepted");
        assert!(message.contains(r#""name":"private""#), "{message}");

        let rebound = [FOREIGN[0], ("host", "elsewhere.example")];
        assert_eq!(status(first_message(proxy.port, &watch, &rebound).await), Some(403), "Host is looked at");
        let opaque = [("origin", "null")];
        assert_eq!(status(first_message(proxy.port, &watch, &opaque).await), Some(403), "a file or a sandboxed frame");
        // By kubectl's own list of paths; what passes it the API server answers, that there is no such pod.
        for (subresource, expected) in [("exec?command=id", 403), ("attach", 403), ("portforward?ports=80", 404)] {
            let path = format!("{}/absent/{subresource}", scene.path("", "v1", "pods"));
            assert_eq!(status(first_message(proxy.port, &path, &FOREIGN).await), Some(expected), "{path}");
        }
    });
}

#[test]
fn reject_paths_of_the_readme_refuses_all_streams_into_pods() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let readme = std::fs::read_to_string("README.md").expect("it is there");
        let paths = readme.split('`').find(|text| text.starts_with("--reject-paths=")).expect("the README names them");
        let proxy = KubectlProxy::start(cluster(), &[&paths.replace('\'', "")]);
        for subresource in ["exec?command=id", "attach", "portforward?ports=80"] {
            let path = format!("api/v1/namespaces/default/pods/absent/{subresource}");
            assert_eq!(status(first_message(proxy.port, &path, &FOREIGN).await), Some(403), "{path}");
        }
        let watch = "api/v1/namespaces/default/configmaps?watch=true";
        assert!(first_message(proxy.port, watch, &FOREIGN).await.expect("it is accepted").contains("kube-root-ca.crt"));
    });
}

/// A page may send a body of no type to another origin without asking first, and the API server takes it for JSON.
#[test]
fn a_page_of_any_origin_may_create_objects_through_kubectl_proxy_unless_the_method_is_rejected() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("post").await;
        for (name, arguments, expected) in
            [("created", &[][..], 201), ("refused", &["--reject-methods=POST,PUT,PATCH,DELETE"][..], 403)]
        {
            let proxy = KubectlProxy::start(scene.cluster, arguments);
            let transport = HttpTransport::new(&format!("http://127.0.0.1:{}/", proxy.port)).expect("a client");
            let body = serde_json::json!({ "metadata": { "name": name } }).to_string();
            let request = Request::get(scene.config_maps().to_string()).with_header("origin", FOREIGN[0].1);
            let request = Request { method: Method::Post, body: Some(body.into()), ..request };
            assert_eq!(transport.send(request).await.expect("an answer").status, expected, "{arguments:?}");
        }
    });
}

#[test]
fn reject_methods_leaves_reading_and_refuses_every_writing_verb() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let cluster = cluster();
        for methods in ["POST,PUT,PATCH,DELETE", "POST|PUT|PATCH|DELETE"] {
            let proxy = KubectlProxy::start(cluster, &[&format!("--reject-methods={methods}")]);
            let transport = HttpTransport::new(&format!("http://127.0.0.1:{}/", proxy.port)).expect("a client");
            for method in [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete] {
                // A name that is nowhere: a verb that came through would be answered by the API server.
                let path = "api/v1/namespaces/default/configmaps/absent".to_owned();
                let request = Request { method, path, ..Request::default() };
                let answer = transport.send(request).await.expect("an answer");
                let (status, text) = (answer.status, whole(answer.body).await);
                match method {
                    Method::Get => assert_eq!(status, 404),
                    _ => assert_eq!((status, &*text), (403, &b"Forbidden\n"[..]), "{method:?} with {methods}"),
                }
            }
        }
    });
}
