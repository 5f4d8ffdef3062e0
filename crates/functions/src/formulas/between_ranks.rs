//! Products of matrices whose operands or results are spread over ranks.

use millpond_kernels::Element;

use super::matmul;
use super::moe::{Staged, expect_dims, expect_type, flat, slice, whole};
use super::quantise::{columns_of, expect_single};
use crate::exchange::{Exchange, ExchangeKind, Side};
use crate::kernels::{Stored, contiguous_strides, rows};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::table;
use crate::tensor::Tensor;

fn check(tensors: &[(&Tensor, &str)], element: Element) -> Result<(), Refusal> {
    for (tensor, name) in tensors {
        require!(
            tensor.rank() == 2,
            "'{name}' has the shape {:?}, but must be a matrix",
            tensor.dims
        );
        require!(
            tensor.element() == element,
            "'{name}' has the type {}, but 'x1' has {}",
            tensor.element().name(),
            element.name()
        );
    }
    require!(
        matches!(element, Element::F16 | Element::BF16 | Element::F32),
        "the type {} is not supported; use float16, bfloat16 or float32",
        element.name()
    );
    Ok(())
}

fn check_dense(tensor: &Tensor, name: &str) -> Result<(), Refusal> {
    require!(
        tensor.count() == 0 || tensor.strides == contiguous_strides(&tensor.dims),
        "'{name}' has gaps between its elements, but is exchanged with other ranks: make it contiguous"
    );
    Ok(())
}

fn check_sum(reduce_op: &str) -> Result<(), Refusal> {
    require!(
        reduce_op == "sum",
        "'reduceOp' is '{reduce_op}', but must be 'sum'"
    );
    Ok(())
}

fn without_bias(bias: Option<&Tensor>) -> Result<(), Refusal> {
    require!(
        bias.is_none_or(|bias| bias.count() == 0),
        "Millpond does not support a bias here: add it to the result"
    );
    Ok(())
}

fn ranks(all: i64, part: i64) -> Option<u64> {
    u64::try_from(all / part).ok()
}

/// The product of every rank's matrices, with its bias and what else is added, added up over the ranks.
pub(crate) fn matmul_all_reduce(
    x1: &Tensor,
    x2: &Tensor,
    bias: Option<&Tensor>,
    added: Option<&Tensor>,
    group: &str,
    reduce_op: &str,
    out: &Tensor,
) -> Planned {
    check_sum(reduce_op)?;
    check(&[(x2, "x2"), (out, "output")], x1.element())?;
    check_dense(out, "output")?;
    let one = Scalar::float(1.0);
    let bias = bias.filter(|bias| bias.count() > 0);
    let added = added.filter(|added| added.count() > 0);
    let mut plan = match (bias, added) {
        (None, None) => matmul::matmul(x1, x2, out)?,
        (Some(bias), None) => matmul::addmm(bias, x1, x2, &one, &one, out)?,
        (bias, Some(added)) => product_and_sum(x1, x2, bias, added, out)?,
    };
    plan.exchange(Exchange {
        group: group.to_owned(),
        kind: ExchangeKind::SumOverAll,
        element: out.element(),
        count: out.count() as u64,
        ranks: None,
        rank: None,
        send: Side::of(out),
        receive: Side::of(out),
        after: plan.steps(),
    });
    Ok(plan)
}

/// A matrix product plus a bias per column plus a tensor of the result's shape.
fn product_and_sum(
    x1: &Tensor,
    x2: &Tensor,
    bias: Option<&Tensor>,
    added: &Tensor,
    out: &Tensor,
) -> Planned {
    let (height, columns) = (out.dims[0], out.dims[1]);
    check(&[(added, "x3")], x1.element())?;
    expect_dims(added, &out.dims, "x3")?;
    let mut plan = Plan::new();
    let (x, y) = (plan.input(x1), plan.input(x2));
    let added = flat(&mut plan, added, Element::F32, &[height, columns]);
    let bias = match bias {
        Some(bias) => {
            expect_single(bias, "bias")?;
            expect_dims(bias, &[columns], "bias")?;
            Some(flat(&mut plan, bias, Element::F32, &[columns]))
        }
        None => None,
    };
    let ones = plan.constant(Element::F32, &Scalar::float(1.0));
    let target = Staged::of(&mut plan, out, Element::F32);
    let sums = plan.temp(Element::F32, &[height, columns]);
    plan.matmul_to(&x, &y, &sums)?;
    let sums = plan.cast(&sums, Element::F64);
    Scaled {
        sums,
        integer_bias: None,
        lines: None,
        columns: ones,
        bias,
        added: Some(added),
    }
    .add(&mut plan, &target.work);
    target.deliver(&mut plan);
    plan.done()
}

