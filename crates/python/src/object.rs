//! References to objects of Python, and the making of new ones.
//!
//! Everything here needs the interpreter's lock. Whoever is called by Python has it; callbacks take it (`gil`).
#![expect(unsafe_code, reason = "calls Python's C interface")]

use std::ffi::{CStr, CString, c_char};
use std::ptr::NonNull;

use crate::ffi::{self, PyObject};

/// An exception is set; Python raises it when the call returns.
#[derive(Debug)]
pub(crate) struct Raised;

/// The result of a function of the module.
pub(crate) type Answer = Result<Owned, Raised>;

/// A reference that is ours.
#[derive(Debug)]
pub(crate) struct Owned(NonNull<PyObject>);

// SAFETY: a reference may be kept by any thread; what touches the object has the interpreter's lock.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    /// Takes over a reference that Python has just given us; null means that it raised.
    #[inline(always)]
    pub(crate) fn new(object: *mut PyObject) -> Answer {
        NonNull::new(object).map(Self).ok_or(Raised)
    }

    /// One more reference to a borrowed object.
    pub(crate) fn borrowed(object: *mut PyObject) -> Answer {
        if !object.is_null() {
            // SAFETY: a live object, as its owner promises.
            unsafe { ffi::Py_IncRef(object) };
        }
        Self::new(object)
    }

    /// `None`.
    pub(crate) fn none() -> Answer {
        Self::borrowed(none())
    }

    pub(crate) fn as_ptr(&self) -> *mut PyObject {
        self.0.as_ptr()
    }

    pub(crate) fn another(&self) -> Self {
        // SAFETY: the object lives as long as this reference.
        unsafe { ffi::Py_IncRef(self.0.as_ptr()) };
        Self(self.0)
    }

    /// Hands the reference on.
    #[inline(always)]
    pub(crate) fn into_raw(self) -> *mut PyObject {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the reference is ours, and is not used after this.
        unsafe { ffi::Py_DecRef(self.0.as_ptr()) };
    }
}

/// `None`, not to be given away.
pub(crate) fn none() -> *mut PyObject {
    &raw mut ffi::_Py_NoneStruct
}

/// Whether an object is of a type of Python's own.
pub(crate) fn is(object: *mut PyObject, kind: *mut PyObject) -> bool {
    // SAFETY: a live object and a type that is never unloaded. Python's own types do not raise here.
    unsafe { ffi::PyObject_IsInstance(object, kind) == 1 }
}

pub(crate) fn is_text(object: *mut PyObject) -> bool {
    is(object, &raw mut ffi::PyUnicode_Type)
}

pub(crate) fn is_bytes(object: *mut PyObject) -> bool {
    is(object, &raw mut ffi::PyBytes_Type)
}

pub(crate) fn is_callable(object: *mut PyObject) -> bool {
    // SAFETY: accepts every object and does not raise.
    unsafe { ffi::PyCallable_Check(object) == 1 }
}

/// The bytes of a bytes object, with the zero that Python puts behind them.
pub(crate) fn bytes_of(object: &Owned) -> Result<&CStrBytes, Raised> {
    let (mut start, mut length) = (std::ptr::null_mut::<c_char>(), 0_isize);
    // SAFETY: the object lives; both places are ours.
    let failed =
        unsafe { ffi::PyBytes_AsStringAndSize(object.as_ptr(), &raw mut start, &raw mut length) };
    if failed != 0 {
        return Err(Raised);
    }
    let length = usize::try_from(length).unwrap_or(0);
    // SAFETY: Python's buffer lives as long as the object, which the result borrows.
    Ok(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) })
}

/// Bytes that a zero follows.
pub(crate) type CStrBytes = [u8];

/// Raises. The text is ours, or contains what a script passed.
#[cold]
pub(crate) fn raise(kind: *mut PyObject, text: &str) -> Raised {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    // SAFETY: a type of exceptions and a text, which Python copies.
    unsafe { ffi::PyErr_SetString(kind, text.as_ptr()) };
    Raised
}

