//! Products of matrices whose left side is quantised on the way, or whose result is.

use millpond_kernels::activation::silu;
use millpond_kernels::quantise::{row_to_i8, to_i8};
use millpond_kernels::{Element, Stored, map, matmul, rows};

use super::moe::{Staged, expect_dims, flat, size, slice, whole};
use super::quantise::{columns_of, expect_int8, expect_single};
use super::swiglu_quant::Groups;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The left side of a product, which is quantised first.
struct Left<'a> {
    x: &'a Tensor,
    scale: Option<&'a Tensor>,
    offset: Option<&'a Tensor>,
    smooth: Option<&'a Tensor>,
    mode: &'a str,
}

/// The integers, as double so that sums of their products are exact, and a scale for each row.
struct Quantised {
    x: Value,
    steps: Value,
    /// One scale, which the call gives.
    is_static_tensor: bool,
}

impl Left<'_> {
    fn add(&self, plan: &mut Plan) -> Result<Quantised, Refusal> {
        if self.offset.is_some() {
            return Err(Refusal::unsupported(
                "'xOffset' is given; Millpond quantises 'x' symmetrically, pass NULL",
            ));
        }
        expect_single(self.x, "x")?;
        require!(
            self.x.rank() == 2,
            "'x' has the shape {:?}, but two dimensions are expected",
            self.x.dims
        );
        let (height, depth) = (self.x.dims[0], self.x.dims[1]);
        let for_tensor = match self.mode {
            "pertoken" | "" => false,
            "pertensor" => true,
            other => {
                return Err(Refusal::invalid(format!(
                    "'quantMode' is '{other}'; it must be pertoken or pertensor"
                )));
            }
        };
        let from = flat(plan, self.x, Element::F32, &[height, depth]);
        let smooth = match self.smooth {
            Some(smooth) => {
                expect_single(smooth, "smoothScale")?;
                expect_dims(smooth, &[depth], "smoothScale")?;
                Some(flat(plan, smooth, Element::F32, &[depth]))
            }
            None => None,
        };
        let given = match self.scale {
            Some(scale) => {
                expect_single(scale, "xScale")?;
                let wanted = if for_tensor { 1 } else { height };
                require!(
                    whole(scale.count()) == wanted,
                    "'xScale' has the shape {:?}, but {wanted} elements are expected",
                    scale.dims
                );
                Some(flat(plan, scale, Element::F32, &[wanted]))
            }
            None if for_tensor => {
                return Err(Refusal::unsupported(
                    "'quantMode' is pertensor and 'xScale' is NULL; Millpond finds scales for rows only",
                ));
            }
            None => None,
        };
        let is_static_tensor = for_tensor && given.is_some();
        let x = plan.temp(Element::F64, &[height, depth]);
        let steps = plan.temp(Element::F32, &[height, 1]);
        if depth == 0 {
            // No row is visited then.
            match &given {
                Some(given) => plan.copy(&given.unsqueeze(1), &steps),
                None => plan.fill(&steps, 0.0),
            }
        }
        let (into, scales) = (x.clone(), steps.clone());
        plan.step(move |m| {
            let smooth = smooth.as_ref().map(|smooth| m.view(smooth));
            let smooth = smooth.as_ref().map(slice::<f32>);
            let given = given.as_ref().map(|given| m.view(given));
            let given = given.as_ref().map(slice::<f32>);
            rows::rows1_2::<f32, f64, f32>(
                &m.view(&from),
                &m.view(&into),
                &m.view(&scales),
                |row, from, to, step| {
                    let factor = |index: usize| smooth.map_or(1.0, |smooth| smooth[index]);
                    let values = from.iter().enumerate().map(|(index, x)| x * factor(index));
                    let scale = given.map_or_else(
                        || values.clone().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0,
                        |given| given[row.min(given.len() - 1)],
                    );
                    step.fill(scale);
                    for (to, x) in to.iter_mut().zip(values) {
                        *to = if scale == 0.0 {
                            0.0
                        } else {
                            f64::from(to_i8(x / scale))
                        };
                    }
                },
            );
        });
        Ok(Quantised {
            x,
            steps,
            is_static_tensor,
        })
    }
}

