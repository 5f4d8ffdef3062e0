//! Attention for training, and its gradient.
//!
//! The gradient makes the shares again from the scores and from what is kept of each row, its greatest score and its sum. Whoever
//! splits a sequence over several calls hands in those of the whole row, and gets the gradient of the whole.

use millpond_kernels::Element;
use millpond_kernels::attention::{Gradients, Inputs, Results, Sequence};
use smallvec::smallvec;

use super::attention::{self, Extent, Sight, Target, opened, wide};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What the versions of the functions have in common.
struct Call<'a> {
    query: &'a Tensor,
    key: &'a Tensor,
    value: &'a Tensor,
    ropes: Option<(&'a Tensor, &'a Tensor)>,
    shift: Option<&'a Tensor>,
    shift_kind: i64,
    drop_mask: Option<&'a Tensor>,
    padding_mask: Option<&'a Tensor>,
    mask: Option<&'a Tensor>,
    sink: Option<&'a Tensor>,
    prefix: Option<&'a [i64]>,
    lengths: Option<(Option<&'a [i64]>, Option<&'a [i64]>)>,
    scale: f64,
    keep: f64,
    before: i64,
    after: i64,
    heads: i64,
    layout: &'a str,
    mode: i64,
}

/// The queries' results.
struct Forward<'a> {
    greatest: &'a Tensor,
    sum: &'a Tensor,
    out: &'a Tensor,
}

struct Backward<'a> {
    d_out: &'a Tensor,
    greatest: Option<&'a Tensor>,
    sum: Option<&'a Tensor>,
    out: Option<&'a Tensor>,
    d_query: &'a Tensor,
    d_key: &'a Tensor,
    d_value: &'a Tensor,
    d_ropes: Option<(&'a Tensor, &'a Tensor)>,
    d_shift: Option<&'a Tensor>,
    d_sink: Option<&'a Tensor>,
}

/// A call whose arguments fit together.
struct Read<'a> {
    call: &'a Call<'a>,
    inputs: Inputs<Value>,
    sequences: Vec<Sequence>,
    /// Heads of the keys.
    key_heads: i64,
}

/// A list that is there and not empty.
fn given(list: Option<&[i64]>) -> Option<&[i64]> {
    list.filter(|list| !list.is_empty())
}

/// A tensor that is there and has elements.
fn filled(tensor: Option<&Tensor>) -> Option<&Tensor> {
    tensor.filter(|tensor| !tensor.is_empty())
}

#[expect(clippy::cast_possible_truncation, reason = "scores are float")]
fn single(number: f64) -> f32 {
    number as f32
}

impl<'a> Call<'a> {
    /// Whether sequences are contiguous without a batch.
    fn is_packed(&self) -> bool {
        self.lengths.is_some()
    }

    fn check(&self) -> Result<(), Refusal> {
        let layouts: &[&str] = if self.is_packed() {
            &["TND"]
        } else {
            &["BNSD", "BSND", "BSH", "SBH"]
        };
        require!(
            layouts.contains(&self.layout),
            "inputLayout is '{}', expected {}",
            self.layout,
            layouts.join(", ")
        );
        require!(
            self.heads > 0,
            "headNum is {}, expected 1 or more",
            self.heads
        );
        if filled(self.padding_mask).is_some() {
            return Err(Refusal::unsupported(
                "paddingMask is given, which Millpond does not support: use attenMask",
            ));
        }
        if let Some(prefix) = given(self.prefix) {
            return Err(Refusal::unsupported(format!(
                "prefix is {prefix:?}, which Millpond does not support: use attenMask"
            )));
        }
        if filled(self.shift).is_some() && self.is_packed() {
            return Err(Refusal::unsupported(
                "a shift of the scores of packed sequences is given, which Millpond does not support",
            ));
        }
        require!(
            self.keep > 0.0 && self.keep <= 1.0,
            "keepProb is {}, expected more than 0 and at most 1",
            self.keep
        );
        Ok(())
    }

    fn key_heads(&self) -> Result<i64, Refusal> {
        if !self.layout.contains('H') {
            return Ok(0);
        }
        let numbers = |tensor: &Tensor| tensor.dims.last().copied().unwrap_or(0);
        let size = numbers(self.query) / self.heads;
        let key = numbers(self.key);
        require!(
            size > 0 && numbers(self.query) % self.heads == 0 && key % size == 0,
            "headNum is {}, which does not fit the shapes {:?} of the queries and {:?} of the keys",
            self.heads,
            self.query.dims,
            self.key.dims
        );
        Ok(key / size)
    }

