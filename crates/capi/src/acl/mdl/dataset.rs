//! Datasets: lists of data buffers, with a tensor description beside those whose shape is dynamic.
//!
//! A dataset owns neither its buffers nor their memory. It does own the descriptions: they are
//! copied, so that the program may destroy its own at once.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::acl::data_buffer;
use crate::acl::tensor_desc::{self, TensorDesc};
use crate::boundary::{CallError, bad_value, entry, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw, word};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static DATASETS: Registry<Mutex<Dataset>> = Registry::new(Kind::Dataset);

/// A list of buffers.
#[derive(Debug, Default)]
pub(crate) struct Dataset {
    pub(crate) entries: Vec<DatasetEntry>,
    /// The gear that was chosen for runs with it, and for which model.
    pub(crate) gear: Option<(u32, usize)>,
}

/// One buffer of a dataset, with its description.
#[derive(Debug)]
pub(crate) struct DatasetEntry {
    /// The handle of the buffer. Whether it still names one is seen when it is used.
    buffer: u64,
    /// The handle of the description, which is the dataset's own; 0 for none.
    desc: u64,
}

impl DatasetEntry {
    /// The buffer's handle, as C holds it.
    pub(crate) fn buffer(&self) -> *mut abi::aclDataBuffer {
        pointer(self.buffer).cast()
    }

    /// The description's handle, as C holds it; null for none.
    pub(crate) fn desc(&self) -> *mut abi::aclTensorDesc {
        if self.desc == 0 {
            return std::ptr::null_mut();
        }
        pointer(self.desc).cast()
    }

    /// Puts a copy of a description beside the buffer, or none.
    pub(crate) fn describe(&mut self, desc: Option<TensorDesc>) -> Result<(), CallError> {
        // The new one first: without it the old one stays.
        let new = match desc {
            Some(desc) => word(tensor_desc::adopt(desc)?.cast_const().cast()),
            None => 0,
        };
        self.forget();
        self.desc = new;
        Ok(())
    }

    /// Says what a run gave. A description that is there keeps its handle, so that a program may hold it from
    /// run to run.
    pub(crate) fn tell(&mut self, desc: TensorDesc) -> Result<(), CallError> {
        if self.desc != 0
            && let Ok(known) = tensor_desc::find(self.desc(), "output")
        {
            *known.lock() = desc;
            return Ok(());
        }
        self.describe(Some(desc))
    }

    fn forget(&mut self) {
        if self.desc != 0 {
            tensor_desc::discard(self.desc());
            self.desc = 0;
        }
    }
}

impl Drop for DatasetEntry {
    fn drop(&mut self) {
        self.forget();
    }
}

/// The dataset in an argument.
pub(crate) fn find(
    dataset: *const abi::aclmdlDataset,
    argument: &'static str,
) -> Result<HandleGuard<'static, Mutex<Dataset>>, CallError> {
    resolve(&DATASETS, Kind::Dataset, dataset.cast(), argument)
}

fn with_entry<T>(
    dataset: *const abi::aclmdlDataset,
    index: usize,
    act: impl FnOnce(&mut DatasetEntry) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let dataset = find(dataset, "dataset")?;
    let mut dataset = dataset.lock();
    match dataset.entries.get_mut(index) {
        Some(entry) => act(entry),
        None => bad_value(
            "index",
            index,
            "it must be below the number of buffers of the dataset",
        ),
    }
}

/// Creates an empty dataset.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlCreateDataset() -> *mut abi::aclmdlDataset {
    value_entry("aclmdlCreateDataset", std::ptr::null_mut(), || {
        Ok(pointer(mint(&DATASETS, Kind::Dataset, Mutex::default())?).cast())
    })
}
const _: abi::aclmdlCreateDatasetFn = aclmdlCreateDataset;

/// Ends a dataset and the descriptions in it; the buffers stay.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlDestroyDataset(
    dataset: *const abi::aclmdlDataset,
) -> abi::aclError {
    entry("aclmdlDestroyDataset", || {
        withdraw(&DATASETS, Kind::Dataset, dataset.cast(), "dataset").map(drop)
    })
}
const _: abi::aclmdlDestroyDatasetFn = aclmdlDestroyDataset;

/// Adds a buffer at the end.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlAddDatasetBuffer(
    dataset: *mut abi::aclmdlDataset,
    dataBuffer: *mut abi::aclDataBuffer,
) -> abi::aclError {
    entry("aclmdlAddDatasetBuffer", || {
        let dataset = find(dataset, "dataset")?;
        drop(data_buffer::find(dataBuffer, "dataBuffer")?);
        let buffer = word(dataBuffer.cast_const().cast());
        dataset
            .lock()
            .entries
            .push(DatasetEntry { buffer, desc: 0 });
        Ok(())
    })
}
const _: abi::aclmdlAddDatasetBufferFn = aclmdlAddDatasetBuffer;

/// How many buffers there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDatasetNumBuffers(
    dataset: *const abi::aclmdlDataset,
) -> usize {
    value_entry("aclmdlGetDatasetNumBuffers", 0, || {
        Ok(find(dataset, "dataset")?.lock().entries.len())
    })
}
const _: abi::aclmdlGetDatasetNumBuffersFn = aclmdlGetDatasetNumBuffers;

/// One of the buffers; NULL if the index is out of range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDatasetBuffer(
    dataset: *const abi::aclmdlDataset,
    index: usize,
) -> *mut abi::aclDataBuffer {
    value_entry("aclmdlGetDatasetBuffer", std::ptr::null_mut(), || {
        with_entry(dataset, index, |entry| Ok(entry.buffer()))
    })
}
const _: abi::aclmdlGetDatasetBufferFn = aclmdlGetDatasetBuffer;

/// Puts a copy of a description beside a buffer; NULL takes away what is there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetDatasetTensorDesc(
    dataset: *mut abi::aclmdlDataset,
    tensorDesc: *mut abi::aclTensorDesc,
    index: usize,
) -> abi::aclError {
    entry("aclmdlSetDatasetTensorDesc", || {
        let copy = if tensorDesc.is_null() {
            None
        } else {
            Some(tensor_desc::find(tensorDesc, "tensorDesc")?.lock().clone())
        };
        with_entry(dataset, index, |entry| entry.describe(copy))
    })
}
const _: abi::aclmdlSetDatasetTensorDescFn = aclmdlSetDatasetTensorDesc;

/// The description beside a buffer, which stays the dataset's; NULL if there is none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDatasetTensorDesc(
    dataset: *const abi::aclmdlDataset,
    index: usize,
) -> *mut abi::aclTensorDesc {
    value_entry("aclmdlGetDatasetTensorDesc", std::ptr::null_mut(), || {
        with_entry(dataset, index, |entry| Ok(entry.desc()))
    })
}
const _: abi::aclmdlGetDatasetTensorDescFn = aclmdlGetDatasetTensorDesc;
