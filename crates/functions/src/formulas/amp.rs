//! Mixed-precision training.

use millpond_kernels::{read_block, write_block};

use crate::plan::{Plan, Planned};
use crate::require;
use crate::tensor::Tensor;

/// The scale of gradients after a step. A gradient that was infinite or no number makes it smaller; `interval` good steps one behind
/// the other make it larger, unless that would be infinite.
#[expect(
    clippy::too_many_arguments,
    reason = "as many as the function of C has"
)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the scale is a float, and steps are few"
)]
pub(crate) fn update_scale(
    scale: &Tensor,
    good_steps: &Tensor,
    found_inf: &Tensor,
    growth: f64,
    backoff: f64,
    interval: i64,
    new_scale: &Tensor,
    new_good_steps: &Tensor,
) -> Planned {
    let tensors = [
        ("currentScale", scale),
        ("growthTracker", good_steps),
        ("foundInf", found_inf),
        ("updatedScale", new_scale),
        ("updatedGrowthTracker", new_good_steps),
    ];
    for (argument, tensor) in tensors {
        require!(
            tensor.count() == 1,
            "'{argument}' has the shape {:?}, expected one element",
            tensor.dims
        );
    }
    let mut plan = Plan::new();
    let inputs = [scale, good_steps, found_inf].map(|tensor| plan.input(tensor));
    let outputs = [new_scale, new_good_steps].map(|tensor| plan.output_apart(tensor));
    plan.step(move |memory| {
        let [scale, steps, found] = inputs.each_ref().map(|value| {
            let mut number = [0.0_f64];
            read_block(&memory.view(value), 0, &mut number);
            number[0]
        });
        let good = steps + 1.0;
        let [scale, steps] = if found != 0.0 {
            [scale * backoff, 0.0]
        } else if good == interval as f64 {
            let larger = scale * growth;
            [
                if (larger as f32).is_finite() {
                    larger
                } else {
                    scale
                },
                0.0,
            ]
        } else {
            [scale, good]
        };
        for (value, number) in outputs.iter().zip([scale, steps]) {
            write_block(&memory.view(value), 0, &[number]);
        }
    });
    plan.done()
}
