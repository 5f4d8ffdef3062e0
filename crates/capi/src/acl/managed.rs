//! `acl/rt/host_memory.h`: managed memory, which the program and its devices use at one address.
//!
//! It is physical memory of the current device, mapped at reserved addresses that the host may use, too. Where the device is a GPU,
//! it is memory of this machine all the same: work of a stream reaches it, and no driver has to move pages. Advice and
//! prefetches move nothing, because there is only one place; they are remembered per page, and programs get back what they said.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;

use millpond::{EndedBy, Location, PageKind, PhysicalRequest};
use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::pointer;
use crate::{current, process};

/// Bytes of a page.
const PAGE: u64 = 2 << 20;

/// What stands for the host where a device's number is expected, and what for no place or several.
const HOST: i32 = -1;
const NOWHERE: i32 = -2;

/// All of it, by its first address.
static MANAGED: Mutex<BTreeMap<u64, Managed>> = Mutex::new(BTreeMap::new());

/// One allocation.
#[derive(Debug)]
struct Managed {
    pages: Vec<Page>,
}

/// What was said about a page.
#[derive(Debug, Clone, Default)]
struct Page {
    read_mostly: bool,
    preferred: Option<Place>,
    accessed_by: Vec<Place>,
    prefetched: Option<Place>,
}

/// A place that memory can be at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    kind: abi::aclrtMemManagedLocationType,
    id: i32,
}

impl Managed {
    fn bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }
}

/// Drops what a reset of its device has ended.
fn purge(all: &mut BTreeMap<u64, Managed>) {
    let Some(runtime) = process::known() else {
        all.clear();
        return;
    };
    all.retain(|address, _| {
        let is_mapped = runtime.find_mapping(*address).is_ok();
        if !is_mapped {
            // The addresses are still reserved, and nobody can release them any more.
            drop(runtime.release_at(*address));
        }
        is_mapped
    });
}

/// Whether an address is in managed memory.
pub(super) fn is_managed(address: u64) -> bool {
    let all = MANAGED.lock();
    let below = all.range(..=address).next_back();
    below.is_some_and(|(start, it)| address - start < it.bytes())
}

/// Frees managed memory; false if no such memory begins at the address.
pub(super) fn free(address: u64) -> Result<bool, CallError> {
    let runtime = process::runtime()?;
    if MANAGED.lock().remove(&address).is_none() {
        return Ok(false);
    }
    runtime.unmap_at(address)?;
    runtime.release_at(address)?;
    Ok(true)
}

/// The pages of a range, with what was said about them.
fn with_pages<T>(
    ptr: *const c_void,
    size: u64,
    argument: &'static str,
    act: impl FnOnce(&mut [Page]) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let address = not_null(ptr, argument)?;
    if size == 0 {
        return bad_value("size", 0, "it must be at least 1");
    }
    let mut all = MANAGED.lock();
    purge(&mut all);
    let found = all.range_mut(..=address).next_back();
    let outside = || {
        CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!(
                "{size} bytes at {address:#x} are not inside one block of aclrtMemAllocManaged"
            ),
        )
    };
    let (start, managed) = found.ok_or_else(outside)?;
    let from = address - start;
    let until = from.checked_add(size).filter(|end| *end <= managed.bytes());
    let until = until.ok_or_else(outside)?;
    let pages = from / PAGE..until.div_ceil(PAGE);
    let index = |page: u64| usize::try_from(page).unwrap_or(usize::MAX);
    let pages: Range<usize> = index(pages.start)..index(pages.end);
    act(managed.pages.get_mut(pages).ok_or_else(outside)?)
}

