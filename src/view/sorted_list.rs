use std::cmp::Ordering;

/// A chunk is split when it grows beyond this: moving as many ids costs about as much as comparing two names.
const CHUNK: usize = 512;

/// A list that stays sorted and knows the place of everything in it.
///
/// Insertion, removal and the search for a place compare O(log n) items; access by place walks the chunks.
/// The order is the caller's: it must be total, and the same in all calls.
#[derive(Clone, Debug, Default)]
pub struct SortedList {
    /// None is empty.
    chunks: Vec<Vec<u32>>,
    len: usize,
}

impl SortedList {
    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A list of items that stand in its order already.
    pub fn of_sorted(items: &[u32]) -> Self {
        Self { len: items.len(), chunks: items.chunks(CHUNK / 2).map(<[u32]>::to_vec).collect() }
    }

    /// Inserts an item; nothing happens when its place is taken by an equal one.
    pub fn insert(&mut self, item: u32, order: impl Fn(u32, u32) -> Ordering) {
        let compare = |other: u32| order(other, item);
        if self.last().is_none_or(|last| compare(last) == Ordering::Less) {
            self.append(item);
            return;
        }
        let Some(chunk_at) = self.chunk_of(compare) else { return };
        let chunk = &mut self.chunks[chunk_at];
        let Err(at) = chunk.binary_search_by(|other| compare(*other)) else { return };
        if chunk.len() == chunk.capacity() {
            chunk.reserve_exact(CHUNK / 8);
        }
        chunk.insert(at, item);
        self.len += 1;
        if chunk.len() > CHUNK {
            let half = chunk.split_off(CHUNK / 2);
            chunk.shrink_to_fit();
            self.chunks.insert(chunk_at + 1, half);
        }
    }

    /// The last item.
    pub fn last(&self) -> Option<u32> {
        self.chunks.last()?.last().copied()
    }

    /// Adds an item that is greater than the last one. What comes in its order so is not compared, and fills the chunks.
    pub fn append(&mut self, item: u32) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => {
                if chunk.len() == chunk.capacity() {
                    chunk.reserve_exact(CHUNK / 8);
                }
                chunk.push(item);
            }
            _ => self.chunks.push(vec![item]),
        }
        self.len += 1;
    }

    /// Removes the item that `compare` finds equal; false when there is none.
    pub fn remove(&mut self, compare: impl Fn(u32) -> Ordering) -> bool {
        let Some(chunk_at) = self.chunk_of(&compare) else { return false };
        let chunk = &mut self.chunks[chunk_at];
        let Ok(at) = chunk.binary_search_by(|other| compare(*other)) else { return false };
        chunk.remove(at);
        self.len -= 1;
        if chunk.is_empty() {
            self.chunks.remove(chunk_at);
        }
        true
    }

    /// The place of the item that `compare` finds equal.
    pub fn position(&self, compare: impl Fn(u32) -> Ordering) -> Option<usize> {
        let chunk_at = self.chunk_of(&compare)?;
        let at = self.chunks[chunk_at].binary_search_by(|other| compare(*other)).ok()?;
        Some(self.chunks[..chunk_at].iter().map(Vec::len).sum::<usize>() + at)
    }

    /// The items from one place on.
    pub fn iter_from(&self, first: usize) -> impl Iterator<Item = u32> + '_ {
        let (mut chunk_at, mut skip) = (0, first);
        while self.chunks.get(chunk_at).is_some_and(|chunk| chunk.len() <= skip) {
            skip -= self.chunks[chunk_at].len();
            chunk_at += 1;
        }
        self.chunks[chunk_at..].iter().flatten().copied().skip(skip)
    }

    /// The items from the first on that `compare` does not find less.
    pub fn iter_at(&self, compare: impl Fn(u32) -> Ordering) -> impl Iterator<Item = u32> + '_ {
        let chunk_at = self.chunk_of(&compare).unwrap_or_default();
        let chunks = self.chunks.get(chunk_at..).unwrap_or_default();
        let skip = chunks.first().map_or(0, |chunk| chunk.partition_point(|other| compare(*other) == Ordering::Less));
        chunks.iter().flatten().copied().skip(skip)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let items = self.chunks.iter().map(|chunk| chunk.capacity() * 4).sum::<usize>();
        self.chunks.capacity() * size_of::<Vec<u32>>() + items
    }

    /// The chunk that holds the item, or where it belongs; none when the list is empty.
    fn chunk_of(&self, compare: impl Fn(u32) -> Ordering) -> Option<usize> {
        let last = self.chunks.len().checked_sub(1)?;
        let after =
            self.chunks.partition_point(|chunk| chunk.last().is_some_and(|item| compare(*item) == Ordering::Less));
        Some(after.min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(list: &SortedList) -> Vec<u32> {
        list.iter_from(0).collect()
    }

    /// Every place of 0..count once, far apart from one another.
    fn shuffled(count: u32) -> impl Iterator<Item = u32> {
        (0..count).map(move |it| (u64::from(it) * 7919 % u64::from(count)) as u32)
    }

    #[test]
    fn items_are_sorted_whatever_the_order_they_come_in() {
        let mut list = SortedList::default();
        for item in shuffled(5000) {
            list.insert(item, |a, b| a.cmp(&b));
        }
        list.insert(17, |a, b| a.cmp(&b));
        assert_eq!(items(&list), (0..5000).collect::<Vec<_>>());
        assert_eq!(list.len(), 5000);
        assert_eq!(list.position(|other| other.cmp(&4321)), Some(4321));
        assert_eq!(list.position(|other| other.cmp(&5000)), None);
        assert_eq!(list.iter_from(4997).collect::<Vec<_>>(), [4997, 4998, 4999]);
        assert_eq!(list.iter_from(5000).count(), 0);
        assert_eq!(list.iter_from(9999).count(), 0);
    }

    #[test]
    fn what_is_removed_is_gone_and_the_rest_keeps_its_order() {
        let mut list = SortedList::of_sorted(&(0..3000).rev().collect::<Vec<_>>());
        for item in shuffled(3000).filter(|item| item % 3 != 0) {
            assert!(list.remove(|other| item.cmp(&other)));
            assert!(!list.remove(|other| item.cmp(&other)));
        }
        assert_eq!(items(&list), (0..3000).rev().filter(|item| item % 3 == 0).collect::<Vec<_>>());
        for item in (0..3000).step_by(3) {
            assert!(list.remove(|other| item.cmp(&other)));
        }
        assert!(list.is_empty() && items(&list).is_empty());
        assert_eq!(list.position(|other| other.cmp(&1)), None);
    }
}
