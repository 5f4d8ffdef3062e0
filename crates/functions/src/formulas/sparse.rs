//! Attention over some of the keys: choosing keys for each query, and attention over those that were chosen.

use millpond_kernels::Element;

use super::moe::{Staged, expect_dims, flat, size, slice, slice_mut, whole};
use crate::indexing::expect_integers;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What stands for no key.
const NONE: i64 = -1;

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

/// How queries and keys lie, as the call says it.
struct Layout<'a> {
    query: &'a Tensor,
    key: &'a Tensor,
    queries_lie: &'a str,
    keys_lie: &'a str,
    query_lengths: Option<&'a Tensor>,
    key_lengths: Option<&'a Tensor>,
    table: Option<&'a Tensor>,
    /// The last dimension that keys must have.
    key_width: i64,
    mode: i64,
    before: i64,
    after: i64,
}

/// The last dimension of a tensor.
fn last_dim(tensor: &Tensor) -> i64 {
    tensor.dims.last().copied().unwrap_or(0)
}

/// Where the rows of queries and keys are.
#[derive(Clone)]
struct Places {
    batch: i64,
    heads: i64,
    width: i64,
    /// Rows of queries in all, and for each batch unless they lie one behind the other.
    rows: i64,
    steps: Option<i64>,
    /// Rows of keys in all, and the most that a sequence can have.
    key_rows: i64,
    most: i64,
    key_steps: Option<i64>,
    query_lengths: Option<Value>,
    key_lengths: Option<Value>,
    /// The pages of each sequence, and how many rows a page has.
    pages: Option<(Value, i64)>,
    causal: bool,
}

/// One sequence during a run.
struct Sequence {
    batch: usize,
    /// The first of its rows of queries, and how many there are.
    row: usize,
    count: usize,
    /// The first of its rows of keys unless they lie in pages, and how many there are.
    key_row: i64,
    length: i64,
}

impl Layout<'_> {
    fn places(&self, plan: &mut Plan) -> Result<Places, Refusal> {
        let packed = match self.queries_lie {
            "BSND" => false,
            "TND" => true,
            other => {
                return Err(Refusal::invalid(format!(
                    "the layout of queries is '{other}'; it must be BSND or TND"
                )));
            }
        };
        require!(
            self.query.rank() == if packed { 3 } else { 4 },
            "'query' has the shape {:?}, which is not {}",
            self.query.dims,
            self.queries_lie
        );
        let (key_packed, paged) = match self.keys_lie {
            "BSND" => (false, false),
            "TND" => (true, false),
            "PA_BSND" => (false, true),
            other => {
                return Err(Refusal::invalid(format!(
                    "the layout of keys is '{other}'; it must be BSND, TND or PA_BSND"
                )));
            }
        };
        require!(
            paged || packed == key_packed,
            "queries lie as {} and keys as {}, but without pages both lie alike",
            self.queries_lie,
            self.keys_lie
        );
        require!(
            self.key.rank() == if key_packed { 3 } else { 4 },
            "'key' has the shape {:?}, which is not {}",
            self.key.dims,
            self.keys_lie
        );
        require!(
            matches!(self.mode, 0 | 3),
            "'sparseMode' is {}; 0 sees all keys, 3 those up to the query's own",
            self.mode
        );
        if self.before != i64::MAX || self.after != i64::MAX {
            return Err(Refusal::unsupported(format!(
                "'preTokens' is {} and 'nextTokens' {}; Millpond has the largest number for both",
                self.before, self.after
            )));
        }
        let dims = &self.query.dims;
        let (heads, width) = (dims[dims.len() - 2], dims[dims.len() - 1]);
        let key_dims = &self.key.dims;
        if key_dims[key_dims.len() - 2] != 1 {
            return Err(Refusal::unsupported(format!(
                "'key' has {} heads; Millpond has one head of keys here",
                key_dims[key_dims.len() - 2]
            )));
        }
        require!(
            key_dims[key_dims.len() - 1] == self.key_width,
            "'query' has the shape {dims:?} and 'key' {key_dims:?}, but the last dimension of 'key' must be {}",
            self.key_width
        );
        let mut lengths = |tensor: Option<&Tensor>, needed: bool, argument: &str| {
            let Some(tensor) = tensor else {
                return if needed {
                    Err(Refusal::missing(argument))
                } else {
                    Ok(None)
                };
            };
            expect_integers(tensor, argument)?;
            require!(
                tensor.rank() == 1,
                "'{argument}' has the shape {:?}, but one dimension is expected",
                tensor.dims
            );
            Ok(Some(flat(plan, tensor, Element::I64, &tensor.dims)))
        };
        let query_lengths = lengths(self.query_lengths, packed, "actualSeqLengthsQuery")?;
        let key_lengths = lengths(self.key_lengths, key_packed || paged, "actualSeqLengthsKv")?;
        let batch = match &query_lengths {
            Some(lengths) if packed => lengths.dim(0),
            _ => dims[0],
        };
        for lengths in [&query_lengths, &key_lengths].into_iter().flatten() {
            require!(
                lengths.dim(0) == batch,
                "there are {} lengths for {batch} sequences",
                lengths.dim(0)
            );
        }
        let (key_rows, key_steps) = if key_packed {
            (key_dims[0], None)
        } else {
            (key_dims[0].saturating_mul(key_dims[1]), Some(key_dims[1]))
        };
        let pages = if paged {
            let Some(table) = self.table else {
                return Err(Refusal::missing("blockTable"));
            };
            expect_integers(table, "blockTable")?;
            require!(
                table.rank() == 2 && table.dims[0] == batch && key_dims[1] > 0,
                "'blockTable' has the shape {:?}, but a row for each of {batch} sequences is expected",
                table.dims
            );
            Some((flat(plan, table, Element::I64, &table.dims), key_dims[1]))
        } else {
            require!(
                key_packed || key_dims[0] == batch,
                "there are {batch} sequences of queries and {} of keys",
                key_dims[0]
            );
            None
        };
        let most = match (&pages, key_steps) {
            (Some((table, page)), _) => table.dim(1).saturating_mul(*page),
            (None, Some(steps)) => steps,
            (None, None) => key_rows,
        };
        Ok(Places {
            batch,
            heads,
            width,
            rows: whole(millpond_kernels::count(&dims[..dims.len() - 2])),
            steps: (!packed).then(|| dims[1]),
            key_rows,
            most,
            key_steps,
            query_lengths,
            key_lengths,
            pages,
            causal: self.mode == 3,
        })
    }
}

