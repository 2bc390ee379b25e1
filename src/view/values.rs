use std::cmp::Ordering;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::arena::{push, small};
use super::cell::compare_texts;
use super::natural::compare_values;
use super::texts::Texts;
use super::{Cell, Health, Span};

/// The upper words of an address: of version 4, with its number below, and 6, with its text's number.
const V4: u32 = 1;
const V6: u32 = 2;

/// The upper words of a duration: with its seconds below, and with the seconds since 1970 of its start.
const ENDED: u32 = 1;
const GOES_ON: u32 = 2;

/// The cells of one column, a word or two each, by slot.
///
/// The first cell says which kind the column is of. What is of another kind, or beyond what a word can say, is
/// odd: it is kept as it is, so that nothing is lost whatever comes.
#[derive(Debug, Default)]
pub(super) struct Values {
    kind: Kind,
    /// Ages are held in microseconds, because one of them needs it.
    is_fine: bool,
    low: Vec<u32>,
    /// Only of kinds that are two words wide.
    high: Vec<u32>,
    texts: Texts,
    odd: FxHashMap<u32, Cell>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Unknown,
    /// Equal to the row's own namespace, which is not held twice.
    Namespace,
    /// Equal to the row's own name.
    Name,
    /// The text's number and one; zero for none.
    Text,
    /// The text's number, and three bits of health.
    Status,
    /// See [`V4`] and [`V6`]; zero for none.
    Address,
    /// Half a word of each.
    Ready,
    /// The count above the seconds of the last one.
    Restarts,
    /// Seconds since 1970, or microseconds where the column is fine; zero for none.
    Age,
    /// As [`Age`](Self::Age).
    Since,
    /// See [`ENDED`] and [`GOES_ON`]; zero for none.
    Duration,
    /// Of 32 bits; the sign is flipped.
    Number,
    /// The text's number.
    Quantity,
}

/// A row's own names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

impl Kind {
    const fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Text(_) => Self::Text,
            Cell::Status { .. } => Self::Status,
            Cell::Address(_) => Self::Address,
            Cell::Ready { .. } => Self::Ready,
            Cell::Restarts { .. } => Self::Restarts,
            Cell::Age(_) => Self::Age,
            Cell::Since(_) => Self::Since,
            Cell::Duration(_) => Self::Duration,
            Cell::Number(_) => Self::Number,
            Cell::Quantity(_) => Self::Quantity,
        }
    }

    const fn is_wide(self) -> bool {
        matches!(self, Self::Address | Self::Restarts | Self::Duration)
    }

    const fn is_age(self) -> bool {
        matches!(self, Self::Age | Self::Since)
    }

    const fn has_no_words(self) -> bool {
        matches!(self, Self::Name | Self::Namespace)
    }
}

