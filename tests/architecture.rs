//! The invariants of `src/ARCHITECTURE.md` that a look at the sources can hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Source {
    /// Relative to `src/`, with `/`.
    path: String,
    /// Comments are left out: they may name anything.
    code: String,
    lines: usize,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("a folder can be read").path());
    let mut files: Vec<_> = entries
        .filter(|path| path.file_name().is_some_and(|name| name != "node_modules"))
        .flat_map(|path| if path.is_dir() { files_below(&path, extension) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    files.sort();
    files
}

fn sources() -> Vec<Source> {
    let folder = root().join("src");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source file is text");
        let path = path.strip_prefix(&folder).expect("it lies below src").to_string_lossy().replace('\\', "/");
        let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
        Source { path, code: text.lines().map(without_comment).collect(), lines: text.lines().count() }
    };
    files_below(&folder, "rs").into_iter().map(read).collect()
}

fn is_below(source: &Source, folders: &[&str]) -> bool {
    folders.iter().any(|folder| source.path.starts_with(&format!("{folder}/")))
}

/// Fails with the places where one of the words stands as a path or an identifier.
fn assert_absent(sources: &[&Source], words: &[&str], why: &str) {
    let stands = |code: &str, word: &str| {
        let part_of_a_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        code.match_indices(word).any(|(at, _)| {
            !part_of_a_name(code[..at].chars().next_back()) && !part_of_a_name(code[at + word.len()..].chars().next())
        })
    };
    let found: Vec<_> = sources
        .iter()
        .flat_map(|source| words.iter().map(move |word| (source, *word)))
        .filter(|(source, word)| stands(&source.code, word))
        .map(|(source, word)| format!("src/{} names {word}", source.path))
        .collect();
    assert!(found.is_empty(), "{why}:\n{}", found.join("\n"));
}

const CORE: [&str; 8] = ["api", "rest", "cache", "flow_control", "transport", "watch_tools", "workqueue", "view"];

#[test]
fn the_core_knows_neither_a_browser_nor_an_executor_nor_the_time() {
    let sources = sources();
    let core: Vec<_> = sources.iter().filter(|source| is_below(source, &CORE)).collect();
    let words =
        ["leptos", "web_sys", "js_sys", "wasm_bindgen", "gloo_net", "gloo_timers", "tokio", "Instant", "SystemTime"];
    assert_absent(&core, &words, "the core reaches its host through runtime's ports only");
    assert_absent(&core, &["Timestamp::now"], "time comes from the injected clock");
}

#[test]
fn only_the_runtime_asks_for_the_target() {
    let sources = sources();
    let allowed =
        |source: &&Source| source.path == "lib.rs" || source.path == "main.rs" || is_below(source, &["runtime"]);
    let others: Vec<_> = sources.iter().filter(|source| !allowed(source)).collect();
    assert_absent(&others, &["target_arch"], "what differs between hosts is behind a port");
}

#[test]
fn tasks_start_through_the_spawn_port_only() {
    let sources = sources();
    let others: Vec<_> = sources.iter().filter(|source| !is_below(source, &["runtime", "testing"])).collect();
    let words = ["spawn_local", "spawn_detached", "tokio::spawn", "Interval", "set_interval"];
    assert_absent(&others, &words, "each task has an owner that ends it");
}

#[test]
fn the_core_has_no_global_state() {
    let sources = sources();
    let core: Vec<_> =
        sources.iter().filter(|source| is_below(source, &CORE) || is_below(source, &["runtime"])).collect();
    let words = ["thread_local", "OnceLock", "LazyLock", "OnceCell", "static mut"];
    assert_absent(&core, &words, "a page may hold two clusters");
}

#[test]
fn only_the_entry_names_the_browser_s_ports() {
    let sources = sources();
    let others: Vec<_> =
        sources.iter().filter(|source| source.path != "main.rs" && !is_below(source, &["runtime"])).collect();
    assert_absent(&others, &["runtime::web", "runtime::native"], "who mounts the page chooses its host");
}

