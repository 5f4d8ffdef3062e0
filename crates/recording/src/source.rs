//! What every reader provides, whatever the format of its file.

use std::fmt;

use crate::error::Error;
use crate::event::Event;
use crate::tables::Tables;

/// How a recording is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A record file of Millpond (docs/record-format.md).
    Millpond,
    /// A memory snapshot of PyTorch or `torch_npu`.
    Snapshot,
    /// `t_us,op,addr,size,stream`.
    Csv,
    /// A log of RAPIDS Memory Manager.
    Rmm,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Millpond => "Millpond record file",
            Self::Snapshot => "PyTorch memory snapshot",
            Self::Csv => "CSV trace",
            Self::Rmm => "RMM log",
        })
    }
}

/// What a recording says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// How it is stored.
    pub format: Format,
    /// A name for it: the program's, or the file's.
    pub title: String,
    /// The process that made it; 0 if that is not known.
    pub process: u32,
    /// When it began: nanoseconds since 1970-01-01 00:00 UTC. None if it does not say.
    pub began_unix_ns: Option<u64>,
    /// Whether it has times. If not, each event takes a microsecond, so that the order is right.
    pub has_times: bool,
    /// How many bytes the file has.
    pub file_bytes: u64,
    /// The allocator's settings, as name and value, if the recording has them.
    pub settings: Vec<(String, String)>,
    /// Whose allocator it was, where blocks and frames show more than the format says.
    pub allocator: Option<Allocator>,
}

/// An allocator that shows in a recording of more general a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Allocator {
    /// The one of `torch_npu`.
    TorchNpu {
        /// Whether it adds 32 bytes to each request, as before CANN 9.1, and the sizes in the recording are without them.
        pads: bool,
    },
    /// Millpond's pool on a GPU.
    MillpondCuda,
    /// Millpond's pool as a plug-in of an AscendCL runtime.
    MillpondPlugin,
}

/// What a reader had to mend or leave out. All zero for a file that is complete and consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notes {
    /// Events whose time was before that of the event before them, by at most a second. They got that event's time.
    pub late: u64,
    /// Frees of blocks that were not alive. They were left out.
    pub unmatched: u64,
    /// Blocks that were alive where a new one began, or whose free was not recorded. The reader added their frees.
    pub implied: u64,
    /// Frees with another size than their allocation. They got the allocation's.
    pub resized: u64,
    /// Records that are damaged or missing; [`Source::read`] went on after them.
    pub lost: u64,
    /// Entries of kinds that this version does not know. They were left out.
    pub unknown: u64,
}

/// Streams the events of a recording, in the order of time, with bounded memory.
///
/// What always holds, because readers make it so:
///
/// - Times never run backwards.
/// - Every block has an [`Alloc`](crate::Kind::Alloc), here or in [`before`](Self::before). A
///   [`FreeRequested`](crate::Kind::FreeRequested) comes at most once for it and names a block that is alive; a
///   [`FreeCompleted`](crate::Kind::FreeCompleted) comes at most once, after it. All three have the same bytes.
/// - A new block never begins at an address whose block is not completed.
pub trait Source: fmt::Debug + Send {
    /// What the recording says about itself.
    fn about(&self) -> &About;

    /// What the events delivered so far refer to by number.
    fn tables(&self) -> &Tables;

    /// What was alive before the first event, as events that would have made it so: segments first, then blocks. All
    /// have the time of the first event.
    fn before(&self) -> &[Event];

    /// Appends the next events. Returns whether there were any.
    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Error>;

    /// Begins again with the first event.
    fn rewind(&mut self) -> Result<(), Error>;

    /// What was mended or left out so far; complete at the end.
    fn notes(&self) -> Notes;

    /// How many events there are, if that is known already.
    fn events(&self) -> Option<u64>;

    /// How far reading has come, from 0 to 1.
    fn progress(&self) -> f64;
}

/// All events of a source, those of [`Source::before`] not included. For tests and small recordings.
pub fn read_all(source: &mut dyn Source) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    while source.read(&mut events)? {}
    Ok(events)
}
