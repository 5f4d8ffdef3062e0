/*
 * Private pools: torch.cuda.MemPool, and the memory of CUDA graphs.
 *
 * Each is a pool of the library with addresses and pages of its own, which stay where they are as long as anybody holds it,
 * because a graph uses addresses again that were freed while it was captured.
 */
#include "allocator.h"

#include <algorithm>

namespace millpond {

namespace {

/* The live blocks of a pool at one moment. */
struct Checkpoint final : native::AllocatorState {
    c10::MempoolId_t id;
    std::vector<millpondCudaBlock> blocks;
};

std::vector<millpondCudaBlock> live_blocks(millpondCudaPool *pool)
{
    std::vector<millpondCudaBlock> blocks;
    auto collect = [](void *user, const millpondCudaBlock *block) {
        if (block->state == MILLPOND_CUDA_LIVE) {
            static_cast<std::vector<millpondCudaBlock> *>(user)->push_back(*block);
        }
        return 0;
    };
    TORCH_CHECK(millpondCudaVisit(pool, collect, &blocks) == 0, millpondCudaMessage());
    return blocks;
}

std::string text(c10::MempoolId_t id)
{
    return "(" + std::to_string(id.first) + ", " + std::to_string(id.second) + ")";
}

} // namespace

/* The lock of the device is held. */
Allocator::Private &Allocator::find(Device &here, c10::MempoolId_t id)
{
    auto found = here.pools.find(id);
    TORCH_CHECK(found != here.pools.end(), "there is no private pool ", text(id), " on this device");
    return found->second;
}

c10::MempoolId_t Allocator::id_of(c10::DeviceIndex device, millpondCudaPool *pool)
{
    Device &here = at(device);
    if (pool == here.pool.load(std::memory_order_acquire)) {
        return {0, 0};
    }
    std::lock_guard<std::mutex> guard(here.mutex);
    for (const auto &entry : here.pools) {
        if (entry.second.pool == pool) {
            return entry.first;
        }
    }
    return {0, 0};
}

void Allocator::createOrIncrefPool(c10::DeviceIndex device, c10::MempoolId_t id, MILLPOND_POOL_ALLOCATOR allocator)
{
    TORCH_CHECK(allocator == nullptr, "Millpond's pool does not support torch.cuda.MemPool with an allocator of its own: pass none, or "
        "use PyTorch's allocator by starting without millpond.torch.enable()");
    Device &here = at(device);
    millpondCudaPool *held_again = nullptr;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        auto found = here.pools.find(id);
        if (found != here.pools.end()) {
            if (++found->second.users > 1) {
                return;
            }
            held_again = found->second.pool;
        }
    }
    if (held_again != nullptr) {
        millpondCudaKeep(held_again, 1);
        return;
    }
    /* The device's own pool first: its options and limits hold for all. */
    own(here, device);
    millpondCudaOptions options = settings_.options;
    options.flags |= MILLPOND_CUDA_KEEP;
    millpondCudaPool *pool = nullptr;
    TORCH_CHECK(millpondCudaCreate(device, &options, &pool) == 0, "a private pool of CUDA memory cannot be created: ",
        millpondCudaMessage());
    std::unique_lock<std::mutex> guard(here.mutex);
    Private &entry = here.pools[id];
    ++entry.users;
    if (entry.pool == nullptr) {
        entry.pool = pool;
    } else {
        /* Another thread was first. */
        guard.unlock();
        millpondCudaDestroy(pool);
    }
}

void Allocator::beginAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t id, std::function<bool(cudaStream_t)> takes)
{
    Device &here = at(device);
    /* Whoever routes allocations holds the pool; it is released after the end. */
    createOrIncrefPool(device, id);
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        Private &entry = find(here, id);
        for (const auto &route : here.routes) {
            TORCH_CHECK(route->id != id, "allocations go to the private pool ", text(id), " already");
        }
        here.routes.push_back(std::make_shared<const Route>(Route{id, entry.pool, std::move(takes)}));
        here.routed.fetch_add(1);
    }
    if (!settings_.watches && MILLPOND_TORCH < 213) {
        millpondCudaCapture(device, 1);
    }
}

void Allocator::endAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t id)
{
    Device &here = at(device);
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        auto found = std::find_if(here.routes.begin(), here.routes.end(), [&](const auto &route) { return route->id == id; });
        TORCH_CHECK(found != here.routes.end(), "no allocations go to the private pool ", text(id));
        here.routes.erase(found);
        here.routed.fetch_sub(1);
    }
    if (!settings_.watches && MILLPOND_TORCH < 213) {
        millpondCudaCapture(device, -1);
    }
}

#if MILLPOND_TORCH >= 213
void Allocator::markCaptureBegin(c10::DeviceIndex device)
{
    millpondCudaCapture(device, 1);
}

void Allocator::markCaptureEnd(c10::DeviceIndex device)
{
    millpondCudaCapture(device, -1);
}

c10::DataPtr Allocator::allocateWithAddress(size_t bytes, void *address)
{
    c10::DeviceIndex device = c10::cuda::current_device();
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device).stream();
    millpondCudaPool *pool = choose(at(device), device, stream);
    void *block = millpondCudaAllocAt(pool, bytes, stream, address);
    TORCH_CHECK(block != nullptr, "allocating ", bytes, " bytes at ", address, " failed: ", millpondCudaMessage());
    handed_out(device, pool, block, bytes, stream);
    return {block, block, raw_deleter(), c10::Device(c10::kCUDA, device)};
}
#endif

