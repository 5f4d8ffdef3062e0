//! The handle of a model.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_engine::{
    Engine, EngineError, RunError, Search, Session, SessionOptions, SlotInfo, Workers,
};
use millpond_model::{Element, LARGEST_MODEL, onnx, read_regular};
use millpond_trace::Bytes;

use super::argument::{Argument, Data, Destination, Output, Produced, Shapes};
use super::model_file::{Files, ModelFile};
use super::model_memory::ModelMemory;
use super::piecewise::Piecewise;
use super::plan::{Plan, Plans, Traced, contents_of};
use super::site::{GpuSessions, Site};
use super::source::{BlockSource, WorkspaceSource};
use crate::api::device::Device;
use crate::api::runtime::Runtime;
use crate::api::stream::Stream;
use crate::error::Error;

/// Options for loading a model.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Its name in error messages.
    pub name: String,
    /// Which threads compute.
    pub threads: Threads,
    /// The dimensions of the outputs depend on the contents of inputs, in a way that the graph does not show.
    pub by_contents: bool,
    /// Where its runs on streams get their memory.
    pub workspace: WorkspaceSource,
    /// Memory that the program provides for its weights. The engine keeps them elsewhere; runs count as reading this memory.
    pub weights: Option<Bytes>,
    /// Its number in records; 0 if it is not a loaded model.
    pub number: u64,
    /// It was compiled with gears: one buffer size of each output serves all of them.
    pub geared: bool,
}

impl LoadOptions {
    fn session(&self) -> SessionOptions {
        SessionOptions {
            workers: match self.threads {
                Threads::Caller => Workers::Caller,
                Threads::Shared => Workers::Shared,
                Threads::Own(count) => Workers::Own(count),
            },
        }
    }

    /// The bytes with divisions of integers that give a number for every divisor.
    fn guard<'f>(&self, file: &'f [u8]) -> Result<onnx::Guarded<'f>, Error> {
        onnx::guard_divisions(file).map_err(|error| self.refused(error.to_string()))
    }

    fn refused(&self, reason: String) -> Error {
        Error::ModelRefused {
            model: self.name.clone(),
            reason,
        }
    }
}

/// Which threads compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// Only the thread that runs the task: for operators.
    #[default]
    Caller,
    /// Threads that all models share, one for each core of the machine.
    Shared,
    /// This many threads of its own, including the one that runs the task.
    Own(u16),
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its name in the file.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// Its dimensions, -1 for open ones; `None` if their number is open too.
    pub dims: Option<Vec<i64>>,
}

/// A loaded model or an operator. It is cheap to clone, and unloaded after the last clone is dropped and
/// the last queued run is done.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) core: Arc<ModelCore>,
}

/// The engine's session, and what was learned about running it.
#[derive(Debug)]
pub(super) struct ModelCore {
    pub(super) name: String,
    pub(super) number: u64,
    pub(super) geared: bool,
    pub(super) session: Session,
    pub(super) inputs: Vec<Slot>,
    pub(super) outputs: Vec<Slot>,
    /// The inputs whose contents decide shapes.
    pub(super) deciding: Vec<usize>,
    /// The inputs of which nothing but the shape is used.
    pub(super) unread: Vec<usize>,
    pub(super) by_contents: bool,
    pub(super) workspace: WorkspaceSource,
    /// Whether it may divide integers by zero without a guard, which ends the process in some engines: a trial
    /// must not be made with zeros.
    pub(super) divides: bool,
    pub(super) plans: Plans,
    /// Its sessions on GPUs; `None` if it cannot compute on one.
    pub(super) gpus: Option<GpuSessions>,
    weights: u64,
    /// Memory of the program for them.
    pub(super) weights_at: Option<Bytes>,
}

/// Where a model computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComputesOn {
    /// On this machine. Operands in memory of a GPU are staged.
    Cpu {
        /// Why it does not compute on the device's GPU, if ONNX Runtime is a build for GPUs.
        reason: Option<String>,
    },
    /// On the GPU with this number.
    Gpu(u32),
}

