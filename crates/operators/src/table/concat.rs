//! Tensors joined and taken apart.

use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row("ConcatD", "x0, x1, ...; concat_dim, N", |cx| {
        concat(cx, 0..cx.count(), cx.int("concat_dim")?)
    }),
    row("ConcatV2D", "x0, x1, ...; concat_dim, N", |cx| {
        concat(cx, 0..cx.count(), cx.int("concat_dim")?)
    }),
    row("Concat", "concat_dim, x0, x1, ...; N", |cx| {
        let axis = cx.constant_int(0)?;
        concat(cx, 1..cx.count(), axis)
    }),
    row("ConcatV2", "x0, x1, ..., concat_dim; N", |cx| {
        let last = cx.count().checked_sub(1).ok_or(Why::MissingInput(0))?;
        let axis = cx.constant_int(last)?;
        concat(cx, 0..last, axis)
    }),
    row(
        "Pack",
        "x0, x1, ...; axis = 0, N: joined along a new axis",
        |cx| {
            let axis = cx.int_or("axis", 0)?;
            let mut values = Vec::new();
            for index in 0..cx.count() {
                values.push(cx.input(index)?.unsqueeze(&[axis]));
            }
            joined(cx, axis, &values)
        },
    ),
    row(
        "Unpack",
        "x; num, axis = 0: taken apart, the axis is dropped",
        |cx| {
            let axis = cx.int_or("axis", 0)?;
            let x = cx.input(0)?;
            for (index, part) in x.split_evenly(axis, outputs(cx)?).into_iter().enumerate() {
                cx.give(index, part.squeeze(&[axis]))?;
            }
            Ok(())
        },
    ),
    row("Split", "split_dim, x; num_split", |cx| {
        let axis = cx.constant_int(0)?;
        give_all(cx, &cx.input(1)?.split_evenly(axis, outputs(cx)?))
    }),
    row("SplitD", "x; split_dim, num_split", |cx| {
        let axis = cx.int("split_dim")?;
        give_all(cx, &cx.input(0)?.split_evenly(axis, outputs(cx)?))
    }),
    row("SplitV", "x, size_splits, split_dim; num_split", |cx| {
        let (sizes, axis) = (cx.constant_ints(1)?, cx.constant_int(2)?);
        split(cx, sizes, axis)
    }),
    row("SplitVD", "x; size_splits, split_dim, num_split", |cx| {
        split(cx, cx.list("size_splits")?, cx.int("split_dim")?)
    }),
];

fn concat<'c>(cx: &'c Context<'c>, inputs: std::ops::Range<usize>, axis: i64) -> Result<(), Why> {
    let values: Result<Vec<Val>, Why> = inputs.map(|index| cx.input(index)).collect();
    joined(cx, axis, &values?)
}

fn joined<'c>(cx: &'c Context<'c>, axis: i64, values: &[Val<'c>]) -> Result<(), Why> {
    let Some(first) = values.first() else {
        return Err(Why::MissingInput(0));
    };
    let same: Vec<Val> = values
        .iter()
        .map(|value| value.cast(first.element()))
        .collect();
    cx.give(0, Val::concat(axis, &same))
}

fn outputs<'c>(cx: &'c Context<'c>) -> Result<usize, Why> {
    Some(cx.outputs())
        .filter(|count| *count > 0)
        .ok_or(Why::MissingOutput(0))
}

fn give_all<'c>(cx: &'c Context<'c>, parts: &[Val<'c>]) -> Result<(), Why> {
    let mut parts = parts.iter().enumerate();
    parts.try_for_each(|(index, part)| cx.give(index, *part))
}

/// One of the sizes may be -1: what the others leave.
fn split<'c>(cx: &'c Context<'c>, mut sizes: Vec<i64>, axis: i64) -> Result<(), Why> {
    if let Some(open) = sizes.iter().position(|size| *size < 0) {
        let dims = cx.dims(0)?;
        let place = if axis < 0 {
            axis + dims.len().cast_signed() as i64
        } else {
            axis
        };
        let length = usize::try_from(place)
            .ok()
            .and_then(|place| dims.get(place));
        let length = length.ok_or_else(|| Why::other(format!("there is no axis {axis}")))?;
        let others = sizes.iter().filter(|size| **size >= 0);
        let others = others.fold(0_i64, |all, size| all.saturating_add(*size));
        sizes[open] = length - others;
    }
    give_all(cx, &cx.input(0)?.split(axis, &sizes))
}
