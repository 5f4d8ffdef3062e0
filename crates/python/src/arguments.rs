//! What a script passed, as C wants it. A wrong type raises an exception that names function and argument.
#![expect(unsafe_code, reason = "calls Python's C interface")]

use std::ffi::c_char;

use crate::ffi::{self, PyObject};
use crate::items::{Item, list_of};
use crate::object::{
    self, Answer, Owned, Raised, is_bytes, is_text, overflow_error, type_error, type_name,
    value_error,
};

/// What messages say of a function.
#[derive(Debug)]
pub(crate) struct Function {
    /// As a script calls it: `rt.malloc`.
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [&'static str],
    /// How many of them must be there.
    pub(crate) least: usize,
}

/// The arguments of one call, as many as the function takes.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    function: &'static Function,
    items: &'a [*mut PyObject],
}

/// Runs a function of the module with what Python passed.
///
/// # Safety
///
/// `items` are `count` live objects, and the thread has the interpreter's lock.
#[inline(always)]
pub(crate) unsafe fn enter(
    items: *const *mut PyObject,
    count: isize,
    function: &'static Function,
    run: fn(Args<'_>) -> Answer,
) -> *mut PyObject {
    let count = count.cast_unsigned();
    if count < function.least || count > function.parameters.len() {
        wrong_count(function, count);
        return std::ptr::null_mut();
    }
    let items = if count == 0 {
        &[]
    } else {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(items, count) }
    };
    match run(Args { function, items }) {
        Ok(answer) => answer.into_raw(),
        Err(Raised) => std::ptr::null_mut(),
    }
}

#[cold]
fn wrong_count(function: &Function, count: usize) -> Raised {
    let Function {
        name,
        parameters,
        least,
    } = function;
    let most = parameters.len();
    let wanted = if *least == most {
        format!("{most}")
    } else {
        format!("{least} to {most}")
    };
    let list = parameters.join(", ");
    type_error(&format!(
        "acl.{name}({list}) takes {wanted} arguments, not {count}"
    ))
}

macro_rules! narrow {
    ($($name:ident: $type:ty as $wide:ident),*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name(&self, index: usize) -> Result<$type, Raised> {
                let wide = self.$wide(index)?;
                <$type>::try_from(wide).map_err(|_| self.out_of_range(index, stringify!($type)))
            }
        )*
    };
}

impl Args<'_> {
    /// An argument; `None` if it was left out.
    pub(crate) fn get(&self, index: usize) -> *mut PyObject {
        self.items.get(index).copied().unwrap_or_else(object::none)
    }

    /// One more reference to an argument.
    pub(crate) fn owned(&self, index: usize) -> Answer {
        Owned::borrowed(self.get(index))
    }

    /// An argument of the function as a place in messages.
    pub(crate) fn place(&self, index: usize) -> ArgumentRef {
        ArgumentRef {
            function: self.function,
            index,
            item: None,
        }
    }

    #[inline(always)]
    pub(crate) fn u64(&self, index: usize) -> Result<u64, Raised> {
        u64_of(self.get(index), self.place(index))
    }

    #[inline(always)]
    pub(crate) fn i64(&self, index: usize) -> Result<i64, Raised> {
        i64_of(self.get(index), self.place(index))
    }

    narrow! {
        usize: usize as u64, u32: u32 as u64, u16: u16 as u64, u8: u8 as u64,
        i32: i32 as i64, i8: i8 as i64
    }

    /// An address or a handle.
    #[inline(always)]
    pub(crate) fn pointer<T>(&self, index: usize) -> Result<*mut T, Raised> {
        self.usize(index).map(std::ptr::with_exposed_provenance_mut)
    }

    /// The same where C does not write.
    #[inline(always)]
    pub(crate) fn constant<T>(&self, index: usize) -> Result<*const T, Raised> {
        self.usize(index).map(std::ptr::with_exposed_provenance)
    }

    pub(crate) fn f32(&self, index: usize) -> Result<f32, Raised> {
        f32_of(self.get(index), self.place(index))
    }

    /// Whatever Python takes for true.
    pub(crate) fn bool(&self, index: usize) -> Result<u8, Raised> {
        bool_of(self.get(index))
    }

    pub(crate) fn text(&self, index: usize) -> Result<Text, Raised> {
        Text::of(self.get(index), self.place(index))
    }

    /// A text, or `None`.
    pub(crate) fn text_or_none(&self, index: usize) -> Result<Option<Text>, Raised> {
        if self.get(index) == object::none() {
            return Ok(None);
        }
        self.text(index).map(Some)
    }

    /// The items of a sequence.
    pub(crate) fn list<T: Item>(&self, index: usize) -> Result<Vec<T>, Raised> {
        list_of(self.get(index), self.place(index))
    }

    /// Raises if two lists that belong together have different lengths.
    pub(crate) fn same_length(
        &self,
        index: usize,
        length: usize,
        other: (usize, usize),
    ) -> Result<(), Raised> {
        if length == other.1 {
            return Ok(());
        }
        Err(value_error(&format!(
            "{} has {length} items, but '{}' has {}",
            self.place(index),
            self.function.parameters.get(other.0).unwrap_or(&""),
            other.1
        )))
    }

    /// The length of a list, as C counts it.
    pub(crate) fn count<T: TryFrom<usize>>(
        &self,
        index: usize,
        length: usize,
    ) -> Result<T, Raised> {
        T::try_from(length)
            .map_err(|_| overflow_error(&format!("{} is too long", self.place(index))))
    }

    /// Room for a text of as many bytes as the script asked for.
    pub(crate) fn room(&self, index: usize) -> Result<Vec<c_char>, Raised> {
        const MOST: u64 = 1 << 20;
        let length = self.u64(index)?;
        if length > MOST {
            return Err(self.out_of_range(index, "the length of a text, at most 1 MiB"));
        }
        Ok(vec![0; usize::try_from(length).unwrap_or(0)])
    }

    #[cold]
    pub(crate) fn out_of_range(&self, index: usize, kind: &str) -> Raised {
        out_of_range(self.get(index), self.place(index), kind)
    }

    /// Something that can be called.
    pub(crate) fn callable(&self, index: usize) -> Answer {
        if !object::is_callable(self.get(index)) {
            return Err(self.place(index).wrong_type("callable", self.get(index)));
        }
        self.owned(index)
    }

    /// Something that can be called, or `None`.
    pub(crate) fn callable_or_none(&self, index: usize) -> Result<Option<Owned>, Raised> {
        if self.get(index) == object::none() {
            return Ok(None);
        }
        self.callable(index).map(Some)
    }
}

