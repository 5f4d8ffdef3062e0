/*
 * What millpond.torch calls, with ctypes. Nothing is thrown: a function returns NULL, or the text of what went wrong, which
 * lives until the next call on the thread.
 */
#include "allocator.h"

#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

namespace millpond {

namespace {

std::atomic<Allocator *> the_allocator{nullptr};

template <class Body> const char *guarded(Body body)
{
    thread_local std::string message;
    try {
        body();
        return nullptr;
    } catch (const c10::Error &error) {
        message = error.what_without_backtrace();
    } catch (const std::exception &error) {
        message = error.what();
    }
    return message.c_str();
}

/* Whether PyTorch's allocator has given out no memory, although it was initialised. */
bool unused(native::CUDAAllocator &allocator)
{
    for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
        const auto aggregate = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        auto stats = allocator.getDeviceStats(device);
        if (stats.reserved_bytes[aggregate].peak != 0 || stats.allocation[aggregate].allocated != 0) {
            return false;
        }
    }
    return true;
}

} // namespace

Allocator *installed()
{
    return the_allocator.load(std::memory_order_relaxed);
}

} // namespace millpond

extern "C" {

/* Makes PyTorch use the pool. options may be NULL; limit is in bytes, UINT64_MAX for none. */
__attribute__((visibility("default"))) const char *millpond_torch_install(const millpondCudaOptions *options, uint64_t limit,
    int watches)
{
    using namespace millpond;
    return guarded([&] {
        TORCH_CHECK(installed() == nullptr, "millpond.torch is enabled already");
        native::CUDAAllocator *before = native::get();
        bool initialised = before->initialized();
        TORCH_CHECK(!initialised || unused(*before),
            "CUDA memory was allocated before millpond.torch.enable() was called: call it before the first tensor on a GPU, best right "
            "after import torch");
        Settings settings;
        if (options != nullptr) {
            settings.options = *options;
        }
        settings.options.struct_size = sizeof settings.options;
        settings.limit = limit;
        settings.watches = watches != 0;
        /* Never destroyed: tensors may be freed while the process ends. */
        auto *made = new Allocator(settings);
        the_allocator.store(made);
        if (initialised) {
            /* PyTorch's own function refuses what is harmless here: nothing was allocated. */
            made->init(c10::cuda::device_count());
            native::allocator.store(made);
        } else {
            torch::cuda::CUDAPluggableAllocator::changeCurrentAllocator(
                std::shared_ptr<native::CUDAAllocator>(made, [](native::CUDAAllocator *) {}));
        }
        /* What torch.accelerator asks. */
        c10::SetAllocator(c10::kCUDA, made, 0);
    });
}

/* Whether PyTorch still uses the pool. */
__attribute__((visibility("default"))) int millpond_torch_installed(void)
{
    return millpond::installed() != nullptr && millpond::native::get() == millpond::installed() ? 1 : 0;
}

/* Nanoseconds that one allocation and its free take inside PyTorch, on the current stream: the mean of this many pairs. */
__attribute__((visibility("default"))) const char *millpond_torch_time_pairs(size_t bytes, size_t pairs, double *nanoseconds)
{
    return millpond::guarded([&] {
        auto *allocator = c10::cuda::CUDACachingAllocator::get();
        auto start = std::chrono::steady_clock::now();
        for (size_t pair = 0; pair < pairs; ++pair) {
            allocator->raw_delete(allocator->raw_alloc(bytes));
        }
        std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
        *nanoseconds = spent.count() / static_cast<double>(pairs);
    });
}

} // extern "C"
