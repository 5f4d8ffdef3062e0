//! The table of the driver's functions that are used.
//!
//! Names are those that the library exports: the driver keeps old versions of a function under its plain name, and
//! programs that are compiled against its header get the versioned ones.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;

use crate::error::{Code, Error};
use crate::library::Library;

/// Text of a code.
type TextOf = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// A function that the driver runs when a stream reaches it.
pub(crate) type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Where memory is: `kind` 1 is a device, `id` its number.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Location {
    pub(crate) kind: c_int,
    pub(crate) id: c_int,
}

/// What physical memory is asked for.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Property {
    /// 1: pages that stay.
    pub(crate) kind: c_int,
    /// What the handle can be exported as: 0 nothing, 1 a file descriptor.
    pub(crate) exported_as: c_int,
    pub(crate) location: Location,
    pub(crate) windows_only: *mut c_void,
    pub(crate) compression: u8,
    pub(crate) rdma: u8,
    pub(crate) usage: u16,
    pub(crate) reserved: [u8; 4],
}

/// Who may access mapped memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) location: Location,
    /// 0 nobody, 1 read, 3 read and write.
    pub(crate) flags: c_int,
}

const _: () = assert!(size_of::<Property>() == 32 && size_of::<Access>() == 12);

macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) = $symbol:literal;)*) => {
        /// The functions, found once.
        pub(crate) struct Calls {
            $($name: unsafe extern "C" fn($($type),*) -> c_int,)*
            error_name: TextOf,
            error_text: TextOf,
        }

        impl Calls {
            pub(crate) fn find(library: &Library) -> Result<Self, Error> {
                Ok(Self {
                    $($name: {
                        let found = library.find(symbol(concat!($symbol, "\0")))?;
                        // SAFETY: the driver's function of this versioned name has this type in every release.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(
                                found.as_ptr(),
                            )
                        }
                    },)*
                    error_name: text_of(library, c"cuGetErrorName")?,
                    error_text: text_of(library, c"cuGetErrorString")?,
                })
            }

            $(
                /// The call of this name, with its code as an error.
                ///
                /// # Safety
                /// The driver's conditions for its arguments.
                #[inline]
                pub(crate) unsafe fn $name(&self, $($argument: $type),*) -> Result<(), Error> {
                    // SAFETY: the caller promises what the driver asks for.
                    let code = unsafe { (self.$name)($($argument),*) };
                    if code == 0 {
                        return Ok(());
                    }
                    Err(self.refused($symbol, code))
                }
            )*
        }
    };
}

