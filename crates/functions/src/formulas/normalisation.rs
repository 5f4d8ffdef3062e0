//! Layer norm, root-mean-square norm, group norm, and their gradients.

use millpond_kernels::{Element, View, count, floats, map, norm};

use super::softmax::row_type;
use super::{broadcast, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::row_ops::RowResults;
use crate::table;
use crate::tensor::Tensor;

/// The axes that a norm goes over: the last ones, as many as its shape has.
pub(crate) fn last_axes(x: &Tensor, shape: &[i64], argument: &str) -> Result<Vec<usize>, Refusal> {
    let first = x.rank().checked_sub(shape.len());
    let fits = first.is_some_and(|first| x.dims[first..] == *shape);
    require!(
        fits,
        "'{argument}' is {shape:?}, but the last dimensions of the input are {:?}",
        x.dims
    );
    Ok((x.rank() - shape.len()..x.rank()).collect())
}

pub(crate) fn expect_count(tensor: &Tensor, argument: &str, wanted: usize) -> Result<(), Refusal> {
    require!(
        tensor.count() == wanted,
        "'{argument}' has the shape {:?}, but {wanted} elements are expected",
        tensor.dims
    );
    Ok(())
}

fn rows_over(x: &Tensor, axes: &[usize]) -> usize {
    count(&x.dims[..x.rank() - axes.len()])
}

/// Views of values that may be missing.
fn view(m: &crate::plan::Memory<'_>, value: Option<&Value>) -> Option<View> {
    value.map(|value| m.view(value))
}

/// Statistics on their way out.
fn statistics(plan: &mut Plan, out: Option<&Tensor>, element: Element) -> Option<RowResults> {
    let out = plan.output_apart(out?);
    Some(plan.packed_into(&out, element))
}

fn rows(results: Option<&RowResults>) -> Option<Value> {
    results.map(|results| results.rows.clone())
}

fn done(plan: &mut Plan, all: &[Option<RowResults>]) {
    for results in all.iter().flatten() {
        plan.rows_done(results);
    }
}

/// (x − mean) / √(variance + eps) · weight + bias.
pub(crate) fn layer_norm(a: table::LayerNorm<'_>) -> Planned {
    let table::LayerNorm {
        input,
        normalized_shape,
        weight,
        bias,
        eps,
        out,
        mean_out,
        rstd_out,
    } = a;
    require!(
        !normalized_shape.is_empty(),
        "'normalizedShape' is empty, but at least one dimension is normalised"
    );
    expect_shape(out, &input.dims)?;
    let axes = last_axes(input, normalized_shape, "normalizedShape")?;
    let (amount, width) = (rows_over(input, &axes), count(normalized_shape));
    for (tensor, name, wanted) in [
        (weight, "weight", width),
        (bias, "bias", width),
        (mean_out, "meanOut", amount),
        (rstd_out, "rstdOut", amount),
    ] {
        if let Some(tensor) = tensor {
            expect_count(tensor, name, wanted)?;
        }
    }
    let element = row_type(&[input, out])?;
    let mut plan = Plan::new();
    let x = plan.input(input);
    let weight = weight.map(|weight| plan.input(weight));
    let bias = bias.map(|bias| plan.input(bias));
    let output = plan.output_apart(out);
    let mean = statistics(&mut plan, mean_out, element);
    let rstd = statistics(&mut plan, rstd_out, element);
    let x = plan.rows_of(&x, &axes, element);
    let weight = weight.map(|weight| plan.contiguous(&weight, element));
    let bias = bias.map(|bias| plan.contiguous(&bias, element));
    let results = plan.rows_into(&output, &axes, element);
    let (into, means, scales) = (
        results.rows.clone(),
        rows(mean.as_ref()),
        rows(rstd.as_ref()),
    );
    plan.step(move |m| {
        let (weight, bias) = (view(m, weight.as_ref()), view(m, bias.as_ref()));
        let affine = norm::Affine { weight: weight.as_ref(), bias: bias.as_ref() };
        let (mean, scale) = (view(m, means.as_ref()), view(m, scales.as_ref()));
        let statistics = norm::Statistics { mean: mean.as_ref(), scale: scale.as_ref() };
        floats!(element, T => norm::layer_norm::<T>(&m.view(&x), affine, eps, &m.view(&into), statistics));
    });
    done(&mut plan, &[Some(results), mean, rstd]);
    plan.done()
}

/// Outputs that a mask asks for.
fn masked<'a>(mask: &[bool], index: usize, out: Option<&'a Tensor>) -> Option<&'a Tensor> {
    out.filter(|_| mask.get(index).copied().unwrap_or(true))
}

