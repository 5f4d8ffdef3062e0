//! Recordings of device memory, whoever made them, as one stream of events.
//!
//! [`open`] recognises a file by its content and returns a [`Source`]: events in the order of time, the tables that they
//! refer to by number, and what was alive before the first event. Viewer, replay and exports read nothing else.
//!
//! Invariants: no file makes a reader panic, run code, or use memory that is out of proportion to the file; an
//! [`Error`] names the file and the byte.
#![forbid(unsafe_code)]

mod builder;
mod csv;
mod error;
mod event;
mod export;
mod input;
mod kept;
pub mod owner;
mod packed;
mod pickle;
mod ranges;
mod records;
mod reserved;
mod rmm;
mod snapshot;
mod source;
mod tables;
mod watched;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

pub use error::Error;
pub use event::{Event, Kind, StackId, TextId};
pub use export::{ExportError, Options, Target, export};
pub use ranges::Ranges;
pub use reserved::Reserved;
pub use source::{About, Allocator, Format, Notes, Source, read_all};
pub use tables::{Device, Frame, Node, Stream, Tables};
pub use watched::Watch;

use error::Fault;
use input::{Input, Lines};
use kept::Kept;
use watched::Watched;

/// Opens a recording of any format that this crate reads. The content decides, not the name.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Error> {
    open_watched(path, &mut |_part| ())
}

/// [`open`], which takes long for a large file. `watch` hears how much of the file was read, from 0 to 1.
pub fn open_watched(path: &Path, watch: Watch<'_>) -> Result<Box<dyn Source>, Error> {
    // Formats are told apart by a few bytes, which are then read again.
    let mut most = 0.0;
    let mut upwards = |part: f64| {
        if part > most {
            most = part;
            watch(part);
        }
    };
    let watch: Mutex<Watch<'_>> = Mutex::new(&mut upwards);
    let (file, bytes) = input::open(path)?;
    let input = Input::new(Box::new(Watched::new(file, &watch, bytes, 0.0, 1.0)), bytes)
        .map_err(|fault| fault.within(path, false))?;
    let unpacked = input.unpacked();
    let title = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // Record files are opened again, few of them twice.
    let again = || {
        let file = File::open(path)?;
        let watched = Watched::new(file, &watch, bytes, 0.0, 1.0);
        Ok(Box::new(watched) as Box<dyn Read>)
    };
    let kept = read(input, title, &again, true).map_err(|fault| fault.within(path, unpacked))?;
    Ok(Box::new(kept))
}

/// Reads a recording that is in memory; for tests and fuzzers. It looks at no file: native frames stay a module and a distance.
pub fn from_bytes(bytes: &[u8], title: &str) -> Result<Box<dyn Source>, Error> {
    let path = Path::new(title);
    let input = Input::new(Box::new(bytes), bytes.len() as u64)
        .map_err(|fault| fault.within(path, false))?;
    let unpacked = input.unpacked();
    let again = || Ok(Box::new(bytes) as Box<dyn Read>);
    let kept = read(input, title.to_owned(), &again, false)
        .map_err(|fault| fault.within(path, unpacked))?;
    Ok(Box::new(kept))
}

/// The most bytes that tell one format from another.
const TELLING: usize = 64;

fn read<'a>(
    mut input: Input<'a>,
    title: String,
    again: &'a dyn Fn() -> io::Result<Box<dyn Read + 'a>>,
    looks_up: bool,
) -> Result<Kept, Fault> {
    input.fill(TELLING)?;
    let about = |format| About {
        format,
        title,
        process: 0,
        began_unix_ns: None,
        has_times: true,
        file_bytes: input.file_bytes,
        settings: Vec::new(),
        allocator: None,
    };
    let head = input.ahead();
    if head.starts_with(records::MAGIC) {
        if input.unpacked() {
            return Err(Fault::at(
                0,
                "this is a compressed record file. Unpack it with gzip",
            ));
        }
        return records::read(again, about(Format::Millpond), looks_up);
    }
    if head.starts_with(csv::HEADER) {
        let about = about(Format::Csv);
        return csv::read(Lines::new(input), about);
    }
    if head.starts_with(rmm::HEADER) {
        let about = about(Format::Rmm);
        return rmm::read(Lines::new(input), about);
    }
    if is_pickle(head) {
        let about = about(Format::Snapshot);
        return snapshot::read(input, about);
    }
    Err(Fault::at(0, foreign(head)))
}

/// Pickles from protocol 2 on begin with its number; older ones with a mark and a dictionary or list.
fn is_pickle(head: &[u8]) -> bool {
    matches!(
        head,
        [0x80, 0..=64, ..]
            | [b'(', b'd' | b'l' | b'c' | b'i', ..]
            | [b'}' | b']', b'q' | b'(' | b'.', ..]
            | [b'c', ..]
    )
}

/// Why a file is not a recording.
fn foreign(head: &[u8]) -> String {
    let known = match head {
        [] => "the file is empty",
        [b'P', b'K', 3, 4, ..] => {
            "this is a zip archive. A memory snapshot is a plain pickle, as pickle.dump writes it: unpack the archive, \
             or save the snapshot again"
        }
        _ => {
            "this is none of the formats that Millpond reads: its own record files, PyTorch memory snapshots, CSV with \
             the header t_us,op,addr,size,stream, and RMM logs"
        }
    };
    known.to_owned()
}
