//! One step of an optimiser, in place.

use millpond_kernels::{BLOCK, View, parallel, read_block, write_block};

use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What an `AdamW` step is made of, besides tensors.
#[derive(Debug, Clone, Copy)]
struct AdamW {
    lr: f64,
    beta1: f64,
    beta2: f64,
    weight_decay: f64,
    eps: f64,
    maximize: bool,
    /// beta1 and beta2 to the power of the number of steps, this one counted.
    powers: (f64, f64),
}

impl AdamW {
    /// Updates blocks of parameters `var`, moments `m` and `v`, and the largest `v` so far.
    fn update<T: millpond_kernels::Real>(
        &self,
        grad: &View,
        var: &View,
        m: &View,
        v: &View,
        most: Option<&View>,
    ) {
        let number = |x: f64| T::of(x);
        let (beta1, beta2) = (number(self.beta1), number(self.beta2));
        let (rest1, rest2) = (number(1.0 - self.beta1), number(1.0 - self.beta2));
        let decay = number(1.0 - self.lr * self.weight_decay);
        let step = number(self.lr / (1.0 - self.powers.0));
        let root = number(1.0 / (1.0 - self.powers.1).sqrt());
        let eps = number(self.eps);
        let count = var.count();
        parallel::ranges(count.div_ceil(BLOCK), 32, |range| {
            for block in range {
                let start = block * BLOCK;
                let some = BLOCK.min(count - start);
                let read = |view: &View| {
                    let mut block = [T::ZERO; BLOCK];
                    read_block(view, start, &mut block[..some]);
                    block
                };
                let (mut weights, mut first, mut second, grads) =
                    (read(var), read(m), read(v), read(grad));
                let mut largest = most.map(read);
                for index in 0..some {
                    let grad = if self.maximize {
                        -grads[index]
                    } else {
                        grads[index]
                    };
                    first[index] = beta1 * first[index] + rest1 * grad;
                    second[index] = beta2 * second[index] + rest2 * grad * grad;
                    let spread = match &mut largest {
                        Some(largest) => {
                            largest[index] = largest[index].max_nan(second[index]);
                            largest[index]
                        }
                        None => second[index],
                    };
                    weights[index] =
                        weights[index] * decay - step * first[index] / (spread.sqrt() * root + eps);
                }
                for (view, block) in [(var, &weights), (m, &first), (v, &second)] {
                    write_block(view, start, &block[..some]);
                }
                if let (Some(most), Some(largest)) = (most, &largest) {
                    write_block(most, start, &largest[..some]);
                }
            }
        });
    }
}

fn number(view: &View) -> f64 {
    let mut one = [0.0];
    read_block(view, 0, &mut one);
    one[0]
}

fn expect_number(tensor: &Tensor, name: &str) -> Result<(), Refusal> {
    require!(
        tensor.count() == 1,
        "'{name}' has the shape {:?}, but one element is expected",
        tensor.dims
    );
    Ok(())
}

/// The tensors of a step, checked: parameters, both moments, the gradient, the largest second moment.
struct Tensors<'a> {
    var: &'a Tensor,
    m: &'a Tensor,
    v: &'a Tensor,
    grad: &'a Tensor,
    most: Option<&'a Tensor>,
}

impl Tensors<'_> {
    fn check(&self, amsgrad: bool) -> Result<(), Refusal> {
        require!(
            !amsgrad || self.most.is_some(),
            "'maxGradNorm' is needed with 'amsgrad'"
        );
        let others = [(self.m, "m"), (self.v, "v"), (self.grad, "grad")];
        for (tensor, name) in others
            .into_iter()
            .chain(self.most.map(|most| (most, "maxGradNorm")))
        {
            require!(
                tensor.dims == self.var.dims,
                "'{name}' has the shape {:?}, but 'var' has {:?}",
                tensor.dims,
                self.var.dims
            );
            require!(
                category(tensor.element()) == Category::Float,
                "'{name}' has the type {}, but real numbers are expected",
                tensor.element().name()
            );
        }
        require!(
            category(self.var.element()) == Category::Float,
            "'var' has the type {}, but real numbers are expected",
            self.var.element().name()
        );
        Ok(())
    }
}

fn plan_adam(
    tensors: &Tensors<'_>,
    numbers: &[&Tensor],
    settings: impl Fn(&[f64]) -> AdamW + Send + Sync + 'static,
) -> Planned {
    let mut plan = Plan::new();
    let grad = plan.input(tensors.grad);
    let numbers: Vec<Value> = numbers.iter().map(|tensor| plan.input(tensor)).collect();
    let [var, m, v] = [tensors.var, tensors.m, tensors.v].map(|tensor| plan.in_place(tensor));
    let most = tensors.most.map(|most| plan.in_place(most));
    plan.step(move |memory| {
        let mut read = [0.0; 8];
        for (into, value) in read.iter_mut().zip(&numbers) {
            *into = number(&memory.view(value));
        }
        let adam = settings(&read[..numbers.len().min(8)]);
        let most = most.as_ref().map(|most| memory.view(most));
        let (grad, var, m, v) = (memory.view(&grad), memory.view(&var), memory.view(&m), memory.view(&v));
        millpond_kernels::floats!(var.element(), T => adam.update::<T>(&grad, &var, &m, &v, most.as_ref()));
    });
    plan.done()
}

