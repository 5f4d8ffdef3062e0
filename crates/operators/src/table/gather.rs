//! Elements by index.

use super::scatter::{Reduction, scatter};
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row("Gather", "x, indices: rows of the first axis", |cx| {
        rows(cx, 0)
    }),
    row(
        "GatherV2",
        "x, indices, axis; batch_dims = 0: rows of an axis",
        |cx| {
            let axis = cx.constant_int(2)?;
            rows(cx, axis)
        },
    ),
    row("GatherV2D", "x, indices; axis: rows of an axis", |cx| {
        rows(cx, cx.int("axis")?)
    }),
    row(
        "GatherElements",
        "x, index; dim = 0: along an axis, place by place",
        |cx| {
            let axis = cx.int_or("dim", 0)?;
            cx.give(0, along(cx.input(0)?, cx.indices(1)?, axis))
        },
    ),
    row(
        "GatherD",
        "x, dim, index: along an axis, place by place",
        |cx| {
            let axis = cx.constant_int(1)?;
            cx.give(0, along(cx.input(0)?, cx.indices(2)?, axis))
        },
    ),
    row("GatherNd", "x, indices: by tuples in the last axis", |cx| {
        cx.give(0, cx.input(0)?.apply("GatherND", &[cx.indices(1)?], &[]))
    }),
    row(
        "MaskedSelect",
        "x, mask: the elements where the mask is true",
        |cx| {
            cx.depends_on_data();
            let [x, mask] = [cx.input(0)?, cx.bool(1)?];
            let shape = (x.filled_bool().or(mask)).shape();
            let [x, mask] = [x, mask].map(|it| it.expand_to(shape).flat());
            cx.give(0, x.apply("Compress", &[mask], &[("axis", 0_i64.into())]))
        },
    ),
    row(
        "NonZero",
        "x; transpose = false: where it is not 0, [n, rank], or [rank, n] if transposed",
        |cx| {
            let transposed = cx.flag_or("transpose", false)?;
            let places = non_zero(cx)?;
            cx.give(
                0,
                if transposed {
                    places
                } else {
                    places.transpose(&[1, 0])
                },
            )
        },
    ),
    row("Where", "x: where it is not 0, [n, rank]", |cx| {
        cx.give(0, non_zero(cx)?.transpose(&[1, 0]))
    }),
    row(
        "UniqueWithCountsAndSorting",
        "x; return_inverse, return_counts = false: values, inverse, counts",
        |cx| {
            let x = cx.number(0)?;
            let found = unique(cx, x, true);
            cx.give(0, found[0])?;
            if cx.flag_or("return_inverse", false)? {
                cx.give(1, found[2].reshape_like(x))?;
            }
            if cx.flag_or("return_counts", false)? {
                cx.give(2, found[3])?;
            }
            Ok(())
        },
    ),
    row(
        "Unique",
        "x; out_idx: values in the order in which they come, where each element went",
        |cx| {
            let x = cx.number(0)?;
            let found = unique(cx, x, false);
            cx.give(0, found[0])?;
            cx.give(1, found[2])
        },
    ),
    row(
        "EmbeddingBag",
        "weight, indices, offsets; mode = mean, sum or max: rows, bag of each index, size of each bag, none",
        embedding_bag,
    ),
];

fn rows<'c>(cx: &'c Context<'c>, axis: i64) -> Result<(), Why> {
    let [x, indices] = [cx.input(0)?, cx.indices(1)?];
    match cx.int_or("batch_dims", 0)? {
        0 => cx.give(0, x.gather(indices, axis)),
        batch if batch == axis => {
            let tuples = indices.unsqueeze(&[-1]);
            cx.give(
                0,
                x.apply("GatherND", &[tuples], &[("batch_dims", batch.into())]),
            )
        }
        other => Err(refused("batch_dims", &other, "0 or the axis")),
    }
}

fn along<'c>(x: Val<'c>, index: Val<'c>, axis: i64) -> Val<'c> {
    x.apply("GatherElements", &[index], &[("axis", axis.into())])
}

