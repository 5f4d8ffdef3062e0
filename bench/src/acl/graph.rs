//! Small operators by function, and graphs of them.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use millpond_abi as abi;

use super::{Acl, DeviceMemory, Stream};

/// `aclnnAbsGetWorkspaceSize`, as `include/aclnnop/aclnn_abs.h` declares it.
pub(super) type PlanFn = unsafe extern "C" fn(
    *const abi::aclTensor,
    *mut abi::aclTensor,
    *mut u64,
    *mut *mut abi::aclOpExecutor,
) -> abi::aclnnStatus;

/// `aclnnAbs`, as the same header declares it.
pub(super) type RunFn = unsafe extern "C" fn(
    *mut c_void,
    u64,
    *mut abi::aclOpExecutor,
    abi::aclrtStream,
) -> abi::aclnnStatus;

/// An operator, its input and its output.
#[derive(Debug)]
pub(crate) struct Operators<'acl> {
    acl: &'acl Acl,
    input: *mut abi::aclTensor,
    output: *mut abi::aclTensor,
    _memory: [DeviceMemory<'acl>; 2],
}

impl<'acl> Operators<'acl> {
    pub(crate) fn new(acl: &'acl Acl, elements: i64) -> Result<Self, String> {
        let bytes = usize::try_from(elements).map_err(|error| error.to_string())? * 4;
        let memory = [acl.device_memory(bytes)?, acl.device_memory(bytes)?];
        let zeros = acl.host_memory(bytes)?;
        acl.check("aclrtMemcpy", acl.to_device(&memory[0], &zeros))?;
        let tensor = |memory: &DeviceMemory<'_>| {
            let (dims, strides) = ([elements], [1_i64]);
            // SAFETY: the arrays have one number each; the library copies them.
            unsafe {
                (acl.create_tensor)(
                    dims.as_ptr(),
                    1,
                    abi::ACL_FLOAT,
                    strides.as_ptr(),
                    0,
                    abi::ACL_FORMAT_ND,
                    dims.as_ptr(),
                    1,
                    memory.start,
                )
            }
        };
        let (input, output) = (tensor(&memory[0]), tensor(&memory[1]));
        if input.is_null() || output.is_null() {
            return Err("aclCreateTensor returned NULL".to_owned());
        }
        Ok(Self {
            acl,
            input,
            output,
            _memory: memory,
        })
    }

    fn run(&self, stream: &Stream<'_>) -> c_int {
        let (mut bytes, mut executor) = (0, null_mut());
        // SAFETY: the tensors are this object's; the other two are writable.
        let planned = unsafe {
            (self.acl.abs_plan)(self.input, self.output, &raw mut bytes, &raw mut executor)
        };
        if planned != 0 {
            return planned;
        }
        // SAFETY: the operator needs no workspace; the library checks the rest.
        unsafe { (self.acl.abs_run)(null_mut(), 0, executor, stream.handle) }
    }

    /// Launches it so often, and waits.
    pub(crate) fn run_and_wait(&self, stream: &Stream<'_>, count: usize) -> c_int {
        for _ in 0..count {
            let code = self.run(stream);
            if code != 0 {
                return code;
            }
        }
        // SAFETY: any handle may be passed.
        unsafe { (self.acl.synchronize_stream)(stream.handle) }
    }

    /// Captures so many of them.
    pub(crate) fn capture<'s>(
        &self,
        stream: &'s Stream<'acl>,
        count: usize,
    ) -> Result<Graph<'s, 'acl>, String> {
        let acl = self.acl;
        let mode = abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
        // SAFETY: the library checks the handle.
        let begun = unsafe { (acl.capture_begin)(stream.handle, mode) };
        acl.check("aclmdlRICaptureBegin", begun)?;
        for _ in 0..count {
            acl.check("aclnnAbs", self.run(stream))?;
        }
        let mut handle = null_mut();
        // SAFETY: `handle` is writable.
        let ended = unsafe { (acl.capture_end)(stream.handle, &raw mut handle) };
        acl.check("aclmdlRICaptureEnd", ended)?;
        Ok(Graph { stream, handle })
    }
}

impl Drop for Operators<'_> {
    fn drop(&mut self) {
        for tensor in [self.input, self.output] {
            // SAFETY: this object made it.
            unsafe { (self.acl.destroy_tensor)(tensor) };
        }
    }
}

/// A graph, and the stream that launches it.
#[derive(Debug)]
pub(crate) struct Graph<'s, 'acl> {
    stream: &'s Stream<'acl>,
    handle: abi::aclmdlRI,
}

impl Graph<'_, '_> {
    pub(crate) fn launch_and_wait(&self) -> c_int {
        // SAFETY: the library checks both handles.
        let launched = unsafe { (self.stream.acl.graph_launch)(self.handle, self.stream.handle) };
        if launched != 0 {
            return launched;
        }
        // SAFETY: any handle may be passed.
        unsafe { (self.stream.acl.synchronize_stream)(self.stream.handle) }
    }
}

impl Drop for Graph<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the library checks the handle.
        unsafe { (self.stream.acl.graph_destroy)(self.handle) };
    }
}
