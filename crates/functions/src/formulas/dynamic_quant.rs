//! Quantisation with scales that the numbers themselves decide: for rows, columns or the whole tensor.

use millpond_kernels::quantise::{self, Target};
use millpond_kernels::{Dims, Element, F8E4M3, F8E5M2, rows};

use super::moe::{Staged, expect_dims, flat, size, slice, whole};
use super::quantise::{INT8, expect_single};
use crate::indexing::expect_integers;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What shares one scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    Token,
    Tensor,
    Channel,
}

impl Share {
    fn of(mode: &str) -> Result<Self, Refusal> {
        match mode {
            "pertoken" => Ok(Self::Token),
            "pertensor" => Ok(Self::Tensor),
            "perchannel" => Ok(Self::Channel),
            _ => Err(Refusal::invalid(format!(
                "'quantMode' is '{mode}'; it must be pertoken, pertensor or perchannel"
            ))),
        }
    }
}

/// Which factors belong to which rows.
struct Smooth {
    factors: Value,
    /// Where each group of rows ends.
    ends: Option<Value>,
}

fn smooth_of(
    plan: &mut Plan,
    call: &table::DynamicQuantV4<'_>,
    share: Share,
    tokens: i64,
    width: i64,
) -> Result<Option<Smooth>, Refusal> {
    let Some(smooth) = call.smooth_scales else {
        require!(
            call.group_index.is_none(),
            "'groupIndex' is given without 'smoothScales', whose rows it chooses"
        );
        return Ok(None);
    };
    if share == Share::Channel {
        return Err(Refusal::unsupported(
            "'smoothScales' is given and 'quantMode' is perchannel; Millpond does not combine them",
        ));
    }
    expect_single(smooth, "smoothScales")?;
    let ends = if let Some(groups) = call.group_index {
        require!(
            share == Share::Token,
            "'groupIndex' is given and 'quantMode' is '{}', but pertoken is expected then",
            call.quant_mode
        );
        expect_integers(groups, "groupIndex")?;
        require!(
            groups.rank() == 1,
            "'groupIndex' has the shape {:?}, but one dimension is expected",
            groups.dims
        );
        expect_dims(smooth, &[groups.dims[0], width], "smoothScales")?;
        let ends = flat(plan, groups, Element::I64, &groups.dims);
        let checked = ends.clone();
        plan.try_step(move |m| {
                let view = m.view(&checked);
                let all = slice::<i64>(&view);
                let last = all.last().copied().unwrap_or(0);
                if last != tokens || !all.is_sorted() || all.first().is_some_and(|end| *end < 0) {
                    return Err(format!(
                        "'groupIndex' is {all:?}, but it must rise and end at {tokens}, the number of rows"
                    ));
                }
                Ok(())
            });
        Some(ends)
    } else {
        expect_dims(smooth, &[width], "smoothScales")?;
        None
    };
    let factors = flat(plan, smooth, Element::F32, &smooth.dims);
    Ok(Some(Smooth { factors, ends }))
}

/// The number that stands for 0 and the distance of neighbours, so that the least number becomes −128 and the largest 127.
fn range_of(least: f32, most: f32) -> (f32, f32) {
    let step = (most - least) / 255.0;
    if step == 0.0 {
        return (0.0, 0.0);
    }
    (step, 127.0 - most / step)
}

/// Rows that have a scale each, and where they go.
struct Rows {
    x: Value,
    smooth: Option<Smooth>,
    /// How many factors there are for a row.
    width: usize,
    symmetric: bool,
    y: Value,
    steps: Value,
    zeros: Value,
}

impl Rows {
    fn run<T: Target>(&self, m: &Memory<'_>) {
        let factors = self.smooth.as_ref().map(|smooth| m.view(&smooth.factors));
        let factors = factors.as_ref().map(slice::<f32>);
        let ends = self.smooth.as_ref().and_then(|smooth| smooth.ends.as_ref());
        let ends = ends.map(|ends| m.view(ends));
        let ends = ends.as_ref().map(slice::<i64>);
        rows::rows1_3::<f32, T, f32, f32>(
            &m.view(&self.x),
            &m.view(&self.y),
            &m.view(&self.steps),
            &m.view(&self.zeros),
            |number, from, to, scale, offset| {
                let group = ends.map_or(0, |ends| {
                    let found = ends.iter().position(|end| whole(number) < *end);
                    found.unwrap_or(0)
                });
                let smoothed = |index: usize| {
                    let factor = |all: &[f32]| all[group * self.width + index % self.width];
                    from[index] * factors.map_or(1.0, factor)
                };
                let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
                for index in 0..from.len() {
                    let x = smoothed(index);
                    least = least.min(x);
                    most = most.max(x);
                }
                let (step, zero) = if self.symmetric {
                    (most.max(-least) / T::LARGEST, 0.0)
                } else {
                    range_of(least, most)
                };
                scale.fill(step);
                offset.fill(zero);
                for (index, to) in to.iter_mut().enumerate() {
                    *to = T::nearest(if step == 0.0 {
                        0.0
                    } else {
                        smoothed(index) / step + zero
                    });
                }
            },
        );
    }
}

