//! Products of matrices of `f32`.
//!
//! ```text
//!   C = A · B      B: panels of 16 columns        A: strips of 96 rows, tiles of 6
//!                  ┌──┬──┬──┐                     ┌──────┐
//!                  │  │  │  │ 256 deep            │ 6    │
//!                  ├──┼──┼──┤                     │ 6    │
//! ```
//!
//! A tile of C, 6 rows by 16 columns, stays in registers while a panel of B passes. A panel that lies in memory as the loop wants it
//! is used where it is; others are packed first, into a buffer that belongs to the thread and is kept. Strips are shared out among
//! threads. Every element of C is the same sequence of operations wherever its tile begins, so threads do not change it.
#![expect(
    unsafe_code,
    reason = "computes with addresses that the caller vouches for"
)]

use std::cell::Cell;

use crate::map::is_wide;
use crate::parallel;

/// Rows and columns of a tile.
const ROWS: usize = 6;
const COLUMNS: usize = 16;
/// How deep a product goes before the next part of the depth: a panel of B stays in the nearest cache.
const DEPTH: usize = 256;
/// Rows of a strip: its part of A stays in the second cache.
const STRIP: usize = 16 * ROWS;
/// Elements of B that are packed at a time, at most. 4 MiB.
const PACKED: usize = 1 << 20;
/// From how many multiplications on threads share the work.
const LEAST: usize = 1 << 19;

/// A matrix that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix {
    pub(crate) at: *const f32,
    /// From a row to the next, in elements.
    pub(crate) down: isize,
    /// From a column to the next.
    pub(crate) across: isize,
}

impl Matrix {
    fn from(self, row: usize, column: usize) -> Self {
        let offset = self.down * row.cast_signed() + self.across * column.cast_signed();
        Self {
            at: self.at.wrapping_offset(offset),
            ..self
        }
    }

    fn turned(self) -> Self {
        Self {
            at: self.at,
            down: self.across,
            across: self.down,
        }
    }
}

// SAFETY: addresses; the caller of `product` vouches for what is behind them, on whichever thread.
unsafe impl Send for Matrix {}
// SAFETY: as above.
unsafe impl Sync for Matrix {}

/// Where a product goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) at: *mut f32,
    pub(crate) down: isize,
    pub(crate) across: isize,
    /// What the product is multiplied by.
    pub(crate) alpha: f32,
    /// Whether it is added to what is there.
    pub(crate) accumulate: bool,
}

impl Target {
    fn from(self, row: usize, column: usize) -> Self {
        let offset = self.down * row.cast_signed() + self.across * column.cast_signed();
        Self {
            at: self.at.wrapping_offset(offset),
            ..self
        }
    }

    /// Puts one result there.
    ///
    /// # Safety
    /// The element may be read and written.
    unsafe fn put(self, row: usize, column: usize, sum: f32) {
        let at = self.from(row, column).at;
        let sum = sum * self.alpha;
        let before = if self.accumulate {
            // SAFETY: the caller's promise.
            unsafe { at.read() }
        } else {
            0.0
        };
        // SAFETY: as above.
        unsafe { at.write(before + sum) };
    }
}

// SAFETY: as for `Matrix`; parts of a product write different elements.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

/// Sizes of a product.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    pub(crate) columns: usize,
}

/// A cache line, for the alignment of packed panels.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; COLUMNS]);

