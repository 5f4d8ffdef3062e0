//! Where an arena's memory comes from: a range of offsets, and the device memory behind its pages.
//!
//! Two kinds, chosen once per arena by trying: pages that are mapped into one large range of addresses
//! ([`crate::mapped`]), or, where a runtime has no virtual memory, segments ([`crate::segments`]).

use std::fmt;
use std::sync::Arc;

use millpond_pool::Pages;

use crate::calls::{Calls, Refused};
use crate::mapped::Mapped;
use crate::segments::Segments;

/// Which kind of source it is. The numbers are those of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Mapped = 1,
    Segments = 2,
}

/// What became of pages that were to go back to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    Returned,
    /// They are as before.
    Stayed,
    /// Some are lost and could not be restored: none of them may be used.
    Lost,
}

/// Pages from `missing` on could not be backed; those before it are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub(crate) missing: u64,
    pub(crate) why: Refused,
}

pub(crate) trait Source: Send + Sync + fmt::Debug {
    fn kind(&self) -> Kind;

    /// Bytes of offsets.
    fn range(&self) -> u64;

    /// The address of a backed offset.
    fn address(&self, offset: u64) -> u64;

    /// The offset of an address, if it is in backed memory.
    fn offset(&self, address: u64) -> Option<u64>;

    /// Puts device memory behind a run of pages that has none. Segments do it wholly or not at all.
    fn back(&self, pages: Pages) -> Result<(), Shortage>;

    /// Gives the memory of these runs back, as far as whole pieces are in them.
    fn give_back(&self, runs: &[Pages]) -> Vec<Gone>;

    /// Pieces of device memory that are held.
    fn pieces(&self) -> usize;

    /// Releases everything; the source is not used afterwards.
    fn close(&self);
}

/// Mapped pages if the runtime has what they need and it works, else segments.
pub(crate) fn choose(
    calls: &Arc<dyn Calls>,
    device: i32,
    limit: u64,
    no_virtual: bool,
) -> Box<dyn Source> {
    if !no_virtual && let Ok(mapped) = Mapped::open(Arc::clone(calls), device, limit) {
        return Box::new(mapped);
    }
    Box::new(Segments::new(Arc::clone(calls), device, limit))
}
