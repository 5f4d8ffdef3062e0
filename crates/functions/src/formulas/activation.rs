//! Activation functions and their gradients.

use millpond_kernels::activation::{self, Real as _};
use millpond_kernels::{Complex64, Element, Float, floats, map};

use super::elementwise::{expect_kind, finish, one, ordered, rounded};
use super::unary::field;
use super::{broadcast, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, as_float, category, check_result, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// A function of one real number, written once for both types.
macro_rules! map_one {
    ($x:expr, $out:expr, $type:ident, |$v:ident| $body:expr) => {
        field(
            $x,
            $out,
            move |$v: f32| {
                type $type = f32;
                $body
            },
            move |$v: f64| {
                type $type = f64;
                $body
            },
            None,
        )
    };
}

/// The same for two real numbers: a gradient and what was saved for it.
macro_rules! map_two {
    ($a:expr, $b:expr, $out:expr, $type:ident, |$v:ident, $w:ident| $body:expr) => {
        two(
            $a,
            $b,
            $out,
            move |$v: f32, $w: f32| {
                type $type = f32;
                $body
            },
            move |$v: f64, $w: f64| {
                type $type = f64;
                $body
            },
            None,
        )
    };
}

/// A function of two elements that are computed as real numbers, or as complex ones if there is such a function.
pub(crate) fn two(
    a: &Tensor,
    b: &Tensor,
    out: &Tensor,
    single: impl Fn(f32, f32) -> f32 + Send + Sync + 'static,
    double: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    complex: Option<fn(Complex64, Complex64) -> Complex64>,
) -> Planned {
    expect_shape(out, &broadcast(&[a, b])?)?;
    let element = as_float(promote(a.element(), b.element()));
    if complex.is_none() {
        expect_kind(element, Category::Float, Category::Float)?;
    }
    check_result(element, out)?;
    let mut plan = Plan::new();
    let (a, b) = (plan.input(a), plan.input(b));
    let out = plan.output(out);
    plan.step(move |m| {
        let (a, b, out) = (m.view(&a), m.view(&b), m.view(&out));
        match (element, complex) {
            (Element::C32 | Element::C64 | Element::C128, Some(complex)) => {
                map::map2(&a, &b, &out, complex);
            }
            (Element::F64, _) => map::map2(&a, &b, &out, &double),
            _ => map::map2(&a, &b, &out, &single),
        }
    });
    plan.done()
}

/// 1 / (1 + e⁻ˣ).
pub(crate) fn sigmoid(x: &Tensor, out: &Tensor) -> Planned {
    let complex: fn(Complex64) -> Complex64 = |z| 1.0 / (1.0 + (-z).exp());
    field(
        x,
        out,
        activation::sigmoid::<f32>,
        activation::sigmoid::<f64>,
        Some(complex),
    )
}

/// The gradient of [`sigmoid`] from its result.
pub(crate) fn sigmoid_backward(gradient: &Tensor, y: &Tensor, out: &Tensor) -> Planned {
    two(
        gradient,
        y,
        out,
        |g: f32, y: f32| g * (1.0 - y) * y,
        |g: f64, y: f64| g * (1.0 - y) * y,
        Some(|g, y| g * ((1.0 - y) * y).conj()),
    )
}

/// Hyperbolic tangent.
pub(crate) fn tanh(x: &Tensor, out: &Tensor) -> Planned {
    field(
        x,
        out,
        |x: f32| x.tangent(),
        |x: f64| x.tangent(),
        Some(Complex64::tanh),
    )
}

/// The gradient of [`tanh`] from its result.
pub(crate) fn tanh_backward(gradient: &Tensor, y: &Tensor, out: &Tensor) -> Planned {
    two(
        gradient,
        y,
        out,
        |g: f32, y: f32| g * (1.0 - y * y),
        |g: f64, y: f64| g * (1.0 - y * y),
        Some(|g, y| g * (1.0 - y * y).conj()),
    )
}

/// x · sigmoid(x).
pub(crate) fn silu(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::silu::<C>(x))
}

