//! Enumerations. Each variant has a number that is never reused.
//!
//! To add a variant, add a line here with the next number, and one in docs/record-format.md: the compiler demands the
//! first, a test the second.

use crate::{
    AllocatorChange, DescriptorField, DescriptorProblem, Frame, GuardKind, HandleKind, Outcome,
    PoolSetting, RankProblem, RunSource, Space, Stall, Target, TaskKind, Text,
};

use super::field::Field;
use super::input::{Input, Unfit};
use super::output::Output;

#[cfg(test)]
use super::tests::Random;

macro_rules! choices {
    ($($name:ident, $form:literal {
        $($number:literal $variant:ident $({ $($field:tt $bound:ident: $type:ty),* })?)*
    })*) => {
        $(impl Field for $name {
            fn write(&self, out: &mut Output) {
                match self {
                    $(Self::$variant { $($($field: $bound),*)? } => {
                        out.number($number);
                        $($(<$type as Field>::write($bound, out);)*)?
                    })*
                }
            }

            fn read(input: &mut Input<'_>) -> Result<Self, Unfit> {
                Ok(match input.number()? {
                    $($number => Self::$variant {
                        $($($field: <$type as Field>::read(input)?),*)?
                    },)*
                    _ => return Err(Unfit::Unknown),
                })
            }

            #[cfg(test)]
            fn form() -> String {
                $form.to_owned()
            }

            #[cfg(test)]
            fn any(random: &mut Random) -> Self {
                let all = [$($number),*];
                match all[random.below(all.len())] {
                    $($number => Self::$variant {
                        $($($field: <$type as Field>::any(random)),*)?
                    },)*
                    _ => unreachable!("one of all numbers"),
                }
            }
        })*

        /// Each as rows of the document: form, number, variant, fields.
        #[cfg(test)]
        pub(super) fn rows() -> Vec<(&'static str, u64, &'static str, String)> {
            vec![$($((
                $form,
                $number,
                stringify!($variant),
                [$($((stringify!($bound), <$type as Field>::form())),*)?]
                    .map(|(name, form): (&str, String)| format!("{name}: {form}"))
                    .join(", "),
            )),*),*]
        }
    };
}

choices! {
    Space, "space" {
        0 Device { 0 device: u32 }
        1 Pinned
        2 Foreign
    }
    TaskKind, "task" {
        0 Copy
        1 Fill
        2 RecordEvent
        3 WaitEvent
        4 ResetEvent
        5 HostFunction
        6 Report
        7 Compute
    }
    Outcome, "outcome" {
        0 Done
        1 NotReady
        2 Failed { 0 reason: String }
        3 Skipped
        4 Dropped
    }
    Target, "target" {
        0 Stream { 0 stream: u64 }
        1 Device { 0 device: u32 }
        2 Event { 0 event: u64 }
        3 Waits { 0 event: u64 }
    }
    AllocatorChange, "allocator change" {
        0 Registered { descriptor descriptor: u64, object object: u64 }
        1 Unregistered
    }
    DescriptorField, "descriptor field" {
        0 Object
        1 Alloc
        2 Free
        3 AllocAdvise
        4 GetAddress
    }
    DescriptorProblem, "descriptor problem" {
        0 Unknown
        1 NullStream
        2 Missing { 0 field: DescriptorField }
    }
    RunSource, "run source" {
        0 Allocator
        1 Pool
        2 Provided
        3 Nothing
    }
    HandleKind, "handle kind" {
        0 DataBuffer
        1 TensorDesc
        2 OperatorAttributes
        3 Operator
        4 Dataset
        5 ModelDescription
        6 LoadOptions
        7 RunOptions
        8 Model
        9 Communicator
    }
    GuardKind, "guard" {
        0 Redzone
        1 Poison
    }
    Stall, "stall" {
        0 Unrecorded
        1 Circle
        2 Report
        3 Outside
    }
    RankProblem, "rank problem" {
        0 Mismatch
        1 Message
        2 Gone
        3 Cycle
        4 TimedOut
        5 Meeting
        6 Closed
        7 SharedDevice
        8 OtherDevice
        9 NotANumber
    }
    PoolSetting, "pool setting" {
        0 FollowEvents { 0 allowed: bool }
        1 Opportunistic { 0 allowed: bool }
        2 InternalWaits { 0 allowed: bool }
        3 ReleaseThreshold { 0 bytes: u64 }
    }
    Frame, "frame" {
        0 Address { 0 address: u64 }
        1 Named { function function: Text, file file: Text, line line: u32 }
    }
}
