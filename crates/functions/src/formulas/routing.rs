//! Mixture of experts: tokens sorted by expert with quantisation, after an exchange between ranks, or by a map of tokens and experts.

use millpond_kernels::{Element, map, rows};

use super::index::PLAIN;
use super::moe::{
    self, NONE, Staged, choices, expect_dims, expect_floats, expect_matrix, expect_type, flat,
    size, slice, slice_mut, sorted, whole,
};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// How tokens are quantised on the way.
#[derive(Clone, Copy)]
enum Quant<'a> {
    No,
    /// `round(x · scale + offset)`.
    Fixed(&'a Tensor, Option<&'a Tensor>),
    /// By the largest number of each row, after a product with the numbers of its expert.
    Rows(Option<&'a Tensor>),
}

/// What is counted for each expert.
#[derive(Clone, Copy)]
enum Counts<'a> {
    No,
    Sums(&'a Tensor),
    Numbers(&'a Tensor),
    /// Pairs of an expert and its number, for experts that have tokens.
    Pairs(&'a Tensor),
}

/// What the functions have in common.
struct Routing<'a> {
    x: &'a Tensor,
    experts: &'a Tensor,
    /// The first expert that takes part, and the one behind the last.
    range: (i64, i64),
    /// How many tokens each expert has room for; `None`: all tokens lie one behind the other.
    capacity: Option<i64>,
    /// How many rows are kept at most.
    active: i64,
    quant: Quant<'a>,
    counts: Counts<'a>,
    /// Whether the index says which choice a row is, and not where a choice goes.
    order: bool,
    /// Numbers by token that go along, and where they go; the scales that quantisation found otherwise.
    scales: (Option<&'a Tensor>, Option<&'a Tensor>),
    out: &'a Tensor,
    index: &'a Tensor,
}

/// Numbers for each expert: `[1]`, `[experts]`, `[1, width]`, `[experts, 1]` or `[experts, width]`, repeated to the last of them.
fn by_expert(
    plan: &mut Plan,
    tensor: &Tensor,
    experts: i64,
    width: i64,
    argument: &str,
) -> Result<Value, Refusal> {
    expect_floats(tensor, argument)?;
    let fits = match tensor.dims[..] {
        [first] => first == 1 || first == experts,
        [first, second] => (first == 1 || first == experts) && (second == 1 || second == width),
        _ => false,
    };
    require!(
        fits,
        "'{argument}' has the shape {:?}, but [1] or numbers for each of {experts} experts are expected",
        tensor.dims
    );
    let value = plan.input(tensor);
    let value = if value.rank() == 1 {
        value.unsqueeze(1)
    } else {
        value
    };
    Ok(plan.contiguous(&value.expand(&[experts, width]), Element::F32))
}

impl Routing<'_> {
    fn plan(&self) -> Planned {
        let (tokens, width) = expect_matrix(self.x, "x")?;
        let top = choices(self.experts, tokens, "expertIdx")?;
        let total = whole(self.experts.count());
        let (start, end) = self.range;
        require!(
            0 <= start && start < end,
            "the experts that take part are {start} to {end}, but the first must be less than the end"
        );
        let number = end - start;
        expect_dims(self.index, &[total], "expandedRowIdx")?;
        expect_integers(self.index, "expandedRowIdx")?;
        let kept = if let Some(capacity) = self.capacity {
            require!(
                capacity > 0,
                "'expertCapacity' is {capacity}, it must be positive"
            );
            expect_dims(self.out, &[end, capacity, width], "expandedX")?;
            end.checked_mul(capacity)
                .ok_or_else(|| Refusal::invalid("experts times capacity is too large"))?
        } else {
            let most = if self.active > 0 {
                self.active.min(total)
            } else {
                total
            };
            require!(
                self.out.rank() == 2
                    && self.out.dims[1] == width
                    && (most..=total).contains(&self.out.dims[0]),
                "'expandedX' has the shape {:?}, but [{most}, {width}] is expected",
                self.out.dims
            );
            self.out.dims[0]
        };
        let most = if self.active > 0 { self.active } else { total };
        let quantised = !matches!(self.quant, Quant::No);
        let element = if quantised {
            expect_floats(self.x, "x")?;
            Element::I8
        } else {
            self.x.element()
        };
        expect_type(self.out, element, "expandedX")?;
        let counted = self.counted(number)?;

        let mut plan = Plan::new();
        let keys = flat(&mut plan, self.experts, Element::I64, &[total]);
        let x = if quantised {
            flat(&mut plan, self.x, Element::F32, &[tokens, width])
        } else {
            plan.input(self.x)
        };
        let (factors, offsets) = match self.quant {
            Quant::No | Quant::Rows(None) => (None, None),
            Quant::Fixed(scale, offset) => {
                let offset = match offset {
                    Some(offset) => Some(by_expert(&mut plan, offset, number, width, "offset")?),
                    None => None,
                };
                (
                    Some(by_expert(&mut plan, scale, number, width, "scale")?),
                    offset,
                )
            }
            Quant::Rows(Some(scale)) => (
                Some(by_expert(&mut plan, scale, number, width, "scale")?),
                None,
            ),
        };
        let given = match self.scales.0 {
            Some(scales) => {
                expect_floats(scales, "scale")?;
                expect_dims(scales, &[tokens], "scale")?;
                Some(flat(&mut plan, scales, Element::F32, &[tokens]))
            }
            None => None,
        };
        let wants_scales = given.is_some() || matches!(self.quant, Quant::Rows(_));
        let scales_out = match self.scales.1.filter(|_| wants_scales) {
            Some(tensor) => {
                expect_floats(tensor, "expandedScale")?;
                require!(
                    whole(tensor.count()) == kept,
                    "'expandedScale' has the shape {:?}, but a number for each of {kept} rows is expected",
                    tensor.dims
                );
                Some(Staged::of(&mut plan, tensor, Element::F32))
            }
            None if wants_scales => return Err(Refusal::missing("expandedScale")),
            None => None,
        };
        let index = Staged::of(&mut plan, self.index, Element::I64);
        let counted = counted.map(|tensor| Staged::of(&mut plan, tensor, Element::I64));
        let out = Staged::of(&mut plan, self.out, element);

        let own = plan.temp(Element::I64, &[total]);
        let (from, into) = (keys.clone(), own.clone());
        plan.try_step(move |m| {
            let (from, into) = (m.view(&from), m.view(&into));
            for (key, own) in slice::<i64>(&from).iter().zip(slice_mut::<i64>(&into)) {
                if *key < 0 {
                    return Err(format!(
                        "'expertIdx' has the expert {key}, but experts are numbered from 0 on"
                    ));
                }
                // Those before the first come last, as those behind the last do.
                *own = if *key < start { i64::MAX } else { *key };
            }
            Ok(())
        });
        let (order, _) = sorted(&mut plan, &own);
        // For each row of the result, the choice that it is, and its expert.
        let choice = plan.temp(Element::I64, &[kept]);
        let owner = plan.temp(Element::I64, &[kept]);
        let (choice_out, owner_out, index_out) =
            (choice.clone(), owner.clone(), index.work.clone());
        let (capacity, by_order) = (self.capacity, self.order);
        plan.step(move |m| {
            let (keys, order) = (m.view(&own), m.view(&order));
            let (keys, order) = (slice::<i64>(&keys), slice::<i64>(&order));
            let (choices, owners) = (m.view(&choice_out), m.view(&owner_out));
            let index = m.view(&index_out);
            let (choices, owners) = (slice_mut::<i64>(&choices), slice_mut::<i64>(&owners));
            let index = slice_mut::<i64>(&index);
            choices.fill(NONE);
            owners.fill(0);
            index.fill(NONE);
            let (mut used, mut last) = (0, NONE);
            for (place, number) in order.iter().enumerate() {
                let key = keys[size(*number)];
                if key < end {
                    used = if key == last { used + 1 } else { 0 };
                    last = key;
                    let row = match capacity {
                        None => Some(whole(place)),
                        Some(capacity) => (used < capacity).then(|| key * capacity + used),
                    };
                    if let Some(row) = row {
                        index[size(*number)] = row;
                        let taken = capacity.is_some() || row < most;
                        if let Some(choice) = choices.get_mut(size(row)).filter(|_| taken) {
                            *choice = *number;
                            owners[size(row)] = key - start;
                        }
                    }
                }
            }
            if by_order {
                index.copy_from_slice(order);
            }
        });
        if let Some(counted) = &counted {
            self.count(&mut plan, &keys, &counted.work);
        }
        let source = plan.temp(Element::I64, &[kept]);
        let (from, into) = (choice, source.clone());
        plan.step(move |m| {
            map::map1::<i64, i64>(&m.view(&from), &m.view(&into), |choice| {
                if choice == NONE {
                    NONE
                } else {
                    choice / top.max(1)
                }
            });
        });
        let result = plan.reshape(&out.work, &[kept, width]);
        if let (Some(given), Some(staged)) = (&given, &scales_out) {
            let (given, source, into) = (given.clone(), source.clone(), staged.work.clone());
            plan.step(move |m| {
                let (given, source, into) = (m.view(&given), m.view(&source), m.view(&into));
                let given = slice::<f32>(&given);
                for (token, into) in slice::<i64>(&source).iter().zip(slice_mut::<f32>(&into)) {
                    *into = if *token == NONE {
                        0.0
                    } else {
                        given[size(*token)]
                    };
                }
            });
        }
        match self.quant {
            Quant::No => {
                plan.fill(&result, 0.0);
                let (x, source, into) = (x.clone(), source, result.clone());
                plan.step(move |m| {
                    let (x, source, into) = (m.view(&x), m.view(&source), m.view(&into));
                    let source = slice::<i64>(&source);
                    rows::for_rows(source.len(), size(width), |row| {
                        if source[row] != NONE {
                            map::copy(&x.select(0, source[row]), &into.select(0, whole(row)));
                        }
                    });
                });
            }
            Quant::Fixed(..) => {
                let into = result.clone();
                plan.step(move |m| {
                    let (x, source, owner) = (m.view(&x), m.view(&source), m.view(&owner));
                    let into = m.view(&into);
                    let (x, into) = (slice::<f32>(&x), slice_mut::<i8>(&into));
                    let factors = factors.as_ref().map(|value| m.view(value));
                    let factors = factors.as_ref().map(slice::<f32>);
                    let offsets = offsets.as_ref().map(|value| m.view(value));
                    let offsets = offsets.as_ref().map(slice::<f32>);
                    let width = size(width);
                    let places = slice::<i64>(&source).iter().zip(slice::<i64>(&owner));
                    for (row, (token, owner)) in places.enumerate() {
                        let into = &mut into[row * width..][..width];
                        if *token == NONE {
                            into.fill(0);
                            continue;
                        }
                        for (column, into) in into.iter_mut().enumerate() {
                            let at = size(*owner) * width + column;
                            let factor = factors.map_or(1.0, |all| all[at]);
                            let offset = offsets.map_or(0.0, |all| all[at]);
                            *into = small(x[size(*token) * width + column] * factor + offset);
                        }
                    }
                });
            }
            Quant::Rows(_) => {
                let Some(staged) = &scales_out else {
                    return Err(Refusal::missing("expandedScale"));
                };
                let (into, scales) = (result.clone(), staged.work.clone());
                plan.step(move |m| {
                    let (x, source, owner) = (m.view(&x), m.view(&source), m.view(&owner));
                    let (into, scales) = (m.view(&into), m.view(&scales));
                    let (x, into) = (slice::<f32>(&x), slice_mut::<i8>(&into));
                    let scales = slice_mut::<f32>(&scales);
                    let factors = factors.as_ref().map(|value| m.view(value));
                    let factors = factors.as_ref().map(slice::<f32>);
                    let width = size(width);
                    let places = slice::<i64>(&source).iter().zip(slice::<i64>(&owner));
                    for (row, (token, owner)) in places.enumerate() {
                        let into = &mut into[row * width..][..width];
                        if *token == NONE {
                            into.fill(0);
                            scales[row] = 0.0;
                            continue;
                        }
                        let value = |column: usize| {
                            let factor =
                                factors.map_or(1.0, |all| all[size(*owner) * width + column]);
                            x[size(*token) * width + column] * factor
                        };
                        let most =
                            (0..width).fold(0.0_f32, |most, column| most.max(value(column).abs()));
                        let scale = most / 127.0;
                        scales[row] = scale;
                        for (column, into) in into.iter_mut().enumerate() {
                            *into = if scale == 0.0 {
                                0
                            } else {
                                small(value(column) / scale)
                            };
                        }
                    }
                });
            }
        }
        out.deliver(&mut plan);
        index.deliver(&mut plan);
        for staged in [scales_out, counted].into_iter().flatten() {
            staged.deliver(&mut plan);
        }
        plan.done()
    }

    fn counted(&self, number: i64) -> Result<Option<&Tensor>, Refusal> {
        let tensor = match self.counts {
            Counts::No => return Ok(None),
            Counts::Sums(tensor) | Counts::Numbers(tensor) => {
                expect_dims(tensor, &[number], "the counts of tokens")?;
                tensor
            }
            Counts::Pairs(tensor) => {
                require!(
                    tensor.rank() == 2 && tensor.dims[0] >= number && tensor.dims[1] == 2,
                    "the counts of tokens have the shape {:?}, but pairs for {number} experts are expected",
                    tensor.dims
                );
                tensor
            }
        };
        expect_integers(tensor, "the counts of tokens")?;
        Ok(Some(tensor))
    }

    fn count(&self, plan: &mut Plan, keys: &Value, out: &Value) {
        let (start, end) = self.range;
        let counts = plan.temp(Element::I64, &[end - start]);
        let (keys, out) = (keys.clone(), out.clone());
        let (sums, pairs) = (
            matches!(self.counts, Counts::Sums(_)),
            matches!(self.counts, Counts::Pairs(_)),
        );
        plan.step(move |m| {
            let (keys, out, counts) = (m.view(&keys), m.view(&out), m.view(&counts));
            let (out, counts) = (slice_mut::<i64>(&out), slice_mut::<i64>(&counts));
            counts.fill(0);
            for key in slice::<i64>(&keys) {
                if (start..end).contains(key) {
                    counts[size(key - start)] += 1;
                }
            }
            out.fill(0);
            if pairs {
                let found = counts.iter().enumerate().filter(|(_, count)| **count > 0);
                for ((expert, count), pair) in found.zip(out.chunks_exact_mut(2)) {
                    pair.copy_from_slice(&[whole(expert) + start, *count]);
                }
                return;
            }
            let mut sum = 0;
            for (count, out) in counts.iter().zip(out) {
                sum += count;
                *out = if sums { sum } else { *count };
            }
        });
    }
}

