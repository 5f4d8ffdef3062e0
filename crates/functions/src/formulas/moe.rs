//! Mixture of experts: choosing experts for tokens, sorting tokens by expert, and putting results back.

use millpond_kernels::{Element, Stored, View, map, rows};

use super::index::PLAIN;
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::promote::is_float;
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What stands for no place.
pub(crate) const NONE: i64 = -1;

pub(crate) fn size(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

pub(crate) fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn slice<T: Stored>(view: &View) -> &[T] {
    view.slice()
        .unwrap_or_else(|| panic!("{view:?} is not contiguous {:?}", T::ELEMENT))
}

pub(crate) fn slice_mut<T: Stored>(view: &View) -> &mut [T] {
    view.slice_mut()
        .unwrap_or_else(|| panic!("{view:?} is not contiguous {:?}", T::ELEMENT))
}

/// Refuses a tensor that has another shape.
pub(crate) fn expect_dims(tensor: &Tensor, dims: &[i64], argument: &str) -> Result<(), Refusal> {
    require!(
        tensor.dims[..] == *dims,
        "'{argument}' has the shape {:?}, but {dims:?} is expected",
        tensor.dims
    );
    Ok(())
}

/// Refuses elements that are not real numbers.
pub(crate) fn expect_floats(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        is_float(tensor.element()),
        "'{argument}' has the type {}, but a floating-point type is expected",
        tensor.element().name()
    );
    Ok(())
}

pub(crate) fn expect_type(
    tensor: &Tensor,
    element: Element,
    argument: &str,
) -> Result<(), Refusal> {
    require!(
        tensor.element() == element,
        "'{argument}' has the type {}, but {} is expected",
        tensor.element().name(),
        element.name()
    );
    Ok(())
}

fn expect_unpadded(padded: bool) -> Result<(), Refusal> {
    if padded {
        return Err(Refusal::unsupported(
            "'paddedMode' is true; Millpond does not pad tokens, pass false",
        ));
    }
    Ok(())
}

/// The elements of a tensor in a type, one behind the other, with these dimensions.
pub(crate) fn flat(plan: &mut Plan, tensor: &Tensor, element: Element, dims: &[i64]) -> Value {
    let value = plan.input(tensor);
    let value = plan.contiguous(&value, element);
    plan.reshape(&value, dims)
}

/// Where results are computed, in a type and one behind the other, and where they go then unless that is the same.
pub(crate) struct Staged {
    pub(crate) work: Value,
    target: Option<Value>,
}

impl Staged {
    pub(crate) fn of(plan: &mut Plan, out: &Tensor, element: Element) -> Self {
        let z = plan.output_apart(out);
        if z.element() == element && z.is_contiguous() {
            return Self {
                work: z,
                target: None,
            };
        }
        Self {
            work: plan.temp(element, z.dims()),
            target: Some(z),
        }
    }

    pub(crate) fn deliver(self, plan: &mut Plan) {
        if let Some(target) = self.target {
            plan.copy(&self.work, &target);
        }
    }
}

/// The order that sorts keys, where equal ones keep their order; and for each key, where it comes.
pub(crate) fn sorted(plan: &mut Plan, keys: &Value) -> (Value, Value) {
    let order = plan.temp(Element::I64, keys.dims());
    let places = plan.temp(Element::I64, keys.dims());
    let (keys, result) = (keys.clone(), (order.clone(), places.clone()));
    plan.step(move |m| {
        let (keys, order, places) = (m.view(&keys), m.view(&order), m.view(&places));
        let (keys, order, places) = (
            slice::<i64>(&keys),
            slice_mut::<i64>(&order),
            slice_mut::<i64>(&places),
        );
        for (number, place) in order.iter_mut().enumerate() {
            *place = whole(number);
        }
        order.sort_unstable_by_key(|number| (keys[size(*number)], *number));
        for (place, number) in order.iter().enumerate() {
            places[size(*number)] = whole(place);
        }
    });
    result
}

/// Rows of a matrix by number; the numbers were computed by the plan and are in range.
fn take_rows(plan: &mut Plan, from: &Value, numbers: &Value, out: &Value) {
    let offsets = plan.axis_offsets(from, 0, numbers, PLAIN);
    plan.gather(from, 0, 1, &offsets, out);
}

/// numbers / divisor.
fn divided(plan: &mut Plan, numbers: &Value, divisor: i64) -> Value {
    let result = plan.temp(Element::I64, numbers.dims());
    let (numbers, out) = (numbers.clone(), result.clone());
    plan.step(move |m| {
        map::map1::<i64, i64>(&m.view(&numbers), &m.view(&out), |x| x / divisor.max(1));
    });
    result
}

/// How many experts each token has, from indices of shape \[tokens, experts\] or \[tokens\].
pub(crate) fn choices(indices: &Tensor, tokens: i64, argument: &str) -> Result<i64, Refusal> {
    expect_integers(indices, argument)?;
    require!(
        matches!(indices.rank(), 1 | 2) && indices.dims[0] == tokens,
        "'{argument}' has the shape {:?}, but [{tokens}, choices] is expected: one row for each token",
        indices.dims
    );
    Ok(indices.dims.get(1).copied().unwrap_or(1))
}

pub(crate) fn expect_matrix(tensor: &Tensor, argument: &str) -> Result<(i64, i64), Refusal> {
    require!(
        tensor.rank() == 2,
        "'{argument}' has the shape {:?}, but a matrix is expected",
        tensor.dims
    );
    Ok((tensor.dims[0], tensor.dims[1]))
}