impl Places {
    /// Runs `each` for every sequence.
    fn run(
        &self,
        m: &Memory<'_>,
        mut each: impl FnMut(&Sequence, &dyn Fn(i64) -> usize) -> Result<(), String>,
    ) -> Result<(), String> {
        let views = [&self.query_lengths, &self.key_lengths]
            .map(|value| value.as_ref().map(|value| m.view(value)));
        let [queries, keys] = [0, 1].map(|number: usize| views[number].as_ref().map(slice::<i64>));
        let table = self.pages.as_ref().map(|(table, _)| m.view(table));
        let (mut end, mut key_end) = (0, 0);
        for batch in 0..size(self.batch) {
            let number = whole(batch);
            let (row, count) = match (self.steps, queries) {
                (Some(steps), lengths) => (
                    number * steps,
                    lengths.map_or(steps, |lengths| lengths[batch]),
                ),
                (None, lengths) => {
                    let next = lengths.map_or(0, |lengths| lengths[batch]);
                    let start = std::mem::replace(&mut end, next);
                    (start, next - start)
                }
            };
            let most = self.steps.unwrap_or(self.rows - row);
            if !(0..=most).contains(&count) {
                return Err(format!(
                    "'actualSeqLengthsQuery' gives sequence {batch} {count} queries, but there are {most}"
                ));
            }
            let (key_row, length) = match (self.key_steps, &self.pages, keys) {
                (_, Some(_), lengths) => (0, lengths.map_or(0, |lengths| lengths[batch])),
                (Some(steps), None, lengths) => (
                    number * steps,
                    lengths.map_or(steps, |lengths| lengths[batch]),
                ),
                (None, None, lengths) => {
                    let next = lengths.map_or(0, |lengths| lengths[batch]);
                    let start = std::mem::replace(&mut key_end, next);
                    (start, next - start)
                }
            };
            let room = match self.key_steps {
                None => self.key_rows - key_row,
                Some(_) => self.most,
            };
            if !(0..=room).contains(&length) {
                return Err(format!(
                    "'actualSeqLengthsKv' gives sequence {batch} {length} keys, but there is room for {room}"
                ));
            }
            if let (Some(view), Some((_, page))) = (&table, &self.pages) {
                let own = &slice::<i64>(view)[batch * size(view.dims()[1])..];
                let pages = self.key_rows / page;
                let used = &own[..size((length + page - 1) / page)];
                if let Some(entry) = used.iter().find(|entry| !(0..pages).contains(*entry)) {
                    return Err(format!(
                        "'blockTable' names page {entry}, but the cache has {pages}"
                    ));
                }
                let place =
                    |position: i64| size(own[size(position / page)] * page + position % page);
                each(
                    &Sequence {
                        batch,
                        row: size(row),
                        count: size(count),
                        key_row,
                        length,
                    },
                    &place,
                )?;
            } else {
                let place = |position: i64| size(key_row + position);
                each(
                    &Sequence {
                        batch,
                        row: size(row),
                        count: size(count),
                        key_row,
                        length,
                    },
                    &place,
                )?;
            }
        }
        Ok(())
    }

