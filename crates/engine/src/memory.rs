//! The allocators that are registered with the engine: one for the machine's memory, and one for each GPU in use. They forward
//! requests to the run on the current thread.
//!
//! The engine has one allocator for each kind of memory, for all sessions, so a run stores its memory in a thread-local variable while it
//! lasts. Requests on threads without a run, such as the engine's helper threads or the loading of models, are served
//! from the heap. A run has one kind of memory: that of the place where its session computes. In a session on a GPU, nodes on the
//! CPU get their memory from the heap, too.
//!
//! The engine's kernels do not check for NULL: the engine's own allocators throw a C++ exception when out of memory. This one
//! does too, because a kernel would write to whatever else it got before the run can be terminated. If the exception
//! function is not available, the allocator returns writable placeholder addresses and terminates the run. In both cases
//! the failed request is recorded.
#![expect(unsafe_code, reason = "is called by the engine")]

use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use ort_sys::{OrtAllocator, OrtMemoryInfo, OrtRunOptions};
use parking_lot::Mutex;

use crate::api::Api;
use crate::gpu::{Gpu, GpuHeap};
use crate::heap::{ALIGNMENT, Heap};
use crate::library::Throw;

/// The memory of a run, where its session computes: the machine's, or that of the session's GPU. Called on the thread of the run,
/// one call at a time.
///
/// # Safety
/// `alloc` must return that many bytes that nothing else uses until `free` is called with them or the run is
/// over. On a GPU, kernels may still use freed memory, so only the run itself may reuse it before the run is over.
pub unsafe trait RunMemory {
    /// Allocates `bytes` bytes, aligned to 64 bytes, or to 256 on a GPU; `None` if out of memory.
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Frees an allocation; false if it did not come from this memory.
    fn free(&self, start: NonNull<u8>) -> bool;
}

thread_local! {
    /// The run on this thread.
    static CURRENT: Cell<Option<NonNull<Scope<'static>>>> = const { Cell::new(None) };
}

/// A run as seen by the allocator.
pub(crate) struct Scope<'a> {
    memory: &'a dyn RunMemory,
    api: Api,
    options: *mut OrtRunOptions,
    /// The GPU that its session computes on.
    gpu: Option<u32>,
    /// The bytes of the first failed request.
    refused: Cell<Option<usize>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(
        memory: &'a dyn RunMemory,
        api: Api,
        options: *mut OrtRunOptions,
        gpu: Option<u32>,
    ) -> Self {
        Self {
            memory,
            api,
            options,
            gpu,
            refused: Cell::new(None),
        }
    }

    /// The bytes of the first failed request, if any.
    pub(crate) fn refused(&self) -> Option<usize> {
        self.refused.get()
    }

    /// Serves the engine's requests on this thread until the returned guard is dropped.
    pub(crate) fn enter(&self) -> Entered<'_> {
        Entered::with(Some(NonNull::from(self).cast()))
    }

    #[cold]
    fn refuse(&self, bytes: usize) {
        self.refused.set(Some(self.refused.get().unwrap_or(bytes)));
        // SAFETY: the options belong to this run.
        let status = unsafe { (self.api.table.RunOptionsSetTerminate)(self.options) };
        // If this fails, the run continues on placeholder memory and fails at the end.
        drop(self.api.check(status));
    }
}

/// A guard: while it lives, requests on this thread go to its scope.
pub(crate) struct Entered<'a> {
    outer: Option<NonNull<Scope<'static>>>,
    scope: PhantomData<&'a ()>,
}

impl Entered<'_> {
    fn with(scope: Option<NonNull<Scope<'static>>>) -> Self {
        Self {
            outer: CURRENT.replace(scope),
            scope: PhantomData,
        }
    }

    /// Requests on this thread belong to no run: a model is loaded or unloaded, perhaps by a program's allocator
    /// in the middle of a run.
    pub(crate) fn nobody() -> Entered<'static> {
        Entered::with(None)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
    }
}

/// Functions that may throw, and how the engine's table declares them.
type Alloc = unsafe extern "C-unwind" fn(*mut OrtAllocator, usize) -> *mut c_void;
type PlainAlloc = unsafe extern "system" fn(*mut OrtAllocator, usize) -> *mut c_void;
type Reserve = unsafe extern "C-unwind" fn(*const OrtAllocator, usize) -> *mut c_void;
type PlainReserve = unsafe extern "system" fn(*const OrtAllocator, usize) -> *mut c_void;

/// What serves requests outside of runs.
#[derive(Debug)]
pub(crate) enum Outside {
    Host(Heap),
    Gpu {
        index: u32,
        heap: Arc<dyn GpuHeap>,
        /// Addresses of live allocations. Any other address belongs to a run, whose memory is freed as a whole.
        live: Mutex<HashSet<usize>>,
    },
}

impl Outside {
    pub(crate) fn gpu(gpu: &Gpu) -> Self {
        Self::Gpu {
            index: gpu.index,
            heap: Arc::clone(&gpu.heap),
            live: Mutex::default(),
        }
    }

    /// The GPU that it is on.
    fn index(&self) -> Option<u32> {
        match self {
            Self::Host(_) => None,
            Self::Gpu { index, .. } => Some(*index),
        }
    }

    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        match self {
            Self::Host(heap) => heap.alloc(bytes),
            Self::Gpu { heap, live, .. } => {
                let start = heap.alloc(bytes.max(1))?;
                live.lock().insert(start.as_ptr().addr());
                Some(start)
            }
        }
    }

    fn free(&self, start: NonNull<u8>) {
        match self {
            Self::Host(heap) => heap.free(start),
            Self::Gpu { heap, live, .. } => {
                if live.lock().remove(&start.as_ptr().addr()) {
                    heap.free(start);
                }
            }
        }
    }
}

