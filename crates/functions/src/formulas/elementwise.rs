//! What functions that work element by element share: their operands, the type they compute in, where results go.

use millpond_kernels::{Compute, Element, View, map};

use super::{broadcast, expect_shape};
use crate::plan::{Memory, Place, Plan, Planned};
use crate::promote::{Category, category, promote, with_scalar};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::{Number, Scalar};
use crate::tensor::Tensor;

/// Runs an expression with the type that sums and products are computed in. Small integers are computed in `i64`: results
/// wrap when they are stored. Every complex type is computed in `f64`.
macro_rules! rings {
    ($element:expr, $type:ident => $body:expr) => {
        match $element {
            millpond_kernels::Element::I32 => {
                type $type = i32;
                $body
            }
            millpond_kernels::Element::C32
            | millpond_kernels::Element::C64
            | millpond_kernels::Element::C128 => {
                type $type = millpond_kernels::Complex64;
                $body
            }
            other => $crate::formulas::elementwise::ordered!(other, $type => $body),
        }
    };
}

/// The same for what has an order: real numbers and integers.
macro_rules! ordered {
    ($element:expr, $type:ident => $body:expr) => {
        match millpond_kernels::compute_type($element) {
            millpond_kernels::Element::F32 => {
                type $type = f32;
                $body
            }
            millpond_kernels::Element::F64 => {
                type $type = f64;
                $body
            }
            other => $crate::formulas::elementwise::wholes!(other, $type => $body),
        }
    };
}

/// The same for integers and truth values.
macro_rules! wholes {
    ($element:expr, $type:ident => $body:expr) => {
        if $element == millpond_kernels::Element::U64 {
            type $type = u64;
            $body
        } else {
            type $type = i64;
            $body
        }
    };
}

/// The same for numbers that divide without a remainder: real and complex numbers.
macro_rules! fields {
    ($element:expr, $type:ident => $body:expr) => {
        match $element {
            millpond_kernels::Element::F64 => {
                type $type = f64;
                $body
            }
            millpond_kernels::Element::C32
            | millpond_kernels::Element::C64
            | millpond_kernels::Element::C128 => {
                type $type = millpond_kernels::Complex64;
                $body
            }
            _ => {
                type $type = f32;
                $body
            }
        }
    };
}

pub(crate) use {fields, ordered, rings, wholes};

/// One of two operands: a tensor, or a number that stands for a tensor filled with it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side<'a> {
    Tensor(&'a Tensor),
    Number(&'a Scalar),
}

impl<'a> From<&'a Tensor> for Side<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl<'a> From<&'a Scalar> for Side<'a> {
    fn from(number: &'a Scalar) -> Self {
        Self::Number(number)
    }
}

/// An operand of a plan.
#[derive(Debug, Clone)]
enum Source {
    Place(Place),
    Number(Scalar),
}

/// An operand during a run.
#[derive(Debug)]
pub(crate) enum Operand {
    View(View),
    Number(Scalar),
}

impl Source {
    fn at(&self, memory: &Memory<'_>) -> Operand {
        match self {
            Self::Place(place) => Operand::View(memory.at(place)),
            Self::Number(number) => Operand::Number(*number),
        }
    }
}

/// Two operands, and the type that they are promoted to.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) element: Element,
    plan: Plan,
    a: Source,
    b: Source,
}

