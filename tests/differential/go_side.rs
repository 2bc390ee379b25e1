//! client-go's informers, in one process for all scripts of a mode: `tests/cluster/differ`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::call::{Call, HandlerSpec, State};
use super::script::Mode;
use super::wait::until;

pub struct GoProcess {
    child: RefCell<Child>,
    commands: RefCell<ChildStdin>,
    informers: RefCell<HashMap<usize, Rc<Heard>>>,
    is_gone: Cell<bool>,
}

#[derive(Default)]
struct Heard {
    calls: RefCell<Vec<Call>>,
    state: RefCell<Option<State>>,
}

#[derive(Deserialize)]
struct Line {
    id: usize,
    #[serde(flatten)]
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Call(Call),
    State(State),
}

/// `WATCHGLASS_DIFFER`, or where `scripts/setup test` puts it.
fn program() -> PathBuf {
    let cache = || std::env::var_os("WATCHGLASS_CACHE").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("there is a home folder")).join(".cache/watchglass");
    let built = || cache().unwrap_or_else(home).join("cluster/watchglass-differ");
    std::env::var_os("WATCHGLASS_DIFFER").map_or_else(built, PathBuf::from)
}

impl GoProcess {
    /// Must be called inside a `LocalSet`.
    pub fn start(mode: Mode) -> Rc<Self> {
        let program = program();
        let mut child = Command::new(&program)
            .envs(mode.go_features().iter().map(|(name, on)| (format!("KUBE_FEATURE_{name}"), on.to_string())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{} does not start ({error}); `make test-differential` builds it", program.display())
            });
        let commands = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let (child, commands) = (RefCell::new(child), RefCell::new(commands));
        let process = Rc::new(Self { child, commands, informers: RefCell::default(), is_gone: Cell::new(false) });
        tokio::task::spawn_local(Rc::clone(&process).listen(lines));
        process
    }

    async fn listen(self: Rc<Self>, mut lines: mpsc::UnboundedReceiver<String>) {
        while let Some(line) = lines.recv().await {
            let Line { id, content } = serde_json::from_str(&line).expect("the process writes lines of JSON");
            // A call that was on its way when its informer was stopped belongs to nobody.
            let Some(heard) = self.informers.borrow().get(&id).cloned() else { continue };
            match content {
                Content::Call(call) => heard.calls.borrow_mut().push(call),
                Content::State(state) => *heard.state.borrow_mut() = Some(state),
            }
        }
        self.is_gone.set(true);
    }

    fn send(&self, command: &Value) {
        let line = format!("{command}\n");
        self.commands.borrow_mut().write_all(line.as_bytes()).expect("the process reads its commands");
    }
}

impl Drop for GoProcess {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// One informer of the process.
pub struct GoInformer {
    process: Rc<GoProcess>,
    id: usize,
    heard: Rc<Heard>,
}

impl GoInformer {
    pub fn start(process: &Rc<GoProcess>, id: usize, url: &str, handlers: &[HandlerSpec]) -> Self {
        let heard = Rc::new(Heard::default());
        process.informers.borrow_mut().insert(id, Rc::clone(&heard));
        let handlers: Vec<_> =
            handlers.iter().map(|spec| json!({"handler": spec.handler, "resyncMs": spec.resync_ms})).collect();
        process.send(&json!({"op": "start", "id": id, "url": url, "namespace": "default", "handlers": handlers}));
        Self { process: Rc::clone(process), id, heard }
    }

    pub fn add_handler(&self, spec: HandlerSpec) {
        let HandlerSpec { handler, resync_ms } = spec;
        self.process.send(&json!({"op": "addHandler", "id": self.id, "handler": handler, "resyncMs": resync_ms}));
    }

    pub fn remove_handler(&self, handler: usize) {
        self.process.send(&json!({"op": "removeHandler", "id": self.id, "handler": handler}));
    }

    pub fn calls(&self) -> &RefCell<Vec<Call>> {
        &self.heard.calls
    }

    pub async fn state(&self) -> Result<State, String> {
        self.process.send(&json!({"op": "ask", "id": self.id}));
        until("the Go process answers", || self.process.is_gone.get() || self.heard.state.borrow().is_some()).await?;
        self.heard.state.take().ok_or_else(|| "the Go process has ended".into())
    }
}

impl Drop for GoInformer {
    fn drop(&mut self) {
        self.process.informers.borrow_mut().remove(&self.id);
        self.process.send(&json!({"op": "stop", "id": self.id}));
    }
}
