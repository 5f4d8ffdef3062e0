/*
 * What torch.cuda.memory._record_memory_history keeps: the latest moments of the allocator, and the call stacks of live blocks.
 *
 * Nothing is kept, and nothing costs more than one test of a flag, until somebody asks for it.
 */
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/ApproximateClock.h>

#include "version.h"

namespace millpond {

namespace native = c10::cuda::CUDACachingAllocator;

using Stack = std::shared_ptr<c10::GatheredContext>;
using Annotation = decltype(native::SnapshotInfo::external_annotations)::value_type;

/* One moment, before it becomes PyTorch's entry. */
struct Moment {
    native::TraceEntry::Action action;
    c10::DeviceIndex device;
    size_t address;
    size_t bytes;
    void *stream;
    c10::MempoolId_t pool;
};

class History {
public:
    void configure(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear,
        const std::vector<std::string> &skipped);
    void track(native::AllocatorTraceTracker tracker);
    bool enabled() const { return enabled_.load(std::memory_order_relaxed); }

    /* Whether anybody wants moments: the fast paths test only this. */
    bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

    void allocated(const Moment &moment);
    void freed(const Moment &moment);
    void note(const Moment &moment);
    void annotate(c10::DeviceIndex device, const std::vector<std::pair<std::string, std::string>> &pairs);

    /* The stack of the allocation of a live block; empty if it is not known. */
    Stack stack(size_t address) const;
    /* Moments per device and annotations, with times as PyTorch's tools expect them. */
    void write(native::SnapshotInfo &snapshot, size_t devices, c10::MempoolId_t pool) const;

    /* Texts of the calling thread that go into its moments. */
    static std::vector<std::string> &compiling();
    static std::string &metadata();

private:
    Stack gather(native::RecordContext least) const;
    void add(const Moment &moment, Stack stack);

    std::atomic<bool> wanted_{false};
    std::atomic<bool> enabled_{false};
    mutable std::mutex mutex_;
    native::CreateContextFn stacks_ = nullptr;
    native::RecordContext when_ = native::RecordContext::NEVER;
    size_t most_ = 1;
    std::unordered_set<int> skipped_;
    std::vector<native::AllocatorTraceTracker> trackers_;
    std::deque<native::TraceEntry> entries_;
    std::deque<Annotation> annotations_;
    std::unordered_map<size_t, Stack> live_;
    /* Made when it is first needed: it measures the clock for a moment. */
    std::unique_ptr<c10::ApproximateClockToUnixTimeConverter> clock_;
};

} // namespace millpond
