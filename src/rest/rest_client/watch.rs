use std::collections::VecDeque;

use futures::StreamExt as _;

use super::client::{JSON, RestClient, reading, undecodable, with_options};
use crate::api::{Error, ListOptions, ResourcePath, WatchEvent};
use crate::cache::WatchStream;
use crate::rest::decode::WatchDecoder;
use crate::rest::response;
use crate::runtime::{Body, Request, Traffic, TransportError};

impl RestClient {
    /// Opens a watch. The stream ends when the server closes it, and aborts the request when dropped.
    ///
    /// # Errors
    /// As any request. Within the stream, an error is its last item.
    pub async fn watch(&self, path: &ResourcePath, options: &ListOptions) -> Result<WatchStream, Error> {
        let url = with_options(path, &ListOptions { watch: true, ..options.clone() });
        let response = self.send(Request { traffic: Traffic::Watch, ..reading(url.clone(), JSON) }).await?;
        if let Some(encoding) = response.header("content-encoding").filter(|encoding| *encoding != "identity") {
            // Browsers read only the first gzip member of such a stream, and say nothing of the events they drop.
            let reason = format!("a watch must not be compressed, and it came as {encoding}");
            return Err(Error::Undecodable { url, reason });
        }
        Ok(events(url, response.body).boxed_local())
    }
}

/// A watch between two chunks.
struct Watch {
    url: String,
    body: Body,
    decoder: WatchDecoder,
    ready: VecDeque<Result<WatchEvent, Error>>,
}

fn events(url: String, body: Body) -> impl futures::Stream<Item = Result<WatchEvent, Error>> {
    let watch = Watch { url, body, decoder: WatchDecoder::default(), ready: VecDeque::new() };
    futures::stream::unfold(watch, |mut watch| async move {
        loop {
            if let Some(event) = watch.ready.pop_front() {
                return Some((event, watch));
            }
            let chunk = watch.body.next().await?;
            watch.take(chunk);
        }
    })
}

impl Watch {
    fn take(&mut self, chunk: Result<bytes::Bytes, TransportError>) {
        let Self { url, decoder, ready, .. } = self;
        let result = match chunk {
            Ok(chunk) => {
                decoder.push(&chunk, &mut |event| ready.push_back(Ok(event))).map_err(|error| undecodable(url, &error))
            }
            Err(error) => Err(response::interrupted(error)),
        };
        if let Err(error) = result {
            ready.push_back(Err(error));
            self.body = futures::stream::empty().boxed_local();
        }
    }
}
