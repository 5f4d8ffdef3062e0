//! Order: sorting, extremes with their places, running sums.

use super::{Row, row};
use crate::context::Context;
use crate::flow::Val;
use crate::kernels::carrier;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "Sort",
        "x; axis = -1, descending = false: values, indices",
        sort,
    ),
    row("SortV2", "x; axis = -1, descending = false: values", |cx| {
        sort(cx)
    }),
    row(
        "TopK",
        "x, k; dim = -1, largest, sorted = true: values, indices",
        |cx| {
            let count = cx.constant_int(1)?;
            top(cx, count)
        },
    ),
    row(
        "TopKV2",
        "x, k; dim = -1, largest, sorted = true: values, indices",
        |cx| {
            let count = cx.constant_int(1)?;
            top(cx, count)
        },
    ),
    row(
        "TopKD",
        "x, assist; k, dim = -1, largest, sorted = true: values, indices",
        |cx| {
            cx.ignore(1);
            top(cx, cx.int("k")?)
        },
    ),
    row("ArgMaxV2", "x, dimension; keep_dims = false", |cx| {
        by_input(cx, "ArgMax")
    }),
    row("ArgMax", "x, dimension; keep_dims = false", |cx| {
        by_input(cx, "ArgMax")
    }),
    row("ArgMin", "x, dimension; keep_dims = false", |cx| {
        by_input(cx, "ArgMin")
    }),
    row("ArgMaxD", "x; dimension, keep_dims = false", |cx| {
        let keep = cx.flag_or("keep_dims", false)?;
        cx.give(
            0,
            place(cx.number(0)?, "ArgMax", cx.int("dimension")?, keep),
        )
    }),
    row(
        "ArgMaxWithValue",
        "x; dimension, keep_dims = false: indices, values",
        |cx| both(cx, "ArgMax", "ReduceMax"),
    ),
    row(
        "ArgMinWithValue",
        "x; dimension, keep_dims = false: indices, values",
        |cx| both(cx, "ArgMin", "ReduceMin"),
    ),
    row("Cumsum", "x, axis; exclusive, reverse = false", |cx| {
        let axis = cx.constant_int(1)?;
        sum(cx, axis)
    }),
    row("CumsumD", "x; axis, exclusive, reverse = false", |cx| {
        sum(cx, cx.int("axis")?)
    }),
    row("Cumprod", "x, axis; exclusive, reverse = false", |cx| {
        let axis = cx.constant_int(1)?;
        product(cx, axis)
    }),
    row("CumprodD", "x; axis, exclusive, reverse = false", |cx| {
        product(cx, cx.int("axis")?)
    }),
    row("Cummax", "x; dim: values, indices", |cx| {
        extreme(cx, Val::greater_equal)
    }),
    row("Cummin", "x; axis or dim: values, indices", |cx| {
        extreme(cx, Val::less_equal)
    }),
    row(
        "SearchSorted",
        "sorted_sequence, values; right = false: how many come before",
        |cx| {
            let right = cx.flag_or("right", false)?;
            let sequence = cx.number(0)?;
            let values = cx.number(1)?.cast(sequence.element()).unsqueeze(&[-1]);
            let sequence = if cx.rank(0)? > 1 {
                sequence.unsqueeze(&[-2])
            } else {
                sequence
            };
            let before = if right {
                sequence.less_equal(values)
            } else {
                sequence.less(values)
            };
            // What is not a number is sorted last, so everything comes before it.
            let before = before.or(values.equal(values).not());
            cx.give(0, before.cast(Element::I64).sum(&[-1]))
        },
    ),
    row(
        "Bucketize",
        "x; boundaries, right = true: how many boundaries come before",
        |cx| {
            let right = cx.flag_or("right", true)?;
            let boundaries = cx.reals_or("boundaries", &[])?;
            let count = boundaries.len().cast_signed() as i64;
            let values = cx.number(0)?.cast(Element::F32).unsqueeze(&[-1]);
            let boundaries = cx.reals_of(&[count], &boundaries);
            // In this operator, too, `right` says on which side an equal one falls.
            let before = if right {
                boundaries.less_equal(values)
            } else {
                boundaries.less(values)
            };
            let before = before.or(values.equal(values).not());
            cx.give(0, before.cast(Element::I64).sum(&[-1]))
        },
    ),
];

/// The greatest or least `count` along an axis, and where they were.
pub(super) fn top_k<'c>(
    x: Val<'c>,
    count: Val<'c>,
    axis: i64,
    largest: bool,
) -> (Val<'c>, Val<'c>) {
    let carrier = carrier("TopK", x.element());
    let attributes = [("axis", Attribute::from(axis)), ("largest", largest.into())];
    let inputs = [Some(x.cast(carrier)), Some(count.reshape(&[1]))];
    let made = x
        .cx()
        .raw("TopK", &inputs, &attributes, &[carrier, Element::I64]);
    (made[0].cast(x.element()), made[1])
}

fn give_sorted<'c>(cx: &'c Context<'c>, (values, indices): (Val<'c>, Val<'c>)) -> Result<(), Why> {
    cx.give(0, values)?;
    cx.give(1, indices)
}

fn sort<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let (axis, descending) = (cx.int_or("axis", -1)?, cx.flag_or("descending", false)?);
    let x = cx.number(0)?;
    give_sorted(cx, top_k(x, x.length(axis), axis, descending))
}

