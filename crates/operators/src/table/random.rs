//! Random numbers that follow from a seed and an offset alone.
//!
//! The engine's own generators cannot be repeated, so the numbers are made here, by Philox with four 32-bit
//! words and ten rounds, written in the engine's integer operators. A block of four words is a function of the
//! key (the seed) and a counter of 128 bits: the offset, plus the number of the block in its lower half. Seeds
//! and offsets are inputs of the graph, so one model serves all of them.

use super::math::erfinv;
use super::sort::top_k;
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "StatelessRandomUniformV2",
        "shape, key, counter, alg; dtype: from 0 up to 1",
        |cx| {
            let count = count(cx)?;
            let words = stateless(cx, count)?;
            give_flat(cx, uniform(words, digits(cx.output_element(0)?)), count)
        },
    ),
    row(
        "StatelessRandomNormalV2",
        "shape, key, counter, alg; dtype: mean 0, deviation 1",
        |cx| {
            let count = count(cx)?;
            let words = stateless(cx, count.saturating_add(1))?;
            give_flat(cx, normal(words), count)
        },
    ),
    row(
        "StatelessTruncatedNormalV2",
        "shape, key, counter, alg; dtype: normal, between -2 and 2",
        |cx| {
            let count = count(cx)?;
            // The share of a normal distribution between -2 and 2, looked up backwards.
            let within = uniform(stateless(cx, count)?, 24) * 2.0 - 1.0;
            let value = erfinv(within * 0.954_499_7) * std::f32::consts::SQRT_2;
            give_flat(cx, value.at_least(-2.0).at_most(2.0), count)
        },
    ),
    row(
        "StatelessRandomUniformIntV2",
        "shape, key, counter, alg, minval, maxval: from minval up to maxval",
        |cx| {
            let count = count(cx)?;
            let words = stateless(cx, count.saturating_mul(2))?;
            let [low, high] = [cx.indices(4)?, cx.indices(5)?].map(|it| it.reshape(&[]));
            let value = long(words).apply("Mod", &[high - low], &[]) + low;
            give_flat(cx, value, count)
        },
    ),
    row(
        "StatelessBernoulli",
        "shape, prob, seed, offset; dtype: 1 with this probability",
        |cx| {
            cx.ignore(0);
            let count = count(cx)?;
            let key = word(cx, 2, 0)?;
            let zero = cx.scalar(Element::U64, 0.0);
            let words = philox(key, [zero, word(cx, 3, 0)?], count);
            let shares = uniform(words, 24)
                .part(0, 0, count)
                .reshape(cx.output_dims(0)?);
            let chance = cx.number(1)?.cast(Element::F32);
            let chance = if cx.rank(1)? == 1 {
                one_or_all(cx, chance, 1)?
            } else {
                chance
            };
            cx.give(0, shares.less(chance).cast(Element::F32))
        },
    ),
    row(
        "StatelessDropOutGenMask",
        "shape, keep probability, seed, seed1, offset: a bit for each element, the lowest first",
        |cx| {
            cx.ignore(0);
            let bytes = count(cx)?;
            let [low, high] = [word(cx, 2, 0)?, word(cx, 3, 0)?];
            let key = bits("BitwiseXor", low32(low), shift(high, 32, "LEFT"));
            // The offset may be a single number or both halves of a counter.
            let counter = cx.indices(4)?.cast(Element::U64).flat();
            let counter = [counter.pick(0, 0), counter.pick(0, -1)];
            let shares = uniform(philox(key, counter, bytes.saturating_mul(8)), 24);
            let chance = cx.number(1)?.cast(Element::F32).reshape(&[]);
            let kept = shares.less(chance).cast(Element::I32).reshape(&[-1, 8]);
            let weights = cx
                .list_of(&[1, 2, 4, 8, 16, 32, 64, 128])
                .cast(Element::I32);
            give_flat(cx, (kept * weights).sum(&[1]), bytes)
        },
    ),
    row(
        "StatelessRandperm",
        "n, seed, offset; dtype: the numbers below n in a random order",
        |cx| {
            cx.ignore(0);
            let count = count(cx)?;
            let zero = cx.scalar(Element::U64, 0.0);
            let words = philox(
                word(cx, 1, 0)?,
                [zero, word(cx, 2, 0)?],
                count.saturating_mul(2),
            );
            let keys = long(words).part(0, 0, count);
            let order = top_k(keys, cx.int_of(count), 0, true).1;
            give_flat(cx, order, count)
        },
    ),
    row(
        "MultinomialWithReplacement",
        "x: weights of each class, seed, offset; numsamples, replacement = false: classes",
        multinomial,
    ),
    row(
        "DropOutDoMask",
        "x, mask: a bit for each element, keep probability: x / probability where the bit is 1",
        |cx| {
            let x = cx.float(0)?;
            let kept = kept_bits(cx.input(1)?, x);
            keep(cx, x, kept, cx.float(2)?)
        },
    ),
    row(
        "DropOutDoMaskV3",
        "x, mask: a byte for each element, keep probability",
        |cx| keep(cx, cx.float(0)?, cx.input(1)?, cx.float(2)?),
    ),
    row(
        "DropOutDoMaskV3D",
        "x, mask: a byte for each element; keep_prob",
        |cx| {
            let x = cx.float(0)?;
            keep(cx, x, cx.input(1)?, x.like(cx.real("keep_prob")?))
        },
    ),
];

