//! The system calls of this crate: one mapping, its pages, its end.
#![expect(
    unsafe_code,
    reason = "mmap and its relatives are foreign calls; nothing above this file makes one"
)]

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;

use crate::{AddressRange, DeviceError, HUGE_PAGE};

/// The size of the system's pages: 4 KiB on most machines, 64 KiB on some with Arm processors. `MILLPOND_TEST_PAGE` pretends
/// larger ones, for tests: every multiple of them is a multiple of the real ones.
pub(crate) fn os_page() -> u64 {
    static PAGE: OnceLock<u64> = OnceLock::new();
    *PAGE.get_or_init(|| {
        let wish = std::env::var("MILLPOND_TEST_PAGE").ok();
        pretended(real_page(), wish.as_deref())
    })
}

/// What the kernel counts in, whatever a test pretends.
pub(crate) fn real_page() -> u64 {
    // SAFETY: sysconf takes a number and has no other requirement.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(page).unwrap_or(4096)
}

/// A size that is no power of two, or smaller than a real page or larger than a huge one, is not pretended.
fn pretended(page: u64, wish: Option<&str>) -> u64 {
    wish.and_then(|wish| wish.parse().ok())
        .filter(|wish: &u64| wish.is_power_of_two() && (page..=HUGE_PAGE).contains(wish))
        .unwrap_or(page)
}

/// A range of address space that this value owns and unmaps when it goes.
#[derive(Debug)]
pub(crate) struct Mapping {
    range: AddressRange,
}

impl Mapping {
    /// Reserves `bytes` bytes of private memory that cannot be accessed yet, at `wanted` if that place
    /// is free, else wherever the system likes.
    pub(crate) fn new(bytes: u64, wanted: Option<u64>) -> Result<Self, DeviceError> {
        let protection = libc::PROT_NONE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        if let Some(address) = wanted {
            let fixed = flags | libc::MAP_FIXED_NOREPLACE;
            if let Ok(start) = map(Some(address), bytes, protection, fixed, None) {
                if start == address {
                    return Ok(Self::owning(start, bytes));
                }
                // Kernels before 4.17 take the flag for a hint and return another place.
                drop(Self::owning(start, bytes));
            }
        }
        map(None, bytes, protection, flags, None).map(|start| Self::owning(start, bytes))
    }

    const fn owning(start: u64, bytes: u64) -> Self {
        Self {
            range: AddressRange::new(start, bytes),
        }
    }

    pub(crate) const fn range(&self) -> AddressRange {
        self.range
    }

    /// Moves the range to where `place` starts, over whatever is mapped there.
    pub(crate) fn move_to(self, place: u64) -> Result<(), DeviceError> {
        // Nothing is left here to be unmapped.
        let moved = std::mem::ManuallyDrop::new(self);
        let (from, bytes) = (pointer(moved.range.start), length(moved.range.bytes));
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: the range is this value's own, and the caller owns the place.
        let at = unsafe { libc::mremap(from, bytes, bytes, flags, pointer(place)) };
        if at == libc::MAP_FAILED {
            return Err(DeviceError::last("mremap"));
        }
        Ok(())
    }

    /// Puts `file`, from its beginning, over the part of this mapping that starts at `offset`. Nobody
    /// can touch it yet.
    pub(crate) fn overlay(&self, offset: u64, file: &SparseFile) -> Result<(), DeviceError> {
        let place = AddressRange::new(self.range.start + offset, file.bytes);
        assert!(
            self.range.covers(place),
            "an overlay stays inside its mapping"
        );
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED;
        map(
            Some(place.start),
            place.bytes,
            libc::PROT_NONE,
            flags,
            Some((file, 0)),
        )
        .map(|_| ())
    }

    /// Puts the part of `file` that starts at `offset` over `part` of this mapping. With `open` it can
    /// be touched at once. A forked child does not get it, because it would share it.
    pub(crate) fn place(
        &self,
        part: AddressRange,
        file: &SparseFile,
        offset: u64,
        open: bool,
    ) -> Result<(), DeviceError> {
        assert!(self.range.covers(part), "places inside its own mapping");
        if !file.is_there() {
            return Err(DeviceError::System {
                call: "mmap",
                error: "the program closed the descriptor of physical memory, which belongs to \
                        Millpond"
                    .to_owned(),
            });
        }
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED;
        let start = Some(part.start);
        map(
            start,
            part.bytes,
            protection(open),
            flags,
            Some((file, offset)),
        )?;
        self.advise(part, libc::MADV_DONTFORK)
            .inspect_err(|_| drop(self.blank(part)))?;
        // The rest is advice in the true sense: small core files, fewer page faults.
        for advice in [libc::MADV_DONTDUMP, libc::MADV_HUGEPAGE] {
            drop(self.advise(part, advice));
        }
        Ok(())
    }

