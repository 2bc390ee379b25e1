use leptos::ev::SubmitEvent;
use leptos::html::Dialog;
use leptos::prelude::*;

use crate::api::PropagationPolicy;
use crate::view::Deletion;

/// The names that stand in the dialog; of the others, only their number does.
const MOST_NAMES: usize = 12;

const POLICIES: [(PropagationPolicy, &str, &str); 3] = [
    (PropagationPolicy::Background, "Background", "what they own is deleted after them"),
    (PropagationPolicy::Foreground, "Foreground", "what they own is deleted before them"),
    (PropagationPolicy::Orphan, "Orphan", "what they own stays"),
];

/// What is asked to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeleteRequest {
    pub(crate) deletion: Deletion,
    /// Of all objects, with their namespaces.
    pub(crate) names: Vec<String>,
}

/// Asks before anything is deleted; says of what, where, and what else happens.
#[component]
pub(crate) fn DeleteDialog(
    /// What is asked for.
    request: DeleteRequest,
    /// Why it cannot be done; none when it can, as far as is known.
    obstacle: Signal<Option<String>>,
    /// Closes it.
    on_close: Callback<()>,
    /// Takes what is to become of what the objects own.
    on_confirm: Callback<PropagationPolicy>,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            // Refused only when it is open already.
            let _ = dialog.show_modal();
        }
    });
    let policy = RwSignal::new(PropagationPolicy::Background);
    let written = RwSignal::new(String::new());
    let DeleteRequest { deletion, names } = request;
    let must_write = deletion.must_write.clone();
    let (asked, needed) = (must_write.clone(), must_write.clone());
    let is_ready = Memo::new(move |_| {
        let is_written = needed.as_ref().is_none_or(|needed| written.with(|it| it.trim() == needed));
        is_written && obstacle.with(Option::is_none)
    });
    let is_confirmed = RwSignal::new(false);
    // The keyboard goes back to where it was.
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let confirm = move |event: SubmitEvent| {
        event.prevent_default();
        if is_ready.get_untracked() {
            is_confirmed.set(true);
            close();
        }
    };
    let end = move |_| match is_confirmed.get_untracked() {
        true => on_confirm.run(policy.get_untracked()),
        false => on_close.run(()),
    };
    let title = deletion.title.clone();
    let more = names.len().saturating_sub(MOST_NAMES);
    let names = names.into_iter().take(MOST_NAMES).map(|name| view! { <li>{name}</li> }).collect_view();
    let choice = move |(of, title, text): (PropagationPolicy, &'static str, &'static str)| {
        view! {
            <label title=text>
                <input
                    type="radio"
                    name="propagation"
                    value=title
                    prop:checked=move || policy.get() == of
                    on:change=move |_| policy.set(of)
                />
                {title}
            </label>
        }
    };
    view! {
        <dialog
            class="dialog"
            aria-labelledby="delete-title"
            data-testid="delete-dialog"
            node_ref=dialog
            on:close=end
        >
            <form on:submit=confirm>
                <h2 id="delete-title">{title}</h2>
                <p class="dialog-effect" data-testid="delete-effect">
                    {move || deletion.effect(policy.get()).map(|effect| in_sentence(&effect))}
                </p>
                <ul class="dialog-names">
                    {names}
                    {(more > 0).then(|| view! { <li>{format!("and {more} more")}</li> })}
                </ul>
                <fieldset class="dialog-choices">
                    <legend>"What they own"</legend>
                    {POLICIES.map(choice).collect_view()}
                </fieldset>
                {asked.map(|asked| view! {
                    <label class="dialog-write">
                        <span>"Write "<code>{asked}</code>" to go on"</span>
                        <input
                            class="field"
                            data-testid="delete-write"
                            type="text"
                            autocomplete="off"
                            autocapitalize="off"
                            spellcheck="false"
                            autofocus
                            prop:value=move || written.get()
                            on:input:target=move |event| written.set(event.target().value())
                        />
                    </label>
                })}
                <p class="dialog-obstacle" role="status">{move || obstacle.get()}</p>
                <div class="dialog-actions">
                    <button class="button" type="button" title="Cancel (Esc)" on:click=move |_| close()>
                        "Cancel"
                    </button>
                    <button
                        class="button danger"
                        type="submit"
                        data-testid="delete-confirm"
                        autofocus=must_write.is_none()
                        disabled=move || !is_ready.get()
                    >
                        "Delete"
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}

/// With a capital letter at its beginning.
fn in_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
