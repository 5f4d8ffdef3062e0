/*
 * torch.cuda.memory_snapshot and _record_memory_history.
 */
#include "allocator.h"

namespace millpond {

namespace {

/* Builds PyTorch's segments from what the library visits. */
struct Painter {
    std::vector<millpondCudaBlock> blocks;

    static int visit(void *user, const millpondCudaBlock *block)
    {
        static_cast<Painter *>(user)->blocks.push_back(*block);
        return 0;
    }
};

void add(native::SegmentInfo &segment, const millpondCudaBlock &block, const History &history)
{
    native::BlockInfo info;
    info.size = block.bytes;
    info.requested_size = block.requested_bytes;
    info.allocated = block.state == MILLPOND_CUDA_LIVE;
    info.active = info.allocated || block.state == MILLPOND_CUDA_PENDING;
    if (info.allocated) {
        info.context_when_allocated = history.stack(reinterpret_cast<size_t>(block.address));
        segment.allocated_size += block.bytes;
        segment.requested_size += block.requested_bytes;
        if (segment.stream == nullptr) {
            segment.stream = static_cast<decltype(segment.stream)>(block.stream);
        }
    }
    if (info.active) {
        segment.active_size += block.bytes;
    }
    segment.blocks.push_back(std::move(info));
}

} // namespace

native::SnapshotInfo Allocator::picture(c10::MempoolId_t id, bool traces)
{
    native::SnapshotInfo snapshot{};
    const c10::MempoolId_t all = {0, 0};
    for (uint64_t index = 0; index < devices(); ++index) {
        auto device = static_cast<c10::DeviceIndex>(index);
        Device &here = at(device);
        std::vector<std::pair<c10::MempoolId_t, millpondCudaPool *>> pools;
        millpondCudaPool *main = here.pool.load(std::memory_order_acquire);
        if (main != nullptr && id == all) {
            pools.emplace_back(all, main);
        }
        {
            std::lock_guard<std::mutex> guard(here.mutex);
            for (const auto &entry : here.pools) {
                if (id == all || entry.first == id) {
                    pools.emplace_back(entry.first, entry.second.pool);
                }
            }
        }
        for (const auto &pool : pools) {
            Painter painter;
            TORCH_CHECK(millpondCudaVisit(pool.second, Painter::visit, &painter) == 0, millpondCudaMessage());
            for (const auto &block : painter.blocks) {
                if (block.state == MILLPOND_CUDA_SEGMENT) {
                    native::SegmentInfo segment;
                    segment.device = device;
                    segment.address = reinterpret_cast<size_t>(block.address);
                    segment.total_size = block.bytes;
                    segment.is_large = true;
                    segment.is_expandable = true;
                    segment.owner_private_pool_id = pool.first;
                    snapshot.segments.push_back(std::move(segment));
                } else if (!snapshot.segments.empty()) {
                    add(snapshot.segments.back(), block, history_);
                }
            }
        }
        if (traces && history_.enabled()) {
            history_.note({native::TraceEntry::SNAPSHOT, device, 0, 0, nullptr, {0, 0}});
        }
    }
    if (traces) {
        history_.write(snapshot, devices(), id);
    }
    snapshot.config_metadata.garbage_collection_threshold = 0;
    snapshot.config_metadata.max_split_size = SIZE_MAX;
    snapshot.config_metadata.last_allocator_settings = "backend:millpond";
    return snapshot;
}

#if MILLPOND_TORCH >= 211
native::SnapshotInfo Allocator::snapshot(c10::MempoolId_t id, bool traces)
{
    return picture(id, traces);
}

void Allocator::recordHistory(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear,
    const std::vector<std::string> &skipped)
{
    history_.configure(enabled, stacks, most, when, clear, skipped);
}
#else
native::SnapshotInfo Allocator::snapshot(c10::MempoolId_t id)
{
    return picture(id, true);
}

void Allocator::recordHistory(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear)
{
    history_.configure(enabled, stacks, most, when, clear, {});
}
#endif

bool Allocator::isHistoryEnabled()
{
    return history_.enabled();
}

void Allocator::recordAnnotation(const std::vector<std::pair<std::string, std::string>> &pairs)
{
    history_.annotate(c10::cuda::current_device(), pairs);
}

void Allocator::pushCompileContext(std::string &text)
{
    History::compiling().push_back(text);
}

void Allocator::popCompileContext()
{
    if (!History::compiling().empty()) {
        History::compiling().pop_back();
    }
}

#if MILLPOND_TORCH >= 210
void Allocator::setUserMetadata(const std::string &text)
{
    History::metadata() = text;
}

std::string Allocator::getUserMetadata()
{
    return History::metadata();
}
#endif

#if MILLPOND_TORCH >= 212
Stack Allocator::getContextForPointer(const void *address)
{
    return history_.stack(reinterpret_cast<size_t>(address));
}
#endif

#if MILLPOND_TORCH >= 214
bool Allocator::supportsUserMetadata()
{
    return true;
}
#endif

void Allocator::attachAllocatorTraceTracker(native::AllocatorTraceTracker tracker)
{
    history_.track(std::move(tracker));
}

} // namespace millpond
