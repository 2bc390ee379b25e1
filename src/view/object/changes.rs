use crate::view::YamlLine;

/// Above so many comparisons, lines are compared place by place: one sees no more in so much that changed anyway.
const MOST: usize = 1 << 18;

/// What became of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineChanges {
    /// The new lines that the old ones do not have, ascending.
    pub changed: Vec<usize>,
    /// For each old line its new place; none where it is gone.
    places: Vec<Option<usize>>,
}

impl LineChanges {
    /// Where a place in the old lines is now: that of the line itself, or else of the last one before it that stays.
    pub fn place_of(&self, line: usize) -> usize {
        let before = self.places.iter().take(line + 1).enumerate().rev();
        let mut stays = before.filter_map(|(old, new)| Some((old, (*new)?)));
        stays.next().map_or(0, |(old, new)| new + (line - old).min(1))
    }
}

/// Compares two states of a text, line by line.
pub fn line_changes(old: &[YamlLine], new: &[YamlLine]) -> LineChanges {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let end = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (middle_old, middle_new) = (&rest_old[..rest_old.len() - end], &rest_new[..rest_new.len() - end]);
    let mut places: Vec<Option<usize>> = (0..start).map(Some).collect();
    places.extend(pairs(middle_old, middle_new).into_iter().map(|place| Some(start + place?)));
    places.extend((0..end).map(|at| Some(new.len() - end + at)));
    let mut stays = vec![false; new.len()];
    places.iter().flatten().for_each(|at| stays[*at] = true);
    let changed = stays.iter().enumerate().filter(|(_, stays)| !**stays).map(|(at, _)| at).collect();
    LineChanges { changed, places }
}

/// For each old line the new one that it is, in a longest common subsequence.
fn pairs(old: &[YamlLine], new: &[YamlLine]) -> Vec<Option<usize>> {
    let width = new.len() + 1;
    if old.len() * new.len() > MOST {
        return old.iter().enumerate().map(|(at, line)| (new.get(at) == Some(line)).then_some(at)).collect();
    }
    // How many lines the rests from two places on have in common.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (a, line) in old.iter().enumerate().rev() {
        for (b, other) in new.iter().enumerate().rev() {
            let at = a * width + b;
            common[at] = match line == other {
                true => common[at + width + 1] + 1,
                false => common[at + width].max(common[at + 1]),
            };
        }
    }
    let mut places = vec![None; old.len()];
    let (mut a, mut b) = (0, 0);
    while a < old.len() && b < new.len() {
        let at = a * width + b;
        if old[a] == new[b] {
            places[a] = Some(b);
            (a, b) = (a + 1, b + 1);
        } else if common[at + width] >= common[at + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{YamlSpan, YamlSpanKind};

    fn lines(text: &str) -> Vec<YamlLine> {
        let line = |word: &str| YamlLine {
            spans: vec![YamlSpan { kind: YamlSpanKind::Text, text: word.to_owned().into() }],
            ..YamlLine::default()
        };
        text.split_whitespace().map(line).collect()
    }

    #[test]
    fn lines_that_differ_are_told_and_those_that_moved_are_not() {
        for (old, new, changed) in [
            ("a b c", "a b c", vec![]),
            ("a b c", "a x c", vec![1]),
            ("a c", "a b c", vec![1]),
            ("a b c", "a c", vec![]),
            ("t f t t", "t t t t", vec![1]),
            ("v1 a b s1", "v2 a b n s2", vec![0, 3, 4]),
            ("", "a", vec![0]),
            ("a", "", vec![]),
        ] {
            assert_eq!(line_changes(&lines(old), &lines(new)).changed, changed, "{old} → {new}");
        }
    }

    #[test]
    fn a_place_is_found_again() {
        for (old, new, line, place) in [
            ("a b c", "x a b c", 1, 2),
            ("a b c", "a c", 2, 1),
            ("a b c", "a c", 1, 1),
            ("a b c", "a y c", 1, 1),
            ("a b", "x y", 1, 0),
            ("", "a", 0, 0),
        ] {
            assert_eq!(line_changes(&lines(old), &lines(new)).place_of(line), place, "{old} → {new}, {line}");
        }
    }

    #[test]
    fn very_many_lines_are_compared_place_by_place() {
        let many = |word: &str| lines(&format!("{word} ").repeat(1500));
        let (old, mut new) = (many("a"), many("b"));
        new[7] = old[7].clone();
        let changes = line_changes(&old, &new);
        assert_eq!(changes.changed.len(), 1499);
        assert_eq!(changes.place_of(7), 7);
    }
}
