//! Packed payloads: a zlib stream in place of the entries.
//!
//! Records of one kind repeat: call sites, sizes and addresses of a training step come again in the next one. A block of
//! allocations shrinks to a third.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

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
    let mut payload = Vec::new();
    let limit = PAYLOAD_LIMIT as u64 + 1;
    let read = ZlibDecoder::new(packed)
        .take(limit)
        .read_to_end(&mut payload)
        .ok()?;
    (read <= PAYLOAD_LIMIT).then_some(payload)
}
