use crate::api::ValueRef;

/// An object's entries in the order in which kubectl prints them.
pub(super) fn sorted_entries<'a>(value: ValueRef<'a>) -> Vec<(&'a str, ValueRef<'a>)> {
    // Entries mostly come sorted. No order of the library's: it may panic over one that is none, as Go's may be.
    let mut sorted: Vec<(&str, ValueRef<'_>)> = Vec::new();
    for entry in value.entries() {
        let at = sorted.partition_point(|before| !is_less(entry.0, before.0));
        sorted.insert(at, entry);
    }
    sorted
}

/// Numbers within keys by their size, and letters after everything else (go.yaml.in/yaml/v2: `sorter.go`).
fn is_less(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    let (rest_one, rest_other) = (&one[common..], &other[common..]);
    let (Some(a), Some(b)) = (rest_one.chars().next(), rest_other.chars().next()) else {
        return one.len() < other.len();
    };
    match (is_letter(a), is_letter(b)) {
        (true, true) => return a < b,
        (false, false) => {}
        (_, is_letter) => return is_letter,
    }
    // Within a number that has begun before, zeros lead nothing.
    let begun = one[..common].bytes().rev().take_while(u8::is_ascii_digit).any(|digit| digit != b'0');
    let start = i64::from(begun && (a == '0' || b == '0'));
    let (number_one, digits_one) = leading_number(rest_one, start);
    let (number_other, digits_other) = leading_number(rest_other, start);
    (number_one, digits_one, a) < (number_other, digits_other, b)
}

fn leading_number(text: &str, start: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((start, 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), count + 1)
    })
}

const fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic() || !character.is_ascii()
}
