use std::cell::{Cell, RefCell};
use std::rc::Rc;

use watchglass::cache::Lazy;

type Shared<T> = Rc<RefCell<Option<Rc<Lazy<T, &'static str>>>>>;

/// Counts its evaluations, each of which gives its own number.
fn counting() -> (Lazy<u32, &'static str>, Rc<Cell<u32>>) {
    let evaluations = Rc::new(Cell::new(0));
    let counter = Rc::clone(&evaluations);
    let evaluate = move || {
        counter.set(counter.get() + 1);
        Ok(counter.get())
    };
    (Lazy::new(evaluate), evaluations)
}

/// client-go: `TestLazy`, `TestLazyOnlyOnce`.
#[test]
fn a_value_is_computed_once_between_two_changes_and_never_goes_back() {
    let (lazy, evaluations) = counting();
    assert_eq!(evaluations.get(), 0, "nobody has asked");
    for change in 1..=10 {
        assert_eq!([lazy.get(), lazy.get(), lazy.get()], [Ok(change); 3]);
        assert_eq!(evaluations.get(), change);
        lazy.notify();
    }
}

/// client-go: `TestLazyThroughput`.
#[test]
fn changes_that_nobody_asks_about_cost_nothing() {
    let (lazy, evaluations) = counting();
    (0..100).for_each(|_| lazy.notify());
    assert_eq!((lazy.get(), evaluations.get()), (Ok(1), 1));
}

/// client-go: `TestLazySlowEval`.
#[test]
fn a_value_that_was_begun_before_a_change_is_not_kept_after_it() {
    let lazy: Shared<u32> = Rc::default();
    let (inner, calls) = (Rc::clone(&lazy), Cell::new(0));
    let evaluate = move || {
        calls.set(calls.get() + 1);
        if calls.get() == 1 {
            inner.borrow().as_ref().expect("it was set").notify();
        }
        Ok(calls.get())
    };
    let evaluated = Rc::new(Lazy::new(evaluate));
    lazy.replace(Some(Rc::clone(&evaluated)));
    assert_eq!([evaluated.get(), evaluated.get(), evaluated.get()], [Ok(1), Ok(2), Ok(2)]);
}

/// client-go: `TestLazySlowEval2`.
#[test]
fn of_two_computations_the_one_begun_after_the_change_is_kept() {
    let lazy: Shared<u32> = Rc::default();
    let (inner, calls) = (Rc::clone(&lazy), Cell::new(0));
    let evaluate = move || {
        calls.set(calls.get() + 1);
        let own = calls.get();
        if own == 1 {
            let lazy = inner.borrow().clone().expect("it was set");
            lazy.notify();
            assert_eq!(lazy.get(), Ok(2));
        }
        Ok(own)
    };
    let evaluated = Rc::new(Lazy::new(evaluate));
    lazy.replace(Some(Rc::clone(&evaluated)));
    assert_eq!([evaluated.get(), evaluated.get()], [Ok(1), Ok(2)]);
}

/// client-go: `TestLazyError`.
#[test]
fn an_error_is_not_kept() {
    let calls = Cell::new(0);
    let lazy = Lazy::new(move || {
        calls.set(calls.get() + 1);
        if calls.get() < 3 { Err("not yet") } else { Ok(calls.get()) }
    });
    assert_eq!([lazy.get(), lazy.get(), lazy.get(), lazy.get()], [Err("not yet"), Err("not yet"), Ok(3), Ok(3)]);
}
