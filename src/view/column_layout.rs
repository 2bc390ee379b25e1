use super::measured::measured_column;
use super::{CustomColumn, Resource, measured_columns};

/// Columns can be made no narrower and no wider, in CSS pixels.
const WIDTHS: std::ops::RangeInclusive<u16> = 48..=1600;

/// The column that tells what a row is of: it is always shown.
const ALWAYS: &str = "NAME";

/// Which columns of a table are shown, in their order, and how wide those are that somebody has sized.
///
/// As text, `NAME,STATUS:120,label:app`; a dash stands before an extra column that is kept but not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnLayout {
    columns: Vec<ColumnChoice>,
}

/// A column that is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    /// A column's name, or what an extra column is of: `label:app`, a JSONPath.
    pub name: Box<str>,
    /// In CSS pixels; as the page sees fit when none is set.
    pub width: Option<u16>,
    is_hidden: bool,
}

/// A line of the list of all columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnLine {
    pub name: Box<str>,
    pub is_shown: bool,
    /// It was added, and can be taken away.
    pub is_extra: bool,
}

impl ColumnChoice {
    fn new(name: &str) -> Self {
        Self { name: name.into(), width: None, is_hidden: false }
    }

    fn parse(text: &str) -> Option<Self> {
        let (text, is_hidden) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
        let sized = text.rsplit_once(':').filter(|(name, width)| *name != "label" && is_digits(width));
        let (name, width) = sized.map_or((text, ""), |parts| parts);
        // A comma separates columns, so that one within a name is written in another way.
        let name = name.replace("%2C", ",").replace("%25", "%");
        let width = width.parse().ok().map(|width: u16| width.clamp(*WIDTHS.start(), *WIDTHS.end()));
        (!name.is_empty()).then(|| Self { name: name.into(), width, is_hidden })
    }

    fn write(&self, text: &mut String) {
        if self.is_hidden {
            text.push('-');
        }
        let name = self.name.replace('%', "%25").replace(',', "%2C");
        text.push_str(&name);
        // A name that ends as a width does.
        let is_ambiguous = name.rsplit_once(':').is_some_and(|(name, end)| name != "label" && is_digits(end));
        if self.width.is_some() || is_ambiguous {
            text.push(':');
        }
        if let Some(width) = self.width {
            text.push_str(&width.to_string());
        }
    }
}

/// The names of a table's columns, and of those that it has where its objects are measured.
fn names(base: &Resource, has_metrics: bool) -> impl Iterator<Item = &'static str> {
    let measured = measured_columns(base).filter(move |name| has_metrics && base.column(name).is_none());
    base.columns.iter().map(|column| column.name).chain(measured)
}

/// Whether somebody has named the column: a table has it neither by nature nor where its objects are measured.
fn is_extra(base: &Resource, name: &str) -> bool {
    base.column(name).is_none() && measured_column(base, name).is_none()
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Changes give another layout.
impl ColumnLayout {
    /// What a table shows unless somebody has chosen: all columns, the wide ones on demand.
    pub fn of(resource: &Resource, is_wide: bool) -> Self {
        let columns = resource.columns.iter().filter(|column| is_wide || !column.wide);
        Self { columns: columns.map(|column| ColumnChoice::new(column.name)).collect() }
    }

    /// Reads what it can: a layout typed by hand is never an error.
    pub fn parse(text: &str) -> Self {
        let mut columns = Vec::<ColumnChoice>::new();
        for choice in text.split(',').filter_map(ColumnChoice::parse) {
            if columns.iter().all(|other| other.name != choice.name) {
                columns.push(choice);
            }
        }
        if columns.iter().all(|choice| &*choice.name != ALWAYS) {
            columns.insert(0, ColumnChoice::new(ALWAYS));
        }
        Self { columns }
    }

    /// The layout as [`parse`](Self::parse) reads it.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (at, choice) in self.columns.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            choice.write(&mut text);
        }
        text
    }

    /// Shows a column, or no longer. The name always stays.
    #[must_use]
    pub fn toggled(&self, resource: &Resource, name: &str) -> Self {
        let mut layout = self.clone();
        let is_extra = is_extra(resource, name);
        match layout.columns.iter().position(|choice| &*choice.name == name) {
            _ if name == ALWAYS => {}
            Some(at) if is_extra => layout.columns[at].is_hidden = !layout.columns[at].is_hidden,
            Some(at) => {
                layout.columns.remove(at);
            }
            None => {
                let at = layout.place_for(resource, name);
                layout.columns.insert(at, ColumnChoice::new(name));
            }
        }
        layout
    }

    /// Shows all wide columns too, or none of them when all are shown.
    #[must_use]
    pub fn with_wide_toggled(&self, resource: &Resource) -> Self {
        let is_wide = self.is_wide(resource);
        let wide = resource.columns.iter().filter(|column| column.wide && self.has(column.name) == is_wide);
        wide.fold(self.clone(), |layout, column| layout.toggled(resource, column.name))
    }

    /// With an extra column at the end.
    #[must_use]
    pub fn with_extra(&self, name: &str) -> Self {
        let mut layout = self.without(name);
        layout.columns.push(ColumnChoice::new(name));
        layout
    }

    /// Takes an extra column away.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let columns = self.columns.iter().filter(|choice| &*choice.name != name);
        Self { columns: columns.cloned().collect() }
    }

    /// Moves a column to where another one stands, among those of the layout.
    #[must_use]
    pub fn moved(&self, name: &str, to: usize) -> Self {
        let mut layout = self.clone();
        if let Some(at) = layout.columns.iter().position(|choice| &*choice.name == name) {
            let choice = layout.columns.remove(at);
            layout.columns.insert(to.min(layout.columns.len()), choice);
        }
        layout
    }

    /// With a column of this width, or of none that is set.
    #[must_use]
    pub fn with_width(&self, name: &str, width: Option<u16>) -> Self {
        let mut layout = self.clone();
        for choice in layout.columns.iter_mut().filter(|choice| &*choice.name == name) {
            choice.width = width.map(|width| width.clamp(*WIDTHS.start(), *WIDTHS.end()));
        }
        layout
    }

    /// Behind the last of those that stand before it by nature and are shown.
    fn place_for(&self, resource: &Resource, name: &str) -> usize {
        let before = names(resource, true).take_while(|before| *before != name);
        let places = before.filter_map(|before| self.position(before).map(|at| at + 1));
        places.max().unwrap_or(0)
    }
}

