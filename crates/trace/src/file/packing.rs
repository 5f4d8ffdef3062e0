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

/// Unpacks a payload. None if it is damaged, or larger than a payload may be.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    // One byte more than there may be, so that too many are noticed.
    let room = (8 * packed.len()).clamp(64 << 10, PAYLOAD_LIMIT + 1);
    let mut payload = Vec::with_capacity(room);
    let mut inflate = Decompress::new(true);
    loop {
        let from = usize::try_from(inflate.total_in()).ok()?;
        let before = payload.len();
        let status =
            inflate.decompress_vec(packed.get(from..)?, &mut payload, FlushDecompress::Finish);
        let more = match status {
            Ok(Status::StreamEnd) => return (payload.len() <= PAYLOAD_LIMIT).then_some(payload),
            Ok(Status::Ok | Status::BufError) => payload.len() == payload.capacity(),
            Err(_) => return None,
        };
        // A stream that ends early makes no progress with room to spare.
        if !more && payload.len() == before || payload.len() > PAYLOAD_LIMIT {
            return None;
        }
        if more {
            payload.reserve_exact(payload.len().min(PAYLOAD_LIMIT + 1 - payload.len()));
        }
    }
}
