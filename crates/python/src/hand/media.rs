//! Media functions whose arguments are more than numbers.
#![expect(unsafe_code, reason = "calls C functions")]

use crate::arguments::Args;
use crate::bindings::c;
use crate::object::{Answer, ToObject, tuple};

pub(crate) fn media_dvpp_set_channel_desc_param(args: Args<'_>) -> Answer {
    let (channel, kind, value) = (args.pointer(0)?, args.i32(1)?, args.u32(2)?);
    let place = (&raw const value).cast();
    // SAFETY: the value lives until the call returns, and has the length that is passed.
    let ret = unsafe { c::acldvppSetChannelDescParam(channel, kind, size_of::<u32>(), place) };
    ret.object()
}

pub(crate) fn media_dvpp_get_channel_desc_param(args: Args<'_>) -> Answer {
    let (channel, kind) = (args.pointer(0)?, args.i32(1)?);
    let (mut value, mut bytes) = (0_u64, 0_usize);
    let place = (&raw mut value).cast();
    let most = size_of::<u64>();
    // SAFETY: there is room for the length that is passed.
    let ret = unsafe { c::acldvppGetChannelDescParam(channel, kind, most, &raw mut bytes, place) };
    tuple([u64::from_le(value).object()?, ret.object()?])
}

pub(crate) fn media_vdec_set_channel_desc_callback(args: Args<'_>) -> Answer {
    let channel = args.pointer(0)?;
    // SAFETY: the function is refused, and would accept NULL.
    let ret = unsafe { c::aclvdecSetChannelDescCallback(channel, None) };
    ret.object()
}

pub(crate) fn media_venc_set_channel_desc_callback(args: Args<'_>) -> Answer {
    let channel = args.pointer(0)?;
    // SAFETY: as above.
    let ret = unsafe { c::aclvencSetChannelDescCallback(channel, None) };
    ret.object()
}