fn top<'c>(cx: &'c Context<'c>, count: i64) -> Result<(), Why> {
    let (axis, largest) = (cx.int_or("dim", -1)?, cx.flag_or("largest", true)?);
    give_sorted(cx, top_k(cx.number(0)?, cx.int_of(count), axis, largest))
}

/// Where the greatest or least one along an axis is; the first of equal ones, and before all the first that is not a number.
pub(super) fn place<'c>(x: Val<'c>, op: &str, axis: i64, keep: bool) -> Val<'c> {
    let carrier = carrier(op, x.element());
    let attributes = [("axis", Attribute::from(axis)), ("keepdims", keep.into())];
    let found = x
        .cx()
        .raw(op, &[Some(x.cast(carrier))], &attributes, &[Element::I64])[0];
    if !x.element().is_float() {
        return found;
    }
    let lost = x.no_number();
    let first = x
        .cx()
        .raw("ArgMax", &[Some(lost)], &attributes, &[Element::I64])[0];
    let any = lost.reduce("ReduceMax", &[axis], keep).above(0.0);
    any.choose(first, found)
}

fn by_input<'c>(cx: &'c Context<'c>, op: &str) -> Result<(), Why> {
    let axis = cx.constant_int(1)?;
    let keep = cx.flag_or("keep_dims", false)?;
    cx.give(0, place(cx.number(0)?, op, axis, keep))
}

fn both<'c>(cx: &'c Context<'c>, op: &str, reduction: &str) -> Result<(), Why> {
    let (axis, keep) = (cx.int("dimension")?, cx.flag_or("keep_dims", false)?);
    let x = cx.number(0)?;
    cx.give(0, place(x, op, axis, keep))?;
    cx.give(1, x.extreme(reduction, &[axis], keep))
}

fn sum<'c>(cx: &'c Context<'c>, axis: i64) -> Result<(), Why> {
    let attributes = [
        (
            "exclusive",
            Attribute::from(cx.flag_or("exclusive", false)?),
        ),
        ("reverse", cx.flag_or("reverse", false)?.into()),
    ];
    let x = cx.number(0)?;
    cx.give(0, x.apply("CumSum", &[cx.int_of(axis)], &attributes))
}

/// The shape of a tensor without one axis, as it is when the graph runs.
fn shape_without(x: Val<'_>, axis: i64, rank: i64) -> Val<'_> {
    let axis = if axis < 0 { axis + rank } else { axis };
    let others: Vec<i64> = (0..rank).filter(|other| *other != axis).collect();
    x.shape().gather(x.cx().list_of(&others), 0)
}

/// A loop along an axis: states that change, and one output for each step.
fn scan<'c>(
    cx: &'c Context<'c>,
    states: &[Val<'c>],
    x: Val<'c>,
    axis: i64,
    reverse: bool,
    step: impl FnOnce(&[Val<'c>]) -> Vec<Val<'c>>,
    results: &[Element],
) -> Vec<Val<'c>> {
    let inner: Vec<Element> = states
        .iter()
        .chain([&x])
        .map(|value| value.element())
        .collect();
    let body = cx.body(&inner, step);
    let count = results.len();
    let attributes = [
        ("body", Attribute::from(body)),
        ("num_scan_inputs", 1_i64.into()),
        ("scan_input_axes", vec![axis].into()),
        ("scan_input_directions", vec![i64::from(reverse)].into()),
        ("scan_output_axes", vec![axis; count].into()),
        (
            "scan_output_directions",
            vec![i64::from(reverse); count].into(),
        ),
    ];
    let inputs: Vec<Option<Val>> = states
        .iter()
        .chain([&x])
        .map(|value| Some(*value))
        .collect();
    let mut elements: Vec<Element> = states.iter().map(|state| state.element()).collect();
    elements.extend(results);
    cx.raw("Scan", &inputs, &attributes, &elements)
        .split_off(states.len())
}

fn product<'c>(cx: &'c Context<'c>, axis: i64) -> Result<(), Why> {
    let (exclusive, reverse) = (
        cx.flag_or("exclusive", false)?,
        cx.flag_or("reverse", false)?,
    );
    let x = cx.number(0)?;
    let one = x.like(1.0).expand_to(shape_without(x, axis, cx.axes(0)?));
    let step = |values: &[Val<'c>]| {
        let [so_far, next] = [values[0], values[1]];
        let product = so_far * next;
        vec![product, if exclusive { so_far } else { product }]
    };
    let made = scan(cx, &[one], x, axis, reverse, step, &[x.element()]);
    cx.give(0, made[0])
}

/// The greatest or least so far and where it is; of equal ones the last.
fn extreme<'c>(
    cx: &'c Context<'c>,
    beats: impl Fn(Val<'c>, Val<'c>) -> Val<'c>,
) -> Result<(), Why> {
    let axis = cx.optional_int("dim")?.map_or_else(|| cx.int("axis"), Ok)?;
    let x = cx.number(0)?;
    let shape = shape_without(x, axis, cx.axes(0)?);
    let start = x.pick(axis, 0);
    let (here, best) = (cx.int_of(0), cx.int_of(0).expand_to(shape));
    let step = |values: &[Val<'c>]| {
        let [value, place, here, next] = [values[0], values[1], values[2], values[3]];
        let wins = beats(next, value);
        let value = wins.choose(next, value);
        let place = wins.choose(here, place);
        vec![value, place, here + 1.0, value, place]
    };
    let made = scan(
        cx,
        &[start, best, here],
        x,
        axis,
        false,
        step,
        &[x.element(), Element::I64],
    );
    give_sorted(cx, (made[0], made[1]))
}
