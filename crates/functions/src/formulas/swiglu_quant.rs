//! Gated units around quantisation: integers become floats, one half of each row gates the other, the result becomes integers.

use millpond_kernels::activation::{sigmoid, silu};
use millpond_kernels::quantise::{row_to_i8, to_i8};
use millpond_kernels::{Element, Stored, map, rows};

use super::axis_of;
use super::moe::{Staged, expect_dims, flat, size, slice, whole};
use super::quantise::{INT8, expect_int8, expect_single};
use crate::indexing::expect_integers;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// out = x · weight scale · activation scale, with a bias of integers added before and one of floats after.
pub(crate) fn dequant_bias(call: table::DequantBias<'_>) -> Planned {
    require!(
        call.x.element() == Element::I32,
        "'x' has the type {}, but int32 is expected",
        call.x.element().name()
    );
    require!(
        call.x.rank() == 2,
        "'x' has the shape {:?}, but two dimensions are expected",
        call.x.dims
    );
    let (height, width) = (call.x.dims[0], call.x.dims[1]);
    expect_single(call.out, "out")?;
    expect_dims(call.out, &call.x.dims, "out")?;
    require!(
        call.dtype_num == i64::from(call.out.element().acl()),
        "'dtypeNum' is {}, but 'out' has the type {}, which is {}",
        call.dtype_num,
        call.out.element().name(),
        call.out.element().acl()
    );
    expect_single(call.weight_scale, "weightScale")?;
    expect_dims(call.weight_scale, &[width], "weightScale")?;
    let mut plan = Plan::new();
    let x = plan.input(call.x);
    let columns = flat(&mut plan, call.weight_scale, Element::F32, &[width]);
    let lines = match call.activation_scale {
        Some(scale) => {
            expect_single(scale, "activationScale")?;
            expect_dims(scale, &[height], "activationScale")?;
            plan.input(scale).unsqueeze(1)
        }
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(1.0)),
    };
    let mut integer = false;
    let bias = match call.bias {
        Some(bias) => {
            integer = bias.element() == Element::I32;
            if !integer {
                expect_single(bias, "bias")?;
            }
            expect_dims(bias, &[width], "bias")?;
            plan.input(bias)
        }
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
    };
    let out = plan.output_apart(call.out);
    plan.step(move |m| {
        // The sum of two int32 is exact in double.
        map::map4::<f64, f32, f32, f64, f32>(
            &m.view(&x),
            &m.view(&columns),
            &m.view(&lines),
            &m.view(&bias),
            &m.view(&out),
            |x, column, line, bias| {
                if integer {
                    f32::store(x + bias) * column * line
                } else {
                    f32::store(x) * column * line + f32::store(bias)
                }
            },
        );
    });
    plan.done()
}

/// Rows in groups, by numbers in device memory.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    list: Value,
    /// The numbers are lengths; else they are where groups end.
    lengths: bool,
}

impl Groups {
    /// Adds a step that fails unless the groups lie among `tokens` rows.
    pub(crate) fn of(
        plan: &mut Plan,
        list: &Tensor,
        lengths: bool,
        tokens: i64,
        argument: &'static str,
    ) -> Result<Self, Refusal> {
        expect_integers(list, argument)?;
        require!(
            list.rank() == 1,
            "'{argument}' has the shape {:?}, but one dimension is expected",
            list.dims
        );
        let list = flat(plan, list, Element::I64, &list.dims);
        let checked = list.clone();
        plan.try_step(move |m| {
            let view = m.view(&checked);
            let mut end = 0_i64;
            for number in slice::<i64>(&view) {
                let next = if lengths { end.saturating_add(*number) } else { *number };
                if next < end || next > tokens {
                    return Err(format!(
                        "'{argument}' has a group from row {end} to {next}, but there are {tokens} rows"
                    ));
                }
                end = next;
            }
            Ok(())
        });
        Ok(Self { list, lengths })
    }

    /// How many groups there are.
    pub(crate) fn count(&self) -> i64 {
        self.list.dim(0)
    }

