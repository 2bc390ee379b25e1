use std::cell::RefCell;
use std::rc::Rc;

use super::origin::Listeners;
use super::pace::Pace;
use super::redraw::Redraw;
use super::sources::Sources;
use crate::api::Object;
use crate::cache::{Connection, ObserverGuard, Phase, SharedInformer, meta_namespace_key};
use crate::view::TableModel;

/// What of first lists is shown before they are whole.
#[derive(Clone)]
pub(super) struct Preview {
    pub(super) pace: Rc<Pace>,
    pub(super) redraw: Redraw,
    pub(super) listeners: Rc<Listeners>,
}

impl Preview {
    /// Shows what has come of an informer's first list.
    pub(super) fn of(&self, informer: &SharedInformer, model: &Rc<RefCell<TableModel>>) -> ObserverGuard {
        let (model, Self { pace, redraw, listeners }) = (Rc::clone(model), self.clone());
        informer.on_first_list(Rc::new(move |objects: &[Object]| {
            for object in objects {
                model.borrow_mut().preview(object);
            }
            listeners.each(|listener| objects.iter().for_each(|object| listener.tell(&meta_namespace_key(object))));
            if pace.shows() {
                redraw.in_next_frame();
            }
        }))
    }

    /// A list is whole or has failed, which may have taken rows away that were shown of it.
    pub(super) fn settled(&self, has_fewer: bool) {
        if has_fewer {
            self.listeners.each(|listener| listener.look_again(Vec::new()));
        }
        if has_fewer || self.pace.has_unseen() {
            self.redraw.in_next_frame();
        }
    }
}

/// Tells the sources how the informer for all stands, not more often than somebody could read it.
pub(super) fn follow_connection(
    sources: &Rc<Sources>,
    model: &Rc<RefCell<TableModel>>,
    preview: Preview,
) -> ObserverGuard {
    sources.follow_whole(&sources.whole().connection());
    let (sources, model) = (Rc::clone(sources), Rc::clone(model));
    let informer = sources.whole().clone();
    informer.on_connection(Rc::new(move |connection: &Connection| {
        if matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
            if preview.pace.is_due(model.borrow().total()) {
                sources.follow_whole(connection);
            }
            return;
        }
        // Of a list that is refused nothing was shown, and what others show is theirs.
        preview.settled(!sources.is_refused() && settle(&model, sources.whole(), connection));
        sources.follow_whole(connection);
    }))
}

/// Takes previewed rows away that the whole list does not hold, or all when it failed; tells whether there were any.
fn settle(model: &RefCell<TableModel>, informer: &SharedInformer, connection: &Connection) -> bool {
    let mut model = model.borrow_mut();
    if !model.has_preview() {
        return false;
    }
    if connection.synced {
        let indexer = informer.indexer();
        return model.has_more_than(indexer.len()) && model.keep_of_preview(|key| indexer.get_by_key(key).is_some());
    }
    has_failed(connection) && model.keep_of_preview(|_| false)
}

/// The list does not come, or not as it began.
pub(super) const fn has_failed(connection: &Connection) -> bool {
    matches!(connection.phase, Phase::Reconnecting { .. } | Phase::Stopped)
}
