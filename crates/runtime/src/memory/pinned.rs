//! Pinned host memory: one range of addresses, and further ones when it is full.
//!
//! Each range is a [`Store`] of its own. The first follows the memory of the machine (see
//! [`MemorySource`](crate::MemorySource)), so a second one is rare: fragmented addresses, a small `MILLPOND_PINNED_RANGE`, or a
//! process whose address space was limited when the first was opened.
//!
//! What must always hold: ranges are opened in order and stay until the runtime goes, so an address that belongs to
//! pinned memory always belongs to it, and looking one up takes no lock.

use std::sync::{Arc, OnceLock};

use millpond_device::{DeviceError, Memory, PINNED_RANGES};
use millpond_trace::Space;

use super::request::PageKind;
use super::store::{BlockInfo, Store, Usage, Wanted};
use crate::error::{Boxed, Error};
use crate::order::HostOrder;
use crate::shared::Shared;

/// Addresses that a new range has beyond what is asked for: room for guards, and for what comes next.
const SLACK: u64 = 64 << 20;

/// The ranges of pinned memory, in the order in which they were opened.
#[derive(Debug, Default)]
pub(crate) struct PinnedRanges {
    ranges: [OnceLock<Arc<Store>>; PINNED_RANGES],
}

impl PinnedRanges {
    /// Those that are open.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Store>> {
        let open = self.ranges.partition_point(|range| range.get().is_some());
        self.ranges[..open].iter().filter_map(OnceLock::get)
    }

    /// The first, if anybody has asked for pinned memory.
    #[inline]
    pub(crate) fn first(&self) -> Option<&Arc<Store>> {
        self.ranges[0].get()
    }

    /// The one that an address belongs to.
    #[inline]
    pub(crate) fn of(&self, address: u64) -> Option<&Store> {
        let mut open = self.ranges.iter().map_while(OnceLock::get);
        open.find(|store| store.contains(address))
            .map(|store| &**store)
    }

    /// Pinned memory as one: sums over all ranges. The peak is at most what it says, because ranges need not have had
    /// theirs at the same time.
    pub(crate) fn usage(&self) -> Usage {
        self.iter()
            .map(|store| store.usage())
            .fold(Usage::default(), |sum, part| Usage {
                capacity: sum.capacity + part.capacity,
                charged: sum.charged + part.charged,
                charged_normal: sum.charged_normal + part.charged_normal,
                charged_huge: sum.charged_huge + part.charged_huge,
                charged_gigabyte: sum.charged_gigabyte + part.charged_gigabyte,
                peak: sum.peak + part.peak,
                blocks: sum.blocks + part.blocks,
                promised: sum.promised + part.promised,
            })
    }
}

impl Shared {
    /// The first range of pinned memory, reserved if it is not yet. It is charged for physical host memory too.
    pub(crate) fn pinned(&self) -> Result<&Arc<Store>, Error> {
        match self.pinned.first() {
            Some(store) => Ok(store),
            None => self
                .open_pinned(0, || self.source.pinned(&self.config))
                .map_err(Error::Device),
        }
    }

    /// Allocates pinned memory, in a new range if the others are full.
    pub(crate) fn alloc_pinned(&self, requested: u64, bytes: u64) -> Boxed<BlockInfo> {
        let first = self.pinned()?;
        let allocated = self.alloc_in_ranges(Wanted {
            requested,
            bytes,
            pages: PageKind::Normal,
            packed: false,
        });
        first.record_if_heard(requested, bytes, &allocated, None);
        allocated
    }

    fn alloc_in_ranges(&self, wanted: Wanted) -> Boxed<BlockInfo> {
        loop {
            let mut refused = None;
            let mut open = 0;
            // The newest has most room; the others may have got some meanwhile.
            for store in self.pinned.iter().rev() {
                open += 1;
                let order = || HostOrder(&store.streams);
                match store.alloc_in(store.pool.host(), order, wanted, None) {
                    Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                        refused.get_or_insert(error);
                    }
                    other => return other,
                }
            }
            let least = wanted.bytes.saturating_add(SLACK);
            let number = u32::try_from(open).unwrap_or(u32::MAX);
            let opened = self.open_pinned(open, || {
                self.source.more_pinned(number, least, &self.config)
            });
            if let (Err(cause), Some(error)) = (opened, refused) {
                return Err(with_cause(error, &cause));
            }
        }
    }

    /// Range number `number`, opened with `reserve` unless somebody else was faster. All before it are open.
    #[cold]
    fn open_pinned(
        &self,
        number: usize,
        reserve: impl FnOnce() -> Result<Arc<dyn Memory>, DeviceError>,
    ) -> Result<&Arc<Store>, DeviceError> {
        let Some(place) = self.pinned.ranges.get(number) else {
            return Err(DeviceError::System {
                call: "reserve",
                error: format!(
                    "there are {PINNED_RANGES} ranges of pinned memory already; set MILLPOND_PINNED_RANGE to a larger size"
                ),
            });
        };
        let _opening = self.opening.lock();
        if let Some(store) = place.get() {
            return Ok(store);
        }
        let memory = reserve()?;
        // Physical host memory is charged here too, and has no addresses of this range. The machine's own limit counts
        // for both.
        let machine = self.source.limit().unwrap_or(0).saturating_mul(2);
        let capacity = memory.range().bytes.max(machine);
        let store = self.new_store(Space::Pinned, memory, capacity, false);
        let store = store.with_guards(self.config.guards, true);
        Ok(place.get_or_init(|| Arc::new(store)))
    }
}

/// Says also why there is no further range.
#[cold]
fn with_cause(mut error: Box<Error>, cause: &DeviceError) -> Box<Error> {
    if let Error::OutOfMemory { report, .. } = &mut *error {
        *report =
            format!("a further range of pinned memory could not be opened: {cause}; {report}");
    }
    error
}
