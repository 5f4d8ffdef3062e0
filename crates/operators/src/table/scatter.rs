//! Elements written to places by index.
//!
//! Everything goes through `ScatterElements` on flat tensors. The engine's `ScatterND` writes from several
//! threads, so sums over equal indices come out wrong now and then, and which of several writes is the last
//! is left to chance. On flat tensors the other one is also several times faster than along an axis.

use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "ScatterElements",
        "x, indices, updates; axis = 0, reduction = none: along an axis, place by place",
        |cx| {
            let reduction = Attribute::Text(cx.text_or("reduction", "none")?);
            let attributes = [
                ("axis", Attribute::from(cx.int_or("axis", 0)?)),
                ("reduction", reduction),
            ];
            let x = cx.number(0)?;
            let updates = cx.number(2)?.cast(x.element());
            cx.give(
                0,
                x.apply("ScatterElements", &[cx.indices(1)?, updates], &attributes),
            )
        },
    ),
    row("ScatterUpdate", "x, indices, updates: rows", |cx| {
        rows(cx, Reduction::None)
    }),
    row("ScatterAdd", "x, indices, updates: rows", |cx| {
        rows(cx, Reduction::Add)
    }),
    row("ScatterSub", "x, indices, updates: rows", |cx| {
        rows(cx, Reduction::Sub)
    }),
    row("ScatterMax", "x, indices, updates: rows", |cx| {
        rows(cx, Reduction::Max)
    }),
    row("ScatterMin", "x, indices, updates: rows", |cx| {
        rows(cx, Reduction::Min)
    }),
    row("InplaceUpdate", "x, indices, v: rows", |cx| {
        rows(cx, Reduction::None)
    }),
    row("InplaceAdd", "x, indices, v: rows", |cx| {
        rows(cx, Reduction::Add)
    }),
    row(
        "ScatterNdUpdate",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::None),
    ),
    row(
        "ScatterNdAdd",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::Add),
    ),
    row(
        "ScatterNdSub",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::Sub),
    ),
    row(
        "TensorScatterUpdate",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::None),
    ),
    row(
        "TensorScatterAdd",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::Add),
    ),
    row(
        "TensorScatterMax",
        "x, indices, updates: by tuples in the last axis",
        |cx| tuples(cx, Reduction::Max),
    ),
    row(
        "ScatterNd",
        "indices, updates, shape: by tuples, added to zeros",
        |cx| {
            cx.ignore(2);
            let updates = cx.number(1)?;
            let dims = cx.output_dims(0)?;
            let zeros = updates.like(0.0).expand(dims);
            by_tuples(cx, zeros, 0, updates, Reduction::Add, dims.len())
        },
    ),
    row(
        "InplaceIndexAdd",
        "x, indices, updates, alpha; axis = 0: x[indices] += alpha updates",
        |cx| {
            let updates = cx.number(2)?;
            let scaled = if cx.has(3) {
                updates * cx.number(3)?.cast(updates.element()).reshape(&[])
            } else {
                updates
            };
            index_add(cx, scaled)
        },
    ),
    row(
        "IndexAdd",
        "x, indices, updates; axis = 0: x[indices] += updates",
        |cx| index_add(cx, cx.number(2)?),
    ),
    row("IndexFillD", "x, keep, value; dim: x keep + value", |cx| {
        cx.give(0, cx.number(0)? * cx.number(1)? + cx.number(2)?)
    }),
    row(
        "MaskedScatter",
        "x, mask, updates: the next update wherever the mask is true",
        |cx| {
            let x = cx.input(0)?;
            let mask = cx.bool(1)?.expand_like(x).flat();
            let counted = mask
                .cast(Element::I64)
                .apply("CumSum", &[cx.int_of(0)], &[]);
            // One more than there are, so that even no updates can be indexed.
            let updates = cx.input(2)?.cast(x.element()).flat();
            let spare = cx.scalar(x.element(), 0.0).reshape(&[1]);
            let next = Val::concat(0, &[updates, spare]).gather((counted - 1.0).at_least(0.0), 0);
            cx.give(0, mask.choose(next, x.flat()).reshape_like(x))
        },
    ),
    row(
        "EmbeddingDenseGrad",
        "dy, indices; num_weights, padding_idx = -1, scale_grad_by_freq = false",
        embedding_grad,
    ),
    row("UnsortedSegmentSum", "x, segment_ids, num_segments", |cx| {
        cx.ignore(2);
        segments(cx)
    }),
    row(
        "UnsortedSegmentSumD",
        "x, segment_ids; num_segments",
        segments,
    ),
    row(
        "Bincount",
        "array, size, weights: the sum of weights for each number",
        |cx| {
            cx.ignore(1);
            let numbers = cx.indices(0)?.flat();
            let element = cx.output_element(0)?;
            // No weights at all count as ones.
            let counted = cx.has(2) && !cx.dims(2)?.contains(&0);
            let ones = cx.scalar(element, 1.0).expand_like(numbers);
            let weights = if counted {
                cx.number(2)?.flat().cast(element)
            } else {
                ones
            };
            let bins = cx.scalar(element, 0.0).expand(cx.output_dims(0)?);
            cx.give(0, scatter(bins, &[numbers], weights, Reduction::Add, 1))
        },
    ),
];

