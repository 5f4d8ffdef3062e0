//! Loads a model and reads its inputs and outputs.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use ort_sys::{
    ExecutionMode, GraphOptimizationLevel, ONNXTensorElementDataType, OrtSession,
    OrtSessionOptions, OrtStatusPtr, OrtTypeInfo,
};

use crate::api::Api;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::gpu::Gpu;
use crate::library::text;
use crate::memory::Entered;
use crate::session::{Session, SessionOptions, SlotInfo, Workers};

/// The inputs or outputs of a session: names as C strings, element types and shapes.
pub(crate) struct Slots {
    /// The strings behind `pointers`.
    names: Vec<CString>,
    pub(crate) pointers: Vec<*const c_char>,
    pub(crate) elements: Vec<ONNXTensorElementDataType>,
    pub(crate) infos: Vec<SlotInfo>,
}

/// Part of the engine's error if the environment has no shared threads.
const NO_SHARED_THREADS: &str = "EnvCreatedWithGlobalThreadPools";

impl Engine {
    /// Loads a model from the bytes of an ONNX file. External weights are not found.
    pub fn session(
        &'static self,
        model: &[u8],
        options: SessionOptions,
    ) -> Result<Session, EngineError> {
        self.session_on(None, model, options)
    }

    /// The same, to compute on a GPU. Nodes that the CUDA provider lacks are computed on this machine.
    pub fn session_on(
        &'static self,
        gpu: Option<&Gpu>,
        model: &[u8],
        options: SessionOptions,
    ) -> Result<Session, EngineError> {
        self.create(gpu, options, |wishes, session| {
            // SAFETY: the bytes are read during the call; environment and options are live.
            unsafe {
                (self.api.table.CreateSessionFromArray)(
                    self.env,
                    model.as_ptr().cast(),
                    model.len(),
                    wishes,
                    session,
                )
            }
        })
    }

    /// Loads a model from an ONNX file, with its external weights.
    pub fn session_from_file(
        &'static self,
        file: &Path,
        options: SessionOptions,
    ) -> Result<Session, EngineError> {
        self.session_from_file_on(None, file, options)
    }

    /// The same, to compute on a GPU.
    pub fn session_from_file_on(
        &'static self,
        gpu: Option<&Gpu>,
        file: &Path,
        options: SessionOptions,
    ) -> Result<Session, EngineError> {
        let bytes = file.as_os_str().as_bytes();
        let name = CString::new(bytes)
            .map_err(|_| EngineError::Refused("the path contains a NUL byte".to_owned()))?;
        self.create(gpu, options, |wishes, session| {
            // SAFETY: the name is a string; environment and options are live.
            unsafe { (self.api.table.CreateSession)(self.env, name.as_ptr(), wishes, session) }
        })
    }

    fn create(
        &'static self,
        gpu: Option<&Gpu>,
        options: SessionOptions,
        with: impl Fn(*const OrtSessionOptions, *mut *mut OrtSession) -> OrtStatusPtr,
    ) -> Result<Session, EngineError> {
        let _nobody = Entered::nobody();
        let allocator = gpu.map(|gpu| self.on(gpu)).transpose()?;
        let create = |options: SessionOptions| {
            let wishes = Wishes::new(self.api, options)?;
            if let Some(gpu) = gpu {
                wishes.compute_on(self, gpu.index)?;
            }
            let mut raw = ptr::null_mut();
            let created = with(wishes.options, &raw mut raw);
            self.api.check(created).map(|()| raw)
        };
        let raw = match create(options) {
            // The environment belongs to the process: another client of the same library has created it
            // first, without shared threads.
            Err(EngineError::Refused(reason))
                if options.workers == Workers::Shared && reason.contains(NO_SHARED_THREADS) =>
            {
                let count = u16::try_from(self.threads()).unwrap_or(1);
                create(SessionOptions {
                    workers: Workers::Own(count),
                })?
            }
            created => created?,
        };
        // From here on `Session` releases it on every path.
        let mut session = Session {
            engine: self,
            raw,
            on: allocator,
            inputs: Slots::empty(),
            outputs: Slots::empty(),
        };
        session.inputs = session.slots(true)?;
        session.outputs = session.slots(false)?;
        Ok(session)
    }
}

