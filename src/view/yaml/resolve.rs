use jiff::civil::Date;

/// What YAML 1.1 takes for something else than a text. Go-yaml means to have `<<` here too, and never finds it.
const WORDS: &str = " y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF \
    ~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF << ";

/// Whether YAML would not read this as a text where it stands without quotes (go.yaml.in/yaml/v2: `resolve.go`,
/// `encode.go`).
pub(super) fn is_no_text(text: &str) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    if !text.contains(' ') && text.len() <= 5 && WORDS.contains(&[" ", text, " "].concat()) {
        return true;
    }
    match first {
        b'.' => is_float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            let plain = text.replace('_', "");
            is_timestamp(text) || is_integer(&plain) || is_float(&plain) || is_base_60(text)
        }
        _ => false,
    }
}

/// With a prefix of its base, or one of octal without it; of 64 bits, as Go has them.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let prefixes = [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8), ("0", 8)];
    let prefixed = prefixes.into_iter().find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
    let (digits, radix) = prefixed.filter(|_| digits.len() > 1).unwrap_or((digits, 10));
    let number = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
    // Signed numbers have one bit less, and one more of them is below zero.
    let bound = match text.as_bytes().first() {
        Some(b'+') => i64::MAX.unsigned_abs(),
        Some(b'-') => i64::MIN.unsigned_abs(),
        _ => u64::MAX,
    };
    number.is_some_and(|number| number <= bound)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, unless it is beyond what a float holds.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix('+').unwrap_or(exponent)),
        None => (unsigned, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_mantissa = all_digits(whole) && all_digits(fraction) && !mantissa.is_empty() && mantissa != ".";
    let size = exponent.strip_prefix('-').unwrap_or(exponent);
    if !is_mantissa || size.is_empty() || !all_digits(size) {
        return false;
    }
    let digits = whole.trim_start_matches('0').len() as i64;
    let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    is_zero || exponent.starts_with('-') || size.parse::<i64>().is_ok_and(|size| size.saturating_add(digits) <= 309)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: minutes and seconds, as in YAML 1.1.
fn is_base_60(text: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let mut parts = text.strip_prefix(['+', '-']).unwrap_or(text).split(':');
    let is_first = parts.next().is_some_and(|part| is_digits(part) && part.starts_with(|it: char| it.is_ascii_digit()));
    let mut parts = parts.peekable();
    if !is_first || parts.peek().is_none() {
        return false;
    }
    while let Some(part) = parts.next() {
        let part = match part.split_once('.') {
            Some((part, fraction)) if parts.peek().is_none() && is_digits(fraction) => part,
            _ => part,
        };
        if !matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']) {
            return false;
        }
    }
    true
}

/// `2006-1-2`, alone or with a time: `T15:4:5.9Z`, `t15:4:5+01:00`, ` 15:4:5`.
fn is_timestamp(text: &str) -> bool {
    let mut rest = text;
    let mut number = |digits: usize, end: &[char]| {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (found, after) = rest.split_at(length);
        let next = after.chars().next();
        rest = after.strip_prefix(end).unwrap_or(after);
        let is_right = (1..=digits).contains(&length) && next.is_none_or(|next| end.contains(&next));
        is_right.then(|| (found.parse::<i16>().unwrap_or(-1), length, next))
    };
    let Some((year, 4, Some(_))) = number(4, &['-']) else { return false };
    let Some((month, _, Some(_))) = number(2, &['-']) else { return false };
    let Some((day, _, separator)) = number(2, &['T', 't', ' ']) else { return false };
    if Date::new(year, month as i8, day as i8).is_err() {
        return false;
    }
    let Some(separator) = separator else { return true };
    let Some((0..24, _, Some(_))) = number(2, &[':']) else { return false };
    let Some((0..60, _, Some(_))) = number(2, &[':']) else { return false };
    let Some((0..60, _, mut next)) = number(2, &['.', ',', 'Z', '+', '-']) else { return false };
    if matches!(next, Some('.' | ',')) {
        let Some((_, _, after)) = number(usize::MAX, &['Z', '+', '-']) else { return false };
        next = after;
    }
    match next {
        None => separator == ' ',
        Some(_) if separator == ' ' => false,
        Some('Z') => rest.is_empty(),
        Some(_) => {
            matches!(rest.as_bytes(), [b'0'..=b'2', _, b':', b'0'..=b'6', _] if all_digits(&rest.replace(':', "")))
        }
    }
}
