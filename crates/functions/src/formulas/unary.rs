//! Functions of one element.

use std::f64::consts::{LN_2, LN_10, PI};

use millpond_kernels::special::{self, exp32, single};
use millpond_kernels::{Complex64, Compute, Element, Float, floats, map};

use super::elementwise::{Pair, as_bytes, expect_factor, expect_kind, one, ordered, wholes, zip};
use crate::plan::Planned;
use crate::promote::{Category, as_float, category, check_result, is_complex};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// A function of real numbers; integers are computed as `float`.
pub(crate) fn real(
    x: &Tensor,
    out: &Tensor,
    single: fn(f32) -> f32,
    double: fn(f64) -> f64,
) -> Planned {
    field(x, out, single, double, None)
}

/// A function of real numbers, and of complex ones if there is such; integers are computed as `float`.
pub(crate) fn field(
    x: &Tensor,
    out: &Tensor,
    single: impl Fn(f32) -> f32 + Send + Sync + 'static,
    double: impl Fn(f64) -> f64 + Send + Sync + 'static,
    complex: Option<fn(Complex64) -> Complex64>,
) -> Planned {
    let element = as_float(x.element());
    if is_complex(element) && complex.is_none() {
        return Err(Refusal::invalid(format!(
            "'self' has the type {}, but this function takes real numbers",
            element.name()
        )));
    }
    check_result(element, out)?;
    one(x, element, out, move |x, out| match (element, complex) {
        (Element::C32 | Element::C64 | Element::C128, Some(complex)) => {
            map::map1::<Complex64, Complex64>(x, out, complex);
        }
        (Element::F64, _) => map::map1::<f64, f64>(x, out, &double),
        _ => map::map1::<f32, f32>(x, out, &single),
    })
}

/// Functions that call others for each element: they share their loops.
macro_rules! called {
    ($($(#[$doc:meta])* $name:ident = $single:expr, $double:expr, $complex:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(x: &Tensor, out: &Tensor) -> Planned {
            let (single, double): (fn(f32) -> f32, fn(f64) -> f64) = ($single, $double);
            field(x, out, single, double, $complex)
        }
    )*};
}
called! {
    /// Arc cosine.
    acos = f32::acos, f64::acos, Some(Complex64::acos);
    /// Inverse hyperbolic cosine.
    acosh = |x| single(special::acosh(f64::from(x))), special::acosh, Some(Complex64::acosh);
    /// Arc sine.
    asin = f32::asin, f64::asin, Some(Complex64::asin);
    /// Inverse hyperbolic sine.
    asinh = |x| single(special::asinh(f64::from(x))), special::asinh, Some(Complex64::asinh);
    /// Arc tangent.
    atan = f32::atan, f64::atan, Some(Complex64::atan);
    /// Inverse hyperbolic tangent.
    atanh = |x| single(special::atanh(f64::from(x))), special::atanh, Some(Complex64::atanh);
    /// Cosine.
    cos = f32::cos, f64::cos, Some(Complex64::cos);
    /// Hyperbolic cosine.
    cosh = f32::cosh, f64::cosh, Some(Complex64::cosh);
    /// 2ˣ.
    exp2 = f32::exp2, f64::exp2, Some(|z| (z * LN_2).exp());
    /// eˣ − 1.
    expm1 = f32::exp_m1, f64::exp_m1, Some(|z| {
        // Without the difference of numbers near 1.
        let half = (z.im / 2.0).sin();
        Complex64::new(z.re.exp_m1() * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
    });
    /// Natural logarithm.
    log = f32::ln, f64::ln, Some(Complex64::ln);
    /// Decimal logarithm.
    log10 = f32::log10, f64::log10, Some(|z| z.ln() / LN_10);
    /// ln(1 + x).
    log1p = f32::ln_1p, f64::ln_1p, Some(|z| {
        // Without the sum of 1 and a small number.
        Complex64::new((z.re * (2.0 + z.re) + z.im * z.im).ln_1p() / 2.0, z.im.atan2(1.0 + z.re))
    });
    /// Binary logarithm.
    log2 = f32::log2, f64::log2, Some(|z| z.ln() / LN_2);
    /// Sine.
    sin = f32::sin, f64::sin, Some(Complex64::sin);
    /// sin(πx) / (πx).
    sinc = |x| single(sinc_of(f64::from(x))), sinc_of, Some(|z| {
        if z == Complex64::default() { Complex64::new(1.0, 0.0) } else { (z * PI).sin() / (z * PI) }
    });
    /// Hyperbolic sine.
    sinh = f32::sinh, f64::sinh, Some(Complex64::sinh);
    /// Tangent.
    tan = f32::tan, f64::tan, Some(Complex64::tan);
}

fn sinc_of(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        (PI * x).sin() / (PI * x)
    }
}

/// The error function.
pub(crate) fn erf(x: &Tensor, out: &Tensor) -> Planned {
    field(x, out, special::erf32, special::erf, None)
}