/// Tokens sorted by expert.
pub(crate) fn token_permute(
    tokens: &Tensor,
    indices: &Tensor,
    number: i64,
    padded: bool,
    permuted: &Tensor,
    places: &Tensor,
) -> Planned {
    expect_unpadded(padded)?;
    let (height, width) = expect_matrix(tokens, "tokens")?;
    let top = choices(indices, height, "indices")?;
    let total = whole(indices.count());
    require!(
        number >= 0,
        "'actualNumOutTokens' is {number}; 0 stands for all, other numbers are positive"
    );
    let kept = if number == 0 {
        total
    } else {
        number.min(total)
    };
    expect_dims(permuted, &[kept, width], "permutedTokens")?;
    expect_type(permuted, tokens.element(), "permutedTokens")?;
    expect_dims(places, &[total], "sortedIndices")?;
    expect_integers(places, "sortedIndices")?;
    let mut plan = Plan::new();
    let keys = flat(&mut plan, indices, Element::I64, &[total]);
    let tokens = plan.input(tokens);
    let (z, places) = (plan.output_apart(permuted), plan.output_apart(places));
    let (order, inverse) = sorted(&mut plan, &keys);
    plan.copy(&inverse, &places);
    let source = divided(&mut plan, &order.narrow(0, 0, kept), top);
    take_rows(&mut plan, &tokens, &source, &z);
    plan.done()
}

/// A row of a matrix by a number found in device memory; `None` behind the last one.
fn row(matrix: &[f32], number: i64, width: usize) -> Option<&[f32]> {
    let start = usize::try_from(number).ok()?.checked_mul(width)?;
    matrix.get(start..start.checked_add(width)?)
}

/// Fails if an index is below `least`.
fn expect_at_least(plan: &mut Plan, indices: &Value, least: i64, argument: &'static str) {
    let indices = indices.clone();
    plan.try_step(move |m| {
        let view = m.view(&indices);
        match slice::<i64>(&view).iter().find(|index| **index < least) {
            Some(index) => Err(format!(
                "'{argument}' has the index {index}, but indices must not be less than {least}"
            )),
            None => Ok(()),
        }
    });
}

/// `out[t] = Σ weights[t][k] · matrix[indices[t][k]]`. Indices behind the last row stand for rows of zeros.
fn sum_rows(
    plan: &mut Plan,
    matrix: &Value,
    indices: &Value,
    weights: Option<&Value>,
    out: &Value,
) {
    let (matrix, indices, weights, out) = (
        matrix.clone(),
        indices.clone(),
        weights.cloned(),
        out.clone(),
    );
    plan.step(move |m| {
        let matrix = m.view(&matrix);
        let (width, matrix) = (size(matrix.dims()[1]), slice::<f32>(&matrix));
        let weights = weights.as_ref().map(|weights| m.view(weights));
        let weights = weights.as_ref().map(slice::<f32>);
        rows::rows1::<i64, f32>(&m.view(&indices), &m.view(&out), |token, indices, sums| {
            sums.fill(0.0);
            for (choice, index) in indices.iter().enumerate() {
                let weight = weights.map_or(1.0, |all| all[token * indices.len() + choice]);
                if let Some(from) = row(matrix, *index, width) {
                    for (sum, x) in sums.iter_mut().zip(from) {
                        *sum += weight * x;
                    }
                }
            }
        });
    });
}

/// How many choices each of `tokens` tokens has if there are `total` in all.
fn per_token(total: i64, tokens: i64, argument: &str) -> Result<i64, Refusal> {
    if tokens == 0 && total == 0 {
        return Ok(1);
    }
    require!(
        tokens > 0 && total % tokens == 0,
        "'{argument}' has {total} elements, which do not divide among {tokens} tokens"
    );
    Ok(total / tokens)
}

/// The gradient of [`token_permute`].
pub(crate) fn token_permute_grad(
    grad: &Tensor,
    places: &Tensor,
    top: i64,
    padded: bool,
    out: &Tensor,
) -> Planned {
    expect_unpadded(padded)?;
    let (count, width) = expect_matrix(grad, "gradPermutedTokens")?;
    let (tokens, _) = expect_matrix(out, "gradTokens")?;
    expect_floats(grad, "gradPermutedTokens")?;
    expect_floats(out, "gradTokens")?;
    expect_integers(places, "sortedIndices")?;
    let total = whole(places.count());
    require!(
        top > 0 && tokens.checked_mul(top) == Some(total),
        "'sortedIndices' has {total} elements, but {tokens} tokens with 'numTopK' {top} each are expected"
    );
    expect_dims(out, &[tokens, width], "gradTokens")?;
    let mut plan = Plan::new();
    let indices = flat(&mut plan, places, Element::I64, &[tokens, top]);
    let grad = flat(&mut plan, grad, Element::F32, &[count, width]);
    let out = Staged::of(&mut plan, out, Element::F32);
    expect_at_least(&mut plan, &indices, 0, "sortedIndices");
    sum_rows(&mut plan, &grad, &indices, None, &out.work);
    out.deliver(&mut plan);
    plan.done()
}

/// The dimensions of probabilities, which must be one for each choice.
fn check_probs(probs: Option<&Tensor>, tokens: i64, total: i64) -> Result<i64, Refusal> {
    let top = per_token(total, tokens, "sortedIndices")?;
    let Some(probs) = probs else {
        require!(
            top == 1,
            "'probs' is NULL, which stands for one choice for each token, but 'sortedIndices' has {top}"
        );
        return Ok(1);
    };
    expect_floats(probs, "probs")?;
    require!(
        probs.rank() == 2 && probs.dims[0] == tokens && whole(probs.count()) == total,
        "'probs' has the shape {:?}, but [{tokens}, {top}] is expected",
        probs.dims
    );
    Ok(probs.dims[1])
}

