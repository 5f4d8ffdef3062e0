//! Blocks of 8-bit floats that share a power of two, and products of 8-bit floats.

use millpond_kernels::quantise::{Narrow, blocks_to_narrow};
use millpond_kernels::{Dims, Element, map, rows};

use super::axis_of;
use super::moe::{Staged, expect_dims, expect_type, flat, size, slice, whole};
use super::norm_quant::rms_inputs;
use super::normalisation::expect_count;
use super::quantise::expect_single;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The largest block, and what divides its length.
const BLOCK: (i64, i64) = (1024, 32);

/// How numbers become blocks.
struct Blocks<'a> {
    axis: usize,
    length: i64,
    round_mode: &'a str,
    element: i32,
    scale_algorithm: i64,
    y: &'a Tensor,
    scales: &'a Tensor,
}

/// Where blocks go.
struct Out {
    narrow: Narrow,
    length: usize,
    /// With the axis of blocks last.
    y: Value,
    /// With the axis of blocks and the axis of two scales last.
    scales: Value,
}

impl Blocks<'_> {
    fn out(&self, plan: &mut Plan, dims: &[i64]) -> Result<Out, Refusal> {
        let narrow = match Element::stored_from_acl(self.element) {
            Some(Element::F8E4M3) => Narrow::E4M3,
            Some(Element::F8E5M2) => Narrow::E5M2,
            _ => {
                return Err(Refusal::unsupported(format!(
                    "'yAcltype' is {}; Millpond makes blocks of float8_e5m2 and float8_e4m3fn, which are 35 and 36, and has no type of 4 bits",
                    self.element
                )));
            }
        };
        require!(
            self.y.element().acl() == self.element,
            "'yAcltype' is {}, but 'y' has the type {}, which is {}",
            self.element,
            self.y.element().name(),
            self.y.element().acl()
        );
        require!(
            matches!(self.round_mode, "rint" | ""),
            "'roundMode' is '{}', but for 8-bit floats it must be rint",
            self.round_mode
        );
        if self.scale_algorithm != 0 {
            return Err(Refusal::unsupported(format!(
                "the algorithm of scales is {}; Millpond has 0: the exponent of the largest magnitude",
                self.scale_algorithm
            )));
        }
        require!(
            (BLOCK.1..=BLOCK.0).contains(&self.length) && self.length % BLOCK.1 == 0,
            "'blockSize' is {}, but a multiple of {} up to {} is expected",
            self.length,
            BLOCK.1,
            BLOCK.0
        );
        expect_dims(self.y, dims, "y")?;
        require!(
            matches!(self.scales.element(), Element::F8E8M0 | Element::U8),
            "'mxscale' has the type {}, but float8_e8m0 is expected",
            self.scales.element().name()
        );
        let mut wanted: Dims = dims.into();
        let blocks = dims[self.axis] / self.length + i64::from(dims[self.axis] % self.length != 0);
        wanted[self.axis] = blocks / 2 + blocks % 2;
        wanted.push(2);
        expect_dims(self.scales, &wanted, "mxscale")?;
        plan.takes_narrow();
        let y = plan.output_apart(self.y).reinterpret(Element::U8);
        let scales = plan.output_apart(self.scales).reinterpret(Element::U8);
        let pair = scales.rank() - 1;
        let order: Vec<usize> = (0..pair)
            .filter(|axis| *axis != self.axis)
            .chain([self.axis, pair])
            .collect();
        Ok(Out {
            narrow,
            length: size(self.length),
            y: y.axis_last(self.axis),
            scales: scales.permute(&order),
        })
    }
}

impl Out {
    /// Adds the steps. `from` has rows along the axis of blocks, in float.
    fn add(self, plan: &mut Plan, from: &Value) {
        let (rows, width) = (from.dim(0), from.dim(1));
        let y = plan.dense_room(&self.y, Element::U8);
        let scales = plan.dense_room(&self.scales, Element::U8);
        let into = plan.reshape(&y, &[rows, width]);
        let rank = scales.rank();
        let pairs = scales.dim(rank - 2).saturating_mul(2);
        let beside = plan.reshape(&scales, &[rows, pairs]);
        let (from, length, narrow) = (from.clone(), self.length, self.narrow);
        plan.step(move |m| {
            blocks_to_narrow(
                &m.view(&from),
                length,
                narrow,
                &m.view(&into),
                &m.view(&beside),
            );
        });
        plan.deliver(&y, &self.y);
        plan.deliver(&scales, &self.scales);
    }
}