#[cold]
pub(crate) fn type_error(text: &str) -> Raised {
    // SAFETY: set when the interpreter was started, and not changed after that.
    raise(unsafe { ffi::PyExc_TypeError }, text)
}

#[cold]
pub(crate) fn value_error(text: &str) -> Raised {
    // SAFETY: as above.
    raise(unsafe { ffi::PyExc_ValueError }, text)
}

#[cold]
pub(crate) fn overflow_error(text: &str) -> Raised {
    // SAFETY: as above.
    raise(unsafe { ffi::PyExc_OverflowError }, text)
}

/// What an exception that is set says, as `ValueError: no more`; the exception stays set.
#[cold]
pub(crate) fn exception_text() -> String {
    let (mut kind, mut value, mut trace) = (
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        std::ptr::null_mut(),
    );
    // SAFETY: three places of ours.
    unsafe { ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut trace) };
    // SAFETY: as above, with what was fetched.
    unsafe { ffi::PyErr_NormalizeException(&raw mut kind, &raw mut value, &raw mut trace) };
    let name = Owned::borrowed(kind)
        .ok()
        .map(|kind| attribute_text(&kind, c"__name__"));
    let text = Owned::borrowed(value).and_then(|value| {
        // SAFETY: a live object.
        Owned::new(unsafe { ffi::PyObject_Str(value.as_ptr()) })
    });
    let text = text.ok().map_or_else(String::new, |text| text_of(&text));
    // SAFETY: nothing may be set when the exception comes back; the references are handed back.
    unsafe { ffi::PyErr_Clear() };
    // SAFETY: as above.
    unsafe { ffi::PyErr_Restore(kind, value, trace) };
    let name = name.unwrap_or_else(|| "an exception".to_owned());
    if text.is_empty() {
        name
    } else {
        format!("{name}: {text}")
    }
}

/// A Python text as a Rust string; empty if it is not valid UTF-8.
pub(crate) fn text_of(object: &Owned) -> String {
    // SAFETY: accepts every object.
    let encoded = Owned::new(unsafe { ffi::PyUnicode_AsUTF8String(object.as_ptr()) });
    let text = encoded.and_then(|bytes| {
        bytes_of(&bytes).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    });
    text.unwrap_or_else(|Raised| {
        // SAFETY: clears what was just set.
        unsafe { ffi::PyErr_Clear() };
        String::new()
    })
}

/// An attribute, if there is one and it is not `None`.
pub(crate) fn attribute(object: &Owned, name: &CStr) -> Option<Owned> {
    // SAFETY: a live object and a name.
    let found = Owned::new(unsafe { ffi::PyObject_GetAttrString(object.as_ptr(), name.as_ptr()) });
    if found.is_err() {
        // SAFETY: clears what was just set.
        unsafe { ffi::PyErr_Clear() };
    }
    found.ok().filter(|found| found.as_ptr() != none())
}

/// An attribute that is a text; empty if it is not.
pub(crate) fn attribute_text(object: &Owned, name: &CStr) -> String {
    attribute(object, name).map_or_else(String::new, |text| text_of(&text))
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: *mut PyObject) -> String {
    // SAFETY: a live object.
    let kind = Owned::new(unsafe { ffi::PyObject_Type(object) });
    kind.map_or_else(
        |Raised| String::new(),
        |kind| attribute_text(&kind, c"__name__"),
    )
}

/// Values that become objects.
pub(crate) trait ToObject {
    fn object(&self) -> Answer;
}

macro_rules! integers {
    ($($type:ty => $make:ident as $wide:ty),*) => {
        $(impl ToObject for $type {
            #[inline(always)]
            fn object(&self) -> Answer {
                // SAFETY: takes any number.
                Owned::new(unsafe { ffi::$make(<$wide>::from(*self)) })
            }
        })*
    };
}
integers! {
    u8 => PyLong_FromLong as i64,
    u16 => PyLong_FromLong as i64,
    i32 => PyLong_FromLong as i64,
    u32 => PyLong_FromLong as i64,
    i64 => PyLong_FromLongLong as i64,
    u64 => PyLong_FromUnsignedLongLong as u64
}

