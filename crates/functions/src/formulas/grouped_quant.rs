//! Products of quantised matrices in groups, with what follows them.

use millpond_kernels::{Element, matmul};

use super::moe::{
    Staged, expect_dims, expect_floats, expect_type, flat, size, slice, slice_mut, whole,
};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned};
use crate::refusal::Refusal;
use crate::require;
use crate::table;

/// int8 by int8 in groups, then `silu(a) · b` of the halves, quantised by row.
pub(crate) fn swiglu(call: table::GroupedMatmulSwigluQuantWeightNZ<'_>) -> Planned {
    super::fractal::expect_format(&[call.weight], "weight")?;
    for (tensor, argument) in [(call.bias, "bias"), (call.offset, "offset")] {
        if tensor.is_some_and(|tensor| !tensor.is_empty()) {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is given; Millpond does not have it here, pass NULL"
            )));
        }
    }
    expect_type(call.x, Element::I8, "x")?;
    expect_type(call.weight, Element::I8, "weight")?;
    require!(
        call.x.rank() == 2 && call.weight.rank() == 3,
        "'x' has the shape {:?} and 'weight' {:?}, but a matrix and a matrix for each group are expected",
        call.x.dims,
        call.weight.dims
    );
    let (rows, depth) = (call.x.dims[0], call.x.dims[1]);
    let (groups, columns) = (call.weight.dims[0], call.weight.dims[2]);
    expect_dims(call.weight, &[groups, depth, columns], "weight")?;
    require!(
        columns % 2 == 0,
        "'weight' has {columns} columns, but two halves are expected"
    );
    expect_floats(call.weight_scale, "weightScale")?;
    expect_dims(call.weight_scale, &[groups, columns], "weightScale")?;
    expect_floats(call.x_scale, "xScale")?;
    expect_dims(call.x_scale, &[rows], "xScale")?;
    expect_integers(call.group_list, "groupList")?;
    expect_dims(call.group_list, &[groups], "groupList")?;
    expect_type(call.output, Element::I8, "output")?;
    expect_dims(call.output, &[rows, columns / 2], "output")?;
    expect_floats(call.output_scale, "outputScale")?;
    expect_dims(call.output_scale, &[rows], "outputScale")?;
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::I32, &[rows, depth]);
    let weight = plan.input(call.weight);
    let ends = flat(&mut plan, call.group_list, Element::I64, &[groups]);
    let factors = flat(
        &mut plan,
        call.weight_scale,
        Element::F32,
        &[groups, columns],
    );
    let scales = flat(&mut plan, call.x_scale, Element::F32, &[rows]);
    let out = Staged::of(&mut plan, call.output, Element::I8);
    let out_scale = Staged::of(&mut plan, call.output_scale, Element::F32);
    // The weights of one group at a time, in the type of the sums.
    let own = plan.temp(Element::I32, &[depth, columns]);
    let sums = plan.temp(Element::I32, &[rows, columns]);
    let (into, scale_into) = (out.work.clone(), out_scale.work.clone());
    plan.try_step(move |m| {
        let (x, weight, ends) = (m.view(&x), m.view(&weight), m.view(&ends));
        let (own, sums) = (m.view(&own), m.view(&sums));
        let (factors, scales) = (m.view(&factors), m.view(&scales));
        let (factors, scales) = (slice::<f32>(&factors), slice::<f32>(&scales));
        let (into, scale_into) = (m.view(&into), m.view(&scale_into));
        let (into, scale_into) = (slice_mut::<i8>(&into), slice_mut::<f32>(&scale_into));
        into.fill(0);
        scale_into.fill(0.0);
        let (columns, half) = (size(columns), size(columns / 2));
        let mut start = 0;
        for (group, end) in slice::<i64>(&ends).iter().enumerate() {
            if *end < start || *end > rows {
                return Err(format!(
                    "'groupList' has {end} after {start}, but it must not decrease or go beyond {rows} rows"
                ));
            }
            let count = end - start;
            if count > 0 {
                millpond_kernels::map::copy(&weight.select(0, whole(group)), &own);
                matmul::matmul(&x.narrow(0, start, count), &own, &sums.narrow(0, start, count));
            }
            let values = slice::<i32>(&sums);
            for row in size(start)..size(*end) {
                let value = |column: usize| {
                    let sum = f64::from(values[row * columns + column]);
                    let factor = f64::from(factors[group * columns + column]) * f64::from(scales[row]);
                    sum * factor
                };
                let gated = |column: usize| {
                    let x = value(column);
                    x / (1.0 + (-x).exp()) * value(half + column)
                };
                let most = (0..half).fold(0.0_f64, |most, column| most.max(gated(column).abs()));
                let scale = most / 127.0;
                scale_into[row] = millpond_kernels::special::single(scale);
                for (column, into) in into[row * half..][..half].iter_mut().enumerate() {
                    *into = if scale == 0.0 {
                        0
                    } else {
                        nearest(gated(column) / scale)
                    };
                }
            }
            start = *end;
        }
        Ok(())
    });
    out.deliver(&mut plan);
    out_scale.deliver(&mut plan);
    plan.done()
}

/// The nearest integer that int8 has.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn nearest(x: f64) -> i8 {
    x.round_ties_even().clamp(-128.0, 127.0) as i8
}
