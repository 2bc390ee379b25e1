use super::CustomColumn;
use super::columns::Column;

/// Of one letter of a header, in CSS pixels; of what stands beside the letters.
const LETTER: usize = 8;
const BESIDE: usize = 36;

/// How wide the columns of a table are: the tracks of a grid in CSS, and the least width of all in CSS pixels.
///
/// Each row is a grid of its own, so that no track may depend on what is in a row. A width that is set is kept.
pub fn column_tracks<'a>(columns: impl Iterator<Item = (&'a Column, Option<u16>)>) -> (String, usize) {
    let mut tracks = String::new();
    let mut width = 0;
    for (column, set) in columns {
        let (least, share) = set.map_or_else(|| track(column), |set| (usize::from(set), ""));
        width += least;
        let track = if share.is_empty() { format!("{least}px ") } else { format!("minmax({least}px,{share}fr) ") };
        tracks.push_str(&track);
    }
    tracks.truncate(tracks.trim_end().len());
    (tracks, width)
}

/// How high a card is that shows so many columns, in CSS pixels: the name, and the others by two on a line.
///
/// Each card of a table is as high as the others, so that the place of each is known.
pub const fn card_height(columns: usize) -> f64 {
    const NAME: usize = 36;
    const LINE: usize = 22;
    const BESIDE: usize = 13;
    (NAME + columns.saturating_sub(1).div_ceil(2) * LINE + BESIDE) as f64
}

/// The least width in CSS pixels, and the share of what is left over.
fn track(column: &Column) -> (usize, &'static str) {
    let head = CustomColumn::heading(column.name).chars().count() * LETTER + BESIDE;
    match column.name {
        "NAMESPACE" => (124, "1.2"),
        "NAME" => (200, "3"),
        // `PersistentVolumeClaim`
        "KIND" => (168, "1"),
        "DETAILS" => (200, "3"),
        "STATUS" => (176, "1.4"),
        // `3 (5m ago)`
        "RESTARTS" => (124, ""),
        _ if column.is_numeric => (head.max(72), ""),
        _ => (head.max(112), "1.4"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::columns::NAMESPACES;

    #[test]
    fn a_column_is_as_wide_as_its_header_at_least() {
        let tracks = column_tracks(NAMESPACES.columns.iter().map(|column| (column, None)));
        assert_eq!(tracks, ("minmax(200px,3fr) minmax(176px,1.4fr) 72px".into(), 448));
    }

    #[test]
    fn a_column_is_as_wide_as_somebody_made_it() {
        let widths = [None, Some(90), None];
        let tracks = column_tracks(NAMESPACES.columns.iter().zip(widths));
        assert_eq!(tracks, ("minmax(200px,3fr) 90px 72px".into(), 362));
    }

    #[test]
    fn a_card_has_a_line_for_two_columns() {
        assert_eq!([1, 2, 3, 8].map(card_height), [49.0, 71.0, 71.0, 137.0]);
    }
}
