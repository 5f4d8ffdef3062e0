//! The same function of every member of a list.
//!
//! Numbers come by value, or are in device memory; then the steps read them. Integers are computed in `i64` and wrap when they
//! are stored.

use std::sync::atomic::{AtomicBool, Ordering};

use millpond_kernels::{Compute, Element, Float, map, read_block};

use super::expect_shape;
use super::statistics::add_norm;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::promote::{
    Category, as_float, category, check_result, is_complex, promote, with_scalar,
};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// Runs an expression with a type standing for the one that members of a list are computed in.
macro_rules! few {
    ($element:expr, $type:ident => $body:expr) => {
        match category($element) {
            Category::Bool | Category::Int => {
                type $type = i64;
                $body
            }
            _ => millpond_kernels::floats!($element, $type => $body),
        }
    };
}

/// A list of numbers.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// The same for all members.
    One(&'a Scalar),
    /// One for each member.
    Each(&'a [&'a Scalar]),
    /// In device memory: one element for all members, or one for each.
    Stored(&'a Tensor),
}

/// A number, or where it is.
#[derive(Clone)]
enum Number {
    Given(Scalar),
    Stored(Value, usize),
}

impl Number {
    fn get<C: Compute>(&self, m: &Memory<'_>) -> C {
        match self {
            Self::Given(scalar) => scalar.compute(),
            Self::Stored(value, index) => {
                let mut number = [C::default()];
                read_block(&m.view(value), *index, &mut number);
                number[0]
            }
        }
    }
}

impl Numbers<'_> {
    fn plan(self, plan: &mut Plan, members: usize) -> Result<Vec<Number>, Refusal> {
        match self {
            Self::One(scalar) => Ok(vec![Number::Given(*scalar); members]),
            Self::Each(scalars) => {
                require!(
                    scalars.len() == members,
                    "there are {} scalars for {members} tensors",
                    scalars.len()
                );
                Ok(scalars
                    .iter()
                    .map(|scalar| Number::Given(**scalar))
                    .collect())
            }
            Self::Stored(tensor) => {
                let all = tensor.count();
                require!(
                    all == 1 || all >= members,
                    "there are {all} numbers for {members} tensors"
                );
                let value = plan.input(tensor);
                Ok((0..members)
                    .map(|member| Number::Stored(value.clone(), if all == 1 { 0 } else { member }))
                    .collect())
            }
        }
    }

    /// The type that a member and its number are computed in.
    fn with(self, element: Element, member: usize) -> Element {
        match self {
            Self::One(scalar) => with_scalar(element, scalar),
            Self::Each(scalars) => scalars
                .get(member)
                .map_or(element, |scalar| with_scalar(element, scalar)),
            Self::Stored(tensor) if category(tensor.element()) > category(element) => {
                tensor.element()
            }
            Self::Stored(_) => element,
        }
    }
}

/// Refuses lists that do not belong together.
fn expect_lists(first: &[&Tensor], others: &[(&[&Tensor], &str)]) -> Result<(), Refusal> {
    for (list, name) in others {
        require!(
            list.len() == first.len(),
            "'{name}' has {} tensors, but the first list has {}",
            list.len(),
            first.len()
        );
        for (tensor, like) in list.iter().zip(first) {
            require!(
                tensor.dims == like.dims,
                "a tensor of '{name}' has the shape {:?}, but that of the first list has {:?}",
                tensor.dims,
                like.dims
            );
        }
    }
    for tensor in first
        .iter()
        .chain(others.iter().flat_map(|(list, _)| list.iter()))
    {
        if is_complex(tensor.element()) {
            return Err(Refusal::unsupported(
                "Millpond does not compute lists of complex tensors",
            ));
        }
    }
    Ok(())
}

fn inputs(plan: &mut Plan, list: &[&Tensor]) -> Vec<Value> {
    list.iter().map(|tensor| plan.input(tensor)).collect()
}

fn outputs(plan: &mut Plan, list: &[&Tensor]) -> Vec<Value> {
    list.iter().map(|tensor| plan.output(tensor)).collect()
}

/// What becomes of two members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Maximum,
    Minimum,
    Pow,
    /// The second to the power of the first.
    PowOf,
}

/// Types that lists are computed in.
trait Member: Compute {
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn power(self, exponent: Self) -> Self;
}

