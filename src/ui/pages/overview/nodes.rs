use std::collections::BTreeMap;

use leptos::prelude::*;

use super::metrics::{Metrics, PodUse};
use crate::ui::control_flow::{When, each};
use crate::ui::state::Navigation;
use crate::ui::time::grouped;
use crate::view::overview::{Amounts, NodeLoad, Ring, Survey, bytes_text, cores_text};
use crate::view::{has_namespace, object_key, sorted_numbers};

/// So many nodes have a row.
const SHOWN: usize = 50;

/// So many of the pods that use most are named.
const MOST_USED: usize = 5;

/// The size of a sparkline in CSS pixels.
const SPARK: (i64, i64) = (118, 20);

/// One of the two amounts.
#[derive(Clone, Copy)]
struct Which {
    title: &'static str,
    unit: &'static str,
    of: fn(Amounts) -> i64,
    text: fn(i64) -> String,
}

static CPU: Which = Which { title: "CPU", unit: " cores", of: |it| it.cpu_milli, text: cores_text };
static MEMORY: Which = Which { title: "Memory", unit: "", of: |it| it.memory_bytes, text: bytes_text };

/// How full the nodes are: what the pods ask for, may use and do use, of what there is.
#[component]
pub(super) fn Nodes(
    /// By name.
    nodes: Memo<Vec<NodeLoad>>,
    /// What is used now.
    metrics: Metrics,
) -> impl IntoView {
    let all = Memo::new(move |_| nodes.with(|nodes| NodeLoad { name: "All nodes".into(), ..Survey::whole(nodes) }));
    let names = move || nodes.with(|nodes| nodes.iter().take(SHOWN).map(|it| it.name.clone()).collect::<Vec<_>>());
    let row = move |name: Box<str>| {
        let shown = name.clone();
        let load = Memo::new(move |_| {
            nodes.with(|nodes| nodes.iter().find(|it| it.name == name).cloned()).unwrap_or_default()
        });
        let ring = Memo::new(move |_| metrics.nodes.with(|nodes| nodes.get(&*shown).cloned()));
        node(load, ring, true)
    };
    let whole = Memo::new(move |_| metrics.nodes.with(whole_ring));
    let hidden = move || nodes.with(Vec::len).saturating_sub(SHOWN);
    view! {
        <div class="node-loads" role="table" aria-label="Capacity, requests and limits of the nodes">
            <div class="node-load head" role="row">
                <span role="columnheader">"Node"</span>
                <span role="columnheader">"CPU"</span>
                <span role="columnheader">"Memory"</span>
                <span role="columnheader">"Pods"</span>
            </div>
            <When when=move || nodes.with(|nodes| nodes.len() > 1)>{node(all, whole, false)}</When>
            {each(names, Clone::clone, row)}
        </div>
        <When when=move || { hidden() > 0 }>
            <p class="overview-note">
                {move || format!("{} more: ", grouped(hidden()))} <a href="#/nodes">"show all nodes"</a>
            </p>
        </When>
        <MostUsed pods=metrics.pods />
    }
}

/// The sum of the last points of all.
fn whole_ring(nodes: &BTreeMap<String, Ring>) -> Option<Ring> {
    let mut rings = nodes.values();
    let first = rings.next()?.clone();
    Some(rings.fold(first, |sum, ring| sum.plus(ring)))
}

fn node(load: Memo<NodeLoad>, ring: Memo<Option<Ring>>, is_link: bool) -> AnyView {
    let name = move || load.with(|it| it.name.to_string());
    let navigation = expect_context::<Navigation>();
    let hash = move || navigation.link_to_object("nodes", &name());
    let pods = Memo::new(move |_| load.with(|it| (it.pods, it.max_pods)));
    let name = move || match is_link {
        true => view! { <a class:not-ready=move || !load.with(|it| it.is_ready) href=hash>{name}</a> }.into_any(),
        false => name().into_any(),
    };
    view! {
        <div class="node-load" class:sum=!is_link role="row" data-testid="node-load">
            <span class="node-name" role="rowheader">{name}</span>
            {meter(load, ring, &CPU)}
            {meter(load, ring, &MEMORY)}
            <span class="meter" role="cell">
                <span class="meter-name">"Pods"</span>
                {move || {
                    let (pods, most) = pods.get();
                    bar(share(pods, most), None, None)
                }}
                <span class="meter-text">
                    {move || {
                        let (pods, most) = pods.get();
                        format!("{pods} of {most}")
                    }}
                </span>
            </span>
        </div>
    }
    .into_any()
}

