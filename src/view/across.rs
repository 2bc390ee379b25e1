//! A table of several kinds: which of them a query names, and how many rows of each are shown.

use super::{Catalog, CatalogEntry, KindName, Query, QueryError, Rank, TableModel};

/// More kinds are not shown at once: each is a list and a watch.
pub const MOST_KINDS: usize = 12;

/// So many names are offered in place of one that is none.
const MOST_NEAR: usize = 3;

/// So many letters may be wrong, missing or too many in a name that is offered.
const MOST_WRONG: usize = 2;

/// The kinds that a query names, each once, and what is wrong with the names.
///
/// A name is what kubectl takes: the plural, the singular, a short name or the kind, alone or with the group behind a
/// dot. Where several groups have one of this name, the first of the catalog is meant, as the API's own stand first.
pub fn named_kinds<'a>(query: &Query, catalog: &'a Catalog) -> (Vec<&'a CatalogEntry>, Vec<QueryError>) {
    let (mut kinds, mut errors) = (Vec::<&CatalogEntry>::new(), Vec::new());
    for KindName { name, at } in query.kinds() {
        let mut wrong = |message: String| errors.push(QueryError { at: at.clone(), message });
        match kind_named(catalog, name) {
            None => wrong(unknown(catalog, name)),
            Some(kind) if kinds.contains(&kind) => {}
            Some(_) if kinds.len() >= MOST_KINDS => {
                wrong(["This one is left out: ", &MOST_KINDS.to_string(), " kinds at most are shown at once"].concat());
            }
            Some(kind) => kinds.push(kind),
        }
    }
    (kinds, errors)
}

fn kind_named<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a CatalogEntry> {
    let is_named = |entry: &CatalogEntry, name: &str| names(entry).any(|other| other.eq_ignore_ascii_case(name));
    let is_short = |entry: &CatalogEntry, name: &str| entry.short_names.iter().any(|short| short == name);
    let with_group = || {
        let (name, group) = name.split_once('.')?;
        let mut of_group = catalog.entries().filter(|entry| entry.resource.group == group);
        of_group.find(|entry| is_named(entry, name) || is_short(entry, name))
    };
    let whole = catalog.entries().find(|entry| is_named(entry, name));
    whole.or_else(|| catalog.entries().find(|entry| is_short(entry, name))).or_else(with_group)
}

fn names(entry: &CatalogEntry) -> impl Iterator<Item = &str> {
    [&entry.resource.resource, &entry.singular, &entry.kind].into_iter().map(String::as_str)
}

fn unknown(catalog: &Catalog, name: &str) -> String {
    let near = nearest(catalog, name);
    let ending = match near.is_empty() {
        true => "; the palette (:) lists them".to_owned(),
        false => ["; near to it are ", &near.join(", ")].concat(),
    };
    ["This server has no kind ", name, &ending].concat()
}

/// The pages of the kinds whose names are closest: those that it is the beginning of, then those with a slip.
fn nearest(catalog: &Catalog, name: &str) -> Vec<String> {
    let mut near = [const { Vec::new() }; MOST_WRONG + 1];
    for entry in catalog.entries() {
        let is_beginning = Rank::best(name, names(entry)).is_some_and(|rank| rank <= Rank::WordStart);
        let slips = || names(entry).filter_map(|other| slips(name, &other.to_lowercase())).min();
        if let Some(distance) = if is_beginning { Some(0) } else { slips() } {
            near[distance].push(entry.page());
        }
    }
    near.into_iter().flatten().take(MOST_NEAR).collect()
}

/// How many letters must be put in, taken out or replaced to make one word of the other; none when they are too many.
fn slips(one: &str, other: &str) -> Option<usize> {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, other) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().filter(|slips| *slips <= MOST_WRONG && *slips < one.len())
}

impl TableModel {
    /// How many objects of each kind the filter lets through, in the order of the
    /// [members](super::Resource::members).
    pub fn shown_by_kind(&self) -> Vec<usize> {
        let mut counts = vec![0; self.rows.resource().members().len()];
        for slot in self.list().iter_from(0) {
            counts[self.rows.member(slot)] += 1;
        }
        for (_, slot) in &self.leaving {
            counts[self.rows.member(*slot)] -= usize::from(self.is_visible[*slot as usize]);
        }
        counts
    }
}

#[cfg(test)]
#[path = "across_test.rs"]
mod tests;
