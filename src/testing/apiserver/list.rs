//! Lists: a body that is made while it is sent, and pages by tokens that last as long as the history.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream;
use jiff::Timestamp;

use super::ApiServer;
use super::kinds::Kind;
use super::query::Options;
use super::refusal::{self, Refusal};
use super::render::Rendering;
use super::store::Store;
use crate::api::{ListMeta, Manifest, ResourceVersionMatch};
use crate::runtime::Body;

/// About the size of one chunk of a list's body.
const CHUNK_BYTES: usize = 64 * 1024;

const TOKEN_TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. \
                             You must start a new list without the continue parameter.";

/// One page, decided on and not yet written out.
pub(super) struct Page {
    metadata: ListMeta,
    items: Vec<Arc<Manifest>>,
}

/// # Errors
/// 410 behind the history, 504 before a resourceVersion that is still to come, 400 for a token from elsewhere.
pub(super) fn list(server: &ApiServer, kind: &Kind, options: &Options) -> Result<Page, Refusal> {
    let store = server.inner.store.borrow();
    let current = store.current();
    if let Some(asked) = options.resource_version.filter(|asked| *asked > current) {
        return Err(refusal::too_large(asked, current));
    }
    let (resource_version, start) = match Token::parse(&options.r#continue)? {
        Some(token) => (Some(token.resource_version), token.start),
        None => (exact_version(options), String::new()),
    };
    let from_cache = options.resource_version == Some(0) && !server.inner.options.pages_from_cache;
    let limit = if from_cache || options.limit == 0 { usize::MAX } else { options.limit };
    match resource_version.filter(|asked| *asked != current) {
        None => Ok(page(options, limit, current, store.objects_from(kind, &start))),
        Some(asked) => {
            let objects = objects_at(&store, kind, options, asked)?;
            Ok(page(options, limit, asked, objects.range(start..)))
        }
    }
}

/// The resourceVersion that the list must have exactly, when it must.
fn exact_version(options: &Options) -> Option<u64> {
    // Without a match, a limit makes it exact (apiserver: `storage/etcd3/store.go`, `resolveGetListRev`).
    let exact = match options.version_match {
        Some(ResourceVersionMatch::Exact) => true,
        Some(ResourceVersionMatch::NotOlderThan) => false,
        None => options.limit > 0,
    };
    options.resource_version.filter(|asked| exact && *asked > 0)
}

fn objects_at(
    store: &Store,
    kind: &Kind,
    options: &Options,
    asked: u64,
) -> Result<BTreeMap<String, Arc<Manifest>>, Refusal> {
    let too_old = || match options.r#continue.as_str() {
        "" => refusal::plain(410, "The resourceVersion for the provided list is too old."),
        _ => refusal::plain(410, TOKEN_TOO_OLD),
    };
    store.objects_at(kind, asked).ok_or_else(too_old)
}

fn page<'a>(
    options: &Options,
    limit: usize,
    resource_version: u64,
    objects: impl Iterator<Item = (&'a String, &'a Arc<Manifest>)>,
) -> Page {
    let mut matching = objects.filter(|(_, object)| options.selection.matches(object));
    let items = matching.by_ref().take(limit).map(|(_, object)| Arc::clone(object)).collect();
    let mut metadata = ListMeta { resource_version: resource_version.to_string(), ..ListMeta::default() };
    if let Some((start, _)) = matching.next() {
        metadata.r#continue = Token { resource_version, start: start.clone() }.to_text();
        let remaining = 1 + matching.count();
        // With a selector the real server does not know it.
        metadata.remaining_item_count = options.selection.is_everything.then_some(remaining as i64);
    }
    Page { metadata, items }
}

impl Page {
    pub(super) fn items(&self) -> &[Arc<Manifest>] {
        &self.items
    }

    /// The body, written out chunk by chunk as it is read.
    pub(super) fn into_body(self, rendering: Rendering, now: Timestamp) -> Body {
        let start = (Some(rendering.list_head(&self.metadata)), self.items.into_iter().enumerate(), rendering);
        let chunks = stream::unfold(start, move |(chunk, mut items, rendering)| async move {
            let mut chunk = chunk?;
            while chunk.len() < CHUNK_BYTES {
                let Some((place, object)) = items.next() else {
                    chunk.extend_from_slice(b"]}\n");
                    return Some((Ok(Bytes::from(chunk)), (None, items, rendering)));
                };
                if place > 0 {
                    chunk.push(b',');
                }
                chunk.extend(rendering.item(&object, now));
            }
            Some((Ok(Bytes::from(chunk)), (Some(Vec::new()), items, rendering)))
        });
        chunks.boxed_local()
    }
}

/// Where the next page starts, and at which resourceVersion; opaque to clients.
#[derive(Debug, PartialEq)]
struct Token {
    resource_version: u64,
    start: String,
}

impl Token {
    fn to_text(&self) -> String {
        let text = format!("{}:{}", self.resource_version, self.start);
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    /// None for the empty text, which asks for the first page.
    fn parse(text: &str) -> Result<Option<Self>, Refusal> {
        if text.is_empty() {
            return Ok(None);
        }
        let read = || {
            let digits =
                text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
            let text = String::from_utf8(digits.collect::<Option<_>>()?).ok()?;
            let (resource_version, start) = text.split_once(':')?;
            Some(Self { resource_version: resource_version.parse().ok()?, start: start.into() })
        };
        read().map(Some).ok_or_else(|| {
            refusal::plain(400, "invalid continue token: continue key is not valid: it is none of this server")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_one_from_elsewhere_is_refused() {
        let token = Token { resource_version: 17, start: "shop/wéb-0".into() };
        assert_eq!(Token::parse(&token.to_text()).unwrap(), Some(token));
        for text in ["x", "zz", "61", "c3", "日本"] {
            assert_eq!(Token::parse(text).unwrap_err().code, 400, "{text}");
        }
    }
}
