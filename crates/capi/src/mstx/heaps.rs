//! `mstx/ms_tools_ext_mem.h`: heaps, regions and permissions.
//!
//! What a program passes is read once, through the kernel. Tools get copies with their own
//! handles in them.
#![expect(
    unsafe_code,
    reason = "exported C symbols; what pointers point to is read through the kernel"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;
use millpond_stacks::probe::{self, Plain};
use millpond_trace::Bytes;

use super::dialect::{Dialect, Flaw};
use super::listen;
use super::regions::{Described, Reference};
use crate::handles;

/// More than this in one call is a mistake.
const MAX_BATCH: usize = 1 << 20;

fn described(range: &abi::mstxMemVirtualRangeDesc_t) -> Described {
    Described {
        device: range.deviceId,
        range: Bytes {
            start: range.ptr.addr() as u64,
            bytes: range.size,
        },
    }
}

/// An array of a batch.
fn array<T: Plain>(from: *const T, count: usize) -> Result<Vec<T>, Flaw> {
    if count > MAX_BATCH {
        return Err(Flaw::Huge);
    }
    probe::read_array(from, count).ok_or(Flaw::Unreadable)
}

fn heap_described(
    desc: *const abi::mstxMemHeapDesc_t,
    dialect: Dialect,
) -> Result<Described, Flaw> {
    let desc = probe::read(desc).ok_or(Flaw::Unreadable)?;
    let known = desc.usage == abi::MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR
        && desc.r#type == abi::MSTX_MEM_TYPE_VIRTUAL_ADDRESS;
    if dialect.fills_types() && !known {
        return Err(Flaw::UnknownType);
    }
    let range: *const abi::mstxMemVirtualRangeDesc_t = desc.typeSpecificDesc.cast();
    let range = probe::read(range).ok_or(Flaw::Unreadable)?;
    Ok(described(&range))
}

#[inline(always)]
pub(super) extern "C" fn heap_register(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemHeapDesc_t,
) -> abi::mstxMemHeapHandle_t {
    let domain = handles::word(domain.cast());
    let heap = listen::with("mstxMemHeapRegister", 0, |call| {
        let heap = heap_described(desc, listen::with_state(|state| state.dialect(domain)));
        let words = call.ask(|tool, position| {
            // A tool that trusts its caller would follow a wild pointer.
            if heap == Err(Flaw::Unreadable) {
                return 0;
            }
            let word = listen::with_state(|state| state.domain_word(domain, position));
            tool.heap_register(word, desc)
        });
        call.update(|state, notes| state.register_heap(domain, heap, words, notes))
    });
    handles::pointer(heap).cast()
}

#[inline(always)]
pub(super) extern "C" fn heap_unregister(
    domain: abi::mstxDomainHandle_t,
    heap: abi::mstxMemHeapHandle_t,
) {
    let (domain, heap) = (handles::word(domain.cast()), handles::word(heap.cast()));
    listen::with("mstxMemHeapUnregister", (), |call| {
        for (position, tool) in call.tools.iter().enumerate() {
            let (domain, heap) = listen::with_state(|state| {
                let heap = state.memory.heap_word(heap, position);
                (state.domain_word(domain, position), heap)
            });
            tool.heap_unregister(domain, heap);
        }
        call.update(|state, notes| state.unregister_heap(domain, heap, notes));
    });
}

/// The regions of a batch, or what is wrong with it.
fn regions_described(
    batch: &abi::mstxMemRegionsRegisterBatch_t,
    dialect: Dialect,
) -> Result<Vec<Described>, Flaw> {
    if dialect.fills_types() && batch.regionType != abi::MSTX_MEM_TYPE_VIRTUAL_ADDRESS {
        return Err(Flaw::UnknownType);
    }
    let ranges: *const abi::mstxMemVirtualRangeDesc_t = batch.regionDescArray.cast();
    let ranges = array(ranges, batch.regionCount)?;
    Ok(ranges.iter().map(described).collect())
}

#[inline(always)]
pub(super) extern "C" fn regions_register(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemRegionsRegisterBatch_t,
) {
    let domain = handles::word(domain.cast());
    listen::with("mstxMemRegionsRegister", (), |call| {
        let dialect = listen::with_state(|state| state.dialect(domain));
        let Some(batch) = probe::read(desc) else {
            call.update(|state, notes| {
                let nothing = |_| Box::default();
                state.register_regions(domain, 0, Err(Flaw::Unreadable), nothing, notes)
            });
            return;
        };
        let heap = handles::word(batch.heap.cast());
        let regions = regions_described(&batch, dialect);
        let mut words = Vec::new();
        if regions.is_ok() {
            for (position, tool) in call.tools.iter().enumerate() {
                let (domain, heap) = listen::with_state(|state| {
                    let heap = state.memory.heap_word(heap, position);
                    (state.domain_word(domain, position), heap)
                });
                words.push(tool.regions_register(domain, heap, &batch));
            }
        }
        let of_region = |index: usize| {
            let of_tool = |words: &Vec<u64>| words.get(index).copied().unwrap_or(0);
            words.iter().map(of_tool).collect()
        };
        call.update(|state, notes| {
            let regions = regions.as_deref().map_err(|flaw| *flaw);
            let handles = state.register_regions(domain, heap, regions, of_region, notes);
            let Some(handles) = handles else { return };
            let array: *mut u64 = batch.regionHandleArrayOut.cast();
            // Without an array the regions are named by address.
            if !array.is_null()
                // SAFETY: the array that the program has passed for this.
                && !unsafe { probe::write_array(array, &handles) }
                && let Some(member) = state.member(domain, notes)
            {
                state.flaw(member, Flaw::Unwritable, notes);
            }
        });
    });
}

