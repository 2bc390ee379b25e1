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
            .number("tailLines", self.tail_lines)
            .number("limitBytes", self.limit_bytes)
            .finish()
    }
}
