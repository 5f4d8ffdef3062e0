//! The picture operations `acldvppVpc*`: resizing, cropping, pasting, converting, also in batches.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;
use millpond_media::{Area, Matrix, Method, Rules, Side, Step};

use super::channel;
use super::options::{area, method};
use super::picture::{self, LARGEST_BATCH, Picture};
use super::task::{Job, invalid, on_device, queue, rules};
use crate::boundary::{CallError, array, bad_value, entry};
use crate::current;

/// What an operation does besides reading and writing pictures.
#[derive(Debug, Clone, Copy, Default)]
struct Wish {
    crop: Option<Area>,
    paste: Option<Area>,
    method: Method,
    matrix: Matrix,
    /// The sizes must be the same.
    same_size: bool,
}

/// Checks an operation.
fn job(input: &Picture, output: Picture, wish: Wish) -> Result<Job, CallError> {
    let rules = rules()?;
    let (source, target) = (*input.lock(), *output.lock());
    let (from, to) = (source.layout("inputDesc")?, target.layout("outputDesc")?);
    rules
        .check(&from, source.size as usize, Side::Input)
        .map_err(invalid)?;
    rules
        .check(&to, target.size as usize, Side::Output)
        .map_err(invalid)?;
    on_device(source.data, "the input picture")?;
    on_device(target.data, "the output picture")?;
    let crop = match wish.crop {
        Some(area) => rules.area(area, &from, "crop").map_err(invalid)?,
        None => from.whole(),
    };
    let paste = match wish.paste {
        Some(area) => rules.paste(area, &to).map_err(invalid)?,
        None => to.whole(),
    };
    if wish.same_size && (crop.width, crop.height) != (paste.width, paste.height) {
        return Err(invalid(format!(
            "the input picture is {} × {} and the output picture {} × {}: a conversion does not resize",
            crop.width, crop.height, paste.width, paste.height
        )));
    }
    Rules::scale(crop, paste).map_err(invalid)?;
    Ok(Job {
        step: Step {
            from,
            crop,
            to,
            paste,
            method: wish.method,
            matrix: wish.matrix,
        },
        source: source.data,
        target: target.data,
        output,
    })
}

/// One operation, from the call to the queue.
fn one(
    name: &'static str,
    channelDesc: *const abi::acldvppChannelDesc,
    inputDesc: *const abi::acldvppPicDesc,
    outputDesc: *const abi::acldvppPicDesc,
    stream: abi::aclrtStream,
    wish: impl FnOnce() -> Result<Wish, CallError>,
) -> abi::aclError {
    entry(name, || {
        let matrix = channel::usable(channelDesc, abi::DVPP_CHNMODE_VPC)?;
        let input = picture::find(inputDesc, "inputDesc")?;
        let output = picture::find(outputDesc, "outputDesc")?;
        let job = job(&input, output, Wish { matrix, ..wish()? })?;
        current::on_stream(stream, "stream", |stream| queue(name, &job, stream))
    })
}

/// Resizes a picture.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcResizeAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    resizeConfig: *mut abi::acldvppResizeConfig,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcResizeAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                method: method(resizeConfig)?,
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcResizeAsyncFn = acldvppVpcResizeAsync;

/// Crops a picture.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcCropAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    cropArea: *mut abi::acldvppRoiConfig,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcCropAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                crop: Some(area(cropArea, "cropArea")?),
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcCropAsyncFn = acldvppVpcCropAsync;

/// Crops and resizes a picture.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcCropResizeAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    cropArea: *mut abi::acldvppRoiConfig,
    resizeConfig: *mut abi::acldvppResizeConfig,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcCropResizeAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                crop: Some(area(cropArea, "cropArea")?),
                method: method(resizeConfig)?,
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcCropResizeAsyncFn = acldvppVpcCropResizeAsync;

/// Crops a picture and pastes it into another.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcCropAndPasteAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    cropArea: *mut abi::acldvppRoiConfig,
    pasteArea: *mut abi::acldvppRoiConfig,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcCropAndPasteAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                crop: Some(area(cropArea, "cropArea")?),
                paste: Some(area(pasteArea, "pasteArea")?),
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcCropAndPasteAsyncFn = acldvppVpcCropAndPasteAsync;

/// The same with a choice of how it is resized.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcCropResizePasteAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    cropArea: *mut abi::acldvppRoiConfig,
    pasteArea: *mut abi::acldvppRoiConfig,
    resizeConfig: *mut abi::acldvppResizeConfig,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcCropResizePasteAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                crop: Some(area(cropArea, "cropArea")?),
                paste: Some(area(pasteArea, "pasteArea")?),
                method: method(resizeConfig)?,
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcCropResizePasteAsyncFn = acldvppVpcCropResizePasteAsync;

/// Converts a picture to another format.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppVpcConvertColorAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    inputDesc: *mut abi::acldvppPicDesc,
    outputDesc: *mut abi::acldvppPicDesc,
    stream: abi::aclrtStream,
) -> abi::aclError {
    one(
        "acldvppVpcConvertColorAsync",
        channelDesc,
        inputDesc,
        outputDesc,
        stream,
        || {
            Ok(Wish {
                same_size: true,
                ..Wish::default()
            })
        },
    )
}
const _: abi::acldvppVpcConvertColorAsyncFn = acldvppVpcConvertColorAsync;