/// Changes.
impl Values {
    /// An empty column of a kind that is known beforehand.
    pub(super) fn of_kind(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Sets a cell whose place is free or new.
    pub(super) fn set(&mut self, slot: u32, cell: &Cell, names: Names<'_>) {
        if self.kind == Kind::Unknown {
            self.kind = Kind::of(cell);
        }
        let word = match self.pack(cell, names) {
            Some(word) => word,
            None => {
                self.odd.insert(slot, cell.clone());
                0
            }
        };
        if self.kind.has_no_words() {
            return;
        }
        put(&mut self.low, slot, word as u32);
        if self.is_wide() {
            put(&mut self.high, slot, (word >> 32) as u32);
        }
    }

    /// Forgets a cell.
    pub(super) fn clear(&mut self, slot: u32) {
        let was_odd = !self.odd.is_empty() && self.odd.remove(&slot).is_some();
        let (low, high) = self.words(slot);
        match self.kind {
            _ if was_odd => {}
            Kind::Text if low > 0 => self.texts.release(low - 1),
            Kind::Address if high == V6 => self.texts.release(low),
            Kind::Status => self.texts.release(low >> 3),
            Kind::Quantity => self.texts.release(low),
            _ => {}
        }
    }

    /// The cell as a word; none when it is odd.
    fn pack(&mut self, cell: &Cell, names: Names<'_>) -> Option<u64> {
        match (self.kind, cell) {
            (Kind::Namespace, Cell::Text(text)) => {
                (text.as_deref().unwrap_or_default() == names.namespace).then_some(0)
            }
            (Kind::Name, Cell::Text(text)) => (text.as_deref().unwrap_or_default() == names.name).then_some(0),
            (Kind::Text, Cell::Text(None)) => Some(0),
            (Kind::Text, Cell::Text(Some(text))) => Some(u64::from(self.texts.take(text)) + 1),
            (Kind::Status, Cell::Status { text, health }) => {
                Some((u64::from(self.texts.take(text)) << 3) | *health as u64)
            }
            (Kind::Address, Cell::Address(None)) => Some(0),
            (Kind::Address, Cell::Address(Some(text))) => match text.parse().ok()? {
                IpAddr::V4(address) => Some(two(V4, address.to_bits())),
                IpAddr::V6(_) => Some(two(V6, self.texts.take(text))),
            },
            (Kind::Ready, Cell::Ready { ready, total }) => {
                let (ready, total) = (u16::try_from(*ready).ok()?, u16::try_from(*total).ok()?);
                Some((u64::from(ready) << 16) | u64::from(total))
            }
            (Kind::Restarts, Cell::Restarts { count, last }) => {
                Some(two(u32::try_from(*count).ok()?, pack_time(*last)?))
            }
            (Kind::Age, Cell::Age(then)) | (Kind::Since, Cell::Since(then)) => self.pack_age(*then),
            (Kind::Duration, Cell::Duration(None)) => Some(0),
            (Kind::Duration, Cell::Duration(Some(Span::Seconds(seconds)))) => {
                Some(two(ENDED, u32::try_from(*seconds).ok()?))
            }
            (Kind::Duration, Cell::Duration(Some(Span::Since(then)))) => Some(two(GOES_ON, pack_time(Some(*then))?)),
            (Kind::Number, Cell::Number(number)) => {
                Some(u64::from(i32::try_from(*number).ok()?.cast_unsigned() ^ SIGN))
            }
            (Kind::Quantity, Cell::Quantity(text)) => Some(u64::from(self.texts.take(text))),
            _ => None,
        }
    }

    /// Events are told to the microsecond: the first such age makes the column fine.
    fn pack_age(&mut self, then: Option<Timestamp>) -> Option<u64> {
        if !self.is_fine {
            if let Some(seconds) = pack_time(then) {
                return Some(u64::from(seconds));
            }
            pack_fine_time(then?)?;
            self.is_fine = true;
            for at in 0..self.low.len() {
                let fine = u64::from(self.low[at]) * 1_000_000;
                self.low[at] = fine as u32;
                put(&mut self.high, small(at), (fine >> 32) as u32);
            }
        }
        then.map_or(Some(0), pack_fine_time)
    }
}

/// Reads.
impl Values {
    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) const fn texts(&self) -> &Texts {
        &self.texts
    }

    const fn is_wide(&self) -> bool {
        self.kind.is_wide() || self.is_fine
    }

    /// Cells that are as the column's kind is.
    pub(super) fn is_uniform(&self) -> bool {
        self.odd.is_empty()
    }

    pub(super) fn cell(&self, slot: u32, names: Names<'_>) -> Cell {
        if let Some(cell) = self.odd_cell(slot) {
            return cell.clone();
        }
        let (low, high) = self.words(slot);
        match self.kind {
            Kind::Namespace => Cell::text(names.namespace),
            Kind::Name => Cell::text(names.name),
            Kind::Status => Cell::Status { text: self.texts.get(low >> 3).into(), health: health_of(low & 7) },
            Kind::Address => match high {
                V4 => Cell::Address(Some(Ipv4Addr::from_bits(low).to_string().into())),
                V6 => Cell::Address(Some(self.texts.get(low).into())),
                _ => Cell::Address(None),
            },
            Kind::Ready => Cell::Ready { ready: low >> 16, total: low & 0xffff },
            Kind::Restarts => Cell::Restarts { count: i64::from(high), last: unpack_time(low) },
            Kind::Age => Cell::Age(self.age(low, high)),
            Kind::Since => Cell::Since(self.age(low, high)),
            Kind::Duration => Cell::Duration(match high {
                ENDED => Some(Span::Seconds(i64::from(low))),
                _ => unpack_time(low).map(Span::Since),
            }),
            Kind::Number => Cell::Number(i64::from((low ^ SIGN).cast_signed())),
            Kind::Quantity => Cell::Quantity(self.texts.get(low).into()),
            Kind::Text | Kind::Unknown => Cell::Text(low.checked_sub(1).map(|id| self.texts.get(id).into())),
        }
    }

