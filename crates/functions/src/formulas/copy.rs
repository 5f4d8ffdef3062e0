//! Copies: conversion, joining, taking apart, and other orders of the same elements.

use millpond_kernels::{Compute, Dims, Element, broadcast_dims, compute_type, map, numbers};
use smallvec::SmallVec;

use super::{axis_of, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::check_result;
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// A value with at least one axis.
pub(crate) fn with_axis(value: &Value) -> Value {
    if value.rank() == 0 {
        value.unsqueeze(0)
    } else {
        value.clone()
    }
}

/// to = from, converted and broadcast.
pub(crate) fn copy(to: &Tensor, from: &Tensor) -> Planned {
    // PyTorch for Ascend copies one element of the shape [1] to a tensor without axes.
    let single = to.dims.is_empty() && from.count() == 1;
    require!(
        single || broadcast_dims(&from.dims, &to.dims).is_some_and(|dims| dims == to.dims),
        "'src' of shape {:?} does not broadcast to {:?}",
        from.dims,
        to.dims
    );
    let mut plan = Plan::new();
    if keeps_narrow(from.element(), to.element()) {
        plan.takes_narrow();
    }
    let x = plan.input(from);
    let z = plan.output(to);
    if single {
        let x = (0..x.rank()).fold(x, |x, _| x.squeeze(0));
        plan.copy(&x, &z);
    } else {
        plan.copy(&x, &z);
    }
    plan.done()
}

/// Whether a float of 8 bits loses nothing. What happens to numbers that it cannot hold is not documented, so none is made here.
fn keeps_narrow(from: Element, to: Element) -> bool {
    from.is_float8()
        && match to {
            Element::F32 | Element::F64 => true,
            Element::F16 | Element::BF16 => from != Element::F8E8M0,
            other => from == other,
        }
}

/// out = self in another type.
pub(crate) fn cast(x: &Tensor, dtype: i32, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    require!(
        Element::stored_from_acl(dtype) == Some(out.element()),
        "'dtype' is {dtype}, but 'out' has the type {} ({})",
        out.element().name(),
        out.element().acl()
    );
    copy(out, x)
}

/// The dimensions with one of them replaced.
pub(crate) fn replaced(dims: &[i64], axis: usize, dim: i64) -> Dims {
    let mut dims = Dims::from(dims);
    if let Some(place) = dims.get_mut(axis) {
        *place = dim;
    }
    dims
}

/// Tensors one behind the other along an axis.
pub(crate) fn cat(tensors: &[&Tensor], dim: i64, out: &Tensor) -> Planned {
    // PyTorch leaves out empty tensors with one axis, whatever the others are.
    let joined: Vec<&Tensor> = tensors
        .iter()
        .copied()
        .filter(|tensor| tensor.dims[..] != [0])
        .collect();
    let mut plan = Plan::new();
    let Some(first) = joined.first() else {
        require!(!tensors.is_empty(), "'tensors' is empty");
        expect_shape(out, &[0])?;
        return plan.done();
    };
    require!(
        first.rank() > 0,
        "tensors without dimensions cannot be concatenated"
    );
    let axis = axis_of(first, dim, "dim")?;
    let mut length = 0_i64;
    for tensor in &joined {
        require!(
            tensor.rank() == first.rank()
                && replaced(&tensor.dims, axis, 0) == replaced(&first.dims, axis, 0),
            "tensors of shapes {:?} and {:?} cannot be concatenated along dimension {axis}",
            first.dims,
            tensor.dims
        );
        length = length.saturating_add(tensor.dims[axis]);
    }
    expect_shape(out, &replaced(&first.dims, axis, length))?;
    let inputs: Vec<Value> = joined.iter().map(|tensor| plan.input(tensor)).collect();
    let z = plan.output_apart(out);
    let mut start = 0;
    for input in inputs {
        let length = input.dim(axis);
        plan.copy(&input, &z.narrow(axis, start, length));
        start += length;
    }
    plan.done()
}

/// Tensors one behind the other along a new axis.
pub(crate) fn stack(tensors: &[&Tensor], dim: i64, out: &Tensor) -> Planned {
    let Some(first) = tensors.first() else {
        return Err(Refusal::invalid("'tensors' is empty"));
    };
    let axis = axis_of(out, dim, "dim")?;
    for tensor in tensors {
        require!(
            tensor.dims == first.dims,
            "tensors of shapes {:?} and {:?} cannot be stacked",
            first.dims,
            tensor.dims
        );
    }
    let mut dims = first.dims.clone();
    require!(
        axis <= dims.len(),
        "'dim' is {dim}, but the result has {} dimensions",
        dims.len() + 1
    );
    dims.insert(axis, count_of(tensors.len()));
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let inputs: Vec<Value> = tensors.iter().map(|tensor| plan.input(tensor)).collect();
    let z = plan.output_apart(out);
    for (number, input) in inputs.iter().enumerate() {
        plan.copy(input, &z.select(axis, count_of(number)));
    }
    plan.done()
}

fn count_of(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// One tensor split into chunks for each of several, joined by chunk; what is missing is 0.
pub(crate) fn chunk_cat(tensors: &[&Tensor], dim: i64, chunks: i64, out: &Tensor) -> Planned {
    let Some(first) = tensors.first() else {
        return Err(Refusal::invalid("'tensors' is empty"));
    };
    require!(chunks > 0, "'numChunks' is {chunks}, it must be positive");
    require!(
        first.rank() > 0,
        "tensors without dimensions have no chunks"
    );
    let axis = axis_of(first, dim, "dim")?;
    let lead = &first.dims[..axis];
    let mut width = 0_i64;
    for tensor in tensors {
        require!(
            tensor.rank() > axis && tensor.dims[..axis] == *lead,
            "tensors of shapes {:?} and {:?} differ before dimension {axis}",
            first.dims,
            tensor.dims
        );
        let trail = tensor.dims[axis + 1..].iter().product::<i64>();
        let chunk = tensor.dims[axis].saturating_add(chunks - 1) / chunks;
        width = width.saturating_add(chunk.saturating_mul(trail));
    }
    let mut dims = Dims::from(lead);
    dims.extend([chunks, width]);
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let inputs: Vec<Value> = tensors.iter().map(|tensor| plan.input(tensor)).collect();
    let z = plan.output_apart(out);
    plan.fill(&z, 0.0);
    let mut start = 0;
    for input in inputs {
        let trail: i64 = input.dims()[axis + 1..].iter().product();
        let length = input.dim(axis);
        let chunk = (length + chunks - 1) / chunks;
        if chunk * trail == 0 {
            continue;
        }
        let mut part = z.narrow(axis + 1, start, chunk * trail);
        if input.rank() > axis + 1 {
            part = part.split(axis + 1, trail);
        }
        // What is behind a position of the chunk gets the axes that the tensor has there.
        for place in axis + 2..input.rank() {
            part = part.split(place, input.dims()[place..].iter().product());
        }
        start += chunk * trail;
        let whole = length / chunk;
        let full = input.narrow(axis, 0, whole * chunk).split(axis, chunk);
        plan.copy(&full, &part.narrow(axis, 0, whole));
        let rest = length - whole * chunk;
        if rest > 0 {
            let last = input.narrow(axis, whole * chunk, rest);
            plan.copy(&last, &part.select(axis, whole).narrow(axis, 0, rest));
        }
    }
    plan.done()
}

/// The axes in another order.
pub(crate) fn permute(x: &Tensor, dims: &[i64], out: &Tensor) -> Planned {
    let order: Option<SmallVec<[usize; 6]>> = dims.iter().map(|dim| x.axis(*dim)).collect();
    let order = order
        .filter(|order| order.len() == x.rank() && (0..x.rank()).all(|axis| order.contains(&axis)));
    let Some(order) = order else {
        return Err(Refusal::invalid(format!(
            "'dims' is {dims:?}, which is not a permutation of {} dimensions",
            x.rank()
        )));
    };
    let mut plan = Plan::new();
    let value = plan.input(x).permute(&order);
    expect_shape(out, value.dims())?;
    let z = plan.output_apart(out);
    plan.copy(&value, &z);
    plan.done()
}

/// Repeated along axes of one element.
pub(crate) fn expand(x: &Tensor, size: &[i64], out: &Tensor) -> Planned {
    let missing = size.len().checked_sub(x.rank());
    let Some(missing) = missing else {
        return Err(Refusal::invalid(format!(
            "'size' {size:?} has fewer dimensions than {:?}",
            x.dims
        )));
    };
    let mut dims = Dims::from(size);
    for axis in missing..size.len() {
        if dims[axis] == -1 {
            dims[axis] = x.dims[axis - missing];
        }
    }
    require!(
        broadcast_dims(&x.dims, &dims).is_some_and(|wide| wide == dims),
        "{:?} does not expand to {size:?}",
        x.dims
    );
    expect_shape(out, &dims)?;
    copy(out, x)
}

/// The whole tensor again and again along each axis.
pub(crate) fn repeat(x: &Tensor, repeats: &[i64], out: &Tensor) -> Planned {
    require!(
        repeats.len() >= x.rank() && repeats.iter().all(|repeat| *repeat >= 0),
        "'repeats' is {repeats:?}; a tensor of shape {:?} needs at least {} numbers, none negative",
        x.dims,
        x.rank()
    );
    let missing = repeats.len() - x.rank();
    let own = |axis: usize| axis.checked_sub(missing).map_or(1, |axis| x.dims[axis]);
    let dims: Dims = repeats
        .iter()
        .enumerate()
        .map(|(axis, repeat)| own(axis).saturating_mul(*repeat))
        .collect();
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let mut value = plan.input(x);
    let mut z = plan.output_apart(out);
    if out.is_empty() {
        return plan.done();
    }
    for axis in (0..repeats.len()).rev() {
        z = z.split(axis, own(axis));
        value = match axis.checked_sub(missing) {
            Some(axis) => value.unsqueeze(axis),
            None => value.unsqueeze(0).unsqueeze(0),
        };
    }
    plan.copy(&value, &z);
    plan.done()
}

/// Where a slice begins and how many elements it has.
pub(crate) fn clamp_slice(size: i64, start: i64, end: i64, step: i64) -> (i64, i64) {
    let place = |position: i64| {
        let position = if position < 0 {
            position.saturating_add(size)
        } else {
            position
        };
        position.clamp(0, size)
    };
    let (start, end) = (place(start), place(end));
    let length = (end - start).max(0);
    (start, length / step + i64::from(length % step != 0))
}

/// Parts of axes: start, end, axis, step for each.
pub(crate) fn slice(x: &Tensor, parts: &[(i64, i64, i64, i64)], out: &Tensor) -> Planned {
    let mut plan = Plan::new();
    let mut value = plan.input(x);
    for (start, end, axis, step) in parts {
        require!(*step > 0, "'step' is {step}, it must be positive");
        require!(x.rank() > 0, "a tensor without dimensions cannot be sliced");
        let axis = axis_of(x, *axis, "dim")?;
        let (start, count) = clamp_slice(value.dim(axis), *start, *end, *step);
        // From the first to the last one that is taken, then every so many of them.
        let span = if count > 0 { (count - 1) * step + 1 } else { 0 };
        value = value.narrow(axis, start, span);
        if count > 1 {
            value = value.every(axis, *step);
        }
    }
    expect_shape(out, value.dims())?;
    let z = plan.output_apart(out);
    plan.copy(&value, &z);
    plan.done()
}

/// The same with the four numbers in lists; axes and steps may be left out.
pub(crate) fn slices(
    x: &Tensor,
    starts: &[i64],
    ends: &[i64],
    axes: &[i64],
    steps: &[i64],
    out: &Tensor,
) -> Planned {
    let count = starts.len();
    require!(
        ends.len() == count && axes.len() == count && steps.len() == count,
        "'starts', 'ends', 'axes' and 'steps' have {count}, {}, {} and {} numbers, but must have the same length",
        ends.len(),
        axes.len(),
        steps.len()
    );
    let parts: Vec<_> = (0..count)
        .map(|number| (starts[number], ends[number], axes[number], steps[number]))
        .collect();
    slice(x, &parts, out)
}

/// Pieces of the given lengths along an axis.
pub(crate) fn split(x: &Tensor, lengths: &[i64], dim: i64, out: &[&Tensor]) -> Planned {
    require!(x.rank() > 0, "a tensor without dimensions cannot be split");
    let axis = axis_of(x, dim, "dim")?;
    let total = lengths
        .iter()
        .try_fold(0_i64, |sum, length| sum.checked_add(*length));
    require!(
        total == Some(x.dims[axis]) && lengths.iter().all(|length| *length >= 0),
        "pieces of {lengths:?} do not add up to dimension {axis} of {:?}",
        x.dims
    );
    require!(
        out.len() == lengths.len(),
        "'out' has {} tensors, but there are {} pieces",
        out.len(),
        lengths.len()
    );
    let mut plan = Plan::new();
    let value = plan.input(x);
    let mut targets = Vec::new();
    for (tensor, length) in out.iter().zip(lengths) {
        expect_shape(tensor, &replaced(&x.dims, axis, *length))?;
        targets.push(plan.output_apart(tensor));
    }
    let mut start = 0;
    for (target, length) in targets.iter().zip(lengths) {
        plan.copy(&value.narrow(axis, start, *length), target);
        start += length;
    }
    plan.done()
}

/// Pieces of one length along an axis; the last one may be shorter.
pub(crate) fn split_evenly(x: &Tensor, length: u64, dim: i64, out: &[&Tensor]) -> Planned {
    require!(x.rank() > 0, "a tensor without dimensions cannot be split");
    let size = x.dims[axis_of(x, dim, "dim")?];
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    require!(
        length > 0 || size == 0,
        "'splitSections' is 0, but the dimension has {size} elements"
    );
    // An empty dimension is one piece.
    let pieces = if size == 0 {
        1
    } else {
        (size - 1) / length + 1
    };
    require!(
        usize::try_from(pieces) == Ok(out.len()),
        "'out' has {} tensors, but there are {pieces} pieces",
        out.len()
    );
    let lengths: Vec<i64> = (0..pieces)
        .map(|piece| length.min(size - piece.saturating_mul(length)))
        .collect();
    split(x, &lengths, dim, out)
}

/// Each element several times along an axis.
pub(crate) fn repeat_each(
    x: &Tensor,
    repeats: i64,
    dim: i64,
    output_size: i64,
    out: &Tensor,
) -> Planned {
    require!(
        repeats >= 0,
        "'repeats' is {repeats}, it cannot be negative"
    );
    let axis = axis_of(x, dim, "dim")?;
    let length = x
        .dims
        .get(axis)
        .copied()
        .unwrap_or(1)
        .saturating_mul(repeats);
    require!(
        output_size == length,
        "'outputSize' is {output_size}, but dimension {axis} becomes {length}"
    );
    let dims = if x.rank() == 0 {
        Dims::from_slice(&[length])
    } else {
        replaced(&x.dims, axis, length)
    };
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let value = with_axis(&plan.input(x)).unsqueeze(axis + 1);
    let z = plan.output_apart(out);
    if !out.is_empty() {
        plan.copy(&value, &z.split(axis, repeats));
    }
    plan.done()
}

/// Each element of the flattened tensor several times.
pub(crate) fn repeat_each_flat(
    x: &Tensor,
    repeats: i64,
    output_size: i64,
    out: &Tensor,
) -> Planned {
    require!(
        repeats >= 0,
        "'repeats' is {repeats}, it cannot be negative"
    );
    let count = i64::try_from(x.count()).unwrap_or(i64::MAX);
    let length = count.saturating_mul(repeats);
    require!(
        output_size == length,
        "'outputSize' is {output_size}, but the result has {length} elements"
    );
    expect_shape(out, &[length])?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output_apart(out);
    if length > 0 {
        let flat = plan.reshape(&value, &[count]);
        plan.copy(&flat.unsqueeze(1), &z.split(0, repeats));
    }
    plan.done()
}

/// The gradient of windows along an axis: every element gets the sum of the places that it was copied to.
pub(crate) fn unfold_backward(
    gradient: &Tensor,
    sizes: &[i64],
    (dim, size, step): (i64, i64, i64),
    out: &Tensor,
) -> Planned {
    expect_shape(out, sizes)?;
    require!(
        size >= 0 && step > 0,
        "'size' is {size} and 'step' {step}: they must not be negative, and 'step' not 0"
    );
    let axis = axis_of(out, dim, "dim")?;
    let length = out.dims.get(axis).copied().unwrap_or(1);
    require!(
        size <= length,
        "'size' is {size}, but the axis has {length} elements"
    );
    let windows = (length - size) / step + 1;
    // A tensor without axes has one window, of its element.
    let mut dims = replaced(&out.dims, axis, windows);
    dims.push(size);
    let fits = if out.rank() == 0 {
        gradient.dims[..] == [size]
    } else {
        gradient.dims == dims
    };
    require!(
        fits,
        "'gradOut' has the shape {:?}, but the windows have {dims:?}",
        gradient.dims
    );
    check_result(gradient.element(), out)?;
    let element = compute_type(out.element());
    let mut plan = Plan::new();
    let g = plan.input(gradient);
    let y = plan.output_apart(out);
    let sums = plan.room(&y, element);
    plan.fill(&sums, 0.0);
    if !out.is_empty() {
        let whole = with_axis(&sums);
        for place in 0..size {
            let part = g.select(g.rank() - 1, place);
            let part = with_axis(&part);
            let target = whole
                .narrow(axis, place, (windows - 1) * step + 1)
                .every(axis, step);
            plan.step(move |m| {
                let (part, target) = (m.view(&part), m.view(&target));
                numbers!(element, C => map::map2::<C, C, C>(&target, &part, &target, Compute::add));
            });
        }
    }
    plan.deliver(&sums, &y);
    plan.done()
}
