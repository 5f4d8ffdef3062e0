//! Convolutions and their gradients, over two or three axes.

use super::window::{
    Window, borders, channels_back, channels_first, channels_last, filter_order, spatial_part,
};
use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::request::format;
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "Conv2D",
        "x, filter, bias?; strides, pads, dilations, groups = 1, data_format: that of x, or NHWC",
        |cx| forward(cx, 2, Filter::Grouped),
    ),
    row(
        "Conv3D",
        "x, filter, bias?; strides, pads, dilations, groups = 1, data_format: that of x, or NDHWC",
        |cx| forward(cx, 3, Filter::Grouped),
    ),
    row(
        "Conv2DBackpropInput",
        "input_size, filter, dy; the attributes of Conv2D",
        |cx| to_input(cx, 2, 1, Filter::Grouped),
    ),
    row(
        "Conv3DBackpropInput",
        "input_size, filter, dy; the attributes of Conv3D",
        |cx| to_input(cx, 3, 1, Filter::Grouped),
    ),
    row(
        "Conv2DBackpropInputD",
        "filter, dy; input_size, the attributes of Conv2D",
        |cx| to_input(cx, 2, 0, Filter::Grouped),
    ),
    row(
        "Conv3DBackpropInputD",
        "filter, dy; input_size, the attributes of Conv3D",
        |cx| to_input(cx, 3, 0, Filter::Grouped),
    ),
    row(
        "Conv2DBackpropFilter",
        "x, filter_size, dy; the attributes of Conv2D",
        |cx| to_filter(cx, 2, 2, Filter::Grouped),
    ),
    row(
        "Conv3DBackpropFilter",
        "x, filter_size, dy; the attributes of Conv3D",
        |cx| to_filter(cx, 3, 2, Filter::Grouped),
    ),
    row(
        "Conv2DBackpropFilterD",
        "x, dy; filter_size, the attributes of Conv2D",
        |cx| to_filter(cx, 2, 1, Filter::Grouped),
    ),
    row(
        "Conv3DBackpropFilterD",
        "x, dy; filter_size, the attributes of Conv3D",
        |cx| to_filter(cx, 3, 1, Filter::Grouped),
    ),
    row(
        "Conv2DTranspose",
        "input_size, x, filter, bias?; output_padding, the attributes of Conv2D",
        |cx| transposed(cx, 2, 1),
    ),
    row(
        "Conv3DTranspose",
        "input_size, x, filter, bias?; output_padding, the attributes of Conv3D",
        |cx| transposed(cx, 3, 1),
    ),
    row(
        "Conv2DTransposeD",
        "x, filter, bias?; input_size, output_padding, the attributes of Conv2D",
        |cx| transposed(cx, 2, 0),
    ),
    row(
        "DepthwiseConv2D",
        "x, filter [M, C, h, w] or HWCN, bias?; the attributes of Conv2D: each channel by itself",
        |cx| forward(cx, 2, Filter::Depthwise),
    ),
    row(
        "DepthwiseConv2DBackpropInput",
        "input_size, filter, dy; the attributes of Conv2D",
        |cx| to_input(cx, 2, 1, Filter::Depthwise),
    ),
    row(
        "DepthwiseConv2DBackpropFilter",
        "x, filter_size, dy; the attributes of Conv2D",
        |cx| to_filter(cx, 2, 2, Filter::Depthwise),
    ),
    row(
        "BiasAdd",
        "x, bias; data_format = NHWC: added along the channels",
        |cx| {
            let rank = cx.rank(0)?;
            let axis = if channels_last(cx, "NHWC")? {
                rank.saturating_sub(1)
            } else {
                1
            };
            cx.give(0, cx.number(0)? + cx.number(1)?.along(axis, rank))
        },
    ),
    row(
        "BiasAddGrad",
        "dy; data_format = NHWC: summed over all but the channels",
        |cx| {
            let rank = cx.axes(0)?;
            let channel = if channels_last(cx, "NHWC")? {
                rank - 1
            } else {
                1
            };
            let axes: Vec<i64> = (0..rank).filter(|axis| *axis != channel).collect();
            cx.give(0, cx.number(0)?.sum(&axes))
        },
    ),
];