/// Small types with scales, and int8 with offsets if it is not symmetric.
pub(crate) fn dynamic(call: table::DynamicQuantV4<'_>) -> Planned {
    let share = Share::of(call.quant_mode)?;
    let element = target(call.y, call.dst_type, "dstType")?;
    if element != Element::I8 && !call.is_symmetrical {
        return Err(Refusal::unsupported(format!(
            "'isSymmetrical' is false and 'dstType' is {}; Millpond shifts int8 only, which is {INT8}",
            call.dst_type
        )));
    }
    if call.dst_type_max != 0.0 {
        return Err(Refusal::unsupported(format!(
            "'dstTypeMax' is {}; Millpond takes 0 here, the largest number of the type",
            call.dst_type_max
        )));
    }
    expect_single(call.x, "x")?;
    expect_dims(call.y, &call.x.dims, "y")?;
    let rank = call.x.rank();
    require!(
        rank >= 2,
        "'x' has the shape {:?}, but at least two dimensions are expected",
        call.x.dims
    );
    let mut dims = call.x.dims.clone();
    let scale_dims: Dims = match share {
        Share::Token => dims[..rank - 1].into(),
        Share::Tensor => Dims::from_slice(&[1]),
        Share::Channel => {
            let scale = dims
                .iter()
                .enumerate()
                .filter(|(axis, _)| *axis != rank - 2);
            scale.map(|(_, dim)| *dim).collect()
        }
    };
    let width = dims[rank - 1];
    let tokens = whole(millpond_kernels::count(&dims[..rank - 1]));
    // Each row has one scale.
    let shape = match share {
        Share::Token => [tokens, width],
        Share::Tensor => [1, tokens.saturating_mul(width)],
        Share::Channel => {
            dims.swap(rank - 2, rank - 1);
            let length = dims[rank - 1];
            [whole(millpond_kernels::count(&dims[..rank - 1])), length]
        }
    };
    expect_single(call.scale, "scale")?;
    expect_dims(call.scale, &scale_dims, "scale")?;
    let offset = match (call.is_symmetrical, call.offset) {
        (true, None) => None,
        (true, Some(_)) => {
            return Err(Refusal::invalid(
                "'isSymmetrical' is true, which has no offset, but 'offset' is given: pass NULL",
            ));
        }
        (false, None) => return Err(Refusal::missing("offset")),
        (false, Some(offset)) => {
            expect_single(offset, "offset")?;
            expect_dims(offset, &scale_dims, "offset")?;
            Some(offset)
        }
    };
    let mut plan = Plan::new();
    let turned = |value: Value| {
        if share == Share::Channel {
            value.transpose(rank - 2, rank - 1)
        } else {
            value
        }
    };
    let x = turned(plan.input(call.x));
    let x = plan.contiguous(&x, Element::F32);
    let x = plan.reshape(&x, &shape);
    let smooth = smooth_of(&mut plan, &call, share, tokens, width)?;
    let y = turned(plan.output_apart(call.y));
    plan.takes_narrow();
    let out = plan.dense_room(&y, element);
    let scale = Staged::of(&mut plan, call.scale, Element::F32);
    let offset = offset.map(|offset| Staged::of(&mut plan, offset, Element::F32));
    let into = plan.reshape(&out, &shape);
    if shape[1] == 0 {
        plan.fill(&scale.work, 0.0);
        if let Some(offset) = &offset {
            plan.fill(&offset.work, 0.0);
        }
    }
    let steps = plan.reshape(&scale.work, &[shape[0], 1]);
    let symmetric = offset.is_none();
    let zeros = match &offset {
        Some(offset) => plan.reshape(&offset.work, &[shape[0], 1]),
        None => plan.temp(Element::F32, &[shape[0], 1]),
    };
    let width = size(width).max(1);
    let work = Rows {
        x,
        smooth,
        width,
        symmetric,
        y: into,
        steps,
        zeros,
    };
    plan.step(move |m| match element {
        Element::F8E4M3 => work.run::<F8E4M3>(m),
        Element::F8E5M2 => work.run::<F8E5M2>(m),
        _ => work.run::<i8>(m),
    });
    plan.deliver(&out, &y);
    scale.deliver(&mut plan);
    if let Some(offset) = offset {
        offset.deliver(&mut plan);
    }
    plan.done()
}

