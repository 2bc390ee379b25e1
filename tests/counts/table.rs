use std::cell::Cell;

use jiff::Timestamp;
use watchglass::api::Object;
use watchglass::testing::objects::numbered_pod;
use watchglass::view::columns::PODS;
use watchglass::view::{Sort, SortedList, TableModel};

use crate::budget::{cost_of_each, hold};
use crate::{EVENTS, SIZES, pods, updates};

const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);

#[test]
fn a_row_costs_the_same_among_few_and_many() {
    hold("table-row", |size| {
        let pods: Vec<Object> = (0..size / 50).map(|number| numbered_pod(number).into()).collect();
        cost_of_each(pods.len(), || pods.iter().map(|pod| PODS.row(pod)).collect::<Vec<_>>())
    });
    hold("table-upsert", |size| {
        let (pods, mut table) = (pods(size), TableModel::new(&PODS));
        table.set_sort(Sort { column: PODS.column("AGE"), is_descending: false });
        let mut upsert = |pod: &Object| {
            table.upsert(pod, NOW);
        };
        pods.iter().for_each(&mut upsert);
        let updates = updates(&pods, EVENTS);
        cost_of_each(EVENTS, || updates.iter().for_each(&mut upsert))
    });
}

/// A search by halves, and what it takes to find the chunk first.
#[test]
fn a_sorted_insert_compares_no_more_than_a_search_by_halves_needs() {
    for size in SIZES {
        let size = u32::try_from(size).expect("it is small");
        let items: Vec<_> = (0..size).map(|item| item * 2).collect();
        let (mut list, compared) = (SortedList::of_sorted(&items), Cell::new(0_u32));
        for item in (1..size * 2).step_by(1001) {
            compared.set(0);
            list.insert(item | 1, |a, b| {
                compared.set(compared.get() + 1);
                a.cmp(&b)
            });
            assert!(compared.get() <= size.ilog2() + 4, "{} comparisons among {size}", compared.get());
        }
    }
}