calls! {
    init(flags: c_uint) = "cuInit";
    driver_version(version: *mut c_int) = "cuDriverGetVersion";
    device_count(count: *mut c_int) = "cuDeviceGetCount";
    device_get(device: *mut c_int, index: c_int) = "cuDeviceGet";
    device_name(name: *mut c_char, bytes: c_int, device: c_int) = "cuDeviceGetName";
    device_memory(bytes: *mut usize, device: c_int) = "cuDeviceTotalMem_v2";
    device_attribute(value: *mut c_int, attribute: c_int, device: c_int) = "cuDeviceGetAttribute";
    device_bus(id: *mut c_char, bytes: c_int, device: c_int) = "cuDeviceGetPCIBusId";
    device_reaches(can: *mut c_int, device: c_int, peer: c_int) = "cuDeviceCanAccessPeer";
    primary_retain(context: *mut usize, device: c_int) = "cuDevicePrimaryCtxRetain";
    primary_release(device: c_int) = "cuDevicePrimaryCtxRelease_v2";
    primary_state(device: c_int, flags: *mut c_uint, active: *mut c_int) = "cuDevicePrimaryCtxGetState";
    context_push(context: usize) = "cuCtxPushCurrent_v2";
    context_pop(context: *mut usize) = "cuCtxPopCurrent_v2";
    context_current(context: *mut usize) = "cuCtxGetCurrent";
    context_set(context: usize) = "cuCtxSetCurrent";
    context_device(device: *mut c_int) = "cuCtxGetDevice";
    context_synchronize() = "cuCtxSynchronize";
    context_reach_peer(peer: usize, flags: c_uint) = "cuCtxEnablePeerAccess";
    memory_info(free: *mut usize, total: *mut usize) = "cuMemGetInfo_v2";
    memory_alloc(address: *mut u64, bytes: usize) = "cuMemAlloc_v2";
    memory_free(address: u64) = "cuMemFree_v2";
    host_alloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) = "cuMemHostAlloc";
    host_free(address: *mut c_void) = "cuMemFreeHost";
    host_register(address: *mut c_void, bytes: usize, flags: c_uint) = "cuMemHostRegister_v2";
    host_unregister(address: *mut c_void) = "cuMemHostUnregister";
    host_address(device: *mut u64, host: *mut c_void, flags: c_uint) = "cuMemHostGetDevicePointer_v2";
    granularity(bytes: *mut usize, property: *const Property, option: c_int) = "cuMemGetAllocationGranularity";
    reserve(address: *mut u64, bytes: usize, alignment: usize, wanted: u64, flags: u64) = "cuMemAddressReserve";
    address_free(address: u64, bytes: usize) = "cuMemAddressFree";
    create(handle: *mut u64, bytes: usize, property: *const Property, flags: u64) = "cuMemCreate";
    release(handle: u64) = "cuMemRelease";
    map(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64) = "cuMemMap";
    unmap(address: u64, bytes: usize) = "cuMemUnmap";
    set_access(address: u64, bytes: usize, access: *const Access, count: usize) = "cuMemSetAccess";
    export(shared: *mut c_void, handle: u64, kind: c_int, flags: u64) = "cuMemExportToShareableHandle";
    import(handle: *mut u64, shared: *mut c_void, kind: c_int) = "cuMemImportFromShareableHandle";
    copy(to: u64, from: u64, bytes: usize, stream: usize) = "cuMemcpyAsync";
    copy_to_device(to: u64, from: *const c_void, bytes: usize, stream: usize) = "cuMemcpyHtoDAsync_v2";
    copy_to_host(to: *mut c_void, from: u64, bytes: usize, stream: usize) = "cuMemcpyDtoHAsync_v2";
    copy_within(to: u64, from: u64, bytes: usize, stream: usize) = "cuMemcpyDtoDAsync_v2";
    copy_to_peer(to: u64, there: usize, from: u64, here: usize, bytes: usize, stream: usize) = "cuMemcpyPeerAsync";
    fill_bytes(to: u64, value: u8, count: usize, stream: usize) = "cuMemsetD8Async";
    fill_halves(to: u64, value: u16, count: usize, stream: usize) = "cuMemsetD16Async";
    fill_words(to: u64, value: c_uint, count: usize, stream: usize) = "cuMemsetD32Async";
    stream_create(stream: *mut usize, flags: c_uint) = "cuStreamCreate";
    stream_destroy(stream: usize) = "cuStreamDestroy_v2";
    stream_query(stream: usize) = "cuStreamQuery";
    stream_synchronize(stream: usize) = "cuStreamSynchronize";
    stream_wait(stream: usize, event: usize, flags: c_uint) = "cuStreamWaitEvent";
    stream_capturing(stream: usize, state: *mut c_int) = "cuStreamIsCapturing";
    stream_context(stream: usize, context: *mut usize) = "cuStreamGetCtx";
    launch_function(stream: usize, function: HostFunction, argument: *mut c_void) = "cuLaunchHostFunc";
    event_create(event: *mut usize, flags: c_uint) = "cuEventCreate";
    event_destroy(event: usize) = "cuEventDestroy_v2";
    event_record(event: usize, stream: usize) = "cuEventRecord";
    event_query(event: usize) = "cuEventQuery";
    event_synchronize(event: usize) = "cuEventSynchronize";
    event_elapsed(milliseconds: *mut f32, start: usize, end: usize) = "cuEventElapsedTime";
}

impl Calls {
    /// The error of a call, with the driver's name and text of its code.
    #[cold]
    fn refused(&self, call: &'static str, code: c_int) -> Error {
        let text = |of: TextOf| {
            let mut text: *const c_char = std::ptr::null();
            // SAFETY: `text` is written, with a string that is never freed, or null for an unknown code.
            let _known = unsafe { of(code, &raw mut text) };
            (!text.is_null()).then(|| {
                // SAFETY: as above.
                let text = unsafe { CStr::from_ptr(text) };
                text.to_string_lossy().into_owned()
            })
        };
        let unknown = || "a code that this driver does not know".to_owned();
        Error::Refused {
            call,
            code: Code(code),
            name: text(self.error_name).unwrap_or_else(|| "unknown".to_owned()),
            text: text(self.error_text).unwrap_or_else(unknown),
        }
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").finish_non_exhaustive()
    }
}

/// A name of the table, which ends with a zero.
fn symbol(name: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default()
}

fn text_of(library: &Library, symbol: &'static CStr) -> Result<TextOf, Error> {
    let found = library.find(symbol)?;
    // SAFETY: both functions of texts have this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, TextOf>(found.as_ptr()) })
}
