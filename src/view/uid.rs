//! UIDs in 16 bytes: nearly all are UUIDs as the API server writes them, and the rest are texts elsewhere.

use std::cmp::Ordering;

use super::texts::Texts;

/// A UUID's bytes, or [`OTHER`] and the number of a text.
pub(super) type Packed = [u8; 16];

/// How no UUID begins that a server makes: all ones up to beyond the version.
const OTHER: [u8; 12] = [0xff; 12];

pub(super) fn pack(text: &str, texts: &mut Texts) -> Packed {
    uuid(text).unwrap_or_else(|| {
        let mut packed = [0xff; 16];
        packed[12..].copy_from_slice(&texts.take(text).to_be_bytes());
        packed
    })
}

pub(super) fn release(packed: Packed, texts: &mut Texts) {
    if let Some(id) = id_of(packed) {
        texts.release(id);
    }
}

pub(super) fn is(packed: Packed, text: &str, texts: &Texts) -> bool {
    match id_of(packed) {
        Some(id) => texts.get(id) == text,
        None => uuid(text) == Some(packed),
    }
}

pub(super) fn text(packed: Packed, texts: &Texts) -> Box<str> {
    match id_of(packed) {
        Some(id) => texts.get(id).into(),
        None => uuid_text(packed).into(),
    }
}

/// By the texts, which for UUIDs is by their bytes.
pub(super) fn compare(a: Packed, b: Packed, texts: &Texts) -> Ordering {
    match (id_of(a), id_of(b)) {
        (None, None) => a.cmp(&b),
        _ => text(a, texts).cmp(&text(b, texts)),
    }
}

fn id_of(packed: Packed) -> Option<u32> {
    let id = packed.strip_prefix(&OTHER)?;
    Some(u32::from_be_bytes(id.try_into().ok()?))
}

/// Hyphens stand before these bytes.
const fn is_after_hyphen(byte: usize) -> bool {
    matches!(byte, 4 | 6 | 8 | 10)
}

/// The bytes of a UUID in lower case with its four hyphens; none for all else.
fn uuid(text: &str) -> Option<Packed> {
    let mut rest = text.as_bytes();
    let mut packed = [0; 16];
    for (at, byte) in packed.iter_mut().enumerate() {
        if is_after_hyphen(at) {
            rest = rest.strip_prefix(b"-")?;
        }
        let [high, low, after @ ..] = rest else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
        rest = after;
    }
    (rest.is_empty() && !packed.starts_with(&OTHER)).then_some(packed)
}

const fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

fn uuid_text(packed: Packed) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let mut text = String::with_capacity(36);
    for (at, byte) in packed.into_iter().enumerate() {
        if is_after_hyphen(at) {
            text.push('-');
        }
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_and_keeps_its_order() {
        let mut texts = Texts::default();
        let mut all = [
            "",
            "0a1b2c3d-4e5f-4061-8273-8495a6b7c8d9",
            "0a1b2c3d-4e5f-4061-8273-8495a6b7c8d",
            "0A1B2C3D-4e5f-4061-8273-8495a6b7c8d9",
            "0a1b2c3d4e5f-4061-8273-8495a6b7c8d9-",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "ffffffff-ffff-4fff-bfff-ffffffffffff",
            "a-static-pod",
        ];
        all.sort_unstable();
        let packed = all.map(|uid| pack(uid, &mut texts));
        for (uid, packed) in all.iter().zip(packed) {
            assert_eq!(text(packed, &texts).as_ref(), *uid);
            assert!(all.iter().all(|other| is(packed, other, &texts) == (other == uid)), "{uid}");
        }
        assert!(packed.is_sorted_by(|a, b| compare(*a, *b, &texts).is_lt()));
        assert!(id_of(packed[0]).is_some());
        for packed in packed {
            release(packed, &mut texts);
        }
        assert!(texts.iter().all(str::is_empty));
    }
}
