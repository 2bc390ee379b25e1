use std::cmp::Ordering;

use jiff::Timestamp;

use crate::view::Cell;

/// A value that others are compared with, as all that its text can mean.
#[derive(Clone, Debug)]
pub(in crate::view) struct Bound {
    sign: Sign,
    amount: Option<f64>,
    milliseconds: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Less,
    AtMost,
    More,
    AtLeast,
}

/// What stands behind a number: multiplied by the second, divided by the third.
const SUFFIXES: [(&str, f64, f64); 17] = [
    ("", 1.0, 1.0),
    ("n", 1.0, 1e9),
    ("u", 1.0, 1e6),
    ("m", 1.0, 1e3),
    ("k", 1e3, 1.0),
    ("K", 1e3, 1.0),
    ("M", 1e6, 1.0),
    ("G", 1e9, 1.0),
    ("T", 1e12, 1.0),
    ("P", 1e15, 1.0),
    ("E", 1e18, 1.0),
    ("Ki", 1024.0, 1.0),
    ("Mi", 1_048_576.0, 1.0),
    ("Gi", 1_073_741_824.0, 1.0),
    ("Ti", 1_099_511_627_776.0, 1.0),
    ("Pi", 1_125_899_906_842_624.0, 1.0),
    ("Ei", 1_152_921_504_606_846_976.0, 1.0),
];

impl Bound {
    /// None when the text is neither a number, nor a quantity, nor a duration.
    pub(super) fn parse(sign: Sign, text: &str) -> Option<Self> {
        let bound = Self { sign, amount: amount(text), milliseconds: milliseconds(text) };
        (bound.amount.is_some() || bound.milliseconds.is_some()).then_some(bound)
    }

    /// It may be compared with an age.
    pub(super) const fn is_duration(&self) -> bool {
        self.milliseconds.is_some()
    }

    pub(super) fn admits(&self, cell: &Cell, now: Timestamp) -> bool {
        let number = |number: i64| self.admits_amount(number as f64);
        match cell {
            Cell::Age(Some(then)) => self.admits_milliseconds(now.as_millisecond() - then.as_millisecond()),
            Cell::Age(None) => false,
            Cell::Restarts { count, .. } => number(*count),
            Cell::Ready { ready, .. } => number(i64::from(*ready)),
            _ => cell.with_search_text(|text| self.admits_text(text)),
        }
    }

    /// Compares quantities if both are, and else durations; a text's first word counts: `3 (5m ago)`.
    pub(super) fn admits_text(&self, text: &str) -> bool {
        let text = text.split(' ').next().unwrap_or_default();
        match amount(text) {
            Some(amount) if self.amount.is_some() => self.admits_amount(amount),
            _ => milliseconds(text).is_some_and(|it| self.admits_milliseconds(it)),
        }
    }

    fn admits_amount(&self, amount: f64) -> bool {
        self.admits_order(self.amount.and_then(|bound| amount.partial_cmp(&bound)))
    }

    fn admits_milliseconds(&self, milliseconds: i64) -> bool {
        self.admits_order(self.milliseconds.map(|bound| milliseconds.cmp(&bound)))
    }

    fn admits_order(&self, order: Option<Ordering>) -> bool {
        order.is_some_and(|order| match self.sign {
            Sign::Less => order.is_lt(),
            Sign::AtMost => order.is_le(),
            Sign::More => order.is_gt(),
            Sign::AtLeast => order.is_ge(),
        })
    }
}

/// A number or a quantity (apimachinery: `pkg/api/resource/quantity.go`), without an exponent.
fn amount(text: &str) -> Option<f64> {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return None;
    }
    let (_, times, by) = SUFFIXES.iter().find(|(known, ..)| *known == suffix)?;
    let digits = |digits: &str| digits.bytes().fold(0.0, |sum, digit| sum * 10.0 + f64::from(digit - b'0'));
    let scale = fraction.bytes().fold(1.0, |scale, _| scale * 10.0);
    Some(sign * (digits(whole) * scale + digits(fraction)) / scale * times / by)
}

/// A duration as ages are written: `2d3h`, `90s`, `1y`.
fn milliseconds(text: &str) -> Option<i64> {
    let (mut sum, mut rest) = (0_i64, text);
    while !rest.is_empty() {
        let (digits, unit) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?);
        let seconds = match unit.bytes().next()? {
            b's' => 1,
            b'm' => 60,
            b'h' => 3_600,
            b'd' => 86_400,
            b'w' => 7 * 86_400,
            b'y' => 365 * 86_400,
            _ => return None,
        };
        sum = whole(digits)?.checked_mul(1000 * seconds)?.checked_add(sum)?;
        rest = &unit[1..];
    }
    (!text.is_empty()).then_some(sum)
}

fn whole(digits: &str) -> Option<i64> {
    digits.bytes().try_fold(0_i64, |sum, digit| sum.checked_mul(10)?.checked_add(i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_durations_are_read_from_their_texts() {
        for (text, expected) in [
            ("3", Some(3.0)),
            ("-2", Some(-2.0)),
            ("0.5", Some(0.5)),
            ("500m", Some(0.5)),
            (".5Ki", Some(512.0)),
            ("1Gi", Some(1_073_741_824.0)),
            ("1.5G", Some(1_500_000_000.0)),
            ("", None),
            (".", None),
            ("1.2.3", None),
            ("1h", None),
            ("x", None),
        ] {
            assert_eq!(amount(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("90s", Some(90_000)),
            ("2d3h", Some(183_600_000)),
            ("1y", Some(31_536_000_000)),
            ("1w", Some(604_800_000)),
            ("", None),
            ("d", None),
            ("5", None),
            ("5m3", None),
            ("9999999999999999999d", None),
            ("5é", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn texts_are_compared_as_what_both_can_be() {
        let admits = |sign, bound, text| Bound::parse(sign, bound).unwrap().admits_text(text);
        assert!(admits(Sign::More, "500Mi", "1Gi") && !admits(Sign::More, "500Mi", "400Mi"));
        assert!(admits(Sign::Less, "2m", "90s") && admits(Sign::AtLeast, "1h", "60m"));
        assert!(admits(Sign::AtMost, "3", "3 (5m ago)") && !admits(Sign::Less, "3", "<none>"));
        assert!(Bound::parse(Sign::Less, "many").is_none());
    }
}