/// Reads.
impl ColumnLayout {
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|choice| &*choice.name == name)
    }

    /// All wide columns are shown.
    pub fn is_wide(&self, resource: &Resource) -> bool {
        resource.columns.iter().all(|column| !column.wide || self.has(column.name))
    }

    /// What the extra columns are of that are shown; `base` is the table without any.
    pub fn extras(&self, base: &Resource) -> Vec<Box<str>> {
        let is_known = |name: &str| CustomColumn::is_asked_for(name) || measured_column(base, name).is_some();
        let is_added = |name: &str| base.column(name).is_none() && is_known(name);
        let shown = self.columns.iter().filter(|choice| !choice.is_hidden && is_added(&choice.name));
        shown.map(|choice| choice.name.clone()).collect()
    }

    /// The places of the columns that are shown, and their widths. Those that the table does not have are left out.
    pub fn places(&self, resource: &Resource) -> Vec<(usize, Option<u16>)> {
        let shown = self.columns.iter().filter(|choice| !choice.is_hidden);
        shown.filter_map(|choice| Some((resource.column(&choice.name)?, choice.width))).collect()
    }

    /// All columns for who chooses among them: first those of the layout, then the others as the table has them, and at
    /// last what can be measured.
    pub fn lines(&self, base: &Resource, has_metrics: bool) -> Vec<ColumnLine> {
        let chosen = self.columns.iter().map(|choice| ColumnLine {
            name: choice.name.clone(),
            is_shown: !choice.is_hidden,
            is_extra: is_extra(base, &choice.name),
        });
        let others = names(base, has_metrics).filter(|name| !self.has(name));
        let others = others.map(|name| ColumnLine { name: name.into(), is_shown: false, is_extra: false });
        chosen.chain(others).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::columns::PODS;

    fn shown(layout: &ColumnLayout) -> String {
        layout.to_text()
    }

    #[test]
    fn a_layout_and_its_text_are_each_other() {
        for text in [
            "NAME",
            "NAMESPACE,NAME,STATUS:120",
            "NAME,label:app,label:app.kubernetes.io/name:200",
            "NAME,-label:app,.spec.containers[0:2].name:90",
            "NAME,PORT(S),CREATED AT,{.a[0%2C1]}",
            "NAME,odd:12:,label:12",
        ] {
            assert_eq!(ColumnLayout::parse(text).to_text(), text);
        }
    }

    #[test]
    fn a_text_typed_by_hand_is_read_as_far_as_it_makes_sense() {
        for (text, expected) in [
            ("", "NAME"),
            (",,STATUS,STATUS:99", "NAME,STATUS"),
            ("NAME:1,STATUS:9999", "NAME:48,STATUS:1600"),
            ("NAME,AGE:99999999", "NAME,AGE"),
            ("-", "NAME"),
        ] {
            assert_eq!(ColumnLayout::parse(text).to_text(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_column_that_comes_back_stands_where_it_stood() {
        let all = ColumnLayout::of(&PODS, false);
        assert_eq!(shown(&all), "NAMESPACE,NAME,READY,STATUS,RESTARTS,AGE,IP,NODE");
        let fewer = all.toggled(&PODS, "STATUS").toggled(&PODS, "NAMESPACE");
        assert_eq!(shown(&fewer), "NAME,READY,RESTARTS,AGE,IP,NODE");
        assert_eq!(fewer.toggled(&PODS, "NAMESPACE").toggled(&PODS, "STATUS"), all);
        assert_eq!(all.toggled(&PODS, "NAME"), all, "the name stays");
    }

    #[test]
    fn wide_columns_come_and_go_together() {
        let narrow = ColumnLayout::of(&PODS, false);
        let wide = narrow.with_wide_toggled(&PODS);
        assert_eq!(wide, ColumnLayout::of(&PODS, true));
        assert!(wide.is_wide(&PODS) && !narrow.is_wide(&PODS));
        assert_eq!(wide.with_wide_toggled(&PODS), narrow);
        let moved = narrow.moved("AGE", 0);
        assert_eq!(moved.with_wide_toggled(&PODS).with_wide_toggled(&PODS), moved);
    }

    #[test]
    fn columns_are_moved_and_sized() {
        let layout = ColumnLayout::parse("NAME,READY,AGE");
        assert_eq!(shown(&layout.moved("AGE", 0)), "AGE,NAME,READY");
        assert_eq!(shown(&layout.moved("NAME", 9)), "READY,AGE,NAME");
        assert_eq!(shown(&layout.moved("none", 0)), "NAME,READY,AGE");
        let sized = layout.with_width("AGE", Some(10));
        assert_eq!(shown(&sized), "NAME,READY,AGE:48");
        assert_eq!(sized.places(&PODS), [(1, None), (2, None), (5, Some(48))]);
        assert_eq!(sized.with_width("AGE", None), layout);
    }

    #[test]
    fn extra_columns_are_kept_when_they_are_not_shown() {
        let layout = ColumnLayout::parse("NAME").with_extra("label:app").with_extra(".spec.x");
        assert_eq!(layout.extras(&PODS), ["label:app".into(), ".spec.x".into()]);
        let hidden = layout.toggled(&PODS, "label:app");
        assert_eq!(shown(&hidden), "NAME,-label:app,.spec.x");
        assert_eq!(hidden.extras(&PODS), [".spec.x".into()]);
        assert_eq!(hidden.toggled(&PODS, "label:app"), layout);
        assert_eq!(shown(&hidden.without("label:app")), "NAME,.spec.x");
        let lines = hidden.lines(&PODS, false);
        let line = |at: usize| (&*lines[at].name, lines[at].is_shown, lines[at].is_extra);
        assert_eq!(
            [line(0), line(1), line(2)],
            [("NAME", true, false), ("label:app", false, true), (".spec.x", true, true)]
        );
        assert_eq!(line(3), ("NAMESPACE", false, false));
        assert_eq!(lines.len(), PODS.columns.len() + 2);
    }

    #[test]
    fn what_is_measured_is_offered_where_it_can_be_and_goes_without_a_trace() {
        let usual = ColumnLayout::of(&PODS, false);
        let offered = |has_metrics| usual.lines(&PODS, has_metrics).into_iter().rev().take(2).collect::<Vec<_>>();
        let line = |name: &str| ColumnLine { name: name.into(), is_shown: false, is_extra: false };
        assert_eq!(offered(true), [line("MEMORY"), line("CPU")]);
        assert!(!offered(false).contains(&line("CPU")));
        let with_cpu = usual.toggled(&PODS, "CPU");
        assert_eq!(shown(&with_cpu), "NAMESPACE,NAME,READY,STATUS,RESTARTS,AGE,IP,NODE,CPU");
        assert_eq!(with_cpu.extras(&PODS), ["CPU".into()]);
        assert_eq!(with_cpu.toggled(&PODS, "CPU"), usual);
        let both = with_cpu.toggled(&PODS, "MEMORY");
        assert_eq!(both.extras(&PODS), ["CPU".into(), "MEMORY".into()]);
        assert_eq!(both.toggled(&PODS, "CPU").toggled(&PODS, "CPU"), both);
        assert_eq!(ColumnLayout::parse("NAME,CPU%").extras(&PODS), [], "of nodes only");
    }
}