/// The gradients of a layer norm.
pub(crate) fn layer_norm_backward(a: table::LayerNormBackward<'_>) -> Planned {
    let table::LayerNormBackward {
        grad_out,
        input,
        normalized_shape,
        mean,
        rstd,
        weight,
        bias: _,
        output_mask,
        grad_input,
        grad_weight,
        grad_bias,
    } = a;
    require!(
        output_mask.len() == 3,
        "'outputMask' has {} elements, but 3 are expected",
        output_mask.len()
    );
    require!(
        grad_out.dims == input.dims,
        "'gradOut' has the shape {:?}, but 'input' has {:?}",
        grad_out.dims,
        input.dims
    );
    let axes = last_axes(input, normalized_shape, "normalizedShape")?;
    let (amount, width) = (rows_over(input, &axes), count(normalized_shape));
    expect_count(mean, "mean", amount)?;
    expect_count(rstd, "rstd", amount)?;
    let grad_input = masked(output_mask, 0, grad_input);
    let grad_weight = masked(output_mask, 1, grad_weight);
    let grad_bias = masked(output_mask, 2, grad_bias);
    for (tensor, name) in [
        (weight, "weight"),
        (grad_weight, "gradWeight"),
        (grad_bias, "gradBias"),
    ] {
        if let Some(tensor) = tensor {
            expect_count(tensor, name, width)?;
        }
    }
    let element = row_type(&[grad_out, input, mean, rstd])?;
    norm_backward(
        &NormBackward {
            grad: grad_out,
            x: input,
            x2: None,
            axes,
            mean: Some(mean),
            scale: rstd,
            weight,
            shift: 0.0,
            element,
            grad_sum: None,
        },
        grad_input,
        grad_weight,
        grad_bias,
    )
}

struct NormBackward<'a> {
    grad: &'a Tensor,
    x: &'a Tensor,
    /// Added to `x` before.
    x2: Option<&'a Tensor>,
    axes: Vec<usize>,
    /// `None` for a root-mean-square norm.
    mean: Option<&'a Tensor>,
    scale: &'a Tensor,
    weight: Option<&'a Tensor>,
    /// Added to weights.
    shift: f64,
    element: Element,
    /// A gradient that is added to the input's.
    grad_sum: Option<&'a Tensor>,
}

