//! Which addresses are reserved and what is mapped where. Pure: calls no device.
//!
//! What must always hold:
//! - Reservations do not overlap, mappings do not overlap, and each mapping is in one reservation.
//! - *Live* reservations and mappings are those that programs see. Others are retired: they keep their
//!   addresses until no work uses them, and nothing else can be there meanwhile.
//! - The live mappings of one reservation are memory of one place.

use std::collections::{BTreeMap, BTreeSet};

use millpond_device::{AddressRange, Window};

use super::users::{User, Users};
use super::{Location, MappingError};

/// What is reserved and mapped.
#[derive(Debug, Default)]
pub(super) struct AddressMap {
    reservations: BTreeMap<u64, Reserved>,
    mappings: BTreeMap<u64, Mapped>,
    /// Mappings that are not live, by their start.
    retired: BTreeSet<u64>,
    /// Reservations that are not live, by their start.
    leaving: BTreeSet<u64>,
}

/// Reserved addresses.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) window: Window,
    /// No other reservation ever has it.
    pub(super) serial: u64,
    live: bool,
    /// Live mappings in it.
    mapped: usize,
    /// All mappings in it.
    occupied: usize,
    /// Where the live mappings' memory is.
    place: Option<Location>,
}

/// A piece that is mapped.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) range: AddressRange,
    /// No other mapping ever has it.
    pub(super) serial: u64,
    pub(super) piece: u64,
    pub(super) location: Location,
    /// Where it may be used from.
    pub(super) access: Vec<Location>,
    /// The program may touch it.
    pub(super) shown: bool,
    pub(super) users: Users,
    live: bool,
}

/// Where a range is for work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kernel: u64,
    pub(super) location: Location,
}

impl Mapped {
    pub(super) fn new(range: AddressRange, serial: u64, piece: u64, location: Location) -> Self {
        Self {
            range,
            serial,
            piece,
            location,
            access: Vec::new(),
            shown: false,
            users: Users::default(),
            live: true,
        }
    }
}

impl AddressMap {
    pub(super) fn reserve(&mut self, window: Window, serial: u64) {
        self.reservations.insert(
            window.range.start,
            Reserved {
                window,
                serial,
                live: true,
                mapped: 0,
                occupied: 0,
                place: None,
            },
        );
    }

    /// The live reservation that starts at `start`.
    pub(super) fn reservation(&self, start: u64) -> Result<&Reserved, MappingError> {
        let found = self.reservation_of(start)?;
        if found.window.range.start == start {
            return Ok(found);
        }
        Err(MappingError::InsideReservation {
            address: start,
            start: found.window.range.start,
        })
    }

    /// The live reservation that contains an address.
    fn reservation_of(&self, address: u64) -> Result<&Reserved, MappingError> {
        self.containing(address)
            .filter(|reserved| reserved.live)
            .ok_or(MappingError::NotReserved { address })
    }

    fn containing(&self, address: u64) -> Option<&Reserved> {
        let (_, reserved) = self.reservations.range(..=address).next_back()?;
        Some(reserved).filter(|reserved| reserved.window.range.contains(address))
    }

    /// Whether an address belongs to any reservation, live or not.
    pub(super) fn holds(&self, address: u64) -> bool {
        self.containing(address).is_some()
    }

    /// Whether a range touches any reservation: what programs see, or where work runs.
    pub(super) fn overlaps(&self, range: AddressRange) -> bool {
        self.reservations.values().any(|reserved| {
            let Window {
                range: seen,
                distance,
            } = reserved.window;
            let kernel = AddressRange::new(seen.start + distance, seen.bytes);
            seen.overlaps(range) || kernel.overlaps(range)
        })
    }

    /// Whether a reservation can be given up: nothing live is mapped in it. Returns whether it goes at
    /// once, because nothing retired is either.
    pub(super) fn check_release(&self, start: u64) -> Result<bool, MappingError> {
        let reserved = self.reservation(start)?;
        match reserved.mapped {
            0 => Ok(reserved.occupied == 0),
            left => Err(MappingError::MappingsLeft { start, left }),
        }
    }