/* The memory stays until the cache is emptied or memory is short: replays that were started may still use it. */
void Allocator::releasePool(c10::DeviceIndex device, c10::MempoolId_t id)
{
    Device &here = at(device);
    std::lock_guard<std::mutex> guard(here.mutex);
    Private &entry = find(here, id);
    TORCH_CHECK(entry.users > 0, "the private pool ", text(id), " was released more often than it was created");
    if (--entry.users == 0) {
        entry.helps_on_shortage = false;
    }
}

/*
 * Private pools that nobody holds: those without a live block are destroyed; of the others, which snapshots still show, only idle pages
 * go back. Returns of how many memory went.
 */
uint64_t Allocator::drop_unused(c10::DeviceIndex device)
{
    Device &here = at(device);
    /* Before the synchronisation: the last replay of a pool that is released after it may still run. */
    std::vector<std::pair<c10::MempoolId_t, millpondCudaPool *>> unused;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        for (const auto &entry : here.pools) {
            if (entry.second.users == 0) {
                unused.emplace_back(entry.first, entry.second.pool);
            }
        }
    }
    if (unused.empty() || !synchronise(device)) {
        return 0;
    }
    uint64_t went = 0;
    for (const auto &each : unused) {
        millpondCudaPool *pool = each.second;
        const bool lives = !live_blocks(pool).empty();
        {
            std::lock_guard<std::mutex> guard(here.mutex);
            auto entry = here.pools.find(each.first);
            /* Somebody may hold it again, or another thread was faster. */
            if (entry == here.pools.end() || entry->second.pool != pool || entry->second.users != 0) {
                continue;
            }
            if (!lives) {
                here.pools.erase(entry);
            }
        }
        millpondCudaKeep(pool, 0);
        if (lives) {
            uint64_t returned = 0;
            millpondCudaTrim(pool, 0, &returned);
            went += returned != 0;
            if (getPoolUseCount(device, each.first) != 0) {
                millpondCudaKeep(pool, 1);
            }
        } else {
            TORCH_CHECK(millpondCudaDestroy(pool) == 0, millpondCudaMessage());
            ++went;
        }
    }
    return went;
}

int Allocator::getPoolUseCount(c10::DeviceIndex device, c10::MempoolId_t id)
{
    Device &here = at(device);
    std::lock_guard<std::mutex> guard(here.mutex);
    auto found = here.pools.find(id);
    return found == here.pools.end() ? 0 : found->second.users;
}

#if MILLPOND_TORCH >= 211
void Allocator::setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t id, bool use)
#else
void Allocator::setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t id)
#endif
{
#if MILLPOND_TORCH < 211
    const bool use = true;
#endif
    Device &here = at(device);
    std::lock_guard<std::mutex> guard(here.mutex);
    find(here, id).helps_on_shortage = use;
}

#if MILLPOND_TORCH >= 210
void Allocator::setNoSplit(c10::DeviceIndex, c10::MempoolId_t id)
{
    TORCH_CHECK(false, "Millpond's pool does not support no_split (private pool ", text(id),
        "): blocks of any size share pages. Leave it out, or use PyTorch's allocator by starting without millpond.torch.enable()");
}
#endif

bool Allocator::checkPoolLiveAllocations(c10::DeviceIndex device, c10::MempoolId_t id, const std::unordered_set<void *> &expected)
{
    Device &here = at(device);
    millpondCudaPool *pool;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        pool = find(here, id).pool;
    }
    auto blocks = live_blocks(pool);
    return blocks.size() == expected.size() &&
        std::all_of(blocks.begin(), blocks.end(), [&](const auto &block) { return expected.count(block.address) != 0; });
}

std::shared_ptr<native::AllocatorState> Allocator::getCheckpointState(c10::DeviceIndex device, c10::MempoolId_t id)
{
    Device &here = at(device);
    auto checkpoint = std::make_shared<Checkpoint>();
    checkpoint->id = id;
    millpondCudaPool *pool;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        pool = find(here, id).pool;
    }
    checkpoint->blocks = live_blocks(pool);
    return checkpoint;
}

/* Makes exactly the blocks live that were so at the checkpoint, at the same addresses. */
native::CheckpointDelta Allocator::setCheckpointPoolState(c10::DeviceIndex device, std::shared_ptr<native::AllocatorState> state)
{
    auto *checkpoint = dynamic_cast<Checkpoint *>(state.get());
    TORCH_CHECK(checkpoint != nullptr, "the checkpoint is not one of Millpond's pool");
    Device &here = at(device);
    millpondCudaPool *pool;
    {
        std::lock_guard<std::mutex> guard(here.mutex);
        pool = find(here, checkpoint->id).pool;
    }
    native::CheckpointDelta delta;
    for (const auto &block : live_blocks(pool)) {
        taking_back(block.address);
        TORCH_CHECK(millpondCudaFree(block.address) == 0, millpondCudaMessage());
        delta.ptrs_freed.push_back(block.address);
    }
    for (const auto &block : checkpoint->blocks) {
        void *again = millpondCudaAllocAt(pool, block.requested_bytes, block.stream, block.address);
        TORCH_CHECK(again == block.address, "the block of ", block.requested_bytes, " bytes at ", block.address,
            " of a checkpoint cannot be restored: ", millpondCudaMessage());
        handed_out(device, pool, again, block.requested_bytes, static_cast<cudaStream_t>(block.stream));
        delta.dataptrs_allocd.emplace_back(again, again, raw_deleter(), c10::Device(c10::kCUDA, device));
    }
    return delta;
}

} // namespace millpond