/// One `AdamW` step. `step` counts the steps before this one.
pub(crate) fn apply_adam_w_v2(a: table::ApplyAdamWV2<'_>) -> Planned {
    let tensors = Tensors {
        var: a.var,
        m: a.m,
        v: a.v,
        grad: a.grad,
        most: a.max_grad_norm.filter(|_| a.amsgrad),
    };
    tensors.check(a.amsgrad)?;
    expect_number(a.step, "step")?;
    let [lr, beta1, beta2, weight_decay, eps] =
        [a.lr, a.beta1, a.beta2, a.weight_decay, a.eps].map(decimal);
    let maximize = a.maximize;
    plan_adam(&tensors, &[a.step], move |numbers| {
        let steps = numbers[0] + 1.0;
        AdamW {
            lr,
            beta1,
            beta2,
            weight_decay,
            eps,
            maximize,
            powers: (beta1.powf(steps), beta2.powf(steps)),
        }
    })
}

/// The `double` that a caller most likely rounded to this `float`: 0.9 and not 0.89999998.
fn decimal(x: f32) -> f64 {
    format!("{x}").parse().unwrap_or_else(|_| f64::from(x))
}

/// One `AdamW` step whose numbers are in device memory; the powers of both betas are given.
pub(crate) fn apply_adam_w(a: table::ApplyAdamW<'_>) -> Planned {
    let tensors = Tensors {
        var: a.var,
        m: a.m,
        v: a.v,
        grad: a.grad,
        most: a.max_grad_norm.filter(|_| a.amsgrad),
    };
    tensors.check(a.amsgrad)?;
    let numbers = [
        a.beta1_power,
        a.beta2_power,
        a.lr,
        a.weight_decay,
        a.beta1,
        a.beta2,
        a.epsilon,
    ];
    let names = [
        "beta1Power",
        "beta2Power",
        "lr",
        "weightDecay",
        "beta1",
        "beta2",
        "epsilon",
    ];
    for (tensor, name) in numbers.iter().zip(names) {
        expect_number(tensor, name)?;
    }
    let maximize = a.maximize;
    plan_adam(&tensors, &numbers, move |numbers| AdamW {
        powers: (numbers[0], numbers[1]),
        lr: numbers[2],
        weight_decay: numbers[3],
        beta1: numbers[4],
        beta2: numbers[5],
        eps: numbers[6],
        maximize,
    })
}

/// One step of gradient descent with momentum, for all members of lists. Gradients are divided by `gradScale` in place.
pub(crate) fn fused_sgd(a: table::FusedSgd<'_>) -> Planned {
    require!(
        a.grads.len() == a.params.len(),
        "there are {} gradients for {} parameters",
        a.grads.len(),
        a.params.len()
    );
    let with_momentum = !a.momentum_buffer_list.is_empty();
    require!(
        !with_momentum || a.momentum_buffer_list.len() == a.params.len(),
        "there are {} momentum buffers for {} parameters",
        a.momentum_buffer_list.len(),
        a.params.len()
    );
    if let Some(scale) = a.grad_scale {
        expect_number(scale, "gradScale")?;
    }
    for (param, grad) in a.params.iter().zip(a.grads) {
        require!(
            grad.dims == param.dims,
            "a gradient has the shape {:?}, but its parameter has {:?}",
            grad.dims,
            param.dims
        );
        require!(
            category(param.element()) == Category::Float,
            "a parameter has the type {}, but real numbers are expected",
            param.element().name()
        );
    }
    for (param, buffer) in a.params.iter().zip(a.momentum_buffer_list) {
        require!(
            buffer.dims == param.dims,
            "a momentum buffer has the shape {:?}, but its parameter has {:?}",
            buffer.dims,
            param.dims
        );
    }
    let [weight_decay, momentum, lr, dampening] =
        [a.weight_decay, a.momentum, a.lr, a.dampening].map(decimal);
    let (nesterov, maximize, first) = (a.nesterov, a.maximize, a.is_first_step);
    let mut plan = Plan::new();
    let scale = a.grad_scale.map(|scale| plan.input(scale));
    for (index, (param, grad)) in a.params.iter().zip(a.grads).enumerate() {
        let (param, grad) = (plan.in_place(param), plan.in_place(grad));
        let buffer = a
            .momentum_buffer_list
            .get(index)
            .map(|buffer| plan.in_place(buffer));
        let scale = scale.clone();
        plan.step(move |memory| {
            let (param, grad) = (memory.view(&param), memory.view(&grad));
            let buffer = buffer.as_ref().map(|buffer| memory.view(buffer));
            let scale = scale
                .as_ref()
                .map_or(1.0, |scale| number(&memory.view(scale)));
            let count = param.count();
            parallel::ranges(count.div_ceil(BLOCK), 32, |range| {
                for block in range {
                    let start = block * BLOCK;
                    let some = BLOCK.min(count - start);
                    let read = |view: &View| {
                        let mut block = [0.0_f64; BLOCK];
                        read_block(view, start, &mut block[..some]);
                        block
                    };
                    let (mut params, mut grads) = (read(&param), read(&grad));
                    let mut moving = buffer.as_ref().map(read);
                    for index in 0..some {
                        let mut slope = grads[index] / scale;
                        grads[index] = slope;
                        if maximize {
                            slope = -slope;
                        }
                        slope += weight_decay * params[index];
                        if let Some(moving) = &mut moving {
                            moving[index] = if first {
                                slope
                            } else {
                                momentum * moving[index] + (1.0 - dampening) * slope
                            };
                            slope = if nesterov {
                                slope + momentum * moving[index]
                            } else {
                                moving[index]
                            };
                        }
                        params[index] -= lr * slope;
                    }
                    write_block(&param, start, &params[..some]);
                    write_block(&grad, start, &grads[..some]);
                    if let (Some(buffer), Some(moving)) = (&buffer, &moving) {
                        write_block(buffer, start, &moving[..some]);
                    }
                }
            });
        });
    }
    plan.done()
}
