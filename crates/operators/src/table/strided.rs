//! Views by sizes and strides.

use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "AsStrided",
        "x, size, stride, storage_offset: elements by their distance in memory",
        |cx| {
            let view = View::read(cx, 1)?;
            let storage = cx.dims(0)?.iter().product();
            cx.give(0, view.of(cx.input(0)?.flat(), storage)?)
        },
    ),
    row(
        "ViewCopy",
        "dst, its size, stride, offset, src, its size, stride, offset: dst with the view of src in its view",
        |cx| {
            let (to, from) = (View::read(cx, 1)?, View::read(cx, 5)?);
            let dst = cx.input(0)?;
            let storage: i64 = cx.dims(0)?.iter().product();
            let available = cx.dims(4)?.iter().product();
            let source = from
                .of(cx.input(4)?.flat(), available)?
                .expand(&to.sizes)
                .flat();
            if to.covers(storage) {
                return cx.give(0, source.cast(dst.element()).reshape_like(dst));
            }
            let places = to.places(cx).flat();
            let attributes = [("axis", 0_i64.into())];
            let updates = source.cast(dst.element());
            let written = dst
                .flat()
                .apply("ScatterElements", &[places, updates], &attributes);
            cx.give(0, written.reshape_like(dst))
        },
    ),
];

/// Sizes, strides and an offset, in elements.
struct View {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
}

impl View {
    fn read<'c>(cx: &'c Context<'c>, first: usize) -> Result<Self, Why> {
        let (sizes, strides) = (cx.constant_ints(first)?, cx.constant_ints(first + 1)?);
        let offset = cx.constant_ints(first + 2)?.first().copied().unwrap_or(0);
        let odd = sizes
            .iter()
            .chain(&strides)
            .any(|number| !(0..1 << 48).contains(number));
        if sizes.len() != strides.len() || odd || !(0..1 << 48).contains(&offset) {
            return Err(Why::other(format!(
                "no view has sizes {sizes:?}, strides {strides:?}, offset {offset}"
            )));
        }
        Ok(Self {
            sizes,
            strides,
            offset,
        })
    }

    /// Whether it is all of this many elements, in order.
    fn covers(&self, storage: i64) -> bool {
        let mut next = 1;
        for (size, stride) in self.sizes.iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != next {
                return false;
            }
            next = i64::saturating_mul(next, *size);
        }
        next == storage && self.offset == 0
    }

    /// Where its elements are in the storage.
    fn places<'c>(&self, cx: &'c Context<'c>) -> Val<'c> {
        let rank = self.sizes.len();
        let mut places = cx.int_of(self.offset);
        for (axis, (size, stride)) in self.sizes.iter().zip(&self.strides).enumerate() {
            let steps = cx.int_of(*size).count_up() * cx.int_of(*stride);
            places = places + steps.along(axis, rank);
        }
        places
    }

    /// The view of a flat storage.
    fn of<'c>(&self, flat: Val<'c>, storage: i64) -> Result<Val<'c>, Why> {
        if self.sizes.contains(&0) {
            return Ok(flat.part(0, 0, 0).reshape(&self.sizes));
        }
        let reach = self.sizes.iter().zip(&self.strides);
        let reach = reach.fold(self.offset, |far, (size, stride)| {
            far.saturating_add((size - 1).saturating_mul(*stride))
        });
        if reach >= storage {
            return Err(Why::other(format!(
                "the view reaches element {reach}, but there are {storage}"
            )));
        }
        Ok(self
            .cut(flat, storage)
            .unwrap_or_else(|| flat.gather(self.places(flat.cx()), 0)))
    }

    /// The view as slices, a transposition and an expansion, which are much faster than an index for each
    /// element. It works when each stride divides the next greater one, so that the storage can be seen as
    /// a box, and the view as a box inside of it.
    fn cut<'c>(&self, flat: Val<'c>, storage: i64) -> Option<Val<'c>> {
        let moving = |axis: &usize| self.sizes[*axis] != 1 && self.strides[*axis] != 0;
        let mut axes: Vec<usize> = (0..self.sizes.len()).filter(moving).collect();
        axes.sort_by_key(|axis| std::cmp::Reverse(self.strides[*axis]));
        let mut strides: Vec<i64> = axes.iter().map(|axis| self.strides[*axis]).collect();
        let mut sizes: Vec<i64> = axes.iter().map(|axis| self.sizes[*axis]).collect();
        if strides.last() != Some(&1) {
            strides.push(1);
            sizes.push(1);
        }
        let mut rest = self.offset;
        let (mut dims, mut starts, mut ends) = (vec![], vec![], vec![]);
        for (place, (stride, size)) in strides.iter().zip(&sizes).enumerate() {
            let start = rest / stride;
            rest %= stride;
            let dim = match place.checked_sub(1).map(|before| strides[before]) {
                None => start + size,
                Some(outer) if outer % stride == 0 && start + size <= outer / stride => {
                    outer / stride
                }
                Some(_) => return None,
            };
            dims.push(dim);
            starts.push(start);
            ends.push(start + size);
        }
        let whole = dims.iter().fold(1_i64, |all, dim| all.saturating_mul(*dim));
        if whole > storage {
            return None;
        }
        let all: Vec<i64> = (0..dims.len().cast_signed() as i64).collect();
        let used = if whole < storage {
            flat.part(0, 0, whole)
        } else {
            flat
        };
        let sliced = used
            .reshape(&dims)
            .slice(&all, &starts, &ends, &vec![1; all.len()]);
        // From the order of strides to that of the view, then with the axes that do not move.
        let cut = sliced.reshape(&sizes[..axes.len()]);
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|place| axes[*place]);
        let order: Vec<i64> = order
            .into_iter()
            .map(|place| place.cast_signed() as i64)
            .collect();
        let still = |(size, stride): (&i64, &i64)| if *stride == 0 { 1 } else { *size };
        let shape: Vec<i64> = self.sizes.iter().zip(&self.strides).map(still).collect();
        Some(cut.transpose(&order).reshape(&shape).expand(&self.sizes))
    }
}
