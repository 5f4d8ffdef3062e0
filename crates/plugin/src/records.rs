//! Records of what a program does with the pools' memory, for `millpond record` and `millpond check`.
//!
//! The pools and the hooks say what happened; with `MILLPOND_RECORD` or `MILLPOND_CHECK_CUDA` it becomes records in a file, as
//! libascendcl.so writes them. Pools of an AscendCL runtime say only what is of blocks and pages:
//!
//! | what happens | records |
//! | --- | --- |
//! | a block is allocated or freed, in the order of its stream | `Allocated`, `Freed` with the stream's last task |
//! | `record_stream` | `UseRecorded` |
//! | an event is recorded, a stream waits for it | `Enqueued`: tasks of these streams, without memory |
//! | the host waits or asks | `Synchronized`, `Queried` |
//! | pages are mapped or unmapped | `PhysicalAllocated`, `Mapped`, `Unmapped`, `PhysicalFreed`; only in recordings |
//! | an operator runs (`millpondCudaWork`) | `Enqueued` with what it reads and writes; only for a check |
//!
//! CUDA has no numbers for streams, events and tasks: `book` gives them. A stream or event that was destroyed before another
//! got the same address has another number, if its end was seen.
//!
//! Without the variables each of these functions is one relaxed load and a branch. With them, a lock of this module is held
//! while a record is written, and nothing of the pool or the driver is called under it.

mod book;
mod exports;

use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use std::sync::{Arc, Once, OnceLock};

use millpond_trace::file::{Header, Writer};
use millpond_trace::{Bytes, Sink, Spans, Tap};
use parking_lot::Mutex;

use self::book::Book;

/// A stream as CUDA names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Lane {
    /// Its device: of the legacy and the per-thread stream, which have the same handle on all devices.
    pub(crate) device: i32,
    /// The handle; 0 for the legacy default stream.
    pub(crate) handle: u64,
}

/// What the host waited for, or asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    Stream(Lane),
    Event(u64),
    Device(i32),
}

/// Nothing is recorded.
const NOTHING: u8 = 0;
/// Only where memory went.
const MEMORY: u8 = 1;
/// Also what work does with it.
const EVERYTHING: u8 = 2;

/// The variable of `millpond check`.
const JUDGED: &str = "MILLPOND_CHECK_CUDA";

static WANTED: AtomicU8 = AtomicU8::new(NOTHING);
/// The recorder of this process, or of the process that it was forked from. Recorders are never freed.
static RECORDER: AtomicPtr<Recorder> = AtomicPtr::new(std::ptr::null_mut());

/// Frames of each call stack, if `MILLPOND_CHECK_STACKS` does not say how many.
const STACKS: usize = 16;
/// The most names of operators that are kept.
const MOST_NAMES: usize = 1 << 14;

#[derive(Debug)]
struct Recorder {
    tap: Tap,
    writers: Vec<Arc<Writer>>,
    book: Mutex<Book>,
}

#[expect(unsafe_code, reason = "recorders are never freed")]
fn recorder() -> Option<&'static Recorder> {
    // SAFETY: null, or a recorder that was leaked.
    unsafe { RECORDER.load(Ordering::Acquire).as_ref() }
}

/// Whether anything is recorded.
#[inline]
pub(crate) fn on() -> bool {
    WANTED.load(Ordering::Relaxed) != NOTHING
}

/// 0 nothing, 1 where memory goes, 2 also what work does with it.
pub(crate) fn wanted() -> u8 {
    // What failed is an error of the first pool.
    let (Ok(()) | Err(_)) = begin();
    WANTED.load(Ordering::Relaxed)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A file that the environment asks for.
struct Wanted {
    variable: &'static str,
    path: PathBuf,
    everything: bool,
}

impl Wanted {
    fn of(name: &'static str, everything: bool) -> Option<Self> {
        let path = variable(name)?.replace("%p", &std::process::id().to_string());
        Some(Self {
            variable: name,
            path: path.into(),
            everything,
        })
    }
}

/// Opens the files that the environment asks for. The first pool of the process does so; there is none if the file that
/// `millpond check` judges cannot be written, because a program that nobody saw would pass.
pub(crate) fn begin() -> Result<(), &'static str> {
    let all = variable("MILLPOND_RECORD_SCOPE").is_none_or(|scope| scope != "memory");
    begin_with([Wanted::of("MILLPOND_RECORD", all), Wanted::of(JUDGED, true)])
}

