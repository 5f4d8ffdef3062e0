//! `millpond/compile.h`: compiling models inside a program.

use core::ffi::c_char;

structs! {
    /// One option.
    millpondCompileOption {
        name: *const c_char,
        value: *const c_char,
    }
}
