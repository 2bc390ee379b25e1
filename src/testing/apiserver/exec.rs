//! Commands in containers: a shell of three commands, over the channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`.
//!
//! `echo` says its arguments, `cat` says what comes in until that is closed, `exit 3` by itself or behind `sh -c` ends
//! with a status. The node's side is missing, and with it everything else that a container could run.

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::{Value, json};

use super::ApiServer;
use super::log::container_of;
use super::query::Query;
use super::refusal::{self, Refusal};
use super::routes::Target;

pub(super) const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STATUS: u8 = 3;
/// Of `v5`: closes the channel that the next byte names.
const CLOSE: u8 = 255;

/// A command that runs.
pub(super) struct Exec {
    command: Vec<String>,
    has_stdin: bool,
    has_stdout: bool,
    /// Whether a channel can be closed.
    closes: bool,
    has_ended: bool,
}

/// Checks what is asked for, up to the change of protocols.
///
/// # Errors
/// 404 without the pod, 400 without the container or a node.
pub(super) fn check(server: &ApiServer, target: &Target, query: &Query) -> Result<(), Refusal> {
    let pod = server.pod(target.namespace.as_deref().unwrap_or_default(), target.name())?;
    container_of(&pod, query.text("container"))?;
    if pod.str_at(&["spec", "nodeName"]).is_none_or(str::is_empty) {
        return Err(refusal::plain(400, format!("pod {} does not have a host assigned", pod.name())));
    }
    Ok(())
}

impl Exec {
    pub(super) fn new(query: &Query, protocol: &str) -> Self {
        let flag = |name| query.flag(name).unwrap_or(false);
        Self {
            command: query.all("command").into_iter().map(str::to_owned).collect(),
            has_stdin: flag("stdin"),
            has_stdout: flag("stdout"),
            closes: protocol == PROTOCOLS[0],
            has_ended: false,
        }
    }

    /// What is said before anything comes in. The real server's first frame is an empty one, too.
    pub(super) fn start(&mut self) -> Vec<Bytes> {
        let first = if self.has_stdout { STDOUT } else { STATUS };
        let mut frames = vec![frame(first, b"")];
        let command = self.command.clone();
        let command: Vec<_> = command.iter().map(String::as_str).collect();
        match command[..] {
            ["echo", ref words @ ..] => {
                frames.extend(self.say(format!("{}\n", words.join(" ")).as_bytes()));
                frames.push(self.end(json!({ "metadata": {}, "status": "Success" })));
            }
            ["cat"] if self.has_stdin => {}
            ["cat"] | ["true"] => frames.push(self.end(json!({ "metadata": {}, "status": "Success" }))),
            ["sh", "-c", line] => frames.push(self.exit(line)),
            _ => frames.push(self.refuse()),
        }
        frames
    }

    fn refuse(&mut self) -> Bytes {
        let message = format!("the in-memory API server does not run {:?}", self.command.join(" "));
        self.end(json!({
            "metadata": {}, "status": "Failure", "reason": "NotImplemented", "code": 501, "message": message,
        }))
    }

    fn exit(&mut self, line: &str) -> Bytes {
        let Some(code) = line.strip_prefix("exit ").map(str::trim).filter(|code| code.parse::<u8>().is_ok()) else {
            return self.refuse();
        };
        if code == "0" {
            return self.end(json!({ "metadata": {}, "status": "Success" }));
        }
        let cause = json!({ "reason": "ExitCode", "message": code });
        self.end(json!({
            "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "details": { "causes": [cause] },
            "message": format!("command terminated with non-zero exit code: exit status {code}"),
        }))
    }

    /// What is said to what comes in.
    pub(super) fn receive(&mut self, message: &[u8]) -> Vec<Bytes> {
        match message {
            [STDIN, text @ ..] if !self.has_ended && !text.is_empty() => self.say(text).into_iter().collect(),
            [CLOSE, STDIN] if !self.has_ended && self.closes => {
                vec![self.end(json!({ "metadata": {}, "status": "Success" }))]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn say(&self, text: &[u8]) -> Option<Bytes> {
        self.has_stdout.then(|| frame(STDOUT, text))
    }

    fn end(&mut self, status: Value) -> Bytes {
        self.has_ended = true;
        frame(STATUS, status.to_string().as_bytes())
    }
}

fn frame(channel: u8, bytes: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(bytes.len() + 1);
    frame.put_u8(channel);
    frame.put_slice(bytes);
    frame.freeze()
}
