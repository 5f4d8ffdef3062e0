//! The loss of connectionist temporal classification.

use millpond_kernels::ctc::Sequences;
use millpond_kernels::{Element, floats};

use super::convolution::real_type;
use super::expect_shape;
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// Checks shapes and lengths.
fn sequences(
    logs: &Tensor,
    targets: &Tensor,
    inputs: &[i64],
    labels: &[i64],
    blank: i64,
    alpha: &Tensor,
) -> Result<Sequences, Refusal> {
    require!(
        logs.rank() == 3,
        "'logProbs' has the shape {:?}, but must be [time, batch, classes]",
        logs.dims
    );
    let (time, batch, classes) = (logs.dims[0], logs.dims[1], logs.dims[2]);
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    require!(
        inputs.len() == size(batch) && labels.len() == size(batch),
        "'inputLengths' and 'targetLengths' have {} and {} members, but must have {batch}",
        inputs.len(),
        labels.len()
    );
    require!(
        inputs.iter().all(|length| (0..=time).contains(length)),
        "'inputLengths' is {inputs:?}, but its members must be between 0 and {time}"
    );
    require!(
        (0..classes).contains(&blank),
        "'blank' is {blank}, but must be one of {classes} classes"
    );
    require!(
        category(targets.element()) == Category::Int,
        "'targets' has {} elements, but must have integers",
        targets.element().name()
    );
    let longest = labels.iter().copied().max().unwrap_or(0);
    require!(
        labels.iter().all(|length| *length >= 0),
        "'targetLengths' is {labels:?}, but its members must not be negative"
    );
    let mut next = 0_i64;
    let mut starts = Vec::with_capacity(labels.len());
    match targets.dims[..] {
        [rows, width] => {
            require!(
                rows == batch && longest <= width,
                "'targets' has the shape {:?}, but must have {batch} rows of at least {longest} labels",
                targets.dims
            );
            starts.extend((0..batch).map(|row| size(row * width)));
        }
        [length] => {
            for count in labels {
                starts.push(size(next));
                next = next.saturating_add(*count);
            }
            require!(
                next <= length,
                "'targets' has {length} labels, but 'targetLengths' add up to {next}"
            );
        }
        _ => {
            return Err(Refusal::invalid(format!(
                "'targets' has the shape {:?}, but must have 1 or 2 dimensions",
                targets.dims
            )));
        }
    }
    require!(
        alpha.rank() == 3
            && alpha.dims[0] == batch
            && alpha.dims[1] == time
            && alpha.dims[2] > longest.saturating_mul(2),
        "'logAlpha' has the shape {:?}, but must be [{batch}, {time}, at least {}]",
        alpha.dims,
        longest.saturating_mul(2).saturating_add(1)
    );
    Ok(Sequences {
        inputs: inputs.iter().map(|length| size(*length)).collect(),
        labels: labels.iter().map(|length| size(*length)).collect(),
        starts,
        blank: size(blank),
        classes: size(classes),
    })
}

/// Losses, and the logarithms that the gradient needs.
pub(crate) fn loss(args: table::CtcLoss<'_>) -> Planned {
    let (losses, alpha) = (args.neg_log_likelihood, args.log_alpha);
    let sequences = sequences(
        args.log_probs,
        args.targets,
        args.input_lengths,
        args.target_lengths,
        args.blank,
        alpha,
    )?;
    let element = real_type(&[args.log_probs, losses, alpha], "this loss")?;
    expect_shape(losses, &[args.log_probs.dims[1]])?;
    let mut plan = Plan::new();
    let (logs, targets) = (plan.input(args.log_probs), plan.input(args.targets));
    let (out, out_alpha) = (plan.output_apart(losses), plan.output_apart(alpha));
    let logs = plan.contiguous(&logs, element);
    let targets = plan.contiguous(&targets, Element::I64);
    let (room, room_alpha) = (
        plan.dense_room(&out, element),
        plan.dense_room(&out_alpha, element),
    );
    let (into, into_alpha) = (room.clone(), room_alpha.clone());
    plan.try_step(move |m| {
        let (logs, targets) = (m.view(&logs), m.view(&targets));
        let targets = targets.slice::<i64>().unwrap_or_default();
        sequences.check(targets)?;
        let (into, into_alpha) = (m.view(&into), m.view(&into_alpha));
        floats!(element, T => sequences.loss::<T>(&logs, targets, &into, &into_alpha));
        Ok(())
    });
    plan.deliver(&room, &out);
    plan.deliver(&room_alpha, &out_alpha);
    plan.done()
}

/// The gradient of [`loss`].
pub(crate) fn loss_backward(args: table::CtcLossBackward<'_>) -> Planned {
    let sequences = sequences(
        args.log_probs,
        args.targets,
        args.input_lengths,
        args.target_lengths,
        args.blank,
        args.log_alpha,
    )?;
    let tensors = [
        args.grad,
        args.log_probs,
        args.neg_log_likelihood,
        args.log_alpha,
        args.out,
    ];
    let element = real_type(&tensors, "this loss")?;
    let batch = args.log_probs.dims[1];
    expect_shape(args.out, &args.log_probs.dims)?;
    require!(
        args.grad.dims[..] == [batch] && args.neg_log_likelihood.dims[..] == [batch],
        "'grad' has the shape {:?} and 'negLogLikelihood' {:?}, but both must have {batch} elements",
        args.grad.dims,
        args.neg_log_likelihood.dims
    );
    let mut plan = Plan::new();
    let (slope, logs) = (plan.input(args.grad), plan.input(args.log_probs));
    let (targets, losses) = (
        plan.input(args.targets),
        plan.input(args.neg_log_likelihood),
    );
    let alpha = plan.input(args.log_alpha);
    let out = plan.output_apart(args.out);
    let (slope, logs) = (
        plan.contiguous(&slope, element),
        plan.contiguous(&logs, element),
    );
    let targets = plan.contiguous(&targets, Element::I64);
    let (losses, alpha) = (
        plan.contiguous(&losses, element),
        plan.contiguous(&alpha, element),
    );
    let rows = plan.temp(Element::F64, &[batch, 2, alpha.dim(2)]);
    let room = plan.dense_room(&out, element);
    let into = room.clone();
    let zero_infinity = args.zero_infinity;
    plan.try_step(move |m| {
        let targets = m.view(&targets);
        let targets = targets.slice::<i64>().unwrap_or_default();
        sequences.check(targets)?;
        let (slope, logs, losses) = (m.view(&slope), m.view(&logs), m.view(&losses));
        let (alpha, rows, into) = (m.view(&alpha), m.view(&rows), m.view(&into));
        floats!(element, T => {
            sequences.gradient::<T>(&slope, &logs, targets, &losses, &alpha, zero_infinity, &rows, &into);
        });
        Ok(())
    });
    plan.deliver(&room, &out);
    plan.done()
}
