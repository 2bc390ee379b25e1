use proptest::prelude::*;
use watchglass::testing::apiserver::Fault;

/// How many objects there are at most.
pub const NAMES: usize = 5;

/// What happens to a world.
#[derive(Clone, Debug)]
pub enum Step {
    /// An object is created, or changed.
    Put(usize),
    Delete(usize),
    /// Deleted and made again under the same name.
    Recreate(usize),
    /// Many changes of one object at once.
    Burst(usize, usize),
    /// More changes than a handler's backlog keeps apart.
    Flood,
    /// It befalls so many requests.
    Fault(Fault, u32),
    DropOpen,
    CloseOpen,
    /// The server forgets its history: what watches from before gets a 410.
    Compact,
    Run,
    Advance(u64),
    /// The machine sleeps: the wall clock goes on, and the other one does not.
    Sleep(i64),
    AddHandler,
    RemoveHandler(usize),
    /// A handler rests for a second.
    SlowHandler(usize),
    RetryNow,
}

pub fn a_step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES;
    prop_oneof![
        8 => name().prop_map(Step::Put),
        4 => name().prop_map(Step::Delete),
        2 => name().prop_map(Step::Recreate),
        2 => (name(), 2..30_usize).prop_map(|(name, count)| Step::Burst(name, count)),
        1 => Just(Step::Flood),
        6 => (a_fault(), 1..4_u32).prop_map(|(fault, count)| Step::Fault(fault, count)),
        2 => Just(Step::DropOpen),
        2 => Just(Step::CloseOpen),
        2 => Just(Step::Compact),
        6 => Just(Step::Run),
        4 => prop_oneof![1..50_u64, 500..5_000_u64, 60_000..400_000_u64].prop_map(Step::Advance),
        1 => (11..7200_i64).prop_map(Step::Sleep),
        1 => Just(Step::AddHandler),
        1 => (0..4_usize).prop_map(Step::RemoveHandler),
        1 => (0..4_usize).prop_map(Step::SlowHandler),
        1 => Just(Step::RetryNow),
    ]
}

fn a_fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Refuse),
        (1..2_000_u64).prop_map(|milliseconds| Fault::Delay { milliseconds }),
        (0..3_000_u64).prop_map(|after_bytes| Fault::Drop { after_bytes }),
        (0..3_000_u64).prop_map(|after_bytes| Fault::Truncate { after_bytes }),
        Just(Fault::Gone),
        (0..3_u32).prop_map(|retry_after_seconds| Fault::TooManyRequests { retry_after_seconds }),
        Just(Fault::Forbidden),
        Just(Fault::Silence),
        Just(Fault::GarbageFrame),
        prop_oneof![Just(410), Just(429), Just(500), Just(504)].prop_map(|code| Fault::ErrorEvent { code }),
        Just(Fault::NoInitialBookmark),
        Just(Fault::CloseBeforeInitialBookmark),
        Just(Fault::HtmlPage),
        Just(Fault::ProxyError),
    ]
}
