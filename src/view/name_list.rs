use super::NONE;
use super::arena::small;

/// Stands for a row that is not there.
const FREE: &str = " ";

/// The names of all rows in lower case, one after the other, so that a word is looked for in all of them at once.
#[derive(Debug)]
pub(super) struct NameList {
    text: String,
    /// Where the name of each slot ends.
    ends: Vec<u32>,
    /// The names are as they are.
    is_exact: bool,
}

impl NameList {
    /// By slot; none where it is free.
    pub(super) fn of<'a>(names: impl ExactSizeIterator<Item = Option<&'a str>>) -> Self {
        let mut list = Self {
            text: String::with_capacity(names.len() * 32),
            ends: Vec::with_capacity(names.len()),
            is_exact: true,
        };
        for name in names {
            let name = name.unwrap_or(FREE);
            if !name.is_empty() && name.bytes().all(|it| it.is_ascii() && !it.is_ascii_uppercase()) {
                list.text.push_str(name);
            } else {
                list.text.push_str(&if name.is_empty() { NONE.into() } else { name.to_lowercase() });
                list.is_exact = false;
            }
            // No word has white space in it, so none is found across two names.
            list.text.push('\n');
            list.ends.push(small(list.text.len()));
        }
        list
    }

    /// The name of a slot; none when some names are not in lower case.
    pub(super) fn get(&self, slot: u32) -> Option<&str> {
        let at = self.is_exact.then_some(slot as usize)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..self.ends[at] as usize - 1)
    }

    /// Whether a word in lower case occurs in the names, by slot.
    pub(super) fn find(&self, word: &str) -> Vec<bool> {
        let mut found = vec![false; self.ends.len()];
        let mut slot = 0;
        for (at, _) in self.text.match_indices(word) {
            while self.ends[slot] as usize <= at {
                slot += 1;
            }
            found[slot] = true;
        }
        found
    }

    pub(super) const fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_the_names_of_its_slots() {
        let list = NameList::of([Some("web-0"), None, Some("db-web"), Some("db"), Some("we")].into_iter());
        assert_eq!(list.find("web"), [true, false, true, false, false]);
        assert_eq!(list.find("b"), [true, false, true, true, false]);
        assert_eq!(list.find("0d"), [false; 5], "no name goes on in the next one");
        assert_eq!((list.get(0), list.get(2), list.get(4)), (Some("web-0"), Some("db-web"), Some("we")));
        let list = NameList::of([Some("WÉB"), Some("")].into_iter());
        assert_eq!((list.find("wéb"), list.find("none")), (vec![true, false], vec![false, true]));
        assert_eq!(list.get(0), None, "it is not the name as it is");
    }
}
