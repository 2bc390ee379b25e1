use super::*;
use crate::view::Cell;
use crate::view::rows_of_tests::{ANY, LIKE_PODS, object};

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(1_796_000_000_000 + milliseconds).unwrap()
}

/// Columns: namespace, name, restarts.
fn row(namespace: &str, name: &str, restarts: i64) -> Row {
    let cells = [Cell::text(namespace), Cell::text(name), Cell::Restarts { count: restarts, last: None }];
    let uid = format!("{namespace}-{name}-1");
    Row { uid: uid.into(), namespace: namespace.into(), name: name.into(), cells: cells.into(), ..Row::default() }
}

fn table(rows: &[(&str, &str, i64)]) -> TableModel {
    let mut table = TableModel::new(&ANY);
    for (namespace, name, restarts) in rows {
        table.upsert(&object(&row(namespace, name, *restarts)), at(0));
    }
    table
}

/// The keys of all rows in their order; a leaving one in brackets.
fn keys(table: &TableModel) -> Vec<String> {
    let key = |it: &VisibleRow| match it.leaving {
        Leaving::No => it.row.key(),
        Leaving::Yes => format!("[{}]", it.row.key()),
    };
    table.window(0..usize::MAX).iter().map(key).collect()
}

fn by(column: usize, is_descending: bool) -> Sort {
    Sort { column: Some(column), is_descending }
}

fn only(namespaces: &[&str], query: &str) -> Filter {
    Filter { namespaces: namespaces.iter().map(|it| (*it).into()).collect(), query: Query::parse(query), hidden: 0 }
}

#[test]
fn rows_stand_by_namespace_and_name_first() {
    let table = table(&[("b", "x", 0), ("a-b", "y", 0), ("a", "z", 0), ("a", "y", 0), ("", "node", 0)]);
    assert_eq!(keys(&table), ["node", "a/y", "a/z", "a-b/y", "b/x"]);
    assert_eq!((table.total(), table.shown(), table.rows()), (5, 5, 5));
}

#[test]
fn names_stand_by_the_numbers_in_them_where_a_person_sorts_by_them() {
    let mut table = table(&[("n-10", "pod-2", 0), ("n-2", "pod-10", 0), ("n-2", "pod-2", 0), ("n-2", "pod-1", 0)]);
    assert_eq!(keys(&table), ["n-10/pod-2", "n-2/pod-1", "n-2/pod-10", "n-2/pod-2"], "as the API server lists them");
    table.set_filter(only(&["n-2"], ""));
    table.set_sort(by(1, false));
    assert_eq!(keys(&table), ["n-2/pod-1", "n-2/pod-2", "n-2/pod-10"]);
    table.upsert(&object(&row("n-2", "pod-9", 0)), at(1));
    table.upsert(&object(&row("n-2", "pod-11", 0)), at(1));
    assert_eq!(keys(&table), ["n-2/pod-1", "n-2/pod-2", "n-2/pod-9", "n-2/pod-10", "n-2/pod-11"]);
    assert_eq!(table.index_of("n-2/pod-10"), Some(3));
    table.set_filter(Filter::default());
    table.set_sort(by(0, true));
    assert_eq!(keys(&table), ["n-10/pod-2", "n-2/pod-1", "n-2/pod-10", "n-2/pod-11", "n-2/pod-2", "n-2/pod-9"]);
    table.set_sort(by(0, false));
    assert_eq!(keys(&table)[5], "n-10/pod-2");
}

#[test]
fn a_sorted_column_falls_back_to_the_key_in_both_directions() {
    let mut table = table(&[("a", "1", 2), ("a", "2", 10), ("a", "3", 2), ("a", "4", 0)]);
    table.set_sort(by(2, false));
    assert_eq!(keys(&table), ["a/4", "a/1", "a/3", "a/2"]);
    table.set_sort(by(2, true));
    assert_eq!(keys(&table), ["a/2", "a/1", "a/3", "a/4"]);
    table.upsert(&object(&row("a", "4", 5)), at(1));
    assert_eq!(keys(&table), ["a/2", "a/4", "a/1", "a/3"]);
    assert_eq!(table.index_of("a/1"), Some(2));
    table.set_sort(Sort::default());
    assert_eq!(keys(&table), ["a/1", "a/2", "a/3", "a/4"]);
}