impl Session {
    fn slots(&self, inputs: bool) -> Result<Slots, EngineError> {
        let api = self.engine.api;
        let table = api.table;
        let (count_of, type_of) = if inputs {
            (table.SessionGetInputCount, table.SessionGetInputTypeInfo)
        } else {
            (table.SessionGetOutputCount, table.SessionGetOutputTypeInfo)
        };
        let (session, mut count) = (self.raw, 0);
        // SAFETY: the session is live, and one number is written.
        api.check(unsafe { count_of(session, &raw mut count) })?;
        let mut slots = Slots::empty();
        for index in 0..count {
            let name = self.name(index, inputs)?;
            let mut info = ptr::null_mut();
            // SAFETY: the session is live, the index is one of it, and one pointer is written.
            api.check(unsafe { type_of(session, index, &raw mut info) })?;
            let described = tensor_type(api, info);
            // SAFETY: created above, released once.
            unsafe { (table.ReleaseTypeInfo)(info) };
            let (element, dims) = described?.ok_or_else(|| {
                let what = if inputs { "input" } else { "output" };
                EngineError::Refused(format!("{what} {index} is not a tensor"))
            })?;
            slots.push(name, element, dims);
        }
        Ok(slots)
    }

    fn name(&self, index: usize, input: bool) -> Result<CString, EngineError> {
        let api = self.engine.api;
        let table = api.table;
        let (mut allocator, mut name) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: one pointer is written, to an allocator that is the library's own.
        api.check(unsafe { (table.GetAllocatorWithDefaultOptions)(&raw mut allocator) })?;
        let name_of = if input {
            table.SessionGetInputName
        } else {
            table.SessionGetOutputName
        };
        // SAFETY: the session is live, and one pointer is written.
        api.check(unsafe { name_of(self.raw, index, allocator, &raw mut name) })?;
        // SAFETY: the engine's string, which ends with a zero and lives until it is freed.
        let copy = unsafe { CStr::from_ptr(name) }.to_owned();
        // SAFETY: allocated by this allocator, freed once.
        api.check(unsafe { (table.AllocatorFree)(allocator, name.cast()) })?;
        Ok(copy)
    }
}

impl Slots {
    fn empty() -> Self {
        Self {
            names: Vec::new(),
            pointers: Vec::new(),
            elements: Vec::new(),
            infos: Vec::new(),
        }
    }

    fn push(&mut self, name: CString, element: ONNXTensorElementDataType, dims: Vec<i64>) {
        self.infos.push(SlotInfo {
            name: text(name.as_ptr()),
            element: onnx_number(element),
            dims,
        });
        self.elements.push(element);
        self.pointers.push(name.as_ptr());
        self.names.push(name);
    }
}

/// ONNX's number of an element type. The engine's are the same up to the types that were added last.
fn onnx_number(element: ONNXTensorElementDataType) -> i32 {
    use ONNXTensorElementDataType::{
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2,
    };
    match element {
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 => 24,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 => 25,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 => 26,
        other => other as i32,
    }
}

/// The element type and the dimensions; `None` if it is not a tensor.
fn tensor_type(
    api: Api,
    info: *const OrtTypeInfo,
) -> Result<Option<(ONNXTensorElementDataType, Vec<i64>)>, EngineError> {
    let mut tensor = ptr::null();
    // SAFETY: the information is live; what is written belongs to it.
    api.check(unsafe { (api.table.CastTypeInfoToTensorInfo)(info, &raw mut tensor) })?;
    if tensor.is_null() {
        return Ok(None);
    }
    let mut element = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    // SAFETY: live as above; the number that is written is one that this version of the table knows.
    api.check(unsafe { (api.table.GetTensorElementType)(tensor, &raw mut element) })?;
    Ok(Some((element, dims_of(api, tensor)?)))
}

