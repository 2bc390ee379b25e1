use leptos::ev::{KeyboardEvent, PointerEvent, SubmitEvent};
use leptos::html::{Div, Ul};
use leptos::prelude::*;

use super::query_box::Fault;
use super::{Icon, Shape};
use crate::ui::control_flow::{When, each};
use crate::ui::hooks::{focus_by_id, use_dismiss, use_window_event};
use crate::view::{ColumnLine, CustomColumn, QueryError};

/// A line's height in columns_menu.css.
const LINE: f64 = 28.0;

/// What somebody does to the columns, each known by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnChange {
    /// Shows it, or no longer.
    Toggle(Box<str>),
    /// Moves it to this place.
    Move(Box<str>, usize),
    /// Adds one of a path or a label.
    Add(Box<str>),
    /// Takes an added one away.
    Remove(Box<str>),
    /// Shows the usual ones.
    Reset,
}

/// The list of all columns: shown or not, in which order, and more of them.
#[component]
pub(crate) fn ColumnsMenu(
    /// All columns, those that have a place first.
    #[prop(into)]
    lines: Signal<Vec<ColumnLine>>,
    /// They stand as they usually do.
    #[prop(into)]
    is_usual: Signal<bool>,
    /// Shown now.
    is_open: RwSignal<bool>,
    /// Takes what is done.
    on_change: Callback<ColumnChange>,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    use_dismiss(container, is_open);
    view! {
        <div class="columns-menu" node_ref=container>
            <button
                class="button"
                data-testid="columns"
                aria-haspopup="dialog"
                aria-expanded=move || is_open.get().to_string()
                title="Columns (c)"
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                <Icon shape=Shape::Columns />
                <span class="button-text">"Columns"</span>
            </button>
            <When when=move || is_open.get()>
                <Popover lines=lines is_usual=is_usual on_change=on_change />
            </When>
        </div>
    }
    .into_any()
}

#[component]
fn Popover(
    /// All columns.
    lines: Signal<Vec<ColumnLine>>,
    /// They stand as they usually do.
    is_usual: Signal<bool>,
    /// Takes what is done.
    on_change: Callback<ColumnChange>,
) -> impl IntoView {
    let list = NodeRef::<Ul>::new();
    let dragged = RwSignal::new(None::<Box<str>>);
    let place_of = move |name: &str| lines.with_untracked(|lines| lines.iter().position(|line| *line.name == *name));
    let placed = move || lines.with_untracked(|lines| lines.iter().filter(|it| it.is_shown || it.is_extra).count());
    let move_to = move |name: &str, to: usize| {
        let to = to.min(placed().saturating_sub(1));
        if place_of(name).is_some_and(|at| at != to && at < placed()) {
            on_change.run(ColumnChange::Move(name.into(), to));
        }
    };
    use_window_event(leptos::ev::pointermove, move |event: PointerEvent| {
        if let (Some(name), Some(list)) = (dragged.get_untracked(), list.get_untracked()) {
            let top = list.get_bounding_client_rect().top() - f64::from(list.scroll_top());
            move_to(&name, ((f64::from(event.client_y()) - top) / LINE).max(0.0) as usize);
        }
    });
    use_window_event(leptos::ev::pointerup, move |_| dragged.set(None));
    use_window_event(leptos::ev::pointercancel, move |_| dragged.set(None));
    let on_key = move |name: &str, event: &KeyboardEvent| {
        let key = event.key();
        let Some(at) = place_of(name).filter(|_| matches!(&*key, "ArrowUp" | "ArrowDown")) else { return };
        event.prevent_default();
        let to = if key == "ArrowUp" { at.saturating_sub(1) } else { at + 1 };
        if event.alt_key() {
            move_to(name, to);
            // A line that was moved has lost the keyboard.
            focus_later(id_of(name));
        } else if let Some(name) = lines.with_untracked(|lines| lines.get(to).map(|line| line.name.clone())) {
            focus_by_id(&id_of(&name));
        }
    };
    let line = move |line: ColumnLine| {
        view! { <Line line=line dragged=dragged on_key=Callback::new(move |(name, event): (Box<str>, KeyboardEvent)| on_key(&name, &event)) on_change=on_change /> }.into_any()
    };
    Effect::new(move |_| {
        let last = lines.with_untracked(|lines| lines.iter().any(|line| line.is_extra));
        let first = lines.with_untracked(|lines| lines.first().map(|line| id_of(&line.name)));
        focus_by_id(&if last { "columns-extra".into() } else { first.unwrap_or_default() });
    });
    view! {
        <div class="popover columns-popover" role="dialog" aria-label="Columns" data-testid="columns-menu">
            <ul class="columns-list" node_ref=list>
                {each(move || lines.get(), Clone::clone, line)}
            </ul>
            <Extra on_add=Callback::new(move |name| on_change.run(ColumnChange::Add(name))) />
            <div class="columns-foot">
                <span><kbd>"Alt"</kbd>" "<kbd>"↑"</kbd>" "<kbd>"↓"</kbd>" moves"</span>
                <button
                    class="link"
                    data-testid="columns-reset"
                    disabled=move || is_usual.get()
                    on:click=move |_| on_change.run(ColumnChange::Reset)
                >
                    "Reset"
                </button>
            </div>
        </div>
    }
}

