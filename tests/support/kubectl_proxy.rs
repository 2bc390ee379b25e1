//! `kubectl proxy` before the API server, on a port of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::cluster::Cluster;

/// Runs as long as it lives.
pub struct KubectlProxy {
    child: Child,
    pub port: u16,
}

impl KubectlProxy {
    pub fn start(cluster: &Cluster, arguments: &[&str]) -> Self {
        let mut child = Command::new(cluster.setting("/kubectl"))
            .args(["--kubeconfig", &cluster.setting("/admin/kubeconfig"), "proxy", "--port=0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("kubectl runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("kubectl says where it serves");
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("a port in {line:?}")) }
    }
}

impl Drop for KubectlProxy {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
