//! Recurrent networks: LSTM and GRU with layers, directions and packed sequences, and their gradients.
//!
//! Rows of all times lie one behind the other: those of time `t` begin at `starts[t]`. A sequence that ends early has no row at later
//! times, so the first rows of each time belong to the longest sequences.

use millpond_kernels::{Complex64, Element, map, matmul};

use super::moe::{Staged, expect_dims, flat, size, slice, slice_mut, whole};
use crate::indexing::expect_integers;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

const ONE: Complex64 = Complex64::new(1.0, 0.0);

/// What all four functions are given.
struct Network<'a> {
    input: &'a Tensor,
    params: &'a [&'a Tensor],
    sizes: Option<&'a Tensor>,
    biased: bool,
    layers: i64,
    both: bool,
    batch_first: bool,
    /// How many gates there are: 4 for LSTM, 3 for GRU.
    gates: i64,
}

/// Sizes of a network, and where its rows begin.
#[derive(Clone)]
struct Frame {
    times: i64,
    batch: i64,
    rows: i64,
    hidden: i64,
    directions: i64,
    layers: i64,
    packed: bool,
    /// For each time, where its rows begin; one more for the end.
    starts: Value,
}

/// The weights of a layer in one direction.
struct Weights {
    input: Value,
    hidden: Value,
    biases: Option<(Value, Value)>,
}

fn expect_computable(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    if matches!(
        tensor.element(),
        Element::F32 | Element::F16 | Element::BF16
    ) {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "'{argument}' has the type {}, but float, float16 or bfloat16 is expected",
        tensor.element().name()
    )))
}

impl Network<'_> {
    fn is_packed(&self) -> bool {
        self.sizes.is_some_and(|sizes| !sizes.is_empty())
    }

    fn directions(&self) -> i64 {
        if self.both { 2 } else { 1 }
    }

    /// The sizes; `states` is the initial state, whose shape says how many sequences there are.
    fn frame(&self, plan: &mut Plan, states: &Tensor, argument: &str) -> Result<Frame, Refusal> {
        require!(
            self.layers > 0,
            "'numLayers' is {}, it must be positive",
            self.layers
        );
        let directions = self.directions();
        let each = if self.biased { 4 } else { 2 };
        let expected = self.layers.saturating_mul(directions * each);
        require!(
            whole(self.params.len()) == expected,
            "'params' has {} tensors, but {expected} are expected: {each} for each layer and direction",
            self.params.len()
        );
        expect_computable(self.input, "input")?;
        for param in self.params {
            expect_computable(param, "params")?;
        }
        let packed = self.is_packed();
        let rank = if packed { 2 } else { 3 };
        require!(
            self.input.rank() == rank,
            "'input' has the shape {:?}, but {rank} dimensions are expected",
            self.input.dims
        );
        require!(
            self.params[1].rank() == 2,
            "'params' has a tensor of shape {:?} at position 1, but a matrix is expected",
            self.params[1].dims
        );
        let hidden = self.params[1].dims[1];
        require!(
            states.rank() == 3,
            "'{argument}' has the shape {:?}, but 3 dimensions are expected",
            states.dims
        );
        let batch = states.dims[1];
        let (times, rows) = match self.sizes {
            Some(sizes) if packed => {
                expect_integers(sizes, "batchSizes")?;
                require!(
                    sizes.rank() == 1,
                    "'batchSizes' has the shape {:?}, but one dimension is expected",
                    sizes.dims
                );
                require!(
                    !self.batch_first,
                    "'batchFirst' is true, but packed sequences are ordered by time; pass false"
                );
                (sizes.dims[0], self.input.dims[0])
            }
            _ => {
                let (first, second) = (self.input.dims[0], self.input.dims[1]);
                let (times, own) = if self.batch_first {
                    (second, first)
                } else {
                    (first, second)
                };
                require!(
                    own == batch,
                    "'input' has {own} sequences, but '{argument}' has {batch}"
                );
                (times, times.saturating_mul(batch))
            }
        };
        expect_dims(states, &[self.layers * directions, batch, hidden], argument)?;
        for layer in 0..self.layers {
            let width = self.width(layer, hidden);
            for direction in 0..directions {
                let first = size((layer * directions + direction) * each);
                let tall = self.gates * hidden;
                expect_dims(self.params[first], &[tall, width], "params")?;
                expect_dims(self.params[first + 1], &[tall, hidden], "params")?;
                for bias in &self.params[first + 2..first + size(each)] {
                    expect_dims(bias, &[tall], "params")?;
                }
            }
        }
        let starts = plan.temp(Element::I64, &[times + 1]);
        let out = starts.clone();
        match self.sizes {
            Some(sizes) if packed => {
                let sizes = flat(plan, sizes, Element::I64, &[times]);
                plan.try_step(move |m| {
                    let (sizes, out) = (m.view(&sizes), m.view(&out));
                    let starts = slice_mut::<i64>(&out);
                    let (mut sum, mut before) = (0, batch);
                    starts[0] = 0;
                    for (count, start) in slice::<i64>(&sizes).iter().zip(&mut starts[1..]) {
                        if *count < 1 || *count > before {
                            return Err(format!(
                                "'batchSizes' has {count}, but after {before} a number from 1 to {before} is expected"
                            ));
                        }
                        sum += *count;
                        (before, *start) = (*count, sum);
                    }
                    if sum == rows {
                        return Ok(());
                    }
                    Err(format!(
                        "'batchSizes' adds up to {sum}, but 'input' has {rows} rows"
                    ))
                });
            }
            _ => plan.step(move |m| {
                map::generate::<i64>(&m.view(&out), |time| whole(time) * batch);
            }),
        }
        Ok(Frame {
            times,
            batch,
            rows,
            hidden,
            directions,
            layers: self.layers,
            packed,
            starts,
        })
    }

    /// How many numbers each row has that a layer reads.
    fn width(&self, layer: i64, hidden: i64) -> i64 {
        if layer == 0 {
            self.input.dims.last().copied().unwrap_or(0)
        } else {
            self.directions() * hidden
        }
    }

    /// A tensor that lies as the input does, with its rows by time.
    fn by_time(&self, value: &Value) -> Value {
        if self.batch_first {
            value.transpose(0, 1)
        } else {
            value.clone()
        }
    }

    /// The rows of a tensor that lies as the input does.
    fn rows(&self, plan: &mut Plan, tensor: &Tensor, frame: &Frame, width: i64) -> Value {
        let value = plan.input(tensor);
        let value = plan.contiguous(&self.by_time(&value), Element::F32);
        plan.reshape(&value, &[frame.rows, width])
    }

    /// The shape of what lies as the input does, with `width` numbers in each row.
    fn like_input(&self, frame: &Frame, width: i64) -> Vec<i64> {
        match (frame.packed, self.batch_first) {
            (true, _) => vec![frame.rows, width],
            (false, true) => vec![frame.batch, frame.times, width],
            (false, false) => vec![frame.times, frame.batch, width],
        }
    }

    fn weights(&self, plan: &mut Plan, frame: &Frame) -> Vec<Weights> {
        let each = if self.biased { 4 } else { 2 };
        let tall = self.gates * frame.hidden;
        let mut all = Vec::new();
        for (number, params) in self.params.chunks(each).enumerate() {
            let width = self.width(whole(number) / frame.directions, frame.hidden);
            let biases = self.biased.then(|| {
                (
                    flat(plan, params[2], Element::F32, &[tall]),
                    flat(plan, params[3], Element::F32, &[tall]),
                )
            });
            all.push(Weights {
                input: flat(plan, params[0], Element::F32, &[tall, width]),
                hidden: flat(plan, params[1], Element::F32, &[tall, frame.hidden]),
                biases,
            });
        }
        all
    }
}

