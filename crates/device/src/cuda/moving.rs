//! Moving bytes between GPUs and the host.
#![expect(
    unsafe_code,
    reason = "the trait's own unsafe functions: bytes at given addresses"
)]

use std::sync::Arc;

use millpond_cuda::Error;

use super::memory::CudaDevice;
use super::pinned;
use super::staging;
use super::system::{Cuda, Found, Gpu};
use crate::{DeviceError, Mover};

/// Bytes of host memory through which ranges that overlap are copied.
const BOUNCE: u64 = 4 << 20;

impl Cuda {
    /// Copies between any two of: host memory, memory of GPUs.
    ///
    /// # Safety
    /// As [`Mover::copy`].
    pub(super) unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        let _moving = (!staging::is_inside()).then(|| self.moving());
        let mut parts = Vec::with_capacity(1);
        let mut at = 0;
        while at < bytes {
            let (target, room) = self.run_moved(to + at, bytes - at);
            let (source, room) = self.run_moved(from + at, room);
            parts.push((at, room, target, source));
            at += room;
        }
        // From the end at which no byte is overwritten before it was read.
        if to > from {
            parts.reverse();
        }
        for (at, bytes, target, source) in parts {
            // SAFETY: the caller's promises.
            unsafe { self.copy_part((to + at, target), (from + at, source), bytes) }?;
        }
        Ok(())
    }

    /// Copies bytes that follow each other at both sides, wherever these are.
    ///
    /// # Safety
    /// As [`Mover::copy`].
    unsafe fn copy_part(
        &self,
        (to, target): (u64, Option<Found>),
        (from, source): (u64, Option<Found>),
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let Some((gpu, _)) = target.as_ref().or(source.as_ref()) else {
            let (to, from) = (pointer(to), pointer(from).cast_const());
            // SAFETY: the caller promises that both ranges are mapped and that `to` is writable; neither is a GPU's.
            unsafe { std::ptr::copy(from, to, length(bytes)) };
            return Ok(());
        };
        let place = |found: &Option<Found>, host| match found {
            Some((_, address)) => *address,
            None => host,
        };
        let (to, from) = (place(&target, to), place(&source, from));
        let moved = if to < from + bytes && from < to + bytes {
            // SAFETY: the caller's promises.
            unsafe { copy_overlapping(gpu, to, from, bytes) }
        } else {
            gpu.work(|driver, stream| {
                // The driver takes an address that it does not know for one of the host, and copying from there ends the process:
                // so it is told which side is which.
                match (&target, &source) {
                    (Some((there, _)), Some((here, _))) if !Arc::ptr_eq(there, here) => {
                        let (to, from) = ((to, there.context()), (from, here.context()));
                        // SAFETY: the caller promises that both ranges stay as they are until this is over.
                        unsafe { driver.copy_to_peer(to, from, bytes, stream) }
                    }
                    (Some(_), Some(_)) => {
                        // SAFETY: as above.
                        unsafe { driver.copy_within(to, from, bytes, stream) }
                    }
                    (Some(_), None) => self.each_piece(from, bytes, |at, part| {
                        // SAFETY: as above.
                        unsafe { driver.copy_to_device(to + at, from + at, part, stream) }
                    }),
                    _ => self.each_piece(to, bytes, |at, part| {
                        // SAFETY: as above.
                        unsafe { driver.copy_to_host(to + at, from + at, part, stream) }
                    }),
                }
            })
        };
        moved.map_err(|error| failed(bytes, &error))
    }

    /// Sets bytes of host memory, or of a GPU, to `value`.
    ///
    /// # Safety
    /// As [`Mover::fill`].
    pub(super) unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        let _moving = (!staging::is_inside()).then(|| self.moving());
        let mut at = 0;
        while at < bytes {
            let (found, part) = self.run_moved(to + at, bytes - at);
            match found {
                // SAFETY: the caller promises that the range is mapped and writable; it is not a GPU's.
                None => unsafe { std::ptr::write_bytes(pointer(to + at), value, length(part)) },
                Some((gpu, there)) => {
                    let filled = gpu.work(|driver, stream| {
                        // SAFETY: the caller promises that the range stays as it is until this is over.
                        unsafe { driver.fill(there, value, part, stream) }
                    });
                    filled.map_err(|error| failed(part, &error))?;
                }
            }
            at += part;
        }
        Ok(())
    }

    /// Sets words of host memory, or of a GPU, to `value`.
    ///
    /// # Safety
    /// As [`Mover::fill_words`].
    pub(super) unsafe fn fill_words(
        &self,
        to: u64,
        value: u32,
        count: u64,
    ) -> Result<(), DeviceError> {
        if count == 0 {
            return Ok(());
        }
        let _moving = (!staging::is_inside()).then(|| self.moving());
        let (mut at, end) = (to, to + 4 * count);
        while at < end {
            let (found, part) = self.run_moved(at, end - at);
            match found {
                None => {
                    let first = std::ptr::with_exposed_provenance_mut::<u32>(length(at));
                    // SAFETY: the caller promises a mapped, writable range of words at a multiple of 4, and borders between
                    // memories are at whole pages; it is not a GPU's.
                    let words = unsafe { std::slice::from_raw_parts_mut(first, length(part / 4)) };
                    words.fill(value.to_le());
                }
                Some((gpu, there)) => {
                    let filled = gpu.work(|driver, stream| {
                        // SAFETY: the caller promises that the range stays as it is until this is over.
                        unsafe { driver.fill_words(there, value, part / 4, stream) }
                    });
                    filled.map_err(|error| failed(part, &error))?;
                }
            }
            at += part;
        }
        Ok(())
    }
}

