//! Many elements into one: sums, extremes, counts over axes.
#![expect(
    unsafe_code,
    reason = "reads blocks that `block.rs` gives addresses of"
)]

use smallvec::SmallVec;

use crate::block::{BLOCK, Blocks, Buffer};
use crate::dims::Dims;
use crate::element::Compute;
use crate::parallel;
use crate::view::View;

/// Partial results that are kept side by side, so that the compiler can use vector instructions. Their number is part of the
/// result of floating-point sums, so it is the same on every machine.
const LANES: usize = 8;

/// How elements become one.
#[derive(Debug, Clone, Copy)]
pub struct Fold<A, Step, Merge, Finish> {
    /// What the result of no elements is made from.
    pub init: A,
    /// Adds an element.
    pub step: Step,
    /// Joins two partial results; the second is of later elements.
    pub merge: Merge,
    /// Makes the result.
    pub finish: Finish,
}

/// Folds the axes `axes` of `input`. `out` has the other axes; or all, with one element along those that are folded.
///
/// The output must not overlap the input.
pub fn reduce<C, A, R>(
    input: &View,
    axes: &[usize],
    out: &View,
    fold: &Fold<A, impl Fn(A, C) -> A + Sync, impl Fn(A, A) -> A + Sync, impl Fn(A) -> R + Sync>,
) where
    C: Compute,
    A: Copy + Send + Sync,
    R: Compute,
{
    let kept: SmallVec<[usize; 6]> = (0..input.rank())
        .filter(|axis| !axes.contains(axis))
        .collect();
    let out = squeezed(out, input.rank(), axes);
    let outer = input.permute(&kept);
    let inner = input.permute(axes);
    assert_eq!(
        outer.dims(),
        out.dims(),
        "the result of folding {axes:?} of {:?}",
        input.dims()
    );
    if walks_rows(&outer, &inner) {
        reduce_rows(&outer, &inner, &out, fold);
    } else {
        reduce_each(&outer, &inner, &out, fold);
    }
}

/// The output without the axes that were folded.
fn squeezed(out: &View, rank: usize, axes: &[usize]) -> View {
    if out.rank() != rank || axes.is_empty() {
        return out.clone();
    }
    let mut sorted: SmallVec<[usize; 6]> = axes.into();
    sorted.sort_unstable();
    sorted
        .iter()
        .rev()
        .fold(out.clone(), |out, axis| out.select(*axis, 0))
}

/// Whether neighbours in memory belong to different results. Then many results are folded side by side.
fn walks_rows(outer: &View, inner: &View) -> bool {
    let nearest = |view: &View| {
        let axes = view.dims().iter().zip(view.strides());
        axes.filter(|(dim, stride)| **dim > 1 && **stride > 0)
            .map(|(_, stride)| *stride)
            .min()
    };
    match (nearest(outer), nearest(inner)) {
        (Some(outer), Some(inner)) => outer < inner,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// One result after the other, each from its own elements.
fn reduce_each<C, A, R>(
    outer: &View,
    inner: &View,
    out: &View,
    fold: &Fold<A, impl Fn(A, C) -> A + Sync, impl Fn(A, A) -> A + Sync, impl Fn(A) -> R + Sync>,
) where
    C: Compute,
    A: Copy + Send + Sync,
    R: Compute,
{
    let (results, elements) = (outer.count(), inner.count());
    // A single result is folded in parts of a fixed size, which threads can share.
    let part = 64 * BLOCK;
    if results == 1 && elements > 2 * part {
        let parts = elements.div_ceil(part);
        let partial: Vec<std::sync::Mutex<Option<A>>> =
            (0..parts).map(|_| std::sync::Mutex::new(None)).collect();
        let blocks = Blocks::of(inner);
        parallel::ranges(parts, 1, |range| {
            for number in range {
                let start = number * part;
                let folded = fold_range(&blocks, start, part.min(elements - start), fold);
                if let Ok(mut slot) = partial[number].lock() {
                    *slot = Some(folded);
                }
            }
        });
        let mut folded = fold.init;
        for slot in partial {
            if let Ok(Some(value)) = slot.into_inner() {
                folded = (fold.merge)(folded, value);
            }
        }
        crate::map::generate(out, |_| (fold.finish)(folded));
        return;
    }
    let least = (64 * BLOCK / elements.max(1)).max(1);
    parallel::ranges(results, least, |range| {
        for number in range {
            let inner = inner.moved(outer.offset_of(number));
            let folded = fold_range(&Blocks::of(&inner), 0, elements, fold);
            crate::block::write_block(out, number, &[(fold.finish)(folded)]);
        }
    });
}

fn fold_range<C: Compute, A: Copy, R>(
    blocks: &Blocks,
    start: usize,
    count: usize,
    fold: &Fold<A, impl Fn(A, C) -> A, impl Fn(A, A) -> A, impl Fn(A) -> R>,
) -> A {
    let mut lanes = [fold.init; LANES];
    let mut done = 0;
    while done < count {
        let some = BLOCK.min(count - done);
        let mut buffer = Buffer::<C>::uninit();
        let from = blocks.load(start + done, some, &mut buffer);
        // SAFETY: the block has `some` elements, which nothing writes meanwhile.
        let block = unsafe { std::slice::from_raw_parts(from, some) };
        let (chunks, rest) = block.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, value) in lanes.iter_mut().zip(chunk) {
                *lane = (fold.step)(*lane, *value);
            }
        }
        for (lane, value) in lanes.iter_mut().zip(rest) {
            *lane = (fold.step)(*lane, *value);
        }
        done += some;
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] = (fold.merge)(lanes[lane], lanes[lane + width]);
        }
    }
    lanes[0]
}

