//! Comparisons, truth values, bits, and choices by them.

use super::{Row, row};
use crate::context::Context;
use crate::flow::Val;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row("Equal", "x1, x2: bool", |cx| pair(cx, Val::equal)),
    row("NotEqual", "x1, x2: bool", |cx| {
        pair(cx, |a, b| a.equal(b).not())
    }),
    row("Less", "x1, x2: bool", |cx| pair(cx, Val::less)),
    row("LessEqual", "x1, x2: bool", |cx| pair(cx, Val::less_equal)),
    row("Greater", "x1, x2: bool", |cx| pair(cx, Val::greater)),
    row("GreaterEqual", "x1, x2: bool", |cx| {
        pair(cx, Val::greater_equal)
    }),
    row("ApproximateEqual", "x1, x2; tolerance = 1e-5: bool", |cx| {
        let tolerance = cx.real_or("tolerance", 1e-5)?;
        pair(cx, |a, b| (a - b).abs().below(tolerance))
    }),
    row(
        "IsClose",
        "x1, x2; rtol = 1e-5, atol = 1e-8, equal_nan = false: bool",
        is_close,
    ),
    row(
        "TensorEqual",
        "x1, x2: one bool, whether all are equal",
        |cx| {
            let same = cx.number(0)?.equal(cx.number(1)?).cast(Element::I32);
            let all = same.reduce_all("ReduceMin").cast(Element::Bool);
            cx.give_scalar(0, all)
        },
    ),
    row("IsNan", "x: bool", |cx| {
        test(cx, |x| is_special(x, "IsNaN"))
    }),
    row("IsInf", "x: bool", |cx| {
        test(cx, |x| is_special(x, "IsInf"))
    }),
    row("IsFinite", "x: bool", |cx| {
        test(cx, |x| {
            is_special(x, "IsNaN").or(is_special(x, "IsInf")).not()
        })
    }),
    row("LogicalAnd", "x1, x2: bool", |cx| logic(cx, Val::and)),
    row("LogicalOr", "x1, x2: bool", |cx| logic(cx, Val::or)),
    row("LogicalXor", "x1, x2: bool", |cx| {
        logic(cx, |a, b| a.equal(b).not())
    }),
    row("LogicalNot", "x: bool", |cx| cx.give(0, cx.bool(0)?.not())),
    row("BitwiseAnd", "x1, x2: integers", |cx| {
        bits(cx, "BitwiseAnd")
    }),
    row("BitwiseOr", "x1, x2: integers", |cx| bits(cx, "BitwiseOr")),
    row("BitwiseXor", "x1, x2: integers", |cx| {
        bits(cx, "BitwiseXor")
    }),
    row("Invert", "x: integers", |cx| {
        cx.give(0, integer(cx, 0)?.unary("BitwiseNot"))
    }),
    row("LeftShift", "x, y: x << y", |cx| {
        let [x, y] = [cx.indices(0)?, cx.indices(1)?].map(|it| it.cast(Element::U64));
        cx.give(0, shift(x, y, "LEFT"))
    }),
    row("RightShift", "x, y: x >> y, with the sign", right_shift),
    row(
        "Select",
        "condition, x1, x2: x1 where it is true, x2 elsewhere",
        select,
    ),
    row(
        "SelectV2",
        "condition, x1, x2: x1 where it is true, x2 elsewhere",
        select,
    ),
    row(
        "MaskedFill",
        "x, mask, value: value where the mask is true",
        |cx| {
            let [x, mask] = [cx.number(0)?, cx.bool(1)?];
            let value = cx.number(2)?.cast(x.element());
            cx.give(0, mask.choose(value.reshape(&[]), x))
        },
    ),
    row(
        "NanToNum",
        "x; nan = 0, posinf, neginf: numbers in place of these",
        nan_to_num,
    ),
    row("ClipByValue", "x, min, max: x between them", clip),
    row("ClipByValueV2", "x, min, max: x between them", clip),
];

fn pair<'c>(cx: &'c Context<'c>, formula: impl Fn(Val<'c>, Val<'c>) -> Val<'c>) -> Result<(), Why> {
    cx.give(0, formula(cx.number(0)?, cx.number(1)?))
}

