//! How the two peers written in Rust are asked, and measure: the same file for both.
//!
//! ```text
//! PEER --url URL [--mode list|stream] [--strip-managed-fields] [--events N]
//! ```
//! One line of JSON when all objects stand in the store, and one more when N updates have been handled: `../peers.md`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_long;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which counts the bytes that are asked for and not yet given back.
pub struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size, Relaxed);
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

unsafe extern "C" {
    /// Microseconds of processor time that this process has used, in all its threads, as POSIX has it.
    fn clock() -> c_long;
}

fn cpu_ms() -> f64 {
    // SAFETY: it takes nothing and touches no memory of ours.
    unsafe { clock() as f64 / 1000.0 }
}

/// What the command line asks for.
pub struct Asked {
    pub url: String,
    /// How the first state comes.
    pub mode: Mode,
    pub strip_managed_fields: bool,
    /// Updates to wait for after the first state.
    pub events: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// By a list.
    List,
    /// By a watch that begins with all objects.
    Stream,
}

impl Asked {
    pub fn read() -> Result<Self, String> {
        let url = "http://127.0.0.1:8001".into();
        let mut asked = Self { url, mode: Mode::List, strip_managed_fields: false, events: 0 };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            if name == "--strip-managed-fields" {
                asked.strip_managed_fields = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value after it"))?;
            match (name.as_str(), value.as_str()) {
                ("--url", _) => asked.url = value,
                ("--mode", "list") => asked.mode = Mode::List,
                ("--mode", "stream") => asked.mode = Mode::Stream,
                ("--events", _) => {
                    asked.events = value.parse().map_err(|_| format!("--events {value} is no number"))?;
                }
                _ => return Err(format!("{name} {value} is unknown; see the first lines of measure.rs")),
            }
        }
        Ok(asked)
    }
}

/// Bytes of memory that are resident; 0 where the system does not tell in Linux's way.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

/// One peer's run, from the moment at which it begins to ask.
pub struct Run {
    peer: &'static str,
    asked: Asked,
    began: Instant,
    live_before: usize,
    cpu_ms_before: f64,
    events: usize,
}

impl Run {
    #[allow(clippy::disallowed_methods, reason = "a native program that measures has the system's clock")]
    pub fn begin(peer: &'static str, asked: Asked) -> Self {
        let (began, live_before) = (Instant::now(), LIVE.load(Relaxed));
        Self { peer, asked, began, live_before, cpu_ms_before: 0.0, events: 0 }
    }

    /// Says that all objects are there, and counts the updates and the processor's time from now on.
    #[expect(clippy::print_stdout, reason = "its output is what it is for")]
    pub fn synced(&mut self, objects: usize) {
        let synced_ms = self.began.elapsed().as_secs_f64() * 1000.0;
        let heap = LIVE.load(Relaxed).saturating_sub(self.live_before);
        let per_object = heap as f64 / objects.max(1) as f64;
        let (peer, mode) = (self.peer, if self.asked.mode == Mode::List { "list" } else { "stream" });
        let (stripped, rss) = (self.asked.strip_managed_fields, resident_bytes());
        println!(
            "{{\"peer\":\"{peer}\",\"mode\":\"{mode}\",\"managed_fields_stripped\":{stripped},\
             \"synced_ms\":{synced_ms:.1},\"objects\":{objects},\"heap_bytes_per_object\":{per_object:.1},\
             \"rss_bytes\":{rss}}}"
        );
        (self.events, self.cpu_ms_before) = (0, cpu_ms());
    }

    /// Notes one update, and says so once all have come: true then.
    #[expect(clippy::print_stdout, reason = "its output is what it is for")]
    pub fn update(&mut self) -> bool {
        self.events += 1;
        if self.events != self.asked.events {
            return false;
        }
        let events = self.events;
        let per_thousand = (cpu_ms() - self.cpu_ms_before) * 1000.0 / events as f64;
        println!("{{\"events\":{events},\"cpu_ms_per_1000_events\":{per_thousand:.2}}}");
        true
    }

    /// Whether updates are asked for.
    pub fn wants_updates(&self) -> bool {
        self.asked.events > 0
    }
}
