//! What is replayed: an allocation policy without a device.

/// An allocation policy that is replayed: no device behind it, addresses are offsets.
///
/// Streams are small numbers. The device reports progress in *marks*: the program issues
/// its work under a mark that rises (a layer, say), and the device completes work mark by mark.
pub trait Policy {
    /// Where the block starts, or `None` when the request is refused. Who has been refused has tried what it can.
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64>;

    /// The program gives the block back at this point of `stream`.
    fn free(&mut self, offset: u64, stream: u32);

    /// As `free`, in a trace that says of its own recorder that it could not reuse the block until
    /// [`Policy::settled`]. The streams that still used it are not in the trace, so only policies
    /// that would have polled as the recorder did take notice; it is an ordinary free to others.
    fn free_held(&mut self, offset: u64, stream: u32) {
        self.free(offset, stream);
    }

    /// The recorder saw the work on a block of `free_held` complete. The block may have been handed
    /// out again by then, if `free_held` was an ordinary free.
    fn settled(&mut self, _offset: u64) {}

    /// The block is also used on `stream`, from now until it is freed.
    fn record_use(&mut self, _offset: u64, _stream: u32) {}

    /// An event is recorded on `stream`. What is ordered before it is settled now.
    fn record_event(&mut self, _event: u32, _stream: u32) {}

    /// `stream` waits for what the event's latest recording captured.
    fn wait_event(&mut self, _event: u32, _stream: u32) {}

    /// The host has waited for the stream: everything issued on it so far has completed.
    fn synchronize(&mut self, _stream: u32) {}

    /// Work that is issued from here on, on any stream, belongs to `mark`.
    fn begin(&mut self, _mark: u64) {}

    /// The host could find out now, by asking, that `stream` has completed everything up to and
    /// including `mark`.
    fn completed(&mut self, _stream: u32, _mark: u64) {}

    /// Bytes of device memory held now.
    fn reserved(&self) -> u64;

    /// How often the device was asked for memory, given memory back or told to map pages so far. A handle that is created and
    /// mapped counts once.
    fn device_calls(&self) -> u64 {
        0
    }

    /// The device is as large as need be from now on: a request did not fit, and the replay goes on to see how much is needed.
    fn lift_limit(&mut self) {}

    /// Gives back what no block lies on, as far as the allocator can at all; at its own end if it never does before.
    fn trim(&mut self) {}

    /// How many pages were moved from one address to another so far.
    fn pages_moved(&self) -> u64 {
        0
    }
}
