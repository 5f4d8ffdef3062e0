//! Truth values, and choices that they make.

use millpond_kernels::{Complex64, Element, map};

use super::elementwise::{as_bytes, finish};
use super::{broadcast, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{check_result, promote};
use crate::require;
use crate::tensor::Tensor;

/// Which of the four combinations of truth values give true: one bit for each, 2·a + b counted from the lowest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate(u8);

impl Gate {
    pub(crate) const AND: Self = Self(0b1000);
    pub(crate) const OR: Self = Self(0b1110);
    pub(crate) const XOR: Self = Self(0b0110);
}

/// A tensor's elements as bytes: zero where an element is zero.
fn truth(plan: &mut Plan, tensor: &Tensor) -> Value {
    let value = plan.input(tensor);
    match tensor.element() {
        Element::U8 => value,
        _ => plan.cast(&value, Element::Bool).reinterpret(Element::U8),
    }
}

/// Combines truth values; everything but zero is true.
pub(crate) fn combine(a: &Tensor, b: &Tensor, gate: Gate, out: &Tensor) -> Planned {
    expect_shape(out, &broadcast(&[a, b])?)?;
    let mut plan = Plan::new();
    let (x, y) = (truth(&mut plan, a), truth(&mut plan, b));
    finish(plan, out.element(), out, move |m, out| {
        map::map2::<u8, u8, u8>(&m.view(&x), &m.view(&y), &as_bytes(out), move |x, y| {
            (gate.0 >> (2 * u8::from(x != 0) + u8::from(y != 0))) & 1
        });
    })
}

/// 1 where an element is zero.
pub(crate) fn not(x: &Tensor, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let x = truth(&mut plan, x);
    finish(plan, out.element(), out, move |m, out| {
        map::map1::<u8, u8>(&m.view(&x), &as_bytes(out), |x| u8::from(x == 0));
    })
}

/// The elements of `a` where the condition holds, else those of `b`.
pub(crate) fn select(condition: &Tensor, a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    require!(
        matches!(condition.element(), Element::Bool | Element::U8),
        "'condition' has the type {}: it must be bool or uint8",
        condition.element().name()
    );
    expect_shape(out, &broadcast(&[condition, a, b])?)?;
    let element = promote(a.element(), b.element());
    check_result(element, out)?;
    let mut plan = Plan::new();
    let condition = truth(&mut plan, condition);
    let [yes, no] = [a, b].map(|tensor| {
        let value = plan.input(tensor);
        plan.cast(&value, element)
    });
    let target = plan.output(out);
    let result = if out.element() == element {
        target.clone()
    } else {
        plan.temp(element, &out.dims)
    };
    // Elements are moved as bits of their size.
    let [yes, no, into] = [&yes, &no, &result].map(bits);
    plan.step(move |memory| {
        let condition = memory.view(&condition);
        let [yes, no, out] = [&yes, &no, &into].map(|value| memory.view(value));
        macro_rules! choose {
            ($type:ty) => {
                map::map3::<u8, $type, $type, $type>(
                    &condition,
                    &yes,
                    &no,
                    &out,
                    |condition, yes, no| if condition != 0 { yes } else { no },
                )
            };
        }
        match out.element() {
            Element::U8 => choose!(u8),
            Element::U16 => choose!(u16),
            Element::U32 => choose!(u32),
            Element::U64 => choose!(u64),
            _ => choose!(Complex64),
        }
    });
    if out.element() != element {
        plan.copy(&result, &target);
    }
    plan.done()
}

/// The same elements as unsigned integers of their size, where there are such.
fn bits(value: &Value) -> Value {
    match value.element().bytes() {
        1 => value.reinterpret(Element::U8),
        2 => value.reinterpret(Element::U16),
        4 => value.reinterpret(Element::U32),
        8 => value.reinterpret(Element::U64),
        _ => value.clone(),
    }
}
