//! Elements that a mask selects.

use millpond_kernels::{Dims, Element, broadcast_dims, map, numbers, select};

use super::broadcast;
use crate::plan::{Plan, Planned};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

fn expect_mask(x: &Tensor, mask: &Tensor) -> Result<(), Refusal> {
    require!(
        matches!(mask.element(), Element::Bool | Element::U8 | Element::I8),
        "'mask' has the type {}, it must be BOOL",
        mask.element().name()
    );
    require!(
        broadcast_dims(&mask.dims, &x.dims).is_some_and(|dims| dims == x.dims),
        "'mask' of shape {:?} does not broadcast to {:?}",
        mask.dims,
        x.dims
    );
    Ok(())
}

/// self = number where the mask is true.
pub(crate) fn fill(x: &Tensor, mask: &Tensor, number: &Scalar) -> Planned {
    expect_mask(x, mask)?;
    let element = x.element();
    let mut plan = Plan::new();
    let flags = plan.input(mask);
    let value = plan.input(x);
    let z = plan.output(x);
    let number = if element == Element::Bool {
        Scalar::int(i64::from(number.is_true()))
    } else {
        *number
    };
    plan.step(move |m| {
        numbers!(element, C => {
            let number: C = number.compute();
            map::map2::<C, u8, C>(&m.view(&value), &m.view(&flags), &m.view(&z), |x, flag| if flag == 0 { x } else { number });
        });
    });
    plan.done()
}

/// The same with the element of a tensor.
pub(crate) fn fill_tensor(x: &Tensor, mask: &Tensor, number: &Tensor) -> Planned {
    expect_mask(x, mask)?;
    require!(
        number.count() == 1,
        "'value' has the shape {:?}, it must have one element",
        number.dims
    );
    let element = x.element();
    let mut plan = Plan::new();
    let (flags, number) = (plan.input(mask), plan.input(number));
    let value = plan.input(x);
    // The number may be one of the elements that change.
    let number = plan.reshape(&number, &[]);
    let kept = plan.temp(element, &[]);
    plan.copy(&number, &kept);
    let z = plan.output(x);
    plan.step(move |m| {
        numbers!(element, C => {
            map::map3::<C, u8, C, C>(&m.view(&value), &m.view(&flags), &m.view(&kept), &m.view(&z), |x, flag, number| {
                if flag == 0 { x } else { number }
            });
        });
    });
    plan.done()
}

/// The elements of `source`, one after the other, where the mask is true.
pub(crate) fn scatter(x: &Tensor, mask: &Tensor, source: &Tensor) -> Planned {
    expect_mask(x, mask)?;
    let mut plan = Plan::new();
    let (flags, source) = (plan.input(mask), plan.input(source));
    let z = plan.changed(x, x);
    let given = source.count();
    let source = plan.cast(&source, x.element());
    let flags = plan.contiguous(&flags.expand(&x.dims), Element::Bool);
    plan.try_step(move |m| {
        let flags = m.view(&flags);
        let wanted = select::count_true(&flags);
        if wanted > given {
            return Err(format!(
                "the mask selects {wanted} elements, but 'source' has {given}"
            ));
        }
        if wanted > 0 {
            select::unpack(&m.view(&source), &flags, &m.view(&z));
        }
        Ok(())
    });
    plan.done()
}

/// The elements where the mask is true, in a row.
pub(crate) fn select(x: &Tensor, mask: &Tensor, out: &Tensor) -> Planned {
    require!(
        matches!(mask.element(), Element::Bool | Element::U8),
        "'mask' has the type {}, it must be BOOL",
        mask.element().name()
    );
    require!(
        out.rank() == 1 && out.element() == x.element(),
        "'out' has the shape {:?} and the type {}; it must have one dimension and the type of 'self', {}",
        out.dims,
        out.element().name(),
        x.element().name()
    );
    let dims = broadcast(&[x, mask])?;
    let mut plan = Plan::new();
    let (value, flags) = (plan.input(x).expand(&dims), plan.input(mask));
    let z = plan.output_apart(out);
    let flags = plan.contiguous(&flags.expand(&dims), Element::Bool);
    let (room, actual) = (out.count(), out.actual());
    plan.try_step(move |m| {
        let flags = m.view(&flags);
        let found = select::count_true(&flags);
        if found > room {
            return Err(format!(
                "the mask selects {found} elements, but 'out' has room for {room}"
            ));
        }
        select::pack(&m.view(&value), &flags, &m.view(&z));
        *actual.lock() = Some(Dims::from_slice(&[i64::try_from(found).unwrap_or(0)]));
        Ok(())
    });
    plan.done()
}

/// Where elements are not 0: a row for each, or with `transposed` a column.
pub(crate) fn nonzero(x: &Tensor, transposed: bool, out: &Tensor) -> Planned {
    let rank = i64::try_from(x.rank()).unwrap_or(0);
    let (axis, room) = if transposed { (0, 1) } else { (1, 0) };
    require!(
        out.rank() == 2 && out.dims[axis] == rank && out.element() == Element::I64,
        "'out' has the shape {:?} and the type {}; it must have two dimensions, of which dimension {axis} has {rank} elements, and the type INT64",
        out.dims,
        out.element().name()
    );
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output_apart(out);
    let flags = plan.contiguous(&value, Element::Bool);
    let (room, actual) = (out.dims[room], out.actual());
    plan.try_step(move |m| {
        let (flags, z) = (m.view(&flags), m.view(&z));
        let found = i64::try_from(select::count_true(&flags)).unwrap_or(i64::MAX);
        if found > room {
            return Err(format!(
                "{found} elements are not 0, but 'out' has room for {room}"
            ));
        }
        let mut dims = Dims::from_slice(&[found, rank]);
        let places = if !transposed {
            z.narrow(0, 0, found)
        } else if z.is_contiguous() {
            // Packed: the result is as wide as there are elements.
            let flat = z.reshape(&[room * rank]).narrow(0, 0, found * rank);
            flat.reshape(&[rank, found]).transpose(0, 1)
        } else {
            z.narrow(1, 0, found).transpose(0, 1)
        };
        if transposed {
            dims.swap(0, 1);
        }
        select::nonzero(&flags, &places);
        *actual.lock() = Some(dims);
        Ok(())
    });
    plan.done()
}
