//! The C interface, loaded as a program would load it.
//!
//! The functions are called through their addresses, as all calls into a shared library are. What is
//! measured answers a bare code, so that looking at it costs next to nothing.
//!
//! Handles and memory are safe to pass on however long they live: the library checks every handle and
//! every address of its own at each call, and that is part of what is measured.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

pub(crate) mod graph;
pub(crate) mod work;

use std::error::Error as _;
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use millpond_abi as abi;

use crate::peers::beside_this_program;

const LIBRARY: &str = "libascendcl.so";

/// Loaded code stays: threads of the library may run it until the process ends.
const RTLD_NODELETE: c_int = libc::RTLD_NODELETE;

macro_rules! functions {
    ($($field:ident = $name:literal, $type:ty;)*) => {
        /// The library, with device 0 set for the thread that loaded it.
        #[derive(Debug)]
        pub(crate) struct Acl {
            $($field: $type,)*
        }

        impl Acl {
            fn find(library: &Library) -> Result<Self, String> {
                Ok(Self {
                    $($field: {
                        // SAFETY: millpond-abi has the C type under the C name with `Fn`, and its
                        // tests compare it with the header; the few others say so.
                        let found = unsafe { library.get::<$type>($name) };
                        *found.map_err(|_missing| concat!("the library has no ", $name))?
                    },)*
                })
            }
        }
    };
}

functions! {
    init = "aclInit", abi::aclInitFn;
    finalize = "aclFinalize", abi::aclFinalizeFn;
    recent_message = "aclGetRecentErrMsg", abi::aclGetRecentErrMsgFn;
    set_device = "aclrtSetDevice", abi::aclrtSetDeviceFn;
    reset_device = "aclrtResetDevice", abi::aclrtResetDeviceFn;
    malloc_align32 = "aclrtMallocAlign32", abi::aclrtMallocAlign32Fn;
    free = "aclrtFree", abi::aclrtFreeFn;
    malloc_host = "aclrtMallocHost", abi::aclrtMallocHostFn;
    free_host = "aclrtFreeHost", abi::aclrtFreeHostFn;
    memcpy = "aclrtMemcpy", abi::aclrtMemcpyFn;
    memcpy_async = "aclrtMemcpyAsync", abi::aclrtMemcpyAsyncFn;
    memset_async = "aclrtMemsetAsync", abi::aclrtMemsetAsyncFn;
    create_stream = "aclrtCreateStream", abi::aclrtCreateStreamFn;
    destroy_stream = "aclrtDestroyStream", abi::aclrtDestroyStreamFn;
    stream_get_id = "aclrtStreamGetId", abi::aclrtStreamGetIdFn;
    stream_wait_event = "aclrtStreamWaitEvent", abi::aclrtStreamWaitEventFn;
    synchronize_stream = "aclrtSynchronizeStream", abi::aclrtSynchronizeStreamFn;
    create_event = "aclrtCreateEvent", abi::aclrtCreateEventFn;
    destroy_event = "aclrtDestroyEvent", abi::aclrtDestroyEventFn;
    record_event = "aclrtRecordEvent", abi::aclrtRecordEventFn;
    query_event_status = "aclrtQueryEventStatus", abi::aclrtQueryEventStatusFn;
    create_tensor_desc = "aclCreateTensorDesc", abi::aclCreateTensorDescFn;
    destroy_tensor_desc = "aclDestroyTensorDesc", abi::aclDestroyTensorDescFn;
    create_data_buffer = "aclCreateDataBuffer", abi::aclCreateDataBufferFn;
    destroy_data_buffer = "aclDestroyDataBuffer", abi::aclDestroyDataBufferFn;
    op_compile_and_execute = "aclopCompileAndExecute", abi::aclopCompileAndExecuteFn;
    mdl_load_from_mem = "aclmdlLoadFromMem", abi::aclmdlLoadFromMemFn;
    mdl_unload = "aclmdlUnload", abi::aclmdlUnloadFn;
    mdl_create_dataset = "aclmdlCreateDataset", abi::aclmdlCreateDatasetFn;
    mdl_destroy_dataset = "aclmdlDestroyDataset", abi::aclmdlDestroyDatasetFn;
    mdl_add_dataset_buffer = "aclmdlAddDatasetBuffer", abi::aclmdlAddDatasetBufferFn;
    mdl_set_dataset_tensor_desc = "aclmdlSetDatasetTensorDesc", abi::aclmdlSetDatasetTensorDescFn;
    mdl_execute_async = "aclmdlExecuteAsync", abi::aclmdlExecuteAsyncFn;
    allocator_create_desc = "aclrtAllocatorCreateDesc", abi::aclrtAllocatorCreateDescFn;
    allocator_destroy_desc = "aclrtAllocatorDestroyDesc", abi::aclrtAllocatorDestroyDescFn;
    allocator_set_obj = "aclrtAllocatorSetObjToDesc", abi::aclrtAllocatorSetObjToDescFn;
    allocator_set_alloc = "aclrtAllocatorSetAllocFuncToDesc", abi::aclrtAllocatorSetAllocFuncToDescFn;
    allocator_set_free = "aclrtAllocatorSetFreeFuncToDesc", abi::aclrtAllocatorSetFreeFuncToDescFn;
    allocator_set_address = "aclrtAllocatorSetGetAddrFromBlockFuncToDesc",
        abi::aclrtAllocatorSetGetAddrFromBlockFuncToDescFn;
    allocator_register = "aclrtAllocatorRegister", abi::aclrtAllocatorRegisterFn;
    create_tensor = "aclCreateTensor", abi::aclCreateTensorFn;
    destroy_tensor = "aclDestroyTensor", abi::aclDestroyTensorFn;
    abs_plan = "aclnnAbsGetWorkspaceSize", graph::PlanFn;
    abs_run = "aclnnAbs", graph::RunFn;
    capture_begin = "aclmdlRICaptureBegin", abi::aclmdlRICaptureBeginFn;
    capture_end = "aclmdlRICaptureEnd", abi::aclmdlRICaptureEndFn;
    graph_launch = "aclmdlRIExecuteAsync", abi::aclmdlRIExecuteAsyncFn;
    graph_destroy = "aclmdlRIDestroy", abi::aclmdlRIDestroyFn;
}