/// An argument of a call, or an item of it, for messages.
#[derive(Clone, Copy)]
pub(crate) struct ArgumentRef {
    function: &'static Function,
    index: usize,
    /// Which item of the argument.
    item: Option<usize>,
}

impl std::fmt::Display for ArgumentRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parameter = self.function.parameters.get(self.index).unwrap_or(&"");
        write!(f, "acl.{}(): argument '{parameter}'", self.function.name)?;
        match self.item {
            Some(item) => write!(f, ", item {item},"),
            None => Ok(()),
        }
    }
}

impl ArgumentRef {
    pub(crate) fn item(self, item: usize) -> Self {
        Self {
            item: Some(item),
            ..self
        }
    }

    #[cold]
    pub(crate) fn wrong_type(self, wanted: &str, object: *mut PyObject) -> Raised {
        type_error(&format!(
            "{self} must be {wanted}, not {}",
            type_name(object)
        ))
    }
}

#[cold]
pub(crate) fn out_of_range(object: *mut PyObject, place: ArgumentRef, kind: &str) -> Raised {
    // SAFETY: a live object.
    let shown = Owned::new(unsafe { ffi::PyObject_Str(object) });
    let shown = shown.map_or_else(|Raised| String::new(), |text| object::text_of(&text));
    // Python itself does not write out numbers of thousands of digits.
    let shown = match shown.len() {
        1..=40 => format!(": {shown}"),
        _ => String::new(),
    };
    overflow_error(&format!("{place} is out of range for {kind}{shown}"))
}

/// Replaces Python's own message about a wrong type by ours. Any other exception comes from the object's code:
/// that is the script's.
#[cold]
pub(crate) fn said_better(words: impl FnOnce() -> Raised) -> Raised {
    // SAFETY: set when the interpreter was started, and not changed after that.
    let type_error = unsafe { ffi::PyExc_TypeError };
    // SAFETY: a type that is never unloaded, and an exception that is set.
    if unsafe { ffi::PyErr_ExceptionMatches(type_error) } == 0 {
        return Raised;
    }
    // SAFETY: replaced by something that says more.
    unsafe { ffi::PyErr_Clear() };
    words()
}

