//! A GPU, through the CUDA driver.
#![expect(
    unsafe_code,
    reason = "makes handles out of numbers that the driver gave out"
)]

use std::ffi::c_int;
use std::sync::{Arc, OnceLock};

use millpond_cuda::{Capture, Context, Driver, Error, Event, Handle, Physical, Ready, Stream};

use super::device::{Device, Refused};
use super::pools::Problem;

/// The driver of this process; the reason if there is none. Looked for until it is found.
pub(crate) fn driver() -> Result<&'static Arc<Driver>, Refused> {
    static FOUND: OnceLock<Arc<Driver>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let opened = Driver::open().map_err(|error| refused(&error))?;
    Ok(FOUND.get_or_init(|| opened))
}

fn refused(error: &Error) -> Refused {
    Refused {
        text: error.to_string(),
        for_lack_of_memory: error.is_out_of_memory(),
        is_final: error.is_sticky() || error.is_gone(),
    }
}

type Exchange = unsafe extern "C" fn(*mut c_int) -> c_int;

/// Captures do not forbid what the thread calls.
const RELAXED: c_int = 2;

#[derive(Debug)]
pub(crate) struct Gpu {
    driver: Arc<Driver>,
    device: millpond_cuda::Device,
    /// Never released: it is there as long as other libraries in the process need it, and the driver ends with the process.
    context: Context,
    /// `cuThreadExchangeStreamCaptureMode`.
    exchange: Option<Exchange>,
}

impl Gpu {
    pub(crate) fn open(number: u32) -> Result<Self, Refused> {
        let driver = Arc::clone(driver()?);
        let say = |error: Error| refused(&error);
        let device = driver.device(number).map_err(say)?;
        if !driver.has_virtual_memory(device).map_err(say)? {
            return Err(Refused {
                text: format!(
                    "device {number} has no virtual memory management, which the pool needs"
                ),
                for_lack_of_memory: false,
                is_final: false,
            });
        }
        let context = driver.retain_primary(device).map_err(say)?;
        let exchange = driver.symbol(c"cuThreadExchangeStreamCaptureMode");
        Ok(Self {
            // SAFETY: the driver's function of this name has this type.
            exchange: exchange.map(|found| unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, Exchange>(found.as_ptr())
            }),
            driver,
            device,
            context,
        })
    }

    fn exchange(&self, mode: c_int) -> Option<c_int> {
        let mut mode = mode;
        // SAFETY: the mode is read, and the one before is written.
        let code = unsafe { self.exchange?(&raw mut mode) };
        (code == 0).then_some(mode)
    }

    fn physical(&self, exported: bool) -> Physical {
        Physical {
            device: self.device,
            exported,
        }
    }
}

fn stream_of(stream: u64) -> Stream {
    // SAFETY: the program says that this is a stream; the driver answers others with an error.
    unsafe { Stream::from_raw(usize::try_from(stream).unwrap_or(0)) }
}

fn event_of(event: u64) -> Event {
    // SAFETY: only numbers of events that the driver has made come here.
    unsafe { Event::from_raw(usize::try_from(event).unwrap_or(0)) }
}

fn handle_of(handle: u64) -> Handle {
    // SAFETY: only numbers of handles that the driver has made come here.
    unsafe { Handle::from_raw(handle) }
}