macro_rules! real_member {
    ($($type:ty),*) => {$(
        impl Member for $type {
            #[inline(always)]
            fn larger(self, other: Self) -> Self { self.max_nan(other) }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self { self.min_nan(other) }
            #[inline(always)]
            fn power(self, exponent: Self) -> Self { <$type>::powf(self, exponent) }
        }
    )*};
}
real_member!(f32, f64);

impl Member for i64 {
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }
    fn smaller(self, other: Self) -> Self {
        self.min(other)
    }
    fn power(self, exponent: Self) -> Self {
        match (self, exponent) {
            (base, 0..) => {
                let (mut base, mut rest, mut power) = (base, exponent, 1_i64);
                while rest > 0 {
                    if rest & 1 == 1 {
                        power = power.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    rest >>= 1;
                }
                power
            }
            (1, _) => 1,
            (-1, _) => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        }
    }
}

fn binary<C: Member>(
    op: Op,
    x: &millpond_kernels::View,
    y: &millpond_kernels::View,
    alpha: C,
    out: &millpond_kernels::View,
) {
    match op {
        Op::Add => map::map2::<C, C, C>(x, y, out, |x, y| Compute::add(x, Compute::mul(alpha, y))),
        Op::Sub => map::map2::<C, C, C>(x, y, out, |x, y| Compute::sub(x, Compute::mul(alpha, y))),
        Op::Mul => map::map2::<C, C, C>(x, y, out, Compute::mul),
        Op::Div => map::map2::<C, C, C>(x, y, out, Compute::div),
        Op::Maximum => map::map2::<C, C, C>(x, y, out, Member::larger),
        Op::Minimum => map::map2::<C, C, C>(x, y, out, Member::smaller),
        Op::Pow => map::map2::<C, C, C>(x, y, out, Member::power),
        Op::PowOf => map::map2::<C, C, C>(x, y, out, |x, y| y.power(x)),
    }
}

fn with_number<C: Member>(op: Op, x: &millpond_kernels::View, y: C, out: &millpond_kernels::View) {
    match op {
        Op::Add => map::map1::<C, C>(x, out, |x| Compute::add(x, y)),
        Op::Sub => map::map1::<C, C>(x, out, |x| Compute::sub(x, y)),
        Op::Mul => map::map1::<C, C>(x, out, |x| Compute::mul(x, y)),
        Op::Div => map::map1::<C, C>(x, out, |x| Compute::div(x, y)),
        Op::Maximum => map::map1::<C, C>(x, out, |x| x.larger(y)),
        Op::Minimum => map::map1::<C, C>(x, out, |x| x.smaller(y)),
        Op::Pow => map::map1::<C, C>(x, out, |x| x.power(y)),
        Op::PowOf => map::map1::<C, C>(x, out, |x| y.power(x)),
    }
}

fn type_of(op: Op, element: Element) -> Element {
    if op == Op::Div {
        as_float(element)
    } else {
        element
    }
}

/// x op alpha · y, member by member.
pub(crate) fn lists(
    op: Op,
    x: &[&Tensor],
    y: &[&Tensor],
    alpha: Numbers<'_>,
    out: &[&Tensor],
) -> Planned {
    expect_lists(x, &[(y, "x2"), (out, "out")])?;
    let mut plan = Plan::new();
    let (xs, ys) = (inputs(&mut plan, x), inputs(&mut plan, y));
    let alphas = alpha.plan(&mut plan, x.len())?;
    let outs = outputs(&mut plan, out);
    for (((x, y), alpha), (into, out)) in xs
        .into_iter()
        .zip(ys)
        .zip(alphas)
        .zip(outs.into_iter().zip(out))
    {
        let element = type_of(op, promote(x.element(), y.element()));
        check_result(element, out)?;
        plan.step(move |m| few!(element, C => binary::<C>(op, &m.view(&x), &m.view(&y), alpha.get::<C>(m), &m.view(&into))));
    }
    plan.done()
}

/// x op number, member by member.
pub(crate) fn numbers(op: Op, x: &[&Tensor], y: Numbers<'_>, out: &[&Tensor]) -> Planned {
    expect_lists(x, &[(out, "out")])?;
    let mut plan = Plan::new();
    let xs = inputs(&mut plan, x);
    let ys = y.plan(&mut plan, x.len())?;
    let outs = outputs(&mut plan, out);
    for (member, ((x, number), (into, out))) in xs
        .into_iter()
        .zip(ys)
        .zip(outs.into_iter().zip(out))
        .enumerate()
    {
        let element = type_of(op, y.with(x.element(), member));
        check_result(element, out)?;
        plan.step(move |m| few!(element, C => with_number::<C>(op, &m.view(&x), number.get::<C>(m), &m.view(&into))));
    }
    plan.done()
}

