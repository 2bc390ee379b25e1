use jiff::Timestamp;

use super::query::Query;

/// Which part of a container's log is wanted (`corev1.PodLogOptions`); what is not set is not sent.
#[doc(alias = "PodLogOptions")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOptions {
    /// Empty when the pod has only one.
    pub container: String,
    /// The log goes on as the container writes it.
    pub follow: bool,
    /// Of the container before its last restart.
    pub previous: bool,
    /// So many lines at the end.
    pub tail_lines: Option<u32>,
    pub since_seconds: Option<u32>,
    pub since_time: Option<Timestamp>,
    /// Each line begins with the moment at which it was written.
    pub timestamps: bool,
    /// The log is cut off after so many bytes.
    pub limit_bytes: Option<u32>,
}

impl LogOptions {
    /// The query without its `?`, in the order of the fields.
    pub fn to_query(&self) -> String {
        Query::default()
            .text("container", &self.container)
            .flag("follow", self.follow)
            .flag("previous", self.previous)
            .number("tailLines", self.tail_lines)
            .number("sinceSeconds", self.since_seconds)
            .text("sinceTime", &self.since_time.map(|moment| moment.to_string()).unwrap_or_default())
            .flag("timestamps", self.timestamps)
            .number("limitBytes", self.limit_bytes)
            .finish()
    }
}

/// What is run in a container, and what of it is wanted (`corev1.PodExecOptions`).
#[doc(alias = "PodExecOptions")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOptions {
    /// Empty when the pod has only one.
    pub container: String,
    /// The program and its arguments; no shell looks at them.
    pub command: Vec<String>,
    pub stdin: bool,
    pub stdout: bool,
    /// Comes with the output when there is a terminal.
    pub stderr: bool,
    pub tty: bool,
}

impl ExecOptions {
    /// A command whose output is wanted, without input and terminal.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { container: String::new(), command, stdin: false, stdout: true, stderr: true, tty: false }
    }

    /// The query without its `?`, in the order of the fields.
    pub fn to_query(&self) -> String {
        let query = Query::default().text("container", &self.container);
        let query = self.command.iter().fold(query, |query, word| query.text("command", word));
        // The server refuses both: a terminal has one output (kubernetes: `pkg/apis/core/validation`).
        let stderr = self.stderr && !self.tty;
        query
            .flag("stdin", self.stdin)
            .flag("stdout", self.stdout)
            .flag("stderr", stderr)
            .flag("tty", self.tty)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_log_are_sent_when_they_are_set() {
        assert_eq!(LogOptions::default().to_query(), "");
        let options = LogOptions {
            container: "web".into(),
            follow: true,
            previous: true,
            tail_lines: Some(0),
            since_seconds: Some(60),
            since_time: Some(Timestamp::UNIX_EPOCH),
            timestamps: true,
            limit_bytes: Some(1024),
        };
        assert_eq!(
            options.to_query(),
            "container=web&follow=true&previous=true&tailLines=0&sinceSeconds=60\
             &sinceTime=1970-01-01T00%3A00%3A00Z&timestamps=true&limitBytes=1024"
        );
    }

    #[test]
    fn a_command_is_sent_word_by_word() {
        let options = ExecOptions::new(["sh", "-c", "echo a&b"]);
        let query = "command=sh&command=-c&command=echo%20a%26b&stdout=true&stderr=true";
        assert_eq!(options.to_query(), query);
        let options = ExecOptions { stdin: true, tty: true, ..ExecOptions::new(["sh"]) };
        assert_eq!(options.to_query(), "command=sh&stdin=true&stdout=true&tty=true");
    }
}
