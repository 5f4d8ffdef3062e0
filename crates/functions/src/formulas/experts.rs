//! Mixture of experts over ranks: tokens go to the ranks of their experts, and results come back.
//!
//! Dispatch gathers every rank's tokens with what chooses their experts, and each rank takes what its experts need. Combine sends every rank the
//! rows of its tokens, and each rank adds them up. Both exchange parts of one size, which the call alone decides: what depends on contents is
//! decided behind the exchange, by every rank in the same way, so no rank stays behind alone.

use millpond_kernels::quantise::row_to_i8;
use millpond_kernels::{Element, map};

use super::moe::{Staged, expect_dims, expect_type, flat, size, slice, slice_mut, whole};
use crate::exchange::{Exchange, ExchangeKind};
use crate::indexing::expect_integers;
use crate::plan::{Memory, Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// What parts begin with, in bytes: numbers of 64 bits. Everything in a part begins at a multiple of it.
const HEADER: i64 = 64;

/// The ranks and their experts, as every call gives them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) group: &'a str,
    pub(crate) ranks: i64,
    pub(crate) rank: i64,
    pub(crate) experts: i64,
    pub(crate) tensor_ranks: i64,
    pub(crate) shard_type: i64,
    pub(crate) shared: i64,
    pub(crate) shared_ranks: i64,
    pub(crate) all_tokens: i64,
    pub(crate) algorithm: &'a str,
    /// Experts that need no rank: those that give nothing, the token, and the token in a formula with constants.
    pub(crate) zeros: i64,
    pub(crate) copies: i64,
    pub(crate) constants: i64,
}

/// What follows from them.
#[derive(Debug, Clone, Copy)]
struct Places {
    ranks: i64,
    rank: i64,
    experts: i64,
    /// Experts that need a rank and those that do not.
    ids: i64,
    /// Ranks that come first and have the expert that every token goes to.
    shared: i64,
    /// Experts of each rank behind those.
    local: i64,
    /// The most tokens of a rank.
    most: i64,
}

impl World<'_> {
    fn places(&self, tokens: i64) -> Result<Places, Refusal> {
        require!(
            (1..=4096).contains(&self.ranks) && (0..self.ranks).contains(&self.rank),
            "'epWorldSize' is {} and 'epRankId' {}, but a rank is below the number of ranks",
            self.ranks,
            self.rank
        );
        if !matches!(self.tensor_ranks, 0 | 1) {
            return Err(Refusal::unsupported(format!(
                "'tpWorldSize' is {}; Millpond does not gather tokens over a second group, pass 0 or 1",
                self.tensor_ranks
            )));
        }
        require!(
            self.shard_type == 0,
            "'expertShardType' is {}, but must be 0: ranks of shared experts come first",
            self.shard_type
        );
        require!(
            (0..self.ranks).contains(&self.shared_ranks) && self.shared >= 0,
            "'sharedExpertRankNum' is {} and 'sharedExpertNum' {}, but there are {} ranks",
            self.shared_ranks,
            self.shared,
            self.ranks
        );
        if self.shared > 1 {
            return Err(Refusal::unsupported(format!(
                "'sharedExpertNum' is {}; Millpond has one shared expert, because descriptions do not say which ranks have which",
                self.shared
            )));
        }
        require!(
            self.shared == 1 || self.shared_ranks == 0,
            "'sharedExpertRankNum' is {}, but 'sharedExpertNum' is 0",
            self.shared_ranks
        );
        require!(
            matches!(self.algorithm, "" | "fullmesh" | "hierarchy"),
            "'commAlg' is '{}'; it must be empty, fullmesh or hierarchy",
            self.algorithm
        );
        let owners = self.ranks - self.shared_ranks;
        require!(
            self.experts > 0 && self.experts % owners == 0,
            "'moeExpertNum' is {}, but {owners} ranks must have equal numbers of experts",
            self.experts
        );
        let most = if self.all_tokens == 0 {
            tokens
        } else {
            self.all_tokens / self.ranks
        };
        require!(
            tokens <= most && (self.all_tokens == 0 || self.all_tokens % self.ranks == 0),
            "'globalBs' is {}, but it must be 0 or {} times the most tokens of a rank, and there are {tokens} here",
            self.all_tokens,
            self.ranks
        );
        let special = [self.zeros, self.copies, self.constants];
        require!(
            special.iter().all(|count| (0..1 << 31).contains(count)),
            "'zeroExpertNum', 'copyExpertNum' and 'constExpertNum' are {special:?}, but must not be negative"
        );
        Ok(Places {
            ranks: self.ranks,
            rank: self.rank,
            experts: self.experts,
            ids: self.experts + self.zeros + self.copies + self.constants,
            shared: self.shared_ranks,
            local: self.experts / owners,
            most,
        })
    }

    fn exchange(
        &self,
        kind: ExchangeKind,
        part: i64,
        send: &Value,
        receive: &Value,
        after: usize,
    ) -> Exchange {
        Exchange {
            group: self.group.to_owned(),
            kind,
            element: Element::U8,
            count: part.unsigned_abs(),
            ranks: Some(self.ranks.unsigned_abs()),
            rank: Some(self.rank.unsigned_abs()),
            send: Plan::side(send),
            receive: Plan::side(receive),
            after,
        }
    }
}

