use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::{Cell, Object, ServedTable, ValueRef};
use crate::api::parse_time;
use crate::view::{NONE, RowBeside, age_text};

/// The moments that an object holds, by where they stand.
type Moments = Vec<(String, Timestamp)>;

/// A server's clock and ours are so far apart at most, as its Date header has whole seconds.
const APART_MS: i64 = 1_000;

impl ServedTable {
    /// Has ages go on: a server prints them as texts, which would stand still.
    ///
    /// A column is one of ages where each object holds, in one and the same place, the moment of which the server has
    /// told the age while it was asked. Rows whose object is not known say nothing.
    pub fn find_moments(&mut self, asked: &RangeInclusive<Timestamp>, object: impl Fn(&RowBeside) -> Option<Object>) {
        let places = self.rows.first().map_or(0, |row| row.cells.len());
        let of_ages: Vec<_> = (0..places).filter(|place| self.rows.iter().any(|row| may_be_age(row, *place))).collect();
        if of_ages.is_empty() {
            return;
        }
        let held: Vec<_> = self.rows.iter().map(|row| object(row).map(|object| moments_of(&object))).collect();
        for place in of_ages {
            let told =
                || self.rows.iter().zip(&held).filter_map(|(row, held)| Some((text_at(row, place), held.as_ref()?)));
            let fits = |path: &str| {
                told().all(|(text, held)| match moment_at(held, path) {
                    Some(then) => is_age_of(text, then, asked),
                    None => matches!(text, "" | NONE | "<unknown>"),
                })
            };
            let path = told()
                .find(|(_, held)| !held.is_empty())
                .and_then(|(_, held)| held.iter().find(|(path, _)| fits(path)));
            let Some((path, _)) = path.cloned() else { continue };
            for (row, held) in self.rows.iter_mut().zip(&held) {
                if let Some(then) = held.as_ref().and_then(|held| moment_at(held, &path)) {
                    row.cells[place] = Cell::Since(Some(then));
                }
            }
        }
    }
}

fn moment_at(held: &Moments, path: &str) -> Option<Timestamp> {
    held.iter().find(|(at, _)| at == path).map(|(_, moment)| *moment)
}

fn text_at(row: &RowBeside, place: usize) -> &str {
    match &row.cells[place] {
        Cell::Text(Some(text)) => text,
        _ => "",
    }
}

fn may_be_age(row: &RowBeside, place: usize) -> bool {
    let text = text_at(row, place);
    text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(['s', 'm', 'h', 'd', 'y'])
}

fn is_age_of(text: &str, then: Timestamp, asked: &RangeInclusive<Timestamp>) -> bool {
    let (first, last) = (asked.start().as_millisecond() - APART_MS, asked.end().as_millisecond() + APART_MS);
    let mut moments = (first..=last).step_by(1_000).filter_map(|moment| Timestamp::from_millisecond(moment).ok());
    moments.any(|now| age_text(Some(then), now) == text)
}

fn moments_of(object: &Object) -> Moments {
    let mut moments = Moments::new();
    if let Some(root) = object.get(&[]) {
        // When the object was made is told by a column of its own.
        for (key, value) in root.entries().filter(|(key, _)| *key != "metadata") {
            collect(value, key.into(), &mut moments);
        }
    }
    moments
}

fn collect(value: ValueRef<'_>, path: String, moments: &mut Moments) {
    for (key, value) in value.entries() {
        collect(value, [&path, ".", key].concat(), moments);
    }
    for (at, value) in value.items().enumerate() {
        collect(value, [&path, ".", &at.to_string()].concat(), moments);
    }
    if let Some(moment) = value.as_str().and_then(|text| parse_time(&text)) {
        moments.push((path, moment));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    fn taint(name: &str, added: &str) -> Object {
        object(json!({ "metadata": { "name": name }, "spec": { "taint": { "timeAdded": added, "rest": "30s" } } }))
    }

    /// Two columns beside the names: an age, and a length of time that does not change.
    fn table(rows: &[(&str, &str)]) -> ServedTable {
        let column = |name: &str, format: &str| json!({ "name": name, "type": "string", "format": format });
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, age)| json!({ "cells": [name, age, "30s"], "object": { "metadata": { "name": name } } }))
            .collect();
        let columns = [column("Name", "name"), column("Added", ""), column("Rest", "")];
        let answer = json!({ "kind": "Table", "columnDefinitions": columns, "rows": rows });
        ServedTable::read(&object(answer), false).unwrap()
    }

    fn found(mut table: ServedTable, objects: &[Object]) -> Vec<Vec<Cell>> {
        let now: Timestamp = "2026-11-30T12:00:00.5Z".parse().unwrap();
        table.find_moments(&(now..=now), |row| objects.iter().find(|it| it.name() == &*row.name).cloned());
        table.rows.into_iter().map(|row| row.cells.into()).collect()
    }

    #[test]
    fn an_age_is_told_by_its_moment_and_a_length_of_time_as_it_is() {
        let objects = [taint("a", "2026-11-30T11:59:41Z"), taint("b", "2026-11-30T11:00:00Z"), taint("c", "")];
        let cells = found(table(&[("a", "19s"), ("b", "60m"), ("c", NONE)]), &objects);
        let since = |text: &str| Cell::Since(Some(text.parse().unwrap()));
        let rest = Cell::exact("30s");
        assert_eq!(cells[0], [since("2026-11-30T11:59:41Z"), rest.clone()]);
        assert_eq!(cells[1], [since("2026-11-30T11:00:00Z"), rest.clone()]);
        assert_eq!(cells[2], [Cell::exact(NONE), rest]);
    }

    #[test]
    fn one_row_that_does_not_fit_leaves_the_column_as_it_is() {
        let objects = [taint("a", "2026-11-30T11:59:41Z"), taint("b", "2026-11-30T11:00:00Z")];
        let cells = found(table(&[("a", "19s"), ("b", "3m")]), &objects);
        assert_eq!((&cells[0][0], &cells[1][0]), (&Cell::exact("19s"), &Cell::exact("3m")));
        // Nothing is known of an object that has just come.
        let cells = found(table(&[("a", "19s"), ("b", "3m")]), &objects[..1]);
        assert_eq!(cells[1][0], Cell::exact("3m"));
        assert!(matches!(cells[0][0], Cell::Since(Some(_))));
        assert_eq!(found(table(&[("a", "19s")]), &[])[0][0], Cell::exact("19s"));
    }
}
