//! Poolings by the maximum and their gradients, and what all poolings share.

use super::scatter::{Reduction, scatter};
use super::window::{Window, borders, channels_back, channels_first, channels_last, spatial_part};
use super::{Row, row};
use crate::context::{Context, refused};
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row(
        "MaxPoolWithArgmaxV1",
        "x [N, C, H, W]; ksize, strides, pads, dilation: [1, h, w, 1], ceil_mode = false: y, a mask that nobody reads",
        |cx| {
            let pool = with_argmax(cx, "dilation")?;
            give_max(cx, &pool)
        },
    ),
    row(
        "MaxPoolGradWithArgmaxV1",
        "x, dy, mask; ksize, strides, pads, dilations, ceil_mode",
        |cx| {
            cx.ignore(2);
            let pool = with_argmax(cx, "dilations")?;
            give_max_grad(cx, &pool, 1)
        },
    ),
    row(
        "MaxPool",
        "x; ksize, strides, padding = SAME or VALID, data_format = NHWC",
        |cx| {
            let pool = Pool::by_name(cx, 2, "padding", "NHWC")?;
            give_max(cx, &pool)
        },
    ),
    row("MaxPoolGrad", "x, y, dy; the attributes of MaxPool", |cx| {
        cx.ignore(1);
        let pool = Pool::by_name(cx, 2, "padding", "NHWC")?;
        give_max_grad(cx, &pool, 2)
    }),
    row(
        "MaxPoolV3",
        "x; ksize, strides, padding_mode = CALCULATED, pads, data_format = NCHW, global_pooling, ceil_mode = false",
        |cx| {
            let pool = Pool::of_any_rank(cx)?;
            give_max(cx, &pool)
        },
    ),
    row(
        "MaxPoolV3Grad",
        "x, y, dy; the attributes of MaxPoolV3",
        |cx| {
            cx.ignore(1);
            let pool = Pool::by_name(cx, 2, "padding_mode", "NCHW")?;
            give_max_grad(cx, &pool, 2)
        },
    ),
    row(
        "MaxPool3D",
        "x; ksize, strides, padding, pads, dilation, ceil_mode = 0, data_format = NDHWC",
        |cx| {
            let pool = Pool::by_name(cx, 3, "padding", "NDHWC")?;
            give_max(cx, &pool)
        },
    ),
    row(
        "MaxPool3DGrad",
        "x, y, dy; the attributes of MaxPool3D",
        |cx| {
            cx.ignore(1);
            let pool = Pool::by_name(cx, 3, "padding", "NDHWC")?;
            give_max_grad(cx, &pool, 2)
        },
    ),
];

/// How windows slide, and what happens at the far end.
pub(super) struct Pool {
    pub(super) window: Window,
    /// Where the border comes from the size of the input.
    pub(super) same: bool,
    /// Whether windows may reach past the border behind the input.
    pub(super) ceil: bool,
    global: bool,
}

