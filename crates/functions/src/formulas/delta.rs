//! The gated delta rule: linear attention whose state forgets, and learns what it did not predict.
//!
//! For each token `S = S · α`, then `S += β · (v − S·k) ⊗ k`, and the result is `S·q`. States are `[values, keys]`.

use millpond_kernels::Element;

use super::moe::{Staged, expect_dims, flat, size, slice, slice_mut, whole};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What both functions are given.
struct Rule<'a> {
    query: &'a Tensor,
    key: &'a Tensor,
    value: &'a Tensor,
    beta: Option<&'a Tensor>,
    lengths: &'a Tensor,
    g: Option<&'a Tensor>,
    gk: Option<&'a Tensor>,
    scale: f32,
    out: &'a Tensor,
}

/// The inputs, one behind the other.
struct Inputs {
    query: Value,
    key: Value,
    value: Value,
    beta: Option<Value>,
    lengths: Value,
    g: Option<Value>,
    gk: Option<Value>,
    sizes: Sizes,
    scale: f32,
}

#[derive(Clone, Copy)]
struct Sizes {
    tokens: i64,
    key_heads: i64,
    heads: i64,
    keys: i64,
    values: i64,
    batch: i64,
}

fn expect_real(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        matches!(
            tensor.element(),
            Element::F32 | Element::F16 | Element::BF16
        ),
        "'{argument}' has the type {}, but float, float16 or bfloat16 is expected",
        tensor.element().name()
    );
    Ok(())
}

impl Rule<'_> {
    fn read(&self, plan: &mut Plan) -> Result<Inputs, Refusal> {
        for (tensor, argument) in [
            (self.query, "query"),
            (self.key, "key"),
            (self.value, "value"),
            (self.out, "out"),
        ] {
            expect_real(tensor, argument)?;
            require!(
                tensor.rank() == 3,
                "'{argument}' has the shape {:?}, but three dimensions are expected: tokens, heads, numbers",
                tensor.dims
            );
        }
        let (tokens, key_heads, keys) =
            (self.query.dims[0], self.query.dims[1], self.query.dims[2]);
        let (heads, values) = (self.value.dims[1], self.value.dims[2]);
        expect_dims(self.key, &self.query.dims, "key")?;
        expect_dims(self.value, &[tokens, heads, values], "value")?;
        expect_dims(self.out, &self.value.dims, "out")?;
        require!(
            key_heads > 0 && heads % key_heads == 0,
            "'value' has {heads} heads, which do not divide among the {key_heads} of 'key'"
        );
        expect_integers(self.lengths, "actualSeqLengths")?;
        require!(
            self.lengths.rank() == 1,
            "'actualSeqLengths' has the shape {:?}, but one dimension is expected",
            self.lengths.dims
        );
        let batch = self.lengths.dims[0];
        let mut optional = |tensor: Option<&Tensor>, dims: &[i64], argument: &str| {
            let Some(tensor) = tensor else {
                return Ok(None);
            };
            expect_real(tensor, argument)?;
            expect_dims(tensor, dims, argument)?;
            Ok::<_, Refusal>(Some(flat(plan, tensor, Element::F32, dims)))
        };
        let beta = optional(self.beta, &[tokens, heads], "beta")?;
        let g = optional(self.g, &[tokens, heads], "g")?;
        let gk = optional(self.gk, &[tokens, heads, keys], "gk")?;
        let lengths = flat(plan, self.lengths, Element::I64, &[batch]);
        let check = lengths.clone();
        plan.try_step(move |m| {
            let lengths = m.view(&check);
            let lengths = slice::<i64>(&lengths);
            let sum = lengths.iter().fold(0_i64, |sum, length| sum.saturating_add(*length));
            if lengths.iter().all(|length| *length >= 0) && sum <= tokens {
                return Ok(());
            }
            Err(format!(
                "'actualSeqLengths' adds up to {sum} and must not be negative; there are {tokens} tokens"
            ))
        });
        Ok(Inputs {
            query: flat(plan, self.query, Element::F32, &self.query.dims),
            key: flat(plan, self.key, Element::F32, &self.key.dims),
            value: flat(plan, self.value, Element::F32, &self.value.dims),
            beta,
            lengths,
            g,
            gk,
            sizes: Sizes {
                tokens,
                key_heads,
                heads,
                keys,
                values,
                batch,
            },
            scale: self.scale,
        })
    }
}

