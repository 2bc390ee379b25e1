//! What the page's informers do, as cells and as a report for people who look for a fault.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use super::age_text;
use super::queues::{QUEUE_COLUMNS, QueueLine};
use crate::api::Error;

/// Over how long a rate is taken.
const WINDOW: Duration = Duration::from_secs(10);

/// An informer and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InformerLine {
    /// Tells it from all others.
    pub key: String,
    /// `deployments.apps`
    pub kind: String,
    /// `all namespaces`, or one's name.
    pub scope: String,
    /// Only names and the like of its objects are read.
    pub is_metadata: bool,
    /// In a word: `Connected`.
    pub state: String,
    pub is_paused: bool,
    pub objects: usize,
    /// Of its store; none while that is not known.
    pub heap_bytes: Option<usize>,
    /// Events in ten seconds; none while that is not known.
    pub in_ten_seconds: Option<u64>,
    pub events: u64,
    pub lists: u64,
    pub watches: u64,
    pub restarts: u64,
    /// How its watch comes: `fetch`, `WebSocket`.
    pub transport: &'static str,
    /// What handlers have not been told yet, and what waits for the table's worker.
    pub waiting: usize,
    /// How often its table was drawn; none without one.
    pub redraws: Option<u64>,
    pub last_event: Option<Timestamp>,
    pub last_bookmark: Option<Timestamp>,
    pub last_failure: Option<(Timestamp, Error)>,
    /// Who uses it; empty for nobody.
    pub users: String,
    /// In how many seconds it ends, if nobody uses it before.
    pub ends_in: Option<u64>,
}

/// A column: its heading, whether it is a number, and its cell.
pub struct InformerColumn {
    pub title: &'static str,
    pub is_number: bool,
    pub text: fn(&InformerLine, Timestamp) -> String,
}

/// From the left to the right.
pub static INFORMER_COLUMNS: [InformerColumn; 16] = [
    InformerColumn { title: "Kind", is_number: false, text: |it, _| kind(it) },
    InformerColumn { title: "Scope", is_number: false, text: |it, _| it.scope.clone() },
    InformerColumn { title: "State", is_number: false, text: |it, _| it.state.clone() },
    InformerColumn { title: "Objects", is_number: true, text: |it, _| it.objects.to_string() },
    InformerColumn { title: "Store", is_number: true, text: |it, _| it.heap_bytes.map_or_else(none, bytes_text) },
    InformerColumn { title: "Events/s", is_number: true, text: |it, _| it.in_ten_seconds.map_or_else(none, tenths) },
    InformerColumn { title: "Events", is_number: true, text: |it, _| it.events.to_string() },
    InformerColumn { title: "Lists", is_number: true, text: |it, _| it.lists.to_string() },
    InformerColumn { title: "Watches", is_number: true, text: |it, _| it.watches.to_string() },
    InformerColumn { title: "Restarts", is_number: true, text: |it, _| it.restarts.to_string() },
    InformerColumn { title: "Transport", is_number: false, text: |it, _| it.transport.into() },
    InformerColumn { title: "Heard", is_number: true, text: heard },
    InformerColumn { title: "Waiting", is_number: true, text: |it, _| it.waiting.to_string() },
    InformerColumn { title: "Drawn", is_number: true, text: |it, _| it.redraws.map_or_else(none, |it| it.to_string()) },
    InformerColumn { title: "Last error", is_number: false, text: failure },
    InformerColumn { title: "Used by", is_number: false, text: |it, _| used_by(it) },
];

fn none() -> String {
    "–".into()
}

fn kind(line: &InformerLine) -> String {
    let InformerLine { kind, is_metadata, .. } = line;
    if *is_metadata { format!("{kind} (names only)") } else { kind.clone() }
}

fn heard(line: &InformerLine, now: Timestamp) -> String {
    match line.last_event.max(line.last_bookmark) {
        last @ Some(_) => age_text(last, now),
        None => none(),
    }
}

