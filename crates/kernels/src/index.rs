//! Elements by index: where indices point to, reading from there, writing there.
//!
//! Indices become offsets first, in scratch memory: an offset counts elements from the first one of the tensor that is indexed. So every
//! index is checked once, and one loop serves all functions, whichever axes they index.

use millpond_model::Element;

use crate::block::{BLOCK, read_block};
use crate::copy::bits;
use crate::element::{Bool8, Compute, Stored};
use crate::parallel;
use crate::view::View;

/// How many elements a thread moves at least.
const LEAST: usize = 16 * 1024;

/// How many elements of a row are joined at once.
const PIECE: usize = 64;

/// An offset that stands for no element: nothing is written there.
pub const NOWHERE: i64 = -1;

/// One axis that is indexed.
#[derive(Debug)]
pub struct Selector {
    /// The indices, which broadcast to the shape of the offsets.
    pub index: View,
    /// How long the axis is.
    pub size: i64,
    /// How far apart its neighbours are.
    pub stride: i64,
}

/// What indices may be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    /// −1 stands for the last position.
    pub negative: bool,
    /// This index stands for no element.
    pub skip: Option<i64>,
    /// An index that is out of range stands for no element, and is not a mistake.
    pub lenient: bool,
}

/// Where the elements are that indices select: for each position of `out`, the sum over the selectors of index times stride, plus
/// position times `own` for each axis of `out`. `out` is contiguous and has the type `i64`.
pub fn offsets(
    own: &[i64],
    selectors: &[Selector],
    rules: Rules,
    out: &View,
) -> Result<(), String> {
    let total = out.count();
    let dims = out.dims();
    let indices: Vec<View> = selectors
        .iter()
        .map(|selector| selector.index.expand(dims))
        .collect();
    let positions = out.laid_out(dims.into(), own.into());
    let check = |index: i64, size: i64| {
        let wrapped = if rules.negative && index < 0 {
            index + size
        } else {
            index
        };
        (0..size).contains(&wrapped).then_some(wrapped)
    };
    let wrong = std::sync::Mutex::new(None::<(usize, String)>);
    parallel::ranges(total.div_ceil(BLOCK), LEAST / BLOCK, |range| {
        let mut walk = positions.walk(range.start * BLOCK);
        let (mut sums, mut block) = ([0_i64; BLOCK], [0_i64; BLOCK]);
        for number in range {
            let start = number * BLOCK;
            let count = BLOCK.min(total - start);
            for sum in &mut sums[..count] {
                *sum = walk.offset();
                walk.step();
            }
            for (axis, (selector, index)) in selectors.iter().zip(&indices).enumerate() {
                read_block(index, start, &mut block[..count]);
                for (place, (sum, index)) in sums.iter_mut().zip(&block[..count]).enumerate() {
                    if rules.skip == Some(*index) || *sum == NOWHERE {
                        *sum = NOWHERE;
                        continue;
                    }
                    if let Some(index) = check(*index, selector.size) {
                        *sum += index * selector.stride;
                        continue;
                    }
                    *sum = NOWHERE;
                    if rules.lenient {
                        continue;
                    }
                    let mut wrong = wrong
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    // Whichever thread is first, the first wrong index is named.
                    if wrong
                        .as_ref()
                        .is_none_or(|(known, _)| start + place < *known)
                    {
                        let of = if selectors.len() > 1 {
                            format!(" of index tensor {axis}")
                        } else {
                            String::new()
                        };
                        let text = format!(
                            "index {index} at position {}{of} is out of range for a dimension of size {}",
                            start + place,
                            selector.size
                        );
                        *wrong = Some((start + place, text));
                    }
                }
            }
            crate::block::write_block(out, start, &sums[..count]);
        }
    });
    let wrong = wrong
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    wrong.map_or(Ok(()), |(_, text)| Err(text))
}

