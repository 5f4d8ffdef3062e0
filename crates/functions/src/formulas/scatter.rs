//! Writing by index.

use millpond_kernels::index::{NOWHERE, Put, Rules};
use millpond_kernels::{Complex64, Compute, Dims, Element, map, numbers};

use super::copy::{replaced, with_axis};
use super::index::{PLAIN, WRAPPING, element_offsets, fits_inside, tuple_offsets};
use super::{axis_of, expect_shape};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// What arrives: elements of a tensor, or one number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A number.
    Scalar(&'a Scalar),
}

fn reduction(number: i64) -> Result<Put, Refusal> {
    match number {
        0 => Ok(Put::Assign),
        1 => Ok(Put::Add),
        2 => Ok(Put::Multiply),
        _ => Err(Refusal::invalid(format!(
            "'reduction' is {number}; 0 replaces, 1 adds, 2 multiplies"
        ))),
    }
}

/// out = self, with `out[index[i][j]][j]` joined with `src[i][j]`, for dimension 0.
pub(crate) fn scatter(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    source: Source<'_>,
    reduce: i64,
    out: &Tensor,
) -> Planned {
    let put = reduction(reduce)?;
    expect_integers(index, "index")?;
    expect_shape(out, &x.dims)?;
    crate::promote::check_result(x.element(), out)?;
    let axis = axis_of(x, dim, "dim")?;
    let mut plan = Plan::new();
    let index_value = with_axis(&plan.input(index));
    let source = match source {
        Source::Tensor(tensor) => with_axis(&plan.input(tensor)),
        Source::Scalar(number) => plan
            .constant(out.element(), number)
            .expand(index_value.dims()),
    };
    let z = with_axis(&plan.changed(x, out));
    if index.is_empty() {
        return plan.done();
    }
    fits_inside(&index_value, &z, Some(axis), "'index'", "'self'")?;
    fits_inside(&index_value, &source, None, "'index'", "'src'")?;
    let source = (0..index_value.rank()).fold(source, |source, axis| {
        source.narrow(axis, 0, index_value.dim(axis))
    });
    let offsets = element_offsets(&mut plan, &z, axis, &index_value);
    plan.scatter(&source, 0, 0, &offsets, &z, put);
    plan.done()
}

