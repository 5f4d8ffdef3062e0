//! The AscendCL runtime that the process has: its functions, found by name.
//!
//! What the program has linked or opened comes first; only if that has no AscendCL is `libascendcl.so`
//! opened. It stays open: a descriptor may be used until the process ends.
#![expect(unsafe_code, reason = "looks functions up by name and calls them")]

use std::ffi::{CStr, c_void};
use std::sync::{Arc, OnceLock};

use millpond_abi as abi;

use crate::calls::{Calls, Refused};
use crate::exports;

/// The table of functions: required ones are there, optional ones may be.
macro_rules! functions {
    (required { $($required:ident: $required_type:ident,)* }
     optional { $($optional:ident: $optional_type:ident,)* }) => {
        #[expect(non_snake_case, reason = "names are the C names")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct Functions {
            $($required: abi::$required_type,)*
            $($optional: Option<abi::$optional_type>,)*
        }

        impl Functions {
            /// Finds all; fails with the name of the first required one that is missing.
            fn find(library: *mut c_void) -> Result<Self, &'static str> {
                Ok(Self {
                    $($required: {
                        let found = symbol(library, const { name(concat!(stringify!($required), "\0")) });
                        let found = found.ok_or(stringify!($required))?;
                        // SAFETY: the function of this name has this type; the headers say so.
                        unsafe { std::mem::transmute::<*mut c_void, abi::$required_type>(found) }
                    },)*
                    $($optional: {
                        let found = symbol(library, const { name(concat!(stringify!($optional), "\0")) });
                        // SAFETY: as above.
                        found.map(|found| unsafe {
                            std::mem::transmute::<*mut c_void, abi::$optional_type>(found)
                        })
                    },)*
                })
            }
        }
    };
}

functions! {
    required {
        aclrtGetDevice: aclrtGetDeviceFn,
        aclrtGetMemInfo: aclrtGetMemInfoFn,
        aclrtFree: aclrtFreeFn,
        aclrtCreateEvent: aclrtCreateEventFn,
        aclrtDestroyEvent: aclrtDestroyEventFn,
        aclrtRecordEvent: aclrtRecordEventFn,
        aclrtQueryEventStatus: aclrtQueryEventStatusFn,
        aclrtSynchronizeEvent: aclrtSynchronizeEventFn,
        aclrtAllocatorCreateDesc: aclrtAllocatorCreateDescFn,
        aclrtAllocatorDestroyDesc: aclrtAllocatorDestroyDescFn,
        aclrtAllocatorSetObjToDesc: aclrtAllocatorSetObjToDescFn,
        aclrtAllocatorSetAllocFuncToDesc: aclrtAllocatorSetAllocFuncToDescFn,
        aclrtAllocatorSetFreeFuncToDesc: aclrtAllocatorSetFreeFuncToDescFn,
        aclrtAllocatorSetAllocAdviseFuncToDesc: aclrtAllocatorSetAllocAdviseFuncToDescFn,
        aclrtAllocatorSetGetAddrFromBlockFuncToDesc: aclrtAllocatorSetGetAddrFromBlockFuncToDescFn,
    }
    optional {
        aclrtMallocAlign32: aclrtMallocAlign32Fn,
        aclrtMalloc: aclrtMallocFn,
        aclrtStreamQuery: aclrtStreamQueryFn,
        aclrtGetCurrentContext: aclrtGetCurrentContextFn,
        aclrtSetCurrentContext: aclrtSetCurrentContextFn,
        aclrtMemGetAllocationGranularity: aclrtMemGetAllocationGranularityFn,
        aclrtReserveMemAddress: aclrtReserveMemAddressFn,
        aclrtReleaseMemAddress: aclrtReleaseMemAddressFn,
        aclrtMallocPhysical: aclrtMallocPhysicalFn,
        aclrtFreePhysical: aclrtFreePhysicalFn,
        aclrtMapMem: aclrtMapMemFn,
        aclrtUnmapMem: aclrtUnmapMemFn,
        millpondVersion: millpondVersionFn,
    }
}