pub(crate) fn dims_of(
    api: Api,
    info: *const ort_sys::OrtTensorTypeAndShapeInfo,
) -> Result<Vec<i64>, EngineError> {
    let mut count = 0;
    // SAFETY: the information is live, and one number is written.
    api.check(unsafe { (api.table.GetDimensionsCount)(info, &raw mut count) })?;
    let mut dims = vec![0; count];
    // SAFETY: as many numbers are written as there is room for.
    api.check(unsafe { (api.table.GetDimensions)(info, dims.as_mut_ptr(), count) })?;
    Ok(dims)
}

/// The engine's options for a session.
struct Wishes {
    api: Api,
    options: *mut OrtSessionOptions,
}

impl Wishes {
    fn new(api: Api, wanted: SessionOptions) -> Result<Self, EngineError> {
        let table = api.table;
        let mut options = ptr::null_mut();
        // SAFETY: writes one pointer.
        api.check(unsafe { (table.CreateSessionOptions)(&raw mut options) })?;
        let wishes = Self { api, options };
        // SAFETY: the options are live, in all calls of this function.
        let set = |status: OrtStatusPtr| api.check(status);
        // Callers plan memory themselves: the engine's own plans are looked up by a key in which shapes collide.
        // SAFETY: as above.
        set(unsafe { (table.DisableMemPattern)(options) })?;
        // SAFETY: as above.
        set(unsafe { (table.SetSessionExecutionMode)(options, ExecutionMode::ORT_SEQUENTIAL) })?;
        // SAFETY: as above.
        set(unsafe {
            (table.SetSessionGraphOptimizationLevel)(
                options,
                GraphOptimizationLevel::ORT_ENABLE_ALL,
            )
        })?;
        // SAFETY: as above.
        set(unsafe { (table.SetInterOpNumThreads)(options, 1) })?;
        let silent: c_int = 4;
        // SAFETY: as above.
        set(unsafe { (table.SetSessionLogSeverityLevel)(options, silent) })?;
        match wanted.workers {
            // SAFETY: as above.
            Workers::Shared => set(unsafe { (table.DisablePerSessionThreads)(options) })?,
            Workers::Caller => {
                // SAFETY: as above.
                set(unsafe { (table.SetIntraOpNumThreads)(options, 1) })?;
            }
            Workers::Own(count) => {
                // SAFETY: as above.
                set(unsafe { (table.SetIntraOpNumThreads)(options, c_int::from(count.max(1))) })?;
            }
        }
        for (key, value) in [
            (c"session.use_env_allocators", c"1"),
            (c"session.use_device_allocator_for_initializers", c"1"),
            // Threads that spin during a run make models a third faster; between runs they sleep, because a program
            // that waits for its stream needs the cores.
            (c"session.intra_op.allow_spinning", c"1"),
            (c"session.inter_op.allow_spinning", c"0"),
            (c"session.force_spinning_stop", c"1"),
        ] {
            // SAFETY: as above; both are strings.
            set(unsafe { (table.AddSessionConfigEntry)(options, key.as_ptr(), value.as_ptr()) })?;
        }
        Ok(wishes)
    }

    fn compute_on(&self, engine: &Engine, gpu: u32) -> Result<(), EngineError> {
        engine.append_cuda(self.options, gpu)?;
        // Kernels that can give the same bits in every run do so.
        // SAFETY: the options are live; both are strings.
        self.api.check(unsafe {
            (self.api.table.AddSessionConfigEntry)(
                self.options,
                c"session.use_deterministic_compute".as_ptr(),
                c"1".as_ptr(),
            )
        })
    }
}

impl Drop for Wishes {
    fn drop(&mut self) {
        // SAFETY: created by this, released once.
        unsafe { (self.api.table.ReleaseSessionOptions)(self.options) };
    }
}