    /// Calls `each` with number, begin and length of each group that has rows.
    pub(crate) fn walk(&self, memory: &Memory<'_>, mut each: impl FnMut(i64, i64, i64)) {
        let view = memory.view(&self.list);
        let mut start = 0;
        for (group, number) in slice::<i64>(&view).iter().enumerate() {
            let end = if self.lengths {
                start + number
            } else {
                *number
            };
            if end > start {
                each(whole(group), start, end - start);
            }
            start = end;
        }
    }

    /// Which group a row belongs to; `None` behind the last one.
    pub(crate) fn find(&self, memory: &Memory<'_>, row: usize) -> Option<usize> {
        let view = memory.view(&self.list);
        let mut end = 0;
        slice::<i64>(&view).iter().position(|number| {
            end = if self.lengths { end + number } else { *number };
            whole(row) < end
        })
    }
}

/// Numbers for columns, for groups of rows, or for columns of each group.
struct Factors {
    all: Value,
    /// How far apart the numbers of two groups and of two columns are.
    strides: (usize, usize),
}

impl Factors {
    fn of(
        plan: &mut Plan,
        tensor: &Tensor,
        groups: i64,
        width: i64,
        argument: &str,
    ) -> Result<Self, Refusal> {
        expect_single(tensor, argument)?;
        let count = whole(tensor.count());
        let strides = if count == groups.saturating_mul(width) {
            (size(width), 1)
        } else if count == groups {
            (1, 0)
        } else {
            return Err(Refusal::invalid(format!(
                "'{argument}' has the shape {:?}, but {groups} or {groups} times {width} elements are expected",
                tensor.dims
            )));
        };
        let all = flat(plan, tensor, Element::F32, &[count]);
        Ok(Self { all, strides })
    }

    fn at(&self, all: &[f32], group: usize, column: usize) -> f32 {
        all[group * self.strides.0 + column * self.strides.1]
    }
}

/// How the result becomes integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Static,
    Dynamic,
}

impl Mode {
    fn of(text: &str) -> Result<Self, Refusal> {
        match text {
            "static" => Ok(Self::Static),
            "dynamic" => Ok(Self::Dynamic),
            _ => Err(Refusal::invalid(format!(
                "'quantMode' is '{text}'; it must be static or dynamic"
            ))),
        }
    }
}

/// Rows in float that are gated and quantised.
struct Gate<'a> {
    /// The rows, twice as wide as the result.
    rows: Value,
    groups: Option<Groups>,
    left: bool,
    mode: Mode,
    /// Multiplies the gated numbers; how it is called.
    factors: Option<(&'a Tensor, &'static str)>,
    /// Is added to them, without scales of their own.
    offsets: Option<(&'a Tensor, &'static str)>,
    /// The scale is 127 over the largest magnitude, not the inverse.
    inverse: bool,
    y: &'a Tensor,
    scale: &'a Tensor,
}

