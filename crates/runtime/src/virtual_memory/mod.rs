//! Virtual memory: addresses and physical memory as two things, joined by mapping.
//!
//! A *reservation* is addresses with nothing behind them; a *piece* is physical memory without an
//! address; a *mapping* gives a piece addresses. Mappings side by side are one range for copies, and one
//! piece may have several mappings.
//!
//! - `address_map.rs` and `pieces.rs` decide what is allowed. They are pure.
//! - `calls.rs` executes it: address map, device, records. `keep.rs` keeps mappings alive while work uses
//!   them; `users.rs` lists that work.
//! - `sharing.rs` lends pages to other processes, and imports theirs.
//! - `owned.rs` is the interface for Rust programs, `raw.rs` the one by bare addresses.
//!
//! What must always hold:
//! - What is unmapped while queued work uses it is retired: programs see it unmapped at once, and the device keeps it
//!   until that work is done. Only a mapping at the same addresses waits for it, without a lock, and only if the work
//!   cannot be waiting for the program.
//! - `state` is held during device calls, which are short, so that address map and device agree. A store's
//!   lock is taken inside it, never the other way round.

mod address_map;
mod calls;
mod error;
mod keep;
mod owned;
mod pieces;
mod raw;
mod sharing;
mod users;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use millpond_device::{AddressRange, AddressSpace};
use millpond_trace::{Bytes, Space};

use address_map::AddressMap;
pub use error::MappingError;
pub(crate) use keep::Keep;
pub use owned::{Mapping, PhysicalMemory, Reservation};
use pieces::Pieces;
pub use raw::MappingInfo;
pub use sharing::{Lease, Lent, SharedRange};
pub(crate) use users::User;

use crate::error::{Boxed, Error};
use crate::lock::{Mutex, rank};
use crate::memory::{Operand, PageKind};

/// The owner of memory, or the place that it is used from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Location {
    /// A device.
    Device(u32),
    /// The host.
    Host,
    /// A part of the host's memory that is near some of its processors. Here it is all one.
    HostNode(u32),
}

impl Location {
    /// As records and copies see it: what a device can reach of the host is pinned.
    pub fn space(self) -> Space {
        match self {
            Self::Device(index) => Space::Device(index),
            Self::Host | Self::HostNode(_) => Space::Pinned,
        }
    }

    /// Who uses memory that is used from here: the host is one, whatever it is made of.
    fn user(self) -> Self {
        match self {
            Self::HostNode(_) => Self::Host,
            other => other,
        }
    }

    fn is_host(self) -> bool {
        self.space() == Space::Pinned
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(index) => write!(f, "device {index}"),
            Self::Host => f.write_str("the host"),
            Self::HostNode(node) => write!(f, "node {node} of the host"),
        }
    }
}

/// A request for physical memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PhysicalRequest {
    /// How many bytes: a multiple of the pages.
    pub bytes: u64,
    /// Where.
    pub location: Location,
    /// On which pages.
    pub pages: PageKind,
    /// Stored and returned, without an effect.
    pub flags: u32,
}

/// All virtual memory of a runtime.
#[derive(Debug, Default)]
pub(crate) struct VirtualMemory {
    /// What carries things out, once something was.
    pub(crate) space: OnceLock<Arc<dyn AddressSpace>>,
    /// Whether anything was ever reserved: if not, lookups are skipped.
    used: AtomicBool,
    state: Mutex<rank::VirtualMemory, State>,
}

#[derive(Debug, Default)]
struct State {
    map: AddressMap,
    pieces: Pieces,
}

impl VirtualMemory {
    #[inline]
    fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }

    /// One side of a copy or fill, if it starts at a reserved address. Whether all of it is mapped is
    /// for `keep.rs` to say.
    pub(crate) fn operand(&self, range: Bytes) -> Boxed<Option<Operand>> {
        if !self.is_used() {
            return Ok(None);
        }
        let state = self.state.lock();
        if !state.map.holds(range.start) {
            return Ok(None);
        }
        let found = state.map.find(range.start).map_err(Error::Mapping)?;
        Ok(Some(Operand {
            range,
            kernel: found.kernel,
            space: found.location.space(),
            mapped: true,
        }))
    }

    /// Whether an address was reserved.
    pub(crate) fn holds(&self, address: u64) -> bool {
        self.is_used() && self.state.lock().map.holds(address)
    }

    /// Whether a range touches any reservation: what programs see, or where work runs.
    pub(crate) fn overlaps(&self, address: u64, bytes: u64) -> bool {
        let range = AddressRange::new(address, bytes);
        self.is_used() && self.state.lock().map.overlaps(range)
    }
}

fn bytes_of(range: AddressRange) -> Bytes {
    Bytes {
        start: range.start,
        bytes: range.bytes,
    }
}
