//! `acldvppRoiConfig` and `acldvppResizeConfig`: areas of pictures, and how pictures are resized.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond_abi as abi;
use millpond_media::{Area, Method};
use parking_lot::Mutex;

use super::task::{invalid, rules};
use crate::boundary::{CallError, entry, value_entry};
use crate::handles::{discard, mint, pointer, resolve};
use crate::registry::{HandleGuard, Kind, Registry};

static AREAS: Registry<Mutex<Area>> = Registry::new(Kind::PictureArea);
static RESIZES: Registry<AtomicU32> = Registry::new(Kind::ResizeOptions);

fn find_area(
    handle: *const abi::acldvppRoiConfig,
    argument: &'static str,
) -> Result<HandleGuard<'static, Mutex<Area>>, CallError> {
    resolve(&AREAS, Kind::PictureArea, handle.cast(), argument)
}

/// The area in an argument.
pub(super) fn area(
    handle: *const abi::acldvppRoiConfig,
    argument: &'static str,
) -> Result<Area, CallError> {
    Ok(*find_area(handle, argument)?.lock())
}

fn find_resize(
    handle: *const abi::acldvppResizeConfig,
) -> Result<HandleGuard<'static, AtomicU32>, CallError> {
    resolve(&RESIZES, Kind::ResizeOptions, handle.cast(), "resizeConfig")
}

/// How an argument says that pictures are resized.
pub(super) fn method(handle: *const abi::acldvppResizeConfig) -> Result<Method, CallError> {
    let number = find_resize(handle)?.load(Ordering::Relaxed);
    rules()?.method(number).map_err(invalid)
}

/// Creates an area.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreateRoiConfig(
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
) -> *mut abi::acldvppRoiConfig {
    value_entry("acldvppCreateRoiConfig", null_mut(), || {
        let area = Area {
            left,
            right,
            top,
            bottom,
        };
        Ok(pointer(mint(&AREAS, Kind::PictureArea, Mutex::new(area))?).cast())
    })
}
const _: abi::acldvppCreateRoiConfigFn = acldvppCreateRoiConfig;

/// Ends an area.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyRoiConfig(
    roiConfig: *mut abi::acldvppRoiConfig,
) -> abi::aclError {
    entry("acldvppDestroyRoiConfig", || {
        discard(&AREAS, Kind::PictureArea, roiConfig.cast(), "roiConfig")
    })
}
const _: abi::acldvppDestroyRoiConfigFn = acldvppDestroyRoiConfig;

macro_rules! edges {
    ($($function:ident $field:ident $type:ident;)*) => {$(
        #[doc = concat!("Changes the edge `", stringify!($field), "`.")]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function(
            config: *mut abi::acldvppRoiConfig,
            $field: u32,
        ) -> abi::aclError {
            entry(stringify!($function), || {
                find_area(config, "config")?.lock().$field = $field;
                Ok(())
            })
        }
        const _: abi::$type = $function;
    )*};
}
edges! {
    acldvppSetRoiConfigLeft left acldvppSetRoiConfigLeftFn;
    acldvppSetRoiConfigRight right acldvppSetRoiConfigRightFn;
    acldvppSetRoiConfigTop top acldvppSetRoiConfigTopFn;
    acldvppSetRoiConfigBottom bottom acldvppSetRoiConfigBottomFn;
}

/// Changes all edges.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppSetRoiConfig(
    config: *mut abi::acldvppRoiConfig,
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
) -> abi::aclError {
    entry("acldvppSetRoiConfig", || {
        *find_area(config, "config")?.lock() = Area {
            left,
            right,
            top,
            bottom,
        };
        Ok(())
    })
}
const _: abi::acldvppSetRoiConfigFn = acldvppSetRoiConfig;

/// Creates a resize configuration, with interpolation 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppCreateResizeConfig() -> *mut abi::acldvppResizeConfig {
    value_entry("acldvppCreateResizeConfig", null_mut(), || {
        Ok(pointer(mint(&RESIZES, Kind::ResizeOptions, AtomicU32::new(0))?).cast())
    })
}
const _: abi::acldvppCreateResizeConfigFn = acldvppCreateResizeConfig;

/// Ends a resize configuration.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppDestroyResizeConfig(
    resizeConfig: *mut abi::acldvppResizeConfig,
) -> abi::aclError {
    entry("acldvppDestroyResizeConfig", || {
        discard(
            &RESIZES,
            Kind::ResizeOptions,
            resizeConfig.cast(),
            "resizeConfig",
        )
    })
}
const _: abi::acldvppDestroyResizeConfigFn = acldvppDestroyResizeConfig;

/// Changes how pictures are resized.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppSetResizeConfigInterpolation(
    resizeConfig: *mut abi::acldvppResizeConfig,
    interpolation: u32,
) -> abi::aclError {
    entry("acldvppSetResizeConfigInterpolation", || {
        let config = find_resize(resizeConfig)?;
        rules()?.method(interpolation).map_err(invalid)?;
        config.store(interpolation, Ordering::Relaxed);
        Ok(())
    })
}
const _: abi::acldvppSetResizeConfigInterpolationFn = acldvppSetResizeConfigInterpolation;

/// How pictures are resized.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn acldvppGetResizeConfigInterpolation(
    resizeConfig: *const abi::acldvppResizeConfig,
) -> u32 {
    value_entry("acldvppGetResizeConfigInterpolation", 0, || {
        Ok(find_resize(resizeConfig)?.load(Ordering::Relaxed))
    })
}
const _: abi::acldvppGetResizeConfigInterpolationFn = acldvppGetResizeConfigInterpolation;
