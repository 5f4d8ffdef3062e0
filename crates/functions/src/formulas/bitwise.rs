//! Integers as bits.

use millpond_kernels::{Element, map};

use super::elementwise::{Pair, Side, as_bytes, expect_kind, one, zip};
use crate::plan::Planned;
use crate::promote::{Category, check_result};
use crate::tensor::Tensor;

/// What becomes of two bits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gate {
    And,
    Or,
    Xor,
}

/// Combines integers bit by bit, and truth values.
pub(crate) fn combine(a: Side<'_>, b: Side<'_>, gate: Gate, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Int)?;
    pair.step(element, out, move |a, b, out| {
        if element == Element::Bool {
            let f: fn(u8, u8) -> u8 = match gate {
                Gate::And => |x, y| x & y,
                Gate::Or => |x, y| x | y,
                Gate::Xor => |x, y| x ^ y,
            };
            return zip::<u8, u8>(a, b, &as_bytes(out), f);
        }
        match gate {
            Gate::And => zip::<i64, i64>(a, b, out, |x, y| x & y),
            Gate::Or => zip::<i64, i64>(a, b, out, |x, y| x | y),
            Gate::Xor => zip::<i64, i64>(a, b, out, |x, y| x ^ y),
        }
    })
}

/// Inverts all bits, and truth values.
pub(crate) fn not(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Int)?;
    if element == Element::Bool {
        return super::logic::not(x, out);
    }
    one(x, element, out, |x, out| {
        map::map1::<i64, i64>(x, out, |x| !x);
    })
}

fn width(element: Element) -> i64 {
    i64::try_from(element.bytes() * 8).unwrap_or(64)
}

/// Shifts to the left; distances outside of the type's width give 0.
pub(crate) fn left_shift(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    let pair = Pair::of(a.into(), b.into(), out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Int)?;
    let width = width(element);
    pair.step(element, out, move |a, b, out| {
        zip::<i64, i64>(
            a,
            b,
            out,
            |x, y| {
                if (0..width).contains(&y) { x << y } else { 0 }
            },
        );
    })
}

/// Shifts to the right and keeps the sign; distances outside of the type's width count as the width.
pub(crate) fn right_shift(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    let pair = Pair::of(a.into(), b.into(), out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Int)?;
    let width = width(element);
    pair.step(element, out, move |a, b, out| {
        if element == Element::U64 {
            zip::<u64, u64>(a, b, out, |x, y| if y < 64 { x >> y } else { 0 });
        } else {
            zip::<i64, i64>(a, b, out, move |x, y| {
                x >> if (0..width).contains(&y) { y } else { 63 }
            });
        }
    })
}

/// The greatest common divisor.
pub(crate) fn gcd(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    let pair = Pair::of(a.into(), b.into(), out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Int)?;
    pair.step(element, out, move |a, b, out| {
        if element == Element::U64 {
            zip::<u64, u64>(a, b, out, common_divisor);
        } else {
            zip::<i64, i64>(a, b, out, |x, y| {
                common_divisor(x.unsigned_abs(), y.unsigned_abs()).cast_signed()
            });
        }
    })
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
