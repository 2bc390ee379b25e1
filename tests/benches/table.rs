use divan::Bencher;
use divan::counter::ItemsCount;
use jiff::Timestamp;
use watchglass::api::Object;
use watchglass::testing::objects::numbered_pod;
use watchglass::view::columns::PODS;
use watchglass::view::{Filter, Query, Sort, TableModel};

use crate::SIZES;

fn now() -> Timestamp {
    Timestamp::constant(1_767_225_600, 0)
}

fn pod(number: usize) -> Object {
    numbered_pod(number).into()
}

fn table(count: usize) -> TableModel {
    let mut table = TableModel::new(&PODS);
    for number in 0..count {
        table.upsert(&pod(number), now());
    }
    table
}

fn by(column: &str, is_descending: bool) -> Sort {
    Sort { column: PODS.column(column), is_descending }
}

#[divan::bench]
fn row_of_an_object(bencher: Bencher<'_, '_>) {
    let pod = pod(42);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| PODS.row(&pod));
}

/// New objects into a sorted table, one after the other.
#[divan::bench(args = SIZES, sample_count = 3)]
fn insert(bencher: Bencher<'_, '_>, count: usize) {
    let pods = crate::pods(count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut table = TableModel::new(&PODS);
        table.set_sort(by("AGE", false));
        for pod in &pods {
            table.upsert(pod, now());
        }
        table
    });
}

#[divan::bench(args = SIZES)]
fn upsert(bencher: Bencher<'_, '_>, count: usize) {
    let mut table = table(count);
    table.set_sort(by("AGE", false));
    let mut numbers = (0..count).step_by(7).cycle();
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| pod(numbers.next().expect("it goes round")))
        .bench_local_values(|pod| table.upsert(&pod, now()));
}

/// The other way round each time.
#[divan::bench(args = SIZES, sample_count = 5)]
fn sort(bencher: Bencher<'_, '_>, count: usize) {
    let mut table = table(count);
    let mut is_descending = false;
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        is_descending = !is_descending;
        table.set_sort(by("AGE", is_descending));
    });
}

/// By the numbers in the names, the other way round each time.
#[divan::bench(args = SIZES, sample_count = 5)]
fn sort_by_name(bencher: Bencher<'_, '_>, count: usize) {
    let mut table = table(count);
    let mut is_descending = false;
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        is_descending = !is_descending;
        table.set_sort(by("NAME", is_descending));
    });
}

/// Another word each time; one row in 25 or so matches.
#[divan::bench(args = SIZES, sample_count = 5)]
fn query(bencher: Bencher<'_, '_>, count: usize) {
    let mut table = table(count);
    let mut words = ["node-01", "node-12"].into_iter().cycle();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let query = Query::parse(words.next().expect("it goes round"));
        table.set_filter(Filter { query, ..Filter::default() });
    });
}

/// Fields, an expression and labels.
#[divan::bench(args = ["status:r*", "restarts>3", "age<10m", "ns!=team-1", "/-[0-9]+7$/", "-f wb7", "label.app=web", "image~nginx"], sample_count = 5)]
fn query_of(bencher: Bencher<'_, '_>, query: &str) {
    let mut table = table(100_000);
    let mut queries = [query, ""].into_iter().map(Query::parse).cycle();
    bencher.counter(ItemsCount::new(100_000_usize)).bench_local(|| {
        for query in queries.by_ref().take(2) {
            table.set_filter(Filter { query, ..Filter::default() });
        }
    });
}

/// What a screen shows.
#[divan::bench(args = SIZES)]
fn window(bencher: Bencher<'_, '_>, count: usize) {
    const SCREEN: usize = 50;
    let table = table(count);
    bencher.counter(ItemsCount::new(SCREEN)).bench_local(|| table.window(count / 2..count / 2 + SCREEN));
}
