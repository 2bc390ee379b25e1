//! What the table costs, in counts: bytes for a row, and comparisons for an event.

use std::cell::Cell as Counter;

use jiff::Timestamp;

use super::rows_of_tests::{LIKE_PODS, object};
use super::{Cell, Filter, Health, Query, Row, Sort, SortedList, TableModel};

/// On 64 bits, without the object: places in three lists, and eight cells.
const BYTES_PER_ROW: usize = 70;

fn now() -> Timestamp {
    Timestamp::from_second(1_796_000_000).unwrap()
}

/// A row as a pod of a Deployment has it; each generation bears other names.
fn pod(at: u32, generation: u32) -> Row {
    let namespace = format!("team-{:02}", at % 50);
    let hash = at.wrapping_mul(2_654_435_761).wrapping_add(generation.wrapping_mul(40_503));
    let name = format!("checkout-{:02}-{:08x}-{:05}", at % 37, hash, at % 99_991);
    let uid = format!("{at:08x}-{:04x}-4b1c-8a2b-{hash:012x}", generation % 65_536);
    let created = now().checked_sub(jiff::SignedDuration::from_secs(i64::from(at))).ok();
    let cells = [
        Cell::text(&namespace),
        Cell::text(&name),
        Cell::Ready { ready: at % 3, total: 2 },
        Cell::Status {
            text: if at.is_multiple_of(9) { "CrashLoopBackOff" } else { "Running" }.into(),
            health: Health::Ok,
        },
        Cell::Restarts { count: i64::from(at % 7), last: if at.is_multiple_of(7) { None } else { created } },
        Cell::Age(created),
        Cell::address(&format!("10.{}.{}.{}", at >> 16 & 255, at >> 8 & 255, at & 255)),
        Cell::text(&format!("node-{:04}", at % 200)),
    ];
    Row { uid: uid.into(), namespace: namespace.into(), name: name.into(), cells: cells.into(), ..Row::default() }
}

fn table(rows: u32) -> TableModel {
    let mut table = TableModel::new(&LIKE_PODS);
    for at in 0..rows {
        table.upsert(&object(&pod(at, 0)), now());
    }
    table
}

#[test]
fn a_row_takes_less_than_seventy_bytes() {
    for rows in [2_000, 10_000] {
        let mut table = table(rows);
        assert!(table.heap_bytes() / (rows as usize) < 28, "{} before anything is read", table.heap_bytes());
        table.read_ahead(|| false);
        let plain = table.heap_bytes() / rows as usize;
        table.set_sort(Sort { column: Some(5), is_descending: true });
        let sorted = table.heap_bytes() / rows as usize;
        assert!(plain <= sorted && sorted <= BYTES_PER_ROW, "{plain}, {sorted}");
    }
}

#[test]
fn churn_does_not_make_a_table_grow() {
    let rows = 500;
    let mut table = table(rows);
    table.set_sort(Sort { column: Some(7), is_descending: false });
    let mut after_first = 0;
    for generation in 1..=16 {
        for at in 0..rows {
            table.remove(&pod(at, generation - 1).key(), now());
            table.upsert(&object(&pod(at, generation)), now());
            let other = Row { cells: pod(at + 1, generation).cells, ..pod(at, generation) };
            table.upsert(&object(&other), now());
        }
        table.expire(now().saturating_add(std::time::Duration::from_secs(2)).unwrap());
        if generation == 4 {
            after_first = table.heap_bytes();
        }
    }
    assert_eq!(table.total(), rows as usize);
    assert!(table.heap_bytes() <= after_first * 11 / 10, "{after_first} bytes became {}", table.heap_bytes());
}

#[test]
fn an_insertion_compares_a_few_items_however_many_there_are() {
    let mut worst = Vec::new();
    for items in [1_000_u32, 10_000, 100_000] {
        let mut list = SortedList::of_sorted(&(0..items).map(|it| 2 * it).collect::<Vec<_>>());
        let compared = Counter::new(0);
        let mut most = 0;
        for step in 0..1000 {
            compared.set(0);
            list.insert(2 * (step * 7919 % items) + 1, |a, b| {
                compared.set(compared.get() + 1);
                a.cmp(&b)
            });
            most = most.max(compared.get());
        }
        worst.push(most);
    }
    assert!(worst[2] <= 24 && worst[2] <= worst[0] + 8, "{worst:?}");
}

#[test]
fn sorts_and_queries_of_a_table_with_cheap_keys_are_those_of_its_rows() {
    let mut table = table(3_000);
    table.set_filter(Filter { query: Query::parse("check crash"), ..Filter::default() });
    for (column, is_descending) in (0..8).flat_map(|column| [(column, false), (column, true)]) {
        table.set_sort(Sort { column: Some(column), is_descending });
        let rows = table.window(0..usize::MAX);
        assert_eq!(rows.len(), 334);
        assert!(rows.is_sorted_by(|a, b| {
            let order = a.row.cells[column].compare(&b.row.cells[column]);
            let order = if is_descending { order.reverse() } else { order };
            order.then_with(|| (&a.row.namespace, &a.row.name).cmp(&(&b.row.namespace, &b.row.name))).is_lt()
        }));
        let shown = table.window(40..41).remove(0);
        assert_eq!(table.index_of(&shown.row.key()), Some(40));
    }
    table.set_filter(Filter { query: Query::parse("checkout crashloop team-1"), ..Filter::default() });
    let narrowed: Vec<_> = table.window(0..usize::MAX).into_iter().map(|it| it.row.key()).collect();
    table.set_filter(Filter::default());
    table.set_filter(Filter { query: Query::parse("checkout crashloop team-1"), ..Filter::default() });
    assert_eq!(narrowed, table.window(0..usize::MAX).into_iter().map(|it| it.row.key()).collect::<Vec<_>>());
}
