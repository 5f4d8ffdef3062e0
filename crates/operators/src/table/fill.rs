//! Tensors that are made from nothing or from a few numbers.

use super::{Row, row};
use crate::context::Context;
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row("ZerosLike", "x: zeros in its shape", |cx| like(cx, 0.0)),
    row("OnesLike", "x: ones in its shape", |cx| like(cx, 1.0)),
    row("Fill", "dims, value: the value everywhere", |cx| {
        cx.ignore(0);
        fill(cx, cx.input(1)?)
    }),
    row("FillD", "value; dims: the value everywhere", |cx| {
        fill(cx, cx.input(0)?)
    }),
    row("FillV2D", "; value = 0, dims: the value everywhere", |cx| {
        let value = cx.real_or("value", 0.0)?;
        fill(cx, cx.scalar(cx.output_element(0)?, value.into()))
    }),
    row(
        "Eye",
        "; num_rows, num_columns, batch_shape, dtype: ones on the diagonal",
        |cx| {
            let dims = cx.output_dims(0)?;
            let [.., rows, columns] = dims else {
                return Err(Why::other("its output must have two dimensions or more"));
            };
            let rows = cx.int_of(*rows).count_up().unsqueeze(&[1]);
            let same = rows.equal(cx.int_of(*columns).count_up());
            let ones = same.cast(computed(cx)?);
            cx.give(0, ones.expand(dims))
        },
    ),
    row(
        "Range",
        "start, limit, delta: from start in steps of delta",
        |cx| {
            cx.ignore(1);
            let element = computed(cx)?;
            let [start, delta] =
                [cx.input(0)?, cx.input(2)?].map(|it| it.cast(element).reshape(&[]));
            cx.give(0, steps(cx)?.cast(element) * delta + start)
        },
    ),
    row(
        "RangeD",
        "x; start, limit, delta: from start in steps of delta",
        |cx| {
            cx.ignore(0);
            let (start, delta) = (cx.real("start")?, cx.real("delta")?);
            let element = computed(cx)?;
            cx.give(0, steps(cx)?.cast(element) * delta + start)
        },
    ),
    row(
        "LinSpace",
        "start, stop, num: evenly from start to stop",
        |cx| {
            cx.ignore(2);
            let [start, stop] = [cx.float(0)?, cx.float(1)?].map(|it| it.reshape(&[]));
            let count = cx.output_dims(0)?.first().copied().unwrap_or(1);
            let last = cx.int_of((count - 1).max(1)).cast(start.element());
            let step = (stop - start) / last;
            let at = steps(cx)?.cast(start.element());
            let end = cx.int_of(count - 1).cast(start.element());
            // From both ends, so that the last one is exactly `stop`.
            let first_half = at.less(end * 0.5);
            let only = cx.int_of(count).is(1.0);
            let value = first_half.choose(start + step * at, stop - step * (end - at));
            cx.give(0, only.choose(start, value))
        },
    ),
    row(
        "LogSpaceD",
        "x; start, end, steps, base = 10, dtype: powers of the base, evenly in their exponents",
        |cx| {
            cx.ignore(0);
            let (start, end) = (cx.real("start")?, cx.real("end")?);
            let base = cx.real_or("base", 10.0)?;
            let count = cx.output_dims(0)?.first().copied().unwrap_or(1);
            #[allow(clippy::cast_precision_loss, reason = "as many as a tensor has")]
            let step = (f64::from(end) - f64::from(start)) / (count - 1).max(1) as f64;
            let at = steps(cx)?.cast(Element::F64);
            let at = at * cx.scalar(Element::F64, step) + start;
            cx.give(0, cx.scalar(Element::F64, base.into()).pow(at))
        },
    ),
    row(
        "OneHot",
        "x, depth, on, off; axis = -1: on where the index is x",
        |cx| {
            let depth = cx.constant_int(1)?;
            one_hot(cx, depth, 2)
        },
    ),
    row(
        "OneHotD",
        "x, on, off; depth, axis = -1: on where the index is x",
        |cx| one_hot(cx, cx.int("depth")?, 1),
    ),
    row("Tril", "x; diagonal = 0: the lower triangle", |cx| {
        triangle(cx, false)
    }),
    row("Triu", "x; diagonal = 0: the upper triangle", |cx| {
        triangle(cx, true)
    }),
    row("Diag", "x: [n]: a matrix with x on its diagonal", |cx| {
        cx.needs_rank(0, |rank| rank == 1, "1")?;
        let x = cx.input(0)?;
        let places = x.length(0).count_up();
        let on = places.unsqueeze(&[1]).equal(places);
        let zero = cx.scalar(x.element(), 0.0);
        cx.give(0, on.choose(x, zero))
    }),
    row("DiagPart", "x: [n, n]: its diagonal", |cx| {
        cx.needs_rank(0, |rank| rank == 2, "2")?;
        let x = cx.input(0)?;
        let places = x.length(0).count_up().unsqueeze(&[1]);
        let pairs = Val::concat(1, &[places, places]);
        cx.give(0, x.apply("GatherND", &[pairs], &[]))
    }),
    row("Trace", "x: [n, n]: the sum of its diagonal", |cx| {
        cx.needs_rank(0, |rank| rank == 2, "2")?;
        let x = cx.number(0)?;
        let rows = x.length(0).count_up().unsqueeze(&[1]);
        let on = rows.equal(x.length(1).count_up());
        cx.give_scalar(0, x.where_true(on).total())
    }),
];

