//! Blocks over address and time: what a picture of one tile shows.

use serde::Serialize;

pub use crate::held::ROWS;
use crate::index::{Block, Index};
use crate::shelves::Wanted;
use crate::tile::{BUCKETS, Tile};

/// Rectangles in one picture; of more, the smaller ones are a few pixels.
const MOST: usize = 4_000;
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
    /// When each was allocated, counted from the begin of the tile: small numbers are short.
    pub starts: Vec<i128>,
    /// How long until the program freed it, or the recording ended.
    pub lives: Vec<u64>,
    /// How long from then until its memory could be reused.
    pub waits: Vec<u64>,
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

/// The picture of a tile. `band` is a part of all heights, cut as tiles cut time.
pub fn layout(index: &Index, tile: Tile, band: Tile) -> Layout {
    counted(index, tile, band).0
}

/// The picture, and how many blocks and events were visited for it.
pub(crate) fn counted(index: &Index, tile: Tile, band: Tile) -> (Layout, usize) {
    let times = tile.times(index);
    let band = index.bands.get(index, band);
    let rows = band.rows;
    let wanted = Wanted {
        from: times.from,
        to: times.to,
        least_life: (times.to - times.from) / 1024,
        least_bytes: (rows.high - rows.low) / PIXELS,
    };
    let shown = |block: &Block| {
        block
            .done
            .min(times.to)
            .saturating_sub(block.start.max(times.from))
    };
    let mut seen: Vec<(u128, usize)> = Vec::new();
    let mut visited = band.shelves.large(index, wanted, |number, block| {
        let shown = shown(block);
        let (bottom, _) = index.bottom(number);
        let inside = bottom < rows.high
            && bottom.saturating_add(block.bytes) > rows.low
            && block.start < times.to
            && block.done > times.from;
        if inside && block.bytes >= wanted.least_bytes && shown >= wanted.least_life {
            seen.push((u128::from(block.bytes) * u128::from(shown), number));
        }
    });
    if seen.len() > MOST {
        seen.select_nth_unstable_by_key(MOST - 1, |&(area, number)| {
            (std::cmp::Reverse(area), number)
        });
        seen.truncate(MOST);
    }
    seen.sort_unstable_by_key(|&(_, number)| number);
    let events = band.events(index);
    let all = band.held.blocks_in(events, times.from, times.to);
    let hidden = all.saturating_sub(seen.len() as u64);
    let mut out = Layout {
        from: times.from,
        to: times.to,
        heights: (rows.low, rows.high),
        hidden,
        ..Layout::default()
    };
    if hidden > 0 {
        let (mut cells, walked) = band.held.cells(index, events, &times.edges);
        visited += walked;
        for &(_, number) in &seen {
            let (bottom, block) = index.bottom(number);
            let begin = block.start.max(times.from);
            let end = block.done.min(times.to);
            rows.of(bottom, block.bytes, |row, bytes| {
                without(&mut cells, &times.edges, row, bytes, (begin, end));
            });
        }
        out.shade = digits(&cells, &times.edges, |row| rows.bytes(row));
    }
    for (_, number) in seen {
        let (bottom, block) = index.bottom(number);
        out.blocks.push(number);
        let end = block.end.min(index.span.1);
        out.starts
            .push(i128::from(block.start) - i128::from(times.from));
        out.lives.push(end - block.start);
        out.waits.push(block.done.min(index.span.1) - end);
        out.bottoms.push(bottom);
        out.bytes.push(block.bytes);
        out.streams.push(block.stream);
    }
    (out, visited)
}

/// Columns of the shades.
#[expect(clippy::cast_possible_truncation, reason = "256")]
const COLUMNS: usize = BUCKETS as usize;

/// Takes what a block that is drawn held out of the cells of a row.
fn without(cells: &mut [u128], edges: &[u64], row: usize, bytes: u64, (begin, end): (u64, u64)) {
    let first = edges.partition_point(|&edge| edge <= begin).max(1) - 1;
    for column in first..COLUMNS {
        if edges[column] >= end {
            break;
        }
        let shared = end
            .min(edges[column + 1])
            .saturating_sub(begin.max(edges[column]));
        let cell = &mut cells[row * COLUMNS + column];
        *cell = cell.saturating_sub(u128::from(bytes) * u128::from(shared));
    }
}

/// A digit for each cell: which part of it is held. What is there is visible, however little.
fn digits(cells: &[u128], edges: &[u64], bytes: impl Fn(usize) -> u64) -> String {
    let mut shade = String::with_capacity(cells.len());
    for (row, columns) in cells.chunks(COLUMNS).enumerate() {
        let tall = u128::from(bytes(row));
        for (column, &held) in columns.iter().enumerate() {
            let full = tall * u128::from(edges[column + 1] - edges[column]);
            let part = if held == 0 {
                0
            } else {
                held.saturating_mul(15).div_ceil(full.max(1)).min(15)
            };
            shade.push(char::from_digit(u32::try_from(part).unwrap_or(15), 16).unwrap_or('f'));
        }
    }
    shade
}
