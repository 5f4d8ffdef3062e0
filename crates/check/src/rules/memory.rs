//! Rules about blocks of memory and accesses to their bytes.

super::rules! {
    OUT_OF_BOUNDS: "memory.out-of-bounds", Error,
        "work reaches beyond its block",
        "A copy, a fill or an operand stays inside one live block.",
        "aclrtMemcpy, aclrtMemset, aclCreateDataBuffer";
    PITCH: "memory.pitch", Error,
        "rows are wider than their pitch",
        "The width of a two-dimensional copy is at most either pitch, and all rows are inside the block.",
        "aclrtMemcpy2d, aclrtMemcpy2dAsync";
    USE_AFTER_FREE: "memory.use-after-free", Error,
        "work uses freed memory",
        "Memory is not used after it was freed or unmapped.",
        "aclrtFree, aclrtFreeHost, aclrtUnmapMem";
    FREED_IN_USE: "memory.freed-in-use", Error,
        "memory was freed while queued work still uses it",
        "Memory is freed or unmapped only after the tasks that use it were waited for.",
        "aclrtFree, aclrtFreeHost, aclrtUnmapMem";
    FREED_WHILE_SHARED: "memory.freed-while-shared", Error,
        "memory was freed while another process used it",
        "Memory that other processes have imported is freed only after all of them have closed it.",
        "aclrtIpcMemGetExportKey, aclrtIpcMemClose, aclrtFree";
    DOUBLE_FREE: "memory.double-free", Error,
        "memory was freed twice",
        "A block is freed once.",
        "aclrtFree, aclrtFreeHost, acldvppFree";
    UNKNOWN_FREE: "memory.unknown-free", Error,
        "the freed address was never allocated",
        "Only addresses that an allocation returned are freed.",
        "aclrtFree, aclrtFreeHost, acldvppFree";
    INTERIOR_FREE: "memory.interior-free", Error,
        "an address inside a block was freed",
        "A block is freed by the address that the allocation returned.",
        "aclrtFree, aclrtFreeHost, acldvppFree";
    WRONG_FREE: "memory.wrong-free", Error,
        "memory was freed by the wrong function",
        "Memory is freed by the function that matches the one that allocated it.",
        "aclrtFree, aclrtFreeHost, acldvppFree, aclrtMemPoolFreeAsync, aclrtFreePhysical, aclrtReleaseMemAddress";
    UNINITIALISED_READ: "memory.uninitialised-read", Error,
        "uninitialised bytes are read",
        "Allocated memory has no defined content before it is written.",
        "aclrtMalloc, aclrtMallocAlign32: the memory is not initialised";
    HOST_ACCESS: "memory.host-access", Error,
        "host code touched device memory",
        "Only copies and device work access device memory.",
        "aclrtMalloc, aclrtMemcpy";
    DEST_MAX: "memory.dest-max", Error,
        "destMax exceeds the destination",
        "destMax is at most the number of bytes from the destination to the end of its block.",
        "aclrtMemcpy, aclrtMemcpyAsync, aclrtMemset";
    OVERLAP: "memory.overlap", Error,
        "source and destination of a copy overlap",
        "Source and destination of a copy do not overlap.",
        "aclrtMemcpy, aclrtMemcpyAsync";
    WRONG_DEVICE: "memory.wrong-device", Error,
        "work uses memory of another device without access to it",
        "A device works on its own memory. Before it copies from or to another device's, its access to that device is enabled.",
        "aclrtMemcpyAsync, aclrtDeviceEnablePeerAccess";
    COPY_KIND: "memory.copy-kind", Hint,
        "the stated direction of a copy does not match its addresses",
        "The kind of a copy says where source and destination are; with ACL_MEMCPY_DEFAULT the addresses decide.",
        "aclrtMemcpy, aclrtMemcpyAsync, aclrtMemcpy2d";
    LEAK: "memory.leak", Error,
        "memory was not freed",
        "Memory is freed before aclrtResetDevice or aclFinalize.",
        "aclrtResetDevice, aclFinalize";
    LEAK_MAPPING: "memory.leak-mapping", Error,
        "addresses, physical memory or a mapping were not released",
        "What was reserved, allocated or mapped is released in reverse order.",
        "aclrtReserveMemAddress, aclrtMallocPhysical, aclrtMapMem";
    LEAK_STEP: "memory.leak-step", Warning,
        "every step leaks memory",
        "Memory that outlives a step is allocated once, not in every step.",
        "steps are the MSTX ranges called 'step start'";
    GROWTH: "memory.growth", Warning,
        "a line allocates repeatedly and nothing is freed",
        "Memory that a loop allocates in every iteration is freed in that iteration or soon after.",
        "tensors of torch_npu that are still held at aclFinalize";
    NEVER_USED: "memory.never-used", Hint,
        "memory was allocated and never touched",
        "Memory is allocated only if it is used.",
        "no byte of the block was read or written";
    GUARD: "memory.guard", Error,
        "bytes past the end of a block were overwritten",
        "A program writes only to bytes that it requested.",
        "aclrtMalloc, aclrtMallocHost";
    WRITTEN_AFTER_FREE: "memory.written-after-free", Error,
        "bytes of a freed block were overwritten",
        "Memory is not used after it was freed.",
        "aclrtFree, aclrtFreeHost";
}