    fn age(&self, low: u32, high: u32) -> Option<Timestamp> {
        if !self.is_fine {
            return unpack_time(low);
        }
        let microseconds = two(high, low).cast_signed();
        if microseconds == 0 { None } else { Timestamp::from_microsecond(microseconds).ok() }
    }

    /// Whether this is the cell that is held; texts are not copied for it.
    pub(super) fn is(&self, slot: u32, cell: &Cell, names: Names<'_>) -> bool {
        if let Some(odd) = self.odd_cell(slot) {
            return odd == cell;
        }
        let (low, _) = self.words(slot);
        match (self.kind, cell) {
            (Kind::Namespace, Cell::Text(text)) => text.as_deref().unwrap_or_default() == names.namespace,
            (Kind::Name, Cell::Text(text)) => text.as_deref().unwrap_or_default() == names.name,
            (Kind::Text, Cell::Text(Some(text))) => low > 0 && self.texts.get(low - 1) == text.as_ref(),
            (Kind::Text, Cell::Text(None)) => low == 0,
            (Kind::Status, Cell::Status { text, health }) => {
                self.texts.get(low >> 3) == text.as_ref() && health_of(low & 7) == *health
            }
            _ => self.cell(slot, names) == *cell,
        }
    }

    /// As [`Cell::compare`] of both cells.
    pub(super) fn compare(&self, (a, names_a): (u32, Names<'_>), (b, names_b): (u32, Names<'_>)) -> Ordering {
        if self.is_uniform() {
            match self.kind {
                Kind::Namespace => return compare_values(names_a.namespace, names_b.namespace),
                Kind::Name => return compare_values(names_a.name, names_b.name),
                Kind::Text => return compare_texts(self.text(a), self.text(b)),
                Kind::Status => return self.text(a).cmp(&self.text(b)),
                _ => {}
            }
        }
        self.cell(a, names_a).compare(&self.cell(b, names_b))
    }

    /// A number for each slot that sorts as the cells do; none where there is no such number.
    pub(super) fn keys(&self) -> Option<impl Fn(u32) -> u64 + '_> {
        if !self.is_uniform() || self.kind.has_no_words() {
            return None;
        }
        let ranks = match self.kind {
            Kind::Status => self.texts.ranks(&mut |a, b| self.texts.get(a).cmp(self.texts.get(b))),
            Kind::Address => {
                let addresses = self.texts.all().map(|text| text.parse::<Ipv6Addr>().ok()).collect::<Vec<_>>();
                let key = |id| (addresses[id as usize], self.texts.get(id));
                self.texts.ranks(&mut |a, b| key(a).cmp(&key(b)))
            }
            Kind::Text | Kind::Quantity => {
                self.texts.ranks(&mut |a, b| compare_values(self.texts.get(a), self.texts.get(b)))
            }
            _ => Vec::new(),
        };
        let rank = move |id: u32| u64::from(ranks.get(id as usize).copied().unwrap_or_default());
        Some(move |slot| {
            let (low, high) = self.words(slot);
            match self.kind {
                Kind::Text => low.checked_sub(1).map_or(0, |id| rank(id) + 1),
                Kind::Status => rank(low >> 3),
                Kind::Ready => ready_key(low >> 16, low & 0xffff),
                // From young to old, and what is unknown last.
                kind if kind.is_age() => !two(high, low),
                Kind::Duration if high == GOES_ON => two(high, !low),
                Kind::Quantity => rank(low),
                Kind::Address if high == V6 => (u64::from(V6) << 32) | rank(low),
                _ => two(high, low),
            }
        })
    }

    /// The bytes of an address of version 4 that is not odd.
    pub(super) fn address_bytes(&self, slot: u32) -> Option<[u8; 4]> {
        let (low, high) = self.words(slot);
        (high == V4).then(|| low.to_be_bytes())
    }

    /// The text of an address that is not odd; none where there is none.
    pub(super) fn address_text<'a>(&'a self, slot: u32, space: &'a mut [u8; 15]) -> Option<&'a [u8]> {
        match self.words(slot) {
            (low, V4) => Some(v4_text(low, space)),
            (low, V6) => Some(self.texts.get(low).as_bytes()),
            _ => None,
        }
    }

    /// The lower and the upper word.
    pub(super) fn words(&self, slot: u32) -> (u32, u32) {
        let word = |words: &Vec<u32>| words.get(slot as usize).copied().unwrap_or_default();
        (word(&self.low), word(&self.high))
    }

    pub(super) fn odd_cell(&self, slot: u32) -> Option<&Cell> {
        if self.odd.is_empty() { None } else { self.odd.get(&slot) }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let odd = self.odd.capacity() * (size_of::<(u32, Cell)>() + 1);
        (self.low.capacity() + self.high.capacity()) * 4 + self.texts.heap_bytes() + odd
    }

    fn text(&self, slot: u32) -> Option<&str> {
        let (low, _) = self.words(slot);
        match self.kind {
            Kind::Status => Some(self.texts.get(low >> 3)),
            _ => low.checked_sub(1).map(|id| self.texts.get(id)),
        }
    }
}

