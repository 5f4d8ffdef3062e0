//! Tiles: the stretches of time that a page asks for.
//!
//! Level 0 is one tile, the whole recording. Each level halves the tiles of the level above. A page that shows some stretch of time asks for
//! the tiles that cover it at the level whose buckets are about a pixel wide, and may keep them. So the server and a file that was written
//! in advance answer the same questions.

use crate::index::Index;

/// Buckets of time in a tile.
pub const BUCKETS: u64 = 256;
/// Below this level a bucket of any recording is less than a nanosecond.
pub const DEEPEST: u32 = 56;

/// One tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// How often the recording was halved.
    pub level: u32,
    /// From 0, in order of time.
    pub number: u64,
}

impl Tile {
    /// The tile, if there is one.
    pub fn new(level: u32, number: u64) -> Option<Self> {
        (level <= DEEPEST && number < 1 << level).then_some(Self { level, number })
    }

    /// When it begins and ends, and how long a bucket is, in fractions of a nanosecond. The last bucket ends with the tile.
    pub fn times(self, index: &Index) -> Times {
        let (first, last) = index.span;
        let whole = u128::from(last - first);
        let edge = |number: u128, parts: u128| {
            u64::try_from(u128::from(first) + whole * number / parts).unwrap_or(last)
        };
        let parts = 1_u128 << self.level;
        let number = u128::from(self.number);
        Times {
            from: edge(number, parts),
            to: edge(number + 1, parts),
            edges: (0..=BUCKETS)
                .map(|bucket| {
                    edge(
                        number * u128::from(BUCKETS) + u128::from(bucket),
                        parts * u128::from(BUCKETS),
                    )
                })
                .collect(),
        }
    }
}

/// The time of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// Its first moment.
    pub from: u64,
    /// The first moment after it.
    pub to: u64,
    /// Where its buckets begin, and where the last one ends.
    pub edges: Vec<u64>,
}
