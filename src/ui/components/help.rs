use leptos::html::Dialog;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::hooks::{is_beside, use_modal};

/// What keys do.
struct Group {
    title: &'static str,
    lines: &'static [(&'static [&'static str], &'static str)],
}

static GROUPS: [Group; 9] = [
    Group {
        title: "Rows",
        lines: &[
            (&["j", "↓"], "Next row"),
            (&["k", "↑"], "Previous row"),
            (&["g", "Home"], "First row"),
            (&["G", "End"], "Last row"),
            (&["PgDn", "PgUp"], "A page down or up"),
            (&["y"], "Copy the name, or all selected"),
        ],
    },
    Group {
        title: "Selection",
        lines: &[
            (&["x"], "Select the row, or no longer"),
            (&["X"], "Select all up to the row"),
            (&["Ctrl+A"], "Select all that is shown"),
            (&["o"], "Open in new tabs"),
            (&["E"], "Copy or save as CSV, JSON, YAML"),
            (&["Ctrl+D", "Del"], "Delete, after a question"),
        ],
    },
    Group {
        title: "Columns",
        lines: &[
            (&["c"], "Choose, order, add"),
            (&["w"], "More columns, or fewer"),
            (&["Alt+←", "→"], "On a header: narrower, wider"),
            (&["Alt+↑", "↓"], "In the list: move"),
            (&["t"], "Events of the next type"),
            (&["Enter"], "Open the object of an event"),
        ],
    },
    Group {
        title: "Object",
        lines: &[
            (&["Enter"], "Open the row"),
            (&["d"], "Open its details"),
            (&["Y"], "Open its YAML"),
            (&["l"], "Open a pod's log"),
            (&["[", "]"], "Previous or next row"),
            (&["1", "2"], "The first tab, the second"),
            (&["/"], "Find in its YAML"),
            (&["n", "N"], "Next place found, or the one before"),
            (&["o"], "Search all kinds for what it owns"),
            (&["Esc"], "Close it"),
        ],
    },
    Group {
        title: "Log",
        lines: &[
            (&["/"], "Search"),
            (&["n", "N"], "Next line found, or the one before"),
            (&["g", "G"], "Go to the start, or to the end and follow"),
            (&["f"], "Follow, or stay"),
            (&["t"], "Show times"),
            (&["w"], "Wrap long lines"),
            (&["p"], "The log before the last restart"),
            (&["c", "b"], "Choose the container, or from where on"),
            (&["y", "s"], "Copy or save the log"),
        ],
    },
    Group {
        title: "Filter",
        lines: &[(&["/"], "Filter"), (&["n"], "Choose namespaces"), (&["Esc"], "Clear the selection, then the filter")],
    },
    Group {
        title: "What a filter may be",
        lines: &[
            (&["web shop"], "Both words, in any cell"),
            (&["!web"], "Not this"),
            (&["/we?b/"], "An expression"),
            (&["status:Run*"], "A column's text"),
            (&["restarts>3"], "A column by value"),
            (&["age<10m"], "Younger than ten minutes"),
            (&["node:(a|b)"], "One of several"),
            (&["-l app=web"], "By labels"),
            (&[".spec.a=b"], "By any field"),
            (&["-f wb0"], "Letters of the name"),
            (&["kind:pod,svc"], "Several kinds in one table"),
        ],
    },
    Group {
        title: "Page",
        lines: &[
            (&[":", "Ctrl-K"], "Go to anything"),
            (&["f"], "Favourite, or not"),
            (&["Alt-↑", "Alt-↓"], "Move a favourite"),
            (&["b"], "Collapse the rail"),
            (&["r"], "Try again at once"),
            (&["R"], "List again now"),
            (&["?"], "This list"),
        ],
    },
    Group {
        title: "Informers",
        lines: &[
            (&["p"], "Pause, or go on"),
            (&["l"], "List again"),
            (&["e"], "End one that is not in use"),
            (&["m"], "Copy as Markdown"),
        ],
    },
];

/// The list of keys, over the page.
#[component]
pub(crate) fn Help(
    /// Shown now.
    is_open: RwSignal<bool>,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog, is_open);
    view! {
        <dialog
            class="help"
            aria-label="Keys"
            node_ref=dialog
            on:close=move |_| is_open.set(false)
            on:click=move |event| {
                if is_beside(&event) {
                    is_open.set(false);
                }
            }
        >
            <div class="help-content">
                <div class="help-head">
                    <h1>"Keys"</h1>
                    <button aria-label="Close" title="Close (Esc)" on:click=move |_| is_open.set(false)>
                        <Icon shape=Shape::Close />
                    </button>
                </div>
                <When when=move || is_open.get()>
                    <div class="help-groups">{GROUPS.iter().map(group).collect_view()}</div>
                </When>
            </div>
        </dialog>
    }
}

fn group(group: &'static Group) -> impl IntoView {
    let line = |(keys, text): &(&'static [&'static str], &'static str)| {
        let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect_view();
        view! {
            <dt>{keys}</dt>
            <dd>{*text}</dd>
        }
    };
    view! {
        <section>
            <h2>{group.title}</h2>
            <dl>{group.lines.iter().map(line).collect_view()}</dl>
        </section>
    }
}