fn norm_backward(
    a: &NormBackward<'_>,
    grad_input: Option<&Tensor>,
    grad_weight: Option<&Tensor>,
    grad_bias: Option<&Tensor>,
) -> Planned {
    if let Some(out) = grad_input {
        expect_shape(out, &a.x.dims)?;
    }
    let element = a.element;
    let mut plan = Plan::new();
    let (grad, x, scale) = (plan.input(a.grad), plan.input(a.x), plan.input(a.scale));
    let x2 = a.x2.map(|x2| plan.input(x2));
    let mean = a.mean.map(|mean| plan.input(mean));
    let weight = a.weight.map(|weight| plan.input(weight));
    let grad_sum = a.grad_sum.map(|sum| plan.input(sum));
    let outputs =
        [grad_input, grad_weight, grad_bias].map(|out| out.map(|out| plan.output_apart(out)));
    let x = match x2 {
        Some(x2) => {
            let sum = plan.temp(element, x.dims());
            let into = sum.clone();
            plan.step(move |m| floats!(element, T => map::map2::<T, T, T>(&m.view(&x), &m.view(&x2), &m.view(&into), |x, y| x + y)));
            sum
        }
        None => x,
    };
    let grad = plan.rows_of(&grad, &a.axes, element);
    let x = plan.rows_of(&x, &a.axes, element);
    let packed = |plan: &mut Plan, value: Value| {
        let amount = [i64::try_from(value.count()).unwrap_or(0)];
        let value = plan.contiguous(&value, element);
        value.reshaped(&amount).unwrap_or(value)
    };
    let scale = packed(&mut plan, scale);
    let mean = mean.map(|mean| packed(&mut plan, mean));
    let weight = weight.map(|weight| packed(&mut plan, weight));
    let [grad_input, grad_weight, grad_bias] = outputs;
    if let Some(out) = grad_input {
        let results = plan.rows_into(&out, &a.axes, element);
        let (grad, x, scale, mean, weight) = (
            grad.clone(),
            x.clone(),
            scale.clone(),
            mean.clone(),
            weight.clone(),
        );
        let (into, shift) = (results.rows.clone(), a.shift);
        plan.step(move |m| {
            let (grad, x, scale, into) = (m.view(&grad), m.view(&x), m.view(&scale), m.view(&into));
            let weight = view(m, weight.as_ref());
            floats!(element, T => match (view(m, mean.as_ref()), &weight) {
                (Some(mean), weight) => norm::layer_norm_backward::<T>(&grad, &x, weight.as_ref(), &mean, &scale, &into),
                (None, Some(weight)) => norm::rms_norm_backward::<T>(&grad, &x, weight, shift, &scale, &into),
                (None, None) => {}
            });
        });
        if let Some(sum) = grad_sum {
            let sum = plan.rows_of(&sum, &a.axes, element);
            let into = results.rows.clone();
            plan.step(move |m| {
                let into = m.view(&into);
                floats!(element, T => map::map2::<T, T, T>(&into, &m.view(&sum), &into, |x, y| x + y));
            });
        }
        plan.rows_done(&results);
    }
    if let Some(out) = grad_weight {
        let results = plan.packed_into(&out, element);
        let (grad, x, into) = (grad.clone(), x, results.rows.clone());
        plan.step(move |m| {
            let mean = view(m, mean.as_ref());
            floats!(element, T => norm::weight_gradient::<T>(&m.view(&grad), &m.view(&x), mean.as_ref(), &m.view(&scale), &m.view(&into)));
        });
        plan.rows_done(&results);
    }
    if let Some(out) = grad_bias {
        let results = plan.packed_into(&out, element);
        plan.sum_to(&grad, &[0], &results.rows);
        plan.rows_done(&results);
    }
    plan.done()
}

/// The tensors of a root-mean-square norm of a sum.
pub(crate) struct RmsNorm<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) added: Option<&'a Tensor>,
    pub(crate) gamma: &'a Tensor,
    /// Added to gamma.
    pub(crate) shift: f64,
    pub(crate) epsilon: f64,
    /// Results, each in its own type.
    pub(crate) results: &'a [&'a Tensor],
    pub(crate) rstd: Option<&'a Tensor>,
    /// Where the sum goes.
    pub(crate) sum: Option<&'a Tensor>,
}