fn meter(load: Memo<NodeLoad>, ring: Memo<Option<Ring>>, which: &'static Which) -> AnyView {
    let amounts = Memo::new(move |_| {
        load.with(|it| [(which.of)(it.requests), (which.of)(it.limits), (which.of)(it.allocatable)])
    });
    let used = Memo::new(move |_| ring.with(|ring| ring.as_ref().and_then(Ring::last).map(which.of)));
    let text = move || {
        let ([requests, limits, most], used) = (amounts.get(), used.get());
        let text = which.text;
        let used = used.map(|used| format!(" · {} used", text(used))).unwrap_or_default();
        format!("{} of {}{} requested · limits {}{used}", text(requests), text(most), which.unit, text(limits))
    };
    let spark = move || {
        let [_, _, most] = amounts.get();
        let path = ring.with(|ring| ring.as_ref().map(|ring| ring.path(which.of, most, SPARK.0, SPARK.1)));
        path.filter(|path| !path.is_empty()).map(|path| view! { <Spark path=path title=which.title /> })
    };
    view! {
        <span class="meter" role="cell">
            <span class="meter-name">{which.title}</span>
            {move || {
                let ([requests, limits, most], used) = (amounts.get(), used.get());
                bar(share(requests, most), Some(share(limits, most)), used.map(|used| share(used, most)))
            }}
            <span class="meter-text">{text}</span>
            {spark}
        </span>
    }
    .into_any()
}

/// The course of the last quarter of an hour.
#[component]
fn Spark(
    /// In the box of a sparkline.
    path: String,
    /// What it is of.
    title: &'static str,
) -> impl IntoView {
    let (width, height) = SPARK;
    view! {
        <svg
            class="spark"
            width=width
            height=height + 2
            viewBox=format!("0 -1 {width} {}", height + 2)
            role="img"
            aria-label=format!("{title} used in the last quarter of an hour")
        >
            <path d=path />
        </svg>
    }
}

/// Of a hundred; no more than that is drawn.
const fn share(part: i64, whole: i64) -> i64 {
    if whole <= 0 || part <= 0 {
        return 0;
    }
    let share = part.saturating_mul(100) / whole;
    if share > 100 { 100 } else { share }
}

/// Decoration: the numbers stand below it.
fn bar(requests: i64, limits: Option<i64>, used: Option<i64>) -> impl IntoView {
    view! {
        <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-track" width="100" height="8" />
            {limits.map(|limits| view! { <rect class="bar-limits" width=limits height="8" /> })}
            <rect class="bar-requests" class:full={requests >= 90} y="1" width=requests height="6" />
            {used.map(|used| view! { <rect class="bar-used" x={used.min(99)} width="1" height="8" /> })}
        </svg>
    }
}

/// The pods that use most of each, where their use is known.
#[component]
fn MostUsed(
    /// All that are known.
    pods: RwSignal<Vec<PodUse>>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let namespaces = navigation.namespaces();
    let list = move |which: &'static Which| {
        let pods = pods.get();
        let chosen: Vec<_> = namespaces
            .with(|names| pods.iter().filter(|it| names.is_empty() || has_namespace(names, &it.namespace)).collect());
        let order =
            sorted_numbers(chosen.len(), &mut |a, b| (which.of)(chosen[b].used).cmp(&(which.of)(chosen[a].used)));
        let item = |at: u32| {
            let PodUse { namespace, name, used } = chosen[at as usize];
            let hash = navigation.link_to_object("pods", &object_key(namespace, name));
            view! {
                <li>
                    <a href=hash>{namespace.clone()}"/"{name.clone()}</a>
                    <span class="counts-number">{(which.text)((which.of)(*used))}</span>
                </li>
            }
        };
        view! {
            <section class="most-used-list">
                <h3>{format!("Most {} used", if which.title == "CPU" { "CPU" } else { "memory" })}</h3>
                <ol>{order.into_iter().take(MOST_USED).map(item).collect_view()}</ol>
            </section>
        }
        .into_any()
    };
    view! {
        <When when=move || !pods.with(Vec::is_empty)>
            <div class="most-used" data-testid="most-used">{move || list(&CPU)} {move || list(&MEMORY)}</div>
        </When>
    }
}
