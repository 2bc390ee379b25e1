use std::cmp::Ordering;

use jiff::Timestamp;

use crate::view::{Cell, Span, quantity};

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
        let number = |number: i64| self.admits_quantity(number as f64);
        match cell {
            Cell::Age(Some(then)) | Cell::Since(Some(then)) | Cell::Duration(Some(Span::Since(then))) => {
                self.admits_milliseconds(now.as_millisecond() - then.as_millisecond())
            }
            Cell::Duration(Some(Span::Seconds(seconds))) => self.admits_milliseconds(seconds.saturating_mul(1000)),
            Cell::Age(None) | Cell::Since(None) | Cell::Duration(None) => false,
            Cell::Number(it) => number(*it),
            Cell::Restarts { count, .. } => number(*count),
            Cell::Ready { ready, .. } => number(i64::from(*ready)),
            _ => cell.with_search_text(|text| self.admits_text(text)),
        }
    }

    /// Compares quantities if both are, and else durations; a text's first word counts: `3 (5m ago)`.
    pub(super) fn admits_text(&self, text: &str) -> bool {
        let text = text.split(' ').next().unwrap_or_default();
        match amount(text) {
            Some(amount) if self.amount.is_some() => self.admits_quantity(amount),
            _ => milliseconds(text).is_some_and(|it| self.admits_milliseconds(it)),
        }
    }

    fn admits_quantity(&self, amount: f64) -> bool {
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

/// A share is as many as its number says: `80%`.
fn amount(text: &str) -> Option<f64> {
    quantity(text.strip_suffix('%').unwrap_or(text))
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
    fn durations_are_read_from_their_texts() {
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
        assert!(admits(Sign::More, "9%", "12%") && admits(Sign::AtMost, "12", "12%") && !admits(Sign::More, "80%", ""));
        assert!(Bound::parse(Sign::Less, "many").is_none());
    }
}