/// The product of all ranks' rows with this rank's matrix. The rows are a result, too, if there is room for them.
pub(crate) fn all_gather_matmul(
    x1: &Tensor,
    x2: &Tensor,
    bias: Option<&Tensor>,
    group: &str,
    gather_index: i64,
    out: &Tensor,
    gathered: &Tensor,
) -> Planned {
    without_bias(bias)?;
    require!(
        gather_index == 0,
        "'gatherIndex' is {gather_index}, but must be 0: the rows of 'x1' are gathered"
    );
    check(&[(x1, "x1"), (x2, "x2"), (out, "output")], x1.element())?;
    check_dense(x1, "x1")?;
    let (rows, all) = (x1.dims[0], out.dims[0]);
    require!(
        rows > 0 && all % rows == 0,
        "'output' has {all} rows, but must have as many as all ranks' 'x1', which has {rows}"
    );
    let dims = [all, x1.dims[1]];
    let wanted = gathered.count() > 0;
    let mut plan = if wanted {
        require!(
            gathered.dims[..] == dims && gathered.element() == x1.element(),
            "'gatherOut' has the shape {:?}, but must have {dims:?} and the type of 'x1'",
            gathered.dims
        );
        check_dense(gathered, "gatherOut")?;
        matmul::matmul(gathered, x2, out)?
    } else {
        let mut plan = Plan::new();
        let x = plan.temp(x1.element(), &dims);
        let y = plan.input(x2);
        let z = plan.output_apart(out);
        plan.matmul_to(&x, &y, &z)?;
        plan.done()?
    };
    plan.exchange(Exchange {
        group: group.to_owned(),
        kind: ExchangeKind::GatherToAll,
        element: x1.element(),
        count: x1.count() as u64,
        ranks: ranks(all, rows),
        rank: None,
        send: Side::of(x1),
        receive: if wanted {
            Side::of(gathered)
        } else {
            Side::Workspace(0)
        },
        after: 0,
    });
    Ok(plan)
}

/// The product of every rank's matrices, added up over the ranks; each rank gets its share of the rows.
pub(crate) fn matmul_reduce_scatter(
    x1: &Tensor,
    x2: &Tensor,
    bias: Option<&Tensor>,
    group: &str,
    reduce_op: &str,
    out: &Tensor,
) -> Planned {
    check_sum(reduce_op)?;
    without_bias(bias)?;
    check(&[(x1, "x1"), (x2, "x2"), (out, "output")], x1.element())?;
    check_dense(out, "output")?;
    let (all, rows) = (x1.dims[0], out.dims[0]);
    require!(
        rows > 0 && all % rows == 0 && out.dims[1] == x2.dims[1],
        "'output' has the shape {:?}, but must have a rank's share of the {all} rows of 'x1', and the columns of 'x2'",
        out.dims
    );
    let mut plan = Plan::new();
    // First, so that it is at the beginning of the workspace.
    let product = plan.temp(out.element(), &[all, out.dims[1]]);
    let (x, y) = (plan.input(x1), plan.input(x2));
    plan.matmul_to(&x, &y, &product)?;
    let mut plan = plan.done()?;
    plan.exchange(Exchange {
        group: group.to_owned(),
        kind: ExchangeKind::SumAndScatter,
        element: out.element(),
        count: out.count() as u64,
        ranks: ranks(all, rows),
        rank: None,
        send: Side::Workspace(0),
        receive: Side::of(out),
        after: plan.steps(),
    });
    Ok(plan)
}

/// What a product of small numbers is multiplied by, and what is added to it.
struct Scaled {
    /// In double: sums of products of integers are exact.
    sums: Value,
    /// Added before scales.
    integer_bias: Option<Value>,
    /// For rows, and for columns; one number may stand for all.
    lines: Option<Value>,
    columns: Value,
    /// Added after the scales: a bias per column, and a tensor of the result's shape.
    bias: Option<Value>,
    added: Option<Value>,
}

