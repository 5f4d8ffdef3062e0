//! How much an answer looks at, and whether the levels of detail say what the single events say.

use std::fmt::Write as _;

use crate::held::ROWS;
use crate::index::{Index, What};
use crate::tile::Tile;
use crate::{layout, range, series};

/// Steps of a training run: a hundred blocks that come and go, of sizes that repeat; some stay. `burst` steps come at once after a
/// long pause.
fn recording(steps: u64, burst: u64) -> Index {
    let mut csv = "t_us,op,addr,size,stream\n0,S,7f0000000000,8589934592,0\n".to_owned();
    let mut time = 0;
    let base = 0x7f00_0000_0000_u64;
    for step in 0..steps {
        time += if step == steps - burst {
            3_600_000_000
        } else {
            7
        };
        let block = |number: u64| {
            let bytes = 512 * (1 + (number * 7919 + step * 31) % 3000);
            (base + number * (2 << 20), bytes, number % 3)
        };
        for number in 0..100 {
            time += 1 + number % 3;
            let (address, bytes, stream) = block(number);
            writeln!(csv, "{time},a,{address:x},{bytes},{stream}").unwrap();
        }
        for number in (0..100).rev() {
            time += 1 + number % 5;
            let (address, bytes, stream) = block(number);
            writeln!(csv, "{time},f,{address:x},{bytes},{stream}").unwrap();
            writeln!(csv, "{},c,{address:x},{bytes},{stream}", time + number % 2).unwrap();
        }
        if step % 16 == 0 {
            let kept = base + (400 + step / 16) * (2 << 20);
            writeln!(csv, "{time},a,{kept:x},{},0", 1 << 20).unwrap();
        }
    }
    let mut source = millpond_recording::from_bytes(csv.as_bytes(), "made").unwrap();
    crate::read(&mut *source, "made", &mut |_| {})
        .unwrap()
        .pop()
        .unwrap()
}

fn tiles(level: u32) -> Vec<Tile> {
    let all = 1_u64 << level;
    let places = [0, all / 3, all / 2, all - 1];
    places.map(|number| Tile { level, number }).to_vec()
}

#[test]
fn an_answer_visits_few_events_at_every_zoom() {
    let index = recording(3000, 1500);
    assert!(index.events.len() > 900_000);
    for level in 0..30 {
        for tile in tiles(level) {
            // Two edges of each of 256 buckets, at most a summary's events each.
            let (_, visited) = series::counted(&index, tile);
            assert!(visited < 80_000, "series {tile:?}: {visited}");
            for (band, number) in [(0, 0), (1, 0), (4, 0), (4, 7)] {
                let band = Tile {
                    level: band,
                    number,
                };
                let (_, visited) = layout::counted(&index, tile, band);
                assert!(visited < 300_000, "layout {tile:?} {band:?}: {visited}");
            }
            let times = tile.times(&index);
            let (_, visited) = range::counted(&index, times.from, times.to);
            assert!(visited < 135_000, "range {tile:?}: {visited}");
        }
    }
}

/// Bytes times nanoseconds of each cell, from the blocks one by one.
fn cells_by_block(index: &Index, edges: &[u64], rows: crate::held::Rows) -> Vec<u128> {
    let columns = edges.len() - 1;
    let mut cells = vec![0; columns * ROWS];
    for number in 0..index.blocks.len() {
        let (bottom, block) = index.bottom(number);
        rows.of(bottom, block.bytes, |row, bytes| {
            for column in 0..columns {
                let from = edges[column].max(block.start);
                let to = edges[column + 1].min(block.done);
                cells[row * columns + column] +=
                    u128::from(bytes) * u128::from(to.saturating_sub(from));
            }
        });
    }
    cells
}

#[test]
fn the_shades_are_what_the_blocks_hold() {
    let index = recording(40, 20);
    for (level, number, band) in [
        (0, 0, (0, 0)),
        (0, 0, (3, 1)),
        (3, 7, (0, 0)),
        (12, 4095, (2, 0)),
        (30, 5, (0, 0)),
    ] {
        let band = index.bands.get(
            &index,
            Tile {
                level: band.0,
                number: band.1,
            },
        );
        let edges = Tile { level, number }.times(&index).edges;
        let (cells, _) = band.held.cells(&index, band.events(&index), &edges);
        assert!(
            cells == cells_by_block(&index, &edges, band.rows),
            "{level} {number}"
        );
    }
}

#[test]
fn drawn_and_hidden_blocks_are_all_blocks() {
    let index = recording(60, 30);
    for level in 0..20 {
        for tile in tiles(level) {
            for band in [
                Tile {
                    level: 0,
                    number: 0,
                },
                Tile {
                    level: 2,
                    number: 1,
                },
            ] {
                let picture = layout::layout(&index, tile, band);
                let (low, high) = picture.heights;
                let inside = (0..index.blocks.len()).filter(|&number| {
                    let (bottom, block) = index.bottom(number);
                    let in_time = block.start < picture.to && block.done > picture.from;
                    in_time && bottom < high && bottom + block.bytes > low
                });
                let all = inside.count() as u64;
                assert_eq!(
                    picture.blocks.len() as u64 + picture.hidden,
                    all,
                    "{tile:?} {band:?}"
                );
                assert_eq!(picture.hidden == 0, picture.shade.is_empty());
            }
        }
    }
}

#[test]
fn a_range_is_the_sum_of_its_events() {
    let index = recording(1500, 700);
    for tile in (0..12).flat_map(tiles) {
        let times = tile.times(&index);
        let range = range::range(&index, times.from, times.to);
        let (mut allocations, mut allocated, mut frees, mut freed) = (0, 0, 0, 0);
        for (event, time) in index.events.iter().zip(&index.times) {
            let bytes = index.blocks[event.block()].bytes;
            if (times.from..times.to).contains(time) {
                match event.what() {
                    What::Allocated => {
                        (allocations, allocated) = (allocations + 1, allocated + bytes);
                    }
                    What::Freed => (frees, freed) = (frees + 1, freed + bytes),
                    What::Reusable => {}
                }
            }
        }
        assert_eq!(
            (range.allocations, range.allocated),
            (allocations, allocated)
        );
        assert_eq!((range.frees, range.freed), (frees, freed));
        assert_eq!(
            range.sizes.iter().map(|size| size.blocks).sum::<u64>(),
            allocations
        );
        assert_eq!(
            range.sizes.iter().map(|size| size.bytes).sum::<u64>(),
            allocated
        );
    }
}
