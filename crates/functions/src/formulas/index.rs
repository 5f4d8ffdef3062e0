//! Reading by index.

use millpond_kernels::index::{self, Axes, Put, Rules};
use millpond_kernels::{Dims, Element, broadcast_dims, select};
use smallvec::SmallVec;

use super::copy::{replaced, with_axis};
use super::{axis_of, broadcast, expect_shape};
use crate::indexing::{Lookup, expect_integers};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// −1 is the last position.
pub(crate) const WRAPPING: Rules = Rules {
    negative: true,
    skip: None,
    lenient: false,
};

/// Positions from 0 on.
pub(crate) const PLAIN: Rules = Rules {
    negative: false,
    skip: None,
    lenient: false,
};

/// Positions along an axis: the result has the axes of the indices there.
pub(crate) fn take(x: &Tensor, dim: i64, index: &Tensor, rules: Rules, out: &Tensor) -> Planned {
    expect_integers(index, "index")?;
    require!(
        x.rank() > 0,
        "a tensor without dimensions has no axis to index"
    );
    let axis = axis_of(x, dim, "dim")?;
    let dims: Dims = x.dims[..axis]
        .iter()
        .chain(&index.dims)
        .chain(&x.dims[axis + 1..])
        .copied()
        .collect();
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let (value, index) = (plan.input(x), plan.input(index));
    let z = plan.output_apart(out);
    let offsets = plan.axis_offsets(&value, axis, &index, rules);
    plan.gather_as(&value, axis, x.rank() - axis - 1, &offsets, &z);
    plan.done()
}

/// The same with a list of indices: the axis keeps its place, and a tensor without axes has one.
pub(crate) fn index_select(x: &Tensor, dim: i64, index: &Tensor, out: &Tensor) -> Planned {
    expect_integers(index, "index")?;
    require!(
        index.rank() <= 1,
        "'index' has the shape {:?}, it must have one dimension at most",
        index.dims
    );
    let axis = axis_of(x, dim, "dim")?;
    let count = i64::try_from(index.count()).unwrap_or(i64::MAX);
    if x.rank() == 0 {
        require!(
            count == 1 && out.count() == 1,
            "a tensor without dimensions has one element, but {count} are selected"
        );
    } else {
        expect_shape(out, &replaced(&x.dims, axis, count))?;
    }
    let mut plan = Plan::new();
    let (value, index) = (with_axis(&plan.input(x)), with_axis(&plan.input(index)));
    let z = with_axis(&plan.output_apart(out));
    let offsets = plan.axis_offsets(&value, axis, &index, PLAIN);
    plan.gather_as(&value, axis, value.rank() - axis - 1, &offsets, &z);
    plan.done()
}

/// Rows of a table.
pub(crate) fn embedding(weight: &Tensor, indices: &Tensor, out: &Tensor) -> Planned {
    require!(
        weight.rank() >= 1,
        "'weight' has the shape {:?}, it must have rows",
        weight.dims
    );
    take(weight, 0, indices, PLAIN, out)
}

/// What each position of an index tensor stands for along one axis of a tensor of the same rank.
pub(crate) fn element_offsets(plan: &mut Plan, data: &Value, axis: usize, index: &Value) -> Value {
    let own = replaced(data.strides(), axis, 0);
    let lookups = vec![Lookup::new(data, axis, index)];
    plan.offsets(index.dims(), &own, lookups, PLAIN)
}

/// `out[i][j] = self[index[i][j]][j]`, for dimension 0.
pub(crate) fn gather(x: &Tensor, dim: i64, index: &Tensor, out: &Tensor) -> Planned {
    expect_integers(index, "index")?;
    expect_shape(out, &index.dims)?;
    let axis = axis_of(x, dim, "dim")?;
    let mut plan = Plan::new();
    let (value, index) = (with_axis(&plan.input(x)), with_axis(&plan.input(index)));
    let z = with_axis(&plan.output_apart(out));
    if out.is_empty() {
        return plan.done();
    }
    fits_inside(&index, &value, Some(axis), "'index'", "'self'")?;
    let offsets = element_offsets(&mut plan, &value, axis, &index);
    plan.gather_as(&value, 0, 0, &offsets, &z);
    plan.done()
}

