//! Products of matrices whose operands or results are spread over ranks.

use millpond_kernels::Element;

use super::matmul;
use crate::exchange::{Exchange, ExchangeKind, Side};
use crate::kernels::contiguous_strides;
use crate::plan::{Plan, Planned};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
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

/// The product of every rank's matrices, with its bias, added up over the ranks.
pub(crate) fn matmul_all_reduce(
    x1: &Tensor,
    x2: &Tensor,
    bias: Option<&Tensor>,
    group: &str,
    reduce_op: &str,
    out: &Tensor,
) -> Planned {
    check_sum(reduce_op)?;
    check(&[(x2, "x2"), (out, "output")], x1.element())?;
    check_dense(out, "output")?;
    let one = Scalar::float(1.0);
    let mut plan = match bias.filter(|bias| bias.count() > 0) {
        Some(bias) => matmul::addmm(bias, x1, x2, &one, &one, out)?,
        None => matmul::matmul(x1, x2, out)?,
    };
    plan.exchange(Exchange {
        group: group.to_owned(),
        kind: ExchangeKind::SumOverAll,
        element: out.element(),
        count: out.count() as u64,
        ranks: None,
        send: Side::of(out),
        receive: Side::of(out),
        first: false,
    });
    Ok(plan)
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
        send: Side::of(x1),
        receive: if wanted {
            Side::of(gathered)
        } else {
            Side::Workspace
        },
        first: true,
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
        send: Side::Workspace,
        receive: Side::of(out),
        first: false,
    });
    Ok(plan)
}
