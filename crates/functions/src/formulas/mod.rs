//! What each function computes, by family.

pub mod activation;
pub mod amp;
pub mod arithmetic;
pub mod attention;
pub mod bags;
pub mod batch_norm;
pub mod between_ranks;
pub mod bitwise;
pub mod bounds;
pub mod cache;
pub mod class_loss;
pub mod compare;
pub mod convolution;
pub mod copy;
pub mod ctc;
pub mod cumulative;
pub mod decode;
pub mod delta;
pub mod divide;
pub mod dropout;
pub mod dynamic_quant;
mod elementwise;
pub mod experts;
pub mod ffn;
pub mod fill;
pub mod flash;
pub mod foreach;
pub mod fourier;
pub mod fractal;
pub mod gated;
pub mod grid_sample;
pub mod grouped;
pub mod grouped_quant;
pub mod histogram;
pub mod index;
pub mod inference;
pub mod linalg;
pub mod logic;
pub mod loss;
pub mod mask;
pub mod masked_softmax;
pub mod matmul;
pub mod merge;
pub mod mla;
pub mod moe;
pub mod mx;
pub mod norm_quant;
pub mod normalisation;
pub mod optimiser;
pub mod pad;
pub mod pooling;
pub mod power;
pub mod quant_product;
pub mod quantise;
pub mod random;
pub mod recurrent;
pub mod reduce;
pub mod refused;
pub mod repeat;
pub mod resize;
pub mod rotary;
pub mod round;
pub mod routing;
pub mod sampling;
pub mod scatter;
pub mod scatter_reduce;
pub mod softmax;
pub mod sort;
pub mod sparse;
pub mod statistics;
pub mod swiglu_quant;
pub mod unary;
pub mod unique;

use millpond_kernels::{Dims, broadcast_dims};

use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// Refuses an output that does not have the shape of the result.
pub(crate) fn expect_shape(out: &Tensor, dims: &[i64]) -> Result<(), Refusal> {
    require!(
        out.dims.iter().eq(dims),
        "the result has the shape {dims:?}, but 'out' has {:?}",
        out.dims
    );
    Ok(())
}

/// The shape that tensors broadcast to.
pub(crate) fn broadcast(tensors: &[&Tensor]) -> Result<Dims, Refusal> {
    let Some((first, rest)) = tensors.split_first() else {
        return Ok(Dims::new());
    };
    let mut dims = first.dims.clone();
    for tensor in rest.iter().filter(|tensor| tensor.dims != first.dims) {
        let Some(wider) = broadcast_dims(&dims, &tensor.dims) else {
            let shapes: Vec<_> = tensors
                .iter()
                .map(|tensor| format!("{:?}", tensor.dims))
                .collect();
            return Err(Refusal::invalid(format!(
                "the shapes {} do not broadcast",
                shapes.join(" and ")
            )));
        };
        dims = wider;
    }
    Ok(dims)
}

/// An axis of a tensor, counted from the front.
pub(crate) fn axis_of(tensor: &Tensor, axis: i64, argument: &str) -> Result<usize, Refusal> {
    tensor.axis(axis).ok_or_else(|| {
        Refusal::invalid(format!(
            "'{argument}' is {axis}, but the tensor has {} dimensions",
            tensor.rank()
        ))
    })
}

/// The axes that dimensions name, from the front; all of them if none are named. A tensor without axes has none.
pub(crate) fn axes_of(
    tensor: &Tensor,
    dims: &[i64],
    argument: &str,
) -> Result<Vec<usize>, Refusal> {
    if dims.is_empty() {
        return Ok((0..tensor.rank()).collect());
    }
    let mut axes = Vec::with_capacity(dims.len());
    for dim in dims {
        let axis = axis_of(tensor, *dim, argument)?;
        require!(
            !axes.contains(&axis),
            "dimension {dim} appears twice in '{argument}'"
        );
        axes.push(axis);
    }
    if tensor.rank() == 0 {
        axes.clear();
    }
    axes.sort_unstable();
    Ok(axes)
}
