//! What all functions of attention have in common: layouts, lengths, masks, and the steps.

use millpond_kernels::attention::{
    self, Band, Gradients, Inputs, LANES, ROWS, Results, Sequence, forward_lanes,
};
use millpond_kernels::{Element, map};
use smallvec::SmallVec;

use crate::plan::{Plan, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// What programs say when they mean all positions.
const ALL: i64 = i32::MAX as i64;

/// A value with the axes batch, head, row, number. The letters of a layout name its axes: T are the rows of all sequences one behind
/// the other, H the numbers of all heads. A layout without batch has one.
pub(super) fn opened(
    value: &Value,
    letters: &str,
    heads: i64,
    argument: &str,
) -> Result<Value, Refusal> {
    require!(
        value.rank() == letters.len(),
        "'{argument}' has the shape {:?}, but the layout {letters} has {} axes",
        value.dims(),
        letters.len()
    );
    let mut value = value.clone();
    let mut names: SmallVec<[char; 6]> = letters.chars().collect();
    if let Some(axis) = names.iter().position(|name| *name == 'H') {
        let numbers = value.dim(axis);
        require!(
            heads > 0 && numbers % heads == 0,
            "'{argument}' has {numbers} numbers in a row, which {heads} heads cannot share"
        );
        value = value.split(axis, numbers / heads);
        names[axis] = 'N';
        names.insert(axis + 1, 'D');
    }
    if !names.contains(&'B') {
        value = value.unsqueeze(0);
        names.insert(0, 'B');
    }
    let axis = |wanted: &[char]| names.iter().position(|name| wanted.contains(name));
    let order = [axis(&['B']), axis(&['N']), axis(&['S', 'T']), axis(&['D'])];
    match order {
        [Some(batch), Some(head), Some(row), Some(number)] => {
            Ok(value.permute(&[batch, head, row, number]))
        }
        _ => Err(Refusal::invalid(format!(
            "the layout {letters} does not name batch, head, row and number"
        ))),
    }
}

/// An input of floats as `float`, in its own layout.
pub(super) fn wide(plan: &mut Plan, tensor: &Tensor, argument: &str) -> Result<Value, Refusal> {
    let element = tensor.element();
    if !matches!(element, Element::F32 | Element::F16 | Element::BF16) {
        return Err(Refusal::unsupported(format!(
            "'{argument}' has elements of the type {element:?}: Millpond computes attention of float, float16 and bfloat16"
        )));
    }
    let value = plan.input(tensor);
    Ok(plan.cast(&value, Element::F32))
}

/// Where attention writes an output: as `float`, which `finish` converts.
pub(super) struct Target {
    /// Where the run writes.
    pub value: Value,
    result: Value,
}

impl Target {
    pub(super) fn new(plan: &mut Plan, tensor: &Tensor) -> Self {
        let result = plan.output_apart(tensor);
        let value = if result.element() == Element::F32 {
            result.clone()
        } else {
            plan.temp(Element::F32, result.dims())
        };
        Self { value, result }
    }

    pub(super) fn finish(&self, plan: &mut Plan) {
        if self.result.element() != Element::F32 {
            plan.copy(&self.value, &self.result);
        }
    }
}

/// Says something of every position: axes batch, head, row, column, of which the first three may have one element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub batch: i64,
    pub heads: i64,
    pub rows: i64,
    pub columns: i64,
}

fn positions(
    value: &Value,
    extent: Extent,
    third_is_batch: bool,
    argument: &str,
) -> Result<Value, Refusal> {
    let value = match value.rank() {
        // A row for each batch, where there is one query.
        2 if third_is_batch && extent.rows == 1 && value.dim(0) == extent.batch => {
            value.unsqueeze(1).unsqueeze(1)
        }
        2 => value.unsqueeze(0).unsqueeze(0),
        3 if third_is_batch => value.unsqueeze(1),
        3 => value.unsqueeze(0),
        4 => value.clone(),
        rank => {
            return Err(Refusal::invalid(format!(
                "'{argument}' has {rank} axes, expected 2 to 4"
            )));
        }
    };
    let dims = value.dims();
    let fits = [1, extent.batch].contains(&dims[0])
        && [1, extent.heads].contains(&dims[1])
        && (dims[2] == 1 || dims[2] >= extent.rows)
        && dims[3] >= extent.columns;
    require!(
        fits,
        "'{argument}' has the shape {dims:?}, which does not fit {extent:?}"
    );
    Ok(value)
}

