use leptos::prelude::*;

use super::tables::LINGER;
use super::{LiveSurvey, Session};
use crate::runtime::Task;
use crate::view::overview::Topic;

/// The surveys that are kept up to date: those in use, and for a while those that were. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Surveys {
    session: Session,
    owner: StoredValue<Owner, LocalStorage>,
    open: StoredValue<Vec<Open>, LocalStorage>,
}

struct Open {
    survey: LiveSurvey,
    users: usize,
    /// Closes it, unless somebody uses it before.
    closing: Option<Task>,
}

impl Surveys {
    /// Without a survey yet. What it makes lives as long as the caller's owner, or less.
    pub(crate) fn new(session: Session) -> Self {
        let owner = StoredValue::new_local(Owner::current().unwrap_or_default());
        Self { session, owner, open: StoredValue::new_local(Vec::new()) }
    }

    /// The survey of these topics, for as long as the caller's owner lives.
    pub(crate) fn use_survey(&self, topics: &'static [Topic]) -> LiveSurvey {
        let known = self.change(topics, |open| {
            open.users += 1;
            open.closing = None;
            open.survey
        });
        let survey = known.unwrap_or_else(|| {
            let survey = self.owner.with_value(|owner| owner.with(|| LiveSurvey::new(self.session, topics)));
            self.open.update_value(|all| all.push(Open { survey, users: 1, closing: None }));
            survey
        });
        let this = *self;
        on_cleanup(move || this.release(topics));
        survey
    }

    /// Ends the waits of all before their next tries.
    pub(crate) fn retry_now(&self) {
        let all: Vec<_> = self.open.with_value(|all| all.iter().map(|open| open.survey).collect());
        all.iter().for_each(LiveSurvey::retry_now);
    }

    fn release(&self, topics: &'static [Topic]) {
        let this = *self;
        self.change(topics, |open| {
            open.users -= 1;
            if open.users == 0 {
                let runtime = this.session.runtime();
                open.closing = Some(runtime.clone().spawn(async move {
                    runtime.sleep(LINGER).await;
                    this.close(topics);
                }));
            }
        });
    }

    fn close(&self, topics: &'static [Topic]) {
        let closed = self.open.try_update_value(|all| {
            let at = all.iter().position(|open| std::ptr::eq(open.survey.topics(), topics) && open.users == 0)?;
            Some(all.swap_remove(at))
        });
        if let Some(Open { survey, closing, .. }) = closed.flatten() {
            survey.close();
            // This is what runs; it is at its end.
            drop(closing);
        }
    }

    fn change<R>(&self, topics: &'static [Topic], change: impl FnOnce(&mut Open) -> R) -> Option<R> {
        // The page itself is gone when there is nothing to update.
        let changed = self
            .open
            .try_update_value(|all| all.iter_mut().find(|open| std::ptr::eq(open.survey.topics(), topics)).map(change));
        changed.flatten()
    }
}
