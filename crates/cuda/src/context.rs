//! Devices and contexts.
//!
//! A device has one *primary* context, which all libraries of a process share. Most calls act on the context that is
//! current to the calling thread.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;

use crate::driver::Driver;
use crate::error::Error;

/// A GPU, as the driver numbers it among those that `CUDA_VISIBLE_DEVICES` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device(pub(crate) i32);

impl Device {
    /// Its number.
    pub fn number(self) -> i32 {
        self.0
    }
}

/// A context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context(pub(crate) usize);

impl Context {
    /// A context that another library gave out.
    ///
    /// # Safety
    /// `raw` is a context of the driver that it is passed to, and stays one while this value is used.
    pub unsafe fn from_raw(raw: usize) -> Self {
        Self(raw)
    }

    /// The driver's own value.
    pub fn raw(self) -> usize {
        self.0
    }
}

const VIRTUAL_MEMORY: c_int = 102;
const FILE_DESCRIPTORS: c_int = 103;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;

impl Driver {
    /// How many GPUs there are.
    pub fn device_count(&self) -> Result<u32, Error> {
        let mut count = 0;
        // SAFETY: one number is written.
        unsafe { self.calls.device_count(&raw mut count) }?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// GPU number `index`.
    pub fn device(&self, index: u32) -> Result<Device, Error> {
        let mut device = 0;
        let index = c_int::try_from(index).unwrap_or(c_int::MAX);
        // SAFETY: one number is written.
        unsafe { self.calls.device_get(&raw mut device, index) }?;
        Ok(Device(device))
    }

    /// Its name, for people.
    pub fn device_name(&self, device: Device) -> Result<String, Error> {
        self.text(|driver, text, bytes| {
            // SAFETY: at most `bytes` bytes are written, with a zero at the end.
            unsafe { driver.calls.device_name(text, bytes, device.0) }
        })
    }

    /// Where it is plugged in, as `0000:3b:00.0`.
    pub fn device_bus(&self, device: Device) -> Result<String, Error> {
        self.text(|driver, text, bytes| {
            // SAFETY: at most `bytes` bytes are written, with a zero at the end.
            unsafe { driver.calls.device_bus(text, bytes, device.0) }
        })
    }

    /// All of its memory, in bytes.
    pub fn device_memory(&self, device: Device) -> Result<u64, Error> {
        let mut bytes = 0;
        // SAFETY: one number is written.
        unsafe { self.calls.device_memory(&raw mut bytes, device.0) }?;
        Ok(bytes as u64)
    }

    /// What it can do, as NVIDIA numbers it: (9, 0) is Hopper.
    pub fn compute_capability(&self, device: Device) -> Result<(u32, u32), Error> {
        let major = self.attribute(device, CAPABILITY_MAJOR)?;
        let minor = self.attribute(device, CAPABILITY_MINOR)?;
        Ok((major, minor))
    }

    /// Whether addresses and physical memory are apart from each other there.
    pub fn has_virtual_memory(&self, device: Device) -> Result<bool, Error> {
        Ok(self.attribute(device, VIRTUAL_MEMORY)? != 0)
    }

    /// Whether file descriptors can stand for its physical memory: see [`Driver::export`](crate::Driver::export).
    pub fn has_descriptors(&self, device: Device) -> Result<bool, Error> {
        Ok(self.attribute(device, FILE_DESCRIPTORS)? != 0)
    }

    fn attribute(&self, device: Device, attribute: c_int) -> Result<u32, Error> {
        let mut value = 0;
        // SAFETY: one number is written.
        unsafe {
            self.calls
                .device_attribute(&raw mut value, attribute, device.0)
        }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Whether one GPU can access the memory of another.
    pub fn reaches(&self, device: Device, peer: Device) -> Result<bool, Error> {
        let mut can = 0;
        // SAFETY: one number is written.
        unsafe { self.calls.device_reaches(&raw mut can, device.0, peer.0) }?;
        Ok(can != 0)
    }

    /// The primary context of a device, which lives until it was released as often as it was retained.
    pub fn retain_primary(&self, device: Device) -> Result<Context, Error> {
        let mut context = 0;
        // SAFETY: one handle is written.
        unsafe { self.calls.primary_retain(&raw mut context, device.0) }?;
        Ok(Context(context))
    }

    /// Ends what [`Driver::retain_primary`] began.
    ///
    /// # Safety
    /// The caller retained it, and does not use what it made in it any more.
    pub unsafe fn release_primary(&self, device: Device) -> Result<(), Error> {
        // SAFETY: the caller promises that this is balanced.
        unsafe { self.calls.primary_release(device.0) }
    }

    /// Whether anything in this process retains the primary context. Does not make one.
    pub fn primary_is_active(&self, device: Device) -> Result<bool, Error> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: two numbers are written.
        unsafe {
            self.calls
                .primary_state(device.0, &raw mut flags, &raw mut active)
        }?;
        Ok(active != 0)
    }

    /// The context of this thread.
    pub fn current(&self) -> Result<Option<Context>, Error> {
        let mut context = 0;
        // SAFETY: one handle is written.
        unsafe { self.calls.context_current(&raw mut context) }?;
        Ok((context != 0).then_some(Context(context)))
    }

    /// The device of this thread's context.
    pub fn current_device(&self) -> Result<Device, Error> {
        let mut device = 0;
        // SAFETY: one number is written.
        unsafe { self.calls.context_device(&raw mut device) }?;
        Ok(Device(device))
    }

    /// Makes `context` the thread's own, for good. [`Driver::enter`] does it for a while.
    pub fn set_current(&self, context: Option<Context>) -> Result<(), Error> {
        // SAFETY: the handle is a context, or null for none.
        unsafe {
            self.calls
                .context_set(context.map_or(0, |context| context.0))
        }
    }

    /// Makes `context` the thread's own until the value is dropped.
    pub fn enter(&self, context: Context) -> Result<Current<'_>, Error> {
        // SAFETY: the handle is a context.
        unsafe { self.calls.context_push(context.0) }?;
        Ok(Current {
            driver: self,
            not_send: PhantomData,
        })
    }

    /// Waits for all work in the thread's context.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        unsafe { self.calls.context_synchronize() }
    }

    /// Lets the thread's context access memory of `peer`.
    pub fn reach_peer(&self, peer: Context) -> Result<(), Error> {
        // SAFETY: the handle is a context.
        unsafe { self.calls.context_reach_peer(peer.0, 0) }
    }

    /// Bytes that are free, and all bytes, of the device of the thread's context.
    pub fn memory_info(&self) -> Result<(u64, u64), Error> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: two numbers are written.
        unsafe { self.calls.memory_info(&raw mut free, &raw mut total) }?;
        Ok((free as u64, total as u64))
    }

    fn text(
        &self,
        call: impl FnOnce(&Self, *mut c_char, c_int) -> Result<(), Error>,
    ) -> Result<String, Error> {
        const BYTES: u8 = 200;
        let mut text = [0_u8; BYTES as usize];
        call(self, text.as_mut_ptr().cast(), c_int::from(BYTES))?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }
}

/// While it lives, a context is the thread's own. It stays on its thread.
#[derive(Debug)]
pub struct Current<'a> {
    driver: &'a Driver,
    not_send: PhantomData<*const ()>,
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut popped = 0;
        // If this fails the driver is gone, and with it what was current.
        // SAFETY: one handle is written.
        let done = unsafe { self.driver.calls.context_pop(&raw mut popped) };
        drop(done);
    }
}
