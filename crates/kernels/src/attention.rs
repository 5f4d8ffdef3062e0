//! Attention and its gradient.
//!
//! Queries, keys and values have the axes batch, head, row, number, in any layout, as `f32`. A run is cut into units that do not
//! depend on each other: 64 rows of one head of one sequence going forward, one head of keys going back. Units are dealt out to
//! lanes; each lane has scratch memory of its own for the scores of 64 rows. Which thread works for which lane changes nothing.
//!
//! ```text
//!   score = scale · q·kᵀ + shift      hidden where the mask or the band says so
//!   share = exp(score − max) / sum    a row that sees nothing: no shares, max is the least number, sum is 1
//!   out   = kept(share) · v
//! ```
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "chooses loops that are compiled for wide vectors"
    )
)]

use smallvec::SmallVec;

#[cfg(target_arch = "x86_64")]
use crate::map::is_wide;
use crate::matmul::product_f32 as product;
use crate::parallel;
use crate::view::View;

/// Rows of scores that are made at a time.
pub const ROWS: i64 = 64;
/// How many units are worked on at once, at most.
pub const LANES: i64 = 32;

/// Rows and columns that belong together: a sequence of a batch, or of those that are packed one behind the other.
#[derive(Debug, Clone, Copy)]
pub struct Sequence {
    /// Which batch the queries are in.
    pub batch: i64,
    /// The first query.
    pub row: i64,
    /// How many queries there are.
    pub rows: i64,
    /// Which tensor the keys are in.
    pub tensor: usize,
    /// Which batch the keys are in.
    pub key_batch: i64,
    /// The first key.
    pub column: i64,
    /// How many keys there are.
    pub columns: i64,
    /// The first bit of the mask of dropped shares.
    pub bit: usize,
}

/// Which columns a row sees: those from `before` behind it to `after` ahead of it.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    /// How far it sees back.
    pub before: i64,
    /// How far it sees ahead.
    pub after: i64,
    /// Whether the last row belongs to the last column, and not the first to the first.
    pub end_together: bool,
}

/// What attention reads: values of a plan, or the views that they are during a run.
#[derive(Debug, Clone)]
pub struct Inputs<T> {
    /// Queries.
    pub query: T,
    /// Keys: a tensor, or one for each batch.
    pub keys: SmallVec<[T; 1]>,
    /// Values, in the same way.
    pub values: SmallVec<[T; 1]>,
    /// Further numbers of queries and keys, whose products are added to the scores.
    pub ropes: Option<(T, SmallVec<[T; 1]>)>,
    /// What is added to the scores, and its factor. Rows are contiguous.
    pub shift: Option<(T, f32)>,
    /// Bytes that are not 0 where a row does not see a column. Rows are contiguous.
    pub hidden: Option<T>,
    /// Which columns rows see.
    pub band: Option<Band>,
    /// Bits that are 1 where a share is kept, in one piece, and the chance that it is.
    pub kept: Option<(T, f32)>,
    /// One score for each head that takes its share and gives nothing.
    pub sink: Option<T>,
    /// The factor of the scores.
    pub scale: f32,
}

impl<T> Inputs<T> {
    /// The same with every value replaced.
    pub fn map<U>(&self, each: impl Fn(&T) -> U) -> Inputs<U> {
        let all = |list: &SmallVec<[T; 1]>| list.iter().map(&each).collect();
        Inputs {
            query: each(&self.query),
            keys: all(&self.keys),
            values: all(&self.values),
            ropes: self
                .ropes
                .as_ref()
                .map(|(query, keys)| (each(query), all(keys))),
            shift: self
                .shift
                .as_ref()
                .map(|(shift, factor)| (each(shift), *factor)),
            hidden: self.hidden.as_ref().map(&each),
            band: self.band,
            kept: self
                .kept
                .as_ref()
                .map(|(kept, chance)| (each(kept), *chance)),
            sink: self.sink.as_ref().map(&each),
            scale: self.scale,
        }
    }
}

/// What attention writes.
#[derive(Debug, Clone)]
pub struct Results<T> {
    /// The results: batch, head, row, number.
    pub out: T,
    /// The greatest score of each row, repeated along the last axis.
    pub greatest: Option<T>,
    /// The sum of each row, in the same way.
    pub sum: Option<T>,
    /// The logarithm of the sum of the exponentials of all scores, in the same way.
    pub log_sum: Option<T>,
}

