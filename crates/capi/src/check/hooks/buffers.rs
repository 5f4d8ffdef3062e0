//! System calls with buffers of the program. If a buffer is closed pinned memory, its pages are open during the
//! call, and the access of the call is reported as if the program had made it.
#![expect(unsafe_code, reason = "replaces functions of the C library")]

use std::ffi::{c_int, c_void};

use libc::{FILE, iovec, msghdr, off_t, size_t, sockaddr, socklen_t, ssize_t};

use super::super::pinned::{self, Using};
use super::peek::peek;
use super::{Entry, Hook, Parts, ended};

pub(super) fn one(start: *const c_void, bytes: size_t) -> Parts {
    Parts::One(start.addr() as u64, bytes as u64)
}

fn several(list: *const iovec, count: usize) -> Parts {
    /// The system refuses a longer one, and reads none of it.
    const MOST: usize = 1024;
    if count > MOST {
        return Parts::NONE;
    }
    Parts::List(list.expose_provenance(), count)
}

fn of_message(message: *const msghdr) -> Parts {
    let message = peek::<msghdr>(message.expose_provenance());
    message.map_or(Parts::NONE, |it| several(it.msg_iov, it.msg_iovlen))
}

fn count(count: c_int) -> usize {
    usize::try_from(count).unwrap_or(0)
}

/// Of a function that returns how many bytes, or a number below zero.
pub(super) fn answered(result: ssize_t) -> usize {
    usize::try_from(result).unwrap_or(0)
}

hooked! {
    READ: fn read(file: c_int, to: *mut c_void, room: size_t) -> ssize_t,
        Writes one(to, room), answered;
    READ_CHK: fn __read_chk(file: c_int, to: *mut c_void, room: size_t, size: size_t) -> ssize_t,
        Writes one(to, room), answered;
    WRITE: fn write(file: c_int, from: *const c_void, bytes: size_t) -> ssize_t,
        Reads one(from, bytes), answered;
    PREAD: fn pread(file: c_int, to: *mut c_void, room: size_t, at: off_t) -> ssize_t,
        Writes one(to, room), answered;
    PREAD64: fn pread64(file: c_int, to: *mut c_void, room: size_t, at: off_t) -> ssize_t,
        Writes one(to, room), answered;
    PREAD_CHK: fn __pread_chk(file: c_int, to: *mut c_void, room: size_t, at: off_t, size: size_t) -> ssize_t,
        Writes one(to, room), answered;
    PREAD64_CHK: fn __pread64_chk(file: c_int, to: *mut c_void, room: size_t, at: off_t, size: size_t) -> ssize_t,
        Writes one(to, room), answered;
    PWRITE: fn pwrite(file: c_int, from: *const c_void, bytes: size_t, at: off_t) -> ssize_t,
        Reads one(from, bytes), answered;
    PWRITE64: fn pwrite64(file: c_int, from: *const c_void, bytes: size_t, at: off_t) -> ssize_t,
        Reads one(from, bytes), answered;
    READV: fn readv(file: c_int, list: *const iovec, parts: c_int) -> ssize_t,
        Writes several(list, count(parts)), answered;
    WRITEV: fn writev(file: c_int, list: *const iovec, parts: c_int) -> ssize_t,
        Reads several(list, count(parts)), answered;
    PREADV: fn preadv(file: c_int, list: *const iovec, parts: c_int, at: off_t) -> ssize_t,
        Writes several(list, count(parts)), answered;
    PREADV64: fn preadv64(file: c_int, list: *const iovec, parts: c_int, at: off_t) -> ssize_t,
        Writes several(list, count(parts)), answered;
    PWRITEV: fn pwritev(file: c_int, list: *const iovec, parts: c_int, at: off_t) -> ssize_t,
        Reads several(list, count(parts)), answered;
    PWRITEV64: fn pwritev64(file: c_int, list: *const iovec, parts: c_int, at: off_t) -> ssize_t,
        Reads several(list, count(parts)), answered;
    RECV: fn recv(socket: c_int, to: *mut c_void, room: size_t, flags: c_int) -> ssize_t,
        Writes one(to, room), |it| answered(it).min(room);
    RECV_CHK: fn __recv_chk(socket: c_int, to: *mut c_void, room: size_t, size: size_t, flags: c_int) -> ssize_t,
        Writes one(to, room), |it| answered(it).min(room);
    RECVFROM: fn recvfrom(
        socket: c_int, to: *mut c_void, room: size_t, flags: c_int, who: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t,
        Writes one(to, room), |it| answered(it).min(room);
    RECVFROM_CHK: fn __recvfrom_chk(
        socket: c_int, to: *mut c_void, room: size_t, size: size_t, flags: c_int, who: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t,
        Writes one(to, room), |it| answered(it).min(room);
    RECVMSG: fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t,
        Writes of_message(message), answered;
    SEND: fn send(socket: c_int, from: *const c_void, bytes: size_t, flags: c_int) -> ssize_t,
        Reads one(from, bytes), answered;
    SENDTO: fn sendto(
        socket: c_int, from: *const c_void, bytes: size_t, flags: c_int, to: *const sockaddr, length: socklen_t
    ) -> ssize_t,
        Reads one(from, bytes), answered;
    SENDMSG: fn sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> ssize_t,
        Reads of_message(message), answered;
    FREAD: fn fread(to: *mut c_void, size: size_t, number: size_t, file: *mut FILE) -> size_t,
        Writes one(to, size.saturating_mul(number)), |it| it.saturating_mul(size);
    FREAD_UNLOCKED: fn fread_unlocked(to: *mut c_void, size: size_t, number: size_t, file: *mut FILE) -> size_t,
        Writes one(to, size.saturating_mul(number)), |it| it.saturating_mul(size);
    FREAD_CHK: fn __fread_chk(to: *mut c_void, room: size_t, size: size_t, number: size_t, file: *mut FILE) -> size_t,
        Writes one(to, size.saturating_mul(number)), |it| it.saturating_mul(size);
    FWRITE: fn fwrite(from: *const c_void, size: size_t, number: size_t, file: *mut FILE) -> size_t,
        Reads one(from, size.saturating_mul(number)), |it| it.saturating_mul(size);
    FWRITE_UNLOCKED: fn fwrite_unlocked(
        from: *const c_void, size: size_t, number: size_t, file: *mut FILE
    ) -> size_t,
        Reads one(from, size.saturating_mul(number)), |it| it.saturating_mul(size);
}
