//! Virtual memory by address, for language bindings: what is named is looked up at every call.

use millpond_device::AddressRange;
use millpond_trace::Bytes;

use super::{Location, PhysicalMemory, bytes_of};
use crate::api::runtime::Runtime;
use crate::error::Error;
use crate::memory::PageKind;

/// What is known of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingInfo {
    /// Its addresses.
    pub range: Bytes,
    /// The number of the memory behind it.
    pub memory: u64,
    /// Where that memory is.
    pub location: Location,
    /// What pages it is made of.
    pub pages: PageKind,
}

impl Runtime {
    /// Reserves addresses that [`Runtime::release_at`] releases, at `wanted` if that place is free;
    /// and returns where.
    pub fn reserve_at(&self, bytes: u64, wanted: Option<u64>) -> Result<u64, Error> {
        Ok(self.shared.reserve(bytes, wanted)?.range.start)
    }

    /// Releases the reserved addresses that start at `address`.
    pub fn release_at(&self, address: u64) -> Result<(), Error> {
        self.shared.release(address, None)
    }

    /// Maps all of `memory` at `address`. Without `access` it has to be granted before it is used.
    pub fn map_at(&self, address: u64, memory: &PhysicalMemory, access: bool) -> Result<(), Error> {
        let access = access.then(|| memory.used_from());
        self.shared.map(address, memory.number(), access)?;
        Ok(())
    }

    /// Maps the `bytes` bytes that are mapped at `from` at `address` too.
    pub fn map_again_at(&self, address: u64, bytes: u64, from: u64) -> Result<(), Error> {
        self.shared.map_again(address, bytes, from)?;
        Ok(())
    }

    /// Unmaps what is mapped from `address` on. Queued work that uses it still finds its bytes.
    pub fn unmap_at(&self, address: u64) -> Result<(), Error> {
        self.shared.unmap(address, None)
    }

    /// Lets whole mappings be used from one more place.
    pub fn grant_at(&self, address: u64, bytes: u64, from: Location) -> Result<(), Error> {
        self.shared.grant(AddressRange::new(address, bytes), from)
    }

    /// Whether what is mapped at an address may be used from a place.
    pub fn has_access_at(&self, address: u64, from: Location) -> Result<bool, Error> {
        let state = self.shared.virtual_memory.state.lock();
        let mapped = state.map.mapping_of(address).map_err(Error::Mapping)?;
        Ok(mapped.access.contains(&from.user()))
    }

    /// Whether all of a range is mapped and may be used.
    pub fn check_mapped(&self, address: u64, bytes: u64) -> Result<(), Error> {
        if address.checked_add(bytes).is_none() {
            return Err(Error::BadRange { address, bytes });
        }
        let state = self.shared.virtual_memory.state.lock();
        let checked = state.map.check(AddressRange::new(address, bytes));
        checked.map_err(Error::Mapping)
    }

    /// Whether an address was reserved, with something mapped there or not.
    pub fn is_reserved(&self, address: u64) -> bool {
        self.shared.virtual_memory.holds(address)
    }

    /// The mapping that contains an address.
    pub fn find_mapping(&self, address: u64) -> Result<MappingInfo, Error> {
        let state = self.shared.virtual_memory.state.lock();
        let mapped = state.map.mapping_of(address).map_err(Error::Mapping)?;
        let piece = state.pieces.get(mapped.piece).map_err(Error::Mapping)?;
        Ok(MappingInfo {
            range: bytes_of(mapped.range),
            memory: mapped.piece,
            location: piece.request.location,
            pages: piece.request.pages,
        })
    }

    /// Another name of the memory that is mapped at an address.
    pub fn physical_at(&self, address: u64) -> Result<PhysicalMemory, Error> {
        let mut state = self.shared.virtual_memory.state.lock();
        let mapped = state.map.mapping_of(address).map_err(Error::Mapping)?;
        let number = mapped.piece;
        let from = mapped.access.first().copied();
        let request = state.reference(number)?;
        drop(state);
        let from = from.unwrap_or(request.location);
        Ok(PhysicalMemory::adopt(&self.shared, number, request, from))
    }
}
