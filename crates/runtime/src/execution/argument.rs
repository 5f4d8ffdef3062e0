//! Inputs, outputs and results of a run.

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
    /// In a block of the runtime, device or pinned memory: read when the run executes.
    At {
        /// Where they start, as the program sees it.
        address: u64,
        /// Bytes that may be read. More than the dimensions need is fine.
        bytes: u64,
    },
    /// In the program's own memory: copied now.
    Host(&'a [u8]),
}

/// One output of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output<'a> {
    /// Where it goes.
    pub destination: Destination,
    /// Its dimensions, if the program knows them. Other results are an error.
    pub dims: Option<&'a [i64]>,
    /// Its dimensions as the program expects them. If they are right, the first run of a shape needs no
    /// memory for it; if not, nothing is lost.
    pub likely: Option<&'a [i64]>,
    /// Whether it has to fill its buffer. Then fewer elements are an error, unless the contents of inputs
    /// determine how many there are.
    pub whole: bool,
}

/// Where an output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
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

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Produced {
    /// The dimensions of every output.
    pub shapes: Shapes,
    /// For each output the block that was allocated for it, if it was [`Destination::New`].
    pub blocks: Vec<Option<BlockInfo>>,
}