    fn sequences(&self, query: &Value, key: &Value) -> Result<Vec<Sequence>, Refusal> {
        let one = |batch: i64, (row, rows): (i64, i64), (column, columns): (i64, i64)| Sequence {
            batch,
            row,
            rows,
            tensor: 0,
            key_batch: batch,
            column,
            columns,
            bit: 0,
        };
        let Some((rows, columns)) = self.lengths else {
            require!(
                query.dim(0) == key.dim(0),
                "there are {} batches of queries and {} of keys",
                query.dim(0),
                key.dim(0)
            );
            let batches = 0..query.dim(0);
            let whole = |batch| one(batch, (0, query.dim(2)), (0, key.dim(2)));
            return Ok(batches.map(whole).collect());
        };
        let (Some(rows), Some(columns)) = (rows, columns) else {
            return Err(Refusal::missing("actualSeqQLen or actualSeqKvLen"));
        };
        require!(
            rows.len() == columns.len(),
            "actualSeqQLen has {} numbers and actualSeqKvLen {}",
            rows.len(),
            columns.len()
        );
        let rows = attention::packed(rows, query.dim(2), "actualSeqQLen")?;
        let columns = attention::packed(columns, key.dim(2), "actualSeqKvLen")?;
        Ok(rows
            .into_iter()
            .zip(columns)
            .map(|(rows, columns)| one(0, rows, columns))
            .collect())
    }

    fn read(&'a self, plan: &mut Plan) -> Result<Read<'a>, Refusal> {
        self.check()?;
        let key_heads = self.key_heads()?;
        let open = |plan: &mut Plan, tensor: &Tensor, heads: i64, argument: &str| {
            let value = wide(plan, tensor, argument)?;
            opened(&value, self.layout, heads, argument)
        };
        let query = open(plan, self.query, self.heads, "query")?;
        let key = open(plan, self.key, key_heads, "key")?;
        let value = open(plan, self.value, key_heads, "value")?;
        require!(
            query.dim(1) == self.heads,
            "headNum is {}, but the queries have {} heads",
            self.heads,
            query.dim(1)
        );
        attention::fit(
            &query,
            std::slice::from_ref(&key),
            std::slice::from_ref(&value),
        )?;
        let ropes = match self.ropes {
            Some((query_rope, key_rope)) => {
                let query_rope = open(plan, query_rope, self.heads, "queryRope")?;
                let key_rope = open(plan, key_rope, key.dim(1), "keyRope")?;
                require!(
                    query_rope.dims()[..3] == query.dims()[..3]
                        && key_rope.dims()[..3] == key.dims()[..3]
                        && query_rope.dim(3) == key_rope.dim(3),
                    "queryRope has the shape {:?} and keyRope {:?}, which do not fit queries and keys",
                    query_rope.dims(),
                    key_rope.dims()
                );
                Some((query_rope, smallvec![key_rope]))
            }
            None => None,
        };
        let mut sequences = self.sequences(&query, &key)?;
        let most = |size: fn(&Sequence) -> i64| sequences.iter().map(size).max().unwrap_or(0);
        let extent = Extent {
            batch: query.dim(0),
            heads: self.heads,
            rows: most(|sequence| sequence.rows),
            columns: most(|sequence| sequence.columns),
        };
        let sight = Sight {
            mode: self.mode,
            before: self.before,
            after: self.after,
            mask: filled(self.mask),
            third_is_batch: false,
        };
        let (hidden, band) = sight.read(plan, extent)?;
        let factor = match self.shift_kind {
            0 => 1.0,
            1 => single(self.scale),
            _ if filled(self.shift).is_none() => 1.0,
            kind => {
                return Err(Refusal::unsupported(format!(
                    "pseType is {kind}: Millpond supports 0 and 1; the other types generate the shift"
                )));
            }
        };
        let shift = match filled(self.shift) {
            Some(tensor) => Some((attention::shift(plan, tensor, extent, false)?, factor)),
            None => None,
        };
        let bits = attention::number_bits(&mut sequences, self.heads);
        let kept = match filled(self.drop_mask) {
            Some(mask) => {
                require!(
                    mask.element().bytes() == 1
                        && bits.is_some_and(|bits| bits.div_ceil(8) <= mask.count()),
                    "'dropMask' has {} elements of the type {:?}, expected bytes with {bits:?} bits",
                    mask.count(),
                    mask.element()
                );
                let value = plan.input(mask).reinterpret(Element::U8);
                let value = plan.contiguous(&value, Element::U8);
                Some((value, single(self.keep)))
            }
            None if self.keep < 1.0 => {
                return Err(Refusal::invalid(format!(
                    "keepProb is {}, which needs dropMask",
                    self.keep
                )));
            }
            None => None,
        };
        let sink = match filled(self.sink) {
            Some(sink) => {
                require!(
                    sink.dims[..] == [self.heads],
                    "'sink' has the shape {:?}, expected [{}], one number for each head",
                    sink.dims,
                    self.heads
                );
                Some(wide(plan, sink, "sink")?)
            }
            None => None,
        };
        let key_heads = key.dim(1);
        let inputs = Inputs {
            query,
            keys: smallvec![key],
            values: smallvec![value],
            ropes,
            shift,
            hidden,
            band,
            kept,
            sink,
            scale: single(self.scale),
        };
        Ok(Read {
            call: self,
            inputs,
            sequences,
            key_heads,
        })
    }
}

impl Read<'_> {
    /// What is kept of each row, with the axes batch, head, row, and one along which it is repeated.
    fn rows(&self, value: &Value, argument: &str) -> Result<Value, Refusal> {
        let query = &self.inputs.query;
        let value = if self.call.is_packed() && value.rank() == 3 {
            value.unsqueeze(0).permute(&[0, 2, 1, 3])
        } else {
            value.clone()
        };
        require!(
            value.rank() == 4
                && value.dims()[..3] == query.dims()[..3]
                && value.dim(3) > 0
                && value.element() == Element::F32,
            "'{argument}' has the shape {:?} and the type {:?}: expected float numbers for {:?} batches, heads and rows",
            value.dims(),
            value.element(),
            &query.dims()[..3]
        );
        Ok(value)
    }

