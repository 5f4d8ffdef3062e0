//! Operators that few programs use, and that have no family.

use super::scatter::{Reduction, scatter};
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row(
        "FillDiagonal",
        "x; fill_value, wrap = false: the number on the diagonal",
        fill_diagonal,
    ),
    row(
        "Histogram",
        "x; bins = 100, min = 0, max = 0: how many fall into each part; between the least and the greatest if both are equal",
        histogram,
    ),
    row(
        "UniqueConsecutive",
        "x; return_idx, return_counts = false, axis = 1000 (none): values without repetitions, where each element went, counts",
        unique_consecutive,
    ),
    row(
        "ShuffleChannel",
        "x; group: channels dealt out in turn",
        |cx| {
            let dims = cx.dims(0)?;
            let group = cx.int_or("group", 1)?;
            let [samples, channels, rest @ ..] = dims else {
                return Err(Why::other("it needs channels in its second dimension"));
            };
            if group < 1 || channels % group != 0 {
                return Err(refused("group", &group, "a divisor of the channels"));
            }
            let apart = [&[*samples, group, channels / group], rest].concat();
            let mut order: Vec<i64> = (0..apart.len().cast_signed() as i64).collect();
            order.swap(1, 2);
            let x = cx.input(0)?.reshape(&apart).transpose(&order);
            cx.give(0, x.reshape(dims))
        },
    ),
    row(
        "NPUGetFloatStatusV2",
        ": refused; aclrtGetOverflowStatus reads the overflow flag",
        no_flag,
    ),
    row(
        "NPUClearFloatStatusV2",
        ": refused; aclrtGetOverflowStatus reads the overflow flag",
        no_flag,
    ),
];

/// An answer of "no overflow" would hide every one of them.
fn no_flag<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.ignore(8);
    Err(Why::other(
        "the overflow flag is read and cleared by aclrtGetOverflowStatus and aclrtResetOverflowStatus, for streams with \
         aclrtSetStreamOverflowSwitch on; PyTorch checks for infinities unless INF_NAN_MODE_FORCE_DISABLE is set",
    ))
}

fn fill_diagonal<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let dims = cx.dims(0)?;
    let [rows, .., columns] = dims else {
        return Err(Why::other("it needs two dimensions or more"));
    };
    if dims.len() > 2 && dims.iter().any(|dim| dim != rows) {
        return Err(Why::other(format!(
            "{dims:?} has no diagonal: more than two dimensions must be equal"
        )));
    }
    let all: i64 = dims.iter().product();
    let step = dims[1..]
        .iter()
        .rev()
        .scan(1_i64, |stride, dim| {
            *stride = stride.saturating_mul(*dim);
            Some(*stride)
        })
        .sum::<i64>()
        .saturating_add(1);
    // A tall matrix has room for another diagonal below the first.
    let wrap = cx.flag_or("wrap", false)? && dims.len() == 2;
    let end = if wrap || rows <= columns {
        all
    } else {
        columns.saturating_mul(*columns)
    };
    let count = end.saturating_add(step - 1) / step;
    let x = cx.input(0)?;
    let value = cx.scalar(x.element(), cx.real("fill_value")?.into());
    let places = cx.int_of(count.min((*rows).max(*columns))).count_up() * cx.int_of(step);
    let values = value.expand_like(places);
    let written = scatter(x.flat(), &[places], values, Reduction::None, 1);
    cx.give(0, written.reshape(dims))
}

fn histogram<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let bins = cx.int_or("bins", 100)?;
    if !(1..1 << 31).contains(&bins) {
        return Err(refused("bins", &bins, "positive"));
    }
    let (low, high) = (cx.real_or("min", 0.0)?, cx.real_or("max", 0.0)?);
    let x = cx.number(0)?.flat();
    let x = if x.element().is_float() {
        x
    } else {
        x.cast(Element::F32)
    };
    let [low, high] = if low.to_bits() == high.to_bits() {
        let ends = ["ReduceMin", "ReduceMax"].map(|op| x.reduce_all(op));
        // A range of no width is one of two around it.
        let apart = ends[0].equal(ends[1]).cast(x.element());
        [ends[0] - apart, ends[1] + apart]
    } else if low < high {
        [x.like(low), x.like(high)]
    } else {
        return Err(refused("max", &high, "not below `min`"));
    };
    let count = cx.int_of(bins);
    let place = ((x - low) * count.cast(x.element()) / (high - low)).floor();
    let inside = x.greater_equal(low).and(x.less_equal(high));
    // The greatest belongs to the last part.
    let place = place.where_true(inside).cast(Element::I64);
    let place = place.min(count - 1.0);
    let zeros = cx.scalar(Element::I64, 0.0).expand(&[bins]);
    let found = scatter(
        zeros,
        &[place],
        inside.cast(Element::I64),
        Reduction::Add,
        1,
    );
    cx.give(0, found)
}

fn unique_consecutive<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    // The vendor's number for "all elements in a row".
    const NONE: i64 = 1000;
    let axis = cx.int_or("axis", NONE)?;
    if axis != NONE && cx.rank(0)? != 1 {
        return Err(refused(
            "axis",
            &axis,
            "left out for more than one dimension",
        ));
    }
    cx.depends_on_data();
    let x = cx.input(0)?.flat();
    let (first, after) = (x.part(0, 0, 1), x.part(0, 1, i64::MAX));
    let differs = after.equal(x.part(0, 0, -1)).not();
    let begins = cx.scalar(Element::Bool, 1.0).expand_like(first);
    let begins = Val::concat(0, &[begins, differs]);
    cx.give(0, x.apply("Compress", &[begins], &[("axis", 0_i64.into())]))?;
    if cx.flag_or("return_idx", false)? {
        let so_far = begins.cast(Element::I64);
        let so_far = so_far.apply("CumSum", &[cx.int_of(0)], &[]) - 1.0;
        cx.give(1, so_far.reshape_like(cx.input(0)?))?;
    }
    if cx.flag_or("return_counts", false)? {
        let starts = cx.raw("NonZero", &[Some(begins)], &[], &[Element::I64])[0].flat();
        let ends = Val::concat(0, &[starts.part(0, 1, i64::MAX), x.length(0).reshape(&[1])]);
        // Of nothing there are no counts, although it has an end.
        cx.give(
            2,
            ends.part(0, 0, i64::MAX)
                .gather(starts.length(0).count_up(), 0)
                - starts,
        )?;
    }
    Ok(())
}
