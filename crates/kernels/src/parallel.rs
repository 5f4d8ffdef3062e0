//! Sharing work out among threads.
//!
//! A large kernel is cut into parts that do not depend on each other. How many threads there are changes nothing but the time: parts
//! are cut by what is computed, and no result depends on who computed which part.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

static LIMIT: AtomicUsize = AtomicUsize::new(0);
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Bounds the threads that kernels use. Takes effect before the first large kernel; 0 stands for as many as the machine has.
pub fn set_threads(threads: usize) {
    LIMIT.store(threads, Ordering::Relaxed);
}

fn pool() -> Option<&'static ThreadPool> {
    let made = POOL.get_or_init(|| {
        let limit = LIMIT.load(Ordering::Relaxed);
        let machine = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if limit == 0 {
            machine
        } else {
            limit.min(machine)
        };
        let name = |index| format!("millpond-kernel-{index}");
        // Without threads the caller does all of it.
        (threads > 1)
            .then(|| {
                ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .thread_name(name)
                    .build()
                    .ok()
            })
            .flatten()
    });
    made.as_ref()
}

/// Runs `each` for parts of `0..count`, on several threads if there is enough to do: parts have at least `least` members.
#[inline]
pub fn ranges(count: usize, least: usize, each: impl Fn(Range<usize>) + Sync) {
    share(count, least, &each);
}

// Not generic: one of it for all kernels, and what runs it is large.
fn share(count: usize, least: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
    let least = least.max(1);
    if count < 2 * least {
        if count > 0 {
            each(0..count);
        }
        return;
    }
    let Some(pool) = pool() else {
        return each(0..count);
    };
    // A few parts for each thread, so that one that is interrupted does not hold up the others for long.
    let parts = (pool.current_num_threads() * 4).min(count / least);
    let size = count.div_ceil(parts);
    pool.install(|| {
        (0..parts).into_par_iter().for_each(|part| {
            let begin = part * size;
            let end = count.min(begin + size);
            if begin < end {
                each(begin..end);
            }
        });
    });
}