impl Pair {
    /// Refuses operands that do not broadcast to the shape of `out`.
    pub(crate) fn of(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Result<Self, Refusal> {
        let element = match (a, b) {
            (Side::Tensor(a), Side::Tensor(b)) => {
                if a.dims == b.dims {
                    expect_shape(out, &a.dims)?;
                } else {
                    expect_shape(out, &broadcast(&[a, b])?)?;
                }
                promote(a.element(), b.element())
            }
            (Side::Tensor(tensor), Side::Number(number))
            | (Side::Number(number), Side::Tensor(tensor)) => {
                expect_shape(out, &tensor.dims)?;
                with_scalar(tensor.element(), number)
            }
            (Side::Number(a), Side::Number(b)) => {
                expect_shape(out, &[])?;
                with_scalar(a.element, b)
            }
        };
        let mut plan = Plan::new();
        let mut source = |side| match side {
            Side::Tensor(tensor) => Source::Place(plan.input_place(tensor)),
            Side::Number(number) => Source::Number(*number),
        };
        let (a, b) = (source(a), source(b));
        Ok(Self {
            element,
            plan,
            a,
            b,
        })
    }

    /// Takes numbers as elements of the promoted type, as PyTorch does where no higher precision is asked for.
    pub(crate) fn with_rounded_numbers(mut self) -> Self {
        for source in [&mut self.a, &mut self.b] {
            if let Source::Number(number) = source {
                *number = rounded(number, self.element);
            }
        }
        self
    }

    /// Adds the step that computes results of type `element`.
    pub(crate) fn step(
        self,
        element: Element,
        out: &Tensor,
        kernel: impl Fn(&Operand, &Operand, &View) + Send + Sync + 'static,
    ) -> Planned {
        let Self { plan, a, b, .. } = self;
        finish(plan, element, out, move |memory, out| {
            kernel(&a.at(memory), &b.at(memory), out);
        })
    }
}

/// Adds the step that computes results of type `element`, and completes the plan.
///
/// Kernels compute small integers in `i64`. If `out` has another type, results pass through memory of type `element`, where they wrap.
pub(crate) fn finish(
    mut plan: Plan,
    element: Element,
    out: &Tensor,
    kernel: impl Fn(&Memory<'_>, &View) + Send + Sync + 'static,
) -> Planned {
    let target = plan.output_place(out);
    let wraps = category(element) <= Category::Int && element.bytes() < 8;
    if element == out.element() || !wraps {
        plan.step(move |memory| kernel(memory, &memory.at(&target)));
        return plan.done();
    }
    let result = plan.temp(element, &out.dims);
    let into = result.clone();
    plan.step(move |memory| kernel(memory, &memory.view(&into)));
    plan.copy(&result, &plan.value(&target));
    plan.done()
}

/// A number as an element of a type: rounded, or wrapped.
pub(crate) fn rounded(number: &Scalar, element: Element) -> Scalar {
    use millpond_kernels::{Stored, bf16, f16};
    let number = match element {
        Element::Bool => Number::Int(i64::from(number.is_true())),
        Element::F16 => Number::Float(f64::from(f16::store(number.real()))),
        Element::BF16 => Number::Float(f64::from(bf16::store(number.real()))),
        Element::F32 => Number::Float(f64::from(f32::store(number.real()))),
        _ if category(element) == Category::Int => {
            millpond_kernels::integers!(element, C => Number::Int(number.compute::<C>().to_i64()))
        }
        _ => number.number,
    };
    Scalar { element, number }
}

/// `out[i] = f(a[i], b[i])`.
pub(crate) fn zip<C: Compute, R: Compute>(
    a: &Operand,
    b: &Operand,
    out: &View,
    f: impl Fn(C, C) -> R + Sync,
) {
    match (a, b) {
        (Operand::View(a), Operand::View(b)) => map::map2(a, b, out, f),
        (Operand::View(a), Operand::Number(b)) => {
            let b = b.compute();
            map::map1(a, out, move |a| f(a, b));
        }
        (Operand::Number(a), Operand::View(b)) => {
            let a = a.compute();
            map::map1(b, out, move |b| f(a, b));
        }
        (Operand::Number(a), Operand::Number(b)) => {
            map::fill(out, f(a.compute(), b.compute()));
        }
    }
}

/// A function of one element whose results have the type `element`.
pub(crate) fn one(
    x: &Tensor,
    element: Element,
    out: &Tensor,
    kernel: impl Fn(&View, &View) + Send + Sync + 'static,
) -> Planned {
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let x = plan.input_place(x);
    finish(plan, element, out, move |memory, out| {
        kernel(&memory.at(&x), out);
    })
}

/// A view of truth values as bytes, for kernels that write 0 or 1.
pub(crate) fn as_bytes(view: &View) -> View {
    if view.element() == Element::Bool {
        view.reinterpret(Element::U8)
    } else {
        view.clone()
    }
}

/// Refuses a factor that integers cannot be multiplied by.
pub(crate) fn expect_factor(
    factor: &Scalar,
    element: Element,
    argument: &str,
) -> Result<(), Refusal> {
    let fits = match factor.number {
        Number::Complex(_) => category(element) == Category::Complex,
        Number::Float(value) => category(element) >= Category::Float || value.fract() == 0.0,
        _ => true,
    };
    require!(
        fits,
        "'{argument}' is {:?}, but results are {}: it must be of a kind that they can hold",
        factor.number,
        element.name()
    );
    Ok(())
}

/// Refuses types that a function is not defined for.
pub(crate) fn expect_kind(
    element: Element,
    least: Category,
    most: Category,
) -> Result<(), Refusal> {
    let kind = category(element);
    let name = |kind| match kind {
        Category::Bool => "truth values",
        Category::Int => "integers",
        Category::Float => "real numbers",
        Category::Complex => "complex numbers",
    };
    require!(
        (least..=most).contains(&kind),
        "the operands are promoted to {}, but this function takes {} to {}",
        element.name(),
        name(least),
        name(most)
    );
    Ok(())
}
