#include "allocator.h"

#include <algorithm>
#include <sstream>

#include <c10/core/impl/GPUTrace.h>
#if MILLPOND_TORCH >= 210
#include <c10/cuda/CUDAAllocatorConfig.h>
#endif

namespace millpond {

namespace {

c10::CachingAllocator::Stat stat(const millpondCudaStat &from)
{
    c10::CachingAllocator::Stat to;
    to.current = from.current;
    to.peak = from.peak;
    to.allocated = from.allocated;
    to.freed = from.freed;
    return to;
}

/* PyTorch splits its statistics between a pool for small blocks and one for large ones. Here is one pool, shown as the large one. */
void set(c10::CachingAllocator::StatArray &to, const millpondCudaStat &from)
{
    to[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)] = stat(from);
    to[static_cast<size_t>(c10::CachingAllocator::StatType::LARGE_POOL)] = stat(from);
}

millpondCudaStatistics statistics_of(c10::DeviceIndex device)
{
    millpondCudaStatistics all{};
    all.struct_size = sizeof all;
    int code = millpondCudaDeviceStats(device, &all);
    /* A device that was not used has no pool, and zeros. */
    if (code != 0) {
        all = millpondCudaStatistics{};
    }
    return all;
}

std::string gib(uint64_t bytes)
{
    return c10::CachingAllocator::format_size(bytes);
}

int pass_on(void *user, const millpondCudaNews *news)
{
    return static_cast<Allocator *>(user)->heard(*news);
}

std::pair<size_t, size_t> memory_of(c10::DeviceIndex device)
{
    c10::cuda::CUDAGuard guard(device);
    size_t free = 0;
    size_t total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return {free, total};
}

} // namespace

Allocator::Allocator(const Settings &settings) : settings_(settings)
{
#if MILLPOND_TORCH >= 210
    /* The one setting of PYTORCH_ALLOC_CONF that is not about how PyTorch's own allocator works. */
    for (Device &device : device_) {
        device.fraction = native::CUDAAllocatorConfig::per_process_memory_fraction();
    }
#endif
    TORCH_CHECK(millpondCudaListen(pass_on, this) == 0, millpondCudaMessage());
}

void Allocator::init(int devices)
{
    TORCH_CHECK(devices >= 0 && static_cast<size_t>(devices) <= device_.size(), "Millpond's pool supports ", device_.size(),
        " devices; PyTorch reports ", devices);
    if (settings_.watches) {
        TORCH_CHECK(millpondCudaWatch(nullptr) == 0, millpondCudaMessage());
    }
    devices_.store(static_cast<uint64_t>(devices), std::memory_order_release);
}

bool Allocator::initialized()
{
    return devices() > 0;
}

std::string Allocator::name()
{
    return "millpond";
}

Allocator::Device &Allocator::at(c10::DeviceIndex device)
{
    TORCH_CHECK(device >= 0 && static_cast<uint64_t>(device) < devices(), "invalid device ", static_cast<int>(device), ": there are ",
        devices(), " CUDA devices, and torch.cuda.init() must have been called");
    return device_[static_cast<size_t>(device)];
}

/* ---- Blocks ---- */

/* The pool that every stream of the device uses unless it is routed elsewhere. */
millpondCudaPool *Allocator::own(Device &here, c10::DeviceIndex device)
{
    millpondCudaPool *pool = here.pool.load(std::memory_order_acquire);
    if (pool == nullptr) {
        /* Threads that come here at once get the same pool. */
        int code = millpondCudaDefault(device, &settings_.options, &pool);
        TORCH_CHECK(code == 0, millpondCudaMessage());
        apply_limit(device);
        here.pool.store(pool, std::memory_order_release);
    }
    return pool;
}

millpondCudaPool *Allocator::choose(Device &here, c10::DeviceIndex device, cudaStream_t stream)
{
    std::vector<std::shared_ptr<const Route>> routes;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        routes = here.routes;
    }
    for (const auto &route : routes) {
        if (route->takes(stream)) {
            return route->pool;
        }
    }
    return own(here, device);
}