#[test]
fn a_filter_counts_what_it_lets_through() {
    let mut table = table(&[("a", "web", 0), ("a", "db", 0), ("b", "web", 0)]);
    table.set_filter(only(&["a"], ""));
    assert_eq!(keys(&table), ["a/db", "a/web"]);
    table.set_filter(only(&[], "WEB"));
    assert_eq!(keys(&table), ["a/web", "b/web"]);
    assert_eq!((table.total(), table.shown()), (3, 2));
    table.upsert(&object(&row("c", "web", 0)), at(1));
    table.upsert(&object(&row("c", "db", 0)), at(1));
    assert_eq!((table.total(), table.shown()), (5, 3));
    assert_eq!(table.index_of("c/db"), None);
    assert_eq!(
        table.namespaces().iter().map(|(name, count)| (name.as_str(), *count)).collect::<Vec<_>>(),
        [("a", 2), ("b", 1), ("c", 2)]
    );
}

#[test]
fn an_update_can_bring_a_row_into_the_filter_and_out_of_it() {
    let mut table = table(&[("a", "web", 0)]);
    table.set_filter(only(&[], "7"));
    assert_eq!(table.shown(), 0);
    table.upsert(&object(&row("a", "web", 7)), at(1));
    assert_eq!(table.shown(), 1);
    table.upsert(&object(&row("a", "web", 8)), at(2));
    assert_eq!((table.shown(), table.total()), (0, 1));
}

#[test]
fn a_row_leaves_within_a_second() {
    let mut table = table(&[("a", "1", 0), ("a", "2", 0), ("a", "3", 0)]);
    table.remove("a/2", at(0));
    table.remove("a/9", at(0));
    assert_eq!(keys(&table), ["a/1", "[a/2]", "a/3"]);
    assert_eq!((table.total(), table.shown(), table.rows()), (2, 2, 3));
    assert_eq!(table.next_expiry(), Some(at(1000)));
    assert!(!table.expire(at(999)));
    assert!(table.expire(at(1000)));
    assert_eq!(keys(&table), ["a/1", "a/3"]);
    assert_eq!((table.rows(), table.next_expiry()), (2, None));
}

#[test]
fn a_new_object_of_the_same_name_is_a_row_of_its_own() {
    let mut table = table(&[("a", "web-0", 3)]);
    let second = Row { uid: "second".into(), ..row("a", "web-0", 0) };
    table.upsert(&object(&second), at(100));
    assert_eq!(keys(&table), ["[a/web-0]", "a/web-0"]);
    assert_eq!((table.total(), table.shown()), (1, 1));
    assert_eq!(table.get("a/web-0").unwrap().lit, 0);
    table.expire(at(1100));
    assert_eq!(keys(&table), ["a/web-0"]);
}

#[test]
fn an_object_that_comes_back_is_one_row() {
    let mut table = table(&[("a", "1", 0)]);
    table.remove("a/1", at(0));
    table.upsert(&object(&row("a", "1", 0)), at(10));
    assert_eq!(keys(&table), ["a/1"]);
    assert_eq!((table.total(), table.shown(), table.next_expiry()), (1, 1, None));
}

#[test]
fn leaving_rows_do_not_count_under_another_filter_or_sort() {
    let mut table = table(&[("a", "1", 0), ("b", "2", 0)]);
    table.remove("a/1", at(0));
    table.set_filter(only(&["b"], ""));
    assert_eq!((table.rows(), table.shown(), table.total()), (1, 1, 1));
    table.set_filter(only(&["a"], ""));
    assert_eq!((table.rows(), table.shown(), table.total()), (1, 0, 1));
    table.set_sort(by(1, true));
    table.expire(at(2000));
    assert_eq!((table.rows(), table.shown(), table.total()), (0, 0, 1));
}