/// 1 − erf(x).
pub(crate) fn erfc(x: &Tensor, out: &Tensor) -> Planned {
    real(
        x,
        out,
        |x| single(special::erfc(f64::from(x))),
        special::erfc,
    )
}

/// The inverse of the error function.
pub(crate) fn erfinv(x: &Tensor, out: &Tensor) -> Planned {
    real(
        x,
        out,
        |x| single(special::erfinv(f64::from(x))),
        special::erfinv,
    )
}

/// eˣ.
pub(crate) fn exp(x: &Tensor, out: &Tensor) -> Planned {
    field(x, out, exp32, f64::exp, Some(Complex64::exp))
}

/// Square root.
pub(crate) fn sqrt(x: &Tensor, out: &Tensor) -> Planned {
    field(
        x,
        out,
        |x: f32| x.sqrt(),
        |x: f64| x.sqrt(),
        Some(Complex64::sqrt),
    )
}

/// 1 / √x.
pub(crate) fn rsqrt(x: &Tensor, out: &Tensor) -> Planned {
    field(
        x,
        out,
        |x: f32| 1.0 / x.sqrt(),
        |x: f64| 1.0 / x.sqrt(),
        Some(|z| 1.0 / z.sqrt()),
    )
}

/// 1 / x.
pub(crate) fn reciprocal(x: &Tensor, out: &Tensor) -> Planned {
    field(
        x,
        out,
        |x: f32| 1.0 / x,
        |x: f64| 1.0 / x,
        Some(|z| 1.0 / z),
    )
}

/// ln(x / (1 − x)); if `eps` is not negative, elements are first bounded to `eps` and 1 − `eps`.
pub(crate) fn logit(x: &Tensor, eps: f64, out: &Tensor) -> Planned {
    fn logit_of<C: Float>(x: C, eps: f64) -> C {
        let one = C::of(1.0);
        let x = if eps < 0.0 {
            x
        } else {
            x.max_nan(C::of(eps)).min_nan(one.sub(C::of(eps)))
        };
        x.div(one.sub(x)).ln()
    }
    field(
        x,
        out,
        move |x: f32| logit_of(x, eps),
        move |x: f64| logit_of(x, eps),
        None,
    )
}

/// −x.
pub(crate) fn neg(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    one(x, element, out, move |x, out| {
        if is_complex(element) {
            map::map1::<Complex64, Complex64>(x, out, |z| -z);
        } else {
            ordered!(element, C => map::map1::<C, C>(x, out, |x| x.mul(C::from_i64(-1))));
        }
    })
}

/// max(x, 0).
pub(crate) fn relu(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Float)?;
    one(x, element, out, move |x, out| match category(element) {
        Category::Float => {
            floats!(element, C => map::map1::<C, C>(x, out, |x| x.max_nan(C::of(0.0))));
        }
        _ => wholes!(element, C => map::map1::<C, C>(x, out, |x| x.max(C::default()))),
    })
}

/// The distance from 0. Of complex numbers it is real; of the least integer it is itself.
pub(crate) fn abs(x: &Tensor, out: &Tensor) -> Planned {
    let element = match x.element() {
        Element::C32 => Element::F16,
        Element::C64 => Element::F32,
        Element::C128 => Element::F64,
        other => other,
    };
    check_result(element, out)?;
    let source = x.element();
    one(x, element, out, move |x, out| match source {
        Element::C32 | Element::C64 | Element::C128 => {
            map::map1::<Complex64, f64>(x, out, Complex64::norm);
        }
        Element::U64 => map::copy(x, out),
        _ => match category(source) {
            Category::Float => floats!(source, C => map::map1::<C, C>(x, out, C::abs)),
            _ => map::map1::<i64, i64>(x, out, i64::wrapping_abs),
        },
    })
}

/// The angle of a number in the complex plane: of real numbers 0 or π, and NaN stays.
pub(crate) fn angle(x: &Tensor, out: &Tensor) -> Planned {
    let element = match x.element() {
        Element::C32 => Element::F16,
        Element::C64 => Element::F32,
        Element::C128 => Element::F64,
        other => as_float(other),
    };
    check_result(element, out)?;
    let source = x.element();
    one(x, element, out, move |x, out| {
        if is_complex(source) {
            map::map1::<Complex64, f64>(x, out, Complex64::arg);
        } else {
            map::map1::<f64, f64>(x, out, |x| {
                if x.is_nan() {
                    x
                } else if x < 0.0 {
                    PI
                } else {
                    0.0
                }
            });
        }
    })
}

/// −1, 0 or 1. NaN gives 0, as in PyTorch. Of a complex number it is the one of size 1 in its direction.
pub(crate) fn sign(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    if is_complex(element) {
        return one(x, element, out, move |x, out| {
            map::map1::<Complex64, Complex64>(x, out, |z| {
                let size = z.norm();
                if size == 0.0 { size.into() } else { z / size }
            });
        });
    }
    expect_kind(element, Category::Bool, Category::Float)?;
    one(x, element, out, move |x, out| {
        ordered!(element, C => map::map1::<C, C>(x, out, |x| {
            let zero = C::default();
            C::from_i64(i64::from(x > zero) - i64::from(x < zero))
        }));
    })
}

