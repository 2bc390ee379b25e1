use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A time as the API writes it: `2026-11-29T10:00:00Z`, with a fraction or an offset where there is one
/// (`metav1.Time`, `metav1.MicroTime`, RFC 3339). None when it is anything else.
///
/// Jiff's parser reads much more than this, and it and the texts of its errors would be 40 KB of the page.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let (date_time, rest) = text.split_at_checked("2026-11-29T10:00:00".len())?;
    let bytes = date_time.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|(at, separator)| bytes[*at] != *separator) {
        return None;
    }
    let part = |from: usize, to: usize| number(bytes.get(from..to)?);
    let small = |from: usize| part(from, from + 2).map(|number| number as i8);
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(rest.bytes().take_while(u8::is_ascii_digit).count())?,
        None => ("0", rest),
    };
    // RFC 3339 knows leap seconds, and this clock does not.
    let second = small(17)?.min(59 + i8::from(small(17)? > 60));
    let nanosecond = nanoseconds(fraction.as_bytes())?;
    let year = part(0, 4)? as i16;
    let civil = DateTime::new(year, small(5)?, small(8)?, small(11)?, small(14)?, second, nanosecond).ok()?;
    offset(zone)?.to_timestamp(civil).ok()
}

/// At most four digits and nothing else.
fn number(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| u16::from(digit - b'0'))?;
        Some(number * 10 + digit)
    })
}

/// A fraction of a second; what is finer than a nanosecond is cut off.
fn nanoseconds(digits: &[u8]) -> Option<i32> {
    if digits.is_empty() {
        return None;
    }
    Some((0..9).fold(0, |number, at| number * 10 + digits.get(at).map_or(0, |digit| i32::from(digit - b'0'))))
}

/// `Z`, `+02:00` or `-08:30`.
fn offset(zone: &str) -> Option<Offset> {
    let sign = match zone.as_bytes() {
        b"Z" => return Some(Offset::UTC),
        [b'+', _, _, b':', _, _] => 1,
        [b'-', _, _, b':', _, _] => -1,
        _ => return None,
    };
    let bytes = zone.as_bytes();
    let (hours, minutes) = (number(&bytes[1..3])?, number(&bytes[4..6])?);
    let seconds = i32::from(hours) * 3600 + i32::from(minutes) * 60;
    Offset::from_seconds(sign * seconds).ok().filter(|_| minutes < 60)
}

/// For serde's `deserialize_with`; none is `null`.
pub(super) fn deserialize_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let Some(Text(text)) = Option::deserialize(deserializer)? else { return Ok(None) };
    parse_time(&text).map(Some).ok_or_else(|| D::Error::custom("expected a time as in RFC 3339"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_time_is_read_as_jiff_reads_it(second in -62_000_000_000_i64..253_000_000_000, nanosecond in 0..1_000_000_000) {
            let time = Timestamp::new(second, nanosecond).unwrap();
            if time.to_string().starts_with(|first: char| first.is_ascii_digit()) {
                prop_assert_eq!(parse_time(&time.to_string()), Some(time));
            }
        }

        #[test]
        fn whatever_is_read_means_the_same_to_jiff(text in "[0-9]{4}-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{1,9})?(Z|[+-][0-2][0-9]:[0-6][0-9])") {
            prop_assert_eq!(parse_time(&text), text.parse().ok());
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            let _ = parse_time(&text);
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        let texts = [
            "",
            "2026-11-29",
            "2026-11-29T10:00:00",
            "2026-11-29 10:00:00Z",
            "2026-11-29T10:00:00.Z",
            "2026-11-29T10:00:00Zulu",
            "2026-13-29T10:00:00Z",
            "2026-02-30T10:00:00Z",
            "2026-11-29T24:00:00Z",
            "2026-11-29T10:00:61Z",
            "2026-11-29T10:00:00+2:00",
            "+026-11-29T10:00:00Z",
            "2026-11-29T10:00:00é",
            "2026-11-29T10:00:0éZ",
        ];
        assert_eq!(texts.map(parse_time), [None; 14]);
    }
}
