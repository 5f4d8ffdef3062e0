//! Reads and writes memory that may not be there.
//!
//! Some producers of annotations leave pointers uninitialised. The kernel is asked to do the copy:
//! it answers an error where a load or a store of ours would end the process.
#![expect(unsafe_code, reason = "asks the kernel to copy")]

use std::ffi::{c_char, c_void};
use std::io;
use std::mem::MaybeUninit;

/// The smallest page there is: a string is read up to the end of one at a time.
const PAGE: usize = 4096;
/// What a pipe takes at once without anybody reading it.
const PIPE: usize = 4096;

/// A value that C points to, if it can be read.
pub(super) fn read<T: Copy>(from: *const T) -> Option<T> {
    let mut values = read_array(from, 1)?;
    values.pop()
}

/// Several values that C points to, if all can be read.
pub(crate) fn read_array<T: Copy>(from: *const T, count: usize) -> Option<Vec<T>> {
    let mut values: Vec<T> = Vec::new();
    values.try_reserve_exact(count).ok()?;
    let bytes = count.checked_mul(size_of::<T>())?;
    let room: *mut T = values.as_mut_ptr();
    if !copy(room.cast(), from.cast(), bytes, Direction::In) {
        return None;
    }
    // SAFETY: that many were just filled in, and the types read here are valid for any bytes.
    unsafe { values.set_len(count) };
    Some(values)
}

/// Writes values to where C points, if all can be written.
pub(super) fn write_array<T: Copy>(to: *mut T, values: &[T]) -> bool {
    let from: *const T = values.as_ptr();
    if !to.is_aligned()
        || !copy(
            from.cast_mut().cast(),
            to.cast(),
            size_of_val(values),
            Direction::Out,
        )
    {
        return false;
    }
    for (index, value) in values.iter().enumerate() {
        // SAFETY: inside the array, which the kernel has just written to.
        let place = unsafe { to.add(index) };
        // Once more by hand, so that tools which watch stores see it.
        // SAFETY: as above.
        unsafe { place.write(*value) };
    }
    true
}

/// The bytes of a C string, without its end: at most `limit` of them. `None` if it cannot be read.
pub(super) fn read_text(from: *const c_char, limit: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut at: *const u8 = from.cast();
    while text.len() < limit {
        let piece = (PAGE - at.addr() % PAGE).min(limit - text.len());
        let piece = read_array(at, piece)?;
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return Some(text);
        }
        at = at.wrapping_add(piece.len());
        text.extend(piece);
    }
    Some(text)
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    In,
    Out,
}

/// Copies between memory of ours and memory that may not be there; whether all of it was.
fn copy(ours: *mut c_void, theirs: *const c_void, bytes: usize, direction: Direction) -> bool {
    if bytes == 0 {
        return true;
    }
    if theirs.is_null() {
        return false;
    }
    let local = libc::iovec {
        iov_base: ours,
        iov_len: bytes,
    };
    let remote = libc::iovec {
        iov_base: theirs.cast_mut(),
        iov_len: bytes,
    };
    let call = match direction {
        Direction::In => libc::process_vm_readv,
        Direction::Out => libc::process_vm_writev,
    };
    // SAFETY: takes nothing and cannot fail.
    let here = unsafe { libc::getpid() };
    // SAFETY: ours is that long; theirs is checked by the kernel.
    let done = unsafe { call(here, &raw const local, 1, &raw const remote, 1, 0) };
    if let Ok(done) = usize::try_from(done) {
        return done == bytes;
    }
    let forbidden = [Some(libc::EPERM), Some(libc::ENOSYS)];
    // A sandbox may forbid the call; a pipe is always there.
    forbidden.contains(&io::Error::last_os_error().raw_os_error())
        && through_pipe(ours, theirs, bytes, direction)
}

/// The same with two calls that every sandbox allows.
fn through_pipe(
    ours: *mut c_void,
    theirs: *const c_void,
    bytes: usize,
    direction: Direction,
) -> bool {
    let mut ends = MaybeUninit::<[libc::c_int; 2]>::uninit();
    // SAFETY: there is room for both ends.
    if unsafe { libc::pipe2(ends.as_mut_ptr().cast(), libc::O_CLOEXEC) } != 0 {
        return false;
    }
    // SAFETY: filled in by the call that succeeded.
    let [output, input] = unsafe { ends.assume_init() };
    let (from, to) = match direction {
        Direction::In => (theirs, ours),
        Direction::Out => (ours.cast_const(), theirs.cast_mut()),
    };
    let mut done = 0;
    while done < bytes {
        let piece = (bytes - done).min(PIPE);
        let source = from.wrapping_byte_add(done);
        // SAFETY: the kernel checks what it reads.
        let wrote = unsafe { libc::write(input, source, piece) };
        if usize::try_from(wrote) != Ok(piece) {
            break;
        }
        let target = to.wrapping_byte_add(done);
        // SAFETY: the kernel checks what it writes; ours has room.
        let read = unsafe { libc::read(output, target, piece) };
        if usize::try_from(read) != Ok(piece) {
            break;
        }
        done += piece;
    }
    for end in [input, output] {
        // SAFETY: both were opened above and nobody else has them.
        unsafe { libc::close(end) };
    }
    done == bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wild<T>() -> *mut T {
        std::ptr::without_provenance_mut(0x10)
    }

    #[test]
    fn what_is_not_there_is_an_answer() {
        assert_eq!(read::<u64>(std::ptr::null()), None);
        assert_eq!(read::<u64>(wild()), None);
        assert_eq!(read_array::<u64>(wild(), usize::MAX), None);
        assert_eq!(read_text(wild(), 10), None);
        assert!(!write_array(wild(), &[1_u64]));
        let constant: &'static u64 = &7;
        assert!(!write_array(
            std::ptr::from_ref(constant).cast_mut(),
            &[8_u64]
        ));
        assert_eq!(*constant, 7);
    }

    #[test]
    fn what_is_there_is_copied() {
        let five = 5_u32;
        assert_eq!(read(&raw const five), Some(5));
        let mut room = [0_u64; 3];
        assert!(write_array(room.as_mut_ptr(), &[1, 2, 3]));
        assert_eq!(read_array(room.as_ptr(), 3), Some(vec![1, 2, 3]));
        let odd: *mut u64 = room.as_mut_ptr().wrapping_byte_add(1);
        assert!(!write_array(odd, &[1]), "no array lies there");
    }

    #[test]
    fn texts_end_at_their_end_or_at_the_limit() {
        assert_eq!(read_text(c"hello".as_ptr(), 100).unwrap(), b"hello");
        assert_eq!(read_text(c"hello".as_ptr(), 3).unwrap(), b"hel");
        assert_eq!(read_text(c"".as_ptr(), 3).unwrap(), b"");
    }

    #[test]
    fn a_pipe_serves_where_a_sandbox_forbids_the_call() {
        let from: Vec<u32> = (0..5000).collect();
        let mut to = vec![0_u32; 5000];
        let (source, target) = (
            from.as_ptr().cast::<c_void>(),
            to.as_mut_ptr().cast::<c_void>(),
        );
        assert!(through_pipe(target, source, 20_000, Direction::In));
        assert_eq!(from, to);
        to.fill(0);
        let target = to.as_mut_ptr().cast::<c_void>();
        assert!(through_pipe(
            source.cast_mut(),
            target,
            20_000,
            Direction::Out
        ));
        assert_eq!(from, to);
        assert!(!through_pipe(target, wild(), 8, Direction::In));
        assert!(!through_pipe(target, wild(), 8, Direction::Out));
    }
}
