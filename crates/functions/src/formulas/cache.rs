//! Caches of keys and values, in pages or by batch.

use millpond_kernels::{Element, View, map, rows};

use super::rotary::{self, Pairs};
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The layout of the rows of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pages {
    /// Page, row, and the axes of a token.
    Rows,
    /// Page, pieces of a token, row, numbers of a piece.
    Pieces,
}

impl Pages {
    fn read(mode: &str) -> Result<Self, Refusal> {
        match mode {
            "" | "Norm" | "ND" => Ok(Self::Rows),
            "PA_NZ" | "NZ" => Ok(Self::Pieces),
            _ => Err(Refusal::invalid(format!(
                "cacheMode is '{mode}', expected Norm or PA_NZ"
            ))),
        }
    }

    /// How many rows a page has.
    fn size(self, cache: &[i64]) -> i64 {
        cache[match self {
            Self::Rows => 1,
            Self::Pieces => 2,
        }]
    }

    /// Tokens of this shape, as they are in the cache: without the axis of tokens.
    fn token(self, cache: &[i64]) -> Vec<i64> {
        match self {
            Self::Rows => cache[2..].to_vec(),
            Self::Pieces => vec![cache[1], cache[3]],
        }
    }

    fn check(self, cache: &Tensor, argument: &str) -> Result<(), Refusal> {
        let fits = match self {
            Self::Rows => cache.rank() >= 3,
            Self::Pieces => cache.rank() == 4,
        };
        require!(
            fits && self.size(&cache.dims) > 0,
            "'{argument}' has the shape {:?}, which has no pages",
            cache.dims
        );
        Ok(())
    }

    /// One row of one page.
    fn row(self, cache: &View, page: i64, row: i64) -> View {
        let page = cache.select(0, page);
        match self {
            Self::Rows => page.select(0, row),
            Self::Pieces => page.select(1, row),
        }
    }
}

/// Integers of a vector, one behind the other.
fn whole_numbers(plan: &mut Plan, tensor: &Tensor, argument: &str) -> Result<Value, Refusal> {
    let element = tensor.element();
    require!(
        matches!(element, Element::I32 | Element::I64),
        "'{argument}' has elements of the type {element:?}, expected int32 or int64"
    );
    let value = plan.input(tensor);
    Ok(plan.contiguous(&value, Element::I64))
}

/// Tokens in the shape that they have in the cache.
fn tokens(
    plan: &mut Plan,
    tensor: &Tensor,
    pages: Pages,
    cache: &Tensor,
    argument: &str,
) -> Result<Value, Refusal> {
    let mut dims = vec![tensor.dims.first().copied().unwrap_or(0)];
    dims.extend(pages.token(&cache.dims));
    let count = |dims: &[i64]| millpond_kernels::count(dims);
    require!(
        tensor.rank() >= 2 && count(&dims) == tensor.count() && tensor.element() == cache.element(),
        "'{argument}' has the shape {:?} and the type {:?}, its cache {:?} and {:?}: tokens do not fit",
        tensor.dims,
        tensor.element(),
        cache.dims,
        cache.element()
    );
    let value = plan.input(tensor);
    Ok(plan.reshape(&value, &dims))
}

/// Writes tokens to slots of a cache. A slot below 0 stands for a token that is not kept.
fn scatter(plan: &mut Plan, tokens: &Value, slots: &Value, cache: &Value, pages: Pages) {
    let (tokens, slots, cache) = (tokens.clone(), slots.clone(), cache.clone());
    plan.try_step(move |m| {
        let (tokens, slots, cache) = (m.view(&tokens), m.view(&slots), m.view(&cache));
        let size = pages.size(cache.dims());
        let room = size * cache.dims()[0];
        for (token, slot) in (0_i64..).zip(slots.slice::<i64>().unwrap_or_default()) {
            if *slot < 0 {
                continue;
            }
            if *slot >= room {
                return Err(format!(
                    "slotMapping names slot {slot} for token {token}, but the cache has {room}"
                ));
            }
            let into = pages.row(&cache, slot / size, slot % size);
            map::copy(&tokens.select(0, token), &into);
        }
        Ok(())
    });
}

/// Refuses what belongs to compressed caches.
fn not_compressed(tensors: [Option<&Tensor>; 3]) -> Result<(), Refusal> {
    if tensors
        .into_iter()
        .flatten()
        .any(|tensor| !tensor.is_empty())
    {
        return Err(Refusal::unsupported(
            "compressLens, compressSeqOffset or seqLens is given: Millpond does not support compressed caches",
        ));
    }
    Ok(())
}