impl Acl {
    /// Loads `path`, or the library beside this program, and sets device 0.
    pub(crate) fn load(path: Option<&Path>) -> Result<Self, String> {
        let found = match path {
            Some(path) => path.to_owned(),
            None => beside_this_program(LIBRARY)?,
        };
        if path.is_none() && !found.is_file() {
            return Err(format!(
                "there is no {LIBRARY} beside this program\n\
                 hint: cargo build --release -p millpond-capi"
            ));
        }
        let flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
        // SAFETY: loading runs the library's constructors; it is the library to be measured.
        let library = unsafe { Library::open(Some(&found), flags) }.map_err(|error| {
            let reason = error.source().map_or_else(String::new, ToString::to_string);
            format!("{} cannot be loaded: {error}: {reason}", found.display())
        })?;
        let acl = Self::find(&library)?;
        // SAFETY: a null path means no configuration file.
        acl.check("aclInit", unsafe { (acl.init)(null()) })?;
        // SAFETY: any number may be passed.
        acl.check("aclrtSetDevice", unsafe { (acl.set_device)(0) })?;
        Ok(acl)
    }

    /// Turns a code into a sentence.
    pub(crate) fn check(&self, name: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: it takes nothing and may be called at any time.
        let message = unsafe { (self.recent_message)() };
        let message = if message.is_null() {
            "no message".into()
        } else {
            // SAFETY: not null, and a C string until the next call on this thread, which comes later.
            unsafe { CStr::from_ptr(message) }.to_string_lossy()
        };
        Err(format!("{name} returned {code}: {message}"))
    }

    /// `aclrtMallocAlign32` and `aclrtFree`.
    #[inline]
    pub(crate) fn alloc_and_free(&self, bytes: usize) -> c_int {
        let mut block = null_mut();
        // SAFETY: `block` is writable.
        let code =
            unsafe { (self.malloc_align32)(&raw mut block, bytes, abi::ACL_MEM_MALLOC_HUGE_FIRST) };
        if code != 0 {
            return code;
        }
        // SAFETY: any address may be passed.
        unsafe { (self.free)(block) }
    }