impl Places {
    fn is_shared(&self, rank: i64) -> bool {
        rank < self.shared
    }

    /// How many experts a rank has.
    fn experts_of(&self, rank: i64) -> i64 {
        if self.is_shared(rank) { 1 } else { self.local }
    }

    /// The first of them, of those that tokens choose.
    fn first_of(&self, rank: i64) -> i64 {
        (rank - self.shared) * self.local
    }

    /// The rank that has the shared expert for tokens of a rank.
    fn shared_for(&self, rank: i64) -> Option<i64> {
        rank.checked_rem(self.shared)
    }
}

/// What a tensor occupies in a part.
fn room(count: i64, bytes: i64) -> Result<i64, Refusal> {
    count
        .checked_mul(bytes)
        .filter(|bytes| *bytes < 1 << 48)
        .map(|bytes| (bytes + HEADER - 1) / HEADER * HEADER)
        .ok_or_else(|| Refusal::invalid("the tokens of all ranks are too many"))
}

fn expect_tokens(x: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        matches!(x.element(), Element::BF16 | Element::F16 | Element::F32) && x.rank() == 2,
        "'{argument}' has the type {} and the shape {:?}, but a matrix of bfloat16, float16 or float is expected",
        x.element().name(),
        x.dims
    );
    Ok(())
}

/// Which experts each token has, by number.
fn expect_ids(ids: &Tensor, tokens: i64) -> Result<i64, Refusal> {
    expect_integers(ids, "expertIds")?;
    require!(
        ids.rank() == 2 && ids.dims[0] == tokens && ids.dims[1] > 0,
        "'expertIds' has the shape {:?}, but a row for each of {tokens} tokens is expected",
        ids.dims
    );
    Ok(ids.dims[1])
}

/// Which tokens, or which experts of a token, take part: a byte for each.
fn mask(
    plan: &mut Plan,
    given: Option<&Tensor>,
    tokens: i64,
    top: i64,
) -> Result<(Value, bool), Refusal> {
    let out = plan.temp(Element::U8, &[tokens, top]);
    let Some(given) = given.filter(|given| !given.is_empty() || tokens == 0) else {
        plan.fill(&out, 1.0);
        return Ok((out, false));
    };
    expect_type(given, Element::Bool, "xActiveMask")?;
    let for_tokens = given.rank() == 1;
    require!(
        given.dims[..] == [tokens] || given.dims[..] == [tokens, top],
        "'xActiveMask' has the shape {:?}, but [{tokens}] or [{tokens}, {top}] is expected",
        given.dims
    );
    let value = plan.input(given);
    let value = if for_tokens {
        value.unsqueeze(1)
    } else {
        value
    };
    plan.copy(&value, &out);
    Ok((out, for_tokens))
}

/// Whether tokens that take part come first.
fn comes_first(mask: &[u8], top: usize) -> bool {
    let tokens = mask.chunks_exact(top.max(1)).map(|row| row[0] != 0);
    tokens
        .clone()
        .skip(1)
        .zip(tokens)
        .all(|(later, earlier)| earlier || !later)
}

fn unwanted(given: &[(Option<&Tensor>, &str, &str)]) -> Result<(), Refusal> {
    for (tensor, argument, why) in given {
        if tensor.is_some_and(|tensor| !tensor.is_empty()) {
            return Err(Refusal::unsupported(format!(
                "'{argument}' is given; Millpond {why}, pass NULL"
            )));
        }
    }
    Ok(())
}

/// Tokens to the ranks of their experts.
#[derive(Debug)]
pub(crate) struct Dispatch<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) ids: &'a Tensor,
    pub(crate) scales: Option<&'a Tensor>,
    pub(crate) mask: Option<&'a Tensor>,
    pub(crate) weights: Option<&'a Tensor>,
    pub(crate) elastic: Option<&'a Tensor>,
    pub(crate) performance: Option<&'a Tensor>,
    pub(crate) world: World<'a>,
    pub(crate) quant_mode: i64,
    pub(crate) counts_type: i64,
    pub(crate) out: &'a Tensor,
    pub(crate) out_scales: Option<&'a Tensor>,
    pub(crate) index: &'a Tensor,
    pub(crate) counts: &'a Tensor,
    pub(crate) received: &'a Tensor,
    pub(crate) tensor_received: Option<&'a Tensor>,
    pub(crate) out_weights: Option<&'a Tensor>,
}