/// With rows in one piece, as elements of another type.
fn in_rows(plan: &mut Plan, value: &Value, element: Element) -> Value {
    if value.element() == element && value.has_rows() {
        return value.clone();
    }
    let copy = plan.temp(element, value.dims());
    plan.copy(value, &copy);
    copy
}

/// Which positions are seen.
pub(super) struct Sight<'a> {
    pub mode: i64,
    pub before: i64,
    pub after: i64,
    pub mask: Option<&'a Tensor>,
    /// Whether a mask of three axes has one for each batch, and not for each head.
    pub third_is_batch: bool,
}

impl Sight<'_> {
    fn band(&self, end_together: bool) -> Option<Band> {
        let bound = |distance: i64| if distance >= ALL { i64::MAX } else { distance };
        let (before, after) = (bound(self.before), bound(self.after));
        (before < i64::MAX || after < i64::MAX).then_some(Band {
            before,
            after,
            end_together,
        })
    }

    pub(super) fn read(
        &self,
        plan: &mut Plan,
        extent: Extent,
    ) -> Result<(Option<Value>, Option<Band>), Refusal> {
        let Some(mask) = self.mask else {
            require!(
                self.mode == 0,
                "sparseMode is {}, which needs attenMask",
                self.mode
            );
            return Ok((None, None));
        };
        let mut hidden = || {
            let value = plan.input(mask);
            let bytes = match value.element() {
                Element::Bool | Element::U8 | Element::I8 => value.reinterpret(Element::U8),
                _ => plan.cast(&value, Element::Bool).reinterpret(Element::U8),
            };
            let bytes = positions(&bytes, extent, self.third_is_batch, "attenMask")?;
            Ok::<_, Refusal>(in_rows(plan, &bytes, Element::U8))
        };
        let causal = |end_together| Band {
            before: i64::MAX,
            after: 0,
            end_together,
        };
        // The mask that comes with modes from 2 on is the upper half of a square of a fixed size, whatever the shapes: what it
        // stands for is made here.
        Ok(match self.mode {
            0 => (Some(hidden()?), self.band(false)),
            1 => (Some(hidden()?), None),
            2 => (None, Some(causal(false))),
            3 => (None, Some(causal(true))),
            4 => (None, self.band(true)),
            mode => {
                return Err(Refusal::unsupported(format!(
                    "sparseMode is {mode}: Millpond supports modes 0 to 4"
                )));
            }
        })
    }
}

/// What is added to the scores.
pub(super) fn shift(
    plan: &mut Plan,
    tensor: &Tensor,
    extent: Extent,
    third_is_batch: bool,
) -> Result<Value, Refusal> {
    let value = plan.input(tensor);
    let value = positions(&value, extent, third_is_batch, "pseShift")?;
    Ok(in_rows(plan, &value, Element::F32))
}

/// Lengths that a program gives as an array: cumulated where sequences are packed.
pub(super) fn packed(ends: &[i64], total: i64, argument: &str) -> Result<Vec<(i64, i64)>, Refusal> {
    let mut start = 0;
    let mut made = Vec::with_capacity(ends.len());
    for end in ends {
        require!(
            *end >= start && *end <= total,
            "'{argument}' is {ends:?}: it must count up to at most {total}, the number of rows"
        );
        made.push((start, end - start));
        start = *end;
    }
    Ok(made)
}

/// Checks that heads, batches and sizes fit together.
pub(super) fn fit(query: &Value, keys: &[Value], values: &[Value]) -> Result<(), Refusal> {
    for (key, value) in keys.iter().zip(values) {
        let heads = key.dim(1);
        require!(
            heads > 0 && query.dim(1) % heads == 0 && value.dim(1) == heads,
            "{} heads of queries cannot share {heads} heads of keys and {} of values",
            query.dim(1),
            value.dim(1)
        );
        require!(
            key.dim(3) == query.dim(3),
            "queries have {} numbers and keys {}",
            query.dim(3),
            key.dim(3)
        );
        require!(
            key.dim(0) == value.dim(0) && key.dim(2) == value.dim(2),
            "keys have the shape {:?} and values {:?}: batches and rows must be equal",
            key.dims(),
            value.dims()
        );
    }
    Ok(())
}

/// Where each sequence's bits begin among those that say which shares are kept; how many there are.
pub(super) fn number_bits(sequences: &mut [Sequence], heads: i64) -> Option<usize> {
    let mut next = 0_usize;
    for sequence in sequences {
        sequence.bit = next;
        let own = heads
            .checked_mul(sequence.rows)?
            .checked_mul(sequence.columns)?;
        next = next.checked_add(usize::try_from(own).ok()?)?;
    }
    Some(next)
}

