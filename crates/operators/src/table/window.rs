//! Windows that slide over the last axes: what convolutions and poolings have in common.

use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::request::format;
use millpond_model::onnx::Attribute;

/// How windows slide over `spatial` axes. Lists have one number per such axis.
#[derive(Debug, Clone)]
pub(super) struct Window {
    pub(super) spatial: usize,
    /// Whether the channels are the last axis instead of the second.
    pub(super) channels_last: bool,
    pub(super) kernel: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    /// The border before and after each axis.
    pub(super) before: Vec<i64>,
    pub(super) after: Vec<i64>,
}

/// The numbers of an attribute that are about spatial axes. Programs give one for every axis in the order
/// of the format, or for the spatial ones alone, or one for all.
pub(super) fn spatial_part(
    list: &[i64],
    spatial: usize,
    channels_last: bool,
    name: &'static str,
) -> Result<Vec<i64>, Why> {
    let first = if channels_last { 1 } else { 2 };
    match list.len() {
        1 => Ok(vec![list[0]; spatial]),
        length if length == spatial => Ok(list.to_vec()),
        length if length == spatial + 2 => Ok(list[first..first + spatial].to_vec()),
        _ => Err(refused(
            name,
            &format!("{list:?}"),
            "a number for each axis",
        )),
    }
}

/// [before, after] of each axis, one after the other, taken apart.
pub(super) fn borders(pads: &[i64], spatial: usize) -> Result<(Vec<i64>, Vec<i64>), Why> {
    if pads.len() != 2 * spatial {
        return Err(refused(
            "pads",
            &format!("{pads:?}"),
            "two numbers for each spatial axis",
        ));
    }
    Ok(pads.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip())
}

/// Where the channels are: the attribute says so, else the format of the first input, else the operator.
pub(super) fn channels_last<'c>(cx: &'c Context<'c>, default: &str) -> Result<bool, Why> {
    if cx.attribute("data_format").is_none() {
        match cx.format(0)? {
            format::NCHW | format::NCDHW => return Ok(false),
            format::NHWC | format::NDHWC => return Ok(true),
            _ => {}
        }
    }
    match cx.text_or("data_format", default)?.as_str() {
        "NCHW" | "NCDHW" | "ND" => Ok(false),
        "NHWC" | "NDHWC" => Ok(true),
        other => Err(refused("data_format", &other, "NCHW, NHWC, NCDHW or NDHWC")),
    }
}