/// One rank's part of what is gathered.
#[derive(Debug, Clone)]
struct Part {
    /// How many tokens it has, and whether its mask is wrong.
    header: Value,
    x: Value,
    ids: Value,
    weights: Value,
    mask: Value,
}

impl Part {
    /// How many bytes a part has.
    fn bytes(places: &Places, width: i64, top: i64, element: Element) -> Result<[i64; 5], Refusal> {
        let pairs = places.most.saturating_mul(top);
        let sizes = [
            room(places.most.saturating_mul(width), whole(element.bytes()))?,
            room(pairs, 8)?,
            room(pairs, 4)?,
            room(pairs, 1)?,
        ];
        let mut ends = [HEADER; 5];
        for (number, bytes) in sizes.iter().enumerate() {
            ends[number + 1] = ends[number] + bytes;
        }
        Ok(ends)
    }

    fn at(
        region: &Value,
        begin: i64,
        ends: [i64; 5],
        places: &Places,
        [width, top]: [i64; 2],
        element: Element,
    ) -> Self {
        let inside = |at: usize, element, dims: &[i64]| {
            Plan::inside(region, begin + ends[at], element, dims)
        };
        let most = places.most;
        Self {
            header: Plan::inside(region, begin, Element::I64, &[HEADER / 8]),
            x: inside(0, element, &[most, width]),
            ids: inside(1, Element::I64, &[most, top]),
            weights: inside(2, Element::F32, &[most, top]),
            mask: inside(3, Element::U8, &[most, top]),
        }
    }
}

