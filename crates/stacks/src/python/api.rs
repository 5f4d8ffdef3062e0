//! The interpreter's C API, found by name: the functions that are the same in every version since 3.9.
//!
//! Some of them only read and may be called without the GIL, as their comments say. The rest are methods of [`Gil`], which exists
//! only while this thread holds it.
#![expect(unsafe_code, reason = "calls functions of the interpreter")]

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::OnceLock;

use super::{At, RawFrame};

type Object = *mut c_void;

macro_rules! interface {
    ($($field:ident = $name:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of the interpreter.
        #[derive(Debug)]
        pub(super) struct Interface {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            current_thread: unsafe extern "C" fn() -> Object,
            code_type: usize,
            text_type: usize,
            /// The minor version: 11 for Python 3.11.
            version: u32,
        }

        impl Interface {
            fn find() -> Option<Self> {
                Some(Self {
                    $($field: {
                        let symbol = symbol($name)?;
                        // SAFETY: the interpreter's headers declare it so, in every version that has functions for frames.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(symbol)
                        }
                    },)*
                    current_thread: current_thread()?,
                    code_type: symbol(c"PyCode_Type")?.addr(),
                    text_type: symbol(c"PyUnicode_Type")?.addr(),
                    version: version()?,
                })
            }
        }
    };
}

interface! {
    is_initialized = c"Py_IsInitialized": fn() -> c_int;
    this_thread = c"PyGILState_GetThisThreadState": fn() -> Object;
    eval_get_frame = c"PyEval_GetFrame": fn() -> Object;
    frame_get_code = c"PyFrame_GetCode": fn(Object) -> Object;
    frame_get_back = c"PyFrame_GetBack": fn(Object) -> Object;
    frame_get_line = c"PyFrame_GetLineNumber": fn(Object) -> c_int;
    code_line = c"PyCode_Addr2Line": fn(Object, c_int) -> c_int;
    get_attribute = c"PyObject_GetAttrString": fn(Object, *const c_char) -> Object;
    text_length = c"PyUnicode_GetLength": fn(Object) -> isize;
    text_char = c"PyUnicode_ReadChar": fn(Object, isize) -> u32;
    long_value = c"PyLong_AsLong": fn(Object) -> c_long;
    error_occurred = c"PyErr_Occurred": fn() -> Object;
    error_clear = c"PyErr_Clear": fn();
    keep = c"Py_IncRef": fn(Object);
    release = c"Py_DecRef": fn(Object);
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated name.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!symbol.is_null()).then_some(symbol)
}

/// The function that returns the thread that holds the GIL. It has a public name since 3.13.
fn current_thread() -> Option<unsafe extern "C" fn() -> Object> {
    let symbol =
        symbol(c"PyThreadState_GetUnchecked").or_else(|| symbol(c"_PyThreadState_UncheckedGet"))?;
    // SAFETY: the interpreter's headers declare both so.
    Some(unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> Object>(symbol) })
}

static FOUND: OnceLock<Option<Interface>> = OnceLock::new();

impl Interface {
    /// The interpreter of this process, if there is one and it runs.
    pub(super) fn get() -> Option<&'static Self> {
        FOUND.get_or_init(Self::find);
        Self::known()
    }

    /// The same, if [`Interface::get`] was called before.
    pub(super) fn known() -> Option<&'static Self> {
        let found = FOUND.get()?.as_ref()?;
        // SAFETY: reads a number; may be called at any time.
        let runs = unsafe { (found.is_initialized)() } != 0;
        runs.then_some(found)
    }

    /// The interpreter's state of this thread, if it has one. Needs no GIL.
    pub(super) fn thread(&self) -> Option<usize> {
        // SAFETY: reads a word that is this thread's own; may be called at any time.
        let thread = unsafe { (self.this_thread)() };
        (!thread.is_null()).then(|| thread.addr())
    }

    /// The line at an offset into the instructions of a live code object. Only reads.
    pub(super) fn line(&self, code: usize, offset: usize) -> u32 {
        let offset = c_int::try_from(offset).unwrap_or(0);
        // SAFETY: a code object that a frame of this thread runs. The function decodes a table that does not change.
        let line = unsafe { (self.code_line)(object(code), offset) };
        u32::try_from(line).unwrap_or(0)
    }

    /// The line of a frame object that runs on this thread. Only reads. For versions where frames are objects: up to 3.10.
    pub(super) fn line_of_frame(&self, frame: usize) -> u32 {
        // SAFETY: a frame of this thread, which does not change meanwhile.
        let line = unsafe { (self.frame_get_line)(object(frame)) };
        u32::try_from(line).unwrap_or(0)
    }

    /// The text of a live string object. Only reads.
    pub(super) fn text(&self, text: usize) -> String {
        /// Longer names are cut off.
        const MOST: isize = 4096;
        // SAFETY: callers pass a string that a code object holds; strings do not change.
        let length = unsafe { (self.text_length)(object(text)) };
        let chars = (0..length.min(MOST)).map(|index| {
            // SAFETY: as above, and the index is inside.
            let value = unsafe { (self.text_char)(object(text), index) };
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        chars.collect()
    }

    /// The type of all code objects.
    pub(super) fn code_type(&self) -> usize {
        self.code_type
    }

    /// The type of all strings.
    pub(super) fn text_type(&self) -> usize {
        self.text_type
    }

    /// The minor version: 11 for Python 3.11.
    pub(super) fn version(&self) -> u32 {
        self.version
    }
}

/// The minor version, from a text such as `3.11.7 (main, ...)`.
fn version() -> Option<u32> {
    let version = symbol(c"Py_GetVersion")?;
    // SAFETY: the interpreter's headers declare it so.
    let version = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(version)
    };
    // SAFETY: may be called at any time.
    let text = unsafe { version() };
    // SAFETY: a text that lives as long as the process.
    let text = unsafe { CStr::from_ptr(text) }.to_str().ok()?;
    let (second, _) = text.strip_prefix("3.")?.split_once('.')?;
    second.parse().ok()
}

