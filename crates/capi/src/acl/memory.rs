//! `acl/rt/memory.h` and `acl/ops/acl_dvpp.h`: device and pinned memory, and what is known of it.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::{Error, MemoryKind, PageChoice, Request, Tail};
use millpond_abi as abi;
use millpond_trace::Space;

use super::{managed, module};
use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::{host_pointer, pointer};
use crate::{check, current, process, testing};

/// Which pages a policy asks for. Values that the manual does not list have a meaning too.
fn pages(policy: abi::aclrtMemMallocPolicy) -> PageChoice {
    match policy {
        abi::ACL_MEM_MALLOC_HUGE_FIRST | abi::ACL_MEM_MALLOC_HUGE_FIRST_P2P => {
            PageChoice::HugeFirst
        }
        abi::ACL_MEM_MALLOC_HUGE_ONLY | abi::ACL_MEM_MALLOC_HUGE_ONLY_P2P => PageChoice::HugeOnly,
        abi::ACL_MEM_MALLOC_NORMAL_ONLY | abi::ACL_MEM_MALLOC_NORMAL_ONLY_P2P => {
            PageChoice::NormalOnly
        }
        abi::ACL_MEM_MALLOC_HUGE1G_ONLY | abi::ACL_MEM_MALLOC_HUGE1G_ONLY_P2P => {
            PageChoice::GigabyteOnly
        }
        _ => PageChoice::BySize,
    }
}

/// The cached form knows no policies for other devices' access.
fn cached_pages(policy: abi::aclrtMemMallocPolicy) -> PageChoice {
    match policy {
        abi::ACL_MEM_MALLOC_HUGE_FIRST
        | abi::ACL_MEM_MALLOC_HUGE_ONLY
        | abi::ACL_MEM_MALLOC_NORMAL_ONLY
        | abi::ACL_MEM_MALLOC_HUGE1G_ONLY => pages(policy),
        _ => PageChoice::BySize,
    }
}

/// Allocates on the current device.
///
/// # Safety
/// `devPtr` is null or writable.
unsafe fn allocate(
    devPtr: *mut *mut c_void,
    size: usize,
    tail: Tail,
    pages: PageChoice,
) -> Result<(), CallError> {
    let out = out!(devPtr);
    if size == 0 {
        return bad_value("size", 0, "it must be at least 1");
    }
    testing::sized(size as u64)?;
    let request = Request {
        bytes: size as u64,
        tail,
        pages,
    };
    let address = current::with(|entry| Ok(entry.context.device().alloc_at(request)?))?;
    out.write(pointer(address));
    Ok(())
}

/// Allocates without padding for a module.
///
/// # Safety
/// `devPtr` is null or writable.
unsafe fn allocate_for(
    owner: u16,
    devPtr: *mut *mut c_void,
    size: usize,
    pages: PageChoice,
) -> Result<(), CallError> {
    let out = out!(devPtr);
    let mut block = std::ptr::null_mut();
    // SAFETY: the place is writable.
    unsafe { allocate(&raw mut block, size, Tail::None, pages) }?;
    module::note(block.addr() as u64, owner)?;
    out.write(block);
    Ok(())
}

/// The fast path of an allocation: the usual policy, and a kept block of that size. `None` if [`allocate`] has to serve it.
///
/// Inlined, so that each exported function has its own copy: a shared one would pass its arguments through memory.
///
/// # Safety
/// `devPtr` is null or writable.
#[inline(always)]
unsafe fn allocate_kept<const PADDED: bool>(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
) -> Option<()> {
    if devPtr.is_null() || policy != abi::ACL_MEM_MALLOC_HUGE_FIRST {
        return None;
    }
    let request = Request {
        bytes: size as u64,
        tail: if PADDED { Tail::Padding } else { Tail::None },
        pages: PageChoice::HugeFirst,
    };
    let address = current::with_known(|entry| entry.context.device().alloc_kept_at(request))?;
    // SAFETY: not null as just checked; writable as the caller promises.
    unsafe { devPtr.write_unaligned(pointer(address)) };
    Some(())
}