/// Which axes of a tensor are what: `batch` leading axes, at each of which the same offsets apply, then those that are indexed, then
/// `row` trailing axes, which are moved as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Axes {
    /// How many axes lead.
    pub batch: usize,
    /// How many axes trail.
    pub row: usize,
}

/// A tensor taken apart: where each batch begins, and a row.
struct Parts {
    batch: View,
    row: View,
    /// The last offset of a row.
    limit: i64,
}

impl Parts {
    fn of(view: &View, axes: Axes) -> Self {
        let rank = view.rank();
        let row = view.axes(rank - axes.row..rank);
        let inner = view.axes(axes.batch..rank);
        Self {
            batch: view.axes(0..axes.batch),
            limit: inner.reach() - row.reach(),
            row,
        }
    }

    fn check(&self, offset: i64) {
        assert!(
            (0..=self.limit).contains(&offset),
            "offset {offset} is beyond {}",
            self.limit
        );
    }
}

/// Reads: `out[b, p, r] = from[b, offsets[p], r]`, where `out`'s axes are the batch, those of the offsets, and the row. Offsets come from
/// [`offsets`]. The output overlaps neither.
pub fn gather(from: &View, axes: Axes, offsets: &View, out: &View) {
    let Some(offsets) = offsets.slice::<i64>() else {
        panic!("offsets are contiguous: {offsets:?}")
    };
    if out.count() == 0 {
        return;
    }
    bits!(out.element().bytes(), T, element => {
        gather_bits::<T>(&from.reinterpret(element), axes, offsets, &out.reinterpret(element));
    });
}

fn gather_bits<T: Stored>(from: &View, axes: Axes, offsets: &[i64], out: &View) {
    let parts = Parts::of(from, axes);
    let lead = out.axes(0..out.rank() - axes.row);
    let (row, out_row) =
        crate::copy::aligned(&parts.row, &out.axes(out.rank() - axes.row..out.rank()));
    let width = out_row.count();
    let plain = row.is_contiguous() && out_row.is_contiguous();
    let rows = offsets.len() * parts.batch.count();
    parallel::ranges(rows, (LEAST / width).max(1), |range| {
        let mut to = lead.walk(range.start);
        let mut batch = parts.batch.walk(range.start / offsets.len());
        let mut place = range.start % offsets.len();
        // They are back at the beginning after each row.
        let (mut source, mut target) = (row.walk(0), out_row.walk(0));
        for _ in range {
            parts.check(offsets[place]);
            let at = batch.offset() + offsets[place];
            if width == 1 {
                out.write::<T>(to.offset(), from.read::<T>(at));
            } else if plain {
                from.copy_run::<T>(at, out, to.offset(), width);
            } else {
                for _ in 0..width {
                    let value = from.read::<T>(at + source.offset());
                    out.write::<T>(to.offset() + target.offset(), value);
                    source.step();
                    target.step();
                }
            }
            to.step();
            place += 1;
            if place == offsets.len() {
                place = 0;
                batch.step();
            }
        }
    });
}

/// How an element that is there and one that arrives become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The one that arrives stays.
    Assign,
    /// Their sum.
    Add,
    /// Their product.
    Multiply,
}