impl Gate<'_> {
    fn add(self, mut plan: Plan) -> Planned {
        let (tokens, width) = (self.rows.dim(0), self.rows.dim(1) / 2);
        let count = self.groups.as_ref().map_or(1, Groups::count);
        let mut side = |given: Option<(&Tensor, &'static str)>| match given {
            Some((tensor, argument)) => {
                Factors::of(&mut plan, tensor, count, width, argument).map(Some)
            }
            None => Ok(None),
        };
        let (factors, offsets) = (side(self.factors)?, side(self.offsets)?);
        expect_int8(self.y, "y")?;
        expect_single(self.scale, "scale")?;
        require!(
            whole(self.scale.count()) == tokens,
            "'scale' has the shape {:?}, but one for each of {tokens} rows is expected",
            self.scale.dims
        );
        let y = Staged::of(&mut plan, self.y, Element::I8);
        let scale = Staged::of(&mut plan, self.scale, Element::F32);
        let into = plan.reshape(&y.work, &[tokens, width]);
        let steps = plan.reshape(&scale.work, &[tokens, 1]);
        let gated = plan.temp(Element::F32, &[tokens, width]);
        let Self {
            rows: from,
            groups,
            left,
            mode,
            inverse,
            ..
        } = self;
        let width = size(width);
        plan.fill(&scale.work, 0.0);
        let result = gated.clone();
        plan.step(move |m| {
            rows::rows1::<f32, f32>(&m.view(&from), &m.view(&result), |_, from, to| {
                let (first, second) = from.split_at(width);
                let (active, other) = if left {
                    (first, second)
                } else {
                    (second, first)
                };
                for ((to, active), other) in to.iter_mut().zip(active).zip(other) {
                    *to = silu(*active) * other;
                }
            });
        });
        plan.step(move |m| {
            let numbers = factors.as_ref().map(|factors| m.view(&factors.all));
            let numbers = numbers.as_ref().map(slice::<f32>);
            let shifts = offsets.as_ref().map(|offsets| m.view(&offsets.all));
            let shifts = shifts.as_ref().map(slice::<f32>);
            rows::rows1_2::<f32, i8, f32>(
                &m.view(&gated),
                &m.view(&into),
                &m.view(&steps),
                |row, from, to, step| {
                    let group = match &groups {
                        Some(groups) => groups.find(m, row),
                        None => Some(0),
                    };
                    let Some(group) = group else {
                        to.fill(0);
                        return;
                    };
                    let pick =
                        |factors: Option<&Factors>, all: Option<&[f32]>, column, otherwise| {
                            factors
                                .zip(all)
                                .map_or(otherwise, |(factors, all)| factors.at(all, group, column))
                        };
                    let values = from
                        .iter()
                        .enumerate()
                        .map(|(column, x)| x * pick(factors.as_ref(), numbers, column, 1.0));
                    if mode == Mode::Dynamic {
                        let scale = row_to_i8(values, 127.0, to);
                        step.fill(if inverse { 1.0 / scale } else { scale });
                        return;
                    }
                    for (column, (to, x)) in to.iter_mut().zip(values).enumerate() {
                        let shifted = x + pick(offsets.as_ref(), shifts, column, 0.0);
                        *to = to_i8(shifted);
                    }
                },
            );
        });
        y.deliver(&mut plan);
        scale.deliver(&mut plan);
        plan.done()
    }
}

/// How many rows there are, and how wide half of one is.
fn halves(x: &Tensor, y: &Tensor) -> Result<(i64, i64), Refusal> {
    let rank = x.rank();
    require!(
        rank >= 2 && x.dims[rank - 1] % 2 == 0,
        "'x' has the shape {:?}, but at least two dimensions and an even last one are expected",
        x.dims
    );
    let mut dims = x.dims.clone();
    dims[rank - 1] /= 2;
    expect_dims(y, &dims, "y")?;
    Ok((
        whole(millpond_kernels::count(&dims[..rank - 1])),
        dims[rank - 1],
    ))
}

