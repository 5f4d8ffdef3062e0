//! Pages that several processes map: lent by their owner, imported by the others.
//!
//! What must always hold: pages that were lent are neither reused nor given back before the [`Lease`] is dropped. For a block
//! a lease is a user, as queued work is: a stand-in for a stream, which has passed when it is removed. So freeing the block
//! retires it, and a reset of the device leaves its pages alone. A piece counts its leases (`pieces.rs`).

use std::sync::Arc;

use millpond_device::{AddressRange, Keeper, SharedPages, os_page};
use millpond_trace::{Bytes, Operation, Space};

use super::{Location, PhysicalMemory, PhysicalRequest};
use crate::api::runtime::Runtime;
use crate::error::Error;
use crate::shared::Shared;
use crate::stream::Progress;

/// Bytes of device memory that can be lent: a range inside one block or one mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedRange {
    /// Where it starts.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// The block, or the number of the memory that is mapped there.
    owner: Owner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Block(u64),
    Piece(u64),
}

/// Pages that were lent.
#[derive(Debug)]
pub struct Lent {
    /// Whole pages.
    pub pages: SharedPages,
    /// Bytes of them in front of what was asked for.
    pub skip: u64,
    /// What the memory is.
    pub request: PhysicalRequest,
    /// Keeps them.
    pub lease: Lease,
}

/// Keeps pages that another process may have mapped. The pages are their owner's again when this is dropped.
#[derive(Debug)]
#[expect(dead_code, reason = "dropped at the end")]
pub struct Lease(Hold);

#[derive(Debug)]
#[expect(dead_code, reason = "dropped at the end")]
enum Hold {
    Block(StandIn),
    Piece(Arc<()>),
}

/// A user of a block that is not a stream.
#[derive(Debug)]
struct StandIn {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.shared.order.remove(self.number);
    }
}

/// The whole pages around a range, and how many bytes of them are in front of it.
fn around(range: AddressRange, page: u64) -> (AddressRange, u64) {
    let start = range.start / page * page;
    let end = range.end().next_multiple_of(page);
    (AddressRange::new(start, end - start), range.start - start)
}

impl Runtime {
    /// Names a range of device memory for [`Runtime::lend`]. It is inside one live block, or one mapping.
    pub fn shared_range(&self, address: u64, bytes: u64) -> Result<SharedRange, Error> {
        if bytes == 0 || address.checked_add(bytes).is_none() {
            return Err(Error::BadRange { address, bytes });
        }
        let owner = match self.shared.store_of(address) {
            Some((store, Space::Device(_))) => {
                store.check(address, bytes, None)?;
                Owner::Block(store.find(address)?.serial)
            }
            Some((_, found)) => {
                return Err(Error::WrongSpace {
                    address,
                    found,
                    expected: "device memory",
                });
            }
            None if self.shared.virtual_memory.holds(address) => {
                let found = self.find_mapping(address)?;
                let whole = AddressRange::new(found.range.start, found.range.bytes);
                if !whole.covers(AddressRange::new(address, bytes)) {
                    return Err(Error::BadRange { address, bytes });
                }
                Owner::Piece(found.memory)
            }
            None => {
                return Err(Error::NotABlock {
                    address,
                    inside: None,
                    space: Space::Foreign,
                });
            }
        };
        self.shared.tap.emit(|| Operation::MemoryShared {
            range: Bytes {
                start: address,
                bytes,
            },
        });
        Ok(SharedRange {
            address,
            bytes,
            owner,
        })
    }

