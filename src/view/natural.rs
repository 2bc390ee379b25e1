use std::cmp::Ordering;

use super::quantity;

/// The order of texts by what they say: numbers and quantities by their value, after all others; of the others, digits
/// by their number, so that `v1.9` comes before `v1.10`.
///
/// A total order: texts that say the same stand by their bytes.
pub(super) fn compare_values(a: &str, b: &str) -> Ordering {
    let by_value = match (quantity(a), quantity(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => natural(a.as_bytes(), b.as_bytes()),
    };
    by_value.then_with(|| a.cmp(b))
}

fn natural(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let order = match (a, b) {
            ([], _) | (_, []) => return a.len().cmp(&b.len()),
            ([first, ..], [second, ..]) if first.is_ascii_digit() && second.is_ascii_digit() => {
                let (one, other) = (number(&mut a), number(&mut b));
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
            ([first, rest_of_a @ ..], [second, rest_of_b @ ..]) => {
                (a, b) = (rest_of_a, rest_of_b);
                first.cmp(second)
            }
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Takes the digits at the beginning, and gives them without the zeros before them.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    &digits[digits.iter().position(|byte| *byte != b'0').unwrap_or(digits.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_by_what_they_say() {
        for sorted in [
            &["v1.9", "v1.9.3", "v1.10", "v1.10.0-rc.2", "v1.10.0-rc.10", "v2"][..],
            &["1.9.0", "1.10.0", "2.0.0"],
            &["10.0.0.9", "10.0.0.10", "10.0.1.1"],
            &["<none>", "N/A", "-5", "9", "10", "500Mi", "1Gi", "10Gi"],
            &["", "a", "a-01", "a-1", "a-2", "a-10", "b"],
            &["aa", "ab", "b"],
            &["99999999999999999999998x", "99999999999999999999999x"],
            &["é1", "é2", "é10"],
        ] {
            for pair in sorted.windows(2) {
                assert_eq!(compare_values(pair[0], pair[1]), Ordering::Less, "{pair:?}");
                assert_eq!(compare_values(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            }
        }
        assert_eq!(compare_values("v1", "v1"), Ordering::Equal);
    }
}
