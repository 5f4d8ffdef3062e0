//! The allocator that the engine is given. It asks whoever runs on this thread.
//!
//! The engine knows one allocator for all sessions. So a run puts its memory where the allocator finds it, in
//! a variable of the thread, for as long as it lasts. Requests on threads that run nothing, the
//! engine's own helpers and the loading of models, are served from the heap.
//!
//! The engine's kernels do not look whether they got memory: its own allocators throw a C++ exception where there is none, and
//! so does this one, because a kernel that got anything else would fill it before the run can be stopped. Where the
//! exception cannot be had, a refusal is answered with addresses that can be written to, and the run is told to stop. In
//! both cases it is remembered that there was none.
#![expect(unsafe_code, reason = "is called by the engine")]

use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use ort_sys::{OrtAllocator, OrtMemoryInfo, OrtRunOptions};

use crate::api::Api;
use crate::heap::{ALIGNMENT, Heap};
use crate::library::Throw;

/// Where a run gets memory from. It is asked on the thread that runs, one call at a time.
///
/// # Safety
/// What `alloc` answers must be that many bytes that are nobody else's, until `free` was called with them or
/// the run is over.
pub unsafe trait RunMemory {
    /// `bytes` bytes, at a multiple of 64, or nothing.
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Takes back what `alloc` gave; false if it was not given by this.
    fn free(&self, start: NonNull<u8>) -> bool;
}

thread_local! {
    /// The run on this thread.
    static CURRENT: Cell<Option<NonNull<Scope<'static>>>> = const { Cell::new(None) };
}

/// A run, as the allocator sees it.
pub(crate) struct Scope<'a> {
    memory: &'a dyn RunMemory,
    api: Api,
    options: *mut OrtRunOptions,
    /// What there was no memory for.
    refused: Cell<Option<usize>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(memory: &'a dyn RunMemory, api: Api, options: *mut OrtRunOptions) -> Self {
        Self {
            memory,
            api,
            options,
            refused: Cell::new(None),
        }
    }

    /// What there was no memory for.
    pub(crate) fn refused(&self) -> Option<usize> {
        self.refused.get()
    }

    /// Serves the engine's requests on this thread until the answer is dropped.
    pub(crate) fn enter(&self) -> Entered<'_> {
        Entered::with(Some(NonNull::from(self).cast()))
    }

    #[cold]
    fn refuse(&self, bytes: usize) {
        self.refused.set(Some(self.refused.get().unwrap_or(bytes)));
        // SAFETY: the options belong to this run.
        let status = unsafe { (self.api.table.RunOptionsSetTerminate)(self.options) };
        // Not told to stop it would go on with addresses that can be written to, and fail at the end.
        drop(self.api.check(status));
    }
}

/// While this lives, requests on this thread go where it says.
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

    /// Requests on this thread are nobody's: models are loaded and unloaded, perhaps by an allocator of a
    /// program in the middle of a run.
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

/// What the engine holds: its own part first, so that the two have one address.
#[repr(C)]
pub(crate) struct Allocator {
    table: OrtAllocator,
    info: *const OrtMemoryInfo,
    heap: Heap,
    throw: Option<Throw>,
}

impl Allocator {
    pub(crate) fn new(info: *const OrtMemoryInfo, throw: Option<Throw>) -> Self {
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
            heap: Heap::default(),
            throw,
        }
    }

    pub(crate) fn table(&'static self) -> *mut OrtAllocator {
        (&raw const self.table).cast_mut()
    }
}

fn current() -> Option<&'static Scope<'static>> {
    // SAFETY: it is there while somebody is inside its run on this thread, which is where we are called from.
    CURRENT.get().map(|scope| unsafe { scope.as_ref() })
}

/// # Safety
/// `this` is what [`Allocator::table`] answered.
unsafe fn heap<'a>(this: *const OrtAllocator) -> &'a Heap {
    // SAFETY: the table is the first field of an allocator that is never dropped.
    unsafe { &(*this.cast::<Allocator>()).heap }
}

/// Asks whoever runs on this thread, else the heap. A panic ends here: the engine could do nothing with it.
unsafe extern "C" fn ask(this: *const OrtAllocator, bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: the engine passes what it was given.
    let heap = unsafe { heap(this) };
    let start = match current() {
        None => heap.alloc(bytes)?,
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
        "the engine's kernels like it so"
    );
    Some(start)
}

/// For memory that a session keeps.
unsafe extern "C" fn ask_heap(this: *const OrtAllocator, bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: the engine passes what it was given.
    let heap = unsafe { heap(this) };
    heap.alloc(bytes)
}

/// There is no memory. Nothing of ours is left undone in the functions that this throws through.
#[cold]
unsafe extern "C-unwind" fn lack(this: *const OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the table is the first field of an allocator that is never dropped.
    let allocator = unsafe { &*this.cast::<Allocator>() };
    if let Some(throw) = allocator.throw {
        // SAFETY: it takes nothing; the engine catches what it throws.
        unsafe { throw() }
    }
    allocator.heap.stand_in(bytes).as_ptr().cast()
}

unsafe extern "C-unwind" fn alloc(this: *mut OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the engine passes what it was given.
    match unsafe { ask(this, bytes) } {
        Some(start) => start.as_ptr().cast(),
        // SAFETY: as above.
        None => unsafe { lack(this, bytes) },
    }
}

unsafe extern "C-unwind" fn reserve(this: *const OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the engine passes what it was given.
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
    if current().is_some_and(|scope| scope.memory.free(start)) {
        return;
    }
    // SAFETY: the engine passes what it was given.
    let heap = unsafe { heap(this) };
    heap.free(start);
}

unsafe extern "system" fn described(this: *const OrtAllocator) -> *const OrtMemoryInfo {
    // SAFETY: the table is the first field of an allocator that is never dropped.
    unsafe { (*this.cast::<Allocator>()).info }
}