    /// Device memory.
    pub(crate) fn device_memory(&self, bytes: usize) -> Result<DeviceMemory<'_>, String> {
        let mut start = null_mut();
        // SAFETY: `start` is writable.
        let code =
            unsafe { (self.malloc_align32)(&raw mut start, bytes, abi::ACL_MEM_MALLOC_HUGE_FIRST) };
        self.check("aclrtMallocAlign32", code)?;
        Ok(DeviceMemory {
            acl: self,
            start,
            bytes,
        })
    }

    /// Pinned host memory.
    pub(crate) fn host_memory(&self, bytes: usize) -> Result<HostMemory<'_>, String> {
        let mut start = null_mut();
        // SAFETY: `start` is writable.
        let code = unsafe { (self.malloc_host)(&raw mut start, bytes) };
        self.check("aclrtMallocHost", code)?;
        Ok(HostMemory {
            acl: self,
            start,
            bytes,
        })
    }

    pub(crate) fn stream(&self) -> Result<Stream<'_>, String> {
        let mut handle = null_mut();
        // SAFETY: `handle` is writable.
        let code = unsafe { (self.create_stream)(&raw mut handle) };
        self.check("aclrtCreateStream", code)?;
        Ok(Stream { acl: self, handle })
    }

    /// An event that was never recorded: streams wait for it.
    pub(crate) fn event(&self) -> Result<Event<'_>, String> {
        let mut handle = null_mut();
        // SAFETY: `handle` is writable.
        let code = unsafe { (self.create_event)(&raw mut handle) };
        self.check("aclrtCreateEvent", code)?;
        Ok(Event { acl: self, handle })
    }

    /// Copies all of `from` to `to`, now.
    pub(crate) fn to_device(&self, to: &DeviceMemory<'_>, from: &HostMemory<'_>) -> c_int {
        let kind = abi::ACL_MEMCPY_HOST_TO_DEVICE;
        // SAFETY: both are memory of the library.
        unsafe { (self.memcpy)(to.start, to.bytes, from.start, from.bytes, kind) }
    }

    /// Copies all of `from` to `to`, now.
    pub(crate) fn to_host(&self, to: &HostMemory<'_>, from: &DeviceMemory<'_>) -> c_int {
        let kind = abi::ACL_MEMCPY_DEVICE_TO_HOST;
        // SAFETY: both are memory of the library.
        unsafe { (self.memcpy)(to.start, to.bytes, from.start, from.bytes, kind) }
    }
}

impl Drop for Acl {
    fn drop(&mut self) {
        // SAFETY: any number may be passed.
        unsafe { (self.reset_device)(0) };
        // SAFETY: it takes nothing and may be called at any time.
        unsafe { (self.finalize)() };
    }
}

/// A block of device memory.
#[derive(Debug)]
pub(crate) struct DeviceMemory<'acl> {
    acl: &'acl Acl,
    start: *mut c_void,
    bytes: usize,
}

impl DeviceMemory<'_> {
    fn at(&self, offset: usize) -> *mut c_void {
        self.start.wrapping_byte_add(offset)
    }
}

impl Drop for DeviceMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: any address may be passed.
        unsafe { (self.acl.free)(self.start) };
    }
}

/// A block of pinned host memory.
#[derive(Debug)]
pub(crate) struct HostMemory<'acl> {
    acl: &'acl Acl,
    start: *mut c_void,
    bytes: usize,
}

impl HostMemory<'_> {
    /// Its bytes. No stream uses them: all copies to and from host memory here are synchronous, or waited for.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the block is live, as long as this, and reads as zeros at first.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.bytes) }
    }
}

impl Drop for HostMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: any address may be passed.
        unsafe { (self.acl.free_host)(self.start) };
    }
}

/// A stream.
#[derive(Debug)]
pub(crate) struct Stream<'acl> {
    acl: &'acl Acl,
    handle: abi::aclrtStream,
}