/// Which engine is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineInfo {
    /// Where its library is.
    pub path: PathBuf,
    /// Its version, such as `1.31.1`.
    pub version: String,
}

impl Runtime {
    /// Finds and loads the engine, unless it is loaded, and returns its path and version.
    pub fn engine(&self) -> Result<EngineInfo, Error> {
        let engine = self.load_engine()?;
        Ok(EngineInfo {
            path: engine.path().to_owned(),
            version: engine.version().to_owned(),
        })
    }

    fn load_engine(&self) -> Result<&'static Engine, Error> {
        if let Some(engine) = self.shared.engine.get() {
            return Ok(engine);
        }
        // A failure is not remembered: what is missing may be installed meanwhile.
        let search = Search::of_process(self.shared.config.onnxruntime.clone());
        let engine =
            Engine::load(&search, self.shared.config.threads).map_err(|error| Error::NoEngine {
                reason: error.to_string(),
            })?;
        Ok(self.shared.engine.get_or_init(|| engine))
    }

    /// Loads a model from the bytes of an ONNX file. Weights that are in files of their own are not found.
    pub fn load_model(&self, file: &[u8], options: &LoadOptions) -> Result<Model, Error> {
        let engine = self.load_engine()?;
        let guarded = options.guard(file)?;
        let session = engine.session(&guarded.bytes, options.session());
        self.learn_model(engine, (session, None), &guarded, options)
    }

    /// Loads a model from an ONNX file, and weights from the files beside it that it names.
    pub fn load_model_file(&self, file: &Path, options: &LoadOptions) -> Result<Model, Error> {
        let engine = self.load_engine()?;
        let bytes = read_regular(file, LARGEST_MODEL)
            .map_err(|error| options.refused(error.to_string()))?;
        let refused = |error: millpond_model::Error| options.refused(error.to_string());
        // The engine opens whatever has the name, and waits for a pipe.
        let externals = onnx::read(&bytes).map_err(refused)?.externals;
        let mut weights = Vec::new();
        for external in &externals {
            external.open(file).map_err(refused)?;
            weights.push(external.path(Some(file)).map_err(refused)?);
        }
        let guarded = options.guard(&bytes)?;
        if matches!(guarded.bytes, Cow::Borrowed(_)) {
            // As they are before the engine reads them.
            let files = (!weights.is_empty()).then(|| Files::new(file, weights.into_iter()));
            let files = files.transpose();
            let files = files.map_err(|error| options.refused(error.to_string()))?;
            let session = engine.session_from_file(file, options.session());
            return self.learn_model(engine, (session, files), &guarded, options);
        }
        // The engine would read the file again, without what was changed.
        let inside = onnx::inline_externals(&guarded.bytes, |external| external.load(file));
        let inside = onnx::Guarded {
            bytes: Cow::Owned(inside.map_err(refused)?),
            unknown: guarded.unknown,
        };
        let session = engine.session(&inside.bytes, options.session());
        self.learn_model(engine, (session, None), &inside, options)
    }

    fn learn_model(
        &self,
        engine: &'static Engine,
        (session, files): (Result<Session, EngineError>, Option<Files>),
        file: &onnx::Guarded<'_>,
        options: &LoadOptions,
    ) -> Result<Model, Error> {
        let session = session.map_err(|error| options.refused(error.to_string()))?;
        let read = onnx::read(&file.bytes).map_err(|error| options.refused(error.to_string()))?;
        let ports = || read.inputs.iter().chain(&read.outputs);
        let shapeless = |name: &str| ports().any(|port| port.name == name && port.dims.is_none());
        let slots = |infos: &[SlotInfo]| -> Result<Vec<Slot>, Error> {
            infos
                .iter()
                .map(|info| {
                    let open = info.dims.is_empty() && shapeless(&info.name);
                    let element = Element::from_onnx(info.element.into()).ok_or_else(|| {
                        options.refused(format!("{} has an unsupported element type", info.name))
                    })?;
                    Ok(Slot {
                        name: info.name.clone(),
                        element,
                        dims: (!open).then(|| info.dims.clone()),
                    })
                })
                .collect()
        };
        let inputs = slots(session.inputs())?;
        // The engine lists the same inputs, but nothing says that it does so in the same order.
        let among = |indices: &[usize]| -> Vec<usize> {
            let ports = indices.iter().filter_map(|&index| read.inputs.get(index));
            let names: Vec<&str> = ports.map(|port| port.name.as_str()).collect();
            (0..inputs.len())
                .filter(|&index| names.contains(&inputs[index].name.as_str()))
                .collect()
        };
        let mut core = ModelCore {
            name: options.name.clone(),
            number: options.number,
            geared: options.geared,
            outputs: slots(session.outputs())?,
            deciding: among(&read.shape_inputs),
            unread: among(&read.unread_inputs),
            inputs,
            session,
            by_contents: options.by_contents || read.data_dependent,
            workspace: options.workspace,
            divides: file.unknown > 0,
            plans: Plans::default(),
            gpus: GpuSessions::new(&self.shared, engine, options.session(), || match files {
                Some(files) => ModelFile::Files(files),
                None => ModelFile::Bytes(file.bytes.as_ref().into()),
            }),
            weights: read.weight_bytes,
            weights_at: None,
        };
        if let Some(range) = options.weights {
            core.take_weights(&self.shared, range);
        }
        Ok(Model {
            core: Arc::new(core),
        })
    }
}

