//! The calls of programs: the address map allows one, the device executes it, then the address map is changed and the record
//! emitted.

use std::sync::atomic::Ordering;

use millpond_device::{AddressRange, AddressSpace, DeviceError, Home, PieceId};
use millpond_trace::{Operation, Space};

use super::address_map::Mapped;
use super::{Location, MappingError, PhysicalRequest, State, bytes_of};
use crate::error::Error;
use crate::memory::{PageKind, Store};
use crate::shared::Shared;

/// What was reserved or mapped: where, and the number that no other one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) range: AddressRange,
    pub(super) serial: u64,
}

impl Shared {
    pub(super) fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Made, Error> {
        let reserved = self.try_reserve(bytes, wanted);
        self.record_refusal(wanted.unwrap_or(0), &reserved);
        reserved
    }

    fn try_reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Made, Error> {
        if bytes == 0 {
            return Err(Error::BadSize { requested: bytes });
        }
        let space = self.address_space()?;
        let mut state = self.virtual_memory.state.lock();
        state.drain(&**space);
        let window = space.reserve(bytes, wanted).map_err(Error::Device)?;
        let serial = self.next_id();
        state.map.reserve(window, serial);
        self.virtual_memory.used.store(true, Ordering::Release);
        let range = window.range;
        self.tap.emit(|| Operation::AddressesReserved {
            range: bytes_of(range),
        });
        Ok(Made { range, serial })
    }

    /// Gives reserved addresses up. With a `serial`, only if they are still that reservation, and then
    /// nothing can keep them.
    pub(super) fn release(&self, start: u64, serial: Option<u64>) -> Result<(), Error> {
        let released = self.try_release(start, serial);
        self.record_refusal(start, &released);
        released
    }

    fn try_release(&self, start: u64, serial: Option<u64>) -> Result<(), Error> {
        let space = self.address_space()?;
        let mut state = self.virtual_memory.state.lock();
        state.drain(&**space);
        let reserved = match state.map.reservation(start) {
            Ok(found) if serial.is_some_and(|serial| serial != found.serial) => return Ok(()),
            Err(_) if serial.is_some() => return Ok(()),
            found => found.map_err(Error::Mapping)?,
        };
        let range = reserved.window.range;
        let now = state.map.check_release(start).map_err(Error::Mapping)?;
        let gone = if now {
            match space.release(start) {
                Err(error) if serial.is_none() => return Err(Error::Device(error)),
                answer => answer.is_ok(),
            }
        } else {
            false
        };
        self.tap.emit(|| Operation::AddressesReleased {
            range: bytes_of(range),
            retired: !now,
        });
        if gone {
            state.map.forget_reservation(start);
        } else {
            state.map.leave(start);
        }
        Ok(())
    }

    /// What sizes of pieces are multiples of.
    pub(super) fn page_unit(&self, location: Location, pages: PageKind) -> Result<u64, Error> {
        let offered = self.config.profile.gigabyte_pages || location.is_host();
        if pages == PageKind::Gigabyte && !offered {
            return Err(Error::PagesNotOffered { pages: "1 GiB" });
        }
        let home = self.home_of(location)?;
        Ok(pages.bytes().max(self.address_space()?.granularity(home)))
    }

    /// What the memory of a place is made of.
    fn home_of(&self, location: Location) -> Result<Home, Error> {
        Ok(match location {
            Location::Device(index) => self.device(i64::from(index))?.device.home(),
            Location::Host | Location::HostNode(_) => Home::Machine,
        })
    }

    /// Makes a piece; with `touchable` of this machine's pages, wherever it belongs.
    pub(super) fn create(&self, request: PhysicalRequest, touchable: bool) -> Result<u64, Error> {
        let created = self.try_create(request, touchable);
        if let Err(error) = &created {
            self.tap.emit(|| Operation::AllocationFailed {
                space: request.location.space(),
                requested: request.bytes,
                reason: error.to_string(),
            });
        }
        created
    }

