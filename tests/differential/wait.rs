use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::Instant;

/// Ends a test that hangs; it proves nothing.
const HANG: Duration = Duration::from_secs(180);

/// How often conditions are looked at that lie in another process or behind a connection.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Half of what a watch that counts as very short may last, with a margin.
const STALL: Duration = Duration::from_millis(250);

/// Counts how often this thread, with the server on it, stood still because others had the machine.
#[derive(Clone, Default)]
pub struct Stalls(Rc<Cell<usize>>);

impl Stalls {
    /// Counts until it is dropped with all else in the `LocalSet`.
    pub fn start() -> Self {
        let stalls = Self::default();
        let counted = stalls.clone();
        tokio::task::spawn_local(async move {
            loop {
                let begin = Instant::now();
                look_later().await;
                if begin.elapsed() > STALL {
                    counted.0.set(counted.0.get() + 1);
                }
            }
        });
        stalls
    }

    pub fn count(&self) -> usize {
        self.0.get()
    }
}

/// Waits until the condition holds.
///
/// # Errors
/// When it never does.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) -> Result<(), String> {
    let wait = async {
        while !condition() {
            look_later().await;
        }
    };
    tokio::time::timeout(HANG, wait).await.map_err(|_| format!("it never came to be that {what}"))
}

pub async fn look_later() {
    tokio::time::sleep(LOOK_EVERY).await;
}

/// Ends a loop that would go on for ever.
///
/// # Errors
/// When it hangs, by what it was waiting for.
pub async fn or_hang<T>(what: &str, future: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    tokio::time::timeout(HANG, future).await.map_err(|_| format!("it never came to be that {what}"))?
}
