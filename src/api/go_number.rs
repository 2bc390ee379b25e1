use serde_json::Number;

/// A number as Go's `%v` prints it: `0.5`, `1e+06`, `1.5e-07` (strconv's `g`, the shortest digits).
pub(super) fn float_text(value: f64) -> String {
    Decimal::of(value).text(-4, 6, 2)
}

/// A number as Go writes it into JSON: `0.5`, `1000000`, `1.5e-7` (encoding/json's `floatEncoder`).
pub(super) fn json_float_text(value: f64) -> String {
    Decimal::of(value).text(-6, 21, 1)
}

/// A number as it reads after JSON: what is whole became an integer there, and the rest is as in [`float_text`].
pub(crate) fn number_text(value: f64) -> String {
    const BOUND: f64 = 9.2e18;
    if value.abs() < BOUND && value.trunc() == value {
        return (value as i64).to_string();
    }
    float_text(value)
}

/// The first digit stands before the point, and the exponent is one of ten.
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// From serde_json's text of it: the standard library's way to the shortest digits is large, and this one is
    /// there already.
    fn of(value: f64) -> Self {
        let text = Number::from_f64(value.abs()).map(|number| number.to_string()).unwrap_or_default();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        let leading = (all.len() - digits.len()) as i32;
        let digits = digits.trim_end_matches('0');
        let is_zero = digits.is_empty();
        let exponent = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32 - 1 - leading;
        Self {
            is_negative: value.is_sign_negative(),
            digits: if is_zero { "0" } else { digits }.to_owned(),
            exponent: if is_zero { 0 } else { exponent },
        }
    }

    /// With an exponent of at least so many digits below the one and from the other power of ten on.
    fn text(&self, below: i32, from: i32, exponent_digits: usize) -> String {
        let Self { is_negative, digits, exponent } = self;
        let mut text = String::from(if *is_negative { "-" } else { "" });
        let size = exponent.unsigned_abs() as usize;
        if *exponent < below || *exponent >= from {
            text.push_str(&digits[..1]);
            push_fraction(&mut text, &digits[1..]);
            text.push_str(if *exponent < 0 { "e-" } else { "e+" });
            let number = size.to_string();
            push_zeros(&mut text, exponent_digits.saturating_sub(number.len()));
            text.push_str(&number);
        } else if *exponent < 0 {
            text.push_str("0.");
            push_zeros(&mut text, size - 1);
            text.push_str(digits);
        } else {
            let whole = digits.len().min(size + 1);
            text.push_str(&digits[..whole]);
            push_zeros(&mut text, size + 1 - whole);
            push_fraction(&mut text, &digits[whole..]);
        }
        text
    }
}

fn push_fraction(text: &mut String, digits: &str) {
    if !digits.is_empty() {
        text.push('.');
        text.push_str(digits);
    }
}

fn push_zeros(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n('0', count));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_go_prints_them() {
        for (value, printed, in_json) in [
            (0.0, "0", "0"),
            (0.5, "0.5", "0.5"),
            (-1.25, "-1.25", "-1.25"),
            (42.0, "42", "42"),
            (1e5, "100000", "100000"),
            (100_000.5, "100000.5", "100000.5"),
            (1e6, "1e+06", "1000000"),
            (1_234_567.25, "1.23456725e+06", "1234567.25"),
            (123_456_789.5, "1.234567895e+08", "123456789.5"),
            (0.0001, "0.0001", "0.0001"),
            (1e-5, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (1e20, "1e+20", "100000000000000000000"),
            (1.5e22, "1.5e+22", "1.5e+22"),
            (2.5e-300, "2.5e-300", "2.5e-300"),
        ] {
            assert_eq!((float_text(value).as_str(), json_float_text(value).as_str()), (printed, in_json), "{value}");
        }
    }

    #[test]
    fn whole_numbers_are_integers_after_json() {
        for (value, text) in
            [(1e6, "1000000"), (-3.0, "-3"), (-0.0, "0"), (1e20, "1e+20"), (1_234_567.5, "1.2345675e+06")]
        {
            assert_eq!(number_text(value), text);
        }
    }
}
