//! Sorting, choosing by rank, and searching in sorted sequences.

use millpond_kernels::order::{self, Pick, ordered_type};
use millpond_kernels::{Dims, Element, count, ordered};

use super::{axis_of, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result, is_complex, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::row_ops::with_axis;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

fn expect_order(x: &Tensor) -> Result<(), Refusal> {
    require!(
        !is_complex(x.element()),
        "{} numbers have no order",
        x.element().name()
    );
    Ok(())
}

fn expect_integers(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        category(tensor.element()) == Category::Int,
        "'{argument}' has the type {}, but integers are expected",
        tensor.element().name()
    );
    Ok(())
}

/// Sorts along an axis. Equal elements keep their order, NaN counts as the largest.
pub(crate) fn sort(
    x: &Tensor,
    dim: i64,
    descending: bool,
    values: Option<&Tensor>,
    positions: &Tensor,
) -> Planned {
    expect_order(x)?;
    for out in values.iter().chain([&positions]) {
        expect_shape(out, &x.dims)?;
    }
    if let Some(values) = values {
        check_result(x.element(), values)?;
    }
    expect_integers(positions, "indices")?;
    let axis = axis_of(x, dim, "dim")?;
    let element = ordered_type(x.element());
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let values = values.map(|values| with_axis(&plan.output_apart(values)));
    let positions = with_axis(&plan.output_apart(positions));
    let rows = plan.rows_of(&input, &[axis], element);
    let places = plan.rows_into(&positions, &[axis], Element::I64);
    let found = values.map(|values| plan.rows_into(&values, &[axis], element));
    let (to_places, to_values) = (
        places.rows.clone(),
        found.as_ref().map(|found| found.rows.clone()),
    );
    plan.step(move |m| {
        let (rows, places) = (m.view(&rows), m.view(&to_places));
        ordered!(element, T => {
            order::argsort::<T>(&rows, descending, &places);
            if let Some(values) = &to_values {
                order::take::<T>(&rows, &places, &m.view(values));
            }
        });
    });
    if let Some(found) = &found {
        plan.rows_done(found);
    }
    plan.rows_done(&places);
    plan.done()
}

/// The k largest or smallest elements along an axis, in order.
pub(crate) fn topk(
    x: &Tensor,
    k: i64,
    dim: i64,
    largest: bool,
    values: &Tensor,
    positions: &Tensor,
) -> Planned {
    expect_order(x)?;
    let axis = axis_of(x, dim, "dim")?;
    let length = x.dims.get(axis).copied().unwrap_or(1);
    require!(
        (0..=length).contains(&k),
        "'k' is {k}, but the dimension has {length} elements"
    );
    let mut dims = x.dims.clone();
    if let Some(dim) = dims.get_mut(axis) {
        *dim = k;
    }
    // A tensor without axes has one element; of it none can be chosen only by an empty result.
    if x.rank() == 0 && k == 0 {
        dims = Dims::from_slice(&[0]);
    }
    expect_shape(values, &dims)?;
    expect_shape(positions, &dims)?;
    check_result(x.element(), values)?;
    expect_integers(positions, "indices")?;
    let element = ordered_type(x.element());
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let values = with_axis(&plan.output_apart(values));
    let positions = with_axis(&plan.output_apart(positions));
    if positions.count() == 0 {
        return plan.done();
    }
    let rows = plan.rows_of(&input, &[axis], element);
    let scratch = plan.temp(Element::I64, rows.dims());
    let found = plan.rows_into(&values, &[axis], element);
    let places = plan.rows_into(&positions, &[axis], Element::I64);
    let (to_values, to_places) = (found.rows.clone(), places.rows.clone());
    plan.step(move |m| {
        let (rows, places) = (m.view(&rows), m.view(&to_places));
        ordered!(element, T => {
            order::top::<T>(&rows, largest, &m.view(&scratch), &places);
            order::take::<T>(&rows, &places, &m.view(&to_values));
        });
    });
    plan.rows_done(&found);
    plan.rows_done(&places);
    plan.done()
}

