//! The models that are loaded, by number.
//!
//! A run holds its model, so unloading a model while it runs only removes its number.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use millpond::{LoadOptions, Model, Threads, TrialInput, WorkspaceSource};
use millpond_abi as abi;
use millpond_trace::{Bytes, HandleKind};
use parking_lot::Mutex;

use super::description::{Description, Port, bytes_of};
use super::file::File;
use crate::boundary::{CallError, bad_value};
use crate::{current, handles, process};

static MODELS: Mutex<BTreeMap<u32, Arc<Loaded>>> = Mutex::new(BTreeMap::new());
/// Numbers are not used again, so that an old one names nothing.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Unloads all models, and returns how many there were.
pub(crate) fn forget_all() -> usize {
    let gone = std::mem::take(&mut *MODELS.lock());
    for id in gone.keys() {
        handles::destroyed(HandleKind::Model, u64::from(*id));
    }
    gone.len()
}

/// A model that can be run.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Model,
    pub(crate) description: Arc<Description>,
    /// The gear that was chosen last.
    pub(crate) gear: Mutex<Option<usize>>,
    /// The shapes of the outputs in each gear, once they were asked for.
    geared: OnceLock<Vec<Vec<Vec<i64>>>>,
}

impl Loaded {
    /// The shapes of all outputs in each gear. No file says them, so each gear is run once, on made-up inputs.
    pub(crate) fn geared(&self) -> Result<&[Vec<Vec<i64>>], CallError> {
        if let Some(known) = self.geared.get() {
            return Ok(known);
        }
        let gears = self.description.gears.as_ref();
        let shapes = gears.map_or(Ok(Vec::new()), |gears| {
            let all = 0..gears.rows().len();
            all.map(|gear| self.outputs_of(&self.description, &gears.shapes(gear)))
                .collect()
        })?;
        Ok(self.geared.get_or_init(|| shapes))
    }

    /// The shapes of the outputs for inputs of these shapes.
    fn outputs_of(
        &self,
        description: &Description,
        shapes: &[Vec<i64>],
    ) -> Result<Vec<Vec<i64>>, CallError> {
        let ports = description.graph_inputs();
        let inputs: Vec<TrialInput<'_>> = ports
            .iter()
            .zip(shapes)
            .map(|(port, dims)| TrialInput {
                contents: None,
                element: port.element,
                dims,
            })
            .collect();
        let shapes = self.model.shapes_of(&inputs)?;
        Ok(shapes.iter().map(|dims| dims.to_vec()).collect())
    }

    /// Bytes of an output in the gear where it is largest.
    pub(crate) fn largest_output(&self, index: usize) -> Result<usize, CallError> {
        let Some(port) = self.description.outputs.get(index) else {
            return bad_value("index", index, "it must be below their number in the model");
        };
        let geared = self.geared()?.iter().filter_map(|shapes| shapes.get(index));
        let bytes = geared.filter_map(|dims| bytes_of(dims, port.element));
        Ok(bytes.max().unwrap_or(0))
    }
}

/// Memory of the program's for a model.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// For its work.
    pub(crate) given: Option<WorkspaceSource>,
    /// For its weights.
    pub(crate) weights: Option<Bytes>,
}

/// Loads a model without memory of the program, and returns its number.
pub(crate) fn load_plainly(file: File) -> Result<u32, CallError> {
    load(file, Memory::default(), |_| Ok(()))
}

/// Bytes of memory that a run of the model in a file needs beside its inputs and outputs; 0 where that depends
/// on them.
pub(crate) fn work_size(file: &File) -> Result<u64, CallError> {
    Ok(work_size_of(&open(file, Memory::default(), 0)?))
}

/// The same for a loaded model on the calling thread's device: a run on a GPU may need more.
pub(crate) fn work_size_of(model: &Model) -> u64 {
    let device = current::with_known(|entry| Some(entry.context.device().clone()));
    model.work_size(device.as_ref())
}

/// Threads for one model. Its own may look for the next part of a run without sleeping and still sleep between
/// runs, which those that all models share cannot; more than this many rarely help one run.
fn cores() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    u16::try_from(cores.min(16)).unwrap_or(1)
}

/// Hands a model to the engine. What has fixed shapes needs no allocator of the program's: it has its memory
/// from the program at once, or from us.
fn open(file: &File, memory: Memory, number: u32) -> Result<Model, CallError> {
    let description = &file.description;
    let dynamic = description.gears.is_none() && description.inputs.iter().any(Port::is_open);
    let workspace = if dynamic || file.by_contents {
        WorkspaceSource::Allocator
    } else {
        memory.given.unwrap_or(WorkspaceSource::Pool)
    };
    let options = LoadOptions {
        name: file.name.clone(),
        threads: Threads::Own(cores()),
        by_contents: file.by_contents,
        workspace,
        weights: memory.weights,
        geared: description.gears.is_some(),
        number: number.into(),
    };
    Ok(process::runtime()?.load_model(&file.onnx, &options)?)
}

/// Loads a model, if `check` allows it, and returns its number.
pub(crate) fn load(
    file: File,
    memory: Memory,
    check: impl FnOnce(&Model) -> Result<(), CallError>,
) -> Result<u32, CallError> {
    // Models are loaded onto the current device.
    current::with(|_| Ok(()))?;
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let model = open(&file, memory, id)?;
    check(&model)?;
    let mut description = file.description;
    for (port, slot) in description.outputs.iter_mut().zip(model.outputs()) {
        port.learn(slot.dims.as_deref());
    }
    let is_fixed = !description.inputs.iter().any(Port::is_open) && !model.is_by_contents();
    let mut loaded = Loaded {
        model,
        description: Arc::default(),
        gear: Mutex::new(None),
        geared: OnceLock::new(),
    };
    // Files often leave open what follows from fixed inputs, and programs allocate the reported sizes.
    if is_fixed && description.outputs.iter().any(Port::is_open) {
        let shapes = description.inputs.iter().map(|port| port.dims.clone());
        let shapes = loaded.outputs_of(&description, &shapes.collect::<Vec<_>>());
        // A model that does not like made-up inputs keeps its open outputs.
        for (port, dims) in description
            .outputs
            .iter_mut()
            .zip(shapes.into_iter().flatten())
        {
            port.learn(Some(&dims));
        }
    }
    loaded.description = Arc::new(description);
    let loaded = Arc::new(loaded);
    MODELS.lock().insert(id, loaded);
    handles::created(HandleKind::Model, id.into());
    Ok(id)
}

/// The model with a number.
pub(crate) fn find(id: u32) -> Result<Arc<Loaded>, CallError> {
    let found = MODELS.lock().get(&id).cloned();
    found.ok_or_else(|| unknown(id))
}

/// Takes a model's number away. Runs that are queued keep the model.
pub(crate) fn unload(id: u32) -> Result<(), CallError> {
    // Dropped after the lock is let go: it may be a large thing to take apart.
    let gone = MODELS.lock().remove(&id);
    let gone = gone.ok_or_else(|| unknown(id))?;
    handles::destroyed(HandleKind::Model, id.into());
    drop(gone);
    Ok(())
}

#[cold]
fn unknown(id: u32) -> CallError {
    CallError::coded(
        abi::ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
        format!("the argument 'modelId' is {id}, but no model with this number is loaded"),
    )
}
