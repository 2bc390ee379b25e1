use leptos::prelude::*;

use super::deleting::delete;
use crate::api::{Object, PropagationPolicy};
use crate::ui::components::{Action, DeleteRequest, Export, Format, Shape};
use crate::ui::hooks::download;
use crate::ui::state::{LiveTable, Navigation, Notices, Selection, Session};
use crate::ui::time::grouped;
use crate::view::{Deletion, Picked, Row, csv, json, yaml};

/// A browser opens no more tabs at once without a word.
const MOST_TABS: usize = 10;

/// What is done with the marked rows; with the one that the keyboard is on where none is. A handle.
#[derive(Clone, Copy)]
pub(super) struct Actions {
    pub(super) table: LiveTable,
    pub(super) session: Session,
    pub(super) navigation: Navigation,
    pub(super) notices: Notices,
    pub(super) selection: Selection,
    pub(super) selected: RwSignal<Option<String>>,
    /// The columns that are shown, by their places.
    pub(super) places: Memo<Vec<(usize, Option<u16>)>>,
    /// What is asked to be deleted.
    pub(super) asked: RwSignal<Option<Asked>>,
    /// Why nothing can be deleted.
    pub(super) delete_obstacle: Signal<Option<String>>,
}

/// Objects that are to be deleted once a person has confirmed it: these, whatever stands in the table by then.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) request: DeleteRequest,
    /// The table of their kind.
    table: LiveTable,
    objects: Vec<Object>,
}

impl Actions {
    fn picked(&self) -> Picked {
        if !self.selection.is_empty() {
            return (*self.selection.marked.get_untracked()).clone();
        }
        let at =
            |key: String| untrack(|| self.table.read(|model| model.index_of(&key).map(|at| model.pick(at..at + 1))));
        self.selected.get_untracked().and_then(at).unwrap_or_default()
    }

    fn rows(&self, picked: &Picked) -> Vec<(Row, Object)> {
        untrack(|| self.table.read(|model| model.picked(picked)))
    }

    pub(super) fn has_column(&self, name: &str) -> bool {
        self.table.resource.column(name).is_some()
    }

    /// Tells whether there was anything to copy.
    pub(super) fn copy_names(&self) -> bool {
        let rows = self.rows(&self.picked());
        let names: Vec<&str> = rows.iter().map(|(row, _)| &*row.name).collect();
        match names.as_slice() {
            [] => return false,
            [name] => self.session.copy((*name).to_owned(), self.notices),
            names => {
                let said = format!("{} names", grouped(names.len()));
                self.session.copy_as(names.join("\n"), said, self.notices);
            }
        }
        true
    }

    /// Tells whether there was anything to open.
    pub(super) fn open(&self) -> bool {
        let rows = self.rows(&self.picked());
        if rows.len() > MOST_TABS {
            self.notices.fail(format!("Not opened: select {MOST_TABS} at most, each opens a tab of its own"));
            return true;
        }
        let mut blocked = 0;
        for (row, _) in &rows {
            let Some((table, key)) = self.table.home(&row.key()) else { continue };
            let link = self.navigation.link_to_object(&table.served().to_string(), &key);
            let opened = window().open_with_url_and_target(&link, "_blank");
            blocked += usize::from(!matches!(opened, Ok(Some(_))));
        }
        if blocked > 0 {
            let text = "The browser kept back {} of the tabs: allow this page to open several at once";
            self.notices.fail(text.replace("{}", &blocked.to_string()));
        }
        !rows.is_empty()
    }

    /// Copies or saves what is marked, or all that is shown where nothing is.
    pub(super) fn export(&self, export: Export) {
        let picked = match self.selection.is_empty() {
            true => untrack(|| self.table.read(|model| model.pick(0..model.rows()))),
            false => self.picked(),
        };
        let (rows, objects): (Vec<_>, Vec<_>) = self.rows(&picked).into_iter().unzip();
        let resource = self.table.resource;
        let text = match export.format {
            Format::Csv => {
                let places: Vec<_> = self.places.with_untracked(|places| places.iter().map(|(at, _)| *at).collect());
                csv(resource.columns, &places, &rows, self.session.now.get_untracked())
            }
            Format::Json => json(&objects, export.has_secrets),
            Format::Yaml => yaml(&objects, export.has_secrets),
        };
        let title = export.format.title();
        if !export.is_file {
            let said = format!("{} as {title}", self.counted(rows.len()));
            self.session.copy_as(text, said, self.notices);
            return;
        }
        let (ending, media_type) = export.format.file();
        let name = [resource.name, ".", ending].concat();
        match download(&name, media_type, &text) {
            true => self.notices.tell(format!("Saved {} as {name}", self.counted(rows.len()))),
            false => self.notices.fail("Not saved: the browser did not take the file"),
        }
    }

    /// Asks whether the objects are to be deleted. Tells whether there were any.
    pub(super) fn ask_to_delete(&self) -> bool {
        if let Some(obstacle) = self.delete_obstacle.get_untracked() {
            self.notices.fail(obstacle);
            return true;
        }
        let (rows, objects): (Vec<_>, Vec<_>) = self.rows(&self.picked()).into_iter().unzip();
        let Some((table, _)) = rows.first().and_then(|row: &Row| self.table.home(&row.key())) else { return false };
        let deletion = Deletion::of(table.resource, &objects, &self.session.address());
        let named = |object: &Object| match object.namespace() {
            "" => object.name().to_owned(),
            namespace => [namespace, "/", object.name()].concat(),
        };
        let request = DeleteRequest { deletion, names: objects.iter().map(named).collect() };
        self.asked.set(Some(Asked { request, table, objects }));
        true
    }

    pub(super) fn delete(&self, policy: PropagationPolicy) {
        let Some(asked) = self.asked.get_untracked() else { return };
        self.asked.set(None);
        let kind = (asked.table.served(), asked.table.resource);
        let task = self.session.runtime().spawn(delete(self.session, kind, asked.objects, policy, self.notices));
        self.selection.keep(task);
    }

    /// `3 pods`
    fn counted(&self, count: usize) -> String {
        let resource = self.table.resource;
        let what = if count == 1 { resource.noun() } else { resource.nouns() };
        [&grouped(count), " ", &what].concat()
    }

    /// What an export is of, followed where signals are.
    pub(super) fn exported(&self) -> String {
        match self.selection.marked.with(|marked| marked.len()) {
            0 => ["Shown: ", &self.counted(self.table.read(|model| model.shown()))].concat(),
            marked => ["Selected: ", &self.counted(marked)].concat(),
        }
    }

    /// The buttons of the bar.
    pub(super) fn buttons(&self) -> Vec<Action> {
        let this = *self;
        let obstacle = Signal::stored(None);
        let action = |id, title, key, shape, run: fn(&Self) -> bool| {
            let run = Callback::new(move |()| {
                run(&this);
            });
            Action { id, title, key, shape, obstacle, run }
        };
        let delete = action("delete", "Delete…", "Ctrl+D", Shape::Delete, Self::ask_to_delete);
        vec![
            action("copy-names", "Copy names", "y", Shape::Copy, Self::copy_names),
            action("open", "Open in tabs", "o", Shape::Open, Self::open),
            Action { obstacle: self.delete_obstacle, ..delete },
        ]
    }
}