/// x / √(mean of x² + eps) · gamma, of a sum if there is something to add.
pub(crate) fn rms_norm_of(a: &RmsNorm<'_>) -> Planned {
    let dims = a.x.dims.clone();
    for out in a.results.iter().chain(a.sum.iter()) {
        expect_shape(out, &dims)?;
    }
    require!(
        a.gamma.rank() > 0,
        "'gamma' has no dimensions, but at least one is normalised"
    );
    let axes = last_axes(a.x, &a.gamma.dims, "gamma")?;
    let amount = rows_over(a.x, &axes);
    if let Some(rstd) = a.rstd {
        expect_count(rstd, "rstd", amount)?;
    }
    let element = row_type(&[a.x, a.gamma])?;
    let mut plan = Plan::new();
    let x = plan.input(a.x);
    let added = match a.added {
        Some(added) => {
            require!(
                added.dims == dims,
                "'x2' has the shape {:?}, but 'x1' has {dims:?}",
                added.dims
            );
            Some(plan.input(added))
        }
        None => None,
    };
    let gamma = plan.input(a.gamma);
    let outputs: Vec<Value> = a.results.iter().map(|out| plan.output_apart(out)).collect();
    let rstd = statistics(&mut plan, a.rstd, element);
    let sum_out = a.sum.map(|sum| plan.output_apart(sum));
    let x = match added {
        Some(added) => {
            // The sum is rounded to the type that it is returned in.
            let sum = sum_out.unwrap_or_else(|| plan.temp(x.element(), &dims));
            let into = sum.clone();
            plan.step(move |m| floats!(element, T => map::map2::<T, T, T>(&m.view(&x), &m.view(&added), &m.view(&into), |x, y| x + y)));
            sum
        }
        None => x,
    };
    let x = plan.rows_of(&x, &axes, element);
    let gamma = plan.contiguous(&gamma, element);
    let scales = match rows(rstd.as_ref()) {
        Some(scales) => scales,
        None => plan.temp(element, &[i64::try_from(amount).unwrap_or(0)]),
    };
    let Some((first, others)) = outputs.split_first() else {
        return plan.done();
    };
    let results = plan.rows_into(first, &axes, element);
    let (into, shift, epsilon) = (results.rows.clone(), a.shift, a.epsilon);
    plan.step(move |m| {
        floats!(element, T => norm::rms_norm::<T>(&m.view(&x), &m.view(&gamma), shift, epsilon, &m.view(&into), &m.view(&scales)));
    });
    for other in others {
        let from = results
            .rows
            .reshaped(&dims)
            .unwrap_or_else(|| results.rows.clone());
        plan.copy(&from, other);
    }
    done(&mut plan, &[Some(results), rstd]);
    plan.done()
}

/// x / √(mean of x² + eps) · (shift + gamma).
pub(crate) fn rms_norm(
    x: &Tensor,
    gamma: &Tensor,
    shift: f64,
    epsilon: f64,
    y: &Tensor,
    rstd: &Tensor,
) -> Planned {
    rms_norm_of(&RmsNorm {
        x,
        added: None,
        gamma,
        shift,
        epsilon,
        results: &[y],
        rstd: Some(rstd),
        sum: None,
    })
}

/// The root-mean-square norm of x1 + x2, in one or two types; `x` is the sum.
pub(crate) fn add_rms_norm(
    x1: &Tensor,
    x2: &Tensor,
    gamma: &Tensor,
    epsilon: f64,
    results: &[&Tensor],
    rstd: &Tensor,
    x: &Tensor,
) -> Planned {
    rms_norm_of(&RmsNorm {
        x: x1,
        added: Some(x2),
        gamma,
        shift: 0.0,
        epsilon,
        results,
        rstd: Some(rstd),
        sum: Some(x),
    })
}

/// The gradients of a root-mean-square norm.
pub(crate) fn rms_norm_grad(
    dy: &Tensor,
    x: &Tensor,
    rstd: &Tensor,
    gamma: &Tensor,
    dx: &Tensor,
    dgamma: &Tensor,
) -> Planned {
    require!(
        dy.dims == x.dims,
        "'dy' has the shape {:?}, but 'x' has {:?}",
        dy.dims,
        x.dims
    );
    require!(
        gamma.rank() > 0,
        "'gamma' has no dimensions, but at least one is normalised"
    );
    let axes = last_axes(x, &gamma.dims, "gamma")?;
    expect_count(rstd, "rstd", rows_over(x, &axes))?;
    expect_count(dgamma, "dgamma", gamma.count())?;
    let element = row_type(&[dy, x, gamma])?;
    norm_backward(
        &NormBackward {
            grad: dy,
            x,
            x2: None,
            axes,
            mean: None,
            scale: rstd,
            weight: Some(gamma),
            shift: 0.0,
            element,
            grad_sum: None,
        },
        Some(dx),
        Some(dgamma),
        None,
    )
}

