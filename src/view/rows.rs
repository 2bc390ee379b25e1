use std::cmp::Ordering;

use hashbrown::HashTable;

use super::arena::{Arena, Span, push, small};
use super::texts::{Texts, hash};
use super::values::{Kind, Names, Values};
use super::{Column, Row, uid};

/// The rows of a table, column by column: about a hundred bytes each, found by slot and by key.
///
/// A [`Row`] is made of them only for who looks at it.
#[derive(Debug, Default)]
pub(super) struct Rows {
    namespaces: Vec<u32>,
    names: Vec<Span>,
    uids: Vec<uid::Packed>,
    columns: Vec<Values>,
    texts_of_namespaces: Texts,
    texts_of_names: Arena,
    texts_of_uids: Texts,
    by_key: HashTable<u32>,
    free: Vec<u32>,
}

/// Changes.
impl Rows {
    pub(super) fn new(columns: &[Column]) -> Self {
        let kind = |column: &Column| match column.name {
            "NAMESPACE" => Kind::Namespace,
            "NAME" => Kind::Name,
            _ => Kind::Unknown,
        };
        Self { columns: columns.iter().map(|column| Values::of_kind(kind(column))).collect(), ..Self::default() }
    }

    /// A slot for a row whose key is not in use.
    pub(super) fn insert(&mut self, row: &Row) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            push(&mut self.namespaces, 0);
            push(&mut self.names, Span::default());
            push(&mut self.uids, uid::Packed::default());
            small(self.namespaces.len() - 1)
        });
        let at = slot as usize;
        self.namespaces[at] = self.texts_of_namespaces.take(&row.namespace);
        self.names[at] = self.texts_of_names.add(&row.name);
        self.uids[at] = uid::pack(&row.uid, &mut self.texts_of_uids);
        if self.columns.len() < row.cells.len() {
            self.columns.resize_with(row.cells.len(), Values::default);
        }
        let names = Names { namespace: &row.namespace, name: &row.name };
        for (values, cell) in self.columns.iter_mut().zip(&row.cells) {
            values.set(slot, cell, names);
        }
        let (namespaces, texts, spans, arena) =
            (&self.namespaces, &self.texts_of_namespaces, &self.names, &self.texts_of_names);
        self.by_key.insert_unique(hash(&[&row.namespace, &row.name]), slot, |other| {
            let other = *other as usize;
            hash(&[texts.get(namespaces[other]), arena.get(spans[other])])
        });
        slot
    }

    /// Takes over the cells that differ.
    pub(super) fn update(&mut self, slot: u32, row: &Row) {
        let names = Names { namespace: &row.namespace, name: &row.name };
        for (values, cell) in self.columns.iter_mut().zip(&row.cells) {
            if !values.is(slot, cell, names) {
                values.clear(slot);
                values.set(slot, cell, names);
            }
        }
    }

    /// From now on the key belongs to no row, or to another one.
    pub(super) fn forget_key(&mut self, slot: u32) {
        let names = self.names(slot);
        let hash = hash(&[names.namespace, names.name]);
        if let Ok(entry) = self.by_key.find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
    }

    /// Gives up a slot whose key is forgotten.
    pub(super) fn release(&mut self, slot: u32) {
        let at = slot as usize;
        for values in &mut self.columns {
            values.clear(slot);
        }
        self.texts_of_namespaces.release(self.namespaces[at]);
        uid::release(self.uids[at], &mut self.texts_of_uids);
        self.uids[at] = uid::Packed::default();
        self.texts_of_names.remove(&mut self.names[at]);
        self.free.push(slot);
        if self.texts_of_names.is_wasteful() {
            self.texts_of_names.compact(self.names.iter_mut());
        }
    }
}