impl<T> Results<T> {
    /// The same with every value replaced.
    pub fn map<U>(&self, each: impl Fn(&T) -> U) -> Results<U> {
        Results {
            out: each(&self.out),
            greatest: self.greatest.as_ref().map(&each),
            sum: self.sum.as_ref().map(&each),
            log_sum: self.log_sum.as_ref().map(&each),
        }
    }
}

/// What the gradient reads and writes besides the inputs.
#[derive(Debug, Clone)]
pub struct Gradients<T> {
    /// The gradient of the results.
    pub d_out: T,
    /// The greatest score of each row.
    pub greatest: T,
    /// The sum of each row.
    pub sum: T,
    /// The results themselves.
    pub out: Option<T>,
    /// The gradient of the queries.
    pub d_query: T,
    /// The gradient of the keys, 0 before.
    pub d_key: T,
    /// The gradient of the values, 0 before.
    pub d_value: T,
    /// The gradients of further numbers of queries and keys, the latter 0 before.
    pub d_ropes: Option<(T, T)>,
    /// The gradient of the shift: batch, head, row, column.
    pub d_shift: Option<T>,
    /// The gradient of the sinks: sequence, head.
    pub d_sink: Option<T>,
}

impl<T> Gradients<T> {
    /// The same with every value replaced.
    pub fn map<U>(&self, each: impl Fn(&T) -> U) -> Gradients<U> {
        Gradients {
            d_out: each(&self.d_out),
            greatest: each(&self.greatest),
            sum: each(&self.sum),
            out: self.out.as_ref().map(&each),
            d_query: each(&self.d_query),
            d_key: each(&self.d_key),
            d_value: each(&self.d_value),
            d_ropes: self
                .d_ropes
                .as_ref()
                .map(|(query, key)| (each(query), each(key))),
            d_shift: self.d_shift.as_ref().map(&each),
            d_sink: self.d_sink.as_ref().map(&each),
        }
    }
}

/// How many lanes a run has going forward.
pub fn forward_lanes(sequences: &[Sequence], heads: i64) -> i64 {
    let blocks = |sequence: &Sequence| (sequence.rows + ROWS - 1) / ROWS;
    let blocks: i64 = sequences.iter().map(blocks).sum();
    blocks.saturating_mul(heads).min(LANES)
}

/// Rows of one head, in all that they need.
struct Block<'a> {
    inputs: &'a Inputs<View>,
    sequence: &'a Sequence,
    head: i64,
    /// Which rows of the sequence.
    first: i64,
    rows: i64,
    /// Which columns any of them sees.
    low: i64,
    high: i64,
}

impl<'a> Block<'a> {
    fn new(inputs: &'a Inputs<View>, sequence: &'a Sequence, head: i64, first: i64) -> Self {
        let rows = ROWS.min(sequence.rows - first);
        let mut block = Self {
            inputs,
            sequence,
            head,
            first,
            rows,
            low: 0,
            high: sequence.columns,
        };
        let (low, _) = block.seen(0);
        let (_, high) = block.seen(rows - 1);
        (block.low, block.high) = (low, high.max(low));
        block
    }

    /// The columns that the band shows to a row of the block.
    fn seen(&self, row: i64) -> (i64, i64) {
        let columns = self.sequence.columns;
        let Some(band) = self.inputs.band else {
            return (0, columns);
        };
        let shift = if band.end_together {
            columns - self.sequence.rows
        } else {
            0
        };
        let place = self.first + row + shift;
        let low = place.saturating_sub(band.before).clamp(0, columns);
        let high = place
            .saturating_add(band.after)
            .saturating_add(1)
            .clamp(0, columns);
        (low, high)
    }

    fn columns(&self) -> i64 {
        self.high - self.low
    }

    /// The rows of something that has the axes of queries.
    fn own_rows(&self, view: &View) -> View {
        let all = view.select(0, self.sequence.batch).select(0, self.head);
        all.narrow(0, self.sequence.row + self.first, self.rows)
    }

    /// The columns of something that has the axes of keys.
    fn own_columns(&self, views: &[View]) -> View {
        let view = &views[self.sequence.tensor];
        let group = self.inputs.query.dims()[1] / view.dims()[1].max(1);
        let all = view
            .select(0, self.sequence.key_batch)
            .select(0, self.head / group.max(1));
        all.narrow(0, self.sequence.column + self.low, self.columns())
    }