/// Refuses a value that is longer than another along an axis other than `except`.
pub(crate) fn fits_inside(
    inner: &Value,
    outer: &Value,
    except: Option<usize>,
    inner_name: &str,
    outer_name: &str,
) -> Result<(), Refusal> {
    let fits = inner.rank() == outer.rank()
        && (0..inner.rank()).all(|axis| Some(axis) == except || inner.dim(axis) <= outer.dim(axis));
    require!(
        fits,
        "{inner_name} of shape {:?} does not fit inside {outer_name} of shape {:?}",
        inner.dims(),
        outer.dims()
    );
    Ok(())
}

/// Elements by their number in row-major order.
pub(crate) fn take_flat(x: &Tensor, index: &Tensor, out: &Tensor) -> Planned {
    expect_integers(index, "index")?;
    expect_shape(out, &index.dims)?;
    let count = i64::try_from(x.count()).unwrap_or(i64::MAX);
    let mut plan = Plan::new();
    let (value, index) = (plan.input(x), plan.input(index));
    let z = plan.output_apart(out);
    let flat = plan.reshape(&value, &[count]);
    let offsets = plan.axis_offsets(&flat, 0, &index, WRAPPING);
    plan.gather_as(&flat, 0, 0, &offsets, &z);
    plan.done()
}

/// Offsets of tuples of indices, which the last axis of `indices` holds, into the leading axes of `data`; and how many axes they index.
pub(crate) fn tuple_offsets(
    plan: &mut Plan,
    data: &Value,
    indices: &Tensor,
    rules: Rules,
) -> Result<(Value, usize), Refusal> {
    expect_integers(indices, "indices")?;
    let depth = indices.dims.last().copied().unwrap_or(-1);
    let Some(depth) = usize::try_from(depth)
        .ok()
        .filter(|depth| *depth <= data.rank())
    else {
        return Err(Refusal::invalid(format!(
            "'indices' has the shape {:?}: its last dimension must be at most {}, as many as the tensor has",
            indices.dims,
            data.rank()
        )));
    };
    let index = plan.input(indices);
    let last = index.rank() - 1;
    let dims = &index.dims()[..last];
    let lookups = (0..depth)
        .map(|axis| {
            let column = index.select(last, i64::try_from(axis).unwrap_or(0));
            Lookup::new(data, axis, &column)
        })
        .collect();
    let own = Dims::from_elem(0, last);
    Ok((plan.offsets(dims, &own, lookups, rules), depth))
}

/// Parts of a tensor by tuples of indices.
pub(crate) fn gather_nd(x: &Tensor, indices: &Tensor, negative: bool, out: &Tensor) -> Planned {
    let mut plan = Plan::new();
    let value = plan.input(x);
    let rules = if negative { WRAPPING } else { PLAIN };
    let (offsets, depth) = tuple_offsets(&mut plan, &value, indices, rules)?;
    let dims: Dims = offsets
        .dims()
        .iter()
        .chain(&x.dims[depth..])
        .copied()
        .collect();
    expect_shape(out, &dims)?;
    let z = plan.output_apart(out);
    plan.gather_as(&value, 0, x.rank() - depth, &offsets, &z);
    plan.done()
}

