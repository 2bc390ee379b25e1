//! How the cases ended, for the two targets that run them natively.
#![expect(clippy::print_stdout, reason = "the counts of cases are what a run is to show")]

use std::any::Any;
use std::process::ExitCode;

use crate::suite::{Case, Server, cases_of};

pub struct Report {
    server: Server,
    passed: usize,
    failed: Vec<(&'static str, String)>,
}

impl Report {
    pub fn of(server: Server) -> Self {
        Self { server, passed: 0, failed: Vec::new() }
    }

    /// The server's cases, each with a number of its own. An argument chooses those whose names contain it.
    pub fn cases(&self) -> Vec<(usize, Case)> {
        let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
        let (cases, absent) = cases_of(self.server);
        for (name, why) in absent {
            println!("{}: not {name}: {why}", self.server.title());
        }
        cases.into_iter().enumerate().filter(|(_, case)| case.name.contains(&part)).collect()
    }

    pub fn add(&mut self, case: &Case, ended: Result<(), Box<dyn Any + Send>>) {
        match ended {
            Ok(()) => self.passed += 1,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                self.failed.push((case.name, text.unwrap_or_default()));
            }
        }
    }

    /// Prints the count.
    pub fn finish(self) -> ExitCode {
        let title = self.server.title();
        for (name, why) in &self.failed {
            println!("{title}: {name} failed: {why}");
        }
        if !self.failed.is_empty() {
            println!("{title}: {} of {} cases failed", self.failed.len(), self.failed.len() + self.passed);
            return ExitCode::FAILURE;
        }
        println!("{title}: {} cases", self.passed);
        ExitCode::SUCCESS
    }
}
