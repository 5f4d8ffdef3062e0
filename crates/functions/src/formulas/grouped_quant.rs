//! Products of quantised matrices in groups, with what follows them.

use millpond_kernels::{Element, matmul};

use super::moe::{
    Staged, expect_dims, expect_floats, expect_type, flat, size, slice, slice_mut, whole,
};
use super::quant_product::product_in_groups;
use super::swiglu_quant::Groups;
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

/// int8 by int8 in groups, scaled by row and column, weighted, and added to the row of its token; then a part that all tokens share.
pub(crate) fn finalize(call: table::GroupedMatmulFinalizeRoutingV3<'_>) -> Planned {
    for (tensor, argument) in [
        (call.bias, "bias"),
        (call.offset, "offset"),
        (call.antiquant_scale, "antiquantScale"),
        (call.antiquant_offset, "antiquantOffset"),
    ] {
        if tensor.is_some_and(|tensor| !tensor.is_empty()) {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is given; Millpond multiplies int8 by int8 here, without it"
            )));
        }
    }
    if call.transpose_x {
        return Err(Refusal::unsupported(
            "'transposeX' is true; Millpond takes rows of tokens",
        ));
    }
    if call.dtype != 0 {
        return Err(Refusal::unsupported(format!(
            "'dtype' is {}; Millpond computes this in float, which is 0",
            call.dtype
        )));
    }
    let missing = Refusal::missing;
    let scale = call.scale.ok_or_else(|| missing("scale"))?;
    let lines = call
        .pertoken_scale
        .ok_or_else(|| missing("pertokenScale"))?;
    let list = call.group_list.ok_or_else(|| missing("groupList"))?;
    let logit = call.logit.ok_or_else(|| missing("logit"))?;
    let index = call.row_index.ok_or_else(|| missing("rowIndex"))?;
    expect_type(call.x, Element::I8, "x")?;
    expect_type(call.w, Element::I8, "w")?;
    require!(
        call.x.rank() == 2 && call.w.rank() == 3,
        "'x' has the shape {:?} and 'w' {:?}, but a matrix and a matrix for each group are expected",
        call.x.dims,
        call.w.dims
    );
    require!(
        matches!(call.group_list_type, 0 | 1),
        "'groupListType' is {}; 0 is where groups end, 1 how long they are",
        call.group_list_type
    );
    let mut plan = Plan::new();
    let mut weight = plan.input(call.w);
    if call.transpose_w {
        weight = weight.transpose(1, 2);
    }
    let (rows, depth) = (call.x.dims[0], call.x.dims[1]);
    let (count, columns) = (weight.dim(0), weight.dim(2));
    require!(
        weight.dim(1) == depth,
        "'x' of shape {:?} cannot be multiplied by 'w' of shape {:?}, 'transposeW' {}",
        call.x.dims,
        call.w.dims,
        call.transpose_w
    );
    expect_floats(scale, "scale")?;
    expect_dims(scale, &[count, columns], "scale")?;
    expect_floats(lines, "pertokenScale")?;
    expect_dims(lines, &[rows], "pertokenScale")?;
    expect_floats(logit, "logit")?;
    expect_dims(logit, &[rows], "logit")?;
    expect_integers(index, "rowIndex")?;
    expect_dims(index, &[rows], "rowIndex")?;
    expect_type(call.out, Element::F32, "out")?;
    require!(
        call.out.rank() == 2 && call.out.dims[1] == columns,
        "'out' has the shape {:?}, but rows of {columns} are expected",
        call.out.dims
    );
    let tokens = call.out.dims[0];
    let shared = match call.shared_input.filter(|shared| !shared.is_empty()) {
        Some(shared) => {
            expect_floats(shared, "sharedInput")?;
            let first = call.shared_input_offset;
            require!(
                shared.rank() == 2
                    && shared.dims[1] == columns
                    && first >= 0
                    && first.saturating_add(shared.dims[0]) <= tokens,
                "'sharedInput' has the shape {:?} and 'sharedInputOffset' is {first}, but 'out' has {tokens} rows of {columns}",
                shared.dims
            );
            let value = flat(&mut plan, shared, Element::F32, &shared.dims);
            Some((value, first))
        }
        None => None,
    };
    let x = flat(&mut plan, call.x, Element::F64, &[rows, depth]);
    let scale = flat(&mut plan, scale, Element::F32, &[count, columns]);
    let lines = flat(&mut plan, lines, Element::F32, &[rows]);
    let logit = flat(&mut plan, logit, Element::F32, &[rows]);
    let index = flat(&mut plan, index, Element::I64, &[rows]);
    let lengths = call.group_list_type == 1;
    let groups = Groups::of(&mut plan, list, lengths, rows, "groupList")?;
    require!(
        groups.count() == count,
        "'groupList' has {} groups, but 'w' {count} matrices",
        groups.count()
    );
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let sums = product_in_groups(&mut plan, &x, &weight, &groups);
    let weight_of_shared = f64::from(call.shared_input_weight);
    let into = out.work.clone();
    // In double until all parts are there.
    let totals = plan.temp(Element::F64, &[tokens, columns]);
    plan.fill(&totals, 0.0);
    plan.try_step(move |m| {
        let views = [&scale, &lines, &logit].map(|value| m.view(value));
        let [scale, lines, logit] = [0, 1, 2].map(|number: usize| slice::<f32>(&views[number]));
        let (sums, index, totals) = (m.view(&sums), m.view(&index), m.view(&totals));
        let (sums, index) = (slice::<f64>(&sums), slice::<i64>(&index));
        let totals = slice_mut::<f64>(&totals);
        let columns = size(columns);
        if let Some((shared, first)) = &shared {
            let shared = m.view(shared);
            let begin = size(*first) * columns;
            for (to, from) in totals[begin..].iter_mut().zip(slice::<f32>(&shared)) {
                *to = f64::from(*from) * weight_of_shared;
            }
        }
        for (row, (sums, token)) in sums.chunks_exact(columns.max(1)).zip(index).enumerate() {
            let Some(group) = groups.find(m, row) else {
                break;
            };
            if !(0..tokens).contains(token) {
                return Err(format!(
                    "'rowIndex' has {token} for row {row}, but 'out' has {tokens} rows"
                ));
            }
            let factor = f64::from(lines[row]) * f64::from(logit[row]);
            let scale = &scale[group * columns..][..columns];
            let to = &mut totals[size(*token) * columns..][..columns];
            for ((to, sum), scale) in to.iter_mut().zip(sums).zip(scale) {
                *to += sum * f64::from(*scale) * factor;
            }
        }
        let into = m.view(&into);
        for (to, from) in slice_mut::<f32>(&into).iter_mut().zip(&*totals) {
            *to = millpond_kernels::special::single(*from);
        }
        Ok(())
    });
    out.deliver(&mut plan);
    plan.done()
}
