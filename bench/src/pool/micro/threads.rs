//! What several threads do in a timed case. The figure is what one operation takes in each of them.
//!
//! Each thread has a core: two that took turns on one would never meet.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crossbeam_channel::bounded;

use super::sizes::sizes;
use super::timed::Timed;
use super::work::{Pair, Work, per};
use crate::affinity::stay_on;

/// Operations of a thread before its clock starts.
const WARM: usize = 1024;

/// Each thread does pairs, on a stream of its own or all on one.
///
/// A thread allocates the blocks that it works among itself: allocators that know threads are at
/// their best then, and so are they in programs.
pub(crate) struct Together<'a, P: Timed> {
    peer: &'a P,
    streams: Vec<u32>,
}

impl<'a, P: Timed> Together<'a, P> {
    /// One thread for each of the streams.
    pub(crate) fn new(peer: &'a P, streams: &[u32]) -> Self {
        Self {
            peer,
            streams: streams.to_vec(),
        }
    }
}

impl<P: Timed> Work for Together<'_, P> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let peer = self.peer;
        let (start, end) = (
            Barrier::new(self.streams.len()),
            Barrier::new(self.streams.len()),
        );
        let one = |number, stream| {
            stay_on(number);
            let mut pair = Pair::new(peer, stream).and_then(|mut pair| {
                pair.sample(WARM)?;
                Ok(pair)
            });
            start.wait();
            let time = match &mut pair {
                Ok(pair) => pair.sample(count),
                Err(error) => Err(error.clone()),
            };
            // Nobody clears away while another is timed.
            end.wait();
            time
        };
        thread::scope(|scope| {
            let one = &one;
            let threads: Vec<_> = self
                .streams
                .iter()
                .enumerate()
                .map(|(number, stream)| scope.spawn(move || one(number, *stream)))
                .collect();
            let mut slowest: f64 = 0.0;
            for thread in threads {
                let time = thread.join().map_err(|_panic| "a timed thread panicked")?;
                slowest = slowest.max(time?);
            }
            Ok(slowest)
        })
    }
}

/// How many blocks are handed over at a time, so that handing over costs little.
const HANDED: usize = 64;

/// How many of these may wait, so that neither thread sleeps for every hiccup of the other.
const QUEUED: usize = 64;

/// One thread allocates, another frees.
pub(crate) struct Across<'a, P: Timed> {
    peer: &'a P,
    sizes: Vec<u64>,
}

impl<'a, P: Timed> Across<'a, P> {
    pub(crate) fn new(peer: &'a P) -> Self {
        Self {
            peer,
            sizes: sizes(256, false),
        }
    }
}

impl<P: Timed> Work for Across<'_, P> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let (peer, sizes) = (self.peer, &self.sizes);
        let batches = count.div_ceil(HANDED);
        let (give, take) = bounded::<Vec<P::Token>>(QUEUED);
        let (give_back, take_back) = bounded::<Vec<P::Token>>(QUEUED);
        let start = Barrier::new(2);
        let allocating = || {
            stay_on(1);
            start.wait();
            for batch in 0..batches {
                let mut tokens = take_back
                    .try_recv()
                    .unwrap_or_else(|_none| Vec::with_capacity(HANDED));
                let sizes = sizes.iter().cycle().skip(batch * HANDED % sizes.len());
                tokens.extend(sizes.take(HANDED).filter_map(|it| peer.alloc(0, *it)));
                if give.send(tokens).is_err() {
                    return;
                }
            }
        };
        let freeing = || {
            stay_on(0);
            start.wait();
            let clock = Instant::now();
            let mut freed = 0;
            for _ in 0..batches {
                let mut tokens = take.recv().map_err(|_gone| "the other thread ended")?;
                freed += tokens.len();
                for token in tokens.drain(..) {
                    peer.free(0, token);
                }
                // When nobody takes it back the other thread makes a new one.
                drop(give_back.try_send(tokens));
            }
            let time = per(clock, batches * HANDED);
            if freed == batches * HANDED {
                Ok(time)
            } else {
                Err("a request was refused".to_owned())
            }
        };
        thread::scope(|scope| {
            scope.spawn(allocating);
            let freeing = scope.spawn(freeing);
            freeing.join().map_err(|_panic| "a timed thread panicked")?
        })
    }
}
