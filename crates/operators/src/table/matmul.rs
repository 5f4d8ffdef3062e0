//! Products of matrices.

use super::{Row, row};
use crate::context::Context;
use crate::flow::Val;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "MatMul",
        "x1, x2, bias?; transpose_x1, transpose_x2 = false",
        matmul,
    ),
    row(
        "MatMulV2",
        "x1, x2, bias?; transpose_x1, transpose_x2 = false",
        matmul,
    ),
    row(
        "MatMulV3",
        "x1, x2, bias?; transpose_x1, transpose_x2 = false",
        matmul,
    ),
    row("BatchMatMul", "x1, x2; adj_x1, adj_x2 = false", batch),
    row(
        "BatchMatMulV2",
        "x1, x2, bias?; adj_x1, adj_x2 = false",
        batch,
    ),
    row(
        "BatchMatMulV3",
        "x1, x2, bias?; adj_x1, adj_x2 = false",
        batch,
    ),
    row(
        "GEMM",
        "a, b, c, alpha, beta; transpose_a, transpose_b = false: alpha a b + beta c",
        |cx| {
            let product = product(cx, "transpose_a", "transpose_b")?;
            let [c, alpha, beta] = [cx.number(2)?, cx.number(3)?, cx.number(4)?];
            let [alpha, beta] = [alpha, beta].map(|it| it.cast(product.element()).reshape(&[]));
            cx.give(0, product * alpha + c * beta)
        },
    ),
    row("Einsum", "x0, x1, ...; equation, N", |cx| {
        let equation = cx.text_or("equation", "")?;
        if equation.is_empty() {
            return Err(Why::MissingAttribute("equation"));
        }
        let mut others = Vec::new();
        for index in 1..cx.count() {
            others.push(cx.number(index)?);
        }
        let attributes = [("equation", Attribute::Text(equation))];
        cx.give(0, cx.number(0)?.apply("Einsum", &others, &attributes))
    }),
];

/// The operands, transposed where a flag says so, multiplied.
fn product<'c>(cx: &'c Context<'c>, a: &'static str, b: &'static str) -> Result<Val<'c>, Why> {
    let mut operands = [cx.number(0)?, cx.number(1)?];
    for (index, (operand, flag)) in operands.iter_mut().zip([a, b]).enumerate() {
        // 8-bit integers are summed in 32 bits.
        if matches!(operand.element(), Element::I8 | Element::U8 | Element::I16) {
            *operand = operand.cast(Element::I32);
        }
        if cx.flag_or(flag, false)? {
            *operand = operand.matrix_transpose(cx.rank(index)?);
        }
    }
    Ok(operands[0].matmul(operands[1]))
}

fn matmul<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [a, b] = [cx.number(0)?, cx.number(1)?];
    let flat = cx.rank(0)? == 2 && cx.rank(1)? == 2;
    if !flat || !a.element().is_float() || a.element() != b.element() {
        let product = product(cx, "transpose_x1", "transpose_x2")?;
        return with_bias(cx, product);
    }
    // One node that transposes while it reads and adds the bias while it writes.
    let flags = [
        (
            "transA",
            Attribute::from(cx.flag_or("transpose_x1", false)?),
        ),
        ("transB", cx.flag_or("transpose_x2", false)?.into()),
    ];
    let mut others = vec![b];
    if cx.has(2) {
        others.push(cx.float(2)?.cast(a.element()));
    }
    cx.give(0, a.apply("Gemm", &others, &flags))
}

fn batch<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let product = product(cx, "adj_x1", "adj_x2")?;
    with_bias(cx, product)
}

fn with_bias<'c>(cx: &'c Context<'c>, product: Val<'c>) -> Result<(), Why> {
    let biased = if cx.has(2) {
        product + cx.number(2)?.cast(product.element())
    } else {
        product
    };
    cx.give(0, biased)
}