/// The nearest integer that int8 has.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn small(x: f32) -> i8 {
    x.round_ties_even().clamp(-128.0, 127.0) as i8
}

/// Tokens sorted by expert, for some of the experts, maybe quantised.
pub(crate) fn init_v3(call: table::MoeInitRoutingV3<'_>) -> Planned {
    let [start, end] = *call.active_expert_range else {
        return Err(Refusal::invalid(format!(
            "'activeExpertRange' is {:?}, but two numbers are expected",
            call.active_expert_range
        )));
    };
    require!(
        matches!(call.drop_pad_mode, 0 | 1),
        "'dropPadMode' is {}; 0 keeps all tokens, 1 keeps 'expertCapacity' for each expert",
        call.drop_pad_mode
    );
    require!(
        matches!(call.row_idx_type, 0 | 1),
        "'rowIdxType' is {}; 0 says where choices go, 1 which choice a row is",
        call.row_idx_type
    );
    let drops = call.drop_pad_mode == 1;
    require!(
        !drops || (start == 0 && end == call.expert_num && call.row_idx_type == 0),
        "'dropPadMode' is 1, which needs all of {} experts and 'rowIdxType' 0, but the experts are {start} to {end} and 'rowIdxType' is {}",
        call.expert_num,
        call.row_idx_type
    );
    require!(
        call.expert_num <= 0 || end <= call.expert_num,
        "'activeExpertRange' ends with {end}, but 'expertNum' is {}",
        call.expert_num
    );
    let quant = match call.quant_mode {
        -1 => Quant::No,
        0 => Quant::Fixed(
            call.scale.ok_or_else(|| Refusal::missing("scale"))?,
            call.offset,
        ),
        1 => Quant::Rows(call.scale),
        other => {
            return Err(Refusal::unsupported(format!(
                "'quantMode' is {other}; Millpond supports -1 (none), 0 (given scales) and 1 (a scale for each row)"
            )));
        }
    };
    let counts = match (call.expert_tokens_num_flag, call.expert_tokens_num_type) {
        (false, _) => Counts::No,
        (true, kind) => {
            let tensor = call
                .expert_tokens_count_or_cumsum
                .ok_or_else(|| Refusal::missing("expertTokensCountOrCumsum"))?;
            match kind {
                0 => Counts::Sums(tensor),
                1 => Counts::Numbers(tensor),
                2 => Counts::Pairs(tensor),
                _ => {
                    return Err(Refusal::invalid(format!(
                        "'expertTokensNumType' is {kind}; 0 sums, 1 counts, 2 counts with experts"
                    )));
                }
            }
        }
    };
    Routing {
        x: call.x,
        experts: call.expert_idx,
        range: (start, end),
        capacity: drops.then_some(call.expert_capacity),
        active: call.active_num,
        quant,
        counts,
        order: call.row_idx_type == 1,
        scales: (
            call.scale.filter(|_| call.quant_mode == -1),
            call.expanded_scale,
        ),
        out: call.expanded_x,
        index: call.expanded_row_idx,
    }
    .plan()
}

