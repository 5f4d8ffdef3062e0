//! Elements repeated as often as a tensor says.

use millpond_kernels::index::Put;
use millpond_kernels::{Dims, Element};

use super::copy::{replaced, with_axis};
use super::index::PLAIN;
use super::{axis_of, expect_shape};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::require;
use crate::tensor::Tensor;

/// Which element each place of the result comes from: number `i` as often as `repeats[i]`. A single number is for all of `length`.
fn sources(plan: &mut Plan, repeats: &Value, length: i64, total: i64) -> Value {
    let repeats = plan.contiguous(repeats, Element::I64);
    let sources = plan.temp(Element::I64, &[total]);
    let out = sources.clone();
    plan.try_step(move |m| {
        let (repeats, out) = (m.view(&repeats), m.view(&out));
        let (Some(repeats), Some(out)) = (repeats.slice::<i64>(), out.slice_mut::<i64>()) else {
            return Err("scratch memory is not contiguous".to_owned());
        };
        let mut places = out.iter_mut();
        let mut sum = 0_i64;
        for number in 0..length {
            let at = if repeats.len() == 1 {
                0
            } else {
                usize::try_from(number).unwrap_or(0)
            };
            let times = repeats[at];
            if times < 0 {
                return Err(format!(
                    "repeats[{at}] is {times}, but must not be negative"
                ));
            }
            sum = sum.saturating_add(times);
            if sum > total {
                break;
            }
            for _ in 0..times {
                if let Some(place) = places.next() {
                    *place = number;
                }
            }
        }
        if sum == total {
            return Ok(());
        }
        Err(format!(
            "'repeats' adds up to {sum}{}, but the result has room for {total}",
            if sum > total { " or more" } else { "" }
        ))
    });
    sources
}

fn check_repeats(repeats: &Tensor, length: i64) -> Result<(), crate::Refusal> {
    expect_integers(repeats, "repeats")?;
    require!(
        repeats.rank() <= 1
            && (repeats.count() == 1 || i64::try_from(repeats.count()) == Ok(length)),
        "'repeats' has the shape {:?}; it must have one element, or one for each of {length}",
        repeats.dims
    );
    Ok(())
}

/// Along an axis.
pub(crate) fn along(
    x: &Tensor,
    repeats: &Tensor,
    dim: i64,
    output_size: i64,
    out: &Tensor,
) -> Planned {
    let axis = axis_of(x, dim, "dim")?;
    let length = x.dims.get(axis).copied().unwrap_or(1);
    check_repeats(repeats, length)?;
    let dims = if x.rank() == 0 {
        Dims::from_slice(&[output_size])
    } else {
        replaced(&x.dims, axis, output_size)
    };
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let (value, repeats) = (with_axis(&plan.input(x)), plan.input(repeats));
    let z = plan.output_apart(out);
    let index = sources(&mut plan, &repeats, length, output_size);
    let offsets = plan.axis_offsets(&value, axis, &index, PLAIN);
    plan.gather_as(&value, axis, value.rank() - axis - 1, &offsets, &z);
    plan.done()
}

/// The flattened tensor.
pub(crate) fn flat(x: &Tensor, repeats: &Tensor, output_size: i64, out: &Tensor) -> Planned {
    let length = i64::try_from(x.count()).unwrap_or(i64::MAX);
    check_repeats(repeats, length)?;
    expect_shape(out, &[output_size])?;
    let mut plan = Plan::new();
    let (value, repeats) = (plan.input(x), plan.input(repeats));
    let z = plan.output_apart(out);
    let value = plan.reshape(&value, &[length]);
    let index = sources(&mut plan, &repeats, length, output_size);
    let offsets = plan.axis_offsets(&value, 0, &index, PLAIN);
    plan.gather_as(&value, 0, 0, &offsets, &z);
    plan.done()
}

/// The numbers of the elements themselves.
pub(crate) fn numbers(repeats: &Tensor, total: i64, out: &Tensor) -> Planned {
    expect_integers(repeats, "repeats")?;
    require!(
        repeats.rank() == 1,
        "'repeats' has the shape {:?}, it must have one dimension",
        repeats.dims
    );
    expect_shape(out, &[total])?;
    let mut plan = Plan::new();
    let value = plan.input(repeats);
    let z = plan.output_apart(out);
    let index = sources(&mut plan, &value, value.dim(0), total);
    plan.copy(&index, &z);
    plan.done()
}

/// The gradient: the sum over the places that came from one element.
pub(crate) fn grad(grad: &Tensor, repeats: &Tensor, dim: i64, out: &Tensor) -> Planned {
    let axis = axis_of(grad, dim, "dim")?;
    require!(
        grad.rank() > 0 && out.rank() == grad.rank(),
        "'grad' has the shape {:?} and 'out' {:?}, but they must have the same number of dimensions",
        grad.dims,
        out.dims
    );
    let (length, total) = (out.dims[axis], grad.dims[axis]);
    check_repeats(repeats, length)?;
    expect_shape(out, &replaced(&grad.dims, axis, length))?;
    let mut plan = Plan::new();
    let (value, repeats) = (plan.input(grad), plan.input(repeats));
    let z = plan.output_apart(out);
    let index = sources(&mut plan, &repeats, length, total);
    // 16-bit floats are added up in 32 bits.
    let element = millpond_kernels::compute_type(out.element());
    let sums = if element == z.element() {
        z.clone()
    } else {
        plan.temp(element, z.dims())
    };
    plan.fill(&sums, 0.0);
    let offsets = plan.axis_offsets(&sums, axis, &index, PLAIN);
    plan.scatter(
        &value,
        axis,
        value.rank() - axis - 1,
        &offsets,
        &sums,
        Put::Add,
    );
    if element != z.element() {
        plan.copy(&sums, &z);
    }
    plan.done()
}
