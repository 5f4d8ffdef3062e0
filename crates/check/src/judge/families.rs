//! Which functions allocate what, and which of them free it. The table is the documentation's.

/// Functions that belong together: what one of these makes is ended by one of those.
#[derive(Debug)]
pub(crate) struct Family {
    /// What it is, for people.
    pub(crate) what: &'static str,
    /// Functions that make it.
    pub(crate) makers: &'static [&'static str],
    /// Functions that end it, the usual first.
    pub(crate) enders: &'static [&'static str],
}

pub(crate) const DEVICE: Family = Family {
    what: "device memory",
    makers: &[
        "aclrtMalloc",
        "aclrtMallocAlign32",
        "aclrtMallocCached",
        "aclrtMallocWithCfg",
        "aclrtMallocForTaskScheduler",
        "aclrtMemAllocManaged",
    ],
    // A free in the order of a stream takes any device memory, not only a pool's.
    enders: &["aclrtFree", "aclrtFreeWithDevSync", "aclrtMemPoolFreeAsync"],
};

const HOST: Family = Family {
    what: "pinned host memory",
    makers: &["aclrtMallocHost", "aclrtMallocHostWithCfg"],
    enders: &["aclrtFreeHost", "aclrtFreeHostWithDevSync"],
};

const MEDIA: Family = Family {
    what: "media memory",
    makers: &["acldvppMalloc"],
    enders: &["acldvppFree"],
};

const POOL: Family = Family {
    what: "memory of a pool",
    makers: &["aclrtMemPoolMallocAsync"],
    // Documented too: it frees at once.
    enders: &["aclrtMemPoolFreeAsync", "aclrtFree", "aclrtFreeWithDevSync"],
};

const PHYSICAL: Family = Family {
    what: "physical memory",
    makers: &["aclrtMallocPhysical"],
    enders: &["aclrtFreePhysical"],
};

const RESERVED: Family = Family {
    what: "reserved addresses",
    makers: &["aclrtReserveMemAddress", "aclrtReserveMemAddressNoUCMemory"],
    enders: &["aclrtReleaseMemAddress"],
};

const MAPPED: Family = Family {
    what: "a mapping",
    makers: &["aclrtMapMem", "aclrtMemMapNoAccess"],
    enders: &["aclrtUnmapMem"],
};

const IMPORTED: Family = Family {
    what: "memory of another process",
    makers: &["aclrtIpcMemImportByKey"],
    enders: &["aclrtIpcMemClose"],
};

static ALL: [Family; 8] = [
    DEVICE, HOST, MEDIA, POOL, PHYSICAL, RESERVED, MAPPED, IMPORTED,
];

impl Family {
    /// What a function makes.
    pub(crate) fn made_by(call: &str) -> Option<&'static Self> {
        ALL.iter().find(|family| family.makers.contains(&call))
    }

    /// Whether a function ends what another made.
    pub(crate) fn is_ended_by(&self, call: &str) -> bool {
        self.enders.contains(&call)
    }

    /// Whether a function ends anything.
    pub(crate) fn ends_something(call: &str) -> bool {
        ALL.iter().any(|family| family.is_ended_by(call))
    }
}

/// Whether a function hands memory to the program. What the runtime takes for itself during other
/// calls is not the program's.
pub(crate) fn hands_out(call: &str) -> bool {
    Family::made_by(call).is_some()
}

/// Whether the program writes the memory that a function makes by its address, without a call that could be seen.
pub(crate) fn host_writes(call: &str) -> bool {
    call == "aclrtMemAllocManaged"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_function_makes_one_thing_and_everything_has_an_end() {
        let makers: Vec<_> = ALL.iter().flat_map(|family| family.makers).collect();
        let different: BTreeSet<_> = makers.iter().collect();
        assert_eq!(makers.len(), different.len());
        assert!(ALL.iter().all(|family| !family.enders.is_empty()));
        assert!(hands_out("acldvppMalloc") && !hands_out("aclopExecuteV2"));
    }
}