impl Stream<'_> {
    pub(crate) fn handle(&self) -> abi::aclrtStream {
        self.handle
    }

    /// `aclrtStreamGetId`: the shortest call that checks a handle.
    #[inline]
    pub(crate) fn id(&self, number: &mut c_int) -> c_int {
        // SAFETY: any handle may be passed; `number` is writable.
        unsafe { (self.acl.stream_get_id)(self.handle, number) }
    }

    /// `aclrtMemsetAsync`: sets `bytes` bytes at `offset`.
    #[inline]
    pub(crate) fn fill(
        &self,
        to: &DeviceMemory<'_>,
        offset: usize,
        value: u8,
        bytes: usize,
    ) -> c_int {
        let (to, value) = (to.at(offset), c_int::from(value));
        // SAFETY: device memory is checked by the library.
        unsafe { (self.acl.memset_async)(to, bytes, value, bytes, self.handle) }
    }

    /// `aclrtMemcpyAsync` inside one block of device memory.
    #[inline]
    pub(crate) fn copy_within(
        &self,
        memory: &DeviceMemory<'_>,
        to: usize,
        from: usize,
        bytes: usize,
    ) -> c_int {
        let (to, from) = (memory.at(to), memory.at(from));
        let kind = abi::ACL_MEMCPY_DEVICE_TO_DEVICE;
        // SAFETY: device memory is checked by the library.
        unsafe { (self.acl.memcpy_async)(to, bytes, from, bytes, kind, self.handle) }
    }

    /// `aclrtMemcpyAsync` of the first bytes of a block of device memory to another.
    #[inline]
    pub(crate) fn copy(
        &self,
        to: &DeviceMemory<'_>,
        from: &DeviceMemory<'_>,
        bytes: usize,
    ) -> c_int {
        let kind = abi::ACL_MEMCPY_DEVICE_TO_DEVICE;
        // SAFETY: device memory is checked by the library.
        unsafe { (self.acl.memcpy_async)(to.start, bytes, from.start, bytes, kind, self.handle) }
    }

    /// `aclrtMemcpyAsync` of all of a block of device memory to pinned memory, and a wait for it.
    pub(crate) fn fetch(
        &self,
        to: &mut HostMemory<'_>,
        from: &DeviceMemory<'_>,
    ) -> Result<(), String> {
        let kind = abi::ACL_MEMCPY_DEVICE_TO_HOST;
        // SAFETY: both are memory of the library.
        let code = unsafe {
            (self.acl.memcpy_async)(
                to.start,
                to.bytes,
                from.start,
                from.bytes,
                kind,
                self.handle,
            )
        };
        self.acl.check("aclrtMemcpyAsync", code)?;
        self.synchronize()
    }

    pub(crate) fn wait(&self, event: &Event<'_>) -> Result<(), String> {
        // SAFETY: any handles may be passed.
        let code = unsafe { (self.acl.stream_wait_event)(self.handle, event.handle) };
        self.acl.check("aclrtStreamWaitEvent", code)
    }

    pub(crate) fn record(&self, event: &Event<'_>) -> Result<(), String> {
        // SAFETY: any handles may be passed.
        let code = unsafe { (self.acl.record_event)(event.handle, self.handle) };
        self.acl.check("aclrtRecordEvent", code)
    }

    pub(crate) fn synchronize(&self) -> Result<(), String> {
        // SAFETY: any handle may be passed.
        let code = unsafe { (self.acl.synchronize_stream)(self.handle) };
        self.acl.check("aclrtSynchronizeStream", code)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: any handle may be passed.
        unsafe { (self.acl.destroy_stream)(self.handle) };
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event<'acl> {
    acl: &'acl Acl,
    handle: abi::aclrtEvent,
}

impl Event<'_> {
    /// Whether the stream that it was recorded on has come to it.
    pub(crate) fn reached(&self) -> Result<bool, String> {
        let mut status = 0;
        // SAFETY: any handle may be passed; `status` is writable.
        let code = unsafe { (self.acl.query_event_status)(self.handle, &raw mut status) };
        self.acl.check("aclrtQueryEventStatus", code)?;
        Ok(status == abi::ACL_EVENT_RECORDED_STATUS_COMPLETE)
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: any handle may be passed.
        unsafe { (self.acl.destroy_event)(self.handle) };
    }
}