/// One element along an axis, by its rank.
fn pick(
    x: &Tensor,
    axis: usize,
    keep: bool,
    which: Pick,
    values: &Tensor,
    positions: &Tensor,
) -> Planned {
    expect_order(x)?;
    let axes: &[usize] = if x.rank() == 0 { &[] } else { &[axis] };
    let dims = millpond_kernels::reduce::kept_dims(&x.dims, axes, keep);
    expect_shape(values, &dims)?;
    expect_shape(positions, &dims)?;
    check_result(x.element(), values)?;
    expect_integers(positions, "indices")?;
    require!(
        values.is_empty() || x.dims.get(axis) != Some(&0),
        "a tensor of shape {:?} has no elements to choose from",
        x.dims
    );
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let values = plan.output_apart(values);
    let positions = plan.output_apart(positions);
    if positions.count() > 0 {
        add_pick(&mut plan, &input, &[axis], which, &values, &positions);
    }
    plan.done()
}

fn add_pick(
    plan: &mut Plan,
    input: &Value,
    axes: &[usize],
    which: Pick,
    values: &Value,
    positions: &Value,
) {
    let element = ordered_type(input.element());
    let rows = plan.rows_of(input, axes, element);
    let scratch = plan.temp(Element::I64, rows.dims());
    let found = plan.packed_into(values, element);
    let places = plan.packed_into(positions, Element::I64);
    let (to_values, to_places) = (found.rows.clone(), places.rows.clone());
    plan.step(move |m| {
        let (rows, places) = (m.view(&rows), m.view(&to_places).unsqueeze(1));
        ordered!(element, T => {
            order::pick::<T>(&rows, which, &m.view(&scratch), &places);
            order::take::<T>(&rows, &places, &m.view(&to_values).unsqueeze(1));
        });
    });
    plan.rows_done(&found);
    plan.rows_done(&places);
}

/// The k-th smallest element along an axis, counted from 1.
pub(crate) fn kthvalue(
    x: &Tensor,
    k: i64,
    dim: i64,
    keep: bool,
    values: &Tensor,
    positions: &Tensor,
) -> Planned {
    let axis = axis_of(x, dim, "dim")?;
    let length = x.dims.get(axis).copied().unwrap_or(1);
    require!(
        k >= 1 && k <= length.max(1),
        "'k' is {k}, but the dimension has {length} elements, counted from 1"
    );
    let rank = usize::try_from(k - 1).unwrap_or(0);
    pick(x, axis, keep, Pick::At(rank), values, positions)
}

/// The lower median along an axis; with `numbers`, of elements that are not NaN.
pub(crate) fn median_along(
    x: &Tensor,
    dim: i64,
    (keep, numbers): (bool, bool),
    values: &Tensor,
    positions: &Tensor,
) -> Planned {
    let axis = axis_of(x, dim, "dim")?;
    let which = if numbers {
        Pick::MedianOfNumbers
    } else {
        Pick::Median
    };
    pick(x, axis, keep, which, values, positions)
}

/// The lower median of all elements; with `numbers`, of those that are not NaN.
pub(crate) fn median(x: &Tensor, numbers: bool, out: &Tensor) -> Planned {
    expect_order(x)?;
    expect_shape(out, &[])?;
    check_result(x.element(), out)?;
    let which = if numbers {
        Pick::MedianOfNumbers
    } else {
        Pick::Median
    };
    let mut plan = Plan::new();
    let input = plan.input(x);
    let result = plan.output_apart(out);
    if x.is_empty() {
        require!(
            category(out.element()) == Category::Float,
            "a tensor of shape {:?} has no elements, and 'out' of type {} cannot hold NaN",
            x.dims,
            out.element().name()
        );
        plan.fill(&result, f64::NAN);
        return plan.done();
    }
    let axes: Vec<usize> = (0..x.rank()).collect();
    let position = plan.temp(Element::I64, &[]);
    add_pick(&mut plan, &input, &axes, which, &result, &position);
    plan.done()
}

/// Where values belong in sorted sequences.
struct Search<'a> {
    sequence: &'a Tensor,
    sorter: Option<&'a Tensor>,
    right: bool,
    out: &'a Tensor,
    element: Element,
}

