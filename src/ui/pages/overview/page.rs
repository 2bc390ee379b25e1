use leptos::prelude::*;

use super::certificates::use_certificates;
use super::counts::CountsByKind;
use super::metrics::Metrics;
use super::nodes::Nodes;
use super::problems::Problems;
use crate::ui::control_flow::When;
use crate::ui::hooks::use_shortcuts;
use crate::ui::state::{Knowledge, LiveSurvey, Navigation, Session};
use crate::view::Catalog;
use crate::view::overview::{Topic, certificate_line};

/// How often what time alone changes is told anew, in seconds.
const CLOCK: i64 = 5;

/// What is wrong now, first; then how full the nodes are, and how much there is of each kind.
#[component]
pub(crate) fn OverviewPage(
    /// The objects.
    survey: LiveSurvey,
    /// The kinds.
    catalog: Signal<Option<Catalog>>,
) -> impl IntoView {
    let (session, navigation) = (expect_context::<Session>(), expect_context::<Navigation>());
    let namespaces = navigation.namespaces();
    let certificates = use_certificates(session);
    let count = move |topic| survey.read(|it| namespaces.with(|namespaces| it.count(topic, namespaces)));
    let pods = Signal::derive(move || count(Topic::Pods));
    let metrics = Metrics::new(session, pods);
    let clock = Memo::new(move |_| session.now.get().as_second() / CLOCK);
    let lines = Memo::new(move |_| {
        clock.track();
        let (namespaces, now) = (namespaces.get(), session.now.get_untracked());
        let mut lines = survey.read(|it| catalog.with(|catalog| it.lines(&namespaces, catalog.as_ref(), now)));
        if let Some(line) = certificates.with(|it| certificate_line(&it.all, &namespaces, now)) {
            let at = lines.iter().position(|it| it.health > line.health).unwrap_or(lines.len());
            lines.insert(at, line);
        }
        lines
    });
    let nodes = Memo::new(move |_| survey.read(|it| namespaces.with(|namespaces| it.nodes(namespaces))));
    use_shortcuts(move |key| {
        let is_retry = key == "r";
        if is_retry {
            survey.retry_now();
        }
        is_retry
    });
    let summary = move || match lines.with(Vec::len) {
        0 => String::new(),
        1 => "1 problem".into(),
        some => format!("{some} problems"),
    };
    let nodes_note = move || match (survey.knowledge(Topic::Nodes), survey.knowledge(Topic::Pods)) {
        (Knowledge::Forbidden, _) => Some("You may not list nodes: what they have is not known"),
        (Knowledge::Listing, _) => Some("Listing nodes…"),
        (_, Knowledge::Forbidden) => Some("You may not list pods: what they ask for is not known"),
        (_, Knowledge::Listing) => Some("Listing pods: what they ask for comes with them…"),
        _ => None,
    };
    let has_nodes = Memo::new(move |_| !nodes.with(Vec::is_empty));
    let metrics_note = move || {
        metrics.answer.with(|answer| match answer {
            Some(Err(error)) if error.is_forbidden() => Some("You may not list what nodes use".to_owned()),
            Some(Err(error)) => Some(format!("What nodes use is not known: {error}")),
            _ => None,
        })
    };
    view! {
        <main class="page">
            <div class="page-head">
                <h1>"Overview"</h1>
                <span class="page-count" data-testid="count">{summary}</span>
            </div>
            <div class="overview" tabindex="0" role="region" aria-label="Overview">
                <section class="overview-part" aria-labelledby="overview-problems">
                    <h2 id="overview-problems">"What is wrong now"</h2>
                    <Problems lines=lines survey=survey certificates=certificates count=Callback::new(count) />
                </section>
                <section class="overview-part" aria-labelledby="overview-nodes" data-testid="overview-nodes">
                    <h2 id="overview-nodes">"Nodes"</h2>
                    <When when=move || has_nodes.get()>
                        <Nodes nodes=nodes metrics=metrics />
                    </When>
                    {move || nodes_note().map(|note| view! { <p class="overview-note">{note}</p> })}
                    {move || metrics_note().map(|note| view! { <p class="overview-note">{note}</p> })}
                </section>
                <section class="overview-part" aria-labelledby="overview-counts">
                    <h2 id="overview-counts">"Objects"</h2>
                    <When
                        when=move || catalog.with(Option::is_some)
                        fallback=|| view! { <p class="overview-note">"Asking for the kinds…"</p> }
                    >
                        <CountsByKind survey=survey catalog=catalog />
                    </When>
                </section>
            </div>
        </main>
    }
}
