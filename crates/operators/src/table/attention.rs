//! What transformers use besides products and softmax: positions as rotations.

use super::{Row, row};
use crate::Why;
use crate::context::refused;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "RotaryMul",
        "x, cos, sin: x cos + turned x sin, in halves",
        |cx| {
            let [x, cos, sin] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
            cx.give(0, x * cos + halves_turned(x) * sin)
        },
    ),
    row(
        "RotaryMulGrad",
        "x, cos, sin, dy: dx, and the products that sum up to dcos and dsin",
        |cx| {
            let [x, cos, sin, dy] = [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(3)?];
            // Turning back is turning with the other sign.
            cx.give(0, dy * cos - halves_turned(dy * sin))?;
            let (rank, dims) = (cx.axes(0)?, cx.dims(1)?);
            // Summed over every axis along which one angle served many.
            let whole = cx.dims(0)?;
            if dims.len() != whole.len() {
                return Err(Why::Rank {
                    index: 1,
                    has: dims.len(),
                    wants: "as many as x has",
                });
            }
            let repeated = (0..rank)
                .zip(dims.iter().zip(whole))
                .filter(|(_, (one, all))| one != all);
            let axes: Vec<i64> = repeated.map(|(axis, _)| axis).collect();
            cx.give(1, (dy * x).sum_kept(&axes))?;
            cx.give(2, (dy * halves_turned(x)).sum_kept(&axes))
        },
    ),
    row(
        "RotaryPositionEmbedding",
        "x, cos, sin; mode = 0: halves, or 1: neighbours",
        |cx| {
            let [x, cos, sin] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
            let turned = match cx.int_or("mode", 0)? {
                0 => halves_turned(x),
                1 => neighbours_turned(x),
                other => return Err(refused("mode", &other, "0 or 1")),
            };
            cx.give(0, x * cos + turned * sin)
        },
    ),
    row(
        "ApplyRotaryPosEmb",
        "query, key, cos, sin; layout = 1: both turned",
        |cx| {
            let [cos, sin] = [cx.float(2)?, cx.float(3)?];
            for index in [0, 1] {
                let x = cx.float(index)?;
                cx.give(index, x * cos + halves_turned(x) * sin)?;
            }
            if cx.outputs() < 2 {
                Err(Why::MissingOutput(1))
            } else {
                Ok(())
            }
        },
    ),
];

/// A quarter turn of the pairs that the two halves of the last axis make.
fn halves_turned(x: Val<'_>) -> Val<'_> {
    let halves = x.split_evenly(-1, 2);
    Val::concat(-1, &[-halves[1], halves[0]])
}

/// A quarter turn of the pairs that neighbours make.
fn neighbours_turned(x: Val<'_>) -> Val<'_> {
    let step = |first: i64| x.slice(&[-1], &[first], &[i64::MAX], &[2]).unsqueeze(&[-1]);
    Val::concat(-1, &[-step(1), step(0)]).reshape_like(x)
}