impl Frame {
    fn count(&self) -> i64 {
        self.layers * self.directions
    }

    /// How many rows a list keeps: one for each row, or one for each time and sequence.
    fn kept_rows(&self, tensor: &Tensor) -> Option<i64> {
        let kept = whole(tensor.count());
        let even = self.times.checked_mul(self.batch)?;
        if tensor.dims.last() != Some(&self.hidden) && !tensor.is_empty() {
            return None;
        }
        [self.rows, even]
            .into_iter()
            .find(|rows| rows.checked_mul(self.hidden) == Some(kept))
    }

    /// Checks a list of what each layer and direction keeps; how many rows its tensors have.
    fn check_kept(&self, list: &[&Tensor], argument: &str) -> Result<i64, Refusal> {
        require!(
            whole(list.len()) == self.count(),
            "'{argument}' has {} tensors, but {} are expected: one for each layer and direction",
            list.len(),
            self.count()
        );
        let mut rows = self.rows;
        for tensor in list {
            expect_computable(tensor, argument)?;
            rows = self.kept_rows(tensor).ok_or_else(|| {
                Refusal::invalid(format!(
                    "'{argument}' has a tensor of shape {:?}, but [{}, {}, {}] is expected",
                    tensor.dims, self.times, self.batch, self.hidden
                ))
            })?;
        }
        Ok(rows)
    }
}

/// Where the rows of each time are, during a run.
struct Times<'a> {
    starts: &'a [i64],
    batch: usize,
    /// Whether what is kept has a row for each time and sequence, even if the sequence has ended.
    padded: bool,
}