    /// The part of a row of something that has an axis of columns.
    fn along(&self, view: &View, row: i64) -> View {
        let pick = |axis: usize, position: i64| if view.dims()[axis] == 1 { 0 } else { position };
        let (batch, head, row) = (
            pick(0, self.sequence.batch),
            pick(1, self.head),
            pick(2, self.first + row),
        );
        let all = view.select(0, batch).select(0, head).select(0, row);
        all.narrow(0, self.low, self.columns())
    }

    /// Products of queries and keys, not scaled.
    fn products(&self, into: &View) {
        let turned = |views: &[View]| self.own_columns(views).transpose(0, 1);
        let query = self.own_rows(&self.inputs.query);
        product(&query, &turned(&self.inputs.keys), into, 1.0, false);
        if let Some((query, keys)) = &self.inputs.ropes {
            product(&self.own_rows(query), &turned(keys), into, 1.0, true);
        }
    }

    /// Makes the scores of a row from products: the columns from and to which it has any, and what is hidden of them is −∞.
    fn scores(&self, row: i64, scores: &mut [f32]) -> (usize, usize) {
        let (low, high) = self.seen(row);
        let place = |column: i64| usize::try_from(column - self.low).unwrap_or(0);
        let (start, end) = (place(low), place(high.max(low)));
        let scale = self.inputs.scale;
        match &self.inputs.shift {
            Some((shift, factor)) => {
                let shift = self.along(shift, row);
                let shift = shift.slice::<f32>().unwrap_or_default();
                for (score, shift) in scores.iter_mut().zip(shift) {
                    *score = *score * scale + shift * factor;
                }
            }
            None => scores.iter_mut().for_each(|score| *score *= scale),
        }
        if let Some(hidden) = &self.inputs.hidden {
            let hidden = self.along(hidden, row);
            let hidden = hidden.slice::<u8>().unwrap_or_default();
            for (score, hidden) in scores.iter_mut().zip(hidden) {
                *score = if *hidden == 0 {
                    *score
                } else {
                    f32::NEG_INFINITY
                };
            }
        }
        scores[..start].fill(f32::NEG_INFINITY);
        scores[end..].fill(f32::NEG_INFINITY);
        (start, end)
    }

    /// Calls `each` with every number of a row and whether it is kept.
    fn kept(&self, row: i64, bits: &View, numbers: &mut [f32], each: impl Fn(&mut f32, bool)) {
        let bits = bits.slice::<u8>().unwrap_or_default();
        let size = |number: i64| usize::try_from(number).unwrap_or(0);
        let (rows, columns) = (size(self.sequence.rows), size(self.sequence.columns));
        let line = size(self.head) * rows + size(self.first + row);
        let first = self.sequence.bit + line * columns + size(self.low);
        for (index, number) in numbers.iter_mut().enumerate() {
            let bit = first + index;
            each(number, bits[bit / 8] >> (bit % 8) & 1 == 1);
        }
    }

    fn sink(&self) -> Option<f32> {
        self.inputs
            .sink
            .as_ref()
            .map(|sink| sink.get::<f32>(&[self.head]))
    }

    /// Writes a number of a row everywhere along the last axis.
    fn note(&self, view: Option<&View>, row: i64, number: f32) {
        let Some(view) = view else { return };
        let (batch, row) = (self.sequence.batch, self.sequence.row + self.first + row);
        for place in 0..view.dims()[3] {
            view.set(&[batch, self.head, row, place], number);
        }
    }

    fn noted(&self, view: &View, row: i64) -> f32 {
        let row = self.sequence.row + self.first + row;
        view.get(&[self.sequence.batch, self.head, row, 0])
    }
}

/// A matrix in the scratch memory of a lane, behind `skip` numbers.
fn matrix(scratch: &View, lane: i64, skip: i64, rows: i64, columns: i64) -> View {
    let own = scratch.select(0, lane);
    own.narrow(0, skip, rows * columns)
        .reshape(&[rows, columns])
}

fn zero(matrix: &View) {
    for row in 0..matrix.dims()[0] {
        for column in 0..matrix.dims()[1] {
            matrix.set(&[row, column], 0.0_f32);
        }
    }
}