fn scatter_one(
    plan: &mut Plan,
    tensor: &Tensor,
    cache: &Tensor,
    slots: &Value,
    pages: Pages,
    argument: &str,
) -> Result<(), Refusal> {
    pages.check(cache, argument)?;
    let value = tokens(plan, tensor, pages, cache, argument)?;
    require!(
        slots.rank() == 1 && slots.dim(0) == value.dim(0),
        "'slotMapping' has the shape {:?}, expected a slot for each of {} tokens",
        slots.dims(),
        value.dim(0)
    );
    let cache = plan.in_place(cache);
    scatter(plan, &value, slots, &cache, pages);
    Ok(())
}

/// Keys and values of tokens go to their slots.
pub(crate) fn scatter_both(a: table::ScatterPaKvCache<'_>) -> Planned {
    not_compressed([a.compress_lens, a.compress_seq_offset, a.seq_lens])?;
    if !matches!(a.scatter_mode, "" | "None") {
        return Err(Refusal::unsupported(format!(
            "scatterMode is '{}': Millpond supports only None",
            a.scatter_mode
        )));
    }
    let plain = |list: Option<&[i64]>, value: i64| {
        list.is_none_or(|list| list.iter().all(|number| *number == value))
    };
    if !plain(a.strides, 1) || !plain(a.offsets, 0) {
        return Err(Refusal::unsupported(format!(
            "strides are {:?} and offsets {:?}: Millpond supports only 1 and 0",
            a.strides, a.offsets
        )));
    }
    let pages = Pages::read(a.cache_mode)?;
    let mut plan = Plan::new();
    let slots = whole_numbers(&mut plan, a.slot_mapping, "slotMapping")?;
    scatter_one(&mut plan, a.key, a.key_cache, &slots, pages, "key")?;
    scatter_one(&mut plan, a.value, a.value_cache, &slots, pages, "value")?;
    plan.done()
}

/// Keys of tokens go to their slots.
pub(crate) fn scatter_keys(a: table::ScatterPaCache<'_>) -> Planned {
    not_compressed([a.compress_lens, a.compress_seq_offset, a.seq_lens])?;
    let pages = Pages::read(a.cache_mode)?;
    let mut plan = Plan::new();
    let slots = whole_numbers(&mut plan, a.slot_mapping, "slotMapping")?;
    scatter_one(&mut plan, a.key, a.key_cache, &slots, pages, "key")?;
    plan.done()
}

/// Keys and values of sequences come out of their pages, one behind the other.
pub(crate) fn gather(a: table::GatherPaKvCache<'_>) -> Planned {
    let pages = Pages::read(a.cache_mode)?;
    let mut plan = Plan::new();
    let tables = whole_numbers(&mut plan, a.block_tables, "blockTables")?;
    let lengths = whole_numbers(&mut plan, a.seq_lens, "seqLens")?;
    require!(
        tables.rank() == 2 && lengths.rank() == 1,
        "'blockTables' has the shape {:?} and 'seqLens' {:?}, expected two axes and one",
        tables.dims(),
        lengths.dims()
    );
    let batch = tables.dim(0);
    let leading = a.is_seq_lens_cumsum && lengths.dim(0) == batch + 1;
    require!(
        leading || lengths.dim(0) == batch,
        "'seqLens' has {} numbers for {batch} sequences",
        lengths.dim(0)
    );
    let offsets = match a.seq_offset {
        Some(tensor) => {
            let value = whole_numbers(&mut plan, tensor, "seqOffset")?;
            require!(
                value.count() == usize::try_from(batch).unwrap_or(0),
                "'seqOffset' has {} numbers for {batch} sequences",
                value.count()
            );
            Some(value)
        }
        None => None,
    };
    let cumulated = a.is_seq_lens_cumsum;
    for (cache, out, argument) in [
        (a.key_cache, a.key, "key"),
        (a.value_cache, a.value, "value"),
    ] {
        pages.check(cache, argument)?;
        let mut dims = vec![out.dims.first().copied().unwrap_or(0)];
        dims.extend(pages.token(&cache.dims));
        require!(
            out.rank() >= 2
                && millpond_kernels::count(&dims) == out.count()
                && out.element() == cache.element(),
            "'{argument}' has the shape {:?} and the type {:?}, its cache {:?} and {:?}: tokens do not fit",
            out.dims,
            out.element(),
            cache.dims,
            cache.element()
        );
        let from = plan.input(cache);
        // What no sequence reaches stays as it is.
        let whole = plan.in_place(out);
        let copied = whole.reshaped(&dims);
        let into = match &copied {
            Some(into) => into.clone(),
            None => plan.reshape(&whole, &dims),
        };
        let (tables, lengths, offsets) = (tables.clone(), lengths.clone(), offsets.clone());
        let target = into.clone();
        plan.try_step(move |m| {
            let (from, into, tables) = (m.view(&from), m.view(&target), m.view(&tables));
            let lengths = m.view(&lengths);
            let lengths = lengths.slice::<i64>().unwrap_or_default();
            let offsets = offsets.as_ref().map(|offsets| m.view(offsets));
            let offsets = offsets
                .as_ref()
                .and_then(|offsets| offsets.slice::<i64>())
                .unwrap_or_default();
            let size = pages.size(from.dims());
            let lengths = if leading { &lengths[1..] } else { lengths };
            let (mut next, mut end) = (0_i64, 0_i64);
            for (batch, length) in (0_i64..).zip(lengths) {
                let length = if cumulated { length - end } else { *length };
                end += length;
                let first = usize::try_from(batch)
                    .ok()
                    .and_then(|batch| offsets.get(batch))
                    .copied()
                    .unwrap_or(0);
                for place in first..first.saturating_add(length.max(0)) {
                    let entry = place / size;
                    if place < 0 || entry >= tables.dims()[1] || next >= into.dims()[0] {
                        return Err(format!(
                            "sequence {batch} has {length} rows from {first} on, which its pages or '{argument}' do not have"
                        ));
                    }
                    let page = tables.get::<i64>(&[batch, entry]);
                    if !(0..from.dims()[0]).contains(&page) {
                        return Err(format!(
                            "blockTables names page {page}, but the cache has {}",
                            from.dims()[0]
                        ));
                    }
                    map::copy(&pages.row(&from, page, place % size), &into.select(0, next));
                    next += 1;
                }
            }
            Ok(())
        });
        if copied.is_none() {
            let back = into.reshaped(&out.dims).unwrap_or(into);
            plan.copy(&back, &whole);
        }
    }
    plan.done()
}

