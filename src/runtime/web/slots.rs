use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, FutureExt as _, LocalBoxFuture, select};
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

use crate::runtime::{Runtime, Slot, Slots, Unshared};

/// Slots that all tabs of one origin share, by [Web Locks](https://developer.mozilla.org/docs/Web/API/Web_Locks_API).
///
/// The browser frees those of a tab that is closed or dies. Where there are no locks, as in a page that is neither
/// local nor served over HTTPS, each tab counts for itself.
///
/// Each slot is a lock. Who has waited its turn out and would leave for others holds a second one beside it, which
/// others take away from it to say that they wait: no timer is needed, which a hidden tab would serve late.
#[derive(Clone)]
pub struct WebSlots {
    runtime: Runtime,
    names: Vec<String>,
}

/// How long a tab stays in one slot's queue before it tries the next one: longer than anybody's turn. The holder may
/// be a log, which is not ended for others.
const PATIENCE: Duration = Duration::from_secs(12);

impl WebSlots {
    /// `count` slots, for all tabs that use this name.
    pub fn new(runtime: &Runtime, name: &str, count: usize) -> Self {
        let names = (0..count).map(|number| [name, ".", &number.to_string()].concat()).collect();
        Self { runtime: runtime.clone(), names }
    }

    async fn take_one(&self, locks: &JsValue, waits: bool) -> Result<Option<Box<dyn Slot>>, JsValue> {
        let mut queue = (self.runtime.random.unit() * self.names.len() as f64) as usize;
        loop {
            for name in &self.names {
                if let Some(lock) = Lock::request(locks, name, Ask::IfFree)?.granted().await? {
                    return Ok(Some(slot(lock, name, locks)));
                }
            }
            if !waits {
                return Ok(None);
            }
            let name = &self.names[queue % self.names.len()];
            queue += 1;
            let deadline = self.runtime.now() + PATIENCE;
            let granted = Lock::request(locks, name, Ask::InQueue)?.granted();
            let _says_so = Lock::request(locks, &turn(name), Ask::Away)?;
            if let Some(Some(lock)) = self.runtime.timeout_at(deadline, granted).await.transpose()? {
                return Ok(Some(slot(lock, name, locks)));
            }
        }
    }
}

fn slot(lock: Lock, name: &str, locks: &JsValue) -> Box<dyn Slot> {
    Box::new(WebSlot { _lock: lock, turn: turn(name), locks: locks.clone() })
}

/// The lock beside a slot's.
fn turn(name: &str) -> String {
    [name, ".turn"].concat()
}

impl Slots for WebSlots {
    fn take(&self, waits: bool) -> LocalBoxFuture<'static, Option<Box<dyn Slot>>> {
        let slots = self.clone();
        async move {
            let taken = match locks() {
                Some(locks) if !slots.names.is_empty() => slots.take_one(&locks, waits).await,
                _ => Err(JsValue::UNDEFINED),
            };
            // Refused in a page that may store nothing; it has no other tabs that it could count.
            taken.unwrap_or_else(|_| Some(Box::new(Unshared)))
        }
        .boxed_local()
    }
}

struct WebSlot {
    _lock: Lock,
    turn: String,
    locks: JsValue,
}

impl Slot for WebSlot {
    fn wanted(&self) -> LocalBoxFuture<'static, ()> {
        let (locks, turn) = (self.locks.clone(), self.turn.clone());
        async move {
            match async { Lock::request(&locks, &turn, Ask::IfFree)?.granted().await }.await {
                // Somebody who waits has it.
                Ok(None) => {}
                Ok(Some(turn)) => turn.lost().await,
                Err(_) => std::future::pending().await,
            }
        }
        .boxed_local()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    IfFree,
    InQueue,
    /// From whoever has it.
    Away,
}

/// A lock that is asked for or held. Dropping it gives it back, or gives up waiting.
struct Lock {
    release: Function,
    /// Only what waits can be aborted.
    abort: Option<AbortController>,
    granted: Option<oneshot::Receiver<bool>>,
    request: Option<JsFuture>,
    _on_granted: Closure<dyn FnMut(JsValue) -> JsValue>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(abort) = &self.abort {
            abort.abort();
        }
        let _ = self.release.call0(&JsValue::UNDEFINED);
    }
}

impl Lock {
    fn request(locks: &JsValue, name: &str, ask: Ask) -> Result<Self, JsValue> {
        let mut release = None;
        // The browser takes the lock back when this promise is resolved.
        let held: JsValue = Promise::new(&mut |resolve, _| release = Some(resolve)).into();
        let release = release.ok_or("a promise without a resolver")?;
        let (sender, granted) = oneshot::channel();
        let mut sender = Some(sender);
        let on_granted = Closure::new(move |lock: JsValue| {
            if let Some(sender) = sender.take() {
                let _ = sender.send(!lock.is_null());
            }
            held.clone()
        });
        let options = Object::new();
        let abort = if ask == Ask::InQueue { Some(AbortController::new()?) } else { None };
        match (&abort, ask) {
            (Some(abort), _) => Reflect::set(&options, &"signal".into(), &abort.signal())?,
            (None, Ask::Away) => Reflect::set(&options, &"steal".into(), &JsValue::TRUE)?,
            (None, _) => Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE)?,
        };
        let request: Function = Reflect::get(locks, &"request".into())?.dyn_into()?;
        let request: Promise = request.call3(locks, &name.into(), &options, on_granted.as_ref())?.dyn_into()?;
        // Asked here, so that a rejection is never an unhandled one.
        let request = Some(JsFuture::from(request));
        Ok(Self { release, abort, granted: Some(granted), request, _on_granted: on_granted })
    }

    /// The lock once it is held; none when it is not available.
    async fn granted(mut self) -> Result<Option<Self>, JsValue> {
        let (Some(granted), Some(request)) = (self.granted.take(), self.request.take()) else { return Ok(None) };
        match select(granted, request).await {
            Either::Left((Ok(true), request)) => {
                self.request = Some(request);
                Ok(Some(self))
            }
            Either::Left(_) | Either::Right((Ok(_), _)) => Ok(None),
            Either::Right((Err(error), _)) => Err(error),
        }
    }

    /// Ends when somebody has taken it away.
    async fn lost(mut self) {
        if let Some(request) = self.request.take() {
            // The browser says so by an error; nobody else ends it while it is held.
            let _ = request.await;
        }
    }
}

fn locks() -> Option<JsValue> {
    let locks = Reflect::get(&web_sys::window()?.navigator(), &"locks".into()).ok()?;
    locks.is_object().then_some(locks)
}
