use serde::de::{DeserializeOwned, IgnoredAny};

use super::scan::ValueScanner;
use super::{DecodeError, LONGEST_VALUE, SharedPool, beginning, reason};
use crate::api::{ListMeta, Object, TypeMeta};

/// What a list says of itself and of all its items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListHead {
    pub api_version: String,
    pub kind: String,
    pub metadata: ListMeta,
}

impl ListHead {
    /// A server says once for all items of what kind they are.
    pub(crate) fn item_type(&self) -> TypeMeta<'_> {
        match self.kind.strip_suffix("List") {
            Some(kind) => TypeMeta { api_version: &self.api_version, kind },
            None => TypeMeta::default(),
        }
    }
}

/// Reads a list while it arrives: hands out each item as soon as its bytes are whole, and holds no more than one.
///
/// How the bytes are cut into pieces makes no difference.
#[derive(Debug, Default)]
pub struct ListDecoder {
    pool: SharedPool,
    place: Place,
    scanner: ValueScanner,
    /// The value being read, as far as it came in earlier pieces.
    partial: Vec<u8>,
    /// Bytes of the item before: one of which fewer have come is hardly whole.
    latest: usize,
    key: String,
    head: ListHead,
    items: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    #[default]
    Start,
    BeforeKey,
    Key,
    AfterKey,
    BeforeValue,
    Value,
    AfterValue,
    BeforeItem,
    Item,
    AfterItem,
    End,
}

impl ListDecoder {
    /// A decoder of objects that have much in common with those that the pool has read before.
    pub fn with_pool(pool: &SharedPool) -> Self {
        Self { pool: pool.clone(), ..Self::default() }
    }

    /// Takes the next piece and gives the items that it completes. They are of the list's kind where they do not say of
    /// which they are, and the list has said it before them.
    ///
    /// # Errors
    /// When the bytes are not those of a list; the decoder is of no use after that.
    pub fn push(&mut self, mut bytes: &[u8], on_item: &mut dyn FnMut(Object)) -> Result<(), DecodeError> {
        while !bytes.is_empty() {
            bytes = match self.place {
                Place::Key | Place::Value | Place::Item => self.value(bytes, on_item)?,
                _ => self.structure(bytes)?,
            };
        }
        Ok(())
    }

    /// How many bytes it holds of a value that is not whole yet; of those that are whole, none.
    pub fn buffered(&self) -> usize {
        self.partial.len()
    }

    /// What the list said of itself.
    ///
    /// # Errors
    /// When the list has not come to its end.
    pub fn finish(self) -> Result<ListHead, DecodeError> {
        match self.place {
            Place::End => Ok(self.head),
            Place::Start => Err(DecodeError::NotJson { start: "nothing".into() }),
            _ => Err(DecodeError::Truncated { what: format!("the list, after {} items", self.items) }),
        }
    }

