//! The bytes of which objects are made: lengths, and texts as short as they can be written.

/// Writes a number in as few bytes as it needs, seven bits in each, the lowest first.
pub(super) fn push_varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads bytes from their beginning. Whatever is missing reads as zero: these bytes are made here, and never sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(super) fn varint(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << (shift & 63);
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    pub(super) fn length(&mut self) -> usize {
        self.varint() as usize
    }

    pub(super) fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub(super) fn text(&mut self) -> &'a str {
        let length = self.length();
        str::from_utf8(self.take(length)).unwrap_or_default()
    }
}

/// How many bytes two slices have in common at their beginning.
pub(super) fn shared_prefix(one: &[u8], other: &[u8]) -> usize {
    let (words, other_words) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let mut shared = 0;
    for (one, other) in words.iter().zip(other_words) {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return shared + (differing.trailing_zeros() / u8::BITS) as usize;
        }
        shared += 8;
    }
    shared + one[shared..].iter().zip(&other[shared..]).take_while(|(one, other)| one == other).count()
}

/// The shortest text that is worth to be packed by its digits.
const SHORTEST_HEX: usize = 8;

pub(super) fn is_hex(text: &[u8]) -> bool {
    text.len() >= SHORTEST_HEX && text.iter().all(|byte| digit(*byte).is_some())
}

/// Two digits in a byte.
pub(super) fn push_hex(out: &mut Vec<u8>, text: &[u8]) {
    let value = |byte: Option<&u8>| byte.and_then(|byte| digit(*byte)).unwrap_or_default();
    out.extend(text.chunks(2).map(|pair| value(pair.first()) << 4 | value(pair.get(1))));
}

/// Writes `digits` digits as text.
pub(super) fn unpack_hex(packed: &[u8], digits: usize, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let halves = packed.iter().flat_map(|byte| [byte >> 4, byte & 15]).take(digits);
    out.extend(halves.map(|half| char::from(DIGITS[usize::from(half)])));
}

/// Lower case only: what is packed must come out as it was.
const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// The bytes of a UUID and where its hyphens stand.
pub(super) const UUID: usize = 16;
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

pub(super) fn push_uuid(out: &mut Vec<u8>, text: &str) -> bool {
    let text = text.as_bytes();
    if text.len() != 36 || HYPHENS.iter().any(|at| text[*at] != b'-') {
        return false;
    }
    let mut digits = [0_u8; 32];
    for (place, byte) in digits.iter_mut().zip(text.iter().filter(|byte| **byte != b'-')) {
        *place = *byte;
    }
    let is_packed = is_hex(&digits);
    if is_packed {
        push_hex(out, &digits);
    }
    is_packed
}

pub(super) fn unpack_uuid(packed: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (at, part) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
        if at > 0 {
            text.push('-');
        }
        let part = packed.get(part).unwrap_or_default();
        unpack_hex(part, part.len() * 2, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_as_few_bytes_as_they_need() {
        for (number, length) in [(0, 1), (127, 1), (128, 2), (300, 2), (u64::from(u32::MAX), 5), (u64::MAX, 10)] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            assert_eq!((Reader(&bytes).varint(), bytes.len()), (number, length));
        }
        assert_eq!((Reader(b"").varint(), Reader(&[5, b'a']).text()), (0, "a"), "what is missing is zero");
    }

    #[test]
    fn digits_and_uuids_come_back_as_they_were() {
        for text in ["0123456789abcdef", "fffffffff"] {
            let (mut packed, mut back) = (Vec::new(), String::new());
            assert!(is_hex(text.as_bytes()));
            push_hex(&mut packed, text.as_bytes());
            unpack_hex(&packed, text.len(), &mut back);
            assert_eq!(back, text);
        }
        assert!(!is_hex(b"0123456789ABCDEF") && !is_hex(b"abc"));
        let uuid = "6f2a1b9c-0d3e-4f5a-8b7c-1234567890ab";
        let mut packed = Vec::new();
        assert!(push_uuid(&mut packed, uuid));
        assert_eq!((packed.len(), unpack_uuid(&packed).as_str()), (UUID, uuid));
        let shouted = uuid.to_uppercase();
        for other in ["6f2a1b9c", &uuid.replace('-', "0"), &shouted, "6f2a1b9c-0d3e-4f5a-8b7c--234567890ab"] {
            assert!(!push_uuid(&mut packed, other), "{other}");
        }
    }
}
