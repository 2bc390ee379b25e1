use serde::Deserialize;
use serde_json::value::RawValue;

use super::scan::ValueScanner;
use super::{DecodeError, LONGEST_VALUE, SharedPool, beginning, reason};
use crate::api::{Status, TypeMeta, WatchEvent};

/// Cuts a watch's bytes into frames, and reads each as an event.
///
/// Frames are consecutive JSON objects. A newline between them is usual and not needed, and how the bytes are cut into
/// pieces makes no difference.
#[derive(Debug, Default)]
pub struct WatchDecoder {
    pool: SharedPool,
    scanner: ValueScanner,
    /// The frame being read, as far as it came in earlier pieces.
    partial: Vec<u8>,
    has_begun: bool,
}

/// One large object must not cost its memory for as long as the watch lasts (kubernetes/kubernetes#102874).
const KEPT_BETWEEN_FRAMES: usize = 64 * 1024;

impl WatchDecoder {
    /// A decoder of objects that have much in common with those that the pool has read before.
    pub fn with_pool(pool: &SharedPool) -> Self {
        Self { pool: pool.clone(), ..Self::default() }
    }

    /// Takes the next piece and gives the events that it completes.
    ///
    /// # Errors
    /// At the first frame that is no event, after those before it; the decoder is of no use after that.
    pub fn push(&mut self, mut bytes: &[u8], on_event: &mut dyn FnMut(WatchEvent)) -> Result<(), DecodeError> {
        loop {
            if self.partial.is_empty() {
                bytes = bytes.trim_ascii_start();
                match bytes.first() {
                    None => return Ok(()),
                    Some(b'{') => {}
                    // What stands after an event may be part of an object.
                    Some(_) if self.has_begun => {
                        return Err(DecodeError::NotJson { start: "something else after an event".into() });
                    }
                    Some(_) => return Err(DecodeError::NotJson { start: beginning(bytes) }),
                }
            }
            let end = self.scanner.push(bytes);
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.partial.len() + part.len() > LONGEST_VALUE {
                return Err(DecodeError::TooLong { limit: LONGEST_VALUE });
            }
            self.has_begun = true;
            self.partial.extend_from_slice(part);
            if end.is_none() {
                return Ok(());
            }
            self.scanner = ValueScanner::default();
            let event = read_event(&self.partial, &self.pool);
            self.partial.clear();
            self.partial.shrink_to(KEPT_BETWEEN_FRAMES);
            on_event(event?);
            bytes = rest;
        }
    }

    /// How many bytes it holds of a frame that is not whole yet; of those that are whole, none.
    pub fn buffered(&self) -> usize {
        self.partial.len()
    }
}

#[derive(Deserialize)]
struct Frame<'a> {
    r#type: Option<String>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

fn read_event(bytes: &[u8], pool: &SharedPool) -> Result<WatchEvent, DecodeError> {
    let frame: Frame<'_> = parse(bytes)?;
    let (Some(kind), Some(object)) = (frame.r#type, frame.object) else {
        // Some proxies and old servers put a bare Status into the stream.
        return Ok(WatchEvent::Error(read_status(bytes)?));
    };
    let object = object.get().as_bytes();
    let read = || pool.read(object, TypeMeta::default()).map_err(|error| unreadable(reason(&error)));
    match kind.as_str() {
        "ADDED" => Ok(WatchEvent::Added(read()?)),
        "MODIFIED" => Ok(WatchEvent::Modified(read()?)),
        "DELETED" => Ok(WatchEvent::Deleted(read()?)),
        "BOOKMARK" => {
            let bookmark = read()?;
            let annotation = bookmark.annotation("k8s.io/initial-events-end");
            Ok(WatchEvent::Bookmark {
                initial_events_end: annotation.is_some_and(|value| value == "true"),
                resource_version: bookmark.resource_version().into(),
            })
        }
        "ERROR" => Ok(WatchEvent::Error(read_status(object)?)),
        _ => Err(unreadable(format!("got invalid watch event type: {kind}"))),
    }
}

