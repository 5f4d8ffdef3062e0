//! The functions of the module as Python's tables, and the modules themselves.
#![expect(unsafe_code, reason = "calls Python's C interface")]

use std::ffi::CStr;

use crate::ffi::{self, Fast, PyMethodDef};
use crate::object::{Answer, Owned, Raised};

/// A table of functions, with the empty row that ends it.
pub(crate) struct Methods<const N: usize>(pub(crate) [PyMethodDef; N]);

// SAFETY: the pointers in it lead to constants.
unsafe impl<const N: usize> Sync for Methods<N> {}

/// One row.
pub(crate) const fn row(name: &'static CStr, function: Fast, doc: &'static CStr) -> PyMethodDef {
    PyMethodDef {
        name: name.as_ptr(),
        function: Some(function),
        flags: ffi::METH_FASTCALL,
        doc: doc.as_ptr(),
    }
}

/// The row that ends a table.
pub(crate) const END: PyMethodDef = PyMethodDef {
    name: std::ptr::null(),
    function: None,
    flags: 0,
    doc: std::ptr::null(),
};

/// Makes the function that Python calls from one that takes [`crate::arguments::Args`].
macro_rules! method {
    ($name:literal ($($parameter:literal),*) least $least:literal, $run:path) => {{
        static FUNCTION: $crate::arguments::Function = $crate::arguments::Function {
            name: $name,
            parameters: &[$($parameter),*],
            least: $least,
        };
        unsafe extern "C-unwind" fn called(
            _: *mut $crate::ffi::PyObject,
            items: *const *mut $crate::ffi::PyObject,
            count: isize,
        ) -> *mut $crate::ffi::PyObject {
            // SAFETY: Python calls with its lock, and with as many live objects as it says.
            unsafe { $crate::arguments::enter(items, count, &FUNCTION, $run) }
        }
        called
    }};
}
pub(crate) use method;

/// Puts functions into a module. The table must end with [`END`].
pub(crate) fn fill<const N: usize>(
    module: &Owned,
    methods: &'static Methods<N>,
) -> Result<(), Raised> {
    // SAFETY: a module, and a table that is never unloaded. Python only reads it.
    let failed =
        unsafe { ffi::PyModule_AddFunctions(module.as_ptr(), methods.0.as_ptr().cast_mut()) };
    if failed == 0 { Ok(()) } else { Err(Raised) }
}

/// A module inside another.
pub(crate) fn submodule<const N: usize>(
    parent: &Owned,
    name: &CStr,
    full_name: &CStr,
    methods: &'static Methods<N>,
) -> Answer {
    // SAFETY: a text.
    let module = Owned::new(unsafe { ffi::PyModule_New(full_name.as_ptr()) })?;
    fill(&module, methods)?;
    add(parent, name, module.another())?;
    Ok(module)
}

/// Puts an object into a module.
pub(crate) fn add(module: &Owned, name: &CStr, item: Owned) -> Result<(), Raised> {
    let item = item.into_raw();
    // SAFETY: a module, a text and an object whose reference it takes over if all goes well.
    let failed = unsafe { ffi::PyModule_AddObject(module.as_ptr(), name.as_ptr(), item) };
    if failed == 0 {
        return Ok(());
    }
    // The reference was not taken.
    drop(Owned::new(item));
    Err(Raised)
}