/// Scales of columns that already contain that of the left side are numbers of 64 bits.
fn expect_weight_scale(
    scale: &Tensor,
    columns: i64,
    matrices: i64,
    left: &Quantised,
) -> Result<bool, Refusal> {
    let packed = matches!(scale.element(), Element::I64 | Element::U64);
    if packed {
        require!(
            left.is_static_tensor,
            "'weightScale' has the type {}, which contains the scale of 'x', but 'quantMode' is not pertensor or 'xScale' is NULL",
            scale.element().name()
        );
    } else {
        expect_single(scale, "weightScale")?;
    }
    let wanted = matrices.saturating_mul(columns);
    require!(
        whole(scale.count()) == wanted,
        "'weightScale' has the shape {:?}, but {wanted} elements are expected",
        scale.dims
    );
    Ok(packed)
}

/// out = (x as int8 · weight + bias) · scales.
pub(crate) fn matmul_dequant(call: table::QuantMatmulDequant<'_>) -> Planned {
    expect_int8(call.quantized_weight, "quantizedWeight")?;
    require!(
        call.quantized_weight.rank() == 2,
        "'quantizedWeight' has the shape {:?}, but two dimensions are expected",
        call.quantized_weight.dims
    );
    expect_single(call.out, "out")?;
    let mut plan = Plan::new();
    let left = Left {
        x: call.x,
        scale: call.x_scale,
        offset: call.x_offset,
        smooth: call.smooth_scale,
        mode: call.quant_mode,
    };
    let left = left.add(&mut plan)?;
    let mut weight = plan.input(call.quantized_weight);
    if call.trans {
        weight = weight.transpose(0, 1);
    }
    let (height, columns) = (call.x.dims[0], weight.dim(1));
    require!(
        weight.dim(0) == call.x.dims[1],
        "'x' of shape {:?} cannot be multiplied by 'quantizedWeight' of shape {:?}, 'trans' {}",
        call.x.dims,
        call.quantized_weight.dims,
        call.trans
    );
    expect_dims(call.out, &[height, columns], "out")?;
    let packed = expect_weight_scale(call.weight_scale, columns, 1, &left)?;
    let scale = columns_of(&mut plan, call.weight_scale, columns, "weightScale")?;
    let bias = match call.bias {
        Some(bias) => {
            require!(
                bias.element() == Element::I32,
                "'bias' has the type {}, but int32 is expected",
                bias.element().name()
            );
            require!(
                whole(bias.count()) == columns,
                "'bias' has the shape {:?}, but {columns} elements are expected",
                bias.dims
            );
            Some(flat(&mut plan, bias, Element::F64, &[columns]))
        }
        None => None,
    };
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let sums = plan.temp(Element::F64, &[height, columns]);
    plan.matmul_to(&left.x, &weight, &sums)?;
    let into = out.work.clone();
    let steps = left.steps;
    plan.step(move |m| {
        let scale = m.view(&scale);
        let scale = slice::<f32>(&scale);
        let steps = m.view(&steps);
        let steps = slice::<f32>(&steps);
        let bias = bias.as_ref().map(|bias| m.view(bias));
        let bias = bias.as_ref().map(slice::<f64>);
        rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
            let step = if packed { 1.0 } else { steps[row] };
            for (column, (to, sum)) in to.iter_mut().zip(sums).enumerate() {
                let sum = sum + bias.map_or(0.0, |bias| bias[column]);
                *to = f32::store(sum) * scale[column] * step;
            }
        });
    });
    out.deliver(&mut plan);
    plan.done()
}

