//! Where in the script a call came from: the frames of Python, for records and findings.
//!
//! The library asks while it is called, on the thread that calls, and only while stacks are wanted. Then the
//! thread has the interpreter's lock, unless it was let go for the call; so what was there before is remembered then.
//!
//! The texts of a code object are made once and kept as long as the process runs, as the library wants them. A program has so many
//! functions; those beyond a bound have no names.
#![expect(unsafe_code, reason = "calls C functions and Python's C interface")]

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::sync::{Mutex, PoisonError};

use millpond_abi as abi;

use crate::bindings::c;
use crate::ffi;
use crate::object::{self, Owned};

/// Functions that get a name.
const MOST: usize = 1 << 16;

/// Function and file of a code object.
type Names = (&'static CStr, &'static CStr);

/// By the address of the code object, which is kept so that no other gets it.
static NAMES: Mutex<Option<HashMap<usize, (Names, Owned)>>> = Mutex::new(None);
/// Texts by their contents: the same text has the same address.
static TEXTS: Mutex<Option<HashSet<&'static CStr>>> = Mutex::new(None);

thread_local! {
    /// What the frames were when the interpreter's lock was let go; `None` while the thread has it.
    static DETACHED: RefCell<Option<Vec<abi::millpondFrame>>> = const { RefCell::new(None) };
}

/// Tells the library whom to ask.
pub(crate) fn provide() {
    // SAFETY: the function is never unloaded: the extension is never unloaded.
    unsafe { c::millpondSetFrameProvider(Some(frames_of_thread)) };
}

/// What a thread was before, to be that again.
pub(crate) struct Before(Option<Vec<abi::millpondFrame>>);

/// The lock is about to be released: remembers the frames of this thread, if stacks are wanted.
pub(crate) fn detaching() -> Before {
    // SAFETY: reads a number.
    let wanted = unsafe { c::millpondFramesWanted() };
    // Without the lock frames cannot be read. They are unknown if they were not wanted before.
    let frames = if wanted == 0 {
        Vec::new()
    } else {
        collect(usize::try_from(wanted).unwrap_or(0))
    };
    Before(exchange(Some(frames)))
}

/// The lock was taken: the frames are there to be looked at.
pub(crate) fn attached() -> Before {
    Before(exchange(None))
}

impl Drop for Before {
    fn drop(&mut self) {
        drop(exchange(self.0.take()));
    }
}

fn exchange(next: Option<Vec<abi::millpondFrame>>) -> Option<Vec<abi::millpondFrame>> {
    DETACHED
        .try_with(|detached| detached.replace(next))
        .ok()
        .flatten()
}

/// What the library calls.
unsafe extern "C-unwind" fn frames_of_thread(place: *mut abi::millpondFrame, room: usize) -> usize {
    let remembered = DETACHED
        .try_with(|detached| detached.borrow().clone())
        .ok()
        .flatten();
    let frames = remembered.unwrap_or_else(|| collect(room));
    let count = frames.len().min(room);
    // SAFETY: there is room for that many, and no other thread writes there.
    unsafe { std::ptr::copy_nonoverlapping(frames.as_ptr(), place, count) };
    count
}

/// The frames of this thread, which has the interpreter's lock, the innermost first.
fn collect(most: usize) -> Vec<abi::millpondFrame> {
    let mut frames = Vec::with_capacity(most.min(64));
    // SAFETY: the thread has the lock. Null where no script runs.
    let innermost = unsafe { ffi::PyEval_GetFrame() };
    let mut next = Owned::borrowed(innermost).ok();
    while let Some(frame) = next {
        if frames.len() == most {
            break;
        }
        if let Some(code) = object::attribute(&frame, c"f_code") {
            let (function, file) = names(code);
            frames.push(abi::millpondFrame {
                function: function.as_ptr(),
                file: file.as_ptr(),
                line: line(&frame),
            });
        }
        // `None` at the outermost.
        next = object::attribute(&frame, c"f_back");
    }
    frames
}

/// The line that a frame is at; 0 where it has none. The stable interface of Python 3.9 has no functions for frames but the first,
/// so what they hold is asked for by name.
fn line(frame: &Owned) -> u32 {
    let Some(number) = object::attribute(frame, c"f_lineno") else {
        return 0;
    };
    // SAFETY: a live object. The result is -1 if it is not a number; no line has that number.
    let number = unsafe { ffi::PyLong_AsLongLong(number.as_ptr()) };
    u32::try_from(number).unwrap_or(0)
}

fn names(code: Owned) -> Names {
    let key = code.as_ptr().addr();
    let known = {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.as_ref().and_then(|names| names.get(&key));
        match known {
            Some((known, _)) => Some(*known),
            None if names.as_ref().is_some_and(|names| names.len() >= MOST) => Some((c"", c"")),
            None => None,
        }
    };
    if let Some(known) = known {
        return known;
    }
    // From 3.11 on a function knows which class it is of.
    let mut function = object::attribute_text(&code, c"co_qualname");
    if function.is_empty() {
        function = object::attribute_text(&code, c"co_name");
    }
    let file = object::attribute_text(&code, c"co_filename");
    let found = (intern(&function), intern(&file));
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.get_or_insert_default().insert(key, (found, code));
    found
}

/// A text that lives as long as the process.
fn intern(text: &str) -> &'static CStr {
    let text = CString::new(text).unwrap_or_default();
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    if let Some(&known) = texts.get(text.as_c_str()) {
        return known;
    }
    let interned: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(interned);
    interned
}