/// Blocks along an axis.
pub(crate) fn quant(call: table::DynamicMxQuantV3<'_>) -> Planned {
    if call.dst_type_max != 0.0 || call.max_low_bound != 0.0 {
        return Err(Refusal::unsupported(format!(
            "'dstTypeMax' is {} and 'maxLowBound' is {}; Millpond takes 0 and 0",
            call.dst_type_max, call.max_low_bound
        )));
    }
    expect_single(call.input, "input")?;
    require!(
        call.input.rank() > 0,
        "'input' has no dimensions, but blocks lie along an axis"
    );
    let axis = axis_of(call.input, call.axis, "axis")?;
    let blocks = Blocks {
        axis,
        length: call.block_size,
        round_mode: call.round_mode,
        element: call.y_acltype,
        scale_algorithm: call.scale_alg_optional,
        y: call.y,
        scales: call.mxscale,
    };
    let mut plan = Plan::new();
    let x = plan.input(call.input).axis_last(axis);
    let x = plan.contiguous(&x, Element::F32);
    let width = call.input.dims[axis];
    let lead = whole(millpond_kernels::count(&x.dims()[..x.rank() - 1]));
    let x = plan.reshape(&x, &[lead, width]);
    let out = blocks.out(&mut plan, &call.input.dims)?;
    out.add(&mut plan, &x);
    plan.done()
}

/// A norm whose result becomes blocks.
pub(crate) struct Norm<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) added: Option<&'a Tensor>,
    pub(crate) gamma: &'a Tensor,
    pub(crate) beta: Option<&'a Tensor>,
    pub(crate) epsilon: f64,
    pub(crate) scale_algorithm: i64,
    pub(crate) round_mode: &'a str,
    pub(crate) element: i32,
    pub(crate) output_rstd: bool,
    pub(crate) y: &'a Tensor,
    pub(crate) sum: Option<&'a Tensor>,
    pub(crate) scales: &'a Tensor,
    pub(crate) rstd: &'a Tensor,
}

/// The root-mean-square norm, in blocks along the last axis.
pub(crate) fn norm(call: &Norm<'_>) -> Planned {
    let mut plan = Plan::new();
    let inputs = rms_inputs(
        &mut plan,
        call.x,
        call.added,
        call.gamma,
        call.beta,
        call.epsilon,
    )?;
    require!(
        call.x.dims.last().copied() == Some(inputs.width),
        "'gamma' has the shape {:?}, but blocks lie along the last axis of 'x'",
        call.gamma.dims
    );
    let blocks = Blocks {
        axis: call.x.rank() - 1,
        length: BLOCK.1,
        round_mode: call.round_mode,
        element: call.element,
        scale_algorithm: call.scale_algorithm,
        y: call.y,
        scales: call.scales,
    };
    let out = blocks.out(&mut plan, &call.x.dims)?;
    let sum = match call.sum {
        Some(sum) => {
            expect_single(sum, "xOut")?;
            expect_dims(sum, &call.x.dims, "xOut")?;
            Some(plan.output_apart(sum))
        }
        None => None,
    };
    let rstd = if call.output_rstd {
        expect_single(call.rstd, "rstd")?;
        expect_count(call.rstd, "rstd", size(inputs.rows))?;
        Some(plan.output_apart(call.rstd))
    } else {
        None
    };
    let normed = inputs.norm(&mut plan);
    if let Some(sum) = sum {
        let from = plan.reshape(&normed.sum, sum.dims());
        plan.copy(&from, &sum);
    }
    if let Some(rstd) = rstd {
        if inputs.width == 0 {
            plan.fill(&normed.rstd, f64::NAN);
        }
        let from = plan.reshape(&normed.rstd, rstd.dims());
        plan.copy(&from, &rstd);
    }
    out.add(&mut plan, &normed.whole);
    plan.done()
}

/// Refused: its result has 4 bits for each number.
pub(crate) fn dual_level(y: &Tensor) -> Planned {
    Err(Refusal::unsupported(format!(
        "'y' has the type {}; aclnnDynamicDualLevelMxQuant gives float4_e2m1, and Millpond has no type of 4 bits",
        y.element().name()
    )))
}

