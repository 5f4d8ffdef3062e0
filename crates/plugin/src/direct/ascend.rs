//! An NPU, through the AscendCL runtime of the process: for the form of PyTorch's pluggable allocator on NPUs.

use std::sync::Arc;

use super::device::{Device, Refused};
use crate::calls::{self, Calls, within};
use crate::process;

#[derive(Debug)]
pub(crate) struct Npu {
    calls: Arc<dyn Calls>,
    number: i32,
    /// A context of the device: that of the thread that first used it.
    context: Option<usize>,
}

impl Npu {
    /// Fails with a text where there is no runtime, or it is too old.
    pub(crate) fn open(number: i32) -> Result<Self, String> {
        let calls = process::runtime()?;
        let current = calls.device().map_err(|why| why.to_string())?;
        if current != number {
            return Err(format!(
                "the thread's context is of device {current}, but memory of device {number} is asked for"
            ));
        }
        calls.granularity(number).map_err(|why| {
            format!("this runtime has no virtual memory, which the pool needs: {why}")
        })?;
        let context = calls.context();
        Ok(Self {
            calls,
            number,
            context,
        })
    }
}

/// What runtimes say for a lack of memory on the device.
const NO_MEMORY: [i32; 2] = [200_000, 207_001];

fn refused(why: calls::Refused) -> Refused {
    Refused {
        text: why.to_string(),
        for_lack_of_memory: NO_MEMORY.contains(&why.code),
        is_final: false,
    }
}

impl Device for Npu {
    fn driver(&self) -> &'static str {
        "AscendCL"
    }

    fn number(&self) -> i32 {
        self.number
    }

    fn shows_pages_twice(&self) -> bool {
        false
    }

    fn inside(&self, act: &mut dyn FnMut()) -> Result<(), Refused> {
        within(&*self.calls, self.context, act);
        Ok(())
    }

    fn memory(&self) -> Result<(u64, u64), Refused> {
        let total = self.calls.total().map_err(refused)?;
        Ok((total, total))
    }

    fn fits(&self, page: u64) -> Result<bool, Refused> {
        let unit = self.calls.granularity(self.number).map_err(refused)?;
        Ok(unit != 0 && page.is_multiple_of(unit))
    }

    fn reserve(&self, bytes: u64) -> Result<u64, Refused> {
        self.calls.reserve(bytes).map_err(refused)
    }

    fn release(&self, address: u64, _: u64) {
        self.calls.release(address);
    }

    fn create(&self, bytes: u64, _: bool) -> Result<u64, Refused> {
        self.calls.physical(self.number, bytes).map_err(refused)
    }

    fn destroy(&self, handle: u64) {
        self.calls.free_physical(handle);
    }

    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused> {
        self.calls.map(address, bytes, handle).map_err(refused)
    }

    fn unmap(&self, address: u64, _: u64) -> Result<(), Refused> {
        self.calls.unmap(address).map_err(refused)
    }

    fn allow(&self, _: u64, _: u64, others: &[i32]) -> Result<(), Refused> {
        // What is mapped can be used.
        match others {
            [] => Ok(()),
            _ => Err(Refused {
                text: "memory of NPUs cannot be used by other devices through the pool".to_owned(),
                for_lack_of_memory: false,
                is_final: false,
            }),
        }
    }

    fn captures(&self, _: u64) -> bool {
        // The runtime answers a call that a capture forbids with an error, which changes nothing.
        false
    }

    fn event(&self) -> Result<u64, Refused> {
        self.calls.create_event().map_err(refused)
    }

    fn record(&self, event: u64, stream: u64) -> Result<(), Refused> {
        self.calls.record_event(event, stream).map_err(refused)
    }

    fn passed(&self, event: u64) -> Result<bool, Refused> {
        self.calls.event_passed(event).map_err(refused)
    }
}