/// x + number · y · z, or x + number · y / z.
pub(crate) fn products(
    divide: bool,
    x: &[&Tensor],
    y: &[&Tensor],
    z: &[&Tensor],
    number: Numbers<'_>,
    out: &[&Tensor],
) -> Planned {
    expect_lists(x, &[(y, "x1"), (z, "x2"), (out, "out")])?;
    let mut plan = Plan::new();
    let [xs, ys, zs] = [x, y, z].map(|list| inputs(&mut plan, list));
    let factors = number.plan(&mut plan, x.len())?;
    let outs = outputs(&mut plan, out);
    for ((((x, y), z), factor), (into, out)) in xs
        .into_iter()
        .zip(ys)
        .zip(zs)
        .zip(factors)
        .zip(outs.into_iter().zip(out))
    {
        let element = promote(promote(x.element(), y.element()), z.element());
        check_result(element, out)?;
        require!(
            !divide || category(element) == Category::Float,
            "tensors of type {} are not divided here: real numbers are expected",
            element.name()
        );
        plan.step(move |m| {
            let (x, y, z, into) = (m.view(&x), m.view(&y), m.view(&z), m.view(&into));
            few!(element, C => {
                let factor = factor.get::<C>(m);
                if divide {
                    map::map3::<C, C, C, C>(&x, &y, &z, &into, |x, y, z| Compute::add(x, Compute::div(Compute::mul(factor, y), z)));
                } else {
                    map::map3::<C, C, C, C>(&x, &y, &z, &into, |x, y, z| Compute::add(x, Compute::mul(Compute::mul(factor, y), z)));
                }
            });
        });
    }
    plan.done()
}

/// Between x and y: x + weight · (y − x), from the nearer end.
macro_rules! between {
    ($x:expr, $y:expr, $weight:expr) => {
        if $weight < 0.5 {
            $x + $weight * ($y - $x)
        } else {
            $y - ($y - $x) * (1.0 - $weight)
        }
    };
}

/// x + weight · (y − x) with a number as weight.
pub(crate) fn lerp_number(
    x: &[&Tensor],
    y: &[&Tensor],
    weight: Numbers<'_>,
    out: &[&Tensor],
) -> Planned {
    expect_lists(x, &[(y, "x2"), (out, "out")])?;
    let mut plan = Plan::new();
    let (xs, ys) = (inputs(&mut plan, x), inputs(&mut plan, y));
    let weights = weight.plan(&mut plan, x.len())?;
    let outs = outputs(&mut plan, out);
    for (((x, y), weight), (into, out)) in xs
        .into_iter()
        .zip(ys)
        .zip(weights)
        .zip(outs.into_iter().zip(out))
    {
        let element = as_float(promote(x.element(), y.element()));
        check_result(element, out)?;
        plan.step(move |m| {
            millpond_kernels::floats!(element, C => {
                let weight = weight.get::<C>(m);
                map::map2::<C, C, C>(&m.view(&x), &m.view(&y), &m.view(&into), |x, y| between!(x, y, weight));
            });
        });
    }
    plan.done()
}

/// x + weight · (y − x) with weights in a list.
pub(crate) fn lerp_lists(
    x: &[&Tensor],
    y: &[&Tensor],
    weight: &[&Tensor],
    out: &[&Tensor],
) -> Planned {
    expect_lists(x, &[(y, "x2"), (weight, "weight"), (out, "out")])?;
    let mut plan = Plan::new();
    let [xs, ys, weights] = [x, y, weight].map(|list| inputs(&mut plan, list));
    let outs = outputs(&mut plan, out);
    for (((x, y), weight), (into, out)) in xs
        .into_iter()
        .zip(ys)
        .zip(weights)
        .zip(outs.into_iter().zip(out))
    {
        let element = as_float(promote(x.element(), y.element()));
        check_result(element, out)?;
        plan.step(move |m| {
            millpond_kernels::floats!(element, C => {
                map::map3::<C, C, C, C>(&m.view(&x), &m.view(&y), &m.view(&weight), &m.view(&into), |x, y, weight| between!(x, y, weight));
            });
        });
    }
    plan.done()
}

