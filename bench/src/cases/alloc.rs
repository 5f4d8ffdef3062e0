//! A block of a size that comes again and again, allocated and freed at once.
//!
//! No stream has work queued, so a freed block can be reused immediately; nothing touches the memory.
//! With *others live*, both sides hold blocks of the same size meanwhile: an allocator that files small
//! blocks by page then never sees a page become empty.

use crate::acl::Acl;
use crate::measure::compare_calls;
use crate::peers::Allocator;
use crate::report::{Bound, Row};

const BOUND: Bound = Bound::AtMost(8.0);

const SIZES: [(&str, usize); 3] = [("512 B", 512), ("64 KiB", 64 << 10), ("4 MiB", 4 << 20)];

/// How many blocks are held when others are live.
const OTHERS: usize = 4;

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (peer, others, bound) in [
        (Allocator::mimalloc(), 0, BOUND),
        (Allocator::mimalloc(), OTHERS, Bound::None),
        (Allocator::system(), 0, Bound::None),
    ] {
        for (size, bytes) in SIZES {
            let _our_others = (0..others)
                .map(|_| acl.device_memory(bytes))
                .collect::<Result<Vec<_>, _>>()?;
            let _peer_others: Vec<_> = (0..others).map(|_| peer.hold(bytes)).collect();
            let found = compare_calls(|| acl.alloc_and_free(bytes), || peer.alloc_and_free(bytes))?;
            let beside = if others == 0 { "" } else { ", others live" };
            let what = format!("malloc + free, {size}{beside}");
            rows.push(Row::times(what, peer.name, found, bound));
        }
    }
    Ok(rows)
}
