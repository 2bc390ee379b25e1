use std::cell::RefCell;
use std::rc::Rc;

use super::origin::Listeners;
use super::pace::Pace;
use super::redraw::Redraw;
use super::sources::Sources;
use crate::api::Object;
use crate::cache::{Connection, ObserverGuard, Phase, SharedInformer, meta_namespace_key};
use crate::view::TableModel;

/// Tells the sources how the informer for all stands, not more often than somebody could read it.
pub(super) fn follow_connection(
    sources: &Rc<Sources>,
    model: &Rc<RefCell<TableModel>>,
    listeners: &Rc<Listeners>,
    pace: &Rc<Pace>,
    redraw: &Redraw,
) -> ObserverGuard {
    sources.follow_whole(&sources.whole().connection());
    let (sources, model, pace, redraw) = (Rc::clone(sources), Rc::clone(model), Rc::clone(pace), redraw.clone());
    let listeners = Rc::clone(listeners);
    let informer = sources.whole().clone();
    informer.on_connection(Rc::new(move |connection: &Connection| {
        if matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
            if pace.is_due(model.borrow().total()) {
                sources.follow_whole(connection);
            }
            return;
        }
        let is_settled = settle_preview(&model, sources.whole(), connection);
        if is_settled {
            listeners.each(|listener| listener.look_again(Vec::new()));
        }
        if is_settled || pace.has_unseen() {
            redraw.now();
        }
        sources.follow_whole(connection);
    }))
}

/// Shows what has come of the first list.
pub(super) fn preview(
    sources: &Rc<Sources>,
    model: &Rc<RefCell<TableModel>>,
    listeners: &Rc<Listeners>,
    pace: &Rc<Pace>,
    redraw: &Redraw,
) -> ObserverGuard {
    let (model, pace, redraw) = (Rc::clone(model), Rc::clone(pace), redraw.clone());
    let listeners = Rc::clone(listeners);
    sources.whole().on_first_list(Rc::new(move |objects: &[Object]| {
        for object in objects {
            model.borrow_mut().preview(object);
        }
        listeners.each(|listener| objects.iter().for_each(|object| listener.tell(&meta_namespace_key(object))));
        if pace.shows() {
            redraw.in_next_frame();
        }
    }))
}

/// Takes previewed rows away that the whole list does not hold, or all when it failed; tells whether there were any.
fn settle_preview(model: &RefCell<TableModel>, informer: &SharedInformer, connection: &Connection) -> bool {
    let mut model = model.borrow_mut();
    if !model.has_preview() {
        return false;
    }
    if connection.synced {
        let indexer = informer.indexer();
        return model.has_more_than(indexer.len()) && model.keep_of_preview(|key| indexer.get_by_key(key).is_some());
    }
    matches!(connection.phase, Phase::Reconnecting { .. } | Phase::Stopped) && model.keep_of_preview(|_| false)
}