    fn try_create(&self, request: PhysicalRequest, touchable: bool) -> Result<u64, Error> {
        let PhysicalRequest {
            bytes,
            location,
            pages,
            ..
        } = request;
        let store = self.store_at(location)?;
        let page = self.page_unit(location, pages)?;
        let home = if touchable {
            Home::Machine
        } else {
            self.home_of(location)?
        };
        if bytes == 0 {
            return Err(Error::BadSize { requested: bytes });
        }
        if !bytes.is_multiple_of(page) {
            return Err(Error::Mapping(MappingError::NotWholePages { bytes, page }));
        }
        self.drain_mappings();
        if bytes > store.free_bytes() {
            // The device's own limit is reported before the machine's. It is charged at the end only, so
            // that what is refused does not count for the peak. What pools only keep is no obstacle.
            if let Space::Device(device) = location.space() {
                self.squeeze_pools(device);
            }
            store.hold(bytes)?;
            store.let_go(bytes);
        }
        let space = self.address_space()?;
        let mut made = space.create(bytes, home);
        if made.as_ref().is_err_and(DeviceError::is_full) {
            // Idle pages of other memories are in the way.
            self.relieve();
            made = space.create(bytes, home);
        }
        let id = made.map_err(|cause| match cause {
            cause if cause.is_full() => Error::MachineFull {
                space: location.space(),
                requested: bytes,
                cause,
            },
            other => Error::Device(other),
        })?;
        let held = store.hold(bytes);
        let mut state = self.virtual_memory.state.lock();
        let number = self.next_id();
        state.pieces.insert(number, id, request, home);
        if let Err(error) = held {
            // It ends as it began: unseen.
            state.pieces.unreference(number);
            state.pieces.end(number);
            state.drain(&**space);
            return Err(*error);
        }
        self.tap.emit(|| Operation::PhysicalAllocated {
            piece: number,
            space: location.space(),
            bytes,
        });
        Ok(number)
    }

    /// What memory of a place is charged to.
    fn store_at(&self, location: Location) -> Result<&Store, Error> {
        Ok(match location {
            Location::Device(index) => &self.device(i64::from(index))?.store,
            Location::Host | Location::HostNode(_) => self.pinned()?,
        })
    }

    /// The program gives one of its names of a piece up.
    pub(super) fn unreference(&self, piece: u64) {
        let Some(space) = self.virtual_memory.space.get() else {
            return;
        };
        let mut state = self.virtual_memory.state.lock();
        state.pieces.unreference(piece);
        self.end_piece(&mut state, piece);
        state.drain(&**space);
    }

    /// Ends a piece if the program has it no more.
    fn end_piece(&self, state: &mut State, number: u64) {
        let Some(piece) = state.pieces.end(number) else {
            return;
        };
        if !piece.imported
            && let Ok(store) = self.store_at(piece.request.location)
        {
            store.let_go(piece.request.bytes);
        }
        self.tap.emit(|| Operation::PhysicalFreed {
            piece: number,
            bytes: piece.request.bytes,
            retired: piece.is_used(),
        });
    }

    /// Maps a piece at `at`; with `access`, it may be used from there at once.
    pub(super) fn map(&self, at: u64, piece: u64, access: Option<Location>) -> Result<Made, Error> {
        let mapped = self.map_in_turn(at, piece, access);
        self.record_refusal(at, &mapped);
        mapped
    }

    /// Maps, after the queued work that still uses what was mapped there before, if that ends without the program's doing.
    /// The work cannot be shown the old memory elsewhere: it was given addresses. The program learns nothing by the wait.
    fn map_in_turn(&self, at: u64, piece: u64, access: Option<Location>) -> Result<Made, Error> {
        let mut waited = None;
        loop {
            let mapped = self.try_map(at, piece, access);
            match mapped {
                Err(Error::Mapping(MappingError::StillQueued {
                    task: Some((stream, task)),
                    ..
                })) if waited != Some((stream, task)) && self.wait_for_task(stream, task) => {
                    waited = Some((stream, task));
                }
                other => return other,
            }
        }
    }