/// Attention. `scratch` has an axis of lanes, and for each 64 times as many numbers as the longest sequence has columns.
pub fn forward(
    inputs: &Inputs<View>,
    sequences: &[Sequence],
    results: &Results<View>,
    scratch: &View,
) {
    let heads = inputs.query.dims()[1];
    deal(scratch, |lane, take| {
        for sequence in sequences {
            for head in 0..heads {
                let mut first = 0;
                while first < sequence.rows {
                    if take() {
                        let block = Block::new(inputs, sequence, head, first);
                        forward_block(&block, results, scratch, lane);
                    }
                    first += ROWS;
                }
            }
        }
    });
}

/// Runs `each` for every lane, with a function that says whether the next unit is the lane's.
fn deal(scratch: &View, each: impl Fn(i64, &mut dyn FnMut() -> bool) + Sync) {
    let lanes = scratch.dims()[0];
    parallel::ranges(usize::try_from(lanes).unwrap_or(0), 1, |range| {
        for lane in range {
            let lane = i64::try_from(lane).unwrap_or(0);
            let mut number = 0;
            each(lane, &mut || {
                let own = number % lanes == lane;
                number += 1;
                own
            });
        }
    });
}

fn forward_block(block: &Block<'_>, results: &Results<View>, scratch: &View, lane: i64) {
    let columns = block.columns();
    let width = usize::try_from(columns).unwrap_or(0);
    let scores = matrix(scratch, lane, 0, block.rows, columns);
    if columns > 0 {
        block.products(&scores);
    }
    let Some(shares) = scores.slice_mut::<f32>() else {
        return;
    };
    for row in 0..block.rows {
        let shares = &mut shares[usize::try_from(row).unwrap_or(0) * width..][..width];
        let (greatest, sum) = soften(block, row, shares);
        block.note(results.greatest.as_ref(), row, greatest);
        block.note(results.sum.as_ref(), row, sum);
        let log_sum = if greatest > f32::MIN || greatest.is_nan() {
            greatest + sum.ln()
        } else {
            f32::NEG_INFINITY
        };
        block.note(results.log_sum.as_ref(), row, log_sum);
        if let Some((bits, chance)) = &block.inputs.kept {
            let raised = 1.0 / (sum * chance);
            block.kept(row, bits, shares, |share, kept| {
                *share = if kept { *share * raised } else { 0.0 };
            });
        } else {
            let part = 1.0 / sum;
            for share in shares.iter_mut() {
                *share *= part;
            }
        }
    }
    let out = block.own_rows(&results.out);
    if columns == 0 {
        return zero(&out);
    }
    let values = block.own_columns(&block.inputs.values);
    product(&scores, &values, &out, 1.0, false);
}

/// Turns the products of a row into exponentials; the greatest score and the sum.
fn soften(block: &Block<'_>, row: i64, scores: &mut [f32]) -> (f32, f32) {
    let (start, end) = block.scores(row, scores);
    let mut greatest = greatest(&scores[start..end]);
    let sink = block.sink();
    if let Some(sink) = sink {
        greatest = greatest.max(sink);
    }
    if greatest == f32::NEG_INFINITY {
        if scores.iter().any(|score| score.is_nan()) {
            greatest = f32::NAN;
        } else {
            scores.fill(0.0);
            return (f32::MIN, 1.0);
        }
    }
    scores[..start].fill(0.0);
    scores[end..].fill(0.0);
    let sum = exponentials(&mut scores[start..end], greatest, 1.0);
    (
        greatest,
        sum + sink.map_or(0.0, |sink| (sink - greatest).exp()),
    )
}

/// The gradient. `scratch` has an axis of lanes, and for each 128 times as many numbers as the longest sequence has columns.
pub fn backward(
    inputs: &Inputs<View>,
    sequences: &[Sequence],
    gradients: &Gradients<View>,
    scratch: &View,
) {
    let heads = inputs.query.dims()[1];
    let key_heads = inputs.keys[0].dims()[1];
    let group = heads / key_heads.max(1);
    deal(scratch, |lane, take| {
        for (number, sequence) in sequences.iter().enumerate() {
            for key_head in 0..key_heads {
                if !take() {
                    continue;
                }
                for head in key_head * group..(key_head + 1) * group {
                    let mut d_sink = 0.0;
                    let mut first = 0;
                    while first < sequence.rows {
                        let block = Block::new(inputs, sequence, head, first);
                        d_sink += backward_block(&block, gradients, scratch, lane);
                        first += ROWS;
                    }
                    if let Some(view) = &gradients.d_sink {
                        view.set(&[i64::try_from(number).unwrap_or(0), head], d_sink);
                    }
                }
            }
        }
    });
}