    /// Goes over whitespace and one structural byte, or up to the start of a value.
    fn structure<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], DecodeError> {
        let bytes = bytes.trim_ascii_start();
        let Some(&byte) = bytes.first() else { return Ok(bytes) };
        let (place, consumed) = match (self.place, byte) {
            (Place::Start, b'{') | (Place::AfterValue, b',') => (Place::BeforeKey, 1),
            (Place::BeforeKey, b'"') => (Place::Key, 0),
            (Place::BeforeKey | Place::AfterValue, b'}') => (Place::End, 1),
            (Place::AfterKey, b':') => (Place::BeforeValue, 1),
            (Place::BeforeValue, b'[') if self.key == "items" => (Place::BeforeItem, 1),
            (Place::BeforeValue, _) => (Place::Value, 0),
            (Place::BeforeItem, b']') | (Place::AfterItem, b']') => (Place::AfterValue, 1),
            (Place::BeforeItem, b'{') => (Place::Item, 0),
            (Place::AfterItem, b',') => (Place::BeforeItem, 1),
            (Place::Start, _) => return Err(DecodeError::NotJson { start: beginning(bytes) }),
            // What stands here may be part of an object.
            _ => return Err(DecodeError::NotJson { start: format!("something else after {} items", self.items) }),
        };
        self.place = place;
        Ok(&bytes[consumed..])
    }

    /// Takes what belongs to the value being read, and the value itself when it is whole.
    fn value<'a>(&mut self, bytes: &'a [u8], on_item: &mut dyn FnMut(Object)) -> Result<&'a [u8], DecodeError> {
        if self.place == Place::Item
            && self.partial.is_empty()
            && bytes.len() >= self.latest
            && let Some((item, length)) = self.pool.read_first(bytes, self.head.item_type())
        {
            self.hand_out(item, length, on_item);
            return Ok(&bytes[length..]);
        }
        let end = self.scanner.push(bytes);
        let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        if self.partial.len() + part.len() > LONGEST_VALUE {
            return Err(DecodeError::TooLong { limit: LONGEST_VALUE });
        }
        if end.is_none() {
            self.partial.extend_from_slice(part);
            return Ok(rest);
        }
        self.scanner = ValueScanner::default();
        if self.partial.is_empty() {
            self.take(part, on_item)?;
        } else {
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(part);
            self.take(&whole, on_item)?;
            whole.clear();
            self.partial = whole;
        }
        Ok(rest)
    }

    fn take(&mut self, whole: &[u8], on_item: &mut dyn FnMut(Object)) -> Result<(), DecodeError> {
        match self.place {
            Place::Key => {
                self.key = parse(whole, || "a field's name".into())?;
                self.place = Place::AfterKey;
            }
            Place::Item => {
                let item = self.pool.read(whole, self.head.item_type());
                let what = || format!("item {} of the list", self.items);
                let item = item.map_err(|error| DecodeError::Value { what: what(), reason: reason(&error) })?;
                self.hand_out(item, whole.len(), on_item);
            }
            _ => {
                let what = || format!("the list's {}", self.key);
                match self.key.as_str() {
                    "apiVersion" => self.head.api_version = parse(whole, what)?,
                    "kind" => self.head.kind = parse(whole, what)?,
                    "metadata" => self.head.metadata = parse(whole, what)?,
                    _ => {
                        let _read_and_forgotten: IgnoredAny = parse(whole, what)?;
                    }
                }
                self.place = Place::AfterValue;
            }
        }
        Ok(())
    }

    fn hand_out(&mut self, item: Object, length: usize, on_item: &mut dyn FnMut(Object)) {
        self.items += 1;
        self.latest = length;
        self.place = Place::AfterItem;
        on_item(item);
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], what: impl FnOnce() -> String) -> Result<T, DecodeError> {
    serde_json::from_slice(bytes).map_err(|error| DecodeError::Value { what: what(), reason: reason(&error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#" {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12","remainingItemCount":3},
        "items":[ {"metadata":{"name":"a","labels":{"t":"}]\"é"}}} , {"metadata":{"name":"b"}}]}
        "#;

    fn decode(pieces: &[&[u8]]) -> Result<(ListHead, Vec<String>), DecodeError> {
        let mut decoder = ListDecoder::default();
        let mut names = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut |object| names.push(object.name().to_owned()))?;
        }
        Ok((decoder.finish()?, names))
    }

    #[test]
    fn a_list_reads_the_same_at_every_cut() {
        for cut in 0..=LIST.len() {
            let (head, tail) = LIST.as_bytes().split_at(cut);
            let (head, names) = decode(&[head, b"", tail]).unwrap();
            assert_eq!((head.kind.as_str(), head.metadata.resource_version.as_str()), ("PodList", "12"));
            assert_eq!(head.metadata.remaining_item_count, Some(3));
            assert_eq!(names, ["a", "b"], "cut at {cut}");
        }
    }

    /// kubernetes/kubernetes#73497: nothing is as large as the whole list's text.
    #[test]
    fn an_item_is_handed_out_before_the_next_one_has_come() {
        let mut decoder = ListDecoder::default();
        let mut names = Vec::new();
        decoder
            .push(br#"{"items":[{"metadata":{"name":"a"}},{"meta"#, &mut |it| names.push(it.name().to_owned()))
            .unwrap();
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn items_may_stand_before_the_metadata_and_may_be_null() {
        let (head, names) = decode(&[br#"{"items":[],"kind":"L","metadata":{"resourceVersion":"1"}}"#]).unwrap();
        assert_eq!((head.metadata.resource_version.as_str(), names.len()), ("1", 0));
        let (head, names) = decode(&[br#"{"metadata":{"resourceVersion":"1"},"items":null}"#]).unwrap();
        assert_eq!((head.metadata.resource_version.as_str(), names.len()), ("1", 0));
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_beginning() {
        let error = decode(&[b"<!doctype html>\n<title>Sign in</title>"]).unwrap_err();
        assert_eq!(error.to_string(), "expected JSON, got: <!doctype html> <title>Sign in</title>");
        assert!(matches!(decode(&[b"{\"items\":[3]}"]), Err(DecodeError::NotJson { .. })));
        assert!(matches!(decode(&[b"{\"items\":[{\"metadata\":7}]}"]), Err(DecodeError::Value { .. })));
        assert!(matches!(decode(&[b""]), Err(DecodeError::NotJson { .. })));
    }

    #[test]
    fn a_truncated_list_says_how_far_it_came() {
        let within_b = LIST.find(r#""b""#).unwrap();
        let error = decode(&[&LIST.as_bytes()[..within_b]]).unwrap_err();
        assert_eq!(error.to_string(), "it ended in the middle of the list, after 1 items");
    }
}