/// Without the machinery of formatting, which takes ten times as long.
fn v4_text(bits: u32, space: &mut [u8; 15]) -> &[u8] {
    let mut len = 0;
    let mut push = |byte: u8| {
        space[len] = byte;
        len += 1;
    };
    for (at, octet) in bits.to_be_bytes().into_iter().enumerate() {
        if at > 0 {
            push(b'.');
        }
        if octet >= 100 {
            push(b'0' + octet / 100);
        }
        if octet >= 10 {
            push(b'0' + octet / 10 % 10);
        }
        push(b'0' + octet % 10);
    }
    &space[..len]
}

/// Flipped, it makes signed numbers sort as unsigned ones do.
const SIGN: u32 = 1 << 31;

const fn two(high: u32, low: u32) -> u64 {
    ((high as u64) << 32) | low as u64
}

fn put(words: &mut Vec<u32>, slot: u32, word: u32) {
    while words.len() <= slot as usize {
        push(words, 0);
    }
    words[slot as usize] = word;
}

/// Whole seconds, as Kubernetes writes its times; none for others and for those outside of 1970 to 2106.
fn pack_time(time: Option<Timestamp>) -> Option<u32> {
    let Some(time) = time else { return Some(0) };
    let seconds = u32::try_from(time.as_second()).ok()?;
    (time.subsec_nanosecond() == 0 && seconds > 0).then_some(seconds)
}

/// Whole microseconds, as `metav1.MicroTime` has them, after 1970.
fn pack_fine_time(time: Timestamp) -> Option<u64> {
    let microseconds = u64::try_from(time.as_microsecond()).ok()?;
    (time.subsec_nanosecond() % 1000 == 0 && microseconds > 0).then_some(microseconds)
}

fn unpack_time(seconds: u32) -> Option<Timestamp> {
    if seconds == 0 { None } else { Timestamp::from_second(i64::from(seconds)).ok() }
}

const fn health_of(bits: u32) -> Health {
    const ALL: [Health; 6] =
        [Health::Error, Health::Warning, Health::Unknown, Health::Progressing, Health::Ok, Health::Terminated];
    if (bits as usize) < ALL.len() { ALL[bits as usize] } else { Health::Unknown }
}

/// By the share, then by the total. Shares of less than 2^16 containers differ by more than 2^-32.
fn ready_key(ready: u32, total: u32) -> u64 {
    let share = match (u64::from(ready) << 32).checked_div(u64::from(total)) {
        Some(share) => share,
        None => {
            if ready == 0 {
                0
            } else {
                u64::MAX >> 16
            }
        }
    };
    (share << 16) | u64::from(total)
}

#[cfg(test)]
#[path = "values_test.rs"]
mod tests;
