//! Losses over classes: one class is right at each position.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a path to the method does not fit every lifetime"
)]

use millpond_kernels::loss::{self, Targets};
use millpond_kernels::{Compute, Element, compute_type, floats, map, write_block};

use super::elementwise::expect_kind;
use super::expect_shape;
use super::loss::{Reduction, expect_one, single};
use crate::plan::{Memory, Plan, Planned, Value};
use crate::promote::{Category, category, check_result, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::table::{CrossEntropyLoss, CrossEntropyLossGrad};
use crate::tensor::Tensor;

/// Targets and weights of classes as steps use them.
#[derive(Debug, Clone)]
struct Classes {
    count: usize,
    targets: Value,
    weights: Option<Value>,
    ignored: i64,
}

impl Classes {
    /// Adds the steps that bring targets and weights together and check the targets.
    fn of(
        plan: &mut Plan,
        classes: i64,
        target: &Tensor,
        weight: Option<&Tensor>,
        ignored: i64,
    ) -> Result<Self, Refusal> {
        require!(
            category(target.element()) == Category::Int,
            "'target' has the type {}: classes are integers",
            target.element().name()
        );
        if let Some(weight) = weight {
            expect_kind(weight.element(), Category::Float, Category::Float)?;
            require!(
                weight.dims[..] == [classes],
                "'weight' has the shape {:?}: it must have one element for each of {classes} classes",
                weight.dims
            );
        }
        let target = plan.input(target);
        let targets = plan.contiguous(&target, Element::I64);
        let weights = weight.map(|weight| {
            let weight = plan.input(weight);
            plan.contiguous(&weight, Element::F64)
        });
        let made = Self {
            count: usize::try_from(classes).unwrap_or(0),
            targets,
            weights,
            ignored,
        };
        let checked = made.clone();
        plan.try_step(move |m| checked.run(m, |targets| targets.check()));
        Ok(made)
    }

    fn run<R>(&self, memory: &Memory<'_>, body: impl FnOnce(&Targets<'_>) -> R) -> R {
        let targets = memory.view(&self.targets);
        let weights = self.weights.as_ref().map(|weights| memory.view(weights));
        body(&Targets {
            classes: self.count,
            targets: targets.slice().unwrap_or_default(),
            weights: weights
                .as_ref()
                .map(|weights| weights.slice().unwrap_or_default()),
            ignored: self.ignored,
        })
    }
}

/// The axis of classes, the number of classes; refuses targets that do not have the other axes.
fn class_axis(x: &Tensor, target: &Tensor, flat: bool) -> Result<(usize, i64), Refusal> {
    let fits = if flat {
        matches!(x.rank(), 1 | 2)
    } else {
        x.rank() == 4
    };
    require!(
        fits,
        "'self' has the shape {:?}: it must be {}",
        x.dims,
        if flat {
            "[classes] or [positions, classes]"
        } else {
            "[batch, classes, height, width]"
        }
    );
    let axis = usize::from(x.rank() > 1);
    let mut dims = x.dims.clone();
    let classes = dims.remove(axis);
    // One position may come with an axis or without.
    let same = target.dims == dims || (x.rank() == 1 && target.count() == 1);
    require!(
        same,
        "'target' has the shape {:?}: it must be {dims:?}, that of 'self' without its classes",
        target.dims
    );
    Ok((axis, classes))
}

/// −weight · x at the target of each position; their sum, or their mean by weight. The sum of weights is a second result.
pub(crate) fn nll(
    [x, target, weight]: [&Tensor; 3],
    (reduction, ignored, flat): (i64, i64, bool),
    out: &Tensor,
    total: &Tensor,
) -> Planned {
    let reduction = Reduction::of(reduction)?;
    let (axis, classes) = class_axis(x, target, flat)?;
    let element = promote(x.element(), weight.element());
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    check_result(element, total)?;
    expect_one(total, "totalWeight")?;
    let mut dims = x.dims.clone();
    dims.remove(axis);
    // Without axes there is nothing to keep apart.
    let each = reduction == Reduction::None && !dims.is_empty();
    if each {
        expect_shape(out, &dims)?;
    } else {
        expect_one(out, "out")?;
    }
    let mut plan = Plan::new();
    let classes = Classes::of(&mut plan, classes, target, Some(weight), ignored)?;
    let x = plan.input(x).axis_last(axis);
    let out = plan.output_apart(out);
    let out = if each { out } else { single(&out) };
    let total = single(&plan.output_apart(total));
    plan.step(move |m| {
        let out = m.view(&out);
        let into = each.then_some(&out);
        let (sum, weight) = classes.run(m, |targets| loss::nll(&m.view(&x), targets, into));
        if !each {
            let mean = reduction == Reduction::Mean;
            write_block(&out, 0, &[if mean { sum / weight } else { sum }]);
        }
        write_block(&m.view(&total), 0, &[if each { 0.0 } else { weight }]);
    });
    plan.done()
}

