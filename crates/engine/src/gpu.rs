//! Sessions that compute on an NVIDIA GPU, with the library's CUDA provider.
//!
//! The provider takes its memory from the allocator that is registered with the environment for its GPU, as the CPU provider
//! does for the machine's. So a run's requests come to the run's [`RunMemory`](crate::RunMemory), and all others, such as
//! weights, to the [`GpuHeap`] that the first session on this GPU came with. The provider's option `gpu_external_alloc` is not
//! used: it has one function for all GPUs, and puts all runs into the one default stream.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use ort_sys::{OrtAllocatorType, OrtMemType, OrtSessionOptions};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::find;
use crate::library;
use crate::memory::{Allocator, Outside};

/// The library of the CUDA provider, which a GPU build has beside its main library.
const PROVIDER: &str = "libonnxruntime_providers_cuda.so";

/// Memory of a GPU for requests outside of runs. Addresses are the GPU's: this process cannot touch the bytes.
pub trait GpuHeap: Send + Sync + fmt::Debug {
    /// Allocates `bytes` bytes at a multiple of 256; `None` if the GPU has no more.
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Frees what `alloc` returned.
    fn free(&self, start: NonNull<u8>);
}

/// A GPU that a session computes on.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// Its number among those that the driver shows to this process.
    pub index: u32,
    /// Memory for what sessions keep. All sessions of the process on this GPU use the heap of the first one.
    pub heap: Arc<dyn GpuHeap>,
}

impl Engine {
    /// Whether this is a build for GPUs: its CUDA provider is beside it. Loading the provider may still fail.
    pub fn has_cuda(&self) -> bool {
        self.file.with_file_name(PROVIDER).is_file()
    }

    /// The allocator of a GPU, registered if it is not yet.
    pub(crate) fn on(&self, gpu: &Gpu) -> Result<&'static Allocator, EngineError> {
        let mut gpus = self.gpus.lock();
        if let Some(allocator) = gpus.get(&gpu.index) {
            return Ok(allocator);
        }
        if self.throw.is_none() {
            return Err(EngineError::Refused(
                "its C++ library is not visible, so Millpond could not report to it that a GPU is out of memory"
                    .to_owned(),
            ));
        }
        let index = i32::try_from(gpu.index).unwrap_or(i32::MAX);
        let mut info = ptr::null_mut();
        // SAFETY: the name is a string, and one pointer is written.
        self.api.check(unsafe {
            (self.api.table.CreateMemoryInfo)(
                c"Cuda".as_ptr(),
                OrtAllocatorType::OrtDeviceAllocator,
                index,
                OrtMemType::OrtMemTypeDefault,
                &raw mut info,
            )
        })?;
        let outside = Outside::gpu(gpu);
        let allocator: &'static Allocator =
            Box::leak(Box::new(Allocator::new(info, self.throw, outside)));
        // SAFETY: the allocator is leaked and never freed.
        let registered = unsafe { (self.api.table.RegisterAllocator)(self.env, allocator.table()) };
        self.api.check(registered)?;
        gpus.insert(gpu.index, allocator);
        Ok(allocator)
    }

    /// Makes a session use the CUDA provider.
    pub(crate) fn append_cuda(
        &self,
        session: *mut OrtSessionOptions,
        gpu: u32,
    ) -> Result<(), EngineError> {
        let (api, table) = (self.api, self.api.table);
        let mut options = ptr::null_mut();
        // SAFETY: writes one pointer.
        api.check(unsafe { (table.CreateCUDAProviderOptions)(&raw mut options) })?;
        let device = format!("{gpu}\0");
        let settings = [
            (c"device_id".as_ptr(), device.as_ptr().cast()),
            // 32-bit floats are computed in full precision.
            (c"use_tf32".as_ptr(), c"0".as_ptr()),
            // Copies run in the kernels' stream, so a run may reuse what it has freed at once.
            (c"do_copy_in_default_stream".as_ptr(), c"1".as_ptr()),
            // An exhaustive search would time all algorithms, with different workspace each time.
            (c"cudnn_conv_algo_search".as_ptr(), c"HEURISTIC".as_ptr()),
            // The choice of kernels must not depend on timing either.
            (c"tunable_op_enable".as_ptr(), c"0".as_ptr()),
            (c"enable_cuda_graph".as_ptr(), c"0".as_ptr()),
        ];
        let keys = settings.map(|(key, _)| key);
        let values = settings.map(|(_, value)| value);
        // SAFETY: the options are live; both arrays have that many strings, which the call copies.
        let set = api.check(unsafe {
            (table.UpdateCUDAProviderOptions)(
                options,
                keys.as_ptr(),
                values.as_ptr(),
                settings.len(),
            )
        });
        let append = || {
            // SAFETY: both are live.
            api.check(unsafe {
                (table.SessionOptionsAppendExecutionProvider_CUDA_V2)(session, options)
            })
        };
        let appended = set.and_then(|()| {
            append().or_else(|error| {
                // The loader does not search the folders of NVIDIA's Python packages.
                let files = find::cuda_beside(&self.file);
                if files.is_empty() {
                    return Err(error);
                }
                library::preload(&files);
                append()
            })
        });
        // SAFETY: created above, released once.
        unsafe { (table.ReleaseCUDAProviderOptions)(options) };
        appended
    }
}