pub(crate) fn dispatch(call: &Dispatch<'_>) -> Planned {
    unwanted(&[
        (call.elastic, "elasticInfo", "does not leave ranks out"),
        (
            call.performance,
            "performanceInfo",
            "does not measure how long ranks wait",
        ),
    ])?;
    expect_tokens(call.x, "x")?;
    let (tokens, width, element) = (call.x.dims[0], call.x.dims[1], call.x.element());
    let top = expect_ids(call.ids, tokens)?;
    let places = call.world.places(tokens)?;
    let quantised = match call.quant_mode {
        0 => false,
        2 => true,
        other => {
            return Err(Refusal::unsupported(format!(
                "'quantMode' is {other}; Millpond has 0, nothing, and 2, a scale for each token"
            )));
        }
    };
    require!(
        matches!(call.counts_type, 0 | 1),
        "'expertTokenNumsType' is {}; 0 is where the tokens of an expert end, 1 how many there are",
        call.counts_type
    );
    let scales = call.scales.filter(|scales| !scales.is_empty());
    require!(
        quantised || scales.is_none(),
        "'scales' is given, but 'quantMode' is 0: pass NULL"
    );
    let weights = call.weights.filter(|weights| !weights.is_empty());
    if weights.is_some() && places.shared > 0 {
        return Err(Refusal::unsupported(
            "'expertScales' is given and there are ranks of shared experts; Millpond does not have both at once",
        ));
    }
    let rows = call.out.dims.first().copied().unwrap_or(0);
    expect_dims(call.out, &[rows, width], "expandX")?;
    expect_type(
        call.out,
        if quantised { Element::I8 } else { element },
        "expandX",
    )?;
    let (own, ranks) = (places.experts_of(places.rank), places.ranks);
    expect_type(call.counts, Element::I64, "expertTokenNums")?;
    expect_dims(call.counts, &[own], "expertTokenNums")?;
    for (tensor, least, argument) in [
        (call.index, tokens.saturating_mul(top), "expandIdx"),
        (call.received, own * ranks, "epRecvCounts"),
    ] {
        expect_type(tensor, Element::I32, argument)?;
        require!(
            tensor.rank() == 1 && tensor.dims[0] >= least,
            "'{argument}' has the shape {:?}, but at least {least} elements are expected",
            tensor.dims
        );
    }
    let ends = Part::bytes(&places, width, top, element)?;
    let bytes = ends[4];
    room(bytes, ranks)?;
    let mut plan = Plan::new();
    let send = plan.temp(Element::U8, &[bytes]);
    let gathered = plan.temp(Element::U8, &[ranks, bytes]);
    plan.fill(&send, 0.0);
    let own_part = Part::at(&send, 0, ends, &places, [width, top], element);
    let x = plan.input(call.x);
    plan.copy(&x, &own_part.x.narrow(0, 0, tokens));
    let ids = plan.input(call.ids);
    plan.copy(&ids, &own_part.ids.narrow(0, 0, tokens));
    if let Some(weights) = weights {
        expect_type(weights, Element::F32, "expertScales")?;
        expect_dims(weights, &[tokens, top], "expertScales")?;
        let weights = plan.input(weights);
        plan.copy(&weights, &own_part.weights.narrow(0, 0, tokens));
    }
    let (mask, for_tokens) = mask(&mut plan, call.mask, tokens, top)?;
    plan.copy(&mask, &own_part.mask.narrow(0, 0, tokens));
    let smooth = match scales {
        Some(scales) => {
            expect_type(scales, Element::F32, "scales")?;
            let lines = places.experts + i64::from(places.shared > 0);
            expect_dims(scales, &[lines, width], "scales")?;
            Some(flat(&mut plan, scales, Element::F32, &[lines, width]))
        }
        None => None,
    };
    let header = own_part.header;
    plan.step(move |m| {
        let (header, mask) = (m.view(&header), m.view(&mask));
        let wrong = for_tokens && !comes_first(slice::<u8>(&mask), size(top));
        slice_mut::<i64>(&header)[..2].copy_from_slice(&[tokens, i64::from(wrong)]);
    });
    plan.exchange(call.world.exchange(
        ExchangeKind::GatherToAll,
        bytes,
        &send,
        &gathered,
        plan.steps(),
    ));

    let parts: Vec<Part> = (0..ranks)
        .map(|rank| {
            Part::at(
                &gathered,
                rank * bytes,
                ends,
                &places,
                [width, top],
                element,
            )
        })
        .collect();
    let out = Staged::of(&mut plan, call.out, call.out.element());
    let out_scales = match call.out_scales.filter(|_| quantised) {
        Some(tensor) => {
            expect_type(tensor, Element::F32, "dynamicScales")?;
            expect_dims(tensor, &[rows], "dynamicScales")?;
            Some(Staged::of(&mut plan, tensor, Element::F32))
        }
        None if quantised => return Err(Refusal::missing("dynamicScales")),
        None => None,
    };
    let index = Staged::of(&mut plan, call.index, Element::I32);
    let counts = Staged::of(&mut plan, call.counts, Element::I64);
    let received = Staged::of(&mut plan, call.received, Element::I32);
    let out_weights = match (weights, call.out_weights) {
        (Some(_), Some(tensor)) if !tensor.is_empty() => {
            expect_type(tensor, Element::F32, "expandScales")?;
            expect_dims(tensor, &[rows], "expandScales")?;
            Some(Staged::of(&mut plan, tensor, Element::F32))
        }
        _ => None,
    };
    // Without a second group nobody uses these.
    if let Some(tensor) = call.tensor_received.filter(|tensor| !tensor.is_empty()) {
        let value = plan.output_apart(tensor);
        plan.fill(&value, 0.0);
    }
    let mut all = vec![out, index, counts, received];
    let has_scales = out_scales.is_some();
    all.extend(out_scales);
    all.extend(out_weights);
    for staged in &all {
        plan.fill(&staged.work, 0.0);
    }
    let seen = plan.temp(Element::I64, &[places.experts]);
    let line = plan.temp(Element::F32, &[width]);
    let results = Results {
        out: all[0].work.clone(),
        index: all[1].work.clone(),
        counts: all[2].work.clone(),
        received: all[3].work.clone(),
        scales: has_scales.then(|| all[4].work.clone()),
        weights: all
            .get(4 + usize::from(has_scales))
            .map(|one| one.work.clone()),
        smooth,
        quantised,
        cumulated: call.counts_type == 0,
        seen,
        line,
    };
    plan.try_step(move |m| results.fill(m, &places, &parts));
    for staged in all {
        staged.deliver(&mut plan);
    }
    plan.done()
}

/// Where a rank's tokens go, and what is needed on the way.
struct Results {
    out: Value,
    index: Value,
    counts: Value,
    received: Value,
    scales: Option<Value>,
    weights: Option<Value>,
    smooth: Option<Value>,
    quantised: bool,
    cumulated: bool,
    seen: Value,
    line: Value,
}

/// One token of a rank, for one of its experts.
#[derive(Debug, Clone, Copy)]
struct Pair {
    rank: i64,
    token: usize,
    choice: usize,
}

impl Results {
    fn fill(&self, m: &Memory<'_>, places: &Places, parts: &[Part]) -> Result<(), String> {
        for (rank, part) in parts.iter().enumerate() {
            check(m, places, rank, part)?;
        }
        self.number(m, places, parts);
        let (counts, received) = (m.view(&self.counts), m.view(&self.received));
        let (counts, received) = (slice_mut::<i64>(&counts), slice_mut::<i32>(&received));
        let (mut row, mut begin) = (0, 0);
        let mut places_of_counts = received.iter_mut();
        for (own, total) in (0_i64..).zip(counts.iter_mut()) {
            for (rank, part) in (0_i64..).zip(parts) {
                self.take(m, places, own, rank, part, &mut row)?;
                if let Some(place) = places_of_counts.next() {
                    *place = i32::try_from(row).unwrap_or(i32::MAX);
                }
            }
            *total = if self.cumulated { row } else { row - begin };
            begin = row;
        }
        Ok(())
    }