fn backward_block(
    block: &Block<'_>,
    gradients: &Gradients<View>,
    scratch: &View,
    lane: i64,
) -> f32 {
    let inputs = block.inputs;
    let (rows, columns) = (block.rows, block.columns());
    let width = usize::try_from(columns).unwrap_or(0);
    let d_query = block.own_rows(&gradients.d_query);
    let share_matrix = matrix(scratch, lane, 0, rows, columns);
    let score_matrix = matrix(scratch, lane, rows * columns, rows, columns);
    let d_out = block.own_rows(&gradients.d_out);
    if columns > 0 {
        block.products(&share_matrix);
        let values = block.own_columns(&inputs.values).transpose(0, 1);
        product(&d_out, &values, &score_matrix, 1.0, false);
    }
    let all = (
        share_matrix.slice_mut::<f32>(),
        score_matrix.slice_mut::<f32>(),
    );
    let (Some(shares), Some(d_scores)) = all else {
        return 0.0;
    };
    let out = gradients.out.as_ref().map(|out| block.own_rows(out));
    let mut d_sink = 0.0;
    for row in 0..rows {
        let start = usize::try_from(row).unwrap_or(0) * width;
        let shares = &mut shares[start..][..width];
        let d_scores = &mut d_scores[start..][..width];
        let (greatest, sum) = (
            block.noted(&gradients.greatest, row),
            block.noted(&gradients.sum, row),
        );
        let (low, high) = block.scores(row, shares);
        shares[..low].fill(0.0);
        shares[high..].fill(0.0);
        exponentials(&mut shares[low..high], greatest, 1.0 / sum);
        if let Some((bits, chance)) = &inputs.kept {
            let raised = 1.0 / chance;
            block.kept(row, bits, d_scores, |number, kept| {
                *number = if kept { *number * raised } else { 0.0 };
            });
        }
        // What the shares of a row have in common: they add up to 1.
        let common = match &out {
            Some(out) => dot(&d_out.select(0, row), &out.select(0, row)),
            None => shares.iter().zip(&*d_scores).map(|(a, b)| a * b).sum(),
        };
        for (number, share) in d_scores.iter_mut().zip(&*shares) {
            // Where nothing is shared there is no gradient, whatever the values are.
            *number = if *share == 0.0 {
                0.0
            } else {
                share * (*number - common)
            };
        }
        if let Some(sink) = block.sink() {
            d_sink -= (sink - greatest).exp() / sum * common;
        }
        if let Some((bits, chance)) = &inputs.kept {
            let raised = 1.0 / chance;
            block.kept(row, bits, shares, |share, kept| {
                *share = if kept { *share * raised } else { 0.0 };
            });
        }
        if let (Some(d_shift), Some((_, factor))) = (&gradients.d_shift, &inputs.shift) {
            let along = block.along(d_shift, row);
            let numbers = (0_i64..).zip(&*d_scores);
            numbers.for_each(|(column, number)| along.set(&[column], number * factor));
        }
    }
    if columns == 0 {
        zero(&d_query);
        if let Some((d_query, _)) = &gradients.d_ropes {
            zero(&block.own_rows(d_query));
        }
        return d_sink;
    }
    let own_columns = |view: &View| {
        let alone = [view.clone()];
        let sequence = Sequence {
            tensor: 0,
            ..*block.sequence
        };
        Block {
            sequence: &sequence,
            ..*block
        }
        .own_columns(&alone)
    };
    let (scale, turned) = (inputs.scale, score_matrix.transpose(0, 1));
    product(
        &share_matrix.transpose(0, 1),
        &d_out,
        &own_columns(&gradients.d_value),
        1.0,
        true,
    );
    let keys = block.own_columns(&inputs.keys);
    product(&score_matrix, &keys, &d_query, scale, false);
    let query = block.own_rows(&inputs.query);
    product(&turned, &query, &own_columns(&gradients.d_key), scale, true);
    if let (Some((d_query, d_key)), Some((query, keys))) = (&gradients.d_ropes, &inputs.ropes) {
        product(
            &score_matrix,
            &block.own_columns(keys),
            &block.own_rows(d_query),
            scale,
            false,
        );
        product(
            &turned,
            &block.own_rows(query),
            &own_columns(d_key),
            scale,
            true,
        );
    }
    d_sink
}

