//! Variance, standard deviation and norms over axes.

use millpond_kernels::reduce::{self, Fold, kept_dims};
use millpond_kernels::{Complex64, Compute, Element, View, map, read_block};

use super::softmax::row_type;
use super::{axes_of, axis_of, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result, is_complex};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// What is made of squared distances from the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Their sum over the count less a correction.
    Variance,
    /// The root of that.
    Deviation,
}

/// The spread over axes, and the mean if it is wanted.
#[expect(clippy::cast_precision_loss, reason = "counts of elements")]
pub(crate) fn spread(
    x: &Tensor,
    dims: &[i64],
    correction: i64,
    keep: bool,
    what: Spread,
    out: &Tensor,
    mean: Option<&Tensor>,
) -> Planned {
    let axes = axes_of(x, dims, "dim")?;
    let shape = kept_dims(&x.dims, &axes, keep);
    row_type(&[x])?;
    for out in [Some(out), mean].into_iter().flatten() {
        expect_shape(out, &shape)?;
        require!(
            category(out.element()) >= Category::Float,
            "the result is a real number, which a tensor of type {} cannot hold",
            out.element().name()
        );
    }
    let amount: f64 = axes.iter().map(|axis| x.dims[*axis] as f64).product();
    let degrees = (amount - correction as f64).max(0.0);
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    let mean = mean.map(|mean| plan.output_apart(mean));
    let pairs = plan.moments(&value, &axes);
    plan.step(move |m| {
        let pairs = m.view(&pairs).reshape(&shape);
        map::map1::<f64, f64>(&pairs.part(true), &m.view(&result), |squares| {
            let variance = squares / degrees;
            if what == Spread::Deviation {
                variance.sqrt()
            } else {
                variance
            }
        });
        if let Some(mean) = &mean {
            map::copy(&pairs.part(false), &m.view(mean));
        }
    });
    plan.done()
}

/// Which norm.
#[derive(Debug, Clone, Copy)]
enum Order {
    One,
    Two,
    Largest,
    Smallest,
    NotZero,
    Other(f64),
}

impl Order {
    fn of(p: f64) -> Self {
        match p {
            1.0 => Self::One,
            2.0 => Self::Two,
            0.0 => Self::NotZero,
            p if p == f64::INFINITY => Self::Largest,
            p if p == f64::NEG_INFINITY => Self::Smallest,
            p => Self::Other(p),
        }
    }
}

fn norm_of<C: Compute>(
    from: &View,
    axes: &[usize],
    to: &View,
    order: Order,
    size: impl Fn(C) -> f64 + Sync,
) {
    let larger = |a: f64, b: f64| if a.is_nan() || a >= b { a } else { b };
    let smaller = |a: f64, b: f64| if a.is_nan() || a <= b { a } else { b };
    macro_rules! fold {
        ($init:expr, $step:expr, $merge:expr, $finish:expr) => {{
            let (step, finish): (_, fn(f64) -> f64) = ($step, $finish);
            reduce::reduce(
                from,
                axes,
                to,
                &Fold {
                    init: $init,
                    step,
                    merge: $merge,
                    finish,
                },
            );
        }};
    }
    match order {
        Order::One => fold!(0.0, |sum: f64, x: C| sum + size(x), |a, b| a + b, |sum| sum),
        Order::Two => fold!(
            0.0,
            |sum: f64, x: C| {
                let x = size(x);
                sum + x * x
            },
            |a, b| a + b,
            f64::sqrt
        ),
        Order::Largest => fold!(
            0.0,
            |most: f64, x: C| larger(most, size(x)),
            larger,
            |most| most
        ),
        Order::Smallest => fold!(
            f64::INFINITY,
            |least: f64, x: C| smaller(least, size(x)),
            smaller,
            |least| least
        ),
        Order::NotZero => fold!(
            0.0,
            |count: f64, x: C| count + f64::from(u8::from(size(x) != 0.0)),
            |a, b| a + b,
            |count| count
        ),
        Order::Other(p) => {
            let fold = Fold {
                init: 0.0,
                step: |sum: f64, x: C| sum + size(x).powf(p),
                merge: |a, b| a + b,
                finish: |sum: f64| sum.powf(1.0 / p),
            };
            reduce::reduce(from, axes, to, &fold);
        }
    }
}

/// Adds the norm over axes to a plan.
pub(super) fn add_norm(plan: &mut Plan, value: &Value, axes: &[usize], p: f64, result: &Value) {
    let (value, result, axes, order) = (value.clone(), result.clone(), axes.to_vec(), Order::of(p));
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        match from.element() {
            Element::C32 | Element::C64 | Element::C128 => {
                norm_of(&from, &axes, &to, order, |x: Complex64| x.norm());
            }
            Element::F32 | Element::F16 | Element::BF16 => {
                norm_of(&from, &axes, &to, order, |x: f32| f64::from(x.abs()));
            }
            _ => norm_of(&from, &axes, &to, order, f64::abs),
        }
    });
}

fn expect_real(out: &Tensor) -> Result<(), Refusal> {
    require!(
        category(out.element()) == Category::Float,
        "a norm is a real number, but 'out' has the type {}",
        out.element().name()
    );
    Ok(())
}

