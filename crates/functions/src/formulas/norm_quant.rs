//! Norms whose results are quantised, or that belong to a fused residual connection.

use millpond_kernels::quantise::row_to_i8;
use millpond_kernels::{Element, Stored, map, norm, rows};

use super::moe::{Staged, expect_dims, flat, slice, whole};
use super::normalisation::{expect_count, last_axes};
use super::quantise::{expect_int8, expect_single, to_int8};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// A root-mean-square norm of a sum.
struct Norm<'a> {
    x: &'a Tensor,
    added: Option<&'a Tensor>,
    gamma: &'a Tensor,
    beta: Option<&'a Tensor>,
    epsilon: f64,
}

/// Its inputs in float: rows, and vectors that are as long as a row.
pub(crate) struct Inputs {
    x: Value,
    added: Option<Value>,
    gamma: Value,
    beta: Option<Value>,
    epsilon: f64,
    pub(crate) rows: i64,
    pub(crate) width: i64,
}

/// What the norm gives, in float.
pub(crate) struct Normed {
    /// x1 + x2, not rounded.
    pub(crate) sum: Value,
    /// x / rms · gamma.
    pub(crate) plain: Value,
    /// The same with beta.
    pub(crate) whole: Value,
    /// 1 / rms for each row.
    pub(crate) rstd: Value,
}

impl Norm<'_> {
    fn inputs(&self, plan: &mut Plan) -> Result<Inputs, Refusal> {
        expect_single(self.x, "x")?;
        expect_single(self.gamma, "gamma")?;
        // A weight may have leading axes of one element.
        let ones = self.gamma.dims.iter().take_while(|dim| **dim == 1).count();
        let skipped = ones.min(self.gamma.rank().saturating_sub(1));
        require!(
            self.gamma.rank() > 0,
            "'gamma' has no dimensions, but at least one is normalised"
        );
        let axes = last_axes(self.x, &self.gamma.dims[skipped..], "gamma")?;
        let lead = &self.x.dims[..self.x.rank() - axes.len()];
        let (rows, width) = (
            whole(millpond_kernels::count(lead)),
            whole(self.gamma.count()),
        );
        let x = flat(plan, self.x, Element::F32, &[rows, width]);
        let added = match self.added {
            Some(added) => {
                expect_single(added, "x2")?;
                expect_dims(added, &self.x.dims, "x2")?;
                Some(flat(plan, added, Element::F32, &[rows, width]))
            }
            None => None,
        };
        let gamma = flat(plan, self.gamma, Element::F32, &[width]);
        let beta = match self.beta {
            Some(beta) => {
                expect_single(beta, "beta")?;
                expect_count(beta, "beta", self.gamma.count())?;
                Some(flat(plan, beta, Element::F32, &[width]))
            }
            None => None,
        };
        Ok(Inputs {
            x,
            added,
            gamma,
            beta,
            epsilon: self.epsilon,
            rows,
            width,
        })
    }
}

impl Inputs {
    /// Adds the steps of the norm.
    pub(crate) fn norm(&self, plan: &mut Plan) -> Normed {
        let dims = [self.rows, self.width];
        let sum = match &self.added {
            Some(added) => {
                let sum = plan.temp(Element::F32, &dims);
                let (x, added, into) = (self.x.clone(), added.clone(), sum.clone());
                plan.step(move |m| {
                    map::map2::<f32, f32, f32>(
                        &m.view(&x),
                        &m.view(&added),
                        &m.view(&into),
                        |x, y| x + y,
                    );
                });
                sum
            }
            None => self.x.clone(),
        };
        let plain = plan.temp(Element::F32, &dims);
        let rstd = plan.temp(Element::F32, &[self.rows]);
        let (x, gamma, into, scales) =
            (sum.clone(), self.gamma.clone(), plain.clone(), rstd.clone());
        let epsilon = self.epsilon;
        plan.step(move |m| {
            norm::rms_norm::<f32>(
                &m.view(&x),
                &m.view(&gamma),
                0.0,
                epsilon,
                &m.view(&into),
                &m.view(&scales),
            );
        });
        let whole = match &self.beta {
            Some(beta) => {
                let whole = plan.temp(Element::F32, &dims);
                let (from, beta, into) = (plain.clone(), beta.clone(), whole.clone());
                plan.step(move |m| {
                    map::map2::<f32, f32, f32>(
                        &m.view(&from),
                        &m.view(&beta),
                        &m.view(&into),
                        |x, y| x + y,
                    );
                });
                whole
            }
            None => plain.clone(),
        };
        Normed {
            sum,
            plain,
            whole,
            rstd,
        }
    }
}

