//! Keeping mappings while they are used.

use millpond_device::AddressRange;

use super::{User, VirtualMemory};
use crate::error::{Boxed, Error};
use crate::memory::Operand;
use crate::shared::Shared;
use crate::stream::Motion;

/// Mappings that cannot go while this lives.
///
/// A task is queued, or bytes are moved, only while the mappings are kept, so that no other thread can
/// unmap them in between. A mapping notes the task before it is let go.
#[derive(Debug)]
pub(crate) struct Keep<'a> {
    memory: &'a VirtualMemory,
    sides: [Option<AddressRange>; 2],
}

impl Shared {
    /// Checks that the sides of a motion that are reserved addresses are mapped, with access, and keeps
    /// them so. `None` where there are no such sides.
    #[inline(always)]
    pub(crate) fn keep(&self, motion: &Motion) -> Boxed<Option<Keep<'_>>> {
        if motion.is_mapped() {
            self.keep_mapped(motion).map(Some)
        } else {
            Ok(None)
        }
    }

    #[cold]
    pub(crate) fn keep_mapped(&self, motion: &Motion) -> Boxed<Keep<'_>> {
        let (to, from) = motion.sides();
        let range = |side: &Operand| {
            let Operand { range, mapped, .. } = side;
            mapped.then(|| AddressRange::new(range.start, range.bytes))
        };
        let sides = [range(to), from.and_then(range)];
        let memory = &self.virtual_memory;
        let mut state = memory.state.lock();
        for &side in sides.iter().flatten() {
            state.map.check(side).map_err(Error::Mapping)?;
        }
        for &side in sides.iter().flatten() {
            state.map.begin(side);
        }
        Ok(Keep { memory, sides })
    }
}

impl Keep<'_> {
    /// Lets go; from now on a task keeps them.
    pub(crate) fn hand_over(mut self, user: &User) {
        self.end(Some(user));
    }

    fn end(&mut self, user: Option<&User>) {
        let mut state = self.memory.state.lock();
        for side in self.sides.iter_mut().filter_map(Option::take) {
            state.map.end(side, user);
        }
    }
}

impl Drop for Keep<'_> {
    fn drop(&mut self) {
        if self.sides.iter().any(Option::is_some) {
            self.end(None);
        }
    }
}