/// (Σ |x|^p)^(1/p) over axes.
pub(crate) fn norm(
    x: &Tensor,
    p: Option<&Scalar>,
    dims: &[i64],
    keep: bool,
    out: &Tensor,
) -> Planned {
    let axes = axes_of(x, dims, "dim")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    expect_real(out)?;
    let p = p.map_or(2.0, Scalar::real);
    let nothing = axes.iter().any(|axis| x.dims[*axis] == 0) && !out.is_empty();
    require!(
        !(nothing && (p < 0.0 || p.is_infinite())),
        "a tensor of shape {:?} has no elements, so it has no norm of order {p}",
        x.dims
    );
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    add_norm(&mut plan, &value, &axes, p, &result);
    plan.done()
}

/// Slices along an axis, scaled down to a largest norm.
pub(crate) fn renorm(x: &Tensor, p: &Scalar, dim: i64, largest: &Scalar, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    check_result(x.element(), out)?;
    require!(
        x.rank() >= 2,
        "'self' has the shape {:?}, but at least two dimensions are expected",
        x.dims
    );
    require!(
        category(x.element()) >= Category::Float,
        "'self' has the type {}, but real numbers are expected",
        x.element().name()
    );
    if is_complex(x.element()) {
        return Err(Refusal::unsupported(
            "Millpond does not renormalise complex numbers",
        ));
    }
    let (p, largest) = (p.real(), largest.real());
    require!(p > 0.0, "'p' is {p}, but a positive order is expected");
    require!(
        largest >= 0.0,
        "'maxnorm' is {largest}, but must not be negative"
    );
    let axis = axis_of(x, dim, "dim")?;
    let others: Vec<usize> = (0..x.rank()).filter(|other| *other != axis).collect();
    let element = row_type(&[x])?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output(out);
    let norms = plan.temp(Element::F64, &kept_dims(&x.dims, &others, true));
    add_norm(&mut plan, &value, &others, p, &norms);
    plan.step(move |m| {
        let norms = m.view(&norms);
        map::map1::<f64, f64>(&norms, &norms, |norm| {
            if norm > largest {
                largest / (norm + 1e-7)
            } else {
                1.0
            }
        });
        let (from, to) = (m.view(&value), m.view(&result));
        if element == Element::F64 {
            map::map2::<f64, f64, f64>(&from, &norms, &to, |x, factor| x * factor);
        } else {
            map::map2::<f32, f32, f32>(&from, &norms, &to, |x, factor| x * factor);
        }
    });
    plan.done()
}

/// Rows of a table that indices name, scaled down to a largest norm, in place.
pub(crate) fn embedding_renorm(table: &Tensor, indices: &Tensor, largest: f64, p: f64) -> Planned {
    require!(
        table.rank() == 2,
        "'selfRef' has the shape {:?}, but a table with two dimensions is expected",
        table.dims
    );
    require!(
        category(indices.element()) == Category::Int,
        "'indices' have the type {}, but integers are expected",
        indices.element().name()
    );
    row_type(&[table])?;
    require!(
        category(table.element()) == Category::Float,
        "'selfRef' has the type {}, but real numbers are expected",
        table.element().name()
    );
    let (height, width) = (table.dims[0], table.dims[1]);
    let order = Order::of(p);
    let mut plan = Plan::new();
    let indices = plan.input(indices);
    let table = plan.in_place(table);
    let done = plan.temp(Element::U8, &[height]);
    plan.fill(&done, 0.0);
    plan.try_step(move |m| {
        let (table, indices, done) = (m.view(&table), m.view(&indices), m.view(&done));
        for number in 0..indices.count() {
            let mut index = [0_i64];
            read_block(&indices, number, &mut index);
            let [row] = index;
            if !(0..height).contains(&row) {
                return Err(format!("index {row} is outside a table of {height} rows"));
            }
            if done.get::<u8>(&[row]) != 0 {
                continue;
            }
            done.set::<u8>(&[row], 1);
            let row = table.select(0, row);
            let mut norm = 0.0;
            for at in 0..width {
                let mut x = [0.0_f64];
                read_block(&row, usize::try_from(at).unwrap_or(0), &mut x);
                let size = x[0].abs();
                norm = match order {
                    Order::One => norm + size,
                    Order::Two => norm + size * size,
                    Order::Largest => {
                        if size.is_nan() || size > norm {
                            size
                        } else {
                            norm
                        }
                    }
                    Order::Smallest => {
                        if at == 0 || size < norm {
                            size
                        } else {
                            norm
                        }
                    }
                    Order::NotZero => norm + f64::from(u8::from(size != 0.0)),
                    Order::Other(p) => norm + size.powf(p),
                };
            }
            let norm = match order {
                Order::Two => norm.sqrt(),
                Order::Other(p) => norm.powf(1.0 / p),
                _ => norm,
            };
            if norm > largest {
                let factor = largest / (norm + 1e-7);
                map::map1::<f64, f64>(&row, &row, |x| x * factor);
            }
        }
        Ok(())
    });
    plan.done()
}