/// Allocates device memory with 32 bytes to spare behind it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
) -> abi::aclError {
    boundary::entry_with_fast_path(
        "aclrtMalloc",
        // SAFETY: the header's contract for the arguments.
        move || unsafe { allocate_kept::<true>(devPtr, size, policy) },
        // SAFETY: the header's contract for the arguments.
        move || unsafe { allocate(devPtr, size, Tail::Padding, pages(policy)) },
    )
}
const _: abi::aclrtMallocFn = aclrtMalloc;

/// Allocates device memory, the size only rounded up to a multiple of 32.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocAlign32(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
) -> abi::aclError {
    boundary::entry_with_fast_path(
        "aclrtMallocAlign32",
        // SAFETY: the header's contract for the arguments.
        move || unsafe { allocate_kept::<false>(devPtr, size, policy) },
        // SAFETY: the header's contract for the arguments.
        move || unsafe { allocate(devPtr, size, Tail::None, pages(policy)) },
    )
}
const _: abi::aclrtMallocAlign32Fn = aclrtMallocAlign32;

/// Allocates device memory that the device caches; here all of it is coherent.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocCached(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
) -> abi::aclError {
    entry("aclrtMallocCached", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { allocate(devPtr, size, Tail::Padding, cached_pages(policy)) }
    })
}
const _: abi::aclrtMallocCachedFn = aclrtMallocCached;

/// Reads and checks an optional configuration. Returns the module that the memory is for.
///
/// # Safety
/// `cfg` is null or points to a readable configuration, whose list is null or readable.
unsafe fn check_config(cfg: *mut abi::aclrtMallocConfig, device: u32) -> Result<u16, CallError> {
    let mut owner = module::APP;
    if cfg.is_null() {
        return Ok(owner);
    }
    // SAFETY: not null as just checked; readable as the caller promises.
    let config = unsafe { boundary::read(cfg, "cfg") }?;
    // SAFETY: as the caller promises.
    let attributes = unsafe { boundary::array(config.attrs, config.numAttrs, "cfg->attrs") }?;
    let mut wanted = device;
    for attribute in attributes {
        match attribute.attr {
            abi::ACL_RT_MEM_ATTR_RSV | abi::ACL_RT_MEM_ATTR_VA_FLAG => {}
            abi::ACL_RT_MEM_ATTR_MODULE_ID => {
                // SAFETY: the attribute says which member was written; all are plain integers.
                owner = unsafe { attribute.value.moduleId };
            }
            abi::ACL_RT_MEM_ATTR_DEVICE_ID => {
                // SAFETY: the attribute says which member was written; all are plain integers.
                wanted = unsafe { attribute.value.deviceId };
            }
            other => {
                return bad_value(
                    "cfg->attrs",
                    other,
                    "it must be a value of aclrtMallocAttrType",
                );
            }
        }
    }
    if wanted == device {
        return Ok(owner);
    }
    Err(CallError::coded(
        abi::ACL_ERROR_RT_PARAM_INVALID,
        format!(
            "the argument 'cfg' names device {wanted}, but must name the current device, {device}"
        ),
    ))
}

/// Allocates device memory; the policy may be combined with kinds of memory, and `cfg` adds more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocWithCfg(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
    cfg: *mut abi::aclrtMallocConfig,
) -> abi::aclError {
    const KINDS: i32 = abi::ACL_MEM_TYPE_LOW_BAND_WIDTH
        | abi::ACL_MEM_TYPE_HIGH_BAND_WIDTH
        | abi::ACL_MEM_ACCESS_USER_SPACE_READONLY;
    entry("aclrtMallocWithCfg", || {
        not_null(devPtr, "devPtr")?;
        let device = current::with(|entry| Ok(entry.context.device().index()));
        // Arguments are checked before the context, so that their faults come first.
        // SAFETY: the header's contract for the arguments.
        let owner = unsafe { check_config(cfg, device.as_ref().copied().unwrap_or(0)) }?;
        // SAFETY: as above.
        unsafe { allocate_for(owner, devPtr, size, pages(policy & !KINDS)) }
    })
}
const _: abi::aclrtMallocWithCfgFn = aclrtMallocWithCfg;