    /// How many keys a query sees.
    fn seen(&self, sequence: &Sequence, step: usize) -> i64 {
        if self.causal {
            (sequence.length - whole(sequence.count) + whole(step) + 1).clamp(0, sequence.length)
        } else {
            sequence.length
        }
    }

    /// The shape of what has one head of keys and `last` numbers for each query.
    fn like_queries(&self, last: i64) -> Vec<i64> {
        match self.steps {
            Some(steps) => vec![self.batch, steps, 1, last],
            None => vec![self.rows, 1, last],
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let sum: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum();
    millpond_kernels::special::single(sum)
}

/// The keys with the largest scores for each query: `Σ weight · max(q·k, 0)` over the heads.
pub(crate) fn indexer(call: table::LightningIndexer<'_>) -> Planned {
    expect_real(call.query, "query")?;
    expect_real(call.key, "key")?;
    let mut plan = Plan::new();
    let places = Layout {
        query: call.query,
        key: call.key,
        queries_lie: call.layout_query,
        keys_lie: call.layout_key,
        query_lengths: call.actual_seq_lengths_query,
        key_lengths: call.actual_seq_lengths_key,
        table: call.block_table,
        key_width: last_dim(call.query),
        mode: call.sparse_mode,
        before: call.pre_tokens,
        after: call.next_tokens,
    }
    .places(&mut plan)?;
    let values = match call.sparse_values.filter(|_| call.return_value) {
        Some(tensor) => Some(tensor),
        None if call.return_value => return Err(Refusal::missing("sparseValues")),
        None => None,
    };
    Scores {
        query: call.query,
        key: call.key,
        weights: call.weights,
        scales: None,
        count: call.sparse_count,
        indices: (call.sparse_indices, "sparseIndices"),
        values,
    }
    .add(plan, places)
}

/// The same for integers or 8-bit floats with a scale for each head of a query and for each key. Scales multiply what `max` leaves, which
/// makes a difference only for negative ones.
pub(crate) fn quantised_indexer(call: table::QuantLightningIndexer<'_>) -> Planned {
    let mut plan = Plan::new();
    let element = call.query.element();
    for (tensor, argument) in [(call.query, "query"), (call.key, "key")] {
        require!(
            matches!(tensor.element(), Element::I8 | Element::F8E4M3)
                && tensor.element() == element,
            "'{argument}' has the type {}, but int8 or float8_e4m3fn is expected, the same for 'query' and 'key'",
            tensor.element().name()
        );
    }
    require!(
        call.query_quant_mode == 0 && call.key_quant_mode == 0,
        "'queryQuantMode' is {} and 'keyQuantMode' {}, but both must be 0: a scale for each token and head",
        call.query_quant_mode,
        call.key_quant_mode
    );
    plan.takes_narrow();
    let places = Layout {
        query: call.query,
        key: call.key,
        queries_lie: call.query_layout,
        keys_lie: call.key_layout,
        query_lengths: call.actual_seq_lengths_query,
        key_lengths: call.actual_seq_lengths_key,
        table: call.block_table,
        key_width: last_dim(call.query),
        mode: call.sparse_mode,
        before: call.pre_tokens,
        after: call.next_tokens,
    }
    .places(&mut plan)?;
    Scores {
        query: call.query,
        key: call.key,
        weights: call.weights,
        scales: Some((call.query_dequant_scale, call.key_dequant_scale)),
        count: call.sparse_count,
        indices: (
            call.quant_lightning_indexer_output,
            "quantLightningIndexerOutput",
        ),
        values: None,
    }
    .add(plan, places)
}

/// What scores are made of, and where the keys with the largest ones go.
struct Scores<'a> {
    query: &'a Tensor,
    key: &'a Tensor,
    weights: &'a Tensor,
    /// For each head of a query, and for each key.
    scales: Option<(&'a Tensor, &'a Tensor)>,
    count: i64,
    indices: (&'a Tensor, &'static str),
    values: Option<&'a Tensor>,
}

impl Scores<'_> {
    fn add(self, mut plan: Plan, places: Places) -> Planned {
        let lead = &self.query.dims[..self.query.rank() - 1];
        expect_real(self.weights, "weights")?;
        expect_dims(self.weights, lead, "weights")?;
        let count = self.count;
        require!(count > 0, "'sparseCount' is {count}, it must be positive");
        let (out, argument) = self.indices;
        expect_integers(out, argument)?;
        let dims = places.like_queries(count);
        expect_dims(out, &dims, argument)?;
        let (rows, heads, width) = (places.rows, places.heads, places.width);
        let query = flat(&mut plan, self.query, Element::F32, &[rows, heads, width]);
        let key = flat(&mut plan, self.key, Element::F32, &[places.key_rows, width]);
        let weights = flat(&mut plan, self.weights, Element::F32, &[rows, heads]);
        let scales = match self.scales {
            Some((of_queries, of_keys)) => {
                expect_real(of_queries, "queryDequantScale")?;
                expect_dims(of_queries, lead, "queryDequantScale")?;
                expect_real(of_keys, "keyDequantScale")?;
                let lead = &self.key.dims[..self.key.rank() - 1];
                expect_dims(of_keys, lead, "keyDequantScale")?;
                Some((
                    flat(&mut plan, of_queries, Element::F32, &[rows, heads]),
                    flat(&mut plan, of_keys, Element::F32, &[places.key_rows]),
                ))
            }
            None => None,
        };
        let indices = Staged::of(&mut plan, out, Element::I64);
        let values = match self.values {
            Some(tensor) => {
                expect_real(tensor, "sparseValues")?;
                expect_dims(tensor, &dims, "sparseValues")?;
                Some(Staged::of(&mut plan, tensor, Element::F32))
            }
            None => None,
        };
        let scores = plan.temp(Element::F32, &[places.most]);
        let order = plan.temp(Element::I64, &[places.most]);
        let (indices_out, values_out) = (
            indices.work.clone(),
            values.as_ref().map(|staged| staged.work.clone()),
        );
        plan.try_step(move |m| {
            let (query, key, weights) = (m.view(&query), m.view(&key), m.view(&weights));
            let (query, key) = (slice::<f32>(&query), slice::<f32>(&key));
            let weights = slice::<f32>(&weights);
            let scales = scales
                .as_ref()
                .map(|(queries, keys)| (m.view(queries), m.view(keys)));
            let scales = scales
                .as_ref()
                .map(|(queries, keys)| (slice::<f32>(queries), slice::<f32>(keys)));
            let (scores, order) = (m.view(&scores), m.view(&order));
            let (scores, order) = (slice_mut::<f32>(&scores), slice_mut::<i64>(&order));
            let (indices, values) = (
                m.view(&indices_out),
                values_out.as_ref().map(|value| m.view(value)),
            );
            let indices = slice_mut::<i64>(&indices);
            let mut values = values.as_ref().map(slice_mut::<f32>);
            indices.fill(NONE);
            if let Some(values) = &mut values {
                values.fill(f32::NEG_INFINITY);
            }
            let (heads, width, count) = (size(heads), size(width), size(count));
            places.run(m, |sequence, place| {
                for step in 0..sequence.count {
                    let row = sequence.row + step;
                    let seen = size(places.seen(sequence, step));
                    for (position, (score, order)) in scores
                        .iter_mut()
                        .zip(order.iter_mut())
                        .take(seen)
                        .enumerate()
                    {
                        let place = place(whole(position));
                        let key = &key[place * width..][..width];
                        *order = whole(position);
                        let sum = (0..heads).fold(0.0, |sum, head| {
                            let at = row * heads + head;
                            let weight =
                                weights[at] * scales.map_or(1.0, |(queries, _)| queries[at]);
                            sum + weight * dot(&query[at * width..][..width], key).max(0.0)
                        });
                        *score = sum * scales.map_or(1.0, |(_, keys)| keys[place]);
                    }
                    order[..seen].sort_unstable_by(|a, b| {
                        let (x, y) = (scores[size(*a)] + 0.0, scores[size(*b)] + 0.0);
                        y.total_cmp(&x).then(a.cmp(b))
                    });
                    for (number, position) in order[..seen].iter().take(count).enumerate() {
                        indices[row * count + number] = *position;
                        if let Some(values) = &mut values {
                            values[row * count + number] = scores[size(*position)];
                        }
                    }
                }
                Ok(())
            })
        });
        indices.deliver(&mut plan);
        if let Some(values) = values {
            values.deliver(&mut plan);
        }
        plan.done()
    }
}