/// Tokens sorted by expert and quantised.
pub(crate) fn init_quant_v2(call: table::MoeInitRoutingQuantV2<'_>) -> Planned {
    require!(
        matches!(call.drop_pad_mode, 0 | 1),
        "'dropPadMode' is {}; 0 keeps all tokens, 1 keeps 'expertCapacity' for each expert",
        call.drop_pad_mode
    );
    require!(
        (0..=2).contains(&call.expert_tokens_num_mode),
        "'expertTokensNumMode' is {}; 0 is nothing, 1 sums, 2 counts",
        call.expert_tokens_num_mode
    );
    let quant = match call.quant_mode {
        0 => Quant::Fixed(
            call.p_scale.ok_or_else(|| Refusal::missing("pScale"))?,
            call.p_offset,
        ),
        1 => Quant::Rows(call.p_scale),
        other => {
            return Err(Refusal::invalid(format!(
                "'quantMode' is {other}; 0 has given scales, 1 a scale of each row"
            )));
        }
    };
    let drops = call.drop_pad_mode == 1;
    let (counted, before) = (
        call.expert_token_cumsum_or_count,
        call.expert_tokens_before_capacity,
    );
    let counts = match (drops, call.expert_tokens_num_mode) {
        (false, 1) => {
            Counts::Sums(counted.ok_or_else(|| Refusal::missing("expertTokenCumsumOrCount"))?)
        }
        (false, 2) => {
            Counts::Numbers(counted.ok_or_else(|| Refusal::missing("expertTokenCumsumOrCount"))?)
        }
        (true, _) if call.expert_tokens_before_capacity_flag => {
            Counts::Numbers(before.ok_or_else(|| Refusal::missing("expertTokensBeforeCapacity"))?)
        }
        _ => Counts::No,
    };
    require!(
        call.expert_num > 0,
        "'expertNum' is {}, it must be positive",
        call.expert_num
    );
    Routing {
        x: call.x,
        experts: call.expert_idx,
        range: (0, call.expert_num),
        capacity: drops.then_some(call.expert_capacity),
        active: call.active_num,
        quant,
        counts,
        order: false,
        scales: (None, call.expanded_scale),
        out: call.expanded_x,
        index: call.expanded_row_idx,
    }
    .plan()
}

/// Results of experts put back, in the form that has room for experts of other kinds.
pub(crate) fn finalize_v4(call: table::MoeFinalizeRoutingV4<'_>) -> Planned {
    let others = [
        ("nullTensor", call.null_tensor.is_some()),
        ("nullTensor2", call.null_tensor2.is_some()),
        ("nullTensor3", call.null_tensor3.is_some()),
        ("nullTensor4", call.null_tensor4.is_some()),
        (
            "nullIntArray",
            call.null_int_array.is_some_and(|list| !list.is_empty()),
        ),
        (
            "nullIntArray2",
            call.null_int_array2.is_some_and(|list| !list.is_empty()),
        ),
        (
            "nullIntArray3",
            call.null_int_array3.is_some_and(|list| !list.is_empty()),
        ),
    ];
    if let Some((argument, _)) = others.iter().find(|(_, given)| *given) {
        return Err(Refusal::unsupported(format!(
            "'{argument}' is given; Millpond does not support zero, copy and constant experts, pass NULL"
        )));
    }
    moe::finalize(&moe::Finalize {
        rows: call.expanded_permuted_rows,
        places: call.expanded_src_to_dst_row,
        skips: [call.skip1, call.skip2],
        bias: call.bias,
        scales: call.scales,
        experts: call.expert_for_source_row,
        mode: call.mode,
        out: call.out,
    })
}