/// Results of experts put back in the order of tokens, weighted and added.
pub(crate) fn token_unpermute(
    permuted: &Tensor,
    places: &Tensor,
    probs: Option<&Tensor>,
    padded: bool,
    out: &Tensor,
) -> Planned {
    expect_unpadded(padded)?;
    let (count, width) = expect_matrix(permuted, "permutedTokens")?;
    let (tokens, _) = expect_matrix(out, "out")?;
    expect_dims(out, &[tokens, width], "out")?;
    expect_floats(permuted, "permutedTokens")?;
    expect_floats(out, "out")?;
    expect_integers(places, "sortedIndices")?;
    let top = check_probs(probs, tokens, whole(places.count()))?;
    let mut plan = Plan::new();
    let indices = flat(&mut plan, places, Element::I64, &[tokens, top]);
    let weights = probs.map(|probs| flat(&mut plan, probs, Element::F32, &[tokens, top]));
    let permuted = flat(&mut plan, permuted, Element::F32, &[count, width]);
    let out = Staged::of(&mut plan, out, Element::F32);
    expect_at_least(&mut plan, &indices, 0, "sortedIndices");
    sum_rows(&mut plan, &permuted, &indices, weights.as_ref(), &out.work);
    out.deliver(&mut plan);
    plan.done()
}

/// The gradients of [`token_unpermute`].
pub(crate) fn token_unpermute_grad(call: table::MoeTokenUnpermuteGrad<'_>) -> Planned {
    expect_unpadded(call.padded_mode)?;
    let (tokens, width) = expect_matrix(call.grad_unpermuted_tokens, "gradUnpermutedTokens")?;
    let (count, _) = expect_matrix(call.grad_permuted_tokens, "gradPermutedTokens")?;
    expect_dims(
        call.grad_permuted_tokens,
        &[count, width],
        "gradPermutedTokens",
    )?;
    expect_floats(call.grad_unpermuted_tokens, "gradUnpermutedTokens")?;
    expect_floats(call.grad_permuted_tokens, "gradPermutedTokens")?;
    expect_integers(call.sorted_indices, "sortedIndices")?;
    let total = whole(call.sorted_indices.count());
    let top = check_probs(call.probs, tokens, total)?;
    let mut plan = Plan::new();
    let indices = flat(&mut plan, call.sorted_indices, Element::I64, &[tokens, top]);
    let weights = call
        .probs
        .map(|probs| flat(&mut plan, probs, Element::F32, &[tokens, top]));
    let grad = flat(
        &mut plan,
        call.grad_unpermuted_tokens,
        Element::F32,
        &[tokens, width],
    );
    let permuted = match (call.probs, call.permuted_tokens) {
        (Some(_), Some(permuted)) => {
            expect_floats(permuted, "permutedTokens")?;
            expect_dims(permuted, &[count, width], "permutedTokens")?;
            Some(flat(&mut plan, permuted, Element::F32, &[count, width]))
        }
        (Some(_), None) => return Err(Refusal::missing("permutedTokens")),
        (None, _) => None,
    };
    let out = Staged::of(&mut plan, call.grad_permuted_tokens, Element::F32);
    let probs_out = match (&permuted, call.grad_probs) {
        (Some(_), Some(tensor)) => {
            expect_floats(tensor, "gradProbs")?;
            expect_dims(tensor, &[tokens, top], "gradProbs")?;
            Some(Staged::of(&mut plan, tensor, Element::F32))
        }
        (Some(_), None) => return Err(Refusal::missing("gradProbs")),
        (None, _) => None,
    };
    expect_at_least(&mut plan, &indices, 0, "sortedIndices");
    // For each row of the result, the choice that it comes from.
    let choice = plan.temp(Element::I64, &[count, 1]);
    let (from, into) = (indices.clone(), choice.clone());
    plan.try_step(move |m| {
        let (from, into) = (m.view(&from), m.view(&into));
        let choices = slice_mut::<i64>(&into);
        choices.fill(NONE);
        for (number, index) in slice::<i64>(&from).iter().enumerate() {
            let Some(choice) = choices.get_mut(size(*index)) else {
                continue;
            };
            if *choice != NONE {
                return Err(format!("'sortedIndices' has the index {index} twice"));
            }
            *choice = whole(number);
        }
        Ok(())
    });
    let (rows_of, scale, into) = (grad.clone(), weights, out.work.clone());
    let span = size(width);
    plan.step(move |m| {
        let (grad, scale) = (
            m.view(&rows_of),
            scale.as_ref().map(|weights| m.view(weights)),
        );
        let (grad, scale) = (slice::<f32>(&grad), scale.as_ref().map(slice::<f32>));
        rows::rows1::<i64, f32>(&m.view(&choice), &m.view(&into), |_, choice, to| {
            let number = choice.first().copied().unwrap_or(NONE);
            if number == NONE {
                return to.fill(0.0);
            }
            let weight = scale.map_or(1.0, |all| all[size(number)]);
            if let Some(from) = row(grad, number / top.max(1), span) {
                for (to, x) in to.iter_mut().zip(from) {
                    *to = weight * x;
                }
            }
        });
    });
    out.deliver(&mut plan);
    if let (Some(permuted), Some(probs_out)) = (permuted, probs_out) {
        let into = probs_out.work.clone();
        plan.step(move |m| {
            let (grad, permuted) = (m.view(&grad), m.view(&permuted));
            let (grad, permuted) = (slice::<f32>(&grad), slice::<f32>(&permuted));
            rows::rows1::<i64, f32>(&m.view(&indices), &m.view(&into), |token, indices, to| {
                let own = row(grad, whole(token), span).unwrap_or_default();
                for (to, index) in to.iter_mut().zip(indices) {
                    let products = row(permuted, *index, span)
                        .unwrap_or_default()
                        .iter()
                        .zip(own);
                    *to = products.map(|(x, y)| x * y).sum();
                }
            });
        });
        probs_out.deliver(&mut plan);
    }
    plan.done()
}