/// Checks a place that a program names.
fn place(location: abi::aclrtMemManagedLocation) -> Result<Place, CallError> {
    let kind = location.r#type;
    let id = match kind {
        abi::ACL_MEM_LOCATIONTYPE_DEVICE => {
            process::runtime()?.device(i64::from(location.id))?;
            location.id
        }
        abi::ACL_MEM_LOCATIONTYPE_HOST => HOST,
        abi::ACL_MEM_LOCATIONTYPE_HOST_NUMA if location.id >= 0 => location.id,
        abi::ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT => 0,
        _ => {
            return bad_value(
                "location",
                format!("of type {kind} with id {}", location.id),
                "it must be a device, the host, or a node of the host",
            );
        }
    };
    // The node of the calling thread is a node like others; all of them are the same memory here.
    let kind = match kind {
        abi::ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT => abi::ACL_MEM_LOCATIONTYPE_HOST_NUMA,
        kind => kind,
    };
    Ok(Place { kind, id })
}

/// Allocates memory that the program and its devices use at one address.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemAllocManaged(
    ptr: *mut *mut c_void,
    size: u64,
    flag: u32,
) -> abi::aclError {
    entry("aclrtMemAllocManaged", || {
        let out = out!(ptr);
        if size == 0 {
            return bad_value("size", 0, "it must be at least 1");
        }
        if flag != abi::ACL_RT_MEM_ATTACH_GLOBAL {
            return bad_value("flag", flag, "it must be ACL_RT_MEM_ATTACH_GLOBAL");
        }
        let Some(bytes) = size.checked_next_multiple_of(PAGE) else {
            return bad_value("size", size, "it must fit into the address space");
        };
        let device = current::with(|entry| Ok(entry.context.device().index()))?;
        let runtime = process::runtime()?;
        let memory = runtime.alloc_touchable(PhysicalRequest {
            bytes,
            location: Location::Device(device),
            pages: PageKind::Huge,
            flags: 0,
        })?;
        let address = runtime.reserve_at(bytes, None)?;
        let mapped = runtime
            .map_at(address, &memory, true)
            .and_then(|()| runtime.grant_at(address, bytes, Location::Host));
        if let Err(error) = mapped {
            drop(runtime.unmap_at(address));
            drop(runtime.release_at(address));
            return Err(error.into());
        }
        let mut pages = Vec::new();
        pages.resize_with(usize::try_from(bytes / PAGE).unwrap_or(0), Page::default);
        let mut all = MANAGED.lock();
        purge(&mut all);
        all.insert(address, Managed { pages });
        out.write(pointer(address));
        Ok(())
    })
}
const _: abi::aclrtMemAllocManagedFn = aclrtMemAllocManaged;

/// Remembers how managed memory will be used.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemManagedAdvise(
    ptr: *const c_void,
    size: u64,
    advise: abi::aclrtMemManagedAdviseType,
    location: abi::aclrtMemManagedLocation,
) -> abi::aclError {
    entry("aclrtMemManagedAdvise", || {
        let change: Box<dyn Fn(&mut Page)> = match advise {
            abi::ACL_MEM_ADVISE_SET_READ_MOSTLY => Box::new(|page| page.read_mostly = true),
            abi::ACL_MEM_ADVISE_UNSET_READ_MOSTLY => Box::new(|page| page.read_mostly = false),
            abi::ACL_MEM_ADVISE_SET_PREFERRED_LOCATION => {
                let place = place(location)?;
                Box::new(move |page| page.preferred = Some(place))
            }
            abi::ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION => Box::new(|page| page.preferred = None),
            abi::ACL_MEM_ADVISE_SET_ACCESSED_BY => {
                let place = place(location)?;
                Box::new(move |page| {
                    if !page.accessed_by.contains(&place) {
                        page.accessed_by.push(place);
                    }
                })
            }
            abi::ACL_MEM_ADVISE_UNSET_ACCESSED_BY => {
                let place = place(location)?;
                Box::new(move |page| page.accessed_by.retain(|known| *known != place))
            }
            other => {
                return bad_value(
                    "advise",
                    other,
                    "it must be a value of aclrtMemManagedAdviseType",
                );
            }
        };
        with_pages(ptr, size, "ptr", |pages| {
            pages.iter_mut().for_each(change);
            Ok(())
        })
    })
}
const _: abi::aclrtMemManagedAdviseFn = aclrtMemManagedAdvise;

