/// The value of a Kubernetes quantity: `500m` is 0.5, `1Gi` is 1073741824; none when it is anything else.
///
/// As exact as a 64-bit float, which is enough to sort by (apimachinery: `resource.ParseQuantity`).
pub fn quantity(text: &str) -> Option<f64> {
    let (is_negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(digits);
    let value = decimal(number)? * factor(suffix)?;
    Some(if is_negative { -value } else { value })
}

fn decimal(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return None;
    }
    let digits = whole.bytes().chain(fraction.bytes());
    let value = digits.fold(0.0, |value, digit| value * 10.0 + f64::from(digit - b'0'));
    Some(value / power(10.0, fraction.len()))
}

fn factor(suffix: &str) -> Option<f64> {
    if let Some(exponent) = suffix.strip_prefix(['e', 'E']).filter(|it| !it.is_empty()) {
        // More would be no number any more.
        let exponent = exponent.parse::<i8>().ok()?;
        let scale = power(10.0, usize::from(exponent.unsigned_abs()));
        return Some(if exponent < 0 { 1.0 / scale } else { scale });
    }
    let (base, prefix) = match suffix.strip_suffix('i') {
        Some(prefix) => (1024.0, prefix),
        None => (1000.0, suffix),
    };
    match (prefix, suffix) {
        ("", "") => Some(1.0),
        (_, "n") => Some(1e-9),
        (_, "u") => Some(1e-6),
        (_, "m") => Some(1e-3),
        (_, "k") | ("K", "Ki") => Some(base),
        ("M", _) => Some(power(base, 2)),
        ("G", _) => Some(power(base, 3)),
        ("T", _) => Some(power(base, 4)),
        ("P", _) => Some(power(base, 5)),
        ("E", _) => Some(power(base, 6)),
        _ => None,
    }
}

fn power(base: f64, exponent: usize) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_numbers() {
        for (text, value) in [
            ("0", 0.0),
            ("100m", 0.1),
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-2", -2.0),
            ("+2", 2.0),
            ("3k", 3e3),
            ("1Ki", 1024.0),
            ("1.5Gi", 1_610_612_736.0),
            ("2M", 2e6),
            ("7n", 7e-9),
            ("7u", 7e-6),
            ("1T", 1e12),
            ("1Pi", 1_125_899_906_842_624.0),
            ("1E", 1e18),
            ("12e3", 12e3),
            ("5E-1", 0.5),
        ] {
            let found = quantity(text).unwrap();
            assert!((found - value).abs() <= value.abs() * 1e-12, "{text} is {found}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in
            ["", "-", ".", "1.2.3", "<none>", "N/A", "50%", "1K", "1ki", "1mi", "1i", "1 Gi", "e3", "1e999", "1ex"]
        {
            assert_eq!(quantity(text), None, "{text}");
        }
    }
}