/// Attention over chosen keys, as the second version has it.
pub(crate) fn attention(call: table::SparseFlashAttentionV2<'_>) -> Planned {
    expect_real(call.query, "query")?;
    expect_real(call.key, "key")?;
    let mut plan = Plan::new();
    let places = Layout {
        query: call.query,
        key: call.key,
        queries_lie: call.layout_query,
        keys_lie: call.layout_kv,
        query_lengths: call.actual_seq_lengths_query,
        key_lengths: call.actual_seq_lengths_kv,
        table: call.block_table,
        key_width: last_dim(call.query),
        mode: call.sparse_mode,
        before: call.pre_tokens,
        after: call.next_tokens,
    }
    .places(&mut plan)?;
    require!(
        matches!(call.attention_mode, 0 | 2),
        "'attentionMode' is {}; 0 has keys alone, 2 with a part that is turned by position",
        call.attention_mode
    );
    let (rows, heads, width) = (places.rows, places.heads, places.width);
    expect_real(call.value, "value")?;
    let rank = call.value.rank();
    require!(
        rank == call.key.rank() && call.value.dims[..rank - 1] == call.key.dims[..rank - 1],
        "'value' has the shape {:?} and 'key' {:?}, but only the last dimension may differ",
        call.value.dims,
        call.key.dims
    );
    let depth = call.value.dims[rank - 1];
    let last = call.query.rank() - 1;
    let query = flat(&mut plan, call.query, Element::F32, &[rows, heads, width]);
    let key = flat(&mut plan, call.key, Element::F32, &[places.key_rows, width]);
    let value = flat(
        &mut plan,
        call.value,
        Element::F32,
        &[places.key_rows, depth],
    );
    let ropes = match (call.query_rope, call.key_rope) {
        (Some(query), Some(key)) => {
            require!(
                call.attention_mode == 2,
                "'queryRope' is given, but 'attentionMode' is 0"
            );
            expect_real(query, "queryRope")?;
            expect_real(key, "keyRope")?;
            let turned = query.dims.last().copied().unwrap_or(0);
            let (mut dims, mut key_dims) = (call.query.dims.clone(), call.key.dims.clone());
            let key_last = key_dims.len() - 1;
            (dims[last], key_dims[key_last]) = (turned, turned);
            expect_dims(query, &dims, "queryRope")?;
            expect_dims(key, &key_dims, "keyRope")?;
            Some((
                flat(&mut plan, query, Element::F32, &[rows, heads, turned]),
                flat(&mut plan, key, Element::F32, &[places.key_rows, turned]),
                turned,
            ))
        }
        (None, None) if call.attention_mode == 0 => None,
        _ => return Err(Refusal::missing("queryRope or keyRope")),
    };
    if call.sinks.is_some() && call.return_softmax_lse {
        return Err(Refusal::unsupported(
            "'sinks' is given and 'returnSoftmaxLse' is true; Millpond does not have both at once",
        ));
    }
    let sums = if call.return_softmax_lse {
        let both = [
            (call.softmax_max, "softmaxMax"),
            (call.softmax_sum, "softmaxSum"),
        ];
        let mut sums = Vec::new();
        for (tensor, argument) in both {
            sums.push((tensor.ok_or_else(|| Refusal::missing(argument))?, argument));
        }
        sums
    } else {
        Vec::new()
    };
    Chosen {
        query,
        key,
        value,
        width,
        depth,
        ropes,
        indices: call.sparse_indices,
        block: call.sparse_block_size,
        sinks: call.sinks,
        scale: call.scale,
        query_dims: &call.query.dims,
        out: (
            call.sparse_flash_attention_output,
            "sparseFlashAttentionOutput",
        ),
        sums,
    }
    .add(plan, places)
}