/// The same for groups of rows, each with a matrix of its own. Rows behind the last group give zeros.
pub(crate) fn grouped_matmul_dequant(call: table::QuantGroupedMatmulDequant<'_>) -> Planned {
    if call.bias.is_some() {
        return Err(Refusal::unsupported(
            "'bias' is given; Millpond does not add one to these products, pass NULL",
        ));
    }
    expect_int8(call.quantized_weight, "quantizedWeight")?;
    require!(
        call.quantized_weight.rank() == 3,
        "'quantizedWeight' has the shape {:?}, but three dimensions are expected",
        call.quantized_weight.dims
    );
    expect_single(call.out, "out")?;
    let mut plan = Plan::new();
    let left = Left {
        x: call.x,
        scale: call.x_scale,
        offset: call.x_offset,
        smooth: call.smooth_scale,
        mode: call.quant_mode,
    };
    let left = left.add(&mut plan)?;
    let mut weight = plan.input(call.quantized_weight);
    if call.trans {
        weight = weight.transpose(1, 2);
    }
    let (height, count, columns) = (call.x.dims[0], weight.dim(0), weight.dim(2));
    require!(
        weight.dim(1) == call.x.dims[1],
        "'x' of shape {:?} cannot be multiplied by 'quantizedWeight' of shape {:?}, 'trans' {}",
        call.x.dims,
        call.quantized_weight.dims,
        call.trans
    );
    expect_dims(call.out, &[height, columns], "out")?;
    let packed = expect_weight_scale(call.weight_scale, columns, count, &left)?;
    let all = columns.saturating_mul(count);
    let scale = columns_of(&mut plan, call.weight_scale, all, "weightScale")?;
    let groups = Groups::of(&mut plan, call.group_list, false, height, "groupList")?;
    require!(
        groups.count() == count,
        "'groupList' has {} groups, but 'quantizedWeight' {count} matrices",
        groups.count()
    );
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let sums = product_in_groups(&mut plan, &left.x, &weight, &groups);
    let into = out.work.clone();
    let steps = left.steps;
    let columns = size(columns);
    plan.step(move |m| {
        let scale = m.view(&scale);
        let scale = slice::<f32>(&scale);
        let steps = m.view(&steps);
        let steps = slice::<f32>(&steps);
        rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
            let Some(group) = groups.find(m, row) else {
                to.fill(0.0);
                return;
            };
            let step = if packed { 1.0 } else { steps[row] };
            let scale = &scale[group * columns..][..columns];
            for ((to, sum), scale) in to.iter_mut().zip(sums).zip(scale) {
                *to = f32::store(*sum) * scale * step;
            }
        });
    });
    out.deliver(&mut plan);
    plan.done()
}

/// Rows of x, each group with its matrix, in double. Rows behind the groups are zeros.
pub(crate) fn product_in_groups(
    plan: &mut Plan,
    x: &Value,
    weight: &Value,
    groups: &Groups,
) -> Value {
    let sums = plan.temp(Element::F64, &[x.dim(0), weight.dim(2)]);
    plan.fill(&sums, 0.0);
    // One matrix at a time: all of them in double would be eight times as large.
    let matrix = plan.temp(Element::F64, &weight.dims()[1..]);
    let (x, weight, groups, into) = (x.clone(), weight.clone(), groups.clone(), sums.clone());
    plan.step(move |m| {
        let (x, weight, matrix, out) =
            (m.view(&x), m.view(&weight), m.view(&matrix), m.view(&into));
        groups.walk(m, |group, start, length| {
            map::copy(&weight.select(0, group), &matrix);
            let part = out.narrow(0, start, length);
            matmul::matmul(&x.narrow(0, start, length), &matrix, &part);
        });
    });
    sums
}

fn only<'a>(list: &[&'a Tensor], argument: &str) -> Result<&'a Tensor, Refusal> {
    match list {
        [one] => Ok(one),
        _ => Err(Refusal::unsupported(format!(
            "'{argument}' has {} tensors; Millpond takes one with all groups",
            list.len()
        ))),
    }
}