/// A number that `convert` did not take at first: one of numpy's, too large, or no number at all.
#[cold]
fn slowly<T: Copy + PartialEq>(
    object: *mut PyObject,
    place: ArgumentRef,
    kind: &str,
    suspicious: T,
    convert: impl Fn(*mut PyObject) -> T,
) -> Result<T, Raised> {
    // SAFETY: what may be set is replaced by something that says more.
    unsafe { ffi::PyErr_Clear() };
    // SAFETY: a live object; what has no __index__ raises.
    let Ok(number) = Owned::new(unsafe { ffi::PyNumber_Index(object) }) else {
        return Err(said_better(|| place.wrong_type("int", object)));
    };
    let value = convert(number.as_ptr());
    // SAFETY: as above.
    if value != suspicious || unsafe { ffi::PyErr_Occurred() }.is_null() {
        return Ok(value);
    }
    // SAFETY: as above.
    unsafe { ffi::PyErr_Clear() };
    Err(out_of_range(object, place, kind))
}

#[inline(always)]
pub(crate) fn u64_of(object: *mut PyObject, place: ArgumentRef) -> Result<u64, Raised> {
    // SAFETY: a live object; anything but a number raises.
    let value = unsafe { ffi::PyLong_AsUnsignedLongLong(object) };
    if value == u64::MAX {
        return u64_slowly(object, place);
    }
    Ok(value)
}

#[cold]
fn u64_slowly(object: *mut PyObject, place: ArgumentRef) -> Result<u64, Raised> {
    slowly(object, place, "u64", u64::MAX, |number| {
        // SAFETY: a live object.
        unsafe { ffi::PyLong_AsUnsignedLongLong(number) }
    })
}

/// A number with a sign. Python 3.9 would take a float for it and cut it off, but not where there is no sign; so that
/// way is tried first.
#[inline(always)]
pub(crate) fn i64_of(object: *mut PyObject, place: ArgumentRef) -> Result<i64, Raised> {
    // SAFETY: a live object; anything but a number raises.
    let value = unsafe { ffi::PyLong_AsUnsignedLongLong(object) };
    if value > i64::MAX.cast_unsigned() {
        return i64_slowly(object, place);
    }
    Ok(value.cast_signed())
}

#[cold]
fn i64_slowly(object: *mut PyObject, place: ArgumentRef) -> Result<i64, Raised> {
    slowly(object, place, "i64", -1, |number| {
        // SAFETY: a live object.
        unsafe { ffi::PyLong_AsLongLong(number) }
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "C's float has fewer digits; that is what the function takes"
)]
pub(crate) fn f32_of(object: *mut PyObject, place: ArgumentRef) -> Result<f32, Raised> {
    // SAFETY: a live object; anything but a number raises.
    let value = unsafe { ffi::PyFloat_AsDouble(object) };
    // SAFETY: asks whether an exception is set; the result is negative then.
    if value < 0.0 && !unsafe { ffi::PyErr_Occurred() }.is_null() {
        return Err(said_better(|| place.wrong_type("float", object)));
    }
    Ok(value as f32)
}

pub(crate) fn bool_of(object: *mut PyObject) -> Result<u8, Raised> {
    // SAFETY: a live object; its own code may raise.
    u8::try_from(unsafe { ffi::PyObject_IsTrue(object) }).map_err(|_| Raised)
}

/// A text as C takes it. Lives in an object of Python that is kept.
pub(crate) struct Text(Owned);

impl Text {
    pub(crate) fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        let held = if is_text(object) || is_bytes(object) {
            Owned::borrowed(object)?
        } else {
            // SAFETY: a live object; anything but a path raises.
            let Ok(path) = Owned::new(unsafe { ffi::PyOS_FSPath(object) }) else {
                // SAFETY: replaced by something that says more.
                unsafe { ffi::PyErr_Clear() };
                return Err(place.wrong_type("str", object));
            };
            path
        };
        let bytes = if is_text(held.as_ptr()) {
            // File names may have bytes that are not text; this restores them.
            // SAFETY: a live text.
            Owned::new(unsafe { ffi::PyUnicode_EncodeFSDefault(held.as_ptr()) })?
        } else {
            held
        };
        if object::bytes_of(&bytes)?.contains(&0) {
            return Err(value_error(&format!("{place} contains a zero byte")));
        }
        Ok(Self(bytes))
    }

    pub(crate) fn as_ptr(&self) -> *const c_char {
        object::bytes_of(&self.0).map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast())
    }

    /// How many bytes it has, without the zero at the end.
    pub(crate) fn len(&self) -> usize {
        object::bytes_of(&self.0).map_or(0, <[u8]>::len)
    }
}

/// The pointer to an optional text.
pub(crate) fn pointer_to(text: Option<&Text>) -> *const c_char {
    text.map_or(std::ptr::null(), Text::as_ptr)
}
