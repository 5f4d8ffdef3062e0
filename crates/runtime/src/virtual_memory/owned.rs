//! Handles of reservations, physical memory and mappings for Rust programs.

use std::ops::RangeBounds;
use std::sync::Arc;

use super::calls::Made;
use super::{Location, PhysicalRequest};
use millpond_trace::Operation;

use crate::api::block::Slice;
use crate::api::device::Device;
use crate::api::runtime::Runtime;
use crate::error::Error;
use crate::memory::PageKind;
use crate::shared::Shared;

/// Reserved addresses. They are released when this and all mappings made from it are gone.
///
/// ```
/// use millpond::{Config, Runtime};
///
/// let runtime = Runtime::new(Config::default())?;
/// let device = runtime.device(0)?;
/// let stream = device.create_stream()?;
/// let range = runtime.reserve(64 << 20)?;
/// let pieces = [device.alloc_physical(2 << 20)?, device.alloc_physical(2 << 20)?];
/// let _low = range.map(0, &pieces[0])?;
/// let _high = range.map(2 << 20, &pieces[1])?;
/// // Neighbours are one range.
/// stream.fill(range.slice(..4 << 20), 7)?;
/// stream.synchronize()?;
/// # Ok::<(), millpond::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reservation {
    owner: Arc<Reserved>,
}

#[derive(Debug)]
struct Reserved {
    made: Made,
    shared: Arc<Shared>,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let Made { range, serial } = self.made;
        // Mappings keep it, so nothing is mapped any more, unless by address: then it stays.
        drop(self.shared.release(range.start, Some(serial)));
    }
}

impl Reservation {
    /// Where it starts: a multiple of 2 MiB.
    pub fn address(&self) -> u64 {
        self.owner.made.range.start
    }

    /// Its length: the requested size, rounded up to a multiple of 2 MiB.
    pub fn len(&self) -> u64 {
        self.owner.made.range.bytes
    }

    /// Never: at least one byte is reserved.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Maps `memory` at `offset` bytes from the start.
    pub fn map(&self, offset: u64, memory: &PhysicalMemory) -> Result<Mapping, Error> {
        let at = self.address().checked_add(offset).ok_or(Error::BadRange {
            address: self.address(),
            bytes: offset,
        })?;
        let shared = &self.owner.shared;
        let made = shared.map(at, memory.number(), Some(memory.used_from()))?;
        Ok(Mapping {
            made,
            reservation: self.clone(),
        })
    }

    /// A part of the addresses, for a copy: all of it has to be mapped then. Panics when the range
    /// reaches beyond.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Slice<'_> {
        Slice::of(self.address(), self.len(), range)
    }
}

/// Physical memory without an address: it is used by mapping it.
///
/// The memory goes when all names of it and all mappings are gone. A clone is the same name.
#[derive(Debug, Clone)]
pub struct PhysicalMemory {
    owner: Arc<Name>,
}

#[derive(Debug)]
struct Name {
    number: u64,
    request: PhysicalRequest,
    used_from: Location,
    shared: Arc<Shared>,
}

impl Drop for Name {
    fn drop(&mut self) {
        self.shared.unreference(self.number);
    }
}

impl PhysicalMemory {
    /// Takes over one reference of a piece.
    pub(super) fn adopt(
        shared: &Arc<Shared>,
        number: u64,
        request: PhysicalRequest,
        used_from: Location,
    ) -> Self {
        Self {
            owner: Arc::new(Name {
                number,
                request,
                used_from,
                shared: Arc::clone(shared),
            }),
        }
    }

    /// The number of the memory; all names of it have the same, and no other memory ever has it.
    pub fn number(&self) -> u64 {
        self.owner.number
    }

    /// How large it is.
    pub fn len(&self) -> u64 {
        self.owner.request.bytes
    }

    /// Never: it has at least one page.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where it is.
    pub fn location(&self) -> Location {
        self.owner.request.location
    }

    /// What pages it is made of.
    pub fn pages(&self) -> PageKind {
        self.owner.request.pages
    }

    /// The size that was requested when it was allocated.
    pub fn request(&self) -> PhysicalRequest {
        self.owner.request
    }

    /// Where it may be used from when it is mapped by this name.
    pub fn used_from(&self) -> Location {
        self.owner.used_from
    }

    /// The same memory, to be used from another place when it is mapped by this name.
    #[must_use]
    pub fn for_use_from(self, from: Location) -> Self {
        let shared = &self.owner.shared;
        let number = self.owner.number;
        // The name that goes is one of the piece's; the new one takes its place.
        match shared.virtual_memory.state.lock().reference(number) {
            Ok(request) => Self::adopt(shared, number, request, from),
            Err(_) => self.clone(),
        }
    }