    /// An output that has the shape of an input.
    fn like(
        &self,
        target: &Target,
        heads: i64,
        expected: &[i64],
        argument: &str,
    ) -> Result<Value, Refusal> {
        let value = opened(&target.value, self.call.layout, heads, argument)?;
        require!(
            *value.dims() == *expected,
            "'{argument}' has {:?} batches, heads, rows and numbers, expected {expected:?}",
            value.dims()
        );
        Ok(value)
    }

    fn forward(self, mut plan: Plan, results: &Forward<'_>) -> Planned {
        let out = Target::new(&mut plan, results.out);
        let (query, value) = (&self.inputs.query, &self.inputs.values[0]);
        let expected = [query.dim(0), query.dim(1), query.dim(2), value.dim(3)];
        let (greatest, sum) = (
            plan.output_apart(results.greatest),
            plan.output_apart(results.sum),
        );
        let written = Results {
            out: self.like(&out, self.call.heads, &expected, "attentionOut")?,
            greatest: Some(self.rows(&greatest, "softmaxMax")?),
            sum: Some(self.rows(&sum, "softmaxSum")?),
            log_sum: None,
        };
        let most = self.inputs.keys[0].dim(2);
        attention::forward(&mut plan, self.inputs, self.sequences, written, most);
        out.finish(&mut plan);
        plan.done()
    }

