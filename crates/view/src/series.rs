//! Bytes over time: what a chart of one tile shows.
//!
//! A bucket shows its highest moment, with the streams as they were at that moment, so that they add up and no peak is lost however far
//! the chart is zoomed out.

use serde::Serialize;

use crate::index::{CHUNK, Extremes, Index, Level};
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
    /// What was reserved and not live at the highest moment of the bucket. Together with `most` that is what was reserved then.
    pub unused: Option<Vec<u64>>,
    /// How many events the bucket has.
    pub events: Vec<u64>,
}

/// The chart of a tile.
pub fn series(index: &Index, tile: Tile) -> Series {
    counted(index, tile).0
}

/// The chart, and how many events and summaries were visited for it.
pub(crate) fn counted(index: &Index, tile: Tile) -> (Series, usize) {
    let times = tile.times(index);
    let mut out = Series {
        from: times.from,
        to: times.to,
        streams: vec![Vec::new(); index.streams.len()],
        waiting: Vec::new(),
        most: Vec::new(),
        least: Vec::new(),
        reserved: (!index.reserved.is_empty()).then(Vec::new),
        unused: (!index.reserved.is_empty()).then(Vec::new),
        events: Vec::new(),
    };
    let mut walk = Walk::begin(index, times.from);
    for edges in times.edges.windows(2) {
        let (from, to) = (edges[0], edges[1]);
        let bucket = walk.until(from, to);
        for (place, values) in out.streams.iter_mut().enumerate() {
            values.push(bucket.highest.by_stream[place]);
        }
        out.waiting.push(bucket.highest.waiting);
        out.most.push(bucket.highest.live);
        out.least.push(bucket.lowest);
        out.events.push(bucket.events);
        if let (Some(values), Some(most)) = (&mut out.reserved, index.most_reserved(from, to)) {
            values.push(most);
        }
        if let (Some(values), Some(then)) = (&mut out.unused, index.reserved_at(bucket.time)) {
            values.push(then.saturating_sub(bucket.highest.live));
        }
    }
    (out, walk.visited)
}

/// Goes through the buckets of a stretch of time, one after the other.
pub(crate) struct Walk<'a> {
    index: &'a Index,
    /// The next event, and what is in use before it.
    next: usize,
    level: Level,
    /// Events and summaries that were visited.
    pub(crate) visited: usize,
}

impl<'a> Walk<'a> {
    /// Begins with what happened before a moment.
    pub(crate) fn begin(index: &'a Index, from: u64) -> Self {
        let next = index.times.partition_point(|&time| time < from);
        Self {
            index,
            next,
            level: index.level_after(next),
            visited: next % CHUNK,
        }
    }

    /// The bucket from `from`, where the last one ended, to before `to`.
    pub(crate) fn until(&mut self, from: u64, to: u64) -> Bucket {
        let index = self.index;
        let first = self.next;
        let last = first + index.times[first..].partition_point(|&time| time < to);
        let mut bucket = Bucket {
            highest: self.level.clone(),
            lowest: self.level.held(),
            time: from,
            events: (last - first) as u64,
        };
        let whole = first.div_ceil(CHUNK)..last / CHUNK;
        if whole.is_empty() {
            self.single(last, &mut bucket);
        } else {
            self.single(whole.start * CHUNK, &mut bucket);
            let mut best: Option<Extremes> = None;
            self.visited += index.extremes.visit(whole.start, whole.end, |&one| {
                best = Some(best.map_or(one, |best| best.join(one)));
            });
            if let Some(best) = best {
                let chunk = &index.event_chunks[best.highest];
                let time = index.times[chunk.highest_event];
                bucket.take(&chunk.highest, best.lowest, time);
            }
            self.next = whole.end * CHUNK;
            self.level = match index.event_chunks.get(whole.end) {
                Some(chunk) => chunk.before.clone(),
                None => index.level_after(self.next),
            };
            self.single(last, &mut bucket);
        }
        bucket
    }

    fn single(&mut self, last: usize, bucket: &mut Bucket) {
        self.visited += last - self.next;
        for place in self.next..last {
            let event = self.index.events[place];
            self.level.apply(event, &self.index.blocks[event.block()]);
            bucket.take(&self.level, self.level.held(), self.index.times[place]);
        }
        self.next = last;
    }
}

/// The extremes of one bucket.
pub(crate) struct Bucket {
    pub(crate) highest: Level,
    pub(crate) lowest: u64,
    /// When `highest` began to hold.
    pub(crate) time: u64,
    pub(crate) events: u64,
}

impl Bucket {
    fn take(&mut self, level: &Level, lowest: u64, time: u64) {
        self.lowest = self.lowest.min(lowest);
        if level.live > self.highest.live {
            self.highest.copy_from(level);
            self.time = time;
        }
    }
}