/// The type in which numbers for an output are made.
fn computed<'c>(cx: &'c Context<'c>) -> Result<Element, Why> {
    Ok(match cx.output_element(0)? {
        Element::F16 | Element::BF16 => Element::F32,
        other => other,
    })
}

/// The input may be the output's own memory, not written yet: only its shape is looked at.
fn like<'c>(cx: &'c Context<'c>, value: f32) -> Result<(), Why> {
    cx.give(0, cx.input(0)?.filled(value))
}

/// The shape is the output's: a single number may come with dims of [1].
fn fill<'c>(cx: &'c Context<'c>, value: Val<'c>) -> Result<(), Why> {
    let dims = cx.output_dims(0)?;
    let value = value.cast(cx.output_element(0)?).reshape(&[]);
    cx.give(0, value.expand(dims))
}

/// 0, 1, 2... as many as the output has.
fn steps<'c>(cx: &'c Context<'c>) -> Result<Val<'c>, Why> {
    let count = cx.output_dims(0)?.iter().product();
    Ok(cx.int_of(count).count_up())
}

fn one_hot<'c>(cx: &'c Context<'c>, depth: i64, values: usize) -> Result<(), Why> {
    let x = cx.indices(0)?;
    let [on, off] = [cx.input(values)?, cx.input(values + 1)?].map(|it| it.reshape(&[]));
    let axis = cx.int_or("axis", -1)?;
    let rank = cx.rank(0)? + 1;
    let place = usize::try_from(axis).unwrap_or(rank - 1);
    if place >= rank {
        let wants = "an axis of the output";
        return Err(crate::context::refused("axis", &axis, wants));
    }
    let depths = cx.int_of(depth).count_up().along(place, rank);
    let hot = x.unsqueeze(&[place.cast_signed() as i64]).equal(depths);
    cx.give(0, hot.choose(on, off))
}

fn triangle<'c>(cx: &'c Context<'c>, upper: bool) -> Result<(), Why> {
    cx.needs_rank(0, |rank| rank >= 2, "2 or more")?;
    let diagonal = cx.int_of(cx.int_or("diagonal", 0)?);
    let x = cx.input(0)?;
    cx.give(0, x.apply("Trilu", &[diagonal], &[("upper", upper.into())]))
}