fn failure(line: &InformerLine, now: Timestamp) -> String {
    let Some((at, error)) = &line.last_failure else { return none() };
    format!("{}, {} ago", in_brief(error), age_text(Some(*at), now))
}

fn used_by(line: &InformerLine) -> String {
    match (line.users.as_str(), line.ends_in) {
        ("", Some(seconds)) => format!("nobody, ends in {seconds} s"),
        ("", None) => "nobody".into(),
        (users, _) => users.into(),
    }
}

/// Without the server's own words, in which names may stand.
fn in_brief(error: &Error) -> String {
    match error {
        Error::Status(status) if status.reason.is_empty() => status.code.to_string(),
        Error::Status(status) => format!("{} {}", status.code, status.reason),
        Error::NotSent { .. } => "not sent".into(),
        Error::Unreachable { .. } => "no answer".into(),
        Error::Upstream { code, .. } => format!("{code} of a proxy"),
        Error::Interrupted { .. } => "broke off".into(),
        Error::Silent { seconds } => format!("silent for {seconds} s"),
        Error::Undecodable { .. } => "not an API server's answer".into(),
    }
}

/// `512 B`, `12.3 KB`, `4.5 MB`
pub fn bytes_text(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} KB", tenths((bytes / 100) as u64)),
        _ => format!("{} MB", tenths((bytes / 100_000) as u64)),
    }
}

/// A number that is given in tenths.
fn tenths(number: u64) -> String {
    format!("{}.{}", number / 10, number % 10)
}

/// How fast a count grows, as somebody looks at it again and again.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    samples: VecDeque<(Timestamp, u64)>,
}

impl Rate {
    /// The count is this now: by how much it grows in ten seconds. None before there is anything to compare with.
    pub fn sample(&mut self, count: u64, now: Timestamp) -> Option<u64> {
        let is_old = |at: Timestamp| now.duration_since(at).unsigned_abs() >= WINDOW;
        while self.samples.len() > 1 && self.samples.get(1).is_some_and(|(at, _)| is_old(*at)) {
            self.samples.pop_front();
        }
        self.samples.push_back((now, count));
        let (since, first) = *self.samples.front()?;
        let passed_ms = u64::try_from(now.duration_since(since).as_millis()).ok().filter(|passed| *passed > 0)?;
        Some(count.saturating_sub(first) * 10_000 / passed_ms)
    }
}

/// The informers for a bug report: neither objects nor their names are in it, only facts of the page and counts.
pub fn informers_as_markdown(
    facts: &[(&str, String)],
    lines: &[InformerLine],
    queues: &[QueueLine],
    now: Timestamp,
) -> String {
    let mut text = String::from("### Watchglass informers\n\n");
    for (name, fact) in facts {
        text.push_str(&format!("- {name}: {fact}\n"));
    }
    let heads = INFORMER_COLUMNS.iter().map(|column| (column.title, column.is_number)).collect();
    let cell = |line: &InformerLine, column: &InformerColumn| {
        // A namespace's name is an object's too.
        let is_scope = column.title == "Scope" && line.scope != ALL_NAMESPACES;
        if is_scope { "one namespace".into() } else { (column.text)(line, now) }
    };
    push_table(&mut text, heads, lines.iter().map(|line| INFORMER_COLUMNS.iter().map(|it| cell(line, it)).collect()));
    text.push_str("\nThe queues, since the page that tells of them was opened:\n");
    let heads = QUEUE_COLUMNS.iter().enumerate().map(|(at, column)| (column.metric, at > 0)).collect();
    push_table(&mut text, heads, queues.iter().map(|line| QUEUE_COLUMNS.iter().map(|it| (it.text)(line)).collect()));
    text
}

/// Of headings, with whether they stand over numbers, and of rows of cells.
fn push_table(text: &mut String, heads: Vec<(&str, bool)>, rows: impl Iterator<Item = Vec<String>>) {
    text.push_str("\n|");
    heads.iter().for_each(|(title, _)| text.push_str(&[" ", title, " |"].concat()));
    text.push_str("\n|");
    heads.iter().for_each(|(_, is_number)| text.push_str(if *is_number { "---:|" } else { "---|" }));
    for row in rows {
        text.push_str("\n|");
        row.iter().for_each(|cell| text.push_str(&[" ", &cell.replace('|', "\\|"), " |"].concat()));
    }
    text.push('\n');
}