impl Scaled {
    fn add(self, plan: &mut Plan, into: &Value) {
        let Self {
            sums,
            integer_bias,
            lines,
            columns,
            bias,
            added,
        } = self;
        let into = into.clone();
        plan.step(move |m| {
            let view = |value: &Option<Value>| value.as_ref().map(|value| m.view(value));
            let (whole, lines, bias, added) =
                (view(&integer_bias), view(&lines), view(&bias), view(&added));
            let columns = m.view(&columns);
            let columns = slice::<f32>(&columns);
            let whole = whole.as_ref().map(slice::<f64>);
            let [lines, bias, added] =
                [&lines, &bias, &added].map(|one| one.as_ref().map(slice::<f32>));
            let at = |list: &[f32], index: usize| list[if list.len() == 1 { 0 } else { index }];
            rows::rows1::<f64, f32>(&m.view(&sums), &m.view(&into), |row, sums, to| {
                let line = lines.map_or(1.0, |lines| at(lines, row));
                let width = sums.len();
                for (column, (to, sum)) in to.iter_mut().zip(sums).enumerate() {
                    let sum = sum + whole.map_or(0.0, |whole| whole[column]);
                    let scaled = f32::store(sum) * at(columns, column) * line;
                    *to = scaled
                        + bias.map_or(0.0, |bias| bias[column])
                        + added.map_or(0.0, |added| added[row * width + column]);
                }
            });
        });
    }
}

/// The product of every rank's integers, scaled, with what is added to it, added up over the ranks.
pub(crate) fn quant_matmul_all_reduce(call: table::QuantMatmulAllReduceV2<'_>) -> Planned {
    check_sum(call.reduce_op)?;
    expect_type(call.x1, Element::I8, "x1")?;
    expect_type(call.x2, Element::I8, "x2")?;
    require!(
        matches!(call.x1.rank(), 2 | 3) && call.x2.rank() == 2,
        "'x1' has the shape {:?} and 'x2' {:?}, but two or three dimensions and two are expected",
        call.x1.dims,
        call.x2.dims
    );
    let last = call.x1.rank() - 1;
    let (depth, columns) = (call.x1.dims[last], call.x2.dims[1]);
    let height = whole(crate::kernels::count(&call.x1.dims[..last]));
    expect_dims(call.x2, &[depth, columns], "x2")?;
    require!(
        matches!(call.out.element(), Element::F16 | Element::BF16),
        "'output' has the type {}, but float16 or bfloat16 is expected",
        call.out.element().name()
    );
    let mut dims = call.x1.dims.clone();
    dims[last] = columns;
    expect_dims(call.out, &dims, "output")?;
    check_dense(call.out, "output")?;
    let mut plan = Plan::new();
    let x = flat(&mut plan, call.x1, Element::F64, &[height, depth]);
    let y = plan.input(call.x2);
    let integer_bias = match call.bias.filter(|bias| !bias.is_empty()) {
        Some(bias) => {
            expect_type(bias, Element::I32, "bias")?;
            expect_dims(bias, &[columns], "bias")?;
            Some(flat(&mut plan, bias, Element::F64, &[columns]))
        }
        None => None,
    };
    let added = match call.x3.filter(|added| !added.is_empty()) {
        Some(added) => {
            expect_type(added, call.out.element(), "x3")?;
            expect_dims(added, &dims, "x3")?;
            Some(flat(&mut plan, added, Element::F32, &[height, columns]))
        }
        None => None,
    };
    let lines = match call.pertoken_scale.filter(|scale| !scale.is_empty()) {
        Some(scale) => {
            expect_type(scale, Element::F32, "pertokenScale")?;
            expect_dims(scale, &[height], "pertokenScale")?;
            Some(flat(&mut plan, scale, Element::F32, &[height]))
        }
        None => None,
    };
    let scale = columns_of(&mut plan, call.dequant_scale, columns, "dequantScale")?;
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let sums = plan.temp(Element::F64, &[height, columns]);
    plan.matmul_to(&x, &y, &sums)?;
    let into = plan.reshape(&out.work, &[height, columns]);
    Scaled {
        sums,
        integer_bias,
        lines,
        columns: scale,
        bias: None,
        added,
    }
    .add(&mut plan, &into);
    out.deliver(&mut plan);
    let mut plan = plan.done()?;
    plan.exchange(Exchange {
        group: call.group.to_owned(),
        kind: ExchangeKind::SumOverAll,
        element: call.out.element(),
        count: call.out.count() as u64,
        ranks: None,
        rank: None,
        send: Side::of(call.out),
        receive: Side::of(call.out),
        after: plan.steps(),
    });
    Ok(plan)
}