/// A function of real numbers; integers are computed as `float`.
pub(crate) fn real(
    x: &[&Tensor],
    out: &[&Tensor],
    single: fn(f32) -> f32,
    double: fn(f64) -> f64,
) -> Planned {
    expect_lists(x, &[(out, "out")])?;
    let mut plan = Plan::new();
    let xs = inputs(&mut plan, x);
    let outs = outputs(&mut plan, out);
    for (x, (into, out)) in xs.into_iter().zip(outs.into_iter().zip(out)) {
        let element = as_float(x.element());
        check_result(element, out)?;
        plan.step(move |m| {
            if element == Element::F64 {
                map::map1::<f64, f64>(&m.view(&x), &m.view(&into), double);
            } else {
                map::map1::<f32, f32>(&m.view(&x), &m.view(&into), single);
            }
        });
    }
    plan.done()
}

/// A function that keeps the type of its members.
pub(crate) fn any(
    x: &[&Tensor],
    out: &[&Tensor],
    single: fn(f32) -> f32,
    double: fn(f64) -> f64,
    whole: fn(i64) -> i64,
) -> Planned {
    expect_lists(x, &[(out, "out")])?;
    let mut plan = Plan::new();
    let xs = inputs(&mut plan, x);
    let outs = outputs(&mut plan, out);
    for (x, (into, out)) in xs.into_iter().zip(outs.into_iter().zip(out)) {
        let element = x.element();
        check_result(element, out)?;
        plan.step(move |m| match element {
            Element::F64 => map::map1::<f64, f64>(&m.view(&x), &m.view(&into), double),
            Element::F32 | Element::F16 | Element::BF16 => {
                map::map1::<f32, f32>(&m.view(&x), &m.view(&into), single);
            }
            _ => map::map1::<i64, i64>(&m.view(&x), &m.view(&into), whole),
        });
    }
    plan.done()
}

/// Functions of one number that the standard library lacks.
pub(crate) mod scalar_functions {
    use millpond_kernels::special;

    /// 1 / (1 + e^−x).
    pub(crate) fn sigmoid(x: f32) -> f32 {
        1.0 / (1.0 + (-x).exp())
    }
    /// The same in `f64`.
    pub(crate) fn sigmoid_double(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }
    /// The error function.
    pub(crate) fn erf(x: f32) -> f32 {
        special::single(special::erf(f64::from(x)))
    }
    /// 1 − erf(x).
    pub(crate) fn erfc(x: f32) -> f32 {
        special::single(special::erfc(f64::from(x)))
    }
    /// −1, 0 or 1; 0 for NaN.
    pub(crate) fn sign(x: f32) -> f32 {
        f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))
    }
    /// The same in `f64`.
    pub(crate) fn sign_double(x: f64) -> f64 {
        f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))
    }
}

/// A function of one number, in both types.
type Both = (fn(f32) -> f32, fn(f64) -> f64);

/// How numbers are made whole.
fn rounded(mode: i64) -> Option<Both> {
    match mode {
        1 => Some((f32::round_ties_even, f64::round_ties_even)),
        2 => Some((f32::floor, f64::floor)),
        3 => Some((f32::ceil, f64::ceil)),
        5 => Some((f32::trunc, f64::trunc)),
        7 => Some((|x| x - x.trunc(), |x| x - x.trunc())),
        _ => None,
    }
}

fn no_mode(mode: i64) -> String {
    format!(
        "the rounding mode is {mode}, but 1 (to the nearest), 2 (down), 3 (up), 5 (towards zero) or 7 (the fraction) is expected"
    )
}