void *Allocator::take(c10::DeviceIndex device, size_t bytes, cudaStream_t stream)
{
    Device &here = at(device);
    millpondCudaPool *pool = here.pool.load(std::memory_order_acquire);
    if (C10_UNLIKELY(pool == nullptr || here.routed.load(std::memory_order_relaxed) != 0)) {
        pool = choose(here, device, stream);
    }
    void *block = millpondCudaAlloc(pool, bytes, stream);
    if (C10_UNLIKELY(block == nullptr)) {
        block = help(here, device, bytes, stream);
    }
    handed_out(device, pool, block, bytes, stream);
    return block;
}

/* After the library refused: the program's pools that may help, or the error. */
void *Allocator::help(Device &here, c10::DeviceIndex device, size_t bytes, cudaStream_t stream)
{
    int code = millpondCudaCode();
    std::string why = millpondCudaMessage();
    if (code == MILLPOND_CUDA_NO_MEMORY) {
        std::vector<millpondCudaPool *> helpers;
        {
            std::lock_guard<std::mutex> guard(here.mutex);
            for (const auto &entry : here.pools) {
                if (entry.second.helps_on_shortage) {
                    helpers.push_back(entry.second.pool);
                }
            }
        }
        for (millpondCudaPool *pool : helpers) {
            void *block = millpondCudaAlloc(pool, bytes, stream);
            if (block != nullptr) {
                return block;
            }
        }
    }
    fail(device, bytes, code, why);
}

void Allocator::fail(c10::DeviceIndex device, size_t bytes, int code, const std::string &why)
{
    TORCH_CHECK(code == MILLPOND_CUDA_NO_MEMORY, "allocating ", gib(bytes), " of CUDA memory on device ", static_cast<int>(device),
        " failed: ", why);
    auto memory = memory_of(device);
    auto all = statistics_of(device);
    if (history_.wanted()) {
        history_.note({native::TraceEntry::OOM, device, memory.first, bytes, nullptr, {0, 0}});
    }
    std::vector<native::OutOfMemoryObserver> observers;
    {
        std::lock_guard<std::mutex> guard(observers_mutex_);
        observers = observers_;
    }
    for (const auto &observer : observers) {
        observer(device, bytes, memory.second, memory.first);
    }
    c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(bytes), static_cast<size_t>(all.used_bytes.current),
        static_cast<size_t>(all.reserved_bytes.current), c10::Device(c10::kCUDA, device));
    std::ostringstream limit;
    if (all.limit_bytes != UINT64_MAX && all.limit_bytes != 0) {
        limit << "This process may hold " << gib(all.limit_bytes) << " of it. ";
    }
    /* Programs look for the first four words. */
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", gib(bytes), ". GPU ",
        static_cast<int>(device), " has a total capacity of ", gib(memory.second), " of which ", gib(memory.first), " is free. ",
        limit.str(), "Millpond's pool holds ", gib(static_cast<uint64_t>(all.reserved_bytes.current)), ", of which ",
        gib(static_cast<uint64_t>(all.used_bytes.current)), " is in use and ",
        gib(static_cast<uint64_t>(all.active_bytes.current - all.used_bytes.current)),
        " was freed but may still be used by another stream. ", why);
}

/* Tells whoever listens of a block that the library gave. */
void Allocator::handed_out(c10::DeviceIndex device, millpondCudaPool *pool, void *block, size_t bytes, cudaStream_t stream)
{
    if (C10_UNLIKELY(history_.wanted() || c10::memoryProfilingEnabled())) {
        took(device, pool, block, bytes, stream);
    }
    const c10::impl::PyInterpreter *python = c10::impl::GPUTrace::get_trace();
    if (C10_UNLIKELY(python != nullptr)) {
        (*python)->trace_gpu_memory_allocation(c10::kCUDA, reinterpret_cast<uintptr_t>(block));
    }
}