/// Adds the step. `first` says where the state of a sequence is before it, by number of the sequence and of its first token; `last` where
/// that of a token goes. States lie in `states`.
fn steps(
    plan: &mut Plan,
    inputs: Inputs,
    states: &Value,
    indices: Option<&Value>,
    accepted: Option<&Value>,
    out: &Value,
) {
    let sizes = inputs.sizes;
    let own = plan.temp(Element::F32, &[sizes.values, sizes.keys]);
    let (states, indices, accepted, out) = (
        states.clone(),
        indices.cloned(),
        accepted.cloned(),
        out.clone(),
    );
    plan.step(move |m| {
        let views = [&inputs.query, &inputs.key, &inputs.value].map(|value| m.view(value));
        let [query, key, value] = [0, 1, 2].map(|number: usize| slice::<f32>(&views[number]));
        let options = [&inputs.beta, &inputs.g, &inputs.gk]
            .map(|value| value.as_ref().map(|value| m.view(value)));
        let [beta, g, gk] =
            [0, 1, 2].map(|number: usize| options[number].as_ref().map(slice::<f32>));
        let lengths = m.view(&inputs.lengths);
        let tables = [&indices, &accepted].map(|value| value.as_ref().map(|value| m.view(value)));
        let [indices, accepted] =
            [0, 1].map(|number: usize| tables[number].as_ref().map(slice::<i64>));
        let (states, own, out) = (m.view(&states), m.view(&own), m.view(&out));
        let (states, own) = (slice_mut::<f32>(&states), slice_mut::<f32>(&own));
        let out = slice_mut::<f32>(&out);
        out.fill(0.0);
        let (keys, values, heads) = (size(sizes.keys), size(sizes.values), size(sizes.heads));
        let (key_heads, area) = (size(sizes.key_heads), size(sizes.keys) * size(sizes.values));
        let mut start = 0;
        for (batch, length) in slice::<i64>(&lengths).iter().enumerate() {
            let length = size(*length);
            if length == 0 {
                continue;
            }
            let ahead = accepted.map_or(0, |all| size(all[batch]) - 1);
            let place = |token: usize| indices.map_or(batch, |all| size(all[token]));
            for head in 0..heads {
                let before = (place(start + ahead) * heads + head) * area;
                own.copy_from_slice(&states[before..][..area]);
                for token in start..start + length {
                    let at = token * heads + head;
                    let shared = (token * key_heads + head / (heads / key_heads)) * keys;
                    let (q, k) = (&query[shared..][..keys], &key[shared..][..keys]);
                    let alpha = g.map_or(1.0, |all| all[at].exp());
                    let beta = beta.map_or(1.0, |all| all[at]);
                    for row in 0..values {
                        let state = &mut own[row * keys..][..keys];
                        let mut known = 0.0;
                        for (column, state) in state.iter_mut().enumerate() {
                            *state *= alpha * gk.map_or(1.0, |all| all[at * keys + column].exp());
                            known += *state * k[column];
                        }
                        let learned = (value[at * values + row] - known) * beta;
                        let mut sum = 0.0;
                        for ((state, k), q) in state.iter_mut().zip(k).zip(q) {
                            *state += learned * k;
                            sum += *state * q;
                        }
                        out[at * values + row] = sum * inputs.scale;
                    }
                    if indices.is_some() || token + 1 == start + length {
                        let after = (place(token) * heads + head) * area;
                        states[after..][..area].copy_from_slice(own);
                    }
                }
            }
            start += length;
        }
    });
}

