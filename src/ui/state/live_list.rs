use std::rc::Rc;

use leptos::prelude::*;

use super::redraw::Redraw;
use super::{Link, Session};
use crate::api::{ListOptions, Object};
use crate::cache::{
    Connection, FactoryOptions, InformerLease, ObserverGuard, Registration, ResourceEventHandlerFuncs,
    SharedInformerFactory,
};
use crate::view::object::Scope;

/// The objects of a list with selectors, kept up to date by an informer of their own for as long as the caller's owner
/// lives. A handle.
#[derive(Clone, Copy)]
pub(crate) struct LiveList {
    inner: StoredValue<Inner, LocalStorage>,
    revision: RwSignal<u64>,
    link: RwSignal<Link>,
}

struct Inner {
    informer: InformerLease,
    /// A lease does not keep its factory, whose end is the informer's.
    _owned: (SharedInformerFactory, Option<Registration>, ObserverGuard),
}

impl LiveList {
    /// Lists and watches from now on.
    pub(crate) fn new(session: Session, scope: &Scope) -> Self {
        let Scope { resource, namespace, label_selector, field_selector, is_metadata } = scope.clone();
        let tweak = move |options: &mut ListOptions| {
            label_selector.clone_into(&mut options.label_selector);
            field_selector.clone_into(&mut options.field_selector);
        };
        let tweak_list_options = Some(Rc::new(tweak) as Rc<dyn Fn(&mut ListOptions)>);
        let options = FactoryOptions { namespace, tweak_list_options, ..FactoryOptions::default() };
        let runtime = session.runtime();
        let source = session.source(is_metadata);
        let factory = SharedInformerFactory::with_options(runtime.clone(), source, options);
        let informer = factory.lease(&resource);
        let (revision, link) = (RwSignal::new(0), RwSignal::new(Link::default()));
        let redraw = Redraw::new(revision);
        let (added, updated, deleted) = (redraw.clone(), redraw.clone(), redraw);
        let handler = ResourceEventHandlerFuncs::new()
            .on_add(move |_, _| added.in_next_frame())
            .on_update(move |_, _| updated.in_next_frame())
            .on_delete(move |_| deleted.in_next_frame());
        // Only a stopped informer refuses.
        let registration = informer.add_event_handler(Rc::new(handler)).ok();
        link.update(|link| link.follow(&informer.connection(), runtime.clock.wall()));
        let guard = informer.on_connection(Rc::new(move |connection: &Connection| {
            link.try_update(|link| link.follow(connection, runtime.clock.wall()));
        }));
        let inner = Inner { informer, _owned: (factory, registration, guard) };
        Self { inner: StoredValue::new_local(inner), revision, link }
    }

    /// Reads all of them, and again after each change when called where signals are followed.
    pub(crate) fn objects(&self) -> Vec<Object> {
        self.revision.track();
        self.link.track();
        self.inner.with_value(|inner| inner.informer.indexer().list())
    }

    pub(crate) fn link(&self) -> Signal<Link> {
        self.link.into()
    }

    /// Ends the wait before the next try.
    pub(crate) fn retry_now(&self) {
        self.inner.with_value(|inner| inner.informer.retry_now());
    }
}
