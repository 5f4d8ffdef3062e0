//! Quantisation: real numbers as small integers with a scale, and products of such.

use millpond_kernels::{Element, Stored, broadcast_dims, map, rows};

use super::copy::with_axis;
use super::moe::{Staged, expect_dims, expect_floats, flat, size, slice, whole};
use super::{axis_of, expect_shape};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The number of the type int8 in calls.
pub(crate) const INT8: i32 = 2;

/// How a number becomes an integer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rounding {
    Nearest,
    Down,
    Up,
    Zero,
}

impl Rounding {
    fn of(text: &str) -> Result<Self, Refusal> {
        match text {
            "round" => Ok(Self::Nearest),
            "floor" => Ok(Self::Down),
            "ceil" => Ok(Self::Up),
            "trunc" => Ok(Self::Zero),
            _ => Err(Refusal::invalid(format!(
                "'roundMode' is '{text}'; it must be round, floor, ceil or trunc"
            ))),
        }
    }

    fn apply(self, x: f32) -> f32 {
        match self {
            Self::Nearest => x.round_ties_even(),
            Self::Down => x.floor(),
            Self::Up => x.ceil(),
            Self::Zero => x.trunc(),
        }
    }
}

pub(crate) fn to_int8(x: f32) -> f32 {
    x.clamp(-128.0, 127.0)
}

pub(crate) fn expect_int8(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    if tensor.element() == Element::I8 {
        return Ok(());
    }
    Err(Refusal::unsupported(format!(
        "'{argument}' has the type {}; Millpond takes int8 here",
        tensor.element().name()
    )))
}

/// Refuses what is not computed in float without a loss.
pub(crate) fn expect_single(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    if matches!(
        tensor.element(),
        Element::F16 | Element::BF16 | Element::F32
    ) {
        return Ok(());
    }
    Err(Refusal::unsupported(format!(
        "'{argument}' has the type {}; Millpond takes float16, bfloat16 and float here",
        tensor.element().name()
    )))
}

/// A vector along an axis of `x`, or a tensor that broadcasts to it.
fn along(
    plan: &mut Plan,
    vector: &Tensor,
    x: &Value,
    axis: usize,
    argument: &str,
) -> Result<Value, Refusal> {
    let mut value = plan.input(vector);
    if value.rank() == 1 {
        for _ in axis + 1..x.rank() {
            value = value.unsqueeze(value.rank());
        }
    }
    require!(
        broadcast_dims(value.dims(), x.dims()).is_some_and(|dims| dims[..] == *x.dims()),
        "'{argument}' of shape {:?} does not broadcast to {:?}",
        vector.dims,
        x.dims()
    );
    Ok(value)
}

/// y = round(x · scale + offset), as int8.
pub(crate) fn quant(call: table::AscendQuantV3<'_>) -> Planned {
    let rounding = Rounding::of(call.round_mode)?;
    expect_floats(call.x, "x")?;
    expect_floats(call.scale, "scale")?;
    expect_int8(call.y, "y")?;
    require!(
        call.dst_type == INT8,
        "'dstType' is {}, but 'y' has the type int8, which is {INT8}",
        call.dst_type
    );
    expect_shape(call.y, &call.x.dims)?;
    let axis = axis_of(call.x, call.axis, "axis")?;
    let mut plan = Plan::new();
    let x = with_axis(&plan.input(call.x));
    let scale = along(&mut plan, call.scale, &x, axis, "scale")?;
    let offset = match call.offset {
        Some(offset) => {
            expect_floats(offset, "offset")?;
            Some(along(&mut plan, offset, &x, axis, "offset")?)
        }
        None => None,
    };
    let y = with_axis(&plan.output(call.y));
    let twice = call.sqrt_mode;
    let scaled = move |x: f32, scale: f32| if twice { x * scale * scale } else { x * scale };
    plan.step(move |m| {
        let (x, scale, y) = (m.view(&x), m.view(&scale), m.view(&y));
        match &offset {
            Some(offset) => {
                map::map3::<f32, f32, f32, f32>(
                    &x,
                    &scale,
                    &m.view(offset),
                    &y,
                    |x, scale, offset| to_int8(rounding.apply(scaled(x, scale) + offset)),
                );
            }
            None => map::map2::<f32, f32, f32>(&x, &scale, &y, |x, scale| {
                to_int8(rounding.apply(scaled(x, scale)))
            }),
        }
    });
    plan.done()
}

