//! `millpond/millpond.h`: what Millpond offers beyond AscendCL.

defines! {
    usize {
        MILLPOND_SIZE_CLASSES = 40,
    }
}

structs! {
    /// How much of something there is, at most was at one time, and was in all.
    millpondCount {
        current: u64,
        peak: u64,
        total: u64,
    }

    /// A memory's numbers.
    millpondMemStatistics {
        charged: u64,
        chargedPeak: u64,
        limit: u64,
        reserved: u64,
        reservedPeak: u64,
        blocks: u64,
        pagesMoved: u64,
        streams: u64,
    }

    /// What one stream has been handed.
    millpondStreamStatistics {
        stream: u64,
        bytes: millpondCount,
        pendingBlocks: u64,
        pendingBytes: u64,
        keptBlocks: u64,
        blocks: [millpondCount; MILLPOND_SIZE_CLASSES],
    }
}