/// Tokens sorted by expert; `row_idx` numbers the choices.
pub(crate) fn init_routing(call: table::MoeInitRouting<'_>) -> Planned {
    let (tokens, width) = expect_matrix(call.x, "x")?;
    let top = choices(call.expert_idx, tokens, "expertIdx")?;
    expect_integers(call.row_idx, "rowIdx")?;
    expect_dims(call.row_idx, &call.expert_idx.dims, "rowIdx")?;
    let total = whole(call.expert_idx.count());
    require!(
        call.active_num >= 0,
        "'activeNum' is {}, it must not be negative",
        call.active_num
    );
    let kept = call.active_num.min(tokens) * top;
    expect_dims(call.expanded_x, &[kept, width], "expandedX")?;
    expect_type(call.expanded_x, call.x.element(), "expandedX")?;
    expect_dims(call.expanded_row_idx, &[total], "expandedRowIdx")?;
    expect_integers(call.expanded_row_idx, "expandedRowIdx")?;
    expect_dims(call.expanded_expert_idx, &[total], "expandedExpertIdx")?;
    expect_integers(call.expanded_expert_idx, "expandedExpertIdx")?;
    let mut plan = Plan::new();
    let keys = flat(&mut plan, call.expert_idx, Element::I64, &[total]);
    let numbers = flat(&mut plan, call.row_idx, Element::I64, &[total]);
    let x = plan.input(call.x);
    let z = plan.output_apart(call.expanded_x);
    let places = Staged::of(&mut plan, call.expanded_row_idx, Element::I64);
    let experts = Staged::of(&mut plan, call.expanded_expert_idx, Element::I64);
    let (order, _) = sorted(&mut plan, &keys);
    let source = plan.temp(Element::I64, &[total]);
    let (into, places_out, experts_out) =
        (source.clone(), places.work.clone(), experts.work.clone());
    plan.try_step(move |m| {
        let (keys, numbers, order) = (m.view(&keys), m.view(&numbers), m.view(&order));
        let (source, places, experts) = (m.view(&into), m.view(&places_out), m.view(&experts_out));
        let (keys, numbers) = (slice::<i64>(&keys), slice::<i64>(&numbers));
        let (source, places, experts) = (
            slice_mut::<i64>(&source),
            slice_mut::<i64>(&places),
            slice_mut::<i64>(&experts),
        );
        places.fill(NONE);
        for (place, choice) in slice::<i64>(&order).iter().enumerate() {
            let number = numbers[size(*choice)];
            let slot = usize::try_from(number)
                .ok()
                .and_then(|number| places.get_mut(number));
            match slot {
                Some(slot) if *slot == NONE => *slot = whole(place),
                _ => {
                    return Err(format!(
                        "'rowIdx' has {number} twice or outside of 0 to {}, but it numbers the choices",
                        total - 1
                    ));
                }
            }
            experts[place] = keys[size(*choice)];
            source[place] = number % tokens.max(1);
        }
        Ok(())
    });
    places.deliver(&mut plan);
    experts.deliver(&mut plan);
    take_rows(&mut plan, &x, &source.narrow(0, 0, kept), &z);
    plan.done()
}

/// How many choices fall on each expert. Experts from `counts.len()` on are left out if `lenient`, and a mistake otherwise.
fn count_experts(keys: &[i64], counts: &mut [i64], lenient: bool) -> Result<(), String> {
    counts.fill(0);
    let experts = counts.len();
    for key in keys {
        match usize::try_from(*key)
            .ok()
            .and_then(|key| counts.get_mut(key))
        {
            Some(count) => *count += 1,
            None if lenient && *key >= 0 => {}
            None => {
                return Err(format!(
                    "there is no expert {key}; experts are numbered from 0 to {}",
                    whole(experts) - 1
                ));
            }
        }
    }
    Ok(())
}