/* The same before a block is freed. */
void Allocator::taking_back(void *block)
{
    if (C10_UNLIKELY(history_.wanted() || sharing_.any() || c10::memoryProfilingEnabled())) {
        before_free(block);
    }
    const c10::impl::PyInterpreter *python = c10::impl::GPUTrace::get_trace();
    if (C10_UNLIKELY(python != nullptr)) {
        (*python)->trace_gpu_memory_deallocation(c10::kCUDA, reinterpret_cast<uintptr_t>(block));
    }
}

void Allocator::took(c10::DeviceIndex device, millpondCudaPool *pool, void *block, size_t bytes, cudaStream_t stream)
{
    if (history_.wanted()) {
        history_.allocated({native::TraceEntry::ALLOC, device, reinterpret_cast<size_t>(block), bytes, stream, id_of(device, pool)});
    }
    if (c10::memoryProfilingEnabled()) {
        auto all = statistics_of(device);
        c10::reportMemoryUsageToProfiler(block, static_cast<int64_t>((bytes + 511) / 512 * 512),
            static_cast<size_t>(all.used_bytes.current), static_cast<size_t>(all.reserved_bytes.current),
            c10::Device(c10::kCUDA, device));
    }
}

void Allocator::before_free(void *block)
{
    millpondCudaBlock found{};
    found.struct_size = sizeof found;
    if (millpondCudaFind(block, &found) != 0 || found.address != block) {
        return;
    }
    sharing_.forget(block);
    auto device = static_cast<c10::DeviceIndex>(found.device);
    if (history_.wanted()) {
        history_.freed({native::TraceEntry::FREE_REQUESTED, device, reinterpret_cast<size_t>(block), found.requested_bytes,
            found.stream, id_of(device, found.pool)});
    }
    if (c10::memoryProfilingEnabled()) {
        auto all = statistics_of(device);
        c10::reportMemoryUsageToProfiler(block, -static_cast<int64_t>(found.bytes),
            static_cast<size_t>(all.used_bytes.current) - found.bytes, static_cast<size_t>(all.reserved_bytes.current),
            c10::Device(c10::kCUDA, device));
    }
}

/* Frees a block whose owner cannot handle an error: a destructor. */
void Allocator::give(void *block)
{
    installed()->taking_back(block);
    int code = millpondCudaFree(block);
    /* A forked process drops the tensors of its parent, whose memory it cannot reach. */
    if (C10_UNLIKELY(code != 0 && code != MILLPOND_CUDA_FORKED)) {
        TORCH_WARN("freeing CUDA memory at ", block, " failed: ", millpondCudaMessage());
    }
}

c10::DataPtr Allocator::allocate(size_t bytes)
{
    constexpr size_t most = size_t{1} << 60;
    TORCH_CHECK_WITH(OutOfMemoryError, bytes < most, "CUDA out of memory. Tried to allocate more than 1EB memory.");
    c10::DeviceIndex device = here();
    void *block = nullptr;
    if (bytes != 0) {
        block = take(device, bytes, c10::cuda::getCurrentCUDAStream(device).stream());
    }
    return {block, block, &give, c10::Device(c10::kCUDA, device)};
}

c10::DeleterFnPtr Allocator::raw_deleter() const
{
    return &give;
}

void *Allocator::raw_alloc(size_t bytes)
{
    if (bytes == 0) {
        return nullptr;
    }
    c10::DeviceIndex device = here();
    return take(device, bytes, c10::cuda::getCurrentCUDAStream(device).stream());
}

void *Allocator::raw_alloc_with_stream(size_t bytes, cudaStream_t stream)
{
    return bytes == 0 ? nullptr : take(here(), bytes, stream);
}

void Allocator::raw_delete(void *block)
{
    if (block == nullptr) {
        return;
    }
    taking_back(block);
    int code = millpondCudaFree(block);
    TORCH_CHECK(code == 0 || code == MILLPOND_CUDA_FORKED, "invalid device pointer: ", block, ": ", millpondCudaMessage());
}

void Allocator::copy_data(void *to, const void *from, size_t bytes) const
{
    C10_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyKind::cudaMemcpyDeviceToDevice));
}