    /// Lends the pages of a range, if its block or mapping is still there.
    pub fn lend(&self, range: &SharedRange) -> Result<Lent, Error> {
        let wanted = AddressRange::new(range.address, range.bytes);
        let gone = || Error::NotABlock {
            address: range.address,
            inside: None,
            space: Space::Foreign,
        };
        match range.owner {
            Owner::Block(serial) => {
                let (store, space) = self.shared.store_of(range.address).ok_or_else(gone)?;
                let Space::Device(device) = space else {
                    return Err(gone());
                };
                let stand_in = StandIn {
                    number: self.shared.next_id(),
                    shared: Arc::clone(&self.shared),
                };
                let progress = Arc::new(Progress::new(stand_in.number));
                self.shared.order.add(stand_in.number, &progress);
                // First the note, then the question: a block that is freed in between is retired.
                store.check(range.address, range.bytes, Some((stand_in.number, 1)))?;
                let block = store.find(range.address)?;
                if block.serial != serial {
                    return Err(gone());
                }
                let (pages, skip) = around(wanted, store.page_of_sharing());
                Ok(Lent {
                    pages: store.share(pages)?,
                    skip,
                    request: PhysicalRequest {
                        bytes: pages.bytes,
                        location: Location::Device(device),
                        pages: block.pages,
                        flags: 0,
                    },
                    lease: Lease(Hold::Block(stand_in)),
                })
            }
            Owner::Piece(number) => {
                let mapping = self.find_mapping(range.address)?;
                if mapping.memory != number {
                    return Err(gone());
                }
                let mut lent = self.lend_piece(number)?;
                let (pages, skip) = around(wanted, os_page());
                let before = pages.start - mapping.range.start;
                let (pages, front) = lent.pages.slice(before, pages.bytes);
                lent.request.bytes = pages.bytes().unwrap_or(0);
                lent.pages = pages;
                lent.skip = front + skip;
                Ok(lent)
            }
        }
    }

    /// Lends physical memory that was exported under a number to a process.
    pub fn lend_physical(&self, number: u64, process: i32) -> Result<Option<Lent>, Error> {
        let piece = {
            let state = self.shared.virtual_memory.state.lock();
            let admitted = state.pieces.admits(number, process);
            if !admitted.map_err(Error::Mapping)? {
                return Ok(None);
            }
            state.pieces.shared(number).map_err(Error::Mapping)?
        };
        self.lend_piece(piece).map(Some)
    }

    fn lend_piece(&self, number: u64) -> Result<Lent, Error> {
        let space = self.shared.address_space()?;
        let state = self.shared.virtual_memory.state.lock();
        let piece = state.pieces.get(number).map_err(Error::Mapping)?;
        if piece.imported {
            // Its owner knows nothing of a third process, and would use the pages for something else too early.
            return Err(Error::ImportedMemory);
        }
        let lease = state.pieces.lend(number).map_err(Error::Mapping)?;
        Ok(Lent {
            pages: space.share(piece.id).map_err(Error::Device)?,
            skip: 0,
            request: piece.request,
            lease: Lease(Hold::Piece(lease)),
        })
    }

    /// Leases have ended: what only they kept is released.
    pub fn leases_ended(&self) {
        self.shared.drain_mappings();
    }

    /// Makes physical memory of pages that another process lent. Nothing is charged for it. `keep` is dropped when nothing of
    /// it is mapped here any more.
    pub fn import_pages(
        &self,
        pages: SharedPages,
        request: PhysicalRequest,
        keep: Keeper,
    ) -> Result<PhysicalMemory, Error> {
        let location = request.location;
        if let Location::Device(index) = location {
            self.shared.device(i64::from(index))?;
        }
        let bytes = pages.bytes().unwrap_or(0);
        if bytes != request.bytes {
            return Err(Error::BadSize {
                requested: request.bytes,
            });
        }
        let space = self.shared.address_space()?;
        let (id, home) = space.adopt(pages, keep).map_err(Error::Device)?;
        let number = self.shared.next_id();
        let mut state = self.shared.virtual_memory.state.lock();
        state.pieces.insert(number, id, request, home);
        state.pieces.mark_imported(number);
        self.shared.tap.emit(|| Operation::PhysicalImported {
            piece: number,
            space: location.space(),
            bytes,
        });
        drop(state);
        Ok(PhysicalMemory::adopt(
            &self.shared,
            number,
            request,
            location,
        ))
    }
}
