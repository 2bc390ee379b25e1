//! What is measured of the page itself, its work queues and its frames, as cells and sentences.

use jiff::Timestamp;

use super::age_text;

/// How long something takes, many times; in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    pub count: u64,
    pub sum_us: u64,
    pub longest_us: u64,
}

/// A work queue and its figures, since somebody looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueLine {
    /// Of the kind whose keys it holds.
    pub name: String,
    pub depth: u64,
    pub adds: u64,
    /// How long keys wait: in the page's queues, until the rows are made that are drawn.
    pub latency: Timing,
    pub work: Timing,
    pub unfinished_us: u64,
    pub longest_running_us: u64,
    pub retries: u64,
}

/// A column: its heading, client-go's name for it, and its cell.
pub struct QueueColumn {
    pub title: &'static str,
    /// client-go: `util/workqueue/metrics.go`
    pub metric: &'static str,
    pub text: fn(&QueueLine) -> String,
}

/// From the left to the right; all but the first are numbers.
pub static QUEUE_COLUMNS: [QueueColumn; 8] = [
    QueueColumn { title: "Queue", metric: "name", text: |it| it.name.clone() },
    QueueColumn { title: "Depth", metric: "workqueue_depth", text: |it| it.depth.to_string() },
    QueueColumn { title: "Adds", metric: "workqueue_adds_total", text: |it| it.adds.to_string() },
    QueueColumn { title: "Latency", metric: "workqueue_queue_duration_seconds", text: |it| it.latency.text() },
    QueueColumn { title: "Work duration", metric: "workqueue_work_duration_seconds", text: |it| it.work.text() },
    QueueColumn {
        title: "Unfinished work",
        metric: "workqueue_unfinished_work_seconds",
        text: |it| ms_text(it.unfinished_us),
    },
    QueueColumn {
        title: "Longest running",
        metric: "workqueue_longest_running_processor_seconds",
        text: |it| ms_text(it.longest_running_us),
    },
    QueueColumn { title: "Retries", metric: "workqueue_retries_total", text: |it| it.retries.to_string() },
];

impl Timing {
    /// One more took so long.
    pub fn observe(&mut self, us: u64) {
        self.count += 1;
        self.sum_us += us;
        self.longest_us = self.longest_us.max(us);
    }

    /// The mean and the longest; nothing before there is one.
    pub fn text(&self) -> String {
        match self.sum_us.checked_div(self.count) {
            Some(mean) => [&ms_text(mean), ", at most ", &ms_text(self.longest_us)].concat(),
            None => "–".into(),
        }
    }
}

/// `0.4 ms`
pub fn ms_text(us: u64) -> String {
    let tenths = us.div_ceil(100);
    [&(tenths / 10).to_string(), ".", &(tenths % 10).to_string(), " ms"].concat()
}

/// Frames that took longer than a person notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    pub all: Timing,
    /// When the last one was, and how long it took.
    pub last: Option<(Timestamp, u64)>,
}

impl Frames {
    /// In a sentence.
    pub fn text(&self, now: Timestamp) -> String {
        let Some((at, us)) = self.last else { return "none since the page was loaded".into() };
        let (count, age) = (self.all.count.to_string(), age_text(Some(at), now));
        let longest = ms_text(self.all.longest_us);
        [&count, " since the page was loaded, at most ", &longest, "; the last ", &ms_text(us), ", ", &age, " ago"]
            .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_milliseconds_by_mean_and_longest() {
        let mut timing = Timing::default();
        assert_eq!(timing.text(), "–");
        [200, 1_000, 12_345].into_iter().for_each(|us| timing.observe(us));
        assert_eq!(timing.text(), "4.6 ms, at most 12.4 ms");
        assert_eq!(ms_text(0), "0.0 ms");
    }

    #[test]
    fn long_frames_are_told_with_the_last_one() {
        let at = |second: i64| Timestamp::from_second(1_796_000_000 + second).unwrap();
        let mut frames = Frames::default();
        assert_eq!(frames.text(at(0)), "none since the page was loaded");
        [210_000, 73_000].into_iter().for_each(|us| frames.all.observe(us));
        frames.last = Some((at(0), 73_000));
        assert_eq!(frames.text(at(12)), "2 since the page was loaded, at most 210.0 ms; the last 73.0 ms, 12s ago");
    }
}
