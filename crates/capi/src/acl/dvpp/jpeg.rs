//! JPEG files: what is in them, and decoding them in stream order.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::sync::Arc;

use millpond_abi as abi;
use millpond_media::jpeg::{self, Info, Problem};
use millpond_media::{Family, Format, Image, Layout, Packing, Sampling};
use millpond_trace::{Bytes, Space, Span};

use super::channel;
use super::picture::{self, Says};
use super::task::{Uses, invalid, on_device, writable};
use crate::boundary::{CallError, array, bad_value, entry, not_null, out};
use crate::handles::host_pointer;
use crate::{current, process};

/// What the strides of decoded pictures are multiples of.
const STRIDES: (usize, usize) = (64, 16);
/// The same for predicted sizes: what every chip accepts.
const PREDICTED: (usize, usize) = (128, 16);

fn refused(problem: &Problem) -> CallError {
    let code = match problem {
        Problem::Damaged(_) => abi::ACL_ERROR_INVALID_PARAM,
        Problem::Unsupported(_) => abi::ACL_ERROR_UNSUPPORTED_JPEG,
    };
    CallError::coded(code, problem.to_string())
}

/// Reads the headers of a file in host memory.
///
/// # Safety
/// `data` must point to `size` readable bytes, if they are host memory.
unsafe fn headers(data: *const c_void, size: u32) -> Result<Info, CallError> {
    let address = not_null(data, "data")?;
    if size == 0 {
        return bad_value("size", size, "a file has more bytes");
    }
    if let Ok(runtime) = process::runtime()
        && let Some(Space::Device(_)) = runtime.space_of(address)
    {
        return bad_value(
            "data",
            format!("{address:#x}, in device memory"),
            "the headers of a file are read from host memory",
        );
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { array(data.cast::<u8>(), size as usize, "data") }?;
    jpeg::info(&bytes).map_err(|problem| refused(&problem))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Size and components of a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppJpegGetImageInfo(
    data: *const c_void,
    size: u32,
    width: *mut u32,
    height: *mut u32,
    components: *mut i32,
) -> abi::aclError {
    entry("acldvppJpegGetImageInfo", || {
        let (width, height, components) = (out!(width), out!(height), out!(components));
        // SAFETY: the header's contract.
        let info = unsafe { headers(data, size) }?;
        width.write(number(info.width));
        height.write(number(info.height));
        components.write(if info.components == 1 { 1 } else { 3 });
        Ok(())
    })
}
const _: abi::acldvppJpegGetImageInfoFn = acldvppJpegGetImageInfo;

/// The same, and how colours are sampled.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppJpegGetImageInfoV2(
    data: *const c_void,
    size: u32,
    width: *mut u32,
    height: *mut u32,
    components: *mut i32,
    format: *mut abi::acldvppJpegFormat,
) -> abi::aclError {
    entry("acldvppJpegGetImageInfoV2", || {
        let (width, height) = (out!(width), out!(height));
        let (components, format) = (out!(components), out!(format));
        // SAFETY: the header's contract.
        let info = unsafe { headers(data, size) }?;
        width.write(number(info.width));
        height.write(number(info.height));
        components.write(if info.components == 1 { 1 } else { 3 });
        format.write(match info.family {
            Family::Gray => abi::ACL_JPEG_CSS_GRAY,
            Family::Yuv(Sampling::Full) => abi::ACL_JPEG_CSS_444,
            Family::Yuv(Sampling::Half) => abi::ACL_JPEG_CSS_422,
            Family::Yuv(Sampling::Tall) => abi::ACL_JPEG_CSS_440,
            Family::Yuv(Sampling::Quarter) => abi::ACL_JPEG_CSS_420,
            Family::Rgb => abi::ACL_JPEG_CSS_UNKNOWN,
        });
        Ok(())
    })
}
const _: abi::acldvppJpegGetImageInfoV2Fn = acldvppJpegGetImageInfoV2;

/// The format that a file is decoded to, or why it cannot be.
fn target(wanted: abi::acldvppPixelFormat, family: Family) -> Result<Format, String> {
    let own = match family {
        Family::Yuv(Sampling::Full) => Some(Format::Yvu444Sp),
        Family::Yuv(Sampling::Half) => Some(Format::Yvu422Sp),
        Family::Yuv(Sampling::Quarter) | Family::Gray => Some(Format::Yvu420Sp),
        Family::Yuv(Sampling::Tall) | Family::Rgb => None,
    };
    if wanted == abi::PIXEL_FORMAT_UNKNOWN {
        return own.ok_or_else(|| {
            "a 4:4:0 file has no format of its own here: decode it to YUV420SP (NV12) or YVU420SP (NV21)".to_owned()
        });
    }
    let format = Format::from_number(wanted).filter(|format| {
        let Packing::SemiPlanar(sampling, _) = format.packing() else {
            return false;
        };
        sampling == Sampling::Quarter || Family::Yuv(sampling) == family
    });
    format.ok_or_else(|| {
        format!("format {wanted} is not one that this JPEG file decodes to: use YUV420SP (1 or 2), or the file's own")
    })
}

/// A decoded picture of this size: odd sides of formats with shared chroma are rounded up.
fn decoded(format: Format, width: usize, height: usize, strides: (usize, usize)) -> Layout {
    let (across, down) = match format.packing() {
        Packing::SemiPlanar(sampling, _) => sampling.step(),
        Packing::Gray | Packing::Packed422(_) | Packing::Pixels(..) => (1, 1),
    };
    Layout {
        format,
        width: width.next_multiple_of(across),
        height: height.next_multiple_of(down),
        width_stride: width.next_multiple_of(strides.0),
        height_stride: height.next_multiple_of(strides.1),
    }
}

/// Bytes that a decoded file needs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppJpegPredictDecSize(
    data: *const c_void,
    dataSize: u32,
    outputPixelFormat: abi::acldvppPixelFormat,
    decSize: *mut u32,
) -> abi::aclError {
    entry("acldvppJpegPredictDecSize", || {
        let out = out!(decSize);
        // SAFETY: the header's contract.
        let info = unsafe { headers(data, dataSize) }?;
        let format = target(outputPixelFormat, info.family).map_err(invalid)?;
        let layout = decoded(format, info.width, info.height, PREDICTED);
        out.write(number(layout.bytes()));
        Ok(())
    })
}
const _: abi::acldvppJpegPredictDecSizeFn = acldvppJpegPredictDecSize;