/// Attention over keys whose integers lie in rows together with the part that is turned by position and their scales: `[key as int8, turned
/// part, a scale for each tile]`. Values are the same rows.
pub(crate) fn quantised_attention(call: table::KvQuantSparseFlashAttentionV2<'_>) -> Planned {
    for (tensor, argument) in [
        (call.key_dequant_scale, "keyDequantScale"),
        (call.value_dequant_scale, "valueDequantScale"),
    ] {
        if tensor.is_some_and(|tensor| !tensor.is_empty()) {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is given; Millpond takes scales that lie with the keys, pass NULL"
            )));
        }
    }
    for (number, wanted, argument) in [
        (call.key_quant_mode, 2, "keyQuantMode"),
        (call.value_quant_mode, 2, "valueQuantMode"),
        (call.attention_mode, 2, "attentionMode"),
        (call.quant_scale_repo_mode, 1, "quantScaleRepoMode"),
    ] {
        if number != wanted {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is {number}; Millpond has {wanted}: latent attention, scales for tiles, both in the rows of keys"
            )));
        }
    }
    let turned_as = call.query.element();
    require!(
        matches!(turned_as, Element::BF16 | Element::F16),
        "'query' has the type {}, but bfloat16 or float16 is expected",
        turned_as.name()
    );
    for (tensor, argument) in [(call.key, "key"), (call.value, "value")] {
        require!(
            tensor.element() == Element::I8,
            "'{argument}' has the type {}, but int8 is expected",
            tensor.element().name()
        );
    }
    let (tile, turned) = (call.tile_size, call.rope_head_dim);
    let depth = last_dim(call.query) - turned;
    require!(
        tile > 0 && turned >= 0 && depth >= 0 && depth % tile == 0,
        "'query' has the shape {:?}, 'ropeHeadDim' is {turned} and 'tileSize' {tile}: what is not turned must be whole tiles",
        call.query.dims
    );
    let key_width = depth + 2 * turned + 4 * (depth / tile);
    let mut plan = Plan::new();
    let places = Layout {
        query: call.query,
        key: call.key,
        queries_lie: call.layout_query,
        keys_lie: call.layout_kv,
        query_lengths: call.actual_seq_lengths_query,
        key_lengths: call.actual_seq_lengths_kv,
        table: call.block_table,
        key_width,
        mode: call.sparse_mode,
        before: call.pre_tokens,
        after: call.next_tokens,
    }
    .places(&mut plan)?;
    expect_dims(call.value, &call.key.dims, "value")?;
    let (rows, heads, width, key_rows) = (places.rows, places.heads, places.width, places.key_rows);
    let query = flat(&mut plan, call.query, Element::F32, &[rows, heads, width]);
    let plain = plan.contiguous(&query.narrow(2, 0, depth), Element::F32);
    let query_rope = plan.contiguous(&query.narrow(2, depth, turned), Element::F32);
    let stored = flat(&mut plan, call.key, Element::I8, &[key_rows, key_width]);
    if !call.key.same_layout(call.value) {
        let other = flat(&mut plan, call.value, Element::I8, &[key_rows, key_width]);
        let stored = stored.clone();
        plan.try_step(move |m| {
            let (keys, values) = (m.view(&stored), m.view(&other));
            if slice::<i8>(&keys) == slice::<i8>(&values) {
                return Ok(());
            }
            Err(
                "'value' differs from 'key', but with 'attentionMode' 2 both are the same cache"
                    .to_owned(),
            )
        });
    }
    let key = plan.temp(Element::F32, &[key_rows, depth]);
    let key_rope = plan.temp(Element::F32, &[key_rows, turned]);
    let into = (key.clone(), key_rope.clone());
    plan.step(move |m| {
        let (stored, key, rope) = (m.view(&stored), m.view(&into.0), m.view(&into.1));
        let bytes = slice::<i8>(&stored);
        let (key, rope) = (slice_mut::<f32>(&key), slice_mut::<f32>(&rope));
        let (depth, turned, tile) = (size(depth), size(turned), size(tile));
        for row in 0..size(key_rows) {
            let bytes = &bytes[row * size(key_width)..][..size(key_width)];
            let (numbers, rest) = bytes.split_at(depth);
            let (ropes, scales) = rest.split_at(2 * turned);
            for (to, from) in rope[row * turned..][..turned]
                .iter_mut()
                .zip(ropes.chunks_exact(2))
            {
                let bits = u16::from_le_bytes([from[0].cast_unsigned(), from[1].cast_unsigned()]);
                *to = if turned_as == Element::F16 {
                    f32::from(millpond_kernels::f16::from_bits(bits))
                } else {
                    f32::from(millpond_kernels::bf16::from_bits(bits))
                };
            }
            let tiles = key[row * depth..][..depth].chunks_exact_mut(tile);
            for ((to, from), scale) in tiles
                .zip(numbers.chunks_exact(tile))
                .zip(scales.chunks_exact(4))
            {
                let scale =
                    f32::from_le_bytes([0, 1, 2, 3].map(|at: usize| scale[at].cast_unsigned()));
                for (to, from) in to.iter_mut().zip(from) {
                    *to = f32::from(*from) * scale;
                }
            }
        }
    });
    Chosen {
        query: plain,
        value: key.clone(),
        key,
        width: depth,
        depth,
        ropes: Some((query_rope, key_rope, turned)),
        indices: call.sparse_indices,
        block: call.sparse_block_size,
        sinks: call.sinks,
        scale: call.scale,
        query_dims: &call.query.dims,
        out: (call.output, "output"),
        sums: Vec::new(),
    }
    .add(plan, places)
}

