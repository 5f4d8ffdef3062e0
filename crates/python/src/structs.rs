//! Structures of C as dictionaries.
//!
//! Keys are written as words with underscores, but for the descriptions of models, whose keys have C's spelling:
//! that is how scripts know them. Both spellings are read. What is left out is 0; an unknown key raises.
#![expect(
    unsafe_code,
    reason = "calls Python's C interface, and zeroes structures of integers"
)]

use std::ffi::{CStr, c_char};

use millpond_abi as abi;

use crate::arguments::{Args, ArgumentRef};
use crate::ffi::{self, PyObject};
use crate::items::{Item, list_of};
use crate::object::{self, Answer, Owned, Raised, ToObject, text_in, value_error};

/// A structure that is a dictionary in Python.
pub(crate) trait Struct: Copy {
    fn dict(&self) -> Answer;
    fn read(dict: &Dict) -> Result<Self, Raised>;
}

/// A structure of numbers, addresses and arrays of them, all 0.
pub(crate) fn zeroed<T: Struct>() -> T {
    // SAFETY: the structures of this module have numbers and bare addresses only, and every byte of them may be 0.
    unsafe { std::mem::zeroed() }
}

impl Args<'_> {
    /// A dictionary as a structure.
    pub(crate) fn structure<T: Struct>(&self, index: usize) -> Result<T, Raised> {
        read(self.get(index), self.place(index))
    }
}

/// A structure in a list.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Element<T>(T);

impl<T: Struct> Item for Element<T> {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        read(object, place).map(Self)
    }
}

pub(crate) fn read<T: Struct>(object: *mut PyObject, place: ArgumentRef) -> Result<T, Raised> {
    let dict = Dict::of(object, place)?;
    let value = T::read(&dict)?;
    dict.all_known()?;
    Ok(value)
}

/// A dictionary that is being read.
pub(crate) struct Dict {
    object: *mut PyObject,
    place: ArgumentRef,
    found: std::cell::Cell<isize>,
    asked: std::cell::RefCell<Vec<&'static CStr>>,
}

impl Dict {
    pub(crate) fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        if !object::is(object, &raw mut ffi::PyDict_Type) {
            return Err(place.wrong_type("a dict", object));
        }
        Ok(Self {
            object,
            place,
            found: 0.into(),
            asked: Vec::new().into(),
        })
    }

    /// What is under a key, in either spelling. Kept alive: reading it may run code that changes the dictionary.
    pub(crate) fn item(&self, keys: [&'static CStr; 2]) -> Option<Owned> {
        self.asked.borrow_mut().push(keys[0]);
        for key in keys {
            // SAFETY: a dictionary and a text. It returns a borrowed reference of the dictionary.
            let found = unsafe { ffi::PyDict_GetItemString(self.object, key.as_ptr()) };
            if !found.is_null() {
                self.found.set(self.found.get() + 1);
                return Owned::borrowed(found).ok();
            }
        }
        None
    }

    fn number<T: Field>(&self, keys: [&'static CStr; 2], default: T) -> Result<T, Raised> {
        self.item(keys)
            .map_or(Ok(default), |item| T::take(item.as_ptr(), self.place))
    }

    /// Raises if there is an unknown key.
    pub(crate) fn all_known(&self) -> Result<(), Raised> {
        // SAFETY: a dictionary.
        let size = unsafe { ffi::PyDict_Size(self.object) };
        if size <= self.found.get() {
            return Ok(());
        }
        let asked = self.asked.borrow();
        let names: Vec<_> = asked.iter().map(|key| key.to_string_lossy()).collect();
        Err(value_error(&format!(
            "{} has an unknown key; known keys are {}",
            self.place,
            names.join(", ")
        )))
    }
}

/// Fills a dictionary.
pub(crate) fn dict<const N: usize>(entries: [(&CStr, Answer); N]) -> Answer {
    // SAFETY: makes an empty one.
    let dict = Owned::new(unsafe { ffi::PyDict_New() })?;
    for (key, value) in entries {
        // SAFETY: a dictionary, a text, and a reference that it does not take over.
        unsafe { ffi::PyDict_SetItemString(dict.as_ptr(), key.as_ptr(), value?.as_ptr()) };
    }
    Ok(dict)
}

/// What a field of a structure may be.
trait Field: Sized {
    fn give(&self) -> Answer;
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised>;
}

macro_rules! fields {
    ($($type:ty),*) => {
        $(impl Field for $type {
            fn give(&self) -> Answer {
                self.object()
            }
            fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
                <$type as Item>::of(object, place)
            }
        })*
    };
}
fields!(u32, i32, u64, usize);