    fn backward(self, mut plan: Plan, gradients: &Backward<'_>) -> Planned {
        let (Some(greatest), Some(sum)) = (gradients.greatest, gradients.sum) else {
            return Err(Refusal::missing("softmaxMax or softmaxSum"));
        };
        let (heads, key_heads) = (self.call.heads, self.key_heads);
        let query = self.inputs.query.dims().to_vec();
        let key = self.inputs.keys[0].dims().to_vec();
        let value = self.inputs.values[0].dims().to_vec();
        let out_dims = [query[0], query[1], query[2], value[3]];
        let open = |plan: &mut Plan, tensor: &Tensor, argument: &str| {
            let value = wide(plan, tensor, argument)?;
            let value = opened(&value, self.call.layout, heads, argument)?;
            require!(
                *value.dims() == out_dims,
                "'{argument}' has {:?} batches, heads, rows and numbers, expected {out_dims:?}",
                value.dims()
            );
            Ok(value)
        };
        let d_out = open(&mut plan, gradients.d_out, "dy")?;
        let out = match filled(gradients.out) {
            Some(out) => Some(open(&mut plan, out, "attentionIn")?),
            None => None,
        };
        let (greatest, sum) = (plan.input(greatest), plan.input(sum));
        let (greatest, sum) = (
            self.rows(&greatest, "softmaxMax")?,
            self.rows(&sum, "softmaxSum")?,
        );
        let d_query = Target::new(&mut plan, gradients.d_query);
        let d_key = Target::new(&mut plan, gradients.d_key);
        let d_value = Target::new(&mut plan, gradients.d_value);
        let d_ropes = gradients
            .d_ropes
            .filter(|_| self.inputs.ropes.is_some())
            .map(|(query, key)| (Target::new(&mut plan, query), Target::new(&mut plan, key)));
        let opened_ropes = match (&d_ropes, &self.inputs.ropes) {
            (Some((d_query, d_key)), Some((query, keys))) => Some((
                self.like(d_query, heads, query.dims(), "dqRope")?,
                self.like(d_key, key_heads, keys[0].dims(), "dkRope")?,
            )),
            (None, Some(_)) => return Err(Refusal::missing("dqRope or dkRope")),
            _ => None,
        };
        let d_shift = match (&self.inputs.shift, filled(gradients.d_shift)) {
            (Some((shift, _)), Some(tensor)) => {
                let result = plan.output_apart(tensor);
                require!(
                    result.rank() == 4 && *result.dims() == *shift.dims(),
                    "'dpse' has the shape {:?}, expected {:?}",
                    result.dims(),
                    shift.dims()
                );
                let whole = [query[0], query[1], query[2], key[2]];
                Some((plan.temp(Element::F32, &whole), result))
            }
            _ => None,
        };
        let d_sink = match (&self.inputs.sink, filled(gradients.d_sink)) {
            (Some(_), Some(tensor)) => {
                let result = plan.output_apart(tensor);
                require!(
                    *result.dims() == [heads],
                    "'dsink' has the shape {:?}, expected [{heads}]",
                    result.dims()
                );
                let count = i64::try_from(self.sequences.len()).unwrap_or(0);
                Some((plan.temp(Element::F32, &[count, heads]), result))
            }
            _ => None,
        };
        let written = Gradients {
            d_out,
            greatest,
            sum,
            out,
            d_query: self.like(&d_query, heads, &query, "dq")?,
            d_key: self.like(&d_key, key_heads, &key, "dk")?,
            d_value: self.like(&d_value, key_heads, &value, "dv")?,
            d_ropes: opened_ropes,
            d_shift: d_shift.as_ref().map(|(whole, _)| whole.clone()),
            d_sink: d_sink.as_ref().map(|(all, _)| all.clone()),
        };
        attention::backward(&mut plan, self.inputs, self.sequences, written);
        for target in [&d_query, &d_key, &d_value] {
            target.finish(&mut plan);
        }
        if let Some((d_query, d_key)) = &d_ropes {
            d_query.finish(&mut plan);
            d_key.finish(&mut plan);
        }
        if let Some((whole, result)) = &d_shift {
            // A shift that serves several batches, heads or rows has the sum of their gradients.
            let axes = (0..4).filter(|axis| result.dim(*axis) < whole.dim(*axis));
            let axes: Vec<usize> = axes.collect();
            plan.sum_to(whole, &axes, result);
        }
        if let Some((all, result)) = &d_sink {
            plan.sum_to(all, &[0], result);
        }
        plan.done()
    }
}

fn forward(call: &Call<'_>, results: &Forward<'_>) -> Planned {
    let mut plan = Plan::new();
    call.read(&mut plan)?.forward(plan, results)
}

fn backward(call: &Call<'_>, gradients: &Backward<'_>) -> Planned {
    let mut plan = Plan::new();
    call.read(&mut plan)?.backward(plan, gradients)
}

/// Refuses tensors that belong to quantised attention.
fn no_quantisation(tensors: &[Option<&Tensor>]) -> Result<(), Refusal> {
    if tensors.iter().any(|tensor| filled(*tensor).is_some()) {
        return Err(Refusal::unsupported(
            "tensors of quantised attention are given, which Millpond does not support",
        ));
    }
    Ok(())
}

