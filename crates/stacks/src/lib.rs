//! Where the program called from: its return address, and, if stacks are wanted, the frames behind it.
//!
//! This code is linked into the library whose callers it looks for: frames of that library are skipped. Nothing here is global
//! to a runtime. Functions that describe a new stack or module take the [`Tap`] to emit the record to.
//!
//! A checker asks at every call, so finding the caller must be cheap. Unwinding takes microseconds and is done once per call site (`cache`).
//!
//! - `cache`: what each thread remembers of its callers, so that most calls need no unwinding.
//! - `unwind`: walks a stack by its unwind tables. `modules`: which code is mapped where.
//! - `numbers`: numbers for stacks, and the records that describe them.
//! - `provider`: script frames from a language binding that supplies them, such as our Python extension.
//! - `python`: script frames read from an interpreter that does not know of us.
//! - `probe`: reads and writes memory that may not be mapped.
#![deny(unsafe_code)]

mod cache;
mod modules;
mod numbers;
pub mod probe;
mod provider;
mod python;
mod unwind;

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use millpond_trace::{StackRef, Tap};

pub use cache::{note, note_by_unwinding};
pub use modules::{describe, module_of};
pub use provider::set_provider;
pub use unwind::{_Unwind_Backtrace, _Unwind_GetIP, TraceFn, UnwindContext};

/// The most frames of a stack that are read, however many are asked for.
pub const MOST_FRAMES: usize = 256;

/// How many frames of each stack are wanted; 0 if only the caller.
static DEPTH: AtomicUsize = AtomicUsize::new(0);
/// Counts up when stacks and modules have to be emitted again.
static EPOCH: AtomicU32 = AtomicU32::new(0);

/// Sets how many frames of each stack records name from now on; 0 for only the caller.
pub fn set_depth(frames: usize) {
    DEPTH.store(frames.min(MOST_FRAMES), Ordering::Relaxed);
    emit_again();
}

/// How many frames of each stack are wanted; 0 if only the caller.
pub fn depth() -> usize {
    DEPTH.load(Ordering::Relaxed)
}

/// Makes every stack and module be emitted again when it is next seen, for a sink that was attached later.
pub fn emit_again() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

fn epoch() -> u32 {
    EPOCH.load(Ordering::Relaxed)
}

/// The program's return addresses on this thread's stack, innermost first.
pub fn frames() -> Vec<u64> {
    let frames = unwind::walk(MOST_FRAMES, modules::is_own);
    frames.iter().map(|frame| frame.address as u64).collect()
}

/// The number of a stack that was unwound elsewhere, innermost frame first; 0 if stacks are not wanted.
pub fn number(frames: &[u64], tap: &Tap) -> StackRef {
    match depth() {
        0 => 0,
        depth => {
            let frames = frames.iter().copied().take(depth);
            numbers::number(frames, epoch(), tap)
        }
    }
}

/// A call site as text that another process can use with [`adopt`]: at most `most` bytes.
pub fn portable(caller: u64, stack: StackRef, most: usize) -> String {
    numbers::portable(stack, caller, most)
}

/// The number of a call site's stack that another process gave as text, for the same code in this one.
pub fn adopt(text: &str, tap: &Tap) -> StackRef {
    numbers::adopt(text, epoch(), tap)
}

/// The interpreter's name for this thread, 0 if no script runs on it; `None` if the process has no interpreter, or
/// nothing has looked for one before. May be called in a signal handler.
pub fn script_of_thread() -> Option<usize> {
    python::this_thread()
}

/// The number of a script's stack, on a thread that is stopped meanwhile.
pub fn script_number(thread: usize, tap: &Tap) -> Option<StackRef> {
    match depth() {
        0 => None,
        depth => python::number_of(thread, depth, tap),
    }
}