#[test]
fn modules_depend_in_one_direction() {
    let allowed: [(&str, &[&str]); 11] = [
        ("api", &[]),
        ("runtime", &[]),
        ("flow_control", &["api", "runtime"]),
        ("workqueue", &["runtime", "flow_control"]),
        ("cache", &["api", "runtime", "flow_control"]),
        ("rest", &["api", "runtime", "cache", "flow_control"]),
        ("transport", &["api", "runtime", "flow_control"]),
        ("watch_tools", &["api", "runtime", "cache"]),
        ("view", &["api"]),
        ("ui", &["api", "cache", "rest", "runtime", "view", "watch_tools", "workqueue"]),
        ("testing", &["api", "runtime"]),
    ];
    let sources = sources();
    for (module, uses) in allowed {
        let own: Vec<_> = sources.iter().filter(|source| is_below(source, &[module])).collect();
        assert!(!own.is_empty(), "there is a module {module}");
        let forbidden: Vec<_> = allowed
            .iter()
            .filter(|(other, _)| *other != module && !uses.contains(other))
            .map(|(other, _)| format!("crate::{other}"))
            .collect();
        let forbidden: Vec<_> = forbidden.iter().map(String::as_str).collect();
        assert_absent(&own, &forbidden, &format!("{module} may use {uses:?}"));
    }
}

#[test]
fn the_interface_never_writes_to_an_indexer() {
    let sources = sources();
    let above: Vec<_> = sources.iter().filter(|source| is_below(source, &["ui"])).collect();
    let words = ["indexer().add", "indexer().update", "indexer().delete", "indexer().replace"];
    assert_absent(&above, &words, "the watch brings changes back");
}

#[test]
fn files_stay_short() {
    let long: Vec<_> = sources().into_iter().filter(|source| source.lines > 500).collect();
    let long: Vec<_> = long.iter().map(|source| format!("src/{}: {} lines", source.path, source.lines)).collect();
    assert!(long.is_empty(), "no file above 500 lines, most below 300:\n{}", long.join("\n"));
}

#[test]
fn each_component_s_style_stands_beside_it() {
    let folder = root().join("src/ui/components");
    let alone: Vec<_> =
        files_below(&folder, "css").into_iter().filter(|css| !css.with_extension("rs").exists()).collect();
    assert!(alone.is_empty(), "styles without a component: {alone:?}");
}

#[test]
fn the_demo_cluster_is_no_part_of_the_normal_page() {
    let manifest: toml::Table = toml::from_str(&fs::read_to_string(root().join("Cargo.toml")).expect("it is there"))
        .expect("the manifest is TOML");
    let features = manifest["features"].as_table().expect("there are features");
    let dashboard = features["dashboard"].as_array().expect("a list");
    let is_dependency = |part: &str| part.starts_with("dep:") || part.contains('/');
    assert!(dashboard.iter().all(|part| part.as_str().is_some_and(is_dependency)), "{dashboard:?}");
    assert!(features["default"].as_array().expect("a list").is_empty());
}

#[test]
fn no_machine_and_no_registry_is_named() {
    let listed = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).expect("the project's file names are text");
    // Put together here, so that this file does not find itself.
    let words = [["/ro", "ot/"], ["/wo", "rk/"], ["/ho", "me/"], ["registry.", "npmjs"], ["proxy.", "golang"]];
    let words = words.map(|parts| parts.concat());
    let found: Vec<_> = listed
        .split_terminator('\0')
        .filter_map(|path| Some((path, fs::read_to_string(root().join(path)).ok()?)))
        .flat_map(|(path, text)| words.iter().filter(move |word| text.contains(*word)).map(move |word| (path, word)))
        .map(|(path, word)| format!("{path} names {word}"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_one_orders_resource_versions() {
    // But for client-go's mutation cache, as there, and for a server, who makes them.
    let sources = sources();
    let ordered: Vec<_> = sources
        .iter()
        .filter(|source| source.path != "cache/mutation_cache.rs" && !is_below(source, &["testing"]))
        .flat_map(|source| source.code.lines().map(|line| (&source.path, line.trim())))
        .filter(|(_, line)| line.contains("resource_version") && (line.contains("parse") || line.contains(".cmp(")))
        .map(|(path, line)| format!("src/{path}: {line}"))
        .collect();
    assert!(ordered.is_empty(), "a resourceVersion is compared for equality only:\n{}", ordered.join("\n"));
}

#[test]
fn each_report_names_a_test_that_is_there() {
    let readme = fs::read_to_string(root().join("tests/e2e/README.md")).expect("there is a list of reports");
    let (_, reports) = readme.split_once("## Reports").expect("it has a heading");
    let rows = reports.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.contains("#"));
    let mut count = 0;
    for row in rows {
        let test = row.trim_end_matches(" |").rsplit("| ").next().unwrap_or_default();
        let (file, name) = test.trim_start_matches('`').split_once("`: ").expect("a file and a name");
        let path = if file.ends_with(".rs") { format!("tests/{file}") } else { format!("tests/e2e/{file}.spec.ts") };
        let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
        assert!(text.contains(name), "{path} has no test {name}");
        count += 1;
    }
    assert!(count > 20, "the table is read as it is written: {count} rows");
}
