//! The two sides of a copy: which kind of memory each is, and whether the stated direction is right.

use millpond_trace::{Bytes, Space};

use crate::error::{Boxed, Error};

/// The direction of a copy as the program states it.
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
    /// The addresses decide.
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
        let Some((to_device, from_device)) = self.sides() else {
            return Ok(());
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

    /// Whether it says of the destination, and of the source, that they are a device's.
    fn sides(self) -> Option<(bool, bool)> {
        Some(match self {
            Self::FromAddresses => return None,
            Self::HostToHost => (false, false),
            Self::HostToDevice => (true, false),
            Self::DeviceToHost => (false, true),
            Self::DeviceToDevice => (true, true),
        })
    }

    /// Whether a side is a device's that it says is the host's. The other way round is not a contradiction: a device may
    /// reach pinned memory by an address of its own.
    pub(crate) fn is_corrected(self, to: &Operand, from: &Operand) -> bool {
        let wrong =
            |side: &Operand, claimed: bool| !claimed && matches!(side.space, Space::Device(_));
        self.sides().is_some_and(|(to_device, from_device)| {
            wrong(to, to_device) || wrong(from, from_device)
        })
    }

    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::HostToHost => "host to host",
            Self::HostToDevice => "host to device",
            Self::DeviceToHost => "device to host",
            Self::DeviceToDevice => "device to device",
            Self::FromAddresses => "what the addresses say",
        }
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

    /// Every direction with every two kinds of memory.
    #[test]
    fn only_device_memory_that_is_said_to_be_the_host_s_is_a_contradiction() {
        use Direction::{DeviceToDevice, DeviceToHost, FromAddresses, HostToDevice, HostToHost};
        let device = operand(Space::Device(0));
        let hosts = [operand(Space::Pinned), operand(Space::Foreign)];
        // Direction, and whether it is corrected: from device to device, from host to device, from device to host.
        let rows = [
            (HostToHost, [true, true, true]),
            (HostToDevice, [true, false, true]),
            (DeviceToHost, [true, true, false]),
            (DeviceToDevice, [false, false, false]),
            (FromAddresses, [false, false, false]),
        ];
        for (direction, [inside, into, out_of]) in rows {
            assert_eq!(direction.is_corrected(&device, &device), inside);
            for host in hosts {
                assert_eq!(
                    direction.is_corrected(&device, &host),
                    into,
                    "{direction:?}"
                );
                assert_eq!(
                    direction.is_corrected(&host, &device),
                    out_of,
                    "{direction:?}"
                );
                assert!(!direction.is_corrected(&host, &host), "{direction:?}");
            }
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