/// Whether the attributes are ONNX's: a `group`, borders before all axes and then behind them, and one axis too.
/// ONNX Runtime's provider hands them on so, and is known by an attribute that no other program sets.
fn is_onnx<'c>(cx: &'c Context<'c>) -> Result<bool, Why> {
    Ok(cx.optional_int("dim_size")?.is_some())
}

/// The attributes of a convolution whose filter has this kernel.
fn window<'c>(cx: &'c Context<'c>, spatial: usize, kernel: Vec<i64>) -> Result<Window, Why> {
    let last = channels_last(cx, if spatial == 2 { "NHWC" } else { "NDHWC" })?;
    let strides = spatial_part(&cx.list_or("strides", &[1])?, spatial, last, "strides")?;
    let dilations = spatial_part(&cx.list_or("dilations", &[1])?, spatial, last, "dilations")?;
    let pads = cx.list_or("pads", &vec![0; 2 * spatial])?;
    let same = pads.contains(&-1);
    let (before, after) = if is_onnx(cx)? && pads.len() == 2 * spatial {
        (pads[..spatial].to_vec(), pads[spatial..].to_vec())
    } else {
        borders(&pads, spatial)?
    };
    let zeros = vec![0; spatial];
    let (before, after) = if same {
        (zeros.clone(), zeros)
    } else {
        (before, after)
    };
    Window {
        spatial,
        channels_last: last,
        kernel,
        strides,
        dilations,
        before,
        after,
    }
    .checked()
}

/// Borders of -1 mean as many windows as strides fit.
fn is_same<'c>(cx: &'c Context<'c>) -> Result<bool, Why> {
    Ok(cx.list_or("pads", &[])?.contains(&-1))
}

/// How a filter is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    /// Into as many groups as the attribute says.
    Grouped,
    /// For each channel, a few filters of its own: [M, C, h, w] or [h, w, C, M].
    Depthwise,
}

/// From [M, C, h, w] or [h, w, C, M] to [C, M, h, w].
fn depth_order(layout: i32) -> [i64; 4] {
    if layout == format::HWCN {
        [2, 3, 0, 1]
    } else {
        [1, 0, 2, 3]
    }
}

/// A filter in the engine's order.
fn filter<'c>(
    cx: &'c Context<'c>,
    index: usize,
    spatial: usize,
    kind: Filter,
) -> Result<Val<'c>, Why> {
    let value = cx.float(index)?;
    let layout = cx.format(index)?;
    if kind == Filter::Depthwise {
        let (dims, _) = in_order(cx, cx.dims(index)?, layout, spatial, kind)?;
        return Ok(value.transpose(&depth_order(layout)).reshape(&dims));
    }
    let order = filter_order(layout, spatial);
    Ok(order.map_or(value, |order| value.transpose(&order)))
}

/// The dimensions of a filter in the engine's order, and how many groups it has.
fn in_order<'c>(
    cx: &'c Context<'c>,
    dims: &[i64],
    layout: i32,
    spatial: usize,
    kind: Filter,
) -> Result<(Vec<i64>, i64), Why> {
    if dims.len() != spatial + 2 {
        return Err(Why::other(format!(
            "a filter cannot have the dimensions {dims:?}"
        )));
    }
    let at = |axis: &i64| usize::try_from(*axis).map_or(1, |axis| dims[axis]);
    if kind == Filter::Depthwise {
        let [channels, each, height, width] = depth_order(layout).map(|axis| at(&axis));
        let all = channels.checked_mul(each).filter(|_| channels > 0);
        let all =
            all.ok_or_else(|| Why::other(format!("a filter cannot have the dimensions {dims:?}")))?;
        return Ok((vec![all, 1, height, width], channels));
    }
    let order = filter_order(layout, spatial);
    let dims = order.map_or(dims.to_vec(), |order| order.iter().map(at).collect());
    Ok((dims, groups(cx)?))
}

