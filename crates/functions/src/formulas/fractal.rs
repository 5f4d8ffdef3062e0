//! Weights in blocks: copies into and out of `FRACTAL_NZ`. Every function reads tensors in that format; these also write it.

use crate::plan::{Access, Plan, Planned};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::{FRACTAL_NZ, Tensor};

/// A tensor copied into the format of another one.
pub(crate) fn cast(from: &Tensor, to: &Tensor) -> Planned {
    require!(
        from.dims == to.dims && from.element == to.element,
        "'srcTensor' has the shape {:?} and the type {}, 'dstTensor' {:?} and {}, but a copy has the same",
        from.dims,
        from.element().name(),
        to.dims,
        to.element().name()
    );
    let mut plan = Plan::new();
    let source = plan.input(from);
    let blocks = match to.blocks() {
        None => {
            let target = plan.output_apart(to);
            plan.copy(&source, &target);
            return plan.done();
        }
        Some(Ok(blocks)) => blocks,
        Some(Err(text)) => return Err(Refusal::unsupported(text)),
    };
    require!(
        !blocks.turned,
        "'dstTensor' is a transposed view, but the whole matrix is written"
    );
    require!(
        !from.overlaps(to),
        "'srcTensor' and 'dstTensor' share memory, but they lie in different orders"
    );
    let target = plan.block_rows(to, &blocks, Access::Write);
    let (rank, [rows, columns]) = (target.rank(), blocks.matrix);
    // What fills blocks up is zero.
    plan.fill(&target, 0.0);
    let target = target
        .transpose(rank - 3, rank - 2)
        .narrow(rank - 3, 0, rows);
    // Whole blocks of columns, then the rest.
    let (whole, axis) = (columns / blocks.width, rank - 2);
    let parts = [(0, whole, blocks.width), (whole, 1, columns % blocks.width)];
    for (first, count, width) in parts {
        if count == 0 || width == 0 {
            continue;
        }
        let from = source
            .narrow(axis, first * blocks.width, count * width)
            .split(axis, width);
        let into = target.narrow(axis, first, count).narrow(axis + 1, 0, width);
        plan.copy(&from, &into);
    }
    plan.done()
}

/// Weights made ready for products: they stay as they are, and products read them so.
pub(crate) fn prepare(weight: &Tensor) -> Planned {
    require!(
        weight.rank() >= 2,
        "'mmWeightRef' has the shape {:?}, but a matrix is expected",
        weight.dims
    );
    let mut plan = Plan::new();
    let _ = plan.in_place(weight);
    plan.done()
}

/// Refuses weights that are not in `FRACTAL_NZ`.
pub(crate) fn expect_format(weights: &[&Tensor], argument: &str) -> Result<(), Refusal> {
    for weight in weights {
        require!(
            weight.format == FRACTAL_NZ,
            "'{argument}' has the format {}, but FRACTAL_NZ is expected, which is {FRACTAL_NZ}",
            weight.format
        );
    }
    Ok(())
}

/// A plan for weights in `FRACTAL_NZ`, for functions that take no others.
pub(crate) fn expect(
    weights: &[&Tensor],
    argument: &str,
    plan: impl FnOnce() -> Planned,
) -> Planned {
    expect_format(weights, argument)?;
    plan()
}
