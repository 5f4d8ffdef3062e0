//! Addresses and pages as two things that are joined by mapping.
//!
//! A *window* is address space without pages; a *piece* is pages without an address. Mapping lays a
//! piece over a part of a window. `millpond` decides which part of which window may be used by which
//! work, and until when; here every call is executed as it comes.

mod host;
mod offsets;
mod segments;

use std::fmt;

pub use host::HostAddressSpace;

use crate::{AddressRange, DeviceError};

/// Address space that was reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The addresses that programs see.
    pub range: AddressRange,
    /// What to add to an address to get the one that work may touch.
    pub distance: u64,
}

/// Pages that have no address of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub u64);

/// Reserves addresses, creates pages and maps one to the other.
///
/// What always holds: a call that fails can be made again; a piece may be mapped at many places,
/// which then show the same bytes; pages that were never written read as zeros. Callers name only
/// windows and pieces that are there, map only where nothing is mapped, and end a piece or a window
/// only when nothing of it is mapped.
pub trait AddressSpace: Send + Sync + fmt::Debug {
    /// What sizes and addresses of pieces are multiples of, at least.
    fn granularity(&self) -> u64;

    /// Reserves `bytes` bytes of addresses, at `wanted` if that place is free, else anywhere.
    fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Window, DeviceError>;

    /// Gives the window that starts at `start` back.
    fn release(&self, start: u64) -> Result<(), DeviceError>;

    /// Makes a piece of `bytes` bytes. The machine is asked for all of it now.
    fn create(&self, bytes: u64) -> Result<PieceId, DeviceError>;

    /// Returns the pages of a piece to the machine.
    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError>;

    /// Lays a piece over the addresses from `at`, so that work may touch it. With `shown` the program
    /// may do so too.
    fn map(&self, piece: PieceId, at: u64, shown: bool) -> Result<(), DeviceError>;

    /// From now on the program, too, may touch what is mapped at `at`.
    fn show(&self, at: u64) -> Result<(), DeviceError>;

    /// The program may not touch what is mapped at `at` any more. Work still may, and where program
    /// and work use the same addresses nothing changes.
    fn hide(&self, at: u64) -> Result<(), DeviceError>;

    /// Takes what is mapped at `at` away from everybody.
    fn unmap(&self, at: u64) -> Result<(), DeviceError>;
}
