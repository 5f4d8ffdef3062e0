//! Rules about allocators that a program registers on its streams.

super::rules! {
    SHARED: "allocator.shared", Error,
        "one allocator serves two streams that run at the same time",
        "Streams that share an allocator do not run concurrently: the stream before is synchronised first.",
        "aclrtAllocatorRegister, restrictions";
    SHARED_BY_EVENT: "allocator.shared-by-event", Warning,
        "one allocator serves two streams that only an event puts in order",
        "Streams that share an allocator do not run concurrently: the stream before is synchronised first.",
        "aclrtAllocatorRegister, restrictions";
    RETURNED_EARLY: "allocator.returned-early", Error,
        "an allocator's memory went back before the stream was synchronised",
        "Before an allocator's memory is given back to the system, the stream is synchronised.",
        "aclrtAllocatorRegister, restrictions";
    NULL_STREAM: "allocator.null-stream", Error,
        "an allocator was registered on the null stream",
        "An allocator is registered on a stream that the program created.",
        "aclrtAllocatorRegister, aclrtAllocatorGetByStream";
    INCOMPLETE: "allocator.incomplete", Error,
        "an allocator was registered with a required part missing",
        "Object, alloc, free and get-address are set before a description is registered.",
        "aclrtAllocatorRegister, restrictions";
    STALE_DESCRIPTOR: "allocator.stale-descriptor", Error,
        "a description that does not exist was used",
        "A description is used from its creation to its destruction.",
        "aclrtAllocatorCreateDesc, aclrtAllocatorDestroyDesc";
    CHANGED_DESCRIPTOR: "allocator.changed-descriptor", Warning,
        "a description was changed after it was registered",
        "A description is complete when it is registered; what is set later does not count.",
        "aclrtAllocatorRegister, restrictions";
    REPLACED_IN_USE: "allocator.replaced-in-use", Warning,
        "an allocator was replaced while blocks of it are in use",
        "An allocator stays registered until the stream has given all its blocks back.",
        "aclrtAllocatorRegister, aclrtAllocatorUnregister";
    STREAM_DESTROYED: "allocator.stream-destroyed", Warning,
        "a stream was destroyed with an allocator registered on it",
        "An allocator is unregistered before its stream is destroyed.",
        "aclrtAllocatorUnregister";
    OVERLAP: "allocator.overlap", Error,
        "an allocator gave the same bytes twice",
        "Blocks that an allocator has given and not got back do not overlap.",
        "aclrtAllocatorSetAllocFuncToDesc";
    TOO_SMALL: "allocator.too-small", Error,
        "an allocator gave less than it was asked for",
        "A block has at least the bytes that were asked for.",
        "aclrtAllocatorSetAllocFuncToDesc";
    MISALIGNED: "allocator.misaligned", Error,
        "an allocator gave a block that is not aligned to 64 bytes",
        "Blocks of device memory start on a multiple of 64 bytes.",
        "aclrtMallocAlign32: segments of a block";
    FOREIGN: "allocator.foreign", Error,
        "an allocator gave memory that is not the device's",
        "An allocator's blocks lie in live memory of the stream's device.",
        "aclrtAllocatorSetAllocFuncToDesc";
    UNSTABLE: "allocator.unstable", Error,
        "a block's address changed",
        "A block has the same address from its allocation to its release.",
        "aclrtAllocatorSetGetAddrFromBlockFuncToDesc";
    UNUSED: "allocator.unused", Hint,
        "an allocator was registered and never used",
        "An allocator serves operators and models of changing shape that run asynchronously, registered before they run.",
        "aclrtAllocatorRegister, restrictions";
}