void Allocator::recordStream(const c10::DataPtr &data, c10::cuda::CUDAStream stream)
{
    /* Memory of others, such as that of another process, is none of ours to keep. */
    if (data.get() == nullptr || data.get_deleter() != &give) {
        return;
    }
    int code = millpondCudaRecordUseOn(data.get(), stream.device_index(), stream.stream());
    TORCH_CHECK(code == 0, "record_stream: ", millpondCudaMessage());
}

void *Allocator::getBaseAllocation(void *address, size_t *bytes)
{
    millpondCudaBlock found{};
    found.struct_size = sizeof found;
    TORCH_CHECK(millpondCudaFind(address, &found) == 0, "invalid device pointer: ", address, ": ", millpondCudaMessage());
    if (bytes != nullptr) {
        *bytes = found.bytes;
    }
    return found.address;
}

cudaError_t Allocator::memcpyAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes, cudaStream_t stream,
    bool peers)
{
    if (peers || toDevice == fromDevice) {
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
    }
    return cudaMemcpyPeerAsync(to, toDevice, from, fromDevice, bytes, stream);
}

void Allocator::enablePeerAccess(c10::DeviceIndex device, c10::DeviceIndex peer)
{
    TORCH_CHECK(millpondCudaAllowPeer(peer, device) == 0, "device ", static_cast<int>(device), " cannot access the memory of device ",
        static_cast<int>(peer), ": ", millpondCudaMessage());
    sharing_.let(device, peer);
    /* For memory that is not of the pool. */
    c10::cuda::CUDAGuard guard(device);
    cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
    } else {
        C10_CUDA_CHECK(code);
    }
}

/* ---- The whole ---- */

void Allocator::enable(bool value)
{
    TORCH_CHECK(value, "Millpond's pool cannot be switched off in a process that uses it: start the process without "
        "millpond.torch.enable()");
}

bool Allocator::isEnabled() const
{
    return true;
}

/* Waits for all work of a device, unless a capture forbids it. */
bool Allocator::synchronise(c10::DeviceIndex device)
{
    if (at(device).routed.load() != 0) {
        return false;
    }
    c10::cuda::CUDAGuard guard(device);
    uint64_t moment = millpondCudaNow();
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    millpondCudaDeviceSynchronized(device, moment);
    return true;
}

void Allocator::emptyCache(c10::MempoolId_t id)
{
    for (uint64_t index = 0; index < devices(); ++index) {
        auto device = static_cast<c10::DeviceIndex>(index);
        millpondCudaPool *pool = at(device).pool.load(std::memory_order_acquire);
        drop_unused(device);
        if (pool != nullptr && id == c10::MempoolId_t{0, 0}) {
            synchronise(device);
            TORCH_CHECK(millpondCudaTrim(pool, 0, nullptr) == 0, millpondCudaMessage());
        }
    }
}

/* Limits are set for a device before it is used, and kept until then. */
void Allocator::apply_limit(c10::DeviceIndex device)
{
    double fraction = at(device).fraction;
    uint64_t limit = settings_.limit;
    if (fraction < 1.0) {
        limit = std::min(limit, static_cast<uint64_t>(fraction * static_cast<double>(memory_of(device).second)));
    }
    TORCH_CHECK(millpondCudaSetLimit(device, limit) == 0, millpondCudaMessage());
}

double Allocator::getMemoryFraction(c10::DeviceIndex device)
{
    return at(device).fraction;
}

void Allocator::setMemoryFraction(double fraction, c10::DeviceIndex device)
{
    TORCH_CHECK(fraction >= 0 && fraction <= 1, "invalid fraction ", fraction, ": it must be between 0 and 1");
    at(device).fraction = fraction;
    own(at(device), device);
    apply_limit(device);
}

void Allocator::cacheInfo(c10::DeviceIndex device, size_t *largest)
{
    auto all = statistics_of(device);
    size_t free = memory_of(device).first;
    if (all.limit_bytes != UINT64_MAX && all.limit_bytes != 0) {
        uint64_t held = static_cast<uint64_t>(all.reserved_bytes.current);
        free = std::min<uint64_t>(free, all.limit_bytes > held ? all.limit_bytes - held : 0);
    }
    *largest = std::max({*largest, free, static_cast<size_t>(all.largest_free_bytes)});
}