const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a function's name ends with its only NUL"),
    }
}

fn symbol(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the library is open, or the handle means all of them; the name ends with NUL.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// The process's runtime; or the name of a function that no library has. Looked for until it is found.
pub(crate) fn runtime() -> Result<Arc<dyn Calls>, String> {
    static FOUND: OnceLock<Arc<Functions>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(Arc::clone(found) as Arc<dyn Calls>);
    }
    let found = Functions::find(libc::RTLD_DEFAULT).or_else(|missing| {
        let library = open().ok_or(missing)?;
        Functions::find(library)
    });
    let found = found.map_err(|missing| {
        format!("neither this process nor libascendcl.so has the function {missing}")
    })?;
    let found = Arc::clone(FOUND.get_or_init(|| Arc::new(found)));
    Ok(found as Arc<dyn Calls>)
}

fn open() -> Option<*mut c_void> {
    // SAFETY: opening runs the library's constructors, which is what a program that uses it wants.
    let library = unsafe { libc::dlopen(c"libascendcl.so".as_ptr(), libc::RTLD_NOW) };
    (!library.is_null()).then_some(library)
}

/// The replacement for a function that the runtime does not have.
const MISSING: i32 = -1;

fn check(call: &'static str, code: abi::aclError) -> Result<(), Refused> {
    if code == abi::ACL_SUCCESS {
        Ok(())
    } else {
        Err(Refused { call, code })
    }
}

fn have<F: Copy>(call: &'static str, function: Option<F>) -> Result<F, Refused> {
    function.ok_or(Refused {
        call,
        code: MISSING,
    })
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

fn pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(size(address))
}