/// The gradient of [`silu`].
pub(crate) fn silu_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| g * activation::silu_slope::<C>(
        x
    ))
}

/// x · Φ(x), or its approximation by tanh.
pub(crate) fn gelu(x: &Tensor, by_tanh: bool, out: &Tensor) -> Planned {
    if by_tanh {
        map_one!(x, out, C, |x| activation::gelu_tanh::<C>(x))
    } else {
        map_one!(x, out, C, |x| activation::gelu::<C>(x))
    }
}

/// The gradient of [`gelu`].
pub(crate) fn gelu_backward(gradient: &Tensor, x: &Tensor, by_tanh: bool, out: &Tensor) -> Planned {
    if by_tanh {
        map_two!(gradient, x, out, C, |g, x| g
            * activation::gelu_tanh_slope::<C>(x))
    } else {
        map_two!(gradient, x, out, C, |g, x| g * activation::gelu_slope::<C>(
            x
        ))
    }
}

/// Whether GELU is approximated by tanh, from the number that says so.
pub(crate) fn is_approximate(approximate: i64) -> Result<bool, Refusal> {
    require!(
        matches!(approximate, 0 | 1),
        "'approximate' is {approximate}: it must be 0 (exact) or 1 (by tanh)"
    );
    Ok(approximate == 1)
}

/// The form that a number selects.
pub(crate) fn gelu_by_number(x: &Tensor, approximate: i64, out: &Tensor) -> Planned {
    gelu(x, is_approximate(approximate)?, out)
}

/// The gradient of the form that a word selects.
pub(crate) fn gelu_backward_by_word(
    gradient: &Tensor,
    x: &Tensor,
    approximate: &str,
    out: &Tensor,
) -> Planned {
    require!(
        matches!(approximate, "none" | "tanh"),
        "'approximate' is \"{approximate}\": it must be \"none\" or \"tanh\""
    );
    gelu_backward(gradient, x, approximate == "tanh", out)
}

/// x · sigmoid(1.702 x).
pub(crate) fn fast_gelu(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::gelu_fast::<C>(x))
}

/// The gradient of [`fast_gelu`].
pub(crate) fn fast_gelu_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| g
        * activation::gelu_fast_slope::<C>(x))
}

/// x · tanh(softplus(x)).
pub(crate) fn mish(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::mish::<C>(x))
}

/// The gradient of [`mish`].
pub(crate) fn mish_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| g * activation::mish_slope::<C>(
        x
    ))
}

/// (x + 3)/6, bounded to 0..1.
pub(crate) fn hardsigmoid(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::hardsigmoid::<C>(x))
}

/// The gradient of [`hardsigmoid`]: none outside the open interval, nor for NaN.
pub(crate) fn hardsigmoid_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| if x > -3.0 && x < 3.0 {
        g * (1.0 / 6.0 as C)
    } else {
        0.0
    })
}

/// x · hardsigmoid(x).
pub(crate) fn hardswish(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::hardswish::<C>(x))
}

/// The gradient of [`hardswish`]: 0 up to −3, 1 from 3 on.
pub(crate) fn hardswish_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| {
        let between: C = g * (x / 3.0 + 0.5);
        let inside = if x >= 3.0 { g } else { between };
        if x <= -3.0 { 0.0 } else { inside }
    })
}

/// Bounded; integers take the integer parts of the bounds, as in PyTorch.
pub(crate) fn hardtanh(x: &Tensor, least: &Scalar, most: &Scalar, out: &Tensor) -> Planned {
    expect_kind(x.element(), Category::Int, Category::Float)?;
    require!(
        least.real() <= most.real(),
        "'min' is {} and 'max' is {}: the first must not be larger",
        least.real(),
        most.real()
    );
    let element = x.element();
    super::bounds::clamp(
        x,
        Some(&rounded(least, element)),
        Some(&rounded(most, element)),
        out,
    )
}