    /// Maps the pages of `shared`, which is open and of a file, at `at` too. A forked child does not get either.
    ///
    /// By address, not by descriptor, which the program may have closed.
    pub(crate) fn show(&self, shared: AddressRange, at: u64) -> Result<(), DeviceError> {
        let place = AddressRange::new(at, shared.bytes);
        assert!(
            self.range.covers(shared) && self.range.covers(place) && !shared.overlaps(place),
            "shows its own pages in its own range"
        );
        let (from, bytes) = (pointer(shared.start), length(shared.bytes));
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: both ranges are in a mapping that `self` owns. An old size of 0 leaves the pages of a shared mapping
        // where they are and maps them at the new place too; the caller knows that nobody uses that place.
        let placed = unsafe { libc::mremap(from, 0, bytes, flags, pointer(at)) };
        if placed == libc::MAP_FAILED {
            let error = DeviceError::last("mremap");
            // The system may have unmapped the place before it failed.
            drop(self.blank(place));
            return Err(error);
        }
        Ok(())
    }

    /// Makes `part` inaccessible address space again, as [`Mapping::new`] made it.
    pub(crate) fn blank(&self, part: AddressRange) -> Result<(), DeviceError> {
        assert!(self.range.covers(part), "blanks its own pages only");
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        let start = Some(part.start);
        map(start, part.bytes, libc::PROT_NONE, flags, None).map(|_| ())
    }

    /// Lets `part` be read and written from now on.
    ///
    /// Only what was promised is open: a mistake elsewhere faults instead of going unseen, and tools
    /// that keep books about every readable byte keep few.
    pub(crate) fn open(&self, part: AddressRange) -> Result<(), DeviceError> {
        assert!(self.range.covers(part), "opens its own pages only");
        let rights = protection(true);
        // SAFETY: the range is in a mapping that `self` owns; rights are only added.
        let answer = unsafe { libc::mprotect(pointer(part.start), length(part.bytes), rights) };
        if answer == 0 {
            Ok(())
        } else {
            Err(DeviceError::last("mprotect"))
        }
    }

    /// Changes what may be done with `part`; false if the system refuses. Allocates nothing and takes no lock: signal
    /// handlers call it.
    pub(crate) fn protect(&self, part: AddressRange, rights: Rights) -> bool {
        if !self.range.covers(part) {
            return false;
        }
        let rights = match rights {
            Rights::All => libc::PROT_READ | libc::PROT_WRITE,
            Rights::Read => libc::PROT_READ,
            Rights::None => libc::PROT_NONE,
        };
        // SAFETY: the range is in a mapping that `self` owns. Rights are taken only from the program's view of
        // pinned memory, which no reference of ours points into.
        unsafe { libc::mprotect(pointer(part.start), length(part.bytes), rights) == 0 }
    }

    /// Gives the kernel a piece of advice; whether it can follow is its own affair, except for
    /// what the caller checks.
    pub(crate) fn advise(
        &self,
        part: AddressRange,
        advice: libc::c_int,
    ) -> Result<(), DeviceError> {
        assert!(self.range.covers(part), "advice concerns this mapping only");
        // SAFETY: the range is in a mapping that `self` owns; the advices used in this crate
        // (DONTFORK, DONTDUMP, HUGEPAGE, DONTNEED, REMOVE) do not invalidate Rust references, because no
        // reference into device or pinned memory is ever held across a give-back.
        let answer = unsafe { libc::madvise(pointer(part.start), length(part.bytes), advice) };
        if answer == 0 {
            Ok(())
        } else {
            Err(DeviceError::last("madvise"))
        }
    }

