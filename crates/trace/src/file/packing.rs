//! Packed payloads: a zlib stream in place of the entries.
//!
//! Records of one kind repeat: call sites, sizes and addresses of a training step come again in the next one. A block of
//! allocations shrinks to a third.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::PAYLOAD_LIMIT;

/// The flags of a block whose payload is packed.
pub(super) const PACKED: u32 = 1;

/// Packs a payload behind what is in `out`. Returns false, with `out` undefined, if that does not make it smaller.
pub(super) fn pack(payload: &[u8], out: &mut Vec<u8>) -> bool {
    let before = out.len();
    let mut encoder = ZlibEncoder::new(out, Compression::default());
    // Memory is always writable.
    if encoder.write_all(payload).is_err() {
        return false;
    }
    encoder
        .finish()
        .is_ok_and(|out| out.len() - before < payload.len())
}

/// Unpacks payloads, one after the other.
#[derive(Debug)]
pub(super) struct Unpacker(Decompress);

impl Default for Unpacker {
    fn default() -> Self {
        Self(Decompress::new(true))
    }
}

impl Unpacker {
    /// Unpacks a payload into an empty buffer. False, with the buffer undefined, if it is damaged, or larger than a payload may be.
    pub(super) fn unpack(&mut self, packed: &[u8], into: &mut Vec<u8>) -> bool {
        let inflate = &mut self.0;
        inflate.reset(true);
        // One byte more than there may be, so that too many are noticed. The buffer grows with what is there.
        into.reserve((4 * packed.len()).clamp(64 << 10, PAYLOAD_LIMIT + 1));
        loop {
            let before = into.len();
            let read = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX);
            let rest = packed.get(read..).unwrap_or_default();
            let Ok(status) = inflate.decompress_vec(rest, into, FlushDecompress::None) else {
                return false;
            };
            if into.len() > PAYLOAD_LIMIT {
                return false;
            }
            if status == Status::StreamEnd {
                return true;
            }
            if into.len() == into.capacity() {
                into.reserve(into.len().min(PAYLOAD_LIMIT + 1 - into.len()));
            } else if into.len() == before {
                // Room and no progress: the stream ends early.
                return false;
            }
        }
    }
}