/// The picture that the program expects, if its description says so.
fn expected(says: &Says) -> Result<Option<Layout>, CallError> {
    if says.data == 0 {
        return Err(invalid(
            "the picture in 'outputDesc' has no memory: call acldvppSetPicDescData".to_owned(),
        ));
    }
    let format = match says.format {
        abi::PIXEL_FORMAT_UNKNOWN => return Ok(None),
        format => match Format::from_number(format) {
            Some(format) if matches!(format.packing(), Packing::SemiPlanar(..)) => format,
            _ => {
                return Err(invalid(format!(
                    "the picture in 'outputDesc' has format {format}: JPEG files are decoded to the formats 1 to 6"
                )));
            }
        },
    };
    let sizes = [
        says.width,
        says.height,
        says.width_stride,
        says.height_stride,
    ];
    if sizes == [0; 4] {
        return Ok(None);
    }
    let [width, height, width_stride, height_stride] = sizes.map(|size| size as usize);
    let layout = Layout {
        width_stride,
        height_stride,
        ..decoded(format, width, height, STRIDES)
    };
    for (what, stride, unit, least) in [
        ("width stride", width_stride, STRIDES.0, layout.width),
        ("height stride", height_stride, STRIDES.1, layout.height),
    ] {
        if !stride.is_multiple_of(unit) || stride < least {
            return Err(invalid(format!(
                "the {what} of the output picture is {stride}: for a decoded picture it must be a multiple of {unit}, and \
                 at least {least}"
            )));
        }
    }
    if (says.size as usize) < layout.bytes() {
        return Err(invalid(format!(
            "the output picture has {} bytes of memory, and needs {}: see acldvppJpegPredictDecSize",
            says.size,
            layout.bytes()
        )));
    }
    Ok(Some(layout))
}