fn groups<'c>(cx: &'c Context<'c>) -> Result<i64, Why> {
    let name = if is_onnx(cx)? { "group" } else { "groups" };
    let groups = cx.int_or(name, 1)?;
    if groups < 1 {
        Err(refused("groups", &groups, "positive"))
    } else {
        Ok(groups)
    }
}

fn rank_name(spatial: usize) -> &'static str {
    match spatial {
        1 => "3",
        2 => "4",
        _ => "5",
    }
}

fn needs_rank<'c>(cx: &'c Context<'c>, index: usize, spatial: usize) -> Result<(), Why> {
    cx.needs_rank(index, |rank| rank == spatial + 2, rank_name(spatial))
        .map(|_| ())
}

fn forward<'c>(cx: &'c Context<'c>, spatial: usize, kind: Filter) -> Result<(), Why> {
    let one_axis = is_onnx(cx)? && cx.rank(0)? == 3;
    let spatial = if one_axis { 1 } else { spatial };
    needs_rank(cx, 0, spatial)?;
    needs_rank(cx, 1, spatial)?;
    // The kernel's size is the filter's; the engine finds it there.
    let mut window = window(cx, spatial, vec![1; spatial])?;
    if is_same(cx)? {
        let (filter, _) = in_order(cx, cx.dims(1)?, cx.format(1)?, spatial, kind)?;
        window.kernel = filter[2..].to_vec();
        window = window.checked()?;
        let sizes = window.sizes(cx.dims(0)?)?;
        window.same(&sizes);
    }
    let x = channels_first(cx.float(0)?, spatial, window.channels_last);
    let mut others = vec![filter(cx, 1, spatial, kind)?.cast(x.element())];
    if let Some(bias) = cx.optional_float(2)? {
        others.push(bias.cast(x.element()).flat());
    }
    let mut attributes = window.attributes();
    attributes.remove(0);
    let groups = match kind {
        Filter::Grouped => groups(cx)?,
        Filter::Depthwise => in_order(cx, cx.dims(1)?, cx.format(1)?, spatial, kind)?.1,
    };
    attributes.push(("group", groups.into()));
    let y = x.apply("Conv", &others, &attributes);
    cx.give(0, channels_back(y, spatial, window.channels_last))
}

/// The gradient of the input. `at` is the filter's place; if it is not the first, the size comes before it.
fn to_input<'c>(cx: &'c Context<'c>, spatial: usize, at: usize, kind: Filter) -> Result<(), Why> {
    let size = if at == 1 {
        cx.constant_ints(0)?
    } else {
        cx.list("input_size")?
    };
    back(cx, spatial, [at, at + 1], &size, None, kind)
}

/// A transposed convolution is the same, with the output's own dimensions for the size.
fn transposed<'c>(cx: &'c Context<'c>, spatial: usize, at: usize) -> Result<(), Why> {
    if at == 1 {
        cx.ignore(0);
    }
    let bias = cx.optional_float(at + 2)?;
    let size = cx.output_dims(0)?;
    back(cx, spatial, [at + 1, at], size, bias, Filter::Grouped)
}