    /// From now on programs see nothing of the reservation.
    pub(super) fn leave(&mut self, start: u64) {
        if let Some(reserved) = self.reservations.get_mut(&start) {
            reserved.live = false;
            self.leaving.insert(start);
        }
    }

    /// The device has taken the addresses back.
    pub(super) fn forget_reservation(&mut self, start: u64) {
        self.reservations.remove(&start);
        self.leaving.remove(&start);
    }

    /// Whether memory of `location` can be mapped at `range`.
    pub(super) fn check_map(
        &self,
        range: AddressRange,
        location: Location,
    ) -> Result<(), MappingError> {
        let (address, bytes) = (range.start, range.bytes);
        let reserved = self.reservation_of(address)?;
        let whole = reserved.window.range;
        if !whole.covers(range) {
            return Err(MappingError::BeyondReservation {
                address,
                bytes,
                start: whole.start,
                length: whole.bytes,
            });
        }
        let in_the_way: Vec<&Mapped> = self.touching(range).collect();
        if let Some(other) = in_the_way.iter().find(|other| other.live) {
            return Err(MappingError::Occupied {
                address,
                bytes,
                start: other.range.start,
                length: other.range.bytes,
            });
        }
        if let Some(other) = in_the_way.first() {
            return Err(MappingError::StillQueued {
                start: other.range.start,
                task: other.users.task(),
            });
        }
        match reserved.place {
            Some(there) if there != location => Err(MappingError::OtherPlace {
                start: whole.start,
                there,
                here: location,
            }),
            _ => Ok(()),
        }
    }

    /// Notes a mapping that [`AddressMap::check_map`] allowed.
    pub(super) fn map(&mut self, mapped: Mapped) {
        let start = mapped.range.start;
        if let Some(reserved) = self.around(start) {
            reserved.mapped += 1;
            reserved.occupied += 1;
            reserved.place = Some(mapped.location);
        }
        self.mappings.insert(start, mapped);
    }

    /// The live mapping that starts at `start`.
    pub(super) fn mapping(&self, start: u64) -> Result<&Mapped, MappingError> {
        let found = self.mapping_of(start)?;
        if found.range.start == start {
            return Ok(found);
        }
        Err(MappingError::InsideMapping {
            address: start,
            start: found.range.start,
            length: found.range.bytes,
        })
    }

    /// The live mapping that contains an address.
    pub(super) fn mapping_of(&self, address: u64) -> Result<&Mapped, MappingError> {
        self.reservation_of(address)?;
        self.mapped_at(address)
            .ok_or(MappingError::NotMapped { address })
    }

    fn mapped_at(&self, address: u64) -> Option<&Mapped> {
        let (_, mapped) = self.mappings.range(..=address).next_back()?;
        Some(mapped).filter(|mapped| mapped.live && mapped.range.contains(address))
    }

    /// The mappings, live or not, that have a byte of `range`.
    fn touching(&self, range: AddressRange) -> impl Iterator<Item = &Mapped> {
        let first = self.first_touching(range);
        let found = self.mappings.range(first..range.end());
        found.map(|(_, mapped)| mapped)
    }

    fn touching_mut(&mut self, range: AddressRange) -> impl Iterator<Item = &mut Mapped> {
        let first = self.first_touching(range);
        let found = self.mappings.range_mut(first..range.end());
        found.map(|(_, mapped)| mapped)
    }

    /// Where the first mapping starts that has a byte of `range`.
    fn first_touching(&self, range: AddressRange) -> u64 {
        let before = self.mappings.range(..range.start).next_back();
        let reaches = before.filter(|(_, mapped)| mapped.range.end() > range.start);
        reaches.map_or(range.start, |(start, _)| *start)
    }

    /// From now on programs see nothing of the mapping.
    pub(super) fn retire(&mut self, start: u64) {
        let Some(mapped) = self.mappings.get_mut(&start) else {
            return;
        };
        mapped.live = false;
        self.retired.insert(start);
        if let Some(reserved) = self.around(start) {
            reserved.mapped -= 1;
            if reserved.mapped == 0 {
                reserved.place = None;
            }
        }
    }

    /// The device has taken away what was mapped, which was retired before.
    pub(super) fn forget_mapping(&mut self, start: u64) -> Option<Mapped> {
        self.retired.remove(&start);
        if let Some(reserved) = self.around(start) {
            reserved.occupied -= 1;
        }
        self.mappings.remove(&start)
    }

