//! Positions computed from positions: padding, flipping, rolling, slices that go backwards.

use millpond_kernels::Dims;
use millpond_kernels::index::Put;

use super::index::PLAIN;
use super::{axis_of, expect_shape};
use crate::indexing::Lookup;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// Where along its axis the element at a position of the result comes from.
type Origin = Box<dyn Fn(i64) -> i64 + Send + Sync>;

/// Offsets for a result whose axes come from those of `data`, each by a rule of its own or unchanged, and how many axes lead and trail
/// unchanged.
fn origins(
    plan: &mut Plan,
    data: &Value,
    dims: &[i64],
    rules: Vec<Option<Origin>>,
) -> (usize, usize, Value) {
    let rank = dims.len();
    let is_plain: Vec<bool> = rules.iter().map(Option::is_none).collect();
    let batch = is_plain.iter().take_while(|plain| **plain).count();
    let row = is_plain[batch..]
        .iter()
        .rev()
        .take_while(|plain| **plain)
        .count();
    let inner = &dims[batch..rank - row];
    let mut own = Dims::from_elem(0, inner.len());
    let mut lookups = Vec::new();
    for (axis, rule) in rules.into_iter().enumerate() {
        if !(batch..rank - row).contains(&axis) {
            continue;
        }
        let Some(rule) = rule else {
            own[axis - batch] = data.strides()[axis];
            continue;
        };
        let mut table = plan.table(dims[axis], rule);
        for _ in axis + 1..rank - row {
            table = table.unsqueeze(table.rank());
        }
        lookups.push(Lookup::new(data, axis, &table.expand(inner)));
    }
    let offsets = plan.offsets(inner, &own, lookups, PLAIN);
    (batch, row, offsets)
}

/// out = the elements of x where the rules say.
fn rearranged(x: &Tensor, rules: Vec<Option<Origin>>, out: &Tensor) -> Planned {
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output_apart(out);
    if rules.iter().all(Option::is_none) {
        plan.copy(&value, &z);
    } else if !out.is_empty() {
        let (batch, row, offsets) = origins(&mut plan, &value, &out.dims, rules);
        plan.gather_as(&value, batch, row, &offsets, &z);
    }
    plan.done()
}

/// Axes backwards.
pub(crate) fn flip(x: &Tensor, dims: &[i64], out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    let mut rules: Vec<Option<Origin>> = (0..x.rank()).map(|_| None).collect();
    for dim in dims {
        let axis = axis_of(x, *dim, "dims")?;
        if let Some(rule) = rules.get_mut(axis) {
            require!(
                rule.is_none(),
                "'dims' {dims:?} names dimension {axis} twice"
            );
            let last = x.dims[axis] - 1;
            *rule = Some(Box::new(move |place| last - place));
        }
    }
    rearranged(x, rules, out)
}

/// Axes shifted in a circle; without axes, the flattened tensor.
pub(crate) fn roll(x: &Tensor, shifts: &[i64], dims: &[i64], out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    if dims.is_empty() && x.rank() != 1 {
        let [shift] = shifts else {
            return Err(Refusal::invalid(format!(
                "'shifts' is {shifts:?} without 'dims', it must be one number"
            )));
        };
        let count = i64::try_from(x.count()).unwrap_or(i64::MAX);
        let mut plan = Plan::new();
        let value = plan.input(x);
        let z = plan.output_apart(out);
        if count > 0 {
            let flat = plan.reshape(&value, &[count]);
            let rolled = z
                .reshaped(&[count])
                .unwrap_or_else(|| plan.temp(z.element(), &[count]));
            let shift = shift.rem_euclid(count);
            for (from, to, length) in [(0, shift, count - shift), (count - shift, 0, shift)] {
                plan.copy(&flat.narrow(0, from, length), &rolled.narrow(0, to, length));
            }
            if !z.is_contiguous() {
                let whole = rolled.reshaped(z.dims()).unwrap_or(rolled);
                plan.copy(&whole, &z);
            }
        }
        return plan.done();
    }
    let dims = if dims.is_empty() { &[0][..] } else { dims };
    require!(
        shifts.len() == dims.len(),
        "'shifts' {shifts:?} and 'dims' {dims:?} must have the same length"
    );
    let mut sums = Dims::from_elem(0, x.rank());
    for (shift, dim) in shifts.iter().zip(dims) {
        let axis = axis_of(x, *dim, "dims")?;
        if let Some(sum) = sums.get_mut(axis) {
            let size = x.dims[axis].max(1);
            *sum = (*sum + shift.rem_euclid(size)) % size;
        }
    }
    let rules = sums
        .iter()
        .zip(&x.dims)
        .map(|(shift, size)| {
            let (shift, size) = (*shift, *size);
            (shift != 0)
                .then(|| -> Origin { Box::new(move |place| (place - shift).rem_euclid(size)) })
        })
        .collect();
    rearranged(x, rules, out)
}

