//! Whatever bytes come and however they are cut: the decoders give the same, hold little and never panic.
//!
//! 256 cases each by default; `PROPTEST_CASES` asks for more.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use watchglass::rest::decode::{DecodeError, ListDecoder, WatchDecoder};

/// What a decoder made of the bytes: each thing it gave, and how it ended.
#[derive(Debug, PartialEq)]
struct Outcome {
    given: Vec<String>,
    end: Result<String, Failure>,
}

/// An error, without the beginning of what was not JSON: it shows no more of a text than has come.
#[derive(Debug, PartialEq)]
enum Failure {
    NotJson,
    Other(DecodeError),
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::NotJson { .. } => Self::NotJson,
            other => Self::Other(other),
        }
    }
}

/// Feeds the pieces; with the most bytes that were held between two of them.
fn as_watch(pieces: &[&[u8]]) -> (Outcome, usize) {
    let (mut decoder, mut given, mut held) = (WatchDecoder::default(), Vec::new(), 0);
    let result = pieces.iter().try_for_each(|piece| {
        let pushed = decoder.push(piece, &mut |event| given.push(format!("{event:?}")));
        held = held.max(decoder.buffered());
        pushed
    });
    (Outcome { given, end: result.map(|()| String::new()).map_err(Failure::from) }, held)
}

fn as_list(pieces: &[&[u8]]) -> (Outcome, usize) {
    let (mut decoder, mut given, mut held) = (ListDecoder::default(), Vec::new(), 0);
    let result = pieces.iter().try_for_each(|piece| {
        let pushed = decoder.push(piece, &mut |item| given.push(format!("{item:?}")));
        held = held.max(decoder.buffered());
        pushed
    });
    let end = result.and_then(|()| decoder.finish()).map(|head| format!("{head:?}")).map_err(Failure::from);
    (Outcome { given, end }, held)
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

fn assert_same_however_it_is_cut(bytes: &[u8], cuts: &[Index]) {
    for decode in [as_watch, as_list] {
        let (whole, _) = decode(&[bytes]);
        let (cut, held) = decode(&pieces(bytes, cuts));
        assert_eq!(cut, whole, "cut at random");
        assert!(held <= bytes.len());
        let each: Vec<_> = bytes.chunks(1).collect();
        assert_eq!(decode(&each).0, whole, "cut at each byte");
    }
}

/// Pieces of JSON that are known to confuse, valid and not.
const ODD: [&str; 40] = [
    r#""\u0041\ud83e\udd80""#,
    r#""\ud800""#,
    r#""\udc00\ud800""#,
    r#""\u00""#,
    r#""\x""#,
    r#""\\\"\/\b\f\n\r\t""#,
    r#""}]{[,:""#,
    r#""größe 日本 🦀""#,
    "\"\u{0}\"",
    r#""\u0000""#,
    "\"\n\"",
    "\u{0}",
    "\u{feff}",
    "{}",
    "[]",
    "[[[[[[[[[[]]]]]]]]]]",
    r#"{"a":{"a":{"a":{}}}}"#,
    r#"{"name":"a","name":"b"}"#,
    r#"{"metadata":{"name":"a"},"metadata":{"name":"b"}}"#,
    "null",
    "true",
    "nul",
    "0",
    "-0.0e-0",
    "1e999",
    "123456789012345678901234567890",
    "01",
    "+1",
    "NaN",
    ",",
    ":",
    "}",
    "]",
    "{",
    "[",
    "\"",
    "\\",
    " ",
    "\r\n",
    "\u{c}",
];

fn value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        (0..ODD.len()).prop_map(|at| ODD[at].to_owned()),
        ".{0,12}".prop_map(|text| serde_json::Value::from(text).to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    let nested = leaf.prop_recursive(4, 16, 4, |inner| {
        let list = vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(",")));
        let field = (prop_oneof![Just("metadata"), Just("name"), Just("spec"), Just("kind"), Just("\\u0061")], inner)
            .prop_map(|(name, value)| format!("\"{name}\": {value}"));
        prop_oneof![list, vec(field, 0..4).prop_map(|fields| format!("{{{}}}", fields.join(",")))]
    });
    nested.boxed()
}

