use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What one of many cost, on average.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub allocations: f64,
    pub bytes: f64,
    /// What is still held of it.
    pub live_bytes: f64,
    /// The most that was held at once.
    pub peak_bytes: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    allocations: f64,
    bytes: f64,
    /// Absent where nothing of it is held for long.
    live_bytes: Option<f64>,
    /// Where much comes at once.
    peak_bytes: Option<f64>,
}

impl Budget {
    fn allows(&self, cost: &Cost) -> bool {
        cost.allocations <= self.allocations
            && cost.bytes <= self.bytes
            && self.live_bytes.is_none_or(|limit| cost.live_bytes <= limit)
            && self.peak_bytes.is_none_or(|limit| cost.peak_bytes <= limit)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allocations, bytes, live_bytes, peak_bytes } = self;
        write!(f, "{allocations:.2} allocations, {bytes:.0} bytes, {live_bytes:.0} kept, {peak_bytes:.0} at most")
    }
}

/// Counts what is done for each of so many. What comes of it is kept until it is counted.
pub fn cost_of_each<T>(count: usize, run: impl FnOnce() -> T) -> Cost {
    let mut kept = None;
    let info = allocation_counter::measure(|| kept = Some(run()));
    drop(kept);
    let of_one = |total: f64| total / count as f64;
    Cost {
        allocations: of_one(info.count_total as f64),
        bytes: of_one(info.bytes_total as f64),
        live_bytes: of_one(info.bytes_current as f64),
        peak_bytes: of_one(info.bytes_max as f64),
    }
}

/// Takes the cost at each size and holds it against the budget of that name.
pub fn hold(what: &str, cost_among: impl Fn(usize) -> Cost) {
    let budget = budget(what);
    let costs = super::SIZES.map(|size| (size, cost_among(size)));
    for (size, cost) in costs {
        eprintln!("{what} among {size}: {cost}");
        assert!(budget.allows(&cost), "{what} among {size} is over its budget of {budget:?}: {cost}");
    }
    let [(_, few), (_, many)] = costs;
    // Tables and buffers double now and then, and where they do differs.
    assert_same("allocations", what, few.allocations, many.allocations, 0.1);
    assert_same("bytes", what, few.bytes, many.bytes, 64.0);
}

/// Ten times the objects must not change what is done for one.
fn assert_same(figure: &str, what: &str, few: f64, many: f64, slack: f64) {
    const ROUNDING: f64 = 1.05;
    assert!(many <= few * ROUNDING + slack, "{what}: {figure} grow with the number of objects, {few} to {many}");
}

fn budget(what: &str) -> Budget {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts.toml");
    let text = fs::read_to_string(path).expect("the budgets are there");
    let mut budgets: BTreeMap<String, Budget> = toml::from_str(&text).expect("the budgets are TOML");
    budgets.remove(what).unwrap_or_else(|| panic!("tests/counts.toml has no budget for {what}"))
}
