//! `aclDataBuffer`: an address and a length. It owns nothing.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use millpond_abi as abi;

use crate::boundary::{CallError, entry, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static DATA_BUFFERS: Registry<DataBuffer> = Registry::new(Kind::DataBuffer);

/// An address and a length that a program put together.
#[derive(Debug)]
pub(crate) struct DataBuffer {
    data: AtomicPtr<c_void>,
    size: AtomicUsize,
}

/// What a buffer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
}

impl DataBuffer {
    /// What it names now.
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            address: self.data.load(Ordering::Relaxed).addr() as u64,
            bytes: self.size.load(Ordering::Relaxed),
        }
    }

    /// Makes it name other memory.
    pub(crate) fn set(&self, data: *mut c_void, bytes: usize) {
        self.data.store(data, Ordering::Relaxed);
        self.size.store(bytes, Ordering::Relaxed);
    }
}

/// The buffer in an argument.
pub(crate) fn find(
    handle: *const abi::aclDataBuffer,
    argument: &'static str,
) -> Result<HandleGuard<'static, DataBuffer>, CallError> {
    resolve(&DATA_BUFFERS, Kind::DataBuffer, handle.cast(), argument)
}

fn buffer(
    handle: *const abi::aclDataBuffer,
) -> Result<HandleGuard<'static, DataBuffer>, CallError> {
    find(handle, "dataBuffer")
}

/// Creates a buffer; NULL and 0 are allowed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateDataBuffer(
    data: *mut c_void,
    size: usize,
) -> *mut abi::aclDataBuffer {
    value_entry("aclCreateDataBuffer", std::ptr::null_mut(), || {
        let buffer = DataBuffer {
            data: AtomicPtr::new(data),
            size: AtomicUsize::new(size),
        };
        Ok(pointer(mint(&DATA_BUFFERS, Kind::DataBuffer, buffer)?).cast())
    })
}
const _: abi::aclCreateDataBufferFn = aclCreateDataBuffer;

/// Ends a buffer; the memory it names is untouched.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyDataBuffer(
    dataBuffer: *const abi::aclDataBuffer,
) -> abi::aclError {
    entry("aclDestroyDataBuffer", || {
        withdraw(
            &DATA_BUFFERS,
            Kind::DataBuffer,
            dataBuffer.cast(),
            "dataBuffer",
        )
        .map(drop)
    })
}
const _: abi::aclDestroyDataBufferFn = aclDestroyDataBuffer;

/// Makes a buffer name other memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclUpdateDataBuffer(
    dataBuffer: *mut abi::aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> abi::aclError {
    entry("aclUpdateDataBuffer", || {
        buffer(dataBuffer)?.set(data, size);
        Ok(())
    })
}
const _: abi::aclUpdateDataBufferFn = aclUpdateDataBuffer;

/// The address a buffer names.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetDataBufferAddr(
    dataBuffer: *const abi::aclDataBuffer,
) -> *mut c_void {
    value_entry("aclGetDataBufferAddr", std::ptr::null_mut(), || {
        Ok(buffer(dataBuffer)?.data.load(Ordering::Relaxed))
    })
}
const _: abi::aclGetDataBufferAddrFn = aclGetDataBufferAddr;

/// The length a buffer names, as far as 32 bits go.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetDataBufferSize(dataBuffer: *const abi::aclDataBuffer) -> u32 {
    value_entry("aclGetDataBufferSize", 0, || {
        let size = buffer(dataBuffer)?.size.load(Ordering::Relaxed);
        Ok(u32::try_from(size & 0xffff_ffff).unwrap_or(u32::MAX))
    })
}
const _: abi::aclGetDataBufferSizeFn = aclGetDataBufferSize;

/// The length a buffer names.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetDataBufferSizeV2(
    dataBuffer: *const abi::aclDataBuffer,
) -> usize {
    value_entry("aclGetDataBufferSizeV2", 0, || {
        Ok(buffer(dataBuffer)?.size.load(Ordering::Relaxed))
    })
}
const _: abi::aclGetDataBufferSizeV2Fn = aclGetDataBufferSizeV2;