/// The `k` experts of each token with the largest scores, where the largest are maybe normalised among themselves.
pub(crate) fn gating_softmax_v2(call: table::MoeGatingTopKSoftmaxV2<'_>) -> Planned {
    let (tokens, experts) = moe::expect_scores(call.x, call.k)?;
    let dims = moe::chosen_dims(call.x, call.k);
    expect_floats(call.y, "y")?;
    expect_dims(call.y, &dims, "y")?;
    expect_integers(call.expert_idx, "expertIdx")?;
    expect_dims(call.expert_idx, &dims, "expertIdx")?;
    require!(
        matches!(call.renorm, 0 | 1),
        "'renorm' is {}; 0 takes the largest of softmax, 1 softmax of the largest",
        call.renorm
    );
    let late = call.renorm == 1;
    let mut plan = Plan::new();
    let scores = flat(&mut plan, call.x, Element::F32, &[tokens, experts]);
    let finished = match call.finished {
        Some(finished) => {
            expect_type(finished, Element::Bool, "finished")?;
            expect_dims(finished, &dims[..dims.len() - 1], "finished")?;
            Some(flat(&mut plan, finished, Element::I64, &[tokens]))
        }
        None => None,
    };
    let values = Staged::of(&mut plan, call.y, Element::F32);
    let chosen = Staged::of(&mut plan, call.expert_idx, Element::I64);
    let all = match (
        call.output_softmax_result_flag && !late,
        call.softmax_result,
    ) {
        (true, Some(tensor)) => {
            expect_floats(tensor, "softmaxResult")?;
            expect_dims(tensor, &call.x.dims, "softmaxResult")?;
            Some(plan.output_apart(tensor))
        }
        (true, None) => return Err(Refusal::missing("softmaxResult")),
        (false, _) => None,
    };
    if call.x.is_empty() {
        return plan.done();
    }
    let normal = plan.temp(Element::F32, &[tokens, experts]);
    let (from, to) = (scores.clone(), normal.clone());
    plan.step(move |m| {
        rows::rows1::<f32, f32>(&m.view(&from), &m.view(&to), |_, from, to| {
            moe::soften(from, to);
        });
    });
    if let Some(all) = all {
        let shaped = plan.reshape(&normal, &call.x.dims);
        plan.copy(&shaped, &all);
    }
    let ranks = if late { scores } else { normal };
    let order = moe::ranked(&mut plan, &ranks);
    let (first, into) = (order.clone(), values.work.clone());
    plan.step(move |m| {
        rows::rows2::<i64, f32, f32>(
            &m.view(&first),
            &m.view(&ranks),
            &m.view(&into),
            |_, order, from, to| {
                for (to, expert) in to.iter_mut().zip(order) {
                    *to = from[size(*expert)];
                }
                if late {
                    // Sorted: the first is the largest.
                    let most = to.first().copied().unwrap_or(0.0);
                    let mut sum = 0.0;
                    for to in to.iter_mut() {
                        *to = (*to - most).exp();
                        sum += *to;
                    }
                    for to in to {
                        *to /= sum;
                    }
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
    values.deliver(&mut plan);
    chosen.deliver(&mut plan);
    plan.done()
}

/// Experts that a table names for each token of the vocabulary; scores decide how much each counts.
pub(crate) fn gating_table(call: table::MoeGatingTopKV2<'_>) -> Planned {
    let (tokens, experts) = moe::expect_scores(call.x, call.k)?;
    let k = call.k;
    let dims = moe::chosen_dims(call.x, k);
    expect_floats(call.y, "y")?;
    expect_dims(call.y, &dims, "y")?;
    expect_integers(call.expert_idx, "expertIdx")?;
    expect_dims(call.expert_idx, &dims, "expertIdx")?;
    if !matches!(call.norm_type, 0 | 1) {
        return Err(Refusal::unsupported(format!(
            "'normType' is {}; Millpond supports 0 (softmax) and 1 (sigmoid)",
            call.norm_type
        )));
    }
    if call.renorm != 0 {
        return Err(Refusal::unsupported(format!(
            "'renorm' is {}; Millpond does not normalise again, pass 0",
            call.renorm
        )));
    }
    let (ids, names) = match (call.input_ids, call.tid2eid) {
        (Some(ids), Some(names)) => (ids, names),
        (None, None) => {
            return moe::gating_top_k(table::MoeGatingTopK {
                x: call.x,
                bias: call.bias,
                k,
                k_group: call.k_group,
                group_count: call.group_count,
                group_select_mode: call.group_select_mode,
                renorm: call.renorm,
                norm_type: call.norm_type,
                out_flag: call.out_flag,
                routed_scaling_factor: call.routed_scaling_factor,
                eps: call.eps,
                y: call.y,
                expert_idx: call.expert_idx,
                out: call.out,
            });
        }
        (Some(_), None) => return Err(Refusal::missing("tid2eid")),
        (None, Some(_)) => return Err(Refusal::missing("inputIds")),
    };
    expect_integers(ids, "inputIds")?;
    expect_dims(ids, &[tokens], "inputIds")?;
    expect_integers(names, "tid2eid")?;
    require!(
        names.rank() == 2 && names.dims[1] == k,
        "'tid2eid' has the shape {:?}, but rows of 'k' numbers are expected, which is {k}",
        names.dims
    );
    let words = names.dims[0];
    let mut plan = Plan::new();
    let scores = flat(&mut plan, call.x, Element::F32, &[tokens, experts]);
    let ids = flat(&mut plan, ids, Element::I64, &[tokens]);
    let names = flat(&mut plan, names, Element::I64, &[words, k]);
    let values = Staged::of(&mut plan, call.y, Element::F32);
    let chosen = Staged::of(&mut plan, call.expert_idx, Element::I64);
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
                moe::soften(from, to);
            }
        });
    });
    if let Some(all) = all {
        let shaped = plan.reshape(&normal, &call.x.dims);
        plan.copy(&shaped, &all);
    }
    let (values_out, chosen_out) = (values.work.clone(), chosen.work.clone());
    let (factor, eps) = (
        millpond_kernels::special::single(call.routed_scaling_factor),
        millpond_kernels::special::single(call.eps),
    );
    plan.try_step(move |m| {
        let (ids, names, normal) = (m.view(&ids), m.view(&names), m.view(&normal));
        let (names, normal) = (slice::<i64>(&names), slice::<f32>(&normal));
        let (values, chosen) = (m.view(&values_out), m.view(&chosen_out));
        let (values, chosen) = (slice_mut::<f32>(&values), slice_mut::<i64>(&chosen));
        let (k, width) = (size(k), size(experts));
        for (token, id) in slice::<i64>(&ids).iter().enumerate() {
            if !(0..words).contains(id) {
                return Err(format!(
                    "'inputIds' has {id}, but 'tid2eid' has {words} rows"
                ));
            }
            let own = &names[size(*id) * k..][..k];
            if let Some(expert) = own.iter().find(|expert| !(0..experts).contains(*expert)) {
                return Err(format!(
                    "'tid2eid' names the expert {expert}, but there are {experts}"
                ));
            }
            chosen[token * k..][..k].copy_from_slice(own);
            let scores = &normal[token * width..][..width];
            let sum = own
                .iter()
                .fold(eps, |sum, expert| sum + scores[size(*expert)]);
            let divisor = if sigmoid { sum } else { 1.0 };
            for (value, expert) in values[token * k..][..k].iter_mut().zip(own) {
                *value = scores[size(*expert)] / divisor * factor;
            }
        }
        Ok(())
    });
    values.deliver(&mut plan);
    chosen.deliver(&mut plan);
    plan.done()
}

