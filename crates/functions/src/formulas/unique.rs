//! Elements without repetitions. How many there are, the contents decide.

use std::cmp::Ordering;

use millpond_kernels::order::{Ordered, ordered_type};
use millpond_kernels::{Dims, Element, View, count, map, ordered};

use super::axis_of;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::promote::{Category, category, is_complex};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::{ActualShape, Tensor};

/// Where results go. Each may be missing.
pub(crate) struct Outputs<'a> {
    pub(crate) values: &'a Tensor,
    /// For every input, the number of its value.
    pub(crate) inverse: Option<&'a Tensor>,
    /// How often each value occurs.
    pub(crate) counts: Option<&'a Tensor>,
}

/// No dimension: all elements in one row.
const FLAT: i64 = 1000;

/// Planned outputs.
struct Places {
    values: Value,
    values_shape: ActualShape,
    inverse: Option<Value>,
    counts: Option<(Value, ActualShape)>,
}

fn places(
    plan: &mut Plan,
    outputs: &Outputs<'_>,
    slices: usize,
    elements: usize,
) -> Result<Places, Refusal> {
    require!(
        outputs.values.count() >= elements,
        "the result needs room for {elements} elements, but its tensor has the shape {:?}",
        outputs.values.dims
    );
    for (tensor, name) in [(outputs.inverse, "inverse"), (outputs.counts, "counts")] {
        if let Some(tensor) = tensor {
            require!(
                tensor.count() == slices,
                "'{name}' has the shape {:?}, but {slices} elements are expected",
                tensor.dims
            );
            require!(
                category(tensor.element()) == Category::Int,
                "'{name}' has the type {}, but integers are expected",
                tensor.element().name()
            );
        }
    }
    Ok(Places {
        values: plan.output_apart(outputs.values),
        values_shape: outputs.values.actual(),
        inverse: outputs.inverse.map(|inverse| plan.output_apart(inverse)),
        counts: outputs
            .counts
            .map(|counts| (plan.output_apart(counts), counts.actual())),
    })
}

/// The first `wanted` of a result that has room for more: packed if the tensor is contiguous, else along its axis.
fn beginning(view: &View, axis: usize, dims: &[i64]) -> View {
    if view.is_contiguous() {
        let all = i64::try_from(view.count()).unwrap_or(0);
        let some = i64::try_from(count(dims)).unwrap_or(0);
        return view.reshape(&[all]).narrow(0, 0, some).reshape(dims);
    }
    view.narrow(axis, 0, dims[axis])
}

fn position(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(0)
}

fn index(position: i64) -> usize {
    usize::try_from(position).unwrap_or(0)
}

/// Walks over slices in an order: `new` says whether a slice differs from the one before. Calls `found` with the number of each distinct
/// slice, where it is and how often it occurs.
fn walk(
    order: &[i64],
    inverse: Option<&View>,
    mut same: impl FnMut(usize, usize) -> bool,
    mut found: impl FnMut(usize, usize, usize),
) -> usize {
    let mut distinct = 0;
    let mut begin = 0;
    while begin < order.len() {
        let mut end = begin + 1;
        while end < order.len() && same(index(order[end - 1]), index(order[end])) {
            end += 1;
        }
        if let Some(inverse) = inverse {
            for at in &order[begin..end] {
                millpond_kernels::write_block(inverse, index(*at), &[position(distinct)]);
            }
        }
        found(distinct, index(order[begin]), end - begin);
        distinct += 1;
        begin = end;
    }
    distinct
}