/// Which of a token's numbers go where, for caches of compressed keys.
struct Latent<'a> {
    kv: &'a Tensor,
    gamma: &'a Tensor,
    cos: &'a Tensor,
    sin: &'a Tensor,
    index: &'a Tensor,
    rope_cache: &'a Tensor,
    key_cache: &'a Tensor,
    epsilon: f64,
    mode: &'a str,
    outputs: Option<(&'a Tensor, &'a Tensor)>,
}

impl Latent<'_> {
    fn plan(&self) -> Planned {
        let (latent, turned) = (
            self.gamma.dims.last().copied().unwrap_or(0),
            self.cos.dims.last().copied().unwrap_or(0),
        );
        require!(
            self.kv.rank() == 4 && self.gamma.rank() == 1 && self.kv.dims[3] == latent + turned,
            "'kv' has the shape {:?}, expected rows of {latent} and {turned} numbers",
            self.kv.dims
        );
        let (batch, heads, steps) = (self.kv.dims[0], self.kv.dims[1], self.kv.dims[2]);
        let mut plan = Plan::new();
        let kv = super::attention::wide(&mut plan, self.kv, "kv")?;
        let gamma = plan.input(self.gamma);
        let gamma = plan.contiguous(&gamma, Element::F32);
        let normal = plan.contiguous(&kv.narrow(3, 0, latent), Element::F32);
        let normalised = plan.temp(Element::F32, &[batch, heads, steps, latent]);
        let result = normalised.clone();
        let epsilon = self.epsilon;
        plan.step(move |m| {
            let gamma = m.view(&gamma);
            let gamma = gamma.slice::<f32>().unwrap_or_default();
            rows::rows1(
                &m.view(&normal),
                &m.view(&result),
                |_, from: &[f32], into: &mut [f32]| {
                    let squares: f64 = from.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
                    #[expect(clippy::cast_precision_loss, reason = "rows are short")]
                    let mean = squares / from.len() as f64;
                    #[expect(clippy::cast_possible_truncation, reason = "the nearest float")]
                    let scale = (1.0 / (mean + epsilon).sqrt()) as f32;
                    for ((into, from), gamma) in into.iter_mut().zip(from).zip(gamma) {
                        *into = from * scale * gamma;
                    }
                },
            );
        });
        let rope = kv.narrow(3, latent, turned);
        require!(
            turned % 2 == 0 && self.cos.dims == self.sin.dims,
            "cos has the shape {:?} and sin {:?}, expected equal ones with an even last dimension",
            self.cos.dims,
            self.sin.dims
        );
        let fits = millpond_kernels::broadcast_dims(&self.cos.dims, rope.dims());
        require!(
            fits.is_some_and(|dims| dims[..] == *rope.dims()),
            "cos has the shape {:?}, which does not broadcast to {:?}",
            self.cos.dims,
            rope.dims()
        );
        let (cos, sin) = (plan.input(self.cos), plan.input(self.sin));
        let turned_rope = plan.temp(Element::F32, rope.dims());
        rotary::turn(&mut plan, &rope, [&cos, &sin], &turned_rope, Pairs::Apart);
        let slots = whole_numbers(&mut plan, self.index, "index")?;
        require!(
            slots.count() == usize::try_from(batch.saturating_mul(steps)).unwrap_or(0),
            "'index' has the shape {:?}, expected a place for each of {batch} · {steps} tokens",
            self.index.dims
        );
        self.keep(
            &mut plan,
            &turned_rope,
            self.rope_cache,
            &slots,
            "kCacheRef",
        )?;
        self.keep(
            &mut plan,
            &normalised,
            self.key_cache,
            &slots,
            "ckvCacheRef",
        )?;
        if let Some((rope, latent)) = self.outputs {
            for (value, tensor) in [(&turned_rope, rope), (&normalised, latent)] {
                super::expect_shape(tensor, value.dims())?;
                let out = plan.output_apart(tensor);
                plan.copy(value, &out);
            }
        }
        plan.done()
    }

    /// Writes tokens (batch, head, step, number) into a cache.
    fn keep(
        &self,
        plan: &mut Plan,
        tokens: &Value,
        cache: &Tensor,
        slots: &Value,
        argument: &'static str,
    ) -> Result<(), Refusal> {
        require!(
            cache.rank() == 4,
            "'{argument}' has the shape {:?}, expected four axes",
            cache.dims
        );
        let value = plan.in_place(cache);
        // With the axes batch or page, head, row, number.
        let (value, paged) = match self.mode {
            "" | "Norm" => (value, false),
            "PA" => (value.permute(&[0, 2, 1, 3]), true),
            "PA_BNSD" => (value, true),
            mode => {
                return Err(Refusal::unsupported(format!(
                    "cacheMode is '{mode}': Millpond supports Norm, PA and PA_BNSD"
                )));
            }
        };
        require!(
            value.dim(1) == tokens.dim(1)
                && value.dim(3) == tokens.dim(3)
                && value.dim(2) > 0
                && (paged || value.dim(0) == tokens.dim(0)),
            "'{argument}' has the shape {:?}, which does not hold tokens of {:?}",
            cache.dims,
            tokens.dims()
        );
        let (tokens, slots) = (tokens.clone(), slots.clone());
        plan.try_step(move |m| {
            let (tokens, slots, cache) = (m.view(&tokens), m.view(&slots), m.view(&value));
            let slots = slots.slice::<i64>().unwrap_or_default();
            let (steps, size) = (tokens.dims()[2], cache.dims()[2]);
            let room = if paged { size * cache.dims()[0] } else { size };
            for (number, slot) in (0_i64..).zip(slots) {
                if *slot < 0 {
                    continue;
                }
                if *slot >= room {
                    return Err(format!(
                        "index names place {slot} for token {number}, but '{argument}' has {room}"
                    ));
                }
                let (batch, step) = (number / steps, number % steps);
                let (page, row) = if paged {
                    (slot / size, slot % size)
                } else {
                    (batch, *slot)
                };
                let from = tokens.select(0, batch).select(1, step);
                map::copy(&from, &cache.select(0, page).select(1, row));
            }
            Ok(())
        });
        Ok(())
    }
}

