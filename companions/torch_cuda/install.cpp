/*
 * What millpond.torch calls, with ctypes. Nothing is thrown: a function returns NULL, or the text of what went wrong, which
 * lives until the next call on the thread.
 */
#include "allocator.h"

#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <chrono>
#include <condition_variable>
#include <future>

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

/* The sizes of a thread that allocates and frees: 512 bytes to 4 MiB, in an order that differs between threads. */
class Mix {
public:
    Mix(size_t thread, c10::DeviceIndex device)
        : state_(thread + 1), guard_(c10::cuda::getStreamFromPool(false, device)), live_(1000)
    {
        for (auto &block : live_) {
            block = allocator_->raw_alloc(size());
        }
    }

    ~Mix()
    {
        for (void *block : live_) {
            if (block != nullptr) {
                allocator_->raw_delete(block);
            }
        }
    }

    /* Frees a block and allocates another, this many times. */
    void run(size_t steps)
    {
        for (size_t step = 0; step < steps; ++step) {
            void *&block = live_[next() % live_.size()];
            allocator_->raw_delete(block);
            block = nullptr; /* the next line may throw */
            block = allocator_->raw_alloc(size());
        }
    }

private:
    uint64_t next()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 33;
    }

    size_t size() { return size_t{512} << next() % 14; }

    uint64_t state_;
    c10::cuda::CUDAStreamGuard guard_;
    c10::cuda::CUDACachingAllocator::CUDAAllocator *allocator_ = c10::cuda::CUDACachingAllocator::get();
    std::vector<void *> live_;
};

/* Threads that begin to count together. */
class Start {
public:
    explicit Start(size_t threads) : missing_(threads) {}

    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (--missing_ == 0) {
            all_.notify_all();
        }
        all_.wait(lock, [this] { return missing_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    size_t missing_;
};

/* What one thread of `time_threads` does: nanoseconds of an operation, or an error. */
double time_of_thread(size_t thread, size_t steps, c10::DeviceIndex device, Start &start)
{
    std::unique_ptr<Mix> mix;
    std::exception_ptr failed;
    try {
        c10::cuda::set_device(device);
        mix = std::make_unique<Mix>(thread, device);
        /* The first quarter fills caches and does not count. */
        mix->run(steps / 4);
    } catch (...) {
        failed = std::current_exception();
    }
    start.wait();
    if (failed) {
        std::rethrow_exception(failed);
    }
    auto begun = std::chrono::steady_clock::now();
    mix->run(steps);
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begun;
    return spent.count() / (2.0 * static_cast<double>(steps));
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
        TORCH_CHECK(before->name() != "pluggable",
            "PyTorch already uses another allocator: do not call torch.cuda.memory.change_current_allocator() in this process");
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

/* Nanoseconds of an allocation or a free inside PyTorch while this many threads do so at once, each on a stream of its own with a
 * thousand live blocks of mixed sizes: the mean over the threads. */
__attribute__((visibility("default"))) const char *millpond_torch_time_threads(size_t threads, size_t steps, double *nanoseconds)
{
    using namespace millpond;
    return guarded([&] {
        TORCH_CHECK(threads >= 1 && threads <= 32 && steps >= 1, "1 to 32 threads, which is how many streams PyTorch has, and steps");
        auto device = c10::cuda::current_device();
        Start start(threads);
        std::vector<std::future<double>> running;
        for (size_t thread = 0; thread < threads; ++thread) {
            running.push_back(std::async(std::launch::async, time_of_thread, thread, steps, device, std::ref(start)));
        }
        double sum = 0;
        for (auto &each : running) {
            sum += each.get();
        }
        *nanoseconds = sum / static_cast<double>(threads);
    });
}

} // extern "C"
