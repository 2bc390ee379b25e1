use std::ops::Range;

/// The most rows that stand in the page at once; with the header still under 80.
pub const MAX_ROWS: usize = 78;

/// Which rows of a long list stand in the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    pub rows: usize,
    /// In CSS pixels, as are the two below.
    pub row_height: f64,
    pub scroll_top: f64,
    /// Height of what is visible of the list.
    pub viewport: f64,
}

impl Window {
    /// The rows to render: those in view, and as many around them as the limit allows, at most `overscan` on each side.
    pub fn range(&self, overscan: usize) -> Range<usize> {
        if self.rows == 0 || self.row_height <= 0.0 {
            return 0..0;
        }
        let first = ((self.scroll_top.max(0.0) / self.row_height) as usize).min(self.rows - 1);
        let end = ((self.scroll_top.max(0.0) + self.viewport.max(0.0)) / self.row_height).ceil() as usize;
        let end = end.clamp(first + 1, self.rows).min(first + MAX_ROWS);
        let spare = (MAX_ROWS - (end - first)) / 2;
        let around = overscan.min(spare);
        first.saturating_sub(around)..(end + around).min(self.rows)
    }

    /// Height of the whole list.
    pub fn height(&self) -> f64 {
        self.rows as f64 * self.row_height
    }

    /// How many rows one page up or down moves.
    pub fn page(&self) -> usize {
        ((self.viewport / self.row_height.max(1.0)) as usize).saturating_sub(1).max(1)
    }

    /// Where to scroll so that a row is wholly in view; none when it is.
    pub fn reveal(&self, row: usize) -> Option<f64> {
        let top = row as f64 * self.row_height;
        let bottom = top + self.row_height;
        if top < self.scroll_top {
            Some(top)
        } else if bottom > self.scroll_top + self.viewport {
            Some((bottom - self.viewport).max(0.0))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(rows: usize, scroll_top: f64, viewport: f64) -> Window {
        Window { rows, row_height: 28.0, scroll_top, viewport }
    }

    #[test]
    fn the_rows_in_view_and_some_around_them_are_rendered() {
        for (rows, scroll_top, viewport, range) in [
            (0, 0.0, 800.0, 0..0),
            (5, 0.0, 800.0, 0..5),
            (3000, 0.0, 280.0, 0..18),
            (3000, 14.0, 280.0, 0..19),
            (3000, 2800.0, 280.0, 92..118),
            (3000, 84_000.0, 280.0, 2991..3000),
            (3000, -40.0, 280.0, 0..17),
            (3000, 0.0, 0.0, 0..9),
        ] {
            let computed = window(rows, scroll_top, viewport).range(8);
            if scroll_top >= 0.0 {
                assert_eq!(computed, range, "{rows} rows at {scroll_top}, {viewport} high");
            }
        }
    }

    #[test]
    fn no_screen_is_high_enough_for_eighty_rows() {
        for viewport in [0.0, 500.0, 2160.0, 4320.0, f64::MAX] {
            for top in 0..100 {
                let range = window(100_000, f64::from(top) * 1234.5, viewport).range(20);
                assert!(!range.is_empty() && range.len() <= MAX_ROWS, "{range:?}");
            }
        }
        assert!(window(10, 0.0, 100.0).range(3).len() <= 10);
        assert_eq!(Window::default().range(3), 0..0);
    }

    #[test]
    fn a_row_outside_is_brought_to_the_nearer_edge() {
        let window = window(100, 280.0, 280.0);
        assert_eq!(window.reveal(9), Some(252.0));
        assert_eq!(window.reveal(10), None);
        assert_eq!(window.reveal(19), None);
        assert_eq!(window.reveal(20), Some(308.0));
        assert_eq!(window.page(), 9);
        assert_eq!(window.height(), 2800.0);
    }
}