/// The same without a largest number.
pub(crate) fn dynamic_v3(call: table::DynamicQuantV3<'_>) -> Planned {
    dynamic(table::DynamicQuantV4 {
        x: call.x,
        smooth_scales: call.smooth_scales,
        group_index: call.group_index,
        dst_type: call.dst_type,
        is_symmetrical: call.is_symmetrical,
        quant_mode: call.quant_mode,
        dst_type_max: 0.0,
        y: call.y,
        scale: call.scale,
        offset: call.offset,
    })
}

/// Rows and columns in blocks, each with a scale.
pub(crate) struct Blocks<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) min_scale: f64,
    pub(crate) round_mode: &'a str,
    pub(crate) dst_type: i32,
    pub(crate) block: (i64, i64),
    pub(crate) dst_type_max: f64,
    pub(crate) y: &'a Tensor,
    pub(crate) scale: &'a Tensor,
}

/// The type that numbers become: int8 or a float of 8 bits.
fn target(y: &Tensor, number: i32, argument: &str) -> Result<Element, Refusal> {
    let Some(element @ (Element::I8 | Element::F8E4M3 | Element::F8E5M2)) =
        Element::stored_from_acl(number)
    else {
        return Err(Refusal::unsupported(format!(
            "'{argument}' is {number}; Millpond quantises to int8, float8_e5m2 and float8_e4m3fn, which are 2, 35 and 36"
        )));
    };
    require!(
        y.element() == element,
        "'{argument}' is {number}, but 'y' has the type {}, which is {}",
        y.element().name(),
        y.element().acl()
    );
    Ok(element)
}

/// Each block with a scale: its largest magnitude becomes the largest number of the type.
pub(crate) fn blocks(call: &Blocks<'_>) -> Planned {
    let element = target(call.y, call.dst_type, "yAcltype")?;
    if call.min_scale != 0.0 || call.dst_type_max != 0.0 {
        return Err(Refusal::unsupported(format!(
            "'minScale' is {} and 'dstTypeMax' is {}; Millpond takes 0 and 0",
            call.min_scale, call.dst_type_max
        )));
    }
    require!(
        matches!(call.round_mode, "rint" | ""),
        "'roundMode' is '{}', but for int8 and 8-bit floats it must be rint",
        call.round_mode
    );
    let (height, width) = call.block;
    require!(
        height > 0 && width > 0,
        "'rowBlockSize' is {height} and 'colBlockSize' is {width}, but both must be positive"
    );
    expect_single(call.x, "x")?;
    expect_dims(call.y, &call.x.dims, "y")?;
    let rank = call.x.rank();
    require!(
        rank == 2 || rank == 3,
        "'x' has the shape {:?}, but two or three dimensions are expected",
        call.x.dims
    );
    let batch = if rank == 3 { call.x.dims[0] } else { 1 };
    let (rows, columns) = (call.x.dims[rank - 2], call.x.dims[rank - 1]);
    let pieces = |length: i64, block: i64| (length / block) + i64::from(length % block != 0);
    let (down, across) = (pieces(rows, height), pieces(columns, width));
    let mut dims = call.x.dims.clone();
    dims[rank - 2] = down;
    dims[rank - 1] = across;
    expect_single(call.scale, "scale")?;
    expect_dims(call.scale, &dims, "scale")?;
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x, Element::F32, &[batch, rows, columns]);
    plan.takes_narrow();
    let y = Staged::of(&mut plan, call.y, element);
    let scale = Staged::of(&mut plan, call.scale, Element::F32);
    let into = plan.reshape(&y.work, &[batch, rows, columns]);
    let steps = plan.reshape(&scale.work, &[batch, down, across]);
    let block = (size(height), size(width));
    plan.step(move |m| {
        let (x, y, steps) = (m.view(&x), m.view(&into), m.view(&steps));
        match element {
            Element::F8E4M3 => quantise::quantise_blocks::<F8E4M3>(&x, block, &y, &steps),
            Element::F8E5M2 => quantise::quantise_blocks::<F8E5M2>(&x, block, &y, &steps),
            _ => quantise::quantise_blocks::<i8>(&x, block, &y, &steps),
        }
    });
    y.deliver(&mut plan);
    scale.deliver(&mut plan);
    plan.done()
}
