//! Shows a recording: where device memory went, over time and by source line.
//!
//! [`read`] arranges a recording in an [`Index`], once. The page asks for what it shows, tile by tile ([`protocol`]), and draws it. A
//! [`Server`] answers on the loopback interface; [`page_with_answers`] writes one file that needs no server.

pub mod addresses;
mod band;
mod build;
pub mod findings;
mod held;
mod html;
pub mod index;
pub mod layout;
pub mod moment;
pub mod protocol;
mod pyramid;
pub mod range;
pub mod ranks;
pub mod series;
mod server;
mod shelves;
pub mod summary;
mod sums;
pub mod tile;
#[cfg(test)]
mod visits;

pub use build::read;
pub use html::page_with_answers;
pub use index::Index;
pub use server::Server;