fn longest(sequences: &[Sequence]) -> i64 {
    let columns = sequences.iter().map(|sequence| sequence.columns);
    columns.max().unwrap_or(0)
}

/// Adds attention to a plan. Rows that belong to no sequence become 0. A sequence has at most `most` keys, whatever the lengths are.
pub(super) fn forward(
    plan: &mut Plan,
    inputs: Inputs<Value>,
    sequences: Vec<Sequence>,
    results: Results<Value>,
    most: i64,
) {
    let (heads, rows) = (
        inputs.query.dim(1),
        inputs.query.dim(0) * inputs.query.dim(2),
    );
    let covered: i64 = sequences.iter().map(|sequence| sequence.rows).sum();
    if covered < rows {
        plan.fill(&results.out, 0.0);
        for other in [&results.greatest, &results.sum, &results.log_sum]
            .into_iter()
            .flatten()
        {
            plan.fill(other, 0.0);
        }
    }
    let lanes = forward_lanes(&sequences, heads);
    let columns = longest(&sequences);
    let scratch = plan.temp_within(
        Element::F32,
        &[lanes, columns.saturating_mul(ROWS)],
        &[LANES, most.max(columns).saturating_mul(ROWS)],
    );
    plan.step(move |memory| {
        let inputs = inputs.map(|value| memory.view(value));
        let results = results.map(|value| memory.view(value));
        attention::forward(&inputs, &sequences, &results, &memory.view(&scratch));
    });
}

/// Adds the gradient to a plan.
pub(super) fn backward(
    plan: &mut Plan,
    inputs: Inputs<Value>,
    sequences: Vec<Sequence>,
    gradients: Gradients<Value>,
) {
    let rows = inputs.query.dim(0) * inputs.query.dim(2);
    let covered: i64 = sequences.iter().map(|sequence| sequence.rows).sum();
    if covered < rows {
        plan.fill(&gradients.d_query, 0.0);
    }
    plan.fill(&gradients.d_key, 0.0);
    plan.fill(&gradients.d_value, 0.0);
    if let Some((d_query, d_key)) = &gradients.d_ropes {
        if covered < rows {
            plan.fill(d_query, 0.0);
        }
        plan.fill(d_key, 0.0);
    }
    if let Some(d_shift) = &gradients.d_shift {
        plan.fill(d_shift, 0.0);
    }
    let units = i64::try_from(sequences.len())
        .unwrap_or(i64::MAX)
        .saturating_mul(inputs.keys[0].dim(1));
    let columns = longest(&sequences);
    let most = inputs.keys[0].dim(2).max(columns);
    let scratch = plan.temp_within(
        Element::F32,
        &[units.min(LANES), columns.saturating_mul(2 * ROWS)],
        &[LANES, most.saturating_mul(2 * ROWS)],
    );
    plan.step(move |memory| {
        let inputs = inputs.map(|value| memory.view(value));
        let gradients = gradients.map(|value| memory.view(value));
        attention::backward(&inputs, &sequences, &gradients, &memory.view(&scratch));
    });
}

/// Keys or values of a paged cache, gathered by sequence: batch, head, row, number. `pages` has the axes page, head, row, number.
pub(super) fn gathered(
    plan: &mut Plan,
    pages: &Value,
    table: &Value,
    lengths: &[i64],
    argument: &'static str,
) -> Value {
    let (heads, size, numbers) = (pages.dim(1), pages.dim(2), pages.dim(3));
    let most = lengths.iter().copied().max().unwrap_or(0);
    let batch = i64::try_from(lengths.len()).unwrap_or(0);
    let room = table.dim(1).saturating_mul(size);
    let all = plan.temp_within(
        Element::F32,
        &[batch, heads, most, numbers],
        &[batch, heads, room, numbers],
    );
    let (pages, table, into) = (pages.clone(), table.clone(), all.clone());
    let lengths = lengths.to_vec();
    plan.try_step(move |memory| {
        let (pages, table, into) = (memory.view(&pages), memory.view(&table), memory.view(&into));
        for (batch, length) in (0_i64..).zip(&lengths) {
            let own = into.select(0, batch);
            let mut start = 0;
            while start < *length {
                let part = size.min(length - start);
                let page = i64::from(table.get::<i32>(&[batch, start / size]));
                if !(0..pages.dims()[0]).contains(&page) {
                    return Err(format!(
                        "blockTable names block {page} for '{argument}', which has {}",
                        pages.dims()[0]
                    ));
                }
                let from = pages.select(0, page).narrow(1, 0, part);
                map::copy(&from, &own.narrow(1, start, part));
                start += part;
            }
        }
        Ok(())
    });
    all
}