/// A mask with a bit for each element, the lowest first, as a byte for each element of `like`.
pub(super) fn kept_bits<'c>(mask: Val<'c>, like: Val<'c>) -> Val<'c> {
    let cx = mask.cx();
    let places = cx.tensor_constant(Element::U8, &[8], &[0, 1, 2, 3, 4, 5, 6, 7]);
    let moved = mask.cast(Element::U8).flat().unsqueeze(&[1]).apply(
        "BitShift",
        &[places],
        &[("direction", Attribute::from("RIGHT"))],
    );
    let one = cx.scalar(Element::U8, 1.0);
    let ends = [cx.list_of(&[0]), like.flat().shape()];
    let bits = moved.apply("BitwiseAnd", &[one], &[]).flat();
    bits.apply("Slice", &ends, &[]).reshape_like(like)
}

fn keep<'c>(cx: &'c Context<'c>, x: Val<'c>, mask: Val<'c>, chance: Val<'c>) -> Result<(), Why> {
    let chance = chance.cast(x.element()).reshape(&[]);
    cx.give(
        0,
        (x / chance).where_true(mask.cast(Element::Bool).reshape_like(x)),
    )
}

/// How many numbers the output has.
fn count<'c>(cx: &'c Context<'c>) -> Result<i64, Why> {
    let dims = cx.output_dims(0)?;
    let count = dims
        .iter()
        .try_fold(1_i64, |all, dim| all.checked_mul(*dim));
    count
        .filter(|count| *count < 1 << 40)
        .ok_or_else(|| Why::other(format!("{dims:?} are too many numbers")))
}

/// The first `count` of a row of numbers, in the shape of the output.
fn give_flat<'c>(cx: &'c Context<'c>, values: Val<'c>, count: i64) -> Result<(), Why> {
    cx.give_shaped(0, values.part(0, 0, count))
}

/// One number of a small input, as an unsigned one.
fn word<'c>(cx: &'c Context<'c>, index: usize, place: i64) -> Result<Val<'c>, Why> {
    Ok(cx.input(index)?.cast(Element::U64).flat().pick(0, place))
}

/// Words for an operator whose inputs are a shape, a key, a counter of two halves and an algorithm.
fn stateless<'c>(cx: &'c Context<'c>, count: i64) -> Result<Val<'c>, Why> {
    cx.ignore(0);
    cx.ignore(3);
    Ok(philox(
        word(cx, 1, 0)?,
        [word(cx, 2, 0)?, word(cx, 2, -1)?],
        count,
    ))
}

fn bits<'c>(op: &str, a: Val<'c>, b: Val<'c>) -> Val<'c> {
    a.apply(op, &[b], &[])
}

fn shift<'c>(x: Val<'c>, by: u8, direction: &str) -> Val<'c> {
    let by = x.cx().scalar(Element::U64, by.into());
    x.apply(
        "BitShift",
        &[by],
        &[("direction", Attribute::from(direction))],
    )
}

