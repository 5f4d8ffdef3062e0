//! Attention for inference: lengths by sequence, caches in pages.

use millpond_kernels::Element;
use millpond_kernels::attention::{Inputs, Results, Sequence};
use smallvec::SmallVec;

use super::attention::{self, Extent, Sight, Target, opened, wide};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What the functions have in common.
struct Call<'a> {
    query: &'a Tensor,
    keys: &'a [&'a Tensor],
    values: &'a [&'a Tensor],
    ropes: (Option<&'a Tensor>, Option<&'a Tensor>),
    shift: Option<&'a Tensor>,
    mask: Option<&'a Tensor>,
    sink: Option<&'a Tensor>,
    lengths: Option<&'a [i64]>,
    key_lengths: Option<&'a [i64]>,
    /// Which pages of the cache each sequence has.
    table: Option<&'a Tensor>,
    page_size: i64,
    heads: i64,
    key_heads: i64,
    scale: f64,
    before: i64,
    after: i64,
    layout: &'a str,
    mode: i64,
    out: &'a Tensor,
    log_sum: Option<&'a Tensor>,
    /// What Millpond does not have, by the name of the argument.
    refused: &'a [(&'static str, Option<&'a Tensor>)],
}

fn filled(tensor: Option<&Tensor>) -> Option<&Tensor> {
    tensor.filter(|tensor| !tensor.is_empty())
}

fn given(list: Option<&[i64]>) -> Option<&[i64]> {
    list.filter(|list| !list.is_empty())
}

/// Layouts that queries may have.
const LAYOUTS: [&str; 6] = ["BSH", "BSND", "BNSD", "TND", "NTD", "NSD"];

impl<'a> Call<'a> {
    /// The layouts of the inputs and of the result.
    fn layouts(&self) -> Result<(&'a str, &'a str), Refusal> {
        let (inputs, result) = self
            .layout
            .split_once('_')
            .unwrap_or((self.layout, self.layout));
        let results = ["BSH", "BSND", "BNSD", "NBSD", "TND", "NTD", "NSD"];
        require!(
            LAYOUTS.contains(&inputs)
                && results.contains(&result)
                && inputs.contains('T') == result.contains('T'),
            "inputLayout is '{}', expected one of {}, or two of them with an underscore between them",
            self.layout,
            LAYOUTS.join(", ")
        );
        Ok((inputs, result))
    }

    fn key_heads(&self) -> i64 {
        if self.key_heads == 0 {
            self.heads
        } else {
            self.key_heads
        }
    }

    /// Keys or values: for each tensor batch, head, row, number. Pages become batches.
    fn cached(
        &self,
        plan: &mut Plan,
        tensors: &[&Tensor],
        layout: &str,
        argument: &str,
    ) -> Result<SmallVec<[Value; 1]>, Refusal> {
        let paged = self.table.is_some();
        let open = |tensor: &&Tensor| {
            if paged {
                // Pages are converted where they are gathered.
                let value = plan.input(tensor);
                let letters = if value.rank() == 3 { "BSH" } else { "BNSD" };
                let value = opened(&value, letters, self.key_heads(), argument)?;
                require!(
                    value.dim(1) == self.key_heads()
                        && (self.page_size == 0 || value.dim(2) == self.page_size),
                    "'{argument}' has pages of {} heads and {} rows, expected {} and {}",
                    value.dim(1),
                    value.dim(2),
                    self.key_heads(),
                    self.page_size
                );
                return Ok(value);
            }
            let value = wide(plan, tensor, argument)?;
            let value = opened(&value, layout, self.key_heads(), argument)?;
            require!(
                value.dim(1) == self.key_heads(),
                "'{argument}' has {} heads, but numKeyValueHeads says {}",
                value.dim(1),
                self.key_heads()
            );
            Ok(value)
        };
        tensors.iter().map(open).collect()
    }

