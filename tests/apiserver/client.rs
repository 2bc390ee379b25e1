use bytes::Bytes;
use futures::StreamExt as _;
use serde_json::Value;
use watchglass::runtime::{Body, Method, Request, Response, TransportError};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::{ApiServer, ApiServerOptions};

/// A server, its world, and requests to it.
pub struct Client {
    pub sandbox: Sandbox,
    pub server: ApiServer,
}

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Result<String, TransportError>,
}

impl Answer {
    pub fn json(&self) -> Value {
        let body = self.body.as_ref().expect("the body is whole");
        serde_json::from_str(body).expect("the body is JSON")
    }

    pub fn names(&self) -> Vec<String> {
        names(&self.json())
    }
}

pub fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().expect("a list has items");
    items.iter().map(|item| item["metadata"]["name"].as_str().expect("an item has a name").to_owned()).collect()
}

impl Client {
    pub fn new() -> Self {
        Self::with_options(ApiServerOptions::default())
    }

    pub fn with_options(options: ApiServerOptions) -> Self {
        let sandbox = Sandbox::new();
        let server = ApiServer::with_options(sandbox.runtime(), options);
        Self { sandbox, server }
    }

    pub fn try_send(&self, request: Request) -> Result<Response, TransportError> {
        self.sandbox.block_on(self.server.transport().send(request))
    }

    pub fn send(&self, request: Request) -> Answer {
        let mut response = self.try_send(request).expect("a head comes");
        let (status, headers) = (response.status, std::mem::take(&mut response.headers));
        Answer { status, headers, body: self.read(response.body) }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(Request { path: path.into(), ..Request::default() })
    }

    pub fn write(&self, method: Method, path: &str, content_type: &str, body: &Value) -> Answer {
        let headers = vec![("content-type".into(), content_type.to_owned())];
        let body = Some(Bytes::from(body.to_string()));
        self.send(Request { method, path: path.into(), headers, body, ..Request::default() })
    }

    /// A request of the program `tester`. The body is none when it is null, and as it is when it is a text.
    pub fn write_text(&self, method: Method, path: &str, content_type: &str, body: &Value) -> Answer {
        let mut headers = vec![("user-agent".into(), "tester/1.0".to_owned())];
        if !content_type.is_empty() {
            headers.push(("content-type".into(), content_type.to_owned()));
        }
        let body = match body {
            Value::Null => None,
            Value::String(text) => Some(Bytes::from(text.clone())),
            body => Some(Bytes::from(body.to_string())),
        };
        self.send(Request { method, path: path.into(), headers, body, ..Request::default() })
    }

    fn read(&self, mut body: Body) -> Result<String, TransportError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.sandbox.block_on(body.next()) {
            bytes.extend_from_slice(&chunk?);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub fn watch(&self, path: &str) -> Watch<'_> {
        self.watch_as(path, "application/json")
    }

    /// A watch whose objects come in another form.
    pub fn watch_as(&self, path: &str, accept: &str) -> Watch<'_> {
        let headers = vec![("accept".into(), accept.to_owned())];
        let request = Request { path: path.into(), headers, ..Request::default() };
        let response = self.try_send(request).expect("a head comes");
        assert_eq!(response.status, 200);
        Watch { client: self, body: response.body }
    }
}

/// An open watch.
pub struct Watch<'a> {
    client: &'a Client,
    body: Body,
}

impl Watch<'_> {
    /// The next chunk, waiting in virtual time for as long as it takes; none at the end.
    pub fn chunk(&mut self) -> Option<Result<Bytes, TransportError>> {
        self.client.sandbox.block_on(self.body.next())
    }

    pub fn event(&mut self) -> Value {
        let frame = self.chunk().expect("the watch goes on").expect("the connection holds");
        assert_eq!(frame.last(), Some(&b'\n'));
        serde_json::from_slice(&frame).expect("a frame is JSON")
    }

    /// The type and the object's name of all that is there without waiting.
    pub fn ready(&mut self) -> Vec<(String, String)> {
        use futures::FutureExt as _;
        let mut events = Vec::new();
        while let Some(Some(Ok(frame))) = self.body.next().now_or_never() {
            let event: Value = serde_json::from_slice(&frame).expect("a frame is JSON");
            events.push(summary(&event));
        }
        events
    }
}

pub fn summary(event: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&event["type"]), text(&event["object"]["metadata"]["name"]))
}

pub fn events(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned())).collect()
}
