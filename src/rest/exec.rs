use std::rc::Rc;

use bytes::Bytes;
use futures::StreamExt as _;

use super::rest_client::RestClient;
use super::{Config, response};
use crate::api::{Error, ExecOptions, GroupVersionResource, ResourcePath, Status};
use crate::runtime::{Message, Messages, Request, Socket, SocketError, SocketRequest, Wire};

/// Runs commands in containers, over WebSockets (client-go: `tools/remotecommand/websocket.go`).
///
/// `kubectl proxy` refuses this unless it is started with `--reject-paths`, as `kubectl proxy --reject-paths='^$'`.
#[derive(Clone)]
pub struct ExecClient {
    client: RestClient,
}

/// A command that runs. Dropping it closes the connection, which may leave the command running.
pub struct Execution {
    messages: Messages,
    input: ExecInput,
    is_over: bool,
}

/// What a running command says. Nothing comes after an exit, which is the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecOutput {
    Stdout(Bytes),
    Stderr(Bytes),
    /// The command has ended with this code, 0 for success.
    Exit(u8),
}

/// What a running command hears. Clones speak to the same one.
#[derive(Clone)]
pub struct ExecInput {
    wire: Rc<dyn Wire>,
    protocol: Protocol,
}

/// apimachinery: `pkg/util/remotecommand/constants.go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    V4,
    /// A side may close a channel.
    V5,
}

impl Protocol {
    const ALL: [Self; 2] = [Self::V5, Self::V4];

    const fn name(self) -> &'static str {
        match self {
            Self::V4 => "v4.channel.k8s.io",
            Self::V5 => "v5.channel.k8s.io",
        }
    }
}

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
const RESIZE: u8 = 4;
const CLOSE: u8 = 255;

/// A page that shows output cannot hold more of it unseen.
const BACKLOG_LIMIT: usize = 8 * 1024 * 1024;

impl ExecClient {
    /// The configuration needs sockets ([`Config::with_sockets`]).
    pub fn for_config(config: &Config) -> Self {
        Self { client: RestClient::for_config(config) }
    }

    /// Starts a command in a container of a pod.
    ///
    /// # Errors
    /// The answer to a plain request for the reason when no socket opens: a Status "forbidden" or "not found", or
    /// `kubectl proxy`'s own refusal. [`Error::Unreachable`] when that finds none: something between the page and the
    /// API server lets no WebSockets through.
    pub async fn exec(&self, namespace: &str, pod: &str, options: &ExecOptions) -> Result<Execution, Error> {
        let path = ResourcePath::all(GroupVersionResource::core("pods")).in_namespace(namespace).named(pod);
        let path = path.subresource("exec");
        path.validate()?;
        let path = format!("{path}?{}", options.to_query());
        let protocols = Protocol::ALL.iter().map(|protocol| protocol.name()).collect();
        let request = SocketRequest { path: path.clone(), protocols, backlog_limit: BACKLOG_LIMIT };
        match self.client.config().sockets.open(request).await {
            Ok(socket) => Execution::over(socket, &path),
            Err(error) => Err(self.reason(path, &error).await),
        }
    }

    /// Why no socket opens. A server that would run the command says to a plain request that it must be a socket.
    async fn reason(&self, path: String, error: &SocketError) -> Error {
        let url = response::shown(&path).to_owned();
        match self.client.send(Request::get(path).with_header("accept", "application/json")).await {
            Err(refused) if !refused.status().is_some_and(Status::is_bad_request) => refused,
            _ => Error::Unreachable { url, reason: error.to_string() },
        }
    }
}

impl Execution {
    fn over(socket: Socket, path: &str) -> Result<Self, Error> {
        let Some(protocol) = Protocol::ALL.into_iter().find(|protocol| protocol.name() == socket.protocol) else {
            let reason = format!("it speaks neither v5.channel.k8s.io nor v4, but {:?}", socket.protocol);
            return Err(Error::Undecodable { url: response::shown(path).into(), reason });
        };
        let input = ExecInput { wire: socket.wire, protocol };
        Ok(Self { messages: socket.messages, input, is_over: false })
    }

    /// To write to the command while its output is read.
    pub fn input(&self) -> ExecInput {
        self.input.clone()
    }

    /// What the command says next; none after it has ended.
    ///
    /// # Errors
    /// A Status when the command could not be run, [`Error::Interrupted`] when the connection ends before the command
    /// does. Nothing comes after an error.
    pub async fn next(&mut self) -> Option<Result<ExecOutput, Error>> {
        while !self.is_over {
            let output = match self.messages.next().await {
                Some(Ok(message)) => match read_frame(message) {
                    Some(output) => output,
                    None => continue,
                },
                Some(Err(error)) => Err(broken(&error.to_string())),
                None => Err(broken("the connection closed before the command ended")),
            };
            self.is_over = !matches!(output, Ok(ExecOutput::Stdout(_) | ExecOutput::Stderr(_)));
            return Some(output);
        }
        None
    }
}