impl<const N: usize> Field for [u32; N] {
    fn give(&self) -> Answer {
        self.object()
    }
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        array(list_of(object, place)?, place)
    }
}

impl Field for u8 {
    fn give(&self) -> Answer {
        u32::from(*self).object()
    }
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        let number = u32::of(object, place)?;
        Self::try_from(number).map_err(|_| value_error(&format!("{place}: {number} is too large")))
    }
}

impl<const N: usize> Field for [u8; N] {
    fn give(&self) -> Answer {
        self.object()
    }
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        let numbers: Vec<u32> = list_of(object, place)?;
        let bytes: Vec<u8> = numbers
            .iter()
            .map(|number| u8::try_from(*number).unwrap_or(u8::MAX))
            .collect();
        array(bytes, place)
    }
}

/// An array of what was given, the rest of it 0.
fn array<T: Copy + Default, const N: usize>(
    given: Vec<T>,
    place: ArgumentRef,
) -> Result<[T; N], Raised> {
    if given.len() > N {
        return Err(value_error(&format!(
            "{place} has a list of more than {N} items"
        )));
    }
    let mut array = [T::default(); N];
    for (to, from) in array.iter_mut().zip(given) {
        *to = from;
    }
    Ok(array)
}

impl Field for abi::aclrtMemLocation {
    fn give(&self) -> Answer {
        self.dict()
    }
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        read(object, place)
    }
}

impl Field for abi::millpondCount {
    fn give(&self) -> Answer {
        self.dict()
    }
    fn take(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        read(object, place)
    }
}

macro_rules! structs {
    ($($name:ident { $($key:literal / $other:literal => $field:ident),* $(,)? })*) => {
        $(impl Struct for abi::$name {
            fn dict(&self) -> Answer {
                dict([$(($key, self.$field.give())),*])
            }
            fn read(dict: &Dict) -> Result<Self, Raised> {
                let mut value: Self = zeroed();
                $(value.$field = dict.number([$key, $other], value.$field)?;)*
                Ok(value)
            }
        })*
    };
}