/// out = (x + offset) · scale, from int8.
pub(crate) fn anti_quant(
    x: &Tensor,
    scale: &Tensor,
    offset: Option<&Tensor>,
    twice: bool,
    out: &Tensor,
) -> Planned {
    expect_int8(x, "x")?;
    expect_floats(scale, "scale")?;
    expect_floats(out, "out")?;
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let x = with_axis(&plan.input(x));
    let axis = x.rank() - 1;
    let scale = along(&mut plan, scale, &x, axis, "scale")?;
    let offset = match offset {
        Some(offset) => {
            expect_floats(offset, "offset")?;
            along(&mut plan, offset, &x, axis, "offset")?
        }
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
    };
    let out = with_axis(&plan.output(out));
    plan.step(move |m| {
        map::map3::<f32, f32, f32, f32>(
            &m.view(&x),
            &m.view(&scale),
            &m.view(&offset),
            &m.view(&out),
            |x, scale, offset| (x + offset) * scale * if twice { scale } else { 1.0 },
        );
    });
    plan.done()
}

/// out = round(x / scale) + zero point, as an integer.
pub(crate) fn quantize(
    x: &Tensor,
    scales: &Tensor,
    zeros: Option<&Tensor>,
    axis: i64,
    out: &Tensor,
) -> Planned {
    expect_floats(x, "self")?;
    expect_floats(scales, "scales")?;
    expect_shape(out, &x.dims)?;
    let (least, most) = match out.element() {
        Element::I8 => (-128.0, 127.0),
        Element::U8 => (0.0, 255.0),
        Element::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        other => {
            return Err(Refusal::unsupported(format!(
                "'out' has the type {}; Millpond quantises to int8, uint8 and int32",
                other.name()
            )));
        }
    };
    let axis = axis_of(x, axis, "axis")?;
    let mut plan = Plan::new();
    let x = with_axis(&plan.input(x));
    let scales = along(&mut plan, scales, &x, axis, "scales")?;
    let zeros = match zeros {
        Some(zeros) => along(&mut plan, zeros, &x, axis, "zeroPoints")?,
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
    };
    let out = with_axis(&plan.output(out));
    plan.step(move |m| {
        map::map3::<f32, f32, f64, f64>(
            &m.view(&x),
            &m.view(&scales),
            &m.view(&zeros),
            &m.view(&out),
            |x, scale, zero| (f64::from((x / scale).round_ties_even()) + zero).clamp(least, most),
        );
    });
    plan.done()
}