fn object(address: usize) -> Object {
    std::ptr::with_exposed_provenance_mut(address)
}

/// An object that we hold a reference to.
pub(super) struct Owned<'a>(Object, &'a Gil);

impl Owned<'_> {
    pub(super) fn address(&self) -> usize {
        self.0.expose_provenance()
    }
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread holds the GIL, and the reference is ours.
        unsafe { (self.1.interface.release)(self.0) };
    }
}

/// Proof that this thread holds the interpreter's lock.
pub(super) struct Gil {
    pub(super) interface: &'static Interface,
}

impl Gil {
    /// The proof, if this thread holds the lock.
    pub(super) fn held(interface: &'static Interface, thread: usize) -> Option<Self> {
        // SAFETY: reads a word; may be called at any time. It returns the thread that holds the GIL; newer
        // interpreters return this thread or null.
        let current = unsafe { (interface.current_thread)() };
        (current.addr() == thread).then_some(Self { interface })
    }

    /// Whether an exception is pending, which our calls must not disturb.
    pub(super) fn is_failing(&self) -> bool {
        // SAFETY: this thread holds the GIL.
        !unsafe { (self.interface.error_occurred)() }.is_null()
    }

    /// Frame objects, innermost first, each with its code object.
    pub(super) fn frames(&self, most: usize) -> Vec<(Owned<'_>, Owned<'_>)> {
        let mut found: Vec<(Owned<'_>, Owned<'_>)> = Vec::new();
        // SAFETY: this thread holds the GIL. The result is borrowed, and the frame runs.
        let innermost = unsafe { (self.interface.eval_get_frame)() };
        let mut next = innermost;
        while !next.is_null() && found.len() < most {
            // SAFETY: a live frame; the result is a new reference.
            let code = unsafe { (self.interface.frame_get_code)(next) };
            let code = Owned(code, self);
            // SAFETY: as above; null at the outermost, and nothing is raised.
            let back = unsafe { (self.interface.frame_get_back)(next) };
            if found.is_empty() {
                // That reference was borrowed.
                // SAFETY: this thread holds the GIL, and the frame is alive.
                unsafe { (self.interface.keep)(next) };
            }
            let frame = Owned(next, self);
            found.push((frame, code));
            next = back;
        }
        if !found.is_empty() && !next.is_null() && found.len() == most {
            drop(Owned(next, self));
        }
        found
    }

    /// The line of a frame object.
    pub(super) fn line(&self, frame: &Owned<'_>) -> u32 {
        // SAFETY: a live frame, and this thread holds the GIL.
        let line = unsafe { (self.interface.frame_get_line)(frame.0) };
        u32::try_from(line).unwrap_or(0)
    }

    /// An attribute of an object. Only for the interpreter's own types, where this runs no script.
    pub(super) fn attribute(&self, of: &Owned<'_>, name: &CStr) -> Option<Owned<'_>> {
        self.attribute_of(of.0, name)
    }

    fn attribute_of(&self, of: Object, name: &CStr) -> Option<Owned<'_>> {
        // SAFETY: a live object, a NUL-terminated name, and this thread holds the GIL.
        let found = unsafe { (self.interface.get_attribute)(of, name.as_ptr()) };
        if found.is_null() {
            // SAFETY: this thread holds the GIL; no exception was pending before.
            unsafe { (self.interface.error_clear)() };
            return None;
        }
        Some(Owned(found, self))
    }

    /// An integer attribute.
    pub(super) fn number(&self, of: &Owned<'_>, name: &CStr) -> Option<usize> {
        let value = self.attribute(of, name)?;
        // SAFETY: a live object, and this thread holds the GIL.
        let value = unsafe { (self.interface.long_value)(value.0) };
        usize::try_from(value).ok()
    }

    /// Function and file of a live code object.
    pub(super) fn names(&self, code: usize) -> (String, String) {
        let text = |name: &CStr| {
            let found = self.attribute_of(object(code), name);
            found.map(|text| self.interface.text(text.address()))
        };
        if self.is_failing() {
            return Default::default();
        }
        // Since 3.11 there is a name that includes the class.
        let function = text(c"co_qualname").or_else(|| text(c"co_name"));
        let file = text(c"co_filename");
        (function.unwrap_or_default(), file.unwrap_or_default())
    }

    /// The frames as the API reports them.
    pub(super) fn walk(&self, most: usize) -> Vec<RawFrame> {
        let frames = self.frames(most);
        let raw = frames.iter().map(|(frame, code)| RawFrame {
            code: code.address(),
            at: At::Line(self.line(frame)),
        });
        raw.collect()
    }
}