impl Device for Gpu {
    fn driver(&self) -> &'static str {
        "CUDA"
    }

    fn number(&self) -> i32 {
        self.device.number()
    }

    fn shows_pages_twice(&self) -> bool {
        true
    }

    fn inside(&self, act: &mut dyn FnMut()) -> Result<(), Refused> {
        let entered = self
            .driver
            .enter(self.context)
            .map_err(|error| refused(&error))?;
        let mode = self.exchange(RELAXED);
        act();
        if let Some(mode) = mode {
            self.exchange(mode);
        }
        drop(entered);
        Ok(())
    }

    fn memory(&self) -> Result<(u64, u64), Refused> {
        self.driver.memory_info().map_err(|error| refused(&error))
    }

    fn fits(&self, page: u64) -> Result<bool, Refused> {
        let unit = self.driver.granularity(self.physical(false), false);
        let unit = unit.map_err(|error| refused(&error))?;
        Ok(unit != 0 && page.is_multiple_of(unit))
    }

    fn reserve(&self, bytes: u64) -> Result<u64, Refused> {
        self.driver
            .reserve(bytes, 0, 0)
            .map_err(|error| refused(&error))
    }

    fn release(&self, address: u64, bytes: u64) {
        self.driver.address_free(address, bytes).ok();
    }

    fn create(&self, bytes: u64, shared: bool) -> Result<u64, Refused> {
        let made = self.driver.create(bytes, self.physical(shared));
        let made = match made {
            // Some systems have no file descriptors for memory.
            Err(error) if shared && !error.is_out_of_memory() && !error.is_sticky() => {
                self.driver.create(bytes, self.physical(false))
            }
            made => made,
        };
        made.map(Handle::raw).map_err(|error| refused(&error))
    }

    fn destroy(&self, handle: u64) {
        self.driver.release(handle_of(handle)).ok();
    }

    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused> {
        self.driver
            .map(address, bytes, handle_of(handle))
            .map_err(|error| refused(&error))
    }

    fn unmap(&self, address: u64, bytes: u64) -> Result<(), Refused> {
        self.driver
            .unmap(address, bytes)
            .map_err(|error| refused(&error))
    }

    fn allow(&self, address: u64, bytes: u64, others: &[i32]) -> Result<(), Refused> {
        let mut devices = vec![self.device];
        for &other in others {
            let other = u32::try_from(other).unwrap_or(u32::MAX);
            devices.push(self.driver.device(other).map_err(|error| refused(&error))?);
        }
        self.driver
            .set_access(address, bytes, &devices)
            .map_err(|error| refused(&error))
    }

    fn captures(&self, stream: u64) -> bool {
        self.driver.capture(stream_of(stream)) != Ok(Capture::None)
    }

    fn event(&self) -> Result<u64, Refused> {
        let made = self.driver.event();
        made.map(|event| event.raw() as u64)
            .map_err(|error| refused(&error))
    }

    fn record(&self, event: u64, stream: u64) -> Result<(), Refused> {
        self.driver
            .record(event_of(event), stream_of(stream))
            .map_err(|error| refused(&error))
    }

    fn passed(&self, event: u64) -> Result<bool, Refused> {
        let ready = self.driver.event_ready(event_of(event));
        ready
            .map(|ready| ready == Ready::Yes)
            .map_err(|error| refused(&error))
    }
}

/// The device of the calling thread's context; `None` if it has none.
pub(crate) fn current_device() -> Option<i32> {
    let device = driver().ok()?.current_device().ok()?;
    Some(device.number())
}

/// An error unless the driver has this device.
pub(crate) fn exists(device: u32) -> Result<(), Problem> {
    let no_driver = |refused: Refused| Problem::NoDriver(refused.text);
    let driver = driver().map_err(no_driver)?;
    driver.device(device).map_err(|error| refused(&error))?;
    Ok(())
}

/// An error unless a device can access the memory of another.
pub(crate) fn can_access(peer: i32, device: i32) -> Result<(), Problem> {
    let number = |device: i32| {
        u32::try_from(device).map_err(|_| Problem::Invalid(format!("device {device} is negative")))
    };
    let no_driver = |refused: Refused| Problem::NoDriver(refused.text);
    let driver = driver().map_err(no_driver)?;
    let find = |device| driver.device(device).map_err(|error| refused(&error));
    let (from, of) = (find(number(peer)?)?, find(number(device)?)?);
    if driver.reaches(from, of).map_err(|error| refused(&error))? {
        return Ok(());
    }
    Err(Problem::Refused(Refused {
        text: format!("device {peer} cannot access the memory of device {device}"),
        for_lack_of_memory: false,
        is_final: false,
    }))
}

/// The device of a stream that somebody created; `None` if that cannot be said.
pub(crate) fn device_of(stream: u64) -> Option<i32> {
    let driver = driver().ok()?;
    let context = driver.context_of(stream_of(stream)).ok()?;
    let entered = driver.enter(context).ok()?;
    let device = driver.current_device().ok();
    drop(entered);
    Some(device?.number())
}

/// Whether a stream is captured, or that cannot be said. Where there is no driver, nothing is.
pub(crate) fn captures(stream: u64) -> bool {
    let Ok(driver) = driver() else { return false };
    driver.capture(stream_of(stream)) != Ok(Capture::None)
}