/// Frees device memory. Nothing is waited for: what queued work still names is reused after it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtFree(devPtr: *mut c_void) -> abi::aclError {
    boundary::entry_with_fast_path(
        "aclrtFree",
        move || {
            if module::any() {
                return None;
            }
            process::known()?.free_plainly_at(devPtr.addr() as u64)
        },
        move || free(devPtr),
    )
}
const _: abi::aclrtFreeFn = aclrtFree;

fn free(devPtr: *mut c_void) -> Result<(), CallError> {
    let address = not_null(devPtr, "devPtr")?;
    let runtime = process::runtime()?;
    module::forget(address);
    if runtime.is_reserved(address) && managed::free(address)? {
        return Ok(());
    }
    Ok(runtime.free_at(address)?)
}

/// Waits for the device, then frees.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> abi::aclError {
    entry("aclrtFreeWithDevSync", || {
        not_null(devPtr, "devPtr")?;
        // An older failure of a task is reported, but the memory is freed nevertheless.
        let waited = synchronize_device();
        free(devPtr).and(waited)
    })
}
const _: abi::aclrtFreeWithDevSyncFn = aclrtFreeWithDevSync;

fn synchronize_device() -> Result<(), CallError> {
    let device = current::context()?.context.device().clone();
    Ok(device.synchronize()?)
}

/// # Safety
/// `place` is null or writable.
unsafe fn allocate_host(hostPtr: *mut *mut c_void, size: u64) -> Result<(), CallError> {
    let out = out!(hostPtr);
    if size == 0 {
        return bad_value("size", 0, "it must be at least 1");
    }
    testing::sized(size)?;
    current::with(|_| Ok(()))?;
    let address = process::runtime()?.alloc_host_at(size)?;
    check::pinned::began();
    out.write(host_pointer(address));
    Ok(())
}

/// Allocates host memory that asynchronous copies take.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocHost(
    hostPtr: *mut *mut c_void,
    size: usize,
) -> abi::aclError {
    entry("aclrtMallocHost", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { allocate_host(hostPtr, size as u64) }
    })
}
const _: abi::aclrtMallocHostFn = aclrtMallocHost;

/// The same with attributes. One address for host and device needs unified mode.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocHostWithCfg(
    ptr: *mut *mut c_void,
    size: u64,
    cfg: *mut abi::aclrtMallocConfig,
) -> abi::aclError {
    entry("aclrtMallocHostWithCfg", || {
        not_null(ptr, "ptr")?;
        let device = current::with(|entry| Ok(entry.context.device().index()));
        // SAFETY: the header's contract for the arguments.
        unsafe { check_config(cfg, device.as_ref().copied().unwrap_or(0)) }?;
        // SAFETY: as above.
        unsafe { allocate_host(ptr, size) }
    })
}
const _: abi::aclrtMallocHostWithCfgFn = aclrtMallocHostWithCfg;

fn free_host(hostPtr: *mut c_void) -> Result<(), CallError> {
    let address = not_null(hostPtr, "hostPtr")?;
    Ok(process::runtime()?.free_host_at(address)?)
}

/// Frees what `aclrtMallocHost` allocated.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtFreeHost(hostPtr: *mut c_void) -> abi::aclError {
    entry("aclrtFreeHost", || free_host(hostPtr))
}
const _: abi::aclrtFreeHostFn = aclrtFreeHost;

/// Waits for the device, then frees.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> abi::aclError {
    entry("aclrtFreeHostWithDevSync", || {
        not_null(hostPtr, "hostPtr")?;
        let waited = synchronize_device();
        free_host(hostPtr).and(waited)
    })
}
const _: abi::aclrtFreeHostWithDevSyncFn = aclrtFreeHostWithDevSync;

