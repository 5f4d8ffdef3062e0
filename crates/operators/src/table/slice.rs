//! Parts of a tensor.

use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};

pub(super) const ROWS: &[Row] = &[
    row(
        "Slice",
        "x, offsets, size: from each offset, this many; -1 for the rest",
        |cx| {
            let (offsets, sizes) = (cx.constant_ints(1)?, cx.constant_ints(2)?);
            slice(cx, &offsets, &sizes)
        },
    ),
    row("SliceD", "x; offsets, size", |cx| {
        slice(cx, &cx.list("offsets")?, &cx.list("size")?)
    }),
    row(
        "StridedSlice",
        "x, begin, end, strides?; begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = 0",
        |cx| {
            let (begin, end) = (cx.constant_ints(1)?, cx.constant_ints(2)?);
            let steps = if cx.has(3) {
                cx.constant_ints(3)?
            } else {
                vec![1; begin.len()]
            };
            strided(cx, &begin, &end, &steps)
        },
    ),
    row(
        "StridedSliceD",
        "x; begin, end, strides, the masks of StridedSlice",
        |cx| {
            strided(
                cx,
                &cx.list("begin")?,
                &cx.list("end")?,
                &cx.list("strides")?,
            )
        },
    ),
    row("StridedSliceV2", "x, begin, end, axes?, strides?", |cx| {
        let (begin, end) = (cx.constant_ints(1)?, cx.constant_ints(2)?);
        let all = (0..begin.len().cast_signed() as i64).collect();
        let axes = if cx.has(3) { cx.constant_ints(3)? } else { all };
        let steps = if cx.has(4) {
            cx.constant_ints(4)?
        } else {
            vec![1; begin.len()]
        };
        same_length(&[&begin, &end, &axes, &steps])?;
        cx.give(0, cx.input(0)?.slice(&axes, &begin, &end, &steps))
    }),
    row(
        "Crop",
        "x, size; axis = 2, offsets: from each offset, as many as `size` has there; one offset serves all axes",
        crop,
    ),
];

fn same_length(lists: &[&[i64]]) -> Result<(), Why> {
    let same = lists.iter().all(|list| list.len() == lists[0].len());
    if same {
        Ok(())
    } else {
        Err(Why::other("its lists have different lengths"))
    }
}

fn slice<'c>(cx: &'c Context<'c>, offsets: &[i64], sizes: &[i64]) -> Result<(), Why> {
    same_length(&[offsets, sizes])?;
    let ends = offsets.iter().zip(sizes).map(|(offset, size)| match size {
        -1 => i64::MAX,
        _ => offset.saturating_add(*size),
    });
    let ends: Vec<i64> = ends.collect();
    let axes: Vec<i64> = (0..offsets.len().cast_signed() as i64).collect();
    cx.give(
        0,
        cx.input(0)?
            .slice(&axes, offsets, &ends, &vec![1; offsets.len()]),
    )
}

/// Of `size` only the shape matters. Axes before `axis` stay whole.
fn crop<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let (from, to) = (cx.dims(0)?, cx.dims(1)?);
    if from.len() != to.len() {
        return Err(Why::other(format!("{from:?} cannot be cropped to {to:?}")));
    }
    let rank = cx.axes(0)?;
    let axis = cx.int_or("axis", 2)?;
    let first = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&first) {
        return Err(refused("axis", &axis, "an axis of x"));
    }
    // Public pages have both names for it.
    let offsets = cx.list_or("offsets", &cx.list_or("offset", &[0])?)?;
    let axes: Vec<i64> = (first..rank).collect();
    let offsets = match offsets[..] {
        [] => vec![0; axes.len()],
        [one] => vec![one; axes.len()],
        _ => offsets,
    };
    same_length(&[&axes, &offsets])?;
    let mut ends = Vec::new();
    for (axis, offset) in axes.iter().zip(&offsets) {
        let at = usize::try_from(*axis).unwrap_or(0);
        let end = offset.saturating_add(to[at]);
        if *offset < 0 || end > from[at] {
            return Err(Why::other(format!(
                "{} elements from {offset} on exceed axis {axis}, which has {}",
                to[at], from[at]
            )));
        }
        ends.push(end);
    }
    let ones = vec![1; axes.len()];
    cx.give(0, cx.input(0)?.slice(&axes, &offsets, &ends, &ones))
}

/// A slice as Python's brackets have it. Bit `i` of a mask is about place `i` between the brackets: begin or
/// end left out, `...`, a new axis, a single index whose axis is dropped.
fn strided<'c>(cx: &'c Context<'c>, begin: &[i64], end: &[i64], steps: &[i64]) -> Result<(), Why> {
    same_length(&[begin, end, steps])?;
    let mask = |name| cx.int_or(name, 0);
    let (begins, ends) = (mask("begin_mask")?, mask("end_mask")?);
    let (ellipsis, new, shrink) = (
        mask("ellipsis_mask")?,
        mask("new_axis_mask")?,
        mask("shrink_axis_mask")?,
    );
    let is = |mask: i64, place: usize| place < 64 && mask >> place & 1 == 1;
    let rank = cx.rank(0)?;
    let plain = (0..begin.len())
        .filter(|place| !is(new, *place) && !is(ellipsis, *place))
        .count();
    if plain > rank {
        return Err(Why::other(format!(
            "{plain} axes are sliced, but there are {rank}"
        )));
    }
    let (mut axes, mut from, mut to, mut by) = (vec![], vec![], vec![], vec![]);
    let (mut dropped, mut added) = (vec![], vec![]);
    let (mut axis, mut place_out) = (0_i64, 0_i64);
    for place in 0..begin.len() {
        if is(ellipsis, place) {
            let skipped = (rank - plain).cast_signed() as i64;
            axis += skipped;
            place_out += skipped;
            continue;
        }
        if is(new, place) {
            added.push(place_out);
            place_out += 1;
            continue;
        }
        let (start, stop, step) = (begin[place], end[place], steps[place]);
        axes.push(axis);
        if is(shrink, place) {
            from.push(start);
            to.push(if start == -1 {
                i64::MAX
            } else {
                start.saturating_add(1)
            });
            by.push(1);
            dropped.push(axis);
        } else {
            let (first, last) = if step < 0 {
                (i64::MAX, i64::MIN)
            } else {
                (0, i64::MAX)
            };
            from.push(if is(begins, place) { first } else { start });
            to.push(if is(ends, place) { last } else { stop });
            by.push(step);
            place_out += 1;
        }
        axis += 1;
    }
    let mut x = cx.input(0)?;
    if !axes.is_empty() {
        x = x.slice(&axes, &from, &to, &by);
    }
    if !dropped.is_empty() {
        x = x.squeeze(&dropped);
    }
    if !added.is_empty() {
        x = x.unsqueeze(&added);
    }
    cx.give(0, x)
}