    /// Takes the program's lock (mlockall) off `part`.
    pub(crate) fn unlock(&self, part: AddressRange) -> Result<(), DeviceError> {
        assert!(self.range.covers(part), "unlocks its own pages only");
        // SAFETY: the range is in a mapping that `self` owns; its contents and rights stay.
        let answer = unsafe { libc::munlock(pointer(part.start), length(part.bytes)) };
        if answer == 0 {
            Ok(())
        } else {
            Err(DeviceError::last("munlock"))
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this value owns the range and nobody can name it any more.
        let answer = unsafe { libc::munmap(pointer(self.range.start), length(self.range.bytes)) };
        debug_assert_eq!(answer, 0, "munmap of an own mapping");
    }
}

/// What may be done with pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    All,
    Read,
    None,
}

/// A file in memory without a name, as large as asked and empty until touched.
///
/// The descriptor is kept for questions only, and each one first checks that the number still means
/// this file: programs close descriptors that they do not know (daemons close them all), and then
/// the number may name a file of theirs.
#[derive(Debug)]
pub(crate) struct SparseFile {
    number: RawFd,
    identity: Identity,
    pub(crate) bytes: u64,
}

/// What tells files apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: libc::dev_t,
    inode: libc::ino_t,
}

impl Identity {
    const fn of(status: &libc::stat) -> Self {
        Self {
            device: status.st_dev,
            inode: status.st_ino,
        }
    }
}

impl SparseFile {
    pub(crate) fn new(bytes: u64) -> Result<Self, DeviceError> {
        if bytes > file_size_limit() {
            // ftruncate would not just fail: it would kill the process with SIGXFSZ.
            return Err(DeviceError::System {
                call: "ftruncate",
                error: format!("the file size limit (ulimit -f) is below {bytes} bytes"),
            });
        }
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name is a NUL-terminated literal; the flags are valid for memfd_create.
        let raw = unsafe { libc::memfd_create(c"millpond-device".as_ptr(), flags) };
        if raw < 0 {
            return Err(DeviceError::last("memfd_create"));
        }
        let status = status_of(raw).ok_or_else(|| {
            let error = DeviceError::last("fstat");
            close(raw);
            error
        })?;
        // From here on the value closes the descriptor.
        let file = Self {
            number: raw,
            identity: Identity::of(&status),
            bytes,
        };
        let size = libc::off_t::try_from(bytes).map_err(|_| DeviceError::System {
            call: "ftruncate",
            error: format!("{bytes} bytes do not fit a file"),
        })?;
        // SAFETY: the descriptor was just created and is our own.
        if unsafe { libc::ftruncate(raw, size) } != 0 {
            return Err(DeviceError::last("ftruncate"));
        }
        // Processes that share it must not be able to make it shorter. Systems without seals have no such processes.
        // SAFETY: takes numbers, and the descriptor is our own.
        unsafe { libc::fcntl(raw, libc::F_ADD_SEALS, libc::F_SEAL_SHRINK) };
        Ok(file)
    }

    /// Takes over a file of another process. One that could become shorter is refused: every access would be at risk.
    pub(crate) fn adopt(descriptor: OwnedFd) -> Result<Self, DeviceError> {
        let refused = |error: &str| DeviceError::System {
            call: "mmap",
            error: error.to_owned(),
        };
        // SAFETY: takes numbers; the descriptor is open.
        let seals = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_GET_SEALS) };
        if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
            return Err(refused("the shared file may become shorter"));
        }
        let status = status_of(descriptor.as_raw_fd());
        let status = status.ok_or_else(|| DeviceError::last("fstat"))?;
        Ok(Self {
            number: descriptor.into_raw_fd(),
            identity: Identity::of(&status),
            bytes: u64::try_from(status.st_size).unwrap_or(0),
        })
    }

    /// Whether both are the same file.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.identity == other.identity
    }

    /// Another descriptor of the file, for another process.
    pub(crate) fn duplicate(&self) -> Result<OwnedFd, DeviceError> {
        if !self.is_there() {
            return Err(DeviceError::System {
                call: "dup",
                error:
                    "the program closed the descriptor of device memory, which belongs to Millpond"
                        .to_owned(),
            });
        }
        // SAFETY: the descriptor names this file, as was just seen.
        let number = unsafe { libc::fcntl(self.number, libc::F_DUPFD_CLOEXEC, 0) };
        if number < 0 {
            return Err(DeviceError::last("fcntl"));
        }
        // SAFETY: a new descriptor that nobody else knows.
        Ok(unsafe { OwnedFd::from_raw_fd(number) })
    }

    /// Bytes of pages that the file holds; `None` when the descriptor is not this file's any more.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = self.status()?;
        Some(u64::try_from(status.st_blocks).unwrap_or(0) * 512)
    }

    /// Returns the pages of `bytes` bytes at `offset` to the machine; they read as zeros afterwards.
    /// Asked for only where [`SparseFile::is_there`] says that the descriptor is this file's.
    pub(crate) fn punch(&self, offset: u64, bytes: u64) -> Result<(), DeviceError> {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let place = |bytes| libc::off_t::try_from(bytes).unwrap_or(libc::off_t::MAX);
        // SAFETY: the descriptor names this file, as the caller saw; nobody maps these pages any more.
        let answer = unsafe { libc::fallocate(self.number, mode, place(offset), place(bytes)) };
        if answer == 0 {
            Ok(())
        } else {
            Err(DeviceError::last("fallocate"))
        }
    }

    /// Whether the descriptor still means this file.
    pub(crate) fn is_there(&self) -> bool {
        self.status().is_some()
    }

    fn status(&self) -> Option<libc::stat> {
        status_of(self.number).filter(|status| Identity::of(status) == self.identity)
    }
}

