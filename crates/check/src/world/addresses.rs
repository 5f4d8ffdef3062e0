//! Reserved addresses, and pieces of physical memory, which have no address of their own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{Bytes, NumberMap, Operation, PieceRef, Record, Space};

use super::Origin;

/// Addresses that are or were reserved.
#[derive(Debug, Clone)]
pub(crate) struct Reservation {
    pub(crate) range: Bytes,
    pub(crate) made: Arc<Origin>,
    pub(crate) ended: Option<Arc<Origin>>,
}

/// A piece of physical memory.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) space: Space,
    pub(crate) bytes: u64,
    pub(crate) made: Arc<Origin>,
}

/// Reservations that ended and are remembered.
const REMEMBERED: usize = 256;

/// All reservations and pieces.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    reserved: BTreeMap<u64, Reservation>,
    released: VecDeque<Reservation>,
    pieces: NumberMap<PieceRef, Piece>,
}

impl Addresses {
    /// The reservation that contains an address.
    pub(crate) fn reserved_at(&self, address: u64) -> Option<&Reservation> {
        let (_, reservation) = self.reserved.range(..=address).next_back()?;
        contains(reservation.range, address).then_some(reservation)
    }

    /// The reservation that an address was in and that was given up, the latest that is remembered.
    pub(crate) fn released_at(&self, address: u64) -> Option<&Reservation> {
        let mut released = self.released.iter().rev();
        released.find(|reservation| contains(reservation.range, address))
    }

    /// All that is reserved, by address.
    pub(crate) fn reserved(&self) -> impl Iterator<Item = &Reservation> {
        self.reserved.values()
    }

    /// All pieces that the program has a name or an address of.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (PieceRef, &Piece)> {
        self.pieces.iter().map(|(number, piece)| (*number, piece))
    }

    pub(crate) fn piece(&self, number: PieceRef) -> Option<&Piece> {
        self.pieces.get(&number)
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let reservations = self.reserved.len() + self.released.len();
        let each = size_of::<Reservation>() + size_of::<Origin>();
        (reservations * each + self.pieces.capacity() * (size_of::<Piece>() + 16)) as u64
    }

    pub(super) fn learn(&mut self, record: &Record) {
        match &record.operation {
            Operation::AddressesReserved { range } => {
                let reservation = Reservation {
                    range: *range,
                    made: Origin::of(record),
                    ended: None,
                };
                self.reserved.insert(range.start, reservation);
            }
            Operation::AddressesReleased { range, .. } => {
                let Some(mut reservation) = self.reserved.remove(&range.start) else {
                    return;
                };
                reservation.ended = Some(Origin::of(record));
                if self.released.len() == REMEMBERED {
                    self.released.pop_front();
                }
                self.released.push_back(reservation);
            }
            Operation::PhysicalAllocated {
                piece,
                space,
                bytes,
            } => {
                let made = Origin::of(record);
                let fresh = Piece {
                    space: *space,
                    bytes: *bytes,
                    made,
                };
                self.pieces.insert(*piece, fresh);
            }
            Operation::PhysicalFreed { piece, .. } => {
                self.pieces.remove(piece);
            }
            Operation::DeviceReset { device } => {
                let space = Space::Device(*device);
                self.pieces.retain(|_, piece| piece.space != space);
            }
            _ => {}
        }
    }
}

fn contains(range: Bytes, address: u64) -> bool {
    address
        .checked_sub(range.start)
        .is_some_and(|offset| offset < range.bytes)
}