/// The parts of a rope: both are there or none.
fn both<'a>(
    query: Option<&'a Tensor>,
    key: Option<&'a Tensor>,
) -> Result<Option<(&'a Tensor, &'a Tensor)>, Refusal> {
    match (filled(query), filled(key)) {
        (Some(query), Some(key)) => Ok(Some((query, key))),
        (None, None) => Ok(None),
        _ => Err(Refusal::invalid(
            "of queryRope and keyRope only one is given",
        )),
    }
}

macro_rules! call {
    ($a:ident, $layout:ident: $scale:ident, $before:ident, $after:ident, $shift:ident; $($field:ident: $value:expr),* $(,)?) => {
        Call {
            query: $a.query,
            key: $a.key,
            value: $a.value,
            shift: $a.$shift,
            drop_mask: $a.drop_mask,
            padding_mask: $a.padding_mask,
            mask: $a.atten_mask,
            prefix: $a.prefix,
            scale: $a.$scale,
            keep: $a.keep_prob,
            before: $a.$before,
            after: $a.$after,
            heads: $a.head_num,
            layout: $a.$layout,
            mode: $a.sparse_mode,
            $($field: $value,)*
        }
    };
}

macro_rules! forwards {
    ($($(#[$doc:meta])* $name:ident($type:ident): $out:ident, $scale:ident, $before:ident, $after:ident, $shift:ident;
        $a:ident => { $($check:expr)? } $($field:ident: $value:expr),*;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($a: table::$type<'_>) -> Planned {
            $($check?;)?
            let call = call!($a, input_layout: $scale, $before, $after, $shift; $($field: $value),*);
            forward(&call, &Forward { greatest: $a.softmax_max, sum: $a.softmax_sum, out: $a.$out })
        }
    )*};
}

forwards! {
    /// Attention.
    score(FlashAttentionScore): attention_out, scale_value, pre_tokens, next_tokens, real_shift;
        a => {} ropes: None, shift_kind: 1, sink: None, lengths: None;
    /// The same with a choice of when the shift is added.
    score_v2(FlashAttentionScoreV2): attention_out, scale_value, pre_tokens, next_tokens, real_shift;
        a => {} ropes: None, shift_kind: a.pse_type, sink: None, lengths: None;
    /// The same with sinks.
    score_v3(FlashAttentionScoreV3): attention_score, scale, pre_tockens, next_tockens, pse;
        a => {} ropes: None, shift_kind: a.pse_type, sink: a.sink, lengths: None;
    /// The same with room for quantised tensors, which are refused.
    score_v4(FlashAttentionScoreV4): attention_score, scale, pre_tockens, next_tockens, pse;
        a => { no_quantisation(&[a.empty_optional, a.empty_optional2, a.empty_optional3, a.empty_optional4, a.empty_optional5, a.empty_optional6]) }
        ropes: None, shift_kind: a.pse_type, sink: None,
        lengths: (a.input_layout == "TND").then_some((a.actual_seq_q_len, a.actual_seq_kv_len));
    /// Attention of packed sequences.
    packed(FlashAttentionVarLenScore): attention_out, scale_value, pre_tokens, next_tokens, real_shift;
        a => {} ropes: None, shift_kind: 1, sink: None, lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len));
    /// The same with a choice of when the shift is added.
    packed_v2(FlashAttentionVarLenScoreV2): attention_score, scale, pre_tokens, next_tokens, pse;
        a => {} ropes: None, shift_kind: a.pse_type, sink: None, lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len));
    /// The same with further numbers for rotary positions.
    packed_v3(FlashAttentionVarLenScoreV3): attention_score, scale, pre_tokens, next_tokens, pse;
        a => {} ropes: both(a.query_rope, a.key_rope)?, shift_kind: a.pse_type, sink: None,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len));
    /// The same with a layout for what is kept of rows.
    packed_v4(FlashAttentionVarLenScoreV4): attention_score, scale, pre_tockens, next_tockens, pse;
        a => { row_layout(a.softmax_layout) } ropes: None, shift_kind: 1, sink: None,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len));
    /// The same with all of these.
    packed_v5(FlashAttentionVarLenScoreV5): attention_score, scale, pre_tockens, next_tockens, pse;
        a => { row_layout(a.softmax_layout) } ropes: both(a.query_rope, a.key_rope)?, shift_kind: a.pse_type, sink: a.sink,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len));
}

