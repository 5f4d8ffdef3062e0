//! The pages behind one memory: private to the process, or of a file that only this value knows.
//!
//! Owns: the mapping, the file and what is known of both. The ledger (`machine.rs`) decides how
//! many pages may be promised.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::machine::Promises;
use crate::mapping::{self, Mapping, SparseFile};
use crate::{AddressRange, DeviceError, HUGE_PAGE};

/// Address space that has to be left when a memory has its own: the stacks of threads and large
/// blocks of `malloc` come out of the same limit, and a program that gets neither is of no use.
const HEADROOM: u64 = 256 << 20;
/// More than any machine's address space, and little enough that sums of a few do not overflow.
const MOST_SPAN: u64 = 1 << 56;

/// Pages that work may touch once they are open.
#[derive(Debug)]
pub(crate) struct Backing {
    mapping: Mapping,
    range: AddressRange,
    file: Option<SparseFile>,
    /// First address after everything that was ever open: nothing from there on is resident.
    mark: AtomicU64,
    committed: AtomicU64,
}

impl Backing {
    /// Takes over `range` of `mapping`, with the pages of `file` if there is one.
    pub(crate) fn new(mapping: Mapping, range: AddressRange, file: Option<SparseFile>) -> Self {
        Self {
            mapping,
            range,
            file,
            mark: AtomicU64::new(range.start),
            committed: AtomicU64::new(0),
        }
    }

    /// All of its addresses.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Lets `part` be touched from now on.
    pub(crate) fn open(&self, part: AddressRange) -> Result<(), DeviceError> {
        self.mapping.open(part)?;
        self.mark.fetch_max(part.end(), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the pages of `part`, which were open, to the machine.
    ///
    /// By address, not by descriptor: a program that closes all descriptors and opens a file of its
    /// own under the old number would lose that file's contents.
    pub(crate) fn give_back(&self, part: AddressRange) -> Result<(), DeviceError> {
        let advice = if self.file.is_some() {
            libc::MADV_REMOVE
        } else {
            libc::MADV_DONTNEED
        };
        self.mapping.advise(part, advice).or_else(|_| {
            // Pages that the program locked (mlockall) do not go. There is nothing in them any more
            // that it could want to keep.
            self.mapping.unlock(part)?;
            self.mapping.advise(part, advice)
        })
    }

    /// The file behind it, for another process.
    pub(crate) fn duplicate(&self) -> Result<OwnedFd, DeviceError> {
        let file = self.file.as_ref().ok_or_else(|| DeviceError::System {
            call: "dup",
            error: "this memory belongs to one process".to_owned(),
        })?;
        file.duplicate()
    }

    /// Bytes of `part` that the machine holds in memory.
    pub(crate) fn resident_in(&self, part: AddressRange) -> Result<u64, DeviceError> {
        debug_assert!(self.range.covers(part), "pages of this memory");
        mapping::resident(part)
    }
}

impl Promises for Backing {
    fn committed(&self) -> &AtomicU64 {
        &self.committed
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        if let Some(bytes) = self.file.as_ref().and_then(SparseFile::resident) {
            return Ok(bytes);
        }
        let end = self.mark.load(Ordering::Relaxed);
        mapping::resident(AddressRange::new(self.range.start, end - self.range.start))
    }
}

/// Whether enough address space is left for others, and no limit restricts it.
pub(crate) fn has_plenty() -> bool {
    addresses_left().is_none() && has_headroom()
}

/// Whether threads and large blocks of others find address space.
fn has_headroom() -> bool {
    Mapping::new(HEADROOM, None).is_ok()
}

/// What [`reserve`] is asked for.
pub(crate) struct Wish<'a> {
    /// For whom, as messages say it.
    pub(crate) what: &'a str,
    /// Bytes of addresses to reserve if nothing restricts them.
    pub(crate) span: u64,
    /// The fewest that are of use.
    pub(crate) least: u64,
    /// How often each byte is mapped.
    pub(crate) views: u64,
}

/// Reserves addresses with `attempt`: as many as wished, or fewer where tools and limits restrict the address space.
/// Leaves room for the rest of the process: half of what an address space limit leaves, and headroom in any case, if
/// that is possible at all.
pub(crate) fn reserve<T>(
    wish: &Wish<'_>,
    attempt: impl Fn(u64) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    let wanted = wish.span.min(MOST_SPAN).next_multiple_of(HUGE_PAGE);
    let least = wish.least.max(HUGE_PAGE);
    let share = addresses_left().map_or(u64::MAX, |left| left / 2 / wish.views);
    let mut span = wanted.min(share / HUGE_PAGE * HUGE_PAGE).max(least);
    loop {
        let shrinks = span / 2 >= least;
        match attempt(span) {
            Ok(made) if !shrinks || has_headroom() => return Ok(made),
            Err(error) if !shrinks => return Err(explained(error, wish)),
            // What was made without headroom is gone before the next attempt.
            _ => span = (span / 2).next_multiple_of(HUGE_PAGE),
        }
    }
}

/// Bytes of addresses that the limit of this process leaves; `None` where there is no limit.
fn addresses_left() -> Option<u64> {
    let limit = mapping::address_space_limit()?;
    let mapped = mapping::mapped_addresses().unwrap_or(0);
    Some(limit.saturating_sub(mapped))
}

/// The error of a reservation, with what to change.
fn explained(error: DeviceError, wish: &Wish<'_>) -> DeviceError {
    let DeviceError::System {
        call: "mmap",
        error,
    } = error
    else {
        return error;
    };
    let advice = match mapping::address_space_limit() {
        Some(limit) => {
            format!("the address space limit is {limit} bytes; raise it (ulimit -v, RLIMIT_AS)")
        }
        None => "something restricts the addresses of this process (an emulator, a sanitizer)"
            .to_owned(),
    };
    DeviceError::System {
        call: "mmap",
        error: format!(
            "{error}: {} needs at least {} bytes of addresses, and {advice}",
            wish.what,
            wish.least.saturating_mul(wish.views)
        ),
    }
}