/// int8 rows times the int8 matrix of their group, scaled, gated, and as int8 again with a scale for each row.
pub(crate) fn grouped_matmul_swiglu_quant(call: table::GroupedMatmulSwigluQuantV2<'_>) -> Planned {
    if call.dequant_mode != 0 || call.quant_mode != 0 {
        return Err(Refusal::unsupported(format!(
            "'dequantMode' is {} and 'quantMode' is {}; Millpond takes 0 and 0: scales for columns and rows",
            call.dequant_mode, call.quant_mode
        )));
    }
    if call.weight_assist_matrix.iter().any(|one| !one.is_empty())
        || call.bias.is_some()
        || call.smooth_scale.is_some()
    {
        return Err(Refusal::unsupported(
            "'weightAssistMatrix', 'bias' or 'smoothScale' is given; Millpond multiplies int8 without them",
        ));
    }
    require!(
        matches!(call.group_list_type, 0 | 1),
        "'groupListType' is {}; 0 is where groups end, 1 how long they are",
        call.group_list_type
    );
    let (weight, scale) = (
        only(call.weight, "weight")?,
        only(call.weight_scale, "weightScale")?,
    );
    expect_int8(call.x, "x")?;
    expect_int8(weight, "weight")?;
    expect_int8(call.output, "output")?;
    require!(
        call.x.rank() == 2 && weight.rank() == 3 && weight.dims[1] == call.x.dims[1],
        "'x' and 'weight' have the shapes {:?} and {:?}, but [rows, depth] and [groups, depth, columns] are expected",
        call.x.dims,
        weight.dims
    );
    let (height, count, columns) = (call.x.dims[0], weight.dims[0], weight.dims[2]);
    require!(
        columns % 2 == 0,
        "'weight' has {columns} columns: an even number of them can be cut in two"
    );
    expect_single(scale, "weightScale")?;
    expect_dims(scale, &[count, columns], "weightScale")?;
    expect_single(call.x_scale, "xScale")?;
    expect_dims(call.x_scale, &[height], "xScale")?;
    expect_dims(call.output, &[height, columns / 2], "output")?;
    expect_single(call.output_scale, "outputScale")?;
    expect_dims(call.output_scale, &[height], "outputScale")?;
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::F64, &call.x.dims);
    let matrices = plan.input(weight);
    let scale = flat(&mut plan, scale, Element::F32, &[count, columns]);
    let lines = flat(&mut plan, call.x_scale, Element::F32, &[height]);
    let lengths = call.group_list_type == 1;
    let groups = Groups::of(&mut plan, call.group_list, lengths, height, "groupList")?;
    require!(
        groups.count() == count,
        "'groupList' has {} groups, but 'weight' {count} matrices",
        groups.count()
    );
    let out = Staged::of(&mut plan, call.output, Element::I8);
    let steps = Staged::of(&mut plan, call.output_scale, Element::F32);
    plan.fill(&steps.work, 0.0);
    let sums = product_in_groups(&mut plan, &x, &matrices, &groups);
    let gated = plan.temp(Element::F32, &[height, columns / 2]);
    let into = gated.clone();
    let (columns, half) = (size(columns), size(columns / 2));
    let of_rows = groups.clone();
    plan.step(move |m| {
        let scale = m.view(&scale);
        let scale = slice::<f32>(&scale);
        let lines = m.view(&lines);
        let lines = slice::<f32>(&lines);
        rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
            let Some(group) = of_rows.find(m, row) else {
                to.fill(0.0);
                return;
            };
            let scale = &scale[group * columns..][..columns];
            let plain = |column: usize| f32::store(sums[column]) * scale[column] * lines[row];
            for (column, to) in to.iter_mut().enumerate() {
                *to = silu(plain(column)) * plain(half + column);
            }
        });
    });
    let (into, each) = (out.work.clone(), plan.reshape(&steps.work, &[height, 1]));
    plan.step(move |m| {
        rows::rows1_2::<f32, i8, f32>(
            &m.view(&gated),
            &m.view(&into),
            &m.view(&each),
            |_, from, to, step| step.fill(row_to_i8(from.iter().copied(), 127.0, to)),
        );
    });
    out.deliver(&mut plan);
    steps.deliver(&mut plan);
    plan.done()
}

/// Refused: its description contradicts itself.
pub(crate) fn flat_quant(out: &Tensor) -> Planned {
    Err(Refusal::unsupported(format!(
        "aclnnFlatQuant into {}: Millpond does not compute it, because descriptions disagree on what 'clipRatio' does and say nothing of rounding",
        out.element().name()
    )))
}

/// Refused: the format of the weight is not published.
pub(crate) fn compressed(weight: &Tensor) -> Planned {
    Err(Refusal::unsupported(format!(
        "'x2' of shape {:?} is a compressed weight; Millpond does not know this format, so aclnnMatmulCompressDequant is not computed",
        weight.dims
    )))
}