/// Allocates memory that the scheduler of a device may use, too: all memory is such.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMallocForTaskScheduler(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: abi::aclrtMemMallocPolicy,
    cfg: *mut abi::aclrtMallocConfig,
) -> abi::aclError {
    entry("aclrtMallocForTaskScheduler", || {
        not_null(devPtr, "devPtr")?;
        let device = current::with(|entry| Ok(entry.context.device().index()));
        // SAFETY: the header's contract for the arguments.
        let owner = unsafe { check_config(cfg, device.as_ref().copied().unwrap_or(0)) }?;
        // SAFETY: as above.
        unsafe { allocate_for(owner, devPtr, size, pages(policy)) }
    })
}
const _: abi::aclrtMallocForTaskSchedulerFn = aclrtMallocForTaskScheduler;

/// Writes caches of a device back. Memory is coherent here, so nothing needs to be done.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> abi::aclError {
    entry("aclrtDeviceL2CacheFlush", || {
        if !rsv.is_null() {
            return bad_value("rsv", "an address", "it must be NULL");
        }
        current::with(|_| Ok(()))
    })
}
const _: abi::aclrtDeviceL2CacheFlushFn = aclrtDeviceL2CacheFlush;

/// Cached memory is coherent here: the range is checked, and nothing needs to be done.
fn maintain(devPtr: *mut c_void, size: usize) -> Result<(), CallError> {
    let address = not_null(devPtr, "devPtr")?;
    if size == 0 {
        return bad_value("size", 0, "it must be at least 1");
    }
    memory_at(address, size as u64)
}

/// Checks that a range is inside one live block or mapping.
pub(crate) fn memory_at(address: u64, bytes: u64) -> Result<(), CallError> {
    let runtime = process::runtime()?;
    if runtime.is_reserved(address) {
        return Ok(runtime.check_mapped(address, bytes)?);
    }
    let block = runtime.find_block(address)?;
    if bytes > block.bytes - (address - block.address) {
        return Err(Error::OutOfBlock {
            address,
            bytes,
            block: block.address,
            length: block.bytes,
            requested: block.requested,
        }
        .into());
    }
    Ok(())
}

/// Writes cached bytes back to memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> abi::aclError {
    entry("aclrtMemFlush", || maintain(devPtr, size))
}
const _: abi::aclrtMemFlushFn = aclrtMemFlush;

/// Forgets cached bytes, so that memory is read again.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemInvalidate(
    devPtr: *mut c_void,
    size: usize,
) -> abi::aclError {
    entry("aclrtMemInvalidate", || maintain(devPtr, size))
}
const _: abi::aclrtMemInvalidateFn = aclrtMemInvalidate;

/// What a query of memory asks about: which kind of memory, and in pages of which size.
fn asked(attr: abi::aclrtMemAttr) -> Option<(Option<MemoryKind>, u64)> {
    use MemoryKind::{Ddr, Hbm};
    const HUGE: u64 = 2 << 20;
    const GIGABYTE: u64 = 1 << 30;
    Some(match attr {
        abi::ACL_DDR_MEM => (Some(Ddr), 1),
        abi::ACL_DDR_MEM_HUGE | abi::ACL_DDR_MEM_P2P_HUGE => (Some(Ddr), HUGE),
        abi::ACL_DDR_MEM_NORMAL | abi::ACL_DDR_MEM_P2P_NORMAL => (Some(Ddr), 4096),
        abi::ACL_HBM_MEM => (Some(Hbm), 1),
        abi::ACL_HBM_MEM_HUGE | abi::ACL_HBM_MEM_P2P_HUGE => (Some(Hbm), HUGE),
        abi::ACL_HBM_MEM_NORMAL | abi::ACL_HBM_MEM_P2P_NORMAL => (Some(Hbm), 4096),
        abi::ACL_HBM_MEM_HUGE1G | abi::ACL_HBM_MEM_P2P_HUGE1G => (Some(Hbm), GIGABYTE),
        abi::ACL_MEM_NORMAL | abi::ACL_MEM_P2P_NORMAL => (None, 4096),
        abi::ACL_MEM_HUGE | abi::ACL_MEM_P2P_HUGE => (None, HUGE),
        abi::ACL_MEM_HUGE1G | abi::ACL_MEM_P2P_HUGE1G => (None, GIGABYTE),
        _ => return None,
    })
}