/// The inputs of x / rms · gamma + beta, for formulas that quantise it in their own way.
pub(crate) fn rms_inputs(
    plan: &mut Plan,
    x: &Tensor,
    added: Option<&Tensor>,
    gamma: &Tensor,
    beta: Option<&Tensor>,
    epsilon: f64,
) -> Result<Inputs, Refusal> {
    Norm {
        x,
        added,
        gamma,
        beta,
        epsilon,
    }
    .inputs(plan)
}

/// A vector for the elements of a row, or one number for all of them.
fn factors(plan: &mut Plan, tensor: &Tensor, width: i64, argument: &str) -> Result<Value, Refusal> {
    let count = whole(tensor.count());
    require!(
        count == width || count == 1,
        "'{argument}' has the shape {:?}, but 1 or {width} elements are expected",
        tensor.dims
    );
    Ok(flat(plan, tensor, Element::F32, &[count]))
}

/// One quantised result: where it goes, its scale, its zero point.
struct Target {
    scale: Value,
    zero: Option<Value>,
}

impl Target {
    /// to = round(from / scale + zero), or with the product.
    fn add(self, plan: &mut Plan, from: &Value, to: &Value, divide: bool) {
        let (from, to) = (from.clone(), to.clone());
        let zero = match self.zero {
            Some(zero) => zero,
            None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
        };
        let scale = self.scale;
        plan.step(move |m| {
            map::map3::<f32, f32, f32, f32>(
                &m.view(&from),
                &m.view(&scale),
                &m.view(&zero),
                &m.view(&to),
                |x, scale, zero| {
                    let scaled = if divide { x / scale } else { x * scale };
                    to_int8((scaled + zero).round_ties_even())
                },
            );
        });
    }
}

/// The norm of x1 + x2 as int8, with one or two scales.
pub(crate) fn add_rms_norm_quant(call: table::AddRmsNormQuantV2<'_>) -> Planned {
    require!(
        call.axis == -1,
        "'axis' is {}, but only -1 is expected: scales belong to the last axis",
        call.axis
    );
    if call.scales2.is_none() && call.zero_points2.is_some() {
        return Err(Refusal::invalid(
            "'zeroPoints2' is given without 'scales2', which it belongs to",
        ));
    }
    let mut plan = Plan::new();
    let inputs = rms_inputs(
        &mut plan,
        call.x1,
        Some(call.x2),
        call.gamma,
        call.beta,
        call.epsilon,
    )?;
    let (rows, width) = (inputs.rows, inputs.width);
    expect_single(call.scales1, "scales1")?;
    let mut targets = vec![(
        Target {
            scale: factors(&mut plan, call.scales1, width, "scales1")?,
            zero: match call.zero_points1 {
                Some(zero) => Some(factors(&mut plan, zero, width, "zeroPoints1")?),
                None => None,
            },
        },
        Some(call.y1),
        "y1",
    )];
    if let Some(scales) = call.scales2 {
        expect_single(scales, "scales2")?;
        targets.push((
            Target {
                scale: factors(&mut plan, scales, width, "scales2")?,
                zero: match call.zero_points2 {
                    Some(zero) => Some(factors(&mut plan, zero, width, "zeroPoints2")?),
                    None => None,
                },
            },
            call.y2,
            "y2",
        ));
    }
    let mut outs = Vec::new();
    for (_, out, argument) in &targets {
        let Some(out) = out else {
            return Err(Refusal::missing(argument));
        };
        expect_int8(out, argument)?;
        expect_dims(out, &call.x1.dims, argument)?;
        outs.push(Staged::of(&mut plan, out, Element::I8));
    }
    let mut floats = Vec::new();
    for (out, argument) in [(Some(call.x_out), "xOut"), (call.rmsnorm_out, "rmsnormOut")] {
        floats.push(match out {
            Some(out) => {
                expect_single(out, argument)?;
                expect_dims(out, &call.x1.dims, argument)?;
                Some(plan.output_apart(out))
            }
            None => None,
        });
    }
    let normed = inputs.norm(&mut plan);
    for (from, to) in [&normed.sum, &normed.plain].into_iter().zip(&floats) {
        if let Some(to) = to {
            let from = plan.reshape(from, to.dims());
            plan.copy(&from, to);
        }
    }
    for ((target, _, _), out) in targets.into_iter().zip(outs) {
        let into = plan.reshape(&out.work, &[rows, width]);
        target.add(&mut plan, &normed.whole, &into, call.div_mode);
        out.deliver(&mut plan);
    }
    plan.done()
}

