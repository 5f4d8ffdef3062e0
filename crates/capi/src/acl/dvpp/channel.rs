//! `acldvppChannelDesc`: channels. On an NPU a channel is a part of the hardware; here its description is marked as created.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_abi as abi;
use millpond_media::Matrix;
use parking_lot::Mutex;

use super::task::invalid;
use crate::boundary::{CallError, array, bad_value, entry, not_null, out, put, value_entry};
use crate::current;
use crate::handles::{discard, mint, pointer, resolve};
use crate::registry::{HandleGuard, Kind, Registry};

static CHANNELS: Registry<Mutex<Channel>> = Registry::new(Kind::MediaChannel);
static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);

/// The largest side of a picture that a channel can be made for.
const LARGEST: u32 = 16384;
const ALL_MODES: i32 = abi::DVPP_CHNMODE_VPC
    | abi::DVPP_CHNMODE_JPEGD
    | abi::DVPP_CHNMODE_JPEGE
    | abi::DVPP_CHNMODE_PNGD;

/// A channel and its description.
#[derive(Debug)]
struct Channel {
    /// Its number, while it exists.
    number: Option<u64>,
    mode: u32,
    matrix: u32,
    width: u32,
    height: u32,
}

fn find(
    handle: *const abi::acldvppChannelDesc,
) -> Result<HandleGuard<'static, Mutex<Channel>>, CallError> {
    resolve(&CHANNELS, Kind::MediaChannel, handle.cast(), "channelDesc")
}

/// Checks that the channel exists and is for `mode`, and returns its matrix.
pub(super) fn usable(
    handle: *const abi::acldvppChannelDesc,
    mode: abi::acldvppChannelMode,
) -> Result<Matrix, CallError> {
    let found = find(handle)?;
    let channel = found.lock();
    if channel.number.is_none() {
        return Err(invalid(
            "the channel does not exist: call acldvppCreateChannel first".to_owned(),
        ));
    }
    if channel.mode & mode.cast_unsigned() == 0 {
        return Err(invalid(format!(
            "the channel has mode {}, and this operation needs {mode}: see acldvppSetChannelDescMode",
            channel.mode
        )));
    }
    Ok(Matrix::from_number(channel.matrix).unwrap_or_default())
}

/// Creates a description, for all modes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreateChannelDesc() -> *mut abi::acldvppChannelDesc {
    value_entry("acldvppCreateChannelDesc", null_mut(), || {
        let channel = Channel {
            number: None,
            mode: ALL_MODES.cast_unsigned(),
            matrix: 0,
            width: 8192,
            height: 8192,
        };
        Ok(pointer(mint(&CHANNELS, Kind::MediaChannel, Mutex::new(channel))?).cast())
    })
}
const _: abi::acldvppCreateChannelDescFn = acldvppCreateChannelDesc;

/// Ends a description.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyChannelDesc(
    channelDesc: *mut abi::acldvppChannelDesc,
) -> abi::aclError {
    entry("acldvppDestroyChannelDesc", || {
        discard(
            &CHANNELS,
            Kind::MediaChannel,
            channelDesc.cast(),
            "channelDesc",
        )
    })
}
const _: abi::acldvppDestroyChannelDescFn = acldvppDestroyChannelDesc;

/// The number of a channel; 0 if it does not exist.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppGetChannelDescChannelId(
    channelDesc: *const abi::acldvppChannelDesc,
) -> u64 {
    value_entry("acldvppGetChannelDescChannelId", 0, || {
        Ok(find(channelDesc)?.lock().number.unwrap_or(0))
    })
}
const _: abi::acldvppGetChannelDescChannelIdFn = acldvppGetChannelDescChannelId;

/// Changes a description, which must not have a channel yet.
fn change(
    handle: *mut abi::acldvppChannelDesc,
    change: impl FnOnce(&mut Channel) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let found = find(handle)?;
    let mut channel = found.lock();
    if channel.number.is_some() {
        return Err(invalid(
            "the channel exists already: set its attributes before acldvppCreateChannel".to_owned(),
        ));
    }
    change(&mut channel)
}

fn set_mode(channel: &mut Channel, mode: u32) -> Result<(), CallError> {
    if mode == 0 || mode & !ALL_MODES.cast_unsigned() != 0 {
        return bad_value(
            "mode",
            mode,
            "it is one of 1 (VPC), 2 (JPEGD), 4 (JPEGE), 8 (PNGD), or several of them",
        );
    }
    channel.mode = mode;
    Ok(())
}

/// Says what a channel is for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppSetChannelDescMode(
    channelDesc: *mut abi::acldvppChannelDesc,
    mode: u32,
) -> abi::aclError {
    entry("acldvppSetChannelDescMode", || {
        change(channelDesc, |channel| set_mode(channel, mode))
    })
}
const _: abi::acldvppSetChannelDescModeFn = acldvppSetChannelDescMode;