impl Pool {
    /// The attributes of most poolings; `padding` names the one that says where borders come from.
    pub(super) fn by_name<'c>(
        cx: &'c Context<'c>,
        spatial: usize,
        padding: &'static str,
        format: &str,
    ) -> Result<Self, Why> {
        let last = channels_last(cx, format)?;
        let kernel = spatial_part(&cx.list("ksize")?, spatial, last, "ksize")?;
        let strides = spatial_part(&cx.list("strides")?, spatial, last, "strides")?;
        let dilations = spatial_part(&cx.list_or("dilation", &[1])?, spatial, last, "dilation")?;
        let mode = cx.text_or(padding, "CALCULATED")?;
        let pads = if mode == "CALCULATED" {
            cx.list_or("pads", &vec![0; 2 * spatial])?
        } else {
            vec![0; 2 * spatial]
        };
        if !matches!(mode.as_str(), "CALCULATED" | "SAME" | "VALID") {
            return Err(refused(padding, &mode, "CALCULATED, SAME or VALID"));
        }
        let (before, after) = borders(&pads, spatial)?;
        let window = Window {
            spatial,
            channels_last: last,
            kernel,
            strides,
            dilations,
            before,
            after,
        };
        Ok(Self {
            window: window.checked()?,
            same: mode == "SAME",
            ceil: cx.flag_or("ceil_mode", false)?,
            global: cx.flag_or("global_pooling", false)?,
        })
    }

    /// The attributes of the later versions. They slide over two axes; ONNX Runtime's provider asks for one and three
    /// too, and hands borders on in the order of ONNX: before all axes, then behind them. Over two axes the
    /// dimensions of the output say which order was meant, where it matters.
    pub(super) fn of_any_rank<'c>(cx: &'c Context<'c>) -> Result<Self, Why> {
        let spatial = cx.rank(0)?.saturating_sub(2).clamp(1, 3);
        let mut pool = Self::by_name(cx, spatial, "padding_mode", "NCHW")?;
        let pads = cx.list_or("pads", &[])?;
        let counts = cx.text_or("padding_mode", "CALCULATED")? == "CALCULATED";
        if !counts || pads.len() != 2 * spatial {
            return Ok(pool);
        }
        let as_onnx = Window {
            before: pads[..spatial].to_vec(),
            after: pads[spatial..].to_vec(),
            ..pool.window.clone()
        };
        let window = &pool.window;
        let differs = (&as_onnx.before, &as_onnx.after) != (&window.before, &window.after);
        let meant = if spatial == 2 && differs {
            let sizes = window.sizes(cx.dims(0)?)?;
            let windows = window.sizes(cx.output_dims(0)?)?;
            let fits = |window: &Window| window.counts(&sizes, pool.ceil) == windows;
            !fits(window) && fits(&as_onnx)
        } else {
            differs
        };
        if meant {
            pool.window = as_onnx.checked()?;
        }
        Ok(pool)
    }

    /// The border for an input of these sizes, with this many windows.
    pub(super) fn fit(&mut self, sizes: &[i64], windows: &[i64]) {
        if self.global {
            self.window.kernel = sizes.to_vec();
            self.window.strides = vec![1; sizes.len()];
        }
        if self.same {
            self.window.same(sizes);
        } else {
            self.window.stretch(sizes, windows);
        }
    }

    /// The window for this input; dimensions are looked at only where they matter.
    pub(super) fn fitted<'c>(
        &self,
        cx: &'c Context<'c>,
        x: usize,
        windows: &[i64],
    ) -> Result<Window, Why> {
        let wants = match self.window.spatial {
            1 => "3",
            2 => "4",
            _ => "5",
        };
        cx.needs_rank(x, |rank| rank == self.window.spatial + 2, wants)?;
        let mut pool = Self {
            window: self.window.clone(),
            ..*self
        };
        if self.same || self.ceil || self.global {
            let sizes = self.window.sizes(cx.dims(x)?)?;
            pool.fit(&sizes, &self.window.sizes(windows)?);
        }
        pool.window.checked()
    }
}

/// Attributes in the order of NHWC although the tensors are NCHW, and one border for both ends.
fn with_argmax<'c>(cx: &'c Context<'c>, dilation: &'static str) -> Result<Pool, Why> {
    let middle = |name, default: &[i64]| spatial_part(&cx.list_or(name, default)?, 2, true, name);
    let kernel = middle("ksize", &[])?;
    let strides = middle("strides", &[])?;
    let before = middle("pads", &[0])?;
    let dilations = middle(dilation, &[1])?;
    let after = before.clone();
    let window = Window {
        spatial: 2,
        channels_last: false,
        kernel,
        strides,
        dilations,
        before,
        after,
    };
    let ceil = cx.flag_or("ceil_mode", false)?;
    Ok(Pool {
        window: window.checked()?,
        same: false,
        ceil,
        global: false,
    })
}

fn give_max<'c>(cx: &'c Context<'c>, pool: &Pool) -> Result<(), Why> {
    let windows = if pool.ceil {
        cx.output_dims(0)?
    } else {
        &[0; 5][..pool.window.spatial + 2]
    };
    let window = pool.fitted(cx, 0, windows)?;
    let x = channels_first(cx.float(0)?, window.spatial, window.channels_last);
    let y = x.apply("MaxPool", &[], &window.attributes());
    cx.give(0, channels_back(y, window.spatial, window.channels_last))
}

/// Where each maximum was is found again, and its gradient added there.
fn give_max_grad<'c>(cx: &'c Context<'c>, pool: &Pool, dy: usize) -> Result<(), Why> {
    let windows = if pool.ceil {
        cx.dims(dy)?
    } else {
        &[0; 5][..pool.window.spatial + 2]
    };
    let window = pool.fitted(cx, 0, windows)?;
    let [x, dy] = [cx.float(0)?, cx.float(dy)?];
    let [x, dy] = [x, dy].map(|it| channels_first(it, window.spatial, window.channels_last));
    let elements = [x.element(), Element::I64];
    let places = cx.raw("MaxPool", &[Some(x)], &window.attributes(), &elements)[1];
    let flat = scatter(x.flat().filled(0.0), &[places], dy, Reduction::Add, 1);
    cx.give(
        0,
        channels_back(flat.reshape_like(x), window.spatial, window.channels_last),
    )
}
