//! Batch norm: per channel, over samples and positions. Statistics of several devices joined.

use millpond_kernels::{Element, View, floats, map, read_block, write_block};

use super::expect_shape;
use super::softmax::row_type;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The number of channels, and the axes that statistics go over.
fn channels(x: &Tensor) -> Result<(i64, Vec<usize>), Refusal> {
    require!(
        x.rank() >= 2,
        "the input has the shape {:?}, but samples and channels are expected",
        x.dims
    );
    Ok((x.dims[1], (0..x.rank()).filter(|axis| *axis != 1).collect()))
}

fn expect_channels(tensor: &Tensor, argument: &str, channels: i64) -> Result<(), Refusal> {
    require!(
        i64::try_from(tensor.count()) == Ok(channels),
        "'{argument}' has the shape {:?}, but the input has {channels} channels",
        tensor.dims
    );
    Ok(())
}

fn get(view: &View, index: usize) -> f64 {
    let mut number = [0.0];
    read_block(view, index, &mut number);
    number[0]
}

fn put(view: &View, index: usize, number: f64) {
    write_block(view, index, &[number]);
}

fn view(m: &Memory<'_>, value: Option<&Value>) -> Option<View> {
    value.map(|value| m.view(value))
}

/// A value with one number for each channel, over the axes of the input.
fn along_channels(value: &Value, rank: usize) -> Value {
    let mut dims = vec![1_i64; rank - 1];
    dims[0] = i64::try_from(value.count()).unwrap_or(0);
    value.reshaped(&dims).unwrap_or_else(|| value.clone())
}

/// Moves a running number towards a new one.
fn follow(running: Option<&View>, index: usize, momentum: f64, number: f64) {
    if let Some(running) = running {
        put(
            running,
            index,
            (1.0 - momentum) * get(running, index) + momentum * number,
        );
    }
}

/// (x − mean) · factor + bias; all three have a number for each channel, in the type that is computed in.
fn add_normalised(
    plan: &mut Plan,
    x: &Value,
    mean: &Value,
    factor: &Value,
    bias: &Value,
    out: &Value,
    element: Element,
) {
    let (x, out) = (x.clone(), out.clone());
    let [mean, factor, bias] = [mean, factor, bias].map(|value| along_channels(value, x.rank()));
    plan.step(move |m| {
        floats!(element, T => map::map4::<T, T, T, T, T>(&m.view(&x), &m.view(&mean), &m.view(&factor), &m.view(&bias), &m.view(&out), |x, mean, factor, bias| (x - mean) * factor + bias));
    });
}

/// The mean of n numbers and the sum of their squared distances from it, by channel.
fn count_of(x: &Tensor, axes: &[usize]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of elements")]
    axes.iter().map(|axis| x.dims[*axis] as f64).product()
}