thread_local! {
    /// Room for packed panels of B, and for a packed strip of A.
    static PANELS: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
    static TILES: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// A buffer of this thread, for as long as the guard lives.
struct Room {
    place: &'static std::thread::LocalKey<Cell<Vec<Line>>>,
    lines: Vec<Line>,
}

impl Room {
    fn of(place: &'static std::thread::LocalKey<Cell<Vec<Line>>>, elements: usize) -> Self {
        let mut lines = place.take();
        let needed = elements.div_ceil(COLUMNS);
        if lines.len() < needed {
            lines.resize(needed, Line([0.0; COLUMNS]));
        }
        Self { place, lines }
    }

    fn at(&mut self) -> *mut f32 {
        self.lines.as_mut_ptr().cast()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.place.set(std::mem::take(&mut self.lines));
    }
}

#[derive(Clone, Copy)]
struct Address(*mut f32);

impl Address {
    fn get(self) -> *mut f32 {
        self.0
    }
}

// SAFETY: parts of a product write different panels, and read them when all are written.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// `c = alpha · a · b`, or `c += alpha · a · b`. With `shared` large products are shared out among threads.
///
/// # Safety
///
/// All elements that sizes and steps name may be read, those of `c` written; nothing else touches `c` meanwhile, and `c` overlaps
/// neither `a` nor `b`.
pub(crate) unsafe fn product(sizes: Sizes, a: Matrix, b: Matrix, c: Target, shared: bool) {
    let Sizes {
        rows,
        depth,
        columns,
    } = sizes;
    if rows == 0 || columns == 0 {
        return;
    }
    if depth == 0 {
        for row in 0..rows {
            for column in 0..columns {
                // SAFETY: the caller's promise.
                unsafe { c.put(row, column, 0.0) };
            }
        }
        return;
    }
    // Rows of the result lie one behind the other, or columns do: then the product of the transposed matrices is computed. Few rows
    // times a matrix that would have to be turned first: it is cheaper to turn the rows.
    let turn = if c.across == 1 {
        b.across != 1 && b.down == 1 && rows <= 2 * COLUMNS && columns >= 2 * rows
    } else {
        c.down == 1
    };
    let (sizes, a, b, c) = if turn {
        let sizes = Sizes {
            rows: columns,
            depth,
            columns: rows,
        };
        let c = Target {
            down: c.across,
            across: c.down,
            ..c
        };
        (sizes, b.turned(), a.turned(), c)
    } else {
        (sizes, a, b, c)
    };
    let width = (PACKED / depth / COLUMNS * COLUMNS).max(COLUMNS);
    for start in (0..sizes.columns).step_by(width) {
        let part = Sizes {
            columns: width.min(sizes.columns - start),
            ..sizes
        };
        // SAFETY: the caller's promise, for a part.
        unsafe { columns_of(part, a, b.from(0, start), c.from(0, start), shared) };
    }
}

/// Panels of 16 columns of B.
#[derive(Clone, Copy)]
struct Panels {
    b: Matrix,
    sizes: Sizes,
    /// Panels before this one are used where they are.
    first: usize,
    packed: Address,
}

impl Panels {
    /// A panel from a depth on: where it begins, and the way from one row to the next.
    fn at(self, panel: usize, start: usize) -> (*const f32, isize) {
        if panel < self.first {
            return (self.b.from(start, panel * COLUMNS).at, self.b.down);
        }
        let before = (panel - self.first) * self.sizes.depth + start;
        let at = self.packed.get().wrapping_add(before * COLUMNS);
        (at.cast_const(), COLUMNS.cast_signed())
    }

    /// Packs one panel, all of its depth.
    ///
    /// # Safety
    /// The matrix may be read, and the room is there.
    unsafe fn pack(self, panel: usize) {
        let to = self
            .packed
            .get()
            .wrapping_add((panel - self.first) * self.sizes.depth * COLUMNS);
        let from = self.b.from(0, panel * COLUMNS);
        let width = COLUMNS.min(self.sizes.columns - panel * COLUMNS);
        // SAFETY: the caller's promise.
        unsafe { pack::<COLUMNS>(from.turned(), width, self.sizes.depth, to) };
    }
}

/// Puts `N` rows side by side: element by element of the first column, then of the second. Rows that are not there are zero.
///
/// # Safety
/// `from` has `rows` rows of `depth` elements, `to` has room for `N · depth`.
unsafe fn pack<const N: usize>(from: Matrix, rows: usize, depth: usize, to: *mut f32) {
    if from.down == 1 && rows == N {
        for index in 0..depth {
            // SAFETY: the caller's promise; a column's elements lie one behind the other.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    from.from(0, index).at,
                    to.wrapping_add(index * N),
                    N,
                );
            }
        }
        return;
    }
    if from.across == 1 && rows == N {
        // SAFETY: the caller's promise.
        let line = |row: usize| unsafe { std::slice::from_raw_parts(from.from(row, 0).at, depth) };
        let lines: [&[f32]; N] = std::array::from_fn(line);
        // SAFETY: as above.
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<[f32; N]>(), depth) };
        return turn::<N>(lines, to);
    }
    for index in 0..depth {
        for row in 0..N {
            let value = if row < rows {
                // SAFETY: the caller's promise.
                unsafe { from.from(row, index).at.read() }
            } else {
                0.0
            };
            // SAFETY: as above.
            unsafe { to.wrapping_add(index * N + row).write(value) };
        }
    }
}

