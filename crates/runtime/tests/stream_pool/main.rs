//! Pools whose memory is allocated and freed in the order of streams.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test stop at the first surprise, as the test does"
)]

#[path = "../common/mod.rs"]
mod common;

mod accounting;
mod broken_order;
mod clocks;
mod failing;
mod hostile;
mod lives;
mod model;
mod reuse;

use common::{MIB, open};
use millpond::{Device, Event, EventKind, MemoryPool, PoolBlock, Runtime, Schedule, Stream};

/// The pages that pools count in. A block that is as long leaves no rest for another.
const PAGE: u64 = 2 * MIB;

/// A device of 256 MiB with a pool of 32 MiB, so small that it never takes new memory where it may
/// reuse some.
struct Pond {
    runtime: Runtime,
    device: Device,
    pool: MemoryPool,
}

impl Pond {
    fn open(schedule: Schedule) -> Self {
        let (runtime, device) = open(schedule);
        let pool = device.create_pool(Some(16 * PAGE)).unwrap();
        Self {
            runtime,
            device,
            pool,
        }
    }

    fn stream(&self) -> Stream {
        self.device.create_stream().unwrap()
    }

    fn event(&self) -> Event {
        self.runtime.create_event(EventKind::Rerecordable).unwrap()
    }

    /// Holds a stream until the gate is opened.
    fn park(&self, stream: &Stream) -> Gate {
        let gate = Gate {
            event: common::gate(&self.runtime),
            opener: self.stream(),
        };
        stream.wait_event(&gate.event, None).unwrap();
        gate
    }

    fn page(&self, stream: &Stream) -> PoolBlock {
        self.pool.alloc(stream, PAGE).unwrap()
    }

    /// Whether a page at `address` is among the next `count` that `stream` gets. They are freed again on
    /// the same stream without being used.
    fn among(&self, count: usize, stream: &Stream, address: u64) -> bool {
        let pages: Vec<_> = (0..count).map(|_| self.page(stream)).collect();
        pages.iter().any(|page| page.address() == address)
    }

    /// Whether a stream can have the page at `address`, also if it has own ones from asking before.
    fn gets(&self, stream: &Stream, address: u64) -> bool {
        self.among(12, stream, address)
    }

    /// Whether a stream is kept from having it.
    fn misses(&self, stream: &Stream, address: u64) -> bool {
        !self.among(4, stream, address)
    }

    /// A page that `stream` has used and freed; its address.
    fn spent(&self, stream: &Stream) -> u64 {
        let block = self.page(stream);
        stream.fill(block.slice(..64), 1).unwrap();
        block.address()
    }
}

/// What holds a stream.
struct Gate {
    event: Event,
    opener: Stream,
}

impl Gate {
    fn open(&self) {
        self.opener.record(&self.event).unwrap();
    }
}
