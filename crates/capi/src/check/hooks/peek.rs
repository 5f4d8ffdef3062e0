//! Reads what a program passes by address, as the system would: an invalid address is an error and not a fault.
#![expect(
    unsafe_code,
    reason = "asks the system for memory that may not be there"
)]

use std::ffi::c_void;
use std::mem::MaybeUninit;

use libc::iovec;

use super::super::pinned::{self, errno, set_errno};

/// A value of which every pattern of bytes is valid.
///
/// # Safety
/// It is one.
pub(in super::super) unsafe trait Plain: Copy {}

// SAFETY: an address and a number.
unsafe impl Plain for iovec {}
// SAFETY: addresses and numbers.
unsafe impl Plain for libc::msghdr {}
// SAFETY: a number.
unsafe impl Plain for u64 {}

/// The value at an address, which need not be aligned.
pub(in super::super) fn peek<T: Plain>(from: usize) -> Option<T> {
    let mut value = [MaybeUninit::<T>::uninit()];
    // SAFETY: written as a whole, and every pattern is valid.
    peek_all(from, &mut value).then(|| unsafe { value[0].assume_init() })
}

/// The values from an address on; false if not all of them are there.
pub(in super::super) fn peek_all<T: Plain>(from: usize, to: &mut [MaybeUninit<T>]) -> bool {
    let kept = errno();
    let bytes = size_of_val(to);
    let copied = copy(from, to.as_mut_ptr().cast(), bytes)
        // Pinned memory that is closed: a touch of it is reported and opens it.
        || (pinned::touch(from as u64, bytes as u64) && copy(from, to.as_mut_ptr().cast(), bytes));
    set_errno(kept);
    copied
}

fn copy(from: usize, to: *mut c_void, bytes: usize) -> bool {
    let remote = iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(from),
        iov_len: bytes,
    };
    let local = iovec {
        iov_base: to,
        iov_len: bytes,
    };
    // SAFETY: asks for a number.
    let own = unsafe { libc::getpid() };
    // SAFETY: the system writes what the caller has room for, and says so if there is nothing to read.
    let got = unsafe { libc::process_vm_readv(own, &raw const local, 1, &raw const remote, 1, 0) };
    if got < 0 && matches!(errno(), libc::ENOSYS | libc::EPERM) {
        // A system that forbids it. The program's word has to do.
        let from = std::ptr::with_exposed_provenance::<u8>(from);
        // SAFETY: the program says that it is there.
        unsafe { std::ptr::copy_nonoverlapping(from, to.cast::<u8>(), bytes) };
        return true;
    }
    usize::try_from(got) == Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_no_fault() {
        let values = [1_u64, 2, 3];
        let start = values.as_ptr().expose_provenance();
        set_errno(77);
        assert_eq!(peek::<u64>(start + 8), Some(2));
        assert_eq!(peek::<u64>(start + 1), Some(2 << 56));
        assert_eq!(peek::<u64>(8), None);
        assert_eq!(errno(), 77);
    }
}