/// `N` lines side by side.
fn turn<const N: usize>(lines: [&[f32]; N], to: &mut [[f32; N]]) {
    // Some columns at a time: small enough for registers, and each line is read in one piece.
    const PIECE: usize = 8;
    let whole = to.len() / PIECE * PIECE;
    for start in (0..whole).step_by(PIECE) {
        let mut piece = [[0.0; N]; PIECE];
        for (row, line) in lines.iter().enumerate() {
            let part: &[f32; PIECE] = line[start..start + PIECE]
                .try_into()
                .unwrap_or(&[0.0; PIECE]);
            for (index, value) in part.iter().enumerate() {
                piece[index][row] = *value;
            }
        }
        to[start..start + PIECE].copy_from_slice(&piece);
    }
    for (index, to) in to.iter_mut().enumerate().skip(whole) {
        for (place, line) in to.iter_mut().zip(lines) {
            *place = line[index];
        }
    }
}

/// A product with so few columns that all of B can be packed.
///
/// # Safety
/// As for `product`.
unsafe fn columns_of(sizes: Sizes, a: Matrix, b: Matrix, c: Target, shared: bool) {
    let all = sizes.columns.div_ceil(COLUMNS);
    // Where it is, B is good enough if its rows are whole and it is small or used few times.
    let in_place = b.across == 1
        && (sizes.rows <= 4 * ROWS || sizes.depth * sizes.columns <= 16 * 1024)
        && sizes.columns >= COLUMNS;
    let first = if in_place { sizes.columns / COLUMNS } else { 0 };
    let mut room = Room::of(&PANELS, (all - first) * sizes.depth * COLUMNS);
    let panels = Panels {
        b,
        sizes,
        first,
        packed: Address(room.at()),
    };
    let work = sizes
        .rows
        .saturating_mul(sizes.depth)
        .saturating_mul(sizes.columns);
    let share = shared && work >= LEAST;
    let each = |count: usize, each: &(dyn Fn(usize) + Sync)| {
        let least = if share { 1 } else { usize::MAX / 2 };
        parallel::ranges(count, least, |range| range.for_each(each));
    };
    // SAFETY: the caller's promise; each panel has its own room.
    each(all - first, &|panel| unsafe { panels.pack(first + panel) });
    let strips = sizes.rows.div_ceil(STRIP);
    // Where there are few strips, groups of panels are shared out too.
    let groups = if share {
        (16 / strips).clamp(1, all.div_ceil(4))
    } else {
        1
    };
    let wide = all.div_ceil(groups);
    let groups = all.div_ceil(wide);
    each(strips * groups, &|number| {
        let (strip, group) = (number / groups, number % groups);
        let rows = strip * STRIP..sizes.rows.min((strip + 1) * STRIP);
        let some = group * wide..all.min((group + 1) * wide);
        // SAFETY: the caller's promise; parts write different elements.
        unsafe { strip_of(rows, some, a, panels, c) };
    });
}

/// Some rows of a product, for some panels.
///
/// # Safety
/// As for `product`; the panels are packed.
unsafe fn strip_of(
    rows: std::ops::Range<usize>,
    some: std::ops::Range<usize>,
    a: Matrix,
    panels: Panels,
    c: Target,
) {
    let Sizes { depth, columns, .. } = panels.sizes;
    let wide = is_wide();
    // Packing A is worth it if it is used often. The last tile is always packed, to be whole.
    let often = some.len() > 8 || a.across != 1 && some.len() > 2;
    let tiles = rows.len().div_ceil(ROWS);
    let first = if often { 0 } else { rows.len() / ROWS };
    let mut room = Room::of(&TILES, (tiles - first) * ROWS * DEPTH.min(depth));
    let packed = room.at();
    for start in (0..depth).step_by(DEPTH) {
        let deep = DEPTH.min(depth - start);
        for tile in first..tiles {
            let row = rows.start + tile * ROWS;
            let (from, to) = (a.from(row, start), (tile - first) * ROWS * deep);
            // SAFETY: the caller's promise, and the room was made for it.
            unsafe {
                pack::<ROWS>(
                    from,
                    ROWS.min(rows.end - row),
                    deep,
                    packed.wrapping_add(to),
                );
            };
        }
        let c = Target {
            accumulate: c.accumulate || start > 0,
            ..c
        };
        for panel in some.clone() {
            let (b, b_down) = panels.at(panel, start);
            let width = COLUMNS.min(columns - panel * COLUMNS);
            for tile in 0..tiles {
                let row = rows.start + tile * ROWS;
                let a = if tile < first {
                    a.from(row, start)
                } else {
                    Matrix {
                        at: packed
                            .wrapping_add((tile - first) * ROWS * deep)
                            .cast_const(),
                        down: 1,
                        across: ROWS.cast_signed(),
                    }
                };
                let height = ROWS.min(rows.end - row);
                let c = c.from(row, panel * COLUMNS);
                if wide {
                    // SAFETY: the caller's promise, and packed tiles and panels are whole; the instructions are there.
                    unsafe { tile_wide(deep, a, b, b_down, c, height, width) };
                } else {
                    // SAFETY: as above, without special instructions.
                    unsafe { tile_plain(deep, a, b, b_down, c, height, width) };
                }
            }
        }
    }
}

