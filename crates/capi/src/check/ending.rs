//! The end of the process: what is left is judged, and how it was is said.
#![expect(unsafe_code, reason = "registers a function with the loader")]

use super::{WATCH, recording};
use crate::mstx::listen;
use crate::process;

/// Run when the process ends, after what the program registered for that: its own objects may give their
/// memory back there. It costs nothing where nobody checks.
#[used]
// SAFETY: the loader calls the functions of this section once, with nothing expected of them.
#[unsafe(link_section = ".fini_array")]
static AT_THE_END: extern "C" fn() = end;

extern "C" fn end() {
    // A forked child has none of what its parent did.
    if process::forked() {
        return;
    }
    listen::settle();
    if let Some(watch) = WATCH.get() {
        super::look();
        watch.end();
    }
    recording::end();
}