/// The gradient of [`nll`].
pub(crate) fn nll_backward(
    gradient: &Tensor,
    [x, target, weight]: [&Tensor; 3],
    (reduction, ignored, flat): (i64, i64, bool),
    total: &Tensor,
    out: &Tensor,
) -> Planned {
    let reduction = Reduction::of(reduction)?;
    let (axis, classes) = class_axis(x, target, flat)?;
    expect_shape(out, &x.dims)?;
    expect_one(total, "totalWeight")?;
    for tensor in [gradient, total, out] {
        expect_kind(tensor.element(), Category::Float, Category::Float)?;
    }
    let mut dims = x.dims.clone();
    dims.remove(axis);
    if reduction == Reduction::None && !dims.is_empty() {
        require!(
            gradient.dims == dims,
            "'gradOutput' has the shape {:?}: it must be {dims:?}, one element for each position",
            gradient.dims
        );
    } else {
        expect_one(gradient, "gradOutput")?;
    }
    let mut plan = Plan::new();
    let classes = Classes::of(&mut plan, classes, target, Some(weight), ignored)?;
    let gradient = plan.input(gradient);
    let gradient = if gradient.count() == 1 {
        single(&gradient)
    } else {
        gradient
    };
    let total = single(&plan.input(total));
    let out = plan.output_apart(out).axis_last(axis);
    plan.step(move |m| {
        let out = m.view(&out);
        let mut weight = [1.0_f64];
        if reduction == Reduction::Mean {
            millpond_kernels::read_block(&m.view(&total), 0, &mut weight);
        }
        map::fill(&out, 0.0_f32);
        classes.run(m, |targets| {
            loss::nll_gradient(&m.view(&gradient), 1.0 / weight[0], targets, &out);
        });
    });
    plan.done()
}

fn expect_matrix(x: &Tensor, target: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        x.rank() == 2 && target.dims[..] == x.dims[..1],
        "'{argument}' has the shape {:?} and 'target' {:?}: they must be [positions, classes] and [positions]",
        x.dims,
        target.dims
    );
    Ok(())
}

fn expect_smoothing(smoothing: f64) -> Result<(), Refusal> {
    require!(
        (0.0..=1.0).contains(&smoothing),
        "'labelSmoothing' is {smoothing}: it must be in 0..1"
    );
    Ok(())
}

/// Results that a kernel writes one behind the other in the type that it computes in: the tensor itself, or memory that `copied` copies.
fn dense_output(plan: &mut Plan, out: &Tensor, compute: Element) -> (Value, Option<Value>) {
    let target = plan.output_apart(out);
    if target.is_contiguous() && target.element() == compute {
        (target, None)
    } else {
        (plan.temp(compute, &out.dims), Some(target))
    }
}

/// Cross entropy of what softmax makes of rows; the logarithms of softmax are a second result.
pub(crate) fn cross_entropy(call: CrossEntropyLoss<'_>) -> Planned {
    let CrossEntropyLoss {
        input: x,
        target,
        weight,
        loss: out,
        log_prob,
        ..
    } = call;
    let reduction = Reduction::named(call.reduction)?;
    expect_matrix(x, target, "input")?;
    expect_smoothing(call.label_smoothing)?;
    if call.return_zloss || call.lse_square_scale_for_zloss != 0.0 {
        return Err(Refusal::unsupported(
            "'returnZloss' or 'lseSquareScaleForZloss' is set, but Millpond does not compute z-loss",
        ));
    }
    let element = x.element();
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    check_result(element, log_prob)?;
    if reduction == Reduction::None {
        expect_shape(out, &target.dims)?;
    } else {
        expect_one(out, "loss")?;
    }
    require!(
        log_prob.dims == x.dims,
        "'logProb' has the shape {:?}: it must be that of 'input', {:?}",
        log_prob.dims,
        x.dims
    );
    let mut plan = Plan::new();
    let classes = Classes::of(&mut plan, x.dims[1], target, weight, call.ignore_index)?;
    let rows = x.dims[0];
    let x = plan.input(x);
    let compute = compute_type(element);
    let x = plan.contiguous(&x, compute);
    let (logs, later) = dense_output(&mut plan, log_prob, compute);
    let losses = plan.temp(Element::F64, &[rows, 1]);
    let out = plan.output_apart(out);
    let (from, each) = (logs.clone(), losses.clone());
    let smoothing = call.label_smoothing;
    let targets = classes.clone();
    plan.step(move |m| {
        let logs = m.view(&from);
        floats!(element, C => {
            loss::log_softmax::<C>(&m.view(&x), &logs);
            targets.run(m, |targets| loss::cross_entropy::<C>(&logs, targets, smoothing, &m.view(&each)));
        });
    });
    if let Some(later) = later {
        plan.copy(&logs, &later);
    }
    if reduction == Reduction::None {
        if let Some(losses) = losses.reshaped(&[rows]) {
            plan.copy(&losses, &out);
        }
        return plan.done();
    }
    let out = single(&out);
    plan.step(move |m| {
        let losses = m.view(&losses);
        let sum: f64 = losses.slice::<f64>().unwrap_or_default().iter().sum();
        let total = match reduction {
            Reduction::Mean => classes.run(m, |targets| targets.total()),
            _ => 1.0,
        };
        write_block(&m.view(&out), 0, &[sum / total]);
    });
    plan.done()
}

