//! What `aclGetRecentErrMsg` and `aclrtGetLastError` return: per thread, or for the whole process.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char};
use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::{process, thread_end};

/// How many threads have an unread message. 0 in the usual case.
static UNREAD: AtomicUsize = AtomicUsize::new(0);

/// What names of functions have in them that begin something new.
const BEGINNINGS: [&str; 11] = [
    "Malloc",
    "Create",
    "Memcpy",
    "Memset",
    "Execute",
    "Launch",
    "Record",
    "Load",
    "Map",
    "Init",
    "SetDevice",
];

/// `err_msg_mode` "1": one message for all threads.
static PER_PROCESS: AtomicBool = AtomicBool::new(false);
static PROCESS_MESSAGE: Mutex<Option<CString>> = Mutex::new(None);

/// A text of a thread. Without a destructor, because destructors of the program ask for it: see `thread_end`.
type Lasting = ManuallyDrop<RefCell<Option<CString>>>;

thread_local! {
    static MESSAGE: Lasting = const { ManuallyDrop::new(RefCell::new(None)) };
    /// What the pointer that was handed out last points into.
    static HANDED_OUT: Lasting = const { ManuallyDrop::new(RefCell::new(None)) };
    static LAST_CODE: Cell<i32> = const { Cell::new(0) };
}

pub(crate) fn set_per_process(per_process: bool) {
    PER_PROCESS.store(per_process, Ordering::Relaxed);
}

/// Not in a forked child: it has one thread, and another one may have held the lock when it was forked.
fn is_per_process() -> bool {
    PER_PROCESS.load(Ordering::Relaxed) && !process::forked()
}

/// Writes the text of an error to the log, if the program's user has asked to see that: some programs throw away what
/// `aclGetRecentErrMsg` returns them.
pub(crate) fn log(text: &str) {
    // Kept: C programs change their environment while other threads call us, and reading it then reads memory that is
    // gone. Threads that ask at once each read it. A `OnceLock` would make a child that is forked meanwhile wait for a
    // thread that it does not have.
    const UNKNOWN: u8 = 2;
    static SHOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    if SHOWN.load(Ordering::Relaxed) == UNKNOWN {
        SHOWN.store(u8::from(is_shown()), Ordering::Relaxed);
    }
    if SHOWN.load(Ordering::Relaxed) == 1 {
        // A line that cannot be written is lost; the program continues.
        drop(writeln!(std::io::stdout(), "[ERROR] {text}"));
    }
}

/// Whether the environment asks for the text of errors.
fn is_shown() -> bool {
    let value = |name: &str| std::env::var(name).unwrap_or_default();
    let silent = value("ASCEND_GLOBAL_LOG_LEVEL").parse::<i32>();
    value("ASCEND_SLOG_PRINT_TO_STDOUT") == "1" && !silent.is_ok_and(|level| level > 3)
}

/// Keeps the text of an error; a later one replaces it.
pub(crate) fn put(text: String) {
    let mut bytes = text.into_bytes();
    bytes.retain(|byte| *byte != 0);
    let text = CString::new(bytes).ok();
    if is_per_process() {
        *PROCESS_MESSAGE.lock() = text;
    } else {
        thread_end::register();
        drop(replaced(text));
    }
}

/// Replaces this thread's message and returns the previous one.
fn replaced(text: Option<CString>) -> Option<CString> {
    let comes = text.is_some();
    let before = MESSAGE.with(|message| message.replace(text));
    match (before.is_some(), comes) {
        (false, true) => UNREAD.fetch_add(1, Ordering::Relaxed),
        (true, false) => UNREAD.fetch_sub(1, Ordering::Relaxed),
        _ => 0,
    };
    before
}

/// A call has succeeded. If it starts something new, the program has ignored the failure before it: programs try
/// functions and packages that may not exist. Queries and cleanup leave the message to be read.
#[inline]
pub(crate) fn succeeded(function: &str) {
    if UNREAD.load(Ordering::Relaxed) != 0 {
        clear_if_new(function);
    }
}

#[cold]
fn clear_if_new(function: &str) {
    if begins(function) {
        drop(replaced(None));
    }
}

fn begins(function: &str) -> bool {
    BEGINNINGS.iter().any(|word| function.contains(word))
}

/// The thread has exited: its message is freed.
pub(crate) fn forget() {
    drop(replaced(None));
    drop(HANDED_OUT.with(|kept| kept.take()));
}

/// The text, handed out once. The pointer is good until the next call on this thread.
pub(crate) fn take() -> *const c_char {
    let text = if is_per_process() {
        PROCESS_MESSAGE.lock().take()
    } else {
        replaced(None)
    };
    if text.is_some() {
        thread_end::register();
    }
    HANDED_OUT.with(|kept| {
        let mut kept = kept.borrow_mut();
        *kept = text;
        kept.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
    })
}

/// Keeps the code of an error below the argument checks, for `aclrtGetLastError`.
pub(crate) fn put_code(code: i32) {
    LAST_CODE.set(code);
}

pub(crate) fn peek_code() -> i32 {
    LAST_CODE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_and_cleaning_up_begin_nothing() {
        for function in [
            "aclrtSetDevice",
            "aclInit",
            "aclrtMallocAlign32",
            "aclrtCreateStreamWithConfig",
            "aclrtMemcpyAsync",
            "aclopCompileAndExecute",
            "aclmdlLoadFromFile",
            "aclrtMapMem",
        ] {
            assert!(begins(function), "{function}");
        }
        for function in [
            "aclrtGetDevice",
            "aclrtPeekAtLastError",
            "aclrtStreamQuery",
            "aclrtSynchronizeStream",
            "aclrtFree",
            "aclrtDestroyStream",
            "aclrtUnmapMem",
            "aclmdlUnload",
            "aclrtResetDevice",
            "aclFinalize",
        ] {
            assert!(!begins(function), "{function}");
        }
    }
}
