//! Writing a record file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::{fmt, mem, process};

use crate::{Record, Sink};

use super::frame::Header;
use super::output::Output;
use super::{BLOCK_BYTES, BLOCK_NANOSECONDS, END};

/// Why records are missing from a file.
#[derive(Debug)]
pub enum Problem {
    /// The file could not be written. Later blocks are tried again.
    Io(io::Error),
    /// A record was larger than a block may be.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::TooLarge => f.write_str("a record is larger than a block of the file may be"),
        }
    }
}

impl std::error::Error for Problem {}

/// A sink that writes records to a file, a block at a time.
///
/// A block is written, with one call of the system, when it is full, when a record comes that is 100
/// milliseconds younger than its first, or when [`Writer::flush`] is called. What was written
/// survives the program however it ends. When the program pauses, what it did last waits for a flush: who
/// attaches a writer flushes it from time to time.
///
/// Nothing that goes wrong reaches the program: [`Writer::problem`] says it. After a fork only the
/// process that made the writer writes.
pub struct Writer {
    state: Mutex<State>,
    process: u32,
}

struct State {
    out: Box<dyn Write + Send>,
    block: Output,
    written: u64,
    lost: u64,
    /// The first problem, until somebody asks.
    problem: Option<Problem>,
    told: bool,
    /// The end mark is the last thing in the file.
    closed: bool,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Begins a file, also where there is one already. Refuses one that another process is writing.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(Self::open(path)?, &Header::of_this_process())
    }

    /// Opens and empties a file as [`Writer::create`] does, for those who write it in a way of their own. What is
    /// written goes to its end.
    pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        if file.metadata()?.is_file() {
            begin_anew(&file)?;
        }
        Ok(file)
    }

    /// Writes to anything. Each block is one call of `write`, if that takes it whole.
    pub fn new(mut out: impl Write + Send + 'static, header: &Header) -> io::Result<Self> {
        out.write_all(&header.encode())?;
        Ok(Self {
            state: Mutex::new(State {
                out: Box::new(out),
                block: Output::default(),
                written: 0,
                lost: 0,
                problem: None,
                told: false,
                closed: false,
            }),
            process: process::id(),
        })
    }

    /// Writes what waits. A problem is kept for [`Writer::problem`].
    pub fn flush(&self) {
        if let Some(mut state) = self.state() {
            self.write_block(&mut state);
        }
    }

    /// Writes what waits, and a mark that says that this is all. Records that come later are written all the
    /// same. Dropping a writer closes it.
    pub fn close(&self) {
        let Some(mut state) = self.state() else {
            return;
        };
        if mem::replace(&mut state.closed, true) {
            return;
        }
        let records = state.written + u64::from(state.block.records());
        let lost = state.lost;
        state.block.note(END, &[records, lost]);
        self.write_block(&mut state);
    }

    /// Says once what went wrong first.
    pub fn problem(&self) -> Option<Problem> {
        self.state()?.problem.take()
    }

    /// How many records could not be written.
    pub fn lost(&self) -> u64 {
        self.state().map_or(0, |state| state.lost)
    }

    #[cfg(test)]
    pub(super) fn pretend_forked(&mut self) {
        self.process = 0;
    }

    /// As a thread that is in here holds it.
    #[cfg(test)]
    pub(super) fn occupy(&self) -> impl Sized + '_ {
        self.state.lock()
    }

    fn write_block(&self, state: &mut State) {
        if state.block.is_empty() {
            return;
        }
        let records = u64::from(state.block.records());
        // The file is shared after a fork, and so is the place in it.
        let result = if process::id() == self.process {
            state.out.write_all(state.block.finish())
        } else {
            Ok(())
        };
        state.block.clear();
        match result {
            Ok(()) => state.written += records,
            Err(error) => {
                state.lost += records;
                state.note(Problem::Io(error));
            }
        }
    }

    /// None in a process that was forked while another thread was in here: that thread is not there to
    /// come out again.
    fn state(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => return Some(state),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
        (process::id() == self.process)
            .then(|| self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn note(&mut self, problem: Problem) {
        if !mem::replace(&mut self.told, true) {
            self.problem = Some(problem);
        }
    }
}

impl Sink for Writer {
    fn record(&self, record: &Record) {
        let Some(mut state) = self.state() else {
            return;
        };
        let state = &mut *state;
        state.closed = false;
        if !state.block.add(record) {
            self.write_block(state);
            state.block.clear();
            state.lost += 1;
            state.note(Problem::TooLarge);
            return;
        }
        let age = record.nanoseconds.saturating_sub(state.block.nanoseconds());
        if state.block.bytes() >= BLOCK_BYTES || age >= BLOCK_NANOSECONDS {
            self.write_block(state);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// Empties a file that nobody else writes.
fn begin_anew(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another process is writing its records to this file",
        )),
        // Some file systems have no locks; there it is up to the user.
        Ok(()) | Err(fs::TryLockError::Error(_)) => file.set_len(0),
    }
}
