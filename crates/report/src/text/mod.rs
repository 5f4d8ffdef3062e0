//! A finding for people.

pub(crate) mod finding;
pub(crate) mod source;
mod style;
#[cfg(test)]
mod tests;

pub(crate) use style::Ink;
pub use style::{Colour, Style};