/// Indices of one call of advanced indexing, in the order of the axes.
#[derive(Debug)]
enum Indices<'a> {
    /// Positions along axes.
    Positions(Vec<(usize, &'a Tensor)>),
    /// Where a mask is true, which begins at an axis.
    Mask(usize, &'a Tensor),
}

/// Whether a list member stands for a whole axis. An empty tensor of the indexed tensor's type does; it may also be an empty list of
/// positions, and then only the other members and the result can tell.
fn is_absent(x: &Tensor, index: &Tensor, ambiguous: bool) -> bool {
    let positions = matches!(index.element(), Element::I32 | Element::I64);
    index.element.is_none()
        || index.count() == 0
            && (!positions && !is_mask(index, x) || index.element() == x.element() && ambiguous)
}

fn is_mask(index: &Tensor, x: &Tensor) -> bool {
    matches!(index.element(), Element::Bool | Element::U8)
        // An empty tensor of the indexed tensor's type is not a mask, but absent.
        && !(index.dims[..] == [0] && index.element() == x.element())
}

impl<'a> Indices<'a> {
    fn of(x: &Tensor, indices: &[&'a Tensor], ambiguous: bool) -> Result<Self, Refusal> {
        let mut positions = Vec::new();
        let mut mask = None;
        let mut axis = 0;
        for index in indices {
            if is_absent(x, index, ambiguous) {
                axis += 1;
            } else if is_mask(index, x) {
                if mask.is_some() || !positions.is_empty() {
                    return Err(Refusal::unsupported(
                        "Millpond does not combine a mask with other indices: turn it into positions with aclnnNonzero",
                    ));
                }
                mask = Some((axis, *index));
                axis += index.rank();
            } else {
                expect_integers(index, "indices")?;
                if mask.is_some() {
                    return Err(Refusal::unsupported(
                        "Millpond does not combine a mask with other indices: turn it into positions with aclnnNonzero",
                    ));
                }
                positions.push((axis, *index));
                axis += 1;
            }
        }
        require!(
            axis <= x.rank(),
            "'indices' are for {axis} dimensions, but the tensor has the shape {:?}",
            x.dims
        );
        match mask {
            Some((axis, mask)) => {
                require!(
                    x.dims[axis..][..mask.rank()] == mask.dims[..],
                    "a mask of shape {:?} does not fit dimension {axis} of {:?}",
                    mask.dims,
                    x.dims
                );
                Ok(Self::Mask(axis, mask))
            }
            None => Ok(Self::Positions(positions)),
        }
    }
}

/// What positions select: the shape that the index tensors broadcast to, and the axes of the tensor in the order in which they are used.
struct Selection {
    dims: Dims,
    /// Indexed axes are contiguous, so their result is in their place; otherwise it comes first.
    batch: usize,
    order: SmallVec<[usize; 6]>,
    result: Dims,
}

impl Selection {
    fn of(x: &Tensor, positions: &[(usize, &Tensor)]) -> Result<Self, Refusal> {
        let tensors: SmallVec<[&Tensor; 4]> = positions.iter().map(|(_, index)| *index).collect();
        let dims = broadcast(&tensors)?;
        let adjacent = positions.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        let batch = match positions.first() {
            Some((axis, _)) if adjacent => *axis,
            _ => 0,
        };
        let is_indexed = |axis: &usize| positions.iter().any(|(indexed, _)| indexed == axis);
        let order: SmallVec<[usize; 6]> = (0..batch)
            .chain(positions.iter().map(|(axis, _)| *axis))
            .chain((batch..x.rank()).filter(|axis| !is_indexed(axis)))
            .collect();
        let behind = order[batch + positions.len()..].iter();
        let result = x.dims[..batch]
            .iter()
            .chain(&dims)
            .copied()
            .chain(behind.map(|axis| x.dims[*axis]))
            .collect();
        Ok(Self {
            dims,
            batch,
            order,
            result,
        })
    }
}

fn selection_offsets(
    plan: &mut Plan,
    data: &Value,
    selection: &Selection,
    indices: &[Value],
) -> Value {
    let lookups = indices
        .iter()
        .enumerate()
        .map(|(number, index)| {
            let index = index.expand(&selection.dims);
            Lookup::new(data, selection.batch + number, &index)
        })
        .collect();
    let own = Dims::from_elem(0, selection.dims.len());
    plan.offsets(&selection.dims, &own, lookups, WRAPPING)
}

/// Whether all members are empty: then they are positions, of which there are none.
fn all_empty(indices: &[&Tensor]) -> bool {
    indices.iter().all(|index| index.count() == 0)
}

/// out = self\[indices\], as numpy indexes with arrays.
pub(crate) fn index(x: &Tensor, indices: &[&Tensor], out: &Tensor) -> Planned {
    let fits = |indices: &Indices<'_>| match indices {
        Indices::Positions(positions) => {
            Selection::of(x, positions).is_ok_and(|selection| selection.result == out.dims)
        }
        Indices::Mask(..) => true,
    };
    let mut chosen = Indices::of(x, indices, !all_empty(indices))?;
    if !fits(&chosen) {
        let other = Indices::of(x, indices, all_empty(indices))?;
        if fits(&other) {
            chosen = other;
        }
    }
    let mut plan = Plan::new();
    let value = plan.input(x);
    match chosen {
        Indices::Positions(positions) => {
            let selection = Selection::of(x, &positions)?;
            expect_shape(out, &selection.result)?;
            let inputs: Vec<Value> = positions
                .iter()
                .map(|(_, index)| plan.input(index))
                .collect();
            let z = plan.output_apart(out);
            let data = value.permute(&selection.order);
            let offsets = selection_offsets(&mut plan, &data, &selection, &inputs);
            let row = x.rank() - selection.batch - positions.len();
            plan.gather_as(&data, selection.batch, row, &offsets, &z);
        }
        Indices::Mask(axis, mask) => {
            let row = x.rank() - axis - mask.rank();
            let found = out.dims.get(axis).copied().unwrap_or(0);
            let room = i64::try_from(mask.count()).unwrap_or(i64::MAX);
            let dims: Dims = x.dims[..axis]
                .iter()
                .chain(&[found])
                .chain(&x.dims[axis + mask.rank()..])
                .copied()
                .collect();
            expect_shape(out, &dims)?;
            require!(
                found <= room,
                "'out' has {found} elements in dimension {axis}, but the mask has {room}"
            );
            let flags = plan.input(mask);
            let z = plan.output_apart(out);
            let flags = plan.contiguous(&flags, Element::Bool);
            let strides = Dims::from(&value.strides()[axis..axis + mask.rank()]);
            let offsets = plan.temp(Element::I64, &[room]);
            let places = offsets.clone();
            plan.try_step(move |m| {
                let count = select::true_offsets(&m.view(&flags), &strides, &m.view(&places));
                if i64::try_from(count) == Ok(found) {
                    return Ok(());
                }
                Err(format!(
                    "the mask selects {count} positions, but 'out' has room for {found}"
                ))
            });
            let offsets = offsets.narrow(0, 0, found);
            plan.gather_as(&value, axis, row, &offsets, &z);
        }
    }
    plan.done()
}

/// self\[indices\] = values, or += values.
pub(crate) fn index_put(
    x: &Tensor,
    indices: &[&Tensor],
    values: &Tensor,
    accumulate: bool,
) -> Planned {
    let put = if accumulate { Put::Add } else { Put::Assign };
    let mut plan = Plan::new();
    let source = plan.input(values);
    match Indices::of(x, indices, !all_empty(indices))? {
        Indices::Positions(positions) => {
            let selection = Selection::of(x, &positions)?;
            require!(
                broadcast_dims(&values.dims, &selection.result)
                    .is_some_and(|dims| dims == selection.result),
                "'values' of shape {:?} does not broadcast to what the indices select, {:?}",
                values.dims,
                selection.result
            );
            let inputs: Vec<Value> = positions
                .iter()
                .map(|(_, index)| plan.input(index))
                .collect();
            let data = plan.changed(x, x).permute(&selection.order);
            let offsets = selection_offsets(&mut plan, &data, &selection, &inputs);
            let row = x.rank() - selection.batch - positions.len();
            let source = source.expand(&selection.result);
            plan.scatter(&source, selection.batch, row, &offsets, &data, put);
        }
        Indices::Mask(axis, mask) => {
            let row = x.rank() - axis - mask.rank();
            let flags = plan.input(mask);
            let data = plan.changed(x, x);
            let mut dims: Dims = x.dims[..axis]
                .iter()
                .chain(&[1])
                .chain(&x.dims[axis + mask.rank()..])
                .copied()
                .collect();
            let given = (axis + values.rank())
                .checked_sub(dims.len())
                .map_or(1, |axis| values.dims[axis]);
            dims[axis] = given;
            require!(
                broadcast_dims(&values.dims, &dims).is_some_and(|wide| wide == dims),
                "'values' of shape {:?} does not broadcast to what the mask selects, {dims:?}",
                values.dims
            );
            let source = plan.cast(&source, x.element());
            let flags = plan.contiguous(&flags, Element::Bool);
            let strides = Dims::from(&data.strides()[axis..axis + mask.rank()]);
            let room = i64::try_from(mask.count()).unwrap_or(i64::MAX);
            let offsets = plan.temp(Element::I64, &[room]);
            plan.try_step(move |m| {
                let places = m.view(&offsets);
                let count = select::true_offsets(&m.view(&flags), &strides, &places);
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                if given != 1 && given != count {
                    return Err(format!(
                        "the mask selects {count} positions, but 'values' has {given}"
                    ));
                }
                let source = m.view(&source).expand(&replaced(&dims, axis, count));
                let axes = Axes { batch: axis, row };
                index::scatter(
                    &source,
                    axes,
                    &places.narrow(0, 0, count),
                    &m.view(&data),
                    put,
                );
                Ok(())
            });
        }
    }
    plan.done()
}
