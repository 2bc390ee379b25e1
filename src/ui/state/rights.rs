use std::rc::Rc;
use std::time::Duration;

use event_listener::{Event, EventListener};
use futures::future::{FutureExt as _, LocalBoxFuture, Shared};
use leptos::prelude::*;

use super::Session;
use crate::api::{GroupVersionResource, Object};
use crate::rest::RestClient;
use crate::runtime::{Method, Moment, Request, Task};
use crate::view::{AccessQuestion, Rules};

/// How long an answer is believed.
const FRESH: Duration = Duration::from_secs(180);

/// How long the rules of a namespace are believed; the tables that miss namespaces ask as often.
pub(super) const RULES_FRESH: Duration = Duration::from_secs(60);

/// What the user may do, as the server says. Each question is asked once for some minutes. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Rights {
    session: Session,
    inner: StoredValue<Inner, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    answers: Vec<Answer>,
    rules: Vec<(String, Moment, AskedRules)>,
    forgotten: Rc<Event>,
}

struct Answer {
    question: AccessQuestion,
    is_allowed: ArcRwSignal<Option<bool>>,
    asked: Moment,
    /// It is asked again when somebody wants to know it the next time.
    is_old: bool,
    _asking: Task,
}

/// None when the server did not tell.
type AskedRules = Shared<LocalBoxFuture<'static, Option<Rc<Rules>>>>;

impl Rights {
    pub(crate) fn new(session: Session) -> Self {
        Self { session, inner: StoredValue::new_local(Inner::default()) }
    }

    /// Whether the user may do this, for buttons that are greyed where not; none while that is not known, and where the
    /// server does not say: then a try shows it. `namespace` is none for the whole cluster and its own objects.
    pub(crate) fn can(
        &self,
        verb: &str,
        resource: &GroupVersionResource,
        namespace: Option<&str>,
    ) -> Signal<Option<bool>> {
        self.answer(AccessQuestion::new(verb, resource, namespace))
    }

    /// As [`can`](Self::can), of any question: of a subresource too.
    pub(crate) fn answer(&self, question: AccessQuestion) -> Signal<Option<bool>> {
        let now = self.session.runtime().clock.now();
        let known = self.inner.try_update_value(|inner| {
            let at = inner.answers.iter().position(|it| it.question == question)?;
            let answer = &inner.answers[at];
            if !answer.is_old && now.since(answer.asked) < FRESH {
                return Some((answer.is_allowed.clone(), true));
            }
            // Who shows the old answer is told of the new one.
            Some((inner.answers.swap_remove(at).is_allowed, false))
        });
        let (is_allowed, is_fresh) = known.flatten().unwrap_or_else(|| (ArcRwSignal::new(None), false));
        if !is_fresh {
            let (rights, told, asked) = (*self, is_allowed.clone(), question.clone());
            let asking = self.session.runtime().spawn(async move {
                let answer = rights.ask(&asked).await;
                if told.get_untracked() != answer {
                    told.set(answer);
                }
            });
            let answer =
                Answer { question, is_allowed: is_allowed.clone(), asked: now, is_old: false, _asking: asking };
            self.inner.try_update_value(|inner| inner.answers.push(answer));
        }
        is_allowed.into()
    }

    /// Whether the user may list a kind in a namespace; none when the server does not say.
    pub(crate) async fn may_list(self, namespace: String, resource: GroupVersionResource) -> Option<bool> {
        let rules = self.rules(&namespace)?.await;
        match rules.and_then(|rules| rules.allow("list", &resource)) {
            // What is no rule may be a right all the same.
            None => self.ask(&AccessQuestion::new("list", &resource, Some(&namespace))).await,
            known => known,
        }
    }

    /// Nothing that was answered is believed any more: rights may have changed.
    pub(super) fn forget(&self) {
        let forgotten = self.inner.try_update_value(|inner| {
            inner.rules.clear();
            inner.answers.iter_mut().for_each(|answer| answer.is_old = true);
            Rc::clone(&inner.forgotten)
        });
        if let Some(event) = forgotten {
            event.notify(usize::MAX);
        }
    }

    /// Ends when the answers are forgotten.
    pub(super) fn forgotten(&self) -> EventListener {
        self.inner.with_value(|inner| inner.forgotten.listen())
    }

    /// One question for all who want to know; none when the page is gone.
    fn rules(&self, namespace: &str) -> Option<AskedRules> {
        let (now, client) = (self.session.runtime().clock.now(), self.session.client());
        self.inner.try_update_value(|inner| {
            inner.rules.retain(|(_, asked, _)| now.since(*asked) < RULES_FRESH);
            if let Some((.., rules)) = inner.rules.iter().find(|(it, ..)| it == namespace) {
                return rules.clone();
            }
            let review = Rules::review(namespace);
            let asking = async move {
                let answer = ask(&client, Rules::PATH, review).await;
                answer.map(|review| Rc::new(Rules::of(review)))
            };
            let rules = asking.boxed_local().shared();
            inner.rules.push((namespace.to_owned(), now, rules.clone()));
            rules
        })
    }

    async fn ask(self, question: &AccessQuestion) -> Option<bool> {
        let answer = ask(&self.session.client(), AccessQuestion::PATH, question.review()).await;
        AccessQuestion::answer(&answer?)
    }
}

/// What the server says of a review; none when it does not.
async fn ask(client: &RestClient, path: &str, review: String) -> Option<Object> {
    let request = Request { method: Method::Post, body: Some(review.into()), ..Request::get(path) };
    let json = "application/json";
    let answer = client.raw(request.with_header("accept", json).with_header("content-type", json)).await.ok()?;
    serde_json::from_slice(&answer.body).ok()
}
