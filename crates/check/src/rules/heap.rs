//! Rules about heaps and regions, by which a program describes its own pools to tools.

super::rules! {
    NOT_ALLOCATED: "heap.not-allocated", Error,
        "a heap is not in live memory",
        "The memory of a heap is allocated before the heap is registered.",
        "mstxMemHeapRegister";
    OUTSIDE_REGION: "heap.outside-region", Error,
        "work accesses a heap outside its regions",
        "Memory of a heap is used only where a region is registered.",
        "mstxMemHeapRegister: the usage type of a sub-allocator";
    USE_AFTER_UNREGISTER: "heap.use-after-unregister", Error,
        "work accesses a region that was unregistered",
        "A region is not used after it was unregistered.",
        "mstxMemRegionsUnregister";
    PERMISSION: "heap.permission", Error,
        "an access violates the permissions of a region",
        "A region is read and written only as its permissions say.",
        "mstxMemPermissionsAssign";
    REGION_OUTSIDE: "heap.region-outside", Error,
        "a region reaches beyond its heap",
        "A region is inside its heap.",
        "mstxMemRegionsRegister";
    REGION_OVERLAP: "heap.region-overlap", Error,
        "two regions of a heap overlap",
        "Regions of a heap do not share bytes.",
        "mstxMemRegionsRegister";
    WRONG_DEVICE: "heap.wrong-device", Error,
        "a heap or region names a device other than that of its memory",
        "A heap and its regions name the device that their memory is on.",
        "mstxMemVirtualRangeDesc_t";
    ENDED_IN_USE: "heap.ended-in-use", Error,
        "a heap ended while it had live regions or queued work",
        "Regions are unregistered, and their work waited for, before their heap is unregistered or its memory freed.",
        "mstxMemHeapUnregister, mstxMemRegionsUnregister";
    UNREGISTERED_BLOCK: "heap.unregistered-block", Warning,
        "a block of a heap was handed out without a region",
        "A program that registers a heap registers the blocks that it hands out of it.",
        "mstxMemHeapRegister: the usage type of a sub-allocator";
    UNKNOWN: "heap.unknown", Error,
        "a call names a heap or region that is not registered",
        "Heaps and regions are unregistered once, by the handles that their registration returned.",
        "mstxMemHeapUnregister, mstxMemRegionsUnregister";
    LEAK: "heap.leak", Warning,
        "a heap or region was not unregistered",
        "Heaps and regions are unregistered before aclrtResetDevice or aclFinalize.",
        "mstxMemHeapUnregister";
    DIALECT: "heap.dialect", Hint,
        "annotations do not follow the documented contract",
        "Descriptions of heaps and regions are filled in completely.",
        "mstxMemHeapRegister, mstxMemRegionsRegister";
}