/// The scope of an informer that has no other.
pub const ALL_NAMESPACES: &str = "all namespaces";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Status;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_796_000_000 + seconds).unwrap()
    }

    #[test]
    fn a_rate_is_that_of_the_last_ten_seconds() {
        let mut rate = Rate::default();
        assert_eq!(rate.sample(100, at(0)), None);
        assert_eq!(rate.sample(103, at(1)), Some(30));
        assert_eq!(rate.sample(103, at(2)), Some(15));
        for second in 3..=12 {
            rate.sample(103, at(second));
        }
        assert_eq!(rate.sample(103, at(13)), Some(0));
        assert_eq!(rate.sample(153, at(14)), Some(50));
        assert_eq!(rate.sample(0, at(15)), Some(0), "another informer took its place");
    }

    #[test]
    fn bytes_are_told_with_one_digit_behind_the_point() {
        for (bytes, text) in
            [(0, "0 B"), (999, "999 B"), (1_250, "1.2 KB"), (999_999, "999.9 KB"), (12_345_678, "12.3 MB")]
        {
            assert_eq!(bytes_text(bytes), text);
        }
    }

    #[test]
    fn a_report_has_counts_and_no_names() {
        let refusal = Status {
            code: 403,
            reason: "Forbidden".into(),
            message: "pods is forbidden: User \"ann\" cannot list in \"secret-place\"".into(),
            ..Status::default()
        };
        let lines = [
            InformerLine {
                kind: "pods".into(),
                scope: ALL_NAMESPACES.into(),
                state: "Connected".into(),
                objects: 20_144,
                heap_bytes: Some(9_000_000),
                in_ten_seconds: Some(55),
                events: 12,
                lists: 1,
                watches: 2,
                transport: "WebSocket",
                redraws: Some(7),
                last_event: Some(at(-3)),
                last_bookmark: Some(at(-9)),
                users: "table".into(),
                ..InformerLine::default()
            },
            InformerLine {
                kind: "secrets".into(),
                scope: "secret-place".into(),
                is_metadata: true,
                state: "Reconnecting".into(),
                restarts: 4,
                transport: "–",
                last_failure: Some((at(-61), refusal.into())),
                ends_in: Some(42),
                ..InformerLine::default()
            },
        ];
        let queues = [QueueLine { name: "pods".into(), adds: 12, ..QueueLine::default() }];
        let report = informers_as_markdown(&[("Kubernetes", "v1.37.0".into())], &lines, &queues, at(0));
        let expected = "### Watchglass informers\n\n- Kubernetes: v1.37.0\n\n\
            | Kind | Scope | State | Objects | Store | Events/s | Events | Lists | Watches | Restarts | Transport \
            | Heard | Waiting | Drawn | Last error | Used by |\n\
            |---|---|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---|---|\n\
            | pods | all namespaces | Connected | 20144 | 9.0 MB | 5.5 | 12 | 1 | 2 | 0 | WebSocket \
            | 3s | 0 | 7 | – | table |\n\
            | secrets (names only) | one namespace | Reconnecting | 0 | – | – | 0 | 0 | 0 | 4 | – \
            | – | 0 | – | 403 Forbidden, 61s ago | nobody, ends in 42 s |\n\n\
            The queues, since the page that tells of them was opened:\n\n\
            | name | workqueue_depth | workqueue_adds_total | workqueue_queue_duration_seconds \
            | workqueue_work_duration_seconds | workqueue_unfinished_work_seconds \
            | workqueue_longest_running_processor_seconds | workqueue_retries_total |\n\
            |---|---:|---:|---:|---:|---:|---:|---:|\n\
            | pods | 0 | 12 | – | – | 0.0 ms | 0.0 ms | 0 |\n";
        assert_eq!(report, expected);
    }
}