impl Search<'_> {
    /// Checks, and plans the sequence: rows of it, and of the sorter.
    fn plan(&self, plan: &mut Plan, dims: &[i64]) -> Result<(Value, Option<Value>), Refusal> {
        expect_order(self.sequence)?;
        expect_shape(self.out, dims)?;
        expect_integers(self.out, "out")?;
        require!(
            self.sequence.rank() > 0,
            "the sequence has no dimensions, but at least one is expected"
        );
        let axis = self.sequence.rank() - 1;
        let sequence = plan.input(self.sequence);
        let sequence = plan.rows_of(&sequence, &[axis], self.element);
        let sorter = match self.sorter {
            Some(sorter) => {
                require!(
                    sorter.dims == self.sequence.dims,
                    "'sorter' has the shape {:?}, but the sequence has {:?}",
                    sorter.dims,
                    self.sequence.dims
                );
                expect_integers(sorter, "sorter")?;
                let sorter = plan.input(sorter);
                Some(plan.rows_of(&sorter, &[axis], Element::I64))
            }
            None => None,
        };
        Ok((sequence, sorter))
    }

    /// Adds the search for rows of values: one row for each sequence.
    fn add(&self, plan: &mut Plan, sequence: Value, sorter: Option<Value>, values: Value) {
        let (element, right) = (self.element, self.right);
        let out = plan.output_apart(self.out);
        let results = plan.packed_into(&out, Element::I64);
        let into = results.rows.clone();
        let length = usize::try_from(sequence.dim(1)).unwrap_or(0);
        let width = usize::try_from(values.dim(1)).unwrap_or(0);
        plan.try_step(move |m| {
            let (sequence, values, into) = (m.view(&sequence), m.view(&values), m.view(&into));
            let sorter = sorter.as_ref().map(|sorter| m.view(sorter));
            let sorter = sorter.as_ref().and_then(|sorter| sorter.slice::<i64>());
            ordered!(element, T => {
                let (Some(sequence), Some(values), Some(into)) = (sequence.slice::<T>(), values.slice::<T>(), into.slice_mut::<i64>()) else {
                    return Err("rows to search are not contiguous".to_owned());
                };
                for (number, (value, into)) in values.iter().zip(into).enumerate() {
                    let row = number / width.max(1) * length..(number / width.max(1) + 1) * length;
                    let found = order::search(&sequence[row.clone()], sorter.map(|sorter| &sorter[row]), *value, right);
                    let Some(found) = found else {
                        return Err(format!("'sorter' names a position outside a sequence of {length} elements"));
                    };
                    *into = i64::try_from(found).unwrap_or(i64::MAX);
                }
            });
            Ok(())
        });
        plan.rows_done(&results);
    }
}

/// The type that values are searched in.
fn search_type(sequence: &Tensor, values: Element) -> Element {
    ordered_type(promote(sequence.element(), values))
}

/// Where values belong in sorted sequences along the last axis.
pub(crate) fn search_sorted(
    sequence: &Tensor,
    values: &Tensor,
    right: bool,
    sorter: Option<&Tensor>,
    out: &Tensor,
) -> Planned {
    expect_order(values)?;
    let search = Search {
        sequence,
        sorter,
        right,
        out,
        element: search_type(sequence, values.element()),
    };
    let mut plan = Plan::new();
    let (rows, sorter) = search.plan(&mut plan, &values.dims)?;
    let one = sequence.rank() == 1;
    require!(
        one || sequence.rank() == values.rank()
            && sequence.dims[..sequence.rank() - 1] == values.dims[..values.rank() - 1],
        "sequences of shape {:?} do not belong to values of shape {:?}: all dimensions but the last must be equal",
        sequence.dims,
        values.dims
    );
    let value = plan.input(values);
    let width = match values.dims.last() {
        Some(last) if !one => *last,
        _ => i64::try_from(count(&values.dims)).unwrap_or(0),
    };
    let value = plan.contiguous(&value, search.element);
    let value = plan.reshape(&value, &[if one { 1 } else { rows.dim(0) }, width]);
    search.add(&mut plan, rows, sorter, value);
    plan.done()
}

/// Where one number belongs in a sorted sequence.
pub(crate) fn search_number(
    sequence: &Tensor,
    number: &Scalar,
    right: bool,
    sorter: Option<&Tensor>,
    out: &Tensor,
) -> Planned {
    require!(
        sequence.rank() == 1,
        "the sequence has the shape {:?}, but one dimension is expected",
        sequence.dims
    );
    let element = ordered_type(crate::promote::with_scalar(sequence.element(), number));
    let search = Search {
        sequence,
        sorter,
        right,
        out,
        element,
    };
    let mut plan = Plan::new();
    let (rows, sorter) = search.plan(&mut plan, &[])?;
    let value = plan.temp(element, &[1, 1]);
    let (into, number) = (value.clone(), *number);
    plan.step(move |m| ordered!(element, T => millpond_kernels::map::fill::<T>(&m.view(&into), number.compute::<T>())));
    search.add(&mut plan, rows, sorter, value);
    plan.done()
}
