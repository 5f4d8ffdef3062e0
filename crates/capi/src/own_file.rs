//! A file that the library writes inside a program which does not know of it: records, statistics, findings.
//!
//! Programs close descriptors that they did not open (daemons close them all) and then open files of their own under
//! the same numbers. What is written to such a number lands in the program's file. So the number is a high one, which
//! loops that close the usual ones miss; before each write the descriptor is compared with the file that was opened,
//! by device and inode; and when it is another one, the file is opened again by its path. A file that cannot be found
//! again is an error; the program's file is never written. What remains is the moment between the comparison and the write,
//! in which another thread of the program would have to close and open a file.
//!
//! A write past the program's limit for files (`RLIMIT_FSIZE`) or into a pipe without a reader raises a signal that
//! ends the program. Here it is an error of the write alone.
#![expect(
    unsafe_code,
    reason = "checks descriptors that may be closed, and blocks signals"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::ptr;

/// The least number of the descriptor, if the program's limit allows: below the usual size of a descriptor table.
const HIGH: [RawFd; 2] = [1000, 200];

/// A file that only this library knows.
#[derive(Debug)]
pub(crate) struct OwnFile {
    number: RawFd,
    identity: Identity,
    path: PathBuf,
}

/// Identifies a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: libc::dev_t,
    inode: libc::ino_t,
}

impl OwnFile {
    /// Opens a file to append to it; makes it if it is not there.
    pub(crate) fn append(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Self::new(file, path)
    }

    /// Takes over a file that was opened to append to it.
    pub(crate) fn new(file: File, path: &Path) -> io::Result<Self> {
        let number = raised(file.into_raw_fd());
        let Some(identity) = identity(number) else {
            return Err(io::Error::last_os_error());
        };
        Ok(Self {
            number,
            identity,
            // The program may change its folder.
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the descriptor is this file's.
    fn find(&mut self) -> io::Result<()> {
        if identity(self.number) == Some(self.identity) {
            return Ok(());
        }
        let lost = |why: String| {
            io::Error::other(format!(
                "the program closed our descriptor, and {} {why}",
                self.path.display()
            ))
        };
        let file = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .map_err(|error| lost(format!("cannot be opened again: {error}")))?;
        if identity(file.as_raw_fd()) != Some(self.identity) {
            return Err(lost("is another file now".to_owned()));
        }
        self.number = raised(file.into_raw_fd());
        Ok(())
    }
}

impl Write for OwnFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.find()?;
        let _blocked = SignalsBlocked::new();
        // SAFETY: the descriptor was just seen to be open; the value is not dropped, so it is not closed.
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(self.number) });
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        if identity(self.number) == Some(self.identity) {
            close(self.number);
        }
    }
}

fn identity(number: RawFd) -> Option<Identity> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the structure is writable; a closed descriptor is an error code.
    if unsafe { libc::fstat(number, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call has filled it.
    let status = unsafe { status.assume_init() };
    Some(Identity {
        device: status.st_dev,
        inode: status.st_ino,
    })
}

/// The same file under a high number, if there is one. Programs that are started do not get it.
fn raised(number: RawFd) -> RawFd {
    for least in HIGH {
        // SAFETY: asks for another number of a descriptor that is our own.
        let high = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, least) };
        if high >= 0 {
            close(number);
            return high;
        }
    }
    number
}

fn close(number: RawFd) {
    // SAFETY: callers have just seen that the descriptor is their own, and do not use it again.
    unsafe { libc::close(number) };
}

/// While it exists, writes of this thread raise no signal.
struct SignalsBlocked {
    before: MaybeUninit<libc::sigset_t>,
    pending: [bool; SIGNALS.len()],
}

/// What a write may raise.
const SIGNALS: [libc::c_int; 2] = [libc::SIGXFSZ, libc::SIGPIPE];

