//! Versions of the interface and of the toolkit packages that this library replaces.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;

use millpond_abi as abi;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out, text};

/// The version of the interface that the headers describe.
const INTERFACE: (i32, i32, i32) = (
    abi::ACL_MAJOR_VERSION,
    abi::ACL_MINOR_VERSION,
    abi::ACL_PATCH_VERSION,
);

/// The toolkit release whose functions the headers list. Programs compare it with what they need;
/// it says nothing about the vendor's software, of which there is none here.
const RELEASE: (i32, i32, i32) = (9, 0, 0);

/// The parts of the toolkit, by the number and by the name that programs use.
const PARTS: &[(abi::aclCANNPackageName, &str)] = &[
    (abi::ACL_PKG_NAME_CANN, "cann"),
    (abi::ACL_PKG_NAME_RUNTIME, "runtime"),
    (abi::ACL_PKG_NAME_COMPILER, "compiler"),
    (abi::ACL_PKG_NAME_HCCL, "hccl"),
    (abi::ACL_PKG_NAME_TOOLKIT, "toolkit"),
    (abi::ACL_PKG_NAME_OPP, "opp"),
    (abi::ACL_PKG_NAME_OPP_KERNEL, "opp_kernel"),
    (abi::ACL_PKG_NAME_DRIVER, "driver"),
];

fn release_text() -> String {
    let (major, minor, patch) = RELEASE;
    format!("{major}.{minor}.{patch}")
}

/// Writes a text into a fixed field, cut if need be, always terminated.
pub(super) fn put<const N: usize>(field: &mut [c_char; N], text: &str) {
    for (place, byte) in field[..N - 1].iter_mut().zip(text.bytes()) {
        *place = c_char::from_ne_byte(byte);
    }
}

/// `c_char` is signed on some machines and unsigned on others.
trait FromByte {
    fn from_ne_byte(byte: u8) -> Self;
}

impl FromByte for c_char {
    #[allow(
        clippy::cast_possible_wrap,
        clippy::unnecessary_cast,
        reason = "signed on x86 only"
    )]
    fn from_ne_byte(byte: u8) -> Self {
        byte as Self
    }
}

/// Tells the version of a part of the toolkit, by number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclsysGetCANNVersion(
    name: abi::aclCANNPackageName,
    version: *mut abi::aclCANNPackageVersion,
) -> abi::aclError {
    entry("aclsysGetCANNVersion", || {
        let out = out!(version);
        if !PARTS.iter().any(|(known, _)| *known == name) {
            return bad_value("name", name, "it must be a value of aclCANNPackageName");
        }
        let mut told = abi::aclCANNPackageVersion {
            version: [0; 128],
            majorVersion: [0; 64],
            minorVersion: [0; 64],
            releaseVersion: [0; 64],
            patchVersion: [0; 64],
            reserved: [0; 128],
        };
        put(&mut told.version, &release_text());
        put(&mut told.majorVersion, &RELEASE.0.to_string());
        put(&mut told.minorVersion, &RELEASE.1.to_string());
        put(&mut told.releaseVersion, "0");
        put(&mut told.patchVersion, &RELEASE.2.to_string());
        out.write(told);
        Ok(())
    })
}
const _: abi::aclsysGetCANNVersionFn = aclsysGetCANNVersion;

/// # Safety
/// `name` is null or a NUL-terminated string.
unsafe fn known_part(name: *const c_char) -> Result<(), CallError> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, "pkgName") }?;
    if PARTS
        .iter()
        .any(|(_, known)| known.eq_ignore_ascii_case(&name))
    {
        return Ok(());
    }
    bad_value(
        "pkgName",
        format!("'{name}'"),
        "it must be the name of a package of the toolkit",
    )
}

/// Tells the version of a part of the toolkit as text of at most 128 bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclsysGetVersionStr(
    pkgName: *mut c_char,
    versionStr: *mut c_char,
) -> abi::aclError {
    entry("aclsysGetVersionStr", || {
        // SAFETY: the header's contract for this argument.
        unsafe { known_part(pkgName) }?;
        not_null(versionStr, "versionStr")?;
        let told = release_text();
        for (index, byte) in told.bytes().chain([0]).enumerate() {
            // SAFETY: the header asks for room for ACL_PKG_VERSION_MAX_SIZE bytes; this is less.
            unsafe { boundary::put(versionStr, index, c_char::from_ne_byte(byte)) };
        }
        Ok(())
    })
}
const _: abi::aclsysGetVersionStrFn = aclsysGetVersionStr;

/// Tells the version of a part of the toolkit as one number: major × 10^7 + minor × 10^5 + patch × 10^3.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclsysGetVersionNum(
    pkgName: *mut c_char,
    versionNum: *mut i32,
) -> abi::aclError {
    entry("aclsysGetVersionNum", || {
        // SAFETY: the header's contract for this argument.
        unsafe { known_part(pkgName) }?;
        let out = out!(versionNum);
        let (major, minor, patch) = RELEASE;
        out.write(major * 10_000_000 + minor * 100_000 + patch * 1000);
        Ok(())
    })
}
const _: abi::aclsysGetVersionNumFn = aclsysGetVersionNum;

/// Tells the version of the interface.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetVersion(
    majorVersion: *mut i32,
    minorVersion: *mut i32,
    patchVersion: *mut i32,
) -> abi::aclError {
    entry("aclrtGetVersion", || {
        let outs = (out!(majorVersion), out!(minorVersion), out!(patchVersion));
        outs.0.write(INTERFACE.0);
        outs.1.write(INTERFACE.1);
        outs.2.write(INTERFACE.2);
        Ok(())
    })
}
const _: abi::aclrtGetVersionFn = aclrtGetVersion;
