//! `millpond/binding.h`: for bindings of other languages.

use core::ffi::c_char;

structs! {
    /// One line of a call stack.
    millpondFrame {
        function: *const c_char,
        file: *const c_char,
        line: u32,
    }
}

/// Writes the frames of the calling thread.
pub type millpondFrameProvider =
    Option<unsafe extern "C-unwind" fn(frames: *mut millpondFrame, room: usize) -> usize>;
