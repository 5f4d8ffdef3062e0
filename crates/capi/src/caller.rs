//! Where the program called from: `millpond_stacks` with the process's records.
//!
//! Everything here works without a runtime too; then there is nothing to emit stacks to, and they have no number.

use millpond_trace::{CallSite, StackRef};

use crate::process;

pub(crate) use millpond_stacks::{
    _Unwind_Backtrace, _Unwind_GetIP, MOST_FRAMES, UnwindContext, adopt, describe, emit_again,
    frames, module_of, portable, script_of_thread, set_depth, set_provider,
};

/// How many frames of each stack are wanted; 0 if no sink is attached.
pub(crate) fn depth_wanted() -> usize {
    if process::listening() {
        millpond_stacks::depth()
    } else {
        0
    }
}

/// The number of a stack, innermost frame first; 0 if stacks are not wanted.
pub(crate) fn number(frames: &[u64]) -> StackRef {
    process::tap().map_or(0, |tap| millpond_stacks::number(frames, tap))
}

/// The number of a script's stack, on a thread that is stopped meanwhile.
pub(crate) fn script_number(thread: usize) -> Option<StackRef> {
    process::tap().and_then(|tap| millpond_stacks::script_number(thread, tap))
}

/// Notes the caller for the records of this call. Inlined, because `millpond_stacks::note` must be compiled into the exported function.
#[inline(always)]
pub(crate) fn note(function: &'static str) -> CallSite {
    match process::tap() {
        Some(tap) => millpond_stacks::note(function, tap),
        None => CallSite::note(function, 0, 0),
    }
}

/// The same where several exported functions share the code: unwinds the stack every time.
#[cold]
pub(crate) fn note_by_unwinding(function: &'static str) -> CallSite {
    match process::tap() {
        Some(tap) => millpond_stacks::note_by_unwinding(function, tap),
        None => CallSite::note(function, 0, 0),
    }
}
