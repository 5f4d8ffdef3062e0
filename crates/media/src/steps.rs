//! One picture operation: from a region of one picture to a region of another.

use crate::colour::Matrix;
use crate::image::Image;
use crate::layout::{Layout, Region};
use crate::resample::Method;

/// What an operation does. Resizing, cropping, pasting and converting are all the same step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The source.
    pub from: Layout,
    /// What is taken out of it.
    pub crop: Region,
    /// The target.
    pub to: Layout,
    /// Where the result goes; it gets this size.
    pub paste: Region,
    /// How it is resized.
    pub method: Method,
    /// How colours are converted.
    pub matrix: Matrix,
}

impl Step {
    /// Reads and computes, and writes nothing: source and target may be the same memory.
    pub fn compute(&self, bytes: &[&[u8]]) -> Image {
        let image = Image::read(&self.from, self.crop, bytes);
        let image = image.resize(self.paste.width, self.paste.height, self.method);
        image.convert(self.to.format.family(), self.matrix)
    }

    /// Writes what was computed.
    pub fn finish(&self, image: &Image, bytes: &mut [&mut [u8]]) {
        image.write(&self.to, self.paste, bytes);
    }
}