/// The gradient between bounds, 0 at them and outside.
pub(crate) fn hardtanh_backward(
    gradient: &Tensor,
    x: &Tensor,
    least: &Scalar,
    most: &Scalar,
    out: &Tensor,
) -> Planned {
    let (least, most) = (least.real(), most.real());
    map_two!(
        gradient,
        x,
        out,
        C,
        |g, x| if x > C::of(least) && x < C::of(most) {
            g
        } else {
            0.0
        }
    )
}

/// x where |x| > lambda, else 0.
pub(crate) fn hardshrink(x: &Tensor, lambda: &Scalar, out: &Tensor) -> Planned {
    let lambda = lambda.real();
    map_one!(
        x,
        out,
        C,
        |x| if x >= C::of(-lambda) && x <= C::of(lambda) {
            0.0
        } else {
            x
        }
    )
}

/// The gradient of [`hardshrink`]: none for NaN.
pub(crate) fn hardshrink_backward(
    gradient: &Tensor,
    x: &Tensor,
    lambda: &Scalar,
    out: &Tensor,
) -> Planned {
    let lambda = lambda.real();
    map_two!(
        gradient,
        x,
        out,
        C,
        |g, x| if x < C::of(-lambda) || x > C::of(lambda) {
            g
        } else {
            0.0
        }
    )
}

/// x where x > 0, else x · slope.
pub(crate) fn leaky_relu(x: &Tensor, slope: &Scalar, out: &Tensor) -> Planned {
    let slope = slope.real();
    map_one!(x, out, C, |x| if x > 0.0 { x } else { x * C::of(slope) })
}

/// The gradient of [`leaky_relu`] from its argument, or from its result.
pub(crate) fn leaky_relu_backward(
    gradient: &Tensor,
    x: &Tensor,
    slope: &Scalar,
    is_result: bool,
    out: &Tensor,
) -> Planned {
    let slope = slope.real();
    require!(
        !is_result || slope >= 0.0,
        "'negativeSlope' is {slope}, so the result does not determine the sign of the argument: pass the argument, and false \
         for 'selfIsResult'"
    );
    map_two!(gradient, x, out, C, |g, x| if x > 0.0 {
        g
    } else {
        g * C::of(slope)
    })
}

/// scale · x where x > 0, else scale · alpha · (exp(x · input scale) − 1).
fn elu_of(x: &Tensor, alpha: f64, scale: f64, input_scale: f64, out: &Tensor) -> Planned {
    let below = alpha * scale;
    map_one!(x, out, C, |x| if x <= 0.0 {
        (x * C::of(input_scale)).exp_m1() * C::of(below)
    } else {
        x * C::of(scale)
    })
}

/// Exponential below 0, linear above.
pub(crate) fn elu(
    x: &Tensor,
    alpha: &Scalar,
    scale: &Scalar,
    input_scale: &Scalar,
    out: &Tensor,
) -> Planned {
    elu_of(x, alpha.real(), scale.real(), input_scale.real(), out)
}

/// The same with alpha in the exponent too, so that its slope at 0 is 1.
pub(crate) fn celu(x: &Tensor, alpha: &Scalar, out: &Tensor) -> Planned {
    let alpha = alpha.real();
    require!(alpha != 0.0, "'alpha' is 0, but must not be");
    elu_of(x, alpha, 1.0, 1.0 / alpha, out)
}

/// The gradient of [`elu`] from its argument, or from its result.
pub(crate) fn elu_backward(
    gradient: &Tensor,
    [alpha, scale, input_scale]: [&Scalar; 3],
    is_result: bool,
    x: &Tensor,
    out: &Tensor,
) -> Planned {
    let (alpha, scale, input_scale) = (alpha.real(), scale.real(), input_scale.real());
    require!(
        !is_result || alpha >= 0.0,
        "'alpha' is {alpha}, so the result does not determine the sign of the argument: pass the argument, and false for 'isResult'"
    );
    let below = alpha * scale;
    if is_result {
        map_two!(gradient, x, out, C, |g, y| if y > 0.0 {
            g * C::of(scale)
        } else {
            g * C::of(input_scale) * (y + C::of(below))
        })
    } else {
        map_two!(gradient, x, out, C, |g, x| if x > 0.0 {
            g * C::of(scale)
        } else {
            g * C::of(input_scale) * C::of(below) * (x * C::of(input_scale)).exp()
        })
    }
}

