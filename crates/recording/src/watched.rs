//! A file that says how far it was read: large ones take long.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

/// Who hears how far reading has come, from 0 to 1.
pub type Watch<'a> = &'a mut (dyn FnMut(f64) + Send + 'a);

/// So many bytes lie between two calls.
const STEP: u64 = 1 << 20;

/// Bytes of a file of which a part of the work is made.
pub(crate) struct Watched<'w, 'a, R> {
    read: R,
    watch: &'w Mutex<Watch<'a>>,
    done: u64,
    told: u64,
    bytes: u64,
    from: f64,
    share: f64,
}

impl<'w, 'a, R: Read> Watched<'w, 'a, R> {
    /// Reading `bytes` is `share` of the work, of which `from` was done before.
    pub(crate) fn new(
        read: R,
        watch: &'w Mutex<Watch<'a>>,
        bytes: u64,
        from: f64,
        share: f64,
    ) -> Self {
        Self {
            read,
            watch,
            done: 0,
            told: 0,
            bytes,
            from,
            share,
        }
    }
}

impl<R: Read> Read for Watched<'_, '_, R> {
    #[expect(clippy::cast_precision_loss, reason = "a fraction for a progress bar")]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.read.read(buffer)?;
        self.done += read as u64;
        let ended = read == 0 && self.told < self.done;
        if self.done - self.told >= STEP || ended {
            self.told = self.done;
            let part = self.done as f64 / self.bytes.max(self.done) as f64;
            let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
            watch(self.from + self.share * part);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_to_the_end_of_their_share() {
        let bytes = vec![7; usize::try_from(STEP).unwrap() * 3 + 5];
        let mut heard = Vec::new();
        let mut watch = |part| heard.push(part);
        {
            let watch: Mutex<Watch<'_>> = Mutex::new(&mut watch);
            let length = bytes.len() as u64;
            let mut file = Watched::new(&bytes[..], &watch, length, 0.5, 0.5);
            assert_eq!(io::copy(&mut file, &mut io::sink()).unwrap(), length);
        }
        assert_eq!(heard.len(), 4, "{heard:?}");
        assert!(heard.is_sorted() && heard[0] > 0.5);
        assert!((heard[3] - 1.0).abs() < 1e-9);
    }
}