impl Times<'_> {
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn start(&self, time: usize) -> usize {
        size(self.starts[time])
    }

    fn sequences(&self, time: usize) -> usize {
        size(self.starts[time + 1] - self.starts[time])
    }

    /// The row of what is kept for a sequence at a time.
    fn kept(&self, time: usize, sequence: usize) -> usize {
        if self.padded {
            time * self.batch + sequence
        } else {
            self.start(time) + sequence
        }
    }

    /// The time whose state a sequence had before; `None`: the initial one.
    fn before(&self, time: usize, sequence: usize, reverse: bool) -> Option<usize> {
        if !reverse {
            return time.checked_sub(1);
        }
        let next = time + 1;
        (next < self.count() && sequence < self.sequences(next)).then_some(next)
    }

    /// All times in the order in which states pass through them.
    fn in_order(&self, reverse: bool) -> impl Iterator<Item = usize> + use<> {
        let count = self.count();
        (0..count).map(move |number| if reverse { count - 1 - number } else { number })
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Adds a vector to each row.
fn add_row(plan: &mut Plan, row: &Value, to: &Value) {
    let (row, to) = (row.clone(), to.clone());
    plan.step(move |m| {
        let to = m.view(&to);
        map::map2::<f32, f32, f32>(&to, &m.view(&row), &to, |x, y| x + y);
    });
}

/// Rows that a step keeps for the gradient, and where they go.
struct Kept {
    work: Vec<Option<Value>>,
    stages: Vec<(Value, Value)>,
}

impl Kept {
    /// One tensor of each list that is not empty.
    fn of(
        plan: &mut Plan,
        frame: &Frame,
        lists: &[(&[&Tensor], bool)],
        number: usize,
    ) -> Result<Self, Refusal> {
        let (mut work, mut stages) = (Vec::new(), Vec::new());
        for (list, wanted) in lists {
            let tensor = list.get(number).filter(|_| *wanted);
            let Some(tensor) = tensor else {
                work.push(None);
                continue;
            };
            let rows = frame.kept_rows(tensor).unwrap_or(0);
            let value = plan.temp(Element::F32, &[rows, frame.hidden]);
            let target = plan.output_apart(tensor);
            let shaped = value
                .reshaped(target.dims())
                .ok_or_else(|| Refusal::invalid("the stored states are not contiguous"))?;
            stages.push((shaped, target));
            work.push(Some(value));
        }
        Ok(Self { work, stages })
    }

    fn deliver(self, plan: &mut Plan) {
        for (from, to) in &self.stages {
            plan.copy(from, to);
        }
    }
}

/// Which lists are written: all that are not empty while training; afterwards those whose shape fits.
fn wanted<'a>(
    frame: &Frame,
    lists: &[(&'a [&'a Tensor], &str)],
    train: bool,
    argument: &str,
) -> Result<(Vec<(&'a [&'a Tensor], bool)>, bool), Refusal> {
    let (mut all, mut rows) = (Vec::new(), None);
    for (list, name) in lists {
        if list.is_empty() {
            require!(
                !train,
                "'{name}' is an empty list, but '{argument}' is true, so it is written"
            );
            all.push((*list, false));
            continue;
        }
        let own = match frame.check_kept(list, name) {
            Ok(own) => own,
            Err(refusal) if train => return Err(refusal),
            Err(_) => {
                all.push((*list, false));
                continue;
            }
        };
        require!(
            rows.is_none_or(|rows| rows == own),
            "'{name}' has {own} rows, but the lists before it have {rows:?}"
        );
        rows = Some(own);
        all.push((*list, true));
    }
    let padded = rows.is_some_and(|rows| rows != frame.rows);
    Ok((all, padded))
}

fn no_dropout(dropout: f64, train: bool, layers: i64) -> Result<(), Refusal> {
    if train && dropout != 0.0 && layers > 1 {
        return Err(Refusal::unsupported(format!(
            "'dropout' is {dropout} while training, but the function has no seed, and Millpond does not support dropout here; pass 0"
        )));
    }
    Ok(())
}

/// The layers and directions, one after the other. `cell` computes one of them: number, weights, products with the input, state, where
/// results go, whether it runs backwards.
struct Pass {
    x: Value,
    out: Value,
}

impl Pass {
    fn next(plan: &mut Plan, frame: &Frame, x: Value) -> Self {
        let out = plan.temp(Element::F32, &[frame.rows, frame.directions * frame.hidden]);
        Self { x, out }
    }
}

/// The rows that a layer's input gives to its gates.
fn products(plan: &mut Plan, x: &Value, weights: &Weights) -> Result<Value, Refusal> {
    let gates = plan.temp(Element::F32, &[x.dim(0), weights.input.dim(0)]);
    plan.matmul_into(x, &weights.input.transpose(0, 1), &gates, ONE, false)?;
    if let Some((bias, _)) = &weights.biases {
        add_row(plan, bias, &gates);
    }
    Ok(gates)
}

/// A copy of one layer's and direction's initial state, which the run changes.
fn initial(plan: &mut Plan, states: &Value, number: i64) -> Value {
    let state = plan.temp(Element::F32, &states.dims()[1..]);
    plan.copy(&states.select(0, number), &state);
    state
}

/// `state · hidden-weightsᵀ` for the first `count` sequences, added to `into` or written there.
fn with_state(
    m: &Memory<'_>,
    state: &Value,
    weights: &Value,
    into: &Value,
    start: usize,
    count: usize,
    add: bool,
) {
    let (state, weights, into) = (m.view(state), m.view(weights), m.view(into));
    let count = whole(count);
    matmul::matmul_add(
        &state.narrow(0, 0, count),
        &weights.transpose(0, 1),
        &into.narrow(0, whole(start), count),
        ONE,
        add,
    );
}

/// Writes the last layer's results and shapes.
fn finish(plan: &mut Plan, network: &Network<'_>, frame: &Frame, rows: &Value, out: &Value) {
    let target = network.by_time(out);
    let shaped = plan.reshape(rows, target.dims());
    debug_assert_eq!(shaped.count(), size(frame.rows * rows.dim(1)));
    plan.copy(&shaped, &target);
}

