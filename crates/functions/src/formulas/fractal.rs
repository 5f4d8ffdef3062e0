//! Weights in blocks: copies into and out of `FRACTAL_NZ`. Every function reads tensors in that format; these also write it.

use millpond_kernels::Element;

use crate::plan::{Access, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::{Blocks, FRACTAL_NZ, Tensor};

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
    plan.takes_narrow();
    // Bytes stand for 8-bit floats: nothing is computed.
    let raw = |value: Value| {
        if value.element().is_float8() {
            value.reinterpret(Element::U8)
        } else {
            value
        }
    };
    let blocks = match (to.blocks(), from.blocks()) {
        (None, Some(Ok(blocks))) if !blocks.turned && !from.overlaps(to) => {
            // Without a copy in between, so that no scratch memory is needed.
            let source = raw(plan.block_rows(from, &blocks, Access::Read));
            let target = raw(plan.output_apart(to));
            copy_blocks(&mut plan, &source, &target, &blocks, false);
            return plan.done();
        }
        (None, _) => {
            let source = raw(plan.input(from));
            let target = raw(plan.output_apart(to));
            plan.copy(&source, &target);
            return plan.done();
        }
        (Some(Ok(blocks)), _) => blocks,
        (Some(Err(text)), _) => return Err(Refusal::unsupported(text)),
    };
    let source = raw(plan.input(from));
    require!(
        !blocks.turned,
        "'dstTensor' is a transposed view, but the whole matrix is written"
    );
    require!(
        !from.overlaps(to),
        "'srcTensor' and 'dstTensor' share memory, but they lie in different orders"
    );
    let target = raw(plan.block_rows(to, &blocks, Access::Write));
    // What fills blocks up is zero.
    plan.fill(&target, 0.0);
    copy_blocks(&mut plan, &target, &source, &blocks, true);
    plan.done()
}

/// Copies between blocks, as [`Plan::block_rows`] gives them, and a matrix: whole blocks of columns, then the rest.
fn copy_blocks(
    plan: &mut Plan,
    blocked: &Value,
    plain: &Value,
    blocks: &Blocks,
    into_blocks: bool,
) {
    let (rank, [rows, columns]) = (blocked.rank(), blocks.matrix);
    let blocked = blocked
        .transpose(rank - 3, rank - 2)
        .narrow(rank - 3, 0, rows);
    let (whole, axis) = (columns / blocks.width, rank - 2);
    let parts = [(0, whole, blocks.width), (whole, 1, columns % blocks.width)];
    for (first, count, width) in parts {
        if count == 0 || width == 0 {
            continue;
        }
        let plain = plain
            .narrow(axis, first * blocks.width, count * width)
            .split(axis, width);
        let blocked = blocked
            .narrow(axis, first, count)
            .narrow(axis + 1, 0, width);
        if into_blocks {
            plan.copy(&plain, &blocked);
        } else {
            plan.copy(&blocked, &plain);
        }
    }
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
