use leptos::prelude::*;

use super::parts::{age, object_link, page_of_kind, plain_table, status_word};
use super::tabs::Shown;
use crate::api::{GroupVersionKind, Object, OwnerReference};
use crate::ui::state::{Kinds, Session};
use crate::ui::time::local_date_time;
use crate::view::object::{Annotation, Condition, Container, annotations, conditions, containers, data_sizes, labels};
use crate::view::{Cell, Column};

/// An annotation that is longer, in bytes, is folded.
const LONG: usize = 120;

/// Columns that the panel's head has.
const IN_HEAD: [&str; 2] = ["NAMESPACE", "NAME"];

/// What the object's table tells of it, and what every object tells of itself.
pub(super) fn view(shown: Shown) -> AnyView {
    view! {
        <div class="object-scroll object-summary" data-testid="object-summary" tabindex="0" role="group" aria-label="Summary">
            {facts(shown)}
            {section("Containers", shown.memo(containers), container_table)}
            {section("Conditions", shown.memo(conditions), condition_table)}
            {section("Owners", shown.memo(owners), owner_list)}
            {section("Data", shown.memo(data_sizes), data_list)}
            {section("Labels", shown.memo(labels), label_list)}
            {section("Annotations", shown.memo(annotations), annotation_list)}
        </div>
    }
    .into_any()
}

/// A part that is there when it has something to show.
fn section<T>(title: &'static str, items: Memo<Vec<T>>, view: fn(Vec<T>) -> AnyView) -> AnyView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let content = move || {
        let items = items.get();
        (!items.is_empty()).then(|| section_of(title, view(items)))
    };
    content.into_any()
}

fn section_of(title: &'static str, content: AnyView) -> AnyView {
    view! {
        <section class="object-section">
            <h3>{title}</h3>
            {content}
        </section>
    }
    .into_any()
}

fn facts(shown: Shown) -> AnyView {
    let resource = shown.table.resource;
    let cells = Memo::new(move |_| shown.read(|object| resource.row(object).cells).unwrap_or_default());
    let uid = shown.memo(|object| object.uid().into_owned());
    let fact = move |(column, cell): (&'static Column, Cell)| {
        view! {
            <dt title=column.description>{column.name}</dt>
            <dd data-column=column.name>{cell_view(cell)}</dd>
        }
    };
    let all = move || {
        let shown = resource.columns.iter().zip(cells.get());
        let shown = shown.filter(|(column, _)| !IN_HEAD.contains(&column.name));
        shown.map(fact).collect_view()
    };
    view! {
        <dl class="object-facts">
            {all}
            <dt title="Tells it apart from others that bore its name">"UID"</dt>
            <dd class="object-mono">{uid}</dd>
        </dl>
    }
    .into_any()
}

fn cell_view(cell: Cell) -> AnyView {
    let now = expect_context::<Session>().now;
    match cell {
        Cell::Status { text, health } => status_word(&text, health).into_any(),
        Cell::Age(Some(moment)) => view! {
            {age(Some(moment))}
            <span class="object-note">" "{local_date_time(moment)}</span>
        }
        .into_any(),
        cell if cell.next_change(now.get_untracked()).is_some() => {
            let text = Memo::new(move |_| cell.display(now.get()));
            view! { <span>{text}</span> }.into_any()
        }
        cell => {
            let is_none = cell.is_none();
            view! { <span class:object-note=is_none>{cell.display(now.get_untracked())}</span> }.into_any()
        }
    }
}

fn container_table(containers: Vec<Container>) -> AnyView {
    let row = |it: Container| {
        let Container { name, role, state, health, detail, restarts, image, ports } = it;
        view! {
            <tr>
                <th scope="row">
                    {name}
                    {(!role.is_empty()).then(|| view! { <span class="object-note">" "{role}</span> })}
                </th>
                <td>
                    {status_word(&state, health)}
                    <p class="object-note">{detail}</p>
                </td>
                <td class="object-number">{restarts}</td>
                <td class="object-mono">{image}</td>
                <td class="object-mono">{ports.join(", ")}</td>
            </tr>
        }
    };
    let rows = containers.into_iter().map(row).collect_view().into_any();
    plain_table("Containers", &["Name", "State", "Restarts", "Image", "Ports"], rows)
}

fn condition_table(conditions: Vec<Condition>) -> AnyView {
    let row = |it: Condition| {
        let Condition { kind, status, health, reason, message, since } = it;
        view! {
            <tr>
                <th scope="row">{kind}</th>
                <td>{status_word(&status, health)}</td>
                <td>
                    {reason}
                    <p class="object-note">{message}</p>
                </td>
                <td class="object-number">{age(since)}</td>
            </tr>
        }
    };
    let rows = conditions.into_iter().map(row).collect_view().into_any();
    plain_table("Conditions", &["Type", "Status", "Reason", "Changed"], rows)
}

/// An owner, with the namespace of what it owns.
type Owner = (OwnerReference, String);

fn owners(object: &Object) -> Vec<Owner> {
    object.owner_references().map(|owner| (owner, object.namespace().to_owned())).collect()
}

fn owner_list(owners: Vec<Owner>) -> AnyView {
    let item = |(owner, namespace): Owner| view! { <li>{owner_link(owner, namespace)}</li> };
    view! { <ul class="object-list">{owners.into_iter().map(item).collect_view()}</ul> }.into_any()
}

/// `Deployment web`, as a link to it.
pub(super) fn owner_link(owner: OwnerReference, namespace: String) -> AnyView {
    let kinds = expect_context::<Kinds>();
    let OwnerReference { api_version, kind, name, .. } = owner;
    let of = GroupVersionKind::from_api_version(&api_version, &kind);
    let page = Memo::new(move |_| page_of_kind(kinds, &of.group, &of.kind));
    view! {
        <span class="object-note">{kind}" "</span>
        {move || object_link(name.clone(), &namespace, &name, page.get())}
    }
    .into_any()
}

/// Of Secrets and ConfigMaps: the values themselves are in the YAML.
fn data_list(sizes: Vec<(String, usize)>) -> AnyView {
    let entry = |(key, bytes): (String, usize)| {
        let unit = if bytes == 1 { "byte" } else { "bytes" };
        view! {
            <dt class="object-mono">{key}</dt>
            <dd class="object-note">{bytes}" "{unit}</dd>
        }
    };
    view! { <dl class="object-facts">{sizes.into_iter().map(entry).collect_view()}</dl> }.into_any()
}

fn label_list(labels: Vec<(String, String)>) -> AnyView {
    let label = |(key, value): (String, String)| {
        view! { <li class="object-label"><span class="object-note">{key}"="</span>{value}</li> }
    };
    view! { <ul class="object-labels">{labels.into_iter().map(label).collect_view()}</ul> }.into_any()
}

fn annotation_list(annotations: Vec<Annotation>) -> AnyView {
    let entry = |(key, text): Annotation| {
        let text = match text {
            None => view! { <span class="object-note">"Hidden: it holds the Secret's values"</span> }.into_any(),
            Some(text) if text.len() > LONG || text.contains('\n') => {
                let size = text.len();
                view! {
                    <details>
                        <summary>{size}" bytes"</summary>
                        <pre>{text}</pre>
                    </details>
                }
                .into_any()
            }
            Some(text) => text.into_any(),
        };
        view! {
            <dt class="object-mono">{key}</dt>
            <dd>{text}</dd>
        }
    };
    view! { <dl class="object-annotations">{annotations.into_iter().map(entry).collect_view()}</dl> }.into_any()
}
