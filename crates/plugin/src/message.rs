//! The last error's text of each thread, and the one line that misuse may put on stderr.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// The text of an error.
enum Said {
    Text(Option<CString>),
    /// Built when it is read.
    Later(Box<dyn FnOnce() -> String>),
}

thread_local! {
    static LAST: RefCell<Said> = const { RefCell::new(Said::Text(None)) };
}

/// A number of things for people: `1 block`, `2 blocks`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

fn written(text: &str) -> Said {
    Said::Text(CString::new(text.replace('\0', " ")).ok())
}

fn replace(said: Said) -> Option<Said> {
    LAST.try_with(|last| last.replace(said)).ok()
}

/// Keeps a text for this thread. A thread that is ending keeps none.
pub(crate) fn keep(text: &str) {
    replace(written(text));
}

/// Stores a text for this thread that is built only when it is read.
pub(crate) fn keep_later(make: impl FnOnce() -> String + 'static) {
    replace(Said::Later(Box::new(make)));
}

/// The text that this thread kept last, until it keeps another; empty if there is none.
pub(crate) fn last() -> *const c_char {
    // What makes a text may keep one itself.
    match replace(Said::Text(None)) {
        Some(Said::Later(make)) => replace(written(&make())),
        Some(text) => replace(text),
        None => None,
    };
    LAST.try_with(|last| match &*last.borrow() {
        Said::Text(Some(text)) => Some(text.as_ptr()),
        _ => None,
    })
    .ok()
    .flatten()
    .unwrap_or(c"".as_ptr())
}

/// Keeps a text about a misused pointer. The first of the process is written to stderr too, because
/// a callback that frees has no other way to say it.
pub(crate) fn misuse(text: &str) {
    keep(text);
    repeat();
}

/// Writes what this thread kept last to stderr, the first time in this process.
pub(crate) fn repeat() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    last();
    let text = LAST.try_with(|last| match &*last.borrow() {
        Said::Text(Some(text)) => text.to_string_lossy().into_owned(),
        _ => String::new(),
    });
    let line = format!(
        "millpond plugin: {} (reported once)\n",
        text.unwrap_or_default()
    );
    std::io::stderr().write_all(line.as_bytes()).ok();
}

/// The same, as a text.
#[cfg(test)]
pub(crate) fn text() -> String {
    last();
    LAST.with_borrow(|last| match last {
        Said::Text(Some(text)) => text.to_string_lossy().into_owned(),
        _ => String::new(),
    })
}
