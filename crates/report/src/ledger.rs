//! Counters that the processes of a checked program share with the command that started them.
//!
//! A process that cannot write its findings cannot write that it failed either. So the counters are a page of shared
//! memory: `millpond check` creates it, and each process maps it when it loads the library. From then on counting needs
//! no descriptor, file system, permission or disk space: it works in a signal handler, after `chroot`, after a change of
//! the user and when the disk is full. Findings have any length, so they are lines of a second file in memory.
//!
//! Neither file has a name in a folder. Processes open them as `/proc/PID/fd/N` of the command, by a variable; this
//! works even if their parents close all inherited descriptors (as Python's `subprocess` does). Nothing is left behind,
//! however the command ends.
#![expect(
    unsafe_code,
    reason = "maps a file that several processes share, and reads it as atomic counters"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Processes that loaded the library.
    Loaded = 1,
    /// Processes that used it, so that a checker was created.
    Used,
    /// Lines of the findings file that could not be written.
    Unwritten,
    /// Findings beyond the limit of a process.
    DroppedFindings,
    /// Faults that were not reported in time.
    Faults,
    /// Annotations that were dropped before the runtime started.
    Annotations,
    /// Records that are missing in a record file, and record files that could not be created.
    Records,
    /// Processes that used the library unchecked, because their environment was cleared.
    Unchecked,
}

/// The first word of the page. It changes with the version of the page.
const MAGIC: u64 = u64::from_le_bytes(*b"MPledg\x00\x01");
/// Words of the page that are mapped.
const WORDS: usize = 16;

/// A mapped page of counters.
#[derive(Debug)]
pub struct Ledger {
    words: NonNull<[AtomicU64; WORDS]>,
}

// SAFETY: the page has only atomic words, and stays mapped as long as the value lives.
unsafe impl Send for Ledger {}
// SAFETY: as above.
unsafe impl Sync for Ledger {}

impl Ledger {
    /// A new page, and the file from which others map it.
    pub fn create() -> io::Result<(Self, File)> {
        let file = memory_file()?;
        file.set_len((WORDS * size_of::<u64>()) as u64)?;
        file.write_all_at(&MAGIC.to_le_bytes(), 0)?;
        Ok((Self::map(&file)?, file))
    }

    /// The page in an existing file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let data = file.metadata()?;
        let mut first = [0; 8];
        if !data.is_file() || data.len() != (WORDS * size_of::<u64>()) as u64 {
            return Err(io::Error::other("not a page of counters"));
        }
        file.read_exact_at(&mut first, 0)?;
        if u64::from_le_bytes(first) != MAGIC {
            return Err(io::Error::other(
                "the command and the library have different versions",
            ));
        }
        Self::map(&file)
    }

    fn map(file: &File) -> io::Result<Self> {
        // SAFETY: a new mapping of a file of that length, at addresses that the system chooses.
        let page = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                WORDS * size_of::<u64>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let words = NonNull::new(page.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Self { words })
    }

    fn word(&self, count: Count) -> &AtomicU64 {
        // SAFETY: mapped as long as the value lives; every bit pattern is a valid atomic word.
        let words = unsafe { self.words.as_ref() };
        &words[count as usize]
    }

    /// Adds to a counter. May be called in a signal handler.
    pub fn add(&self, count: Count, more: u64) {
        self.word(count).fetch_add(more, Ordering::Relaxed);
    }

    /// The sum of what all processes have added.
    pub fn get(&self, count: Count) -> u64 {
        self.word(count).load(Ordering::Relaxed)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and no reference to it remains.
        unsafe { libc::munmap(self.words.as_ptr().cast(), WORDS * size_of::<u64>()) };
    }
}

/// A file in memory without a name, closed on `exec`.
pub fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a literal that ends in NUL; the flags are valid.
    let number = unsafe { libc::memfd_create(c"millpond-check".as_ptr(), libc::MFD_CLOEXEC) };
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { File::from_raw_fd(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_shared() {
        let (ours, file) = Ledger::create().unwrap();
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let theirs = Ledger::open(Path::new(&path)).unwrap();
        drop(file);
        theirs.add(Count::Unwritten, 2);
        theirs.add(Count::Unwritten, 1);
        assert_eq!(ours.get(Count::Unwritten), 3);
        assert_eq!(ours.get(Count::Used), 0);
    }

    #[test]
    fn another_file_is_refused() {
        for path in ["/dev/zero", "/proc/self/exe", "/no/such/file"] {
            assert!(Ledger::open(Path::new(path)).is_err(), "{path}");
        }
        let file = memory_file().unwrap();
        file.set_len((WORDS * 8) as u64).unwrap();
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let error = Ledger::open(Path::new(&path)).unwrap_err();
        assert!(error.to_string().contains("versions"), "{error}");
    }
}
