//! The last error's text of each thread, and the one line that misuse may put on stderr.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// A number of things for people: `1 block`, `2 blocks`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Keeps a text for this thread. A thread that is ending keeps none.
pub(crate) fn keep(text: &str) {
    let text = CString::new(text.replace('\0', " ")).ok();
    LAST.try_with(|last| *last.borrow_mut() = text).ok();
}

/// The text that this thread kept last, until it keeps another; empty if there is none.
pub(crate) fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ref().map(|text| text.as_ptr()))
        .ok()
        .flatten()
        .unwrap_or(c"".as_ptr())
}

/// Keeps a text about a misused pointer. The first of the process is written to stderr too, because
/// a callback that frees has no other way to say it.
pub(crate) fn misuse(text: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    keep(text);
    if !SAID.swap(true, Ordering::Relaxed) {
        let line = format!("millpond plugin: {text} (said once)\n");
        std::io::stderr().write_all(line.as_bytes()).ok();
    }
}
