//! The Python module `acl`: AscendCL for Python, compatible with pyACL.
//!
//! There is no runtime in here. The extension `acl._acl` calls the C functions of `libascendcl.so`, which it needs by
//! name; so C and Python in one process have one runtime, no matter which loaded it first.
//!
//! - `functions.tsv` has every function. `bindings` is generated from it, `hand` has those that are made of more than
//!   one call, take functions of Python, or have results that C writes in its own way.
//! - `arguments`, `items`: what a script passed, as C wants it. `object`: results. `structs`: dictionaries.
//! - `gil`: the interpreter's lock. `frames`: where in the script a call came from, for findings.
//! - `ffi`: Python's C interface, as far as it is used. Declared here and not taken from a crate, so that no Python is
//!   needed to build, and because calls have to be cheap: see `cargo xtask bench python`.
//!
//! Invariants: no panic leaves the extension; none of our locks is held while Python code may
//! run, and dropping an object may run code; what a callback needs stays alive until it has run.
#![expect(unsafe_code, reason = "exports the function that Python looks for")]

mod arguments;
mod bindings;
mod ffi;
mod frames;
mod gil;
mod hand;
mod items;
mod methods;
mod object;
mod structs;

use ffi::{PyModuleDef, PyObject};
use object::{Answer, Owned, Raised};

/// Python writes into the definition when it makes the module.
struct Definition(std::cell::UnsafeCell<PyModuleDef>);

// SAFETY: touched by Python alone, which has its lock then.
unsafe impl Sync for Definition {}

static DEFINITION: Definition = Definition(std::cell::UnsafeCell::new(PyModuleDef {
    references: 1,
    kind: std::ptr::null_mut(),
    initialise: std::ptr::null_mut(),
    index: 0,
    copy: std::ptr::null_mut(),
    name: c"acl._acl".as_ptr(),
    doc: c"AscendCL for Python, on top of libascendcl.so.".as_ptr(),
    size: -1,
    methods: std::ptr::null_mut(),
    slots: std::ptr::null_mut(),
    traverse: std::ptr::null_mut(),
    clear: std::ptr::null_mut(),
    free: std::ptr::null_mut(),
}));

/// What Python calls when the module is imported.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name that Python looks for")]
pub(crate) extern "C-unwind" fn PyInit__acl() -> *mut PyObject {
    match module() {
        Ok(module) => module.into_raw(),
        Err(Raised) => std::ptr::null_mut(),
    }
}

fn module() -> Answer {
    let definition = DEFINITION.0.get();
    // SAFETY: a definition that is never unloaded.
    let module = unsafe { ffi::PyModule_Create2(definition, ffi::PYTHON_ABI_VERSION) };
    let module = Owned::new(module)?;
    bindings::fill(&module)?;
    frames::provide();
    Ok(module)
}