/// Tokens that came from several ranks, sorted by rank and expert, sorted by expert and rank.
pub(crate) fn re_routing(call: table::MoeReRouting<'_>) -> Planned {
    let (count, _) = expect_matrix(call.tokens, "tokens")?;
    let (ranks, experts) = expect_matrix(call.expert_token_num_per_rank, "expertTokenNumPerRank")?;
    expect_integers(call.expert_token_num_per_rank, "expertTokenNumPerRank")?;
    require!(
        matches!(call.expert_token_num_type, 0 | 1),
        "'expertTokenNumType' is {}; 0 sums, 1 counts",
        call.expert_token_num_type
    );
    if call.idx_type != 0 {
        return Err(Refusal::unsupported(format!(
            "'idxType' is {}; Millpond writes where tokens come from, which is 0",
            call.idx_type
        )));
    }
    expect_dims(call.permute_tokens, &call.tokens.dims, "permuteTokens")?;
    expect_type(call.permute_tokens, call.tokens.element(), "permuteTokens")?;
    expect_integers(call.permute_token_idx, "permuteTokenIdx")?;
    expect_dims(call.permute_token_idx, &[count], "permuteTokenIdx")?;
    expect_integers(call.expert_token_num, "expertTokenNum")?;
    expect_dims(call.expert_token_num, &[experts], "expertTokenNum")?;
    let mut plan = Plan::new();
    let numbers = flat(
        &mut plan,
        call.expert_token_num_per_rank,
        Element::I64,
        &[ranks, experts],
    );
    let tokens = plan.input(call.tokens);
    let scales = match call.per_token_scales {
        Some(scales) => {
            let Some(out) = call.permute_per_token_scales else {
                return Err(Refusal::missing("permutePerTokenScales"));
            };
            require!(
                scales.rank() >= 1 && scales.dims[0] == count,
                "'perTokenScales' has the shape {:?}, but a row for each of {count} tokens is expected",
                scales.dims
            );
            expect_dims(out, &scales.dims, "permutePerTokenScales")?;
            expect_type(out, scales.element(), "permutePerTokenScales")?;
            Some((plan.input(scales), out))
        }
        None => None,
    };
    let z = plan.output_apart(call.permute_tokens);
    let scales = scales.map(|(value, out)| (value, plan.output_apart(out)));
    let index = Staged::of(&mut plan, call.permute_token_idx, Element::I64);
    let sums = Staged::of(&mut plan, call.expert_token_num, Element::I64);
    let (index_out, sums_out) = (index.work.clone(), sums.work.clone());
    let cumulative = call.expert_token_num_type == 0;
    plan.try_step(move |m| {
        let (numbers, index, sums) = (m.view(&numbers), m.view(&index_out), m.view(&sums_out));
        let numbers = slice::<i64>(&numbers);
        let (index, sums) = (slice_mut::<i64>(&index), slice_mut::<i64>(&sums));
        if let Some(number) = numbers.iter().find(|number| **number < 0) {
            return Err(format!(
                "'expertTokenNumPerRank' has {number}, a negative number"
            ));
        }
        let sum = numbers
            .iter()
            .fold(0_i64, |sum, number| sum.saturating_add(*number));
        if sum != count {
            return Err(format!(
                "'expertTokenNumPerRank' adds up to {sum}, but there are {count} tokens"
            ));
        }
        let (ranks, experts) = (size(ranks), size(experts));
        let (mut next, mut total) = (0, 0);
        for (expert, own) in sums.iter_mut().enumerate() {
            let mut here = 0;
            for rank in 0..ranks {
                let before: i64 = numbers[..rank * experts + expert].iter().sum();
                let length = numbers[rank * experts + expert];
                for offset in 0..length {
                    index[next] = before + offset;
                    next += 1;
                }
                here += length;
            }
            total += here;
            *own = if cumulative { total } else { here };
        }
        Ok(())
    });
    let offsets = plan.axis_offsets(&tokens, 0, &index.work, PLAIN);
    plan.gather(&tokens, 0, 1, &offsets, &z);
    if let Some((from, to)) = scales {
        let offsets = plan.axis_offsets(&from, 0, &index.work, PLAIN);
        plan.gather(&from, 0, from.rank() - 1, &offsets, &to);
    }
    index.deliver(&mut plan);
    sums.deliver(&mut plan);
    plan.done()
}

/// A map of tokens and experts as integers: not zero where the token goes to the expert.
fn routing_map(plan: &mut Plan, tensor: &Tensor) -> Result<(Value, i64, i64), Refusal> {
    let (tokens, experts) = expect_matrix(tensor, "routingMap")?;
    require!(
        matches!(tensor.element(), Element::Bool | Element::I8 | Element::U8),
        "'routingMap' has the type {}, but bool or int8 is expected",
        tensor.element().name()
    );
    let value = flat(plan, tensor, Element::I64, &[tokens, experts]);
    Ok((value, tokens, experts))
}

/// For each token and expert of a map, where the pair lies: sorted by expert, then by token. Fails unless there are `total` pairs.
fn pairs_of(plan: &mut Plan, map: &Value, total: i64) -> Value {
    let places = plan.temp(Element::I64, map.dims());
    let (map, out) = (map.clone(), places.clone());
    plan.try_step(move |m| {
        let (map, out) = (m.view(&map), m.view(&out));
        let (tokens, experts) = (size(map.dims()[0]), size(map.dims()[1]));
        let (map, out) = (slice::<i64>(&map), slice_mut::<i64>(&out));
        let mut next = 0;
        for expert in 0..experts {
            for token in 0..tokens {
                let at = token * experts + expert;
                out[at] = if map[at] == 0 { NONE } else { next };
                next += i64::from(map[at] != 0);
            }
        }
        if next == total {
            return Ok(());
        }
        Err(format!(
            "'routingMap' has {next} pairs of a token and an expert, but there is room for {total}"
        ))
    });
    places
}