/// Each row as int8 with a scale of its own: its largest magnitude becomes 127.
pub(crate) fn dynamic(
    x: &Tensor,
    smooth: Option<&Tensor>,
    groups: Option<&Tensor>,
    y: &Tensor,
    scale: &Tensor,
) -> Planned {
    expect_floats(x, "x")?;
    expect_int8(y, "y")?;
    expect_floats(scale, "scale")?;
    expect_dims(y, &x.dims, "y")?;
    let Some((width, lead)) = x.dims.split_last() else {
        return Err(Refusal::invalid(
            "'x' has no dimensions, but rows are quantised",
        ));
    };
    let width = *width;
    expect_dims(scale, lead, "scale")?;
    let tokens = whole(millpond_kernels::count(lead));
    let mut plan = Plan::new();
    let value = flat(&mut plan, x, Element::F32, &[tokens, width]);
    let ends = match groups {
        Some(groups) => {
            expect_integers(groups, "groupIndex")?;
            require!(
                groups.rank() == 1 && smooth.is_some(),
                "'groupIndex' of shape {:?} needs one dimension, and 'smoothScales'",
                groups.dims
            );
            Some(flat(&mut plan, groups, Element::I64, &groups.dims))
        }
        None => None,
    };
    let smooth = match smooth {
        Some(smooth) => {
            expect_floats(smooth, "smoothScales")?;
            match &ends {
                Some(ends) => expect_dims(smooth, &[ends.dim(0), width], "smoothScales")?,
                None => expect_dims(smooth, &[width], "smoothScales")?,
            }
            Some(flat(&mut plan, smooth, Element::F32, &smooth.dims))
        }
        None => None,
    };
    let out = Staged::of(&mut plan, y, Element::I8);
    let scales = Staged::of(&mut plan, scale, Element::F32);
    if width == 0 {
        plan.fill(&scales.work, 0.0);
    }
    if let Some(ends) = &ends {
        let ends = ends.clone();
        plan.try_step(move |m| {
            let view = m.view(&ends);
            let last = slice::<i64>(&view).last().copied().unwrap_or(0);
            if last < tokens {
                return Err(format!(
                    "'groupIndex' ends at row {last}, but there are {tokens} rows"
                ));
            }
            Ok(())
        });
    }
    let each_scale = plan.reshape(&scales.work, &[tokens, 1]);
    let into = plan.reshape(&out.work, &[tokens, width]);
    let span = size(width);
    plan.step(move |m| {
        let smooth = smooth.as_ref().map(|smooth| m.view(smooth));
        let smooth = smooth.as_ref().map(slice::<f32>);
        let ends = ends.as_ref().map(|ends| m.view(ends));
        let ends = ends.as_ref().map(slice::<i64>);
        rows::rows1_2::<f32, i8, f32>(
            &m.view(&value),
            &m.view(&into),
            &m.view(&each_scale),
            |number, from, to, scale| {
                let group = ends.map_or(0, |ends| {
                    let found = ends.iter().position(|end| whole(number) < *end);
                    found.unwrap_or(0)
                });
                let factors = smooth.map(|all| &all[group * span..][..span]);
                let smoothed = |index: usize| {
                    factors.map_or(from[index], |factors| from[index] * factors[index])
                };
                let most =
                    (0..from.len()).fold(0.0_f32, |most, index| most.max(smoothed(index).abs()));
                let step = most / 127.0;
                scale.fill(step);
                for (index, to) in to.iter_mut().enumerate() {
                    // A row of zeros has the scale 0.
                    let x = if step == 0.0 {
                        0.0
                    } else {
                        smoothed(index) / step
                    };
                    *to = i8::store(to_int8(x.round_ties_even()));
                }
            },
        );
    });
    out.deliver(&mut plan);
    scales.deliver(&mut plan);
    plan.done()
}

/// The same with groups of rows. Asymmetric quantisation is left out.
pub(crate) fn dynamic_v2(call: table::DynamicQuantV2<'_>) -> Planned {
    if call.offset.is_some() {
        return Err(Refusal::unsupported(
            "'offset' is given; Millpond does not quantise asymmetrically, pass NULL",
        ));
    }
    if call.dst_type != INT8 {
        return Err(Refusal::unsupported(format!(
            "'dstType' is {}; Millpond quantises to int8, which is {INT8}",
            call.dst_type
        )));
    }
    dynamic(
        call.x,
        call.smooth_scales,
        call.group_index,
        call.y,
        call.scale,
    )
}

/// Scales, and offsets of 9 bits, packed as matrix units take them: the upper 19 bits of a scale, bit 46, and the offset from bit 37 on.
pub(crate) fn pack_params(scale: &Tensor, offset: Option<&Tensor>, out: &Tensor) -> Planned {
    require!(
        scale.element() == Element::F32
            && offset.is_none_or(|offset| offset.element() == Element::F32),
        "'scale' and 'offset' must have the type float"
    );
    require!(
        matches!(out.element(), Element::U64 | Element::I64),
        "'out' has the type {}, but uint64 is expected",
        out.element().name()
    );
    let dims = match offset {
        Some(offset) => super::broadcast(&[scale, offset])?,
        None => scale.dims.clone(),
    };
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let scale = plan.input(scale);
    let offset = match offset {
        Some(offset) => plan.input(offset),
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
    };
    let out = plan.output_apart(out).reinterpret(Element::U64);
    plan.step(move |m| {
        map::map2::<f32, f32, u64>(
            &m.view(&scale),
            &m.view(&offset),
            &m.view(&out),
            |scale, offset| {
                let offset = offset.round_ties_even().clamp(-256.0, 255.0);
                let bits = i64::store(offset).cast_unsigned() & 0x1FF;
                u64::from(scale.to_bits() & 0xFFFF_E000) | 1 << 46 | bits << 37
            },
        );
    });
    plan.done()
}