/// Channels of mean 0 and variance 1, times weights, plus biases.
pub(crate) fn batch_norm(a: table::BatchNorm<'_>) -> Planned {
    let (amount, axes) = channels(a.input)?;
    expect_shape(a.output, &a.input.dims)?;
    for (tensor, name) in [
        (a.weight, "weight"),
        (a.bias, "bias"),
        (a.running_mean, "runningMean"),
        (a.running_var, "runningVar"),
    ] {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    if a.training {
        expect_channels(a.save_mean, "saveMean", amount)?;
        expect_channels(a.save_invstd, "saveInvstd", amount)?;
    } else {
        require!(
            a.running_mean.is_some() && a.running_var.is_some(),
            "'runningMean' and 'runningVar' are needed unless 'training' is set"
        );
    }
    let element = row_type(&[a.input, a.output])?;
    let (training, momentum, eps, elements) =
        (a.training, a.momentum, a.eps, count_of(a.input, &axes));
    let mut plan = Plan::new();
    let x = plan.input(a.input);
    let weight = a.weight.map(|weight| plan.input(weight));
    let bias = a.bias.map(|bias| plan.input(bias));
    let running = [a.running_mean, a.running_var].map(|running| {
        running.map(|running| {
            if training {
                plan.in_place(running)
            } else {
                plan.input(running)
            }
        })
    });
    let out = plan.output(a.output);
    let saved = [a.save_mean, a.save_invstd].map(|saved| {
        (i64::try_from(saved.count()) == Ok(amount)).then(|| plan.output_apart(saved))
    });
    let pairs = training.then(|| plan.moments(&x, &axes));
    let [mean, factor, shift] = [(); 3].map(|()| plan.temp(element, &[amount]));
    let (to_mean, to_factor, to_shift) = (mean.clone(), factor.clone(), shift.clone());
    plan.step(move |m| {
        let pairs = view(m, pairs.as_ref());
        let [running_mean, running_var] =
            [&running[0], &running[1]].map(|running| view(m, running.as_ref()));
        let [save_mean, save_invstd] = [&saved[0], &saved[1]].map(|saved| view(m, saved.as_ref()));
        let (weight, bias) = (view(m, weight.as_ref()), view(m, bias.as_ref()));
        let (to_mean, to_factor, to_shift) =
            (m.view(&to_mean), m.view(&to_factor), m.view(&to_shift));
        for channel in 0..to_mean.count() {
            let (mean, variance) = match (&pairs, &running_mean, &running_var) {
                (Some(pairs), ..) => {
                    let (mean, squares) = (
                        get(&pairs.part(false), channel),
                        get(&pairs.part(true), channel),
                    );
                    if elements > 0.0 {
                        follow(running_mean.as_ref(), channel, momentum, mean);
                        follow(
                            running_var.as_ref(),
                            channel,
                            momentum,
                            squares / (elements - 1.0),
                        );
                    }
                    (mean, squares / elements)
                }
                (None, Some(mean), Some(variance)) => (get(mean, channel), get(variance, channel)),
                _ => (0.0, 1.0),
            };
            let invstd = 1.0 / (variance + eps).sqrt();
            for (saved, number) in [(&save_mean, mean), (&save_invstd, invstd)] {
                if let Some(saved) = saved {
                    put(saved, channel, number);
                }
            }
            put(&to_mean, channel, mean);
            put(
                &to_factor,
                channel,
                invstd * weight.as_ref().map_or(1.0, |weight| get(weight, channel)),
            );
            put(
                &to_shift,
                channel,
                bias.as_ref().map_or(0.0, |bias| get(bias, channel)),
            );
        }
    });
    add_normalised(&mut plan, &x, &mean, &factor, &shift, &out, element);
    plan.done()
}

/// (x − mean) · invstd · weight + bias with given statistics.
pub(crate) fn batch_norm_elemt(
    input: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    mean: &Tensor,
    invstd: &Tensor,
    out: &Tensor,
) -> Planned {
    let (amount, _) = channels(input)?;
    expect_shape(out, &input.dims)?;
    for (tensor, name) in [
        (weight, "weight"),
        (bias, "bias"),
        (Some(mean), "mean"),
        (Some(invstd), "invstd"),
    ] {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    let element = row_type(&[input, out])?;
    let mut plan = Plan::new();
    let [x, mean, invstd] = [input, mean, invstd].map(|tensor| plan.input(tensor));
    let [weight, bias] = [weight, bias].map(|tensor| tensor.map(|tensor| plan.input(tensor)));
    let out = plan.output(out);
    let mean = plan.contiguous(&mean, element);
    let [factor, shift] = [(); 2].map(|()| plan.temp(element, &[amount]));
    let (to_factor, to_shift) = (factor.clone(), shift.clone());
    plan.step(move |m| {
        let (invstd, to_factor, to_shift) =
            (m.view(&invstd), m.view(&to_factor), m.view(&to_shift));
        let (weight, bias) = (view(m, weight.as_ref()), view(m, bias.as_ref()));
        for channel in 0..to_factor.count() {
            put(
                &to_factor,
                channel,
                get(&invstd, channel) * weight.as_ref().map_or(1.0, |weight| get(weight, channel)),
            );
            put(
                &to_shift,
                channel,
                bias.as_ref().map_or(0.0, |bias| get(bias, channel)),
            );
        }
    });
    add_normalised(&mut plan, &x, &mean, &factor, &shift, &out, element);
    plan.done()
}

/// Mean and reciprocal of the standard deviation, by channel.
pub(crate) fn batch_norm_stats(
    input: &Tensor,
    eps: f64,
    mean: &Tensor,
    invstd: &Tensor,
) -> Planned {
    let (amount, axes) = channels(input)?;
    expect_channels(mean, "mean", amount)?;
    expect_channels(invstd, "invstd", amount)?;
    row_type(&[input])?;
    let elements = count_of(input, &axes);
    let mut plan = Plan::new();
    let x = plan.input(input);
    let (mean, invstd) = (plan.output_apart(mean), plan.output_apart(invstd));
    let pairs = plan.moments(&x, &axes);
    plan.step(move |m| {
        let (pairs, mean, invstd) = (m.view(&pairs), m.view(&mean), m.view(&invstd));
        for channel in 0..pairs.count() {
            put(&mean, channel, get(&pairs.part(false), channel));
            put(
                &invstd,
                channel,
                1.0 / (get(&pairs.part(true), channel) / elements + eps).sqrt(),
            );
        }
    });
    plan.done()
}

/// Σ grad and Σ grad · (x − mean), by channel, and x − mean.
struct Sums {
    grad: Value,
    products: Value,
    distances: Value,
}

fn add_sums(
    plan: &mut Plan,
    grad: &Value,
    x: &Value,
    mean: &Value,
    axes: &[usize],
    element: Element,
) -> Sums {
    let distances = add_distances(plan, x, mean, element);
    let product = plan.temp(element, x.dims());
    let (from, by, into) = (grad.clone(), distances.clone(), product.clone());
    plan.step(move |m| floats!(element, T => map::map2::<T, T, T>(&m.view(&from), &m.view(&by), &m.view(&into), |grad, x| grad * x)));
    let amount = [x.dim(1)];
    let sums = Sums {
        grad: plan.temp(Element::F64, &amount),
        products: plan.temp(Element::F64, &amount),
        distances,
    };
    plan.sum_to(grad, axes, &sums.grad);
    plan.sum_to(&product, axes, &sums.products);
    sums
}

/// x − mean.
fn add_distances(plan: &mut Plan, x: &Value, mean: &Value, element: Element) -> Value {
    let distances = plan.temp(element, x.dims());
    let (x, mean, into) = (x.clone(), along_channels(mean, x.rank()), distances.clone());
    plan.step(move |m| floats!(element, T => map::map2::<T, T, T>(&m.view(&x), &m.view(&mean), &m.view(&into), |x, mean| x - mean)));
    distances
}

/// How a gradient follows from grad and x − mean: grad · a + distance · b + c, by channel.
struct Line {
    slope: Value,
    distance: Value,
    constant: Value,
}

fn add_line(
    plan: &mut Plan,
    grad: &Value,
    distances: &Value,
    line: &Line,
    out: &Value,
    element: Element,
) {
    let rank = grad.rank();
    let [slope, distance, constant] =
        [&line.slope, &line.distance, &line.constant].map(|value| along_channels(value, rank));
    let (grad, distances, out) = (grad.clone(), distances.clone(), out.clone());
    plan.step(move |m| {
        let distances = m.view(&distances);
        floats!(element, T => {
            map::map3::<T, T, T, T>(&distances, &m.view(&distance), &m.view(&constant), &distances, |x, b, c| x * b + c);
            map::map3::<T, T, T, T>(&m.view(&grad), &m.view(&slope), &distances, &m.view(&out), |grad, a, rest| grad * a + rest);
        });
    });
}

/// The gradients of a batch norm.
pub(crate) fn batch_norm_backward(a: table::BatchNormBackward<'_>) -> Planned {
    let (amount, axes) = channels(a.input)?;
    require!(
        a.grad_out.dims == a.input.dims,
        "'gradOut' has the shape {:?}, but 'input' has {:?}",
        a.grad_out.dims,
        a.input.dims
    );
    require!(
        a.output_mask.len() == 3,
        "'outputMask' has {} elements, but 3 are expected",
        a.output_mask.len()
    );
    let (mean, spread) = if a.training {
        (a.save_mean, a.save_invstd)
    } else {
        (a.running_mean, a.running_var)
    };
    let (Some(mean), Some(spread)) = (mean, spread) else {
        return Err(Refusal::invalid(
            "statistics are missing: 'saveMean' and 'saveInvstd' with 'training', else 'runningMean' and 'runningVar'",
        ));
    };
    let wanted =
        |index: usize, out| -> Option<&Tensor> { if a.output_mask[index] { out } else { None } };
    let (grad_input, grad_weight, grad_bias) = (
        wanted(0, a.grad_input),
        wanted(1, a.grad_weight),
        wanted(2, a.grad_bias),
    );
    for (tensor, name) in [
        (Some(mean), "the mean"),
        (Some(spread), "the variance"),
        (a.weight, "weight"),
        (grad_weight, "gradWeight"),
        (grad_bias, "gradBias"),
    ] {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    if let Some(out) = grad_input {
        expect_shape(out, &a.input.dims)?;
    }
    let element = row_type(&[a.grad_out, a.input])?;
    let (training, eps, elements) = (a.training, a.eps, count_of(a.input, &axes));
    let mut plan = Plan::new();
    let [grad, x, mean, spread] =
        [a.grad_out, a.input, mean, spread].map(|tensor| plan.input(tensor));
    let weight = a.weight.map(|weight| plan.input(weight));
    let [grad_input, grad_weight, grad_bias] =
        [grad_input, grad_weight, grad_bias].map(|out| out.map(|out| plan.output_apart(out)));
    let mean = plan.contiguous(&mean, element);
    let sums = add_sums(&mut plan, &grad, &x, &mean, &axes, element);
    let line = Line {
        slope: plan.temp(element, &[amount]),
        distance: plan.temp(element, &[amount]),
        constant: plan.temp(element, &[amount]),
    };
    let (sum, products) = (sums.grad.clone(), sums.products.clone());
    let (slope, distance, constant) = (
        line.slope.clone(),
        line.distance.clone(),
        line.constant.clone(),
    );
    plan.step(move |m| {
        let (sum, products, spread) = (m.view(&sum), m.view(&products), m.view(&spread));
        let (slope, distance, constant) = (m.view(&slope), m.view(&distance), m.view(&constant));
        let weight = view(m, weight.as_ref());
        let (grad_weight, grad_bias) = (view(m, grad_weight.as_ref()), view(m, grad_bias.as_ref()));
        for channel in 0..sum.count() {
            let spread = get(&spread, channel);
            let invstd = if training {
                spread
            } else {
                1.0 / (spread + eps).sqrt()
            };
            let (sum, products) = (get(&sum, channel), get(&products, channel));
            let factor = invstd * weight.as_ref().map_or(1.0, |weight| get(weight, channel));
            put(&slope, channel, factor);
            put(
                &distance,
                channel,
                if training {
                    -factor * invstd * invstd * products / elements
                } else {
                    0.0
                },
            );
            put(
                &constant,
                channel,
                if training {
                    -factor * sum / elements
                } else {
                    0.0
                },
            );
            if let Some(out) = &grad_weight {
                put(out, channel, products * invstd);
            }
            if let Some(out) = &grad_bias {
                put(out, channel, sum);
            }
        }
    });
    if let Some(out) = grad_input {
        add_line(&mut plan, &grad, &sums.distances, &line, &out, element);
    }
    plan.done()
}

/// Σ grad, Σ grad · (x − mean), and the gradients of weights and biases.
pub(crate) fn batch_norm_reduce_backward(a: table::BatchNormReduceBackward<'_>) -> Planned {
    let (amount, axes) = channels(a.input)?;
    require!(
        a.grad_out.dims == a.input.dims,
        "'gradOut' has the shape {:?}, but 'input' has {:?}",
        a.grad_out.dims,
        a.input.dims
    );
    let outputs = [
        (a.sum_dy.filter(|_| a.input_g), "sumDy"),
        (a.sum_dy_xmu.filter(|_| a.input_g), "sumDyXmu"),
        (a.grad_weight.filter(|_| a.weight_g), "gradWeight"),
        (a.grad_bias.filter(|_| a.bias_g), "gradBias"),
    ];
    for (tensor, name) in outputs
        .iter()
        .copied()
        .chain([(Some(a.mean), "mean"), (Some(a.invstd), "invstd")])
    {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    let element = row_type(&[a.grad_out, a.input])?;
    let mut plan = Plan::new();
    let [grad, x, mean, invstd] =
        [a.grad_out, a.input, a.mean, a.invstd].map(|tensor| plan.input(tensor));
    let outputs = outputs.map(|(out, _)| out.map(|out| plan.output_apart(out)));
    let mean = plan.contiguous(&mean, element);
    let sums = add_sums(&mut plan, &grad, &x, &mean, &axes, element);
    plan.step(move |m| {
        let (sum, products, invstd) = (m.view(&sums.grad), m.view(&sums.products), m.view(&invstd));
        let outputs = [0, 1, 2, 3].map(|index: usize| view(m, outputs[index].as_ref()));
        for channel in 0..sum.count() {
            let (sum, products) = (get(&sum, channel), get(&products, channel));
            let numbers = [sum, products, products * get(&invstd, channel), sum];
            for (out, number) in outputs.iter().zip(numbers) {
                if let Some(out) = out {
                    put(out, channel, number);
                }
            }
        }
    });
    plan.done()
}

/// The gradient of the input from sums over all devices.
pub(crate) fn batch_norm_elemt_backward(a: table::BatchNormElemtBackward<'_>) -> Planned {
    let (amount, _) = channels(a.input)?;
    require!(
        a.grad_out.dims == a.input.dims,
        "'gradOut' has the shape {:?}, but 'input' has {:?}",
        a.grad_out.dims,
        a.input.dims
    );
    expect_shape(a.out, &a.input.dims)?;
    for (tensor, name) in [
        (Some(a.mean), "mean"),
        (Some(a.invstd), "invstd"),
        (a.weight, "weight"),
        (Some(a.sum_dy), "sumDy"),
        (Some(a.sum_dy_xmu), "sumDyXmu"),
    ] {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    let element = row_type(&[a.grad_out, a.input])?;
    let mut plan = Plan::new();
    let [grad, x, mean, invstd, sum, products, counts] = [
        a.grad_out,
        a.input,
        a.mean,
        a.invstd,
        a.sum_dy,
        a.sum_dy_xmu,
        a.count,
    ]
    .map(|tensor| plan.input(tensor));
    let weight = a.weight.map(|weight| plan.input(weight));
    let out = plan.output_apart(a.out);
    let mean = plan.contiguous(&mean, element);
    let distances = add_distances(&mut plan, &x, &mean, element);
    let line = Line {
        slope: plan.temp(element, &[amount]),
        distance: plan.temp(element, &[amount]),
        constant: plan.temp(element, &[amount]),
    };
    let (slope, distance, constant) = (
        line.slope.clone(),
        line.distance.clone(),
        line.constant.clone(),
    );
    plan.step(move |m| {
        let counts = m.view(&counts);
        let elements: f64 = (0..counts.count()).map(|index| get(&counts, index)).sum();
        let (sum, products, invstd) = (m.view(&sum), m.view(&products), m.view(&invstd));
        let (slope, distance, constant) = (m.view(&slope), m.view(&distance), m.view(&constant));
        let weight = view(m, weight.as_ref());
        for channel in 0..sum.count() {
            let invstd = get(&invstd, channel);
            let factor = invstd * weight.as_ref().map_or(1.0, |weight| get(weight, channel));
            put(&slope, channel, factor);
            put(
                &distance,
                channel,
                -factor * invstd * invstd * get(&products, channel) / elements,
            );
            put(&constant, channel, -factor * get(&sum, channel) / elements);
        }
    });
    add_line(&mut plan, &grad, &distances, &line, &out, element);
    plan.done()
}

/// Statistics that several devices found become those of all.
pub(crate) fn batch_norm_gather_stats(a: table::BatchNormGatherStatsWithCounts<'_>) -> Planned {
    let (amount, _) = channels(a.input)?;
    let devices = i64::try_from(a.counts.count()).unwrap_or(0);
    for (tensor, name) in [(a.mean, "mean"), (a.invstd, "invstd")] {
        require!(
            tensor.dims[..] == [devices, amount],
            "'{name}' has the shape {:?}, but {devices} counts and {amount} channels are given",
            tensor.dims
        );
    }
    for (tensor, name) in [
        (a.running_mean, "runningMean"),
        (a.running_var, "runningVar"),
        (Some(a.mean_all), "meanAll"),
        (Some(a.invstd_all), "invstdAll"),
    ] {
        if let Some(tensor) = tensor {
            expect_channels(tensor, name, amount)?;
        }
    }
    let (momentum, eps) = (a.momentum, a.eps);
    let mut plan = Plan::new();
    let [mean, invstd, counts] = [a.mean, a.invstd, a.counts].map(|tensor| plan.input(tensor));
    let running = [a.running_mean, a.running_var]
        .map(|running| running.map(|running| plan.in_place(running)));
    let (mean_all, invstd_all) = (
        plan.output_apart(a.mean_all),
        plan.output_apart(a.invstd_all),
    );
    plan.step(move |m| {
        let (mean, invstd, counts) = (m.view(&mean), m.view(&invstd), m.view(&counts));
        let [running_mean, running_var] =
            [&running[0], &running[1]].map(|running| view(m, running.as_ref()));
        let (mean_all, invstd_all) = (m.view(&mean_all), m.view(&invstd_all));
        let channels = mean_all.count();
        for channel in 0..channels {
            let mut seen = millpond_kernels::reduce::Moments::default();
            for device in 0..counts.count() {
                let count = get(&counts, device);
                let invstd = get(&invstd, device * channels + channel);
                let variance = 1.0 / (invstd * invstd) - eps;
                seen = seen.join(millpond_kernels::reduce::Moments {
                    count,
                    mean: get(&mean, device * channels + channel),
                    squares: variance * count,
                });
            }
            follow(running_mean.as_ref(), channel, momentum, seen.mean);
            follow(
                running_var.as_ref(),
                channel,
                momentum,
                seen.squares / (seen.count - 1.0),
            );
            put(&mean_all, channel, seen.mean);
            put(
                &invstd_all,
                channel,
                1.0 / (seen.squares / seen.count + eps).sqrt(),
            );
        }
    });
    plan.done()
}

/// Sums and sums of squares that several devices found become mean and reciprocal of the standard deviation.
pub(crate) fn sync_batch_norm_gather_stats(a: table::SyncBatchNormGatherStats<'_>) -> Planned {
    let amount = a.total_sum.dims.last().copied().unwrap_or(0);
    require!(
        matches!(a.total_sum.rank(), 1 | 2) && a.total_sum.dims == a.total_square_sum.dims,
        "'totalSum' has the shape {:?} and 'totalSquareSum' {:?}, but the same shape of one or two dimensions is expected",
        a.total_sum.dims,
        a.total_square_sum.dims
    );
    for (tensor, name) in [
        (a.running_mean, "runningMean"),
        (a.running_var, "runningVar"),
        (a.batch_mean, "batchMean"),
        (a.batch_invstd, "batchInvstd"),
    ] {
        expect_channels(tensor, name, amount)?;
    }
    let (momentum, eps) = (f64::from(a.momentum), f64::from(a.eps));
    let mut plan = Plan::new();
    let [sums, squares, counts] =
        [a.total_sum, a.total_square_sum, a.sample_count].map(|tensor| plan.input(tensor));
    let [running_mean, running_var] =
        [a.running_mean, a.running_var].map(|running| plan.in_place(running));
    let (mean, invstd) = (
        plan.output_apart(a.batch_mean),
        plan.output_apart(a.batch_invstd),
    );
    plan.step(move |m| {
        let (sums, squares, counts) = (m.view(&sums), m.view(&squares), m.view(&counts));
        let (running_mean, running_var) = (m.view(&running_mean), m.view(&running_var));
        let (to_mean, to_invstd) = (m.view(&mean), m.view(&invstd));
        let count: f64 = (0..counts.count()).map(|index| get(&counts, index)).sum();
        let channels = to_mean.count();
        let devices = sums.count().checked_div(channels).unwrap_or(0);
        for channel in 0..channels {
            let total = |view: &View| {
                (0..devices)
                    .map(|device| get(view, device * channels + channel))
                    .sum::<f64>()
            };
            let mean = total(&sums) / count;
            let variance = (total(&squares) / count - mean * mean).max(0.0);
            follow(Some(&running_mean), channel, momentum, mean);
            follow(
                Some(&running_var),
                channel,
                momentum,
                variance * count / (count - 1.0),
            );
            put(&to_mean, channel, mean);
            put(&to_invstd, channel, 1.0 / (variance + eps).sqrt());
        }
    });
    plan.done()
}