/// What is outside a padded axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Border {
    /// The elements before the edge, backwards, without the edge itself.
    Reflection,
    /// The edge.
    Replication,
}

/// The rules of padding the last axes, and the dimensions of the result.
fn padding_rules(
    x: &Tensor,
    axes: usize,
    padding: &[i64],
    border: Border,
) -> Result<(Dims, Vec<Option<Origin>>), Refusal> {
    require!(
        padding.len() == 2 * axes && (axes + 1..=axes + 2).contains(&x.rank()),
        "'padding' is {padding:?} for a tensor of shape {:?}; it must have {} numbers, and the tensor {} or {} dimensions",
        x.dims,
        2 * axes,
        axes + 1,
        axes + 2
    );
    let mut dims = x.dims.clone();
    let mut rules: Vec<Option<Origin>> = (0..x.rank()).map(|_| None).collect();
    for (number, pair) in padding.chunks_exact(2).enumerate() {
        let axis = x.rank() - 1 - number;
        let (size, before, after) = (x.dims[axis], pair[0], pair[1]);
        let length = size.saturating_add(before).saturating_add(after);
        require!(
            size > 0 && length > 0,
            "dimension {axis} of {:?} cannot be padded by {before} and {after}",
            x.dims
        );
        require!(
            border == Border::Replication || before < size && after < size,
            "dimension {axis} has {size} elements, too few to reflect {before} and {after}"
        );
        dims[axis] = length;
        if before != 0 || after != 0 {
            rules[axis] = Some(Box::new(move |place| {
                let place = place - before;
                match border {
                    Border::Replication => place.clamp(0, size - 1),
                    Border::Reflection if place < 0 => -place,
                    Border::Reflection => (size - 1) - (size - 1 - place).abs(),
                }
            }));
        }
    }
    Ok((dims, rules))
}

/// The last axes padded from their own elements.
pub(crate) fn pad(
    x: &Tensor,
    axes: usize,
    padding: &[i64],
    border: Border,
    out: &Tensor,
) -> Planned {
    let (dims, rules) = padding_rules(x, axes, padding, border)?;
    expect_shape(out, &dims)?;
    rearranged(x, rules, out)
}

/// Its gradient: elements that were used several times get the sum.
pub(crate) fn pad_backward(
    grad: &Tensor,
    x: &Tensor,
    axes: usize,
    padding: &[i64],
    border: Border,
    out: &Tensor,
) -> Planned {
    let (dims, rules) = padding_rules(x, axes, padding, border)?;
    require!(
        grad.dims == dims,
        "'gradOutput' has the shape {:?}, but the padded tensor has {dims:?}",
        grad.dims
    );
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let value = plan.input(grad);
    let z = plan.output_apart(out);
    if rules.iter().all(Option::is_none) {
        plan.copy(&value, &z);
        return plan.done();
    }
    if out.is_empty() {
        return plan.done();
    }
    // 16-bit floats are added up in 32 bits.
    let element = millpond_kernels::compute_type(out.element());
    let sums = if element == z.element() {
        z.clone()
    } else {
        plan.temp(element, z.dims())
    };
    plan.fill(&sums, 0.0);
    let (batch, row, offsets) = origins(&mut plan, &sums, &dims, rules);
    plan.scatter(&value, batch, row, &offsets, &sums, Put::Add);
    if element != z.element() {
        plan.copy(&sums, &z);
    }
    plan.done()
}

/// A number around a tensor; negative padding cuts. Pairs count from the last axis.
pub(crate) fn constant(x: &Tensor, padding: &[i64], number: &Scalar, out: &Tensor) -> Planned {
    require!(
        padding.len().is_multiple_of(2) && padding.len() / 2 <= x.rank(),
        "'pad' is {padding:?}; it must have two numbers for each of at most {} dimensions",
        x.rank()
    );
    crate::promote::check_result(x.element(), out)?;
    let mut plan = Plan::new();
    let mut value = plan.input(x);
    let mut dims = x.dims.clone();
    let mut places = Vec::new();
    for (number, pair) in padding.chunks_exact(2).enumerate() {
        let axis = x.rank() - 1 - number;
        let (size, before, after) = (x.dims[axis], pair[0], pair[1]);
        let length = size.saturating_add(before).saturating_add(after);
        require!(
            length >= 0,
            "dimension {axis} of {:?} would get {length} elements",
            x.dims
        );
        dims[axis] = length;
        // What both have in common: from where in the input, to where in the result, how much.
        let from = before.saturating_neg().max(0).min(size);
        let to = before.max(0).min(length);
        let kept = size
            .saturating_sub(from)
            .saturating_sub(after.saturating_neg().max(0))
            .min(length - to)
            .max(0);
        value = value.narrow(axis, from, kept);
        places.push((axis, to, kept));
    }
    expect_shape(out, &dims)?;
    let z = plan.output_apart(out);
    let inside = places
        .iter()
        .fold(z.clone(), |z, (axis, to, kept)| z.narrow(*axis, *to, *kept));
    if z.dims() != inside.dims() {
        plan.fill_scalar(&z, number);
    }
    plan.copy(&value, &inside);
    plan.done()
}