fn low32(x: Val<'_>) -> Val<'_> {
    bits(
        "BitwiseAnd",
        x,
        x.cx().scalar(Element::U64, f64::from(u32::MAX)),
    )
}

fn high32(x: Val<'_>) -> Val<'_> {
    shift(x, 32, "RIGHT")
}

/// At least `count` words of 32 bits, each in 64. The counter's halves and the key are single numbers.
fn philox<'c>(key: Val<'c>, [low, high]: [Val<'c>; 2], count: i64) -> Val<'c> {
    let cx = key.cx();
    let constant = |value: u32| cx.scalar(Element::U64, value.into());
    let blocks = cx
        .int_of(count.saturating_add(3) / 4)
        .count_up()
        .cast(Element::U64);
    let first = blocks + low;
    let mut words = [low32(first), high32(first), low32(high), high32(high)];
    let mut keys = [low32(key), high32(key)];
    for _ in 0..10 {
        let left = words[0] * constant(0xD251_1F53);
        let right = words[2] * constant(0xCD9E_8D57);
        words = [
            bits(
                "BitwiseXor",
                bits("BitwiseXor", high32(right), words[1]),
                keys[0],
            ),
            low32(right),
            bits(
                "BitwiseXor",
                bits("BitwiseXor", high32(left), words[3]),
                keys[1],
            ),
            low32(left),
        ];
        keys = [
            low32(keys[0] + constant(0x9E37_79B9)),
            low32(keys[1] + constant(0xBB67_AE85)),
        ];
    }
    let columns = words.map(|word| word.expand_like(first).unsqueeze(&[1]));
    Val::concat(1, &columns).flat()
}

/// How many binary digits a number below 1 may have so that no rounding makes it 1.
fn digits(element: Element) -> u8 {
    match element {
        Element::F16 => 11,
        Element::BF16 => 8,
        _ => 24,
    }
}

/// From 0 up to, but not, 1.
fn uniform(words: Val<'_>, digits: u8) -> Val<'_> {
    let top = shift(words, 32 - digits, "RIGHT").cast(Element::F32);
    top * 0.5_f32.powi(digits.into())
}

/// Pairs of normal numbers from pairs of uniform ones: a distance and a direction.
fn normal(words: Val<'_>) -> Val<'_> {
    let pairs = uniform(words, 24).reshape(&[-1, 2]);
    let [distance, turn] = [pairs.pick(1, 0), pairs.pick(1, 1)];
    let distance = ((1.0 - distance).log() * -2.0).sqrt();
    let angle = turn * std::f32::consts::TAU;
    let both = ["Cos", "Sin"].map(|op| (distance * angle.unary(op)).unsqueeze(&[1]));
    Val::concat(1, &both).flat()
}

/// Numbers of 63 bits from pairs of words.
fn long(words: Val<'_>) -> Val<'_> {
    let pairs = words.reshape(&[-1, 2]);
    let high = shift(shift(pairs.pick(1, 0), 1, "RIGHT"), 32, "LEFT");
    bits("BitwiseXor", high, pairs.pick(1, 1)).cast(Element::I64)
}

/// A list of one number stands for all.
fn one_or_all<'c>(cx: &'c Context<'c>, value: Val<'c>, index: usize) -> Result<Val<'c>, Why> {
    Ok(if cx.dims(index)? == [1] {
        value.reshape(&[])
    } else {
        value
    })
}

/// A class for each sample: where a uniform number falls among the running sums, or, without putting back,
/// the classes whose random waiting times at these rates are the shortest.
fn multinomial<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let samples = cx.int("numsamples")?;
    if !(1..1 << 31).contains(&samples) {
        return Err(refused("numsamples", &samples, "positive"));
    }
    let rank = cx.needs_rank(0, |rank| rank == 1 || rank == 2, "1 or 2")?;
    let [x, zero] = [
        cx.float(0)?.cast(Element::F32),
        cx.scalar(Element::U64, 0.0),
    ];
    let (key, counter) = (word(cx, 1, 0)?, [zero, word(cx, 2, 0)?]);
    let dims = cx.dims(0)?;
    let (rows, classes) = if rank == 1 {
        (1, dims[0])
    } else {
        (dims[0], dims[1])
    };
    let table = x.reshape(&[rows, classes]);
    let some = |each: i64| {
        let count = rows.saturating_mul(each);
        uniform(philox(key, counter, count), 24)
            .part(0, 0, count)
            .reshape(&[rows, each])
    };
    let classes = if cx.flag_or("replacement", false)? {
        let sums = table.apply("CumSum", &[cx.int_of(1)], &[]);
        let at = some(samples) * sums.part(1, -1, i64::MAX);
        let passed = sums.unsqueeze(&[1]).less_equal(at.unsqueeze(&[2]));
        passed.cast(Element::I64).sum(&[2])
    } else {
        let waiting = -(1.0 - some(classes)).log() / table;
        // A class of weight 0 waits forever, even with a waiting time of 0.
        let never = table.is(0.0).choose(table.like(f32::INFINITY), waiting);
        top_k(never, cx.int_of(samples), 1, false).1
    };
    cx.give_shaped(0, classes)
}