fn add_up(counts: &mut [i64]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// Counts of choices per expert, added up if `cumulative`.
fn count_step(plan: &mut Plan, keys: &Value, out: &Value, cumulative: bool, lenient: bool) {
    let (keys, out) = (keys.clone(), out.clone());
    plan.try_step(move |m| {
        let (keys, out) = (m.view(&keys), m.view(&out));
        let counts = slice_mut::<i64>(&out);
        count_experts(slice::<i64>(&keys), counts, lenient)?;
        if cumulative {
            add_up(counts);
        }
        Ok(())
    });
}

/// How many tokens there are up to each expert.
pub(crate) fn compute_expert_tokens(ids: &Tensor, experts: i64, out: &Tensor) -> Planned {
    expect_integers(ids, "sortedExpertForSourceRow")?;
    expect_integers(out, "out")?;
    require!(
        ids.rank() == 1,
        "'sortedExpertForSourceRow' has the shape {:?}, but one dimension is expected",
        ids.dims
    );
    require!(experts > 0, "'numExpert' is {experts}, it must be positive");
    expect_dims(out, &[experts], "out")?;
    let mut plan = Plan::new();
    let keys = flat(&mut plan, ids, Element::I64, &ids.dims);
    let out = Staged::of(&mut plan, out, Element::I64);
    count_step(&mut plan, &keys, &out.work, true, true);
    out.deliver(&mut plan);
    plan.done()
}

/// Tokens sorted by expert, all of them or so many for each expert.
pub(crate) fn init_routing_v2(call: table::MoeInitRoutingV2<'_>) -> Planned {
    let (tokens, width) = expect_matrix(call.x, "x")?;
    let top = choices(call.expert_idx, tokens, "expertIdx")?;
    let total = whole(call.expert_idx.count());
    expect_dims(call.expanded_row_idx, &[total], "expandedRowIdx")?;
    expect_integers(call.expanded_row_idx, "expandedRowIdx")?;
    expect_type(call.expanded_x, call.x.element(), "expandedX")?;
    require!(
        matches!(call.drop_pad_mode, 0 | 1),
        "'dropPadMode' is {}; 0 keeps all tokens, 1 keeps 'expertCapacity' for each expert",
        call.drop_pad_mode
    );
    require!(
        (0..=2).contains(&call.expert_tokens_count_or_cumsum_flag),
        "'expertTokensCountOrCumsumFlag' is {}; 0 is nothing, 1 sums, 2 counts",
        call.expert_tokens_count_or_cumsum_flag
    );
    let drops = call.drop_pad_mode == 1;
    let (experts, capacity) = (call.expert_num, call.expert_capacity);
    let counted = match (drops, call.expert_tokens_count_or_cumsum_flag) {
        (false, 1 | 2) => Some(
            call.expert_tokens_count_or_cumsum
                .ok_or_else(|| Refusal::missing("expertTokensCountOrCumsum"))?,
        ),
        (true, _) if call.expert_tokens_before_capacity_flag => Some(
            call.expert_tokens_before_capacity
                .ok_or_else(|| Refusal::missing("expertTokensBeforeCapacity"))?,
        ),
        _ => None,
    };
    if drops || counted.is_some() {
        require!(experts > 0, "'expertNum' is {experts}, it must be positive");
    }
    if let Some(counted) = counted {
        expect_integers(counted, "the counts of tokens")?;
        expect_dims(counted, &[experts], "the counts of tokens")?;
    }
    let kept = if drops {
        require!(
            capacity > 0,
            "'expertCapacity' is {capacity}, it must be positive"
        );
        expect_dims(call.expanded_x, &[experts, capacity, width], "expandedX")?;
        experts
            .checked_mul(capacity)
            .ok_or_else(|| Refusal::invalid("experts times capacity is too large"))?
    } else {
        require!(
            call.active_num >= 0,
            "'activeNum' is {}, it must not be negative",
            call.active_num
        );
        let kept = match call.active_num {
            0 => total,
            number => number.min(total),
        };
        expect_dims(call.expanded_x, &[kept, width], "expandedX")?;
        kept
    };
    let mut plan = Plan::new();
    let keys = flat(&mut plan, call.expert_idx, Element::I64, &[total]);
    let x = plan.input(call.x);
    let places = Staged::of(&mut plan, call.expanded_row_idx, Element::I64);
    let counted = counted.map(|tensor| Staged::of(&mut plan, tensor, Element::I64));
    if let Some(counted) = &counted {
        let cumulative = !drops && call.expert_tokens_count_or_cumsum_flag == 1;
        count_step(&mut plan, &keys, &counted.work, cumulative, false);
    }
    let (order, inverse) = sorted(&mut plan, &keys);
    if drops {
        let z = Staged::of(&mut plan, call.expanded_x, call.x.element());
        plan.fill(&z.work, 0.0);
        let into = plan.reshape(&z.work, &[kept, width]);
        let used = plan.temp(Element::I64, &[experts]);
        let places_out = places.work.clone();
        plan.try_step(move |m| {
            let (keys, used, places) = (m.view(&keys), m.view(&used), m.view(&places_out));
            let (used, places) = (slice_mut::<i64>(&used), slice_mut::<i64>(&places));
            used.fill(0);
            for (key, place) in slice::<i64>(&keys).iter().zip(places) {
                let slot = usize::try_from(*key).ok().and_then(|key| used.get_mut(key));
                let Some(used) = slot else {
                    return Err(format!(
                        "there is no expert {key}; experts are numbered from 0 to {}",
                        experts - 1
                    ));
                };
                *place = if *used < capacity {
                    key * capacity + *used
                } else {
                    NONE
                };
                *used += 1;
            }
            Ok(())
        });
        let rows = x.unsqueeze(1).expand(&[tokens, top, width]);
        let index = plan.reshape(&places.work, &[tokens, top]);
        let rules = millpond_kernels::index::Rules {
            skip: Some(NONE),
            ..PLAIN
        };
        let offsets = plan.axis_offsets(&into, 0, &index, rules);
        plan.scatter(
            &rows,
            0,
            1,
            &offsets,
            &into,
            millpond_kernels::index::Put::Assign,
        );
        z.deliver(&mut plan);
    } else {
        let z = plan.output_apart(call.expanded_x);
        plan.copy(&inverse, &places.work);
        let source = divided(&mut plan, &order.narrow(0, 0, kept), top);
        take_rows(&mut plan, &x, &source, &z);
    }
    places.deliver(&mut plan);
    if let Some(counted) = counted {
        counted.deliver(&mut plan);
    }
    plan.done()
}

pub(crate) fn soften(from: &[f32], to: &mut [f32]) {
    let most = from.iter().fold(f32::NEG_INFINITY, |most, x| {
        if most.is_nan() || *x <= most {
            most
        } else {
            *x
        }
    });
    let mut sum = 0.0;
    for (x, y) in from.iter().zip(to.iter_mut()) {
        *y = (x - most).exp();
        sum += *y;
    }
    for y in to {
        *y /= sum;
    }
}

/// For each row, the columns from the largest score to the smallest; of equal ones the first one comes first.
pub(crate) fn ranked(plan: &mut Plan, scores: &Value) -> Value {
    let order = plan.temp(Element::I64, scores.dims());
    let (scores, out) = (scores.clone(), order.clone());
    plan.step(move |m| {
        rows::rows1::<f32, i64>(&m.view(&scores), &m.view(&out), |_, scores, order| {
            for (number, place) in order.iter_mut().enumerate() {
                *place = whole(number);
            }
            order.sort_unstable_by(|a, b| {
                let (x, y) = (scores[size(*a)] + 0.0, scores[size(*b)] + 0.0);
                y.total_cmp(&x).then(a.cmp(b))
            });
        });
    });
    order
}

/// Rows and experts of scores, and that `k` of them can be chosen.
pub(crate) fn expect_scores(x: &Tensor, k: i64) -> Result<(i64, i64), Refusal> {
    expect_floats(x, "x")?;
    let Some((experts, lead)) = x.dims.split_last() else {
        return Err(Refusal::invalid(
            "'x' has no dimensions, but the last one must count experts",
        ));
    };
    require!(
        (1..=*experts).contains(&k),
        "'k' is {k}, but there are {experts} experts to choose from"
    );
    Ok((whole(millpond_kernels::count(lead)), *experts))
}

pub(crate) fn chosen_dims(x: &Tensor, k: i64) -> Vec<i64> {
    let lead = x.dims.split_last().map_or(&[][..], |(_, lead)| lead);
    lead.iter().copied().chain(Some(k)).collect()
}

/// The `k` experts of each token with the largest probability.
pub(crate) fn gating_top_k_softmax(
    x: &Tensor,
    finished: Option<&Tensor>,
    k: i64,
    y: &Tensor,
    experts_out: &Tensor,
    rows_out: &Tensor,
) -> Planned {
    let (tokens, experts) = expect_scores(x, k)?;
    let dims = chosen_dims(x, k);
    expect_floats(y, "y")?;
    expect_dims(y, &dims, "y")?;
    for (tensor, name) in [(experts_out, "expertIdx"), (rows_out, "rowIdx")] {
        expect_integers(tensor, name)?;
        expect_dims(tensor, &dims, name)?;
    }
    let mut plan = Plan::new();
    let scores = flat(&mut plan, x, Element::F32, &[tokens, experts]);
    let finished = match finished {
        Some(finished) => {
            expect_type(finished, Element::Bool, "finished")?;
            expect_dims(finished, &dims[..dims.len() - 1], "finished")?;
            Some(flat(&mut plan, finished, Element::I64, &[tokens]))
        }
        None => None,
    };
    let values = Staged::of(&mut plan, y, Element::F32);
    let chosen = Staged::of(&mut plan, experts_out, Element::I64);
    let numbers = plan.output_apart(rows_out);
    if x.is_empty() {
        return plan.done();
    }
    let probabilities = plan.temp(Element::F32, &[tokens, experts]);
    let (from, to) = (scores, probabilities.clone());
    plan.step(move |m| {
        rows::rows1::<f32, f32>(&m.view(&from), &m.view(&to), |_, from, to| soften(from, to));
    });
    let order = ranked(&mut plan, &probabilities);
    let (first, second, into) = (order.clone(), probabilities, values.work.clone());
    plan.step(move |m| {
        rows::rows2::<i64, f32, f32>(
            &m.view(&first),
            &m.view(&second),
            &m.view(&into),
            |_, order, from, to| {
                for (to, expert) in to.iter_mut().zip(order) {
                    *to = from[size(*expert)];
                }
            },
        );
    });
    let into = chosen.work.clone();
    plan.step(move |m| {
        let finished = finished.as_ref().map(|finished| m.view(finished));
        let finished = finished.as_ref().map(slice::<i64>);
        rows::rows1::<i64, i64>(&m.view(&order), &m.view(&into), |token, order, to| {
            for (to, expert) in to.iter_mut().zip(order) {
                let done = finished.is_some_and(|all| all[token] != 0);
                *to = if done { experts } else { *expert };
            }
        });
    });
    plan.step(move |m| {
        map::generate::<i64>(&m.view(&numbers), |number| {
            let number = whole(number);
            number % k * tokens + number / k
        });
    });
    values.deliver(&mut plan);
    chosen.deliver(&mut plan);
    plan.done()
}

/// The `k` experts of each token with the best scores, maybe from the best groups of experts alone.
pub(crate) fn gating_top_k(call: table::MoeGatingTopK<'_>) -> Planned {
    let (tokens, experts) = expect_scores(call.x, call.k)?;
    let (k, groups) = (call.k, call.group_count);
    let dims = chosen_dims(call.x, k);
    expect_floats(call.y, "y")?;
    expect_dims(call.y, &dims, "y")?;
    expect_integers(call.expert_idx, "expertIdx")?;
    expect_dims(call.expert_idx, &dims, "expertIdx")?;
    require!(
        matches!(call.norm_type, 0 | 1),
        "'normType' is {}; 0 is softmax, 1 is sigmoid",
        call.norm_type
    );
    require!(
        matches!(call.group_select_mode, 0 | 1),
        "'groupSelectMode' is {}; 0 takes the largest score of a group, 1 the sum of the two largest",
        call.group_select_mode
    );
    if call.renorm != 0 {
        return Err(Refusal::unsupported(format!(
            "'renorm' is {}; Millpond does not normalise again, pass 0",
            call.renorm
        )));
    }
    require!(
        groups > 0 && experts % groups == 0 && (1..=groups).contains(&call.k_group),
        "'kGroup' is {} and 'groupCount' {groups}, but {experts} experts must divide into groups of which some are chosen",
        call.k_group
    );
    let per_group = experts / groups;
    require!(
        call.k_group.saturating_mul(per_group) >= k,
        "'k' is {k}, but {} groups have {} experts",
        call.k_group,
        call.k_group.saturating_mul(per_group)
    );
    let pairs = call.group_select_mode == 1;
    require!(
        !pairs || groups == 1 || per_group >= 2,
        "'groupSelectMode' is 1, which adds two scores, but groups have {per_group} expert"
    );
    let mut plan = Plan::new();
    let scores = flat(&mut plan, call.x, Element::F32, &[tokens, experts]);
    let bias = match call.bias {
        Some(bias) => {
            expect_floats(bias, "bias")?;
            expect_dims(bias, &[experts], "bias")?;
            Some(flat(&mut plan, bias, Element::F32, &[experts]))
        }
        None => None,
    };
    let values = Staged::of(&mut plan, call.y, Element::F32);
    let chosen = plan.output_apart(call.expert_idx);
    let all = match (call.out_flag, call.out) {
        (true, Some(out)) => {
            expect_floats(out, "out")?;
            expect_dims(out, &call.x.dims, "out")?;
            Some(plan.output_apart(out))
        }
        (true, None) => return Err(Refusal::missing("out")),
        (false, _) => None,
    };
    if call.x.is_empty() {
        return plan.done();
    }
    let normal = plan.temp(Element::F32, &[tokens, experts]);
    let (into, sigmoid) = (normal.clone(), call.norm_type == 1);
    plan.step(move |m| {
        rows::rows1::<f32, f32>(&m.view(&scores), &m.view(&into), |_, from, to| {
            if sigmoid {
                for (x, y) in from.iter().zip(to) {
                    *y = 1.0 / (1.0 + (-x).exp());
                }
            } else {
                soften(from, to);
            }
        });
    });
    if let Some(all) = all {
        let shaped = plan.reshape(&normal, &call.x.dims);
        plan.copy(&shaped, &all);
    }
    let mut ranks = normal.clone();
    if let Some(bias) = bias {
        let sum = plan.temp(Element::F32, &[tokens, experts]);
        let (from, into) = (ranks, sum.clone());
        plan.step(move |m| {
            map::map2::<f32, f32, f32>(&m.view(&from), &m.view(&bias), &m.view(&into), |x, y| {
                x + y
            });
        });
        ranks = sum;
    }
    if groups > 1 && call.k_group < groups {
        ranks = best_groups(&mut plan, &ranks, groups, call.k_group, pairs);
    }
    let order = ranked(&mut plan, &ranks);
    let shaped = plan.reshape(&chosen_of(&order, k), &dims);
    plan.copy(&shaped, &chosen);
    let into = values.work.clone();
    let (factor, eps) = (single(call.routed_scaling_factor), single(call.eps));
    plan.step(move |m| {
        rows::rows2::<i64, f32, f32>(
            &m.view(&order),
            &m.view(&normal),
            &m.view(&into),
            |_, order, from, to| {
                let mut sum = eps;
                for (to, expert) in to.iter_mut().zip(order) {
                    *to = from[size(*expert)];
                    sum += *to;
                }
                let divisor = if sigmoid { sum } else { 1.0 };
                for to in to {
                    *to = *to / divisor * factor;
                }
            },
        );
    });
    values.deliver(&mut plan);
    plan.done()
}

fn chosen_of(order: &Value, k: i64) -> Value {
    order.narrow(1, 0, k)
}

fn single(number: f64) -> f32 {
    millpond_kernels::special::single(number)
}

/// Scores where those of all groups but the best ones are −∞.
fn best_groups(plan: &mut Plan, scores: &Value, groups: i64, kept: i64, pairs: bool) -> Value {
    let per_group = size(scores.dim(1) / groups);
    let marks = plan.temp(Element::F32, &[scores.dim(0), groups]);
    let (from, into) = (scores.clone(), marks.clone());
    plan.step(move |m| {
        rows::rows1::<f32, f32>(&m.view(&from), &m.view(&into), |_, from, marks| {
            for (group, mark) in from.chunks(per_group).zip(marks) {
                let (mut first, mut second) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
                for score in group {
                    if *score > first {
                        (first, second) = (*score, first);
                    } else if *score > second {
                        second = *score;
                    }
                }
                *mark = if pairs { first + second } else { first };
            }
        });
    });
    let result = plan.temp(Element::F32, scores.dims());
    let (from, into) = (scores.clone(), result.clone());
    plan.step(move |m| {
        rows::rows2::<f32, f32, f32>(
            &m.view(&from),
            &m.view(&marks),
            &m.view(&into),
            |_, from, marks, to| {
                for (group, mark) in marks.iter().enumerate() {
                    let better = marks.iter().enumerate().filter(|(other, rival)| {
                        let order = (*rival + 0.0).total_cmp(&(mark + 0.0));
                        order.is_gt() || (order.is_eq() && *other < group)
                    });
                    let stays = better.count() < size(kept);
                    let part = group * per_group..(group + 1) * per_group;
                    for (x, y) in from[part.clone()].iter().zip(&mut to[part]) {
                        *y = if stays { *x } else { f32::NEG_INFINITY };
                    }
                }
            },
        );
    });
    result
}

/// Results of experts put back in the order of tokens: with biases, weighted, added, on top of what skipped the experts.
#[derive(Debug)]
pub(crate) struct Finalize<'a> {
    pub(crate) rows: &'a Tensor,
    pub(crate) places: &'a Tensor,
    pub(crate) skips: [Option<&'a Tensor>; 2],
    pub(crate) bias: Option<&'a Tensor>,
    pub(crate) scales: Option<&'a Tensor>,
    pub(crate) experts: Option<&'a Tensor>,
    pub(crate) mode: i64,
    pub(crate) out: &'a Tensor,
}

pub(crate) fn finalize(call: &Finalize<'_>) -> Planned {
    require!(
        (0..=3).contains(&call.mode),
        "the mode is {}; 0 and 1 number choices first, 2 and 3 tokens first, 1 and 3 have rows for each expert",
        call.mode
    );
    let (tokens, width) = expect_matrix(call.out, "out")?;
    expect_floats(call.out, "out")?;
    expect_floats(call.rows, "expandedPermutedRows")?;
    let rank = if call.mode % 2 == 1 { 3 } else { 2 };
    require!(
        call.rows.rank() == rank && call.rows.dims[rank - 1] == width,
        "'expandedPermutedRows' has the shape {:?}, but {rank} dimensions are expected of which the last one is {width}",
        call.rows.dims
    );
    let count = whole(millpond_kernels::count(&call.rows.dims[..rank - 1]));
    expect_integers(call.places, "expandedSrcToDstRow")?;
    let total = whole(call.places.count());
    let top = per_token(total, tokens, "expandedSrcToDstRow")?;
    for skip in call.skips.iter().flatten() {
        expect_floats(skip, "skip")?;
        expect_dims(skip, &[tokens, width], "skip")?;
    }
    if let Some(scales) = call.scales {
        expect_floats(scales, "scales")?;
        expect_dims(scales, &[tokens, top], "scales")?;
    }
    let mut plan = Plan::new();
    let index = if call.mode < 2 {
        let index = flat(&mut plan, call.places, Element::I64, &[top, tokens]);
        plan.contiguous(&index.transpose(0, 1), Element::I64)
    } else {
        flat(&mut plan, call.places, Element::I64, &[tokens, top])
    };
    let rows_in = flat(&mut plan, call.rows, Element::F32, &[count, width]);
    let skips = call
        .skips
        .map(|skip| skip.map(|skip| flat(&mut plan, skip, Element::F32, &[tokens, width])));
    let scales = call
        .scales
        .map(|scales| flat(&mut plan, scales, Element::F32, &[tokens, top]));
    let bias = match (call.bias, call.experts) {
        (Some(bias), Some(experts)) => {
            expect_floats(bias, "bias")?;
            let (number, columns) = expect_matrix(bias, "bias")?;
            expect_dims(bias, &[number, width], "bias")?;
            expect_integers(experts, "expertForSourceRow")?;
            expect_dims(experts, &[tokens, top], "expertForSourceRow")?;
            Some((
                flat(&mut plan, bias, Element::F32, &[number, columns]),
                flat(&mut plan, experts, Element::I64, &[tokens, top]),
            ))
        }
        (Some(_), None) => return Err(Refusal::missing("expertForSourceRow")),
        (None, _) => None,
    };
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let (check, experts) = (
        index.clone(),
        bias.as_ref().map(|(bias, ids)| (bias.dim(0), ids.clone())),
    );
    plan.try_step(move |m| {
        let view = m.view(&check);
        let wrong = slice::<i64>(&view)
            .iter()
            .find(|index| !(NONE..count).contains(*index));
        if let Some(index) = wrong {
            return Err(format!(
                "'expandedSrcToDstRow' has the index {index}, but there are {count} rows"
            ));
        }
        if let Some((number, ids)) = &experts {
            let view = m.view(ids);
            if let Some(id) = slice::<i64>(&view)
                .iter()
                .find(|id| !(0..*number).contains(*id))
            {
                return Err(format!(
                    "'expertForSourceRow' has the expert {id}, but 'bias' has {number} rows"
                ));
            }
        }
        Ok(())
    });
    let (into, span) = (out.work.clone(), size(width));
    plan.step(move |m| {
        let rows_in = m.view(&rows_in);
        let rows_in = slice::<f32>(&rows_in);
        let skips = [0, 1].map(|number: usize| skips[number].as_ref().map(|skip| m.view(skip)));
        let scales = scales.as_ref().map(|scales| m.view(scales));
        let scales = scales.as_ref().map(slice::<f32>);
        let bias = bias.as_ref().map(|(bias, ids)| (m.view(bias), m.view(ids)));
        let bias = bias
            .as_ref()
            .map(|(bias, ids)| (slice::<f32>(bias), slice::<i64>(ids)));
        rows::rows1::<i64, f32>(&m.view(&index), &m.view(&into), |token, index, sums| {
            sums.fill(0.0);
            for skip in skips.iter().flatten() {
                let own = row(slice::<f32>(skip), whole(token), span).unwrap_or_default();
                for (sum, x) in sums.iter_mut().zip(own) {
                    *sum += x;
                }
            }
            for (choice, place) in index.iter().enumerate() {
                let number = token * index.len() + choice;
                let weight = scales.map_or(1.0, |all| all[number]);
                let parts = [
                    row(rows_in, *place, span),
                    bias.and_then(|(bias, ids)| row(bias, ids[number], span)),
                ];
                for part in parts.into_iter().flatten() {
                    for (sum, x) in sums.iter_mut().zip(part) {
                        *sum += weight * x;
                    }
                }
            }
        });
    });
    out.deliver(&mut plan);
    plan.done()
}
