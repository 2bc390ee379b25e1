use std::cmp::Ordering;

use super::arena::{push, small};
use super::name_list::NameList;
use super::row;
use super::texts::Texts;
use super::values::{Kind, Names, Values};
use super::{Beside, Cell, Resource, Row};
use crate::api::Object;

/// The rows of a table: their objects, which others hold anyway, and their cells column by column.
///
/// Cells are read from an object when they are asked for: while a list comes, only those of a screen are.
/// A [`Row`] is made only for who looks at it.
#[derive(Debug)]
pub(super) struct Rows {
    resource: &'static Resource,
    /// By slot; none where it is free.
    objects: Vec<Option<Object>>,
    /// Whether the columns have the cells of a slot.
    is_read: Vec<bool>,
    unread: usize,
    namespaces: Vec<u32>,
    /// The number of each object's kind in a table of several; else empty.
    members: Vec<u8>,
    texts_of_namespaces: Texts,
    columns: Vec<Values>,
    /// Made for a query, and of use until a row comes or goes.
    names: Option<NameList>,
    free: Vec<u32>,
    beside: Beside,
}

/// Changes.
impl Rows {
    pub(super) fn new(resource: &'static Resource) -> Self {
        let kind = |name| match name {
            "NAMESPACE" => Kind::Namespace,
            "NAME" => Kind::Name,
            _ => Kind::Unknown,
        };
        Self {
            resource,
            objects: Vec::new(),
            is_read: Vec::new(),
            unread: 0,
            namespaces: Vec::new(),
            members: Vec::new(),
            texts_of_namespaces: Texts::default(),
            columns: resource.columns.iter().map(|column| Values::of_kind(kind(column.name))).collect(),
            names: None,
            free: Vec::new(),
            beside: Beside::default(),
        }
    }

