//! Operators by function: what `aclnnX` computes.
//!
//! A row of `functions.tsv` names a function, its arguments and its formula. A formula looks at shapes, types and values that the call
//! gives, refuses what is wrong, and returns a [`Plan`]: which operands are read and written, how much scratch memory the run
//! needs, and the steps. It computes nothing; the steps run later, in the order of a stream, maybe on another thread.
//!
//! ```text
//!   functions.tsv ──▶ table.rs (generated) ──▶ formulas/*.rs ──▶ Plan { operands, scratch, steps }
//!                                                                    └─▶ millpond-kernels
//! ```
//!
//! What must always hold:
//! - A plan names every byte that its steps touch: operands, and scratch that the plan has counted. Steps allocate nothing that
//!   grows with the tensors.
//! - Types are promoted in `promote.rs` and nowhere else.
//! - An output may be an input. `Plan::output` and `Plan::output_apart` see to it that nothing is overwritten before it is read.

#![allow(
    clippy::float_cmp,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::cast_precision_loss,
    clippy::many_single_char_names,
    reason = "numbers are compared exactly and with NaN in mind, and formulas have the letters of their definitions"
)]
#![allow(
    clippy::return_self_not_must_use,
    clippy::type_complexity,
    reason = "values and views are made to be chained, and kernels take functions"
)]

mod exchange;
pub mod formulas;
mod indexing;
mod ops;
mod overflow;
mod plan;
pub mod promote;
mod refusal;
mod row_ops;
mod scalar;
pub mod table;
mod tensor;

/// The names of all operators by function.
pub fn names() -> impl Iterator<Item = &'static str> {
    const TABLE: &str = include_str!("../functions.tsv");
    let lines = TABLE.lines().skip(1);
    lines.filter_map(|line| line.split('\t').next().filter(|name| !name.is_empty()))
}

pub use exchange::{Exchange, ExchangeKind, Side};
pub use millpond_kernels as kernels;
pub use plan::{Access, Memory, Operand, Place, Plan, Planned, Value};
pub use refusal::{Reason, Refusal};
pub use scalar::{Number, Scalar};
pub use tensor::{ActualShape, Blocks, FRACTAL_NZ, Tensor};