/// An LSTM network.
pub(crate) fn lstm(call: table::LSTM<'_>) -> Planned {
    let network = Network {
        input: call.input,
        params: call.params,
        sizes: call.batch_sizes,
        biased: call.has_biases,
        layers: call.num_layers,
        both: call.bidirectional,
        batch_first: call.batch_first,
        gates: 4,
    };
    no_dropout(call.dropout, call.train, call.num_layers)?;
    require!(
        call.hx.len() == 2,
        "'hx' has {} tensors, but 2 are expected: hidden states and cell states",
        call.hx.len()
    );
    let mut plan = Plan::new();
    let frame = network.frame(&mut plan, call.hx[0], "hx")?;
    for state in call.hx {
        expect_computable(state, "hx")?;
    }
    expect_dims(call.hx[1], &call.hx[0].dims, "hx")?;
    let wide = frame.directions * frame.hidden;
    expect_computable(call.output, "output")?;
    expect_dims(call.output, &network.like_input(&frame, wide), "output")?;
    for (tensor, argument) in [(call.hy, "hy"), (call.cy, "cy")] {
        expect_computable(tensor, argument)?;
        expect_dims(tensor, &call.hx[0].dims, argument)?;
    }
    let (lists, padded) = wanted(
        &frame,
        &[
            (call.i, "i"),
            (call.j, "j"),
            (call.f, "f"),
            (call.o, "o"),
            (call.h, "h"),
            (call.c, "c"),
            (call.tanh_c, "tanhC"),
        ],
        call.train,
        "train",
    )?;
    let weights = network.weights(&mut plan, &frame);
    let states = [0, 1].map(|number: usize| plan.input(call.hx[number]));
    let mut x = network.rows(
        &mut plan,
        call.input,
        &frame,
        network.width(0, frame.hidden),
    );
    let (out, hy, cy) = (
        plan.output_apart(call.output),
        plan.output_apart(call.hy),
        plan.output_apart(call.cy),
    );
    for layer in 0..frame.layers {
        let pass = Pass::next(&mut plan, &frame, x);
        for direction in 0..frame.directions {
            let number = layer * frame.directions + direction;
            let own = &weights[size(number)];
            let gates = products(&mut plan, &pass.x, own)?;
            if let Some((_, bias)) = &own.biases {
                add_row(&mut plan, bias, &gates);
            }
            let h = initial(&mut plan, &states[0], number);
            let c = initial(&mut plan, &states[1], number);
            let kept = Kept::of(&mut plan, &frame, &lists, size(number))?;
            lstm_cell(
                &mut plan,
                &frame,
                &own.hidden,
                [&gates, &h, &c, &pass.out],
                &kept.work,
                direction,
                padded,
            );
            kept.deliver(&mut plan);
            plan.copy(&h, &hy.select(0, number));
            plan.copy(&c, &cy.select(0, number));
        }
        x = pass.out;
    }
    finish(&mut plan, &network, &frame, &x, &out);
    plan.done()
}

fn lstm_cell(
    plan: &mut Plan,
    frame: &Frame,
    weights: &Value,
    [gates, h, c, out]: [&Value; 4],
    kept: &[Option<Value>],
    direction: i64,
    padded: bool,
) {
    let (starts, weights) = (frame.starts.clone(), weights.clone());
    let (gates, h, c, out) = (gates.clone(), h.clone(), c.clone(), out.clone());
    let kept = kept.to_vec();
    let (batch, hidden) = (size(frame.batch), size(frame.hidden));
    let (wide, reverse) = (size(frame.directions) * hidden, direction == 1);
    let column = size(direction) * hidden;
    plan.step(move |m| {
        let starts = m.view(&starts);
        let times = Times {
            starts: slice::<i64>(&starts),
            batch,
            padded,
        };
        let kept = kept
            .iter()
            .map(|value| value.as_ref().map(|value| m.view(value)))
            .collect::<smallvec::SmallVec<[_; 7]>>();
        for list in kept.iter().flatten() {
            slice_mut::<f32>(list).fill(0.0);
        }
        for time in times.in_order(reverse) {
            let (start, count) = (times.start(time), times.sequences(time));
            with_state(m, &h, &weights, &gates, start, count, true);
            let (gates, h, c, out) = (m.view(&gates), m.view(&h), m.view(&c), m.view(&out));
            let (gates, out) = (slice::<f32>(&gates), slice_mut::<f32>(&out));
            let (h, c) = (slice_mut::<f32>(&h), slice_mut::<f32>(&c));
            for sequence in 0..count {
                let row = start + sequence;
                let own = &gates[row * 4 * hidden..][..4 * hidden];
                for unit in 0..hidden {
                    let at = sequence * hidden + unit;
                    let i = sigmoid(own[unit]);
                    let f = sigmoid(own[hidden + unit]);
                    let j = own[2 * hidden + unit].tanh();
                    let o = sigmoid(own[3 * hidden + unit]);
                    c[at] = f * c[at] + i * j;
                    let tanh = c[at].tanh();
                    h[at] = o * tanh;
                    out[row * wide + column + unit] = h[at];
                    let place = times.kept(time, sequence) * hidden + unit;
                    let values = [i, j, f, o, h[at], c[at], tanh];
                    for (list, value) in kept.iter().zip(values) {
                        if let Some(list) = list {
                            slice_mut::<f32>(list)[place] = value;
                        }
                    }
                }
            }
        }
    });
}

/// A GRU network.
pub(crate) fn gru(call: table::GRU<'_>) -> Planned {
    let network = Network {
        input: call.input,
        params: call.params,
        sizes: call.batch_sizes,
        biased: call.has_biases,
        layers: call.num_layers,
        both: call.bidirectional,
        batch_first: call.batch_first,
        gates: 3,
    };
    no_dropout(call.dropout, call.train, call.num_layers)?;
    let mut plan = Plan::new();
    let frame = network.frame(&mut plan, call.hx, "hx")?;
    expect_computable(call.hx, "hx")?;
    let wide = frame.directions * frame.hidden;
    expect_computable(call.output, "output")?;
    expect_dims(call.output, &network.like_input(&frame, wide), "output")?;
    expect_computable(call.hy, "hy")?;
    expect_dims(call.hy, &call.hx.dims, "hy")?;
    let (lists, padded) = wanted(
        &frame,
        &[
            (call.r, "r"),
            (call.z, "z"),
            (call.n, "n"),
            (call.hn, "hn"),
            (call.h, "h"),
        ],
        call.train,
        "train",
    )?;
    let weights = network.weights(&mut plan, &frame);
    let states = plan.input(call.hx);
    let mut x = network.rows(
        &mut plan,
        call.input,
        &frame,
        network.width(0, frame.hidden),
    );
    let (out, hy) = (plan.output_apart(call.output), plan.output_apart(call.hy));
    for layer in 0..frame.layers {
        let pass = Pass::next(&mut plan, &frame, x);
        for direction in 0..frame.directions {
            let number = layer * frame.directions + direction;
            let own = &weights[size(number)];
            let gates = products(&mut plan, &pass.x, own)?;
            let h = initial(&mut plan, &states, number);
            let kept = Kept::of(&mut plan, &frame, &lists, size(number))?;
            gru_cell(
                &mut plan,
                &frame,
                own,
                [&gates, &h, &pass.out],
                &kept.work,
                direction,
                padded,
            );
            kept.deliver(&mut plan);
            plan.copy(&h, &hy.select(0, number));
        }
        x = pass.out;
    }
    finish(&mut plan, &network, &frame, &x, &out);
    plan.done()
}