/// Tokens sorted by expert, where a map says which experts a token goes to.
pub(crate) fn permute_map(call: table::MoeTokenPermuteWithRoutingMap<'_>) -> Planned {
    let (count, width) = expect_matrix(call.tokens, "tokens")?;
    let mut plan = Plan::new();
    let (map, tokens, experts) = routing_map(&mut plan, call.routing_map)?;
    require!(
        tokens == count,
        "'routingMap' has {tokens} rows, but there are {count} tokens"
    );
    require!(
        call.num_out_tokens >= 0,
        "'numOutTokens' is {}, it must not be negative",
        call.num_out_tokens
    );
    let unit = if call.drop_and_pad { experts } else { tokens };
    let kept = call
        .num_out_tokens
        .checked_div(unit)
        .map_or(0, |whole| whole * unit);
    expect_dims(call.permuted_tokens, &[kept, width], "permutedTokens")?;
    expect_type(
        call.permuted_tokens,
        call.tokens.element(),
        "permutedTokens",
    )?;
    expect_integers(call.sorted_indices, "sortedIndices")?;
    expect_dims(call.sorted_indices, &[kept], "sortedIndices")?;
    let capacity = kept.checked_div(experts).unwrap_or(0);
    require!(
        !call.drop_and_pad || capacity <= tokens,
        "'numOutTokens' is {}, {capacity} for each of {experts} experts, but there are {tokens} tokens",
        call.num_out_tokens
    );
    let probs = match call.probs {
        Some(probs) => {
            expect_floats(probs, "probs")?;
            expect_dims(probs, &[tokens, experts], "probs")?;
            let Some(out) = call.permuted_probs else {
                return Err(Refusal::missing("permutedProbs"));
            };
            expect_dims(out, &[kept], "permutedProbs")?;
            expect_type(out, probs.element(), "permutedProbs")?;
            Some((plan.input(probs), out))
        }
        None => None,
    };
    let x = plan.input(call.tokens);
    let z = plan.output_apart(call.permuted_tokens);
    let probs = probs.map(|(value, out)| (value, plan.output_apart(out)));
    let index = Staged::of(&mut plan, call.sorted_indices, Element::I64);
    // For each row of the result, its token and its expert.
    let token = plan.temp(Element::I64, &[kept]);
    let expert = plan.temp(Element::I64, &[kept]);
    let (token_out, expert_out, index_out) = (token.clone(), expert.clone(), index.work.clone());
    if call.drop_and_pad {
        plan.step(move |m| {
            let (map, token, expert) = (m.view(&map), m.view(&token_out), m.view(&expert_out));
            let (map, index) = (slice::<i64>(&map), m.view(&index_out));
            let (token, expert) = (slice_mut::<i64>(&token), slice_mut::<i64>(&expert));
            let (tokens, experts) = (size(tokens), size(experts));
            let mut next = 0;
            for column in 0..experts {
                let end = next + size(capacity);
                // Those that go to the expert first, then the others.
                for wanted in [true, false] {
                    for row in 0..tokens {
                        if next < end && (map[row * experts + column] != 0) == wanted {
                            (token[next], expert[next]) = (whole(row), whole(column));
                            next += 1;
                        }
                    }
                }
            }
            slice_mut::<i64>(&index).copy_from_slice(token);
        });
    } else {
        let places = pairs_of(&mut plan, &map, kept);
        plan.step(move |m| {
            let (places, token, expert) =
                (m.view(&places), m.view(&token_out), m.view(&expert_out));
            let index = m.view(&index_out);
            let (token, expert) = (slice_mut::<i64>(&token), slice_mut::<i64>(&expert));
            let places = slice::<i64>(&places).iter().enumerate();
            let index = slice_mut::<i64>(&index).iter_mut();
            let pairs = places.filter(|(_, place)| **place != NONE);
            for ((at, place), index) in pairs.zip(index) {
                *index = *place;
                token[size(*place)] = whole(at) / experts.max(1);
                expert[size(*place)] = whole(at) % experts.max(1);
            }
        });
    }
    let offsets = plan.axis_offsets(&x, 0, &token, PLAIN);
    plan.gather(&x, 0, 1, &offsets, &z);
    if let Some((from, to)) = probs {
        let lookups = vec![
            crate::indexing::Lookup::new(&from, 0, &token),
            crate::indexing::Lookup::new(&from, 1, &expert),
        ];
        let offsets = plan.offsets(&[kept], &[0], lookups, PLAIN);
        plan.gather(&from, 0, 0, &offsets, &to);
    }
    index.deliver(&mut plan);
    plan.done()
}

/// Checks indices against how many rows there are.
fn expect_below(plan: &mut Plan, index: &Value, count: i64, argument: &'static str) {
    let index = index.clone();
    plan.try_step(move |m| {
        let index = m.view(&index);
        match slice::<i64>(&index)
            .iter()
            .find(|index| !(0..count).contains(*index))
        {
            Some(index) => Err(format!(
                "'{argument}' has {index}, but numbers from 0 to {} are expected",
                count - 1
            )),
            None => Ok(()),
        }
    });
}

/// The gradients of [`permute_map`].
pub(crate) fn permute_map_grad(call: table::MoeTokenPermuteWithRoutingMapGrad<'_>) -> Planned {
    let (count, width) = expect_matrix(call.permuted_token_out_grad, "permutedTokenOutGrad")?;
    expect_floats(call.permuted_token_out_grad, "permutedTokenOutGrad")?;
    let mut plan = Plan::new();
    let (map, tokens, experts) = routing_map(&mut plan, call.routing_map)?;
    require!(
        tokens == call.tokens_num && experts == call.experts_num,
        "'routingMap' has the shape [{tokens}, {experts}], but 'tokensNum' is {} and 'expertsNum' {}",
        call.tokens_num,
        call.experts_num
    );
    expect_integers(call.sorted_indices, "sortedIndices")?;
    expect_dims(call.sorted_indices, &[count], "sortedIndices")?;
    expect_floats(call.tokens_grad, "tokensGrad")?;
    expect_dims(call.tokens_grad, &[tokens, width], "tokensGrad")?;
    let probs = match (call.probs_grad, call.probs_grad_out) {
        (Some(grad), Some(out)) => {
            expect_floats(grad, "probsGrad")?;
            expect_dims(grad, &[count], "probsGrad")?;
            expect_floats(out, "probsGradOut")?;
            expect_dims(out, &[tokens, experts], "probsGradOut")?;
            Some((flat(&mut plan, grad, Element::F32, &[count]), out))
        }
        (Some(_), None) => return Err(Refusal::missing("probsGradOut")),
        (None, _) => None,
    };
    require!(
        !call.drop_and_pad || count == 0 || (experts > 0 && count % experts == 0),
        "there are {count} rows, which do not divide among {experts} experts"
    );
    let grad = flat(
        &mut plan,
        call.permuted_token_out_grad,
        Element::F32,
        &[count, width],
    );
    let index = flat(&mut plan, call.sorted_indices, Element::I64, &[count]);
    let out = Staged::of(&mut plan, call.tokens_grad, Element::F32);
    let probs = probs.map(|(grad, out)| (grad, Staged::of(&mut plan, out, Element::F32)));
    let padded = call.drop_and_pad;
    let (below, argument) = if padded {
        (tokens, "sortedIndices")
    } else {
        (count, "sortedIndices")
    };
    expect_below(&mut plan, &index, below, argument);
    if !padded {
        // Counted, so that the walk over the map below finds an index for each pair.
        let _ = pairs_of(&mut plan, &map, count);
    }
    let (into, probs_in, probs_into) = (
        out.work.clone(),
        probs.as_ref().map(|(grad, _)| grad.clone()),
        probs.as_ref().map(|(_, staged)| staged.work.clone()),
    );
    plan.step(move |m| {
        let (grad, index, map, into) = (m.view(&grad), m.view(&index), m.view(&map), m.view(&into));
        let (grad, into) = (slice::<f32>(&grad), slice_mut::<f32>(&into));
        let (index, map) = (slice::<i64>(&index), slice::<i64>(&map));
        let probs_in = probs_in.as_ref().map(|value| m.view(value));
        let probs_in = probs_in.as_ref().map(slice::<f32>);
        let probs_into = probs_into.as_ref().map(|value| m.view(value));
        let probs_into = probs_into.as_ref().map(slice_mut::<f32>);
        let (width, experts) = (size(width), size(experts));
        let capacity = index.len().checked_div(experts).unwrap_or(0);
        let mut all = probs_into;
        into.fill(0.0);
        if let Some(all) = &mut all {
            all.fill(0.0);
        }
        let mut add = |token: usize, expert: usize, row: usize| {
            let from = &grad[row * width..][..width];
            for (sum, x) in into[token * width..][..width].iter_mut().zip(from) {
                *sum += x;
            }
            if let (Some(all), Some(from)) = (&mut all, probs_in) {
                all[token * experts + expert] = from[row];
            }
        };
        if padded {
            for (row, token) in index.iter().enumerate() {
                add(size(*token), row / capacity.max(1), row);
            }
        } else {
            let pairs = map.iter().enumerate().filter(|(_, wanted)| **wanted != 0);
            for ((at, _), row) in pairs.zip(index) {
                add(at / experts.max(1), at % experts.max(1), size(*row));
            }
        }
    });
    out.deliver(&mut plan);
    if let Some((_, staged)) = probs {
        staged.deliver(&mut plan);
    }
    plan.done()
}

