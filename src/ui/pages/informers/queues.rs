use web_sys::Node;

use crate::ui::dom::{element, text, with};
use crate::view::queues::{QUEUE_COLUMNS, QueueColumn, QueueLine};

/// The table of the work queues.
pub(super) fn queues_table(lines: &[QueueLine]) -> Node {
    let class = |at: usize| if at == 0 { "" } else { "number" };
    let head = |(at, column): (usize, &QueueColumn)| {
        let head = element("th", class(at), vec![text(column.title)]);
        with(with(head, "scope", "col"), "title", column.metric)
    };
    let row = |line: &QueueLine| {
        let cell = |(at, column): (usize, &QueueColumn)| {
            with(element("td", class(at), vec![text(&(column.text)(line))]), "data-column", column.title)
        };
        let cells = QUEUE_COLUMNS.iter().enumerate().map(cell).collect();
        with(element("tr", "", cells), "data-queue", &line.name)
    };
    let head = element("tr", "", QUEUE_COLUMNS.iter().enumerate().map(head).collect());
    let parts = vec![element("thead", "", vec![head]), element("tbody", "", lines.iter().map(row).collect())];
    with(element("table", "informers-table queues-table", parts), "aria-label", "Work queues")
}