    /// How long each of `batch` sequences is, if an array says so, or else `whole`.
    fn by_batch(
        list: Option<&[i64]>,
        batch: i64,
        whole: impl Fn(usize) -> i64,
        argument: &str,
    ) -> Result<Vec<i64>, Refusal> {
        let count = usize::try_from(batch).unwrap_or(0);
        let length = |index: usize| {
            let most = whole(index);
            let Some(list) = list else { return Ok(most) };
            let own = if list.len() == 1 { 0 } else { index };
            let length = list.get(own).copied().unwrap_or(-1);
            require!(
                (0..=most).contains(&length),
                "'{argument}' is {list:?}: expected a length of at most {most} for each of {batch} sequences"
            );
            Ok(length)
        };
        (0..count).map(length).collect()
    }

    fn plan(&self) -> Planned {
        let (layout, result_layout) = self.layouts()?;
        for (argument, tensor) in self.refused {
            if filled(*tensor).is_some() {
                return Err(Refusal::unsupported(format!(
                    "'{argument}' is given, which Millpond does not support yet"
                )));
            }
        }
        require!(
            self.heads > 0 && self.key_heads() > 0,
            "numHeads is {} and numKeyValueHeads {}, expected 1 or more",
            self.heads,
            self.key_heads
        );
        require!(
            !self.keys.is_empty() && self.keys.len() == self.values.len(),
            "there are {} tensors of keys and {} of values",
            self.keys.len(),
            self.values.len()
        );
        let mut plan = Plan::new();
        let query = wide(&mut plan, self.query, "query")?;
        let query = opened(&query, layout, self.heads, "query")?;
        require!(
            query.dim(1) == self.heads,
            "numHeads is {}, but the queries have {} heads",
            self.heads,
            query.dim(1)
        );
        let mut keys = self.cached(&mut plan, self.keys, layout, "key")?;
        let mut values = self.cached(&mut plan, self.values, layout, "value")?;
        let (query_rope, key_rope) = (filled(self.ropes.0), filled(self.ropes.1));
        let mut ropes = match (query_rope, key_rope) {
            (Some(query_rope), Some(key_rope)) => {
                let value = wide(&mut plan, query_rope, "queryRope")?;
                let value = opened(&value, layout, self.heads, "queryRope")?;
                let keys = self.cached(&mut plan, &[key_rope], layout, "keyRope")?;
                require!(
                    value.dims()[..3] == query.dims()[..3] && value.dim(3) == keys[0].dim(3),
                    "queryRope has the shape {:?} and keyRope {:?}, which do not fit",
                    query_rope.dims,
                    key_rope.dims
                );
                Some((value, keys))
            }
            (None, None) => None,
            _ => {
                return Err(Refusal::invalid(
                    "of queryRope and keyRope only one is given",
                ));
            }
        };
        attention::fit(&query, &keys, &values)?;
        // How many keys a sequence can have.
        let rows = keys.iter().map(|keys| keys.dim(2)).max().unwrap_or(0);
        let room = match self.table.and_then(|table| table.dims.get(1)) {
            Some(pages) => pages.saturating_mul(rows),
            None => rows,
        };
        let sequences = if let Some(table) = self.table {
            let rows = self.rows(&query, layout)?;
            let lengths = self.gather(
                &mut plan,
                table,
                rows.len(),
                &mut [(&mut keys, "key"), (&mut values, "value")],
            )?;
            if let Some((_, rope)) = &mut ropes {
                self.gather(&mut plan, table, rows.len(), &mut [(rope, "keyRope")])?;
            }
            let all = rows.iter().zip(&lengths).zip(0_i64..);
            all.map(|((rows, length), batch)| sequence(*rows, 0, batch, (0, *length)))
                .collect()
        } else {
            self.sequences(&query, &keys, layout)?
        };
        if let Some((_, rope)) = &ropes {
            require!(
                rope[0].dims()[..3] == keys[0].dims()[..3] && keys.len() == 1,
                "keyRope has {:?} batches, heads and rows, expected {:?}",
                &rope[0].dims()[..3],
                &keys[0].dims()[..3]
            );
        }
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
            third_is_batch: true,
        };
        let (hidden, band) = sight.read(&mut plan, extent)?;
        let shift = match filled(self.shift) {
            Some(tensor) => Some((attention::shift(&mut plan, tensor, extent, true)?, 1.0)),
            None => None,
        };
        let sink = match filled(self.sink) {
            Some(sink) => {
                require!(
                    sink.dims[..] == [self.heads],
                    "'learnableSink' has the shape {:?}, expected [{}]",
                    sink.dims,
                    self.heads
                );
                Some(wide(&mut plan, sink, "learnableSink")?)
            }
            None => None,
        };
        let out = Target::new(&mut plan, self.out);
        let opened_out = opened(&out.value, result_layout, self.heads, "attentionOut")?;
        let expected = [query.dim(0), query.dim(1), query.dim(2), values[0].dim(3)];
        require!(
            *opened_out.dims() == expected,
            "'attentionOut' has {:?} batches, heads, rows and numbers, expected {expected:?}",
            opened_out.dims()
        );
        let log_sum = match filled(self.log_sum) {
            Some(tensor) => {
                let value = plan.output_apart(tensor);
                let value = if layout.contains('T') && value.rank() == 3 {
                    value.unsqueeze(0).permute(&[0, 2, 1, 3])
                } else {
                    value
                };
                require!(
                    value.rank() == 4
                        && value.dims()[..3] == query.dims()[..3]
                        && value.element() == Element::F32,
                    "'softmaxLse' has the shape {:?}, expected float numbers for {:?} batches, heads and rows",
                    tensor.dims,
                    &query.dims()[..3]
                );
                Some(value)
            }
            None => None,
        };
        #[expect(clippy::cast_possible_truncation, reason = "scores are float")]
        let scale = self.scale as f32;
        let inputs = Inputs {
            query,
            keys,
            values,
            ropes,
            shift,
            hidden,
            band,
            kept: None,
            sink,
            scale,
        };
        let results = Results {
            out: opened_out,
            greatest: None,
            sum: None,
            log_sum,
        };
        attention::forward(&mut plan, inputs, sequences, results, room);
        out.finish(&mut plan);
        plan.done()
    }

    /// The queries of each sequence: batch, first, count.
    fn rows(&self, query: &Value, layout: &str) -> Result<Vec<(i64, i64, i64)>, Refusal> {
        if layout.contains('T') {
            let Some(ends) = self.lengths else {
                return Err(Refusal::missing("actualSeqLengths"));
            };
            let all = attention::packed(ends, query.dim(2), "actualSeqLengths")?;
            return Ok(all
                .into_iter()
                .map(|(start, count)| (0, start, count))
                .collect());
        }
        let lengths = Self::by_batch(
            given(self.lengths),
            query.dim(0),
            |_| query.dim(2),
            "actualSeqLengths",
        )?;
        Ok((0_i64..)
            .zip(lengths)
            .map(|(batch, count)| (batch, 0, count))
            .collect())
    }

    fn sequences(
        &self,
        query: &Value,
        keys: &[Value],
        layout: &str,
    ) -> Result<Vec<Sequence>, Refusal> {
        let rows = self.rows(query, layout)?;
        if layout.contains('T') {
            let Some(ends) = self.key_lengths else {
                return Err(Refusal::missing("actualSeqLengthsKv"));
            };
            require!(
                ends.len() == rows.len(),
                "actualSeqLengths has {} numbers and actualSeqLengthsKv {}",
                rows.len(),
                ends.len()
            );
            let columns = attention::packed(ends, keys[0].dim(2), "actualSeqLengthsKv")?;
            let all = rows.into_iter().zip(columns);
            return Ok(all
                .map(|(rows, columns)| sequence(rows, 0, 0, columns))
                .collect());
        }
        let listed = keys.len() > 1;
        let batches = if listed {
            i64::try_from(keys.len()).unwrap_or(0)
        } else {
            keys[0].dim(0)
        };
        require!(
            batches == query.dim(0),
            "there are {} batches of queries and {batches} of keys",
            query.dim(0)
        );
        let whole = |batch: usize| keys[if listed { batch } else { 0 }].dim(2);
        let lengths = Self::by_batch(
            given(self.key_lengths),
            query.dim(0),
            whole,
            "actualSeqLengthsKv",
        )?;
        let all = rows.into_iter().zip(lengths).enumerate();
        Ok(all
            .map(|(number, (rows, length))| {
                let (tensor, batch) = if listed { (number, 0) } else { (0, rows.0) };
                sequence(rows, tensor, batch, (0, length))
            })
            .collect())
    }

    /// Replaces caches by what the pages of each sequence hold; the lengths of the sequences.
    fn gather(
        &self,
        plan: &mut Plan,
        table: &Tensor,
        count: usize,
        caches: &mut [(&mut SmallVec<[Value; 1]>, &'static str)],
    ) -> Result<Vec<i64>, Refusal> {
        let Some(lengths) = given(self.key_lengths) else {
            return Err(Refusal::missing("actualSeqLengthsKv"));
        };
        let entries = plan.input(table);
        let entries = plan.contiguous(&entries, Element::I32);
        let batch = i64::try_from(count).unwrap_or(0);
        require!(
            entries.rank() == 2 && entries.dim(0) >= batch,
            "'blockTable' has the shape {:?}, expected a row for each of {batch} sequences",
            table.dims
        );
        let mut found = Vec::new();
        for (cache, argument) in caches {
            let pages = cache[0].clone();
            require!(
                cache.len() == 1,
                "there are {} tensors for '{argument}', but a paged cache is one",
                cache.len()
            );
            let room = entries.dim(1).saturating_mul(pages.dim(2));
            found = Self::by_batch(Some(lengths), batch, |_| room, "actualSeqLengthsKv")?;
            cache[0] = attention::gathered(plan, &pages, &entries, &found, argument);
        }
        Ok(found)
    }
}

fn sequence(
    (batch, row, rows): (i64, i64, i64),
    tensor: usize,
    key_batch: i64,
    (column, columns): (i64, i64),
) -> Sequence {
    Sequence {
        batch,
        row,
        rows,
        tensor,
        key_batch,
        column,
        columns,
        bit: 0,
    }
}

/// Attention of prompts.
pub(crate) fn prompt(a: table::PromptFlashAttentionV3<'_>) -> Planned {
    Call {
        query: a.query,
        keys: &[a.key],
        values: &[a.value],
        ropes: (None, None),
        shift: a.pse_shift,
        mask: a.atten_mask,
        sink: None,
        lengths: a.act_seq_len,
        key_lengths: a.act_seq_len_kv,
        table: None,
        page_size: 0,
        heads: a.num_heads,
        key_heads: a.num_key_value_heads,
        scale: a.scale,
        before: a.pre_tokens,
        after: a.next_tokens,
        layout: a.input_layout,
        mode: a.sparse_mode,
        out: a.output,
        log_sum: None,
        refused: &[
            ("deqScale1", a.deq_scale1),
            ("quantScale1", a.quant_scale1),
            ("deqScale2", a.deq_scale2),
            ("quantScale2", a.quant_scale2),
            ("quantOffset2", a.quant_offset2),
        ],
    }
    .plan()
}

/// Attention of one more query for each sequence.
pub(crate) fn next(a: table::IncreFlashAttentionV4<'_>) -> Planned {
    Call {
        query: a.query,
        keys: a.key,
        values: a.value,
        ropes: (None, None),
        shift: a.pse_shift,
        mask: a.atten_mask,
        sink: None,
        lengths: None,
        key_lengths: a.actual_seq_lengths,
        table: filled(a.block_table),
        page_size: a.block_size,
        heads: a.num_heads,
        key_heads: a.num_key_value_heads,
        scale: a.scale,
        before: i64::MAX,
        after: i64::MAX,
        layout: a.input_layout,
        mode: 0,
        out: a.output,
        log_sum: None,
        refused: &[
            ("dequantScale1", a.dequant_scale1),
            ("quantScale1", a.quant_scale1),
            ("dequantScale2", a.dequant_scale2),
            ("quantScale2", a.quant_scale2),
            ("quantOffset2", a.quant_offset2),
            ("antiquantScale", a.antiquant_scale),
            ("antiquantOffset", a.antiquant_offset),
            ("kvPaddingSize", a.kv_padding_size),
        ],
    }
    .plan()
}

macro_rules! fused {
    ($($(#[$doc:meta])* $name:ident($type:ident): $a:ident, $ropes:expr, $sink:expr, [$($refused:ident $argument:literal),*] $($check:expr)?;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($a: table::$type<'_>) -> Planned {
            $($check?;)?
            Call {
                query: $a.query,
                keys: $a.key,
                values: $a.value,
                ropes: $ropes,
                shift: $a.pse_shift,
                mask: $a.atten_mask,
                sink: $sink,
                lengths: $a.actual_seq_lengths,
                key_lengths: $a.actual_seq_lengths_kv,
                table: filled($a.block_table),
                page_size: $a.block_size,
                heads: $a.num_heads,
                key_heads: $a.num_key_value_heads,
                scale: $a.scale_value,
                before: $a.pre_tokens,
                after: $a.next_tokens,
                layout: $a.input_layout,
                mode: $a.sparse_mode,
                out: $a.attention_out,
                log_sum: $a.softmax_lse.filter(|_| $a.softmax_lse_flag),
                refused: &[
                    ("deqScale1", $a.deq_scale1),
                    ("quantScale1", $a.quant_scale1),
                    ("deqScale2", $a.deq_scale2),
                    ("quantScale2", $a.quant_scale2),
                    ("quantOffset2", $a.quant_offset2),
                    ("antiquantScale", $a.antiquant_scale),
                    ("antiquantOffset", $a.antiquant_offset),
                    ("queryPaddingSize", $a.query_padding_size),
                    ("kvPaddingSize", $a.kv_padding_size),
                    $(($argument, $a.$refused),)*
                ],
            }
            .plan()
        }
    )*};
}

fused! {
    /// Attention of prompts and of further queries.
    fused(FusedInferAttentionScore): a, (None, None), None, [];
    /// The same with room for quantised caches and a common beginning.
    fused_v2(FusedInferAttentionScoreV2): a, (None, None), None,
        [key_antiquant_scale "keyAntiquantScale", key_antiquant_offset "keyAntiquantOffset", value_antiquant_scale "valueAntiquantScale",
         value_antiquant_offset "valueAntiquantOffset", key_shared_prefix "keySharedPrefix", value_shared_prefix "valueSharedPrefix"];
    /// The same with further numbers for rotary positions.
    fused_v3(FusedInferAttentionScoreV3): a, (a.query_rope, a.key_rope), None,
        [key_antiquant_scale "keyAntiquantScale", key_antiquant_offset "keyAntiquantOffset", value_antiquant_scale "valueAntiquantScale",
         value_antiquant_offset "valueAntiquantOffset", key_shared_prefix "keySharedPrefix", value_shared_prefix "valueSharedPrefix",
         key_rope_antiquant_scale "keyRopeAntiquantScale"];
    /// The same with sinks.
    fused_v4(FusedInferAttentionScoreV4): a, (a.query_rope, a.key_rope), a.learnable_sink,
        [key_antiquant_scale "keyAntiquantScale", key_antiquant_offset "keyAntiquantOffset", value_antiquant_scale "valueAntiquantScale",
         value_antiquant_offset "valueAntiquantOffset", key_shared_prefix "keySharedPrefix", value_shared_prefix "valueSharedPrefix",
         key_rope_antiquant_scale "keyRopeAntiquantScale", dequant_scale_query "dequantScaleQuery"];
    /// The same with a choice of how the shift is made.
    fused_v5(FusedInferAttentionScoreV5): a, (a.query_rope, a.key_rope), a.learnable_sink,
        [key_antiquant_scale "keyAntiquantScale", key_antiquant_offset "keyAntiquantOffset", value_antiquant_scale "valueAntiquantScale",
         value_antiquant_offset "valueAntiquantOffset", key_shared_prefix "keySharedPrefix", value_shared_prefix "valueSharedPrefix",
         key_rope_antiquant_scale "keyRopeAntiquantScale", dequant_scale_query "dequantScaleQuery"]
        shift_kind(a.pse_type);
}

/// The shift is given, not made.
fn shift_kind(kind: i64) -> Result<(), Refusal> {
    if kind == 0 {
        return Ok(());
    }
    Err(Refusal::unsupported(format!(
        "pseType is {kind}: Millpond supports only 0, which adds the given shift after scaling"
    )))
}
