//! `acldvppPicDesc`: where a picture is and what it looks like, and batches of them.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use millpond_abi as abi;
use millpond_media::{Format, Layout};
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, not_null, value_entry};
use crate::handles::{discard, host_pointer, mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};

static PICTURES: Registry<Picture> = Registry::new(Kind::Picture);
static BATCHES: Registry<Batch> = Registry::new(Kind::PictureBatch);

/// What a program said about a picture. Tasks that write the picture keep it, to say how they ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Says {
    pub(super) data: u64,
    pub(super) size: u32,
    pub(super) format: abi::acldvppPixelFormat,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) width_stride: u32,
    pub(super) height_stride: u32,
    pub(super) code: u32,
}

/// A picture description.
pub(super) type Picture = Arc<Mutex<Says>>;

/// The handles of its pictures, which end with it.
type Batch = Box<[u64]>;

impl Says {
    /// The picture that it describes.
    pub(super) fn layout(&self, argument: &'static str) -> Result<Layout, CallError> {
        if self.data == 0 {
            let missing =
                format!("the picture in '{argument}' has no memory: call acldvppSetPicDescData");
            return Err(CallError::coded(abi::ACL_ERROR_INVALID_PARAM, missing));
        }
        let Some(format) = Format::from_number(self.format) else {
            let text = format!(
                "the picture in '{argument}' has format {}: formats 0 to 17 are processed",
                self.format
            );
            return Err(CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text));
        };
        Ok(Layout {
            format,
            width: self.width as usize,
            height: self.height as usize,
            width_stride: self.width_stride as usize,
            height_stride: self.height_stride as usize,
        })
    }
}

/// The picture in an argument.
pub(super) fn find(
    handle: *const abi::acldvppPicDesc,
    argument: &'static str,
) -> Result<Picture, CallError> {
    let found = resolve(&PICTURES, Kind::Picture, handle.cast(), argument)?;
    Ok(Arc::clone(&found))
}

/// The pictures in a batch.
pub(super) fn members(
    handle: *const abi::acldvppBatchPicDesc,
    argument: &'static str,
) -> Result<Vec<Picture>, CallError> {
    let found = batch(handle, argument)?;
    let members = found.iter();
    members
        .map(|member| find(host_pointer(*member), argument))
        .collect()
}

fn batch(
    handle: *const abi::acldvppBatchPicDesc,
    argument: &'static str,
) -> Result<HandleGuard<'static, Batch>, CallError> {
    resolve(&BATCHES, Kind::PictureBatch, handle.cast(), argument)
}

/// Creates a description.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreatePicDesc() -> *mut abi::acldvppPicDesc {
    value_entry("acldvppCreatePicDesc", null_mut(), || {
        Ok(pointer(mint(&PICTURES, Kind::Picture, Picture::default())?).cast())
    })
}
const _: abi::acldvppCreatePicDescFn = acldvppCreatePicDesc;

/// Ends a description; the memory that it names is untouched.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyPicDesc(
    picDesc: *mut abi::acldvppPicDesc,
) -> abi::aclError {
    entry("acldvppDestroyPicDesc", || {
        discard(&PICTURES, Kind::Picture, picDesc.cast(), "picDesc")
    })
}
const _: abi::acldvppDestroyPicDescFn = acldvppDestroyPicDesc;

/// Says where a picture is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppSetPicDescData(
    picDesc: *mut abi::acldvppPicDesc,
    dataDev: *mut c_void,
) -> abi::aclError {
    entry("acldvppSetPicDescData", || {
        let picture = find(picDesc, "picDesc")?;
        picture.lock().data = not_null(dataDev, "dataDev")?;
        Ok(())
    })
}
const _: abi::acldvppSetPicDescDataFn = acldvppSetPicDescData;

/// Where a picture is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppGetPicDescData(
    picDesc: *const abi::acldvppPicDesc,
) -> *mut c_void {
    value_entry("acldvppGetPicDescData", null_mut(), || {
        Ok(pointer(find(picDesc, "picDesc")?.lock().data))
    })
}
const _: abi::acldvppGetPicDescDataFn = acldvppGetPicDescData;