/// A product of int8 matrices.
#[derive(Debug)]
pub(crate) struct Product<'a> {
    pub(crate) x1: &'a Tensor,
    pub(crate) x2: &'a Tensor,
    /// For each row of x1.
    pub(crate) x1_scale: Option<&'a Tensor>,
    /// One, or for each column of x2.
    pub(crate) x2_scale: Option<&'a Tensor>,
    pub(crate) offset: Option<&'a Tensor>,
    pub(crate) bias: Option<&'a Tensor>,
    pub(crate) transposes: (bool, bool),
    pub(crate) out: &'a Tensor,
}

/// A vector of one element or of `columns`, as float. Numbers of 64 bits hold a float in their lower half.
pub(crate) fn columns_of(
    plan: &mut Plan,
    tensor: &Tensor,
    columns: i64,
    argument: &str,
) -> Result<Value, Refusal> {
    let count = whole(tensor.count());
    require!(
        count == 1 || count == columns,
        "'{argument}' has the shape {:?}, but 1 or {columns} elements are expected",
        tensor.dims
    );
    if !matches!(tensor.element(), Element::U64 | Element::I64) {
        return Ok(flat(plan, tensor, Element::F32, &[count]));
    }
    let packed = plan.input(tensor).reinterpret(Element::U64);
    let packed = plan.reshape(&packed, &[count]);
    let plain = plan.temp(Element::F32, &[count]);
    let into = plain.clone();
    plan.step(move |m| {
        map::map1::<u64, f32>(&m.view(&packed), &m.view(&into), |bits| {
            f32::from_bits(u32::try_from(bits & 0xFFFF_FFFF).unwrap_or(0))
        });
    });
    Ok(plain)
}

fn at(vector: Option<&[f32]>, column: usize, otherwise: f32) -> f32 {
    vector.map_or(otherwise, |all| {
        all.get(column)
            .or(all.first())
            .copied()
            .unwrap_or(otherwise)
    })
}

