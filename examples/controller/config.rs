//! What the controller is told on its command line.

use std::fs;
use std::rc::Rc;

use watchglass::rest::{self, RestClient};
use watchglass::runtime::native::{self, HttpTransport};

pub const HELP: &str = "\
Keeps a copy with its values in upper case beside each ConfigMap that has the label watchglass.example/source=true.

Usage: controller [OPTIONS]

  --server URL        the API server, or `kubectl proxy` before it   [default: http://127.0.0.1:8001/]
  --ca-file FILE      the server's certificate authority, PEM        [with --token-file]
  --token-file FILE   the bearer token                               [with --ca-file]
  --namespace NAME    where the ConfigMaps are                       [default: default]
  --workers N         how many keys are worked on at once            [default: 4]
  --help              this text";

/// Where the cluster is, and how to work on it.
#[derive(Debug, PartialEq)]
pub struct Config {
    pub server: String,
    /// Needed where no `kubectl proxy` stands before the server.
    pub credentials: Option<Credentials>,
    pub namespace: String,
    pub workers: usize,
}

/// Files, as a pod finds them below `/var/run/secrets/kubernetes.io/serviceaccount/`.
#[derive(Debug, PartialEq)]
pub struct Credentials {
    pub ca_file: String,
    pub token_file: String,
}

impl Config {
    /// None when help was asked for.
    ///
    /// # Errors
    /// A sentence that names the argument and says what it should be.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut arguments = arguments.into_iter();
        let (mut ca_file, mut token_file) = (None, None);
        let mut config = Self {
            server: "http://127.0.0.1:8001/".into(),
            credentials: None,
            namespace: "default".into(),
            workers: 4,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value after it"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--server" => config.server = server(value()?)?,
                "--ca-file" => ca_file = Some(value()?),
                "--token-file" => token_file = Some(value()?),
                "--namespace" => config.namespace = value()?,
                "--workers" => config.workers = workers(&value()?)?,
                _ => return Err(format!("there is no argument {argument}; --help lists them")),
            }
        }
        config.credentials = match (ca_file, token_file) {
            (None, None) => None,
            (Some(ca_file), Some(token_file)) => Some(Credentials { ca_file, token_file }),
            _ => return Err("--ca-file and --token-file go together: give both, or none with `kubectl proxy`".into()),
        };
        Ok(Some(config))
    }

    /// The client (client-go: `kubernetes.NewForConfig`).
    ///
    /// # Errors
    /// A sentence that names the file that cannot be used.
    pub fn client(&self) -> Result<RestClient, String> {
        let transport = match &self.credentials {
            None => HttpTransport::new(&self.server),
            Some(Credentials { ca_file, token_file }) => {
                let (authority, token) = (read_file(ca_file)?, read_file(token_file)?);
                let token =
                    String::from_utf8(token).map_err(|_| format!("{token_file} is not a token: it is no text"))?;
                HttpTransport::with_token(&self.server, &authority, token.trim())
            }
        };
        let transport = transport.map_err(|error| format!("no client for {} can be made: {error}", self.server))?;
        // The server shares its time out between its clients; the queue holds back what fails.
        let config = rest::Config::without_rate_limit(&native::runtime(), Rc::new(transport));
        Ok(RestClient::for_config(&config))
    }
}

fn server(url: String) -> Result<String, String> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Ok(url);
    }
    Err(format!("--server {url} is no URL: it should begin with http:// or https://"))
}

fn workers(number: &str) -> Result<usize, String> {
    let number = number.parse().map_err(|_| format!("--workers {number} is no number"))?;
    if number == 0 { Err("--workers 0 would never do anything: give 1 or more".into()) } else { Ok(number) }
}

fn read_file(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{path} cannot be read: {error}"))
}
