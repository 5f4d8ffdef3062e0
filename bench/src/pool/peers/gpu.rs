//! The gpu-allocator crate, behind which stands a Vulkan device that is not there.
//!
//! Its public interface wants Vulkan's functions. The four that it calls are here, on nothing: memory
//! is a number that counts up. Everything else of it is as it comes, with its default block sizes.
#![expect(
    unsafe_code,
    reason = "hands Vulkan functions of our own to a crate that calls them"
)]

use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk;
use ash::vk::Handle as _;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings, MemoryLocation};

use millpond_replay::fast_map::FastMap;
use millpond_replay::policies::per_stream::Arena;

const ALIGN: u64 = 512;
/// Room between two pieces of device memory: no block is larger than 64 GiB.
const MEMORY_SHIFT: u32 = 36;

unsafe extern "system" fn properties(
    _device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    let mut plain = vk::PhysicalDeviceProperties::default();
    plain.limits.buffer_image_granularity = 1;
    // SAFETY: Vulkan's caller passes a place to write to.
    unsafe { properties.write(plain) };
}

unsafe extern "system" fn memory_properties(
    _device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceMemoryProperties,
) {
    let mut one = vk::PhysicalDeviceMemoryProperties {
        memory_type_count: 1,
        memory_heap_count: 1,
        ..Default::default()
    };
    one.memory_types[0].property_flags = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    one.memory_heaps[0] = vk::MemoryHeap {
        size: 1 << 40,
        flags: vk::MemoryHeapFlags::DEVICE_LOCAL,
    };
    // SAFETY: Vulkan's caller passes a place to write to.
    unsafe { properties.write(one) };
}

unsafe extern "system" fn allocate_memory(
    _device: vk::Device,
    _info: *const vk::MemoryAllocateInfo<'_>,
    _callbacks: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = vk::DeviceMemory::from_raw(NEXT.fetch_add(1, Ordering::Relaxed));
    // SAFETY: Vulkan's caller passes a place to write to.
    unsafe { memory.write(next) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_memory(
    _device: vk::Device,
    _memory: vk::DeviceMemory,
    _callbacks: *const vk::AllocationCallbacks<'_>,
) {
}

/// The function of that name; what is not here is never called, and would panic.
fn function(name: &CStr) -> *const c_void {
    let about: vk::PFN_vkGetPhysicalDeviceProperties = properties;
    let memory: vk::PFN_vkGetPhysicalDeviceMemoryProperties = memory_properties;
    let allocate: vk::PFN_vkAllocateMemory = allocate_memory;
    let free: vk::PFN_vkFreeMemory = free_memory;
    match name.to_bytes() {
        b"vkGetPhysicalDeviceProperties" => about as *const c_void,
        b"vkGetPhysicalDeviceMemoryProperties" => memory as *const c_void,
        b"vkAllocateMemory" => allocate as *const c_void,
        b"vkFreeMemory" => free as *const c_void,
        _ => null(),
    }
}

/// The crate's allocator.
pub(crate) fn allocator() -> Result<Allocator, String> {
    // SAFETY: the functions have the types that Vulkan gives these names, and look at no handle.
    let instance = unsafe { ash::Instance::load_with(function, vk::Instance::from_raw(1)) };
    // SAFETY: as above.
    let device = unsafe { ash::Device::load_with(function, vk::Device::from_raw(1)) };
    let mut debug_settings = AllocatorDebugSettings::default();
    // Blocks that are live at the end of a trace are none.
    debug_settings.log_leaks_on_shutdown = false;
    let description = AllocatorCreateDesc {
        instance,
        device,
        physical_device: vk::PhysicalDevice::from_raw(1),
        debug_settings,
        buffer_device_address: false,
        allocation_sizes: AllocationSizes::default(),
    };
    Allocator::new(&description).map_err(|error| format!("gpu-allocator: {error}"))
}

/// What a request is called there.
#[inline]
pub(crate) fn request(bytes: u64) -> AllocationCreateDesc<'static> {
    AllocationCreateDesc {
        name: "block",
        requirements: vk::MemoryRequirements {
            size: bytes,
            alignment: ALIGN,
            memory_type_bits: 1,
        },
        location: MemoryLocation::GpuOnly,
        linear: true,
        allocation_scheme: AllocationScheme::GpuAllocatorManaged,
    }
}

pub(crate) struct Gpu {
    allocator: Allocator,
    live: FastMap<Allocation>,
    /// Pieces of device memory are numbered from 0 in each arena.
    memories: FastMap<u64>,
}

impl Arena for Gpu {
    fn new() -> Result<Self, String> {
        Ok(Self {
            allocator: allocator()?,
            live: FastMap::default(),
            memories: FastMap::default(),
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let block = self.allocator.allocate(&request(bytes)).ok()?;
        // SAFETY: the handle is only used as a number.
        let memory = unsafe { block.memory() }.as_raw();
        let next = self.memories.len() as u64;
        let memory = *self.memories.entry(memory).or_insert(next);
        let start = (memory << MEMORY_SHIFT) + block.offset();
        self.live.insert(start, block);
        Some(start)
    }

    fn free(&mut self, start: u64) {
        if let Some(block) = self.live.remove(&start) {
            // It fails for blocks of another allocator only.
            drop(self.allocator.free(block));
        }
    }

    fn reserved(&self) -> u64 {
        self.allocator.capacity()
    }
}