/// Results in blocks: each element of a row goes to its own result, row after row.
fn reduce_rows<C, A, R>(
    outer: &View,
    inner: &View,
    out: &View,
    fold: &Fold<A, impl Fn(A, C) -> A + Sync, impl Fn(A, A) -> A + Sync, impl Fn(A) -> R + Sync>,
) where
    C: Compute,
    A: Copy + Send + Sync,
    R: Compute,
{
    let (results, rows) = (outer.count(), inner.count());
    let least = (64 / rows.max(1)).max(1);
    parallel::ranges(results.div_ceil(BLOCK), least, |range| {
        for block in range {
            let start = block * BLOCK;
            let count = BLOCK.min(results - start);
            let mut folded = [fold.init; BLOCK];
            for row in 0..rows {
                let row = Blocks::of(&outer.moved(inner.offset_of(row)));
                let mut buffer = Buffer::<C>::uninit();
                let from = row.load(start, count, &mut buffer);
                // SAFETY: the block has `count` elements, which nothing writes meanwhile.
                let block = unsafe { std::slice::from_raw_parts(from, count) };
                for (folded, value) in folded.iter_mut().zip(block) {
                    *folded = (fold.step)(*folded, *value);
                }
            }
            let mut finished = [R::default(); BLOCK];
            for (finished, folded) in finished.iter_mut().zip(&folded[..count]) {
                *finished = (fold.finish)(*folded);
            }
            crate::block::write_block(out, start, &finished[..count]);
        }
    });
}

/// The sum of elements over axes, accumulated in `f64` (floats) or wrapping `i64` (integers).
pub fn sum<C: Compute, R: Compute>(
    input: &View,
    axes: &[usize],
    out: &View,
    finish: impl Fn(f64) -> R + Sync,
) {
    let fold = Fold {
        init: 0.0_f64,
        step: |sum, x: C| sum + x.to_f64(),
        merge: |a, b| a + b,
        finish,
    };
    reduce(input, axes, out, &fold);
}

/// The axes that remain when `axes` are folded.
pub fn kept_dims(dims: &[i64], axes: &[usize], keep: bool) -> Dims {
    let all = dims.iter().enumerate();
    all.filter_map(|(axis, dim)| match (axes.contains(&axis), keep) {
        (false, _) => Some(*dim),
        (true, true) => Some(1),
        (true, false) => None,
    })
    .collect()
}

/// Count, mean and sum of squared distances from the mean, of elements seen so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moments {
    /// How many elements.
    pub count: f64,
    /// Their mean.
    pub mean: f64,
    /// The sum of squared distances from it.
    pub squares: f64,
}

impl Moments {
    /// With one element more.
    #[must_use]
    #[inline(always)]
    pub fn with(self, x: f64) -> Self {
        let count = self.count + 1.0;
        let distance = x - self.mean;
        let mean = self.mean + distance / count;
        Self {
            count,
            mean,
            squares: self.squares + distance * (x - mean),
        }
    }

    /// Of both sets of elements.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self.count == 0.0 {
            return other;
        }
        if other.count == 0.0 {
            return self;
        }
        let count = self.count + other.count;
        let distance = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + distance * (other.count / count),
            squares: self.squares
                + other.squares
                + distance * distance * (self.count * other.count / count),
        }
    }
}

/// Means and sums of squared distances from the mean over axes, as pairs: the real parts of `out` are means, the others squares. The mean
/// of nothing is NaN.
pub fn moments<C: Compute>(input: &View, axes: &[usize], out: &View) {
    let fold = Fold {
        init: Moments::default(),
        step: |seen: Moments, x: C| seen.with(x.to_f64()),
        merge: Moments::join,
        finish: |seen: Moments| {
            let mean = if seen.count == 0.0 {
                f64::NAN
            } else {
                seen.mean
            };
            num_complex::Complex64::new(mean, seen.squares)
        },
    };
    reduce(input, axes, out, &fold);
}

/// The largest or smallest element over axes. NaN wins. Of nothing it is `init`.
pub fn extreme<C: crate::order::Ordered>(
    input: &View,
    axes: &[usize],
    out: &View,
    largest: bool,
    init: C,
) {
    if largest {
        let later = |a: C, b: C| {
            let larger = a.order(b) == std::cmp::Ordering::Less && !a.is_nan();
            if larger { b } else { a }
        };
        let fold = Fold {
            init,
            step: later,
            merge: later,
            finish: |x: C| x,
        };
        reduce(input, axes, out, &fold);
    } else {
        let later = |a: C, b: C| {
            let smaller = a.order(b) == std::cmp::Ordering::Greater && !a.is_nan();
            if smaller || b.is_nan() { b } else { a }
        };
        let fold = Fold {
            init,
            step: later,
            merge: later,
            finish: |x: C| x,
        };
        reduce(input, axes, out, &fold);
    }
}
