use super::query::Query;

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
    fn a_command_is_sent_word_by_word() {
        let options = ExecOptions::new(["sh", "-c", "echo a&b"]);
        let query = "command=sh&command=-c&command=echo%20a%26b&stdout=true&stderr=true";
        assert_eq!(options.to_query(), query);
        let options = ExecOptions { stdin: true, tty: true, ..ExecOptions::new(["sh"]) };
        assert_eq!(options.to_query(), "command=sh&stdin=true&stdout=true&tty=true");
    }
}
