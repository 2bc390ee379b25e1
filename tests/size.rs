//! The budgets of `tests/size.toml`, for the release page that `scripts/build dashboard` has put into `dist/`.

#![expect(clippy::print_stdout, reason = "the figures are for people to read")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;

#[derive(Deserialize)]
struct Budgets {
    wasm: Bytes,
    rest: Bytes,
    dependencies: Dependencies,
}

#[derive(Debug, Default, Deserialize)]
struct Bytes {
    raw: usize,
    gzip: usize,
}

#[derive(Deserialize)]
struct Dependencies {
    crates: usize,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn budgets() -> Budgets {
    let text = fs::read_to_string(root().join("tests/size.toml")).expect("the budgets are there");
    toml::from_str(&text).expect("the budgets are TOML")
}

fn weigh(files: impl Iterator<Item = PathBuf>) -> Bytes {
    files.fold(Bytes::default(), |sum, file| {
        let content = fs::read(&file).expect("a file of the page can be read");
        // As a web server compresses it, each file for itself.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
        encoder.write_all(&content).expect("writing to memory");
        let gzip = encoder.finish().expect("writing to memory").len();
        Bytes { raw: sum.raw + content.len(), gzip: sum.gzip + gzip }
    })
}

fn page() -> Vec<PathBuf> {
    let dist = root().join("dist");
    let files = fs::read_dir(&dist).unwrap_or_else(|error| panic!("{}: {error}; build it first", dist.display()));
    files.map(|file| file.expect("the folder can be read").path()).filter(|path| path.is_file()).collect()
}

fn assert_within(what: &str, found: &Bytes, budget: &Bytes) {
    println!("{what}: {} bytes raw of {}, {} gzip of {}", found.raw, budget.raw, found.gzip, budget.gzip);
    assert!(found.raw <= budget.raw && found.gzip <= budget.gzip, "{what} is over its budget of {budget:?}: {found:?}");
}

#[test]
fn the_page_stays_within_its_budget() {
    let is_wasm = |path: &PathBuf| path.extension().is_some_and(|it| it == "wasm");
    let (wasm, rest): (Vec<_>, Vec<_>) = page().into_iter().partition(is_wasm);
    assert_eq!(wasm.len(), 1, "one module and none left over from an earlier build: {wasm:?}");
    let budgets = budgets();
    assert_within("wasm", &weigh(wasm.into_iter()), &budgets.wasm);
    assert_within("the rest", &weigh(rest.into_iter()), &budgets.rest);
}

#[test]
fn the_page_s_dependencies_stay_within_their_budget() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--features", "dashboard", "--target", "wasm32-unknown-unknown"])
        .args(["--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8_lossy(&tree.stdout);
    let mut crates: Vec<_> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    crates.sort_unstable();
    crates.dedup();
    let budget = budgets().dependencies.crates;
    println!("crates in the page's build: {} of {budget}", crates.len());
    assert!(crates.len() <= budget, "the page's build grew to {} crates", crates.len());
}
