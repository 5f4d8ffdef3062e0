//! Bytes that are written and looked at where work touches memory.
#![expect(
    unsafe_code,
    reason = "touches blocks at the addresses where work runs"
)]

/// How many bytes are looked at in one go.
const CHUNK: usize = 1024;

/// Sets bytes.
///
/// # Safety
/// The range is memory of a store where work runs, in pages that were promised, and nobody else is meant to use
/// it now.
pub(super) unsafe fn fill(kernel: u64, value: u8, bytes: u64) {
    let start = pointer(kernel);
    // SAFETY: as the caller promises.
    unsafe { std::ptr::write_bytes(start, value, length(bytes)) };
}

/// The first and the last byte of a range that are not `value`, counted from its start.
///
/// # Safety
/// The range is memory of a store where work runs, in pages that were promised. The program may write to it
/// meanwhile: that is what is looked for.
pub(super) unsafe fn changed(kernel: u64, value: u8, bytes: u64) -> Option<(u64, u64)> {
    let mut copy = [value; CHUNK];
    let pattern = copy;
    let (mut first, mut last) = (None, 0);
    let mut at = 0;
    while at < bytes {
        let part = (bytes - at).min(CHUNK as u64);
        let (place, seen) = (pointer(kernel + at), &mut copy[..length(part)]);
        // SAFETY: as the caller promises; the system's function, because the bytes may change meanwhile.
        let differs = unsafe { libc::memcmp(place.cast(), pattern.as_ptr().cast(), seen.len()) };
        if differs != 0 {
            // SAFETY: as the caller promises. A copy is looked at, because the bytes themselves may change.
            unsafe { std::ptr::copy_nonoverlapping(place, seen.as_mut_ptr(), seen.len()) };
            if let Some(from) = seen.iter().position(|&byte| byte != value) {
                first = first.or(Some(at + from as u64));
                let to = seen.iter().rposition(|&byte| byte != value);
                last = at + to.unwrap_or(from) as u64;
            }
        }
        at += part;
    }
    first.map(|first| (first, last))
}

fn pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(length(address))
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(memory: &mut [u8]) -> u64 {
        memory.as_mut_ptr().expose_provenance() as u64
    }

    #[test]
    fn the_first_and_last_changed_bytes_are_found() {
        let mut memory = vec![7; 5000];
        let at = address(&mut memory);
        // SAFETY: the memory is this test's own.
        assert_eq!(unsafe { changed(at, 7, 5000) }, None);
        memory[1023] = 1;
        memory[4999] = 1;
        let at = address(&mut memory);
        // SAFETY: as above.
        let seen = unsafe { changed(at, 7, 5000) };
        assert_eq!(seen, Some((1023, 4999)));
    }
}
