use std::collections::VecDeque;
use std::time::Duration;

use futures::future::join;
use leptos::prelude::*;

use super::{Kinds, Session, Tables};
use crate::api::{GroupVersionResource, ListOptions, ResourcePath};
use crate::rest::Accept;
use crate::runtime::{Moment, Task};

/// A count is believed for so long.
const BELIEVED: Duration = Duration::from_secs(60);

/// How many objects of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Objects(usize),
    /// The server does not say; why not.
    Refused(String),
}

/// How many objects there are of kinds that no informer follows, asked once for who looks. A handle.
///
/// Two are asked for at a time, by lists of one object without its content: what a browser has of connections is for
/// others.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    session: Session,
    answers: RwSignal<Vec<(String, Count)>>,
    has_started: RwSignal<bool>,
    inner: StoredValue<Inner, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<GroupVersionResource>,
    asked: Vec<(String, Moment)>,
    /// None while there is nothing to ask for.
    asking: Option<Task>,
    is_asking: bool,
}

impl Counts {
    pub(crate) fn new(session: Session) -> Self {
        let inner = StoredValue::new_local(Inner::default());
        Self { session, answers: RwSignal::new(Vec::new()), has_started: RwSignal::new(false), inner }
    }

    /// Nothing is asked for before.
    pub(crate) fn start(&self) {
        self.has_started.set(true);
    }

    /// What the server said of a page's kind; none before it was asked.
    pub(crate) fn get(&self, page: &str) -> Option<Count> {
        self.answers.with(|all| all.iter().find(|(of, _)| of == page).map(|(_, count)| count.clone()))
    }

    /// Somebody looks at these pages, and is called again when the tables are others: asks for those that have none and
    /// were never asked for; for all of them when the look is a new one and the last one was a minute ago.
    pub(crate) fn look(&self, pages: Vec<String>, anew: bool, tables: Tables, kinds: Kinds) {
        if !self.has_started.get() {
            return;
        }
        let open = tables.all();
        let asked = kinds.catalog().with_untracked(|catalog| {
            let entry = |page: &String| Some(catalog.as_ref()?.of_page(page)?.resource.clone());
            pages.iter().filter(|page| !open.iter().any(|table| table.is_of(page))).filter_map(entry).collect()
        });
        self.ask(asked, anew);
    }

    fn ask(&self, resources: Vec<GroupVersionResource>, anew: bool) {
        let (runtime, this) = (self.session.runtime(), *self);
        let now = runtime.now();
        self.inner.update_value(|inner| {
            for resource in resources {
                let page = resource.to_string();
                let asked = inner.asked.iter().position(|(other, _)| *other == page);
                let is_new = asked.is_none_or(|at| anew && now.since(inner.asked[at].1) >= BELIEVED);
                if is_new {
                    asked.into_iter().for_each(|at| drop(inner.asked.swap_remove(at)));
                    inner.asked.push((page, now));
                    inner.waiting.push_back(resource);
                }
            }
            if !inner.is_asking && !inner.waiting.is_empty() {
                inner.is_asking = true;
                inner.asking = Some(runtime.spawn(async move {
                    join(this.work(), this.work()).await;
                    this.inner.try_update_value(|inner| inner.is_asking = false);
                }));
            }
        });
    }

    async fn work(&self) {
        let next = || self.inner.try_update_value(|inner| inner.waiting.pop_front()).flatten();
        while let Some(resource) = next() {
            let page = resource.to_string();
            let count = self.count(resource).await;
            self.answers.try_update(|answers| {
                answers.retain(|(other, _)| *other != page);
                answers.extend(count.map(|count| (page, count)));
            });
        }
    }

    /// None when nobody can tell: another failure than a refusal is told of elsewhere.
    async fn count(&self, resource: GroupVersionResource) -> Option<Count> {
        let client = self.session.client();
        let options = ListOptions { limit: Some(1), ..ListOptions::default() };
        match client.list_as(&ResourcePath::all(resource), &options, Accept::Metadata, &|_| {}).await {
            Ok(list) => {
                let remaining = match list.metadata.remaining_item_count {
                    Some(remaining) => usize::try_from(remaining).ok()?,
                    None if list.metadata.r#continue.is_empty() => 0,
                    None => return None,
                };
                Some(Count::Objects(list.items.len() + remaining))
            }
            Err(error) if error.is_forbidden() || error.is_unauthorized() => Some(Count::Refused(error.to_string())),
            Err(_) => None,
        }
    }
}
