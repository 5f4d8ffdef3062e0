//! Bytes over time: what a chart of one tile shows.
//!
//! A bucket shows its highest moment, with the streams as they were at that moment, so that they add up and no peak is lost however far
//! the chart is zoomed out.

use serde::Serialize;

use crate::index::{CHUNK, Index, Level};
use crate::tile::Tile;

/// One chart. All lists have one value for each bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Series {
    /// When the tile begins.
    pub from: u64,
    /// When it ends.
    pub to: u64,
    /// Bytes live at the highest moment of the bucket, for each stream.
    pub streams: Vec<Vec<u64>>,
    /// Freed bytes that another stream still used at that moment.
    pub waiting: Vec<u64>,
    /// The most bytes live.
    pub most: Vec<u64>,
    /// The fewest bytes held.
    pub least: Vec<u64>,
    /// The most bytes reserved from the device; none if that was not recorded.
    pub reserved: Option<Vec<u64>>,
    /// How many events the bucket has.
    pub events: Vec<u64>,
}

/// The chart of a tile.
pub fn series(index: &Index, tile: Tile) -> Series {
    let times = tile.times(index);
    let mut out = Series {
        from: times.from,
        to: times.to,
        streams: vec![Vec::new(); index.streams.len()],
        waiting: Vec::new(),
        most: Vec::new(),
        least: Vec::new(),
        reserved: (!index.reserved.is_empty()).then(Vec::new),
        events: Vec::new(),
    };
    // What happened before the tile's first moment.
    let mut next = index.times.partition_point(|&time| time < times.from);
    let mut level = index.level_after(next);
    for edges in times.edges.windows(2) {
        let (from, to) = (edges[0], edges[1]);
        let first = next;
        let last = first + index.times[first..].partition_point(|&time| time < to);
        let mut bucket = Bucket::begin(&level);
        while next < last {
            if next.is_multiple_of(CHUNK) && next + CHUNK <= last {
                let chunk = &index.event_chunks[next / CHUNK];
                bucket.take(&chunk.highest, chunk.lowest);
                next += CHUNK;
                // Whole chunks are passed over; what follows them begins where the next chunk says.
                level = match index.event_chunks.get(next / CHUNK) {
                    Some(chunk) => chunk.before.clone(),
                    None => index.level_after(next),
                };
            } else {
                let event = index.events[next];
                level.apply(event, &index.blocks[event.block()]);
                bucket.take(&level, level.held());
                next += 1;
            }
        }
        for (place, values) in out.streams.iter_mut().enumerate() {
            values.push(bucket.highest.by_stream[place]);
        }
        out.waiting.push(bucket.highest.waiting);
        out.most.push(bucket.highest.live);
        out.least.push(bucket.lowest);
        out.events.push((last - first) as u64);
        if let (Some(values), Some(most)) = (&mut out.reserved, index.most_reserved(from, to)) {
            values.push(most);
        }
    }
    out
}

/// The extremes of one bucket.
struct Bucket {
    highest: Level,
    lowest: u64,
}

impl Bucket {
    /// A bucket begins with what was in use before it.
    fn begin(level: &Level) -> Self {
        Self {
            highest: level.clone(),
            lowest: level.held(),
        }
    }

    fn take(&mut self, level: &Level, lowest: u64) {
        self.lowest = self.lowest.min(lowest);
        if level.live > self.highest.live {
            self.highest.copy_from(level);
        }
    }
}