/// Distinct slices: values, and the outputs that are wanted, from an order of slices.
fn write(
    m: &Memory<'_>,
    places: &Places,
    axis: usize,
    slices: &View,
    order: &[i64],
    same: impl FnMut(usize, usize) -> bool,
) {
    // `slices` has one slice along its first axis for each number; results have them along `axis`.
    let values = m.view(&places.values);
    let inverse = places.inverse.as_ref().map(|inverse| m.view(inverse));
    let counts = places.counts.as_ref().map(|(counts, _)| m.view(counts));
    // Where results go depends on how many there are, so the first walk counts.
    let mut same = same;
    let distinct = walk(order, inverse.as_ref(), &mut same, |_, _, _| {});
    let mut dims: Dims = slices.dims()[1..].into();
    dims.insert(axis, position(distinct));
    let into = if distinct == 0 {
        None
    } else {
        Some(beginning(&values, axis, &dims))
    };
    walk(order, None, &mut same, |number, at, times| {
        if let Some(into) = &into {
            map::copy(
                &slices.select(0, position(at)),
                &into.select(axis, position(number)),
            );
        }
        if let Some(counts) = &counts {
            millpond_kernels::write_block(counts, number, &[position(times)]);
        }
    });
    *places.values_shape.lock() = Some(dims);
    if let Some((_, shape)) = &places.counts {
        *shape.lock() = Some(Dims::from_slice(&[position(distinct)]));
    }
}

/// The first slice is the only one, or there is none, where slices have no elements.
fn count_up(order: &mut [i64]) {
    for (at, position_at) in order.iter_mut().enumerate() {
        *position_at = position(at);
    }
}

/// Distinct elements of all, sorted.
pub(crate) fn unique(x: &Tensor, outputs: &Outputs<'_>) -> Planned {
    planned(x, FLAT, outputs, true)
}

/// Distinct slices along an axis, sorted; or, unless `sort`, slices that differ from the one before.
pub(crate) fn planned(x: &Tensor, dim: i64, outputs: &Outputs<'_>, sort: bool) -> Planned {
    require!(
        !is_complex(x.element()),
        "{} numbers have no order",
        x.element().name()
    );
    let flat = dim == FLAT;
    let axis = if flat { 0 } else { axis_of(x, dim, "dim")? };
    require!(
        flat || x.rank() > 0,
        "a tensor without dimensions has no slices along dimension {dim}"
    );
    let all = if flat { x.count() } else { index(x.dims[axis]) };
    require!(
        flat || all == 0 || !x.is_empty(),
        "slices of a tensor of shape {:?} along dimension {dim} have no elements to compare",
        x.dims
    );
    require!(
        outputs.values.element() == x.element(),
        "values of type {} do not fit a tensor of type {}",
        x.element().name(),
        outputs.values.element().name()
    );
    require!(
        !flat || outputs.values.rank() == 1,
        "the result has one dimension, but its tensor has the shape {:?}",
        outputs.values.dims
    );
    if !flat {
        require!(
            outputs.values.dims == x.dims,
            "the result needs room for the shape {:?}, but its tensor has {:?}",
            x.dims,
            outputs.values.dims
        );
    }
    let element = ordered_type(x.element());
    let mut plan = Plan::new();
    let input = plan.input(x);
    let places = places(&mut plan, outputs, all, x.count())?;
    // Slices along the first axis, their elements one behind the other.
    let slices = if flat {
        let whole = plan.contiguous(&input, element);
        plan.reshape(&whole, &[position(all)])
    } else {
        let order: Vec<usize> = [axis]
            .into_iter()
            .chain((0..x.rank()).filter(|other| *other != axis))
            .collect();
        plan.contiguous(&input.permute(&order), element)
    };
    let order = plan.temp(Element::I64, &[1, position(all)]);
    plan.try_step(move |m| {
        let (slices, order) = (m.view(&slices), m.view(&order));
        let Some(numbers) = order.slice_mut::<i64>() else {
            return Err("an order is not contiguous".to_owned());
        };
        count_up(numbers);
        ordered!(element, T => {
            let elements = slices.slice::<T>().unwrap_or_default();
            let width = elements.len().checked_div(numbers.len()).unwrap_or(0);
            let slice = |at: usize| &elements[at * width..(at + 1) * width];
            if sort {
                numbers.sort_unstable_by(|a, b| compare(slice(index(*a)), slice(index(*b))).then(a.cmp(b)));
            }
            write(m, &places, axis, &slices, numbers, |a, b| slice(a) == slice(b));
        });
        Ok(())
    });
    plan.done()
}

fn compare<T: Ordered>(a: &[T], b: &[T]) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(a, b)| a.order(*b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