/// The layer norm of x1 + x2 (+ bias); `x` is the sum.
pub(crate) fn add_layer_norm(a: table::AddLayerNorm<'_>) -> Planned {
    let table::AddLayerNorm {
        x1,
        x2,
        gamma,
        beta,
        bias,
        epsilon,
        additional_output,
        y,
        mean,
        rstd,
        x,
    } = a;
    expect_shape(y, &x1.dims)?;
    require!(
        x2.dims == x1.dims,
        "'x2' has the shape {:?}, but 'x1' has {:?}",
        x2.dims,
        x1.dims
    );
    require!(
        gamma.rank() > 0,
        "'gamma' has no dimensions, but at least one is normalised"
    );
    let axes = last_axes(x1, &gamma.dims, "gamma")?;
    let amount = rows_over(x1, &axes);
    expect_count(beta, "beta", gamma.count())?;
    expect_count(mean, "mean", amount)?;
    expect_count(rstd, "rstd", amount)?;
    let sum_out = x.filter(|_| additional_output);
    if let Some(out) = sum_out {
        expect_shape(out, &x1.dims)?;
    }
    if let Some(bias) = bias {
        require!(
            broadcast(&[x1, bias])? == x1.dims,
            "'bias' has the shape {:?}, which does not broadcast to {:?}",
            bias.dims,
            x1.dims
        );
    }
    let element = row_type(&[x1, x2, gamma])?;
    let mut plan = Plan::new();
    let (one, two) = (plan.input(x1), plan.input(x2));
    let bias = bias.map(|bias| plan.input(bias));
    let (gamma, beta) = (plan.input(gamma), plan.input(beta));
    let output = plan.output_apart(y);
    let mean = statistics(&mut plan, Some(mean), element);
    let rstd = statistics(&mut plan, Some(rstd), element);
    let sum_out = sum_out.map(|out| plan.output_apart(out));
    let sum = plan.temp(element, &x1.dims);
    let into = sum.clone();
    plan.step(move |m| {
        let (one, two, into) = (m.view(&one), m.view(&two), m.view(&into));
        floats!(element, T => match view(m, bias.as_ref()) {
            Some(bias) => map::map3::<T, T, T, T>(&one, &two, &bias, &into, |x, y, z| x + y + z),
            None => map::map2::<T, T, T>(&one, &two, &into, |x, y| x + y),
        });
    });
    if let Some(out) = &sum_out {
        plan.copy(&sum, out);
    }
    let x = plan.rows_of(&sum, &axes, element);
    let (gamma, beta) = (
        plan.contiguous(&gamma, element),
        plan.contiguous(&beta, element),
    );
    let results = plan.rows_into(&output, &axes, element);
    let (into, means, scales) = (
        results.rows.clone(),
        rows(mean.as_ref()),
        rows(rstd.as_ref()),
    );
    plan.step(move |m| {
        let (gamma, beta) = (m.view(&gamma), m.view(&beta));
        let (mean, scale) = (view(m, means.as_ref()), view(m, scales.as_ref()));
        let statistics = norm::Statistics { mean: mean.as_ref(), scale: scale.as_ref() };
        let affine = norm::Affine { weight: Some(&gamma), bias: Some(&beta) };
        floats!(element, T => norm::layer_norm::<T>(&m.view(&x), affine, epsilon, &m.view(&into), statistics));
    });
    done(&mut plan, &[Some(results), mean, rstd]);
    plan.done()
}

