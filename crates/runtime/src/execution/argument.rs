//! What a run is given, and what it gives back.

use std::sync::Arc;

use millpond_model::Element;

use crate::memory::BlockInfo;

/// One input of a run.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    /// Its elements.
    pub data: Data<'a>,
    /// Their type.
    pub element: Element,
    /// Its dimensions; none for a single number.
    pub dims: &'a [i64],
}

/// Where the elements of an input are.
#[derive(Debug, Clone, Copy)]
pub enum Data<'a> {
    /// In a block of the runtime, device or pinned memory: read when the run's turn comes.
    At {
        /// Where they start, as the program sees it.
        address: u64,
        /// Bytes that may be read. More than the dimensions need is fine.
        bytes: u64,
    },
    /// In the program's own memory: taken by value, now.
    Host(&'a [u8]),
}

/// One output of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output<'a> {
    /// Where it goes.
    pub place: Place,
    /// Its dimensions, if the program knows them. Dimensions that do not come true are an error.
    pub dims: Option<&'a [i64]>,
    /// Its dimensions as the program supposes them. Where they come true, the first run of a shape needs no
    /// memory for it; where they do not, nothing is lost.
    pub likely: Option<&'a [i64]>,
    /// Whether it has to fill its room. Then fewer elements than there is room for are an error, unless what inputs
    /// contain decides how many there are.
    pub whole: bool,
}

/// Where an output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into a block of the runtime.
    At {
        /// Where it starts, as the program sees it.
        address: u64,
        /// Bytes that may be written. More than the output has is fine.
        room: u64,
    },
    /// Into a block of device memory that is allocated for it, for the program to free. Only for
    /// [`Model::run`](super::Model::run): a queued run has no way to return it.
    New,
}

/// The dimensions of every output.
pub type Shapes = Arc<[Box<[i64]>]>;

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Produced {
    /// The dimensions of every output.
    pub shapes: Shapes,
    /// For each output the block that was allocated for it, where that was asked for.
    pub blocks: Vec<Option<BlockInfo>>,
}