impl ToObject for usize {
    #[inline(always)]
    fn object(&self) -> Answer {
        (*self as u64).object()
    }
}

impl ToObject for f32 {
    fn object(&self) -> Answer {
        // SAFETY: takes any number.
        Owned::new(unsafe { ffi::PyFloat_FromDouble(f64::from(*self)) })
    }
}

impl<T> ToObject for *mut T {
    #[inline(always)]
    fn object(&self) -> Answer {
        self.addr().object()
    }
}

impl<T> ToObject for *const T {
    #[inline(always)]
    fn object(&self) -> Answer {
        self.addr().object()
    }
}

impl ToObject for str {
    fn object(&self) -> Answer {
        let length = isize::try_from(self.len()).unwrap_or(0);
        // SAFETY: as many bytes as the text has.
        Owned::new(unsafe {
            ffi::PyUnicode_DecodeUTF8(self.as_ptr().cast(), length, c"replace".as_ptr())
        })
    }
}

impl<T: ToObject> ToObject for [T] {
    fn object(&self) -> Answer {
        list(self.iter().map(ToObject::object))
    }
}

impl<T: ToObject, const N: usize> ToObject for [T; N] {
    fn object(&self) -> Answer {
        self[..].object()
    }
}

/// A text that C gave; `None` if it gave none.
pub(crate) fn text_or_none(text: *const c_char) -> Answer {
    if text.is_null() {
        return Owned::none();
    }
    // SAFETY: the library gives texts that end in a zero and live until the thread's next call.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().object()
}

/// A buffer that a text was written into.
pub(crate) fn text_in(buffer: &[c_char]) -> Answer {
    let bytes: Vec<u8> = buffer
        .iter()
        .map(Letter::cast_unsigned_byte)
        .take_while(|letter| *letter != 0)
        .collect();
    String::from_utf8_lossy(&bytes).object()
}

/// `c_char` has a sign on some machines only.
trait Letter {
    fn cast_unsigned_byte(&self) -> u8;
}
impl Letter for i8 {
    fn cast_unsigned_byte(&self) -> u8 {
        self.cast_unsigned()
    }
}
impl Letter for u8 {
    fn cast_unsigned_byte(&self) -> u8 {
        *self
    }
}

/// A list of what comes.
pub(crate) fn list(items: impl ExactSizeIterator<Item = Answer>) -> Answer {
    // SAFETY: any length; the places are filled below, or the list is dropped.
    let list = Owned::new(unsafe { ffi::PyList_New(isize::try_from(items.len()).unwrap_or(0)) })?;
    for (index, item) in (0_isize..).zip(items) {
        // SAFETY: the list has the place, and takes the reference over.
        unsafe { ffi::PyList_SetItem(list.as_ptr(), index, item?.into_raw()) };
    }
    Ok(list)
}

/// A tuple of objects.
#[inline(always)]
pub(crate) fn tuple<const N: usize>(items: [Owned; N]) -> Answer {
    // SAFETY: any length; the places are filled below.
    let tuple = Owned::new(unsafe { ffi::PyTuple_New(N.cast_signed()) })?;
    for (index, item) in (0_isize..).zip(items) {
        // SAFETY: the tuple has the place, and takes the reference over.
        unsafe { ffi::PyTuple_SetItem(tuple.as_ptr(), index, item.into_raw()) };
    }
    Ok(tuple)
}

/// Calls something with arguments. The exception stays set when it raises.
pub(crate) fn call<const N: usize>(callable: &Owned, arguments: [Owned; N]) -> Answer {
    let arguments = tuple(arguments)?;
    // SAFETY: both live.
    Owned::new(unsafe { ffi::PyObject_CallObject(callable.as_ptr(), arguments.as_ptr()) })
}

/// Passes the pending exception, which has no caller to go to, to `sys.unraisablehook`.
pub(crate) fn unraisable(what: &Owned) {
    // SAFETY: an exception is set, and the object lives.
    unsafe { ffi::PyErr_WriteUnraisable(what.as_ptr()) };
}