fn gru_cell(
    plan: &mut Plan,
    frame: &Frame,
    weights: &Weights,
    [gates, h, out]: [&Value; 3],
    kept: &[Option<Value>],
    direction: i64,
    padded: bool,
) {
    let other = plan.temp(Element::F32, &[frame.batch, 3 * frame.hidden]);
    let bias = weights.biases.as_ref().map(|(_, bias)| bias.clone());
    let (starts, weights) = (frame.starts.clone(), weights.hidden.clone());
    let (gates, h, out) = (gates.clone(), h.clone(), out.clone());
    let kept = kept.to_vec();
    let (batch, hidden) = (size(frame.batch), size(frame.hidden));
    let (wide, reverse) = (size(frame.directions) * hidden, direction == 1);
    let column = size(direction) * hidden;
    plan.step(move |m| {
        let starts = m.view(&starts);
        let times = Times {
            starts: slice::<i64>(&starts),
            batch,
            padded,
        };
        let kept = kept
            .iter()
            .map(|value| value.as_ref().map(|value| m.view(value)))
            .collect::<smallvec::SmallVec<[_; 5]>>();
        for list in kept.iter().flatten() {
            slice_mut::<f32>(list).fill(0.0);
        }
        let bias = bias.as_ref().map(|bias| m.view(bias));
        let bias = bias.as_ref().map(slice::<f32>);
        for time in times.in_order(reverse) {
            let (start, count) = (times.start(time), times.sequences(time));
            with_state(m, &h, &weights, &other, 0, count, false);
            let (gates, other) = (m.view(&gates), m.view(&other));
            let (h, out) = (m.view(&h), m.view(&out));
            let (gates, other) = (slice::<f32>(&gates), slice::<f32>(&other));
            let (h, out) = (slice_mut::<f32>(&h), slice_mut::<f32>(&out));
            for sequence in 0..count {
                let row = start + sequence;
                let first = &gates[row * 3 * hidden..][..3 * hidden];
                let second = &other[sequence * 3 * hidden..][..3 * hidden];
                let from_state =
                    |index: usize| second[index] + bias.map_or(0.0, |bias| bias[index]);
                for unit in 0..hidden {
                    let at = sequence * hidden + unit;
                    let r = sigmoid(first[unit] + from_state(unit));
                    let z = sigmoid(first[hidden + unit] + from_state(hidden + unit));
                    let hn = from_state(2 * hidden + unit);
                    let n = (first[2 * hidden + unit] + r * hn).tanh();
                    h[at] = (1.0 - z) * n + z * h[at];
                    out[row * wide + column + unit] = h[at];
                    let place = times.kept(time, sequence) * hidden + unit;
                    for (list, value) in kept.iter().zip([r, z, n, hn, h[at]]) {
                        if let Some(list) = list {
                            slice_mut::<f32>(list)[place] = value;
                        }
                    }
                }
            }
        }
    });
}

/// What the gradients of both kinds of networks have in common.
struct Backward<'a> {
    network: Network<'a>,
    frame: Frame,
    weights: Vec<Weights>,
    /// Lists that the network kept, and whether they have rows for sequences that have ended.
    kept: Vec<Vec<Value>>,
    padded: bool,
    /// Which of the lists is the hidden state.
    hidden_list: usize,
    x: Value,
    dy: Value,
}

impl<'a> Backward<'a> {
    fn new(
        plan: &mut Plan,
        network: Network<'a>,
        states: &Tensor,
        dy: Option<&Tensor>,
        lists: &[(&[&Tensor], &str)],
        hidden_list: usize,
    ) -> Result<Self, Refusal> {
        let frame = network.frame(plan, states, "hx")?;
        let (mut kept, mut rows) = (Vec::new(), None);
        for (list, name) in lists {
            let own = frame.check_kept(list, name)?;
            require!(
                rows.is_none_or(|rows| rows == own),
                "'{name}' has {own} rows, but the lists before it have {rows:?}"
            );
            rows = Some(own);
            let values = list
                .iter()
                .map(|tensor| flat(plan, tensor, Element::F32, &[own, frame.hidden]));
            kept.push(values.collect());
        }
        let wide = frame.directions * frame.hidden;
        let dy = match dy {
            Some(dy) => {
                expect_computable(dy, "dy")?;
                expect_dims(dy, &network.like_input(&frame, wide), "dy")?;
                network.rows(plan, dy, &frame, wide)
            }
            None => zeros(plan, &[frame.rows, wide]),
        };
        let weights = network.weights(plan, &frame);
        let x = network.rows(plan, network.input, &frame, network.width(0, frame.hidden));
        Ok(Self {
            padded: rows.is_some_and(|rows| rows != frame.rows),
            network,
            frame,
            weights,
            kept,
            hidden_list,
            x,
            dy,
        })
    }

