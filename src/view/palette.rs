//! What the palette offers for what was typed.

use super::rank::Ranked;
use super::{Catalog, CatalogEntry, Rank};

/// More namespaces or kinds than a person looks through.
const MOST: usize = 40;

/// Objects are found by typing more.
const MOST_OBJECTS: usize = 50;

/// Shorter names are in nearly all objects.
const LEAST_LETTERS: usize = 2;

/// The name by which the choice of all namespaces is remembered.
const ALL: &str = "namespaces";

/// How many choices are remembered.
const MOST_RECENT: usize = 8;

/// The pages that are of no kind: their names in the address, and what they are called.
pub const PAGES: [(&str, &str); 3] =
    [("overview", "Overview"), ("grouped-events", "Events"), ("informers", "Informers")];

/// The page of a query across kinds, which is in no list of pages: its name in the address, and what it is called.
pub const ACROSS: (&str, &str) = ("across", "Several kinds");

/// What a query across kinds begins with.
const KINDS: &str = "kind:";

/// What the page does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    SystemTheme,
    LightTheme,
    DarkTheme,
    Compact,
    Comfortable,
    Wide,
    ListAgain,
    Favourite,
    Rail,
    Keys,
}

/// Each with its name, what it is called, and its key.
const ACTIONS: [(Action, &str, &str, &str); 10] = [
    (Action::SystemTheme, "theme-system", "Theme as the system", ""),
    (Action::LightTheme, "theme-light", "Light theme", ""),
    (Action::DarkTheme, "theme-dark", "Dark theme", ""),
    (Action::Compact, "rows-compact", "Compact rows", ""),
    (Action::Comfortable, "rows-comfortable", "Comfortable rows", ""),
    (Action::Wide, "wide", "Wide columns", "w"),
    (Action::ListAgain, "list-again", "List again", ""),
    (Action::Favourite, "favourite", "Add to favourites, or remove", "f"),
    (Action::Rail, "rail", "Collapse the list of pages, or expand", "b"),
    (Action::Keys, "keys", "Keys and help", "?"),
];

/// Which namespaces a choice leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those that are chosen already.
    #[default]
    AsItIs,
    All,
    One(String),
}

/// Where a candidate leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    View { page: String, scope: Scope, query: String },
    Namespaces(Scope),
    Object { page: String, namespace: String, name: String },
    Action(Action),
}

/// One of the lines to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub choice: Choice,
    pub title: String,
    /// What it is, and what tells it from others of the same title.
    pub detail: String,
    /// Does the same without the palette; empty for none.
    pub key: &'static str,
}

/// An object whose name is known.
#[derive(Clone, Copy, Debug)]
pub struct NamedObject<'a> {
    pub page: &'a str,
    /// What one of them is called in a sentence.
    pub noun: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
}