/// ln(1 + exp(beta · x)) / beta; x itself where beta · x is above the threshold.
pub(crate) fn softplus(x: &Tensor, beta: &Scalar, threshold: &Scalar, out: &Tensor) -> Planned {
    let (beta, threshold) = (beta.real(), threshold.real());
    map_one!(x, out, C, |x| {
        let scaled = x * C::of(beta);
        if scaled > C::of(threshold) {
            x
        } else {
            scaled.exp().ln_1p() / C::of(beta)
        }
    })
}

/// The gradient of [`softplus`].
pub(crate) fn softplus_backward(
    gradient: &Tensor,
    x: &Tensor,
    beta: &Scalar,
    threshold: &Scalar,
    out: &Tensor,
) -> Planned {
    let (beta, threshold) = (beta.real(), threshold.real());
    map_two!(gradient, x, out, C, |g, x| {
        let scaled = x * C::of(beta);
        if scaled > C::of(threshold) {
            g
        } else {
            g * activation::sigmoid::<C>(scaled)
        }
    })
}

/// ln(sigmoid(x)).
pub(crate) fn log_sigmoid(x: &Tensor, out: &Tensor) -> Planned {
    map_one!(x, out, C, |x| activation::log_sigmoid::<C>(x))
}

/// The same with exp(−|x|) as a second result, if there is room for it.
pub(crate) fn log_sigmoid_forward(x: &Tensor, out: &Tensor, buffer: &Tensor) -> Planned {
    let element = as_float(x.element());
    expect_kind(element, Category::Float, Category::Float)?;
    expect_shape(out, &x.dims)?;
    check_result(element, out)?;
    require!(
        buffer.is_empty() || buffer.dims == x.dims,
        "'buffer' has the shape {:?}: it must be empty or have the shape of 'self', {:?}",
        buffer.dims,
        x.dims
    );
    if !buffer.is_empty() {
        check_result(element, buffer)?;
    }
    let mut plan = Plan::new();
    let x = plan.input(x);
    let result = if buffer.is_empty() {
        plan.output(out)
    } else {
        plan.output_apart(out)
    };
    let buffer = (!buffer.is_empty()).then(|| plan.output_apart(buffer));
    plan.step(move |m| {
        let x = m.view(&x);
        floats!(element, C => {
            map::map1::<C, C>(&x, &m.view(&result), activation::log_sigmoid);
            if let Some(buffer) = &buffer {
                map::map1::<C, C>(&x, &m.view(buffer), |x| (-x.abs()).exp());
            }
        });
    });
    plan.done()
}

/// The gradient of [`log_sigmoid`] from its argument.
pub(crate) fn log_sigmoid_backward(gradient: &Tensor, x: &Tensor, out: &Tensor) -> Planned {
    map_two!(gradient, x, out, C, |g, x| g * activation::sigmoid::<C>(-x))
}

/// x where x > threshold, else value. NaN stays.
pub(crate) fn threshold(x: &Tensor, threshold: &Scalar, value: &Scalar, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Float)?;
    let (threshold, value) = (rounded(threshold, element), rounded(value, element));
    one(x, element, out, move |x, out| {
        ordered!(element, C => {
            let (threshold, value): (C, C) = (threshold.compute(), value.compute());
            map::map1::<C, C>(x, out, |x| if x <= threshold { value } else { x });
        });
    })
}

/// The gradient where x is above the threshold or NaN, else 0.
pub(crate) fn threshold_backward(
    gradient: &Tensor,
    x: &Tensor,
    threshold: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &broadcast(&[gradient, x])?)?;
    let element = promote(gradient.element(), x.element());
    expect_kind(element, Category::Int, Category::Float)?;
    check_result(element, out)?;
    let threshold = rounded(threshold, element);
    let mut plan = Plan::new();
    let (gradient, x) = (plan.input(gradient), plan.input(x));
    finish(plan, element, out, move |m, out| {
        ordered!(element, C => {
            let threshold: C = threshold.compute();
            map::map2::<C, C, C>(&m.view(&gradient), &m.view(&x), out, |g, x| {
                if x <= threshold { C::default() } else { g }
            });
        });
    })
}

