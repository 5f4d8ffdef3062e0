//! What is tried for a request, one rung after the other.

use std::sync::atomic::Ordering;

use millpond_pool::{Ask, GRANULE, Refusal};

use super::Arena;
use super::growth::{Grown, Reason};
use super::report::NoBlock;
use crate::blocks::{Block, Header};
use crate::lane::Lane;
use crate::noted;

/// How often a request looks again after memory was added, which others may have taken meanwhile.
const LOOKS: usize = 16;

/// The documented rule for pieces of device memory that a program cuts itself: the length rounded up
/// to 32, and 32 more. Starts are multiples of the pool's granule, and so of 64.
fn granted(bytes: u64) -> Option<u64> {
    bytes.max(1).checked_next_multiple_of(32)?.checked_add(32)
}

impl Arena {
    /// A block for a stream, near an address if that is possible.
    pub(crate) fn alloc(
        &self,
        lane: &Lane,
        bytes: u64,
        near: Option<u64>,
    ) -> Result<&'static Header, NoBlock> {
        lane.step();
        let found = match lane.spare.take() {
            None => Err(Reason::Headers),
            Some(header) => match self.find(lane, bytes, near) {
                Ok(found) => {
                    let address = self.source.address(found.offset);
                    noted::allocated(self.device, lane, address, bytes);
                    Ok(self.hand_out(lane, header, found))
                }
                Err(why) => {
                    lane.spare.put(header);
                    Err(why)
                }
            },
        };
        found.map_err(|why| {
            self.counts.failures.fetch_add(1, Ordering::Relaxed);
            let no_block = NoBlock {
                bytes,
                device: self.device,
                limit: self.limit,
                why,
            };
            noted::refused(self.device, bytes, no_block);
            no_block
        })
    }

    fn hand_out(&self, lane: &Lane, header: &'static Header, found: Found) -> &'static Header {
        header.fill(Block {
            address: self.source.address(found.offset),
            offset: found.offset,
            serial: found.serial,
            lane: lane.id,
            arena: self.id,
        });
        lane.live.fetch_add(1, Ordering::Relaxed);
        lane.allocations.fetch_add(1, Ordering::Relaxed);
        header
    }

    fn find(&self, lane: &Lane, bytes: u64, near: Option<u64>) -> Result<Found, Reason> {
        let whole = granted(bytes).ok_or(Reason::Addresses)?;
        let charge = whole
            .checked_next_multiple_of(GRANULE)
            .ok_or(Reason::Addresses)?;
        let ask = Ask {
            charge,
            requested: bytes,
            ..Ask::of(whole)
        };
        let wish = near.and_then(|address| self.source.offset(address));
        if wish.is_none()
            && let Some(quick) = self.pool.alloc(&lane.shard, &ask)
        {
            return Ok(Found {
                offset: quick.offset,
                serial: quick.serial,
            });
        }
        self.climb(lane, &ask, wish)
    }

    fn climb(&self, lane: &Lane, ask: &Ask, wish: Option<u64>) -> Result<Found, Reason> {
        if self.settings.poll {
            self.poll();
        }
        let mut result = self.look_and_grow(lane, ask, wish);
        let rungs: [&dyn Fn() -> bool; 3] = [&|| self.poll(), &|| self.look(), &|| {
            self.make_room(ask.bytes)
        }];
        for rung in rungs {
            if can_be_helped(&result) && rung() {
                result = self.look_and_grow(lane, ask, wish);
            }
        }
        while self.settings.allow_wait && can_be_helped(&result) && self.wait() {
            result = self.look_and_grow(lane, ask, wish);
            if can_be_helped(&result) && self.make_room(ask.bytes) {
                result = self.look_and_grow(lane, ask, wish);
            }
        }
        result
    }

    fn look_and_grow(&self, lane: &Lane, ask: &Ask, wish: Option<u64>) -> Result<Found, Reason> {
        let mut decays = false;
        let mut result = Err(Reason::Addresses);
        for _ in 0..LOOKS {
            let order = self.order(lane.now());
            let grant = match self.pool.alloc_near(&lane.shard, ask, &order, wish) {
                Ok(grant) => grant,
                Err(Refusal::Limit | Refusal::Reserve) => {
                    result = Err(Reason::Limit);
                    break;
                }
                Err(Refusal::Addresses) => {
                    result = Err(Reason::Addresses);
                    break;
                }
            };
            decays |= grant.decays;
            let found = Found {
                offset: grant.offset,
                serial: grant.serial,
            };
            let grown = match grant.growth {
                None => Ok(Grown::Done),
                Some(growth) => self.grow(lane, *growth, ask.bytes),
            };
            match grown {
                Ok(Grown::LookAgain) => {}
                Ok(Grown::Done) => {
                    result = Ok(found);
                    break;
                }
                Err(why) => {
                    result = Err(why);
                    break;
                }
            }
        }
        if decays {
            self.decay();
        }
        result
    }
}

/// Where a block is, and its number.
#[derive(Debug, Clone, Copy)]
struct Found {
    offset: u64,
    serial: u64,
}

/// Whether memory that others are done with would help.
fn can_be_helped(result: &Result<Found, Reason>) -> bool {
    matches!(
        result,
        Err(Reason::Held | Reason::Device(_) | Reason::Addresses)
    )
}