/// The gradient of [`cross_entropy`] from the logarithms of softmax.
pub(crate) fn cross_entropy_backward(call: CrossEntropyLossGrad<'_>) -> Planned {
    let CrossEntropyLossGrad {
        grad_loss: gradient,
        log_prob,
        target,
        weight,
        x_grad_out: out,
        ..
    } = call;
    let reduction = Reduction::named(call.reduction)?;
    expect_matrix(log_prob, target, "logProb")?;
    expect_smoothing(call.label_smoothing)?;
    let z_loss = call.grad_zloss.is_some_and(|tensor| !tensor.is_empty());
    if z_loss && call.lse_square_scale_for_zloss != 0.0 {
        return Err(Refusal::unsupported(
            "'gradZloss' is given and 'lseSquareScaleForZloss' is not 0, but Millpond does not compute z-loss",
        ));
    }
    expect_shape(out, &log_prob.dims)?;
    let element = log_prob.element();
    for tensor in [gradient, log_prob] {
        expect_kind(tensor.element(), Category::Float, Category::Float)?;
    }
    check_result(element, out)?;
    if reduction == Reduction::None {
        require!(
            gradient.dims == target.dims,
            "'gradLoss' has the shape {:?}: it must be {:?}, one element for each position",
            gradient.dims,
            target.dims
        );
    } else {
        expect_one(gradient, "gradLoss")?;
    }
    let mut plan = Plan::new();
    let rows = log_prob.dims[0];
    let classes = Classes::of(
        &mut plan,
        log_prob.dims[1],
        target,
        weight,
        call.ignore_index,
    )?;
    let gradient = plan.input(gradient);
    let gradient = if reduction == Reduction::None {
        gradient
    } else {
        single(&gradient)
    };
    let logs = plan.input(log_prob);
    let compute = compute_type(element);
    let logs = plan.contiguous(&logs, compute);
    let (result, later) = dense_output(&mut plan, out, compute);
    let factors = plan.temp(Element::F64, &[rows]);
    let smoothing = call.label_smoothing;
    let into = result.clone();
    plan.step(move |m| {
        let factors = m.view(&factors);
        classes.run(m, |targets| {
            let total = match reduction {
                Reduction::Mean => targets.total(),
                _ => 1.0,
            };
            map::map1::<f64, f64>(&m.view(&gradient), &factors, |g| g / total);
            let factors = factors.reshape(&[rows, 1]);
            floats!(element, C => loss::cross_entropy_gradient::<C>(&m.view(&logs), &factors, targets, smoothing, &m.view(&into)));
        });
    });
    if let Some(later) = later {
        plan.copy(&result, &later);
    }
    plan.done()
}

/// −Σ labels · log softmax(features) for each row, and its gradient for the features.
pub(crate) fn softmax_cross_entropy(
    features: &Tensor,
    labels: &Tensor,
    out: &Tensor,
    gradient: &Tensor,
) -> Planned {
    require!(
        features.rank() == 2 && features.dims == labels.dims && features.dims == gradient.dims,
        "'features' has the shape {:?}, 'labels' {:?} and 'backprop' {:?}: all must be [positions, classes]",
        features.dims,
        labels.dims,
        gradient.dims
    );
    let rows = features.dims[0];
    require!(
        out.count() == usize::try_from(rows).unwrap_or(0),
        "'loss' has the shape {:?}: it must have one element for each of {rows} positions",
        out.dims
    );
    let element = promote(features.element(), labels.element());
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    check_result(element, gradient)?;
    let compute = compute_type(element);
    let mut plan = Plan::new();
    let (features, labels) = (plan.input(features), plan.input(labels));
    let (features, labels) = (
        plan.contiguous(&features, compute),
        plan.contiguous(&labels, compute),
    );
    let (result, later) = dense_output(&mut plan, gradient, compute);
    let losses = plan.temp(compute, &[rows, 1]);
    let out = plan.output_apart(out);
    let (into, each) = (result.clone(), losses.clone());
    plan.step(move |m| {
        let (features, labels) = (m.view(&features), m.view(&labels));
        floats!(element, C => {
            loss::softmax_cross_entropy::<C>(&features, &labels, &m.view(&each));
            loss::softmax_minus_labels::<C>(&features, &labels, &m.view(&into));
        });
    });
    if let Some(later) = later {
        plan.copy(&result, &later);
    }
    if let Some(losses) = losses.reshaped(out.dims()) {
        plan.copy(&losses, &out);
    }
    plan.done()
}

