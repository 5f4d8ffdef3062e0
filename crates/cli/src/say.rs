//! Output to stderr and stdout, which may be full or closed.
//!
//! `eprintln!` panics there. Here a failed write is noted instead: `check` then does not pass, and the other commands
//! go on.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::descriptors;

static WRITE_FAILED: AtomicBool = AtomicBool::new(false);

/// Writes formatted text to stderr.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::to_stderr(format_args!($($text)*))
    };
}
pub(crate) use say;

/// What `say!` calls. The text is written with one call.
pub(crate) fn to_stderr(text: fmt::Arguments<'_>) {
    let written = io::stderr().write_all(text.to_string().as_bytes());
    if written.is_err() || descriptors::stderr_was_closed() {
        WRITE_FAILED.store(true, Ordering::Relaxed);
    }
}

/// Whether a write to stderr failed.
pub(crate) fn write_failed() -> bool {
    WRITE_FAILED.load(Ordering::Relaxed)
}

/// Writes to stdout, through a buffer.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if descriptors::stdout_was_closed() {
        return Err(io::Error::other(
            "stdout was closed when the command started",
        ));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}