impl Drop for SparseFile {
    fn drop(&mut self) {
        if self.status().is_some() {
            close(self.number);
        }
    }
}

fn status_of(number: RawFd) -> Option<libc::stat> {
    // SAFETY: all-zero is a valid `stat`: it consists of integers.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `status` is a writable stat structure; a closed descriptor is an error code.
    let answer = unsafe { libc::fstat(number, &raw mut status) };
    (answer == 0).then_some(status)
}

fn close(number: RawFd) {
    // SAFETY: callers have just seen that the descriptor is their own and do not use it again.
    let answer = unsafe { libc::close(number) };
    debug_assert_eq!(answer, 0, "close of an own descriptor");
}

/// Bytes of memory that are free or only buffer files, by a call that needs no descriptor.
pub(crate) fn free_memory() -> Option<u64> {
    let info = system_info()?;
    let units = info.freeram.checked_add(info.bufferram)?;
    units.checked_mul(u64::from(info.mem_unit))
}

/// Bytes of memory that the machine has, by the same call.
pub(crate) fn installed_memory() -> Option<u64> {
    let info = system_info()?;
    info.totalram.checked_mul(u64::from(info.mem_unit))
}

fn system_info() -> Option<libc::sysinfo> {
    // SAFETY: all-zero is a valid `sysinfo`: it consists of integers.
    let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is a writable sysinfo structure.
    (unsafe { libc::sysinfo(&raw mut info) } == 0).then_some(info)
}

/// Bytes of `range` that are in memory. Costs time for every page: a file knows its own sooner.
pub(crate) fn resident(range: AddressRange) -> Result<u64, DeviceError> {
    let mut bytes = 0;
    each_resident(range, |part| bytes += part.bytes)?;
    Ok(bytes)
}

/// Calls `found` for each run of pages of `range` that are in memory.
pub(crate) fn each_resident(
    range: AddressRange,
    mut found: impl FnMut(AddressRange),
) -> Result<(), DeviceError> {
    const WINDOW: u64 = 1 << 30;
    let page = real_page();
    let window = WINDOW.min(range.bytes).div_ceil(page);
    let mut flags = vec![0_u8; usize::try_from(window).unwrap_or(0)];
    let mut start = range.start;
    while start < range.end() {
        let bytes = WINDOW.min(range.end() - start);
        // SAFETY: `flags` has one byte per page of the window.
        let answer = unsafe { libc::mincore(pointer(start), length(bytes), flags.as_mut_ptr()) };
        if answer != 0 {
            return Err(DeviceError::last("mincore"));
        }
        let used = usize::try_from(bytes.div_ceil(page)).unwrap_or(0);
        let mut at = start;
        for run in flags[..used].chunk_by(|one, next| one & 1 == next & 1) {
            let length = run.len() as u64 * page;
            if run[0] & 1 == 1 {
                found(AddressRange::new(at, length));
            }
            at += length;
        }
        start += bytes;
    }
    Ok(())
}