macro_rules! values {
    ($($set:ident $get:ident $field:ident $argument:ident $type:ty, $default:expr;)*) => {$(
        #[doc = concat!("Sets `", stringify!($argument), "`.")]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $set(
            picDesc: *mut abi::acldvppPicDesc,
            $argument: $type,
        ) -> abi::aclError {
            entry(stringify!($set), || {
                find(picDesc, "picDesc")?.lock().$field = $argument;
                Ok(())
            })
        }

        #[doc = concat!("Gets `", stringify!($argument), "`.")]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $get(picDesc: *const abi::acldvppPicDesc) -> $type {
            value_entry(stringify!($get), $default, || Ok(find(picDesc, "picDesc")?.lock().$field))
        }
    )*};
}
values! {
    acldvppSetPicDescSize acldvppGetPicDescSize size size u32, 0;
    acldvppSetPicDescFormat acldvppGetPicDescFormat format format
        abi::acldvppPixelFormat, abi::PIXEL_FORMAT_UNKNOWN;
    acldvppSetPicDescWidth acldvppGetPicDescWidth width width u32, 0;
    acldvppSetPicDescHeight acldvppGetPicDescHeight height height u32, 0;
    acldvppSetPicDescWidthStride acldvppGetPicDescWidthStride width_stride widthStride u32, 0;
    acldvppSetPicDescHeightStride acldvppGetPicDescHeightStride height_stride heightStride u32, 0;
    acldvppSetPicDescRetCode acldvppGetPicDescRetCode code retCode u32, 0;
}
const _: abi::acldvppSetPicDescSizeFn = acldvppSetPicDescSize;
const _: abi::acldvppGetPicDescSizeFn = acldvppGetPicDescSize;
const _: abi::acldvppSetPicDescFormatFn = acldvppSetPicDescFormat;
const _: abi::acldvppGetPicDescFormatFn = acldvppGetPicDescFormat;
const _: abi::acldvppSetPicDescWidthFn = acldvppSetPicDescWidth;
const _: abi::acldvppGetPicDescWidthFn = acldvppGetPicDescWidth;
const _: abi::acldvppSetPicDescHeightFn = acldvppSetPicDescHeight;
const _: abi::acldvppGetPicDescHeightFn = acldvppGetPicDescHeight;
const _: abi::acldvppSetPicDescWidthStrideFn = acldvppSetPicDescWidthStride;
const _: abi::acldvppGetPicDescWidthStrideFn = acldvppGetPicDescWidthStride;
const _: abi::acldvppSetPicDescHeightStrideFn = acldvppSetPicDescHeightStride;
const _: abi::acldvppGetPicDescHeightStrideFn = acldvppGetPicDescHeightStride;
const _: abi::acldvppSetPicDescRetCodeFn = acldvppSetPicDescRetCode;
const _: abi::acldvppGetPicDescRetCodeFn = acldvppGetPicDescRetCode;

/// The most pictures of a batch.
pub(super) const LARGEST_BATCH: u32 = 256;

/// Creates several descriptions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreateBatchPicDesc(
    batchSize: u32,
) -> *mut abi::acldvppBatchPicDesc {
    value_entry("acldvppCreateBatchPicDesc", null_mut(), || {
        if !(1..=LARGEST_BATCH).contains(&batchSize) {
            return bad_value("batchSize", batchSize, "a batch has 1 to 256 pictures");
        }
        let members = (0..batchSize).map(|_| mint(&PICTURES, Kind::Picture, Picture::default()));
        let members = members.collect::<Result<Batch, CallError>>()?;
        Ok(pointer(mint(&BATCHES, Kind::PictureBatch, members)?).cast())
    })
}
const _: abi::acldvppCreateBatchPicDescFn = acldvppCreateBatchPicDesc;

/// One of the descriptions of a batch.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppGetPicDesc(
    batchPicDesc: *mut abi::acldvppBatchPicDesc,
    index: u32,
) -> *mut abi::acldvppPicDesc {
    value_entry("acldvppGetPicDesc", null_mut(), || {
        let found = batch(batchPicDesc, "batchPicDesc")?;
        match found.get(index as usize) {
            Some(member) => Ok(pointer(*member).cast()),
            None => bad_value("index", index, "the batch has fewer pictures"),
        }
    })
}
const _: abi::acldvppGetPicDescFn = acldvppGetPicDesc;

/// Ends a batch and its descriptions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyBatchPicDesc(
    batchPicDesc: *mut abi::acldvppBatchPicDesc,
) -> abi::aclError {
    entry("acldvppDestroyBatchPicDesc", || {
        let gone = withdraw(
            &BATCHES,
            Kind::PictureBatch,
            batchPicDesc.cast(),
            "batchPicDesc",
        )?;
        for member in &**gone {
            // The program may have ended a member before.
            drop(PICTURES.remove(*member));
        }
        Ok(())
    })
}
const _: abi::acldvppDestroyBatchPicDescFn = acldvppDestroyBatchPicDesc;