/// The norm of x1 + x2 as int8, each row with a scale of its own, once or twice.
pub(crate) fn add_rms_norm_dynamic_quant(call: table::AddRmsNormDynamicQuantV2<'_>) -> Planned {
    let mask = match call.output_mask {
        // Without a mask the second result exists if both factors do.
        None | Some([]) => [
            true,
            call.smooth_scale1.is_some() && call.smooth_scale2.is_some(),
        ],
        Some([first, second]) => [*first, *second],
        Some(other) => {
            return Err(Refusal::invalid(format!(
                "'outputMask' has {} members, but 2 are expected",
                other.len()
            )));
        }
    };
    let mut plan = Plan::new();
    let inputs = rms_inputs(
        &mut plan,
        call.x1,
        Some(call.x2),
        call.gamma,
        call.beta,
        call.epsilon,
    )?;
    let (rows, width) = (inputs.rows, inputs.width);
    require!(
        call.x1.dims.last().copied() == Some(width),
        "'gamma' has the shape {:?}, but rows along the last axis of 'x1' are quantised",
        call.gamma.dims
    );
    let lead = &call.x1.dims[..call.x1.rank() - 1];
    let mut parts = Vec::new();
    for (wanted, smooth, argument, y, scale, (y_name, scale_name)) in [
        (
            mask[0],
            call.smooth_scale1,
            "smoothScale1",
            call.y1,
            call.scale1,
            ("y1", "scale1"),
        ),
        (
            mask[1],
            call.smooth_scale2,
            "smoothScale2",
            call.y2,
            call.scale2,
            ("y2", "scale2"),
        ),
    ] {
        if !wanted {
            continue;
        }
        let smooth = match smooth {
            Some(smooth) => {
                expect_single(smooth, argument)?;
                expect_count(smooth, argument, call.gamma.count())?;
                Some(flat(&mut plan, smooth, Element::F32, &[width]))
            }
            None => None,
        };
        let y = y.ok_or_else(|| Refusal::missing(y_name))?;
        let scale = scale.ok_or_else(|| Refusal::missing(scale_name))?;
        expect_int8(y, y_name)?;
        expect_dims(y, &call.x1.dims, y_name)?;
        expect_single(scale, scale_name)?;
        expect_dims(scale, lead, scale_name)?;
        parts.push((smooth, y, scale));
    }
    expect_single(call.x, "x")?;
    expect_dims(call.x, &call.x1.dims, "x")?;
    let parts: Vec<_> = parts
        .into_iter()
        .map(|(smooth, y, scale)| {
            let y = Staged::of(&mut plan, y, Element::I8);
            let scale = Staged::of(&mut plan, scale, Element::F32);
            (smooth, y, scale)
        })
        .collect();
    let sum = plan.output_apart(call.x);
    let normed = inputs.norm(&mut plan);
    let from = plan.reshape(&normed.sum, sum.dims());
    plan.copy(&from, &sum);
    for (smooth, y, scale) in parts {
        if width == 0 {
            plan.fill(&scale.work, 0.0);
        }
        let from = normed.whole.clone();
        let into = plan.reshape(&y.work, &[rows, width]);
        let steps = plan.reshape(&scale.work, &[rows, 1]);
        plan.step(move |m| {
            let smooth = smooth.as_ref().map(|smooth| m.view(smooth));
            let smooth = smooth.as_ref().map(slice::<f32>);
            rows::rows1_2::<f32, i8, f32>(
                &m.view(&from),
                &m.view(&into),
                &m.view(&steps),
                |_, from, to, step| {
                    let factor = |index: usize| smooth.map_or(1.0, |smooth| smooth[index]);
                    let values = from.iter().enumerate().map(|(index, x)| x * factor(index));
                    step.fill(row_to_i8(values, 127.0, to));
                },
            );
        });
        y.deliver(&mut plan);
        scale.deliver(&mut plan);
    }
    plan.done()
}

