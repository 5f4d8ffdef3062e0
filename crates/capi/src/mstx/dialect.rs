//! How known libraries deviate from the documented contract of annotations. They are recognised by the names of their
//! domains.

/// Which library created a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    /// The documented contract.
    Documented,
    /// PyTorch's caching allocator: heaps are totals, most fields are not initialised, regions are
    /// named by address.
    TorchCaching,
    /// The same with PyTorch's task queue between a script and its work: a tensor is freed when the script
    /// releases it, and work that uses it is launched later by another thread. So regions end too early.
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

/// Why the heaps and regions of a domain cannot be trusted. Recorded once for each domain; the checker ignores
/// the domain from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Flaw {
    /// The known deviation of the domain's library.
    Dialect,
    /// A description is NULL or cannot be read.
    Unreadable,
    /// An unknown usage or type.
    UnknownType,
    /// The array for the handles cannot be written.
    Unwritable,
    /// An implausible number of regions in one call.
    Huge,
    /// More is registered than is tracked.
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

    /// Whether its heaps are ranges of memory.
    pub(super) fn has_heaps(self) -> bool {
        !self.is_torch()
    }

    /// Whether the sizes of its regions are right.
    pub(super) fn has_regions(self) -> bool {
        self != Self::TorchWorkspace
    }

    /// Whether it passes a valid array for handles. Others pass an uninitialised pointer.
    pub(super) fn takes_handles(self) -> bool {
        matches!(self, Self::Documented | Self::Atb | Self::SharedMemory)
    }

    /// Whether types and usages are filled in.
    pub(super) fn fills_types(self) -> bool {
        self == Self::Documented
    }

    /// Whether it is PyTorch, which also unregisters what is not registered, without meaning anything by it.
    pub(super) fn is_torch(self) -> bool {
        matches!(
            self,
            Self::TorchCaching | Self::TorchQueued | Self::TorchWorkspace
        )
    }

    /// Whether its deviations are handled completely, so that there is nothing to record.
    pub(super) fn is_understood(self) -> bool {
        matches!(self, Self::TorchCaching | Self::TorchWorkspace)
    }

    /// The text of the record.
    pub(super) fn sentence(self, flaw: Flaw) -> &'static str {
        match (self, flaw) {
            (Self::TorchQueued, _) => {
                "torch_npu's task queue is on, so memory is freed before the work that uses it is launched; \
                 set TASK_QUEUE_ENABLE=0 to check it"
            }
            (Self::TorchCaching | Self::TorchWorkspace, _) => {
                "more is registered than is tracked, or a description cannot be read"
            }
            (Self::Atb, _) => {
                "handles of regions are passed as pointers; they are treated as handles"
            }
            (Self::MindSpore, _) => {
                "heaps are identified by their addresses, and the array for handles is missing"
            }
            (Self::SharedMemory, _) => {
                "permissions only say that a region is shared; it is treated as readable and writable"
            }
            // Understood as it is meant; the heaps can be trusted.
            (Self::Documented, Flaw::Dialect) => {
                "handles are passed as addresses, or addresses as handles"
            }
            (Self::Documented, Flaw::Unreadable) => "a description is NULL or cannot be read",
            (Self::Documented, Flaw::UnknownType) => {
                "a usage or type is unknown; descriptions are not filled in completely"
            }
            (Self::Documented, Flaw::Unwritable) => {
                "the array for the handles of regions cannot be written"
            }
            (Self::Documented, Flaw::Huge) => "one call has an implausible number of regions",
            (Self::Documented, Flaw::TooMany) => {
                "more heaps or regions are registered than are tracked"
            }
            (Self::Documented, Flaw::Wraps) => "a heap or region extends beyond the last address",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_has_one_text_whatever_is_wrong() {
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
