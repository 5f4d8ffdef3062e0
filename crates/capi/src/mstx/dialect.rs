//! How producers of annotations differ from the documented contract, told by the names of their
//! domains.

/// Whose habits a domain has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    /// The documented contract.
    Documented,
    /// PyTorch's caching allocator: heaps are totals, most fields are not initialised, regions are
    /// named by address.
    TorchCaching,
    /// The same with PyTorch's own queue of tasks between a script and its work: a tensor is freed when the script
    /// comes by, and work that uses it is asked for later, by another thread. So regions end too early.
    TorchQueued,
    /// PyTorch's workspaces: the same, and the sizes of regions are totals too.
    TorchWorkspace,
    /// ATB: passes handles and calls them pointers.
    Atb,
    /// The pool of `MindSpore`: names heaps by their addresses.
    MindSpore,
    /// The shared-memory library: regions without a heap, permissions that only say "shared".
    SharedMemory,
}

/// What makes the heaps and regions of a domain other than they seem. Told once for each domain; whoever
/// judges trusts the domain no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Flaw {
    /// What the domain's dialect is known for.
    Dialect,
    /// A description is NULL or cannot be read.
    Unreadable,
    /// A usage or a type without a meaning.
    UnknownType,
    /// The array for the handles cannot be written.
    Unwritable,
    /// More at once than anybody can mean.
    Huge,
    /// More is registered than is followed.
    TooMany,
    /// Bytes that reach beyond the last address.
    Wraps,
}

impl Dialect {
    /// By the name of a domain; `queued` says whether PyTorch's queue is on.
    pub(super) fn of(domain: &str, queued: bool) -> Self {
        match domain {
            "ptaCaching" | "msleaks" if queued => Self::TorchQueued,
            "ptaCaching" | "msleaks" => Self::TorchCaching,
            "ptaWorkspace" => Self::TorchWorkspace,
            "atb" => Self::Atb,
            "mindsporeMemPool" => Self::MindSpore,
            "shmem" => Self::SharedMemory,
            _ => Self::Documented,
        }
    }

    /// Whether what it registers as a heap is one.
    pub(super) fn has_heaps(self) -> bool {
        !self.is_torch()
    }

    /// Whether what it registers as regions are the bytes that it says.
    pub(super) fn has_regions(self) -> bool {
        self != Self::TorchWorkspace
    }

    /// Whether the array for handles is one. Elsewhere it may be whatever lay on the stack.
    pub(super) fn takes_handles(self) -> bool {
        matches!(self, Self::Documented | Self::Atb | Self::SharedMemory)
    }

    /// Whether types and usages are filled in.
    pub(super) fn fills_types(self) -> bool {
        self == Self::Documented
    }

    /// Whether it may name what was never registered, or no longer is, and mean nothing by it.
    pub(super) fn is_torch(self) -> bool {
        matches!(
            self,
            Self::TorchCaching | Self::TorchQueued | Self::TorchWorkspace
        )
    }

    /// Whether there is nothing to say of its habits: what is followed of it is what it says.
    pub(super) fn is_understood(self) -> bool {
        matches!(self, Self::TorchCaching | Self::TorchWorkspace)
    }

    /// What is said of a flaw in a domain of this dialect.
    pub(super) fn sentence(self, flaw: Flaw) -> &'static str {
        match (self, flaw) {
            (Self::TorchQueued, _) => {
                "torch_npu's task queue is on, so that memory is given back before the work that uses it is asked for; \
                 set TASK_QUEUE_ENABLE=0 to have it judged"
            }
            (Self::TorchCaching | Self::TorchWorkspace, _) => {
                "more is registered than is followed, or a description cannot be read"
            }
            (Self::Atb, _) => {
                "handles of regions are passed as pointers; they are taken for handles"
            }
            (Self::MindSpore, _) => {
                "heaps are named by their addresses and the array for handles is not given"
            }
            (Self::SharedMemory, _) => {
                "permissions only say that a region is shared; it is taken as readable and writable"
            }
            // Understood as it is meant, and the heaps are what they seem.
            (Self::Documented, Flaw::Dialect) => "handles and addresses take each other's place",
            (Self::Documented, Flaw::Unreadable) => "a description is NULL or cannot be read",
            (Self::Documented, Flaw::UnknownType) => {
                "a usage or a type has no meaning: descriptions are not filled in completely"
            }
            (Self::Documented, Flaw::Unwritable) => {
                "the array for the handles of regions cannot be written"
            }
            (Self::Documented, Flaw::Huge) => "more regions in one call than anybody can mean",
            (Self::Documented, Flaw::TooMany) => {
                "more heaps or regions at one time than are followed"
            }
            (Self::Documented, Flaw::Wraps) => "a heap or region reaches beyond the last address",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_has_one_sentence_whatever_is_wrong() {
        for name in [
            "ptaCaching",
            "ptaWorkspace",
            "atb",
            "mindsporeMemPool",
            "shmem",
        ] {
            let dialect = Dialect::of(name, false);
            assert_ne!(dialect, Dialect::Documented, "{name}");
            assert_eq!(
                dialect.sentence(Flaw::Unreadable),
                dialect.sentence(Flaw::Wraps)
            );
        }
        assert_eq!(Dialect::of("msleaks", false), Dialect::TorchCaching);
        assert_eq!(Dialect::of("ptaCaching", true), Dialect::TorchQueued);
        assert_eq!(Dialect::of("test", true), Dialect::Documented);
    }
}
