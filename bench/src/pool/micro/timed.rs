//! Who is timed, and how a call reaches each of them.
//!
//! Everybody is called as its own interface wants it: with what its allocation answered, without a
//! table of ours in between. Who is not made for threads gets a lock. Who knows no streams gets an
//! arena with a lock of its own for each, as in the memory part.

use std::sync::Mutex;

use gpu_allocator::vulkan as gpu;
use offset_allocator::{Allocation, Allocator};

use crate::pool::memory::EXPANDABLE;
use crate::pool::peers::gpu::{allocator as gpu_allocator, request};
use crate::pool::peers::offset::{allocator as offset_allocator, units};
use crate::pool::peers::rlsf::Lent;
use millpond_replay::policies::pytorch::{Caching, Settings};
use millpond_replay::policies::rmm_pool::Rmm;
use millpond_replay::policy::Policy;

/// The streams of the timed cases are 0 and 1.
const STREAMS: usize = 2;

/// An allocator that is timed.
pub(crate) trait Timed: Sized + Sync {
    /// What an allocation answers and its free wants.
    type Token: Send;

    fn new() -> Result<Self, String>;
    fn alloc(&self, stream: u32, bytes: u64) -> Option<Self::Token>;
    fn free(&self, stream: u32, token: Self::Token);
}

/// Something behind a lock, on cache lines of its own.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Locked<T>(Mutex<T>);

impl<T> Locked<T> {
    fn new(inner: T) -> Self {
        Self(Mutex::new(inner))
    }

    #[inline]
    fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> Option<R> {
        // A lock is poisoned when a timed thread panicked, and then nothing is timed any more.
        Some(run(&mut *self.0.lock().ok()?))
    }
}

/// One for each stream.
#[derive(Debug)]
pub(crate) struct Each<T>([Locked<T>; STREAMS]);

impl<T> Each<T> {
    pub(crate) fn make(new: impl Fn() -> Result<T, String>) -> Result<Self, String> {
        Ok(Self([Locked::new(new()?), Locked::new(new()?)]))
    }

    #[inline]
    pub(crate) fn with<R>(&self, stream: u32, run: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0[stream as usize % STREAMS].with(run)
    }
}

impl Timed for Each<Allocator> {
    type Token = Allocation;

    fn new() -> Result<Self, String> {
        Self::make(|| Ok(offset_allocator()))
    }

    #[inline]
    fn alloc(&self, stream: u32, bytes: u64) -> Option<Allocation> {
        let units = units(bytes)?;
        self.with(stream, |it| it.allocate(units)).flatten()
    }

    #[inline]
    fn free(&self, stream: u32, token: Allocation) {
        self.with(stream, |it| it.free(token));
    }
}

impl Timed for Each<Lent> {
    type Token = u64;

    fn new() -> Result<Self, String> {
        Self::make(Lent::new)
    }

    #[inline]
    fn alloc(&self, stream: u32, bytes: u64) -> Option<u64> {
        self.with(stream, |it| it.alloc(bytes)).flatten()
    }

    #[inline]
    fn free(&self, stream: u32, token: u64) {
        self.with(stream, |it| it.free(token));
    }
}

impl Timed for Each<gpu::Allocator> {
    type Token = gpu::Allocation;

    fn new() -> Result<Self, String> {
        Self::make(gpu_allocator)
    }

    fn alloc(&self, stream: u32, bytes: u64) -> Option<gpu::Allocation> {
        self.with(stream, |it| it.allocate(&request(bytes)).ok())?
    }

    fn free(&self, stream: u32, token: gpu::Allocation) {
        self.with(stream, |it| it.free(token));
    }
}

/// A model of an allocator that has one lock for the whole device.
#[derive(Debug)]
pub(crate) struct Model<P>(Locked<P>);

impl<P: Policy> Model<P> {
    fn of(policy: P) -> Self {
        Self(Locked::new(policy))
    }

    #[inline]
    fn alloc(&self, stream: u32, bytes: u64) -> Option<u64> {
        self.0.with(|it| it.alloc(stream, bytes)).flatten()
    }

    #[inline]
    fn free(&self, stream: u32, token: u64) {
        self.0.with(|it| it.free(token, stream));
    }
}

macro_rules! models {
    ($($name:ident, $policy:ty, $new:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name(Model<$policy>);

        impl Timed for $name {
            type Token = u64;

            fn new() -> Result<Self, String> {
                Ok(Self(Model::of($new)))
            }

            #[inline]
            fn alloc(&self, stream: u32, bytes: u64) -> Option<u64> {
                self.0.alloc(stream, bytes)
            }

            #[inline]
            fn free(&self, stream: u32, token: u64) {
                self.0.free(stream, token);
            }
        }
    )* };
}

models! {
    Pytorch, Caching, Caching::new(Settings::DEFAULT, u64::MAX);
    Expandable, Caching, Caching::new(EXPANDABLE, u64::MAX);
    RmmPool, Rmm, Rmm::default();
}

pub(crate) type Offset = Each<Allocator>;
pub(crate) type Rlsf = Each<Lent>;
pub(crate) type Gpu = Each<gpu::Allocator>;
