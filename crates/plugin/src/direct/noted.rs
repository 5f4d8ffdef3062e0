//! What `records` is told of blocks, streams and waits, once each: here it gets device, size and stream.
//!
//! Every function begins with `records::on`, one load and a branch, so that a program that records nothing pays no more.

use millpond_pool::{Growth, Mapping};
use millpond_trace::Bytes;

use super::arena::Arena;
use super::news::Moment;
use super::{cuda, pools};
use crate::records::{self, Awaited, Lane};

/// Blocks have a multiple of this many bytes.
const UNIT: u64 = 512;

/// The stream that a handle means for this thread.
fn lane(stream: u64) -> Lane {
    Lane {
        device: cuda::current_device().unwrap_or(0),
        handle: stream,
    }
}

/// A block of CUDA was handed out.
#[inline(always)]
pub(super) fn allocated(address: u64, requested: u64, stream: u64) {
    if records::on() {
        block(address, requested, stream);
    }
}

#[cold]
fn block(address: u64, requested: u64, stream: u64) {
    let Some(arena) = pools::arena_of(address).filter(|arena| arena.is_cuda()) else {
        return;
    };
    let lane = Lane {
        device: arena.gpu.number,
        handle: stream,
    };
    let range = Bytes {
        start: address,
        bytes: requested.max(1).next_multiple_of(UNIT),
    };
    records::allocated("millpondCudaAlloc", lane, range, requested);
}

/// No block was found.
pub(super) fn refused(arena: &Arena, requested: u64, reason: &str) {
    if records::on() && arena.is_cuda() {
        records::refused("millpondCudaAlloc", arena.gpu.number, requested, reason);
    }
}

/// Pages of an arena were mapped, or will be unmapped.
pub(super) fn pages(arena: &Arena, moment: Moment, offset: u64, bytes: u64) {
    if !records::on() || !arena.is_cuda() {
        return;
    }
    let start = arena.base + offset;
    let range = Bytes { start, bytes };
    match moment {
        Moment::Mapped => {
            let page = arena.settings.page.bytes();
            records::mapped("millpondCudaAlloc", arena.gpu.number, range, page);
        }
        Moment::Unmapping => records::unmapped("millpondCudaTrim", range),
        Moment::Shortage | Moment::OutOfMemory => {}
    }
}

/// The pages that a growth shows at second addresses, for [`moved`].
pub(super) fn shown(growth: &Growth) -> Vec<Mapping> {
    if records::on() {
        growth.map.clone()
    } else {
        Vec::new()
    }
}

/// Pages were shown at second addresses.
pub(super) fn moved(arena: &Arena, mappings: &[Mapping]) {
    if arena.is_cuda() {
        for mapping in mappings {
            records::moved(arena.base + mapping.page, arena.base + mapping.at);
        }
    }
}

/// Another stream uses a block.
pub(super) fn used(address: u64, device: i32, stream: u64) {
    let handle = stream;
    records::used(address, Lane { device, handle });
}

/// An event was recorded.
pub(super) fn event_recorded(event: u64, stream: u64) {
    if records::on() {
        records::event_recorded(event, lane(stream));
    }
}

/// A stream waits for an event.
pub(super) fn stream_waits(stream: u64, event: u64) {
    if records::on() {
        records::stream_waits(lane(stream), event);
    }
}

/// The host waited for an event, or, if it `asks`, found that it has passed.
pub(super) fn event_over(event: u64, asks: bool) {
    if asks {
        records::passed(Awaited::Event(event));
    } else {
        records::synchronized(Awaited::Event(event));
    }
}

/// The same of a stream.
pub(super) fn stream_over(stream: u64, asks: bool) {
    if !records::on() {
        return;
    }
    let stream = Awaited::Stream(lane(stream));
    if asks {
        records::passed(stream);
    } else {
        records::synchronized(stream);
    }
}

/// A stream will be destroyed.
pub(super) fn stream_gone(stream: u64) {
    if records::on() {
        records::stream_gone(lane(stream));
    }
}