/// The gradients of [`add_layer_norm`]; `dSum` is a gradient of the sum, which is added.
pub(crate) fn add_layer_norm_grad(a: table::AddLayerNormGrad<'_>) -> Planned {
    let table::AddLayerNormGrad {
        d_y,
        x1,
        x2,
        rstd,
        mean,
        gamma,
        d_sum,
        dx,
        dgamma,
        dbeta,
    } = a;
    for (tensor, name) in [(d_y, "dY"), (x2, "x2")] {
        require!(
            tensor.dims == x1.dims,
            "'{name}' has the shape {:?}, but 'x1' has {:?}",
            tensor.dims,
            x1.dims
        );
    }
    if let Some(sum) = d_sum {
        require!(
            sum.dims == x1.dims,
            "'dSum' has the shape {:?}, but 'x1' has {:?}",
            sum.dims,
            x1.dims
        );
    }
    require!(
        gamma.rank() > 0,
        "'gamma' has no dimensions, but at least one is normalised"
    );
    let axes = last_axes(x1, &gamma.dims, "gamma")?;
    for (tensor, name, wanted) in [
        (mean, "mean", rows_over(x1, &axes)),
        (rstd, "rstd", rows_over(x1, &axes)),
        (dgamma, "dgamma", gamma.count()),
        (dbeta, "dbeta", gamma.count()),
    ] {
        expect_count(tensor, name, wanted)?;
    }
    let element = row_type(&[d_y, x1, x2, gamma])?;
    norm_backward(
        &NormBackward {
            grad: d_y,
            x: x1,
            x2: Some(x2),
            axes,
            mean: Some(mean),
            scale: rstd,
            weight: Some(gamma),
            shift: 0.0,
            element,
            grad_sum: d_sum,
        },
        Some(dx),
        Some(dgamma),
        Some(dbeta),
    )
}

/// The tensors of a group norm.
pub(crate) struct GroupNorm<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) weight: Option<&'a Tensor>,
    pub(crate) bias: Option<&'a Tensor>,
    pub(crate) samples: i64,
    pub(crate) channels: i64,
    pub(crate) width: i64,
    pub(crate) groups: i64,
    pub(crate) epsilon: f64,
    pub(crate) out: &'a Tensor,
    pub(crate) mean: &'a Tensor,
    pub(crate) rstd: &'a Tensor,
    /// Results y become y · sigmoid(factor · y).
    pub(crate) swish: Option<f64>,
}

/// Samples, groups, channels of a group, elements of a channel.
fn group_shape(
    x: &Tensor,
    samples: i64,
    channels: i64,
    width: i64,
    groups: i64,
) -> Result<[i64; 4], Refusal> {
    require!(
        groups > 0,
        "'group' is {groups}, but at least one group is expected"
    );
    require!(
        samples >= 0 && channels >= 0 && width >= 0,
        "N is {samples}, C is {channels} and HxW is {width}, but none may be negative"
    );
    require!(
        channels % groups == 0,
        "{channels} channels do not split into {groups} groups of the same size"
    );
    let all = samples
        .checked_mul(channels)
        .and_then(|all| all.checked_mul(width));
    require!(
        all.is_some_and(|all| usize::try_from(all) == Ok(x.count())),
        "N · C · HxW is {samples} · {channels} · {width}, but the input has the shape {:?}",
        x.dims
    );
    Ok([samples, groups, channels / groups, width])
}

fn sizes(shape: [i64; 4]) -> [usize; 4] {
    shape.map(|dim| usize::try_from(dim).unwrap_or(0))
}