#[test]
fn changed_cells_are_lit_for_a_moment() {
    let mut table = table(&[("a", "1", 0)]);
    let lit = |table: &TableModel| table.get("a/1").unwrap().lit;
    assert_eq!((lit(&table), table.next_expiry()), (0, None));
    table.upsert(&object(&row("a", "1", 1)), at(5));
    table.upsert(&object(&row("a", "1", 1)), at(6));
    assert_eq!((lit(&table), table.next_expiry()), (0b100, Some(at(700))));
    table.upsert(&object(&row("a", "1", 2)), at(200));
    assert!(!table.expire(at(700)), "it changed again meanwhile");
    assert_eq!((lit(&table), table.next_expiry()), (0b100, Some(at(800))));
    assert!(table.expire(at(800)));
    assert_eq!((lit(&table), table.next_expiry()), (0, None));
}

#[test]
fn what_changes_where_nobody_looks_needs_no_redraw() {
    let mut table = table(&[("a", "1", 0), ("a", "2", 0), ("a", "3", 0)]);
    assert!(table.upsert(&object(&row("a", "3", 1)), at(0)), "all may be looked at");
    assert!(table.expire(at(600)));
    assert_eq!(table.look_at(0..2).len(), 2);
    assert!(!table.upsert(&object(&row("a", "3", 2)), at(700)));
    assert!(!table.expire(at(1300)));
    assert!(table.upsert(&object(&row("a", "2", 1)), at(1400)));
    assert!(table.expire(at(2000)));
    assert!(table.upsert(&object(&row("b", "1", 0)), at(2000)), "there is one more");
    table.set_sort(by(2, false));
    assert!(table.upsert(&object(&row("a", "3", 3)), at(3000)), "others may stand elsewhere");
    table.set_filter(only(&["b"], ""));
    assert!(!table.upsert(&object(&row("a", "2", 9)), at(4000)), "not among those that are shown");
}

#[test]
fn a_row_that_takes_the_place_of_a_lit_one_is_not_lit() {
    let mut table = table(&[("a", "1", 0)]);
    table.upsert(&object(&row("a", "1", 1)), at(0));
    table.remove("a/1", at(0));
    table.expire(at(1000));
    table.upsert(&object(&row("a", "2", 0)), at(1000));
    assert_eq!(table.get("a/2").unwrap().lit, 0);
}

#[test]
fn a_window_is_cut_at_the_end_of_the_list() {
    let table = table(&[("a", "1", 0), ("a", "2", 0), ("a", "3", 0)]);
    let window = table.window(1..9);
    assert_eq!(window.iter().map(|it| (it.index, it.row.name.as_ref())).collect::<Vec<_>>(), [(1, "2"), (2, "3")]);
    assert!(table.window(7..9).is_empty());
}

/// The table after a long random life equals one that is built from what is left.
#[test]
fn a_long_life_leaves_no_trace() {
    let mut table = TableModel::new(&ANY);
    let mut alive = BTreeMap::new();
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for step in 0..20_000 {
        let (namespace, name) = (format!("n{}", random(5)), format!("p{}", random(300)));
        match random(4) {
            0 => {
                table.remove(&format!("{namespace}/{name}"), at(step));
                alive.remove(&(namespace, name));
            }
            _ => {
                let restarts = random(50) as i64;
                table.upsert(&object(&row(&namespace, &name, restarts)), at(step));
                alive.insert((namespace, name), restarts);
            }
        }
        match step % 1000 {
            250 => table.set_sort(by(2, step % 2000 > 1000)),
            500 => table.set_filter(only(&["n1", "n2"], "1")),
            750 => table.set_filter(Filter::default()),
            _ => {}
        }
        table.expire(at(step));
    }
    table.expire(at(30_000));
    let rows: Vec<_> =
        alive.iter().map(|((namespace, name), restarts)| (namespace.as_str(), name.as_str(), *restarts)).collect();
    let mut fresh = self::table(&rows);
    fresh.set_sort(table.sort());
    fresh.set_filter(table.filter().clone());
    assert_eq!(keys(&table), keys(&fresh));
    assert_eq!((table.total(), table.shown(), table.rows()), (fresh.total(), fresh.shown(), fresh.rows()));
    assert_eq!(table.namespaces(), fresh.namespaces());
    assert_eq!(table.order.len(), table.total(), "no slot is left over");
}

