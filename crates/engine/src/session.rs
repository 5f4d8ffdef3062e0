//! A graph that the engine can run.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::ptr::{self, NonNull};

use ort_sys::{
    ONNXTensorElementDataType, OrtIoBinding, OrtMemoryInfo, OrtRunOptions, OrtSession, OrtValue,
};

use crate::api::Api;
use crate::engine::Engine;
use crate::error::{EngineError, RunError};
use crate::load::{Slots, dims_of};
use crate::memory::{Allocator, Entered, RunMemory, Scope};
use crate::values::{RunOptions, Values};

/// Options of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOptions {
    /// Which threads compute.
    pub workers: Workers,
}

/// Which threads compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// Only the thread that runs the session.
    Caller,
    /// The threads shared by all sessions of the engine.
    Shared,
    /// This many threads of the session, including the one that runs it.
    Own(u16),
}

/// An input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotInfo {
    /// Its name.
    pub name: String,
    /// Its element type, as ONNX's number.
    pub element: i32,
    /// Its dimensions, -1 for dynamic ones. Empty if the number of dimensions is dynamic too.
    pub dims: Vec<i64>,
}

/// Which address space a tensor's address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// The machine's.
    #[default]
    Host,
    /// That of the GPU on which the session computes.
    Gpu,
}

/// A tensor in the caller's memory. The session determines its element type.
#[derive(Debug, Clone, Copy)]
pub struct Tensor<'a> {
    /// Where its elements are.
    pub place: Place,
    /// The address of its elements.
    pub start: NonNull<u8>,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its dimensions.
    pub dims: &'a [i64],
}

/// Where an output goes.
#[derive(Debug, Clone, Copy)]
pub enum Bound<'a> {
    /// To this tensor, with its dimensions.
    To(Tensor<'a>),
    /// To the run's memory, because its dimensions are unknown.
    Open,
}

/// An output of a finished run, valid during the callback.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// Which output.
    pub index: usize,
    /// The address of its elements, where the session computes.
    pub start: *const u8,
    /// Its dimensions.
    pub dims: &'a [i64],
}

/// A graph that the engine can run, also several times concurrently.
pub struct Session {
    pub(crate) engine: &'static Engine,
    pub(crate) raw: *mut OrtSession,
    /// The allocator of its GPU, if it computes on one.
    pub(crate) on: Option<&'static Allocator>,
    pub(crate) inputs: Slots,
    pub(crate) outputs: Slots,
}

