//! Steps of a decoder: choosing the next token and moving on to it, and attention put together from two parts.

use millpond_kernels::{Element, map};

use super::moe::{
    Staged, expect_dims, expect_floats, expect_type, flat, size, slice, slice_mut, whole,
};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The largest `k` that filters; larger ones keep everything.
const MOST: i64 = 1024;

fn expect_logits(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
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

/// One row: which of `order`, the places from the greatest number to the smallest, stay; `None`: all, and nothing was sorted.
fn kept_of(logits: &[f32], order: &mut [i64], k: i64, p: f32) -> Option<usize> {
    let count = whole(logits.len());
    let filters_k = (1..=count.min(MOST)).contains(&k);
    let filters_p = p < 1.0;
    if !filters_k && !filters_p {
        return None;
    }
    for (number, place) in order.iter_mut().enumerate() {
        *place = whole(number);
    }
    order.sort_unstable_by(|a, b| {
        let (x, y) = (logits[size(*a)] + 0.0, logits[size(*b)] + 0.0);
        y.total_cmp(&x).then(a.cmp(b))
    });
    let mut stay = if filters_k { size(k) } else { order.len() };
    if filters_p {
        let most = order.first().map_or(0.0, |first| logits[size(*first)]);
        let share = |place: &i64| f64::from(logits[size(*place)] - most).exp();
        let sum: f64 = order[..stay].iter().map(share).sum();
        let (mut before, mut last) = (0.0, 0);
        // A token stays if those before it have less than the probability together; the first one always does.
        for place in &order[..stay] {
            if last > 0 && before >= f64::from(p) * sum {
                break;
            }
            before += share(place);
            last += 1;
        }
        stay = last;
    }
    Some(stay)
}

/// The next token of each row: the likeliest one of those that stay, or the one with the largest quotient by `q`.
pub(crate) fn sample(call: table::TopKTopPSample<'_>) -> Planned {
    require!(
        call.logits.rank() == 2,
        "'logits' has the shape {:?}, but a matrix is expected",
        call.logits.dims
    );
    expect_logits(call.logits, "logits")?;
    let (batch, words) = (call.logits.dims[0], call.logits.dims[1]);
    require!(
        words > 0 || batch == 0,
        "'logits' has the shape {:?}, but each row needs a number to choose",
        call.logits.dims
    );
    expect_integers(call.top_k, "topK")?;
    expect_logits(call.top_p, "topP")?;
    for (tensor, argument) in [(call.top_k, "topK"), (call.top_p, "topP")] {
        require!(
            whole(tensor.count()) == batch,
            "'{argument}' has the shape {:?}, but a number for each of {batch} rows is expected",
            tensor.dims
        );
    }
    expect_integers(call.logits_select_idx, "logitsSelectIdx")?;
    expect_dims(call.logits_select_idx, &[batch], "logitsSelectIdx")?;
    let mut plan = Plan::new();
    let logits = flat(&mut plan, call.logits, Element::F32, &[batch, words]);
    let k = flat(&mut plan, call.top_k, Element::I64, &[batch]);
    let p = flat(&mut plan, call.top_p, Element::F32, &[batch]);
    let q = match call.q {
        Some(q) => {
            expect_type(q, Element::F32, "q")?;
            expect_dims(q, &[batch, words], "q")?;
            Some(flat(&mut plan, q, Element::F32, &[batch, words]))
        }
        None => None,
    };
    let chosen = Staged::of(&mut plan, call.logits_select_idx, Element::I64);
    let left = match call.logits_top_kp_select.filter(|_| call.is_need_logits) {
        Some(tensor) => {
            expect_floats(tensor, "logitsTopKPSelect")?;
            expect_dims(tensor, &call.logits.dims, "logitsTopKPSelect")?;
            Some(Staged::of(&mut plan, tensor, Element::F32))
        }
        None if call.is_need_logits => return Err(Refusal::missing("logitsTopKPSelect")),
        None => None,
    };
    let order = plan.temp(Element::I64, &[words]);
    let (chosen_out, left_out) = (
        chosen.work.clone(),
        left.as_ref().map(|staged| staged.work.clone()),
    );
    let eps = call.eps;
    plan.step(move |m| {
        let (logits, k, p) = (m.view(&logits), m.view(&k), m.view(&p));
        let (logits, k, p) = (slice::<f32>(&logits), slice::<i64>(&k), slice::<f32>(&p));
        let q = q.as_ref().map(|q| m.view(q));
        let q = q.as_ref().map(slice::<f32>);
        let (order, chosen) = (m.view(&order), m.view(&chosen_out));
        let (order, chosen) = (slice_mut::<i64>(&order), slice_mut::<i64>(&chosen));
        let left = left_out.as_ref().map(|value| m.view(value));
        let mut left = left.as_ref().map(slice_mut::<f32>);
        let words = size(words);
        for (row, chosen) in chosen.iter_mut().enumerate() {
            let own = &logits[row * words..][..words];
            let stay = kept_of(own, order, k[row], p[row]);
            let most = own.iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
            // `q` belongs to the sorted numbers if they were sorted.
            let score = |number: usize, place: usize| {
                let share = f64::from(own[place] - most).exp();
                q.map_or(share, |q| {
                    share / (f64::from(q[row * words + number]) + eps)
                })
            };
            let count = stay.unwrap_or(words);
            let (mut best, mut value) = (0, f64::NEG_INFINITY);
            for (number, sorted) in order[..count].iter().enumerate() {
                let place = if stay.is_some() {
                    size(*sorted)
                } else {
                    number
                };
                let own = score(number, place);
                if own > value {
                    (best, value) = (place, own);
                }
            }
            *chosen = whole(best);
            if let Some(left) = &mut left {
                let left = &mut left[row * words..][..words];
                left.copy_from_slice(own);
                for place in stay.map_or(&[][..], |stay| &order[stay..]) {
                    left[size(*place)] = f32::NEG_INFINITY;
                }
            }
        }
    });
    chosen.deliver(&mut plan);
    if let Some(left) = left {
        left.deliver(&mut plan);
    }
    plan.done()
}

/// Sequences move on by one token: tokens, positions, lengths and slots are written in place.
pub(crate) fn advance(call: table::AdvanceStep<'_>) -> Planned {
    let (sequences, queries, block) = (call.num_seqs, call.num_queries, call.block_size);
    require!(
        0 <= queries && queries <= sequences,
        "'numQueries' is {queries} and 'numSeqs' {sequences}, but there are at least as many sequences as queries"
    );
    require!(block > 0, "'blockSize' is {block}, it must be positive");
    for (tensor, argument) in [
        (call.input_tokens, "inputTokens"),
        (call.input_positions, "inputPositions"),
        (call.seq_lens, "seqLens"),
        (call.slot_mapping, "slotMapping"),
    ] {
        expect_integers(tensor, argument)?;
        require!(
            tensor.rank() == 1 && tensor.dims[0] >= sequences,
            "'{argument}' has the shape {:?}, but numbers for {sequences} sequences are expected",
            tensor.dims
        );
    }
    expect_integers(call.sampled_token_ids, "sampledTokenIds")?;
    require!(
        whole(call.sampled_token_ids.count()) >= queries,
        "'sampledTokenIds' has the shape {:?}, but tokens for {queries} queries are expected",
        call.sampled_token_ids.dims
    );
    expect_integers(call.block_tables, "blockTables")?;
    require!(
        call.block_tables.rank() == 2 && call.block_tables.dims[0] >= queries,
        "'blockTables' has the shape {:?}, but a row for each of {queries} queries is expected",
        call.block_tables.dims
    );
    let mut plan = Plan::new();
    let count = whole(call.sampled_token_ids.count());
    let sampled = flat(&mut plan, call.sampled_token_ids, Element::I64, &[count]);
    let blocks = flat(
        &mut plan,
        call.block_tables,
        Element::I64,
        &call.block_tables.dims,
    );
    let mut changed = Vec::new();
    for tensor in [
        call.input_tokens,
        call.input_positions,
        call.seq_lens,
        call.slot_mapping,
    ] {
        let target = plan.in_place(tensor).narrow(0, 0, sequences);
        let work = plan.temp(Element::I64, &[sequences]);
        plan.copy(&target, &work);
        changed.push((work, target));
    }
    let work: Vec<Value> = changed.iter().map(|(work, _)| work.clone()).collect();
    plan.try_step(move |m| {
        let (sampled, blocks) = (m.view(&sampled), m.view(&blocks));
        let width = blocks.dims()[1];
        let (sampled, blocks) = (slice::<i64>(&sampled), slice::<i64>(&blocks));
        let views = [0, 1, 2, 3].map(|number: usize| m.view(&work[number]));
        let [tokens, positions, lengths, slots] =
            [0, 1, 2, 3].map(|number: usize| slice_mut::<i64>(&views[number]));
        for query in 0..size(queries) {
            let position = lengths[query];
            if position < 0 || position / block >= width {
                return Err(format!(
                    "'seqLens' has {position} for sequence {query}, but 'blockTables' has {width} blocks of {block}"
                ));
            }
            tokens[query] = sampled[query];
            positions[query] = position;
            lengths[query] = position + 1;
            let entry = blocks[query * size(width) + size(position / block)];
            slots[query] = entry * block + position % block;
        }
        // What is padded has no token.
        for sequence in size(queries)..size(sequences) {
            (tokens[sequence], positions[sequence], slots[sequence]) = (0, 0, -1);
        }
        Ok(())
    });
    for (work, target) in &changed {
        plan.copy(work, target);
    }
    plan.done()
}

/// Attention over some keys and over others, put together.
pub(crate) fn ring_update(call: table::RingAttentionUpdateV2<'_>) -> Planned {
    let shapes = [call.cur_attn_out, call.attn_out];
    expect_logits(call.prev_attn_out, "prevAttnOut")?;
    require!(
        call.prev_attn_out.rank() == 3
            && shapes
                .iter()
                .all(|tensor| tensor.dims == call.prev_attn_out.dims),
        "'prevAttnOut' has the shape {:?}, 'curAttnOut' {:?} and 'attnOut' {:?}, but three equal dimensions are expected",
        call.prev_attn_out.dims,
        call.cur_attn_out.dims,
        call.attn_out.dims
    );
    for tensor in shapes {
        expect_logits(tensor, "curAttnOut")?;
    }
    let base = call.prev_softmax_max;
    for (tensor, argument) in [
        (call.prev_softmax_max, "prevSoftmaxMax"),
        (call.prev_softmax_sum, "prevSoftmaxSum"),
        (call.cur_softmax_max, "curSoftmaxMax"),
        (call.cur_softmax_sum, "curSoftmaxSum"),
        (call.softmax_max, "softmaxMax"),
        (call.softmax_sum, "softmaxSum"),
    ] {
        expect_type(tensor, Element::F32, argument)?;
        expect_dims(tensor, &base.dims, argument)?;
    }
    let [first, second, third] = call.prev_attn_out.dims[..] else {
        return Err(Refusal::invalid("'prevAttnOut' needs three dimensions"));
    };
    // Where heads and rows of the softmax lie, as the rows of attention lie: with one number for each of their elements.
    let by_token = match call.input_layout {
        "SBH" => false,
        "TND" => {
            if call.input_softmax_layout != "TND" {
                return Err(Refusal::unsupported(format!(
                    "'inputSoftmaxLayout' is '{}' with packed tokens; Millpond supports only TND",
                    call.input_softmax_layout
                )));
            }
            true
        }
        other => {
            return Err(Refusal::invalid(format!(
                "'inputLayout' is '{other}'; it must be SBH or TND"
            )));
        }
    };
    let (heads, lanes) = if by_token {
        require!(
            base.rank() == 3 && base.dims[0] == first && base.dims[1] == second,
            "'prevSoftmaxMax' has the shape {:?}, but [{first}, {second}, 8] is expected",
            base.dims
        );
        (second, base.dims[2])
    } else {
        require!(
            base.rank() == 4 && base.dims[0] == second && base.dims[2] == first,
            "'prevSoftmaxMax' has the shape {:?}, but [{second}, heads, {first}, 8] is expected",
            base.dims
        );
        (base.dims[1], base.dims[3])
    };
    require!(
        lanes > 0,
        "'prevSoftmaxMax' has the shape {:?}, but the last dimension must not be 0",
        base.dims
    );
    require!(
        by_token || (heads > 0 && third % heads == 0) || third == 0,
        "'prevAttnOut' has rows of {third} numbers, which do not divide among {heads} heads"
    );
    let mut plan = Plan::new();
    let inputs = [
        call.prev_softmax_max,
        call.prev_softmax_sum,
        call.cur_softmax_max,
        call.cur_softmax_sum,
    ]
    .map(|tensor| plan.input(tensor));
    let parts = [call.prev_attn_out, call.cur_attn_out].map(|tensor| plan.input(tensor));
    let (max_out, sum_out) = (
        plan.output_apart(call.softmax_max),
        plan.output_apart(call.softmax_sum),
    );
    let out = plan.output_apart(call.attn_out);
    if base.is_empty() {
        return plan.done();
    }
    let [max, sum, before, now] = [0; 4].map(|_: i32| plan.temp(Element::F32, &base.dims));
    let [old_max, old_sum, new_max, new_sum] = inputs;
    let (a, b, into) = (old_max.clone(), new_max.clone(), max.clone());
    plan.step(move |m| {
        map::map2::<f32, f32, f32>(&m.view(&a), &m.view(&b), &m.view(&into), f32::max);
    });
    for (values, sums, into) in [(old_max, old_sum, &before), (new_max, new_sum, &now)] {
        let (max, into) = (max.clone(), into.clone());
        plan.step(move |m| {
            map::map3::<f32, f32, f32, f32>(
                &m.view(&values),
                &m.view(&sums),
                &m.view(&max),
                &m.view(&into),
                |value, sum, max| sum * (value - max).exp(),
            );
        });
    }
    let (a, b, into) = (before.clone(), now.clone(), sum.clone());
    plan.step(move |m| {
        map::map2::<f32, f32, f32>(&m.view(&a), &m.view(&b), &m.view(&into), |x, y| x + y);
    });
    // One number for each head and row: [tokens, heads, 1] or [rows, batches, heads, 1].
    let turned = |value: &Value| {
        let value = value.narrow(value.rank() - 1, 0, 1);
        if by_token {
            value
        } else {
            value.permute(&[2, 0, 1, 3])
        }
    };
    let opened = |value: &Value| {
        if by_token {
            value.clone()
        } else {
            value.split(2, third.checked_div(heads).unwrap_or(0).max(1))
        }
    };
    let whole_out = plan.temp(Element::F32, opened(&out).dims());
    let dims: Vec<i64> = whole_out.dims().to_vec();
    for (number, (part, weight)) in parts.iter().zip([&before, &now]).enumerate() {
        let (part, weight, sum, into) = (
            opened(part),
            turned(weight).expand(&dims),
            turned(&sum).expand(&dims),
            whole_out.clone(),
        );
        plan.step(move |m| {
            let into = m.view(&into);
            map::map4::<f32, f32, f32, f32, f32>(
                &m.view(&part),
                &m.view(&weight),
                &m.view(&sum),
                &into,
                &into,
                |x, weight, sum, rest| {
                    let own = x * (weight / sum);
                    if number == 0 { own } else { own + rest }
                },
            );
        });
    }
    plan.copy(&whole_out, &opened(&out));
    plan.copy(&max, &max_out);
    plan.copy(&sum, &sum_out);
    plan.done()
}