/// The arguments that all batch operations have.
#[derive(Debug, Clone, Copy)]
struct Batch {
    channel: *const abi::acldvppChannelDesc,
    sources: *const abi::acldvppBatchPicDesc,
    counts: *const u32,
    size: u32,
    targets: *const abi::acldvppBatchPicDesc,
    crops: *const *mut abi::acldvppRoiConfig,
    pastes: Option<*const *mut abi::acldvppRoiConfig>,
}

/// Operations on areas of several pictures. Either all are queued, or none.
///
/// # Safety
/// The arrays must have the lengths that the header says.
unsafe fn several(
    name: &'static str,
    batch: Batch,
    stream: abi::aclrtStream,
    method: impl FnOnce() -> Result<Method, CallError>,
) -> abi::aclError {
    entry(name, || {
        let matrix = channel::usable(batch.channel, abi::DVPP_CHNMODE_VPC)?;
        let sources = picture::members(batch.sources, "srcBatchPicDescs")?;
        let targets = picture::members(batch.targets, "dstBatchPicDescs")?;
        if batch.size == 0 || batch.size as usize > sources.len() {
            return bad_value(
                "size",
                batch.size,
                "it is the number of input pictures, and their batch has others",
            );
        }
        // SAFETY: the header's contract: as many as `size` says.
        let counts = unsafe { array(batch.counts, batch.size as usize, "roiNums") }?;
        let total: u64 = counts.iter().copied().map(u64::from).sum();
        if total > u64::from(LARGEST_BATCH) || total != targets.len() as u64 {
            return Err(invalid(format!(
                "roiNums has {total} areas in all, and dstBatchPicDescs {} pictures: the numbers must be the same, at \
                 most {LARGEST_BATCH}",
                targets.len()
            )));
        }
        // SAFETY: the header's contract: one for each area.
        let crops = unsafe { array(batch.crops, targets.len(), "cropAreas") }?;
        let pastes = match batch.pastes {
            // SAFETY: as above.
            Some(pastes) => Some(unsafe { array(pastes, targets.len(), "pasteAreas") }?),
            None => None,
        };
        let method = method()?;
        let owners = sources.iter().zip(&counts);
        let owners = owners.flat_map(|(source, count)| (0..*count).map(move |_| source));
        let mut jobs = Vec::new();
        for (index, (source, target)) in owners.zip(&targets).enumerate() {
            let wish = Wish {
                crop: Some(area(crops[index], "cropAreas")?),
                paste: match &pastes {
                    Some(pastes) => Some(area(pastes[index], "pasteAreas")?),
                    None => None,
                },
                method,
                matrix,
                same_size: false,
            };
            jobs.push(job(source, target.clone(), wish)?);
        }
        current::on_stream(stream, "stream", |stream| {
            jobs.iter().try_for_each(|job| queue(name, job, stream))
        })
    })
}

macro_rules! batches {
    ($($(#[$doc:meta])* $function:ident $type:ident $($pastes:ident)? $(, $resize:ident)?;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the signature is the C signature")]
        pub(crate) unsafe extern "C" fn $function(
            channelDesc: *mut abi::acldvppChannelDesc,
            srcBatchPicDescs: *mut abi::acldvppBatchPicDesc,
            roiNums: *mut u32,
            size: u32,
            dstBatchPicDescs: *mut abi::acldvppBatchPicDesc,
            cropAreas: *mut *mut abi::acldvppRoiConfig,
            $($pastes: *mut *mut abi::acldvppRoiConfig,)?
            $($resize: *mut abi::acldvppResizeConfig,)?
            stream: abi::aclrtStream,
        ) -> abi::aclError {
            let pastes = None::<*const *mut abi::acldvppRoiConfig>;
            $(let pastes = pastes.or(Some($pastes.cast_const()));)?
            let batch = Batch {
                channel: channelDesc,
                sources: srcBatchPicDescs,
                counts: roiNums,
                size,
                targets: dstBatchPicDescs,
                crops: cropAreas,
                pastes,
            };
            let chosen = || {
                let chosen = Method::default();
                $(let chosen = { let _ = chosen; method($resize)? };)?
                Ok(chosen)
            };
            // SAFETY: the header's contract for the arrays.
            unsafe { several(stringify!($function), batch, stream, chosen) }
        }
        const _: abi::$type = $function;
    )*};
}
batches! {
    /// Crops areas of several pictures.
    acldvppVpcBatchCropAsync acldvppVpcBatchCropAsyncFn;
    /// Crops and resizes areas of several pictures.
    acldvppVpcBatchCropResizeAsync acldvppVpcBatchCropResizeAsyncFn, resizeConfig;
    /// Crops areas of several pictures and pastes them.
    acldvppVpcBatchCropAndPasteAsync acldvppVpcBatchCropAndPasteAsyncFn pasteAreas;
    /// The same with a choice of how they are resized.
    acldvppVpcBatchCropResizePasteAsync acldvppVpcBatchCropResizePasteAsyncFn pasteAreas, resizeConfig;
}
