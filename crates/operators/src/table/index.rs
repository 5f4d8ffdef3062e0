//! Brackets with tensors in them, as Python has them.

use super::scatter::{Reduction, scatter};
use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "Index",
        "x, mask of indexed axes, output shape, indices0, ...: x[indices0, ...]",
        |cx| {
            cx.ignore(2);
            let mask = cx.constant_ints(1)?;
            let indexed = Indexed::new(cx, &mask, 3)?;
            let x = cx.input(0)?.transpose(&indexed.order());
            let found = x.apply("GatherND", &[indexed.tuples()], &[]);
            cx.give(0, found.transpose(&indexed.back()))
        },
    ),
    row(
        "IndexPutV2",
        "x, value, mask of indexed axes, unused, indices0, ...; accumulate = false: x[indices0, ...] = value",
        index_put,
    ),
];

/// Some axes of a tensor indexed by tensors of one shape, as brackets in Python have it.
struct Indexed<'c> {
    rank: i64,
    /// The indexed axes, and the others.
    axes: Vec<i64>,
    rest: Vec<i64>,
    indices: Vec<Val<'c>>,
    /// The rank of the indices.
    width: i64,
}

impl<'c> Indexed<'c> {
    /// `mask` has a 1 for each leading axis that is indexed; the indices begin with input `first`.
    fn new(cx: &'c Context<'c>, mask: &[i64], first: usize) -> Result<Self, Why> {
        let rank = cx.axes(0)?;
        let is_indexed = |axis: &i64| {
            usize::try_from(*axis).is_ok_and(|at| mask.get(at).is_some_and(|it| *it != 0))
        };
        let (axes, rest): (Vec<i64>, Vec<i64>) = (0..rank).partition(is_indexed);
        if axes.is_empty() {
            return Err(Why::other("no axis is indexed"));
        }
        let mut indices = Vec::new();
        for place in 0..axes.len() {
            indices.push(cx.indices(first + place)?);
        }
        let mut width = 0;
        for place in 0..axes.len() {
            width = width.max(cx.axes(first + place)?);
        }
        // Indices of different shapes are repeated to one.
        if let [index, others @ ..] = &indices[..]
            && !others.is_empty()
        {
            let all = others.iter().fold(*index, |all, other| all + *other);
            let shape = all.shape();
            for it in &mut indices {
                *it = it.expand_to(shape);
            }
        }
        Ok(Self {
            rank,
            axes,
            rest,
            indices,
            width,
        })
    }

    /// The axes in the order in which the indexed ones come first.
    fn order(&self) -> Vec<i64> {
        self.axes.iter().chain(&self.rest).copied().collect()
    }

    fn order_back(&self) -> Vec<i64> {
        inverse(&self.order())
    }

    /// The indices next to each other in a last axis.
    fn tuples(&self) -> Val<'c> {
        let columns: Vec<Val> = self
            .indices
            .iter()
            .map(|index| index.unsqueeze(&[-1]))
            .collect();
        Val::concat(-1, &columns)
    }

    /// From [indices, rest] to the result's order: the indices stand where the indexed axes stood if those
    /// are neighbours, and in front otherwise.
    fn back(&self) -> Vec<i64> {
        let neighbours = self.axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let before = if neighbours {
            self.axes.first().copied().unwrap_or(0)
        } else {
            0
        };
        let rest = self.rank - self.axes.len().cast_signed() as i64;
        let first = self.width..self.width + before;
        first
            .chain(0..self.width)
            .chain(self.width + before..self.width + rest)
            .collect()
    }
}

fn inverse(order: &[i64]) -> Vec<i64> {
    let mut back = vec![0; order.len()];
    for (at, axis) in (0..).zip(order) {
        if let Some(place) = usize::try_from(*axis)
            .ok()
            .and_then(|axis| back.get_mut(axis))
        {
            *place = at;
        }
    }
    back
}

fn index_put<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.ignore(3);
    let mask = cx.constant_ints(2)?;
    let indexed = Indexed::new(cx, &mask, 4)?;
    let x = cx.number(0)?;
    let shape = x.shape().gather(cx.list_of(&indexed.rest), 0);
    let shape = Val::concat(0, &[indexed.indices[0].shape(), shape]);
    // The value is broadcast in the order of the result, and written in the order of the indices.
    let back = indexed.back();
    let shown = shape.gather(cx.list_of(&back), 0);
    let value = cx.number(1)?.cast(x.element()).expand_to(shown);
    let value = value.transpose(&inverse(&back));
    let reduction = if cx.flag_or("accumulate", false)? {
        Reduction::Add
    } else {
        Reduction::None
    };
    let moved = x.transpose(&indexed.order());
    let put = scatter(moved, &indexed.indices, value, reduction, cx.rank(0)?);
    cx.give(0, put.transpose(&indexed.order_back()))
}