    fn around(&mut self, address: u64) -> Option<&mut Reserved> {
        let found = self.reservations.range_mut(..=address).next_back();
        found.map(|(_, reserved)| reserved)
    }

    /// Where work finds an address.
    pub(super) fn find(&self, address: u64) -> Result<Found, MappingError> {
        let reserved = self.reservation_of(address)?;
        let mapped = self
            .mapped_at(address)
            .ok_or(MappingError::NotMapped { address })?;
        Ok(Found {
            kernel: address + reserved.window.distance,
            location: mapped.location,
        })
    }

    /// Whether all of `range` is mapped, with access, in one reservation.
    pub(super) fn check(&self, range: AddressRange) -> Result<(), MappingError> {
        let (address, bytes) = (range.start, range.bytes);
        let whole = self.reservation_of(address)?.window.range;
        if !whole.covers(range) {
            return Err(MappingError::BeyondReservation {
                address,
                bytes,
                start: whole.start,
                length: whole.bytes,
            });
        }
        let mut next = address;
        while next < range.end() {
            let mapped = self
                .mapped_at(next)
                .ok_or(MappingError::NotMapped { address: next })?;
            if mapped.access.is_empty() {
                return Err(MappingError::NoAccess { address: next });
            }
            next = mapped.range.end();
        }
        Ok(())
    }

    /// A call is on its way to use `range`, which was checked: nothing of it goes before it has ended.
    pub(super) fn begin(&mut self, range: AddressRange) {
        for mapped in self.touching_mut(range) {
            mapped.users.calls += 1;
        }
    }

    /// The call has ended, and may have left a task behind.
    pub(super) fn end(&mut self, range: AddressRange, user: Option<&User>) {
        for mapped in self.touching_mut(range) {
            mapped.users.calls -= 1;
            if let Some(user) = user {
                mapped.users.note(user);
            }
        }
    }

    /// The starts of the mappings that make up `range` as a whole.
    pub(super) fn whole_mappings(&self, range: AddressRange) -> Result<Vec<u64>, MappingError> {
        let mut starts = Vec::new();
        let mut next = range.start;
        while next < range.end() {
            let mapped = self.mapping_of(next)?;
            let inside = mapped.range.start == next && mapped.range.end() <= range.end();
            if !inside {
                return Err(MappingError::PartOfMapping {
                    address: range.start,
                    bytes: range.bytes,
                    start: mapped.range.start,
                    length: mapped.range.bytes,
                });
            }
            starts.push(next);
            next = mapped.range.end();
        }
        Ok(starts)
    }

    /// Lets the mapping that starts at `start` be used from `from`.
    pub(super) fn grant(&mut self, start: u64, from: Location, shown: bool) {
        if let Some(mapped) = self.mappings.get_mut(&start) {
            if !mapped.access.contains(&from) {
                mapped.access.push(from);
            }
            mapped.shown |= shown;
        }
    }

    /// The starts of the live mappings of pieces of one place.
    pub(super) fn mappings_of(&self, location: Location) -> Vec<u64> {
        self.mappings
            .values()
            .filter(|mapped| mapped.live && mapped.location == location)
            .map(|mapped| mapped.range.start)
            .collect()
    }

    /// Whether nothing waits for its users to pass.
    pub(super) fn is_settled(&self) -> bool {
        self.retired.is_empty() && self.leaving.is_empty()
    }

    /// Retired mappings that nobody uses any more.
    pub(super) fn unused(&self) -> Vec<u64> {
        let passed = |start: &u64| {
            let mapped = self.mappings.get(start);
            mapped.is_some_and(|mapped| mapped.users.passed())
        };
        self.retired.iter().copied().filter(passed).collect()
    }

    /// Reservations that leave and have nothing mapped in them any more.
    pub(super) fn empty(&self) -> Vec<u64> {
        let empty = |start: &u64| {
            let reserved = self.reservations.get(start);
            reserved.is_some_and(|reserved| reserved.occupied == 0)
        };
        self.leaving.iter().copied().filter(empty).collect()
    }
}

#[cfg(test)]
mod tests;