/// Reads.
impl Rows {
    /// The cells that an update would change: a bit for each of the first 63, and one for all others.
    pub(super) fn difference(&self, slot: u32, row: &Row) -> u64 {
        let names = Names { namespace: &row.namespace, name: &row.name };
        let cells = self.columns.iter().zip(&row.cells).enumerate();
        let differs = cells.filter(|(_, (values, cell))| !values.is(slot, cell, names));
        differs.fold(0, |bits, (at, _)| bits | 1 << at.min(63))
    }

    /// Rows whose key is not forgotten.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    pub(super) fn columns(&self) -> &[Values] {
        &self.columns
    }

    /// The texts that [`namespace`](Self::namespace) numbers.
    pub(super) const fn namespaces(&self) -> &Texts {
        &self.texts_of_namespaces
    }

    pub(super) fn namespace(&self, slot: u32) -> u32 {
        self.namespaces[slot as usize]
    }

    /// As [`Row::key`].
    pub(super) fn key(&self, slot: u32) -> String {
        match self.names(slot) {
            Names { namespace: "", name } => name.into(),
            Names { namespace, name } => [namespace, "/", name].concat(),
        }
    }

    /// The slot of a key as [`Row::key`] makes it.
    pub(super) fn find(&self, key: &str) -> Option<u32> {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        self.find_names(Names { namespace, name })
    }

    pub(super) fn find_names(&self, key: Names<'_>) -> Option<u32> {
        let is_equal = |slot: &u32| {
            let names = self.names(*slot);
            names.name == key.name && names.namespace == key.namespace
        };
        self.by_key.find(hash(&[key.namespace, key.name]), is_equal).copied()
    }

    pub(super) fn names(&self, slot: u32) -> Names<'_> {
        Names { namespace: self.texts_of_namespaces.get(self.namespaces[slot as usize]), name: self.name(slot) }
    }

    pub(super) fn name(&self, slot: u32) -> &str {
        self.texts_of_names.get(self.names[slot as usize])
    }

    pub(super) fn has_uid(&self, slot: u32, text: &str) -> bool {
        uid::is(self.uids[slot as usize], text, &self.texts_of_uids)
    }

    /// The row, without the marks of its last change.
    pub(super) fn row(&self, slot: u32) -> Row {
        let names = self.names(slot);
        Row {
            uid: uid::text(self.uids[slot as usize], &self.texts_of_uids),
            namespace: names.namespace.into(),
            name: names.name.into(),
            cells: self.columns.iter().map(|values| values.cell(slot, names)).collect(),
            ..Row::default()
        }
    }

    /// By namespace, name and uid: a total order.
    pub(super) fn compare(&self, a: u32, b: u32) -> Ordering {
        let (namespace_a, namespace_b) = (self.namespaces[a as usize], self.namespaces[b as usize]);
        let (names_a, names_b) = (self.names(a), self.names(b));
        let by_namespace = match namespace_a == namespace_b {
            true => Ordering::Equal,
            false => names_a.namespace.cmp(names_b.namespace),
        };
        by_namespace
            .then_with(|| names_a.name.cmp(names_b.name))
            .then_with(|| uid::compare(self.uids[a as usize], self.uids[b as usize], &self.texts_of_uids))
    }

    /// By the cells of a column alone.
    pub(super) fn compare_cells(&self, column: usize, a: u32, b: u32) -> Ordering {
        let compare = |values: &Values| values.compare((a, self.names(a)), (b, self.names(b)));
        self.columns.get(column).map_or(Ordering::Equal, compare)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let words = (self.namespaces.capacity() + self.free.capacity()) * 4;
        let spans = self.names.capacity() * size_of::<Span>() + self.uids.capacity() * size_of::<uid::Packed>();
        let texts = self.texts_of_namespaces.heap_bytes() + self.texts_of_uids.heap_bytes();
        let columns = self.columns.iter().map(|values| size_of::<Values>() + values.heap_bytes()).sum::<usize>();
        words + spans + texts + self.texts_of_names.heap_bytes() + columns + self.by_key.allocation_size()
    }
}