    fn try_map(&self, at: u64, number: u64, access: Option<Location>) -> Result<Made, Error> {
        let space = self.address_space()?;
        let mut state = self.virtual_memory.state.lock();
        state.drain(&**space);
        let piece = state.pieces.get(number).map_err(Error::Mapping)?;
        let (id, home) = (piece.id, piece.home);
        let PhysicalRequest {
            bytes,
            location,
            pages,
            ..
        } = piece.request;
        let range = AddressRange::new(at, bytes);
        // Reservations start at a huge page and at nothing larger.
        let alignment = pages.bytes().min(PageKind::Huge.bytes());
        let alignment = alignment.max(space.granularity(home));
        if !at.is_multiple_of(alignment) {
            return Err(Error::Unaligned {
                address: at,
                alignment,
            });
        }
        if at.checked_add(bytes).is_none() {
            return Err(Error::BadRange { address: at, bytes });
        }
        let checked = state.map.check_map(range, location);
        checked.map_err(Error::Mapping)?;
        let access = access.map(Location::user);
        let shown = access.is_some_and(|from| self.shows(from));
        space.map(id, at, shown).map_err(Error::Device)?;
        let serial = self.next_id();
        state.map.map(Mapped::new(range, serial, number, location));
        state.pieces.mapped(number);
        if let Some(from) = access {
            state.map.grant(at, from, shown);
        }
        self.tap.emit(|| Operation::Mapped {
            piece: number,
            range: bytes_of(range),
            access: access.map(Location::space),
        });
        Ok(Made { range, serial })
    }

    /// Whether access from a place lets the program itself touch the bytes: the host's does, and any
    /// where program and device are one.
    fn shows(&self, from: Location) -> bool {
        self.config.unified || from.is_host()
    }

    /// Maps what is mapped at `from` at `at` too, to be used from where it is used there.
    pub(super) fn map_again(&self, at: u64, bytes: u64, from: u64) -> Result<Made, Error> {
        let mapped = self.try_map_again(at, bytes, from);
        self.record_refusal(at, &mapped);
        mapped
    }

    fn try_map_again(&self, at: u64, bytes: u64, from: u64) -> Result<Made, Error> {
        let (piece, access) = {
            let state = self.virtual_memory.state.lock();
            let mapped = state.map.mapping(from).map_err(Error::Mapping)?;
            if mapped.range.bytes != bytes {
                return Err(Error::Mapping(MappingError::PartOfMapping {
                    address: from,
                    bytes,
                    start: mapped.range.start,
                    length: mapped.range.bytes,
                }));
            }
            (mapped.piece, mapped.access.clone())
        };
        let made = self.map_in_turn(at, piece, access.first().copied())?;
        for from in access.into_iter().skip(1) {
            self.try_grant(made.range, from)?;
        }
        Ok(made)
    }

    /// Unmaps what starts at `at`. With a `serial`, only if it is still that mapping, and then nothing
    /// can keep it.
    pub(super) fn unmap(&self, at: u64, serial: Option<u64>) -> Result<(), Error> {
        let unmapped = self.try_unmap(at, serial);
        self.record_refusal(at, &unmapped);
        unmapped
    }

    fn try_unmap(&self, at: u64, serial: Option<u64>) -> Result<(), Error> {
        let space = self.address_space()?;
        let mut state = self.virtual_memory.state.lock();
        state.drain(&**space);
        match state.map.mapping(at) {
            Ok(found) if serial.is_some_and(|serial| serial != found.serial) => return Ok(()),
            Err(_) if serial.is_some() => return Ok(()),
            found => found.map_err(Error::Mapping)?,
        };
        let unmapped = self.unmap_now(&mut state, &**space, at, serial.is_some());
        state.drain(&**space);
        unmapped
    }

