//! The end of the process: leaks are judged, and the summary is printed.
//!
//! Static objects of the program may free memory when they are destroyed, so this must come after all of them.
//! Destructors of static objects and `atexit` handlers run first; then the loader calls the destructor functions of
//! one library after the other. Ours comes after those of libraries that are linked with this one, but before those
//! of other libraries that use it: preloaded, opened, or finding its functions by name. So our destructor registers
//! the work once more, for the time when the loader has finished all of them.
#![expect(
    unsafe_code,
    reason = "registers functions with the loader and the C library"
)]

use std::ffi::{c_int, c_void};

use super::{WATCH, recording};
use crate::mstx::listen;
use crate::{process, profile, sharing};

/// Run when the loader comes to this library. It costs nothing where nobody checks.
#[used]
// SAFETY: the loader calls the functions of this section once, with nothing expected of them.
#[unsafe(link_section = ".fini_array")]
static AT_OUR_TURN: extern "C" fn() = our_turn;

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn __cxa_atexit(
        function: extern "C" fn(*mut c_void),
        argument: *mut c_void,
        library: *mut c_void,
    ) -> c_int;
}

extern "C" fn our_turn() {
    // A forked child has none of what its parent did.
    if process::forked() {
        return;
    }
    #[cfg(target_env = "gnu")]
    {
        // The loader's own work is the first handler that was registered, and so the last one that runs. What is
        // registered while it runs comes behind it, unless it belongs to a library that is being ended: so to none.
        let none = std::ptr::null_mut();
        // SAFETY: the function takes any argument, and this library is never unloaded.
        if unsafe { __cxa_atexit(end, none, none) } == 0 {
            return;
        }
    }
    end(std::ptr::null_mut());
}

extern "C" fn end(_: *mut c_void) {
    // A program that only counted devices, or only annotated, has been checked too: nothing was wrong with it.
    if process::known().is_none() && process::was_used() && listen::expected() {
        // Settings that are wrong have been an error of the calls that needed them.
        drop(process::runtime());
    }
    listen::flush_buffered();
    if process::listening() {
        sharing::settle();
    }
    if let Some(watch) = WATCH.get() {
        super::look();
        watch.end();
    }
    recording::end();
    profile::finish();
    process::write_statistics();
    crate::testing::write_at_end();
}
