//! Rules about dividing a large block of `aclrtMallocAlign32` into segments, and about media memory.

super::rules! {
    START: "segment.start", Error,
        "a segment is not aligned to 64 bytes",
        "Segments of a block start on a multiple of 64 bytes.",
        "aclrtMallocAlign32, restrictions";
    SPACING: "segment.spacing", Error,
        "a segment is too close to the next",
        "A segment of len bytes occupies len rounded up to 32, plus 32 bytes.",
        "aclrtMallocAlign32, restrictions";
    MEDIA: "segment.media", Error,
        "media memory is not aligned to 128 bytes",
        "Input and output of media processing start on a multiple of 128 bytes and come from the media allocator.",
        "acldvppMalloc, hi_mpi_dvpp_malloc";
}
