//! Writes a record file.

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
    /// The file could not be written. Later blocks are tried nevertheless.
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
/// A block is written with one system call when it is full, when a record arrives 100 milliseconds after its first, or
/// when [`Writer::flush`] is called. What was written survives the program however it ends. When the program pauses, its
/// last records stay buffered: flush from time to time.
///
/// Errors do not reach the program: [`Writer::problem`] returns them. After a fork only the process that created the
/// writer writes.
pub struct Writer {
    state: Mutex<State>,
    process: u32,
}

struct State {
    out: Box<dyn Write + Send>,
    block: Output,
    written: u64,
    lost: u64,
    /// The first problem, until it is queried.
    problem: Option<Problem>,
    has_failed: bool,
    /// The end mark was written last.
    closed: bool,
    /// Only records about memory are written: how many were so far.
    chosen: Option<u64>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Creates a file, or empties an existing one. Fails if another process is writing it.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(Self::open(path)?, &Header::of_this_process())
    }

    /// Opens and empties a file as [`Writer::create`] does, for callers that write it themselves. Writes append.
    pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        if file.metadata()?.is_file() {
            begin_anew(&file)?;
        }
        Ok(file)
    }

    /// Writes to any output. Each block is one call of `write`, unless that writes only a part.
    pub fn new(out: impl Write + Send + 'static, header: &Header) -> io::Result<Self> {
        Self::begin(out, header, Output::default())
    }

    /// The same for a recording of memory: packed, and only with records that say where memory went. The others are
    /// not counted as lost, and the numbers of the rest have no gaps.
    pub fn of_memory(out: impl Write + Send + 'static, header: &Header) -> io::Result<Self> {
        let header = Header {
            memory_only: true,
            ..header.clone()
        };
        Self::begin(out, &header, Output::packing())
    }

    fn begin(
        mut out: impl Write + Send + 'static,
        header: &Header,
        block: Output,
    ) -> io::Result<Self> {
        out.write_all(&header.encode())?;
        Ok(Self {
            state: Mutex::new(State {
                out: Box::new(out),
                block,
                written: 0,
                lost: 0,
                problem: None,
                has_failed: false,
                closed: false,
                chosen: header.memory_only.then_some(0),
            }),
            process: process::id(),
        })
    }

    /// Writes buffered records. A problem is kept for [`Writer::problem`].
    pub fn flush(&self) {
        if let Some(mut state) = self.state() {
            self.write_block(&mut state);
        }
    }

    /// Writes buffered records and the end mark. Later records are still written. Dropping a writer closes it.
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

    /// Returns the first problem, once.
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

    /// Locks it as a thread inside would.
    #[cfg(test)]
    pub(super) fn occupy(&self) -> impl Sized + '_ {
        self.state.lock()
    }

    fn write_block(&self, state: &mut State) {
        if state.block.is_empty() {
            return;
        }
        let records = u64::from(state.block.records());
        // After a fork the file and its offset are shared.
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

    /// None in a process that was forked while another thread held the lock: that thread does not exist here to release
    /// it.
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
        if !mem::replace(&mut self.has_failed, true) {
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
        let mut order = record.order;
        if let Some(chosen) = &mut state.chosen {
            if !record.operation.is_about_memory() {
                return;
            }
            *chosen += 1;
            order = *chosen;
        }
        state.closed = false;
        if !state.block.add(record, order) {
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

/// Empties a file that no other process writes.
fn begin_anew(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another process is writing its records to this file",
        )),
        // Some file systems have no locks; there it is the user's responsibility.
        Ok(()) | Err(fs::TryLockError::Error(_)) => file.set_len(0),
    }
}