/// max(self + alpha · other, 0).
pub(crate) fn add_relu(a: &Tensor, b: &Tensor, alpha: &Scalar, out: &Tensor) -> Planned {
    expect_shape(out, &broadcast(&[a, b])?)?;
    let element = promote(a.element(), b.element());
    expect_kind(element, Category::Int, Category::Float)?;
    super::elementwise::expect_factor(alpha, element, "alpha")?;
    check_result(element, out)?;
    let alpha = *alpha;
    let mut plan = Plan::new();
    let (a, b) = (plan.input(a), plan.input(b));
    if category(element) == Category::Float {
        let out = plan.output(out);
        plan.step(move |m| {
            floats!(element, C => {
                let alpha: C = alpha.compute();
                map::map2::<C, C, C>(&m.view(&a), &m.view(&b), &m.view(&out), |a, b| {
                    (a + alpha * b).max_nan(0.0)
                });
            });
        });
        return plan.done();
    }
    // Small integers wrap before they are compared with 0.
    let sum = plan.temp(element, &out.dims);
    let into = sum.clone();
    plan.step(move |m| {
        let alpha: i64 = alpha.compute();
        map::map2::<i64, i64, i64>(&m.view(&a), &m.view(&b), &m.view(&into), |a, b| {
            a.wrapping_add(alpha.wrapping_mul(b))
        });
    });
    let out = plan.output_apart(out);
    plan.step(move |m| {
        map::map1::<i64, i64>(&m.view(&sum), &m.view(&out), |x| x.max(0));
    });
    plan.done()
}

/// A weight for each channel, axis 1, or one for all: with the axes of `x`, so that it broadcasts.
fn per_channel(plan: &mut Plan, weight: &Tensor, x: &Tensor) -> Result<Value, Refusal> {
    let value = plan.input(weight);
    let rank = x.rank();
    if value.count() == 1 {
        return Ok(value.reshaped(&[]).unwrap_or(value));
    }
    if rank >= 2 && weight.rank() == 1 && weight.dims[0] == x.dims[1] {
        return Ok((1..rank - 1).fold(value, |value, axis| value.unsqueeze(axis)));
    }
    let fits = millpond_kernels::broadcast_dims(&weight.dims, &x.dims);
    require!(
        fits.is_some_and(|dims| dims == x.dims),
        "'weight' has the shape {:?}: it must have one element, or one for each channel (axis 1) of {:?}",
        weight.dims,
        x.dims
    );
    Ok(value)
}

/// x where x > 0, else x · weight.
pub(crate) fn prelu(x: &Tensor, weight: &Tensor, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    let element = promote(x.element(), weight.element());
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    let mut plan = Plan::new();
    let weight = per_channel(&mut plan, weight, x)?;
    let x = plan.input(x);
    let out = plan.output(out);
    plan.step(move |m| {
        floats!(element, C => map::map2::<C, C, C>(&m.view(&x), &m.view(&weight), &m.view(&out), |x, w| {
            if x > 0.0 { x } else { x * w }
        }));
    });
    plan.done()
}

