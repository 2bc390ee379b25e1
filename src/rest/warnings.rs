use std::cell::RefCell;
use std::collections::BTreeSet;

/// Is told of each warning that stands in the head of an answer (client-go: `rest/warnings.go`, `WarningHandler`).
///
/// API servers warn of deprecated versions and of fields that they dropped, for example.
pub trait WarningHandler {
    /// `code` is 299 for all that Kubernetes sends, and `agent` is `-`.
    fn handle_warning(&self, code: u16, agent: &str, text: &str);
}

/// Drops warnings (client-go: `rest/warnings.go`, `NoWarnings`).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWarnings;

impl WarningHandler for NoWarnings {
    fn handle_warning(&self, _code: u16, _agent: &str, _text: &str) {}
}

/// Logs each text once (client-go: `rest/warnings.go`, `WarningLogger`, which logs it each time).
#[derive(Debug, Default)]
pub struct WarningLogger {
    seen: WarningCollector,
}

impl WarningHandler for WarningLogger {
    fn handle_warning(&self, code: u16, _agent: &str, text: &str) {
        if self.seen.take(code, text) {
            tracing::warn!("the API server warns: {text}");
        }
    }
}

/// Keeps each text once (client-go: `rest/warnings.go`, `NewWarningWriter` with `Deduplicate`).
#[doc(alias = "NewWarningWriter")]
#[derive(Debug, Default)]
pub struct WarningCollector {
    texts: RefCell<BTreeSet<String>>,
}

/// Texts may hold names of objects; a program that runs for long must not gather them without end.
const MOST_TEXTS: usize = 1000;

impl WarningCollector {
    /// The different texts so far, in alphabetical order.
    pub fn texts(&self) -> Vec<String> {
        self.texts.borrow().iter().cloned().collect()
    }

    /// Whether the text is a new one.
    fn take(&self, code: u16, text: &str) -> bool {
        let mut texts = self.texts.borrow_mut();
        if code != 299 || text.is_empty() || texts.contains(text) {
            return false;
        }
        if texts.len() >= MOST_TEXTS {
            texts.clear();
        }
        texts.insert(text.into())
    }
}

impl WarningHandler for WarningCollector {
    fn handle_warning(&self, code: u16, _agent: &str, text: &str) {
        self.take(code, text);
    }
}

/// Gives the warnings of the `warning` header; several may stand in one (apimachinery: `pkg/util/net/http.go`,
/// `ParseWarningHeaders`). What follows a malformed one is left out, as there.
pub(super) fn parse_warnings(mut header: &str, on_warning: &mut dyn FnMut(u16, &str, &str)) {
    while let Some((code, agent, text, rest)) = parse_warning(header) {
        on_warning(code, agent, &text);
        header = rest;
    }
}

/// `code agent "text"`, then perhaps `"date"`, then perhaps a comma and what follows it.
fn parse_warning(header: &str) -> Option<(u16, &str, String, &str)> {
    let (code, rest) = header.trim().split_once(' ')?;
    let (agent, rest) = rest.split_once(' ')?;
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    if !is_code || agent.is_empty() || agent.contains(char::is_control) {
        return None;
    }
    let (text, rest) = quoted(rest)?;
    if text.contains(char::is_control) {
        return None;
    }
    let rest = match rest.strip_prefix('"') {
        Some(date) => date.split_once('"')?.1.trim(),
        None => rest,
    };
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(',')?.trim() };
    Some((code.parse().ok()?, agent, text, rest))
}

/// The text between quotes, in which a backslash stands before a quote or a backslash, and what follows it.
fn quoted(header: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = header.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, header[at + 2..].trim())),
            '\\' => text.push(characters.next()?.1),
            other => text.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(header: &str) -> Vec<(u16, String, String)> {
        let mut warnings = Vec::new();
        parse_warnings(header, &mut |code, agent, text| warnings.push((code, agent.to_owned(), text.to_owned())));
        warnings
    }

    #[test]
    fn warnings_are_read_up_to_the_first_that_is_malformed() {
        let one = |text: &str| vec![(299, "-".to_owned(), text.to_owned())];
        for (header, expected) in [
            (r#"299 - "old""#, one("old")),
            (r#"  299 - "say \"it\" with a \\"  "#, one(r#"say "it" with a \"#)),
            (r#"299 - "old" "Thu, 01 Jan 2026 00:00:00 GMT""#, one("old")),
            ("299 - \"é\"", one("é")),
            (r#"299 - """#, one("")),
            (r#"299 - "old" more"#, vec![]),
            (r#"299 - "old"#, vec![]),
            (r#"299 - "old" "unended"#, vec![]),
            (r#"29 - "old""#, vec![]),
            (r#"2x9 - "old""#, vec![]),
            (r#"299  "old""#, vec![]),
            ("299 -", vec![]),
            ("299 - old", vec![]),
            ("299 - \"a\u{7}\"", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(parse(header), expected, "{header}");
        }
        let several = parse(r#"299 - "one" "date",  199 agent "two, with a comma" , 299 - "three", rubbish"#);
        let texts: Vec<_> = several.iter().map(|(code, agent, text)| (*code, agent.as_str(), text.as_str())).collect();
        assert_eq!(texts, [(299, "-", "one"), (199, "agent", "two, with a comma"), (299, "-", "three")]);
    }

    #[test]
    fn a_collector_keeps_each_text_once_and_not_without_end() {
        let collector = WarningCollector::default();
        for (code, text) in [(299, "b"), (299, "a"), (299, "b"), (199, "other"), (299, "")] {
            collector.handle_warning(code, "-", text);
        }
        assert_eq!(collector.texts(), ["a", "b"]);
        (0..2 * MOST_TEXTS).for_each(|number| collector.handle_warning(299, "-", &number.to_string()));
        assert!(collector.texts().len() <= MOST_TEXTS);
    }
}