impl Model {
    /// Its name in error messages.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// Its inputs.
    pub fn inputs(&self) -> &[Slot] {
        &self.core.inputs
    }

    /// Its outputs.
    pub fn outputs(&self) -> &[Slot] {
        &self.core.outputs
    }

    /// Whether the dimensions of the outputs depend on the contents of inputs.
    pub fn is_by_contents(&self) -> bool {
        self.core.by_contents || !self.core.deciding.is_empty()
    }

    /// Bytes of memory that a run needs beside inputs and outputs; 0 where that depends on the inputs'
    /// dimensions or contents. The first call finds it out by running the model on made-up inputs. If a `device` is given, the
    /// number is for a run there: on a GPU it may be larger than on this machine.
    pub fn work_size(&self, device: Option<&Device>) -> u64 {
        let core = &self.core;
        let site = device.map_or(Site::Host, |device| core.site_on(&device.core));
        let site = &site;
        let plans = core.plans_at(site);
        let inputs: Option<Vec<Argument<'_>>> = core
            .inputs
            .iter()
            .map(|slot| {
                Some(Argument {
                    data: Data::At {
                        address: 0,
                        bytes: 0,
                    },
                    element: slot.element,
                    dims: slot.dims.as_deref()?,
                })
            })
            .collect();
        let plan = inputs.and_then(|inputs| {
            let contents = contents_of(&inputs, &core.deciding)?;
            plans.find(&inputs, &core.deciding).or_else(|| {
                let planned = core.check_dims(&inputs).ok()?;
                let plan = Arc::new(core.plan_by_trial(site, &inputs, planned, contents)?);
                plans.remember(&plan);
                Some(plan)
            })
        });
        plan.map_or(0, |plan| plan.bytes)
    }

    /// Where runs on a device compute, if all their memory is that device's. Makes the session that this needs.
    pub fn computes_on(&self, device: &Device) -> ComputesOn {
        match self.core.site_on(&device.core) {
            Site::Gpu(session) => ComputesOn::Gpu(session.access.index()),
            Site::Host => ComputesOn::Cpu {
                reason: self.core.reason_on(&device.core),
            },
        }
    }

    /// Bytes of its weights.
    pub fn weight_size(&self) -> u64 {
        self.core.weights
    }