    /// What a layer read: the input, or the hidden states of the layer before it.
    fn layer_input(&self, plan: &mut Plan, layer: i64) -> Value {
        if layer == 0 {
            return self.x.clone();
        }
        let frame = &self.frame;
        let wide = frame.directions * frame.hidden;
        let result = plan.temp(Element::F32, &[frame.rows, wide]);
        for direction in 0..frame.directions {
            let number = size((layer - 1) * frame.directions + direction);
            let from = self.kept[self.hidden_list][number].clone();
            let (into, starts) = (result.clone(), frame.starts.clone());
            let (batch, hidden, padded) = (size(frame.batch), size(frame.hidden), self.padded);
            let (wide, column) = (size(wide), size(direction) * hidden);
            plan.step(move |m| {
                let (from, into, starts) = (m.view(&from), m.view(&into), m.view(&starts));
                let (from, into) = (slice::<f32>(&from), slice_mut::<f32>(&into));
                let times = Times {
                    starts: slice::<i64>(&starts),
                    batch,
                    padded,
                };
                for time in 0..times.count() {
                    for sequence in 0..times.sequences(time) {
                        let place = times.kept(time, sequence) * hidden;
                        let row = (times.start(time) + sequence) * wide + column;
                        into[row..][..hidden].copy_from_slice(&from[place..][..hidden]);
                    }
                }
            });
        }
        result
    }

    /// Checks the gradients of the parameters.
    fn check_outputs(
        &self,
        dx: &Tensor,
        states: &[(&Tensor, &str)],
        initial: &Tensor,
        dparams: &[&Tensor],
    ) -> Result<(), Refusal> {
        expect_computable(dx, "dx")?;
        expect_dims(dx, &self.network.input.dims, "dx")?;
        for (tensor, argument) in states {
            expect_computable(tensor, argument)?;
            expect_dims(tensor, &initial.dims, argument)?;
        }
        require!(
            dparams.len() == self.network.params.len(),
            "'dparams' has {} tensors, but 'params' has {}",
            dparams.len(),
            self.network.params.len()
        );
        for (grad, param) in dparams.iter().zip(self.network.params) {
            expect_computable(grad, "dparams")?;
            expect_dims(grad, &param.dims, "dparams")?;
        }
        Ok(())
    }

    /// The gradients of weights and of what the layer read, from those of its gates. `by_state` are the gates' gradients towards the
    /// state, which for GRU are not those towards the input.
    fn deliver(
        &self,
        plan: &mut Plan,
        number: i64,
        x: &Value,
        [by_input, by_state, before, dx]: [&Value; 4],
        dparams: &[Staged],
    ) -> Result<(), Refusal> {
        let each = if self.network.biased { 4 } else { 2 };
        let first = size(number) * each;
        let second = number % self.frame.directions == 1;
        plan.matmul_into(
            &by_input.transpose(0, 1),
            x,
            &dparams[first].work,
            ONE,
            false,
        )?;
        plan.matmul_into(
            &by_state.transpose(0, 1),
            before,
            &dparams[first + 1].work,
            ONE,
            false,
        )?;
        if self.network.biased {
            plan.sum_to(by_input, &[0], &dparams[first + 2].work);
            plan.sum_to(by_state, &[0], &dparams[first + 3].work);
        }
        plan.matmul_into(by_input, &self.weights[size(number)].input, dx, ONE, second)
    }
}

fn zeros(plan: &mut Plan, dims: &[i64]) -> Value {
    let value = plan.temp(Element::F32, dims);
    plan.fill(&value, 0.0);
    value
}

/// The gradient of a last state: zeros if there is none.
fn state_gradient(
    plan: &mut Plan,
    tensor: Option<&Tensor>,
    states: &Tensor,
    argument: &str,
) -> Result<Value, Refusal> {
    match tensor {
        Some(tensor) => {
            expect_computable(tensor, argument)?;
            expect_dims(tensor, &states.dims, argument)?;
            Ok(plan.input(tensor))
        }
        None => Ok(zeros(plan, &states.dims)),
    }
}

