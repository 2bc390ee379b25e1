use jiff::Timestamp;

use super::query::Query;

/// Which part of a container's log is wanted (`v1.PodLogOptions`); what is empty is not sent.
#[doc(alias = "PodLogOptions")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Needed when the pod has several containers.
    pub container: String,
    /// Goes on until the container ends.
    pub follow: bool,
    /// Of the container before its last restart.
    pub previous: bool,
    /// Each line begins with its time.
    pub timestamps: bool,
    /// Only lines that are not older than this.
    pub since_seconds: Option<u32>,
    /// Only lines that were written at or after this.
    pub since_time: Option<Timestamp>,
    /// Only so many lines of the end, and what follows.
    pub tail_lines: Option<u32>,
    pub limit_bytes: Option<u32>,
}

impl LogOptions {
    /// The query without its `?`.
    pub fn to_query(&self) -> String {
        Query::default()
            .text("container", &self.container)
            .flag("follow", self.follow)
            .flag("previous", self.previous)
            .flag("timestamps", self.timestamps)
            .number("sinceSeconds", self.since_seconds)
            .text("sinceTime", &self.since_time.map(|moment| moment.to_string()).unwrap_or_default())
            .number("tailLines", self.tail_lines)
            .number("limitBytes", self.limit_bytes)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_sent_when_they_are_set() {
        assert_eq!(LogOptions::default().to_query(), "");
        let options = LogOptions {
            container: "web".into(),
            follow: true,
            previous: true,
            timestamps: true,
            since_seconds: Some(60),
            since_time: Some(Timestamp::UNIX_EPOCH),
            tail_lines: Some(0),
            limit_bytes: Some(1024),
        };
        assert_eq!(
            options.to_query(),
            "container=web&follow=true&previous=true&timestamps=true&sinceSeconds=60\
             &sinceTime=1970-01-01T00%3A00%3A00Z&tailLines=0&limitBytes=1024"
        );
    }
}
