use futures::future::{FutureExt as _, LocalBoxFuture};

/// What the host lets the program do at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostState {
    /// Whether there is a network at all. It says nothing of the API server.
    pub is_online: bool,
    /// Whether the program is about to be stopped without being ended, as a page in a browser's back/forward cache:
    /// its connections should be closed, because nobody would read them.
    pub is_frozen: bool,
    /// Whether anybody can see the page. Timers of a page that nobody sees are late, up to a minute.
    pub is_hidden: bool,
}

impl HostState {
    /// Nothing stands in the way.
    pub const AWAKE: Self = Self { is_online: true, is_frozen: false, is_hidden: false };
}

/// Tells how the host treats the program. Level-triggered: what counts is how it is, not what has happened.
pub trait Host {
    /// How it is now.
    fn state(&self) -> HostState;

    /// Ends as soon as the state is another one than when this was called; a change and its undoing may go unnoticed.
    fn changed(&self) -> LocalBoxFuture<'static, ()>;
}

/// A host that never stands in the way, as a native program's.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlwaysAwake;

impl Host for AlwaysAwake {
    fn state(&self) -> HostState {
        HostState::AWAKE
    }

    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        std::future::pending().boxed_local()
    }
}