    /// The number under which it can be imported as long as it lives: always the same one.
    pub fn export(&self) -> Result<u64, Error> {
        self.export_as(None, false)
    }

    /// The same; the first time the number is `wanted`, unless other memory has it. With `open`, every process of the user
    /// may import it, else only those of [`Runtime::allow_importers`].
    pub fn export_as(&self, wanted: Option<u64>, open: bool) -> Result<u64, Error> {
        let mut state = self.owner.shared.virtual_memory.state.lock();
        let piece = self.owner.number;
        let exported = state.pieces.export(piece, wanted, open);
        let exported = exported.map_err(Error::Mapping)?;
        let tap = &self.owner.shared.tap;
        tap.emit(|| Operation::PhysicalShared { piece });
        Ok(exported)
    }
}

/// Physical memory that has addresses. Dropping it unmaps, without waiting for queued work, which still
/// finds the bytes.
#[derive(Debug)]
pub struct Mapping {
    made: Made,
    reservation: Reservation,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let Made { range, serial } = self.made;
        // A reset of the device has unmapped it already: nothing is left to do.
        drop(
            self.reservation
                .owner
                .shared
                .unmap(range.start, Some(serial)),
        );
    }
}

impl Mapping {
    /// Where it starts.
    pub fn address(&self) -> u64 {
        self.made.range.start
    }

    /// How long it is.
    pub fn len(&self) -> u64 {
        self.made.range.bytes
    }

    /// Never: it has at least one page.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All its bytes, for a copy.
    pub fn all(&self) -> Slice<'_> {
        self.slice(..)
    }

    /// A part of them. Panics if the range extends beyond the block.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Slice<'_> {
        Slice::of(self.address(), self.len(), range)
    }
}

impl Runtime {
    /// Reserves at least `bytes` bytes of addresses, with nothing behind them.
    pub fn reserve(&self, bytes: u64) -> Result<Reservation, Error> {
        let made = self.shared.reserve(bytes, None)?;
        Ok(Reservation {
            owner: Arc::new(Reserved {
                made,
                shared: Arc::clone(&self.shared),
            }),
        })
    }

    /// Allocates physical memory. It has no address until it is mapped.
    pub fn alloc_physical(&self, request: PhysicalRequest) -> Result<PhysicalMemory, Error> {
        self.alloc_as(request, false)
    }

    /// The same in pages of this machine, also where the place is a device on a GPU: the program may touch them when it has
    /// access.
    pub fn alloc_touchable(&self, request: PhysicalRequest) -> Result<PhysicalMemory, Error> {
        self.alloc_as(request, true)
    }

    fn alloc_as(&self, request: PhysicalRequest, touchable: bool) -> Result<PhysicalMemory, Error> {
        let number = self.shared.create(request, touchable)?;
        let (shared, from) = (&self.shared, request.location);
        Ok(PhysicalMemory::adopt(shared, number, request, from))
    }

    /// What sizes of physical memory are multiples of.
    pub fn physical_granularity(&self, location: Location, pages: PageKind) -> Result<u64, Error> {
        self.shared.page_unit(location, pages)
    }

    /// Another name of the memory that [`PhysicalMemory::export`] gave a number, for use from `from`.
    pub fn import_physical(&self, number: u64, from: Location) -> Result<PhysicalMemory, Error> {
        if let Location::Device(index) = from {
            self.shared.device(i64::from(index))?;
        }
        let mut state = self.shared.virtual_memory.state.lock();
        let piece = state.pieces.shared(number).map_err(Error::Mapping)?;
        let request = state.reference(piece)?;
        drop(state);
        Ok(PhysicalMemory::adopt(&self.shared, piece, request, from))
    }

    /// Lets other processes import what was exported under a number.
    pub fn allow_importers(&self, number: u64, processes: &[i32]) -> Result<(), Error> {
        let mut state = self.shared.virtual_memory.state.lock();
        let allowed = state.pieces.allow(number, processes);
        allowed.map_err(Error::Mapping)
    }
}

impl Device {
    /// Allocates `bytes` bytes of physical memory of this device, a multiple of 2 MiB.
    pub fn alloc_physical(&self, bytes: u64) -> Result<PhysicalMemory, Error> {
        let runtime = Runtime {
            shared: Arc::clone(&self.shared),
        };
        runtime.alloc_physical(PhysicalRequest {
            bytes,
            location: Location::Device(self.index()),
            pages: PageKind::Huge,
            flags: 0,
        })
    }
}

impl super::State {
    /// Counts one more name of a piece and returns what it is.
    pub(super) fn reference(&mut self, piece: u64) -> Result<PhysicalRequest, Error> {
        let piece = self.pieces.reference(piece).map_err(Error::Mapping)?;
        Ok(piece.request)
    }
}
