//! System calls that fill a small structure. A program that keeps all its state in one pinned block has such
//! structures beside memory that queued work uses.
#![expect(unsafe_code, reason = "replaces functions of the C library")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libc::{size_t, ssize_t, stat as Status};

use super::super::pinned::{self, Using};
use super::buffers::{answered, one};
use super::{Entry, Hook, Parts, ended};

fn status(to: *mut Status) -> Parts {
    one(to.cast(), size_of::<Status>())
}

fn pair(to: *mut c_int) -> Parts {
    one(to.cast(), size_of::<[c_int; 2]>())
}

/// Of a function that returns zero where it filled all of it.
fn filled<T>(result: c_int) -> usize {
    if result == 0 { size_of::<T>() } else { 0 }
}

/// Of a function that returns a text, or null.
fn text(result: *mut c_char) -> usize {
    if result.is_null() {
        return 0;
    }
    // SAFETY: the function has just written it, and it ends.
    unsafe { CStr::from_ptr(result) }.count_bytes() + 1
}

hooked! {
    GETRANDOM: fn getrandom(to: *mut c_void, room: size_t, flags: c_uint) -> ssize_t,
        Writes one(to, room), answered;
    GETENTROPY: fn getentropy(to: *mut c_void, room: size_t) -> c_int,
        Writes one(to, room), |it| if it == 0 { room } else { 0 };
    GETCWD: fn getcwd(to: *mut c_char, room: size_t) -> *mut c_char,
        Writes one(to.cast(), room), text;
    GETCWD_CHK: fn __getcwd_chk(to: *mut c_char, room: size_t, size: size_t) -> *mut c_char,
        Writes one(to.cast(), room), text;
    READLINK: fn readlink(path: *const c_char, to: *mut c_char, room: size_t) -> ssize_t,
        Writes one(to.cast(), room), answered;
    READLINK_CHK: fn __readlink_chk(path: *const c_char, to: *mut c_char, room: size_t, size: size_t) -> ssize_t,
        Writes one(to.cast(), room), answered;
    STAT: fn stat(path: *const c_char, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    STAT64: fn stat64(path: *const c_char, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    LSTAT: fn lstat(path: *const c_char, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    LSTAT64: fn lstat64(path: *const c_char, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    FSTAT: fn fstat(file: c_int, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    FSTAT64: fn fstat64(file: c_int, to: *mut Status) -> c_int,
        Writes status(to), filled::<Status>;
    FSTATAT: fn fstatat(folder: c_int, path: *const c_char, to: *mut Status, flags: c_int) -> c_int,
        Writes status(to), filled::<Status>;
    FSTATAT64: fn fstatat64(folder: c_int, path: *const c_char, to: *mut Status, flags: c_int) -> c_int,
        Writes status(to), filled::<Status>;
    PIPE: fn pipe(to: *mut c_int) -> c_int,
        Writes pair(to), filled::<[c_int; 2]>;
    PIPE2: fn pipe2(to: *mut c_int, flags: c_int) -> c_int,
        Writes pair(to), filled::<[c_int; 2]>;
    // It uses no byte, but needs pages that can be used.
    MLOCK: fn mlock(from: *const c_void, bytes: size_t) -> c_int,
        Reads one(from, bytes), |_| 0;
}