/// A pod of the columns of [`LIKE_PODS`], created at this second, with a label.
fn labelled(name: &str, created: i64, app: &str) -> Object {
    let cells = [
        Cell::text("a"),
        Cell::text(name),
        Cell::Ready { ready: 1, total: 1 },
        Cell::text("Running"),
        Cell::Restarts { count: 0, last: None },
        Cell::Age(Some(at(created * 1000))),
    ];
    let row = Row { uid: name.into(), namespace: "a".into(), name: name.into(), cells: cells.into(), ..Row::default() };
    let mut value = object(&row).to_value();
    value["metadata"]["labels"] = serde_json::json!({ "app": app });
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_query_of_labels_follows_objects_whose_cells_stay_as_they_are() {
    for query in ["label.app=web", "-l app=web", ".metadata.labels.app:w?b", "!label.app=db"] {
        for sort in [Sort::default(), by(1, true)] {
            let mut table = TableModel::new(&LIKE_PODS);
            for (name, app) in [("1", "web"), ("2", "db"), ("3", "web")] {
                table.upsert(&labelled(name, 0, app), at(0));
            }
            table.set_sort(sort);
            table.set_filter(only(&[], query));
            assert_eq!((table.shown(), table.index_of("a/2")), (2, None), "{query}");
            assert!(table.upsert(&labelled("2", 0, "web"), at(1)), "{query}");
            assert_eq!((table.shown(), table.index_of("a/2")), (3, Some(1)), "{query}");
            assert!(!table.upsert(&labelled("2", 0, "web"), at(2)), "{query}");
            assert!(table.upsert(&labelled("1", 0, "db"), at(3)), "{query}");
            table.replace(&labelled("3", 0, "db"));
            assert_eq!((keys(&table), table.total()), (vec!["a/2".to_owned()], 3), "{query}");
            assert_eq!(table.get("a/2").unwrap().lit, 0, "no cell changed");
        }
    }
}

#[test]
fn a_query_of_ages_is_asked_again_as_time_passes() {
    let mut table = TableModel::new(&LIKE_PODS);
    for (name, created) in [("1", 0), ("2", 60), ("3", 120)] {
        table.upsert(&labelled(name, created, "web"), at(120_000));
    }
    table.set_filter(only(&[], "age<2m"));
    assert_eq!(keys(&table), ["a/2", "a/3"]);
    assert!(!table.filter_again(at(179_999)));
    assert!(table.filter_again(at(180_000)));
    assert_eq!(keys(&table), ["a/3"]);
    table.set_filter(only(&[], "age<2m 3"));
    table.set_filter(only(&[], "age>=2m"));
    assert!(table.filter_again(at(240_000)));
    assert_eq!((table.shown(), table.filter().query.is_timed()), (3, true));
    table.set_filter(only(&[], "3"));
    assert!(!table.filter_again(at(999_000)), "time changes nothing in it");
}

#[test]
fn a_table_of_any_query_is_one_that_was_filtered_at_once() {
    let queries =
        ["", "r", "ru", "run label.app=web", "label.app=web", "!label.app=web 1", "1", "name:1", "age<2m 1", "age<2m"];
    let pod = |step: i64| labelled(&(step % 40).to_string(), step % 90, ["web", "db"][(step / 7 % 2) as usize]);
    let mut table = TableModel::new(&LIKE_PODS);
    let mut alive = BTreeMap::new();
    for step in 0..2_000 {
        table.upsert(&pod(step), at(150_000));
        alive.insert(step % 40, pod(step));
        if step % 13 == 0 {
            table.set_filter(only(&[], queries[(step / 13) as usize % queries.len()]));
            let mut fresh = TableModel::new(&LIKE_PODS);
            alive.values().for_each(|pod| _ = fresh.upsert(pod, at(150_000)));
            fresh.set_filter(table.filter().clone());
            assert_eq!((keys(&table), table.shown()), (keys(&fresh), fresh.shown()), "{:?}", table.filter());
        }
    }
}