    /// Numbers this rank's pairs of tokens and experts: how many pairs with the same expert come before.
    fn number(&self, m: &Memory<'_>, places: &Places, parts: &[Part]) {
        let Some(part) = parts.get(size(places.rank)) else {
            return;
        };
        let (ids, mask, header) = (m.view(&part.ids), m.view(&part.mask), m.view(&part.header));
        let (index, seen) = (m.view(&self.index), m.view(&self.seen));
        let (index, seen) = (slice_mut::<i32>(&index), slice_mut::<i64>(&seen));
        seen.fill(0);
        let top = ids.dims()[1];
        let count = size(slice::<i64>(&header)[0] * top);
        let pairs = slice::<i64>(&ids).iter().zip(slice::<u8>(&mask));
        for ((id, active), number) in pairs.zip(index.iter_mut()).take(count) {
            if *active != 0
                && let Some(seen) = seen.get_mut(size(*id)).filter(|_| *id >= 0)
            {
                *number = i32::try_from(*seen).unwrap_or(i32::MAX);
                *seen += 1;
            }
        }
    }

    /// Takes what a rank sends to one of this rank's experts.
    fn take(
        &self,
        m: &Memory<'_>,
        places: &Places,
        own: i64,
        rank: i64,
        part: &Part,
        row: &mut i64,
    ) -> Result<(), String> {
        let (ids, mask, header) = (m.view(&part.ids), m.view(&part.mask), m.view(&part.header));
        let (ids, mask) = (slice::<i64>(&ids), slice::<u8>(&mask));
        let tokens = size(slice::<i64>(&header)[0]);
        let top = ids.len().checked_div(size(places.most)).unwrap_or(0);
        if places.is_shared(places.rank) {
            if places.shared_for(rank) == Some(places.rank) {
                for token in 0..tokens {
                    if mask[token * top..][..top].iter().any(|active| *active != 0) {
                        self.put(
                            m,
                            places,
                            part,
                            Pair {
                                rank,
                                token,
                                choice: 0,
                            },
                            0,
                            row,
                        )?;
                    }
                }
            }
            return Ok(());
        }
        let expert = places.first_of(places.rank) + own;
        for at in 0..tokens * top {
            if mask[at] != 0 && ids[at] == expert {
                let pair = Pair {
                    rank,
                    token: at / top,
                    choice: at % top,
                };
                self.put(
                    m,
                    places,
                    part,
                    pair,
                    expert + i64::from(places.shared > 0),
                    row,
                )?;
            }
        }
        Ok(())
    }

    /// Writes one token. `line` is the expert's among the numbers that smooth tokens.
    fn put(
        &self,
        m: &Memory<'_>,
        places: &Places,
        part: &Part,
        pair: Pair,
        line: i64,
        row: &mut i64,
    ) -> Result<(), String> {
        let out = m.view(&self.out);
        let room = out.dims()[0];
        if *row >= room {
            return Err(format!(
                "rank {} receives more than {room} tokens, the last one from rank {}, but 'expandX' has {room} rows",
                places.rank, pair.rank
            ));
        }
        let from = m.view(&part.x).select(0, whole(pair.token));
        let into = out.select(0, *row);
        if self.quantised {
            let values = m.view(&self.line);
            map::copy(&from, &values);
            let values = slice_mut::<f32>(&values);
            if let Some(smooth) = &self.smooth {
                let smooth = m.view(&smooth.select(0, line));
                for (x, factor) in values.iter_mut().zip(slice::<f32>(&smooth)) {
                    *x *= factor;
                }
            }
            let step = row_to_i8(values.iter().copied(), 127.0, slice_mut::<i8>(&into));
            if let Some(scales) = &self.scales {
                let scales = m.view(scales);
                slice_mut::<f32>(&scales)[size(*row)] = step;
            }
        } else {
            map::copy(&from, &into);
        }
        if let Some(weights) = &self.weights {
            let (from, into) = (m.view(&part.weights), m.view(weights));
            let weight = from.get::<f32>(&[whole(pair.token), whole(pair.choice)]);
            slice_mut::<f32>(&into)[size(*row)] = weight;
        }
        *row += 1;
        Ok(())
    }
}

