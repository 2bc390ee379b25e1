use std::time::Duration;

use leptos::prelude::*;

use super::super::until_seen;
use crate::api::{ListOptions, Object};
use crate::cache::ObjectName;
use crate::rest::IncludeObject;
use crate::runtime::Task;
use crate::ui::state::{
    BETWEEN_MEASUREMENTS, Kinds, LiveTable, MOST_MEASURED, Session, list_metrics, metrics_resource, path_in,
};
use crate::view::columns::ServedTable;
use crate::view::{Beside, Column, Resource, RowBeside, is_pattern, measured, measured_columns};

/// Changes of this time are asked for together.
const SETTLE: Duration = Duration::from_millis(500);

/// While objects change all the time, they are waited for no more often than so.
const MOST_WAITS: u32 = 10;

/// So many such times are between two tries when something kept the cells back: half a minute.
const RETRY: u32 = 60;

/// So many objects have the server's cells.
const MOST_SERVED: u32 = 5_000;

/// Has the cells read that are not in the table's objects, while such a column is shown and the page is seen: those
/// that only the server can print after changes, and what is measured every quarter of a minute.
pub(super) fn use_beside(table: LiveTable, base: &'static Resource, places: Memo<Vec<(usize, Option<u16>)>>) {
    if !base.asks_server() && measured_columns(base).next().is_none() {
        return;
    }
    let (session, kinds) = (expect_context::<Session>(), expect_context::<Kinds>());
    let has_columns = base.columns.iter().any(Column::is_beside);
    let reader = Reader { session, kinds, table, base, has_columns };
    let is_beside = move |at: usize| table.resource.columns.get(at).is_some_and(Column::is_beside);
    let is_needed = Memo::new(move |_| {
        (base.asks_server() && !has_columns) || places.with(|places| places.iter().any(|(at, _)| is_beside(*at)))
    });
    let reading = StoredValue::new_local(None::<Task>);
    Effect::new(move |_| {
        let task = is_needed.get().then(|| session.runtime().spawn(async move { reader.read().await }));
        reading.set_value(task);
    });
}

#[derive(Clone, Copy)]
struct Reader {
    session: Session,
    kinds: Kinds,
    table: LiveTable,
    /// The kind's table, without the columns that were added.
    base: &'static Resource,
    /// The server has told its columns.
    has_columns: bool,
}

/// What came of asking.
struct Answer {
    /// By the objects' names; none where nothing has come.
    rows: Option<Vec<RowBeside>>,
    /// What keeps cells back.
    note: Option<String>,
    /// There will be no other answer.
    is_last: bool,
}

impl Reader {
    async fn read(&self) {
        let (runtime, is_served) = (self.session.runtime(), self.base.asks_server());
        self.table.synced().await;
        loop {
            until_seen(self.session).await;
            let (changes, start) = (self.table.changes(), runtime.clock.now());
            let Answer { rows, note, is_last } = if is_served { self.ask_server().await } else { self.measure().await };
            let most_waits = if rows.is_some() { u32::MAX } else { RETRY };
            if let Some(rows) = rows {
                self.table.tell_beside(&runtime, Beside::new(rows), is_served).await;
            }
            self.table.set_told(note);
            if is_last {
                return;
            }
            // A server that takes its time is given four times as much.
            let rest = runtime.clock.now().since(start) * 4;
            runtime.sleep(if is_served { rest } else { rest + BETWEEN_MEASUREMENTS }).await;
            if is_served {
                self.settled(changes, most_waits).await;
            }
        }
    }

    /// Waits for changes, if not too long, and until no others follow at once.
    async fn settled(&self, mut changes: u32, most_waits: u32) {
        let runtime = self.session.runtime();
        let (mut waits, mut has_changed) = (0, false);
        while waits < if has_changed { MOST_WAITS } else { most_waits } {
            runtime.sleep(SETTLE).await;
            waits = waits.saturating_add(1);
            let now = self.table.changes();
            match (now == changes, has_changed) {
                (true, true) => return,
                (true, false) => {}
                (false, true) => changes = now,
                (false, false) => (changes, has_changed, waits) = (now, true, 0),
            }
        }
    }

    /// The cells that the server prints; before it has told its columns, those alone.
    async fn ask_server(&self) -> Answer {
        let (served, mut rows, mut note) = (self.table.served(), None, None);
        let limit = if self.has_columns { MOST_SERVED } else { 1 };
        let options = ListOptions { limit: Some(limit), ..ListOptions::default() };
        for place in self.table.places() {
            let (path, asked_at) = (path_in(&served, place.as_deref()), self.session.runtime().clock.wall());
            let answer = match self.session.client().table_object(&path, &options, IncludeObject::Metadata).await {
                Ok(answer) => answer,
                Err(error) => {
                    note = Some(["The server's own columns did not come: ", &error.to_string()].concat());
                    continue;
                }
            };
            let Some(mut told) = ServedTable::read(&answer, self.base.is_namespaced()) else {
                let note = Some("The server tells no columns but names and ages".into());
                return Answer { rows: None, note, is_last: true };
            };
            if !told.fits(self.base) {
                // Another table takes this one's place.
                self.kinds.learn(&served, told.resource(self.base));
                return Answer { rows: None, note: None, is_last: true };
            }
            if self.has_columns && !told.is_whole {
                note = Some(format!("The server's own columns are read of {MOST_SERVED} objects, not of all"));
            }
            told.find_moments(&(asked_at..=self.session.runtime().clock.wall()), |row| self.object_of(row));
            rows.get_or_insert_with(Vec::new).extend(told.rows);
        }
        let is_last = rows.is_some() && !self.has_columns;
        Answer { rows, note, is_last }
    }

    fn object_of(&self, row: &RowBeside) -> Option<Object> {
        let key = ObjectName { namespace: row.namespace.to_string(), name: row.name.to_string() }.to_string();
        self.table.newest(&key)
    }

    /// What pods or nodes use.
    async fn measure(&self) -> Answer {
        let nothing = |note: String| Answer { rows: None, note: Some(note), is_last: false };
        let Some(resource) = metrics_resource(self.session, self.base.name).await else {
            return nothing("This server does not serve metrics.k8s.io: what is used is not known".into());
        };
        let places = self.measured_places();
        if places.is_empty() {
            return nothing("What so many pods use is not read: choose namespaces".into());
        }
        let (mut rows, mut note) = (None, None);
        for place in places {
            match list_metrics(self.session, &resource, place.as_deref()).await {
                Err(error) => {
                    let told = if error.is_forbidden() {
                        "You may not read what is used: "
                    } else {
                        "What is used is not known: "
                    };
                    note = Some([told, &error.to_string()].concat());
                }
                Ok(all) => rows.get_or_insert_with(Vec::new).extend(all.iter().map(|it| self.measured(it))),
            }
        }
        Answer { rows, note, is_last: false }
    }

    fn measured(&self, metrics: &Object) -> RowBeside {
        let node = untrack(|| self.table.read(|model| model.object(metrics.name())));
        measured(metrics, node.as_ref())
    }

    /// All, or of so many that they would be too many those of the chosen namespaces; none where none is chosen.
    fn measured_places(&self) -> Vec<Option<String>> {
        let places = self.table.places();
        if untrack(|| self.table.read(|model| model.total())) <= MOST_MEASURED || places != [None] {
            return places;
        }
        let chosen = untrack(|| self.table.read(|model| model.filter().namespaces.clone()));
        chosen.into_iter().filter(|name| !is_pattern(name)).map(Some).collect()
    }
}