/// Decodes a file, and returns the pixels and how they are stored.
fn decode(bytes: &[u8], says: &Says, expected: Option<Layout>) -> Result<(Image, Layout), String> {
    let image = jpeg::decode(bytes).map_err(|problem| problem.to_string())?;
    let format = target(says.format, image.family)?;
    let layout = match expected {
        None => decoded(format, image.width(), image.height(), STRIDES),
        Some(expected) => {
            let real = decoded(format, image.width(), image.height(), STRIDES);
            if (real.width, real.height) != (expected.width, expected.height) {
                return Err(format!(
                    "the JPEG file is {} × {}, and the output picture {} × {}",
                    image.width(),
                    image.height(),
                    expected.width,
                    expected.height
                ));
            }
            expected
        }
    };
    if layout.bytes() > says.size as usize {
        return Err(format!(
            "the output picture has {} bytes of memory, and the decoded file needs {}",
            says.size,
            layout.bytes()
        ));
    }
    let image = image.convert(format.family(), millpond_media::Matrix::default());
    Ok((image.padded(layout.width, layout.height), layout))
}

/// Decodes a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppJpegDecodeAsync(
    channelDesc: *mut abi::acldvppChannelDesc,
    data: *const c_void,
    size: u32,
    outputDesc: *mut abi::acldvppPicDesc,
    stream: abi::aclrtStream,
) -> abi::aclError {
    const NAME: &str = "acldvppJpegDecodeAsync";
    entry(NAME, || {
        channel::usable(channelDesc, abi::DVPP_CHNMODE_JPEGD)?;
        let address = not_null(data, "data")?;
        if size == 0 {
            return bad_value("size", size, "a file has more bytes");
        }
        let output = picture::find(outputDesc, "outputDesc")?;
        let says = *output.lock();
        let expected = expected(&says)?;
        on_device(address, "the JPEG file")?;
        on_device(says.data, "the output picture")?;
        let bytes = |start, bytes: u32| {
            Span::from(Bytes {
                start,
                bytes: bytes.into(),
            })
        };
        let mut uses = Uses::default();
        uses.add(bytes(address, size), false);
        match &expected {
            Some(layout) => uses.add_picture(says.data, layout, layout.whole(), true),
            // Which bytes, the file says.
            None => uses.add(bytes(says.data, says.size), true),
        }
        let output = Arc::clone(&output);
        let run = move |places: &[u64], _: u64| {
            let (file, target) = (host_pointer::<u8>(places[0]), &places[1..]);
            // SAFETY: the runtime resolved the touches, in their order, and keeps them until this returns.
            let file = unsafe { std::slice::from_raw_parts(file, size as usize) };
            let (image, layout) = match decode(file, &says, expected) {
                Ok(decoded) => decoded,
                Err(text) => {
                    output.lock().code = 1;
                    return Err(text);
                }
            };
            let parts = layout.parts(layout.whole());
            let places: Vec<u64> = match expected {
                Some(_) => target.to_vec(),
                None => parts
                    .iter()
                    .map(|part| target[0] + part.start as u64)
                    .collect(),
            };
            // SAFETY: as above; `decode` compared the layout with the size of the memory.
            let mut bytes = unsafe { writable(&parts, &places) };
            image.write(&layout, layout.whole(), &mut bytes);
            let mut says = output.lock();
            says.code = 0;
            says.format = layout.format as i32;
            (says.width, says.height) = (number(layout.width), number(layout.height));
            says.width_stride = number(layout.width_stride);
            says.height_stride = number(layout.height_stride);
            Ok(())
        };
        current::on_stream(stream, "stream", |stream| {
            stream.compute_rows(NAME, &uses.touches, &uses.rows, None, false, run)?;
            Ok(())
        })
    })
}
const _: abi::acldvppJpegDecodeAsyncFn = acldvppJpegDecodeAsync;