/// Products of 8-bit floats with axes in another order: out = x1 · x2 · scales.
pub(crate) fn transposed_product<'a>(call: table::TransposeQuantBatchMatMul<'a>) -> Planned {
    for (tensor, argument) in [(call.x1, "x1"), (call.x2, "x2")] {
        require!(
            matches!(tensor.element(), Element::F8E4M3 | Element::F8E5M2),
            "'{argument}' has the type {}, but float8_e5m2 or float8_e4m3fn is expected",
            tensor.element().name()
        );
        require!(
            tensor.rank() == 3,
            "'{argument}' has the shape {:?}, but three dimensions are expected",
            tensor.dims
        );
    }
    for (order, wanted, argument) in [
        (call.perm_x1, [1, 0, 2], "permX1"),
        (call.perm_x2, [0, 1, 2], "permX2"),
        (call.perm_y, [1, 0, 2], "permY"),
    ] {
        require!(
            *order == wanted,
            "'{argument}' is {order:?}, but {wanted:?} is expected"
        );
    }
    if call.bias.is_some() || call.batch_split_factor != 1 {
        return Err(Refusal::unsupported(format!(
            "'bias' is given or 'batchSplitFactor' is {}; Millpond takes NULL and 1",
            call.batch_split_factor
        )));
    }
    let (height, batch, depth) = (call.x1.dims[0], call.x1.dims[1], call.x1.dims[2]);
    let columns = call.x2.dims[2];
    expect_dims(call.x2, &[batch, depth, columns], "x2")?;
    expect_single(call.out, "out")?;
    expect_dims(call.out, &[height, batch, columns], "out")?;
    require!(
        call.dtype == call.out.element().acl(),
        "'dtype' is {}, but 'out' has the type {}, which is {}",
        call.dtype,
        call.out.element().name(),
        call.out.element().acl()
    );
    let given =
        |scale: Option<&'a Tensor>, argument: &str| scale.ok_or_else(|| Refusal::missing(argument));
    let (lines, across) = (
        given(call.x1_scale, "x1Scale")?,
        given(call.x2_scale, "x2Scale")?,
    );
    let mut plan = Plan::new();
    plan.takes_narrow();
    let x1 = plan.input(call.x1);
    let x2 = plan.input(call.x2);
    if [lines, across]
        .iter()
        .any(|scale| scale.element() == Element::F8E8M0)
    {
        let blocks = depth / 64 + i64::from(depth % 64 != 0);
        for (scale, dims, argument) in [
            (lines, [height, batch, blocks, 2], "x1Scale"),
            (across, [batch, blocks, columns, 2], "x2Scale"),
        ] {
            expect_type(scale, Element::F8E8M0, argument)?;
            expect_dims(scale, &dims, argument)?;
        }
        // The lengths of blocks along three axes share a number; 0 stands for what the shapes say.
        if !matches!(call.group_size, 32 | 0x0001_0001_0020) {
            return Err(Refusal::unsupported(format!(
                "'groupSize' is {}; Millpond has blocks of 32 along the depth, which is 32",
                call.group_size
            )));
        }
        let out = Staged::of(&mut plan, call.out, Element::F32);
        let [lines, across] = [lines, across].map(|scale| plan.input(scale));
        // With the two scales of a pair behind those of the pair before.
        let across = across.permute(&[0, 1, 3, 2]);
        let lines = in_blocks(&mut plan, &lines, &[height, batch, 2 * blocks]);
        let across = in_blocks(&mut plan, &across, &[batch, 2 * blocks, columns]);
        let x1 = scaled(&mut plan, &x1, &lines, 2).transpose(0, 1);
        let x2 = scaled(&mut plan, &x2, &across, 1);
        let sums = plan.temp(Element::F64, &[batch, height, columns]);
        plan.matmul_to(&x1, &x2, &sums)?;
        plan.copy(&sums.transpose(0, 1), &out.work);
        out.deliver(&mut plan);
        return plan.done();
    }
    if call.group_size != 0 {
        return Err(Refusal::unsupported(format!(
            "'groupSize' is {}; Millpond takes 0 with scales of float, for rows and columns",
            call.group_size
        )));
    }
    let mut side = |scale: &Tensor, count: i64, argument: &str| {
        expect_single(scale, argument)?;
        expect_dims(scale, &[count], argument)?;
        Ok(flat(&mut plan, scale, Element::F32, &[count]))
    };
    let lines = side(lines, height, "x1Scale")?;
    let across = side(across, columns, "x2Scale")?;
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let x1 = x1.transpose(0, 1);
    let (x1, x2) = (plan.cast(&x1, Element::F64), plan.cast(&x2, Element::F64));
    let sums = plan.temp(Element::F64, &[batch, height, columns]);
    plan.matmul_to(&x1, &x2, &sums)?;
    let sums = plan.contiguous(&sums.transpose(0, 1), Element::F64);
    let into = out.work.clone();
    let batch = size(batch).max(1);
    plan.step(move |m| {
        let lines = m.view(&lines);
        let lines = slice::<f32>(&lines);
        let across = m.view(&across);
        let across = slice::<f32>(&across);
        rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
            let line = f64::from(lines[row / batch]);
            for ((to, sum), column) in to.iter_mut().zip(sums).zip(across) {
                *to = single(sum * line * f64::from(*column));
            }
        });
    });
    out.deliver(&mut plan);
    plan.done()
}

/// Scales of blocks in double, with pairs put into one axis.
fn in_blocks(plan: &mut Plan, scales: &Value, dims: &[i64]) -> Value {
    let whole = plan.contiguous(scales, Element::F64);
    plan.reshape(&whole, dims)
}

/// Numbers in double, times the scale of their block of 32 along an axis.
fn scaled(plan: &mut Plan, x: &Value, scales: &Value, axis: usize) -> Value {
    let into = plan.temp(Element::F64, x.dims());
    let (x, scales, result) = (x.clone(), scales.clone(), into.clone());
    plan.step(move |m| {
        let (x, scales, into) = (m.view(&x), m.view(&scales), m.view(&into));
        let length = x.dims()[axis];
        for (block, start) in (0_i64..).zip((0..length).step_by(32)) {
            let part = 32.min(length - start);
            let from = x.narrow(axis, start, part);
            let scale = scales.narrow(axis, block, 1).expand(from.dims());
            map::map2::<f64, f64, f64>(&from, &scale, &into.narrow(axis, start, part), |x, y| {
                x * y
            });
        }
    });
    result
}

fn single(x: f64) -> f32 {
    millpond_kernels::Stored::store(x)
}
