//! Rules about allocators that a program registers on its streams.

super::rules! {
    SHARED: "allocator.shared", Error,
        "one allocator serves two streams that run at the same time",
        "Streams that share an allocator do not run concurrently: the earlier stream is synchronised first.",
        "aclrtAllocatorRegister, restrictions";
    SHARED_BY_EVENT: "allocator.shared-by-event", Warning,
        "one allocator serves two streams that only an event orders",
        "Streams that share an allocator do not run concurrently: the earlier stream is synchronised first.",
        "aclrtAllocatorRegister, restrictions";
    RETURNED_EARLY: "allocator.returned-early", Error,
        "an allocator's memory was freed before the stream was synchronised",
        "The stream is synchronised before an allocator's memory is freed.",
        "aclrtAllocatorRegister, restrictions";
    NULL_STREAM: "allocator.null-stream", Error,
        "an allocator was registered on the null stream",
        "An allocator is registered on a stream that the program created.",
        "aclrtAllocatorRegister, aclrtAllocatorGetByStream";
    INCOMPLETE: "allocator.incomplete", Error,
        "an allocator was registered with a required part missing",
        "Object, alloc, free and get-address are set before a descriptor is registered.",
        "aclrtAllocatorRegister, restrictions";
    STALE_DESCRIPTOR: "allocator.stale-descriptor", Error,
        "a descriptor that does not exist was used",
        "A descriptor is used only between its creation and its destruction.",
        "aclrtAllocatorCreateDesc, aclrtAllocatorDestroyDesc";
    CHANGED_DESCRIPTOR: "allocator.changed-descriptor", Warning,
        "a descriptor was changed after it was registered",
        "A descriptor is complete when it is registered; fields that are set later have no effect.",
        "aclrtAllocatorRegister, restrictions";
    REPLACED_IN_USE: "allocator.replaced-in-use", Warning,
        "an allocator was replaced while blocks of it are in use",
        "An allocator stays registered until the stream has returned all its blocks.",
        "aclrtAllocatorRegister, aclrtAllocatorUnregister";
    STREAM_DESTROYED: "allocator.stream-destroyed", Warning,
        "a stream was destroyed with an allocator registered on it",
        "An allocator is unregistered before its stream is destroyed.",
        "aclrtAllocatorUnregister";
    OVERLAP: "allocator.overlap", Error,
        "an allocator returned the same bytes twice",
        "Live blocks of an allocator do not overlap.",
        "aclrtAllocatorSetAllocFuncToDesc";
    TOO_SMALL: "allocator.too-small", Error,
        "an allocator returned less than was requested",
        "A block has at least the requested size.",
        "aclrtAllocatorSetAllocFuncToDesc";
    MISALIGNED: "allocator.misaligned", Error,
        "an allocator returned a block that is not aligned to 64 bytes",
        "Blocks of device memory start on a multiple of 64 bytes.",
        "aclrtMallocAlign32: segments of a block";
    FOREIGN: "allocator.foreign", Error,
        "an allocator returned memory that is not on the device",
        "An allocator's blocks are in live memory of the stream's device.",
        "aclrtAllocatorSetAllocFuncToDesc";
    UNSTABLE: "allocator.unstable", Error,
        "a block's address changed",
        "A block has the same address from its allocation to its release.",
        "aclrtAllocatorSetGetAddrFromBlockFuncToDesc";
    UNUSED: "allocator.unused", Hint,
        "an allocator was registered and never used",
        "An allocator serves operators and models with dynamic shapes that run asynchronously after it was registered.",
        "aclrtAllocatorRegister, restrictions";
}
