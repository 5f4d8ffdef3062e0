//! Memory behind a descriptor.
//!
//! What must always hold: a process has at most one [`Segment`] value per file. The kernel forgets all record locks of a process on
//! a file when the process closes *any* descriptor of it, so two values with a descriptor each would take each other's claims away.
#![expect(unsafe_code, reason = "maps memory, and calls fcntl for record locks")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;

use parking_lot::Mutex;
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// Descriptors above this number survive programs that close the usual ones.
const HIGH: [i32; 2] = [1000, 200];

/// Memory that several processes have mapped. Pages take memory once they are touched.
#[derive(Debug)]
pub struct Segment {
    file: File,
    start: NonNull<u8>,
    bytes: usize,
    /// Further descriptors of the file.
    more: Mutex<Vec<OwnedFd>>,
}

// SAFETY: the mapping stays where it is until the value is dropped, and is only given out as a raw pointer.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    /// Makes a segment of zero bytes. `name` shows in `/proc/PID/maps`.
    pub fn create(name: &str, bytes: usize) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = File::from(rustix::fs::memfd_create(name, flags)?);
        file.set_len(bytes as u64)?;
        // A peer that made the file shorter would make every access here a SIGBUS.
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals)?;
        Self::map(file)
    }

    /// Maps a segment that another process made.
    pub fn open(descriptor: OwnedFd) -> io::Result<Self> {
        let sealed = rustix::fs::fcntl_get_seals(&descriptor)?;
        if !sealed.contains(SealFlags::SHRINK) {
            return Err(io::Error::other("the shared file may shrink"));
        }
        Self::map(File::from(descriptor))
    }

    fn map(file: File) -> io::Result<Self> {
        let file = raised(file);
        let bytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let start = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | MapFlags::NORESERVE,
                &file,
                0,
            )
        }?;
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // A forked child must not take part in what its parent does here.
        // SAFETY: the range was mapped above.
        unsafe {
            rustix::mm::madvise(
                start.as_ptr().cast(),
                bytes,
                rustix::mm::Advice::LinuxDontFork,
            )
        }?;
        Ok(Self {
            file,
            start,
            bytes,
            more: Mutex::default(),
        })
    }

    /// Where it is mapped. Other processes write there at any time: only atomics, and bytes that a protocol hands over, may be used.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// How long it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The descriptor to pass on.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Keeps another descriptor of the same file as long as the segment: closing it would release the process's claims.
    pub fn keep(&self, descriptor: Option<OwnedFd>) {
        self.more.lock().extend(descriptor);
    }

    /// Gives the pages of a range back to the machine; they read as zero afterwards.
    pub fn discard(&self, start: usize, bytes: usize) -> io::Result<()> {
        let flags = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        Ok(rustix::fs::fallocate(
            &self.file,
            flags,
            start as u64,
            bytes as u64,
        )?)
    }

    /// Claims a byte for this process until it is released or the process ends, however it ends.
    pub fn claim(&self, slot: u64) -> io::Result<()> {
        self.lock(libc::F_WRLCK, slot)
    }

    /// Releases a claim.
    pub fn release(&self, slot: u64) -> io::Result<()> {
        self.lock(libc::F_UNLCK, slot)
    }

    fn lock(&self, kind: i32, slot: u64) -> io::Result<()> {
        let lock = record_lock(kind, slot);
        // SAFETY: the descriptor is open and the structure is complete.
        let locked = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_SETLK, &raw const lock) };
        if locked == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Whether *another* process holds the claim of a byte. Claims of this process do not count.
    pub fn is_claimed(&self, slot: u64) -> io::Result<bool> {
        let mut lock = record_lock(libc::F_WRLCK, slot);
        // SAFETY: the descriptor is open and the structure is complete.
        let asked = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_GETLK, &raw mut lock) };
        if asked != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(i32::from(lock.l_type) != libc::F_UNLCK)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nobody has the address any more.
        let unmapped = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.bytes) };
        debug_assert!(unmapped.is_ok(), "the mapping was whole");
    }
}

fn record_lock(kind: i32, slot: u64) -> libc::flock {
    // SAFETY: zero is valid for each of its fields.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the constants are small, the fields short"
    )]
    {
        lock.l_type = kind as i16;
        lock.l_whence = libc::SEEK_SET as i16;
    }
    lock.l_start = i64::try_from(slot).unwrap_or(i64::MAX - 1);
    lock.l_len = 1;
    lock
}

/// The same file under a high number, if the limits allow. Before any lock is taken, because closing the old number releases locks.
fn raised(file: File) -> File {
    for least in HIGH {
        // SAFETY: makes another descriptor of an open file.
        let number = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) };
        if number >= 0 {
            // SAFETY: a new descriptor that nobody else knows.
            return File::from(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
    file
}
