use std::rc::Rc;

use crate::runtime::{Runtime, Transport};

/// How clients reach an API server, and as whom (client-go: `rest.Config`).
///
/// All clients are made from one: `RestClient::for_config(&config)`.
#[derive(Clone)]
pub struct Config {
    pub runtime: Runtime,
    pub transport: Rc<dyn Transport>,
}

impl Config {
    pub fn new(runtime: &Runtime, transport: Rc<dyn Transport>) -> Self {
        Self { runtime: runtime.clone(), transport }
    }
}