/// Calls with each object that can be found by its name.
pub type EachObject<'a> = &'a dyn Fn(&mut dyn FnMut(NamedObject<'_>));

/// What there is to choose from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// None before the server has told.
    pub catalog: Option<&'a Catalog>,
    pub namespaces: &'a [String],
    /// The last choices by their [names](Choice::id), the newest first.
    pub recent: &'a [String],
    pub objects: EachObject<'a>,
}

impl Choice {
    fn page(page: &str) -> Self {
        Self::View { page: page.into(), scope: Scope::AsItIs, query: String::new() }
    }

    /// The name by which it is remembered. Objects are not: their names are nobody's business but the cluster's.
    pub fn id(&self) -> Option<String> {
        match self {
            Self::View { page, .. } => Some(format!("page {page}")),
            Self::Namespaces(Scope::One(name)) => Some(format!("namespace {name}")),
            Self::Namespaces(_) => Some(ALL.into()),
            Self::Action(action) => {
                ACTIONS.iter().find(|(other, ..)| other == action).map(|(_, id, ..)| format!("action {id}"))
            }
            Self::Object { .. } => None,
        }
    }

    /// The last choices with this one among them.
    pub fn remembered(&self, recent: &[String]) -> Vec<String> {
        let id = self.id();
        let others = recent.iter().filter(|other| Some(*other) != id.as_ref()).cloned();
        id.iter().cloned().chain(others).take(MOST_RECENT).collect()
    }
}

/// What fits best stands first; what fits as well, in the order of the rail.
///
/// Without a text the last choices do, and then all that is no namespace and no object. Two words are a kind and a
/// namespace, `deploy kube-system`, and what follows a slash is a query: `pods /text`.
pub fn candidates(typed: &str, sources: Sources<'_>) -> Vec<Candidate> {
    let typed = typed.trim_start().trim_start_matches(':').trim_start();
    if typed.is_empty() {
        return at_rest(sources);
    }
    if typed.get(..KINDS.len()).is_some_and(|start| start.eq_ignore_ascii_case(KINDS)) {
        return across(typed.trim_end(), sources);
    }
    let mut found = match typed.split_once(char::is_whitespace) {
        Some((kind, rest)) => views(kind, rest.trim(), sources),
        None => Vec::new(),
    };
    let typed = typed.trim_end();
    let mut ranked = Ranked::default();
    let mut offer = |rank: Option<Rank>, candidate: &mut dyn FnMut() -> Candidate| {
        if let Some(rank) = rank {
            ranked.push(rank, candidate());
        }
    };
    kinds(sources).for_each(|entry| offer(rank_of(typed, entry), &mut || of_kind(entry)));
    pages().into_iter().chain(actions()).for_each(|it| offer(Rank::of(typed, &it.title), &mut || it.clone()));
    each_namespace(typed, sources, &mut |rank, scope| offer(Some(rank), &mut || of_namespace(scope.clone())));
    each_object(typed, sources.objects, &mut |rank, object| offer(Some(rank), &mut || object.clone()));
    for candidate in ranked.into_all() {
        if !found.iter().any(|other: &Candidate| other.choice == candidate.choice) {
            found.push(candidate);
        }
    }
    found
}

fn at_rest(sources: Sources<'_>) -> Vec<Candidate> {
    let mut others = pages();
    others.extend(kinds(sources).map(of_kind));
    others.extend(actions());
    let mut found = Vec::new();
    for id in sources.recent {
        if let Some(at) = others.iter().position(|it| it.choice.id().as_ref() == Some(id)) {
            found.push(others.remove(at));
        } else if id == ALL {
            found.push(of_namespace(Scope::All));
        } else if let Some(name) =
            id.strip_prefix("namespace ").filter(|name| sources.namespaces.iter().any(|it| it == name))
        {
            found.push(of_namespace(Scope::One(name.into())));
        }
    }
    found.extend(others);
    found
}

/// The query across kinds that is being written, and what its last name may become.
fn across(typed: &str, sources: Sources<'_>) -> Vec<Candidate> {
    let view = |title: String, query: String| Candidate {
        choice: Choice::View { page: ACROSS.0.into(), scope: Scope::AsItIs, query },
        title,
        detail: ACROSS.1.into(),
        key: "",
    };
    let mut found = vec![view(typed.into(), typed.into())];
    let Some(at) = typed.rfind([':', ',']).filter(|_| !typed.contains(char::is_whitespace)) else { return found };
    let (before, last) = typed.split_at(at + 1);
    let mut ranked = Ranked::default();
    for entry in kinds(sources) {
        if let Some(rank) = rank_of(last, entry).filter(|rank| *rank <= Rank::WordStart) {
            ranked.push(rank, entry);
        }
    }
    let others = ranked.into_all().take(MOST).map(|entry| {
        let query = [before, &entry.page()].concat();
        view([&entry.title, " · ", &query].concat(), query)
    });
    found.extend(others);
    found
}

/// Kinds that are meant for sure, each in the namespaces that the rest may mean, with the query behind its slash.
fn views(kind: &str, rest: &str, sources: Sources<'_>) -> Vec<Candidate> {
    let mut ranked = Ranked::default();
    for entry in kinds(sources) {
        if let Some(rank) = rank_of(kind, entry).filter(|rank| *rank <= Rank::Prefix) {
            ranked.push(rank, entry);
        }
    }
    let (namespace, query) = match rest.find('/').filter(|at| *at == 0 || rest[..*at].ends_with(' ')) {
        // An expression is written with both of its slashes.
        Some(at) if rest.len() > at + 1 && rest.ends_with('/') => (&rest[..at], &rest[at..]),
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, ""),
    };
    let namespace = namespace.trim();
    let mut found = Vec::new();
    for entry in ranked.into_best() {
        let scopes = match namespace {
            "" => vec![Scope::AsItIs],
            _ if !entry.is_namespaced => continue,
            _ => scopes(namespace, sources),
        };
        found.extend(scopes.into_iter().map(|scope| of_view(entry, scope, query)));
    }
    found
}