/// The same for a pool of an AscendCL runtime: its blocks and pages are recorded, as nothing else is seen. A runtime that records,
/// as ours does, has the file already; then the pool's is beside it.
pub(crate) fn begin_pool(runtime_records: bool) {
    let mut file = Wanted::of("MILLPOND_RECORD", false);
    if let Some(file) = &mut file
        && runtime_records
    {
        file.path = beside(&file.path);
    }
    // If the file cannot be written, stderr says so and the pool works without a recording.
    let (Ok(()) | Err(_)) = begin_with([file, None]);
}

/// `run.mpt` becomes `run.plugin.mpt`.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".plugin");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A process that was forked after its parent called this, and that uses CUDA itself, begins its own files. It writes nothing to
/// its parent's.
fn begin_with(files: [Option<Wanted>; 2]) -> Result<(), &'static str> {
    static BEGUN_IN: Mutex<u32> = Mutex::new(0);
    static UNSEEN: OnceLock<String> = OnceLock::new();
    let mut begun_in = BEGUN_IN.lock();
    if std::mem::replace(&mut *begun_in, std::process::id()) != std::process::id() {
        WANTED.store(NOTHING, Ordering::Release);
        let tap = Tap::default();
        let mut writers = Vec::new();
        let mut wanted = NOTHING;
        for file in files.into_iter().flatten() {
            let Wanted {
                variable: name,
                path,
                everything,
            } = file;
            let path = path.as_path();
            let created = if name == JUDGED {
                make_folder(path).and_then(|()| create(path, everything))
            } else {
                create(path, everything)
            };
            match created {
                Ok(writer) => {
                    let writer = Arc::new(writer);
                    tap.attach(Arc::clone(&writer) as Arc<dyn Sink>);
                    writers.push(writer);
                    wanted = wanted.max(if everything { EVERYTHING } else { MEMORY });
                }
                Err(error) if name == JUDGED => {
                    UNSEEN.get_or_init(|| {
                        format!(
                            "millpond check cannot write records to {}: {error}: set TMPDIR to a folder that can be written",
                            path.display()
                        )
                    });
                }
                Err(error) => say(&format!(
                    "millpond: cannot write records to {}: {error}; nothing is recorded there",
                    path.display()
                )),
            }
        }
        if !writers.is_empty() {
            let stacks =
                variable("MILLPOND_CHECK_STACKS").and_then(|text| text.trim().parse().ok());
            millpond_stacks::set_depth(stacks.unwrap_or(STACKS));
            let book = Mutex::new(Book::new(wanted == EVERYTHING));
            let made = Box::leak(Box::new(Recorder { tap, writers, book }));
            RECORDER.store(std::ptr::from_mut(made), Ordering::Release);
            at_exit();
            WANTED.store(wanted, Ordering::Release);
        }
    }
    UNSEEN.get().map_or(Ok(()), |problem| Err(problem))
}

/// Makes the folder of a run of `millpond check`, if this is its first process that uses a GPU. Others cannot read what the program
/// does.
fn make_folder(file: &Path) -> std::io::Result<()> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn create(path: &Path, everything: bool) -> std::io::Result<Writer> {
    let file = Writer::open(path)?;
    let header = Header::of_this_process();
    if everything {
        Writer::new(file, &header)
    } else {
        Writer::of_memory(file, &header)
    }
}

/// Messages to stderr, which may be closed.
fn say(text: &str) {
    use std::io::Write as _;
    // Nobody is left to hear that stderr cannot be written.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Closes the files: the process exits cleanly.
extern "C" fn end() {
    let Some(recorder) = recorder() else {
        return;
    };
    // What other libraries do at their end is no part of the program.
    WANTED.store(NOTHING, Ordering::Release);
    for writer in &recorder.writers {
        writer.close();
        if let Some(problem) = writer.problem() {
            let records = millpond_trace::count(writer.lost(), "record");
            say(&format!(
                "millpond: {records} could not be written: {problem}"
            ));
        }
    }
}

#[expect(unsafe_code, reason = "registers functions with the C library")]
fn at_exit() {
    /// A child records nothing before it begins its own files: the open ones are its parent's, and a thread that exists only in
    /// the parent may hold the lock of the book.
    extern "C" fn child() {
        WANTED.store(NOTHING, Ordering::Release);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `end` is a function of this library, which is never unloaded, because PyTorch keeps its allocator.
        // If there is no room for it, the last block of records is missing, and a reader says so.
        unsafe { libc::atexit(end) };
        // SAFETY: the function only stores to a static.
        unsafe { libc::pthread_atfork(None, None, Some(child)) };
    });
}