// SAFETY: the engine allows a session to be run and released from any thread; the names never change.
unsafe impl Send for Session {}
// SAFETY: as above, and a session may run on several threads at once.
unsafe impl Sync for Session {}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("inputs", &self.inputs.infos)
            .field("outputs", &self.outputs.infos)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Its inputs.
    pub fn inputs(&self) -> &[SlotInfo] {
        &self.inputs.infos
    }

    /// Its outputs.
    pub fn outputs(&self) -> &[SlotInfo] {
        &self.outputs.infos
    }

    /// The GPU that it computes on, by its number.
    pub fn gpu(&self) -> Option<u32> {
        self.on.and_then(Allocator::gpu)
    }

    /// Runs it on this thread. On a GPU, this returns when the GPU has finished, unless the run fails. If any output is
    /// [`Bound::Open`], `opened` is called with each output, in order, before they are released.
    ///
    /// # Safety
    /// Inputs must be readable and bound outputs writable for as many bytes as their dimensions have elements,
    /// for the whole call, and no output may overlap an input.
    pub unsafe fn run<'a>(
        &self,
        inputs: impl ExactSizeIterator<Item = Tensor<'a>>,
        outputs: impl ExactSizeIterator<Item = Bound<'a>>,
        memory: &dyn RunMemory,
        opened: &mut dyn FnMut(Open<'_>),
    ) -> Result<(), RunError> {
        let failed = |error: EngineError| RunError::Failed(error.to_string());
        let (given, wanted) = (inputs.len(), outputs.len());
        if given != self.inputs.pointers.len() || wanted != self.outputs.pointers.len() {
            let text = format!("{given} inputs and {wanted} outputs do not match the graph");
            return Err(RunError::Failed(text));
        }
        let api = self.engine.api;
        let options = RunOptions::take(api).map_err(failed)?;
        let scope = Scope::new(memory, api, options.options, self.gpu());
        // Values are released while their memory is still valid.
        let _entered = scope.enter();
        let mut values = Values::new(api, given + wanted);
        for (tensor, &element) in inputs.zip(&self.inputs.elements) {
            values.add(self.value(&tensor, element).map_err(failed)?);
        }
        let mut open = false;
        for (bound, &element) in outputs.zip(&self.outputs.elements) {
            values.add(match bound {
                Bound::To(tensor) => self.value(&tensor, element).map_err(failed)?,
                Bound::Open => {
                    open = true;
                    ptr::null_mut()
                }
            });
        }
        let (taken, made) = values.split(given);
        if let Some(allocator) = self.on {
            let ran = self.run_bound(allocator, options.options, (taken, made), open, opened);
            if let Some(bytes) = scope.refused() {
                return Err(RunError::NoMemory { bytes });
            }
            options.give_back();
            return ran.map_err(failed);
        }
        // SAFETY: session, options and values are live, names and values are as many as said; what the values
        // refer to is valid, as the caller promised.
        let status = unsafe {
            (api.table.Run)(
                self.raw,
                options.options,
                self.inputs.pointers.as_ptr(),
                taken.as_ptr().cast(),
                given,
                self.outputs.pointers.as_ptr(),
                wanted,
                made.as_mut_ptr(),
            )
        };
        let ran = api.check(status);
        if let Some(bytes) = scope.refused() {
            // The options are marked as terminated and cannot be reused.
            return Err(RunError::NoMemory { bytes });
        }
        options.give_back();
        ran.map_err(failed)?;
        if open {
            for (index, value) in made.iter().enumerate() {
                self.show(index, *value, opened).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The same on a GPU. Outputs without a destination stay on the GPU; only a binding can request that.
    fn run_bound(
        &self,
        allocator: &Allocator,
        options: *const OrtRunOptions,
        (taken, made): (&[*mut OrtValue], &[*mut OrtValue]),
        open: bool,
        opened: &mut dyn FnMut(Open<'_>),
    ) -> Result<(), EngineError> {
        let (api, table) = (self.engine.api, self.engine.api.table);
        let binding = Binding::new(self)?;
        for (&name, &value) in self.inputs.pointers.iter().zip(taken) {
            // SAFETY: binding and value are live, and the name is a string of the session.
            api.check(unsafe { (table.BindInput)(binding.raw, name, value) })?;
        }
        for (&name, &value) in self.outputs.pointers.iter().zip(made) {
            let status = if value.is_null() {
                // SAFETY: as above; the description lives as long as the process.
                unsafe { (table.BindOutputToDevice)(binding.raw, name, allocator.info()) }
            } else {
                // SAFETY: as above.
                unsafe { (table.BindOutput)(binding.raw, name, value) }
            };
            api.check(status)?;
        }
        // SAFETY: session, options and binding are live; what the values refer to is valid, as the caller of `run` promised.
        api.check(unsafe { (table.RunWithBinding)(self.raw, options, binding.raw) })?;
        if open {
            let mut outputs = binding.outputs()?;
            for (index, value) in outputs.split(0).1.iter().enumerate() {
                self.show(index, *value, opened)?;
            }
        }
        Ok(())
    }

    /// The engine's description of the memory that a tensor is in.
    fn info(&self, place: Place) -> *const OrtMemoryInfo {
        match (place, self.on) {
            (Place::Gpu, Some(allocator)) => allocator.info(),
            _ => self.engine.info,
        }
    }

    fn value(
        &self,
        tensor: &Tensor<'_>,
        element: ONNXTensorElementDataType,
    ) -> Result<*mut OrtValue, EngineError> {
        let mut value = ptr::null_mut();
        let api = self.engine.api;
        // SAFETY: the value refers to the caller's memory and is released before it; the dimensions are copied.
        api.check(unsafe {
            (api.table.CreateTensorWithDataAsOrtValue)(
                self.info(tensor.place),
                tensor.start.as_ptr().cast(),
                tensor.bytes,
                tensor.dims.as_ptr(),
                tensor.dims.len(),
                element,
                &raw mut value,
            )
        })?;
        Ok(value)
    }

    fn show(
        &self,
        index: usize,
        value: *mut OrtValue,
        opened: &mut dyn FnMut(Open<'_>),
    ) -> Result<(), EngineError> {
        let api = self.engine.api;
        let mut info = ptr::null_mut();
        // SAFETY: the value is live; one pointer is written.
        api.check(unsafe { (api.table.GetTensorTypeAndShape)(value, &raw mut info) })?;
        let dims = dims_of(api, info);
        // SAFETY: created above, released once.
        unsafe { (api.table.ReleaseTensorTypeAndShapeInfo)(info) };
        let dims = dims?;
        let mut start = ptr::null_mut();
        // SAFETY: the value is a live tensor; one pointer is written.
        api.check(unsafe { (api.table.GetTensorMutableData)(value, &raw mut start) })?;
        opened(Open {
            index,
            start: start.cast_const().cast(),
            dims: &dims,
        });
        Ok(())
    }
}

/// The inputs and outputs of a run on a GPU.
struct Binding {
    api: Api,
    raw: *mut OrtIoBinding,
}

impl Binding {
    fn new(session: &Session) -> Result<Self, EngineError> {
        let (api, mut raw) = (session.engine.api, ptr::null_mut());
        // SAFETY: the session is live; one pointer is written.
        api.check(unsafe { (api.table.CreateIoBinding)(session.raw, &raw mut raw) })?;
        Ok(Self { api, raw })
    }

    /// The outputs of a finished run, in order.
    fn outputs(&self) -> Result<Values, EngineError> {
        let (api, table) = (self.api, self.api.table);
        let mut allocator = ptr::null_mut();
        // SAFETY: one pointer is written; the allocator that it points to is never released.
        api.check(unsafe { (table.GetAllocatorWithDefaultOptions)(&raw mut allocator) })?;
        let (mut list, mut count) = (ptr::null_mut(), 0);
        // SAFETY: the binding is live; a pointer and a number are written.
        api.check(unsafe {
            (table.GetBoundOutputValues)(self.raw, allocator, &raw mut list, &raw mut count)
        })?;
        if list.is_null() {
            return Ok(Values::new(api, 0));
        }
        let mut values = Values::new(api, count);
        // SAFETY: the list has that many values, which are released with `values`.
        for value in unsafe { std::slice::from_raw_parts(list, count) } {
            values.add(*value);
        }
        // SAFETY: the list was allocated by this allocator, and is freed once.
        api.check(unsafe { (table.AllocatorFree)(allocator, list.cast()) })?;
        Ok(values)
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        // SAFETY: created by this, released once.
        unsafe { (self.api.table.ReleaseIoBinding)(self.raw) };
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _nobody = Entered::nobody();
        // SAFETY: no run is in progress: a run holds a reference.
        unsafe { (self.engine.api.table.ReleaseSession)(self.raw) };
    }
}
