use super::*;

const NAMES: Names<'static> = Names { namespace: "shop", name: "web-0" };

fn at(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(1_796_000_000_000 + milliseconds).ok()
}

fn ready(ready: u32, total: u32) -> Cell {
    Cell::Ready { ready, total }
}

fn restarts(count: i64, last: Option<Timestamp>) -> Cell {
    Cell::Restarts { count, last }
}

fn status(text: &str, health: Health) -> Cell {
    Cell::Status { text: text.into(), health }
}

/// Columns of all kinds; the first three of each are plain, the rest must not be lost either.
fn columns() -> Vec<Vec<Cell>> {
    let before = Timestamp::from_second(-5).ok();
    vec![
        ["node-1", "", "node-2", "wéb", "node-1"].map(Cell::text).to_vec(),
        ["10.0.0.9", "", "10.0.0.10", "fd00::2", "fd00::10", "::1", "FD00::2", "10.1", "255.255.255.255"]
            .map(Cell::address)
            .to_vec(),
        vec![status("Running", Health::Ok), status("", Health::Unknown), status("Running", Health::Warning)],
        vec![
            ready(1, 2),
            ready(0, 0),
            ready(65_535, 65_535),
            ready(65_536, 3),
            ready(2, 4),
            ready(0, 3),
            ready(3, 65_536),
        ],
        vec![restarts(3, at(0)), restarts(0, None), restarts(3, None), restarts(-1, None), restarts(i64::MAX, at(1))],
        [at(0), None, at(1000), at(1), before, Timestamp::from_second(0).ok(), Some(Timestamp::MAX)]
            .map(Cell::Age)
            .to_vec(),
        vec![None, at(0), at(-1000), at(1), at(2), before, Timestamp::from_nanosecond(1_796_000_000_000_000_001).ok()]
            .into_iter()
            .map(Cell::Since)
            .collect(),
        [Some(Span::Seconds(9)), None, Some(Span::Since(at(0).unwrap())), Some(Span::Since(at(1000).unwrap()))]
            .into_iter()
            .chain(
                [Span::Seconds(10), Span::Seconds(-1), Span::Seconds(1 << 32), Span::Since(at(1).unwrap())].map(Some),
            )
            .map(Cell::Duration)
            .collect(),
        [7, -1, 2_000_001_000, 0, i64::from(i32::MIN), i64::from(i32::MAX), i64::MAX, i64::MIN]
            .map(Cell::Number)
            .to_vec(),
        ["1Gi", "", "500Mi", "<unset>", "1024Mi", "0", "1Gi"].map(|text| Cell::Quantity(text.into())).to_vec(),
        vec![Cell::Number(1), Cell::text("<unset>"), Cell::Quantity("1".into()), Cell::Since(None)],
        vec![Cell::text("of"), ready(1, 2), Cell::Age(at(0)), Cell::address("10.0.0.1"), status("many", Health::Ok)],
    ]
}

fn filled(cells: &[Cell]) -> Values {
    let mut values = Values::default();
    for (slot, cell) in cells.iter().enumerate() {
        values.set(slot as u32, cell, NAMES);
    }
    values
}

#[test]
fn every_cell_comes_back_as_it_was() {
    for cells in columns() {
        let values = filled(&cells);
        for (slot, cell) in cells.iter().enumerate() {
            assert_eq!(values.cell(slot as u32, NAMES), *cell);
            for (other, with) in cells.iter().enumerate() {
                assert_eq!(values.is(slot as u32, with, NAMES), cell == with, "{cell:?} and {with:?}");
                let order = values.compare((slot as u32, NAMES), (other as u32, NAMES));
                assert_eq!(order, cell.compare(with), "{cell:?} and {with:?}");
            }
        }
    }
}

#[test]
fn keys_sort_as_the_cells_do() {
    for cells in columns() {
        let plain: Vec<_> = cells.into_iter().filter(|cell| filled(std::slice::from_ref(cell)).is_uniform()).collect();
        let values = filled(&plain);
        let Some(key) = values.keys() else { continue };
        for (a, cell) in plain.iter().enumerate() {
            for (b, other) in plain.iter().enumerate() {
                assert_eq!(key(a as u32).cmp(&key(b as u32)), cell.compare(other), "{cell:?} and {other:?}");
            }
        }
    }
}

#[test]
fn what_is_cleared_leaves_no_text() {
    for cells in columns() {
        let mut values = filled(&cells);
        for slot in 0..cells.len() {
            values.clear(slot as u32);
        }
        assert!(values.is_uniform() && values.texts().iter().all(str::is_empty));
    }
}

#[test]
fn the_objects_own_names_are_not_held_again() {
    for (kind, own) in [(Kind::Namespace, "shop"), (Kind::Name, "web-0")] {
        let mut values = Values::of_kind(kind);
        values.set(0, &Cell::text(own), NAMES);
        values.set(1, &Cell::text("another"), NAMES);
        assert_eq!([values.cell(0, NAMES), values.cell(1, NAMES)], [own, "another"].map(Cell::text));
        assert!(values.is(0, &Cell::text(own), NAMES) && !values.is(1, &Cell::text(own), NAMES));
        assert_eq!(values.low.capacity(), 0);
    }
}
