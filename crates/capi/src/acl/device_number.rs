//! The numbers of a device. What `aclrtSetDevice` takes is the user's number, and here also the logical one; the
//! physical number counts the devices that `ASCEND_RT_VISIBLE_DEVICES` hides too.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond::Error;
use millpond_abi as abi;

use crate::boundary::{CallError, entry, out};
use crate::process;

/// The same number, of a device that there is.
fn same(number: i32) -> Result<i32, CallError> {
    process::settings()?.physical(i64::from(number))?;
    Ok(number)
}

/// The number among all devices.
fn physical(number: i32) -> Result<i32, CallError> {
    let physical = process::settings()?.physical(i64::from(number))?;
    Ok(i32::try_from(physical).unwrap_or(i32::MAX))
}

/// The number of the device that has this one among all.
fn shown(physical: i32) -> Result<i32, CallError> {
    let config = process::settings()?;
    let count = config.visible_devices();
    let wanted = i64::from(physical);
    let is_it = |index: &u32| config.physical(i64::from(*index)).map(i64::from) == Ok(wanted);
    let shown = (0..count).find(is_it).ok_or(Error::NoSuchDevice {
        index: wanted,
        count,
    })?;
    Ok(i32::try_from(shown).unwrap_or(i32::MAX))
}

/// The logical number of a device of the user's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetLogicDevIdByUserDevId(
    userDevid: i32,
    logicDevId: *mut i32,
) -> abi::aclError {
    entry("aclrtGetLogicDevIdByUserDevId", || {
        let out = out!(logicDevId);
        out.write(same(userDevid)?);
        Ok(())
    })
}
const _: abi::aclrtGetLogicDevIdByUserDevIdFn = aclrtGetLogicDevIdByUserDevId;

/// The user's number of a logical device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetUserDevIdByLogicDevId(
    logicDevId: i32,
    userDevid: *mut i32,
) -> abi::aclError {
    entry("aclrtGetUserDevIdByLogicDevId", || {
        let out = out!(userDevid);
        out.write(same(logicDevId)?);
        Ok(())
    })
}
const _: abi::aclrtGetUserDevIdByLogicDevIdFn = aclrtGetUserDevIdByLogicDevId;

/// The logical number of a physical device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetLogicDevIdByPhyDevId(
    phyDevId: i32,
    logicDevId: *mut i32,
) -> abi::aclError {
    entry("aclrtGetLogicDevIdByPhyDevId", || {
        let out = out!(logicDevId);
        out.write(shown(phyDevId)?);
        Ok(())
    })
}
const _: abi::aclrtGetLogicDevIdByPhyDevIdFn = aclrtGetLogicDevIdByPhyDevId;

/// The physical number of a logical device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetPhyDevIdByLogicDevId(
    logicDevId: i32,
    phyDevId: *mut i32,
) -> abi::aclError {
    entry("aclrtGetPhyDevIdByLogicDevId", || {
        let out = out!(phyDevId);
        out.write(physical(logicDevId)?);
        Ok(())
    })
}
const _: abi::aclrtGetPhyDevIdByLogicDevIdFn = aclrtGetPhyDevIdByLogicDevId;

/// The user's number of a physical device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetUserDevIdByPhyDevId(
    phyDevId: i32,
    userDevId: *mut i32,
) -> abi::aclError {
    entry("aclrtGetUserDevIdByPhyDevId", || {
        let out = out!(userDevId);
        out.write(shown(phyDevId)?);
        Ok(())
    })
}
const _: abi::aclrtGetUserDevIdByPhyDevIdFn = aclrtGetUserDevIdByPhyDevId;

/// The physical number of a device of the user's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetPhyDevIdByUserDevId(
    userDevId: i32,
    phyDevId: *mut i32,
) -> abi::aclError {
    entry("aclrtGetPhyDevIdByUserDevId", || {
        let out = out!(phyDevId);
        out.write(physical(userDevId)?);
        Ok(())
    })
}
const _: abi::aclrtGetPhyDevIdByUserDevIdFn = aclrtGetPhyDevIdByUserDevId;