    /// A slot for an object that has none.
    pub(super) fn insert(&mut self, object: Object) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            push(&mut self.objects, None);
            push(&mut self.is_read, false);
            push(&mut self.namespaces, 0);
            small(self.objects.len() - 1)
        });
        let at = slot as usize;
        self.namespaces[at] = self.texts_of_namespaces.take(object.namespace());
        if !self.resource.members().is_empty() {
            self.members.resize(self.objects.len(), 0);
            self.members[at] = self.resource.member_of(&object) as u8;
        }
        self.objects[at] = Some(object);
        self.is_read[at] = false;
        self.unread += 1;
        self.names = None;
        slot
    }

    /// Takes over the newest state of a slot's object, of whose cells nobody has asked or none differs.
    pub(super) fn replace(&mut self, slot: u32, object: Object) {
        self.objects[slot as usize] = Some(object);
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

    /// Reads the cells of a slot if they are not.
    pub(super) fn read(&mut self, slot: u32) {
        let at = slot as usize;
        if self.is_read[at] {
            return;
        }
        let Some(object) = self.objects[at].clone() else { return };
        let cells = self.cells(&object);
        if self.columns.len() < cells.len() {
            self.columns.resize_with(cells.len(), Values::default);
        }
        let names = Names { namespace: object.namespace(), name: object.name() };
        for (values, cell) in self.columns.iter_mut().zip(&cells) {
            values.set(slot, cell, names);
        }
        self.is_read[at] = true;
        self.unread -= 1;
    }

    /// Reads cells, in the order of the slots from one on, until there are none or it is enough; where to go on.
    pub(super) fn read_from(&mut self, first: u32, is_enough: impl Fn() -> bool) -> u32 {
        let mut slot = first;
        while self.unread > 0 && (slot as usize) < self.objects.len() {
            let was_read = self.is_read[slot as usize];
            self.read(slot);
            slot += 1;
            if !was_read && is_enough() {
                break;
            }
        }
        slot
    }

    /// Gives up a slot.
    pub(super) fn release(&mut self, slot: u32) {
        let at = slot as usize;
        if std::mem::take(&mut self.is_read[at]) {
            for values in &mut self.columns {
                values.clear(slot);
            }
        } else {
            self.unread -= 1;
        }
        self.texts_of_namespaces.release(self.namespaces[at]);
        self.objects[at] = None;
        self.names = None;
        self.free.push(slot);
    }

    /// Takes over what is told beside the objects; cells that are read stay as they are, see
    /// [`is_as_told`](Self::is_as_told). Tells whether something was told before.
    pub(super) fn set_beside(&mut self, beside: Beside) -> bool {
        !std::mem::replace(&mut self.beside, beside).is_empty()
    }

    /// Makes [`name_list`](Self::name_list).
    pub(super) fn list_names(&mut self) {
        if self.names.is_none() {
            let names = self.objects.iter().map(|object| object.as_ref().map(Object::name));
            self.names = Some(NameList::of(names));
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

    pub(super) const fn resource(&self) -> &'static Resource {
        self.resource
    }

    /// Rows whose cells are not read.
    pub(super) const fn unread(&self) -> usize {
        self.unread
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

    pub(super) const fn name_list(&self) -> Option<&NameList> {
        self.names.as_ref()
    }

    pub(super) fn object(&self, slot: u32) -> Option<&Object> {
        self.objects.get(slot as usize)?.as_ref()
    }

    pub(super) fn namespace_text(&self, slot: u32) -> &str {
        self.texts_of_namespaces.get(self.namespace(slot))
    }

    pub(super) fn names(&self, slot: u32) -> Names<'_> {
        Names { namespace: self.namespace_text(slot), name: self.name(slot) }
    }

    pub(super) fn name(&self, slot: u32) -> &str {
        self.object(slot).map_or("", Object::name)
    }

    pub(super) fn has_uid(&self, slot: u32, uid: &str) -> bool {
        self.object(slot).is_some_and(|object| object.uid() == uid)
    }

    /// The number of the object's kind; zero in a table of one kind.
    pub(super) fn member(&self, slot: u32) -> usize {
        self.members.get(slot as usize).map_or(0, |member| usize::from(*member))
    }

    /// As [`Row::key`].
    pub(super) fn key(&self, slot: u32) -> String {
        let member = self.resource.members().get(self.member(slot));
        let Names { namespace, name } = self.names(slot);
        row::key(member, namespace, name)
    }

    /// The row, without the marks of its last change.
    pub(super) fn row(&self, slot: u32) -> Row {
        let Some(object) = self.object(slot) else { return Row::default() };
        if !self.is_read[slot as usize] {
            return self.row_of(object);
        }
        let names = self.names(slot);
        let cells: Box<[Cell]> = self.columns.iter().map(|values| values.cell(slot, names)).collect();
        self.resource.row_of(object, cells)
    }

    /// The row of an object's state that is not taken over yet.
    pub(super) fn row_of(&self, object: &Object) -> Row {
        self.resource.row_of(object, self.cells(object))
    }

    fn cells(&self, object: &Object) -> Box<[Cell]> {
        let mut cells = self.resource.cells(object);
        self.beside.fill(self.resource.columns, object, &mut cells);
        cells
    }

    /// Whether the cells of a slot are those that are told beside its object, as far as they are read.
    pub(super) fn is_as_told(&self, slot: u32) -> bool {
        let Some(object) = self.object(slot).filter(|_| self.is_read[slot as usize]) else { return true };
        let (told, names) = (self.beside.cells(object), self.names(slot));
        self.resource.columns.iter().zip(&self.columns).all(|(column, values)| match column.beside() {
            Some((at, nothing)) => values.is(slot, told.get(at).unwrap_or(&nothing), names),
            None => true,
        })
    }

    /// By namespace and name.
    pub(super) fn compare_names(&self, slot: u32, names: Names<'_>) -> Ordering {
        self.namespace_text(slot).cmp(names.namespace).then_with(|| self.name(slot).cmp(names.name))
    }

    /// By namespace, name, kind and uid: a total order.
    pub(super) fn compare(&self, a: u32, b: u32) -> Ordering {
        let by_namespace = match self.namespace(a) == self.namespace(b) {
            true => Ordering::Equal,
            false => self.namespace_text(a).cmp(self.namespace_text(b)),
        };
        let uid = |slot| self.object(slot).map(Object::uid);
        let by_name = by_namespace.then_with(|| self.name(a).cmp(self.name(b)));
        by_name.then_with(|| self.member(a).cmp(&self.member(b))).then_with(|| uid(a).cmp(&uid(b)))
    }

    /// By the cells of a column alone.
    pub(super) fn compare_cells(&self, column: usize, a: u32, b: u32) -> Ordering {
        let compare = |values: &Values| values.compare((a, self.names(a)), (b, self.names(b)));
        self.columns.get(column).map_or(Ordering::Equal, compare)
    }

    /// Without the objects, which are others' too.
    pub(super) fn heap_bytes(&self) -> usize {
        let words =
            (self.namespaces.capacity() + self.free.capacity()) * 4 + self.is_read.capacity() + self.members.capacity();
        let objects = self.objects.capacity() * size_of::<Option<Object>>();
        let texts = self.texts_of_namespaces.heap_bytes() + self.names.as_ref().map_or(0, NameList::heap_bytes);
        let columns = self.columns.iter().map(|values| size_of::<Values>() + values.heap_bytes()).sum::<usize>();
        words + objects + texts + columns
    }
}
