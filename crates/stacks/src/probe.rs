//! Reads and writes memory that may not be mapped.
//!
//! Some programs pass uninitialised pointers to annotations, and an interpreter's layout may not be the expected one. So the
//! kernel does the copy: it returns an error where a load or store of ours would crash the process.
#![expect(unsafe_code, reason = "lets the kernel copy")]

use std::ffi::{c_char, c_void};
use std::io;
use std::mem::MaybeUninit;

use millpond_abi as abi;

/// The smallest page size. Strings are read page by page.
const PAGE: usize = 4096;
/// How many bytes a pipe always accepts before they are read.
const PIPE: usize = 4096;

/// A type of which every pattern of bytes is a value.
///
/// # Safety
/// That must be true: integers, pointers and `repr(C)` structures of them.
pub unsafe trait Plain: Copy {}

// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: structures of C with integers and pointers.
unsafe impl Plain for abi::mstxMemHeapDesc_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemVirtualRangeDesc_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemRegionsRegisterBatch_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemRegionRef_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemRegionsUnregisterBatch_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemPermissionsAssignBatch_t {}
// SAFETY: as above.
unsafe impl Plain for abi::mstxMemPermissionsAssignRegionsDesc_t {}

/// The value at an address, if it can be read.
pub fn read<T: Plain>(from: *const T) -> Option<T> {
    let mut values = read_array(from, 1)?;
    values.pop()
}

/// An array, if all of it can be read.
pub fn read_array<T: Plain>(from: *const T, count: usize) -> Option<Vec<T>> {
    let mut values: Vec<T> = Vec::new();
    values.try_reserve_exact(count).ok()?;
    let bytes = count.checked_mul(size_of::<T>())?;
    let room: *mut T = values.as_mut_ptr();
    if !copy(room.cast(), from.cast(), bytes, Direction::In) {
        return None;
    }
    // SAFETY: that many were just filled in, and any bytes are a value of a plain type.
    unsafe { values.set_len(count) };
    Some(values)
}

/// Writes an array, if all of it can be written. False if nothing, or only a part, was.
///
/// # Safety
/// If `to` is writable, it must be memory that is meant to receive these values.
pub unsafe fn write_array<T: Plain>(to: *mut T, values: &[T]) -> bool {
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
        // Stored again here, so that tools which instrument stores see it.
        // SAFETY: as above.
        unsafe { place.write(*value) };
    }
    true
}

/// At most `limit` bytes of a C string, without its NUL. `None` if it cannot be read.
pub fn read_text(from: *const c_char, limit: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut at: *const u8 = from.cast();
    while text.len() < limit {
        let part = (PAGE - at.addr() % PAGE).min(limit - text.len());
        let part = read_array(at, part)?;
        if let Some(end) = part.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&part[..end]);
            return Some(text);
        }
        at = at.wrapping_add(part.len());
        text.extend(part);
    }
    Some(text)
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    In,
    Out,
}

/// Copies between memory of ours and memory that may not be mapped. False unless all bytes were copied.
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
    // A sandbox may forbid the call, but not a pipe.
    forbidden.contains(&io::Error::last_os_error().raw_os_error())
        && through_pipe(ours, theirs, bytes, direction)
}

/// The same with calls that every sandbox allows.
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
        let part = (bytes - done).min(PIPE);
        let source = from.wrapping_byte_add(done);
        // SAFETY: the kernel checks what it reads.
        let wrote = unsafe { libc::write(input, source, part) };
        if usize::try_from(wrote) != Ok(part) {
            break;
        }
        let target = to.wrapping_byte_add(done);
        // SAFETY: the kernel checks what it writes; ours has room.
        let read = unsafe { libc::read(output, target, part) };
        if usize::try_from(read) != Ok(part) {
            break;
        }
        done += part;
    }
    for end in [input, output] {
        // SAFETY: both were opened above and nothing else has them.
        unsafe { libc::close(end) };
    }
    done == bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write<T: Plain>(to: *mut T, values: &[T]) -> bool {
        // SAFETY: the tests pass arrays of their own, and addresses that cannot be written.
        unsafe { write_array(to, values) }
    }

    fn wild<T>() -> *mut T {
        std::ptr::without_provenance_mut(0x10)
    }

    #[test]
    fn unmapped_memory_is_reported() {
        assert_eq!(read::<u64>(std::ptr::null()), None);
        assert_eq!(read::<u64>(wild()), None);
        assert_eq!(read_array::<u64>(wild(), usize::MAX), None);
        assert_eq!(read_text(wild(), 10), None);
        assert!(!write(wild(), &[1_u64]));
        let constant: &'static u64 = &7;
        assert!(!write(std::ptr::from_ref(constant).cast_mut(), &[8_u64]));
        assert_eq!(*constant, 7);
    }

    #[test]
    fn mapped_memory_is_copied() {
        let five = 5_u32;
        assert_eq!(read(&raw const five), Some(5));
        let mut room = [0_u64; 3];
        assert!(write(room.as_mut_ptr(), &[1, 2, 3]));
        assert_eq!(read_array(room.as_ptr(), 3), Some(vec![1, 2, 3]));
        let odd: *mut u64 = room.as_mut_ptr().wrapping_byte_add(1);
        assert!(!write(odd, &[1]), "misaligned");
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
