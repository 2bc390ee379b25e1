//! Whatever a server does and whatever goes wrong in between, an informer ends with what the server holds, tells its
//! handlers a history that can have been, and a queue gives each key to one worker at a time.
//!
//! The server is the one in memory, with its faults; time is virtual, and tasks run in an order of chance.
//! `PROPTEST_CASES=20000 cargo test --release --features testing,metrics --test conformance properties` tries more;
//! a case that fails is printed, and kept in `proptest-regressions`.

mod history;
mod steps;
mod workers;
mod world;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use watchglass::cache::QueueKind;

use steps::{Step, a_step};
use world::{Settings, World};

/// 256 cases unless `PROPTEST_CASES` says otherwise; those that failed once are tried first.
pub fn config(failures: &'static str) -> ProptestConfig {
    let failure_persistence = Some(Box::new(FileFailurePersistence::Direct(failures)) as Box<_>);
    ProptestConfig { failure_persistence, max_shrink_iters: 4096, ..ProptestConfig::default() }
}

fn settings() -> impl Strategy<Value = Settings> {
    let queue = prop_oneof![Just(QueueKind::AtomicRealFifo), Just(QueueKind::RealFifo), Just(QueueKind::DeltaFifo)];
    let bookmarks = prop_oneof![Just(1_u64), Just(60), Just(100_000)];
    let resync = prop_oneof![Just(0_u64), Just(3), Just(30)];
    (any::<u64>(), queue, any::<bool>(), any::<bool>(), bookmarks, resync).prop_map(
        |(seed, queue, unbounded_notifications, watch_list, bookmark_seconds, resync_seconds)| Settings {
            seed,
            queue,
            unbounded_notifications,
            watch_list,
            bookmark_seconds,
            resync_seconds,
        },
    )
}

proptest! {
    #![proptest_config(config("tests/conformance/proptest-regressions/informer.txt"))]

    #[test]
    fn an_informer_ends_with_what_the_server_holds_whatever_happened(
        settings in settings(),
        steps in prop::collection::vec(a_step(), 1..40),
    ) {
        let world = World::new(&settings);
        for step in &steps {
            world.take(step);
        }
        world.settle();
        world.check()?;
    }
}

/// What a property is worth shows when the thing breaks: without the last wait, many a case is not right yet.
#[test]
fn the_check_of_the_property_can_fail() {
    let settings = Settings {
        seed: 1,
        queue: QueueKind::AtomicRealFifo,
        unbounded_notifications: true,
        watch_list: false,
        bookmark_seconds: 60,
        resync_seconds: 0,
    };
    let world = World::new(&settings);
    world.take(&Step::Run);
    world.take(&Step::Put(0));
    let error = world.check().unwrap_err();
    assert!(error.to_string().contains("store"), "{error}");
}
