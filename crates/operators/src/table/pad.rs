//! Tensors with a border.

use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "Pad",
        "x, paddings: [before, after] for each axis; zeros",
        |cx| {
            let pads = pairs(&cx.constant_ints(1)?, true);
            constant(cx, &pads, None)
        },
    ),
    row(
        "PadD",
        "x; paddings: [before, after] for each axis; zeros",
        |cx| constant(cx, &pairs(&cx.list("paddings")?, true), None),
    ),
    row("PadV2", "x, paddings, value", |cx| {
        let pads = pairs(&cx.constant_ints(1)?, true);
        constant(cx, &pads, Some(cx.input(2)?))
    }),
    row(
        "PadV3",
        "x, paddings, value?; mode = constant, edge, reflect or symmetric, paddings_contiguous = true",
        |cx| {
            let pads = pairs(
                &cx.constant_ints(1)?,
                cx.flag_or("paddings_contiguous", true)?,
            );
            let value = if cx.has(2) { Some(cx.input(2)?) } else { None };
            match cx.text_or("mode", "constant")?.as_str() {
                "constant" => constant(cx, &pads, value),
                mode => cx.give(0, copied(cx.input(0)?, &pads, mode)?),
            }
        },
    ),
    row(
        "MirrorPad",
        "x, paddings; mode = REFLECT or SYMMETRIC",
        |cx| {
            let pads = pairs(&cx.constant_ints(1)?, true);
            let mode = cx.text_or("mode", "REFLECT")?.to_lowercase();
            cx.give(0, copied(cx.input(0)?, &pads, &mode)?)
        },
    ),
    row(
        "PadV3Grad",
        "dy, paddings; mode = reflect, edge or symmetric, paddings_contiguous = true",
        |cx| {
            let pads = pairs(
                &cx.constant_ints(1)?,
                cx.flag_or("paddings_contiguous", true)?,
            );
            let mode = cx.text_or("mode", "reflect")?;
            small(&pads)?;
            let mut dy = cx.number(0)?;
            let dims = cx.dims(0)?;
            for (axis, ((before, after), length)) in pads.iter().zip(dims).enumerate() {
                dy = fold(
                    dy,
                    axis.cast_signed() as i64,
                    [*before, *after, length - before - after],
                    &mode,
                )?;
            }
            cx.give(0, dy)
        },
    ),
];

/// The border of each axis. The other order is all befores, then all afters.
fn pairs(list: &[i64], contiguous: bool) -> Vec<(i64, i64)> {
    let half = list.len() / 2;
    let place = |at: usize| list.get(at).copied().unwrap_or(0);
    let pair = |axis: usize| {
        if contiguous {
            (place(2 * axis), place(2 * axis + 1))
        } else {
            (place(axis), place(axis + half))
        }
    };
    (0..half).map(pair).collect()
}

fn pad<'c>(x: Val<'c>, pads: &[(i64, i64)], mode: &str, value: Option<Val<'c>>) -> Val<'c> {
    let befores = pads.iter().map(|pair| pair.0);
    let list: Vec<i64> = befores.chain(pads.iter().map(|pair| pair.1)).collect();
    let mut others = vec![x.cx().list_of(&list)];
    others.extend(value);
    x.apply("Pad", &others, &[("mode", Attribute::from(mode))])
}

fn constant<'c>(
    cx: &'c Context<'c>,
    pads: &[(i64, i64)],
    value: Option<Val<'c>>,
) -> Result<(), Why> {
    let x = cx.input(0)?;
    if pads.len() != cx.rank(0)? {
        let reason = format!("{} pairs for {} axes", pads.len(), cx.rank(0)?);
        return Err(Why::Constant { index: 1, reason });
    }
    let value = value.map(|value| value.cast(x.element()).reshape(&[]));
    cx.give(0, pad(x, pads, "constant", value))
}

/// Refuses borders that no memory holds.
fn small(pads: &[(i64, i64)]) -> Result<(), Why> {
    let fits = |pad: i64| (-1 << 40..1 << 40).contains(&pad);
    if pads
        .iter()
        .all(|(before, after)| fits(*before) && fits(*after))
    {
        return Ok(());
    }
    Err(Why::other(format!("no memory holds the borders {pads:?}")))
}

/// A border copied from the tensor itself.
fn copied<'c>(x: Val<'c>, pads: &[(i64, i64)], mode: &str) -> Result<Val<'c>, Why> {
    small(pads)?;
    match mode {
        "edge" | "reflect" => Ok(pad(x, pads, mode, None)),
        // The edge itself is repeated, which the engine's own modes do not do.
        "symmetric" => Ok((0..).zip(pads).fold(x, |x, (axis, (before, after))| {
            let mut parts = vec![x];
            if *before > 0 {
                parts.insert(0, x.part(axis, 0, *before).reversed(&[axis]));
            }
            if *after > 0 {
                parts.push(x.part(axis, -after, i64::MAX).reversed(&[axis]));
            }
            Val::concat(axis, &parts)
        })),
        other => Err(refused(
            "mode",
            &other,
            "constant, edge, reflect or symmetric",
        )),
    }
}

/// The border of one axis added to the places that it was copied from.
fn fold<'c>(
    dy: Val<'c>,
    axis: i64,
    [before, after, length]: [i64; 3],
    mode: &str,
) -> Result<Val<'c>, Why> {
    let middle = dy.part(axis, before, before + length);
    let left = dy.part(axis, 0, before);
    let right = dy.part(axis, before + length, i64::MAX);
    let skipped = match mode {
        "reflect" => 1,
        "symmetric" => 0,
        "edge" => {
            let sum = if before > 0 {
                placed(left.sum_kept(&[axis]), axis, 0, length - 1) + middle
            } else {
                middle
            };
            let end = right.sum_kept(&[axis]);
            return Ok(if after > 0 {
                sum + placed(end, axis, length - 1, 0)
            } else {
                sum
            });
        }
        other => return Err(refused("mode", &other, "edge, reflect or symmetric")),
    };
    let mut sum = middle;
    if before > 0 {
        sum = sum
            + placed(
                left.reversed(&[axis]),
                axis,
                skipped,
                length - before - skipped,
            );
    }
    if after > 0 {
        sum = sum
            + placed(
                right.reversed(&[axis]),
                axis,
                length - after - skipped,
                skipped,
            );
    }
    Ok(sum)
}

fn placed(part: Val<'_>, axis: i64, before: i64, after: i64) -> Val<'_> {
    let list = part.cx().list_of(&[before, after]);
    let zero = part.like(0.0);
    let axes = part.cx().list_of(&[axis]);
    part.apply("Pad", &[list, zero, axes], &[])
}
