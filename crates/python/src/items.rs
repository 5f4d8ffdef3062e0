//! Lists of Python as arrays of C, and what they may hold.
#![expect(unsafe_code, reason = "calls Python's C interface")]

use crate::arguments::{
    ArgumentRef, Text, bool_of, f32_of, i64_of, out_of_range, said_better, u64_of,
};
use crate::ffi::{self, PyObject};
use crate::object::{self, Owned, Raised, is_bytes, is_text, value_error};

/// What lists may hold.
pub(crate) trait Item: Sized {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised>;
}

macro_rules! items {
    ($($type:ty: $function:path as $kind:literal),*) => {
        $(impl Item for $type {
            fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
                let value = $function(object, place)?;
                Self::try_from(value).map_err(|_| out_of_range(object, place, $kind))
            }
        })*
    };
}

items! {
    i64: i64_of as "i64", i32: i64_of as "i32",
    u64: u64_of as "u64", u32: u64_of as "u32", usize: u64_of as "usize"
}

impl Item for f32 {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        f32_of(object, place)
    }
}

/// A truth, as one byte of C.
#[repr(transparent)]
pub(crate) struct Truth(u8);

impl Item for Truth {
    fn of(object: *mut PyObject, _: ArgumentRef) -> Result<Self, Raised> {
        bool_of(object).map(Self)
    }
}

impl<T> Item for *mut T {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        usize::of(object, place).map(std::ptr::with_exposed_provenance_mut)
    }
}

impl Item for Text {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        Self::of(object, place)
    }
}

impl<T: Item> Item for Vec<T> {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        list_of(object, place)
    }
}

impl Item for [i64; 2] {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        let pair: Vec<i64> = list_of(object, place)?;
        Self::try_from(pair).map_err(|_| value_error(&format!("{place} must be two numbers")))
    }
}

/// The items of a sequence. Texts are sequences in Python, but not here.
pub(crate) fn list_of<T: Item>(
    object: *mut PyObject,
    place: ArgumentRef,
) -> Result<Vec<T>, Raised> {
    let wrong = |Raised| said_better(|| place.wrong_type("a list", object));
    if is_text(object) || is_bytes(object) || object::is(object, &raw mut ffi::PyDict_Type) {
        return Err(place.wrong_type("a list", object));
    }
    // SAFETY: a live object; anything but a sequence raises.
    let tuple = Owned::new(unsafe { ffi::PySequence_Tuple(object) }).map_err(wrong)?;
    // SAFETY: a tuple.
    let count = unsafe { ffi::PyTuple_Size(tuple.as_ptr()) };
    let mut items = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    for (index, item) in (0..count).enumerate() {
        // SAFETY: within the tuple, which keeps the item.
        let object = unsafe { ffi::PyTuple_GetItem(tuple.as_ptr(), item) };
        items.push(T::of(object, place.item(index))?);
    }
    Ok(items)
}