/// Sets an attribute.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppSetChannelDescParam(
    channelDesc: *mut abi::acldvppChannelDesc,
    paramType: abi::acldvppChannelDescParamType,
    length: usize,
    param: *const c_void,
) -> abi::aclError {
    entry("acldvppSetChannelDescParam", || {
        find(channelDesc)?;
        not_null(param, "param")?;
        if length != size_of::<u32>() {
            return bad_value(
                "length",
                length,
                "the attributes that can be set have four bytes",
            );
        }
        // SAFETY: the header's contract: it points to `length` bytes.
        let bytes = unsafe { array(param.cast::<u8>(), length, "param") }?;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u32::from(*byte));
        change(channelDesc, |channel| {
            match paramType {
                abi::ACL_DVPP_MODE_UINT32 => return set_mode(channel, number),
                abi::ACL_DVPP_CSC_MATRIX_UINT32 if Matrix::from_number(number).is_some() => {
                    channel.matrix = number;
                }
                abi::ACL_DVPP_CSC_MATRIX_UINT32 => {
                    return bad_value("param", number, "there are the matrices 0 to 5");
                }
                abi::ACL_DVPP_CHANNEL_WIDTH_UINT32 | abi::ACL_DVPP_CHANNEL_HEIGHT_UINT32
                    if !(1..=LARGEST).contains(&number) =>
                {
                    return bad_value(
                        "param",
                        number,
                        "the largest picture has 1 to 16384 columns and rows",
                    );
                }
                abi::ACL_DVPP_CHANNEL_WIDTH_UINT32 => channel.width = number,
                abi::ACL_DVPP_CHANNEL_HEIGHT_UINT32 => channel.height = number,
                _ => {
                    return bad_value(
                        "paramType",
                        paramType,
                        "it is not an attribute that can be set",
                    );
                }
            }
            Ok(())
        })
    })
}
const _: abi::acldvppSetChannelDescParamFn = acldvppSetChannelDescParam;

/// Gets an attribute.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppGetChannelDescParam(
    channelDesc: *const abi::acldvppChannelDesc,
    paramType: abi::acldvppChannelDescParamType,
    length: usize,
    paramRetSize: *mut usize,
    param: *mut c_void,
) -> abi::aclError {
    entry("acldvppGetChannelDescParam", || {
        let found = find(channelDesc)?;
        let size = out!(paramRetSize);
        not_null(param, "param")?;
        let (value, bytes) = {
            let channel = found.lock();
            match paramType {
                abi::ACL_DVPP_MODE_UINT32 => (channel.mode.into(), 4),
                abi::ACL_DVPP_CSC_MATRIX_UINT32 => (channel.matrix.into(), 4),
                abi::ACL_DVPP_CHANNEL_ID_UINT64 => (channel.number.unwrap_or(0), 8),
                abi::ACL_DVPP_CHANNEL_WIDTH_UINT32 => (channel.width.into(), 4),
                abi::ACL_DVPP_CHANNEL_HEIGHT_UINT32 => (channel.height.into(), 4),
                _ => return bad_value("paramType", paramType, "there is no such attribute"),
            }
        };
        if length < bytes {
            return bad_value("length", length, "the attribute has more bytes");
        }
        for (index, byte) in value.to_le_bytes().into_iter().take(bytes).enumerate() {
            // SAFETY: the header's contract: there is room for `length` bytes.
            unsafe { put(param.cast::<u8>(), index, byte) };
        }
        size.write(bytes);
        Ok(())
    })
}
const _: abi::acldvppGetChannelDescParamFn = acldvppGetChannelDescParam;

/// Creates the channel that a description describes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreateChannel(
    channelDesc: *mut abi::acldvppChannelDesc,
) -> abi::aclError {
    entry("acldvppCreateChannel", || {
        find(channelDesc)?;
        current::with(|_| Ok(()))?;
        change(channelDesc, |channel| {
            channel.number = Some(LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(())
        })
    })
}
const _: abi::acldvppCreateChannelFn = acldvppCreateChannel;

/// Ends a channel. Its description stays, and what is queued runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyChannel(
    channelDesc: *mut abi::acldvppChannelDesc,
) -> abi::aclError {
    entry("acldvppDestroyChannel", || {
        let found = find(channelDesc)?;
        match found.lock().number.take() {
            Some(_) => Ok(()),
            None => Err(invalid(
                "the channel does not exist, or was destroyed already".to_owned(),
            )),
        }
    })
}
const _: abi::acldvppDestroyChannelFn = acldvppDestroyChannel;
