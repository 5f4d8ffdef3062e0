//! The models that are loaded, by number.
//!
//! A run holds its model, so that unloading one while it runs only takes its number away.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond::{LoadOptions, Model, Threads};
use millpond_abi as abi;
use parking_lot::Mutex;

use super::description::Description;
use super::file::File;
use crate::boundary::Fault;
use crate::{current, process};

static MODELS: Mutex<BTreeMap<u32, Arc<Loaded>>> = Mutex::new(BTreeMap::new());
/// Numbers are not used again, so that an old one names nothing.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// A model that can be run.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Model,
    pub(crate) description: Arc<Description>,
}

/// Loads a model and answers its number.
pub(crate) fn load(file: File) -> Result<u32, Fault> {
    // Models are loaded onto the current device.
    current::with(|_| Ok(()))?;
    let options = LoadOptions {
        name: file.name,
        threads: Threads::Shared,
        by_contents: file.by_contents,
    };
    let model = process::runtime()?.load_model(&file.onnx, &options)?;
    let loaded = Arc::new(Loaded {
        model,
        description: Arc::new(file.description),
    });
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    MODELS.lock().insert(id, loaded);
    Ok(id)
}

/// The model with a number.
pub(crate) fn find(id: u32) -> Result<Arc<Loaded>, Fault> {
    let found = MODELS.lock().get(&id).cloned();
    found.ok_or_else(|| unknown(id))
}

/// Takes a model's number away. Runs that are queued keep the model.
pub(crate) fn unload(id: u32) -> Result<(), Fault> {
    // Dropped after the lock is let go: it may be a large thing to take apart.
    let gone = MODELS.lock().remove(&id);
    gone.map(drop).ok_or_else(|| unknown(id))
}

#[cold]
fn unknown(id: u32) -> Fault {
    Fault::coded(
        abi::ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
        format!("the argument 'modelId' is {id}, but no model with this number is loaded"),
    )
}
