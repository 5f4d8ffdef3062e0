/*
 * Millpond's pool as PyTorch's allocator of CUDA memory.
 *
 * A class of PyTorch's own interface, compiled against the PyTorch that is installed, because that interface is C++ and differs
 * between versions. All memory comes from libmillpond_plugin.so (millpond/cuda.h), which knows nothing of PyTorch. What is here
 * is what PyTorch keeps beside memory: private pools and which streams use them, the history for memory snapshots,
 * observers, and sharing between processes.
 *
 * A method does what PyTorch's own allocator does, or throws an error that says what does not work and what to do. No lock
 * of this class is held while the library, CUDA, or a function of the program is called.
 */
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <millpond/cuda.h>

#include "history.h"
#include "sharing.h"
#include "version.h"

namespace millpond {

/* How the pool of every device is made. */
struct Settings {
    millpondCudaOptions options{};
    /* The most bytes that each device may hold; UINT64_MAX for no limit. */
    uint64_t limit = UINT64_MAX;
    /* Whether the library sees events, waits and captures by itself. */
    bool watches = true;
};

class Allocator final : public native::CUDAAllocator {
public:
    explicit Allocator(const Settings &settings);

    /* Blocks: allocator.cpp. */
    c10::DataPtr allocate(size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void *raw_alloc(size_t bytes) override;
    void *raw_alloc_with_stream(size_t bytes, cudaStream_t stream) override;
    void raw_delete(void *block) override;
    void copy_data(void *to, const void *from, size_t bytes) const override;
    using native::CUDAAllocator::recordStream;
    void recordStream(const c10::DataPtr &data, c10::cuda::CUDAStream stream) override;
    void *getBaseAllocation(void *address, size_t *bytes) override;
    cudaError_t memcpyAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes, cudaStream_t stream,
        bool peers) override;
    void enablePeerAccess(c10::DeviceIndex device, c10::DeviceIndex peer) override;

    /* The whole: allocator.cpp. */
    void init(int devices) override;
    bool initialized() override;
    std::string name() override;
    void enable(bool value) override;
    bool isEnabled() const override;
    void emptyCache(c10::MempoolId_t id = {0, 0}) override;
    double getMemoryFraction(c10::DeviceIndex device) override;
    void setMemoryFraction(double fraction, c10::DeviceIndex device) override;
    void cacheInfo(c10::DeviceIndex device, size_t *largest) override;
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override;
    void resetAccumulatedStats(c10::DeviceIndex device) override;
    void resetPeakStats(c10::DeviceIndex device) override;
    void attachOutOfMemoryObserver(native::OutOfMemoryObserver observer) override;
#if MILLPOND_TORCH >= 210
    std::vector<native::StreamSegmentSize> getExpandableSegmentSizes(c10::DeviceIndex device) override;
#endif
#if MILLPOND_TORCH >= 212
    void attachOomRejectionObserver(native::OomRejectionObserver observer) override;
#endif

    /* Private pools, captures and checkpoints: pools.cpp. */
    void createOrIncrefPool(c10::DeviceIndex device, c10::MempoolId_t id, MILLPOND_POOL_ALLOCATOR allocator = nullptr) override;
    void beginAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t id, std::function<bool(cudaStream_t)> takes) override;
    void endAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t id) override;
    void releasePool(c10::DeviceIndex device, c10::MempoolId_t id) override;
    int getPoolUseCount(c10::DeviceIndex device, c10::MempoolId_t id) override;
#if MILLPOND_TORCH >= 211
    void setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t id, bool use) override;
#else
    void setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t id) override;
#endif
#if MILLPOND_TORCH >= 210
    void setNoSplit(c10::DeviceIndex device, c10::MempoolId_t id) override;
#endif
#if MILLPOND_TORCH >= 213
    void markCaptureBegin(c10::DeviceIndex device) override;
    void markCaptureEnd(c10::DeviceIndex device) override;
    c10::DataPtr allocateWithAddress(size_t bytes, void *address) override;
#endif
    bool checkPoolLiveAllocations(c10::DeviceIndex device, c10::MempoolId_t id,
        const std::unordered_set<void *> &expected) override;
    std::shared_ptr<native::AllocatorState> getCheckpointState(c10::DeviceIndex device, c10::MempoolId_t id) override;
    native::CheckpointDelta setCheckpointPoolState(c10::DeviceIndex device,
        std::shared_ptr<native::AllocatorState> state) override;

    /* History and snapshots: snapshot.cpp. */