fn read_status(bytes: &[u8]) -> Result<Status, DecodeError> {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        kind: String,
    }
    match parse::<Kind>(bytes)?.kind.as_str() {
        "Status" => parse(bytes),
        kind => Err(unreadable(format!("expected an event or a Status, got kind \"{kind}\""))),
    }
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, DecodeError> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(reason(&error)))
}

fn unreadable(reason: String) -> DecodeError {
    DecodeError::Value { what: "an event of the watch".into(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &str = concat!(
        r#"{"type":"ADDED","object":{"metadata":{"name":"é","resourceVersion":"1"}}}"#,
        "\n",
        r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}}"#,
        "\r\n\n",
        r#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}}"#,
    );

    fn decode(pieces: &[&[u8]]) -> (Vec<WatchEvent>, Result<(), DecodeError>) {
        let (mut decoder, mut events) = (WatchDecoder::default(), Vec::new());
        let result = pieces.iter().try_for_each(|piece| decoder.push(piece, &mut |event| events.push(event)));
        (events, result)
    }

    #[test]
    fn events_read_the_same_at_every_cut() {
        for text in [THREE.to_owned(), THREE.replace(['\n', '\r'], "")] {
            for cut in 0..=text.len() {
                let (head, tail) = text.as_bytes().split_at(cut);
                let (events, result) = decode(&[head, b"", tail]);
                assert_eq!(result, Ok(()));
                assert!(matches!(&events[0], WatchEvent::Added(object) if object.name() == "é"));
                let bookmark = WatchEvent::Bookmark { resource_version: "2".into(), initial_events_end: true };
                assert_eq!(events[1], bookmark);
                assert!(matches!(&events[2], WatchEvent::Error(status) if status.is_gone()), "cut at {cut}");
            }
        }
    }

    #[test]
    fn frames_that_are_no_events_are_refused_after_those_before_them() {
        let (events, result) = decode(&[THREE.as_bytes(), b"\n<html>"]);
        assert_eq!(
            (events.len(), result.unwrap_err().to_string().as_str()),
            (3, "expected JSON, got: something else after an event")
        );
        let invalid_utf8 = b"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xff\"}}}";
        for garbage in [&b"{\"type\":\"ADDED\",\"object\":}"[..], br#"{"type":"MOVED","object":{}}"#, invalid_utf8] {
            assert!(matches!(decode(&[garbage]).1, Err(DecodeError::Value { .. })));
        }
        let (events, result) = decode(&[br#"{"kind":"Status","code":500,"message":"m"}"#]);
        assert_eq!(result, Ok(()));
        assert!(matches!(&events[0], WatchEvent::Error(status) if status.code == 500));
    }

    #[test]
    fn a_partial_frame_at_the_end_gives_no_event() {
        let (events, result) = decode(&[&THREE.as_bytes()[..THREE.len() - 1]]);
        assert_eq!((events.len(), result), (2, Ok(())));
    }

    #[test]
    fn a_frame_that_never_ends_is_refused_before_it_fills_the_memory() {
        let mut decoder = WatchDecoder::default();
        let piece = vec![b'a'; 1 << 20];
        decoder.push(b"{\"type\":\"", &mut |_| {}).unwrap();
        let error = (0..17).find_map(|_| decoder.push(&piece, &mut |_| {}).err());
        assert_eq!(error, Some(DecodeError::TooLong { limit: LONGEST_VALUE }));
    }

    /// kubernetes/kubernetes#102874, kubernetes/client-go#1272.
    #[test]
    fn a_large_frame_leaves_no_large_buffer_behind() {
        let (mut decoder, mut names) = (WatchDecoder::default(), Vec::new());
        let large = "n".repeat(1 << 20);
        for name in [large.as_str(), "small"] {
            let frame = format!(r#"{{"type":"ADDED","object":{{"metadata":{{"name":"{name}"}}}}}}"#);
            let mut take = |event| {
                let WatchEvent::Added(object) = event else { panic!("{event:?} was not sent") };
                names.push(object.name().len());
            };
            decoder.push(frame.as_bytes(), &mut take).unwrap();
            assert!(decoder.partial.capacity() <= KEPT_BETWEEN_FRAMES);
        }
        assert_eq!(names, [1 << 20, 5]);
    }
}