/// How many rows each token has, one behind the other: by the map, or as many for each.
fn items_of(
    plan: &mut Plan,
    map: Option<&Value>,
    tokens: i64,
    count: i64,
) -> Result<Value, Refusal> {
    let ids = plan.temp(Element::I64, &[count]);
    let out = ids.clone();
    if let Some(map) = map {
        let map = map.clone();
        plan.try_step(move |m| {
            let (map, out) = (m.view(&map), m.view(&out));
            let experts = map.dims()[1].max(1);
            let out = slice_mut::<i64>(&out);
            let pairs = slice::<i64>(&map).iter().filter(|wanted| **wanted != 0);
            let found = pairs.count();
            if found != out.len() {
                return Err(format!(
                    "'routingMap' has {found} pairs of a token and an expert, but 'sortedIndices' has {count} elements"
                ));
            }
            let pairs = slice::<i64>(&map).iter().enumerate();
            for ((at, _), id) in pairs.filter(|(_, wanted)| **wanted != 0).zip(out) {
                *id = whole(at) / experts;
            }
            Ok(())
        });
    } else {
        require!(
            count == 0 || (tokens > 0 && count % tokens == 0),
            "'sortedIndices' has {count} elements, which do not divide among {tokens} tokens"
        );
        let each = count.checked_div(tokens).unwrap_or(1).max(1);
        plan.step(move |m| {
            map::generate::<i64>(&m.view(&out), |number| whole(number) / each);
        });
    }
    Ok(ids)
}

/// The expert of each row of a map's pairs, by token; for tokens that were padded, that of each row of the experts.
fn weights_of(
    plan: &mut Plan,
    map: Option<&Value>,
    probs: &Value,
    places: &Value,
    ids: &Value,
    padded: bool,
) -> Result<Value, Refusal> {
    let weights = plan.temp(Element::I64, places.dims());
    let experts = probs.dim(1);
    let (places, ids, out) = (places.clone(), ids.clone(), weights.clone());
    if padded {
        plan.step(move |m| {
            let (places, ids, out) = (m.view(&places), m.view(&ids), m.view(&out));
            let places = slice::<i64>(&places);
            let capacity = whole(places.len()).checked_div(experts).unwrap_or(1).max(1);
            let rows = places.iter().zip(slice::<i64>(&ids));
            for ((place, id), out) in rows.zip(slice_mut::<i64>(&out)) {
                *out = id * experts + place / capacity;
            }
        });
        return Ok(weights);
    }
    let Some(map) = map.cloned() else {
        return Err(Refusal::missing("routingMap"));
    };
    plan.step(move |m| {
        let (map, out) = (m.view(&map), m.view(&out));
        let pairs = slice::<i64>(&map).iter().enumerate();
        for ((at, _), out) in pairs
            .filter(|(_, wanted)| **wanted != 0)
            .zip(slice_mut::<i64>(&out))
        {
            *out = whole(at);
        }
    });
    Ok(weights)
}

/// What the two functions below read from a map, probabilities and a shape.
struct Restored {
    map: Option<Value>,
    probs: Option<Value>,
    tokens: i64,
}

fn restored(
    plan: &mut Plan,
    map: Option<&Tensor>,
    probs: Option<&Tensor>,
    out_tokens: i64,
    width: i64,
    shape: Option<&[i64]>,
) -> Result<Restored, Refusal> {
    if let Some(shape) = shape {
        require!(
            *shape == [out_tokens, width],
            "'restoreShape' is {shape:?}, but [{out_tokens}, {width}] is expected"
        );
    }
    let map = match map {
        Some(map) => {
            let (value, tokens, _) = routing_map(plan, map)?;
            require!(
                tokens == out_tokens,
                "'routingMap' has {tokens} rows, but there are {out_tokens} tokens"
            );
            Some(value)
        }
        None => None,
    };
    let probs = match probs {
        Some(probs) => {
            expect_floats(probs, "probs")?;
            let (tokens, experts) = expect_matrix(probs, "probs")?;
            require!(
                tokens == out_tokens && map.as_ref().is_none_or(|map| map.dim(1) == experts),
                "'probs' has the shape {:?}, but a row for each of {out_tokens} tokens and a column for each expert are expected",
                probs.dims
            );
            Some(flat(plan, probs, Element::F32, &[tokens, experts]))
        }
        None => None,
    };
    Ok(Restored {
        map,
        probs,
        tokens: out_tokens,
    })
}

/// Results of experts put back in the order of tokens, weighted and added, where a map says which experts a token went to.
pub(crate) fn unpermute_map(call: table::MoeTokenUnpermuteWithRoutingMap<'_>) -> Planned {
    let (count, width) = expect_matrix(call.permuted_tokens, "permutedTokens")?;
    expect_floats(call.permuted_tokens, "permutedTokens")?;
    let (tokens, _) = expect_matrix(call.unpermuted_tokens, "unpermutedTokens")?;
    expect_floats(call.unpermuted_tokens, "unpermutedTokens")?;
    expect_dims(call.unpermuted_tokens, &[tokens, width], "unpermutedTokens")?;
    expect_integers(call.sorted_indices, "sortedIndices")?;
    expect_dims(call.sorted_indices, &[count], "sortedIndices")?;
    let mut plan = Plan::new();
    let padded = call.drop_and_pad;
    let base = restored(
        &mut plan,
        call.routing_map,
        call.probs,
        tokens,
        width,
        call.restore_shape,
    )?;
    require!(
        !padded
            || base
                .probs
                .as_ref()
                .is_none_or(|probs| count == 0 || (probs.dim(1) > 0 && count % probs.dim(1) == 0)),
        "'sortedIndices' has {count} elements, which do not divide among the experts of 'probs'"
    );
    let x = flat(
        &mut plan,
        call.permuted_tokens,
        Element::F32,
        &[count, width],
    );
    let sorted_in = flat(&mut plan, call.sorted_indices, Element::I64, &[count]);
    for (tensor, argument) in [
        (call.out_index, "outIndex"),
        (call.permuted_token_id, "permutedTokenId"),
    ] {
        if let Some(tensor) = tensor {
            expect_integers(tensor, argument)?;
            expect_dims(tensor, &[count], argument)?;
        }
    }
    let out = Staged::of(&mut plan, call.unpermuted_tokens, Element::F32);
    let index_out = call.out_index.map(|tensor| plan.output_apart(tensor));
    let ids_out = call
        .permuted_token_id
        .map(|tensor| plan.output_apart(tensor));
    let probs_out = match (call.permute_probs, &base.probs) {
        (Some(tensor), Some(_)) => {
            expect_floats(tensor, "permuteProbs")?;
            expect_dims(tensor, &[count], "permuteProbs")?;
            Some(plan.output_apart(tensor))
        }
        _ => None,
    };
    // For each item, sorted by token: which row it is, and its token.
    let (places, ids) = if padded {
        expect_below(&mut plan, &sorted_in, tokens, "sortedIndices");
        let (order, _) = sorted(&mut plan, &sorted_in);
        let ids = plan.temp(Element::I64, &[count]);
        let offsets = plan.axis_offsets(&sorted_in, 0, &order, PLAIN);
        plan.gather(&sorted_in, 0, 0, &offsets, &ids);
        (order, ids)
    } else {
        expect_below(&mut plan, &sorted_in, count, "sortedIndices");
        let ids = items_of(&mut plan, base.map.as_ref(), tokens, count)?;
        (sorted_in, ids)
    };
    let weights = match &base.probs {
        Some(probs) => {
            let at = weights_of(&mut plan, base.map.as_ref(), probs, &places, &ids, padded)?;
            let flat_probs = plan.reshape(probs, &[whole(probs.count())]);
            let weights = plan.temp(Element::F32, &[count]);
            let offsets = plan.axis_offsets(&flat_probs, 0, &at, PLAIN);
            plan.gather(&flat_probs, 0, 0, &offsets, &weights);
            Some(weights)
        }
        None => None,
    };
    let (rows_in, places_in, ids_in, weights_in, into) = (
        x,
        places.clone(),
        ids.clone(),
        weights.clone(),
        out.work.clone(),
    );
    plan.step(move |m| {
        let (x, places, ids) = (m.view(&rows_in), m.view(&places_in), m.view(&ids_in));
        let (x, places, ids) = (slice::<f32>(&x), slice::<i64>(&places), slice::<i64>(&ids));
        let weights = weights_in.as_ref().map(|value| m.view(value));
        let weights = weights.as_ref().map(slice::<f32>);
        let into = m.view(&into);
        let into = slice_mut::<f32>(&into);
        into.fill(0.0);
        let width = size(width);
        for (item, (place, id)) in places.iter().zip(ids).enumerate() {
            let weight = weights.map_or(1.0, |all| all[item]);
            let from = &x[size(*place) * width..][..width];
            for (sum, x) in into[size(*id) * width..][..width].iter_mut().zip(from) {
                *sum += weight * x;
            }
        }
    });
    out.deliver(&mut plan);
    if let Some(out) = index_out {
        plan.copy(&places, &out);
    }
    if let Some(out) = ids_out {
        plan.copy(&ids, &out);
    }
    if let (Some(out), Some(weights)) = (probs_out, weights) {
        if padded {
            // By row of the experts, not by token.
            let turned = plan.temp(Element::F32, &[count]);
            let offsets = plan.axis_offsets(&turned, 0, &places, PLAIN);
            plan.scatter(
                &weights,
                0,
                0,
                &offsets,
                &turned,
                millpond_kernels::index::Put::Assign,
            );
            plan.copy(&turned, &out);
        } else {
            plan.copy(&weights, &out);
        }
    }
    plan.done()
}

