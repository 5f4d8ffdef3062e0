//! The device as a policy sees it: a number of bytes to take from and give back to.

/// What a policy holds of a device.
#[derive(Debug, Clone, Copy)]
pub struct Ledger {
    limit: u64,
    reserved: u64,
    calls: u64,
}

impl Ledger {
    /// A device with `limit` bytes; `u64::MAX` for one that is never full.
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            reserved: 0,
            calls: 0,
        }
    }

    /// One call that takes bytes. False if the device has no more.
    pub fn take(&mut self, bytes: u64) -> bool {
        self.take_by(bytes, 1)
    }

    /// As many calls that take bytes together.
    pub fn take_by(&mut self, bytes: u64, calls: u64) -> bool {
        self.calls += calls;
        let fits = bytes <= self.free();
        if fits {
            self.reserved += bytes;
        }
        fits
    }

    /// As many calls that give bytes back.
    pub fn give_by(&mut self, bytes: u64, calls: u64) {
        self.calls += calls;
        self.reserved -= bytes;
    }

    /// One call that gives bytes back.
    pub fn give(&mut self, bytes: u64) {
        self.give_by(bytes, 1);
    }

    /// What the device has left.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.reserved)
    }

    /// What the device has in all.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What is held now.
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// How many calls there were, those that were refused included.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The device is never full from now on.
    pub fn lift(&mut self) {
        self.limit = u64::MAX;
    }
}