/// The product of every rank's matrices, maybe scaled, with its bias, added up over the ranks; each rank gets its share of the rows.
pub(crate) fn matmul_reduce_scatter_v2(call: table::MatmulReduceScatterV2<'_>) -> Planned {
    check_sum(call.reduce_op)?;
    let (x1, x2, out) = (call.self_, call.x2, call.out);
    for (tensor, argument) in [(call.quant_scale, "quantScale"), (call.amax_out, "amaxOut")] {
        if tensor.is_some_and(|tensor| !tensor.is_empty()) {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is given; Millpond does not have it here, pass NULL"
            )));
        }
    }
    if call.block_size != 0 || call.group_size != 0 {
        return Err(Refusal::unsupported(format!(
            "'blockSize' is {} and 'groupSize' {}; Millpond has 0 and 0: scales for rows and columns, or one for all",
            call.block_size, call.group_size
        )));
    }
    require!(
        x1.rank() == 2 && x2.rank() == 2 && out.rank() == 2 && x1.dims[1] == x2.dims[0],
        "'x1' has the shape {:?}, 'x2' {:?} and 'output' {:?}, but matrices that can be multiplied are expected",
        x1.dims,
        x2.dims,
        out.dims
    );
    let is_narrow = |tensor: &Tensor| matches!(tensor.element(), Element::F8E4M3 | Element::F8E5M2);
    let is_small = x1.element() == Element::I8 || is_narrow(x1);
    if is_small {
        require!(
            x2.element() == x1.element() || (is_narrow(x1) && is_narrow(x2)),
            "'x1' has the type {} and 'x2' {}, but both are int8 or both 8-bit floats",
            x1.element().name(),
            x2.element().name()
        );
        expect_single(out, "output")?;
    } else {
        check(&[(x1, "x1"), (x2, "x2"), (out, "output")], x1.element())?;
        for (scale, argument) in [(call.x1_scale, "x1Scale"), (call.x2_scale, "x2Scale")] {
            require!(
                scale.is_none_or(Tensor::is_empty),
                "'{argument}' is given, but 'x1' has the type {}: pass NULL",
                x1.element().name()
            );
        }
    }
    check_dense(out, "output")?;
    let (all, rows, columns) = (x1.dims[0], out.dims[0], x2.dims[1]);
    require!(
        rows > 0 && all % rows == 0 && out.dims[1] == columns,
        "'output' has the shape {:?}, but must have a rank's share of the {all} rows of 'x1', and the columns of 'x2'",
        out.dims
    );
    let mut plan = Plan::new();
    plan.takes_narrow();
    // First, so that it is at the beginning of the workspace.
    let product = plan.temp(out.element(), &[all, columns]);
    let (x, y) = (plan.input(x1), plan.input(x2));
    let bias = match call.bias.filter(|bias| !bias.is_empty()) {
        Some(bias) => {
            expect_single(bias, "bias")?;
            expect_dims(bias, &[columns], "bias")?;
            Some(flat(&mut plan, bias, Element::F32, &[columns]))
        }
        None => None,
    };
    let (lines, scale) = if is_small {
        let mut side = |scale: Option<&Tensor>, count: i64, argument: &str| {
            let scale = scale.ok_or_else(|| Refusal::missing(argument))?;
            expect_single(scale, argument)?;
            let given = whole(scale.count());
            let wanted = if is_narrow(x1) { 1 } else { count };
            require!(
                given == wanted,
                "'{argument}' has the shape {:?}, but {wanted} elements are expected",
                scale.dims
            );
            Ok(flat(&mut plan, scale, Element::F32, &[given]))
        };
        (
            Some(side(call.x1_scale, all, "x1Scale")?),
            side(call.x2_scale, columns, "x2Scale")?,
        )
    } else {
        (None, plan.constant(Element::F32, &Scalar::float(1.0)))
    };
    let element = if is_small { Element::F64 } else { Element::F32 };
    let sums = plan.temp(element, &[all, columns]);
    plan.matmul_to(&x, &y, &sums)?;
    let sums = plan.cast(&sums, Element::F64);
    let into = plan.room(&product, Element::F32);
    Scaled {
        sums,
        integer_bias: None,
        lines,
        columns: scale,
        bias,
        added: None,
    }
    .add(&mut plan, &into);
    plan.deliver(&into, &product);
    let mut plan = plan.done()?;
    plan.exchange(Exchange {
        group: call.group.to_owned(),
        kind: ExchangeKind::SumAndScatter,
        element: out.element(),
        count: out.count() as u64,
        ranks: ranks(all, rows),
        rank: None,
        send: Side::Workspace(0),
        receive: Side::of(out),
        after: plan.steps(),
    });
    Ok(plan)
}
