//! AIPP: image preprocessing that is compiled into a model (`--insert_op_conf`).
//!
//! The input of such a model is an image of bytes. Its pixels are swapped, cropped, converted, normalised and padded, in
//! this order, and the result is what the model took before. [`config`] reads the configuration; [`graph`] writes the
//! steps as ONNX nodes that every version of the operator set has.

mod config;
mod graph;

use std::collections::BTreeMap;

use crate::{Element, Error};

pub use config::read;
pub use graph::insert;

/// How the pixels of an input image are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the manual")]
pub enum ImageFormat {
    Yuv420Sp,
    Xrgb8888,
    Rgb888,
    Yuv400,
}

impl ImageFormat {
    const ALL: [(&'static str, Self); 4] = [
        ("YUV420SP_U8", Self::Yuv420Sp),
        ("XRGB8888_U8", Self::Xrgb8888),
        ("RGB888_U8", Self::Rgb888),
        ("YUV400_U8", Self::Yuv400),
    ];

    /// The dimensions of one image of bytes: rows, columns, bytes of a pixel. The chroma of YUV420SP is half as many rows more.
    pub fn dims(self, width: i64, height: i64) -> [i64; 3] {
        match self {
            Self::Yuv420Sp => [height / 2 * 3, width, 1],
            Self::Xrgb8888 => [height, width, 4],
            Self::Rgb888 => [height, width, 3],
            Self::Yuv400 => [height, width, 1],
        }
    }
}

/// A part of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Crop {
    pub left: i64,
    pub top: i64,
    pub width: i64,
    pub height: i64,
}

/// Columns and rows around an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Padding {
    pub left: i64,
    pub right: i64,
    pub top: i64,
    pub bottom: i64,
}

/// `((matrix · (pixel − before)) >> 8) + after`, from 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the formula says what they are")]
pub struct Conversion {
    pub matrix: [[i32; 3]; 3],
    pub before: [i32; 3],
    pub after: [i32; 3],
}

/// The preprocessing of one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Aipp {
    /// The number of the input.
    pub input: usize,
    /// How its pixels are stored.
    pub format: ImageFormat,
    /// The size of the image: 0 until [`insert`] takes the model's.
    pub width: i64,
    /// Its rows.
    pub height: i64,
    /// What is taken out of it.
    pub crop: Option<Crop>,
    /// What is added around the result, and with which value.
    pub padding: Option<(Padding, f32)>,
    /// Whether red and blue, or U and V, change places.
    pub swaps_colours: bool,
    /// Whether the first of four samples becomes the last.
    pub swaps_alpha: bool,
    /// How colours are converted, if they are.
    pub conversion: Option<Conversion>,
    /// What is subtracted from each channel.
    pub mean: [i32; 4],
    /// What is also subtracted.
    pub least: [f32; 4],
    /// What each channel is multiplied by, after that.
    pub factor: [f32; 4],
    /// Channels, rows and columns of the result: 0 until [`insert`] takes the model's.
    pub result: [i64; 3],
    /// The element type of the result: the model's.
    pub element: Element,
    /// The fields of the configuration, as they were given: the compiled file stores them.
    pub(crate) fields: BTreeMap<String, String>,
}

// Its numbers are finite.
impl Eq for Aipp {}

impl Aipp {
    /// What the model takes after all steps: columns and rows.
    fn output_size(&self) -> (i64, i64) {
        let (mut width, mut height) = match self.crop {
            Some(crop) => (crop.width, crop.height),
            None => (self.width, self.height),
        };
        if let Some((padding, _)) = self.padding {
            width += padding.left + padding.right;
            height += padding.top + padding.bottom;
        }
        (width, height)
    }

    fn refuse<T>(&self, sentence: impl std::fmt::Display) -> Result<T, Error> {
        Err(Error::argument(format!(
            "--insert_op_conf, aipp_op of input {}: {sentence}",
            self.input
        )))
    }

    /// From the header of a compiled file.
    pub(crate) fn restore(
        fields: &BTreeMap<String, String>,
        sizes: [i64; 5],
        element: Element,
    ) -> Result<Self, Error> {
        let mut aipp = config::interpret(fields)?;
        let [width, height, channels, rows, columns] = sizes;
        (aipp.width, aipp.height) = (width, height);
        aipp.result = [channels, rows, columns];
        aipp.element = element;
        Ok(aipp)
    }
}