/// Whether a rank's part can be used. Every rank finds the same.
fn check(m: &Memory<'_>, places: &Places, rank: usize, part: &Part) -> Result<(), String> {
    let (ids, mask, header) = (m.view(&part.ids), m.view(&part.mask), m.view(&part.header));
    let [tokens, wrong] = [0, 1].map(|at: usize| slice::<i64>(&header)[at]);
    if wrong != 0 {
        return Err(format!(
            "'xActiveMask' of rank {rank} has a token that takes part behind one that does not"
        ));
    }
    let top = ids.dims()[1];
    let pairs = slice::<i64>(&ids).iter().zip(slice::<u8>(&mask));
    for (at, (id, active)) in (0_i64..).zip(pairs).take(size(tokens * top)) {
        if *active != 0 && !(0..places.ids).contains(id) {
            return Err(format!(
                "'expertIds' of rank {rank} has {id} for token {}, but there are {} experts",
                at / top,
                places.ids
            ));
        }
    }
    Ok(())
}

/// Results of experts back to the ranks of their tokens, added up.
#[derive(Debug)]
pub(crate) struct Combine<'a> {
    pub(crate) x: &'a Tensor,
    pub(crate) ids: &'a Tensor,
    pub(crate) sent: &'a Tensor,
    pub(crate) weights: &'a Tensor,
    pub(crate) mask: Option<&'a Tensor>,
    /// What this version of the function has, but nobody describes.
    pub(crate) unused: [Option<&'a Tensor>; 3],
    pub(crate) shared_x: Option<&'a Tensor>,
    pub(crate) elastic: Option<&'a Tensor>,
    pub(crate) original: Option<&'a Tensor>,
    pub(crate) alpha1: Option<&'a Tensor>,
    pub(crate) alpha2: Option<&'a Tensor>,
    pub(crate) constant: Option<&'a Tensor>,
    pub(crate) performance: Option<&'a Tensor>,
    pub(crate) world: World<'a>,
    pub(crate) out_type: i64,
    pub(crate) quant_mode: i64,
    pub(crate) group_list_type: i64,
    pub(crate) out: &'a Tensor,
}

/// Tokens as they were, and constants.
struct Special {
    original: Option<Value>,
    constants: Option<[Value; 3]>,
    zeros_end: i64,
    copies_end: i64,
}

