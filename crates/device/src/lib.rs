//! Devices: memory, and moving bytes.
//!
//! There are two concepts. A [`Memory`] is one address range with pages behind it: it promises
//! pages ([`Memory::commit`]), takes idle ones back ([`Memory::give_back`]) and says at which address
//! work may access a byte ([`Memory::distance`]). A [`Mover`] copies and fills bytes. Neither knows blocks,
//! streams or order: `millpond` decides which work may use which byte when.
//!
//! - [`HostDevice`]: a device in the machine's own memory.
//! - [`PinnedMemory`]: host memory that a device can reach. [`Gate`]: closes pages of it to the program,
//!   for a checker.
//! - [`AddressSpace`]: addresses and pages apart from each other, joined by mapping;
//!   [`HostAddressSpace`] is the machine's own, [`CudaAddressSpace`] also maps memory of GPUs.
//! - [`CudaDevice`]: a device in the memory of a GPU, which the host cannot touch; [`Cuda`]: the GPUs and their driver.
//! - [`Ledger`]: what all memories of one source have promised, against what the machine can give.
//! - `testing`: wrappers that fail at call number N, for tests of everything above.

mod address;
mod backing;
mod cuda;
mod gate;
mod host;
mod machine;
mod mapping;
mod mover;
mod pages;
mod pinned;
#[doc(hidden)]
pub mod testing;
mod virtual_memory;

use std::fmt;
use std::sync::Arc;

pub use address::{AddressRange, HUGE_PAGE, os_page};
pub use cuda::{
    BesideCuda, Brought, Cuda, CudaAddressSpace, CudaDevice, CudaOptions, GpuAccess,
    RegisteredPinned, Staged, Writing,
};
pub use gate::{Access, Call, Frozen, Gate};
pub use host::{HostDevice, HostOptions};
pub use machine::{Ledger, MachineMemory};
pub use mover::Mover;
pub use pages::{FilePart, PagesOf, SharedPages};
pub use pinned::{PINNED_RANGES, PinnedMemory, PinnedOptions};
pub use virtual_memory::{AddressSpace, Home, HostAddressSpace, Keeper, PieceId, Window};

/// What a device can refuse. Each case says what the caller may do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The machine has not enough memory left at this moment. Giving idle pages back may help.
    #[error(
        "{needed} bytes of pages are needed and the machine allows {allowed} more (limited by {by})"
    )]
    MachineFull {
        /// Bytes that would become resident if all promised pages were touched.
        needed: u64,
        /// Bytes that the machine allows at this moment.
        allowed: u64,
        /// What limits: available memory or a control group.
        by: &'static str,
    },
    /// The operating system refused a call. Retrying is not expected to help.
    #[error("{call} failed: {error}")]
    System {
        /// The call that was refused.
        call: &'static str,
        /// The system's error.
        error: String,
    },
    /// A GPU has not enough memory left at this moment. Giving idle pages back may help.
    #[error(transparent)]
    GpuFull(Box<GpuShortage>),
    /// A driver is not there, or refused a call. Retrying is not expected to help.
    #[error(transparent)]
    Driver(Box<millpond_cuda::Error>),
    /// The device does not do this, whatever the arguments.
    #[error("{what}")]
    NotOffered {
        /// What it does not do, and what to choose.
        what: String,
    },
    /// The system has only so many mappings for a process, and the rest is the program's own. Larger
    /// pieces need fewer.
    #[error(
        "there are {limit} mappings, half of what the system allows a process (vm.max_map_count): \
         unmap some, or use larger pieces"
    )]
    TooManyMappings {
        /// How many there may be.
        limit: u64,
    },
    /// A copy or fill could not be done. The bytes of the destination are unspecified.
    #[error("moving {bytes} bytes failed: {reason}")]
    Move {
        /// How many bytes were requested.
        bytes: u64,
        /// Why it failed.
        reason: String,
    },
}

/// What a GPU said that has not enough memory left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{needed} bytes are needed and {gpu} has {free} free of {total}: {cause}")]
pub struct GpuShortage {
    /// Bytes of pages that were asked for.
    pub needed: u64,
    /// Which GPU.
    pub gpu: String,
    /// Bytes that its driver says are free.
    pub free: u64,
    /// All bytes that it has.
    pub total: u64,
    /// The driver's own words.
    pub cause: millpond_cuda::Error,
}

impl From<millpond_cuda::Error> for DeviceError {
    fn from(error: millpond_cuda::Error) -> Self {
        Self::Driver(Box::new(error))
    }
}

impl DeviceError {
    /// Whether it is a lack of pages at this moment, which giving some back may end.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::MachineFull { .. } | Self::GpuFull(_))
    }

    /// The last error of the operating system, returned by `call`.
    fn last(call: &'static str) -> Self {
        Self::System {
            call,
            error: std::io::Error::last_os_error().to_string(),
        }
    }
}