fn dot(a: &View, b: &View) -> f32 {
    match (a.slice::<f32>(), b.slice::<f32>()) {
        (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum(),
        _ => (0..a.dims()[0])
            .map(|index| a.get::<f32>(&[index]) * b.get::<f32>(&[index]))
            .sum(),
    }
}

/// How many numbers loops take at a time, so that they become vectors.
const WIDTH: usize = 8;

/// The greatest number; −∞ if there is none. NaN are passed over.
fn greatest(numbers: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; WIDTH];
    let chunks = numbers.chunks_exact(WIDTH);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = if *number > *lane { *number } else { *lane };
        }
    }
    lanes
        .iter()
        .chain(rest)
        .fold(f32::NEG_INFINITY, |a, b| a.max(*b))
}

/// Replaces each number by `factor · exp(number − minus)`; the sum.
fn exponentials(numbers: &mut [f32], minus: f32, factor: f32) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: the machine has these instructions.
        return unsafe { exponentials_wide(numbers, minus, factor) };
    }
    exponentials_plain(numbers, minus, factor)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn exponentials_wide(numbers: &mut [f32], minus: f32, factor: f32) -> f32 {
    exponentials_plain(numbers, minus, factor)
}

#[inline(always)]
fn exponentials_plain(numbers: &mut [f32], minus: f32, factor: f32) -> f32 {
    let mut lanes = [0.0_f32; WIDTH];
    let mut chunks = numbers.chunks_exact_mut(WIDTH);
    for chunk in &mut chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *number = exp(*number - minus) * factor;
            *lane += *number;
        }
    }
    let mut sum: f32 = lanes.iter().sum();
    for number in chunks.into_remainder() {
        *number = exp(*number - minus) * factor;
        sum += *number;
    }
    sum
}

/// e^x without branches, so that a loop over it becomes vectors. Off by one in the last place at most two; 0 below e^−87.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this leaves the integer part in the lowest bits.
    const LARGE: f32 = 12_582_912.0;
    // ln 2 in two parts: products of the first with small integers are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let shifted = x * std::f32::consts::LOG2_E + LARGE;
    let whole = shifted - LARGE;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut series = 1.0 / 5040.0;
    for divisor in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0_f32] {
        series = series * rest + 1.0 / divisor;
    }
    let exponent = shifted.to_bits().wrapping_sub(LARGE.to_bits());
    let power = f32::from_bits(exponent.wrapping_add(127) << 23);
    let result = series * power;
    let result = if x < -87.0 { 0.0 } else { result };
    if x > 88.0 { f32::INFINITY } else { result }
}

#[cfg(test)]
mod tests {
    use super::{exp, exponentials, exponentials_plain, greatest};

    #[test]
    fn exponentials_are_close() {
        let mut x = -86.9_f32;
        while x < 88.0 {
            let (got, want) = (f64::from(exp(x)), f64::from(x).exp());
            assert!(((got - want) / want).abs() < 3e-7, "{x}: {got} {want}");
            x += 0.0137;
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn wide_and_plain_loops_agree() {
        let numbers: Vec<f32> = (0..37_u8).map(|n| f32::from(n) * -0.7).collect();
        let (mut one, mut other) = (numbers.clone(), numbers);
        let sums = (
            exponentials(&mut one, 0.5, 2.0),
            exponentials_plain(&mut other, 0.5, 2.0),
        );
        assert_eq!(sums.0.to_bits(), sums.1.to_bits());
        assert_eq!(one, other);
    }

    #[test]
    fn the_greatest_of_many() {
        let mut numbers = vec![f32::NAN; 19];
        numbers[17] = 3.0;
        numbers[4] = -2.0;
        assert_eq!(greatest(&numbers), 3.0);
        assert_eq!(greatest(&[]), f32::NEG_INFINITY);
    }
}
