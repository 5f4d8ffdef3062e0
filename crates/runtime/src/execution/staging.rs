//! Work of this process on operands that are in the memory of a GPU: their bytes are brought before the work and sent after it.
//!
//! Where all open devices are the machine's own memory, this costs a look at one flag.

use std::sync::Arc;

use millpond_device::{AddressRange, Brought, DeviceError, Staged};
use smallvec::SmallVec;

use crate::error::Error;
use crate::memory::Operand;
use crate::shared::{DeviceCore, Shared};

/// The operands of one piece of work, and a device that can bring them.
#[derive(Debug)]
pub(crate) struct Stage {
    device: Arc<DeviceCore>,
    parts: SmallVec<[Staged; 8]>,
}

impl Stage {
    /// What work needs that uses these places, of which some are written; `None` where it can touch all bytes.
    pub(super) fn of(
        shared: &Shared,
        operands: impl Iterator<Item = (u64, u64, bool)>,
    ) -> Option<Self> {
        let device = Arc::clone(shared.stager()?);
        let staged = |(start, bytes, writes)| Staged {
            range: AddressRange::new(start, bytes),
            writes,
        };
        let parts = operands.filter(|(_, bytes, _)| *bytes > 0);
        Some(Self {
            device,
            parts: parts.map(staged).collect(),
        })
    }

    /// Runs native work on its operands, alone.
    pub(super) fn compute(&self, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let mut work = Some(work);
        let mut outcome = Ok(());
        let staged = self.device.device.compute(&self.parts, &mut || {
            outcome = work.take().map_or(Ok(()), |work| work());
            outcome.is_ok()
        });
        outcome.and_then(|()| staged.map_err(sentence))
    }

    /// Brings the operands of work that is not alone.
    pub(super) fn bring(self) -> Result<OnStage, DeviceError> {
        let all: SmallVec<[AddressRange; 8]> = self.parts.iter().map(|part| part.range).collect();
        Ok(OnStage {
            brought: self.device.device.bring(&all)?,
            written: self
                .parts
                .iter()
                .filter(|part| part.writes)
                .map(|part| part.range)
                .collect(),
        })
    }
}

/// Operands that were brought.
#[derive(Debug)]
pub(crate) struct OnStage {
    brought: Option<Brought>,
    written: Vec<AddressRange>,
}

impl OnStage {
    /// Sends what the work may have written.
    pub(crate) fn send(self) -> Result<(), DeviceError> {
        match &self.brought {
            Some(brought) => brought.send(&self.written),
            None => Ok(()),
        }
    }

    /// Adds what turned out to be written.
    pub(super) fn add(&mut self, written: &[Operand]) {
        let ranges = written.iter().map(range_of);
        self.written.extend(ranges);
    }
}

fn range_of(operand: &Operand) -> AddressRange {
    AddressRange::new(operand.kernel, operand.range.bytes)
}

/// A refusal of a device, as work says why it failed.
pub(super) fn sentence(error: DeviceError) -> String {
    Error::Device(error).to_string()
}

impl Operand {
    /// As work that is staged names it.
    pub(super) fn staged(&self, writes: bool) -> (u64, u64, bool) {
        (self.kernel, self.range.bytes, writes)
    }
}