#[component]
fn Line(
    /// The column.
    line: ColumnLine,
    /// The column that is being dragged.
    dragged: RwSignal<Option<Box<str>>>,
    /// Takes a key that is pressed on it.
    on_key: Callback<(Box<str>, KeyboardEvent)>,
    /// Takes what is done.
    on_change: Callback<ColumnChange>,
) -> impl IntoView {
    let ColumnLine { name, is_shown, is_extra } = line;
    // Columns of labels have the same heading as others.
    let heading = if is_extra { name.to_string() } else { CustomColumn::heading(&name).into_owned() };
    let (grip, own, toggled, pressed, removed) = (name.clone(), name.clone(), name.clone(), name.clone(), name.clone());
    let is_dragged = move || dragged.with(|dragged| dragged.as_ref() == Some(&own));
    let has_place = is_shown || is_extra;
    let remove_label = format!("Take {name} away");
    view! {
        <li class="columns-line" class:dragged=is_dragged data-column=name.to_string()>
            <span
                class="columns-grip"
                class:absent=!has_place
                aria-hidden="true"
                title="Drag to move (Alt+↑ ↓)"
                on:pointerdown=move |event| {
                    event.prevent_default();
                    dragged.set(Some(grip.clone()));
                }
            >
                <Icon shape=Shape::Grip />
            </span>
            <label>
                <input
                    type="checkbox"
                    id=id_of(&name)
                    aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                    prop:checked=is_shown
                    disabled=&*name == "NAME"
                    on:change=move |_| {
                        on_change.run(ColumnChange::Toggle(toggled.clone()));
                        focus_later(id_of(&toggled));
                    }
                    on:keydown=move |event| on_key.run((pressed.clone(), event))
                />
                <span>{heading}</span>
            </label>
            {is_extra.then(|| view! {
                <button
                    class="columns-remove"
                    aria-label=remove_label.clone()
                    title=remove_label
                    on:click=move |_| on_change.run(ColumnChange::Remove(removed.clone()))
                >
                    <Icon shape=Shape::Close />
                </button>
            })}
        </li>
    }
}

/// Adds a column of any path or label.
#[component]
fn Extra(
    /// Takes its name.
    on_add: Callback<Box<str>>,
) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let error = RwSignal::new(None::<(String, QueryError)>);
    let add = move |event: SubmitEvent| {
        event.prevent_default();
        match CustomColumn::asked_for(&text.get_untracked()) {
            Ok(column) => {
                text.set(String::new());
                error.set(None);
                on_add.run(column.name);
            }
            Err(wrong) => {
                let at = wrong.at..wrong.path.len();
                error.set(Some((wrong.path, QueryError { at, message: wrong.reason.into() })));
            }
        }
    };
    view! {
        <form class="columns-extra" on:submit=add>
            <input
                id="columns-extra"
                data-testid="columns-extra"
                class="field"
                type="text"
                aria-label="Add a column"
                placeholder=".spec.nodeName or label:app"
                aria-invalid=move || error.with(|error| error.is_some().then_some("true"))
                aria-describedby="columns-error"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || text.get()
                on:input:target=move |event| {
                    text.set(event.target().value());
                    error.set(None);
                }
            />
            <button class="button" type="submit">"Add"</button>
            <ul id="columns-error" class="columns-error" data-testid="columns-error" aria-live="polite">
                {move || error.get().map(|(text, error)| view! { <Fault text=text error=error /> })}
            </ul>
        </form>
    }
}

fn id_of(name: &str) -> String {
    ["column-", &name.replace(' ', "_")].concat()
}

/// Once the list stands as it is now.
fn focus_later(id: String) {
    request_animation_frame(move || focus_by_id(&id));
}