/// One address range with pages behind it.
///
/// What always holds: the range never moves and is never unmapped while the value lives; a page
/// that was committed once never faults again, but after it was given back the machine may have
/// no room for it.
pub trait Memory: Send + Sync + fmt::Debug {
    /// The addresses that programs see.
    fn range(&self) -> AddressRange;

    /// What to add to an address, wrapping around, to get the one that work may touch. Zero where both are the same.
    fn distance(&self) -> u64;

    /// Whether the bytes are where work touches them at any time. Where not, a [`Mover`] finds them all the same, and other work of
    /// this process has to ask for them: [`Device::compute`], [`Device::bring`].
    fn is_touchable(&self) -> bool {
        true
    }

    /// Bytes of the pages that it promises, takes back and shows as a whole: a power of two, at least [`HUGE_PAGE`]. Its range
    /// starts at a multiple.
    fn page(&self) -> u64 {
        HUGE_PAGE
    }

    /// Promises that every page of `range` may be touched, or refuses without any effect.
    fn commit(&self, range: AddressRange) -> Result<(), DeviceError>;

    /// Returns the whole pages inside `range`, which were committed, to the machine; their contents
    /// are gone.
    /// Returns how many bytes were returned.
    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError>;

    /// Bytes at the end of the range that have no pages of their own: [`Memory::show`] maps pages of the rest there. Zero
    /// where a page has one address only.
    fn windows(&self) -> u64 {
        0
    }

    /// Maps `pages`, which are committed, at `at` too, in place of what was mapped there. Nobody uses the addresses there.
    /// `pages` and `at` are multiples of [`Memory::page`] from the start of the range.
    fn show(&self, pages: AddressRange, at: u64) -> Result<(), DeviceError> {
        let _ = (pages, at);
        Err(DeviceError::System {
            call: "mremap",
            error: "this memory shows a page at one address only".to_owned(),
        })
    }

    /// What another process needs to map `range`, which is committed: whole pages of the system, or of [`Memory::page`] where it is
    /// not touchable.
    fn share(&self, range: AddressRange) -> Result<SharedPages, DeviceError> {
        let _ = range;
        Err(DeviceError::System {
            call: "dup",
            error: "this memory belongs to one process".to_owned(),
        })
    }

    /// How many bytes of this range the machine holds in memory now.
    fn resident(&self) -> Result<u64, DeviceError>;

    /// What closes pages to the program, where it has a view of its own that it may touch.
    fn gate(&self) -> Option<&Arc<Gate>> {
        None
    }

    /// A copy for a child that is about to be forked, where the child does not inherit it.
    fn freeze(&self) -> Option<Frozen> {
        None
    }
}

/// A device: memory and something that moves bytes in it.
pub trait Device: Memory + Mover {
    /// What a user should know about how this device came to be, for example that it got less
    /// address space than it asked for. `None` when everything is as asked.
    fn note(&self) -> Option<String> {
        None
    }

    /// What it is, for people.
    fn describe(&self) -> String {
        "memory of this machine".to_owned()
    }

    /// What its pages are made of: [`AddressSpace::create`] makes others of the same kind.
    fn home(&self) -> Home {
        Home::Machine
    }

    /// Runs work of this process that computes on bytes of any devices, and says whether it succeeded. Where only a driver can touch
    /// them, they are brought before, and what may have been written is sent after it, unless it failed.
    fn compute(&self, parts: &[Staged], work: &mut dyn FnMut() -> bool) -> Result<(), DeviceError> {
        let _ = parts;
        work();
        Ok(())
    }

    /// Brings bytes for work whose end is not known yet. `None` where this process can touch them.
    fn bring(&self, ranges: &[AddressRange]) -> Result<Option<Brought>, DeviceError> {
        let _ = ranges;
        Ok(None)
    }

    /// A word of eight bytes, where this process cannot touch it; `None` where it can. Nothing has to be brought for it.
    fn load_word(&self, at: u64) -> Result<Option<u64>, DeviceError> {
        let _ = at;
        Ok(None)
    }

    /// Writes a word of eight bytes, where this process cannot touch it; otherwise it writes nothing and returns false.
    fn store_word(&self, at: u64, word: u64) -> Result<bool, DeviceError> {
        let _ = (at, word);
        Ok(false)
    }

    /// The GPU that holds the device's memory, for libraries that compute there themselves; `None` if the memory is this machine's.
    fn gpu(&self) -> Option<GpuAccess> {
        None
    }

    /// Bytes that are free now and all bytes, where a driver knows them; other programs may change the first at any time.
    fn own_room(&self) -> Option<(u64, u64)> {
        None
    }
}