structs! {
    aclrtMemLocation { c"id" / c"id" => id, c"type" / c"type" => r#type }
    aclrtPtrAttributes {
        c"location" / c"location" => location, c"page_size" / c"pageSize" => pageSize,
        c"rsv" / c"rsv" => rsv,
    }
    aclrtPhysicalMemProp {
        c"handle_type" / c"handleType" => handleType,
        c"allocation_type" / c"allocationType" => allocationType,
        c"mem_attr" / c"memAttr" => memAttr, c"location" / c"location" => location,
        c"reserve" / c"reserve" => reserve,
    }
    aclrtMemAccessDesc {
        c"flags" / c"flags" => flags, c"location" / c"location" => location, c"rsv" / c"rsv" => rsv,
    }
    aclrtMemManagedLocation { c"type" / c"type" => r#type, c"id" / c"id" => id }
    aclrtMemcpyBatchAttr {
        c"dst_loc" / c"dstLoc" => dstLoc, c"src_loc" / c"srcLoc" => srcLoc, c"rsv" / c"rsv" => rsv,
    }
    aclrtCntNotifyRecordInfo { c"mode" / c"mode" => mode, c"value" / c"value" => value }
    aclrtCntNotifyWaitInfo {
        c"mode" / c"mode" => mode, c"value" / c"value" => value, c"timeout" / c"timeout" => timeout,
        c"is_clear" / c"isClear" => isClear, c"rsv" / c"rsv" => rsv,
    }
    aclrtMemPoolProps {
        c"alloc_type" / c"allocType" => allocType, c"handle_type" / c"handleType" => handleType,
        c"location" / c"location" => location, c"max_size" / c"maxSize" => maxSize,
        c"reserved" / c"reserved" => reserved,
    }
    millpondCount { c"current" / c"current" => current, c"peak" / c"peak" => peak, c"total" / c"total" => total }
    millpondMemStatistics {
        c"charged" / c"charged" => charged, c"charged_peak" / c"chargedPeak" => chargedPeak,
        c"limit" / c"limit" => limit, c"reserved" / c"reserved" => reserved,
        c"reserved_peak" / c"reservedPeak" => reservedPeak, c"blocks" / c"blocks" => blocks,
        c"pages_moved" / c"pagesMoved" => pagesMoved, c"streams" / c"streams" => streams,
    }
}

/// The part of an array that a count says is in use.
fn used<T>(array: &[T], count: usize) -> &[T] {
    &array[..count.min(array.len())]
}

impl Struct for abi::aclmdlIODims {
    fn dict(&self) -> Answer {
        dict([
            (c"name", text_in(&self.name)),
            (c"dimCount", self.dimCount.object()),
            (c"dims", used(&self.dims, self.dimCount).object()),
        ])
    }
    fn read(dict: &Dict) -> Result<Self, Raised> {
        let mut value: Self = zeroed();
        if let Some(name) = dict.item([c"name", c"name"]) {
            let text = object::text_of(&name);
            // The last byte stays 0.
            for (to, from) in value.name[..abi::ACL_MAX_TENSOR_NAME_LEN - 1]
                .iter_mut()
                .zip(text.bytes())
            {
                *to = from.cast_signed() as c_char;
            }
        }
        let dims = dict.item([c"dims", c"dims"]);
        let dims: Vec<i64> =
            dims.map_or(Ok(Vec::new()), |dims| list_of(dims.as_ptr(), dict.place))?;
        value.dimCount = dict.number([c"dimCount", c"dim_count"], dims.len())?;
        if value.dimCount > dims.len() {
            return Err(value_error(&format!(
                "{} has a dimCount of {}, but {} dims",
                dict.place,
                value.dimCount,
                dims.len()
            )));
        }
        value.dims = array(dims, dict.place)?;
        Ok(value)
    }
}

/// Structures that are returned and never read.
macro_rules! only_given {
    ($($name:ident |$this:ident| { $($key:literal => $value:expr),* $(,)? })*) => {
        $(impl Struct for abi::$name {
            fn dict(&self) -> Answer {
                let $this = self;
                dict([$(($key, $value)),*])
            }
            fn read(dict: &Dict) -> Result<Self, Raised> {
                dict.all_known().map(|()| zeroed())
            }
        })*
    };
}

only_given! {
    aclrtUtilizationInfo |this| {
        c"cube_utilization" => this.cubeUtilization.object(),
        c"vector_utilization" => this.vectorUtilization.object(),
        c"aicpu_utilization" => this.aicpuUtilization.object(),
        c"memory_utilization" => this.memoryUtilization.object(),
    }
    aclrtErrorInfo |this| {
        c"try_repair" => u32::from(this.tryRepair).object(),
        c"has_detail" => u32::from(this.hasDetail).object(),
        c"error_type" => this.errorType.object(),
    }
    aclrtMemUceInfo |this| {
        c"addr" => this.addr.object(),
        c"len" => this.len.object(),
    }
    aclmdlIODimsRange |this| {
        c"rangeCount" => this.rangeCount.object(),
        c"range" => used(&this.range, this.rangeCount).object(),
    }
    aclAippDims |this| {
        c"srcDims" => this.srcDims.dict(),
        c"srcSize" => this.srcSize.object(),
        c"aippOutdims" => this.aippOutdims.dict(),
        c"aippOutSize" => this.aippOutSize.object(),
    }
    aclAippInfo |this| {
        c"inputFormat" => this.inputFormat.object(),
        c"srcImageSizeW" => this.srcImageSizeW.object(),
        c"srcImageSizeH" => this.srcImageSizeH.object(),
        c"cropSwitch" => i32::from(this.cropSwitch).object(),
        c"loadStartPosW" => this.loadStartPosW.object(),
        c"loadStartPosH" => this.loadStartPosH.object(),
        c"cropSizeW" => this.cropSizeW.object(),
        c"cropSizeH" => this.cropSizeH.object(),
        c"resizeSwitch" => i32::from(this.resizeSwitch).object(),
        c"resizeOutputW" => this.resizeOutputW.object(),
        c"resizeOutputH" => this.resizeOutputH.object(),
        c"paddingSwitch" => i32::from(this.paddingSwitch).object(),
        c"leftPaddingSize" => this.leftPaddingSize.object(),
        c"rightPaddingSize" => this.rightPaddingSize.object(),
        c"topPaddingSize" => this.topPaddingSize.object(),
        c"bottomPaddingSize" => this.bottomPaddingSize.object(),
        c"cscSwitch" => i32::from(this.cscSwitch).object(),
        c"rbuvSwapSwitch" => i32::from(this.rbuvSwapSwitch).object(),
        c"axSwapSwitch" => i32::from(this.axSwapSwitch).object(),
        c"singleLineMode" => i32::from(this.singleLineMode).object(),
        c"matrixR0C0" => this.matrixR0C0.object(),
        c"matrixR0C1" => this.matrixR0C1.object(),
        c"matrixR0C2" => this.matrixR0C2.object(),
        c"matrixR1C0" => this.matrixR1C0.object(),
        c"matrixR1C1" => this.matrixR1C1.object(),
        c"matrixR1C2" => this.matrixR1C2.object(),
        c"matrixR2C0" => this.matrixR2C0.object(),
        c"matrixR2C1" => this.matrixR2C1.object(),
        c"matrixR2C2" => this.matrixR2C2.object(),
        c"outputBias0" => this.outputBias0.object(),
        c"outputBias1" => this.outputBias1.object(),
        c"outputBias2" => this.outputBias2.object(),
        c"inputBias0" => this.inputBias0.object(),
        c"inputBias1" => this.inputBias1.object(),
        c"inputBias2" => this.inputBias2.object(),
        c"meanChn0" => this.meanChn0.object(),
        c"meanChn1" => this.meanChn1.object(),
        c"meanChn2" => this.meanChn2.object(),
        c"meanChn3" => this.meanChn3.object(),
        c"minChn0" => this.minChn0.object(),
        c"minChn1" => this.minChn1.object(),
        c"minChn2" => this.minChn2.object(),
        c"minChn3" => this.minChn3.object(),
        c"varReciChn0" => this.varReciChn0.object(),
        c"varReciChn1" => this.varReciChn1.object(),
        c"varReciChn2" => this.varReciChn2.object(),
        c"varReciChn3" => this.varReciChn3.object(),
        c"srcFormat" => this.srcFormat.object(),
        c"srcDatatype" => this.srcDatatype.object(),
        c"srcDimNum" => this.srcDimNum.object(),
        c"shapeCount" => this.shapeCount.object(),
        c"outDims" => {
            let count = this.shapeCount.min(this.outDims.len());
            object::list(this.outDims[..count].iter().map(Struct::dict))
        },
    }
    aclmdlBatch |this| {
        c"batchCount" => this.batchCount.object(),
        c"batch" => used(&this.batch, this.batchCount).object(),
    }
    aclmdlHW |this| {
        c"hwCount" => this.hwCount.object(),
        c"hw" => used(&this.hw, this.hwCount).object(),
    }
    aclrtMemUsageInfo |this| {
        c"name" => text_in(&this.name),
        c"cur_mem_size" => this.curMemSize.object(),
        c"mem_peak_size" => this.memPeakSize.object(),
    }
    aclCANNPackageVersion |this| {
        c"version" => text_in(&this.version),
        c"major_version" => text_in(&this.majorVersion),
        c"minor_version" => text_in(&this.minorVersion),
        c"release_version" => text_in(&this.releaseVersion),
        c"patch_version" => text_in(&this.patchVersion),
    }
    millpondStreamStatistics |this| {
        c"stream" => this.stream.object(),
        c"bytes" => this.bytes.dict(),
        c"pending_blocks" => this.pendingBlocks.object(),
        c"pending_bytes" => this.pendingBytes.object(),
        c"kept_blocks" => this.keptBlocks.object(),
        c"blocks" => object::list(this.blocks.iter().map(Struct::dict)),
    }
}