/// Puts a tile where it belongs, or the part of it that there is.
///
/// # Safety
/// The elements of `c` may be read and written.
unsafe fn put(sums: &[[f32; COLUMNS]; ROWS], c: Target, height: usize, width: usize) {
    for (row, sums) in sums.iter().enumerate().take(height) {
        for (column, sum) in sums.iter().enumerate().take(width) {
            // SAFETY: the caller's promise.
            unsafe { c.put(row, column, *sum) };
        }
    }
}

/// One tile, on any machine.
///
/// # Safety
/// As for `product`: `a` has 6 rows, `b` 16 columns, both `depth` deep; `c` has `height` by `width` elements.
unsafe fn tile_plain(
    depth: usize,
    a: Matrix,
    b: *const f32,
    b_down: isize,
    c: Target,
    height: usize,
    width: usize,
) {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for index in 0..depth {
        let at = b.wrapping_offset(b_down * index.cast_signed());
        // SAFETY: the caller's promise.
        let line = unsafe { at.cast::<[f32; COLUMNS]>().read_unaligned() };
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            let factor = unsafe { a.from(row, index).at.read() };
            for (sum, x) in sums.iter_mut().zip(line) {
                *sum += factor * x;
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { put(&sums, c, height, width) };
}

/// The same with wide vectors: twelve of eight sums each, two of B, one of A.
///
/// # Safety
/// As for `tile_plain`, and the machine has these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn tile_wide(
    depth: usize,
    a: Matrix,
    b: *const f32,
    b_down: isize,
    c: Target,
    height: usize,
    width: usize,
) {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_broadcast_ss, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_mul_ps,
        _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };
    // Variables, not an array: what is looked at by number later would go to memory at every step.
    let zero = _mm256_setzero_ps();
    let [mut a0, mut a1, mut a2, mut a3, mut a4, mut a5] = [zero; ROWS];
    let [mut b0, mut b1, mut b2, mut b3, mut b4, mut b5] = [zero; ROWS];
    let (mut at, mut line) = (a.at, b);
    let (down, third) = (a.down, a.down * 3);
    for _ in 0..depth {
        // SAFETY: the caller's promise: 16 elements.
        let left = unsafe { _mm256_loadu_ps(line) };
        // SAFETY: as above.
        let right = unsafe { _mm256_loadu_ps(line.wrapping_add(8)) };
        let upper = at;
        let lower = at.wrapping_offset(third);
        macro_rules! row {
            ($from:ident, $number:literal, $left:ident, $right:ident) => {
                let factor = $from.wrapping_offset(down * $number);
                // SAFETY: the caller's promise: an element of each row.
                let factor = unsafe { _mm256_broadcast_ss(&*factor) };
                $left = _mm256_fmadd_ps(factor, left, $left);
                $right = _mm256_fmadd_ps(factor, right, $right);
            };
        }
        row!(upper, 0, a0, b0);
        row!(upper, 1, a1, b1);
        row!(upper, 2, a2, b2);
        row!(lower, 0, a3, b3);
        row!(lower, 1, a4, b4);
        row!(lower, 2, a5, b5);
        at = at.wrapping_offset(a.across);
        line = line.wrapping_offset(b_down);
    }
    let sums = [[a0, b0], [a1, b1], [a2, b2], [a3, b3], [a4, b4], [a5, b5]];
    if height == ROWS && width == COLUMNS && c.across == 1 {
        let alpha = _mm256_set1_ps(c.alpha);
        for (row, sums) in sums.iter().enumerate() {
            for (half, sum) in sums.iter().enumerate() {
                let at = c.from(row, half * 8).at;
                let mut result = _mm256_mul_ps(*sum, alpha);
                if c.accumulate {
                    // SAFETY: the caller's promise: 8 elements of a row.
                    let before = unsafe { _mm256_loadu_ps(at) };
                    result = _mm256_add_ps(before, result);
                }
                // SAFETY: as above.
                unsafe { _mm256_storeu_ps(at, result) };
            }
        }
        return;
    }
    let mut plain = [[0.0; COLUMNS]; ROWS];
    for (plain, sums) in plain.iter_mut().zip(&sums) {
        for (half, sum) in sums.iter().enumerate() {
            // SAFETY: a row of the tile has 16 elements.
            unsafe { _mm256_storeu_ps(plain.as_mut_ptr().wrapping_add(half * 8), *sum) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { put(&plain, c, height, width) };
}

#[cfg(not(target_arch = "x86_64"))]
use tile_plain as tile_wide;

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(state >> 16).unwrap_or(0)) / 32768.0 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn matrix(data: &[f32], rows: usize, columns: usize, turned: bool) -> Matrix {
        Matrix {
            at: data.as_ptr(),
            down: if turned { 1 } else { columns.cast_signed() },
            across: if turned { rows.cast_signed() } else { 1 },
        }
    }

    /// Every layout and every kind of edge against sums in `f64`. Shared and alone the result is the same bit by bit.
    #[test]
    fn layouts_and_edges() {
        let sizes = [
            (1, 1, 1),
            (5, 3, 15),
            (6, 7, 16),
            (7, 300, 17),
            (13, 64, 100),
            (97, 33, 50),
            (100, 600, 130),
            (200, 5, 300),
            (3, 1200, 900),
        ];
        for (rows, depth, columns) in sizes {
            let (left, right) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
            for layout in 0..8 {
                let (a, b) = (
                    matrix(&left, rows, depth, layout & 1 != 0),
                    matrix(&right, depth, columns, layout & 2 != 0),
                );
                for accumulate in [false, true] {
                    let before = numbers(rows * columns, 3);
                    let run = |shared| {
                        let mut out = before.clone();
                        let (down, across) = if layout & 4 != 0 {
                            (1, rows)
                        } else {
                            (columns, 1)
                        };
                        let c = Target {
                            at: out.as_mut_ptr(),
                            down: down.cast_signed(),
                            across: across.cast_signed(),
                            alpha: 0.5,
                            accumulate,
                        };
                        let sizes = Sizes {
                            rows,
                            depth,
                            columns,
                        };
                        // SAFETY: the vectors have as many elements as the sizes say.
                        unsafe { product(sizes, a, b, c, shared) };
                        out
                    };
                    let (out, shared) = (run(false), run(true));
                    assert!(out == shared, "{rows} {depth} {columns} {layout}");
                    for row in 0..rows {
                        for column in 0..columns {
                            let sum: f64 = (0..depth)
                                .map(|index| {
                                    // SAFETY: inside the matrix, as the test made it.
                                    let left = unsafe { *a.from(row, index).at };
                                    // SAFETY: as above.
                                    let right = unsafe { *b.from(index, column).at };
                                    f64::from(left) * f64::from(right)
                                })
                                .sum();
                            let at = if layout & 4 != 0 {
                                column * rows + row
                            } else {
                                row * columns + column
                            };
                            let before = if accumulate {
                                f64::from(before[at])
                            } else {
                                0.0
                            };
                            let wrong = f64::from(out[at]) - (before + 0.5 * sum);
                            assert!(
                                wrong.abs() < 1e-4,
                                "{rows} {depth} {columns} {layout}: {wrong} off at {row}, {column}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_deep_is_zero() {
        let mut out = [7.0; 4];
        let sizes = Sizes {
            rows: 2,
            depth: 0,
            columns: 2,
        };
        let a = matrix(&[], 2, 0, false);
        let c = Target {
            at: out.as_mut_ptr(),
            down: 2,
            across: 1,
            alpha: 1.0,
            accumulate: false,
        };
        // SAFETY: nothing is read.
        unsafe { product(sizes, a, a, c, false) };
        assert_eq!(out, [0.0; 4]);
    }
}
