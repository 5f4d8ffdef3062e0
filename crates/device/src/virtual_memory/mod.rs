//! Addresses and pages as two things that are joined by mapping.
//!
//! A *window* is address space without pages; a *piece* is pages without an address. Mapping lays a
//! piece over a part of a window. `millpond` decides which part of which window may be used by which
//! work, and until when; here every call is executed as it comes.

mod host;
mod offsets;
mod segments;

pub(crate) use offsets::Offsets;

use std::fmt;

pub use host::HostAddressSpace;

use crate::mapping::{SparseFile, file_size_limit};
use crate::{AddressRange, DeviceError, SharedPages, os_page};

/// Bytes of a file that contains pieces. It is empty until it is touched, so only offsets are spent.
const FILE_BYTES: u64 = 1 << 50;

/// Something that is dropped when pages of another process are not mapped here any more.
pub type Keeper = Box<dyn fmt::Debug + Send + Sync>;

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

/// What pages are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Home {
    /// Memory of this machine.
    #[default]
    Machine,
    /// Memory of the GPU with this number, which this process cannot touch.
    Gpu(u32),
}

/// A file for as many pieces as there will ever be.
pub(crate) fn file_of_pieces() -> Result<SparseFile, DeviceError> {
    SparseFile::new(FILE_BYTES.min(file_size_limit() / os_page() * os_page()))
}

/// Reserves addresses, creates pages and maps one to the other.
///
/// What always holds: a call that fails can be made again; a piece may be mapped at many places,
/// which then show the same bytes; pages that were never written read as zeros. Callers name only
/// windows and pieces that are there, map only where nothing is mapped, and end a piece or a window
/// only when nothing of it is mapped.
pub trait AddressSpace: Send + Sync + fmt::Debug {
    /// What sizes and addresses of pieces are multiples of, at least.
    fn granularity(&self, home: Home) -> u64;

    /// Reserves `bytes` bytes of addresses, at `wanted` if that place is free, else anywhere.
    fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Window, DeviceError>;

    /// Gives the window that starts at `start` back.
    fn release(&self, start: u64) -> Result<(), DeviceError>;

    /// Makes a piece of `bytes` bytes. The machine, or the GPU, is asked for all of it now.
    fn create(&self, bytes: u64, home: Home) -> Result<PieceId, DeviceError>;

    /// What another process needs to map a piece.
    fn share(&self, piece: PieceId) -> Result<SharedPages, DeviceError> {
        let _ = piece;
        Err(DeviceError::System {
            call: "dup",
            error: "this memory belongs to one process".to_owned(),
        })
    }

    /// Makes a piece of pages that another process, or another memory of this one, owns. The machine is asked for nothing.
    /// `keep` is dropped with the piece. Says what it is made of, too.
    fn adopt(&self, pages: SharedPages, keep: Keeper) -> Result<(PieceId, Home), DeviceError> {
        let _ = (pages, keep);
        Err(DeviceError::System {
            call: "mmap",
            error: "these devices cannot map memory of others".to_owned(),
        })
    }

    /// Returns the pages of a piece to the machine; those of others stay with their owner.
    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError>;

    /// Lays a piece over the addresses from `at`, so that work may touch it. With `shown` the program
    /// may do so too, which is refused where only a GPU can.
    fn map(&self, piece: PieceId, at: u64, shown: bool) -> Result<(), DeviceError>;

    /// From now on the program, too, may touch what is mapped at `at`. Refused where only a GPU can.
    fn show(&self, at: u64) -> Result<(), DeviceError>;

    /// The program may not touch what is mapped at `at` any more. Work still may, and where program
    /// and work use the same addresses nothing changes.
    fn hide(&self, at: u64) -> Result<(), DeviceError>;

    /// Unmaps what is mapped at `at`, for the program and for work.
    fn unmap(&self, at: u64) -> Result<(), DeviceError>;
}
