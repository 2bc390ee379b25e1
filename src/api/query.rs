use super::percent_encode;

/// A query as it grows; what is empty or absent is left out.
#[derive(Default)]
pub(super) struct Query(String);

impl Query {
    pub(super) fn text(mut self, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            if !self.0.is_empty() {
                self.0.push('&');
            }
            self.0.push_str(name);
            self.0.push('=');
            self.0.push_str(&percent_encode(value));
        }
        self
    }

    /// `name=true`, or nothing.
    pub(super) fn flag(self, name: &str, flag: bool) -> Self {
        self.text(name, if flag { "true" } else { "" })
    }

    /// `name=true`, `name=false` or nothing.
    pub(super) fn choice(self, name: &str, choice: Option<bool>) -> Self {
        match choice {
            Some(true) => self.text(name, "true"),
            Some(false) => self.text(name, "false"),
            None => self,
        }
    }

    pub(super) fn number(self, name: &str, number: Option<u32>) -> Self {
        match number {
            Some(number) => self.text(name, &number.to_string()),
            None => self,
        }
    }

    /// All stages, which is all that the server knows (`metav1.DryRunAll`).
    pub(super) fn dry_run(self, dry_run: bool) -> Self {
        self.text("dryRun", if dry_run { "All" } else { "" })
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}