/// The gradients of [`lstm`].
#[expect(
    clippy::large_types_passed_by_value,
    reason = "as every row passes its arguments"
)]
pub(crate) fn lstm_backward(call: table::LstmBackward<'_>) -> Planned {
    let network = Network {
        input: call.input,
        params: call.params,
        sizes: call.batch_sizes,
        biased: call.has_biases,
        layers: call.num_layers,
        both: call.bidirectional,
        batch_first: call.batch_first,
        gates: 4,
    };
    no_dropout(call.dropout, call.train, call.num_layers)?;
    require!(
        call.hx.len() == 2,
        "'hx' has {} tensors, but 2 are expected: hidden states and cell states",
        call.hx.len()
    );
    let mut plan = Plan::new();
    let lists = [
        (call.i, "i"),
        (call.j, "j"),
        (call.f, "f"),
        (call.o, "o"),
        (call.h, "h"),
        (call.c, "c"),
        (call.tanh_c, "tanhC"),
    ];
    let backward = Backward::new(&mut plan, network, call.hx[0], call.grad_y, &lists, 4)?;
    for state in call.hx {
        expect_computable(state, "hx")?;
    }
    expect_dims(call.hx[1], &call.hx[0].dims, "hx")?;
    backward.check_outputs(
        call.dx,
        &[(call.dh_prev, "dhPrev"), (call.dc_prev, "dcPrev")],
        call.hx[0],
        call.dparams,
    )?;
    let frame = backward.frame.clone();
    let states = [0, 1]
        .map(|number: usize| flat(&mut plan, call.hx[number], Element::F32, &call.hx[0].dims));
    let grad_h = state_gradient(&mut plan, call.grad_hy, call.hx[0], "gradHy")?;
    let grad_c = state_gradient(&mut plan, call.grad_cy, call.hx[0], "gradCy")?;
    let dx_out = plan.output_apart(call.dx);
    let (dh_out, dc_out) = (
        plan.output_apart(call.dh_prev),
        plan.output_apart(call.dc_prev),
    );
    let dparams: Vec<Staged> = call
        .dparams
        .iter()
        .map(|tensor| Staged::of(&mut plan, tensor, Element::F32))
        .collect();
    let mut dy = backward.dy.clone();
    for layer in (0..frame.layers).rev() {
        let x = backward.layer_input(&mut plan, layer);
        let dx = plan.temp(Element::F32, x.dims());
        for direction in 0..frame.directions {
            let number = layer * frame.directions + direction;
            let dgates = plan.temp(Element::F32, &[frame.rows, 4 * frame.hidden]);
            let before = plan.temp(Element::F32, &[frame.rows, frame.hidden]);
            let dh = initial(&mut plan, &grad_h, number);
            let dc = initial(&mut plan, &grad_c, number);
            let kept: Vec<Value> = backward
                .kept
                .iter()
                .map(|list| list[size(number)].clone())
                .collect();
            let first: Vec<Value> = states.iter().map(|state| state.select(0, number)).collect();
            let weights = backward.weights[size(number)].hidden.clone();
            let (dgates_out, before_out) = (dgates.clone(), before.clone());
            let (dh_state, dc_state, dy) = (dh.clone(), dc.clone(), dy.clone());
            let starts = frame.starts.clone();
            let (batch, hidden, padded) = (size(frame.batch), size(frame.hidden), backward.padded);
            let (wide, reverse) = (size(frame.directions) * hidden, direction == 1);
            let column = size(direction) * hidden;
            plan.step(move |m| {
                let starts = m.view(&starts);
                let times = Times {
                    starts: slice::<i64>(&starts),
                    batch,
                    padded,
                };
                let dy = m.view(&dy);
                let dy = slice::<f32>(&dy);
                let lists: smallvec::SmallVec<[_; 7]> =
                    kept.iter().map(|value| m.view(value)).collect();
                let lists: smallvec::SmallVec<[&[f32]; 7]> =
                    lists.iter().map(slice::<f32>).collect();
                let first = [0, 1].map(|number: usize| m.view(&first[number]));
                let (h0, c0) = (slice::<f32>(&first[0]), slice::<f32>(&first[1]));
                for time in times.in_order(!reverse) {
                    let (start, count) = (times.start(time), times.sequences(time));
                    {
                        let (dgates, before) = (m.view(&dgates_out), m.view(&before_out));
                        let (dh, dc) = (m.view(&dh_state), m.view(&dc_state));
                        let dgates = slice_mut::<f32>(&dgates);
                        let before = slice_mut::<f32>(&before);
                        let (dh, dc) = (slice::<f32>(&dh), slice_mut::<f32>(&dc));
                        for sequence in 0..count {
                            let row = start + sequence;
                            let own = &mut dgates[row * 4 * hidden..][..4 * hidden];
                            let place = times.kept(time, sequence) * hidden;
                            let last = times
                                .before(time, sequence, reverse)
                                .map(|time| times.kept(time, sequence) * hidden);
                            for unit in 0..hidden {
                                let at = sequence * hidden + unit;
                                let [i, j, f, o, tanh] =
                                    [0, 1, 2, 3, 6].map(|list: usize| lists[list][place + unit]);
                                let (h_before, c_before) = match last {
                                    Some(last) => (lists[4][last + unit], lists[5][last + unit]),
                                    None => (h0[at], c0[at]),
                                };
                                let grad = dy[row * wide + column + unit] + dh[at];
                                let cell = dc[at] + grad * o * (1.0 - tanh * tanh);
                                own[unit] = cell * j * i * (1.0 - i);
                                own[hidden + unit] = cell * c_before * f * (1.0 - f);
                                own[2 * hidden + unit] = cell * i * (1.0 - j * j);
                                own[3 * hidden + unit] = grad * tanh * o * (1.0 - o);
                                dc[at] = cell * f;
                                before[row * hidden + unit] = h_before;
                            }
                        }
                    }
                    let (dgates, weights) = (m.view(&dgates_out), m.view(&weights));
                    matmul::matmul(
                        &dgates.narrow(0, whole(start), whole(count)),
                        &weights,
                        &m.view(&dh_state).narrow(0, 0, whole(count)),
                    );
                }
            });
            plan.copy(&dh, &dh_out.select(0, number));
            plan.copy(&dc, &dc_out.select(0, number));
            backward.deliver(
                &mut plan,
                number,
                &x,
                [&dgates, &dgates, &before, &dx],
                &dparams,
            )?;
        }
        dy = dx;
    }
    finish(&mut plan, &backward.network, &frame, &dy, &dx_out);
    for grad in dparams {
        grad.deliver(&mut plan);
    }
    plan.done()
}