/// How far classes that are not targets come within 1 of those that are, or above: sums over all pairs, divided by the number of classes.
/// Targets of a sample end at −1. The second result marks the targets.
pub(crate) fn multilabel_margin(
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    out: &Tensor,
    marks: &Tensor,
) -> Planned {
    let reduction = Reduction::of(reduction)?;
    require!(
        x.rank() <= 2 && target.dims == x.dims,
        "'self' has the shape {:?} and 'target' {:?}: both must be [classes] or [samples, classes]",
        x.dims,
        target.dims
    );
    expect_kind(x.element(), Category::Float, Category::Float)?;
    require!(
        category(target.element()) == Category::Int,
        "'target' has {} elements, but must have integers",
        target.element().name()
    );
    check_result(x.element(), out)?;
    let classes = x.dims.last().copied().unwrap_or(1);
    let samples = if x.rank() == 2 { x.dims[0] } else { 1 };
    let each = reduction == Reduction::None && x.rank() == 2;
    if each {
        expect_shape(out, &[samples])?;
    } else {
        expect_one(out, "out")?;
    }
    let marked = samples > 0 && classes > 0;
    if marked {
        expect_shape(marks, &target.dims)?;
    }
    let element = compute_type(x.element());
    let mut plan = Plan::new();
    let (x, t) = (plan.input(x), plan.input(target));
    let (y, into) = (plan.output_apart(out), plan.output_apart(marks));
    let (x, t) = (
        plan.contiguous(&x, element),
        plan.contiguous(&t, Element::I64),
    );
    let losses = plan.temp(Element::F64, &[samples]);
    let found = plan.temp(Element::U8, &[samples, classes]);
    let (rows, seen) = (losses.clone(), found.clone());
    let classes = usize::try_from(classes).unwrap_or(0);
    plan.try_step(move |m| {
        let (x, t) = (m.view(&x), m.view(&t));
        let targets = t.slice::<i64>().unwrap_or_default();
        let wrong = targets.iter().enumerate().find(|(_, class)| {
            **class < -1 || usize::try_from(**class).is_ok_and(|class| class >= classes)
        });
        if let Some((place, class)) = wrong {
            return Err(format!(
                "element {place} of 'target' is {class}, but there are {classes} classes"
            ));
        }
        // The classes that a sample names, up to the first −1.
        let named = |sample: usize| {
            let row = &targets[sample * classes..][..classes];
            row.iter().map_while(|class| usize::try_from(*class).ok())
        };
        floats!(element, T => {
            let x = x.slice::<T>().unwrap_or_default();
            map::generate::<f64>(&m.view(&rows), |sample| {
                let row = &x[sample * classes..][..classes];
                let mut sum = 0.0;
                for (class, value) in row.iter().enumerate() {
                    if !named(sample).any(|one| one == class) {
                        let pairs = named(sample).map(|one| 1.0 - row[one].to_f64() + value.to_f64());
                        sum += pairs.map(|apart| if apart < 0.0 { 0.0 } else { apart }).sum::<f64>();
                    }
                }
                sum / classes as f64
            });
        });
        map::generate::<u8>(&m.view(&seen), |place| {
            let class = place % classes;
            u8::from(named(place / classes).any(|one| one == class))
        });
        Ok(())
    });
    if each {
        plan.copy(&losses, &y);
    } else {
        let total = plan.temp(Element::F64, &[1]);
        plan.sum_to(&losses, &[0], &total.squeeze(0));
        let scale = if reduction == Reduction::Mean {
            samples.max(1) as f64
        } else {
            1.0
        };
        let (from, to) = (total.squeeze(0), single(&y));
        plan.step(move |m| {
            map::map1::<f64, f64>(&m.view(&from), &m.view(&to), |sum| sum / scale);
        });
    }
    if marked {
        let found = found.reshaped(into.dims()).unwrap_or(found);
        plan.copy(&found, &into);
    }
    plan.done()
}
