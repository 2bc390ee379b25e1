use std::time::Duration;

use leptos::prelude::*;

/// How long a notice that needs no answer stands.
const STANDS: Duration = Duration::from_secs(3);

/// One line at the bottom right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) id: u32,
    pub(crate) text: String,
    /// Stands until it is dismissed.
    pub(crate) is_error: bool,
}

/// What just happened. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Notices {
    list: RwSignal<Vec<Notice>>,
}

impl Notices {
    pub(crate) fn new() -> Self {
        Self { list: RwSignal::new(Vec::new()) }
    }

    pub(crate) fn list(&self) -> Signal<Vec<Notice>> {
        self.list.into()
    }

    pub(crate) fn tell(&self, text: impl Into<String>) {
        let id = self.add(text.into(), false);
        let notices = *self;
        set_timeout(move || notices.dismiss(id), STANDS);
    }

    pub(crate) fn fail(&self, text: impl Into<String>) {
        self.add(text.into(), true);
    }

    /// Stands until it is dismissed or [changed](Self::change): work that goes on.
    pub(crate) fn hold(&self, text: impl Into<String>) -> u32 {
        self.add(text.into(), false)
    }

    /// Gives a notice another text.
    pub(crate) fn change(&self, id: u32, text: String) {
        self.list
            .update(|list| list.iter_mut().filter(|notice| notice.id == id).for_each(|it| it.text.clone_from(&text)));
    }

    pub(crate) fn dismiss(&self, id: u32) {
        self.list.update(|list| list.retain(|notice| notice.id != id));
    }

    fn add(&self, text: String, is_error: bool) -> u32 {
        let id = self.list.with_untracked(|list| list.last().map_or(0, |last| last.id + 1));
        self.list.update(|list| {
            // The same once more takes the place of the old one.
            list.retain(|notice| notice.text != text);
            list.push(Notice { id, text, is_error });
        });
        id
    }
}
