use std::borrow::Cow;

/// A text without the escape sequences that terminals read, and which parts of it they colour.
///
/// Colours and weights are kept (ECMA-48, "select graphic rendition"); what moves the cursor or names the window is
/// left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsiText<'a> {
    pub text: Cow<'a, str>,
    /// In order; what lies between them has no look of its own.
    pub runs: Vec<AnsiRun>,
}

/// A part of a text with a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsiRun {
    pub start: usize,
    pub end: usize,
    pub ink: Ink,
}

/// How a part looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    /// One of the eight colours of a terminal, black to white; bright ones are the same.
    pub colour: Option<u8>,
    pub is_bold: bool,
    pub is_dim: bool,
}

const ESCAPE: char = '\u{1b}';

impl<'a> AnsiText<'a> {
    pub fn read(text: &'a str) -> Self {
        if !text.contains(ESCAPE) {
            return Self { text: Cow::Borrowed(text), runs: Vec::new() };
        }
        let (mut plain, mut runs) = (String::with_capacity(text.len()), Vec::new());
        let (mut ink, mut rest) = (Ink::default(), text);
        while let Some(at) = rest.find(ESCAPE) {
            let start = plain.len();
            plain.push_str(&rest[..at]);
            add_run(&mut runs, start, plain.len(), ink);
            let (sequence, behind) = sequence(&rest[at + 1..]);
            if let Some(parameters) = sequence {
                ink = ink.after(parameters);
            }
            rest = behind;
        }
        let start = plain.len();
        plain.push_str(rest);
        add_run(&mut runs, start, plain.len(), ink);
        Self { text: Cow::Owned(plain), runs }
    }
}

fn add_run(runs: &mut Vec<AnsiRun>, start: usize, end: usize, ink: Ink) {
    if start < end && ink != Ink::default() {
        runs.push(AnsiRun { start, end, ink });
    }
}

/// The parameters of a sequence that colours, and what is behind the sequence, whatever it does.
fn sequence(after_escape: &str) -> (Option<&str>, &str) {
    let mut letters = after_escape.char_indices();
    match letters.next() {
        Some((_, '[')) => match letters.find(|(_, letter)| ('@'..='~').contains(letter)) {
            Some((at, end)) => {
                let parameters = (end == 'm').then(|| &after_escape[1..at]);
                (parameters, &after_escape[at + end.len_utf8()..])
            }
            None => (None, ""),
        },
        // A title or a link, up to a bell or "string terminator".
        Some((_, ']')) => match letters.find(|(_, letter)| matches!(*letter, '\u{7}' | ESCAPE)) {
            Some((at, '\u{7}')) => (None, &after_escape[at + 1..]),
            Some((at, _)) => (None, after_escape.get(at + 2..).unwrap_or_default()),
            None => (None, ""),
        },
        Some((at, letter)) => (None, &after_escape[at + letter.len_utf8()..]),
        None => (None, ""),
    }
}

impl Ink {
    fn after(mut self, parameters: &str) -> Self {
        let mut codes = parameters.split([';', ':']).map(|code| code.parse::<u8>().unwrap_or_default());
        while let Some(code) = codes.next() {
            match code {
                0 => self = Self::default(),
                1 => self.is_bold = true,
                2 => self.is_dim = true,
                22 => (self.is_bold, self.is_dim) = (false, false),
                30..=37 => self.colour = Some(code - 30),
                90..=97 => self.colour = Some(code - 90),
                39 => self.colour = None,
                // Another one of many colours: `5;n` or `2;r;g;b`. The first sixteen of `n` are those above.
                38 | 48 => {
                    let colour = match codes.next() {
                        Some(5) => codes.next().filter(|colour| *colour < 16).map(|colour| colour % 8),
                        Some(2) => codes.by_ref().take(3).fold(None, |_, _| None),
                        _ => None,
                    };
                    if code == 38 {
                        self.colour = colour;
                    }
                }
                _ => {}
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes, what is shown of it, and in which colours.
    type Case<'a> = (&'a str, &'a str, &'a [(usize, usize, Ink)]);

    #[test]
    fn colours_are_kept_and_other_sequences_left_out() {
        let red = Ink { colour: Some(1), ..Ink::default() };
        let bold = Ink { is_bold: true, ..Ink::default() };
        let cases: [Case<'_>; 12] = [
            ("plain", "plain", &[]),
            ("\u{1b}[31mred\u{1b}[0m x", "red x", &[(0, 3, red)]),
            ("a \u{1b}[91mred", "a red", &[(2, 5, red)]),
            (
                "\u{1b}[1;31mboth\u{1b}[39m bold\u{1b}[m x",
                "both bold x",
                &[(0, 4, Ink { is_bold: true, ..red }), (4, 9, bold)],
            ),
            ("\u{1b}[2mdim\u{1b}[22m x", "dim x", &[(0, 3, Ink { is_dim: true, ..Ink::default() })]),
            ("\u{1b}[38;5;9mred\u{1b}[38;2;1;31;1mnone", "rednone", &[(0, 3, red)]),
            ("\u{1b}[48;5;1mbackground", "background", &[]),
            ("\u{1b}[2J\u{1b}[10;3Hclear", "clear", &[]),
            ("\u{1b}]0;title\u{7}text\u{1b}]8;;http://a\u{1b}\\link", "textlink", &[]),
            ("cut \u{1b}[3", "cut ", &[]),
            ("cut \u{1b}", "cut ", &[]),
            ("\u{1b}é\u{1b}[31mé\u{1b}[0m", "é", &[(0, 2, red)]),
        ];
        for (text, plain, runs) in cases {
            let read = AnsiText::read(text);
            let runs: Vec<_> =
                runs.iter().map(|(start, end, ink)| AnsiRun { start: *start, end: *end, ink: *ink }).collect();
            assert_eq!((&*read.text, read.runs), (plain, runs), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_runs_are_parts_of_it(text in "(\u{1b}|\\[|\\]|m|;|[0-9]|é|\\\\|\u{7}){0,40}") {
            let read = AnsiText::read(&text);
            prop_assert!(!read.text.contains(ESCAPE));
            prop_assert!(read.runs.iter().all(|run| read.text.get(run.start..run.end).is_some()));
            prop_assert!(read.runs.is_sorted_by(|one, other| one.end <= other.start));
        }
    }
}
