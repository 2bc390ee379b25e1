//! Logs and commands in containers, where somebody runs pods.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use watchglass::api::{CreateOptions, ExecOptions, GetOptions, LogOptions, Patch, PatchOptions};
use watchglass::rest::{ExecClient, ExecOutput, LogClient};

use super::{Context, Server, failure, object, pod};

const GET: GetOptions = GetOptions { resource_version: String::new() };

/// A pod that runs: the real server's fake kubelet does it, and in memory the case itself says so.
async fn run(context: &Context, name: &str) {
    let mut pod = pod(name);
    pod.fields["spec"].as_object_mut().expect("a spec").remove("schedulerName");
    context.pods().create(&pod, &CreateOptions::default()).await.expect("it is created");
    if context.server == Server::InMemory {
        let running = json!({ "status": {
            "phase": "Running",
            "containerStatuses": [{ "name": "app", "ready": true, "state": { "running": {} } }],
        } });
        let status = context.pods().subresource("status");
        status.patch(name, &Patch::Merge(running), &PatchOptions::default()).await.expect("it runs");
    }
    let is_running = async || {
        let pod = context.pods().get(name, &GET).await.expect("it is there");
        pod.str_at(&["status", "phase"]) == Some("Running")
    };
    context.until(is_running).await;
}

async fn lines(context: &Context, options: LogOptions) -> Vec<String> {
    let lines = LogClient::for_config(&context.config).lines(&context.namespace, "web", &options).await;
    lines.expect("there is a log").map(|line| line.expect("the log goes on")).collect().await
}

pub async fn tell_the_end_of_their_logs(context: Context) {
    run(&context, "web").await;
    let all = lines(&context, LogOptions::default()).await;
    assert!(all.len() >= 2, "{all:?}");
    for count in [0, 1, 2] {
        let options = LogOptions { tail_lines: Some(count), ..LogOptions::default() };
        let tail = lines(&context, options).await;
        assert_eq!(tail, all[all.len() - count as usize..], "{count}");
    }
    let options = LogOptions { container: "app".into(), ..LogOptions::default() };
    assert_eq!(lines(&context, options).await, all);
}

pub async fn tell_their_logs_as_long_as_somebody_listens(context: Context) {
    run(&context, "web").await;
    let all = lines(&context, LogOptions::default()).await;
    let options = LogOptions { follow: true, ..LogOptions::default() };
    let client = LogClient::for_config(&context.config);
    let mut followed = client.lines(&context.namespace, "web", &options).await.expect("there is a log");
    for expected in &all {
        assert_eq!(followed.next().await.expect("the log goes on").as_ref(), Ok(expected));
    }
    let runtime = &context.config.runtime;
    let quiet = runtime.timeout_at(runtime.now() + Duration::from_millis(300), followed.next()).await;
    assert!(quiet.is_none(), "it waits for more: {quiet:?}");
}

pub async fn have_no_logs_before_they_run(context: Context) {
    let client = LogClient::for_config(&context.config);
    let log = async || client.lines(&context.namespace, "web", &LogOptions::default()).await.map(|_| ());
    let expected = json!({
        "status": "Failure", "code": 404, "reason": "NotFound", "message": "pods \"web\" not found",
        "details": { "name": "web", "kind": "pods" },
    });
    assert_eq!(failure(log().await), expected);
    context.pods().create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    // On no node: nobody has a log of it, and none is empty.
    assert_eq!(lines(&context, LogOptions::default()).await, [""; 0]);
}

pub async fn must_be_named_when_there_are_several(context: Context) {
    let two = object(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web" },
        "spec": { "schedulerName": "nobody", "containers": [
            { "name": "app", "image": "registry.example/app:1" }, { "name": "side", "image": "registry.example/side:1" },
        ] },
    }));
    context.pods().create(&two, &CreateOptions::default()).await.expect("it is created");
    let client = LogClient::for_config(&context.config);
    let log = async |container: &str| {
        let options = LogOptions { container: container.into(), ..LogOptions::default() };
        failure(client.lines(&context.namespace, "web", &options).await.map(|_| ()))
    };
    let answer = log("").await;
    assert_eq!(answer["code"], 400);
    assert_eq!(answer["message"], "a container name must be specified for pod web, choose one of: [app side]");
    assert_eq!(log("none").await["message"], "container none is not valid for pod web");
}

async fn say(context: &Context, command: &[&str]) -> (String, String, u8) {
    let options = ExecOptions::new(command.iter().copied());
    let exec = ExecClient::for_config(&context.config);
    let mut execution = exec.exec(&context.namespace, "web", &options).await.expect("it starts");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    while let Some(output) = execution.next().await {
        match output.expect("it goes on") {
            ExecOutput::Stdout(bytes) => out.extend_from_slice(&bytes),
            ExecOutput::Stderr(bytes) => err.extend_from_slice(&bytes),
            ExecOutput::Exit(code) => return (text(out), text(err), code),
        }
    }
    panic!("the command does not tell its end");
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

pub async fn run_commands(context: Context) {
    run(&context, "web").await;
    let answer = say(&context, &["echo", "hello"]).await;
    assert_eq!(answer, ("hello\n".into(), String::new(), 0));
}
