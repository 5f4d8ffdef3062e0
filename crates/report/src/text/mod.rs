//! A finding for people.

mod finding;
mod source;
mod style;

pub use style::{Colour, Style};
