use super::columns::Column;

/// Of one letter of a header, in CSS pixels; of what stands beside the letters.
const LETTER: usize = 8;
const BESIDE: usize = 36;

/// How wide the columns of a table are: the tracks of a grid in CSS, and the least width of all in CSS pixels.
///
/// Each row is a grid of its own, so that no track may depend on what is in a row.
pub fn column_tracks<'a>(columns: impl Iterator<Item = &'a Column>) -> (String, usize) {
    let mut tracks = String::new();
    let mut width = 0;
    for column in columns {
        let (least, share) = track(column);
        width += least;
        let track = if share.is_empty() { format!("{least}px ") } else { format!("minmax({least}px,{share}fr) ") };
        tracks.push_str(&track);
    }
    tracks.truncate(tracks.trim_end().len());
    (tracks, width)
}

/// The least width in CSS pixels, and the share of what is left over.
fn track(column: &Column) -> (usize, &'static str) {
    let head = column.name.chars().count() * LETTER + BESIDE;
    match column.name {
        "NAMESPACE" => (124, "1.2"),
        "NAME" => (200, "3"),
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
        let tracks = column_tracks(NAMESPACES.columns.iter());
        assert_eq!(tracks, ("minmax(200px,3fr) minmax(176px,1.4fr) 72px".into(), 448));
    }
}