/// The gradients of [`unpermute_map`].
pub(crate) fn unpermute_map_grad(call: table::MoeTokenUnpermuteWithRoutingMapGrad<'_>) -> Planned {
    let (tokens, width) = expect_matrix(call.unpermuted_tokens_grad, "unpermutedTokensGrad")?;
    expect_floats(call.unpermuted_tokens_grad, "unpermutedTokensGrad")?;
    expect_integers(call.out_index, "outIndex")?;
    require!(
        call.out_index.rank() == 1,
        "'outIndex' has the shape {:?}, but one dimension is expected",
        call.out_index.dims
    );
    let count = call.out_index.dims[0];
    expect_integers(call.permuted_token_id, "permutedTokenId")?;
    expect_dims(call.permuted_token_id, &[count], "permutedTokenId")?;
    expect_floats(call.permuted_tokens_grad_out, "permutedTokensGradOut")?;
    expect_dims(
        call.permuted_tokens_grad_out,
        &[count, width],
        "permutedTokensGradOut",
    )?;
    let mut plan = Plan::new();
    let base = restored(
        &mut plan,
        call.routing_map,
        call.probs,
        tokens,
        width,
        call.restore_shape,
    )?;
    let grad = flat(
        &mut plan,
        call.unpermuted_tokens_grad,
        Element::F32,
        &[tokens, width],
    );
    let places = flat(&mut plan, call.out_index, Element::I64, &[count]);
    let ids = flat(&mut plan, call.permuted_token_id, Element::I64, &[count]);
    let probs = match &base.probs {
        Some(probs) => {
            let Some(x) = call.permuted_tokens else {
                return Err(Refusal::missing("permutedTokens"));
            };
            let Some(out) = call.probs_grad_out else {
                return Err(Refusal::missing("probsGradOut"));
            };
            expect_floats(x, "permutedTokens")?;
            expect_dims(x, &[count, width], "permutedTokens")?;
            expect_floats(out, "probsGradOut")?;
            expect_dims(out, probs.dims(), "probsGradOut")?;
            Some((
                probs.clone(),
                flat(&mut plan, x, Element::F32, &[count, width]),
                out,
            ))
        }
        None => None,
    };
    let out = Staged::of(&mut plan, call.permuted_tokens_grad_out, Element::F32);
    let probs = probs.map(|(value, x, out)| (value, x, Staged::of(&mut plan, out, Element::F32)));
    expect_below(&mut plan, &places, count, "outIndex");
    expect_below(&mut plan, &ids, base.tokens, "permutedTokenId");
    if !call.drop_and_pad
        && let Some(map) = &base.map
    {
        let _ = pairs_of(&mut plan, map, count);
    }
    let at = match &probs {
        Some((value, ..)) => Some(weights_of(
            &mut plan,
            base.map.as_ref(),
            value,
            &places,
            &ids,
            call.drop_and_pad,
        )?),
        None => None,
    };
    let (into, probs_in, x_in, probs_into) = (
        out.work.clone(),
        probs.as_ref().map(|(value, ..)| value.clone()),
        probs.as_ref().map(|(_, x, _)| x.clone()),
        probs.as_ref().map(|(.., staged)| staged.work.clone()),
    );
    plan.step(move |m| {
        let (grad, places, ids) = (m.view(&grad), m.view(&places), m.view(&ids));
        let (grad, into) = (slice::<f32>(&grad), m.view(&into));
        let into = slice_mut::<f32>(&into);
        let views = [&probs_in, &x_in, &probs_into, &at]
            .map(|value| value.as_ref().map(|value| m.view(value)));
        let [probs, x, probs_into, at] = &views;
        let (probs, x) = (
            probs.as_ref().map(slice::<f32>),
            x.as_ref().map(slice::<f32>),
        );
        let at = at.as_ref().map(slice::<i64>);
        let mut probs_into = probs_into.as_ref().map(slice_mut::<f32>);
        if let Some(all) = &mut probs_into {
            all.fill(0.0);
        }
        into.fill(0.0);
        let width = size(width);
        let items = slice::<i64>(&places).iter().zip(slice::<i64>(&ids));
        for (item, (place, id)) in items.enumerate() {
            let own = &grad[size(*id) * width..][..width];
            let number = at.map(|at| size(at[item]));
            let weight = match (probs, number) {
                (Some(probs), Some(number)) => probs[number],
                _ => 1.0,
            };
            for (to, x) in into[size(*place) * width..][..width].iter_mut().zip(own) {
                *to = weight * x;
            }
            if let (Some(all), Some(x), Some(number)) = (&mut probs_into, x, number) {
                let from = &x[size(*place) * width..][..width];
                let products = own.iter().zip(from);
                all[number] = millpond_kernels::special::single(
                    products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum(),
                );
            }
        }
    });
    out.deliver(&mut plan);
    if let Some((.., staged)) = probs {
        staged.deliver(&mut plan);
    }
    plan.done()
}
