//! Gated units: one half of an axis, activated, multiplies the other half.

use millpond_kernels::activation::{self, Real};
use millpond_kernels::{Dims, Element, View, floats, map};

use super::activation::is_approximate;
use super::elementwise::expect_kind;
use super::{axis_of, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, check_result, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// What one half goes through, and the slope of that.
trait Gate: 'static {
    fn value<C: Real>(x: C) -> C;
    fn slope<C: Real>(x: C) -> C;
}

struct Sigmoid;
struct Silu;
struct Gelu;
struct GeluTanh;

impl Gate for Sigmoid {
    #[inline(always)]
    fn value<C: Real>(x: C) -> C {
        activation::sigmoid(x)
    }
    #[inline(always)]
    fn slope<C: Real>(x: C) -> C {
        let s = activation::sigmoid(x);
        s * (C::of(1.0) - s)
    }
}

impl Gate for Silu {
    #[inline(always)]
    fn value<C: Real>(x: C) -> C {
        activation::silu(x)
    }
    #[inline(always)]
    fn slope<C: Real>(x: C) -> C {
        activation::silu_slope(x)
    }
}

impl Gate for Gelu {
    #[inline(always)]
    fn value<C: Real>(x: C) -> C {
        activation::gelu(x)
    }
    #[inline(always)]
    fn slope<C: Real>(x: C) -> C {
        activation::gelu_slope(x)
    }
}

impl Gate for GeluTanh {
    #[inline(always)]
    fn value<C: Real>(x: C) -> C {
        activation::gelu_tanh(x)
    }
    #[inline(always)]
    fn slope<C: Real>(x: C) -> C {
        activation::gelu_tanh_slope(x)
    }
}

/// An axis that is cut in two.
#[derive(Debug)]
struct Halves {
    axis: usize,
    /// The dimensions of each half.
    dims: Dims,
    /// Whether the first half is activated.
    first: bool,
}

impl Halves {
    fn of(x: &Tensor, dim: i64, first: bool) -> Result<Self, Refusal> {
        require!(
            x.rank() > 0,
            "the tensor has no dimensions: it must have an axis that can be cut in two"
        );
        let axis = axis_of(x, dim, "dim")?;
        let mut dims = x.dims.clone();
        require!(
            dims[axis] % 2 == 0,
            "axis {axis} has {} elements: an even number of them can be cut in two",
            dims[axis]
        );
        dims[axis] /= 2;
        Ok(Self { axis, dims, first })
    }

    /// The half that is activated, and the other.
    fn cut(&self, x: &Value) -> (Value, Value) {
        let half = self.dims[self.axis];
        let parts = (
            x.narrow(self.axis, 0, half),
            x.narrow(self.axis, half, half),
        );
        if self.first {
            parts
        } else {
            (parts.1, parts.0)
        }
    }
}

fn check_types(element: Element, outs: &[&Tensor]) -> Result<(), Refusal> {
    expect_kind(element, Category::Float, Category::Float)?;
    outs.iter().try_for_each(|out| check_result(element, out))
}

fn forward<G: Gate>(x: &Tensor, halves: &Halves, out: &Tensor, kept: Option<&Tensor>) -> Planned {
    let element = x.element();
    check_types(element, &[out])?;
    expect_shape(out, &halves.dims)?;
    let mut plan = Plan::new();
    let x = plan.input(x);
    let (active, other) = halves.cut(&x);
    let out = plan.output_apart(out);
    if let Some(kept) = kept {
        check_types(element, &[kept])?;
        expect_shape(kept, &halves.dims)?;
        let (active, kept) = (active.clone(), plan.output_apart(kept));
        plan.step(move |m| {
            floats!(element, C => {
                map::map1::<C, C>(&m.view(&active), &m.view(&kept), G::value::<C>);
            });
        });
    }
    plan.step(move |m| {
        let (active, other, out) = (m.view(&active), m.view(&other), m.view(&out));
        floats!(element, C => {
            map::map2::<C, C, C>(&active, &other, &out, |a, b| G::value::<C>(a) * b);
        });
    });
    plan.done()
}

fn backward<G: Gate>(
    gradient: &Tensor,
    x: &Tensor,
    kept: Option<&Tensor>,
    halves: &Halves,
    out: &Tensor,
) -> Planned {
    require!(
        gradient.dims == halves.dims,
        "the gradient has the shape {:?}: it must be that of the result, {:?}",
        gradient.dims,
        halves.dims
    );
    expect_shape(out, &x.dims)?;
    let element = promote(gradient.element(), x.element());
    check_types(element, &[out])?;
    let mut plan = Plan::new();
    let (gradient, x) = (plan.input(gradient), plan.input(x));
    let kept = match kept {
        Some(kept) => {
            require!(
                kept.dims == halves.dims,
                "'gelu' has the shape {:?}: it must be that of the result, {:?}",
                kept.dims,
                halves.dims
            );
            Some(plan.input(kept))
        }
        None => None,
    };
    let (active, other) = halves.cut(&x);
    let out = plan.output_apart(out);
    let (to_active, to_other) = halves.cut(&out);
    plan.step(move |m| {
        let (gradient, active, other): (View, View, View) =
            (m.view(&gradient), m.view(&active), m.view(&other));
        let (to_active, to_other) = (m.view(&to_active), m.view(&to_other));
        floats!(element, C => {
            map::map3::<C, C, C, C>(&gradient, &active, &other, &to_active, |g, a, b| g * b * G::slope::<C>(a));
            match &kept {
                Some(kept) => map::map2::<C, C, C>(&gradient, &m.view(kept), &to_other, |g, y| g * y),
                None => map::map2::<C, C, C>(&gradient, &active, &to_other, |g, a| g * G::value::<C>(a)),
            }
        });
    });
    plan.done()
}

/// The first half, times the sigmoid of the second.
pub(crate) fn glu(x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    forward::<Sigmoid>(x, &Halves::of(x, dim, false)?, out, None)
}

/// The gradient of [`glu`].
pub(crate) fn glu_backward(gradient: &Tensor, x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    backward::<Sigmoid>(gradient, x, None, &Halves::of(x, dim, false)?, out)
}

/// The first half, times its sigmoid, times the second.
pub(crate) fn swiglu(x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    forward::<Silu>(x, &Halves::of(x, dim, true)?, out, None)
}

/// The gradient of [`swiglu`].
pub(crate) fn swiglu_backward(gradient: &Tensor, x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    backward::<Silu>(gradient, x, None, &Halves::of(x, dim, true)?, out)
}

/// One half through GELU, times the other; what GELU gives is a second result.
pub(crate) fn geglu(
    x: &Tensor,
    dim: i64,
    approximate: i64,
    first: bool,
    out: &Tensor,
    kept: &Tensor,
) -> Planned {
    let halves = Halves::of(x, dim, first)?;
    if is_approximate(approximate)? {
        forward::<GeluTanh>(x, &halves, out, Some(kept))
    } else {
        forward::<Gelu>(x, &halves, out, Some(kept))
    }
}

/// The gradient of [`geglu`] from its argument and its second result.
pub(crate) fn geglu_backward(
    gradient: &Tensor,
    x: &Tensor,
    kept: &Tensor,
    (dim, approximate, first): (i64, i64, bool),
    out: &Tensor,
) -> Planned {
    let halves = Halves::of(x, dim, first)?;
    if is_approximate(approximate)? {
        backward::<GeluTanh>(gradient, x, Some(kept), &halves, out)
    } else {
        backward::<Gelu>(gradient, x, Some(kept), &halves, out)
    }
}
