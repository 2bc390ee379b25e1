use leptos::prelude::*;

use crate::ui::components::{Screen, ScreenKind};
use crate::ui::hooks::{focus_by_id, use_shortcuts};
use crate::ui::state::{ACROSS, NamedKinds, Navigation};
use crate::view::Query;

/// What a query without a kind is answered with: queries to begin with.
const EXAMPLES: [&str; 3] = ["kind:pod,deploy,svc", "kind:deploy,sts,ds !ready", "kind:pod,job age<1h"];

/// What stands in place of the rows of several kinds while there are none: their names are missing, wrong, or still
/// asked for.
#[component]
pub(crate) fn AcrossScreen(
    /// What the query says of kinds.
    named: Memo<NamedKinds>,
    /// Why it is not known what the server has.
    error: Signal<Option<String>>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    use_shortcuts(|key| {
        let is_filter = key == "/";
        if is_filter {
            focus_by_id("query");
        }
        is_filter
    });
    let example = move |query: &'static str| {
        view! {
            <a class="button" href=navigation.link_to_query(ACROSS, query.into())>
                <code>{query}</code>
            </a>
        }
    };
    move || {
        let NamedKinds { is_asking, errors, .. } = named.get();
        let (kind, title, text, message) = match (is_asking, error.get()) {
            (true, None) => {
                (ScreenKind::Loading, "Looking for the kinds…", "The server tells which kinds it has", None)
            }
            (true, error) => {
                let text = "It is asked again every ten seconds";
                (ScreenKind::Failed, "The server did not tell which kinds it has", text, error)
            }
            (false, _) if !errors.is_empty() => {
                let text = "Correct the filter (/), or begin with one of these";
                (ScreenKind::Empty, "None of the kinds is known", text, Some(errors[0].message.clone()))
            }
            _ => {
                let text = "Name them in the filter (/), and behind them what else a row must have";
                (ScreenKind::Empty, "Several kinds in one table", text, None)
            }
        };
        let examples = (kind == ScreenKind::Empty).then(|| EXAMPLES.map(example).collect_view());
        view! { <Screen kind=kind title=title text=text message=message>{examples}</Screen> }
    }
}

/// What is left of a query when it filters no more: the kinds that a table of several is of.
pub(super) fn without_filter(query: &str) -> String {
    Query::parse(query).split_kinds().0
}
