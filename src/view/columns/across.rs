use super::{Column, Object, Resource, Source};
use crate::view::Cell;
use crate::view::object::status_by;

/// What the rows of a table of several kinds have in common.
static COLUMNS: [Column; 7] = [
    Column::of("KIND", Source::Printed, "What it is"),
    Column::NAMESPACE,
    Column::NAME,
    Column::of("READY", Source::Printed, "What is ready of it, as its kind tells").numeric(),
    Column::of("STATUS", Source::Printed, "Its state in a word: its kind's own, else what its conditions or pods say"),
    Column::of("DETAILS", Source::Printed, "What else the table of its kind shows"),
    Column::AGE,
];

/// Those that the others tell already.
const TOLD: [&str; 6] = ["NAMESPACE", "NAME", "READY", "STATUS", "AGE", "CREATED AT"];

/// One of the kinds of a table of several.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub resource: &'static Resource,
    /// The name of the kind's page.
    pub page: &'static str,
    /// What a row of it is called: `Pod`; with its group where two are called so.
    label: &'static str,
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.page == other.page
    }
}

/// Tables of several kinds.
impl Resource {
    /// A table of several kinds, whose rows are told apart by their kinds too. It stays for as long as the program runs:
    /// keep it, and make each but once.
    pub fn across(kinds: &[&'static Self]) -> &'static Self {
        let keep = |text: String| -> &'static str { Box::leak(text.into()) };
        let member = |resource: &&'static Self| {
            let is_alone = kinds.iter().filter(|other| other.kind == resource.kind).count() < 2;
            let label = match is_alone || resource.group.is_empty() {
                true => resource.kind,
                false => keep([resource.kind, " (", resource.group, ")"].concat()),
            };
            Member { resource, page: keep(resource.group_version_resource().to_string()), label }
        };
        let members: Box<[Member]> = kinds.iter().map(member).collect();
        let resource = Self::of("Objects", "Object", "across", "", "", &COLUMNS);
        Box::leak(Box::new(resource.printed_of(Box::leak(members))))
    }

    /// The number of an object's kind among the [members](Self::members); zero in a table of one kind.
    pub(in crate::view) fn member_of(&self, object: &Object) -> usize {
        let members = self.members();
        if members.is_empty() {
            return 0;
        }
        let group = object.api_version().split_once('/').map_or("", |(group, _)| group);
        let is_it = |member: &Member| member.resource.kind == object.kind() && member.resource.group == group;
        members.iter().position(is_it).unwrap_or_default()
    }

    /// The number of the kind that a row's key names, and the object's own key; none when it names none of them.
    pub fn member_of_key<'a>(&self, key: &'a str) -> Option<(usize, &'a str)> {
        if self.members().is_empty() {
            return Some((0, key));
        }
        let (page, rest) = key.split_once('/')?;
        Some((self.members().iter().position(|member| member.page == page)?, rest))
    }
}

impl Member {
    pub(super) fn cells(&self, object: &Object) -> Box<[Cell]> {
        let own = self.resource.cells(object);
        let ready = self.ready(&own);
        let status = match status_by(&own, object).or_else(|| status_by(std::slice::from_ref(&ready), object)) {
            Some((text, health)) => Cell::Status { text, health },
            None => Cell::exact(""),
        };
        Box::new([
            Cell::text(self.label),
            Cell::text(object.namespace()),
            Cell::text(object.name()),
            ready,
            status,
            Cell::exact(&self.details(&own)),
            Cell::Age(object.creation_timestamp()),
        ])
    }

    fn own<'a>(&self, cells: &'a [Cell], name: &str) -> Option<&'a Cell> {
        cells.get(self.resource.column(name)?)
    }

    /// As the kind's table has it; a number with that of those wanted where it tells both.
    fn ready(&self, own: &[Cell]) -> Cell {
        let number = |cell: Option<&Cell>| match cell {
            Some(Cell::Number(number)) => u32::try_from(*number).ok(),
            _ => None,
        };
        let cell = self.own(own, "READY");
        if let (Some(ready), Some(total)) = (number(cell), number(self.own(own, "DESIRED"))) {
            return Cell::Ready { ready, total };
        }
        let share = || own.iter().find(|cell| matches!(cell, Cell::Ready { .. }));
        cell.or_else(share).cloned().unwrap_or_else(|| Cell::exact(""))
    }

    /// `type ClusterIP, port(s) 80/TCP`. Times are left out: a text does not go on.
    fn details(&self, own: &[Cell]) -> String {
        let mut text = String::new();
        for (column, cell) in self.resource.columns.iter().zip(own) {
            let is_told = column.wide || TOLD.contains(&column.name) || cell.is_none();
            if is_told || matches!(cell, Cell::Ready { .. } | Cell::Status { .. } | Cell::Age(_) | Cell::Since(_)) {
                continue;
            }
            cell.with_search_text(|value| {
                if !value.is_empty() {
                    let comma = if text.is_empty() { "" } else { ", " };
                    text.extend([comma, &column.name.to_lowercase(), " ", value]);
                }
            });
        }
        text
    }
}