/// Compressed keys are normalised, their rest is turned by position, and both go to their caches.
pub(crate) fn latent(a: table::KvRmsNormRopeCache<'_>) -> Planned {
    let quantised = [a.k_rope_scale, a.c_kv_scale, a.k_rope_offset, a.c_kv_offset];
    if quantised
        .into_iter()
        .flatten()
        .any(|tensor| !tensor.is_empty())
    {
        return Err(Refusal::unsupported(
            "scales of a quantised cache are given: Millpond does not support quantised caches",
        ));
    }
    let outputs = match (a.is_output_kv, a.k_rope, a.c_kv) {
        (true, Some(rope), Some(latent)) => Some((rope, latent)),
        (true, _, _) => return Err(Refusal::missing("kRope or cKv")),
        (false, _, _) => None,
    };
    Latent {
        kv: a.kv,
        gamma: a.gamma,
        cos: a.cos,
        sin: a.sin,
        index: a.index,
        rope_cache: a.k_cache_ref,
        key_cache: a.ckv_cache_ref,
        epsilon: a.epsilon,
        mode: a.cache_mode,
        outputs,
    }
    .plan()
}

/// The same with room for values that are kept apart.
pub(crate) fn latent_v2(values: Option<&Tensor>, a: table::KvRmsNormRopeCache<'_>) -> Planned {
    if values.is_some() {
        return Err(Refusal::unsupported(
            "'v' is given; Millpond does not support separate values, pass NULL",
        ));
    }
    latent(a)
}