/// Writes: `into[b, offsets[p], r]` becomes, or is joined with, `source[b, p, r]`, in the order of `p`. Where offsets repeat, later ones come
/// later. Both have the same element type. Offsets come from [`offsets`]; [`NOWHERE`] is left out. `into` overlaps neither.
pub fn scatter(source: &View, axes: Axes, offsets: &View, into: &View, put: Put) {
    assert_eq!(source.element(), into.element());
    let Some(offsets) = offsets.slice::<i64>() else {
        panic!("offsets are contiguous: {offsets:?}")
    };
    if source.count() == 0 {
        return;
    }
    if put == Put::Assign {
        bits!(into.element().bytes(), T, element => {
            put_rows::<T>(&source.reinterpret(element), axes, offsets, &into.reinterpret(element), |_, new| new);
        });
        return;
    }
    macro_rules! join {
        ($($element:ident => $stored:ty, $compute:ty;)*) => {
            match into.element() {
                $(Element::$element => put_rows::<$stored>(source, axes, offsets, into, move |old, new| {
                    let (old, new) = (old.load::<$compute>(), new.load::<$compute>());
                    <$stored>::store(if put == Put::Add { old.add(new) } else { old.mul(new) })
                }),)*
            }
        };
    }
    join! {
        F32 => f32, f32; F64 => f64, f64; F16 => half::f16, f32; BF16 => half::bf16, f32; Bool => Bool8, u8;
        F8E4M3 => crate::element::F8E4M3, f32; F8E5M2 => crate::element::F8E5M2, f32; F8E8M0 => crate::element::F8E8M0, f32;
        I8 => i8, i8; I16 => i16, i16; I32 => i32, i32; I64 => i64, i64; U8 => u8, u8; U16 => u16, u16; U32 => u32, u32; U64 => u64, u64;
        C32 => crate::element::ComplexHalf, num_complex::Complex32;
        C64 => num_complex::Complex32, num_complex::Complex32; C128 => num_complex::Complex64, num_complex::Complex64;
    }
}

fn put_rows<T: Stored>(
    source: &View,
    axes: Axes,
    offsets: &[i64],
    into: &View,
    join: impl Fn(T, T) -> T + Sync,
) {
    let parts = Parts::of(into, axes);
    let lead = source.axes(0..source.rank() - axes.row);
    let source_row = source.axes(source.rank() - axes.row..source.rank());
    let (row, into_row) = crate::copy::aligned(&source_row, &parts.row);
    let (width, batches) = (row.count(), parts.batch.count());
    let plain = row.is_contiguous() && into_row.is_contiguous();
    // Batches share nothing, and neither do the columns of rows. Within them order decides.
    let batch_work = |batch: usize, columns: std::ops::Range<usize>| {
        let start = parts.batch.offset_of(batch);
        let mut from = lead.walk(batch * offsets.len());
        let (first, count) = (columns.start, columns.len());
        let steps = (row.walk(first), into_row.walk(first));
        let skip = if plain {
            i64::try_from(first).unwrap_or(0)
        } else {
            0
        };
        let put =
            |place: i64, new: i64| into.write(place, join(into.read(place), source.read(new)));
        for offset in offsets {
            let (at, new) = (start + *offset + skip, from.offset() + skip);
            from.step();
            if *offset == NOWHERE {
                continue;
            }
            parts.check(*offset);
            if plain && count >= PIECE {
                // In pieces that the compiler makes vectors of.
                let (mut olds, mut news) = (
                    [source.read::<T>(new); PIECE],
                    [source.read::<T>(new); PIECE],
                );
                for begin in (0..count).step_by(PIECE) {
                    let length = PIECE.min(count - begin);
                    let begin = i64::try_from(begin).unwrap_or(0);
                    into.read_run(at + begin, &mut olds[..length]);
                    source.read_run(new + begin, &mut news[..length]);
                    for (old, new) in olds.iter_mut().zip(&news) {
                        *old = join(*old, *new);
                    }
                    into.write_run(at + begin, &olds[..length]);
                }
            } else if plain {
                for column in 0..i64::try_from(count).unwrap_or(0) {
                    put(at + column, new + column);
                }
            } else {
                let (mut source, mut target) = steps.clone();
                for _ in 0..count {
                    put(at + target.offset(), new + source.offset());
                    source.step();
                    target.step();
                }
            }
        }
    };
    if batches > 1 {
        let least = (LEAST / (width * offsets.len()).max(1)).max(1);
        parallel::ranges(batches, least, |range| {
            range.for_each(|batch| batch_work(batch, 0..width));
        });
    } else {
        let least = (LEAST / offsets.len().max(1)).max(64);
        parallel::ranges(width, least, |columns| batch_work(0, columns));
    }
}