#if MILLPOND_TORCH >= 211
    native::SnapshotInfo snapshot(c10::MempoolId_t id = {0, 0}, bool traces = true) override;
    void recordHistory(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear,
        const std::vector<std::string> &skipped) override;
#else
    native::SnapshotInfo snapshot(c10::MempoolId_t id = {0, 0}) override;
    void recordHistory(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear) override;
#endif
    bool isHistoryEnabled() override;
    void recordAnnotation(const std::vector<std::pair<std::string, std::string>> &pairs) override;
    void pushCompileContext(std::string &text) override;
    void popCompileContext() override;
#if MILLPOND_TORCH >= 210
    void setUserMetadata(const std::string &text) override;
    std::string getUserMetadata() override;
#endif
#if MILLPOND_TORCH >= 212
    Stack getContextForPointer(const void *address) override;
#endif
#if MILLPOND_TORCH >= 214
    bool supportsUserMetadata() override;
#endif
    void attachAllocatorTraceTracker(native::AllocatorTraceTracker tracker) override;

    /* Other processes: sharing.cpp. */
    native::ShareableHandle shareIpcHandle(void *address) override;
    std::shared_ptr<void> getIpcDevPtr(std::string handle) override;

    /* What the library reports: shortage, failure, pages that come and go. */
    int heard(const millpondCudaNews &news);
    /* How many devices there are; 0 before init. */
    uint64_t devices() const { return devices_.load(std::memory_order_acquire); }

private:
    /* A pool of the program or of a graph. */
    struct Private {
        millpondCudaPool *pool = nullptr;
        /* How many graphs and MemPools hold it; without any, its memory may go back. */
        int users = 0;
        bool helps_on_shortage = false;
    };
    /* Allocations of the streams that it takes go to a private pool. */
    struct Route {
        c10::MempoolId_t id;
        millpondCudaPool *pool;
        std::function<bool(cudaStream_t)> takes;
    };
    struct Device {
        std::atomic<millpondCudaPool *> pool{nullptr};
        std::atomic<unsigned> routed{0};
        std::mutex mutex;
        std::vector<std::shared_ptr<const Route>> routes;
        std::map<c10::MempoolId_t, Private> pools;
        double fraction = 1.0;
    };

    /* The device of the calling thread. With one device there is no need to ask CUDA. */
    c10::DeviceIndex here() const { return devices() == 1 ? c10::DeviceIndex{0} : c10::cuda::current_device(); }
    Device &at(c10::DeviceIndex device);
    void *take(c10::DeviceIndex device, size_t bytes, cudaStream_t stream);
    millpondCudaPool *choose(Device &here, c10::DeviceIndex device, cudaStream_t stream);
    millpondCudaPool *own(Device &here, c10::DeviceIndex device);
    void *help(Device &here, c10::DeviceIndex device, size_t bytes, cudaStream_t stream);
    [[noreturn]] void fail(c10::DeviceIndex device, size_t bytes, int code, const std::string &why);
    void apply_limit(c10::DeviceIndex device);
    void handed_out(c10::DeviceIndex device, millpondCudaPool *pool, void *block, size_t bytes, cudaStream_t stream);
    void taking_back(void *block);
    void took(c10::DeviceIndex device, millpondCudaPool *pool, void *block, size_t bytes, cudaStream_t stream);
    void before_free(void *block);
    static void give(void *block);
    uint64_t drop_unused(c10::DeviceIndex device);
    bool synchronise(c10::DeviceIndex device);
    c10::MempoolId_t id_of(c10::DeviceIndex device, millpondCudaPool *pool);
    Private &find(Device &here, c10::MempoolId_t id);
    native::SnapshotInfo picture(c10::MempoolId_t id, bool traces);

    const Settings settings_;
    std::atomic<uint64_t> devices_{0};
    std::array<Device, C10_COMPILE_TIME_MAX_GPUS> device_;
    History history_;
    Sharing sharing_;
    std::mutex observers_mutex_;
    std::vector<native::OutOfMemoryObserver> observers_;
};

/* The one allocator of the process; NULL before it is installed. It lives as long as the process. */
Allocator *installed();

} // namespace millpond
