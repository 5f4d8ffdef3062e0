//! Access from one device to the memory of another. Here every device can access every other; only
//! the program's request is stored.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashSet;

use millpond_abi as abi;
use millpond_trace::Operation;
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, out};
use crate::{current, process};

/// Which device has been given access to which.
static ENABLED: Mutex<Option<HashSet<(i64, i64)>>> = Mutex::new(None);

/// Forgets what the program has set.
pub(crate) fn forget() {
    *ENABLED.lock() = None;
}

fn known(device: i32) -> Result<i64, CallError> {
    process::settings()?.physical(i64::from(device))?;
    Ok(i64::from(device))
}

fn current_and(peer: i32) -> Result<(i64, i64), CallError> {
    let peer = known(peer)?;
    let own = current::with(|entry| Ok(i64::from(entry.context.device().index())))?;
    if own == peer {
        return bad_value(
            "peerDeviceId",
            peer,
            "it must be a device other than the current one",
        );
    }
    Ok((own, peer))
}

fn tell((device, peer): (i64, i64), enabled: bool) {
    // Both are numbers of devices that exist.
    let number = |device| u32::try_from(device).unwrap_or(u32::MAX);
    process::emit(|| Operation::PeerAccessSet {
        device: number(device),
        peer: number(peer),
        enabled,
    });
}

/// Whether a device can reach another one's memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    deviceId: i32,
    peerDeviceId: i32,
) -> abi::aclError {
    entry("aclrtDeviceCanAccessPeer", || {
        let out = out!(canAccessPeer);
        let (device, peer) = (known(deviceId)?, known(peerDeviceId)?);
        out.write(i32::from(device != peer));
        Ok(())
    })
}
const _: abi::aclrtDeviceCanAccessPeerFn = aclrtDeviceCanAccessPeer;

/// Asks for access from the current device to another one's memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceEnablePeerAccess(
    peerDeviceId: i32,
    flags: u32,
) -> abi::aclError {
    entry("aclrtDeviceEnablePeerAccess", || {
        if flags != 0 {
            return bad_value("flags", flags, "it is reserved and must be 0");
        }
        let pair = current_and(peerDeviceId)?;
        ENABLED.lock().get_or_insert_default().insert(pair);
        tell(pair, true);
        Ok(())
    })
}
const _: abi::aclrtDeviceEnablePeerAccessFn = aclrtDeviceEnablePeerAccess;

/// Takes it back.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> abi::aclError {
    entry("aclrtDeviceDisablePeerAccess", || {
        let pair = current_and(peerDeviceId)?;
        if ENABLED.lock().get_or_insert_default().remove(&pair) {
            tell(pair, false);
            return Ok(());
        }
        bad_value("peerDeviceId", peerDeviceId, "access to it is not enabled")
    })
}
const _: abi::aclrtDeviceDisablePeerAccessFn = aclrtDeviceDisablePeerAccess;

/// Whether the program has asked for access from one device to another.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDevicePeerAccessStatus(
    deviceId: i32,
    peerDeviceId: i32,
    status: *mut i32,
) -> abi::aclError {
    entry("aclrtDevicePeerAccessStatus", || {
        let out = out!(status);
        let pair = (known(deviceId)?, known(peerDeviceId)?);
        let enabled = ENABLED
            .lock()
            .as_ref()
            .is_some_and(|known| known.contains(&pair));
        out.write(i32::from(enabled));
        Ok(())
    })
}
const _: abi::aclrtDevicePeerAccessStatusFn = aclrtDevicePeerAccessStatus;