/// With the channels in the second axis.
pub(super) fn channels_first(x: Val<'_>, spatial: usize, last: bool) -> Val<'_> {
    let rank = (spatial + 2).cast_signed() as i64;
    let order: Vec<i64> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    if last { x.transpose(&order) } else { x }
}

/// With the channels back in the last axis.
pub(super) fn channels_back(x: Val<'_>, spatial: usize, last: bool) -> Val<'_> {
    let rank = (spatial + 2).cast_signed() as i64;
    let order: Vec<i64> = [0].into_iter().chain(2..rank).chain([1]).collect();
    if last { x.transpose(&order) } else { x }
}

impl Window {
    /// The dimensions of the spatial axes among `dims`.
    pub(super) fn sizes(&self, dims: &[i64]) -> Result<Vec<i64>, Why> {
        if dims.len() != self.spatial + 2 {
            return Err(Why::other(format!(
                "{dims:?} does not have {} dimensions",
                self.spatial + 2
            )));
        }
        let first = if self.channels_last { 1 } else { 2 };
        Ok(dims[first..first + self.spatial].to_vec())
    }

    /// Refuses windows that would never move, and numbers that no tensor has.
    pub(super) fn checked(self) -> Result<Self, Why> {
        let small =
            |list: &[i64], least: i64| list.iter().all(|number| (least..1 << 31).contains(number));
        let fine = small(&self.kernel, 1) && small(&self.strides, 1) && small(&self.dilations, 1);
        if fine && small(&self.before, 0) && small(&self.after, 0) {
            return Ok(self);
        }
        Err(Why::other(
            "its windows, strides and dilations must be positive, and its borders not negative",
        ))
    }

    /// How far one window reaches, with the gaps that dilation leaves.
    pub(super) fn reach(&self, axis: usize) -> i64 {
        self.dilations[axis] * (self.kernel[axis] - 1) + 1
    }

    /// How many windows there are along each axis; the last may reach past the border where `ceil` says so.
    pub(super) fn counts(&self, sizes: &[i64], ceil: bool) -> Vec<i64> {
        let count = |(axis, size): (usize, &i64)| {
            let border = self.before[axis].saturating_add(self.after[axis]);
            let more = size.saturating_add(border).saturating_sub(self.reach(axis));
            let last = if ceil { self.strides[axis] - 1 } else { 0 };
            more.saturating_add(last).div_euclid(self.strides[axis]) + 1
        };
        sizes.iter().enumerate().map(count).collect()
    }

    /// The border as TensorFlow's SAME has it: as many windows as strides fit.
    pub(super) fn same(&mut self, sizes: &[i64]) {
        for (axis, size) in sizes.iter().enumerate() {
            let stride = self.strides[axis];
            let windows = size.saturating_add(stride - 1) / stride;
            let total = ((windows - 1)
                .saturating_mul(stride)
                .saturating_add(self.reach(axis))
                - size)
                .max(0);
            self.before[axis] = total / 2;
            self.after[axis] = total - total / 2;
        }
    }

    /// Makes the border behind each axis as wide as `windows` windows need.
    pub(super) fn stretch(&mut self, sizes: &[i64], windows: &[i64]) {
        for (axis, (size, count)) in sizes.iter().zip(windows).enumerate() {
            let needed = (count - 1)
                .saturating_mul(self.strides[axis])
                .saturating_add(self.reach(axis));
            let more = needed.saturating_sub(size.saturating_add(self.before[axis]));
            self.after[axis] = self.after[axis].max(more);
        }
    }

    pub(super) fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        let pads = self
            .before
            .iter()
            .chain(&self.after)
            .copied()
            .collect::<Vec<i64>>();
        vec![
            ("kernel_shape", self.kernel.clone().into()),
            ("strides", self.strides.clone().into()),
            ("dilations", self.dilations.clone().into()),
            ("pads", pads.into()),
        ]
    }

    /// The transposed convolution that takes gradients of windows back to `sizes` places.
    pub(super) fn spread<'c>(
        &self,
        dy: Val<'c>,
        weight: Val<'c>,
        windows: &[i64],
        sizes: &[i64],
        groups: i64,
    ) -> Result<Val<'c>, Why> {
        let mut back = self.clone();
        let mut more = vec![0; self.spatial];
        for axis in 0..self.spatial {
            let full = (windows[axis] - 1)
                .saturating_mul(self.strides[axis])
                .saturating_add(self.reach(axis));
            let beyond = full
                .saturating_sub(self.before[axis])
                .saturating_sub(sizes[axis]);
            back.after[axis] = beyond.max(0);
            more[axis] = (-beyond).max(0);
            if more[axis] >= self.strides[axis].max(self.dilations[axis]) {
                return Err(Why::other(format!(
                    "{windows:?} windows do not cover {sizes:?} places"
                )));
            }
        }
        let mut attributes = back.attributes();
        attributes.push(("output_padding", more.into()));
        attributes.push(("group", groups.into()));
        Ok(dy.apply("ConvTranspose", &[weight], &attributes))
    }
}

/// Filters as the engine has them, [out, in, ...], from the layout that their format says.
pub(super) fn filter_order(layout: i32, spatial: usize) -> Option<Vec<i64>> {
    let rank = (spatial + 2).cast_signed() as i64;
    match layout {
        format::NHWC | format::NDHWC => {
            Some([0, rank - 1].into_iter().chain(1..rank - 1).collect())
        }
        format::HWCN => Some(
            [rank - 1, rank - 2]
                .into_iter()
                .chain(0..rank - 2)
                .collect(),
        ),
        _ => None,
    }
}
