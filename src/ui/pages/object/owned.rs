use leptos::prelude::*;
use web_sys::Node;

use super::super::until_seen;
use super::parts::{Context, section};
use super::tabs::Shown;
use crate::api::{Error, ListOptions, Object, ResourcePath};
use crate::rest::Accept;
use crate::runtime::Task;
use crate::ui::dom::{element, text, with};
use crate::ui::state::{LiveList, Rights};
use crate::view::object::{Relation, Scope, is_custom, ownable, relations};

/// So many objects come at once.
const PAGE: u32 = 500;

/// So many objects of a kind are looked at, at most.
const MOST: usize = 2_000;

/// What an object owns, of kinds that only the owned objects themselves tell of: each kind is looked through once, and
/// those of which there are some are followed from then on. A handle.
#[derive(Clone, Copy)]
pub(super) struct Owned {
    context: Context,
    rights: Rights,
    shown: Shown,
    told: RwSignal<Told>,
    searching: StoredValue<Option<Task>, LocalStorage>,
    /// Of the lists.
    owner: StoredValue<Owner, LocalStorage>,
}

/// How far the search is, and what could not be looked at.
#[derive(Clone, Default)]
struct Told {
    /// Those that are followed.
    lists: Vec<(LiveList, Relation)>,
    looked_at: usize,
    /// None before it was asked for.
    of: Option<usize>,
    refused: Vec<String>,
    cut: Vec<String>,
    failed: Vec<String>,
}

/// What a look at a kind has shown.
enum Outcome {
    Owns,
    OwnsNone,
    /// None among the first of them.
    Cut,
    Refused,
    Failed(Error),
}

impl Owned {
    /// Looks as soon as the kinds are known, if the object's kind is a custom one: of the others it is known what they
    /// own, and a person may ask for more.
    pub(super) fn of(shown: Shown, context: Context) -> Self {
        let this = Self {
            context,
            rights: expect_context(),
            shown,
            told: RwSignal::new(Told::default()),
            searching: StoredValue::new_local(None),
            owner: StoredValue::new_local(Owner::current().unwrap_or_default()),
        };
        if untrack(|| shown.read(is_custom)) == Some(true) {
            Effect::new(move |_| {
                let is_known = context.kinds.catalog().with(Option::is_some);
                if is_known && this.told.with_untracked(|told| told.of.is_none()) {
                    this.search();
                }
            });
        }
        this
    }

    fn search(self) {
        let kinds = |object: &Object| {
            let mut known = relations(object);
            known.extend(self.lists().into_iter().map(|(_, relation)| relation));
            let kinds = self.context.kinds.catalog().with(|it| Some(ownable(object, &known, it.as_ref()?)));
            (kinds.unwrap_or_default(), object.uid().into_owned())
        };
        let Some((kinds, uid)) = untrack(|| self.shown.read(kinds)) else { return };
        let of = Some(kinds.len());
        self.told.update(|told| *told = Told { lists: std::mem::take(&mut told.lists), of, ..Told::default() });
        let task = self.context.session.runtime().spawn(async move {
            for relation in kinds {
                until_seen(self.context.session).await;
                let outcome = self.look(&relation.scope, &uid).await;
                self.take(relation, outcome);
            }
        });
        self.searching.set_value(Some(task));
    }

