//! Pictures in memory: what the media functions (`acldvpp*`) do to pixels.
//!
//! Everything here is pure: bytes in, bytes out. Which memory is meant, and when, is decided by the caller.
//!
//! - [`Format`]: how pixels are stored. [`Layout`]: a picture of some format, with strides, and where its bytes are.
//! - [`Rules`]: what the manual requires of sizes, strides and areas, for each kind of chip.
//! - [`Image`]: a picture taken apart into planes; it is cropped when it is read, and pasted when it is written.
//! - [`resize`](Image::resize), [`convert`](Image::convert): between sizes, and between kinds of pixels.
//! - [`jpeg`]: what is in a JPEG file, and its pixels.

mod colour;
mod format;
mod image;
pub mod jpeg;
mod layout;
mod resample;
mod rules;
mod steps;

pub use colour::Matrix;
pub use format::{Family, Format, Packing, Sampling};
pub use image::{Image, Plane};
pub use layout::{Layout, Part, Region};
pub use resample::Method;
pub use rules::{Area, Rules, Side};
pub use steps::Step;
