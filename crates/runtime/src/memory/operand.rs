//! The two sides of a copy: what kind of memory each is and whether the named direction fits.

use millpond_trace::{Bytes, Space};

use crate::error::{Boxed, Error};

/// What a program says about the direction of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Between host addresses.
    HostToHost,
    /// To the device.
    HostToDevice,
    /// From the device.
    DeviceToHost,
    /// Between device addresses, also of two devices.
    DeviceToDevice,
    /// The addresses tell.
    FromAddresses,
}

/// One side of a copy or fill, checked and resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    /// What the program named.
    pub(crate) range: Bytes,
    /// Where work touches it.
    pub(crate) kernel: u64,
    /// What kind of memory it is.
    pub(crate) space: Space,
    /// It is a reserved address with something mapped there, not a block.
    pub(crate) mapped: bool,
}

impl Operand {
    /// Nothing, nowhere.
    pub(crate) const fn nowhere() -> Self {
        Self {
            range: Bytes { start: 0, bytes: 0 },
            kernel: 0,
            space: Space::Foreign,
            mapped: false,
        }
    }
}

impl Direction {
    /// Checks the direction against what the operands are.
    ///
    /// Memory of the runtime is what it is, whatever the direction says: programs rely on a wrong
    /// direction being corrected. Of other memory only the program knows what it is, and it can
    /// only be the host's, so there the direction has to fit.
    #[inline]
    pub(crate) fn check(self, to: &Operand, from: &Operand) -> Boxed<()> {
        let (to_device, from_device) = match self {
            Self::FromAddresses => return Ok(()),
            Self::HostToHost => (false, false),
            Self::HostToDevice => (true, false),
            Self::DeviceToHost => (false, true),
            Self::DeviceToDevice => (true, true),
        };
        let sides = [
            ("destination", to, to_device),
            ("source", from, from_device),
        ];
        for (operand, side, claimed_device) in sides {
            if claimed_device && side.space == Space::Foreign {
                return Err(Error::WrongDirection {
                    operand,
                    claimed: "device",
                    found: side.space,
                    address: side.range.start,
                }
                .into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(space: Space) -> Operand {
        Operand {
            range: Bytes {
                start: 16,
                bytes: 1,
            },
            kernel: 16,
            space,
            mapped: false,
        }
    }

    #[test]
    fn own_memory_corrects_the_direction_and_foreign_memory_must_fit() {
        use Direction::{DeviceToDevice, DeviceToHost, FromAddresses, HostToDevice, HostToHost};
        let device = operand(Space::Device(0));
        let pinned = operand(Space::Pinned);
        let foreign = operand(Space::Foreign);
        let all = [
            HostToHost,
            HostToDevice,
            DeviceToHost,
            DeviceToDevice,
            FromAddresses,
        ];
        for direction in all {
            for to in [device, pinned] {
                for from in [device, pinned] {
                    assert!(
                        direction.check(&to, &from).is_ok(),
                        "{direction:?} is corrected"
                    );
                }
            }
        }
        // Direction, whether a foreign source fits a device destination, and the reverse.
        let rows = [
            (HostToHost, true, true),
            (HostToDevice, true, false),
            (DeviceToHost, false, true),
            (DeviceToDevice, false, false),
            (FromAddresses, true, true),
        ];
        for (direction, into_device, out_of_device) in rows {
            assert_eq!(
                direction.check(&device, &foreign).is_ok(),
                into_device,
                "{direction:?}"
            );
            assert_eq!(
                direction.check(&foreign, &device).is_ok(),
                out_of_device,
                "{direction:?}"
            );
        }
    }
}