impl ExecInput {
    /// Writes to the command's standard input; it must have been asked for.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the connection is closed.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.send(STDIN, bytes)
    }

    /// Ends the command's standard input.
    ///
    /// # Errors
    /// [`Error::NotSent`] when the server speaks only the protocol's version 4, which cannot say this.
    pub fn close(&self) -> Result<(), Error> {
        match self.protocol {
            Protocol::V5 => self.send(CLOSE, &[STDIN]),
            Protocol::V4 => {
                Err(Error::NotSent { reason: "this API server is too old to be told that the input has ended".into() })
            }
        }
    }

    /// Tells the size of the terminal, in characters.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the connection is closed.
    pub fn resize(&self, width: u16, height: u16) -> Result<(), Error> {
        self.send(RESIZE, format!(r#"{{"Width":{width},"Height":{height}}}"#).as_bytes())
    }

    fn send(&self, channel: u8, bytes: &[u8]) -> Result<(), Error> {
        let frame = [&[channel], bytes].concat();
        let sent = self.wire.send(Message::Binary(frame.into()));
        sent.map_err(|error| broken(&error.to_string()))
    }
}

/// A frame is a channel's number and what came through it; none for what says nothing.
fn read_frame(message: Message) -> Option<Result<ExecOutput, Error>> {
    let mut frame = match message {
        Message::Binary(frame) if !frame.is_empty() => frame,
        Message::Binary(_) => return Some(Err(broken("a frame without a channel"))),
        Message::Text(_) => return Some(Err(broken("text where bytes were expected"))),
    };
    let content = frame.split_off(1);
    match frame[0] {
        // Servers open each channel with an empty frame.
        _ if content.is_empty() => None,
        STDOUT => Some(Ok(ExecOutput::Stdout(content))),
        STDERR => Some(Ok(ExecOutput::Stderr(content))),
        STATUS => Some(read_end(&content)),
        _ => None,
    }
}

fn broken(reason: &str) -> Error {
    Error::Interrupted { reason: reason.into() }
}

/// apimachinery: `pkg/util/remotecommand/constants.go`, `NonZeroExitCodeReason`; kubelet: `pkg/cri/streaming`.
fn read_end(content: &[u8]) -> Result<ExecOutput, Error> {
    let status = serde_json::from_slice::<Status>(content);
    let status = status.map_err(|error| broken(&format!("the command's end: {error}")))?;
    if status.status == "Success" {
        return Ok(ExecOutput::Exit(0));
    }
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let code = causes.filter(|cause| cause.reason == "ExitCode").find_map(|cause| cause.message.parse().ok());
    match code.filter(|_| status.reason == "NonZeroExitCode") {
        Some(code) => Ok(ExecOutput::Exit(code)),
        None => Err(status.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(frame: &[u8]) -> Option<Result<ExecOutput, Error>> {
        read_frame(Message::Binary(frame.to_vec().into()))
    }

    #[test]
    fn a_frame_s_first_byte_is_its_channel() {
        assert_eq!(read(b"\x01out"), Some(Ok(ExecOutput::Stdout("out".into()))));
        assert_eq!(read(b"\x02err"), Some(Ok(ExecOutput::Stderr("err".into()))));
        for nothing in [&b"\x01"[..], b"\x03", b"\x00in", b"\x04x", b"\x07?", b"\xff\x01"] {
            assert_eq!(read(nothing), None);
        }
        for broken in [Message::Binary(Bytes::new()), Message::Text("\x01out".into())] {
            assert!(matches!(read_frame(broken), Some(Err(Error::Interrupted { .. }))));
        }
    }

    #[test]
    fn the_status_tells_how_the_command_ended() {
        let read = |status: &str| read(format!("\x03{status}").as_bytes()).unwrap();
        assert_eq!(read(r#"{"metadata":{},"status":"Success"}"#), Ok(ExecOutput::Exit(0)));
        let failure = r#"{"status":"Failure","message":"command terminated with exit code 3",
            "reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#;
        assert_eq!(read(failure), Ok(ExecOutput::Exit(3)));
        let error = read(r#"{"status":"Failure","message":"no such file","reason":"InternalError"}"#).unwrap_err();
        assert!(error.is_internal_error());
        assert_eq!(error.to_string(), "no such file");
        let odd = r#"{"status":"Failure","message":"odd","reason":"NonZeroExitCode","details":{"causes":[]}}"#;
        assert_eq!(read(odd).unwrap_err().to_string(), "odd");
        assert!(matches!(read("<html>"), Err(Error::Interrupted { .. })));
    }
}
