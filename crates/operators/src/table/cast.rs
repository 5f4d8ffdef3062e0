//! Other types for the same numbers, and copies.

use super::{Row, row};
use crate::Why;
use crate::context::Context;

pub(super) const ROWS: &[Row] = &[
    row(
        "Cast",
        "x; dst_type: the same numbers in the type of the output",
        |cx| {
            let to = cx.type_of("dst_type")?;
            let x = cx.input(0)?;
            cx.give(0, to.map_or(x, |to| x.cast(to)))
        },
    ),
    row("Identity", "x: a copy", copy),
    row("TensorMove", "x: a copy", copy),
    row("StopGradient", "x: a copy", copy),
    row("Assign", "ref, value: the value", |cx| {
        cx.ignore(0);
        cx.give(0, cx.input(1)?)
    }),
    row("AssignAdd", "ref, value: their sum", |cx| {
        cx.give(0, cx.number(0)? + cx.number(1)?)
    }),
    row("AssignSub", "ref, value: their difference", |cx| {
        cx.give(0, cx.number(0)? - cx.number(1)?)
    }),
];

fn copy<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.give(0, cx.input(0)?)
}