/// The gradients of [`gru`].
pub(crate) fn gru_backward(call: table::GRUBackward<'_>) -> Planned {
    let network = Network {
        input: call.input,
        params: call.params,
        sizes: call.batch_sizes,
        biased: call.has_biases,
        layers: call.num_layers,
        both: call.bidirectional,
        batch_first: call.batch_first,
        gates: 3,
    };
    let mut plan = Plan::new();
    let lists = [
        (call.r, "r"),
        (call.z, "z"),
        (call.n, "n"),
        (call.hn, "hn"),
        (call.h, "h"),
    ];
    let backward = Backward::new(&mut plan, network, call.hx, call.grad_y, &lists, 4)?;
    expect_computable(call.hx, "hx")?;
    backward.check_outputs(call.dx, &[(call.dh_prev, "dhPrev")], call.hx, call.dparams)?;
    let frame = backward.frame.clone();
    let states = flat(&mut plan, call.hx, Element::F32, &call.hx.dims);
    let grad_h = state_gradient(&mut plan, call.grad_hy, call.hx, "gradHy")?;
    let (dx_out, dh_out) = (plan.output_apart(call.dx), plan.output_apart(call.dh_prev));
    let dparams: Vec<Staged> = call
        .dparams
        .iter()
        .map(|tensor| Staged::of(&mut plan, tensor, Element::F32))
        .collect();
    let mut dy = backward.dy.clone();
    for layer in (0..frame.layers).rev() {
        let x = backward.layer_input(&mut plan, layer);
        let dx = plan.temp(Element::F32, x.dims());
        for direction in 0..frame.directions {
            let number = layer * frame.directions + direction;
            let tall = 3 * frame.hidden;
            let by_input = plan.temp(Element::F32, &[frame.rows, tall]);
            let by_state = plan.temp(Element::F32, &[frame.rows, tall]);
            let before = plan.temp(Element::F32, &[frame.rows, frame.hidden]);
            let dh = initial(&mut plan, &grad_h, number);
            let kept: Vec<Value> = backward
                .kept
                .iter()
                .map(|list| list[size(number)].clone())
                .collect();
            let first = states.select(0, number);
            let weights = backward.weights[size(number)].hidden.clone();
            let (input_out, state_out, before_out) =
                (by_input.clone(), by_state.clone(), before.clone());
            let (dh_state, dy) = (dh.clone(), dy.clone());
            let starts = frame.starts.clone();
            let (batch, hidden, padded) = (size(frame.batch), size(frame.hidden), backward.padded);
            let (wide, reverse) = (size(frame.directions) * hidden, direction == 1);
            let column = size(direction) * hidden;
            plan.step(move |m| {
                let starts = m.view(&starts);
                let times = Times {
                    starts: slice::<i64>(&starts),
                    batch,
                    padded,
                };
                let dy = m.view(&dy);
                let dy = slice::<f32>(&dy);
                let lists: smallvec::SmallVec<[_; 5]> =
                    kept.iter().map(|value| m.view(value)).collect();
                let lists: smallvec::SmallVec<[&[f32]; 5]> =
                    lists.iter().map(slice::<f32>).collect();
                let first = m.view(&first);
                let h0 = slice::<f32>(&first);
                for time in times.in_order(!reverse) {
                    let (start, count) = (times.start(time), times.sequences(time));
                    {
                        let (by_input, by_state) = (m.view(&input_out), m.view(&state_out));
                        let (before, dh) = (m.view(&before_out), m.view(&dh_state));
                        let by_input = slice_mut::<f32>(&by_input);
                        let by_state = slice_mut::<f32>(&by_state);
                        let before = slice_mut::<f32>(&before);
                        let dh = slice_mut::<f32>(&dh);
                        for sequence in 0..count {
                            let row = start + sequence;
                            let place = times.kept(time, sequence) * hidden;
                            let last = times
                                .before(time, sequence, reverse)
                                .map(|time| times.kept(time, sequence) * hidden);
                            for unit in 0..hidden {
                                let at = sequence * hidden + unit;
                                let [r, z, n, hn] =
                                    [0, 1, 2, 3].map(|list: usize| lists[list][place + unit]);
                                let h_before = match last {
                                    Some(last) => lists[4][last + unit],
                                    None => h0[at],
                                };
                                let grad = dy[row * wide + column + unit] + dh[at];
                                let dn = grad * (1.0 - z) * (1.0 - n * n);
                                let dz = grad * (h_before - n) * z * (1.0 - z);
                                let dr = dn * hn * r * (1.0 - r);
                                let own = row * 3 * hidden + unit;
                                for (rows, last) in [(&mut *by_input, dn), (&mut *by_state, dn * r)]
                                {
                                    rows[own] = dr;
                                    rows[own + hidden] = dz;
                                    rows[own + 2 * hidden] = last;
                                }
                                dh[at] = grad * z;
                                before[row * hidden + unit] = h_before;
                            }
                        }
                    }
                    let (by_state, weights) = (m.view(&state_out), m.view(&weights));
                    matmul::matmul_add(
                        &by_state.narrow(0, whole(start), whole(count)),
                        &weights,
                        &m.view(&dh_state).narrow(0, 0, whole(count)),
                        ONE,
                        true,
                    );
                }
            });
            plan.copy(&dh, &dh_out.select(0, number));
            backward.deliver(
                &mut plan,
                number,
                &x,
                [&by_input, &by_state, &before, &dx],
                &dparams,
            )?;
        }
        dy = dx;
    }
    finish(&mut plan, &backward.network, &frame, &dy, &dx_out);
    for grad in dparams {
        grad.deliver(&mut plan);
    }
    plan.done()
}