/// out = (x1 · x2 + bias) · scales; a bias of floats is added after scaling.
pub(crate) fn product(call: &Product<'_>) -> Planned {
    expect_int8(call.x1, "x1")?;
    expect_int8(call.x2, "x2")?;
    let rank = call.out.rank();
    require!(
        call.x1.rank() >= 2 && call.x2.rank() >= 2 && rank >= 2,
        "'x1', 'x2' and 'out' have the shapes {:?}, {:?} and {:?}, but matrices are expected",
        call.x1.dims,
        call.x2.dims,
        call.out.dims
    );
    let (height, columns) = (call.out.dims[rank - 2], call.out.dims[rank - 1]);
    let raw = call.out.element() == Element::I32;
    if raw && (call.x1_scale.is_some() || call.x2_scale.is_some()) {
        return Err(Refusal::unsupported(
            "'out' has the type int32 and scales are given; Millpond does not scale integers",
        ));
    }
    require!(
        raw || call.x2_scale.is_some(),
        "the scale of 'x2' is NULL, but 'out' of type {} needs it",
        call.out.element().name()
    );
    require!(
        matches!(
            call.out.element(),
            Element::I8 | Element::I32 | Element::F16 | Element::BF16 | Element::F32
        ),
        "'out' has the type {}, but int8, int32, float16, bfloat16 or float is expected",
        call.out.element().name()
    );
    let mut plan = Plan::new();
    let turned = |value: Value, turn: bool| {
        let rank = value.rank();
        if turn {
            value.transpose(rank - 2, rank - 1)
        } else {
            value
        }
    };
    let x1 = turned(plan.input(call.x1), call.transposes.0);
    let x2 = turned(plan.input(call.x2), call.transposes.1);
    let x1_scale = match call.x1_scale {
        Some(scale) => {
            expect_floats(scale, "the scale of x1")?;
            require!(
                whole(scale.count()) == height,
                "the scale of 'x1' has the shape {:?}, but one for each of {height} rows is expected",
                scale.dims
            );
            Some(flat(&mut plan, scale, Element::F32, &[height]))
        }
        None => None,
    };
    let x2_scale = match call.x2_scale {
        Some(scale) => Some(columns_of(&mut plan, scale, columns, "the scale of x2")?),
        None => None,
    };
    let offset = match call.offset {
        Some(offset) => {
            require!(
                call.out.element() == Element::I8,
                "an offset is given, but 'out' is not int8"
            );
            Some(columns_of(&mut plan, offset, columns, "the offset")?)
        }
        None => None,
    };
    let bias = match call.bias {
        Some(bias) => {
            require!(
                bias.rank() == 1 && bias.dims[0] == columns,
                "'bias' has the shape {:?}, but [{columns}] is expected",
                bias.dims
            );
            Some((
                bias.element() == Element::I32,
                flat(&mut plan, bias, Element::F64, &[columns]),
            ))
        }
        None => None,
    };
    require!(
        !raw || bias.as_ref().is_none_or(|(integer, _)| *integer),
        "'bias' has a floating-point type, but 'out' is int32"
    );
    // Sums of products of int8 are exact in double.
    let sums = plan.temp(Element::F64, &call.out.dims);
    let z = plan.output_apart(call.out);
    plan.matmul_to(&x1, &x2, &sums)?;
    let work = plan.temp(Element::F64, &call.out.dims);
    let into = work.clone();
    let narrow = call.out.element() == Element::I8;
    let height = size(height);
    plan.step(move |m| {
        let x1_scale = x1_scale.as_ref().map(|value| m.view(value));
        let x1_scale = x1_scale.as_ref().map(slice::<f32>);
        let x2_scale = x2_scale.as_ref().map(|value| m.view(value));
        let x2_scale = x2_scale.as_ref().map(slice::<f32>);
        let offset = offset.as_ref().map(|value| m.view(value));
        let offset = offset.as_ref().map(slice::<f32>);
        let bias = bias
            .as_ref()
            .map(|(integer, value)| (*integer, m.view(value)));
        let bias = bias
            .as_ref()
            .map(|(integer, view)| (*integer, slice::<f64>(view)));
        rows::rows1::<f64, f64>(&m.view(&sums), &m.view(&into), |number, sums, to| {
            let token = at(x1_scale, number % height.max(1), 1.0);
            for (column, (sum, to)) in sums.iter().zip(to).enumerate() {
                let (before, after) = match bias {
                    Some((true, bias)) => (bias[column], 0.0),
                    Some((false, bias)) => (0.0, f32::store(bias[column])),
                    None => (0.0, 0.0),
                };
                let sum = sum + before;
                if raw {
                    *to = sum;
                    continue;
                }
                let scaled = f32::store(sum) * at(x2_scale, column, 1.0) * token + after;
                *to = f64::from(if narrow {
                    to_int8((scaled + at(offset, column, 0.0)).round_ties_even())
                } else {
                    scaled
                });
            }
        });
    });
    plan.copy(&work, &z);
    plan.done()
}

/// The product with scales for tokens; other offsets and groups are left out.
pub(crate) fn product_v5(call: table::QuantMatmulV5<'_>) -> Planned {
    if call.y_scale.is_some()
        || call.x1_offset.is_some()
        || call.y_offset.is_some()
        || call.group_size != 0
    {
        return Err(Refusal::unsupported(
            "'yScale', 'x1Offset', 'yOffset' or 'groupSize' is given; Millpond does not support these for matrices",
        ));
    }
    product(&Product {
        x1: call.x1,
        x2: call.x2,
        x1_scale: call.x1_scale,
        x2_scale: call.x2_scale,
        offset: call.x2_offset,
        bias: call.bias,
        transposes: (call.transpose_x1, call.transpose_x2),
        out: call.out,
    })
}

