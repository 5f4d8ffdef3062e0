//! Writes recordings in formats that other tools read.
//!
//! Every writer streams: it needs memory for what is alive at a moment, not for the recording. Parquet needs a row group more.

mod chrome;
mod csv;
mod parquet;
mod perfetto;
mod pickle;
mod snapshot;
mod spans;
mod totals;

use std::fmt;
use std::io;

use crate::error::Error;
use crate::event::{Event, StackId};
use crate::source::Source;
use crate::tables::Tables;

/// A format to export to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A PyTorch memory snapshot, which `memory_viz` opens.
    Snapshot,
    /// Perfetto's protobuf.
    Perfetto,
    /// Chrome's JSON of trace events.
    Chrome,
    /// A table of events (docs/queries).
    Parquet,
    /// `t_us,op,addr,size,stream`.
    Csv,
}

/// What an export may be told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// The rank to write, if the recording does not say it or says it wrongly.
    pub rank: Option<u32>,
}

/// Why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The recording cannot be read.
    Source(Error),
    /// The file cannot be written.
    Output(io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<Error> for ExportError {
    fn from(error: Error) -> Self {
        Self::Source(error)
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes a recording, from its first event on.
pub fn export(
    source: &mut dyn Source,
    target: Target,
    options: Options,
    out: &mut (dyn io::Write + Send),
) -> Result<(), ExportError> {
    source.rewind()?;
    match target {
        Target::Snapshot => snapshot::write(source, out),
        Target::Perfetto => perfetto::write(source, out),
        Target::Chrome => chrome::write(source, out),
        Target::Parquet => parquet::write(source, options, out),
        Target::Csv => csv::write(source, out),
    }
}

/// Calls `each` with what was there before, and then with every event.
fn for_each(
    source: &mut dyn Source,
    mut each: impl FnMut(&Tables, &Event, bool) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    for place in 0..source.before().len() {
        let event = source.before()[place];
        each(source.tables(), &event, true)?;
    }
    let mut events = Vec::new();
    while source.read(&mut events)? {
        for event in &events {
            each(source.tables(), event, false)?;
        }
        events.clear();
    }
    Ok(())
}

/// The innermost frame, as `file:line function`.
fn site(tables: &Tables, stack: StackId) -> String {
    let Some(frame) = tables.stack(stack).next() else {
        return String::new();
    };
    let (file, function) = (tables.text(frame.file), tables.text(frame.function));
    if frame.line == 0 {
        return function.to_owned();
    }
    format!("{file}:{} {function}", frame.line)
}
