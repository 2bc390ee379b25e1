use super::NONE;
use super::arena::small;

/// The names of all rows in lower case, one after the other, so that a word is looked for in all of them at once.
#[derive(Debug)]
pub(super) struct NameList {
    text: String,
    /// Where the name of each slot ends.
    ends: Vec<u32>,
}

impl NameList {
    /// By slot.
    pub(super) fn of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut list = Self { text: String::with_capacity(names.len() * 32), ends: Vec::with_capacity(names.len()) };
        for name in names {
            let name = if name.is_empty() { NONE } else { name };
            if name.is_ascii() {
                let start = list.text.len();
                list.text.push_str(name);
                list.text[start..].make_ascii_lowercase();
            } else {
                list.text.push_str(&name.to_lowercase());
            }
            // No word has white space in it, so none is found across two names.
            list.text.push('\n');
            list.ends.push(small(list.text.len()));
        }
        list
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
