use std::cmp::Ordering;

use super::quantity;

/// The order of texts by what they say: numbers and quantities by their value, after all others; of the others, digits
/// by their number, so that `v1.9` comes before `v1.10`.
///
/// A total order: texts that say the same stand by their bytes.
pub(super) fn compare_values(a: &str, b: &str) -> Ordering {
    // Most texts are no numbers, which their first letter tells.
    let may_be_number =
        |text: &str| text.starts_with(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '+', '-']);
    let number = |text: &str| if may_be_number(text) { quantity(text) } else { None };
    let by_value = match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => natural(a.as_bytes(), b.as_bytes()),
    };
    by_value.then_with(|| a.cmp(b))
}

fn natural(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        // A number that both begin with is a part of what differs.
        let digits = a[..common].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        (a, b) = (&a[common - digits..], &b[common - digits..]);
        let (Some(first), Some(second)) = (a.first(), b.first()) else { return a.len().cmp(&b.len()) };
        if !first.is_ascii_digit() || !second.is_ascii_digit() {
            return first.cmp(second);
        }
        let (one, other) = (number(&mut a), number(&mut b));
        let order = one.len().cmp(&other.len()).then_with(|| one.cmp(other));
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
            &["pod-2", "pod-2-a", "pod-10", "pod-10-a", "pods"],
            &["a1b", "a1b2", "a01b3", "a1c", "a12", "a12b1"],
            &["10-x", "web"],
        ] {
            for pair in sorted.windows(2) {
                assert_eq!(compare_values(pair[0], pair[1]), Ordering::Less, "{pair:?}");
                assert_eq!(compare_values(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            }
        }
        assert_eq!(compare_values("v1", "v1"), Ordering::Equal);
    }
}
