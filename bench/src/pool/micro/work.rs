//! What one thread does in a timed case.

use std::time::Instant;

use super::sizes::sizes;
use super::timed::Timed;
use crate::measure::nanoseconds;
use millpond_replay::patterns::Numbers;

/// Something that is timed, sample by sample.
pub(crate) trait Work {
    /// Nanoseconds per operation over `count` operations or a few more.
    fn sample(&mut self, count: usize) -> Result<f64, String>;
}

pub(super) const REFUSED: &str = "a request was refused";

#[expect(clippy::cast_precision_loss, reason = "samples are short")]
pub(crate) fn per(start: Instant, count: usize) -> f64 {
    nanoseconds(start.elapsed()) / count as f64
}

/// Blocks that are freed at the end.
struct Held<'a, P: Timed> {
    peer: &'a P,
    stream: u32,
    slots: Vec<Option<P::Token>>,
}

impl<P: Timed> Drop for Held<'_, P> {
    fn drop(&mut self) {
        for token in self.slots.drain(..).flatten() {
            self.peer.free(self.stream, token);
        }
    }
}

/// A block, allocated and freed at once, of 256 sizes in turn; among 256 live blocks and 256 holes.
pub(crate) struct Pair<'a, P: Timed> {
    background: Held<'a, P>,
    sizes: Vec<u64>,
}

impl<'a, P: Timed> Pair<'a, P> {
    pub(crate) fn new(peer: &'a P, stream: u32) -> Result<Self, String> {
        let sizes = sizes(256, false);
        let slots = (0..512)
            .map(|number| peer.alloc(stream, sizes[number * 37 % 256]).map(Some))
            .collect::<Option<Vec<_>>>()
            .ok_or(REFUSED)?;
        let mut background = Held {
            peer,
            stream,
            slots,
        };
        for slot in background.slots.iter_mut().step_by(2) {
            if let Some(token) = slot.take() {
                peer.free(stream, token);
            }
        }
        Ok(Self { background, sizes })
    }
}

impl<P: Timed> Work for Pair<'_, P> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let (peer, stream) = (self.background.peer, self.background.stream);
        let rounds = count.div_ceil(self.sizes.len());
        let start = Instant::now();
        for _ in 0..rounds {
            for bytes in &self.sizes {
                let token = peer.alloc(stream, *bytes).ok_or(REFUSED)?;
                peer.free(stream, token);
            }
        }
        Ok(per(start, rounds * self.sizes.len()))
    }
}

/// Random slots of twice as many as are live: one that is full is freed, an empty one filled.
pub(crate) struct Mix<'a, P: Timed> {
    held: Held<'a, P>,
    sizes: Vec<u64>,
    next_size: usize,
    numbers: Numbers,
    /// The slots of a sample, drawn before its clock starts.
    order: Vec<u32>,
}

impl<'a, P: Timed> Mix<'a, P> {
    pub(crate) fn new(peer: &'a P, live: usize, sizes: Vec<u64>) -> Result<Self, String> {
        let mut slots: Vec<Option<P::Token>> = Vec::with_capacity(2 * live);
        for number in 0..live {
            slots.push(Some(
                peer.alloc(0, sizes[number % sizes.len()]).ok_or(REFUSED)?,
            ));
            slots.push(None);
        }
        let held = Held {
            peer,
            stream: 0,
            slots,
        };
        let mut mix = Self {
            held,
            sizes,
            next_size: live,
            numbers: Numbers::new(3),
            order: Vec::new(),
        };
        // Until holes are where they will be, and caches as full.
        mix.sample(32 * live)?;
        Ok(mix)
    }
}

impl<P: Timed> Work for Mix<'_, P> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let slots = self.held.slots.len() as u64;
        let draw = |numbers: &mut Numbers| u32::try_from(numbers.draw() % slots).unwrap_or(0);
        self.order.clear();
        self.order
            .extend((0..count).map(|_| draw(&mut self.numbers)));
        let (peer, mut next) = (self.held.peer, self.next_size);
        let start = Instant::now();
        for slot in &self.order {
            let slot = &mut self.held.slots[*slot as usize];
            if let Some(token) = slot.take() {
                peer.free(0, token);
            } else {
                next = if next + 1 < self.sizes.len() {
                    next + 1
                } else {
                    0
                };
                *slot = Some(peer.alloc(0, self.sizes[next]).ok_or(REFUSED)?);
            }
        }
        let time = per(start, count);
        self.next_size = next;
        Ok(time)
    }
}

/// 256 blocks are allocated and then freed, the newest first or the oldest first.
pub(crate) struct Batch<'a, P: Timed> {
    held: Held<'a, P>,
    sizes: Vec<u64>,
    newest_first: bool,
}

impl<'a, P: Timed> Batch<'a, P> {
    pub(crate) fn new(peer: &'a P, newest_first: bool) -> Self {
        Self {
            held: Held {
                peer,
                stream: 0,
                slots: Vec::with_capacity(256),
            },
            sizes: sizes(256, false),
            newest_first,
        }
    }
}

impl<P: Timed> Work for Batch<'_, P> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let calls = 2 * self.sizes.len();
        let rounds = count.div_ceil(calls);
        let peer = self.held.peer;
        let start = Instant::now();
        for _ in 0..rounds {
            for bytes in &self.sizes {
                let token = peer.alloc(0, *bytes).ok_or(REFUSED)?;
                self.held.slots.push(Some(token));
            }
            if self.newest_first {
                while let Some(token) = self.held.slots.pop().flatten() {
                    peer.free(0, token);
                }
            } else {
                for token in self.held.slots.drain(..).flatten() {
                    peer.free(0, token);
                }
            }
        }
        Ok(per(start, rounds * calls))
    }
}
