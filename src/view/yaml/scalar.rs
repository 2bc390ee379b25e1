use super::resolve::is_no_text;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|` and the lines as they are.
    Literal,
}

/// Where a text's lines are broken at a space: from this column on, and where the next line starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    pub(super) width: usize,
    pub(super) indent: usize,
}

impl Style {
    /// As go-yaml chooses it (go.yaml.in/yaml/v2: `stringv`, `yaml_emitter_analyze_scalar`); a key is on one line.
    pub(super) fn of(text: &str, is_key: bool) -> Self {
        let has_lines = text.contains('\n');
        let last_is_space = text.ends_with(' ');
        // What no line may hold, or hides at its end.
        let only_escaped = !text.chars().all(is_printable) || text.contains(" \n");
        if has_lines {
            return if is_key || only_escaped || last_is_space { Self::DoubleQuoted } else { Self::Literal };
        }
        if only_escaped || is_no_text(text) {
            return Self::DoubleQuoted;
        }
        let is_plain = !last_is_space && !text.starts_with(' ') && !has_indicator(text);
        if is_plain { Self::Plain } else { Self::SingleQuoted }
    }
}

/// Whether the text has a sign that means something to YAML.
fn has_indicator(text: &str) -> bool {
    let mut chars = text.chars();
    let ends_word = |next: Option<char>| next.is_none_or(|next| next == ' ');
    let starts = match chars.next() {
        Some('?' | '-' | ':') => ends_word(chars.next()),
        Some(first) => "#,[]{}&*!|>'\"%@`".contains(first),
        None => false,
    };
    let within = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    starts || within || text.starts_with("---") || text.starts_with("...")
}

/// What stands in quotes without an escape. Go-yaml writes line breaks of Unicode as such; newer YAML knows none.
const fn is_printable(character: char) -> bool {
    match character {
        '\n' | ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        _ => matches!(character, '\u{a0}'..='\u{fffd}'),
    }
}

/// The text in a style that is no literal, in the pieces that stand on a line each. The first one starts at a column.
pub(super) fn pieces(text: &str, style: Style, column: usize, fold: Option<Fold>) -> Vec<String> {
    let quote = match style {
        Style::SingleQuoted => Some('\''),
        Style::DoubleQuoted => Some('"'),
        Style::Plain | Style::Literal => None,
    };
    let mut pieces = Vec::new();
    let mut piece: String = quote.into_iter().collect();
    let (mut column, mut after_space) = (column + piece.len(), false);
    for (at, character) in text.char_indices() {
        let before = piece.len();
        let next_is_space = text.as_bytes().get(at + 1) == Some(&b' ');
        let may_break = character == ' ' && !after_space && at > 0 && at + 1 < text.len();
        let may_break = may_break && (style == Style::DoubleQuoted || !next_is_space);
        after_space = character == ' ';
        match fold.filter(|fold| may_break && column > fold.width) {
            Some(fold) => {
                pieces.push(std::mem::take(&mut piece));
                if next_is_space {
                    piece.push('\\');
                }
                column = fold.indent + piece.len();
                continue;
            }
            None if style == Style::DoubleQuoted => push_escaped(character, &mut piece),
            None if style == Style::SingleQuoted && character == '\'' => piece.push_str("''"),
            None => piece.push(character),
        }
        column += piece[before..].chars().count();
    }
    piece.extend(quote);
    pieces.push(piece);
    pieces
}

fn push_escaped(character: char, piece: &mut String) {
    let short = match character {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => character,
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ if is_printable(character) => return piece.push(character),
        _ => return push_code(u32::from(character), piece),
    };
    piece.extend(['\\', short]);
}

/// `\x7F`, `\uFEFF`, `\U0001F600`
fn push_code(code: u32, piece: &mut String) {
    let (letter, digits) = match code {
        0..=0xff => ('x', 2),
        0x100..=0xffff => ('u', 4),
        _ => ('U', 8),
    };
    piece.extend(['\\', letter]);
    let digit = |at: u32| char::from_digit((code >> (4 * at)) & 0xf, 16).unwrap_or('0').to_ascii_uppercase();
    piece.extend((0..digits).rev().map(digit));
}

/// What stands after the `|` of a literal: whether it starts with a space or break, and how it ends.
pub(super) fn literal_head(text: &str) -> &'static str {
    let starts_with_space = text.starts_with([' ', '\n']);
    let keeps_breaks = text == "\n" || text.ends_with("\n\n");
    match (starts_with_space, text.ends_with('\n'), keeps_breaks) {
        (false, false, _) => "|-",
        (false, true, false) => "|",
        (false, true, true) => "|+",
        (true, false, _) => "|2-",
        (true, true, false) => "|2",
        (true, true, true) => "|2+",
    }
}
