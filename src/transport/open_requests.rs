//! Notes which requests go on, and how. It sends nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::StreamExt as _;

use crate::runtime::{Body, OpenRequest, Request, Way};

#[derive(Default)]
pub(super) struct OpenRequests {
    all: RefCell<Vec<(u64, OpenRequest)>>,
    next_id: Cell<u64>,
}

/// A request is noted for as long as this lives.
pub(super) struct Noted {
    among: Rc<OpenRequests>,
    id: u64,
}

impl OpenRequests {
    pub(super) fn note(self: &Rc<Self>, request: &Request) -> Noted {
        let id = self.next_id.replace(self.next_id.get() + 1);
        let noted = OpenRequest { path: request.path.clone(), traffic: request.traffic, way: Way::Waiting };
        self.all.borrow_mut().push((id, noted));
        Noted { among: Rc::clone(self), id }
    }

    pub(super) fn all(&self) -> Vec<OpenRequest> {
        self.all.borrow().iter().map(|(_, request)| request.clone()).collect()
    }
}

impl Noted {
    pub(super) fn goes_by(&self, way: Way) {
        if let Some((_, request)) = self.among.all.borrow_mut().iter_mut().find(|(id, _)| *id == self.id) {
            request.way = way;
        }
    }

    /// The body, which is noted until it is dropped.
    pub(super) fn with(self, body: Body) -> Body {
        let hold = move |_: &_| {
            let _noted = &self;
        };
        body.inspect(hold).boxed_local()
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.among.all.borrow_mut().retain(|(id, _)| *id != self.id);
    }
}