pub(crate) fn combine(call: &Combine<'_>) -> Planned {
    unwanted(&[
        (call.elastic, "elasticInfo", "does not leave ranks out"),
        (
            call.performance,
            "performanceInfo",
            "does not measure how long ranks wait",
        ),
        (call.unused[0], "activationScale", "combines floats"),
        (call.unused[1], "weightScale", "combines floats"),
        (call.unused[2], "groupList", "combines floats"),
    ])?;
    if call.quant_mode != 0 || call.out_type != 0 || call.group_list_type != 0 {
        return Err(Refusal::unsupported(format!(
            "'commQuantMode' is {}, 'outDtype' {} and 'groupListType' {}; Millpond has 0 for all: rows travel as they are",
            call.quant_mode, call.out_type, call.group_list_type
        )));
    }
    expect_tokens(call.x, "expandX")?;
    let (rows, width, element) = (call.x.dims[0], call.x.dims[1], call.x.element());
    let tokens = call.ids.dims.first().copied().unwrap_or(0);
    let top = expect_ids(call.ids, tokens)?;
    let places = call.world.places(tokens)?;
    expect_type(call.weights, Element::F32, "expertScales")?;
    expect_dims(call.weights, &[tokens, top], "expertScales")?;
    expect_type(call.out, element, "output")?;
    expect_dims(call.out, &[tokens, width], "output")?;
    expect_integers(call.sent, "epSendCounts")?;
    let (own, ranks) = (places.experts_of(places.rank), places.ranks);
    require!(
        call.sent.rank() == 1 && call.sent.dims[0] >= own * ranks,
        "'epSendCounts' has the shape {:?}, but at least {} elements are expected",
        call.sent.dims,
        own * ranks
    );
    let room_rows = places.most.saturating_mul(places.local.min(top).max(1));
    let bytes = HEADER + room(room_rows.saturating_mul(width), whole(element.bytes()))?;
    room(bytes, ranks)?;
    let mut plan = Plan::new();
    let send = plan.temp(Element::U8, &[ranks, bytes]);
    let receive = plan.temp(Element::U8, &[ranks, bytes]);
    let parts = |region: &Value| -> Vec<(Value, Value)> {
        (0..ranks)
            .map(|rank| {
                let begin = rank * bytes;
                (
                    Plan::inside(region, begin, Element::I64, &[HEADER / 8]),
                    Plan::inside(region, begin + HEADER, element, &[room_rows, width]),
                )
            })
            .collect()
    };
    let (outgoing, incoming) = (parts(&send), parts(&receive));
    let x = plan.input(call.x);
    let sent = flat(&mut plan, call.sent, Element::I64, &call.sent.dims);
    plan.fill(&send, 0.0);
    plan.step(move |m| {
        let (x, sent) = (m.view(&x), m.view(&sent));
        let ends = &slice::<i64>(&sent)[..size(own * ranks)];
        let fits = ends
            .iter()
            .try_fold(0, |begin, end| (begin <= *end).then_some(*end));
        let fits = fits.is_some_and(|end| end <= rows);
        for (peer, (header, into)) in outgoing.iter().enumerate() {
            let (header, into) = (m.view(header), m.view(into));
            let mut count = 0;
            for at in (peer..ends.len()).step_by(size(ranks)).take_while(|_| fits) {
                let begin = at.checked_sub(1).map_or(0, |before| ends[before]);
                let length = (ends[at] - begin).min(room_rows - count);
                map::copy(&x.narrow(0, begin, length), &into.narrow(0, count, length));
                count += length;
            }
            slice_mut::<i64>(&header)[0] = if fits { count } else { -1 };
        }
    });
    let ids = flat(&mut plan, call.ids, Element::I64, &[tokens, top]);
    let (mask, for_tokens) = mask(&mut plan, call.mask, tokens, top)?;
    let weights = flat(&mut plan, call.weights, Element::F32, &[tokens, top]);
    let shared_x = match call.shared_x.filter(|shared| !shared.is_empty()) {
        Some(shared) => {
            require!(
                places.shared == 0,
                "'sharedExpertX' is given, but there are ranks of shared experts"
            );
            expect_type(shared, element, "sharedExpertX")?;
            require!(
                matches!(shared.rank(), 2 | 3)
                    && shared.dims.last() == Some(&width)
                    && shared.count() == call.out.count(),
                "'sharedExpertX' has the shape {:?}, but {tokens} rows of {width} are expected",
                shared.dims
            );
            Some(flat(&mut plan, shared, Element::F32, &[tokens, width]))
        }
        None => None,
    };
    let special = call.special(&mut plan, tokens, width)?;
    plan.exchange(
        call.world
            .exchange(ExchangeKind::Swap, bytes, &send, &receive, plan.steps()),
    );
    let out = Staged::of(&mut plan, call.out, Element::F32);
    let gather = Gather {
        places,
        incoming,
        ids,
        mask,
        for_tokens,
        weights,
        shared_x,
        special,
        found: plan.temp(Element::I64, &[tokens, top]),
        sums: plan.temp(Element::F64, &[width]),
        line: plan.temp(Element::F32, &[width]),
        out: out.work.clone(),
    };
    plan.try_step(move |m| gather.run(m));
    out.deliver(&mut plan);
    plan.done()
}

impl Combine<'_> {
    fn special(&self, plan: &mut Plan, tokens: i64, width: i64) -> Result<Special, Refusal> {
        let world = &self.world;
        let mut values = |tensor: Option<&Tensor>, rows: i64, argument: &str| {
            let tensor = tensor.ok_or_else(|| Refusal::missing(argument))?;
            expect_type(tensor, self.x.element(), argument)?;
            expect_dims(tensor, &[rows, width], argument)?;
            Ok(flat(plan, tensor, Element::F32, &[rows, width]))
        };
        let original = if world.copies + world.constants > 0 {
            Some(values(self.original, tokens, "oriX")?)
        } else {
            None
        };
        let constants = if world.constants > 0 {
            Some([
                values(self.alpha1, world.constants, "constExpertAlpha1")?,
                values(self.alpha2, world.constants, "constExpertAlpha2")?,
                values(self.constant, world.constants, "constExpertV")?,
            ])
        } else {
            None
        };
        let zeros_end = world.experts + world.zeros;
        Ok(Special {
            original,
            constants,
            zeros_end,
            copies_end: zeros_end + world.copies,
        })
    }
}

/// Rows that came back, and what they are multiplied by.
struct Gather {
    places: Places,
    incoming: Vec<(Value, Value)>,
    ids: Value,
    mask: Value,
    for_tokens: bool,
    weights: Value,
    shared_x: Option<Value>,
    special: Special,
    /// Which of its rank's rows a pair of token and expert has.
    found: Value,
    sums: Value,
    line: Value,
    out: Value,
}