/// Integers to floats, gated, to int8.
pub(crate) fn dequant_swiglu_quant(call: table::DequantSwigluQuant<'_>) -> Planned {
    let mode = Mode::of(call.quant_mode)?;
    let (tokens, width) = halves(call.x, call.y)?;
    let integer = call.x.element() == Element::I32;
    if !integer {
        expect_single(call.x, "x")?;
        for (given, argument) in [
            (call.weight_scale, "weightScale"),
            (call.activation_scale, "activationScale"),
            (call.bias, "bias"),
        ] {
            require!(
                given.is_none(),
                "'{argument}' is given, but 'x' has the type {}: only int32 has scales and a bias",
                call.x.element().name()
            );
        }
    }
    let mut plan = Plan::new();
    let x = plan.input(call.x);
    let x = plan.contiguous(&x, if integer { Element::F64 } else { Element::F32 });
    let x = plan.reshape(&x, &[tokens, 2 * width]);
    let groups = match call.group_index {
        Some(list) => {
            require!(
                mode == Mode::Dynamic && call.bias.is_none() && call.quant_offset.is_none(),
                "'groupIndex' is given, but 'quantMode' is '{}', or 'bias' or 'quantOffset' is given: groups are quantised dynamically, without both",
                call.quant_mode
            );
            Some(Groups::of(&mut plan, list, true, tokens, "groupIndex")?)
        }
        None => None,
    };
    let count = groups.as_ref().map_or(1, Groups::count);
    if mode == Mode::Dynamic && call.quant_offset.is_some() {
        return Err(Refusal::unsupported(
            "'quantOffset' is given and 'quantMode' is dynamic; Millpond does not shift what it scales by rows",
        ));
    }
    let rows_in = if integer {
        let scale = call
            .weight_scale
            .ok_or_else(|| Refusal::missing("weightScale"))?;
        let scale = Factors::of(&mut plan, scale, count, 2 * width, "weightScale")?;
        let lines = match call.activation_scale {
            Some(lines) => {
                expect_single(lines, "activationScale")?;
                require!(
                    whole(lines.count()) == tokens,
                    "'activationScale' has the shape {:?}, but one for each of {tokens} rows is expected",
                    lines.dims
                );
                Some(flat(&mut plan, lines, Element::F32, &[tokens]))
            }
            None => None,
        };
        let bias = match call.bias {
            Some(bias) => {
                if bias.element() != Element::I32 {
                    return Err(Refusal::unsupported(format!(
                        "'bias' has the type {}; Millpond takes int32 here",
                        bias.element().name()
                    )));
                }
                require!(
                    whole(bias.count()) == 2 * width,
                    "'bias' has the shape {:?}, but {} elements are expected",
                    bias.dims,
                    2 * width
                );
                Some(flat(&mut plan, bias, Element::F64, &[2 * width]))
            }
            None => None,
        };
        let plain = plan.temp(Element::F32, &[tokens, 2 * width]);
        let into = plain.clone();
        let list = groups.clone();
        plan.step(move |m| {
            let columns = m.view(&scale.all);
            let columns = slice::<f32>(&columns);
            let lines = lines.as_ref().map(|lines| m.view(lines));
            let lines = lines.as_ref().map(slice::<f32>);
            let bias = bias.as_ref().map(|bias| m.view(bias));
            let bias = bias.as_ref().map(slice::<f64>);
            rows::rows1::<f64, f32>(&m.view(&x), &m.view(&into), |row, from, to| {
                let group = list.as_ref().map_or(Some(0), |list| list.find(m, row));
                let Some(group) = group else {
                    to.fill(0.0);
                    return;
                };
                let line = lines.map_or(1.0, |lines| lines[row]);
                for (column, (to, x)) in to.iter_mut().zip(from).enumerate() {
                    let sum = x + bias.map_or(0.0, |bias| bias[column]);
                    *to = f32::store(sum) * scale.at(columns, group, column) * line;
                }
            });
        });
        plain
    } else {
        x
    };
    Gate {
        rows: rows_in,
        groups,
        left: call.activate_left,
        mode,
        factors: call.quant_scale.map(|scale| (scale, "quantScale")),
        offsets: call.quant_offset.map(|offset| (offset, "quantOffset")),
        inverse: false,
        y: call.y,
        scale: call.scale,
    }
    .add(plan)
}

/// The same with more attributes, of which one value each is taken.
pub(crate) fn dequant_swiglu_quant_v2(call: table::DequantSwigluQuantV2<'_>) -> Planned {
    if call.dst_type != i64::from(INT8) {
        return Err(Refusal::unsupported(format!(
            "'dstType' is {}; Millpond quantises to int8 here, which is {INT8}",
            call.dst_type
        )));
    }
    if !matches!(call.round_mode, "rint" | "") {
        return Err(Refusal::unsupported(format!(
            "'roundMode' is '{}'; Millpond rounds to int8 with rint",
            call.round_mode
        )));
    }
    let last = axis_of(call.x, call.activate_dim, "activateDim")?;
    if last + 1 != call.x.rank() {
        return Err(Refusal::unsupported(format!(
            "'activateDim' is {}; Millpond cuts the last axis in two",
            call.activate_dim
        )));
    }
    if call.swiglu_mode != 0 {
        return Err(Refusal::unsupported(format!(
            "'swigluMode' is {}; Millpond supports only 0, the plain gated unit: descriptions of the other modes contradict each other",
            call.swiglu_mode
        )));
    }
    dequant_swiglu_quant(table::DequantSwigluQuant {
        x: call.x,
        weight_scale: call.weight_scale,
        activation_scale: call.activation_scale,
        bias: call.bias,
        quant_scale: call.quant_scale,
        quant_offset: call.quant_offset,
        group_index: call.group_index,
        activate_left: call.activate_left,
        quant_mode: call.quant_mode,
        y: call.y,
        scale: call.scale,
    })
}