c10::CachingDeviceAllocator::DeviceStats Allocator::getDeviceStats(c10::DeviceIndex device)
{
    at(device);
    auto all = statistics_of(device);
    c10::CachingDeviceAllocator::DeviceStats stats;
    set(stats.allocation, all.blocks);
    set(stats.segment, all.pages);
    set(stats.active, all.active_blocks);
    set(stats.inactive_split, all.split_blocks);
    set(stats.allocated_bytes, all.used_bytes);
    set(stats.reserved_bytes, all.reserved_bytes);
    set(stats.active_bytes, all.active_bytes);
    set(stats.inactive_split_bytes, all.split_bytes);
    set(stats.requested_bytes, all.requested_bytes);
    stats.num_alloc_retries = static_cast<int64_t>(all.retries);
    stats.num_ooms = static_cast<int64_t>(all.failures);
    stats.num_sync_all_streams = static_cast<int64_t>(all.waits);
    stats.num_device_alloc = static_cast<int64_t>(all.device_allocs);
    stats.num_device_free = static_cast<int64_t>(all.device_frees);
    /* Blocks of any size may be split. */
    stats.max_split_size = -1;
#if MILLPOND_TORCH >= 213
    std::map<c10::MempoolId_t, Private> pools;
    {
        std::lock_guard<std::mutex> guard(at(device).mutex);
        pools = at(device).pools;
    }
    for (const auto &entry : pools) {
        millpondCudaStatistics part{};
        part.struct_size = sizeof part;
        if (millpondCudaStats(entry.second.pool, &part) == 0) {
            set(stats.reserved_bytes_by_private_pools[entry.first], part.reserved_bytes);
        }
    }
#endif
    return stats;
}

void Allocator::resetAccumulatedStats(c10::DeviceIndex device)
{
    at(device);
    millpondCudaResetCounts(device);
}

void Allocator::resetPeakStats(c10::DeviceIndex device)
{
    at(device);
    millpondCudaResetPeaks(device);
}

void Allocator::attachOutOfMemoryObserver(native::OutOfMemoryObserver observer)
{
    std::lock_guard<std::mutex> guard(observers_mutex_);
    observers_.push_back(std::move(observer));
}

#if MILLPOND_TORCH >= 210
/* No segment grows: pages come one by one. */
std::vector<native::StreamSegmentSize> Allocator::getExpandableSegmentSizes(c10::DeviceIndex device)
{
    at(device);
    return {};
}
#endif

#if MILLPOND_TORCH >= 212
/* The policy that rejects requests in advance is one of PyTorch's own allocator, so there is never anything to observe. */
void Allocator::attachOomRejectionObserver(native::OomRejectionObserver)
{
}
#endif

/* ---- What the library reports ---- */

int Allocator::heard(const millpondCudaNews &news)
{
    auto device = static_cast<c10::DeviceIndex>(news.device);
    /* Nothing may be thrown through the library. */
    try {
        switch (news.moment) {
        case MILLPOND_CUDA_SHORTAGE: {
            bool freed = false;
            for (const auto &name : c10::FreeCudaMemoryCallbacksRegistry()->Keys()) {
                freed |= c10::FreeCudaMemoryCallbacksRegistry()->Create(name)->Execute();
            }
            freed |= drop_unused(device) != 0;
            return freed ? 1 : 0;
        }
        case MILLPOND_CUDA_MAPPED:
        case MILLPOND_CUDA_UNMAPPING:
            if (history_.wanted()) {
                auto action = news.moment == MILLPOND_CUDA_MAPPED ? native::TraceEntry::SEGMENT_MAP
                                                                  : native::TraceEntry::SEGMENT_UNMAP;
                history_.note({action, device, reinterpret_cast<size_t>(news.address), news.bytes, news.stream,
                    id_of(device, news.pool)});
            }
            return 0;
        default:
            return 0;
        }
    } catch (const std::exception &error) {
        TORCH_WARN("what runs when CUDA memory is short failed: ", error.what());
        return 0;
    }
}

} // namespace millpond