/// A slice as TensorFlow describes it.
pub(crate) fn strided_slice(arguments: crate::table::StridedSlice<'_>) -> Planned {
    let crate::table::StridedSlice {
        self_: x,
        begin,
        end,
        strides,
        begin_mask,
        end_mask,
        ellipsis_mask,
        new_axis_mask,
        shrink_axis_mask,
        out,
    } = arguments;
    let count = begin.len();
    require!(
        end.len() == count && strides.len() == count && count < 64,
        "'begin', 'end' and 'strides' have {count}, {} and {} numbers, but must have the same length",
        end.len(),
        strides.len()
    );
    let has = |mask: i64, entry: usize| mask >> entry & 1 == 1;
    let ellipses = (0..count)
        .filter(|entry| has(ellipsis_mask, *entry))
        .count();
    require!(
        ellipses <= 1,
        "'ellipsisMask' is {ellipsis_mask:#b}, but there may be at most one ellipsis"
    );
    let used = (0..count)
        .filter(|entry| !has(ellipsis_mask, *entry) && !has(new_axis_mask, *entry))
        .count();
    require!(
        used <= x.rank(),
        "{used} dimensions are sliced, but 'self' has the shape {:?}",
        x.dims
    );
    // The result before axes are added and removed has the input's axes.
    let mut dims = x.dims.clone();
    let mut rules: Vec<Option<Origin>> = (0..x.rank()).map(|_| None).collect();
    let mut shape = Dims::new();
    let mut axis = 0;
    for entry in 0..count {
        if has(ellipsis_mask, entry) {
            let skipped = x.rank() - used;
            shape.extend_from_slice(&x.dims[axis..axis + skipped]);
            axis += skipped;
            continue;
        }
        if has(new_axis_mask, entry) {
            shape.push(1);
            continue;
        }
        let (size, step) = (x.dims[axis], strides[entry]);
        require!(step != 0, "strides[{entry}] is 0");
        let place = |position: i64| {
            if position < 0 {
                position.saturating_add(size)
            } else {
                position
            }
        };
        if has(shrink_axis_mask, entry) {
            let at = place(begin[entry]);
            require!(
                (0..size).contains(&at) && step > 0,
                "begin[{entry}] is {}, outside a dimension of size {size}",
                begin[entry]
            );
            dims[axis] = 1;
            rules[axis] = Some(Box::new(move |_| at));
            axis += 1;
            continue;
        }
        // Forwards positions are in 0..=size, backwards in −1..size.
        let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let first = if has(begin_mask, entry) {
            if step > 0 { low } else { high }
        } else {
            place(begin[entry]).clamp(low, high)
        };
        let last = if has(end_mask, entry) {
            if step > 0 { high } else { low }
        } else {
            place(end[entry]).clamp(low, high)
        };
        let span = if step > 0 { last - first } else { first - last };
        let by = step.saturating_abs();
        let length = if span > 0 { (span - 1) / by + 1 } else { 0 };
        dims[axis] = length;
        shape.push(length);
        if length != size || first != 0 || step != 1 {
            rules[axis] = Some(Box::new(move |place| first + place * step));
        }
        axis += 1;
    }
    shape.extend_from_slice(&x.dims[axis..]);
    expect_shape(out, &shape)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output_apart(out);
    if out.is_empty() {
        return plan.done();
    }
    let result = plan.temp(x.element(), &dims);
    if rules.iter().all(Option::is_none) {
        plan.copy(&value, &result);
    } else {
        let (batch, row, offsets) = origins(&mut plan, &value, &dims, rules);
        plan.gather(&value, batch, row, &offsets, &result);
    }
    let shaped = plan.reshape(&result, &shape);
    plan.copy(&shaped, &z);
    plan.done()
}
