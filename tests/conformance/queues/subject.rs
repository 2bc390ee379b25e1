use std::any::Any;
use std::rc::Rc;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::Object;
use watchglass::cache::{
    DeltaFifo, DeltaFifoOptions, Fifo, KeyFunc, KnownObjects, Queue, RealFifo, RealFifoOptions, ReflectorStore,
    TransformFunc, meta_namespace_key_func,
};

use super::Known;

/// A queue under test. `Fifo` hands out objects instead of changes, and has no transformer and no known objects.
#[derive(Clone)]
pub(super) enum Subject {
    Queue(&'static str, Rc<dyn Queue>),
    Fifo(Rc<Fifo>),
}

/// What was handed out; dropping it says that it was processed.
pub(super) struct Taken {
    pub(super) newest: Option<Object>,
    pub(super) is_in_initial_list: bool,
    _guard: Box<dyn Any>,
}

impl Subject {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Queue(name, _) => name,
            Self::Fifo(_) => "Fifo",
        }
    }

    pub(super) fn store(&self) -> &dyn ReflectorStore {
        match self {
            Self::Queue(_, queue) => &**queue as &dyn ReflectorStore,
            Self::Fifo(fifo) => &**fifo,
        }
    }

    pub(super) async fn take(&self) -> Option<Taken> {
        match self {
            Self::Queue(_, queue) => queue.pop().await.map(|popped| Taken {
                newest: popped.deltas.last().and_then(|last| last.delta.object().cloned()),
                is_in_initial_list: popped.is_in_initial_list,
                _guard: Box::new(popped),
            }),
            Self::Fifo(fifo) => fifo.pop().await.map(|item| Taken {
                newest: Some(item.object.clone()),
                is_in_initial_list: item.is_in_initial_list,
                _guard: Box::new(item),
            }),
        }
    }

    /// None while it waits.
    pub(super) fn try_take(&self) -> Option<Option<Taken>> {
        self.take().now_or_never()
    }

    pub(super) fn has_synced(&self) -> bool {
        match self {
            Self::Queue(_, queue) => queue.has_synced(),
            Self::Fifo(fifo) => fifo.has_synced(),
        }
    }

    pub(super) fn synced(&self) -> LocalBoxFuture<'static, ()> {
        match self {
            Self::Queue(_, queue) => queue.synced(),
            Self::Fifo(fifo) => fifo.synced().boxed_local(),
        }
    }

    pub(super) fn close(&self) {
        match self {
            Self::Queue(_, queue) => queue.close(),
            Self::Fifo(fifo) => fifo.close(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Queue(_, queue) => queue.len(),
            Self::Fifo(fifo) => fifo.len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Queue(_, queue) => queue.is_empty(),
            Self::Fifo(fifo) => fifo.is_empty(),
        }
    }
}

/// DeltaFIFO, both kinds of RealFIFO.
pub(super) fn queues(
    known: &Rc<Known>,
    key_func: &KeyFunc,
    transformer: Option<&TransformFunc>,
) -> [(&'static str, Rc<dyn Queue>); 3] {
    let known_objects = || Rc::clone(known) as Rc<dyn KnownObjects>;
    let delta = DeltaFifoOptions {
        key_func: Rc::clone(key_func),
        known_objects: Some(known_objects()),
        transformer: transformer.cloned(),
        ..DeltaFifoOptions::default()
    };
    let real = RealFifoOptions {
        key_func: Rc::clone(key_func),
        transformer: transformer.cloned(),
        ..RealFifoOptions::default()
    };
    [
        ("DeltaFifo", Rc::new(DeltaFifo::new(delta))),
        ("plain RealFifo", Rc::new(RealFifo::plain(known_objects(), real.clone()))),
        ("atomic RealFifo", Rc::new(RealFifo::atomic(real))),
    ]
}

pub(super) fn subjects_with(key_func: &KeyFunc) -> Vec<Subject> {
    let queues = queues(&Known::of(&[]), key_func, None).into_iter().map(|(name, queue)| Subject::Queue(name, queue));
    queues.chain([Subject::Fifo(Rc::new(Fifo::new(Rc::clone(key_func))))]).collect()
}

pub(super) fn subjects() -> Vec<Subject> {
    subjects_with(&meta_namespace_key_func())
}
