//! What the command says: to stderr and stdout, which may be full or gone.
//!
//! `eprintln!` ends the process with a panic there. Here a sentence that cannot be written is noted instead: `check`
//! may not pass then, and the other commands go on.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::descriptors;

static UNHEARD: AtomicBool = AtomicBool::new(false);

/// Writes formatted text to stderr.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::to_stderr(format_args!($($text)*))
    };
}
pub(crate) use say;

/// What `say!` calls. Text of several pieces is written at once.
pub(crate) fn to_stderr(text: fmt::Arguments<'_>) {
    let written = io::stderr().write_all(text.to_string().as_bytes());
    if written.is_err() || descriptors::stderr_was_closed() {
        UNHEARD.store(true, Ordering::Relaxed);
    }
}

/// Whether something that was said could not be written.
pub(crate) fn unheard() -> bool {
    UNHEARD.load(Ordering::Relaxed)
}

/// Writes text to stdout, all of it.
pub(crate) fn to_stdout(text: &str) -> io::Result<()> {
    if descriptors::stdout_was_closed() {
        return Err(io::Error::other("it was closed when the command started"));
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}