/// The gradients of [`prelu`] for its argument and its weight.
pub(crate) fn prelu_backward(
    gradient: &Tensor,
    x: &Tensor,
    weight: &Tensor,
    to_x: &Tensor,
    to_weight: &Tensor,
) -> Planned {
    require!(
        gradient.dims == x.dims && to_x.dims == x.dims,
        "'gradOutput' has the shape {:?} and 'gradInput' {:?}: both must have the shape of 'self', {:?}",
        gradient.dims,
        to_x.dims,
        x.dims
    );
    require!(
        to_weight.count() == weight.count(),
        "'gradWeight' has {} elements: it must have as many as the weight, {}",
        to_weight.count(),
        weight.count()
    );
    let element = promote(promote(gradient.element(), x.element()), weight.element());
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, to_x)?;
    check_result(element, to_weight)?;
    let compute = millpond_kernels::compute_type(element);
    let mut plan = Plan::new();
    let weight = per_channel(&mut plan, weight, x)?;
    let (gradient, x) = (plan.input(gradient), plan.input(x));
    let products = plan.temp(compute, x.dims());
    let (to_x, to_weight) = (plan.output_apart(to_x), plan.output_apart(to_weight));
    let wide = weight.expand(x.dims());
    let mut rank_dims: Vec<i64> = vec![1; x.rank() - weight.rank()];
    rank_dims.extend(weight.dims());
    let into = products.clone();
    plan.step(move |m| {
        let (gradient, x, wide) = (m.view(&gradient), m.view(&x), m.view(&wide));
        floats!(element, C => {
            map::map3::<C, C, C, C>(&gradient, &x, &wide, &m.view(&to_x), |g, x, w| if x > 0.0 { g } else { g * w });
            map::map2::<C, C, C>(&gradient, &x, &m.view(&into), |g, x| if x > 0.0 { 0.0 } else { g * x });
        });
    });
    let axes: Vec<usize> = (0..rank_dims.len())
        .filter(|axis| rank_dims[*axis] == 1)
        .collect();
    let sums = plan.temp(compute, &rank_dims);
    plan.sum_to(&products, &axes, &sums);
    if let Some(sums) = sums.reshaped(to_weight.dims()) {
        plan.copy(&sums, &to_weight);
    }
    plan.done()
}

/// A random slope for each element that is not above 0, which goes into `noise`; 1 for the others. Outside training, the mean of both
/// bounds is the slope.
pub(crate) fn rrelu_with_noise(
    x: &Tensor,
    noise: &Tensor,
    (lower, upper): (&Scalar, &Scalar),
    training: bool,
    (seed, offset): (i64, i64),
) -> Planned {
    let (lower, upper) = (lower.real(), upper.real());
    require!(
        lower <= upper && lower.is_finite() && upper.is_finite(),
        "'lower' is {lower} and 'upper' is {upper}: both must be finite, and the first not larger than the second"
    );
    if !training {
        return leaky_relu(x, &Scalar::float(f64::midpoint(lower, upper)), x);
    }
    let element = x.element();
    expect_kind(element, Category::Float, Category::Float)?;
    expect_shape(noise, &x.dims)?;
    check_result(element, noise)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let slopes = plan.temp(Element::F64, &x.dims);
    let (noise, result) = (plan.output_apart(noise), plan.output_apart(x));
    let generator = millpond_kernels::random::Generator::new(seed, offset);
    plan.step(move |m| {
        let slopes = m.view(&slopes);
        map::generate::<f64>(&slopes, |index| {
            lower + (upper - lower) * generator.uniform(index)
        });
        let x = m.view(&value);
        map::map2::<f64, f64, f64>(&x, &slopes, &m.view(&noise), |x, slope| {
            if x <= 0.0 { slope } else { 1.0 }
        });
        map::map2::<f64, f64, f64>(&x, &slopes, &m.view(&result), |x, slope| {
            if x <= 0.0 { x * slope } else { x }
        });
    });
    plan.done()
}

fn logit_slope<C: Float>(x: C, gradient: C, eps: f64) -> C {
    let (low, high) = if eps < 0.0 {
        (C::of(0.0), C::of(1.0))
    } else {
        (C::of(eps), C::of(1.0 - eps))
    };
    if x < low || x > high {
        // Beyond what the function clamps to it is flat; without clamping it has no value there.
        return C::of(if eps < 0.0 { f64::NAN } else { 0.0 });
    }
    gradient.div(x.mul(C::of(1.0).sub(x)))
}

/// The gradient of `logit`. A negative `eps` stands for none.
pub(crate) fn logit_backward(x: &Tensor, gradient: &Tensor, eps: f64, out: &Tensor) -> Planned {
    two(
        x,
        gradient,
        out,
        move |x, g| logit_slope::<f32>(x, g, eps),
        move |x, g| logit_slope::<f64>(x, g, eps),
        None,
    )
}
