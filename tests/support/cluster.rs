//! The real cluster that tests share: the run's own (`WATCHGLASS_CLUSTER`), or one that lives as long as the tests.

#![allow(dead_code, reason = "each test program uses its own part of it")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::native::{self, HttpTransport};
use watchglass::runtime::{Request, Transport as _};

pub struct Cluster {
    file: PathBuf,
    /// The supervisor, when it was started here: it ends everything when its standard input closes.
    _own: Option<Child>,
}

pub fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| match std::env::var_os("WATCHGLASS_CLUSTER") {
        Some(folder) => Cluster { file: PathBuf::from(folder).join("cluster.json"), _own: None },
        None => Cluster::start(),
    })
}

impl Cluster {
    fn start() -> Self {
        let cache = std::env::var_os("WATCHGLASS_CACHE").map(PathBuf::from);
        let home = || PathBuf::from(std::env::var_os("HOME").expect("there is a home folder"));
        let cache = cache.unwrap_or_else(|| home().join(".cache/watchglass"));
        let folder = std::env::temp_dir().join(format!("watchglass-cluster-{}", std::process::id()));
        let own = Command::new(cache.join("cluster/watchglass-cluster"))
            .args(["run", "--until-stdin-closes", "--dir"])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the cluster starts; `make cluster` builds what it needs");
        let cluster = Self { file: folder.join("cluster.json"), _own: Some(own) };
        cluster.wait_until_ready();
        cluster
    }

    fn is_ready(&self) -> bool {
        fs::read(&self.file)
            .is_ok_and(|text| serde_json::from_slice::<Value>(&text).is_ok_and(|file| file["ready"] == true))
    }

    fn wait_until_ready(&self) {
        while !self.is_ready() {
            std::thread::yield_now();
        }
    }

    pub fn setting(&self, path: &str) -> String {
        let file: Value = serde_json::from_slice(&fs::read(&self.file).expect("the cluster runs")).expect("JSON");
        let value = file.pointer(path).unwrap_or_else(|| panic!("cluster.json has {path}"));
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    pub fn client(&self, user: &str) -> RestClient {
        RestClient::for_config(&self.config(user))
    }

    pub fn config(&self, user: &str) -> Config {
        Config::without_rate_limit(&native::runtime(), Rc::new(self.transport(user)))
    }

    fn transport(&self, user: &str) -> HttpTransport {
        let token = self.setting(&format!("/{user}/token"));
        self.transport_to(&self.setting("/server"), &token)
    }

    /// To the API server by whichever way, as whoever has the token.
    pub fn transport_to(&self, server: &str, token: &str) -> HttpTransport {
        let authority = fs::read(self.setting("/ca_file")).expect("the certificate is there");
        HttpTransport::with_token(server, &authority, token).expect("a client")
    }

    pub fn kubectl(&self, arguments: &[&str]) -> String {
        let output = Command::new(self.setting("/kubectl"))
            .args(["--kubeconfig", &self.setting("/admin/kubeconfig")])
            .args(arguments)
            .output()
            .expect("kubectl runs");
        assert!(output.status.success(), "kubectl {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("kubectl prints text")
    }

    /// A namespace that takes pods.
    pub fn namespace(&self, name: &str) {
        self.kubectl(&["create", "namespace", name]);
        let account = ["wait", "--for=create", "serviceaccount/default", "--timeout=60s", "-n", name];
        self.kubectl(&account);
    }

    /// Kills the API server.
    pub async fn kill_api_server(&self) {
        self.signal("-USR1", false).await;
    }

    /// Starts it again on the same port, and waits until it answers as before.
    pub async fn restart_api_server(&self) {
        self.signal("-USR2", true).await;
        let transport = self.transport("admin");
        let readyz = || Request { path: "readyz".into(), ..Request::default() };
        while transport.send(readyz()).await.map_or(0, |response| response.status) != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn signal(&self, signal: &str, api_server_is_up: bool) {
        let pid = self.setting("/pid");
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        until(|| (self.setting("/parts/kube-apiserver/pid") != "0") == api_server_is_up).await;
    }
}

/// Runs a test on one thread with tokio, and ends it when it hangs.
pub fn run(limit: Duration, test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let limited = async { tokio::time::timeout(limit, test).await };
    tokio::task::LocalSet::new().block_on(&runtime, limited).unwrap_or_else(|_| panic!("it ends within {limit:?}"));
}

pub async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
