//! Blocks over address and time: what a picture of one tile shows.

use serde::Serialize;

use crate::index::Index;
use crate::tile::Tile;

/// Rectangles in one picture; more would be smaller than a pixel.
const MOST: usize = 6_000;
/// A picture has at least this many pixels in height; blocks below one are left out.
const PIXELS: u64 = 512;

/// The blocks of a tile that are large enough to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// When the tile begins.
    pub from: u64,
    /// When it ends.
    pub to: u64,
    /// The heights that it shows: from the first to before the second.
    pub heights: (u64, u64),
    /// Numbers of the blocks.
    pub blocks: Vec<usize>,
    /// When each was allocated.
    pub starts: Vec<u64>,
    /// When the program freed it; the end of the recording if it did not.
    pub ends: Vec<u64>,
    /// When its memory could be reused.
    pub done: Vec<u64>,
    /// Its height: how many used addresses lie below it.
    pub bottoms: Vec<u64>,
    /// Its bytes.
    pub bytes: Vec<u64>,
    /// Its stream.
    pub streams: Vec<u32>,
    /// Blocks of the tile that are too small to see at this zoom.
    pub hidden: u64,
    /// How much of memory those hold: a hexadecimal digit for each of [`ROWS`] rows, the lowest first, of 256 buckets. `f` is all of it. Empty if
    /// there are none.
    pub shade: String,
}

/// Rows of [`Layout::shade`].
pub const ROWS: usize = 96;

/// The picture of a tile. `band` is a part of all heights, cut as tiles cut time.
pub fn layout(index: &Index, tile: Tile, band: Tile) -> Layout {
    let times = tile.times(index);
    let height = u128::from(index.addresses.height());
    let parts = 1_u128 << band.level;
    let edge = |number: u128| u64::try_from(height * number / parts).unwrap_or(u64::MAX);
    let low = edge(u128::from(band.number));
    let high = edge(u128::from(band.number) + 1);
    let pixel_bytes = (high - low) / PIXELS;
    let pixel_time = (times.to - times.from) / 1024;
    let mut seen = Vec::new();
    let mut hidden = 0;
    let mut shade = Shade::new(times.to - times.from, high - low);
    index.blocks_in(times.from, times.to, 0, |number, block| {
        let Some(bottom) = index.addresses.height_of(block.address) else {
            return;
        };
        if bottom >= high || bottom.saturating_add(block.bytes) <= low {
            return;
        }
        let shown = block.done.min(times.to) - block.start.max(times.from);
        if block.bytes < pixel_bytes || shown < pixel_time {
            hidden += 1;
            shade.add(
                (block.start.max(times.from) - times.from, shown),
                (
                    bottom.max(low) - low,
                    bottom.saturating_add(block.bytes).min(high) - bottom.max(low),
                ),
            );
        } else {
            seen.push((u128::from(block.bytes) * u128::from(shown), number, bottom));
        }
    });
    if seen.len() > MOST {
        hidden += (seen.len() - MOST) as u64;
        seen.select_nth_unstable_by_key(MOST - 1, |&(area, ..)| std::cmp::Reverse(area));
        for (_, number, bottom) in seen.drain(MOST..) {
            let block = &index.blocks[number];
            let start = block.start.max(times.from);
            shade.add(
                (start - times.from, block.done.min(times.to) - start),
                (
                    bottom.max(low) - low,
                    bottom.saturating_add(block.bytes).min(high) - bottom.max(low),
                ),
            );
        }
    }
    seen.sort_unstable_by_key(|&(_, number, _)| number);
    let mut out = Layout {
        from: times.from,
        to: times.to,
        heights: (low, high),
        hidden,
        shade: shade.digits(),
        ..Layout::default()
    };
    for (_, number, bottom) in seen {
        let block = &index.blocks[number];
        out.blocks.push(number);
        out.starts.push(block.start);
        out.ends.push(block.end.min(index.span.1));
        out.done.push(block.done.min(index.span.1));
        out.bottoms.push(bottom);
        out.bytes.push(block.bytes);
        out.streams.push(block.stream);
    }
    out
}

/// Adds up the blocks that are too small to draw.
struct Shade {
    /// Length and height of a cell.
    cell: (f64, f64),
    /// The part of each cell that is held, rows one after the other.
    held: Vec<f32>,
}

const COLUMNS: usize = 256;

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a shade of grey"
)]
impl Shade {
    fn new(length: u64, height: u64) -> Self {
        Self {
            cell: (
                (length as f64 / COLUMNS as f64).max(f64::MIN_POSITIVE),
                (height as f64 / ROWS as f64).max(f64::MIN_POSITIVE),
            ),
            held: Vec::new(),
        }
    }

    /// Adds a block: where it begins and how far it goes, in time and in height.
    fn add(&mut self, time: (u64, u64), height: (u64, u64)) {
        if self.held.is_empty() {
            self.held = vec![0.0; COLUMNS * ROWS];
        }
        let across = parts(time, self.cell.0, COLUMNS);
        for (row, part) in parts(height, self.cell.1, ROWS) {
            for (column, width) in across.clone() {
                self.held[row * COLUMNS + column] += (part * width) as f32;
            }
        }
    }

    fn digits(&self) -> String {
        let digit = |&held: &f32| {
            // What is there is visible, however little.
            let shade = if held > 0.0 {
                (held * 15.0).ceil()
            } else {
                0.0
            };
            char::from_digit(shade.clamp(0.0, 15.0) as u32, 16).unwrap_or('0')
        };
        self.held.iter().map(digit).collect()
    }
}

/// The cells that a stretch covers, each with the part of it that is covered.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a shade of grey"
)]
fn parts(
    (start, length): (u64, u64),
    cell: f64,
    count: usize,
) -> impl Iterator<Item = (usize, f64)> + Clone {
    let begin = start as f64 / cell;
    let end = (start as f64 + length as f64) / cell;
    let first = (begin as usize).min(count - 1);
    let last = (end as usize).min(count - 1);
    (first..=last).map(move |place| {
        let covered = end.min(place as f64 + 1.0) - begin.max(place as f64);
        (place, covered.max(0.0))
    })
}