fn back<'c>(
    cx: &'c Context<'c>,
    spatial: usize,
    [filter_at, dy_at]: [usize; 2],
    size: &[i64],
    bias: Option<Val<'c>>,
    kind: Filter,
) -> Result<(), Why> {
    needs_rank(cx, filter_at, spatial)?;
    needs_rank(cx, dy_at, spatial)?;
    let layout = cx.format(filter_at)?;
    let (dims, groups) = in_order(cx, cx.dims(filter_at)?, layout, spatial, kind)?;
    let mut window = window(cx, spatial, dims[2..].to_vec())?;
    let sizes = window.sizes(size)?;
    if is_same(cx)? {
        window.same(&sizes);
    }
    let windows = window.sizes(cx.dims(dy_at)?)?;
    let dy = channels_first(cx.float(dy_at)?, spatial, window.channels_last);
    let weight = filter(cx, filter_at, spatial, kind)?.cast(dy.element());
    let mut dx = window.spread(dy, weight, &windows, &sizes, groups)?;
    if let Some(bias) = bias {
        dx = dx + bias.cast(dx.element()).along(1, spatial + 2);
    }
    cx.give(0, channels_back(dx, spatial, window.channels_last))
}

/// The gradient of the filter: a convolution in which samples and channels have changed places, and strides
/// and dilations too.
fn to_filter<'c>(
    cx: &'c Context<'c>,
    spatial: usize,
    dy_at: usize,
    kind: Filter,
) -> Result<(), Why> {
    needs_rank(cx, 0, spatial)?;
    needs_rank(cx, dy_at, spatial)?;
    let size = if dy_at == 2 {
        cx.constant_ints(1)?
    } else {
        cx.list("filter_size")?
    };
    let layout = cx.output_format(0)?;
    let (size, groups) = in_order(cx, &size, layout, spatial, kind)?;
    let mut window = window(cx, spatial, size[2..].to_vec())?;
    let dims = cx.dims(0)?;
    let sizes = window.sizes(dims)?;
    if is_same(cx)? {
        window.same(&sizes);
    }
    let last = window.channels_last;
    let mut x = channels_first(cx.float(0)?, spatial, last);
    let around: Vec<i64> = (0..spatial.cast_signed() as i64).collect();
    let rest = |first: i64| around.iter().map(move |axis| axis + first);
    if groups == 1 {
        x = x.transpose(&[1, 0].into_iter().chain(rest(2)).collect::<Vec<i64>>());
    } else {
        // [N, g, C/g, ...] to [C/g, g N, ...]: each group's samples side by side.
        let apart: Vec<i64> = [dims[0], groups, size[1]]
            .into_iter()
            .chain(sizes.iter().copied())
            .collect();
        let order: Vec<i64> = [2, 1, 0].into_iter().chain(rest(3)).collect();
        let joined: Vec<i64> = [size[1], groups.saturating_mul(dims[0])]
            .into_iter()
            .chain(sizes)
            .collect();
        x = x.reshape(&apart).transpose(&order).reshape(&joined);
    }
    let dy = channels_first(cx.float(dy_at)?, spatial, last);
    let swapped: Vec<i64> = [1, 0].into_iter().chain(rest(2)).collect();
    let pads: Vec<i64> = window.before.iter().chain(&window.after).copied().collect();
    let attributes = [
        ("group", Attribute::from(groups)),
        ("strides", window.dilations.clone().into()),
        ("dilations", window.strides.clone().into()),
        ("pads", pads.into()),
    ];
    let made = x.apply(
        "Conv",
        &[dy.transpose(&swapped).cast(x.element())],
        &attributes,
    );
    // What strides skipped at the end would make the result larger than the filter.
    let axes: Vec<i64> = rest(2).collect();
    let cropped = made.slice(&axes, &vec![0; spatial], &window.kernel, &vec![1; spatial]);
    let filter = cropped.transpose(&swapped);
    if kind == Filter::Depthwise {
        let apart = [groups, size[0] / groups, size[2], size[3]];
        // Both orders exchange two pairs or one, so that going back is the same.
        let back = depth_order(layout);
        return cx.give(0, filter.reshape(&apart).transpose(&back));
    }
    let order = filter_order(layout, spatial).map(|order| {
        let mut back = vec![0; order.len()];
        for (at, axis) in (0..).zip(&order) {
            back[usize::try_from(*axis).unwrap_or(0)] = at;
        }
        back
    });
    cx.give(0, order.map_or(filter, |order| filter.transpose(&order)))
}