/// The namespaces that are meant by a word; one that nobody has told of too, as it may be there all the same.
fn scopes(typed: &str, sources: Sources<'_>) -> Vec<Scope> {
    let mut ranked = Ranked::default();
    each_namespace(typed, sources, &mut |rank, scope| ranked.push(rank, scope));
    let is_known = ranked.up_to(Rank::Exact) > 0;
    let mut scopes: Vec<_> = ranked.into_all().collect();
    let can_be_one = typed.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_known && can_be_one {
        scopes.push(Scope::One(typed.into()));
    }
    scopes
}

fn each_namespace(typed: &str, sources: Sources<'_>, call: &mut dyn FnMut(Rank, Scope)) {
    if let Some(rank) = Rank::best(typed, ["all", "all namespaces", "*"]) {
        call(rank, Scope::All);
    }
    let mut left = MOST;
    for name in sources.namespaces {
        if let Some(rank) = Rank::of(typed, name).filter(|_| left > 0) {
            left -= 1;
            call(rank, Scope::One(name.clone()));
        }
    }
}

fn each_object(typed: &str, each: EachObject<'_>, call: &mut dyn FnMut(Rank, Candidate)) {
    if typed.len() < LEAST_LETTERS {
        return;
    }
    let mut ranked = Ranked::default();
    each(&mut |object| {
        // What fits worse than enough others is not kept.
        if let Some(rank) = Rank::of(typed, object.name).filter(|rank| ranked.up_to(*rank) < MOST_OBJECTS) {
            ranked.push(rank, (rank, of_object(object)));
        }
    });
    ranked.into_all().take(MOST_OBJECTS).for_each(|(rank, object)| call(rank, object));
}

fn kinds(sources: Sources<'_>) -> impl Iterator<Item = &CatalogEntry> {
    sources.catalog.into_iter().flat_map(Catalog::entries)
}

/// A kind is known by its names; its group names all kinds of it, and never one of them for sure.
fn rank_of(typed: &str, entry: &CatalogEntry) -> Option<Rank> {
    let CatalogEntry { resource, kind, title, singular, short_names, .. } = entry;
    let page = entry.page();
    let names = [&page, &resource.resource, singular, kind, title].into_iter().chain(short_names);
    let by_name = Rank::best(typed, names.map(String::as_str));
    let by_group = Rank::of(typed, &resource.group).map(|rank| rank.max(Rank::WordStart));
    by_name.into_iter().chain(by_group).min()
}

fn of_kind(entry: &CatalogEntry) -> Candidate {
    of_view(entry, Scope::AsItIs, "")
}

fn of_view(entry: &CatalogEntry, scope: Scope, query: &str) -> Candidate {
    let mut title = entry.title.clone();
    match &scope {
        Scope::AsItIs => {}
        Scope::All => title.push_str(" in all namespaces"),
        Scope::One(name) => title = format!("{title} in {name}"),
    }
    if !query.is_empty() {
        title = format!("{title} with {query}");
    }
    let parts = entry.short_names.iter().chain([&entry.resource.group]).filter(|part| !part.is_empty());
    let detail = parts.cloned().collect::<Vec<_>>().join(" · ");
    Candidate { choice: Choice::View { page: entry.page(), scope, query: query.into() }, title, detail, key: "" }
}

fn of_namespace(scope: Scope) -> Candidate {
    let (title, detail) = match &scope {
        Scope::One(name) => (name.clone(), "namespace"),
        _ => ("All namespaces".into(), ""),
    };
    Candidate { choice: Choice::Namespaces(scope), title, detail: detail.into(), key: "" }
}

fn of_object(object: NamedObject<'_>) -> Candidate {
    let NamedObject { page, noun, namespace, name } = object;
    let detail = if namespace.is_empty() { noun.to_owned() } else { format!("{noun} in {namespace}") };
    let choice = Choice::Object { page: page.into(), namespace: namespace.into(), name: name.into() };
    Candidate { choice, title: name.into(), detail, key: "" }
}

fn pages() -> Vec<Candidate> {
    let page = |(page, title): &(&str, &str)| Candidate {
        choice: Choice::page(page),
        title: (*title).into(),
        detail: "page".into(),
        key: "",
    };
    PAGES.iter().chain([&ACROSS]).map(page).collect()
}

fn actions() -> Vec<Candidate> {
    let action = |(action, _, title, key): (Action, &str, &str, &'static str)| Candidate {
        choice: Choice::Action(action),
        title: title.into(),
        detail: "action".into(),
        key,
    };
    ACTIONS.into_iter().map(action).collect()
}