/// What happens to what was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduction {
    None,
    Add,
    Sub,
    Max,
    Min,
}

/// Writes `updates` into `data` where its first axes have these indices. The updates have the shape of the
/// indices, then that of the other axes.
pub(super) fn scatter<'c>(
    data: Val<'c>,
    indices: &[Val<'c>],
    updates: Val<'c>,
    reduction: Reduction,
    rank: usize,
) -> Val<'c> {
    let cx = data.cx();
    let axes: Vec<i64> = (0..rank.cast_signed() as i64).collect();
    let (first, rest) = axes.split_at(indices.len().min(rank));
    let mut place = cx.int_of(0);
    for (axis, index) in first.iter().zip(indices) {
        let length = data.length(*axis);
        let index = index.below(0.0).choose(*index + length, *index);
        place = place * length + index.flat();
    }
    if !rest.is_empty() {
        let row = data
            .shape()
            .gather(cx.list_of(rest), 0)
            .reduce_all("ReduceProd");
        place = place.unsqueeze(&[1]) * row + row.count_up();
    }
    let (name, updates) = match reduction {
        Reduction::None => ("none", updates),
        Reduction::Add => ("add", updates),
        Reduction::Sub => ("add", -updates),
        Reduction::Max => ("max", updates),
        Reduction::Min => ("min", updates),
    };
    let others = [place.flat(), updates.cast(data.element()).flat()];
    let attributes = [("axis", Attribute::from(0_i64)), ("reduction", name.into())];
    data.flat()
        .apply("ScatterElements", &others, &attributes)
        .reshape_like(data)
}

fn rows<'c>(cx: &'c Context<'c>, reduction: Reduction) -> Result<(), Why> {
    let [x, indices, updates] = [cx.number(0)?, cx.indices(1)?, cx.number(2)?];
    cx.give(0, scatter(x, &[indices], updates, reduction, cx.rank(0)?))
}

fn by_tuples<'c>(
    cx: &'c Context<'c>,
    data: Val<'c>,
    indices: usize,
    updates: Val<'c>,
    reduction: Reduction,
    rank: usize,
) -> Result<(), Why> {
    let Some(width) = cx.dims(indices)?.last().copied() else {
        return Err(Why::Rank {
            index: indices,
            has: 0,
            wants: "1 or more",
        });
    };
    let tuples = cx.indices(indices)?;
    let columns: Vec<Val> = (0..width.min(8))
        .map(|column| tuples.pick(-1, column))
        .collect();
    cx.give(0, scatter(data, &columns, updates, reduction, rank))
}

fn tuples<'c>(cx: &'c Context<'c>, reduction: Reduction) -> Result<(), Why> {
    by_tuples(cx, cx.number(0)?, 1, cx.number(2)?, reduction, cx.rank(0)?)
}

fn segments<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [x, ids] = [cx.number(0)?, cx.indices(1)?];
    let dims = cx.output_dims(0)?;
    let zeros = x.like(0.0).expand(dims);
    cx.give(0, scatter(zeros, &[ids], x, Reduction::Add, dims.len()))
}

/// The axis in front, added to, and back in its place.
fn index_add<'c>(cx: &'c Context<'c>, updates: Val<'c>) -> Result<(), Why> {
    let [x, indices] = [cx.number(0)?, cx.indices(1)?];
    let rank = cx.axes(0)?;
    let axis = cx.int_or("axis", 0)?;
    let axis = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&axis) {
        return Err(refused("axis", &axis, "an axis of the input"));
    }
    let mut order: Vec<i64> = (0..rank).filter(|other| *other != axis).collect();
    let mut back: Vec<i64> = (1..rank).collect();
    order.insert(0, axis);
    back.insert(usize::try_from(axis).unwrap_or(0), 0);
    let [x, updates] = [x, updates].map(|it| it.transpose(&order));
    let sum = scatter(x, &[indices], updates, Reduction::Add, cx.rank(0)?);
    cx.give(0, sum.transpose(&back))
}

fn embedding_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [mut dy, indices] = [cx.float(0)?, cx.indices(1)?.flat()];
    let weights = cx.int("num_weights")?;
    let padding = cx.int_or("padding_idx", -1)?;
    let width = dy.length(-1).reshape(&[1]);
    dy = dy.reshape_to(Val::concat(0, &[indices.length(0).reshape(&[1]), width]));
    if padding >= 0 {
        let counts = indices.equal(cx.int_of(padding)).not();
        dy = dy.where_true(counts.unsqueeze(&[1]));
    }
    if cx.flag_or("scale_grad_by_freq", false)? {
        let ones = dy.like(1.0).expand_like(indices);
        let zeros = dy.like(0.0).expand(&[weights]);
        let often = scatter(zeros, &[indices], ones, Reduction::Add, 1);
        dy = dy / often.gather(indices, 0).unsqueeze(&[1]);
    }
    let shape = Val::concat(0, &[cx.list_of(&[weights]), width]);
    let zeros = dy.like(0.0).expand_to(shape);
    cx.give(0, scatter(zeros, &[indices], dy, Reduction::Add, 2))
}
