//! A model as programs hold it.

use std::sync::Arc;

use millpond_model::Element;

use super::argument::{Argument, Output, Produced, Shapes};
use crate::device::Device;
use crate::error::{Boxed, Error};
use crate::runtime::Runtime;
use crate::stream_handle::Stream;

/// How a model is loaded.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// What errors call it.
    pub name: String,
    /// Who computes.
    pub threads: Threads,
    /// The dimensions of the outputs depend on what the inputs contain, in a way that the graph does not show.
    pub by_contents: bool,
}

/// Which threads compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// The thread that runs the task, alone: right for operators.
    #[default]
    Caller,
    /// Those that all models share, as many as the machine has cores.
    Shared,
    /// So many of its own, counting the one that runs the task.
    Own(u16),
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its name in the file.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// Its dimensions, -1 for those that are open; `None` if even their number is.
    pub dims: Option<Vec<i64>>,
}

/// A loaded model, or an operator: what can be run. It is cheap to clone, and unloaded when the last clone
/// and the last queued run of it are gone.
#[derive(Debug, Clone)]
pub struct Model {
    core: Arc<ModelCore>,
}

#[derive(Debug)]
struct ModelCore {
    name: String,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
}

impl Runtime {
    /// Loads a model from the bytes of an ONNX file.
    pub fn load_model(&self, file: &[u8], options: &LoadOptions) -> Result<Model, Error> {
        let _ = (file, options);
        Err(no_engine())
    }
}

impl Model {
    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// What it takes.
    pub fn inputs(&self) -> &[Slot] {
        &self.core.inputs
    }

    /// What it gives.
    pub fn outputs(&self) -> &[Slot] {
        &self.core.outputs
    }

    /// Bytes of memory that a run needs beside inputs and outputs; 0 where that depends on the inputs'
    /// dimensions.
    pub fn work_size(&self) -> u64 {
        0
    }

    /// Bytes of its weights.
    pub fn weight_size(&self) -> u64 {
        0
    }

    /// Runs it now, on this thread, with memory of `device`. Streams are not waited for, and no registered
    /// allocator is asked.
    pub fn run(
        &self,
        device: &Device,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Produced, Box<Error>> {
        let _ = (device, inputs, outputs);
        Err(no_engine().into())
    }

    /// Runs it in the order of `stream`, with memory of the stream's allocator; answers the dimensions of the
    /// outputs.
    ///
    /// Where the outputs' dimensions depend on what the inputs contain, and at the first run with new
    /// dimensions on an idle stream, it has been run when this returns. Otherwise it is queued.
    pub fn run_on(
        &self,
        stream: &Stream,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Shapes, Box<Error>> {
        let queued: Boxed<Shapes> = Err(no_engine().into());
        let _ = (stream, inputs, outputs);
        queued
    }
}

fn no_engine() -> Error {
    Error::NoEngine {
        reason: "this build has none".to_owned(),
    }
}
