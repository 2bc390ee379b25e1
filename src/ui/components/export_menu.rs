use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::hooks::{focus_by_id, use_dismiss, use_menu};

/// How objects are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Json,
    Yaml,
}

impl Format {
    const ALL: [Self; 3] = [Self::Csv, Self::Json, Self::Yaml];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Yaml => "YAML",
        }
    }

    /// The end of a file's name, and what the browser calls such a file.
    pub(crate) const fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => ("csv", "text/csv;charset=utf-8"),
            Self::Json => ("json", "application/json"),
            Self::Yaml => ("yaml", "application/yaml"),
        }
    }
}

/// What is asked of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Export {
    pub(crate) format: Format,
    /// Into a file; else to the clipboard.
    pub(crate) is_file: bool,
    /// With the values of Secrets.
    pub(crate) has_secrets: bool,
}

/// The menu that copies or saves what is shown or selected.
#[component]
pub(crate) fn ExportMenu(
    /// Of what: `3 selected pods`.
    #[prop(into)]
    what: Signal<String>,
    /// The objects are Secrets, whose values are masked unless they are wanted.
    is_secret: bool,
    /// Shown now.
    is_open: RwSignal<bool>,
    /// Takes what is asked for.
    on_export: Callback<Export>,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    use_dismiss(container, is_open);
    view! {
        <div class="export" node_ref=container>
            <button
                id="export"
                class="button"
                data-testid="export"
                aria-haspopup="menu"
                aria-expanded=move || is_open.get().to_string()
                title="Copy or save as CSV, JSON, YAML (E)"
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                <Icon shape=Shape::Export />
                <span class="button-text">"Export"</span>
            </button>
            <When when=move || is_open.get()>
                <Menu what=what is_secret=is_secret is_open=is_open on_export=on_export />
            </When>
        </div>
    }
    .into_any()
}

#[component]
fn Menu(
    /// Of what.
    what: Signal<String>,
    /// The objects are Secrets.
    is_secret: bool,
    /// Shown now.
    is_open: RwSignal<bool>,
    /// Takes what is asked for.
    on_export: Callback<Export>,
) -> impl IntoView {
    let menu = NodeRef::<Div>::new();
    let on_key = use_menu(menu);
    let has_secrets = RwSignal::new(false);
    let item = move |format: Format, is_file: bool| {
        let verb = if is_file { "Save" } else { "Copy" };
        view! {
            <button
                class="menu-item"
                role="menuitem"
                data-export=format!("{}-{}", verb.to_lowercase(), format.file().0)
                on:click=move |_| {
                    let export = Export { format, is_file, has_secrets: has_secrets.get_untracked() };
                    focus_by_id("export");
                    is_open.set(false);
                    on_export.run(export);
                }
            >
                {verb}
                " as "
                {format.title()}
            </button>
        }
    };
    let both = [false, true].map(|is_file| Format::ALL.map(|format| item(format, is_file)).collect_view());
    view! {
        <div
            class="popover export-popover"
            role="menu"
            aria-label="Export"
            data-testid="export-menu"
            node_ref=menu
            on:keydown=on_key
        >
            <p class="menu-title" role="presentation">{what}</p>
            {both.into_iter().collect_view()}
            {is_secret.then(|| view! {
                <button
                    class="menu-item"
                    role="menuitemcheckbox"
                    aria-checked=move || has_secrets.get().to_string()
                    on:click=move |_| has_secrets.update(|has| *has = !*has)
                >
                    <span class="menu-check"><Icon shape=Shape::Check /></span>
                    "With the values"
                </button>
            })}
        </div>
    }
}