fn number(pointer: *mut c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// The physical memory that pages are made of: huge pages of the device's main memory.
fn property(device: i32) -> abi::aclrtPhysicalMemProp {
    abi::aclrtPhysicalMemProp {
        handleType: abi::ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: abi::ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: abi::ACL_HBM_MEM_HUGE,
        location: abi::aclrtMemLocation {
            id: device.unsigned_abs(),
            r#type: abi::ACL_MEM_LOCATION_TYPE_DEVICE,
        },
        reserve: 0,
    }
}

// In all of these the pointers that the runtime writes to are our own variables. Addresses and handles
// came from the same runtime and have not been given back, or they are the program's own stream.
impl Calls for Functions {
    fn records(&self) -> bool {
        self.millpondVersion.is_some()
    }

    fn device(&self) -> Result<i32, Refused> {
        let mut device = 0;
        // SAFETY: see above.
        let code = unsafe { (self.aclrtGetDevice)(&raw mut device) };
        check("aclrtGetDevice", code).map(|()| device)
    }

    fn total(&self) -> Result<u64, Refused> {
        let (mut free, mut total) = (0, 0);
        // Devices without the one kind of memory have the other.
        for kind in [abi::ACL_HBM_MEM, abi::ACL_DDR_MEM] {
            // SAFETY: see above.
            let code = unsafe { (self.aclrtGetMemInfo)(kind, &raw mut free, &raw mut total) };
            check("aclrtGetMemInfo", code)?;
            if total > 0 {
                break;
            }
        }
        if total == 0 {
            return Err(Refused {
                call: "aclrtGetMemInfo",
                code: 0,
            });
        }
        Ok(total as u64)
    }

    fn context(&self) -> Option<usize> {
        let mut context = std::ptr::null_mut();
        let get = self.aclrtGetCurrentContext?;
        // SAFETY: see above.
        let code = unsafe { get(&raw mut context) };
        (code == abi::ACL_SUCCESS && !context.is_null()).then(|| context.expose_provenance())
    }

    fn set_context(&self, context: usize) -> Result<(), Refused> {
        let call = "aclrtSetCurrentContext";
        let set = have(call, self.aclrtSetCurrentContext)?;
        // SAFETY: see above.
        let code = unsafe { set(std::ptr::with_exposed_provenance_mut(context)) };
        check(call, code)
    }

    fn malloc(&self, bytes: u64) -> Result<u64, Refused> {
        let mut address = std::ptr::null_mut();
        let policy = abi::ACL_MEM_MALLOC_HUGE_FIRST;
        let (call, malloc) = match (self.aclrtMallocAlign32, self.aclrtMalloc) {
            (Some(malloc), _) => ("aclrtMallocAlign32", malloc),
            (None, malloc) => ("aclrtMalloc", have("aclrtMalloc", malloc)?),
        };
        // SAFETY: see above.
        let code = unsafe { malloc(&raw mut address, size(bytes), policy) };
        check(call, code).map(|()| number(address))
    }

    fn free(&self, address: u64) -> Result<(), Refused> {
        // SAFETY: see above.
        let code = unsafe { (self.aclrtFree)(pointer(address)) };
        check("aclrtFree", code)
    }

    fn granularity(&self, device: i32) -> Result<u64, Refused> {
        let call = "aclrtMemGetAllocationGranularity";
        let get = have(call, self.aclrtMemGetAllocationGranularity)?;
        // One that lacks any of the others has no virtual memory either.
        have("aclrtReserveMemAddress", self.aclrtReserveMemAddress)?;
        have("aclrtReleaseMemAddress", self.aclrtReleaseMemAddress)?;
        have("aclrtMallocPhysical", self.aclrtMallocPhysical)?;
        have("aclrtFreePhysical", self.aclrtFreePhysical)?;
        have("aclrtMapMem", self.aclrtMapMem)?;
        have("aclrtUnmapMem", self.aclrtUnmapMem)?;
        let mut wanted = property(device);
        let option = abi::ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED;
        let mut unit = 0;
        // SAFETY: see above.
        let code = unsafe { get(&raw mut wanted, option, &raw mut unit) };
        check(call, code).map(|()| unit as u64)
    }

    fn reserve(&self, bytes: u64) -> Result<u64, Refused> {
        let call = "aclrtReserveMemAddress";
        let reserve = have(call, self.aclrtReserveMemAddress)?;
        let mut address = std::ptr::null_mut();
        let nowhere = std::ptr::null_mut();
        // SAFETY: see above. The flag asks for huge pages.
        let code = unsafe { reserve(&raw mut address, size(bytes), 0, nowhere, 1) };
        check(call, code).map(|()| number(address))
    }

    fn release(&self, address: u64) {
        if let Some(release) = self.aclrtReleaseMemAddress {
            // SAFETY: see above.
            unsafe { release(pointer(address)) };
        }
    }

    fn physical(&self, device: i32, bytes: u64) -> Result<u64, Refused> {
        let call = "aclrtMallocPhysical";
        let malloc = have(call, self.aclrtMallocPhysical)?;
        let wanted = property(device);
        let mut handle = std::ptr::null_mut();
        // SAFETY: see above.
        let code = unsafe { malloc(&raw mut handle, size(bytes), &raw const wanted, 0) };
        check(call, code).map(|()| number(handle))
    }

    fn free_physical(&self, handle: u64) {
        if let Some(free) = self.aclrtFreePhysical {
            // SAFETY: see above.
            unsafe { free(pointer(handle)) };
        }
    }

    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused> {
        let call = "aclrtMapMem";
        let map = have(call, self.aclrtMapMem)?;
        // SAFETY: see above.
        let code = unsafe { map(pointer(address), size(bytes), 0, pointer(handle), 0) };
        check(call, code)
    }

    fn unmap(&self, address: u64) -> Result<(), Refused> {
        let call = "aclrtUnmapMem";
        let unmap = have(call, self.aclrtUnmapMem)?;
        // SAFETY: see above. No work that uses the page is left.
        let code = unsafe { unmap(pointer(address)) };
        check(call, code)
    }

    fn stream_idle(&self, stream: u64) -> Result<bool, Refused> {
        let call = "aclrtStreamQuery";
        let query = have(call, self.aclrtStreamQuery)?;
        let mut status = abi::ACL_STREAM_STATUS_NOT_READY;
        // SAFETY: see above.
        let code = unsafe { query(pointer(stream), &raw mut status) };
        check(call, code).map(|()| status == abi::ACL_STREAM_STATUS_COMPLETE)
    }

    fn create_event(&self) -> Result<u64, Refused> {
        let mut event = std::ptr::null_mut();
        // SAFETY: see above.
        let code = unsafe { (self.aclrtCreateEvent)(&raw mut event) };
        check("aclrtCreateEvent", code).map(|()| number(event))
    }

    fn record_event(&self, event: u64, stream: u64) -> Result<(), Refused> {
        // SAFETY: see above.
        let code = unsafe { (self.aclrtRecordEvent)(pointer(event), pointer(stream)) };
        check("aclrtRecordEvent", code)
    }

    fn event_passed(&self, event: u64) -> Result<bool, Refused> {
        let mut status = abi::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: see above.
        let code = unsafe { (self.aclrtQueryEventStatus)(pointer(event), &raw mut status) };
        let passed = status == abi::ACL_EVENT_RECORDED_STATUS_COMPLETE;
        check("aclrtQueryEventStatus", code).map(|()| passed)
    }

    fn wait_for_event(&self, event: u64) -> Result<(), Refused> {
        // SAFETY: see above.
        let code = unsafe { (self.aclrtSynchronizeEvent)(pointer(event)) };
        check("aclrtSynchronizeEvent", code)
    }

    fn destroy_event(&self, event: u64) {
        // SAFETY: see above.
        unsafe { (self.aclrtDestroyEvent)(pointer(event)) };
    }

    fn describe(&self, object: usize) -> Result<u64, Refused> {
        // SAFETY: it takes nothing.
        let descriptor = unsafe { (self.aclrtAllocatorCreateDesc)() };
        if descriptor.is_null() {
            return Err(Refused {
                call: "aclrtAllocatorCreateDesc",
                code: 0,
            });
        }
        let fill = || {
            let object = std::ptr::without_provenance_mut(object);
            // SAFETY: the descriptor is new. The object is a number that only our functions read.
            let code = unsafe { (self.aclrtAllocatorSetObjToDesc)(descriptor, object) };
            check("aclrtAllocatorSetObjToDesc", code)?;
            // SAFETY: the descriptor is new; the function has the type that is asked for.
            let code = unsafe {
                (self.aclrtAllocatorSetAllocFuncToDesc)(descriptor, Some(exports::alloc))
            };
            check("aclrtAllocatorSetAllocFuncToDesc", code)?;
            // SAFETY: as above.
            let code =
                unsafe { (self.aclrtAllocatorSetFreeFuncToDesc)(descriptor, Some(exports::free)) };
            check("aclrtAllocatorSetFreeFuncToDesc", code)?;
            // SAFETY: as above.
            let code = unsafe {
                (self.aclrtAllocatorSetAllocAdviseFuncToDesc)(
                    descriptor,
                    Some(exports::alloc_advise),
                )
            };
            check("aclrtAllocatorSetAllocAdviseFuncToDesc", code)?;
            // SAFETY: as above.
            let code = unsafe {
                (self.aclrtAllocatorSetGetAddrFromBlockFuncToDesc)(
                    descriptor,
                    Some(exports::get_address),
                )
            };
            check("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", code)
        };
        if let Err(why) = fill() {
            self.destroy_descriptor(number(descriptor));
            return Err(why);
        }
        Ok(number(descriptor))
    }

    fn destroy_descriptor(&self, descriptor: u64) {
        // SAFETY: see above.
        unsafe { (self.aclrtAllocatorDestroyDesc)(pointer(descriptor)) };
    }
}