/// The layer norm of alpha · x + gx.
pub(crate) fn deep_norm(call: table::DeepNorm<'_>) -> Planned {
    expect_single(call.x, "x")?;
    expect_single(call.gx, "gx")?;
    expect_single(call.y, "y")?;
    expect_dims(call.gx, &call.x.dims, "gx")?;
    expect_dims(call.y, &call.x.dims, "y")?;
    require!(
        call.gamma.rank() > 0,
        "'gamma' has no dimensions, but at least one is normalised"
    );
    expect_single(call.gamma, "gamma")?;
    expect_single(call.beta, "beta")?;
    let axes = last_axes(call.x, &call.gamma.dims, "gamma")?;
    expect_dims(call.beta, &call.gamma.dims, "beta")?;
    let lead = millpond_kernels::count(&call.x.dims[..call.x.rank() - axes.len()]);
    for (out, argument) in [(call.mean, "mean"), (call.rstd, "rstd")] {
        expect_single(out, argument)?;
        expect_count(out, argument, lead)?;
    }
    let dims = [whole(lead), whole(call.gamma.count())];
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::F32, &dims);
    let gx = flat(&mut plan, call.gx, Element::F32, &dims);
    let gamma = flat(&mut plan, call.gamma, Element::F32, &dims[1..]);
    let beta = flat(&mut plan, call.beta, Element::F32, &dims[1..]);
    let mean = Staged::of(&mut plan, call.mean, Element::F32);
    let rstd = Staged::of(&mut plan, call.rstd, Element::F32);
    let y = Staged::of(&mut plan, call.y, Element::F32);
    let sum = plan.temp(Element::F32, &dims);
    let alpha = f32::store(call.alpha);
    let into = sum.clone();
    plan.step(move |m| {
        map::map2::<f32, f32, f32>(&m.view(&x), &m.view(&gx), &m.view(&into), |x, gx| {
            alpha * x + gx
        });
    });
    let epsilon = call.epsilon;
    let (means, scales) = (
        plan.reshape(&mean.work, &dims[..1]),
        plan.reshape(&rstd.work, &dims[..1]),
    );
    let into = plan.reshape(&y.work, &dims);
    if dims[1] == 0 {
        plan.fill(&means, f64::NAN);
        plan.fill(&scales, f64::NAN);
    }
    plan.step(move |m| {
        let (gamma, beta) = (m.view(&gamma), m.view(&beta));
        let (mean, scale) = (m.view(&means), m.view(&scales));
        let statistics = norm::Statistics {
            mean: Some(&mean),
            scale: Some(&scale),
        };
        let affine = norm::Affine {
            weight: Some(&gamma),
            bias: Some(&beta),
        };
        norm::layer_norm::<f32>(&m.view(&sum), affine, epsilon, &m.view(&into), statistics);
    });
    for staged in [mean, rstd, y] {
        staged.deliver(&mut plan);
    }
    plan.done()
}