fn reference(reference: &abi::mstxMemRegionRef_t) -> Reference {
    Reference {
        handle: reference.refType == abi::MSTX_MEM_REGION_REF_TYPE_HANDLE,
        value: reference.pointer.addr() as u64,
    }
}

/// A reference as a tool understands it.
fn translated(reference: abi::mstxMemRegionRef_t, position: usize) -> abi::mstxMemRegionRef_t {
    let value = reference.pointer.addr() as u64;
    let value = listen::with_state(|state| state.memory.region_word(value, position));
    abi::mstxMemRegionRef_t {
        pointer: handles::host_pointer(value),
        ..reference
    }
}

#[inline(always)]
pub(super) extern "C" fn regions_unregister(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemRegionsUnregisterBatch_t,
) {
    let domain = handles::word(domain.cast());
    listen::with("mstxMemRegionsUnregister", (), |call| {
        let batch = probe::read(desc).ok_or(Flaw::Unreadable);
        let batch = batch.and_then(|batch| array(batch.refArray, batch.refCount));
        if let Ok(references) = &batch {
            for (position, tool) in call.tools.iter().enumerate() {
                let own = references.iter();
                let own: Vec<_> = own.map(|known| translated(*known, position)).collect();
                let word = listen::with_state(|state| state.domain_word(domain, position));
                let batch = abi::mstxMemRegionsUnregisterBatch_t {
                    refCount: own.len(),
                    refArray: own.as_ptr(),
                };
                tool.regions_unregister(word, &batch);
            }
        }
        let references = batch.map(|batch| batch.iter().map(reference).collect::<Vec<_>>());
        call.update(|state, notes| {
            let references = references.as_deref().map_err(|flaw| *flaw);
            state.unregister_regions(domain, references, notes);
        });
    });
}

#[inline(always)]
pub(super) extern "C" fn permissions_assign(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemPermissionsAssignBatch_t,
) {
    let domain = handles::word(domain.cast());
    listen::with("mstxMemPermissionsAssign", (), |call| {
        let batch = probe::read(desc).ok_or(Flaw::Unreadable);
        let batch = batch.and_then(|batch| array(batch.regionDescArray, batch.regionCount));
        if let Ok(wanted) = &batch {
            for (position, tool) in call.tools.iter().enumerate() {
                let own = |wanted: &abi::mstxMemPermissionsAssignRegionsDesc_t| {
                    abi::mstxMemPermissionsAssignRegionsDesc_t {
                        region: translated(wanted.region, position),
                        ..*wanted
                    }
                };
                let own: Vec<_> = wanted.iter().map(own).collect();
                let word = listen::with_state(|state| state.domain_word(domain, position));
                let batch = abi::mstxMemPermissionsAssignBatch_t {
                    regionCount: own.len(),
                    regionDescArray: own.as_ptr(),
                };
                tool.permissions_assign(word, &batch);
            }
        }
        let wanted = batch.map(|batch| {
            let wanted = batch.iter();
            wanted
                .map(|wanted| (reference(&wanted.region), wanted.flags))
                .collect::<Vec<_>>()
        });
        call.update(|state, notes| {
            state.permit(domain, wanted.as_deref().map_err(|flaw| *flaw), notes);
        });
    });
}

/// Registers a heap.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMemHeapRegister(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemHeapDesc_t,
) -> abi::mstxMemHeapHandle_t {
    heap_register(domain, desc)
}
const _: abi::mstxMemHeapRegisterFn = mstxMemHeapRegister;

/// Unregisters a heap and its regions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMemHeapUnregister(
    domain: abi::mstxDomainHandle_t,
    heap: abi::mstxMemHeapHandle_t,
) {
    heap_unregister(domain, heap);
}
const _: abi::mstxMemHeapUnregisterFn = mstxMemHeapUnregister;

/// Registers regions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMemRegionsRegister(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemRegionsRegisterBatch_t,
) {
    regions_register(domain, desc);
}
const _: abi::mstxMemRegionsRegisterFn = mstxMemRegionsRegister;

/// Unregisters regions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMemRegionsUnregister(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemRegionsUnregisterBatch_t,
) {
    regions_unregister(domain, desc);
}
const _: abi::mstxMemRegionsUnregisterFn = mstxMemRegionsUnregister;

/// Says what may be done with regions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMemPermissionsAssign(
    domain: abi::mstxDomainHandle_t,
    desc: *const abi::mstxMemPermissionsAssignBatch_t,
) {
    permissions_assign(domain, desc);
}
const _: abi::mstxMemPermissionsAssignFn = mstxMemPermissionsAssign;