    /// Whether any object of a kind is owned: in the store of an informer that runs, else on the server.
    async fn look(self, scope: &Scope, uid: &str) -> Outcome {
        let Scope { resource, namespace, .. } = scope;
        let is_owned = |object: &Object| object.owner_references().any(|owner| owner.uid == uid);
        let running = self.context.session.informers();
        let held = running.iter().find(|(it, _)| it.resource == *resource && it.informer.has_synced());
        if let Some((held, _)) = held {
            let owns = held.informer.indexer().list().iter().any(is_owned);
            return if owns { Outcome::Owns } else { Outcome::OwnsNone };
        }
        if let Some(namespace) = namespace
            && self.rights.may_list(namespace.clone(), resource.clone()).await == Some(false)
        {
            return Outcome::Refused;
        }
        let path = ResourcePath { namespace: namespace.clone(), ..ResourcePath::all(resource.clone()) };
        let mut options = ListOptions { limit: Some(PAGE), ..ListOptions::default() };
        let (client, mut looked_at) = (self.context.session.client(), 0);
        loop {
            let mut owns = false;
            let mut on_item = |item: Object| {
                looked_at += 1;
                owns |= is_owned(&item);
            };
            match client.list_items(&path, &options, Accept::Metadata, &mut on_item).await {
                Ok(_) if owns => return Outcome::Owns,
                Ok(head) if head.metadata.r#continue.is_empty() => return Outcome::OwnsNone,
                Ok(_) if looked_at >= MOST => return Outcome::Cut,
                Ok(head) => options.r#continue = head.metadata.r#continue,
                Err(error) if error.is_forbidden() => return Outcome::Refused,
                Err(error) => return Outcome::Failed(error),
            }
        }
    }

    fn take(self, relation: Relation, outcome: Outcome) {
        let make = |owner: &Owner| owner.with(|| LiveList::new(self.context.session, &relation.scope));
        let list = matches!(outcome, Outcome::Owns).then(|| self.owner.try_with_value(make)).flatten();
        // The tab is gone when there is nobody to tell.
        self.told.try_update(|told| {
            told.looked_at += 1;
            let title = relation.title.to_string();
            match outcome {
                Outcome::Owns => told.lists.extend(list.map(|list| (list, relation))),
                Outcome::OwnsNone => {}
                Outcome::Cut => told.cut.push(title),
                Outcome::Refused => told.refused.push(title),
                Outcome::Failed(error) => told.failed.push([&title, ": ", &error.to_string()].concat()),
            }
        });
    }

    /// Those that are followed.
    pub(super) fn lists(self) -> Vec<(LiveList, Relation)> {
        self.told.with(|told| told.lists.clone())
    }

    /// Takes the number of a button: the first one searches, the others try a list again.
    pub(super) fn retry(self, at: usize) {
        match at.checked_sub(1) {
            None => self.search(),
            Some(at) => untrack(|| self.lists()).get(at).iter().for_each(|(list, _)| list.retry_now()),
        }
    }

    /// How far the search is; its button has this number.
    pub(super) fn part(self, button: usize) -> Node {
        let Told { lists, looked_at, of, refused, cut, failed } = self.told.get();
        let count = of.unwrap_or_default();
        let is_over = looked_at == count;
        let words = match of {
            None => "Other kinds are looked through when you ask".to_owned(),
            Some(_) if !is_over => {
                ["Looking through the kinds, ", &looked_at.to_string(), " of ", &count.to_string(), "…"].concat()
            }
            Some(_) if lists.is_empty() => ["It owns nothing among ", &count.to_string(), " other kinds"].concat(),
            Some(_) => ["It owns nothing else among ", &count.to_string(), " other kinds"].concat(),
        };
        let mut lines = vec![with(element("p", "object-note", vec![text(&words)]), "role", "status")];
        let mut tell = |words: &str, names: &[String], sign: &str| {
            if !names.is_empty() {
                lines.push(element("p", "object-note", vec![text(&[words, &names.join(sign)].concat())]));
            }
        };
        tell("You may not list ", &refused, ", ");
        tell("Only the first 2,000 were looked at of ", &cut, ", ");
        tell("Could not be listed: ", &failed, "; ");
        if is_over {
            let word = if of.is_none() { "Search all kinds" } else { "Search again" };
            let title = "Looks through each kind that you may list (o)";
            let button = with(element("button", "button", vec![text(word)]), "data-retry", &button.to_string());
            let button = with(with(button, "id", SEARCH_BUTTON), "title", title);
            lines.push(element("p", "object-retry", vec![button]));
        }
        with(section("Other kinds", element("div", "", lines)), "data-relation", "others")
    }
}

/// The search's button, for its key.
pub(super) const SEARCH_BUTTON: &str = "object-search";