/// What is kept of rows has the layout of the queries.
fn row_layout(layout: &str) -> Result<(), Refusal> {
    if ["", "TND", "same_as_input"].contains(&layout) {
        return Ok(());
    }
    Err(Refusal::unsupported(format!(
        "softmaxLayout is '{layout}': Millpond supports only the layout of the queries"
    )))
}

macro_rules! backwards {
    ($($(#[$doc:meta])* $name:ident($type:ident): $out:ident, $scale:ident, $before:ident, $after:ident, $shift:ident;
        $a:ident => { $($check:expr)? } $($field:ident: $value:expr),*; $d_ropes:expr, $d_sink:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($a: table::$type<'_>) -> Planned {
            $($check?;)?
            let call = call!($a, input_layout: $scale, $before, $after, $shift; $($field: $value),*);
            backward(&call, &Backward {
                d_out: $a.dy,
                greatest: $a.softmax_max,
                sum: $a.softmax_sum,
                out: $a.$out,
                d_query: $a.dq,
                d_key: $a.dk,
                d_value: $a.dv,
                d_ropes: $d_ropes,
                d_shift: $a.dpse,
                d_sink: $d_sink,
            })
        }
    )*};
}

backwards! {
    /// The gradient of attention.
    grad(FlashAttentionScoreGrad): attention_in, scale_value, pre_tokens, next_tokens, pse_shift;
        a => {} ropes: None, shift_kind: 1, sink: None, lengths: None; None, None;
    /// The same with a choice of when the shift is added.
    grad_v2(FlashAttentionScoreGradV2): attention_in, scale_value, pre_tokens, next_tokens, pse_shift;
        a => {} ropes: None, shift_kind: a.pse_type, sink: None, lengths: None; None, None;
    /// The same with sinks.
    grad_v3(FlashAttentionScoreGradV3): attention, scale, pre_tockens, next_tockens, pse;
        a => {} ropes: None, shift_kind: a.pse_type, sink: a.sink, lengths: None; None, a.dsink;
    /// The same with room for quantised tensors, which are refused.
    grad_v4(FlashAttentionScoreGradV4): attention, scale, pre_tockens, next_tockens, pse;
        a => { no_quantisation(&[a.empty_optional, a.empty_optional2, a.empty_optional3, a.empty_optional4, a.empty_optional5,
            a.empty_optional6, a.empty_optional7]) }
        ropes: None, shift_kind: a.pse_type, sink: a.sink,
        lengths: (a.input_layout == "TND").then_some((a.actual_seq_q_len, a.actual_seq_kv_len)); None, a.dsink;
    /// The gradient of attention of packed sequences.
    packed_grad(FlashAttentionUnpaddingScoreGrad): attention_in, scale_value, pre_tokens, next_tokens, pse_shift;
        a => {} ropes: None, shift_kind: 1, sink: None, lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len)); None, None;
    /// The same with a choice of when the shift is added.
    packed_grad_v2(FlashAttentionUnpaddingScoreGradV2): attention, scale, pre_tokens, next_tokens, pse;
        a => {} ropes: None, shift_kind: a.pse_type, sink: None, lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len)); None, None;
    /// The same with further numbers for rotary positions.
    packed_grad_v3(FlashAttentionUnpaddingScoreGradV3): attention, scale, pre_tokens, next_tokens, pse;
        a => {} ropes: both(a.query_rope, a.key_rope)?, shift_kind: a.pse_type, sink: None,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len)); both(a.dq_rope, a.dk_rope)?, None;
    /// The same with a layout for what is kept of rows.
    packed_grad_v4(FlashAttentionUnpaddingScoreGradV4): attention, scale, pre_tockens, next_tockens, pse;
        a => { row_layout(a.softmax_layout) } ropes: None, shift_kind: 1, sink: None,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len)); None, None;
    /// The same with all of these.
    packed_grad_v5(FlashAttentionUnpaddingScoreGradV5): attention, scale, pre_tockens, next_tockens, pse;
        a => { row_layout(a.softmax_layout) } ropes: both(a.query_rope, a.key_rope)?, shift_kind: a.pse_type, sink: a.sink,
        lengths: Some((a.actual_seq_q_len, a.actual_seq_kv_len)); both(a.dq_rope, a.dk_rope)?, a.dsink;
}