/// An object as a server sends it, with something odd inside.
fn object() -> impl Strategy<Value = String> {
    ("[a-zé]{1,8}", "[0-9]{1,4}", value()).prop_map(|(name, version, odd)| {
        format!(r#"{{"kind":"Pod","metadata":{{"name":"{name}","resourceVersion":"{version}"}},"spec":{odd}}}"#)
    })
}

fn white() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just(" \t"), Just("\n\n")]
}

fn watch_body() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        4 => Just("ADDED"), 2 => Just("MODIFIED"), 2 => Just("DELETED"), 2 => Just("BOOKMARK"), 1 => Just("ERROR"),
        1 => Just("MOVED")
    ];
    let frame = (kind, object(), white())
        .prop_map(|(kind, object, white)| format!(r#"{{"type":"{kind}","object":{object}}}{white}"#));
    vec(frame, 0..6).prop_map(|frames| frames.concat())
}

fn list_body() -> impl Strategy<Value = String> {
    (vec((object(), white()), 0..6), value(), any::<bool>(), white()).prop_map(|(items, odd, items_first, white)| {
        let items: Vec<_> = items.into_iter().map(|(item, white)| item + white).collect();
        let items = format!(r#""items":{white}[{}]"#, items.join(","));
        let head = format!(r#""kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"odd":{odd}"#);
        let (first, second) = if items_first { (items, head) } else { (head, items) };
        format!("{{{white}{first},{white}{second}}}{white}")
    })
}

/// What a bad network, proxy or server makes of a body.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    CutOff(Index),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (any::<Index>(), (0..ODD.len())).prop_map(|(at, odd)| Change::Insert(at, ODD[odd].into())),
        (any::<Index>(), vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<Index>(), 1..9_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        any::<Index>().prop_map(Change::CutOff),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match change {
            Change::Flip(at, byte) => {
                let at = place(at);
                if let Some(there) = bytes.get_mut(at) {
                    *there ^= byte;
                }
            }
            Change::Insert(at, new) => {
                let at = place(at);
                bytes.splice(at..at, new.iter().copied());
            }
            Change::Remove(at, count) => {
                let at = place(at);
                bytes.drain(at..bytes.len().min(at + count));
            }
            Change::CutOff(at) => bytes.truncate(place(at)),
            Change::Repeat(at, count) => {
                let at = place(at);
                let again = bytes[at..bytes.len().min(at + count)].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_reads_the_same_however_it_is_cut(
        body in prop_oneof![watch_body(), list_body()],
        changes in vec(change(), 0..4),
        cuts in cuts(),
    ) {
        assert_same_however_it_is_cut(&changed(body.into_bytes(), &changes), &cuts);
    }

    #[test]
    fn garbage_reads_the_same_however_it_is_cut(
        bytes in vec(prop_oneof![any::<u8>(), (0..8_usize).prop_map(|at| b"{}[]\",:\\"[at])], 0..200),
        is_framed in any::<bool>(),
        cuts in cuts(),
    ) {
        let framed = [&b"{\"items\":["[..], &bytes].concat();
        assert_same_however_it_is_cut(if is_framed { &framed } else { &bytes }, &cuts);
    }

    /// An item that was handed out is held no longer.
    #[test]
    fn no_more_is_held_than_the_longest_value(lengths in vec(1..2000_usize, 1..20), piece in 1..500_usize) {
        let object = |length: &usize| format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "n".repeat(*length));
        let longest = lengths.iter().max().map_or(0, |length| object(length).len());
        let list = format!("{{\"items\":[{}]}}", lengths.iter().map(object).collect::<Vec<_>>().join(","));
        let pieces: Vec<_> = list.as_bytes().chunks(piece).collect();
        let (outcome, held) = as_list(&pieces);
        prop_assert!(outcome.end.is_ok() && outcome.given.len() == lengths.len() && held <= longest);
        let event = |length: &usize| format!(r#"{{"type":"ADDED","object":{}}}"#, object(length));
        let watch = lengths.iter().map(event).collect::<String>();
        let pieces: Vec<_> = watch.as_bytes().chunks(piece).collect();
        let (outcome, held) = as_watch(&pieces);
        let around = event(&0).len() - object(&0).len();
        prop_assert!(outcome.end.is_ok() && outcome.given.len() == lengths.len() && held <= longest + around);
    }
}

/// A value of the depth, as an item of a list and as an event.
fn nested(open: &str, close: &str, depth: usize) -> [String; 2] {
    let odd = format!("{}0{}", open.repeat(depth), close.repeat(depth));
    let object = format!(r#"{{"metadata":{{"name":"a"}},"spec":{odd}}}"#);
    [format!(r#"{{"items":[{object}]}}"#), format!(r#"{{"type":"ADDED","object":{object}}}"#)]
}

#[test]
fn a_depth_that_no_stack_holds_is_refused_and_one_of_a_hundred_is_not() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        for (depth, is_read) in [(100, true), (200, false), (100_000, false), (2_000_000, false)] {
            let [list, watch] = nested(open, close, depth);
            assert_eq!(as_list(&[list.as_bytes()]).0.end.is_ok(), is_read, "{open} {depth} in a list");
            assert_eq!(as_watch(&[watch.as_bytes()]).0.end.is_ok(), is_read, "{open} {depth} in a watch");
        }
        let odd = format!(r#"{{"odd":{}0{},"items":[]}}"#, open.repeat(1_000_000), close.repeat(1_000_000));
        let halves = odd.as_bytes().split_at(odd.len() / 2);
        assert!(as_list(&[halves.0, halves.1]).0.end.is_ok(), "what is of no interest may be as deep as it likes");
    }
}

#[test]
fn a_value_that_never_ends_is_refused_before_it_fills_the_memory() {
    const LIMIT: usize = 16 * 1024 * 1024;
    let piece = [b'x'; 1 << 16];
    let starts = ["{\"items\":[{\"a\":\"", "{\"items\":[{\"a\":[", "{\"odd\":\"", "{\"odd\":1", "{\"", "{\"kind\":\""];
    for start in starts {
        let pieces: Vec<&[u8]> =
            std::iter::once(start.as_bytes()).chain(std::iter::repeat_n(&piece[..], 300)).collect();
        let (outcome, held) = as_list(&pieces);
        assert_eq!(outcome.end, Err(Failure::Other(DecodeError::TooLong { limit: LIMIT })), "{start}");
        assert!(held <= LIMIT, "{start}");
    }
    let blank = [b' '; 1 << 16];
    let pieces: Vec<&[u8]> = std::iter::repeat_n(&blank[..], 300).collect();
    assert_eq!((as_watch(&pieces).1, as_list(&pieces).1), (0, 0), "what is between values is not kept");
}

#[test]
fn one_huge_string_is_read_whole() {
    let name = "ü".repeat(4 << 20);
    let list = format!(r#"{{"items":[{{"metadata":{{"name":"{name}"}}}}]}}"#);
    let pieces: Vec<_> = list.as_bytes().chunks(99_991).collect();
    let (mut decoder, mut lengths) = (ListDecoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece, &mut |item| lengths.push(item.name().len())).unwrap();
    }
    assert_eq!((lengths, decoder.finish().is_ok()), (vec![name.len()], true));
}

/// A name that stands twice is one too many: which one holds is anybody's guess.
#[test]
fn duplicate_names_escapes_and_lone_surrogates_are_told_apart() {
    let name = |fields: &str| {
        let (outcome, _) = as_list(&[format!(r#"{{"items":[{{"metadata":{{{fields}}}}}]}}"#).as_bytes()]);
        outcome.end.map(|_| outcome.given.concat())
    };
    assert!(name(r#""name":"a","name":"b""#).is_err());
    assert!(name(r#""name":"\ud83e\udd80""#).is_ok_and(|item| item.contains("🦀")));
    assert!(name(r#""n\u0061me":"a""#).is_ok_and(|item| item.contains(r#""name": String("a")"#)));
    assert!(name(r#""name":"\u0000""#).is_ok_and(|item| item.contains("\\0")));
    for bad in [r#""name":"\ud83e""#, r#""name":"\udd80\ud83e""#, "\"name\":\"\u{0}\"", r#""name":"\q""#] {
        assert!(name(bad).is_err(), "{bad}");
    }
}