/// Groups of channels of mean 0 and variance 1, times weights, plus biases.
pub(crate) fn group_norm(a: &GroupNorm<'_>) -> Planned {
    expect_shape(a.out, &a.x.dims)?;
    let shape = group_shape(a.x, a.samples, a.channels, a.width, a.groups)?;
    let [samples, groups, channels, width] = sizes(shape);
    for (tensor, name) in [(a.weight, "gamma"), (a.bias, "beta")] {
        if let Some(tensor) = tensor {
            expect_count(tensor, name, groups * channels)?;
        }
    }
    expect_count(a.mean, "meanOut", samples * groups)?;
    expect_count(a.rstd, "rstdOut", samples * groups)?;
    let element = row_type(&[a.x, a.out])?;
    let mut plan = Plan::new();
    let x = plan.input(a.x);
    let weight = a.weight.map(|weight| plan.input(weight));
    let bias = a.bias.map(|bias| plan.input(bias));
    let output = plan.output_apart(a.out);
    let mean = statistics(&mut plan, Some(a.mean), element);
    let rstd = statistics(&mut plan, Some(a.rstd), element);
    let grouped = [shape[0] * shape[1], shape[2] * shape[3]];
    let x = plan.contiguous(&x, element);
    let x = plan.reshape(&x, &grouped);
    let weight = weight.map(|weight| plan.contiguous(&weight, element));
    let bias = bias.map(|bias| plan.contiguous(&bias, element));
    let results = plan.packed_into(&output, element);
    let packed = results.rows.clone();
    let into = packed.reshaped(&grouped).unwrap_or_else(|| packed.clone());
    let (means, scales, epsilon) = (rows(mean.as_ref()), rows(rstd.as_ref()), a.epsilon);
    plan.step(move |m| {
        let (weight, bias) = (view(m, weight.as_ref()), view(m, bias.as_ref()));
        let affine = norm::Affine { weight: weight.as_ref(), bias: bias.as_ref() };
        let (mean, scale) = (view(m, means.as_ref()), view(m, scales.as_ref()));
        let statistics = norm::Statistics { mean: mean.as_ref(), scale: scale.as_ref() };
        floats!(element, T => norm::group_norm::<T>(&m.view(&x), affine, (groups, channels, width), epsilon, &m.view(&into), statistics));
    });
    if let Some(factor) = a.swish {
        plan.step(move |m| {
            let y = m.view(&packed);
            floats!(element, T => {
                let factor = <T as millpond_kernels::Float>::of(factor);
                map::map1::<T, T>(&y, &y, |y| y / (1.0 + (-factor * y).exp()));
            });
        });
    }
    done(&mut plan, &[Some(results), mean, rstd]);
    plan.done()
}

/// N, C and H · W of an input of a group norm.
fn image(x: &Tensor) -> Result<[i64; 3], Refusal> {
    require!(
        x.rank() >= 2,
        "the input has the shape {:?}, but samples and channels are expected",
        x.dims
    );
    Ok([x.dims[0], x.dims[1], x.dims[2..].iter().product()])
}

/// silu(group norm).
pub(crate) fn group_norm_silu(a: table::GroupNormSilu<'_>) -> Planned {
    let [samples, channels, width] = image(a.input)?;
    group_norm(&GroupNorm {
        x: a.input,
        weight: a.weight,
        bias: a.bias,
        samples,
        channels,
        width,
        groups: a.group,
        epsilon: a.eps,
        out: a.out0,
        mean: a.out1,
        rstd: a.out2,
        swish: Some(1.0),
    })
}

/// y · sigmoid(scale · y) of a group norm y.
pub(crate) fn group_norm_swish(a: table::GroupNormSwish<'_>) -> Planned {
    require!(
        matches!(a.data_format, "NCHW" | "ND" | ""),
        "'dataFormat' is '{}', but NCHW is expected",
        a.data_format
    );
    let [samples, channels, width] = image(a.x)?;
    group_norm(&GroupNorm {
        x: a.x,
        weight: Some(a.gamma),
        bias: Some(a.beta),
        samples,
        channels,
        width,
        groups: a.num_groups,
        epsilon: a.eps,
        out: a.out,
        mean: a.mean,
        rstd: a.rstd,
        swish: a.activate_swish.then_some(a.swish_scale),
    })
}

/// A group norm.
pub(crate) fn plain_group_norm(a: table::GroupNorm<'_>) -> Planned {
    group_norm(&GroupNorm {
        x: a.self_,
        weight: a.gamma,
        bias: a.beta,
        samples: a.n,
        channels: a.c,
        width: a.hx_w,
        groups: a.group,
        epsilon: a.eps,
        out: a.out,
        mean: a.mean_out,
        rstd: a.rstd_out,
        swish: None,
    })
}

