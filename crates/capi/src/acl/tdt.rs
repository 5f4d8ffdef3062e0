//! `acl/acl_tdt.h`: channels that carry tensors, inside this process.
//!
//! No model reads or writes channels here, so what is sent is received by another handle of the same channel.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::{HashMap, VecDeque};
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Weak};
use std::time::Duration;

use millpond::STEP;
use millpond_abi as abi;
use parking_lot::{Condvar, Mutex};

use crate::boundary::{self, CallError, bad_value, entry, not_null, out, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw, word};
use crate::process;
use crate::registry::{HandleGuard, Kind, Registry};

/// Data sets that a channel takes if the program does not say how many.
const CAPACITY: usize = 128;

pub(crate) static ITEMS: Registry<Item> = Registry::new(Kind::TensorItem);
pub(crate) static DATASETS: Registry<Mutex<Dataset>> = Registry::new(Kind::TensorSet);
pub(crate) static CHANNELS: Registry<Arc<Channel>> = Registry::new(Kind::Channel);

/// Channels by device and name, as long as a handle exists.
static NAMED: Mutex<Option<Named>> = Mutex::new(None);
type Named = HashMap<(u32, CString), Weak<Channel>>;

/// What an item is, without its bytes.
#[derive(Debug, Clone)]
struct Shape {
    kind: abi::acltdtTensorType,
    dims: Vec<i64>,
    element: abi::aclDataType,
}

/// An item that a program has: it names memory of the program, or has bytes of its own.
#[derive(Debug)]
pub(crate) struct Item {
    shape: Shape,
    address: usize,
    bytes: usize,
    /// What was received. Words, so that elements are aligned.
    _own: Vec<u128>,
}

#[derive(Debug, Default)]
pub(crate) struct Dataset {
    items: Vec<u64>,
    /// Whether the items were received, so that they end with it.
    received: bool,
    name: CString,
}

/// A data set on its way.
type Message = Vec<(Shape, Vec<u128>, usize)>;

#[derive(Debug)]
pub(crate) struct Channel {
    name: CString,
    capacity: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Message>,
    stopped: bool,
}

impl Channel {
    /// Waits until `act` has done its part. `code` is what is returned if it cannot within the time.
    fn when<T>(
        &self,
        timeout: i32,
        (code, problem): (abi::aclError, &str),
        mut act: impl FnMut(&mut Queue) -> Option<T>,
    ) -> Result<T, CallError> {
        if timeout < -1 {
            return bad_value(
                "timeout",
                timeout,
                "it must be -1 (no limit), 0, or a number of milliseconds",
            );
        }
        let limit = u64::try_from(timeout).ok().map(Duration::from_millis);
        let clock = process::runtime()?.clock();
        let deadline = limit.and_then(|limit| clock.after(limit));
        let _expected = clock.expect(deadline, true);
        let mut queue = self.queue.lock();
        loop {
            if let Some(done) = act(&mut queue) {
                drop(queue);
                self.changed.notify_all();
                return Ok(done);
            }
            let late = deadline.is_some_and(|deadline| deadline <= clock.now());
            if queue.stopped || late {
                let stopped = if queue.stopped {
                    " and was stopped"
                } else {
                    ""
                };
                return Err(CallError::coded(
                    code,
                    format!("the channel {:?} is {problem}{stopped}", self.name),
                ));
            }
            if !clock.is_real() {
                self.changed.wait_for(&mut queue, STEP);
                drop(queue);
                clock.let_pass();
                queue = self.queue.lock();
                continue;
            }
            match deadline {
                Some(deadline) => {
                    let at = clock.on_machine(deadline);
                    self.changed.wait_until(&mut queue, at);
                }
                None => self.changed.wait(&mut queue),
            }
        }
    }
}

fn item(handle: *const abi::acltdtDataItem) -> Result<HandleGuard<'static, Item>, CallError> {
    resolve(&ITEMS, Kind::TensorItem, handle.cast(), "dataItem")
}

fn dataset(
    handle: *const abi::acltdtDataset,
) -> Result<HandleGuard<'static, Mutex<Dataset>>, CallError> {
    resolve(&DATASETS, Kind::TensorSet, handle.cast(), "dataset")
}

fn channel(
    handle: *const abi::acltdtChannelHandle,
) -> Result<HandleGuard<'static, Arc<Channel>>, CallError> {
    resolve(&CHANNELS, Kind::Channel, handle.cast(), "handle")
}

