use leptos::prelude::*;

use super::{Kind, Navigation, Session, metrics_resource};
use crate::runtime::Task;
use crate::view::{ColumnLayout, CustomColumn, Resource};

/// Which columns each kind shows: as the link says, else as it was kept in the browser. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    session: Session,
    navigation: Navigation,
    text: Signal<String>,
    is_wide: Signal<bool>,
    made: StoredValue<Vec<Extended>, LocalStorage>,
    /// The menu stays open when a column is added, which makes another table.
    pub(crate) is_menu_open: RwSignal<bool>,
    has_metrics: RwSignal<bool>,
    looking: StoredValue<Option<Task>, LocalStorage>,
}

/// A table with columns that were asked for: each is made once, because it stays.
struct Extended {
    base: &'static Resource,
    extras: Vec<Box<str>>,
    made: &'static Resource,
}

impl Columns {
    pub(crate) fn new(session: Session, navigation: Navigation) -> Self {
        Self {
            session,
            navigation,
            text: navigation.columns(),
            is_wide: navigation.is_wide(),
            made: StoredValue::new_local(Vec::new()),
            is_menu_open: RwSignal::new(false),
            has_metrics: RwSignal::new(false),
            looking: StoredValue::new_local(None),
        }
    }

    /// The layout of a kind's table, followed where signals are.
    pub(crate) fn layout(&self, base: &Resource) -> ColumnLayout {
        let text = self.text.get();
        let is_wide = self.is_wide.get();
        let kept = || self.session.storage().get(&key(base)).filter(|_| !is_wide).unwrap_or_default();
        match Some(text).filter(|text| !text.is_empty()).unwrap_or_else(kept) {
            usual if usual.is_empty() => ColumnLayout::of(base, is_wide),
            text => ColumnLayout::parse(&text),
        }
    }

    /// Whether what pods and nodes use is measured, followed where signals are; looked for when it is first asked.
    pub(crate) fn has_metrics(&self) -> bool {
        let (session, has_metrics) = (self.session, self.has_metrics);
        if has_metrics.get() {
            return true;
        }
        let looking = session.runtime().spawn(async move {
            if metrics_resource(session, "nodes").await.is_some() {
                has_metrics.try_set(true);
            }
        });
        self.looking.set_value(Some(looking));
        false
    }

    /// Shows a layout from now on, and keeps it.
    pub(crate) fn set(&self, base: &Resource, layout: &ColumnLayout) {
        let usual = [false, true].into_iter().find(|is_wide| *layout == ColumnLayout::of(base, *is_wide));
        let text = if usual.is_some() { String::new() } else { layout.to_text() };
        self.session.storage().set(&key(base), &text);
        self.navigation.set_columns(text, usual.unwrap_or_default());
    }

    /// Shows the columns of `kubectl get -o wide` too, or hides them; tells whether the table has any.
    pub(crate) fn toggle_wide(&self, resource: &'static Resource) -> bool {
        let base = self.base_of(resource);
        let has_wide = base.columns.iter().any(|column| column.wide);
        if has_wide {
            self.set(base, &untrack(|| self.layout(base)).with_wide_toggled(base));
        }
        has_wide
    }

    /// Puts a layout that was kept into the link, so that the link tells all.
    pub(crate) fn tell_link(&self, base: &Resource) {
        if self.text.with(String::is_empty) && !self.is_wide.get() {
            let layout = self.layout(base);
            if layout != ColumnLayout::of(base, false) {
                self.navigation.set_columns(layout.to_text(), false);
            }
        }
    }

    /// The kind's table with the extra columns that its layout has, followed where signals are.
    pub(crate) fn extend(&self, kind: Kind) -> Kind {
        Kind { resource: self.extended(kind.resource), ..kind }
    }

    fn extended(&self, base: &'static Resource) -> &'static Resource {
        let extras = self.layout(base).extras(base);
        let columns: Vec<_> = extras.iter().filter_map(|name| CustomColumn::added(base, name)).collect();
        if columns.is_empty() {
            return base;
        }
        // Their order is the layout's.
        let has_all = |it: &Extended| extras.iter().all(|extra| it.extras.contains(extra));
        let is_same = |it: &Extended| std::ptr::eq(it.base, base) && it.extras.len() == extras.len() && has_all(it);
        let made = self.made.with_value(|all| all.iter().find(|it| is_same(it)).map(|it| it.made));
        made.unwrap_or_else(|| {
            let made = base.extended(columns.into());
            self.made.update_value(|all| all.push(Extended { base, extras, made }));
            made
        })
    }

    /// The table that one was made of by [`extend`](Self::extend), or itself.
    pub(crate) fn base_of(&self, resource: &'static Resource) -> &'static Resource {
        let find = |all: &Vec<Extended>| all.iter().find(|it| std::ptr::eq(it.made, resource)).map(|it| it.base);
        self.made.with_value(find).unwrap_or(resource)
    }
}

fn key(resource: &Resource) -> String {
    ["watchglass.columns.", &resource.group_version_resource().to_string()].concat()
}
