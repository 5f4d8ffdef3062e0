//! The same elements in another shape or order.

use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row("Reshape", "x, shape: in the shape of the output", |cx| {
        cx.ignore(1);
        reshape(cx)
    }),
    row("ExpandDims", "x, axis: in the shape of the output", |cx| {
        cx.ignore(1);
        reshape(cx)
    }),
    row("Squeeze", "x; axis: in the shape of the output", reshape),
    row("Unsqueeze", "x; axes: in the shape of the output", reshape),
    row("Flatten", "x; axis: in the shape of the output", reshape),
    row(
        "FlattenV2",
        "x; axis, end_axis: in the shape of the output",
        reshape,
    ),
    row("Transpose", "x, perm", |cx| {
        let order = cx.constant_ints(1)?;
        transpose(cx, &order)
    }),
    row("TransposeD", "x; perm", |cx| {
        transpose(cx, &cx.list("perm")?)
    }),
    row(
        "ConfusionTransposeD",
        "x; perm, shape, transpose_first",
        |cx| {
            let (order, shape) = (cx.list("perm")?, cx.list("shape")?);
            let x = cx.input(0)?;
            cx.give(
                0,
                if cx.flag_or("transpose_first", true)? {
                    x.transpose(&order).reshape(&shape)
                } else {
                    x.reshape(&shape).transpose(&order)
                },
            )
        },
    ),
    row(
        "BroadcastTo",
        "x, shape: repeated to the shape of the output",
        |cx| {
            cx.ignore(1);
            cx.give(0, cx.input(0)?.expand(cx.output_dims(0)?))
        },
    ),
    row(
        "BroadcastToD",
        "x; shape: repeated to the shape of the output",
        |cx| cx.give(0, cx.input(0)?.expand(cx.output_dims(0)?)),
    ),
    row("Tile", "x, multiples", |cx| {
        let multiples = cx.constant_ints(1)?;
        tile(cx, multiples)
    }),
    row("TileD", "x; multiples", |cx| {
        tile(cx, cx.list("multiples")?)
    }),
    row(
        "RepeatInterleave",
        "x, repeats; axis = 0: each element this many times",
        repeat_interleave,
    ),
    row(
        "ReverseV2",
        "x, axis: in the opposite order along axes",
        |cx| {
            let axes = cx.constant_ints(1)?;
            cx.give(0, cx.input(0)?.reversed(&axes))
        },
    ),
    row(
        "ReverseV2D",
        "x; axis: in the opposite order along axes",
        |cx| cx.give(0, cx.input(0)?.reversed(&cx.list("axis")?)),
    ),
    row(
        "Roll",
        "x; shifts, dims: moved along axes, around the end",
        roll,
    ),
    row("Shape", "x: its dimensions", |cx| {
        cx.give(0, cx.input(0)?.shape())
    }),
    row("Size", "x: how many elements it has", |cx| {
        let shape = cx.input(0)?.shape();
        cx.give_scalar(0, shape.reduce_all("ReduceProd"))
    }),
    row("Rank", "x: how many dimensions it has", |cx| {
        let shape = cx.input(0)?.shape();
        cx.give_scalar(0, shape.length(0))
    }),
    row("ShapeN", "x0, x1, ...: the dimensions of each", |cx| {
        for index in 0..cx.count() {
            cx.give(index, cx.input(index)?.shape())?;
        }
        Ok(())
    }),
    row(
        "DepthToSpace",
        "x; block_size, mode = DCR, data_format = NHWC",
        |cx| {
            let pixel = if cx.text_or("mode", "DCR")? == "CRD" {
                "CRD"
            } else {
                "DCR"
            };
            blocks(cx, "DepthToSpace", &[("mode", pixel.into())])
        },
    ),
    row("SpaceToDepth", "x; block_size, data_format = NHWC", |cx| {
        blocks(cx, "SpaceToDepth", &[])
    }),
];

fn reshape<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.give_shaped(0, cx.input(0)?)
}

fn transpose<'c>(cx: &'c Context<'c>, order: &[i64]) -> Result<(), Why> {
    let rank = cx.axes(0)?;
    let order: Vec<i64> = order
        .iter()
        .map(|axis| if *axis < 0 { axis + rank } else { *axis })
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..rank) {
        return Err(Why::other(format!(
            "{order:?} is not a permutation of {rank} axes"
        )));
    }
    cx.give(0, cx.input(0)?.transpose(&order))
}

fn tile<'c>(cx: &'c Context<'c>, mut multiples: Vec<i64>) -> Result<(), Why> {
    let mut x = cx.input(0)?;
    let (rank, wanted) = (cx.rank(0)?, multiples.len());
    if wanted > rank {
        // More multiples than dimensions repeat the whole.
        x = x.unsqueeze(&(0..(wanted - rank).cast_signed() as i64).collect::<Vec<i64>>());
    }
    while multiples.len() < rank {
        multiples.insert(0, 1);
    }
    cx.give(0, x.apply("Tile", &[cx.list_of(&multiples)], &[]))
}

fn repeat_interleave<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let x = cx.input(0)?;
    let axis = cx.int_or("axis", 0)?;
    let count = cx.rank(1)?;
    let is_one = count == 0 || cx.dims(1)? == [1];
    let indices = if is_one {
        let repeats = cx.int_of(cx.constant_int(1)?);
        (x.length(axis) * repeats).count_up() / repeats
    } else {
        // Which element the place belongs to: the first one up to which enough have been written.
        let rank = cx.axes(0)?;
        let at = usize::try_from(if axis < 0 { axis + rank } else { axis }).unwrap_or(0);
        let length = cx.output_dims(0)?.get(at).copied();
        let places = cx.int_of(length.unwrap_or(0)).count_up();
        let written = cx.indices(1)?.apply("CumSum", &[cx.int_of(0)], &[]);
        let passed = written.less_equal(places.unsqueeze(&[1]));
        passed.cast(Element::I64).sum(&[1])
    };
    cx.give(0, x.gather(indices, axis))
}

fn roll<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let (shifts, mut dims) = (cx.list("shifts")?, cx.list_or("dims", &[])?);
    let mut x = cx.input(0)?;
    let whole = x;
    let flat = dims.is_empty();
    if flat {
        x = x.flat();
        dims = vec![0];
    }
    if shifts.len() != dims.len() {
        return Err(refused("shifts", &format!("{shifts:?}"), "as long as dims"));
    }
    for (shift, dim) in shifts.into_iter().zip(dims) {
        // Modulo the length, which is known when the graph runs; an empty axis has nothing to move.
        let length = x.length(dim).at_least(1.0);
        let start = (-cx.int_of(shift)).apply("Mod", &[length], &[]);
        let places = (x.length(dim).count_up() + start).apply("Mod", &[length], &[]);
        x = x.gather(places, dim);
    }
    cx.give(0, if flat { x.reshape_like(whole) } else { x })
}

fn blocks<'c>(cx: &'c Context<'c>, op: &str, more: crate::flow::Attrs) -> Result<(), Why> {
    cx.needs_rank(0, |rank| rank == 4, "4")?;
    let size = cx.int("block_size")?;
    let last = cx.text_or("data_format", "NHWC")? == "NHWC";
    let x = cx.number(0)?;
    let x = if last { x.transpose(&[0, 3, 1, 2]) } else { x };
    let mut attributes = more.to_vec();
    attributes.push(("blocksize", size.into()));
    let x: Val = x.apply(op, &[], &attributes);
    cx.give(0, if last { x.transpose(&[0, 2, 3, 1]) } else { x })
}