/// Makes an item of memory of the program.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtCreateDataItem(
    tdtType: abi::acltdtTensorType,
    dims: *const i64,
    dimNum: usize,
    dataType: abi::aclDataType,
    data: *mut c_void,
    size: usize,
) -> *mut abi::acltdtDataItem {
    value_entry("acltdtCreateDataItem", std::ptr::null_mut(), || {
        if !(abi::ACL_TENSOR_DATA_TENSOR..=abi::ACL_TENSOR_DATA_END_TENSOR).contains(&tdtType) {
            return bad_value("tdtType", tdtType, "it must be a value of acltdtTensorType");
        }
        // SAFETY: the header's contract for the arguments.
        let dims = unsafe { boundary::array(dims, dimNum, "dims") }?;
        if size > 0 {
            not_null(data, "data")?;
        }
        let made = Item {
            shape: Shape {
                kind: tdtType,
                dims,
                element: dataType,
            },
            address: data.expose_provenance(),
            bytes: size,
            _own: Vec::new(),
        };
        Ok(pointer(mint(&ITEMS, Kind::TensorItem, made)?).cast())
    })
}
const _: abi::acltdtCreateDataItemFn = acltdtCreateDataItem;

/// Ends an item; the memory that it names stays.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtDestroyDataItem(
    dataItem: *mut abi::acltdtDataItem,
) -> abi::aclError {
    entry("acltdtDestroyDataItem", || {
        withdraw(
            &ITEMS,
            Kind::TensorItem,
            dataItem.cast_const().cast(),
            "dataItem",
        )
        .map(drop)
    })
}
const _: abi::acltdtDestroyDataItemFn = acltdtDestroyDataItem;

/// What an item is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetTensorTypeFromItem(
    dataItem: *const abi::acltdtDataItem,
) -> abi::acltdtTensorType {
    let unknown = abi::ACL_TENSOR_DATA_UNDEFINED;
    value_entry("acltdtGetTensorTypeFromItem", unknown, || {
        Ok(item(dataItem)?.shape.kind)
    })
}
const _: abi::acltdtGetTensorTypeFromItemFn = acltdtGetTensorTypeFromItem;

/// The type of its elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDataTypeFromItem(
    dataItem: *const abi::acltdtDataItem,
) -> abi::aclDataType {
    value_entry("acltdtGetDataTypeFromItem", abi::ACL_DT_UNDEFINED, || {
        Ok(item(dataItem)?.shape.element)
    })
}
const _: abi::acltdtGetDataTypeFromItemFn = acltdtGetDataTypeFromItem;

/// Where its bytes are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDataAddrFromItem(
    dataItem: *const abi::acltdtDataItem,
) -> *mut c_void {
    value_entry("acltdtGetDataAddrFromItem", std::ptr::null_mut(), || {
        Ok(std::ptr::with_exposed_provenance_mut(
            item(dataItem)?.address,
        ))
    })
}
const _: abi::acltdtGetDataAddrFromItemFn = acltdtGetDataAddrFromItem;

/// How many there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDataSizeFromItem(
    dataItem: *const abi::acltdtDataItem,
) -> usize {
    value_entry("acltdtGetDataSizeFromItem", 0, || Ok(item(dataItem)?.bytes))
}
const _: abi::acltdtGetDataSizeFromItemFn = acltdtGetDataSizeFromItem;

/// How many dimensions it has.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDimNumFromItem(
    dataItem: *const abi::acltdtDataItem,
) -> usize {
    value_entry("acltdtGetDimNumFromItem", 0, || {
        Ok(item(dataItem)?.shape.dims.len())
    })
}
const _: abi::acltdtGetDimNumFromItemFn = acltdtGetDimNumFromItem;

/// Its dimensions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDimsFromItem(
    dataItem: *const abi::acltdtDataItem,
    dims: *mut i64,
    dimNum: usize,
) -> abi::aclError {
    entry("acltdtGetDimsFromItem", || {
        let item = item(dataItem)?;
        let known = &item.shape.dims;
        if dimNum < known.len() {
            return bad_value(
                "dimNum",
                format!("{dimNum} for {} dimensions", known.len()),
                "there must be room for all of them",
            );
        }
        if !known.is_empty() {
            not_null(dims, "dims")?;
        }
        for (index, dim) in known.iter().enumerate() {
            // SAFETY: below `dimNum`, for which the header's contract says that there is room.
            unsafe { boundary::put(dims, index, *dim) };
        }
        Ok(())
    })
}
const _: abi::acltdtGetDimsFromItemFn = acltdtGetDimsFromItem;

/// Makes a data set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtCreateDataset() -> *mut abi::acltdtDataset {
    value_entry("acltdtCreateDataset", std::ptr::null_mut(), || {
        let made = Mutex::new(Dataset::default());
        Ok(pointer(mint(&DATASETS, Kind::TensorSet, made)?).cast())
    })
}
const _: abi::acltdtCreateDatasetFn = acltdtCreateDataset;