/// y = x · ((weight + offset) · scale) + bias, with a weight of int8.
pub(crate) fn weight_product(call: table::WeightQuantBatchMatmulV2<'_>) -> Planned {
    if call.quant_scale.is_some() || call.quant_offset.is_some() {
        return Err(Refusal::unsupported(
            "'quantScale' or 'quantOffset' is given; Millpond does not quantise this result",
        ));
    }
    expect_int8(call.weight, "weight")?;
    for (tensor, argument) in [
        (Some(call.x), "x"),
        (Some(call.y), "y"),
        (Some(call.antiquant_scale), "antiquantScale"),
        (call.antiquant_offset, "antiquantOffset"),
        (call.bias, "bias"),
    ] {
        if let Some(tensor) = tensor {
            if matches!(
                tensor.element(),
                Element::F16 | Element::BF16 | Element::F32
            ) {
                continue;
            }
            return Err(Refusal::unsupported(format!(
                "'{argument}' has the type {}; Millpond takes float16, bfloat16 and float here",
                tensor.element().name()
            )));
        }
    }
    require!(
        call.weight.rank() == 2 && call.x.rank() >= 2,
        "'x' and 'weight' have the shapes {:?} and {:?}, but matrices are expected",
        call.x.dims,
        call.weight.dims
    );
    let (depth, columns) = (call.weight.dims[0], call.weight.dims[1]);
    let group = i64::from(call.antiquant_group_size);
    require!(
        group >= 0 && (group == 0 || depth % group == 0),
        "'antiquantGroupSize' is {group}, but it must divide {depth}, or be 0"
    );
    let mut plan = Plan::new();
    let x = plan.input(call.x);
    let mut weight = plan.input(call.weight);
    if group > 0 {
        weight = weight.split(0, group);
    }
    let mut side = |tensor: &Tensor, argument: &str| -> Result<Value, Refusal> {
        let mut value = plan.input(tensor);
        if group > 0 {
            expect_dims(tensor, &[depth / group, columns], argument)?;
            value = value.unsqueeze(1);
        }
        require!(
            broadcast_dims(value.dims(), weight.dims())
                .is_some_and(|dims| dims[..] == *weight.dims()),
            "'{argument}' of shape {:?} does not fit a weight of shape [{depth}, {columns}]",
            tensor.dims
        );
        Ok(value)
    };
    let scale = side(call.antiquant_scale, "antiquantScale")?;
    let offset = match call.antiquant_offset {
        Some(offset) => Some(side(offset, "antiquantOffset")?),
        None => None,
    };
    let bias = match call.bias {
        Some(bias) => {
            require!(
                whole(bias.count()) == columns,
                "'bias' has the shape {:?}, but [{columns}] is expected",
                bias.dims
            );
            Some(flat(&mut plan, bias, Element::F32, &[columns]))
        }
        None => None,
    };
    let offset = match offset {
        Some(offset) => offset,
        None => plan.constant(Element::F32, &crate::scalar::Scalar::float(0.0)),
    };
    let y = plan.output_apart(call.y);
    let full = plan.temp(Element::F32, &[depth, columns]);
    let into = if group > 0 {
        full.split(0, group)
    } else {
        full.clone()
    };
    plan.step(move |m| {
        map::map3::<f32, f32, f32, f32>(
            &m.view(&weight),
            &m.view(&offset),
            &m.view(&scale),
            &m.view(&into),
            |weight, offset, scale| (weight + offset) * scale,
        );
    });
    let work = plan.temp(Element::F32, &call.y.dims);
    plan.matmul_to(&x, &full, &work)?;
    match bias {
        Some(bias) => plan.step(move |m| {
            map::map2::<f32, f32, f32>(&m.view(&work), &m.view(&bias), &m.view(&y), |x, y| x + y);
        }),
        None => plan.copy(&work, &y),
    }
    plan.done()
}