/// Tokens one after the other: each has a place among the states, which are changed.
pub(crate) fn recurrent(call: table::RecurrentGatedDeltaRule<'_>) -> Planned {
    let (Some(lengths), Some(indices)) = (call.actual_seq_lengths, call.ssm_state_indices) else {
        return Err(Refusal::missing(if call.actual_seq_lengths.is_none() {
            "actualSeqLengths"
        } else {
            "ssmStateIndices"
        }));
    };
    let mut plan = Plan::new();
    let inputs = Rule {
        query: call.query,
        key: call.key,
        value: call.value,
        beta: call.beta,
        lengths,
        g: call.g,
        gk: call.gk,
        scale: call.scale_value,
        out: call.out,
    }
    .read(&mut plan)?;
    let sizes = inputs.sizes;
    expect_real(call.state_ref, "stateRef")?;
    let count = call.state_ref.dims.first().copied().unwrap_or(0);
    let dims = [count, sizes.heads, sizes.values, sizes.keys];
    expect_dims(call.state_ref, &dims, "stateRef")?;
    expect_integers(indices, "ssmStateIndices")?;
    expect_dims(indices, &[sizes.tokens], "ssmStateIndices")?;
    let indices = flat(&mut plan, indices, Element::I64, &[sizes.tokens]);
    let accepted = match call.num_accepted_tokens {
        Some(accepted) => {
            expect_integers(accepted, "numAcceptedTokens")?;
            expect_dims(accepted, &[sizes.batch], "numAcceptedTokens")?;
            Some(flat(&mut plan, accepted, Element::I64, &[sizes.batch]))
        }
        None => None,
    };
    let (check, numbers, lengths) = (indices.clone(), accepted.clone(), inputs.lengths.clone());
    plan.try_step(move |m| {
        let indices = m.view(&check);
        if let Some(index) = slice::<i64>(&indices)
            .iter()
            .find(|index| !(0..count).contains(*index))
        {
            return Err(format!(
                "'ssmStateIndices' has {index}, but there are {count} states"
            ));
        }
        if let Some(numbers) = &numbers {
            let (numbers, lengths) = (m.view(numbers), m.view(&lengths));
            let pairs = slice::<i64>(&numbers).iter().zip(slice::<i64>(&lengths));
            for (number, length) in pairs {
                if *length > 0 && !(1..=*length).contains(number) {
                    return Err(format!(
                        "'numAcceptedTokens' has {number} for a sequence of {length} tokens"
                    ));
                }
            }
        }
        Ok(())
    });
    let target = plan.in_place(call.state_ref);
    let states = plan.temp(Element::F32, &dims);
    plan.copy(&target, &states);
    let out = Staged::of(&mut plan, call.out, Element::F32);
    steps(
        &mut plan,
        inputs,
        &states,
        Some(&indices),
        accepted.as_ref(),
        &out.work,
    );
    plan.copy(&states, &target);
    out.deliver(&mut plan);
    plan.done()
}

/// Whole sequences, each with a state before and one behind it.
pub(crate) fn chunked(call: table::ChunkGatedDeltaRule<'_>) -> Planned {
    let Some(lengths) = call.actual_seq_lengths else {
        return Err(Refusal::missing("actualSeqLengths"));
    };
    let mut plan = Plan::new();
    let inputs = Rule {
        query: call.query,
        key: call.key,
        value: call.value,
        beta: call.beta,
        lengths,
        g: call.g,
        gk: None,
        scale: call.scale,
        out: call.out_result,
    }
    .read(&mut plan)?;
    let sizes = inputs.sizes;
    let dims = [sizes.batch, sizes.heads, sizes.values, sizes.keys];
    let first = match call.initial_state {
        Some(state) => {
            expect_real(state, "initialState")?;
            expect_dims(state, &dims, "initialState")?;
            Some(plan.input(state))
        }
        None => None,
    };
    expect_real(call.final_state_result, "finalStateResult")?;
    expect_dims(call.final_state_result, &dims, "finalStateResult")?;
    let states = plan.temp(Element::F32, &dims);
    match first {
        Some(first) => plan.copy(&first, &states),
        None => plan.fill(&states, 0.0),
    }
    let last = plan.output_apart(call.final_state_result);
    let out = Staged::of(&mut plan, call.out_result, Element::F32);
    debug_assert_eq!(whole(states.count()), dims.iter().product::<i64>());
    steps(&mut plan, inputs, &states, None, None, &out.work);
    plan.copy(&states, &last);
    out.deliver(&mut plan);
    plan.done()
}
