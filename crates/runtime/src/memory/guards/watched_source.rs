//! Whether what a queued copy reads from the host is still what it was when it was queued.
#![expect(
    unsafe_code,
    reason = "reads bytes of live blocks where work runs, and the tests their own"
)]

use crate::stream::Motion;
use millpond_trace::{Bytes, Space};

/// Rows of which a sample is taken: the first ones, and the last.
const ROWS: u64 = 8;

/// What a queued copy reads, and a little of what was there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchedSource {
    /// Its bytes, for the records.
    pub(crate) range: Bytes,
    start: u64,
    pitch: u64,
    width: u64,
    rows: u64,
    print: Fingerprint,
}

impl WatchedSource {
    /// Of a motion that was checked, if it reads pinned memory.
    pub(crate) fn of(motion: &Motion) -> Option<Self> {
        let (from, pitch, width, rows) = match *motion {
            Motion::Copy { from, .. } => (from, 0, from.range.bytes, 1),
            Motion::Rows {
                from,
                from_pitch,
                width,
                height,
                ..
            } => (from, from_pitch, width, height),
            Motion::Fill { .. } | Motion::FillWords { .. } => return None,
        };
        if from.space != Space::Pinned || from.mapped {
            return None;
        }
        let mut source = Self {
            range: from.range,
            start: from.kernel,
            pitch,
            width,
            rows,
            print: Fingerprint(0),
        };
        source.print = source.look();
        Some(source)
    }

    /// Whether it is seen to have changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.look() != self.print
    }

    fn look(&self) -> Fingerprint {
        let first = self.rows.min(ROWS);
        let mut sum = 0_u64;
        for row in (0..first).chain((self.rows > first).then(|| self.rows - 1)) {
            // SAFETY: the row is in a range that was checked to be in a live block, which keeps its pages as long
            // as queued work names it.
            let print = unsafe { Fingerprint::of(self.start + row * self.pitch, self.width) };
            sum = sum.rotate_left(7) ^ print.0;
        }
        Fingerprint(sum)
    }
}

/// A little of what a range holds, by which most changes are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint(u64);

/// Bytes of one sample, and how many are taken: both ends, and between them at even distances.
const SAMPLE: u64 = 64;
const SAMPLES: u64 = 32;

impl Fingerprint {
    /// Of the bytes at an address.
    ///
    /// # Safety
    /// The bytes are in pages that were promised. The program may write to them meanwhile: that is what is looked for.
    unsafe fn of(kernel: u64, bytes: u64) -> Self {
        let mut sum = bytes ^ 0x9e37_79b9_7f4a_7c15;
        if bytes <= SAMPLE * SAMPLES {
            let mut at = 0;
            while at < bytes {
                let part = (bytes - at).min(SAMPLE);
                // SAFETY: the part is in the range.
                sum = unsafe { mixed(sum, kernel + at, part) };
                at += part;
            }
            return Self(sum);
        }
        for sample in 0..SAMPLES {
            // The last one ends with the last byte.
            let at = (bytes - SAMPLE) / (SAMPLES - 1) * sample;
            let at = if sample == SAMPLES - 1 {
                bytes - SAMPLE
            } else {
                at
            };
            // SAFETY: the sample is in the range.
            sum = unsafe { mixed(sum, kernel + at, SAMPLE) };
        }
        Self(sum)
    }
}

/// # Safety
/// As for [`Fingerprint::of`]; at most [`SAMPLE`] bytes.
unsafe fn mixed(mut sum: u64, kernel: u64, bytes: u64) -> u64 {
    let mut copy = [0; 64];
    debug_assert!(bytes <= SAMPLE, "{bytes}");
    let seen = &mut copy[..length(bytes)];
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(pointer(kernel), seen.as_mut_ptr(), seen.len()) };
    for word in copy.chunks_exact(8) {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        sum = (sum ^ u64::from_le_bytes(bytes)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^= sum >> 32;
    }
    sum
}

fn pointer(address: u64) -> *const u8 {
    std::ptr::with_exposed_provenance(length(address))
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
    fn a_fingerprint_sees_both_ends_and_everything_of_a_small_range() {
        for length in [1_usize, 63, 64, 65, 2048, 2049, 100_000] {
            let mut memory = vec![0; length];
            let print = |memory: &mut [u8]| {
                let at = address(memory);
                // SAFETY: the memory is this test's own.
                unsafe { Fingerprint::of(at, memory.len() as u64) }
            };
            let before = print(&mut memory);
            assert_eq!(before, print(&mut memory), "{length}");
            let last = length - 1;
            let all = if length <= 2048 { 0..length } else { 0..1 };
            for at in all.chain([last]) {
                memory[at] = 1;
                assert_ne!(before, print(&mut memory), "byte {at} of {length}");
                memory[at] = 0;
            }
        }
    }
}
