//! A TCP proxy in front of an API server that breaks its connections, until standard input ends.
//!
//! `cargo run --example fault_proxy --features native -- --server 127.0.0.1:6443 [--port N] [--random SEED] [--every MS]`
//!
//! It prints one line of JSON, `{"port":N}`, as soon as it listens. Each line of standard input is a command:
//! `pass`, `cut`, `stall`, `half-open`, `trickle` or `refuse` for all connections, the same after `one` for one of those
//! that are open, `random` and `calm` to begin and to end breaking by chance, `state` for a line of JSON with what it
//! has done. With `--random` it begins at once, from a seed; `--every` says how long a fault and the calm after it last.

#[path = "../tests/support/fault_proxy.rs"]
mod fault_proxy;

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::mpsc;
use watchglass::runtime::SeededRandom;

use fault_proxy::{FaultProxy, Mode};

/// "One byte a second."
const TRICKLE: Mode = Mode::Trickle(Duration::from_secs(1));
const FAULTS: [(&str, Mode); 5] = [
    ("cut", Mode::Cut),
    ("stall", Mode::Stall),
    ("half-open", Mode::HalfOpen),
    ("trickle", TRICKLE),
    ("refuse", Mode::Refuse),
];

struct Arguments {
    server: SocketAddr,
    port: Option<u16>,
    seed: u64,
    is_random: bool,
    every: Duration,
}

impl Arguments {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (mut server, mut port, mut seed, mut every) = (None, None, None, Duration::from_secs(5));
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--server" => server = Some(value.parse()?),
                "--port" => port = Some(value.parse()?),
                "--random" => seed = Some(value.parse()?),
                "--every" => every = Duration::from_millis(value.parse()?),
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        let server = server.ok_or("--server is missing: the API server's address and port")?;
        Ok(Self { server, port, seed: seed.unwrap_or(1), is_random: seed.is_some(), every })
    }
}

fn mode(name: &str) -> Option<Mode> {
    if name == "pass" {
        return Some(Mode::Pass);
    }
    FAULTS.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
}

#[expect(clippy::print_stdout, reason = "it is what whoever started the proxy reads")]
fn say(line: &serde_json::Value) {
    println!("{line}");
}

fn set_one(proxy: &FaultProxy, random: &SeededRandom, mode: Mode) {
    let open = proxy.open();
    if !open.is_empty() {
        proxy.set_one(open[random.below(open.len())], mode);
    }
}

/// Half of the faults are of one connection, the others of all.
fn break_by_chance(proxy: &FaultProxy, random: &SeededRandom) {
    let (_, mode) = FAULTS[random.below(FAULTS.len())];
    match random.below(2) {
        0 => set_one(proxy, random, mode),
        _ => proxy.set(mode),
    }
}

fn obey(proxy: &FaultProxy, random: &SeededRandom, is_random: &mut bool, command: &str) {
    match command.strip_prefix("one ").and_then(mode) {
        Some(mode) => return set_one(proxy, random, mode),
        None if let Some(mode) = mode(command) => return proxy.set(mode),
        None => {}
    }
    match command {
        "random" => *is_random = true,
        "calm" => {
            *is_random = false;
            proxy.set(Mode::Pass);
        }
        "state" => say(&serde_json::json!({
            "open": proxy.open().len(), "accepted": proxy.accepted(), "answeredBytes": proxy.answered_bytes(),
        })),
        _ => say(&serde_json::json!({ "error": format!("unknown command {command}") })),
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let proxy = FaultProxy::start(arguments.server, arguments.port).await?;
    let (random, mut is_random) = (SeededRandom::new(arguments.seed), arguments.is_random);
    say(&serde_json::json!({ "port": proxy.port() }));
    let (sender, mut commands) = mpsc::unbounded_channel();
    std::thread::spawn(move || std::io::stdin().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut steps = tokio::time::interval(arguments.every);
    let mut is_broken = false;
    loop {
        tokio::select! {
            command = commands.recv() => match command {
                Some(command) => obey(&proxy, &random, &mut is_random, command.trim()),
                None => return Ok(()),
            },
            _ = steps.tick(), if is_random => {
                if is_broken { proxy.set(Mode::Pass) } else { break_by_chance(&proxy, &random) }
                is_broken = !is_broken;
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, run(arguments))
}