/// Floats, gated, to int8.
pub(crate) fn swiglu_quant(call: table::SwiGluQuantV2<'_>) -> Planned {
    let mode = Mode::of(call.quant_mode)?;
    if call.dst_type != i64::from(INT8) {
        return Err(Refusal::unsupported(format!(
            "'dstType' is {}; Millpond quantises to int8 here, which is {INT8}",
            call.dst_type
        )));
    }
    require!(
        matches!(call.group_list_type, 0 | 1),
        "'groupListType' is {}; 0 is where groups end, 1 how long they are",
        call.group_list_type
    );
    expect_single(call.x, "x")?;
    let (tokens, width) = halves(call.x, call.y)?;
    if mode == Mode::Static && call.smooth_scales.is_none() {
        return Err(Refusal::missing("smoothScales"));
    }
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::F32, &[tokens, 2 * width]);
    let groups = match call.group_index {
        Some(list) => Some(Groups::of(
            &mut plan,
            list,
            call.group_list_type == 1,
            tokens,
            "groupIndex",
        )?),
        None => None,
    };
    Gate {
        rows: x,
        groups,
        left: call.activate_left,
        mode,
        factors: call.smooth_scales.map(|scales| (scales, "smoothScales")),
        // Rows with a scale of their own are not shifted.
        offsets: call
            .offsets
            .filter(|_| mode == Mode::Static)
            .map(|offsets| (offsets, "offsets")),
        inverse: true,
        y: call.y,
        scale: call.scale,
    }
    .add(plan)
}

/// One half of an axis, bounded and gated, times the other half, bounded and shifted.
pub(crate) fn clipped_swiglu(call: table::ClippedSwiglu<'_>) -> Planned {
    expect_single(call.x, "x")?;
    expect_single(call.out, "out")?;
    require!(
        call.x.rank() > 0,
        "'x' has no dimensions: it must have an axis that can be cut in two"
    );
    let axis = axis_of(call.x, call.dim, "dim")?;
    let mut dims = call.x.dims.clone();
    require!(
        dims[axis] % 2 == 0,
        "axis {axis} has {} elements: an even number of them can be cut in two",
        dims[axis]
    );
    dims[axis] /= 2;
    expect_dims(call.out, &dims, "out")?;
    let inner = whole(millpond_kernels::count(&dims[axis + 1..]));
    if call.interleaved && inner != 1 {
        return Err(Refusal::unsupported(format!(
            "'interleaved' is true and 'dim' is {}; Millpond supports this only along the last axis",
            call.dim
        )));
    }
    let tokens = whole(millpond_kernels::count(&dims[..axis]));
    let width = dims[axis].saturating_mul(inner);
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::F32, &[tokens, 2 * width]);
    let list = match call.group_index {
        Some(list) => {
            expect_integers(list, "groupIndex")?;
            require!(
                list.rank() == 1,
                "'groupIndex' has the shape {:?}, but one dimension is expected",
                list.dims
            );
            Some(flat(&mut plan, list, Element::I64, &list.dims))
        }
        None => None,
    };
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let into = plan.reshape(&out.work, &[tokens, width]);
    let (alpha, limit, bias) = (
        f32::store(call.alpha),
        f32::store(call.limit),
        f32::store(call.bias),
    );
    let (width, interleaved) = (size(width), call.interleaved);
    plan.step(move |m| {
        let list = list.as_ref().map(|list| m.view(list));
        let last = list.as_ref().map_or(tokens, |list| {
            let numbers = slice::<i64>(list).iter();
            numbers.fold(0_i64, |sum, number| sum.saturating_add(*number))
        });
        rows::rows1::<f32, f32>(&m.view(&x), &m.view(&into), |row, from, to| {
            if whole(row) >= last {
                to.fill(0.0);
                return;
            }
            for (index, to) in to.iter_mut().enumerate() {
                let (gate, linear) = if interleaved {
                    (from[2 * index], from[2 * index + 1])
                } else {
                    (from[index], from[width + index])
                };
                // NaN stays.
                let gate = if gate > limit { limit } else { gate };
                let linear = if linear > limit { limit } else { linear };
                let linear = if linear < -limit { -limit } else { linear };
                *to = gate * sigmoid(alpha * gate) * (linear + bias);
            }
        });
    });
    out.deliver(&mut plan);
    plan.done()
}
