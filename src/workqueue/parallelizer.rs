use std::cell::Cell;

use futures::future::join_all;

use crate::runtime::StopToken;

/// Works on the pieces `0..pieces`, several at a time, each once (client-go: `util/workqueue/parallelizer.go`).
///
/// A worker takes `chunk_size` pieces together, at least one. They are futures on one thread: what they do at the same
/// time is waiting. After a stop no further piece is begun, and those in work are finished; dropping the future ends
/// them too.
///
/// ```
/// use std::cell::Cell;
/// use watchglass::runtime::StopSource;
/// use watchglass::workqueue::parallelize_until;
///
/// let (sum, stop) = (Cell::new(0), StopSource::new());
/// let token = stop.token();
/// let all = parallelize_until(&token, 4, 10, 1, async |piece| sum.set(sum.get() + piece));
/// futures::executor::block_on(all);
/// assert_eq!(sum.get(), 45);
/// ```
pub async fn parallelize_until(
    stop: &StopToken,
    workers: usize,
    pieces: usize,
    chunk_size: usize,
    do_work_piece: impl AsyncFn(usize),
) {
    let (chunk_size, next) = (chunk_size.max(1), Cell::new(0));
    let worker = async || {
        while next.get() < pieces {
            let start = next.get();
            let end = start.saturating_add(chunk_size).min(pieces);
            next.set(end);
            for piece in start..end {
                if stop.is_stopped() {
                    return;
                }
                do_work_piece(piece).await;
            }
        }
    };
    let workers = workers.min(pieces.div_ceil(chunk_size));
    join_all((0..workers).map(|_| worker())).await;
}
