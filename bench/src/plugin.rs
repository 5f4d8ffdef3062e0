//! The plug-in's callbacks, called as a runtime calls them: through the descriptor's pointers.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use millpond_abi as abi;

use crate::acl::Stream;
use crate::peers::beside_this_program;

const LIBRARY: &str = "libmillpond_plugin.so";

type Create =
    unsafe extern "C" fn(abi::aclrtStream, *const c_void, *mut abi::aclrtAllocatorDesc) -> c_int;
type Destroy = unsafe extern "C" fn(abi::aclrtAllocatorDesc) -> c_int;

/// What a descriptor of our own runtime is: five pointers, and these are the first.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Description {
    object: abi::aclrtAllocator,
    alloc: abi::aclrtAllocatorAllocFunc,
    free: abi::aclrtAllocatorFreeFunc,
}

/// A descriptor for a stream.
#[derive(Debug)]
pub(crate) struct Plugin<'stream, 'acl> {
    object: abi::aclrtAllocator,
    alloc: unsafe extern "C-unwind" fn(abi::aclrtAllocator, usize) -> *mut c_void,
    free: unsafe extern "C-unwind" fn(abi::aclrtAllocator, *mut c_void),
    destroy: Destroy,
    descriptor: abi::aclrtAllocatorDesc,
    /// Which must outlive the descriptor.
    _stream: &'stream Stream<'acl>,
}

/// A block of the plug-in's.
#[derive(Debug)]
pub(crate) struct Block(*mut c_void);

impl<'stream, 'acl> Plugin<'stream, 'acl> {
    /// Loads the plug-in beside this program. It finds the runtime that the stream is of by its name.
    pub(crate) fn load(stream: &'stream Stream<'acl>) -> Result<Self, String> {
        let path = beside_this_program(LIBRARY)?;
        if !path.is_file() {
            return Err(format!(
                "there is no {LIBRARY} beside this program\n\
                 hint: cargo build --release -p millpond-plugin"
            ));
        }
        let flags = RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE;
        let words = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: loading runs the library's constructors; it is the library to be measured.
        let library = unsafe { Library::open(Some(&path), flags) }.map_err(words)?;
        // SAFETY: the header declares the function so.
        let create = *unsafe { library.get::<Create>("millpondAllocatorCreate") }.map_err(words)?;
        // SAFETY: as above.
        let destroy =
            *unsafe { library.get::<Destroy>("millpondAllocatorDestroy") }.map_err(words)?;
        let mut descriptor = null_mut();
        // SAFETY: without options; `descriptor` is writable.
        let code = unsafe { create(stream.handle(), null(), &raw mut descriptor) };
        if code != 0 {
            return Err(format!("millpondAllocatorCreate returned {code}"));
        }
        // SAFETY: descriptors of our runtime are five pointers that stay for ever.
        let made = unsafe { descriptor.cast::<Description>().read() };
        let (Some(alloc), Some(free)) = (made.alloc, made.free) else {
            return Err("the descriptor has no callbacks".to_owned());
        };
        Ok(Self {
            object: made.object,
            alloc,
            free,
            destroy,
            descriptor,
            _stream: stream,
        })
    }

    #[inline]
    pub(crate) fn alloc(&self, bytes: usize) -> Option<Block> {
        // SAFETY: the object is the descriptor's.
        let block = unsafe { (self.alloc)(self.object, bytes) };
        (!block.is_null()).then_some(Block(block))
    }

    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "the block is given up")]
    pub(crate) fn free(&self, block: Block) {
        // SAFETY: the object is the descriptor's; the plug-in checks the block.
        unsafe { (self.free)(self.object, block.0) };
    }
}

impl Drop for Plugin<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the descriptor is live, and so is its stream.
        unsafe { (self.destroy)(self.descriptor) };
    }
}
