//! Computing on strided tensors in memory.
//!
//! A kernel takes [`View`]s: an address, an element type, dimensions and strides. It reads and writes the elements of views of any
//! layout and allocates nothing; what it needs beyond its operands the caller passes as further views.
//!
//! ```text
//!   View ──▶ block.rs: 512 elements at a time, converted to the type that is computed in
//!        ──▶ map.rs, reduce.rs, …: loops over blocks, shared out among threads by parallel.rs
//! ```
//!
//! What must always hold:
//! - Only `view.rs`, `block.rs`, `copy.rs`, `matmul.rs` and `gemm.rs` touch memory. Creating a view is the unsafe act; all kernels are safe functions.
//! - A kernel may be given the same memory as input and output if both views have the same layout, and if it works element by
//!   element. Every other kernel says in its comment what may overlap.
//! - Floats of 16 and 8 bits are computed in `f32`. Those of 8 bits saturate. Integers wrap. Sums are accumulated in `f64` or `i64`.
//! - Results do not depend on how many threads work.

#![allow(
    clippy::float_cmp,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::cast_precision_loss,
    clippy::many_single_char_names,
    reason = "numbers are compared exactly and with NaN in mind, and formulas have the letters of their definitions"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "who makes a view vouches for the alignment of its elements"
)]
#![allow(
    clippy::return_self_not_must_use,
    clippy::type_complexity,
    reason = "values and views are made to be chained, and kernels take functions"
)]

pub mod activation;
pub mod attention;
mod block;
mod copy;
pub mod ctc;
mod dims;
pub mod dropout;
mod element;
mod gemm;
pub mod index;
pub mod linalg;
pub mod loss;
pub mod map;
pub mod math;
pub mod matmul;
pub mod norm;
pub mod order;
pub mod parallel;
pub mod pool;
pub mod quantise;
pub mod random;
pub mod reduce;
pub mod resample;
pub mod rows;
pub mod sample;
pub mod scan;
pub mod select;
pub mod special;
mod view;
pub mod windows;

pub use block::{BLOCK, read_block, write_block};
pub use dims::Dims;
pub use element::{Bool8, Compute, F8E4M3, F8E5M2, F8E8M0, Float, Stored, compute_type};
pub use half::{bf16, f16};
pub use math::Real;
pub use millpond_model::Element;
pub use num_complex::{Complex32, Complex64};
pub use view::{View, broadcast_dims, contiguous_strides, count};
