//! What a program asks for.

use crate::{Attributes, Element};

/// One input or output of an operator, as its descriptor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// The type of its elements.
    pub element: Element,
    /// Its shape.
    pub dims: &'a [i64],
    /// The number of its format in AscendCL; the format of the storage if one is set.
    pub format: i32,
    /// Its contents, when they are known before anything runs.
    pub constant: Option<&'a [u8]>,
}

/// An operator with its tensors and attributes.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The type of the operator, such as `Add`.
    pub kind: &'a str,
    /// The inputs in order; `None` for an optional one that is left out before others.
    pub inputs: &'a [Option<Tensor<'a>>],
    /// The outputs in order.
    pub outputs: &'a [Tensor<'a>],
    /// The attributes that were set.
    pub attributes: &'a Attributes,
}

/// Numbers of formats in AscendCL.
pub(crate) mod format {
    pub(crate) const UNDEFINED: i32 = -1;
    pub(crate) const NCHW: i32 = 0;
    pub(crate) const NHWC: i32 = 1;
    pub(crate) const ND: i32 = 2;
    pub(crate) const HWCN: i32 = 16;
    pub(crate) const NDHWC: i32 = 27;
    pub(crate) const NCDHW: i32 = 30;
    pub(crate) const NC: i32 = 35;
    pub(crate) const NCL: i32 = 47;

    /// Formats that only name the dimensions. The others lay memory out in blocks.
    pub(crate) fn is_plain(format: i32) -> bool {
        let plain = [UNDEFINED, NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC, NCL];
        plain.contains(&format)
    }
}
