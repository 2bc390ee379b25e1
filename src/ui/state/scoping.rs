use std::rc::{Rc, Weak};

use futures::StreamExt as _;
use futures::future::select;
use futures::stream;
use leptos::prelude::*;

use super::rights::RULES_FRESH;
use super::sources::Sources;
use super::{Namespaces, Rights, Session};
use crate::api::GroupVersionResource;
use crate::runtime::{Runtime, Task};

/// More namespaces are not asked for one by one.
const MOST_PARTS: usize = 100;

/// So many questions are under way at once.
const AT_ONCE: usize = 4;

/// Has a table ask for namespaces one by one while all at once are refused: for the chosen ones, or for those that are
/// known. What is refused is asked again every minute.
pub(super) fn follow_scope(session: Session, sources: &Rc<Sources>, rights: Rights, namespaces: Namespaces) {
    let (sources, scope) = (Rc::downgrade(sources), sources.scope);
    let is_refused = Memo::new(move |_| scope.with(|scope| scope.refusal.is_some()));
    let asking = StoredValue::new_local(None::<Task>);
    Effect::new(move |was_refused: Option<bool>| {
        let is_refused = is_refused.get();
        asking.set_value(None);
        let Some(parts) = sources.upgrade().filter(|_| is_refused || was_refused == Some(true)) else {
            return is_refused;
        };
        if !is_refused {
            parts.keep_only(&[], 0);
        } else if let Some(mut wanted) = namespaces.wanted() {
            let unasked = wanted.len().saturating_sub(MOST_PARTS);
            wanted.truncate(MOST_PARTS);
            parts.keep_only(&wanted, unasked);
            let ask = ask(session.runtime(), Weak::clone(&sources), rights, wanted, parts.resource());
            asking.set_value(Some(session.runtime().spawn(ask)));
        }
        is_refused
    });
}

/// Asks which of the namespaces may be listed, again and again.
async fn ask(
    runtime: Runtime,
    sources: Weak<Sources>,
    rights: Rights,
    namespaces: Vec<String>,
    resource: GroupVersionResource,
) {
    loop {
        let forgotten = rights.forgotten();
        let questions = namespaces.iter().map(|namespace| {
            let answer = rights.may_list(namespace.clone(), resource.clone());
            async move { (namespace, answer.await) }
        });
        let mut answers = stream::iter(questions).buffer_unordered(AT_ONCE);
        while let Some((namespace, may_list)) = answers.next().await {
            let Some(sources) = sources.upgrade() else { return };
            // Where nobody can say it, a try shows it.
            sources.put(namespace, may_list != Some(false));
        }
        if let Some(sources) = sources.upgrade() {
            sources.set_asking(false);
        }
        select(runtime.sleep(RULES_FRESH), forgotten).await;
    }
}