impl Cuda {
    /// A word of a GPU; `None` if it is not a GPU's. It is read beside the mirror, in which work may be under way.
    pub(super) fn load_word(&self, at: u64) -> Result<Option<u64>, DeviceError> {
        let Some((gpu, there)) = self.of(at) else {
            return Ok(None);
        };
        let mut word = 0_u64;
        let here = (&raw mut word).expose_provenance() as u64;
        let copied = gpu.work(|driver, stream| {
            // SAFETY: the caller keeps the word, and `word` lives until the stream has been waited for.
            unsafe { driver.copy_to_host(here, there, 8, stream) }
        });
        copied.map_err(|error| failed(8, &error))?;
        Ok(Some(word))
    }

    /// Writes a word of a GPU; false if it is not a GPU's.
    pub(super) fn store_word(&self, at: u64, word: u64) -> Result<bool, DeviceError> {
        let _moving = self.moving();
        let Some((gpu, there)) = self.of(at) else {
            return Ok(false);
        };
        let here = (&raw const word).expose_provenance() as u64;
        let copied = gpu.work(|driver, stream| {
            // SAFETY: the caller keeps the word, and `word` lives until the stream has been waited for.
            unsafe { driver.copy_to_device(there, here, 8, stream) }
        });
        copied.map_err(|error| failed(8, &error))?;
        Ok(true)
    }

    /// Calls a function with the offset and the bytes of each piece of a copy whose host side starts at `host`.
    fn each_piece(
        &self,
        host: u64,
        bytes: u64,
        mut copy: impl FnMut(u64, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut at = 0;
        while at < bytes {
            let part = pinned::piece(self, host + at, bytes - at);
            copy(at, part)?;
            at += part;
        }
        Ok(())
    }

    /// As [`Cuda::run`], for a copy or fill: inside of work on brought bytes all bytes are in the mirror.
    fn run_moved(&self, address: u64, bytes: u64) -> (Option<Found>, u64) {
        if staging::is_inside() {
            return (None, bytes);
        }
        self.run(address, bytes)
    }
}

/// Copies through host memory, piece by piece, from the end at which no byte is overwritten before it was read. The driver
/// does not say what an overlapping copy within a GPU does.
///
/// # Safety
/// As [`Mover::copy`].
unsafe fn copy_overlapping(gpu: &Arc<Gpu>, to: u64, from: u64, bytes: u64) -> Result<(), Error> {
    let mut bounce = vec![0_u8; length(bytes.min(BOUNCE))];
    let host = bounce.as_mut_ptr().expose_provenance() as u64;
    let mut done = 0;
    while done < bytes {
        let part = (bytes - done).min(BOUNCE);
        let at = if to < from { done } else { bytes - done - part };
        gpu.work(|driver, stream| {
            // SAFETY: the caller promises the range, and the buffer lives until this is over.
            unsafe { driver.copy_to_host(host, from + at, part, stream) }?;
            driver.synchronize_stream(stream)?;
            // SAFETY: as above.
            unsafe { driver.copy_to_device(to + at, host, part, stream) }
        })?;
        done += part;
    }
    Ok(())
}

fn failed(bytes: u64, error: &Error) -> DeviceError {
    DeviceError::Move {
        bytes,
        reason: error.to_string(),
    }
}

impl Mover for CudaDevice {
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.copy(to, from, bytes) }
    }

    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.fill(to, value, bytes) }
    }

    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises.
        unsafe { self.cuda.fill_words(to, value, count) }
    }
}

fn pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(length(address))
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