    /// Runs it now, on this thread, with memory of `device`. Waits for no stream and uses no registered
    /// allocator.
    pub fn run(
        &self,
        device: &Device,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Produced, Box<Error>> {
        let core = &self.core;
        core.check_counts(inputs, outputs.len())?;
        let given = core.given(&device.shared);
        let ran = given.and_then(|given| self.run_checked(device, given, inputs, outputs));
        ran.map_err(|error| {
            let accesses = |error: &Error| core.refused_deed(inputs, outputs, error);
            device.shared.refused_work(None, accesses, error)
        })
    }

    fn run_checked(
        &self,
        device: &Device,
        given: ModelMemory,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Produced, Box<Error>> {
        let core = &self.core;
        let site = &core.site(&device.shared, &device.core, inputs, outputs);
        if let Some(plan) = core.plan_for(site, inputs) {
            return core.run_planned(site, device, plan, given, inputs, outputs);
        }
        let source = BlockSource::Device(device);
        let memory = Piecewise::new(site, &source, &device.shared);
        device.shared.record_work_began(Some(device.index()), None);
        let mut ran = core.run_now(site, &device.shared, &memory, Some(device), inputs, outputs)?;
        ran.call.add_given(given);
        core.record_place(&device.shared, site, &source, memory.asked());
        core.record_run(device, &ran.call, ran.failure.as_deref());
        match (ran.failure, ran.shapes) {
            (None, Some(shapes)) => Ok(Produced {
                shapes,
                blocks: ran.blocks,
            }),
            (failure, _) => Err(Error::ComputationFailed(failure.unwrap_or_default()).into()),
        }
    }

    /// Runs it in the order of `stream`, with memory of the stream's allocator, and returns the dimensions of the
    /// outputs.
    ///
    /// It has been run when this returns where the outputs' dimensions depend on what inputs contain, unless those are
    /// [`Data::Host`], and at the first run with new dimensions on an idle stream. Otherwise it is queued. In the first case
    /// the stream is waited for: if it waits for an event that this thread was to record later, that is a deadlock.
    pub fn run_on(
        &self,
        stream: &Stream,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Shapes, Box<Error>> {
        let core = &self.core;
        core.check_counts(inputs, outputs.len())?;
        if outputs
            .iter()
            .any(|output| output.destination == Destination::New)
        {
            let text = "a queued run cannot allocate its outputs: give a buffer for each";
            return Err(core.bad(text.to_owned()));
        }
        if stream.is_recording() {
            return self.capture(stream, inputs, outputs);
        }
        let run_at = |site: &Site| match core.plan_for(site, inputs) {
            Some(plan) => core.queue(site, stream, plan, inputs, outputs),
            None => core.first_run(site, stream, inputs, outputs),
        };
        let owner = stream.core();
        let ran = match run_at(&core.site(&owner.shared, &owner.device, inputs, outputs)) {
            // An allocator returned memory that is not the GPU's. Nothing was queued.
            Err(error) if matches!(*error, Error::NotOnGpu { .. }) => run_at(&Site::Host),
            ran => ran,
        };
        ran.map_err(|error| {
            let accesses = |error: &Error| core.refused_deed(inputs, outputs, error);
            stream.refused(accesses, error)
        })
    }
}

impl ModelCore {
    pub(super) fn plan_for(&self, site: &Site, inputs: &[Argument<'_>]) -> Option<Arc<Plan>> {
        if self.by_contents {
            return None;
        }
        self.plans_at(site).find(inputs, &self.deciding)
    }

    /// The engine did otherwise than planned: the next run is planned by what it did.
    #[cold]
    pub(super) fn correct(&self, site: &Site, plan: &Plan, traced: &[Traced]) {
        self.plans_at(site)
            .remember(&Arc::new(plan.corrected(traced)));
    }

    /// The message of a run that failed.
    #[cold]
    pub(super) fn failure(&self, error: &RunError) -> String {
        format!("{} failed: {error}", self.name)
    }
}
