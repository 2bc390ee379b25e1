use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::{Icon, Shape};

/// What keys do.
struct Group {
    title: &'static str,
    lines: &'static [(&'static [&'static str], &'static str)],
}

static GROUPS: [Group; 6] = [
    Group {
        title: "Rows",
        lines: &[
            (&["j", "↓"], "Next row"),
            (&["k", "↑"], "Previous row"),
            (&["g", "Home"], "First row"),
            (&["G", "End"], "Last row"),
            (&["PgDn", "PgUp"], "A page down or up"),
            (&["y"], "Copy the row's name"),
            (&["w"], "More columns, or fewer"),
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
        ],
    },
    Group { title: "Page", lines: &[(&["r"], "Try again at once"), (&["?"], "This list")] },
];

/// The list of keys, over the page.
#[component]
pub(crate) fn Help(
    /// Shown now.
    is_open: RwSignal<bool>,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if is_open.get() {
            // Refused only when it is open already.
            let _ = dialog.show_modal();
        } else {
            dialog.close();
        }
    });
    view! {
        <dialog
            class="help"
            aria-label="Keys"
            node_ref=dialog
            on:close=move |_| is_open.set(false)
            on:click:target=move |event| {
                // The dialog itself is hit only beside its content: on the backdrop.
                if event.target().unchecked_ref::<web_sys::Element>().class_name() == "help" {
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
                <Show when=move || is_open.get()>
                    <div class="help-groups">{GROUPS.iter().map(group).collect_view()}</div>
                </Show>
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