/// Ends items that were received.
fn drop_received(set: &mut Dataset) {
    if std::mem::take(&mut set.received) {
        for handle in std::mem::take(&mut set.items) {
            // The program may have destroyed one itself.
            drop(ITEMS.remove(handle));
        }
    }
}

/// Ends a data set, and the items that it received.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtDestroyDataset(
    dataset: *mut abi::acltdtDataset,
) -> abi::aclError {
    entry("acltdtDestroyDataset", || {
        let handle = dataset.cast_const().cast();
        let gone = withdraw(&DATASETS, Kind::TensorSet, handle, "dataset")?;
        drop_received(&mut gone.lock());
        Ok(())
    })
}
const _: abi::acltdtDestroyDatasetFn = acltdtDestroyDataset;

/// Adds an item.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtAddDataItem(
    dataset: *mut abi::acltdtDataset,
    dataItem: *mut abi::acltdtDataItem,
) -> abi::aclError {
    entry("acltdtAddDataItem", || {
        let set = self::dataset(dataset)?;
        item(dataItem)?;
        let mut set = set.lock();
        if set.received {
            return bad_value(
                "dataset",
                "a data set that received items",
                "items are added to one that did not",
            );
        }
        set.items.push(word(dataItem.cast_const().cast()));
        Ok(())
    })
}
const _: abi::acltdtAddDataItemFn = acltdtAddDataItem;

/// One item of a data set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDataItem(
    dataset: *const abi::acltdtDataset,
    index: usize,
) -> *mut abi::acltdtDataItem {
    value_entry("acltdtGetDataItem", std::ptr::null_mut(), || {
        let set = self::dataset(dataset)?;
        let set = set.lock();
        match set.items.get(index) {
            Some(handle) => Ok(pointer(*handle).cast()),
            None => bad_value(
                "index",
                format!("{index} of {} items", set.items.len()),
                "it must be below the number of items",
            ),
        }
    })
}
const _: abi::acltdtGetDataItemFn = acltdtGetDataItem;

/// How many items a data set has.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDatasetSize(dataset: *const abi::acltdtDataset) -> usize {
    value_entry("acltdtGetDatasetSize", 0, || {
        Ok(self::dataset(dataset)?.lock().items.len())
    })
}
const _: abi::acltdtGetDatasetSizeFn = acltdtGetDatasetSize;

/// The channel that a data set was received from; empty for others. Valid until it receives again or is destroyed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtGetDatasetName(
    dataset: *const abi::acltdtDataset,
) -> *const c_char {
    value_entry("acltdtGetDatasetName", std::ptr::null(), || {
        Ok(self::dataset(dataset)?.lock().name.as_ptr())
    })
}
const _: abi::acltdtGetDatasetNameFn = acltdtGetDatasetName;

/// # Safety
/// `name` is null or a text.
unsafe fn open(
    device: u32,
    name: *const c_char,
    capacity: usize,
) -> Result<*mut abi::acltdtChannelHandle, CallError> {
    process::settings()?.physical(i64::from(device))?;
    // SAFETY: the caller's promise.
    let name = unsafe { boundary::text(name, "name") }?;
    let name = CString::new(name).unwrap_or_default();
    if name.is_empty() {
        return bad_value("name", "empty", "a channel needs a name");
    }
    if capacity == 0 {
        return bad_value("capacity", 0, "it must be at least 1");
    }
    let mut named = NAMED.lock();
    let named = named.get_or_insert_default();
    named.retain(|_, channel| channel.strong_count() > 0);
    let known = named.get(&(device, name.clone())).and_then(Weak::upgrade);
    let channel = known.unwrap_or_else(|| {
        let made = Arc::new(Channel {
            name: name.clone(),
            capacity,
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        named.insert((device, name), Arc::downgrade(&made));
        made
    });
    Ok(pointer(mint(&CHANNELS, Kind::Channel, channel)?).cast())
}

/// Opens a channel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtCreateChannel(
    deviceId: u32,
    name: *const c_char,
) -> *mut abi::acltdtChannelHandle {
    value_entry("acltdtCreateChannel", std::ptr::null_mut(), || {
        // SAFETY: the header's contract for the arguments.
        unsafe { open(deviceId, name, CAPACITY) }
    })
}
const _: abi::acltdtCreateChannelFn = acltdtCreateChannel;

/// Opens a channel for so many data sets; the first handle of a channel decides.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtCreateChannelWithCapacity(
    deviceId: u32,
    name: *const c_char,
    capacity: usize,
) -> *mut abi::acltdtChannelHandle {
    value_entry(
        "acltdtCreateChannelWithCapacity",
        std::ptr::null_mut(),
        || {
            // SAFETY: the header's contract for the arguments.
            unsafe { open(deviceId, name, capacity) }
        },
    )
}
const _: abi::acltdtCreateChannelWithCapacityFn = acltdtCreateChannelWithCapacity;

