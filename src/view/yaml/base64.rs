/// Bytes from their standard base64 text, line breaks in it or not; none when it is anything else.
pub(in crate::view) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut digits, mut padding) = (0_u32, 0_usize, 0_usize);
    for byte in text.bytes() {
        let digit = match byte {
            b'\r' | b'\n' => continue,
            b'=' => {
                padding += 1;
                continue;
            }
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = (bits << 6) | u32::from(digit);
        digits += 1;
        if digits % 4 != 1 {
            bytes.push((bits >> (6 - 2 * ((digits - 1) % 4))) as u8);
        }
    }
    let is_whole = (digits + padding).is_multiple_of(4) && padding <= 2;
    is_whole.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, 10
    #[test]
    fn bytes_come_out_of_their_text() {
        for (text, bytes) in
            [("", ""), ("Zg==", "f"), ("b2Y=", "of"), ("Zm9v", "foo"), ("Zm9v\nYg==", "foob"), ("Zm9vYmFy", "foobar")]
        {
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decode("/+8="), Some(vec![0xff, 0xef]));
        for text in ["Z", "Zg", "Zg=", "Zg==Zg==", "Zm9v====", "Z*==", "\u{2022}\u{2022}\u{2022}\u{2022}"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