/// The value that all pages have in common.
fn common(pages: &[Page], of: impl Fn(&Page) -> Option<Place>) -> Option<Place> {
    let first = of(pages.first()?)?;
    pages
        .iter()
        .all(|page| of(page) == Some(first))
        .then_some(first)
}

/// Answers one question about a range, as the numbers that are written for it.
fn answer(
    attribute: abi::aclrtMemManagedRangeAttribute,
    pages: &[Page],
    room: usize,
) -> Result<Vec<i32>, CallError> {
    if attribute == abi::ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY {
        if room == 0 || !room.is_multiple_of(4) {
            return bad_value("dataSize", room, "it must be a multiple of 4 and not 0");
        }
        let first = pages.first().map_or(&[][..], |page| &page.accessed_by);
        let everywhere = |place: &&Place| pages.iter().all(|page| page.accessed_by.contains(place));
        let mut numbers: Vec<i32> = first
            .iter()
            .filter(everywhere)
            .map(|place| place.id)
            .collect();
        numbers.resize(room / 4, NOWHERE);
        return Ok(numbers);
    }
    if room != 4 {
        return bad_value("dataSize", room, "it must be 4");
    }
    let preferred = || common(pages, |page| page.preferred);
    let prefetched = || common(pages, |page| page.prefetched);
    let id = |place: Option<Place>| place.map_or(NOWHERE, |place| place.id);
    let kind =
        |place: Option<Place>| place.map_or(abi::ACL_MEM_LOCATIONTYPE_INVALID, |place| place.kind);
    Ok(vec![match attribute {
        abi::ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => {
            i32::from(pages.iter().all(|page| page.read_mostly))
        }
        abi::ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION
        | abi::ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => id(preferred()),
        abi::ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => kind(preferred()),
        abi::ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION
        | abi::ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => id(prefetched()),
        abi::ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => kind(prefetched()),
        other => {
            return bad_value(
                "attribute",
                other,
                "it must be a value of aclrtMemManagedRangeAttribute",
            );
        }
    }])
}

/// # Safety
/// There is room for the numbers.
unsafe fn write(data: *mut c_void, numbers: &[i32]) {
    for (index, number) in numbers.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { boundary::put(data.cast::<i32>(), index, *number) };
    }
}

/// What was said about a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemManagedGetAttr(
    attribute: abi::aclrtMemManagedRangeAttribute,
    ptr: *const c_void,
    size: usize,
    data: *mut c_void,
    dataSize: usize,
) -> abi::aclError {
    entry("aclrtMemManagedGetAttr", || {
        not_null(data, "data")?;
        let numbers = with_pages(ptr, size as u64, "ptr", |pages| {
            answer(attribute, pages, dataSize)
        })?;
        // SAFETY: as many as `dataSize` has room for, which the header's contract says there is.
        unsafe { write(data, &numbers) };
        Ok(())
    })
}
const _: abi::aclrtMemManagedGetAttrFn = aclrtMemManagedGetAttr;

/// Several questions at once.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemManagedGetAttrs(
    attributes: *mut abi::aclrtMemManagedRangeAttribute,
    numAttributes: usize,
    ptr: *const c_void,
    size: usize,
    data: *mut *mut c_void,
    dataSizes: *mut usize,
) -> abi::aclError {
    entry("aclrtMemManagedGetAttrs", || {
        if numAttributes == 0 {
            return bad_value("numAttributes", 0, "it must be at least 1");
        }
        // SAFETY: the header's contract for the arguments.
        let asked = unsafe { boundary::array(attributes, numAttributes, "attributes") }?;
        // SAFETY: as above.
        let places = unsafe { boundary::array(data, numAttributes, "data") }?;
        // SAFETY: as above.
        let rooms = unsafe { boundary::array(dataSizes, numAttributes, "dataSizes") }?;
        for place in &places {
            not_null(*place, "data")?;
        }
        let answers: Vec<Vec<i32>> = with_pages(ptr, size as u64, "ptr", |pages| {
            let each = asked.iter().zip(&rooms);
            each.map(|(attribute, room)| answer(*attribute, pages, *room))
                .collect()
        })?;
        for (place, numbers) in places.iter().zip(&answers) {
            // SAFETY: as many as its size has room for, which the header's contract says there is.
            unsafe { write(*place, numbers) };
        }
        Ok(())
    })
}
const _: abi::aclrtMemManagedGetAttrsFn = aclrtMemManagedGetAttrs;