/// Ends a handle; the last one ends the channel and what is in it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtDestroyChannel(
    handle: *mut abi::acltdtChannelHandle,
) -> abi::aclError {
    entry("acltdtDestroyChannel", || {
        withdraw(
            &CHANNELS,
            Kind::Channel,
            handle.cast_const().cast(),
            "handle",
        )
        .map(drop)
    })
}
const _: abi::acltdtDestroyChannelFn = acltdtDestroyChannel;

/// Wakes the threads that wait for a channel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtStopChannel(
    handle: *mut abi::acltdtChannelHandle,
) -> abi::aclError {
    entry("acltdtStopChannel", || {
        let channel = channel(handle)?;
        channel.queue.lock().stopped = true;
        channel.changed.notify_all();
        Ok(())
    })
}
const _: abi::acltdtStopChannelFn = acltdtStopChannel;

/// Throws away what is in a channel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtCleanChannel(
    handle: *mut abi::acltdtChannelHandle,
) -> abi::aclError {
    entry("acltdtCleanChannel", || {
        let channel = channel(handle)?;
        channel.queue.lock().messages.clear();
        channel.changed.notify_all();
        Ok(())
    })
}
const _: abi::acltdtCleanChannelFn = acltdtCleanChannel;

/// Copies the bytes of an item.
fn copied(item: &Item) -> Vec<u128> {
    let mut own = vec![0_u128; item.bytes.div_ceil(size_of::<u128>())];
    let from = std::ptr::with_exposed_provenance::<u8>(item.address);
    // SAFETY: the header's contract: an item names so many bytes of the program until it was sent. The other side has room.
    unsafe { std::ptr::copy_nonoverlapping(from, own.as_mut_ptr().cast::<u8>(), item.bytes) };
    own
}

/// Sends a copy of a data set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtSendTensor(
    handle: *const abi::acltdtChannelHandle,
    dataset: *const abi::acltdtDataset,
    timeout: i32,
) -> abi::aclError {
    entry("acltdtSendTensor", || {
        let channel = channel(handle)?;
        let items = self::dataset(dataset)?.lock().items.clone();
        let mut message: Message = Vec::new();
        for one in items {
            let item = item(pointer(one).cast())?;
            let own = if item.bytes == 0 {
                Vec::new()
            } else {
                copied(&item)
            };
            message.push((item.shape.clone(), own, item.bytes));
        }
        let mut message = Some(message);
        let full = (abi::ACL_ERROR_RT_QUEUE_FULL, "full");
        channel.when(timeout, full, |queue| {
            if queue.messages.len() >= channel.capacity {
                return None;
            }
            queue.messages.extend(message.take());
            Some(())
        })
    })
}
const _: abi::acltdtSendTensorFn = acltdtSendTensor;

/// Receives the oldest data set of a channel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtReceiveTensor(
    handle: *const abi::acltdtChannelHandle,
    dataset: *mut abi::acltdtDataset,
    timeout: i32,
) -> abi::aclError {
    entry("acltdtReceiveTensor", || {
        let channel = channel(handle)?;
        let set = self::dataset(dataset)?;
        {
            let set = set.lock();
            if !set.received && !set.items.is_empty() {
                return bad_value(
                    "dataset",
                    "a data set with items of the program",
                    "it must be empty, or have received before",
                );
            }
        }
        let empty = (abi::ACL_ERROR_RT_QUEUE_EMPTY, "empty");
        let message = channel.when(timeout, empty, |queue| queue.messages.pop_front())?;
        let mut items = Vec::new();
        for (shape, mut own, bytes) in message {
            let made = Item {
                shape,
                address: own.as_mut_ptr().expose_provenance(),
                bytes,
                _own: own,
            };
            items.push(mint(&ITEMS, Kind::TensorItem, made)?);
        }
        let mut set = set.lock();
        drop_received(&mut set);
        *set = Dataset {
            items,
            received: true,
            name: channel.name.clone(),
        };
        Ok(())
    })
}
const _: abi::acltdtReceiveTensorFn = acltdtReceiveTensor;

/// How many data sets are in a channel.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acltdtQueryChannelSize(
    handle: *const abi::acltdtChannelHandle,
    size: *mut usize,
) -> abi::aclError {
    entry("acltdtQueryChannelSize", || {
        let out = out!(size);
        out.write(channel(handle)?.queue.lock().messages.len());
        Ok(())
    })
}
const _: abi::acltdtQueryChannelSizeFn = acltdtQueryChannelSize;