/// Copies bytes from one mapping to another.
///
/// # Safety
/// Both ranges are mapped, `from` readable and `to` writable, and they do not overlap.
pub(crate) unsafe fn copy(to: u64, from: AddressRange) {
    let (to, source) = (pointer(to).cast::<u8>(), pointer(from.start).cast::<u8>());
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(source, to, length(from.bytes)) };
}

/// One byte for each page of something, all zero, that any thread and signal handlers may change.
#[derive(Debug)]
pub(crate) struct Flags {
    mapping: Mapping,
}

impl Flags {
    /// As many as `count`. Costs memory only where it is touched.
    pub(crate) fn new(count: u64) -> Result<Self, DeviceError> {
        let mapping = Mapping::new(count.next_multiple_of(os_page()), None)?;
        mapping.open(mapping.range())?;
        Ok(Self { mapping })
    }

    /// The byte with this number; panics where there is none.
    pub(crate) fn get(&self, index: u64) -> &std::sync::atomic::AtomicU8 {
        assert!(index < self.mapping.range().bytes, "a byte of these");
        let place = pointer(self.mapping.range().start + index).cast::<u8>();
        // SAFETY: the byte is mapped as long as `self` lives, and everybody reaches it by this function.
        unsafe { std::sync::atomic::AtomicU8::from_ptr(place) }
    }
}

/// What Linux allows a process by default.
const USUAL_MAPPINGS: u64 = 65_530;

/// How many mappings the system allows a process.
pub(crate) fn allowed_mappings() -> u64 {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count");
    let number = text.ok().and_then(|text| text.trim().parse().ok());
    number.unwrap_or(USUAL_MAPPINGS)
}

/// The soft limit of `RLIMIT_FSIZE`.
pub(crate) fn file_size_limit() -> u64 {
    soft_limit(libc::RLIMIT_FSIZE).unwrap_or(u64::MAX)
}

/// The soft limit of `RLIMIT_AS` (ulimit -v) in bytes; `None` where there is none.
pub(crate) fn address_space_limit() -> Option<u64> {
    soft_limit(libc::RLIMIT_AS).filter(|bytes| *bytes != libc::RLIM_INFINITY)
}

/// Bytes of addresses that this process has mapped; `None` if `/proc` cannot be read.
pub(crate) fn mapped_addresses() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().next()?.parse().ok()?;
    pages.checked_mul(os_page())
}

fn soft_limit(which: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a writable rlimit structure.
    let answer = unsafe { libc::getrlimit(which, &raw mut limit) };
    (answer == 0).then_some(limit.rlim_cur)
}

fn map(
    address: Option<u64>,
    bytes: u64,
    protection: libc::c_int,
    flags: libc::c_int,
    file: Option<(&SparseFile, u64)>,
) -> Result<u64, DeviceError> {
    let (descriptor, offset) = file.map_or((-1, 0), |(file, offset)| (file.number, offset));
    let offset = libc::off_t::try_from(offset).unwrap_or(libc::off_t::MAX);
    // SAFETY: without MAP_FIXED the kernel picks unused address space; with it the caller in this
    // file names a part of a mapping that it owns.
    let mapped = unsafe {
        libc::mmap(
            pointer(address.unwrap_or(0)),
            length(bytes),
            protection,
            flags,
            descriptor,
            offset,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(DeviceError::last("mmap"));
    }
    Ok(mapped.addr() as u64)
}

const fn protection(open: bool) -> libc::c_int {
    if open {
        libc::PROT_READ | libc::PROT_WRITE
    } else {
        libc::PROT_NONE
    }
}

fn pointer(address: u64) -> *mut libc::c_void {
    // Addresses that come from mmap: their provenance is the mapping, exposed by the system.
    std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap_or(usize::MAX))
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_larger_pages_can_be_pretended() {
        for (wish, expected) in [
            (None, 4096),
            (Some("65536"), 65536),
            (Some("2097152"), HUGE_PAGE),
            (Some("1024"), 4096),
            (Some("12288"), 4096),
            (Some("4194304"), 4096),
            (Some("64K"), 4096),
            (Some(""), 4096),
        ] {
            assert_eq!(pretended(4096, wish), expected, "{wish:?}");
        }
    }
}
