//! Whether stdout and stderr were open when the command was started.
//!
//! Before `main`, Rust opens `/dev/null` for closed ones. Then every write succeeds, and a report is lost without an
//! error. So this runs before that, from a section of functions that the loader calls.
#![expect(
    unsafe_code,
    reason = "examines descriptors in a function that the loader calls"
)]

use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each descriptor that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

#[used]
// SAFETY: the loader calls the functions of this section once, with arguments that this one does not take.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

extern "C" fn look() {
    for descriptor in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: asks for the flags of a descriptor, which may be closed.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
}

fn was_closed(descriptor: i32) -> bool {
    CLOSED.load(Ordering::Relaxed) & (1 << descriptor) != 0
}

/// Whether stdout was closed.
pub(crate) fn stdout_was_closed() -> bool {
    was_closed(libc::STDOUT_FILENO)
}

/// Whether stderr was closed.
pub(crate) fn stderr_was_closed() -> bool {
    was_closed(libc::STDERR_FILENO)
}
