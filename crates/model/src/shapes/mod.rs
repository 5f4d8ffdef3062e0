//! The shapes that a model accepts: fixed shapes, ranges, or a list of gears.
//!
//! A *gear* is one of several predefined shapes that a model was compiled for: of its batch, of its image size, or of any of
//! its dimensions. A program selects one before each run. A model has ranges or gears, never both.

mod gears;
mod interface;
mod parse;
mod span;

pub use gears::{GearKind, Gears, Slot};
pub use interface::{Input, Interface, MBATCH_INPUT, Wishes};
pub use parse::{parse_gears, parse_shape_ranges, parse_shapes};
pub use span::{Span, check_shape, show};
