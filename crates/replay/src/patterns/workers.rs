//! Four equal streams in a ring: each makes a block, hands it to the next with an event, and the
//! next one uses and frees it.
//!
//! A block is freed on another stream than it was allocated on. That stream can reuse it at once; an
//! allocator that gives it back to where it came from has to wait until it sees the use pass.

use super::{Builder, KIB, MIB, Numbers};
use crate::trace::Trace;

const WORKERS: u32 = 4;
const ROUNDS: usize = 80;

pub(super) fn trace(ahead: u64) -> Trace {
    let mut sizes = Numbers::new(23);
    let mut run = Builder::new(format!("workers-ahead-{ahead}"), WORKERS, ahead);
    let state: Vec<u32> = (0..WORKERS).map(|it| run.alloc(it, 32 * MIB)).collect();
    for _ in 0..ROUNDS {
        run.layer();
        let handed: Vec<(u32, u32)> = (0..WORKERS)
            .map(|worker| {
                run.temporary(worker, sizes.between(1, 16) * 512 * KIB);
                let block = run.alloc(worker, sizes.between(12, 20) * MIB);
                (block, run.record(worker))
            })
            .collect();
        for (worker, (block, made)) in (0..WORKERS).zip(handed) {
            let next = (worker + 1) % WORKERS;
            run.wait(made, next);
            run.record_use(block, next);
            run.temporary(next, sizes.between(1, 8) * 256 * KIB);
            run.free(block, next);
        }
    }
    run.synchronize();
    for (worker, block) in (0..WORKERS).zip(state) {
        run.free(block, worker);
    }
    run.finish()
}