/// The gradients of a group norm.
pub(crate) fn group_norm_backward(a: table::GroupNormBackward<'_>) -> Planned {
    require!(
        a.output_mask.len() == 3,
        "'outputMask' has {} elements, but 3 are expected",
        a.output_mask.len()
    );
    let shape = group_shape(a.input, a.n, a.c, a.hx_w, a.group)?;
    let [samples, groups, channels, width] = sizes(shape);
    require!(
        a.grad_out.dims == a.input.dims,
        "'gradOut' has the shape {:?}, but 'input' has {:?}",
        a.grad_out.dims,
        a.input.dims
    );
    expect_count(a.mean, "mean", samples * groups)?;
    expect_count(a.rstd, "rstd", samples * groups)?;
    let grad_input = masked(a.output_mask, 0, a.grad_input);
    let grad_gamma = masked(a.output_mask, 1, a.grad_gamma);
    let grad_beta = masked(a.output_mask, 2, a.grad_beta);
    for (tensor, name) in [
        (a.gamma, "gamma"),
        (grad_gamma, "gradGamma"),
        (grad_beta, "gradBeta"),
    ] {
        if let Some(tensor) = tensor {
            expect_count(tensor, name, groups * channels)?;
        }
    }
    if let Some(out) = grad_input {
        expect_shape(out, &a.input.dims)?;
    }
    let element = row_type(&[a.grad_out, a.input, a.mean])?;
    let mut plan = Plan::new();
    let inputs = [a.grad_out, a.input, a.mean, a.rstd].map(|tensor| plan.input(tensor));
    let gamma = a.gamma.map(|gamma| plan.input(gamma));
    let outputs =
        [grad_input, grad_gamma, grad_beta].map(|out| out.map(|out| plan.output_apart(out)));
    let [grad, x, mean, rstd] = inputs.map(|value| {
        let whole = plan.contiguous(&value, element);
        let amount = [i64::try_from(whole.count()).unwrap_or(0)];
        whole.reshaped(&amount).unwrap_or(whole)
    });
    let gamma = gamma.map(|gamma| plan.contiguous(&gamma, element));
    let grouped = [shape[0] * shape[1], shape[2] * shape[3]];
    let by_group = |value: &Value| value.reshaped(&grouped).unwrap_or_else(|| value.clone());
    let [grad_input, grad_gamma, grad_beta] = outputs;
    if let Some(out) = grad_input {
        let results = plan.packed_into(&out, element);
        let (grad, x, into) = (by_group(&grad), by_group(&x), by_group(&results.rows));
        let (mean, rstd) = (mean.clone(), rstd.clone());
        plan.step(move |m| {
            let gamma = view(m, gamma.as_ref());
            floats!(element, T => norm::group_norm_backward::<T>(&m.view(&grad), &m.view(&x), gamma.as_ref(), (groups, channels, width), &m.view(&mean), &m.view(&rstd), &m.view(&into)));
        });
        plan.rows_done(&results);
    }
    if grad_gamma.is_some() || grad_beta.is_some() {
        let all = [shape[1] * shape[2]];
        let (weights, biases) = (plan.temp(element, &all), plan.temp(element, &all));
        let (to_weights, to_biases) = (weights.clone(), biases.clone());
        plan.step(move |m| {
            floats!(element, T => norm::group_norm_sums::<T>(&m.view(&grad), &m.view(&x), (samples, groups, channels, width), &m.view(&mean), &m.view(&rstd), &m.view(&to_weights), &m.view(&to_biases)));
        });
        for (sums, out) in [(weights, grad_gamma), (biases, grad_beta)] {
            if let Some(out) = out {
                let sums = sums.reshaped(out.dims()).unwrap_or(sums);
                plan.copy(&sums, &out);
            }
        }
    }
    plan.done()
}