/// Free and total memory of the current device; 0 and 0 for kinds of memory it does not have.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetMemInfo(
    attr: abi::aclrtMemAttr,
    free: *mut usize,
    total: *mut usize,
) -> abi::aclError {
    entry("aclrtGetMemInfo", || {
        let outs = (out!(free), out!(total));
        let Some((kind, page)) = asked(attr) else {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                format!("the argument 'attr' is {attr}, but must be a value of aclrtMemAttr"),
            ));
        };
        let profile = process::runtime()?.config().profile;
        let (free_now, capacity) = current::with(|entry| Ok(entry.context.device().room()))?;
        let absent = match kind {
            // A device without HBM reports its DDR memory instead.
            None | Some(MemoryKind::Hbm) => page == 1 << 30 && !profile.gigabyte_pages,
            Some(MemoryKind::Ddr) => profile.memory != MemoryKind::Ddr,
        };
        let pages = |bytes: u64| usize::try_from(bytes / page * page).unwrap_or(usize::MAX);
        let (now_free, in_all) = if absent {
            (0, 0)
        } else {
            (pages(free_now), pages(capacity))
        };
        outs.0.write(now_free);
        outs.1.write(in_all);
        Ok(())
    })
}
const _: abi::aclrtGetMemInfoFn = aclrtGetMemInfo;

/// Which memory an address is in, and the size of its pages; 0 if the runtime does not know it.
pub(super) fn space_of(address: u64) -> Result<(Space, u64), CallError> {
    let runtime = process::runtime()?;
    let known = if runtime.is_reserved(address) {
        let mapping = runtime.find_mapping(address).ok();
        mapping.map(|mapping| (mapping.location.space(), mapping.pages))
    } else {
        let block = runtime.find_block(address).ok();
        block.map(|block| (block.space, block.pages))
    };
    Ok(known.map_or((Space::Foreign, 0), |(space, pages)| (space, pages.bytes())))
}

/// What kind of memory an address is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtPointerGetAttributes(
    ptr: *const c_void,
    attributes: *mut abi::aclrtPtrAttributes,
) -> abi::aclError {
    entry("aclrtPointerGetAttributes", || {
        let address = not_null(ptr, "ptr")?;
        let out = out!(attributes);
        let (space, page) = space_of(address)?;
        let page = u32::try_from(page).unwrap_or(0);
        let runtime = process::runtime()?;
        let (kind, id, page) = match space {
            Space::Device(index) if managed::is_managed(address) => {
                (abi::ACL_MEM_LOCATION_TYPE_MANAGED, index, page)
            }
            Space::Device(index) => (abi::ACL_MEM_LOCATION_TYPE_DEVICE, index, page),
            Space::Pinned => (abi::ACL_MEM_LOCATION_TYPE_HOST, 0, page),
            Space::Foreign if runtime.is_registered(address) => {
                (abi::ACL_MEM_LOCATION_TYPE_HOST, 0, 0)
            }
            Space::Foreign => (abi::ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0, 0),
        };
        out.write(abi::aclrtPtrAttributes {
            location: abi::aclrtMemLocation { id, r#type: kind },
            pageSize: page,
            rsv: [0; 4],
        });
        Ok(())
    })
}
const _: abi::aclrtPointerGetAttributesFn = aclrtPointerGetAttributes;

/// Allocates memory for media data, which starts at a multiple of 128.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
) -> abi::aclError {
    entry("acldvppMalloc", || {
        // SAFETY: the header's contract for the arguments.
        unsafe { allocate(devPtr, size, Tail::Padding, PageChoice::HugeFirst) }
    })
}
const _: abi::acldvppMallocFn = acldvppMalloc;

/// Frees what `acldvppMalloc` allocated.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppFree(devPtr: *mut c_void) -> abi::aclError {
    entry("acldvppFree", || free(devPtr))
}
const _: abi::acldvppFreeFn = acldvppFree;