/// Where rows along an axis go: an index tensor, or numbers that the call gives.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// A tensor of indices.
    Tensor(&'a Tensor),
    /// Numbers.
    List(&'a [i64]),
}

/// What happens with rows along an axis.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    /// They become those of a tensor.
    Copy(&'a Tensor),
    /// Those of a tensor, times a number, are added.
    Add(&'a Tensor, &'a Scalar),
    /// They become a number.
    Fill(&'a Scalar),
}

/// out = self, with changes at positions along an axis.
pub(crate) fn rows(
    x: &Tensor,
    dim: i64,
    rows: Rows<'_>,
    change: Change<'_>,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &x.dims)?;
    crate::promote::check_result(x.element(), out)?;
    let axis = axis_of(x, dim, "dim")?;
    let mut plan = Plan::new();
    let index = match rows {
        Rows::Tensor(index) => {
            expect_integers(index, "index")?;
            require!(
                index.rank() <= 1,
                "'index' has the shape {:?}, it must have one dimension at most",
                index.dims
            );
            with_axis(&plan.input(index))
        }
        Rows::List(list) => {
            let list: Vec<i64> = list.into();
            let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
            plan.table(length, move |number| {
                usize::try_from(number)
                    .ok()
                    .and_then(|number| list.get(number).copied())
                    .unwrap_or(0)
            })
        }
    };
    let dims = if x.rank() == 0 {
        Dims::from_slice(index.dims())
    } else {
        replaced(&x.dims, axis, index.dim(0))
    };
    let source = match change {
        Change::Copy(source) | Change::Add(source, _) => {
            let value = with_axis(&plan.input(source));
            require!(
                *value.dims() == dims[..],
                "'source' has the shape {:?}, but {:?} is written",
                source.dims,
                dims
            );
            value
        }
        Change::Fill(number) => plan.constant(out.element(), number).expand(&dims),
    };
    let z = with_axis(&plan.changed(x, out));
    let (source, put) = match change {
        Change::Add(_, alpha) => {
            if source.element() != z.element() {
                crate::promote::check_result(source.element(), out)?;
            }
            (scaled(&mut plan, &source, alpha, z.element()), Put::Add)
        }
        _ => (source, Put::Assign),
    };
    let rules = if matches!(change, Change::Fill(_)) {
        WRAPPING
    } else {
        PLAIN
    };
    let offsets = plan.axis_offsets(&z, axis, &index, rules);
    plan.scatter(&source, axis, z.rank() - axis - 1, &offsets, &z, put);
    plan.done()
}

/// [`rows`] that adds; `mode` chooses how a device shares the work, which does not change the sums here.
pub(crate) fn rows_mode(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    alpha: &Scalar,
    mode: i64,
    out: &Tensor,
) -> Planned {
    require!(matches!(mode, 0 | 1), "'mode' is {mode}; it must be 0 or 1");
    rows(x, dim, Rows::Tensor(index), Change::Add(source, alpha), out)
}

/// alpha · value, in a type.
fn scaled(plan: &mut Plan, value: &Value, alpha: &Scalar, element: Element) -> Value {
    if alpha.complex() == Complex64::new(1.0, 0.0) {
        return value.clone();
    }
    let product = plan.temp(element, value.dims());
    let (value, out, alpha) = (value.clone(), product.clone(), *alpha);
    plan.step(move |m| {
        numbers!(element, C => {
            let alpha: C = alpha.compute();
            map::map1::<C, C>(&m.view(&value), &m.view(&out), |x| x.mul(alpha));
        });
    });
    product
}

/// Elements of self by their number in row-major order become, or are added to, those of `source`.
pub(crate) fn put_flat(x: &Tensor, index: &Tensor, source: &Tensor, accumulate: bool) -> Planned {
    expect_integers(index, "index")?;
    require!(
        index.count() == source.count(),
        "'index' of shape {:?} and 'source' of shape {:?} must have the same number of elements",
        index.dims,
        source.dims
    );
    let put = if accumulate { Put::Add } else { Put::Assign };
    let count = i64::try_from(x.count()).unwrap_or(i64::MAX);
    let length = i64::try_from(index.count()).unwrap_or(i64::MAX);
    let mut plan = Plan::new();
    let (index, source) = (plan.input(index), plan.input(source));
    let z = plan.changed(x, x);
    let flat = plan.reshape(&z, &[count]);
    let index = plan.reshape(&index, &[length]);
    let source = plan.reshape(&source, &[length]);
    let offsets = plan.axis_offsets(&flat, 0, &index, WRAPPING);
    plan.scatter(&source, 0, 0, &offsets, &flat, put);
    if !z.is_contiguous() {
        let whole = flat.reshaped(z.dims()).unwrap_or(flat);
        plan.copy(&whole, &z);
    }
    plan.done()
}

/// out = self, with parts at tuples of indices replaced.
pub(crate) fn scatter_nd(x: &Tensor, indices: &Tensor, updates: &Tensor, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    // Named before the target, so that it does not share their memory.
    let _ = plan.input(indices);
    let source = plan.input(updates);
    let z = plan.changed(x, out);
    let (offsets, depth) = tuple_offsets(&mut plan, &z, indices, WRAPPING)?;
    let dims: Dims = offsets
        .dims()
        .iter()
        .chain(&x.dims[depth..])
        .copied()
        .collect();
    require!(
        updates.dims == dims,
        "'updates' has the shape {:?}, but {dims:?} is written",
        updates.dims
    );
    plan.scatter(&source, 0, x.rank() - depth, &offsets, &z, Put::Assign);
    plan.done()
}

/// For each batch, the updates are written along an axis from the batch's index on.
pub(crate) fn scatter_update(x: &Tensor, indices: &Tensor, updates: &Tensor, axis: i64) -> Planned {
    expect_integers(indices, "indices")?;
    let axis = axis_of(x, axis, "axis")?;
    if indices.rank() != 1 || axis == 0 {
        return Err(Refusal::unsupported(format!(
            "Millpond does not update along dimension {axis} with indices of shape {:?}: only with one index for each position of dimension 0",
            indices.dims
        )));
    }
    let fits = updates.rank() == x.rank()
        && updates.dims[0] == indices.dims[0]
        && updates.dims[0] <= x.dims[0]
        && (1..x.rank()).all(|other| {
            if other == axis {
                updates.dims[other] <= x.dims[other]
            } else {
                updates.dims[other] == x.dims[other]
            }
        });
    require!(
        fits,
        "'updates' of shape {:?} with indices of shape {:?} do not fit inside {:?}",
        updates.dims,
        indices.dims,
        x.dims
    );
    let mut plan = Plan::new();
    let (index, source) = (plan.input(indices), plan.input(updates));
    let z = plan.changed(x, x);
    // Axes in the order batch, updated axis, others.
    let order: Vec<usize> = [0, axis]
        .into_iter()
        .chain((1..x.rank()).filter(|other| *other != axis))
        .collect();
    let (z, source) = (z.permute(&order), source.permute(&order));
    let (batches, length) = (source.dim(0), source.dim(1));
    // The first position must leave room for all; those behind it follow from it.
    let first = z.narrow(1, 0, (z.dim(1) - length + 1).min(z.dim(1)));
    let own = [z.strides()[0], z.strides()[1]];
    let index = index.unsqueeze(1).expand(&[batches, length]);
    let lookups = vec![crate::indexing::Lookup::new(&first, 1, &index)];
    let offsets = plan.offsets(&[batches, length], &own, lookups, PLAIN);
    plan.scatter(&source, 0, z.rank() - 2, &offsets, &z, Put::Assign);
    plan.done()
}

/// The gradient of a table of rows: each row is the sum of the gradients of its uses.
pub(crate) fn embedding_backward(
    grad: &Tensor,
    indices: &Tensor,
    rows: u64,
    padding: u64,
    by_frequency: bool,
    out: &Tensor,
) -> Planned {
    expect_integers(indices, "indices")?;
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let Some((width, lead)) = grad.dims.split_last() else {
        return Err(Refusal::invalid("'grad' has no dimensions"));
    };
    let count = i64::try_from(indices.count()).unwrap_or(i64::MAX);
    require!(
        lead.iter().product::<i64>() == count,
        "'grad' of shape {:?} does not have a row for each index of {:?}",
        grad.dims,
        indices.dims
    );
    expect_shape(out, &[rows, *width])?;
    if category(out.element()) == Category::Complex {
        return Err(Refusal::unsupported(
            "Millpond does not compute gradients of complex tables",
        ));
    }
    let mut plan = Plan::new();
    let (grad, index) = (plan.input(grad), plan.input(indices));
    let z = plan.output_apart(out);
    let grad = plan.reshape(&grad, &[count, *width]);
    let index = plan.reshape(&index, &[count]);
    let element = millpond_kernels::compute_type(out.element());
    let sums = if z.element() == element {
        z.clone()
    } else {
        plan.temp(element, z.dims())
    };
    plan.fill(&sums, 0.0);
    let rules = Rules {
        skip: i64::try_from(padding).ok(),
        ..PLAIN
    };
    let offsets = plan.axis_offsets(&sums, 0, &index, rules);
    let grad = if by_frequency {
        divided_by_uses(&mut plan, &grad, &index, rows, rules)
    } else {
        grad
    };
    plan.scatter(&grad, 0, 1, &offsets, &sums, Put::Add);
    if z.element() != element {
        plan.copy(&sums, &z);
    }
    plan.done()
}

/// Rows divided by how often their index occurs.
fn divided_by_uses(plan: &mut Plan, grad: &Value, index: &Value, rows: i64, rules: Rules) -> Value {
    let uses = plan.temp(Element::F64, &[rows]);
    plan.fill(&uses, 0.0);
    let places = plan.axis_offsets(&uses, 0, index, rules);
    let one = plan.constant(Element::F64, &Scalar::int(1));
    plan.scatter(&one.expand(index.dims()), 0, 0, &places, &uses, Put::Add);
    // An index that is skipped has no uses: its row is not used either.
    let safe = plan.temp(Element::I64, places.dims());
    let (from, to) = (places, safe.clone());
    plan.step(move |m| {
        map::map1::<i64, i64>(&m.view(&from), &m.view(&to), |place| {
            if place == NOWHERE { 0 } else { place }
        });
    });
    let counts = plan.temp(Element::F64, index.dims());
    plan.gather(&uses, 0, 0, &safe, &counts);
    let element = millpond_kernels::compute_type(grad.element());
    let quotients = plan.temp(element, grad.dims());
    let (grad, counts, out) = (grad.clone(), counts.unsqueeze(1), quotients.clone());
    plan.step(move |m| {
        map::map2::<f64, f64, f64>(
            &m.view(&grad),
            &m.view(&counts),
            &m.view(&out),
            |x, uses| x / uses.max(1.0),
        );
    });
    quotients
}
