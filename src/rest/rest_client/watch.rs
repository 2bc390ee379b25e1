use std::collections::VecDeque;

use futures::StreamExt as _;

use super::accept::Accept;
use super::client::{RestClient, address, reading, undecodable};
use crate::api::{Error, ListOptions, ResourcePath, WatchEvent};
use crate::cache::WatchStream;
use crate::rest::decode::WatchDecoder;
use crate::rest::{metadata, response};
use crate::runtime::{Body, Request, Traffic, TransportError};

impl RestClient {
    /// Opens a watch. The stream ends when the server closes it, and aborts the request when dropped.
    ///
    /// # Errors
    /// As any request. Within the stream, an error is its last item.
    pub async fn watch(&self, path: &ResourcePath, options: &ListOptions) -> Result<WatchStream, Error> {
        self.watch_as(path, options, Accept::Object).await
    }

    /// Opens a watch of whole objects, of metadata or of tables; else as [`watch`](Self::watch).
    ///
    /// A table comes as an object with the fields of [`Table`](crate::api::Table), which can be made of it. Only the
    /// first event's names the columns.
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    pub async fn watch_as(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        accept: Accept,
    ) -> Result<WatchStream, Error> {
        let options = ListOptions { watch: true, ..options.clone() };
        let url = address(path, &options.to_query(), accept)?;
        let request = Request { traffic: Traffic::Watch, ..reading(url.clone(), accept.header()) };
        let response = self.send(request).await?;
        if let Some(encoding) = response.header("content-encoding").filter(|encoding| *encoding != "identity") {
            // Browsers read only the first gzip member of such a stream, and say nothing of the events they drop.
            let reason = format!("a watch must not be compressed, and it came as {encoding}");
            return Err(Error::Undecodable { url: response::shown(&url).into(), reason });
        }
        let decoder = WatchDecoder::with_pool(&self.config.pool);
        Ok(events(url, response.body, accept, decoder).boxed_local())
    }
}

/// A watch between two chunks.
struct Watch {
    url: String,
    accept: Accept,
    body: Body,
    decoder: WatchDecoder,
    ready: VecDeque<Result<WatchEvent, Error>>,
}

fn events(
    url: String,
    body: Body,
    accept: Accept,
    decoder: WatchDecoder,
) -> impl futures::Stream<Item = Result<WatchEvent, Error>> {
    let watch = Watch { url, accept, body, decoder, ready: VecDeque::new() };
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
        let Self { url, accept, decoder, ready, .. } = self;
        let result = match chunk {
            Ok(chunk) => {
                let mut take = |event| ready.push_back(Ok(metadata::reduced_event(event, *accept)));
                decoder.push(&chunk, &mut take).map_err(|error| undecodable(url, &error))
            }
            Err(error) => Err(response::interrupted(error)),
        };
        if let Err(error) = result {
            ready.push_back(Err(error));
            self.body = futures::stream::empty().boxed_local();
        }
    }
}