/// Numbers made whole: 1 to the nearest, 2 down, 3 up, 5 towards zero; 7 is what the last one leaves.
pub(crate) fn round_off(x: &[&Tensor], mode: Numbers<'_>, out: &[&Tensor]) -> Planned {
    expect_lists(x, &[(out, "out")])?;
    if let Numbers::One(mode) = mode
        && rounded(mode.whole()).is_none()
    {
        return Err(Refusal::invalid(no_mode(mode.whole())));
    }
    let mut plan = Plan::new();
    let xs = inputs(&mut plan, x);
    let modes = mode.plan(&mut plan, x.len())?;
    let outs = outputs(&mut plan, out);
    for ((x, mode), (into, out)) in xs.into_iter().zip(modes).zip(outs.into_iter().zip(out)) {
        let element = x.element();
        check_result(element, out)?;
        plan.try_step(move |m| {
            let mode: i64 = mode.get(m);
            let Some((single, double)) = rounded(mode) else {
                return Err(no_mode(mode));
            };
            match element {
                Element::F64 => map::map1::<f64, f64>(&m.view(&x), &m.view(&into), double),
                Element::F32 | Element::F16 | Element::BF16 => {
                    map::map1::<f32, f32>(&m.view(&x), &m.view(&into), single);
                }
                _ if mode == 7 => map::fill::<i64>(&m.view(&into), 0),
                _ => map::copy(&m.view(&x), &m.view(&into)),
            }
            Ok(())
        });
    }
    plan.done()
}

/// The norm of each member, in a tensor of one element.
pub(crate) fn norms(x: &[&Tensor], order: &Scalar, out: &[&Tensor]) -> Planned {
    require!(
        out.len() == x.len(),
        "'out' has {} tensors, but the list has {}",
        out.len(),
        x.len()
    );
    let mut plan = Plan::new();
    let xs = inputs(&mut plan, x);
    for (x, out) in xs.iter().zip(out) {
        require!(
            out.count() == 1,
            "a tensor of 'out' has the shape {:?}, but one element is expected",
            out.dims
        );
        require!(
            category(out.element()) == Category::Float,
            "a norm is a real number, but a tensor of 'out' has the type {}",
            out.element().name()
        );
        require!(
            x.count() > 0 || order.real() >= 0.0 && order.real().is_finite(),
            "a tensor without elements has no norm of order {}",
            order.real()
        );
    }
    for (x, out) in xs.iter().zip(out) {
        let mut result = plan.output_apart(out);
        while result.rank() > 0 {
            result = result.squeeze(0);
        }
        let axes: Vec<usize> = (0..x.rank()).collect();
        add_norm(&mut plan, x, &axes, order.real(), &result);
    }
    plan.done()
}

/// Copies each member, converted to the type of its target.
pub(crate) fn copy(from: &[&Tensor], to: &[&Tensor]) -> Planned {
    require!(
        to.len() == from.len(),
        "'dst' has {} tensors, but 'src' has {}",
        to.len(),
        from.len()
    );
    let mut plan = Plan::new();
    let from_values = inputs(&mut plan, from);
    for (from, to) in from.iter().zip(to) {
        expect_shape(to, &from.dims)?;
    }
    for (from, to) in from_values.iter().zip(to) {
        let into = plan.output(to);
        plan.copy(from, &into);
    }
    plan.done()
}

/// Zeros in each member.
pub(crate) fn zero(list: &[&Tensor]) -> Planned {
    let mut plan = Plan::new();
    for tensor in list {
        let value = plan.output(tensor);
        plan.fill(&value, 0.0);
    }
    plan.done()
}

/// Multiplies gradients by a number, in place, and notes whether any was not finite. The note is set, never cleared.
pub(crate) fn unscale(grads: &[&Tensor], found: &Tensor, scale: &Tensor) -> Planned {
    for (tensor, name) in [(found, "foundInf"), (scale, "inScale")] {
        require!(
            tensor.count() == 1,
            "'{name}' has the shape {:?}, but one element is expected",
            tensor.dims
        );
    }
    for grad in grads {
        require!(
            category(grad.element()) == Category::Float,
            "a gradient has the type {}, but real numbers are expected",
            grad.element().name()
        );
    }
    let mut plan = Plan::new();
    let scale = plan.input(scale);
    let values: Vec<Value> = grads.iter().map(|grad| plan.in_place(grad)).collect();
    let found = plan.in_place(found);
    plan.step(move |m| {
        let mut number = [0.0_f32];
        read_block(&m.view(&scale), 0, &mut number);
        let [scale] = number;
        let infinite = AtomicBool::new(false);
        for value in &values {
            let grad = m.view(value);
            millpond_kernels::floats!(grad.element(), C => {
                let scale = C::from(scale);
                map::map1::<C, C>(&grad, &grad, |x| {
                    if !x.is_finite() {
                        infinite.store(true, Ordering::Relaxed);
                    }
                    x * scale
                });
            });
        }
        if infinite.into_inner() {
            map::fill::<f32>(&m.view(&found), 1.0);
        }
    });
    plan.done()
}
