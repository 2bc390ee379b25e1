use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use watchglass::rest::Config;
use watchglass::rest::discovery::{CachedDiscoveryClient, DiscoveryClient, ServerResources};
use watchglass::runtime::{Request, Response, Transport, TransportError};
use watchglass::testing::Sandbox;

/// Groups with their versions and their resources, each as `pods Pod`, `nodes Node cluster`; `v1!` is stale.
pub type Groups<'a> = &'a [(&'a str, &'a [(&'a str, &'a [&'a str])])];

pub const JSON: &str = "application/json";
pub const V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

#[derive(Clone)]
pub struct Answer {
    code: u16,
    content_type: &'static str,
    etag: Option<&'static str>,
    body: String,
}

impl Answer {
    pub fn json(body: Value) -> Self {
        Self { code: 200, content_type: JSON, etag: None, body: body.to_string() }
    }

    pub fn status(code: u16) -> Self {
        let reason = match code {
            403 => "Forbidden",
            404 => "NotFound",
            503 => "ServiceUnavailable",
            _ => "InternalError",
        };
        let body = json!({ "kind": "Status", "code": code, "reason": reason, "message": format!("answered {code}") });
        Self { code, ..Self::json(body) }
    }

    pub fn of_type(self, content_type: &'static str) -> Self {
        Self { content_type, ..self }
    }

    pub fn with_etag(self, etag: &'static str) -> Self {
        Self { etag: Some(etag), ..self }
    }
}

/// A server that says what it was told to say; what it was not told is not found.
#[derive(Clone, Default)]
pub struct DiscoveryServer {
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    /// The last answer of a path stays.
    answers: RefCell<BTreeMap<String, VecDeque<Answer>>>,
    refuses_connections: RefCell<bool>,
    /// Of the requests that wait for an answer, while the server is silent.
    waiting: RefCell<Option<Vec<oneshot::Sender<()>>>>,
    asked: RefCell<Vec<Request>>,
}

impl DiscoveryServer {
    /// In the aggregated form; the core group, which has no name, at `/api`.
    pub fn aggregated(groups: Groups) -> Self {
        let server = Self::default();
        server.serve_aggregated(groups);
        server
    }

    pub fn serve_aggregated(&self, groups: Groups) {
        for (path, is_core) in [("api", true), ("apis", false)] {
            let groups: Vec<_> = groups.iter().filter(|(name, _)| name.is_empty() == is_core).copied().collect();
            self.answer(path, Answer::json(aggregated(&groups)).of_type(V2));
        }
    }

    pub fn legacy(groups: Groups) -> Self {
        let server = Self::default();
        server.serve_legacy(groups);
        server
    }

    pub fn serve_legacy(&self, groups: Groups) {
        let named: Vec<Value> = groups.iter().filter(|(name, _)| !name.is_empty()).map(legacy_group).collect();
        let core = groups.iter().filter(|(name, _)| name.is_empty()).flat_map(|(_, versions)| *versions);
        let core: Vec<_> = core.map(|(version, _)| *version).collect();
        self.answer("api", Answer::json(json!({ "kind": "APIVersions", "versions": core })));
        self.answer("apis", Answer::json(json!({ "kind": "APIGroupList", "groups": named })));
        for (group, versions) in groups {
            for (version, resources) in *versions {
                let (path, group_version) = match *group {
                    "" => (format!("api/{version}"), (*version).to_owned()),
                    group => (format!("apis/{group}/{version}"), format!("{group}/{version}")),
                };
                let resources: Vec<Value> = resources.iter().map(|resource| legacy_resource(resource)).collect();
                let list = json!({ "kind": "APIResourceList", "groupVersion": group_version, "resources": resources });
                self.answer(&path, Answer::json(list));
            }
        }
    }

    /// Answers so from now on.
    pub fn answer(&self, path: &str, answer: Answer) {
        self.answer_in_turn(path, [answer]);
    }

    pub fn answer_in_turn(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        self.state.answers.borrow_mut().insert(path.into(), answers.into_iter().collect());
    }

    pub fn refuse_connections(&self, refuse: bool) {
        self.state.refuses_connections.replace(refuse);
    }

    /// Answers no more, until it is told to answer again.
    pub fn silence(&self, silent: bool) {
        // Who waits hears of it by the drop.
        self.state.waiting.replace(silent.then(Vec::new));
    }

    /// The paths that were asked for since the last call.
    pub fn asked(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.path).collect()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.asked.take()
    }

    pub fn config(&self, sandbox: &Sandbox) -> Config {
        Config::new(&sandbox.runtime(), Rc::new(self.clone()))
    }

    pub fn client(&self, sandbox: &Sandbox) -> DiscoveryClient {
        DiscoveryClient::for_config(&self.config(sandbox))
    }

    pub fn cached(&self, sandbox: &Sandbox) -> CachedDiscoveryClient {
        CachedDiscoveryClient::new(self.client(sandbox))
    }
}

impl Transport for DiscoveryServer {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let header = |name: &str| request.headers.iter().find(|(known, _)| *known == name).map(|(_, it)| it.clone());
        let known = header("if-none-match");
        self.state.asked.borrow_mut().push(request);
        let state = self.state.clone();
        let wait = self.state.waiting.borrow_mut().as_mut().map(|waiting| {
            let (sender, receiver) = oneshot::channel();
            waiting.push(sender);
            receiver
        });
        async move {
            if let Some(wait) = wait {
                let _ = wait.await;
            }
            match *state.refuses_connections.borrow() {
                true => Err(TransportError("connection refused".into())),
                false => Ok(state.next(&path, known.as_deref())),
            }
        }
        .boxed_local()
    }
}

impl State {
    fn next(&self, path: &str, known: Option<&str>) -> Response {
        let mut answers = self.answers.borrow_mut();
        let answer = match answers.get_mut(path) {
            Some(answers) if answers.len() > 1 => answers.pop_front(),
            Some(answers) => answers.front().cloned(),
            None => None,
        };
        let mut answer = answer.unwrap_or_else(|| Answer::status(404));
        if answer.etag.is_some() && answer.etag == known {
            answer = Answer { code: 304, body: String::new(), ..answer };
        }
        let mut headers = vec![("content-type".to_owned(), answer.content_type.to_owned())];
        headers.extend(answer.etag.map(|etag| ("etag".to_owned(), etag.to_owned())));
        let body = futures::stream::iter([Ok(answer.body.into())]).boxed_local();
        Response { status: answer.code, headers, body }
    }
}

/// `pods Pod`: name and kind; `cluster`: not in a namespace; `-po`: short name; `@all`: category.
fn parts(resource: &str) -> (&str, &str, bool, Vec<&str>, Vec<&str>) {
    let mut words = resource.split(' ');
    let (name, kind) = (words.next().expect("a name"), words.next().expect("a kind"));
    let rest: Vec<_> = words.collect();
    let marked = |mark: char| rest.iter().filter_map(|word| word.strip_prefix(mark)).collect::<Vec<_>>();
    (name, kind, !rest.contains(&"cluster"), marked('-'), marked('@'))
}

pub fn aggregated(groups: Groups) -> Value {
    let resource = |resource: &&str| {
        let (name, kind, namespaced, short_names, categories) = parts(resource);
        json!({
            "resource": name, "responseKind": { "group": "", "version": "", "kind": kind }, "verbs": ["get", "list"],
            "scope": if namespaced { "Namespaced" } else { "Cluster" }, "shortNames": short_names,
            "categories": categories,
        })
    };
    let version = |(version, resources): &(&str, &[&str])| {
        json!({
            "version": version.trim_end_matches('!'),
            "freshness": if version.ends_with('!') { "Stale" } else { "Current" },
            "resources": resources.iter().map(resource).collect::<Vec<_>>(),
        })
    };
    let group = |(name, versions): &(&str, &[(&str, &[&str])])| json!({ "metadata": { "name": name }, "versions": versions.iter().map(version).collect::<Vec<_>>() });
    json!({ "kind": "APIGroupDiscoveryList", "items": groups.iter().map(group).collect::<Vec<_>>() })
}

fn legacy_group((name, versions): &(&str, &[(&str, &[&str])])) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|(version, _)| json!({ "groupVersion": format!("{name}/{version}"), "version": version }))
        .collect();
    json!({ "name": name, "preferredVersion": versions.first(), "versions": versions })
}

fn legacy_resource(resource: &str) -> Value {
    let (name, kind, namespaced, short_names, categories) = parts(resource);
    json!({
        "name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"],
        "shortNames": short_names, "categories": categories,
    })
}

/// `apps/v1 deployments`, each resource that is there.
pub fn names(served: &ServerResources) -> Vec<String> {
    let lists = served.resources.iter();
    lists.flat_map(|(version, list)| list.resources.iter().map(move |it| format!("{version} {}", it.name))).collect()
}

/// The versions that failed, with the reasons.
pub fn failures(served: &ServerResources) -> Vec<String> {
    served.failed.iter().map(|(version, error)| format!("{version}: {error}")).collect()
}
