//! Parts of attention put together: each saw some of the keys.

use millpond_kernels::{Element, View, read_block};

use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// The parts of attention over parts of the keys, as attention over all of them.
pub(crate) fn merge(
    log_sums: &[&Tensor],
    outs: &[&Tensor],
    kind: i64,
    out: &Tensor,
    log_sum: Option<&Tensor>,
) -> Planned {
    require!(
        !outs.is_empty() && log_sums.len() == outs.len(),
        "there are {} tensors in lse and {} in localOut",
        log_sums.len(),
        outs.len()
    );
    let rows = out.dims.first().copied().unwrap_or(0);
    require!(
        out.rank() == 2
            && outs.iter().all(|tensor| tensor.dims == out.dims)
            && log_sums.iter().all(|tensor| tensor.dims[..] == [rows]),
        "the shapes do not fit: each lse has one number for a row of localOut, and out the shape {:?}",
        out.dims
    );
    require!(
        (0..=1).contains(&kind),
        "updateType is {kind}, expected 0 or 1"
    );
    let mut plan = Plan::new();
    let mut floats = |tensor: &&Tensor| {
        let value = plan.input(tensor);
        plan.contiguous(&value, Element::F32)
    };
    let parts: Vec<(Value, Value)> = log_sums
        .iter()
        .zip(outs)
        .map(|(log_sum, out)| (floats(log_sum), floats(out)))
        .collect();
    let total = plan.temp(Element::F32, &[rows]);
    let whole = plan.temp(Element::F32, &out.dims);
    let (sums, result) = (total.clone(), whole.clone());
    plan.step(move |m| {
        let views: Vec<(View, View)> = parts
            .iter()
            .map(|(log_sum, out)| (m.view(log_sum), m.view(out)))
            .collect();
        let (sums, result) = (m.view(&sums), m.view(&result));
        let (Some(sums), Some(result)) = (sums.slice_mut::<f32>(), result.slice_mut::<f32>())
        else {
            return;
        };
        let width = result.len().checked_div(sums.len()).unwrap_or(0);
        let part = |view: &View, index: usize| {
            let mut number = [0.0_f32];
            read_block(view, index, &mut number);
            number[0]
        };
        for (row, sum) in sums.iter_mut().enumerate() {
            let own = || views.iter().map(|(log_sum, _)| part(log_sum, row));
            let greatest = own().fold(f32::NEG_INFINITY, f32::max);
            let finite = if greatest.is_finite() { greatest } else { 0.0 };
            *sum = finite
                + own()
                    .map(|log_sum| (log_sum - finite).exp())
                    .sum::<f32>()
                    .ln();
            let into = &mut result[row * width..][..width];
            into.fill(0.0);
            for (log_sum, out) in &views {
                let weight = (part(log_sum, row) - *sum).exp();
                let from = out.slice::<f32>().unwrap_or_default();
                // A part that saw nothing adds nothing.
                if weight > 0.0 {
                    for (into, from) in into.iter_mut().zip(&from[row * width..][..width]) {
                        *into += weight * from;
                    }
                }
            }
        }
    });
    let out = plan.output_apart(out);
    plan.copy(&whole, &out);
    if kind == 1 {
        let Some(tensor) = log_sum else {
            return Err(Refusal::missing("lseOut"));
        };
        expect_shape(tensor, &[rows])?;
        let out = plan.output_apart(tensor);
        plan.copy(&total, &out);
    }
    plan.done()
}