    /// Unmaps a live mapping, or retires it while it is used. With `force` a refusal of the device
    /// retires it too, to be tried again.
    fn unmap_now(
        &self,
        state: &mut State,
        space: &dyn AddressSpace,
        at: u64,
        force: bool,
    ) -> Result<(), Error> {
        let mapped = state.map.mapping(at).map_err(Error::Mapping)?;
        let (range, piece) = (mapped.range, mapped.piece);
        let passed = mapped.users.passed();
        let told = match (passed, mapped.shown) {
            (true, _) => space.unmap(at),
            (false, true) => space.hide(at),
            (false, false) => Ok(()),
        };
        let gone = match told {
            Err(error) if !force => return Err(Error::Device(error)),
            answer => passed && answer.is_ok(),
        };
        self.tap.emit(|| Operation::Unmapped {
            piece,
            range: bytes_of(range),
            retired: !passed,
        });
        state.map.retire(at);
        state.pieces.retired(piece);
        if gone {
            state.forget_mapping(at);
        }
        self.end_piece(state, piece);
        Ok(())
    }

    /// Lets the whole mappings of a range be used from one more place.
    pub(super) fn grant(&self, range: AddressRange, from: Location) -> Result<(), Error> {
        let granted = self.try_grant(range, from);
        self.record_refusal(range.start, &granted);
        granted
    }

    fn try_grant(&self, range: AddressRange, from: Location) -> Result<(), Error> {
        if range.start.checked_add(range.bytes).is_none() {
            let (address, bytes) = (range.start, range.bytes);
            return Err(Error::BadRange { address, bytes });
        }
        if let Location::Device(index) = from {
            self.device(i64::from(index))?;
        }
        let space = self.address_space()?;
        let mut state = self.virtual_memory.state.lock();
        let starts = state.map.whole_mappings(range);
        let starts = starts.map_err(Error::Mapping)?;
        let shown = self.shows(from);
        for start in starts {
            if shown {
                space.show(start).map_err(Error::Device)?;
            }
            state.map.grant(start, from.user(), shown);
        }
        self.tap.emit(|| Operation::AccessGranted {
            range: bytes_of(range),
            access: from.space(),
        });
        Ok(())
    }

    /// Ends all mappings and pieces of a device that is reset.
    pub(crate) fn end_mappings_of(&self, device: u32) {
        let Some(space) = self.virtual_memory.space.get() else {
            return;
        };
        let location = Location::Device(device);
        let mut state = self.virtual_memory.state.lock();
        for at in state.map.mappings_of(location) {
            // By force it cannot fail.
            drop(self.unmap_now(&mut state, &**space, at, true));
        }
        for piece in state.pieces.abandon(location) {
            self.end_piece(&mut state, piece);
        }
        state.drain(&**space);
    }

    /// Releases everything that waited for its users and is no longer used.
    pub(crate) fn drain_mappings(&self) {
        if let Some(space) = self.virtual_memory.space.get() {
            self.virtual_memory.state.lock().drain(&**space);
        }
    }

    fn record_refusal<T>(&self, address: u64, outcome: &Result<T, Error>) {
        if let Err(error) = outcome {
            self.tap.emit(|| Operation::MappingRefused {
                address,
                reason: error.to_string(),
            });
        }
    }
}

impl State {
    /// Makes the device release what is no longer used. What it refuses is tried again next time.
    fn drain(&mut self, space: &dyn AddressSpace) {
        if self.map.is_settled() && self.pieces.is_settled() {
            return;
        }
        for at in self.map.unused() {
            if space.unmap(at).is_ok() {
                self.forget_mapping(at);
            }
        }
        let gone: Vec<(u64, PieceId)> = self.pieces.gone();
        for (number, id) in gone {
            if space.destroy(id).is_ok() {
                self.pieces.forget(number);
            }
        }
        for start in self.map.empty() {
            if space.release(start).is_ok() {
                self.map.forget_reservation(start);
            }
        }
    }

    fn forget_mapping(&mut self, at: u64) {
        if let Some(mapped) = self.map.forget_mapping(at) {
            self.pieces.unmapped(mapped.piece);
        }
    }
}