/// Whether an element has the sign of negative numbers; −0 and NaN may have it.
pub(crate) fn signbit(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    expect_kind(element, Category::Bool, Category::Float)?;
    one(x, out.element(), out, move |x, out| {
        let out = as_bytes(out);
        match category(element) {
            Category::Float => {
                floats!(element, C => map::map1::<C, u8>(x, &out, |x| u8::from(x.is_sign_negative())));
            }
            _ => wholes!(element, C => map::map1::<C, u8>(x, &out, |x| u8::from(x < C::default()))),
        }
    })
}

/// Whether an element is neither infinite nor NaN.
pub(crate) fn is_finite(x: &Tensor, out: &Tensor) -> Planned {
    classify(x, out, 1, |re, im| re.is_finite() && im.is_finite())
}

/// Whether an element is +∞.
pub(crate) fn is_pos_inf(x: &Tensor, out: &Tensor) -> Planned {
    expect_kind(x.element(), Category::Bool, Category::Float)?;
    classify(x, out, 0, |x, _| x == f64::INFINITY)
}

/// Whether an element is −∞.
pub(crate) fn is_neg_inf(x: &Tensor, out: &Tensor) -> Planned {
    expect_kind(x.element(), Category::Bool, Category::Float)?;
    classify(x, out, 0, |x, _| x == f64::NEG_INFINITY)
}

/// Looks at both parts of each element; integers all get the same result.
fn classify(x: &Tensor, out: &Tensor, of_integers: u8, is: fn(f64, f64) -> bool) -> Planned {
    let element = x.element();
    one(x, out.element(), out, move |x, out| {
        let out = as_bytes(out);
        match category(element) {
            Category::Complex => {
                map::map1::<Complex64, u8>(x, &out, move |z| u8::from(is(z.re, z.im)));
            }
            Category::Float => {
                floats!(element, C => map::map1::<C, u8>(x, &out, move |x| u8::from(is(x.to_f64(), 0.0))));
            }
            _ => map::fill::<u8>(&out, of_integers),
        }
    })
}

/// Replaces NaN and infinities.
pub(crate) fn nan_to_num(x: &Tensor, nan: f32, pos: f32, neg: f32, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    one(x, element, out, move |x, out| {
        let [nan, pos, neg] = [nan, pos, neg].map(f64::from);
        let wide = |x: f64| match x {
            _ if x.is_nan() => nan,
            f64::INFINITY => pos,
            f64::NEG_INFINITY => neg,
            _ => x,
        };
        match category(element) {
            Category::Complex => {
                map::map1::<Complex64, Complex64>(x, out, move |z| {
                    Complex64::new(wide(z.re), wide(z.im))
                });
            }
            Category::Float => {
                floats!(element, C => {
                    let [nan, pos, neg] = [nan, pos, neg].map(C::of);
                    map::map1::<C, C>(x, out, move |x| {
                        let finite = if x > C::MAX { pos } else { x };
                        let finite = if x < C::MIN { neg } else { finite };
                        if x.is_nan() { nan } else { finite }
                    });
                });
            }
            _ => map::copy(x, out),
        }
    })
}

fn expect_lambda(lambda: &Scalar, element: Element) -> Result<(), Refusal> {
    expect_kind(element, Category::Float, Category::Float)?;
    expect_factor(lambda, element, "lambd")?;
    let usable = lambda.real() >= 0.0;
    require!(
        usable,
        "'lambd' is {}: it must not be negative",
        lambda.real()
    );
    Ok(())
}

/// Moves elements by `lambda` towards 0, where they stop.
pub(crate) fn softshrink(x: &Tensor, lambda: &Scalar, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_lambda(lambda, element)?;
    let lambda = *lambda;
    one(x, element, out, move |x, out| {
        floats!(element, C => {
            let lambda: C = lambda.compute();
            map::map1::<C, C>(x, out, move |x| {
                let moved = if x > C::of(0.0) { x - lambda } else { x + lambda };
                if x >= -lambda && x <= lambda { C::of(0.0) } else { moved }
            });
        });
    })
}

/// The gradient where the element was moved and did not stop at 0.
pub(crate) fn softshrink_backward(
    gradient: &Tensor,
    x: &Tensor,
    lambda: &Scalar,
    out: &Tensor,
) -> Planned {
    let pair = Pair::of(gradient.into(), x.into(), out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_lambda(lambda, element)?;
    let lambda = *lambda;
    pair.step(element, out, move |gradient, x, out| {
        floats!(element, C => {
            let lambda: C = lambda.compute();
            zip::<C, C>(gradient, x, out, move |gradient, x| {
                if x >= -lambda && x <= lambda { C::of(0.0) } else { gradient }
            });
        });
    })
}
