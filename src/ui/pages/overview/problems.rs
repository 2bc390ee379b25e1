use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::certificates::Certificates;
use crate::ui::components::{Icon, Shape};
use crate::ui::control_flow::{When, each};
use crate::ui::hooks::use_shortcuts;
use crate::ui::state::{Knowledge, LiveSurvey};
use crate::ui::time::grouped;
use crate::view::advice;
use crate::view::overview::{Line, Named, Topic};

/// What is wrong, a line for each reason; and what is not known.
#[component]
pub(super) fn Problems(
    /// The worst first.
    lines: Memo<Vec<Line>>,
    /// Where they come from.
    survey: LiveSurvey,
    /// Where the certificates come from.
    certificates: RwSignal<Certificates>,
    /// How many objects of a topic were looked at.
    count: Callback<Topic, usize>,
) -> impl IntoView {
    let place = StoredValue::new(None::<usize>);
    use_shortcuts(move |key| match key {
        "j" | "ArrowDown" => focus_line(place, 1),
        "k" | "ArrowUp" => focus_line(place, -1),
        _ => false,
    });
    let is_listing = Memo::new(move |_| survey.topics().iter().any(|it| survey.knowledge(*it) == Knowledge::Listing));
    let ids = move || lines.with(|lines| lines.iter().map(|line| line.id.clone()).collect::<Vec<_>>());
    view! {
        <ul class="problems" data-testid="problems">
            {each(ids, String::clone, move |id| line(lines, id))}
        </ul>
        <When when=move || !is_listing.get() && lines.with(Vec::is_empty)>
            <div class="all-well" data-testid="all-well">
                <span class="all-well-mark"><Icon shape=Shape::Check /></span>
                <div>
                    <p class="all-well-title">"Nothing is wrong"</p>
                    <p>{move || looked_at(survey, count)}</p>
                </div>
            </div>
        </When>
        <ul class="overview-notes" data-testid="overview-notes">
            {move || notes(survey).into_iter().map(note).collect_view()}
            {move || certificates.with(certificate_note).map(note)}
        </ul>
    }
}

/// The line stays the same element while its numbers change: the keyboard may be on it.
fn line(lines: Memo<Vec<Line>>, id: String) -> AnyView {
    let line = Memo::new(move |last: Option<&Line>| {
        let now = lines.with(|lines| lines.iter().find(|line| line.id == id).cloned());
        // A line that goes is shown for the last time.
        now.or_else(|| last.cloned()).unwrap_or_default()
    });
    let named = |named: Named| {
        view! {
            <li>
                <a href=named.hash>{named.text}</a>
                " "
                <span class="problem-detail">{named.detail}</span>
            </li>
        }
    };
    let more = move || line.with(|line| line.more);
    view! {
        <li class="problem" data-testid="problem">
            <a class="problem-link" href=move || line.with(|line| line.hash.clone())>
                <span class=move || format!("status {}", line.with(|line| line.health.as_str()))>
                    {move || line.with(|line| line.reason.clone())}
                </span>
                <span class="problem-count">{move || line.with(|line| line.text.clone())}</span>
            </a>
            <ul class="problem-names">
                {move || line.with(|line| line.named.clone()).into_iter().map(named).collect_view()}
                <When when=move || { more() > 0 }>
                    <li class="problem-detail">{move || format!("and {} more", grouped(more()))}</li>
                </When>
            </ul>
        </li>
    }
    .into_any()
}

fn note(text: String) -> impl IntoView {
    view! { <li class="overview-note">{text}</li> }
}

/// What is not known, and why.
fn notes(survey: LiveSurvey) -> Vec<String> {
    let note = |topic: &Topic| match survey.knowledge(*topic) {
        Knowledge::Whole => None,
        Knowledge::Listing => Some(format!("Listing {}…", topic.noun(0))),
        Knowledge::Forbidden => Some(format!("You may not list {}", topic.noun(0))),
        Knowledge::Failed(error) => {
            Some(format!("The {} could not be listed: {error}. {}", topic.noun(0), advice(&error)))
        }
    };
    survey.topics().iter().filter_map(note).collect()
}

fn certificate_note(certificates: &Certificates) -> Option<String> {
    match certificates.answer.as_ref()? {
        Ok(()) => None,
        Err(error) if error.is_forbidden() => {
            Some("You may not list secrets: certificates that expire are not told".into())
        }
        Err(error) => Some(format!("The certificates could not be read: {error}")),
    }
}

fn looked_at(survey: LiveSurvey, count: Callback<Topic, usize>) -> String {
    let known = survey.topics().iter().filter(|topic| survey.knowledge(**topic) == Knowledge::Whole);
    let part = |topic: &Topic| {
        let number = count.run(*topic);
        format!("{} {}", grouped(number), topic.noun(number))
    };
    let parts: Vec<_> = known.map(part).collect();
    format!("Looked at {}", parts.join(", "))
}

/// Moves the keyboard to the next line, or the one before; tells whether there is one. Where its line went meanwhile, it
/// goes on from there.
fn focus_line(place: StoredValue<Option<usize>>, step: i32) -> bool {
    let Ok(all) = document().query_selector_all(".problem-link") else { return false };
    let active = document().active_element();
    let all: Vec<web_sys::HtmlElement> = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into().ok()).collect();
    let Some(last) = all.len().checked_sub(1) else { return false };
    let at = active.and_then(|active| all.iter().position(|it| **it == active));
    let next = match (at, step) {
        (None, _) => place.get_value().unwrap_or(0),
        (Some(at), 1) => at + 1,
        (Some(at), _) => at.saturating_sub(1),
    };
    let next = next.min(last);
    place.set_value(Some(next));
    // A line that is gone meanwhile cannot take it.
    let _ = all[next].focus();
    true
}