impl Gather {
    fn run(&self, m: &Memory<'_>) -> Result<(), String> {
        let places = &self.places;
        let (ids, mask, weights) = (m.view(&self.ids), m.view(&self.mask), m.view(&self.weights));
        let top = size(ids.dims()[1]);
        let (ids, mask, weights) = (
            slice::<i64>(&ids),
            slice::<u8>(&mask),
            slice::<f32>(&weights),
        );
        if self.for_tokens && !comes_first(mask, top) {
            return Err(
                "'xActiveMask' has a token that takes part behind one that does not".to_owned(),
            );
        }
        let wrong = ids
            .iter()
            .zip(mask)
            .find(|(id, active)| **active != 0 && !(0..places.ids).contains(*id));
        if let Some((id, _)) = wrong {
            return Err(format!(
                "'expertIds' has {id}, but there are {} experts",
                places.ids
            ));
        }
        let found = m.view(&self.found);
        let found = slice_mut::<i64>(&found);
        let is_active = |token: &[u8]| token.iter().any(|active| *active != 0);
        for (owner, (header, _)) in (0_i64..).zip(&self.incoming) {
            let header = m.view(header);
            let came = slice::<i64>(&header)[0];
            if came < 0 {
                return Err(format!(
                    "'epSendCounts' of rank {owner} does not fit its rows: pass what the dispatch has returned"
                ));
            }
            let mut expected = 0;
            if places.is_shared(owner) {
                if places.shared_for(places.rank) == Some(owner) {
                    let tokens = mask.chunks_exact(top.max(1));
                    expected = whole(tokens.filter(|token| is_active(token)).count());
                }
            } else {
                let first = places.first_of(owner);
                for expert in first..first + places.local {
                    for ((place, id), active) in found.iter_mut().zip(ids).zip(mask) {
                        if *active != 0 && *id == expert {
                            *place = expected;
                            expected += 1;
                        }
                    }
                }
            }
            if came != expected {
                return Err(format!(
                    "rank {owner} returned {came} rows, but has {expected} of this rank's: 'expertIds', 'xActiveMask' and 'epSendCounts' must be those of the dispatch"
                ));
            }
        }
        let (sums, out) = (m.view(&self.sums), m.view(&self.out));
        let (sums, out) = (slice_mut::<f64>(&sums), slice_mut::<f32>(&out));
        let width = sums.len();
        let mut shared = 0;
        for (token, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
            sums.fill(0.0);
            let own = token * top..token * top + top;
            for at in own.clone().filter(|at| mask[*at] != 0) {
                self.add(m, token, ids[at], found[at], f64::from(weights[at]), sums);
            }
            if let Some(owner) = places
                .shared_for(places.rank)
                .filter(|_| is_active(&mask[own]))
            {
                self.add_row(m, owner, shared, 1.0, sums);
                shared += 1;
            }
            if let Some(more) = &self.shared_x {
                let more = m.view(more);
                let more = &slice::<f32>(&more)[token * width..][..width];
                for (sum, x) in sums.iter_mut().zip(more) {
                    *sum += f64::from(*x);
                }
            }
            for (to, sum) in out.iter_mut().zip(&*sums) {
                *to = millpond_kernels::special::single(*sum);
            }
        }
        Ok(())
    }

    /// Adds a row of another rank.
    fn add_row(&self, m: &Memory<'_>, owner: i64, row: i64, weight: f64, sums: &mut [f64]) {
        let line = m.view(&self.line);
        map::copy(&m.view(&self.incoming[size(owner)].1).select(0, row), &line);
        for (sum, x) in sums.iter_mut().zip(slice::<f32>(&line)) {
            *sum += weight * f64::from(*x);
        }
    }

    /// Adds what an expert gives for a token.
    fn add(&self, m: &Memory<'_>, token: usize, id: i64, row: i64, weight: f64, sums: &mut [f64]) {
        let (places, special) = (&self.places, &self.special);
        if id < places.experts {
            let owner = places.shared + id / places.local.max(1);
            self.add_row(m, owner, row, weight, sums);
            return;
        }
        let Some(original) = special
            .original
            .as_ref()
            .filter(|_| id >= special.zeros_end)
        else {
            return;
        };
        let original = m.view(&original.select(0, whole(token)));
        let original = slice::<f32>(&original);
        let constants = special
            .constants
            .as_ref()
            .filter(|_| id >= special.copies_end);
        let Some(constants) = constants else {
            for (sum, x) in sums.iter_mut().zip(original) {
                *sum += weight * f64::from(*x);
            }
            return;
        };
        let views =
            [0, 1, 2].map(|at: usize| m.view(&constants[at].select(0, id - special.copies_end)));
        let [alpha1, alpha2, constant] = [0, 1, 2].map(|at: usize| slice::<f32>(&views[at]));
        for (at, (sum, x)) in sums.iter_mut().zip(original).enumerate() {
            let value = f64::from(alpha1[at]) * f64::from(*x)
                + f64::from(alpha2[at]) * f64::from(constant[at]);
            *sum += weight * value;
        }
    }
}