/// A registered allocator. The engine's part comes first, so a pointer to it also points to the whole.
#[repr(C)]
pub(crate) struct Allocator {
    table: OrtAllocator,
    info: *const OrtMemoryInfo,
    outside: Outside,
    throw: Option<Throw>,
}

// SAFETY: the description is never written and lives as long as the process; the rest may be used from any thread.
unsafe impl Send for Allocator {}
// SAFETY: as above.
unsafe impl Sync for Allocator {}

impl std::fmt::Debug for Allocator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Allocator")
            .field("outside", &self.outside)
            .finish_non_exhaustive()
    }
}

impl Allocator {
    pub(crate) fn new(info: *const OrtMemoryInfo, throw: Option<Throw>, outside: Outside) -> Self {
        // SAFETY: only the engine calls it, from C++, where every function may throw.
        let alloc = unsafe { std::mem::transmute::<Alloc, PlainAlloc>(alloc) };
        // SAFETY: as above.
        let reserve = unsafe { std::mem::transmute::<Reserve, PlainReserve>(reserve) };
        Self {
            table: OrtAllocator {
                // The first version that has `Reserve`, and the last whose functions are all here.
                version: 18,
                Alloc: Some(alloc),
                Free: Some(free),
                Info: Some(described),
                Reserve: Some(reserve),
            },
            info,
            outside,
            throw,
        }
    }

    /// The memory that it is for.
    pub(crate) fn info(&self) -> *const OrtMemoryInfo {
        self.info
    }

    /// The GPU that it is for.
    pub(crate) fn gpu(&self) -> Option<u32> {
        self.outside.index()
    }

    pub(crate) fn table(&'static self) -> *mut OrtAllocator {
        (&raw const self.table).cast_mut()
    }
}

/// The run on this thread, if it computes in this allocator's kind of memory.
fn current(allocator: &Allocator) -> Option<&'static Scope<'static>> {
    // SAFETY: the scope lives while its run is on this thread, which is where this is called from.
    let scope = CURRENT.get().map(|scope| unsafe { scope.as_ref() });
    scope.filter(|scope| scope.gpu == allocator.gpu())
}

/// # Safety
/// `this` was returned by [`Allocator::table`].
unsafe fn of<'a>(this: *const OrtAllocator) -> &'a Allocator {
    // SAFETY: the table is the first field of an allocator that is never dropped.
    unsafe { &*this.cast::<Allocator>() }
}

/// Allocates from the run on this thread, otherwise from the heap. A panic aborts here: the engine could not handle it.
unsafe extern "C" fn ask(this: *const OrtAllocator, bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: the engine passes the registered allocator.
    let allocator = unsafe { of(this) };
    let start = match current(allocator) {
        None => allocator.outside.alloc(bytes)?,
        Some(scope) => {
            let given = scope.memory.alloc(bytes.max(1));
            if given.is_none() {
                scope.refuse(bytes);
            }
            given?
        }
    };
    debug_assert_eq!(
        start.as_ptr().addr() % ALIGNMENT,
        0,
        "the engine's kernels expect this alignment"
    );
    Some(start)
}

/// For memory that a session keeps.
unsafe extern "C" fn ask_heap(this: *const OrtAllocator, bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: the engine passes the registered allocator.
    let allocator = unsafe { of(this) };
    allocator.outside.alloc(bytes)
}

/// Out of memory. Unwinding through our functions is safe: they hold nothing to clean up.
#[cold]
unsafe extern "C-unwind" fn lack(this: *const OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the engine passes the registered allocator.
    let allocator = unsafe { of(this) };
    if let Some(throw) = allocator.throw {
        // SAFETY: it takes nothing; the engine catches what it throws.
        unsafe { throw() }
    }
    match &allocator.outside {
        Outside::Host(heap) => heap.stand_in(bytes).as_ptr().cast(),
        // Never reached: a GPU's allocator is registered only with a function that throws, because kernels could not write to a
        // placeholder.
        Outside::Gpu { .. } => ptr::null_mut(),
    }
}

unsafe extern "C-unwind" fn alloc(this: *mut OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the engine passes the registered allocator.
    match unsafe { ask(this, bytes) } {
        Some(start) => start.as_ptr().cast(),
        // SAFETY: as above.
        None => unsafe { lack(this, bytes) },
    }
}

unsafe extern "C-unwind" fn reserve(this: *const OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the engine passes the registered allocator.
    match unsafe { ask_heap(this, bytes) } {
        Some(start) => start.as_ptr().cast(),
        // SAFETY: as above.
        None => unsafe { lack(this, bytes) },
    }
}

unsafe extern "system" fn free(this: *mut OrtAllocator, start: *mut c_void) {
    let Some(start) = NonNull::new(start.cast::<u8>()) else {
        return;
    };
    // SAFETY: the engine passes the registered allocator.
    let allocator = unsafe { of(this) };
    if current(allocator).is_some_and(|scope| scope.memory.free(start)) {
        return;
    }
    allocator.outside.free(start);
}

unsafe extern "system" fn described(this: *const OrtAllocator) -> *const OrtMemoryInfo {
    // SAFETY: the engine passes the registered allocator.
    let allocator = unsafe { of(this) };
    allocator.info
}