/// Checks and remembers prefetches, and puts a task for them into a stream.
fn prefetch(
    ranges: &[(*const c_void, u64, Place)],
    name: &'static str,
    stream: abi::aclrtStream,
) -> Result<(), CallError> {
    // All ranges are checked before the first is changed.
    for (ptr, size, _) in ranges {
        with_pages(*ptr, *size, "ptr", |_| Ok(()))?;
    }
    current::on_stream(stream, "stream", |stream| {
        stream.call(name, move |stream| {
            let queued =
                stream.external(name, &[], EndedBy::Others, |_, ending| ending.end(Ok(())));
            queued.map(drop)
        })?;
        Ok(())
    })?;
    for &(ptr, size, place) in ranges {
        with_pages(ptr, size, "ptr", |pages| {
            for page in pages {
                page.prefetched = Some(place);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Asks for managed memory at a place, in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemManagedPrefetchAsync(
    ptr: *const c_void,
    size: usize,
    location: abi::aclrtMemManagedLocation,
    flags: u32,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemManagedPrefetchAsync", || {
        not_null(ptr, "ptr")?;
        if flags != 0 {
            return bad_value("flags", flags, "it must be 0");
        }
        let range = (ptr, size as u64, place(location)?);
        prefetch(&[range], "aclrtMemManagedPrefetchAsync", stream)
    })
}
const _: abi::aclrtMemManagedPrefetchAsyncFn = aclrtMemManagedPrefetchAsync;

/// The same for several ranges.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemManagedPrefetchBatchAsync(
    ptrs: *mut *const c_void,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut abi::aclrtMemManagedLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemManagedPrefetchBatchAsync", || {
        if count == 0 {
            return bad_value("count", 0, "it must be at least 1");
        }
        if numPrefetchLocs == 0 || numPrefetchLocs > count {
            return bad_value(
                "numPrefetchLocs",
                numPrefetchLocs,
                "it must be at least 1 and at most 'count'",
            );
        }
        if flags != 0 {
            return bad_value("flags", flags, "it must be 0");
        }
        // SAFETY: the header's contract for the arguments.
        let starts = unsafe { boundary::array(ptrs, count, "ptrs") }?;
        // SAFETY: as above.
        let sizes = unsafe { boundary::array(sizes, count, "sizes") }?;
        // SAFETY: as above.
        let places = unsafe { boundary::array(prefetchLocs, numPrefetchLocs, "prefetchLocs") }?;
        // SAFETY: as above.
        let begins =
            unsafe { boundary::array(prefetchLocIdxs, numPrefetchLocs, "prefetchLocIdxs") }?;
        let ascending = begins.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = begins.last().is_some_and(|last| *last < count);
        if begins.first() != Some(&0) || !ascending || !inside {
            return bad_value(
                "prefetchLocIdxs",
                format!("{begins:?}"),
                "it must begin with 0, ascend, and stay below 'count'",
            );
        }
        let places: Result<Vec<Place>, CallError> = places.into_iter().map(place).collect();
        let places = places?;
        let mut ranges = Vec::new();
        for (index, (start, size)) in starts.iter().zip(&sizes).enumerate() {
            not_null(*start, "ptrs")?;
            let which = begins.partition_point(|begin| *begin <= index) - 1;
            ranges.push((*start, *size as u64, places[which]));
        }
        prefetch(&ranges, "aclrtMemManagedPrefetchBatchAsync", stream)
    })
}
const _: abi::aclrtMemManagedPrefetchBatchAsyncFn = aclrtMemManagedPrefetchBatchAsync;