/// Queries, and keys of which some are chosen, in float.
struct Chosen<'a> {
    query: Value,
    key: Value,
    value: Value,
    /// How long a key is, and a value.
    width: i64,
    depth: i64,
    /// Parts of queries and keys that are turned by position, and how long they are.
    ropes: Option<(Value, Value, i64)>,
    indices: &'a Tensor,
    block: i64,
    sinks: Option<&'a Tensor>,
    scale: f64,
    query_dims: &'a [i64],
    out: (&'a Tensor, &'static str),
    /// Where the largest score and the sum go, if they are wanted.
    sums: Vec<(&'a Tensor, &'static str)>,
}

impl Chosen<'_> {
    fn add(self, mut plan: Plan, places: Places) -> Planned {
        let block = self.block;
        require!(
            block > 0,
            "'sparseBlockSize' is {block}, it must be positive"
        );
        let (rows, heads, width, depth) = (places.rows, places.heads, self.width, self.depth);
        expect_integers(self.indices, "sparseIndices")?;
        let chosen = last_dim(self.indices);
        expect_dims(self.indices, &places.like_queries(chosen), "sparseIndices")?;
        let mut out_dims = self.query_dims.to_vec();
        if let Some(last) = out_dims.last_mut() {
            *last = depth;
        }
        let (out, argument) = self.out;
        expect_real(out, argument)?;
        expect_dims(out, &out_dims, argument)?;
        let indices = flat(&mut plan, self.indices, Element::I64, &[rows, chosen]);
        let sinks = match self.sinks {
            Some(sinks) => {
                expect_real(sinks, "sinks")?;
                expect_dims(sinks, &[heads], "sinks")?;
                Some(flat(&mut plan, sinks, Element::F32, &[heads]))
            }
            None => None,
        };
        let out = Staged::of(&mut plan, out, Element::F32);
        let mut sums = Vec::new();
        for (tensor, argument) in self.sums {
            let dims = match places.steps {
                Some(steps) => vec![places.batch, 1, steps, heads],
                None => vec![1, rows, heads],
            };
            expect_real(tensor, argument)?;
            expect_dims(tensor, &dims, argument)?;
            sums.push(Staged::of(&mut plan, tensor, Element::F32));
        }
        let (query, key, value, ropes) = (self.query, self.key, self.value, self.ropes);
        // The keys of one query: where they are, and their scores.
        let room = chosen.checked_mul(block).ok_or_else(|| {
            Refusal::invalid("'sparseBlockSize' times the chosen blocks is too large")
        })?;
        let found = plan.temp(Element::I64, &[room]);
        let scores = plan.temp(Element::F32, &[room]);
        let statistics: Vec<Value> = sums.iter().map(|staged| staged.work.clone()).collect();
        let into = out.work.clone();
        let scale = self.scale;
        plan.try_step(move |m| {
        let views = [&query, &key, &value].map(|value| m.view(value));
        let [query, key, value] = [0, 1, 2].map(|number: usize| slice::<f32>(&views[number]));
        let (indices, found, scores) = (m.view(&indices), m.view(&found), m.view(&scores));
        let indices = slice::<i64>(&indices);
        let (found, scores) = (slice_mut::<i64>(&found), slice_mut::<f32>(&scores));
        let ropes = ropes.as_ref().map(|(a, b, width)| (m.view(a), m.view(b), size(*width)));
        let ropes = ropes
            .as_ref()
            .map(|(a, b, width)| (slice::<f32>(a), slice::<f32>(b), *width));
        let sinks = sinks.as_ref().map(|value| m.view(value));
        let sinks = sinks.as_ref().map(slice::<f32>);
        let into = m.view(&into);
        let into = slice_mut::<f32>(&into);
        let statistics: smallvec::SmallVec<[_; 2]> = statistics.iter().map(|value| m.view(value)).collect();
        into.fill(0.0);
        for view in &statistics {
            slice_mut::<f32>(view).fill(0.0);
        }
        let (heads, width, depth, chosen) = (size(heads), size(width), size(depth), size(chosen));
        places.run(m, |sequence, place| {
            for step in 0..sequence.count {
                let row = sequence.row + step;
                let seen = places.seen(sequence, step);
                let mut count = 0;
                for index in &indices[row * chosen..][..chosen] {
                    if *index == NONE {
                        break;
                    }
                    let begin = index.checked_mul(block).filter(|begin| (0..sequence.length).contains(begin));
                    let Some(begin) = begin else {
                        return Err(format!(
                            "'sparseIndices' has {index} for a query of sequence {}, which has {} keys in blocks of {block}",
                            sequence.batch, sequence.length
                        ));
                    };
                    for position in begin..(begin + block).min(seen) {
                        found[count] = whole(place(position));
                        count += 1;
                    }
                }
                for head in 0..heads {
                    let at = row * heads + head;
                    let mut most = sinks.map_or(f32::NEG_INFINITY, |all| all[head]);
                    for (score, place) in scores.iter_mut().zip(&found[..count]) {
                        let place = size(*place);
                        let mut sum = f64::from(dot(&query[at * width..][..width], &key[place * width..][..width]));
                        if let Some((a, b, width)) = ropes {
                            sum += f64::from(dot(&a[at * width..][..width], &b[place * width..][..width]));
                        }
                        *score = millpond_kernels::special::single(sum * scale);
                        most = most.max(*score);
                    }
                    if count == 0 {
                        continue;
                    }
                    let mut sum = sinks.map_or(0.0, |all| (all[head] - most).exp());
                    for score in &mut scores[..count] {
                        *score = (*score - most).exp();
                        sum += *score;
                    }
                    let out = &mut into[at * depth..][..depth];
                    for (score, place) in scores[..count].iter().zip(&found[..count]) {
                        let from = &value[size(*place) * depth..][..depth];
                        for (out, x) in out.iter_mut().zip(from) {
                            *out += score / sum * x;
                        }
                    }
                    for (view, number) in statistics.iter().zip([most, sum]) {
                        slice_mut::<f32>(view)[at] = number;
                    }
                }
            }
            debug_assert!(sequence.key_row >= 0);
            Ok(())
        })
    });
        out.deliver(&mut plan);
        for staged in sums {
            staged.deliver(&mut plan);
        }
        plan.done()
    }
}