/// Writes records of a call of the program. Out of line, so that a caller pays for the branch only.
#[cold]
fn write(call: &'static str, act: impl FnOnce(&mut Book, &Tap)) {
    let Some(recorder) = recorder() else {
        return;
    };
    let _site = millpond_stacks::note_by_unwinding(call, &recorder.tap);
    act(&mut recorder.book.lock(), &recorder.tap);
}

/// A pool was made on a device with this much memory.
pub(crate) fn device(call: &'static str, device: i32, bytes: u64) {
    if on() {
        write(call, |book, tap| {
            book.device(tap, device, bytes);
        });
    }
}

/// A block was allocated.
pub(crate) fn allocated(call: &'static str, stream: Lane, range: Bytes, requested: u64) {
    if on() {
        write(call, |book, tap| {
            book.allocated(tap, stream, range, requested);
        });
    }
}

/// A request failed.
pub(crate) fn refused(call: &'static str, device: i32, requested: u64, reason: &str) {
    if on() {
        write(call, |book, tap| {
            book.refused(tap, device, requested, reason);
        });
    }
}

/// The block at this address will be freed. Before it can be allocated again.
pub(crate) fn freed(call: &'static str, address: u64) {
    if on() {
        write(call, |book, tap| book.freed(tap, address));
    }
}

/// Work that is queued in a stream uses a block.
pub(crate) fn used(address: u64, stream: Lane) {
    if on() {
        write("millpondCudaRecordUse", |book, tap| {
            book.used(tap, address, stream);
        });
    }
}

/// An event was recorded on a stream.
pub(crate) fn event_recorded(event: u64, stream: Lane) {
    if on() {
        write("cudaEventRecord", |book, tap| {
            book.event_recorded(tap, event, stream);
        });
    }
}

/// An event will be destroyed, or be recorded where its order means nothing outside, in a capture.
pub(crate) fn event_gone(event: u64) {
    if on() {
        write("cudaEventDestroy", |book, tap| book.event_gone(tap, event));
    }
}

/// A stream waits for an event.
pub(crate) fn stream_waits(stream: Lane, event: u64) {
    if on() {
        write("cudaStreamWaitEvent", |book, tap| {
            book.stream_waits(tap, stream, event);
        });
    }
}

/// The host has waited.
pub(crate) fn synchronized(what: Awaited) {
    if on() {
        let call = match what {
            Awaited::Stream(_) => "cudaStreamSynchronize",
            Awaited::Event(_) => "cudaEventSynchronize",
            Awaited::Device(_) => "cudaDeviceSynchronize",
        };
        write(call, |book, tap| book.synchronized(tap, what));
    }
}

/// The host asked, and the work is over.
pub(crate) fn passed(what: Awaited) {
    if on() {
        let call = match what {
            Awaited::Stream(_) => "cudaStreamQuery",
            Awaited::Event(_) | Awaited::Device(_) => "cudaEventQuery",
        };
        write(call, |book, tap| book.passed(tap, what));
    }
}

/// A stream will be destroyed.
pub(crate) fn stream_gone(stream: Lane) {
    if on() {
        write("cudaStreamDestroy", |book, tap| {
            book.stream_gone(tap, stream);
        });
    }
}

/// Pages were mapped.
pub(crate) fn mapped(call: &'static str, device: i32, range: Bytes, page: u64) {
    if on() {
        write(call, |book, tap| {
            book.mapped(tap, device, range, page);
        });
    }
}

/// A page is also mapped at a second address, and is used there.
pub(crate) fn moved(home: u64, window: u64) {
    if on() {
        write("millpondCudaAlloc", |book, tap| {
            book.moved(tap, home, window);
        });
    }
}

/// Pages will be unmapped.
pub(crate) fn unmapped(call: &'static str, range: Bytes) {
    if on() {
        write(call, |book, tap| book.unmapped(tap, range));
    }
}

/// An operator was queued in a stream.
pub(crate) fn work(stream: Lane, name: &str, reads: Spans, writes: Spans) {
    if on() {
        let name = interned(name);
        write(name, |book, tap| {
            book.work(tap, stream, name, reads, writes);
        });
    }
}

/// The name for as long as the process lives, as call sites need it. There are as many as operators; of a program that makes up more
/// names, the rest are one.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock();
    if let Some(known) = names.get(name) {
        return known;
    }
    if names.len() >= MOST_NAMES {
        return "millpondCudaWork";
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}