impl SignalsBlocked {
    fn new() -> Self {
        let pending = pending();
        let mut before = MaybeUninit::uninit();
        let held = set(&SIGNALS);
        // SAFETY: both sets live through the call.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, before.as_mut_ptr());
        }
        Self { before, pending }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // A signal that our write raised is consumed, so that it is not delivered when signals are unblocked.
        let now = pending();
        for (index, signal) in SIGNALS.into_iter().enumerate() {
            if now[index] && !self.pending[index] {
                let one = set(&[signal]);
                let none = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                };
                // SAFETY: set and time live through the call, which does not wait.
                unsafe { libc::sigtimedwait(&raw const one, ptr::null_mut(), &raw const none) };
            }
        }
        // SAFETY: `new` had the set filled in.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, self.before.as_ptr(), ptr::null_mut());
        }
    }
}

/// Which of the signals wait for this thread.
fn pending() -> [bool; SIGNALS.len()] {
    let mut waiting = set(&[]);
    // SAFETY: the set is writable.
    unsafe { libc::sigpending(&raw mut waiting) };
    // SAFETY: the set was made above, and filled.
    SIGNALS.map(|signal| unsafe { libc::sigismember(&raw const waiting, signal) } == 1)
}

fn set(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is writable, and valid afterwards.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    for &signal in signals {
        // SAFETY: the set is valid, and so are the numbers.
        unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    }
    // SAFETY: made by the first call.
    unsafe { set.assume_init() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// These tests close descriptors that others might get.
    static ALONE: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

    fn path(name: &str) -> PathBuf {
        let name = format!("millpond-own-file-{}-{name}", std::process::id());
        std::env::temp_dir().join(name)
    }

    /// As a program does that opens a file under a number which it has closed.
    fn replace(number: RawFd, file: &File) {
        // SAFETY: both are open descriptors.
        assert!(unsafe { libc::dup2(file.as_raw_fd(), number) } >= 0);
    }

    #[test]
    fn a_descriptor_that_the_program_reuses_is_not_written_and_the_file_is_reopened() {
        let _alone = ALONE.lock();
        let (mine, theirs) = (path("mine"), path("theirs"));
        let mut file = OwnFile::append(&mine).unwrap();
        file.write_all(b"one\n").unwrap();
        let other = File::create(&theirs).unwrap();
        replace(file.number, &other);
        file.write_all(b"two\n").unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "one\ntwo\n");
        close(file.number);
        file.write_all(b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "one\ntwo\nthree\n");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "");

        replace(file.number, &other);
        let number = file.number;
        drop(file);
        assert!(identity(number).is_some(), "theirs stays open");
        close(number);
        fs::remove_file(mine).unwrap();
        fs::remove_file(theirs).unwrap();
    }

    #[test]
    fn a_file_that_is_gone_is_an_error() {
        let _alone = ALONE.lock();
        let (mine, gone) = (path("there"), path("gone"));
        let mut file = OwnFile::append(&mine).unwrap();
        close(file.number);
        fs::rename(&mine, &gone).unwrap();
        let error = file.write_all(b"one\n").unwrap_err().to_string();
        assert!(error.contains("closed our descriptor"), "{error}");
        fs::write(&mine, "another").unwrap();
        let error = file.write_all(b"one\n").unwrap_err().to_string();
        assert!(error.contains("another file"), "{error}");
        assert_eq!(fs::read_to_string(&mine).unwrap(), "another");
        fs::remove_file(mine).unwrap();
        fs::remove_file(gone).unwrap();
    }

    #[test]
    fn a_pipe_without_a_reader_is_an_error_and_no_signal() {
        let _alone = ALONE.lock();
        let (reader, writer) = io::pipe().unwrap();
        let mut file = OwnFile::new(
            // SAFETY: the descriptor is handed over.
            unsafe { File::from_raw_fd(writer.into_raw_fd()) },
            Path::new("pipe"),
        )
        .unwrap();
        drop(reader);
        // Tests ignore this signal; a program does not.
        // SAFETY: puts the default there.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let error = file.write_all(b"one\n").unwrap_err();
        // SAFETY: puts back what was there.
        unsafe { libc::signal(libc::SIGPIPE, before) };
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