impl<'c> Val<'c> {
    /// `false` in this shape.
    fn filled_bool(self) -> Val<'c> {
        let no = self.cx().scalar(Element::Bool, 0.0);
        no.expand_to(self.shape())
    }
}

/// [rank, n] indices of what is not 0.
fn non_zero<'c>(cx: &'c Context<'c>) -> Result<Val<'c>, Why> {
    cx.depends_on_data();
    let x = cx.bool(0)?;
    let x = if cx.rank(0)? == 0 { x.reshape(&[1]) } else { x };
    Ok(cx.raw("NonZero", &[Some(x)], &[], &[Element::I64])[0])
}

/// Values, first places, places in the values, counts; all flat.
fn unique<'c>(cx: &'c Context<'c>, x: Val<'c>, sorted: bool) -> Vec<Val<'c>> {
    cx.depends_on_data();
    let carrier = crate::kernels::carrier("Unique", x.element());
    let carrier = if carrier == Element::I32 {
        Element::I64
    } else {
        carrier
    };
    let elements = [carrier, Element::I64, Element::I64, Element::I64];
    let mut found = cx.raw(
        "Unique",
        &[Some(x.cast(carrier).flat())],
        &[("sorted", sorted.into())],
        &elements,
    );
    found[0] = found[0].cast(x.element());
    found
}

fn embedding_bag<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let mode = cx.text_or("mode", "mean")?;
    let (weight, indices) = (cx.float(0)?, cx.indices(1)?.flat());
    let offsets = cx.indices(2)?;
    let last = cx.flag_or("include_last_offset", false)?;
    let offsets = if last {
        offsets.part(0, 0, -1)
    } else {
        offsets
    };
    if !matches!(mode.as_str(), "sum" | "mean" | "max") {
        return Err(refused("mode", &mode, "sum, mean or max"));
    }
    // An index belongs to the last bag that began at it or before.
    let begun = offsets.less_equal(indices.length(0).count_up().unsqueeze(&[1]));
    let bag = begun.cast(Element::I64).sum(&[1]) - 1.0;
    let padding = cx.int_or("padding_idx", -1)?;
    let counts = indices.equal(cx.int_of(padding)).not();
    let counts = if padding < 0 {
        counts.or(counts.not())
    } else {
        counts
    }
    .cast(Element::F32);
    let none = cx.scalar(Element::F32, 0.0);
    let sizes = none.expand_to(offsets.shape());
    let sizes = scatter(sizes, &[bag], counts, Reduction::Add, 1);
    let found = weight.gather(indices, 0) * counts.unsqueeze(&[1]).cast(weight.element());
    let shape = Val::concat(0, &[offsets.shape(), weight.shape().part(0, 1, 2)]);
    if mode == "max" {
        let lowest = weight.like(f32::NEG_INFINITY).expand_to(shape);
        let found = weight.gather(indices, 0);
        let found = counts
            .unsqueeze(&[1])
            .above(0.0)
            .choose(found, found.like(f32::NEG_INFINITY));
        let most = scatter(lowest, &[bag], found, Reduction::Max, 2);
        // The row that each of them came from, for the gradient.
        let from = found
            .equal(most.gather(bag, 0))
            .choose(indices.unsqueeze(&[1]), cx.int_of(-1));
        let none = cx.int_of(-1).expand_to(shape);
        let from = scatter(none, &[bag], from, Reduction::Max, 2);
        cx.give(
            0,
            most.above(f32::NEG_INFINITY).choose(most, most.like(0.0)),
        )?;
        cx.give(1, bag)?;
        cx.give(2, sizes)?;
        return cx.give(3, from);
    }
    let zeros = weight.like(0.0).expand_to(shape);
    let sums = scatter(zeros, &[bag], found, Reduction::Add, 2);
    let many = sizes.at_least(1.0).unsqueeze(&[1]).cast(sums.element());
    cx.give(0, if mode == "mean" { sums / many } else { sums })?;
    cx.give(1, bag)?;
    cx.give(2, sizes)
}