fn logic<'c>(
    cx: &'c Context<'c>,
    formula: impl Fn(Val<'c>, Val<'c>) -> Val<'c>,
) -> Result<(), Why> {
    cx.give(0, formula(cx.bool(0)?, cx.bool(1)?))
}

fn test<'c>(cx: &'c Context<'c>, formula: impl Fn(Val<'c>) -> Val<'c>) -> Result<(), Why> {
    cx.give(0, formula(cx.float(0)?))
}

fn is_special<'c>(x: Val<'c>, op: &str) -> Val<'c> {
    x.cx().raw(op, &[Some(x)], &[], &[Element::Bool])[0]
}

fn is_close<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [a, b] = [cx.float(0)?, cx.float(1)?];
    let rtol = cx.real_or("rtol", 1e-5)?;
    let atol = cx.real_or("atol", 1e-8)?;
    let near = (a - b).abs().less_equal(b.abs() * rtol + atol);
    // The difference of infinities is not a number, and near nothing; against a number the bound is infinite.
    let finite = is_special(b, "IsInf").not();
    let mut close = near.and(finite).or(a.equal(b));
    if cx.flag_or("equal_nan", false)? {
        close = close.or(is_special(a, "IsNaN").and(is_special(b, "IsNaN")));
    }
    cx.give(0, close)
}

/// An input of integers, or bools as 0 and 1.
fn integer<'c>(cx: &'c Context<'c>, index: usize) -> Result<Val<'c>, Why> {
    let x = cx.input(index)?;
    let element = x.element();
    if element.is_float() {
        let wants = "an integer type";
        return Err(Why::Element {
            index,
            element,
            wants,
        });
    }
    let is_bool = element == Element::Bool;
    Ok(if is_bool { x.cast(Element::I32) } else { x })
}

fn bits<'c>(cx: &'c Context<'c>, op: &str) -> Result<(), Why> {
    let [a, b] = [integer(cx, 0)?, integer(cx, 1)?];
    cx.give(0, a.apply(op, &[b.cast(a.element())], &[]))
}

fn shift<'c>(x: Val<'c>, y: Val<'c>, direction: &str) -> Val<'c> {
    x.apply(
        "BitShift",
        &[y],
        &[("direction", Attribute::from(direction))],
    )
}

/// The engine shifts unsigned numbers only; a negative one is shifted as its complement.
fn right_shift<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let unsigned = cx.element(0)? == Element::U64;
    let [x, y] = [cx.indices(0)?, cx.indices(1)?.cast(Element::U64)];
    let negative = x.below(0.0);
    let whole = if unsigned {
        x
    } else {
        negative.choose(x.unary("BitwiseNot"), x)
    };
    let moved = shift(whole.cast(Element::U64), y, "RIGHT").cast(Element::I64);
    let signed = negative.choose(moved.unary("BitwiseNot"), moved);
    cx.give(0, if unsigned { moved } else { signed })
}

fn select<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [yes, no] = [cx.input(1)?, cx.input(2)?];
    let mut condition = cx.bool(0)?;
    // A row of conditions chooses whole rows in the older form.
    let (ranks, inner) = (cx.rank(0)?, cx.rank(1)?);
    if ranks == 1 && inner > 1 && cx.dims(0)?.first() == cx.dims(1)?.first() {
        condition = condition.along(0, inner);
    }
    cx.give(0, condition.choose(yes, no))
}

fn nan_to_num<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let (least, greatest) = match cx.element(0)? {
        Element::F16 => (-65504.0, 65504.0),
        _ => (f32::MIN, f32::MAX),
    };
    let x = cx.float(0)?;
    let nan = cx.real_or("nan", 0.0)?;
    let above = cx.real_or("posinf", greatest)?;
    let below = cx.real_or("neginf", least)?;
    let x = is_special(x, "IsNaN").choose(x.like(nan), x);
    let x = x.is(f32::INFINITY).choose(x.like(above), x);
    cx.give(0, x.is(f32::NEG_INFINITY).choose(x.like(below), x))
}

/// Bounds may be numbers or tensors; where they cross, the upper one counts.
fn clip<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let x = cx.number(0)?;
    let [low, high] = [cx.number(1)?, cx.number(2)?].map(|it| it.cast(x.element()));
    cx.give(0, x.max(low).min(high))
}
