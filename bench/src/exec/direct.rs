//! ONNX Runtime called directly: what an operator or a model costs without anything around it.
//!
//! An ordinary session with the engine's own settings and memory; inputs and outputs are bound once, so
//! that a call is nothing but `Run`.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use ort_sys::{
    ONNXTensorElementDataType, OrtAllocatorType, OrtApi, OrtApiBase, OrtEnv, OrtLoggingLevel,
    OrtMemType, OrtMemoryInfo, OrtSession, OrtStatusPtr, OrtValue,
};

type Base = unsafe extern "system" fn() -> *const OrtApiBase;

/// The library.
pub(crate) struct Direct {
    api: &'static OrtApi,
    env: *mut OrtEnv,
    info: *mut OrtMemoryInfo,
}

/// A tensor in ordinary memory.
pub(crate) struct Tensor {
    pub(crate) numbers: Vec<f32>,
    pub(crate) dims: Vec<i64>,
}

impl Tensor {
    pub(crate) fn new(dims: &[i64], fill: impl Fn(usize) -> f32) -> Self {
        let count = usize::try_from(dims.iter().product::<i64>()).unwrap_or(0);
        Self {
            numbers: (0..count).map(fill).collect(),
            dims: dims.to_vec(),
        }
    }
}

/// A session with its inputs and its output.
pub(crate) struct Session<'a> {
    direct: &'a Direct,
    raw: *mut OrtSession,
    names: [Vec<CString>; 2],
    inputs: Vec<*mut OrtValue>,
    output: *mut OrtValue,
}

impl Direct {
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let flags = RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE;
        let words = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: loading runs the library's constructors; it is the library to be measured.
        let library = unsafe { Library::open(Some(path), flags) }.map_err(words)?;
        // SAFETY: this name has had this type in every version.
        let base = *unsafe { library.get::<Base>("OrtGetApiBase") }.map_err(words)?;
        // SAFETY: it takes nothing and answers a constant.
        let base = unsafe { base() };
        // SAFETY: either null or the library's constant.
        let base = unsafe { base.as_ref() }.ok_or("the library has no functions")?;
        // SAFETY: any number may be asked for.
        let api = unsafe { (base.GetApi)(17) };
        // SAFETY: either null or the library's constant.
        let api = unsafe { api.as_ref() }.ok_or("the library is too old")?;
        let mut found = Self {
            api,
            env: null_mut(),
            info: null_mut(),
        };
        let level = OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR;
        // SAFETY: the name is a string; one pointer is written.
        let status = unsafe { (api.CreateEnv)(level, c"bench".as_ptr(), &raw mut found.env) };
        found.check(status)?;
        let (kind, memory) = (
            OrtAllocatorType::OrtArenaAllocator,
            OrtMemType::OrtMemTypeDefault,
        );
        // SAFETY: one pointer is written.
        let status = unsafe { (api.CreateCpuMemoryInfo)(kind, memory, &raw mut found.info) };
        found.check(status)?;
        Ok(found)
    }

    fn check(&self, status: OrtStatusPtr) -> Result<(), String> {
        if status.0.is_null() {
            return Ok(());
        }
        // SAFETY: the status is live.
        let text = unsafe { (self.api.GetErrorMessage)(status.0) };
        // SAFETY: the library's string, which ends with a zero and lives as long as the status.
        let text = unsafe { CStr::from_ptr(text) };
        Err(text.to_string_lossy().into_owned())
    }

    fn value(&self, tensor: &mut Tensor) -> Result<*mut OrtValue, String> {
        let mut value = null_mut();
        // SAFETY: the tensor outlives the session, and numbers and dimensions are as many as are said.
        let status = unsafe {
            (self.api.CreateTensorWithDataAsOrtValue)(
                self.info,
                tensor.numbers.as_mut_ptr().cast(),
                tensor.numbers.len() * 4,
                tensor.dims.as_ptr(),
                tensor.dims.len(),
                ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                &raw mut value,
            )
        };
        self.check(status)?;
        Ok(value)
    }

    /// A session of `threads` threads over these tensors.
    pub(crate) fn session<'a>(
        &'a self,
        model: &[u8],
        threads: usize,
        inputs: &'a mut [(&str, Tensor)],
        output: &'a mut Tensor,
    ) -> Result<Session<'a>, String> {
        let api = self.api;
        let mut options = null_mut();
        // SAFETY: one pointer is written.
        self.check(unsafe { (api.CreateSessionOptions)(&raw mut options) })?;
        let threads = c_int::try_from(threads).unwrap_or(1);
        // SAFETY: the options are live.
        self.check(unsafe { (api.SetIntraOpNumThreads)(options, threads) })?;
        // Between runs its threads sleep, or they would take the cores from the other side.
        let (key, value) = (c"session.force_spinning_stop", c"1");
        // SAFETY: the options are live; both are strings.
        self.check(unsafe { (api.AddSessionConfigEntry)(options, key.as_ptr(), value.as_ptr()) })?;
        let mut raw = null_mut();
        let (bytes, count) = (model.as_ptr().cast(), model.len());
        // SAFETY: the bytes are as many as are said and are read during the call.
        let status =
            unsafe { (api.CreateSessionFromArray)(self.env, bytes, count, options, &raw mut raw) };
        // SAFETY: released once.
        unsafe { (api.ReleaseSessionOptions)(options) };
        self.check(status)?;
        let words = |name: &str| CString::new(name).unwrap_or_default();
        let names = inputs.iter().map(|(name, _)| words(name)).collect();
        let values: Result<Vec<_>, _> = inputs
            .iter_mut()
            .map(|(_, tensor)| self.value(tensor))
            .collect();
        Ok(Session {
            direct: self,
            raw,
            names: [names, vec![words("y")]],
            inputs: values?,
            output: self.value(output)?,
        })
    }
}

impl Session<'_> {
    /// One run; 0 if it went well.
    #[inline]
    pub(crate) fn run(&mut self) -> i32 {
        let mut names: [*const c_char; 2] = [null(); 2];
        for (pointer, name) in names.iter_mut().zip(&self.names[0]) {
            *pointer = name.as_ptr();
        }
        let output_name = self.names[1][0].as_ptr();
        // SAFETY: names and values are live and as many as are said.
        let status = unsafe {
            (self.direct.api.Run)(
                self.raw,
                null(),
                names.as_ptr(),
                self.inputs.as_ptr().cast(),
                self.inputs.len(),
                &raw const output_name,
                1,
                &raw mut self.output,
            )
        };
        i32::from(!status.0.is_null())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        for value in self.inputs.iter().chain([&self.output]) {
            // SAFETY: released once.
            unsafe { (self.direct.api.ReleaseValue)(*value) };
        }
        // SAFETY: released once, and nobody runs it.
        unsafe { (self.direct.api.ReleaseSession)(self.raw) };
    }
}
