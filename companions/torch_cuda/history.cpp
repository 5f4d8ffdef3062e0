#include "history.h"

namespace millpond {

namespace {

using Action = native::TraceEntry::Action;

int action(const std::string &name)
{
    static const std::unordered_map<std::string, int> actions = {
        {"alloc", Action::ALLOC},
        {"free_requested", Action::FREE_REQUESTED},
        {"free_completed", Action::FREE_COMPLETED},
        {"segment_alloc", Action::SEGMENT_ALLOC},
        {"segment_free", Action::SEGMENT_FREE},
        {"segment_map", Action::SEGMENT_MAP},
        {"segment_unmap", Action::SEGMENT_UNMAP},
        {"snapshot", Action::SNAPSHOT},
        {"oom", Action::OOM},
    };
    auto found = actions.find(name);
    TORCH_CHECK(found != actions.end(), "unknown action \"", name, "\" in skip_actions");
    return found->second;
}

native::TraceEntry entry(const Moment &moment, Stack stack)
{
    auto &compiling = History::compiling();
    return native::TraceEntry(moment.action, moment.device, moment.address, moment.bytes,
        static_cast<cudaStream_t>(moment.stream), moment.pool, c10::getApproximateTime(), std::move(stack),
        compiling.empty() ? std::string() : compiling.back()
#if MILLPOND_TORCH >= 210
        , History::metadata()
#endif
    );
}

} // namespace

std::vector<std::string> &History::compiling()
{
    thread_local std::vector<std::string> texts;
    return texts;
}

std::string &History::metadata()
{
    thread_local std::string text;
    return text;
}

void History::configure(bool enabled, native::CreateContextFn stacks, size_t most, native::RecordContext when, bool clear,
    const std::vector<std::string> &skipped)
{
    TORCH_CHECK(when == native::RecordContext::NEVER || stacks != nullptr, "call stacks were asked for, but nothing gathers them");
    std::unordered_set<int> actions;
    for (const auto &name : skipped) {
        actions.insert(action(name));
    }
    std::lock_guard<std::mutex> guard(mutex_);
    if (enabled && clock_ == nullptr) {
        clock_ = std::make_unique<c10::ApproximateClockToUnixTimeConverter>();
    }
    enabled_ = enabled;
    stacks_ = stacks;
    when_ = enabled ? when : native::RecordContext::NEVER;
    most_ = std::max<size_t>(1, most);
    skipped_ = std::move(actions);
    if (!enabled || clear) {
        entries_.clear();
        annotations_.clear();
    }
    if (!enabled) {
        live_.clear();
    }
    wanted_ = enabled || !trackers_.empty();
}

void History::track(native::AllocatorTraceTracker tracker)
{
    std::lock_guard<std::mutex> guard(mutex_);
    trackers_.push_back(std::move(tracker));
    wanted_ = true;
}

/* Stacks are gathered without the lock: gathering may need Python's lock, whose holder may be waiting for ours. */
Stack History::gather(native::RecordContext least) const
{
    native::CreateContextFn stacks = nullptr;
    {
        std::lock_guard<std::mutex> guard(mutex_);
        if (when_ >= least) {
            stacks = stacks_;
        }
    }
    return stacks == nullptr ? nullptr : stacks();
}

void History::add(const Moment &moment, Stack stack)
{
    std::vector<native::AllocatorTraceTracker> trackers;
    native::TraceEntry made = entry(moment, std::move(stack));
    {
        std::lock_guard<std::mutex> guard(mutex_);
        trackers = trackers_;
        if (enabled() && skipped_.count(moment.action) == 0) {
            entries_.push_back(made);
            while (entries_.size() > most_) {
                entries_.pop_front();
            }
        }
    }
    for (const auto &tracker : trackers) {
        tracker(made);
    }
}

void History::allocated(const Moment &moment)
{
    Stack stack = gather(native::RecordContext::STATE);
    bool keeps;
    {
        std::lock_guard<std::mutex> guard(mutex_);
        keeps = when_ >= native::RecordContext::ALLOC;
        if (stack != nullptr) {
            live_[moment.address] = stack;
        }
    }
    add(moment, keeps ? std::move(stack) : nullptr);
}

/* The end of a free is noted with its beginning: when another stream is done with a block is not seen here. */
void History::freed(const Moment &moment)
{
    Stack stack = gather(native::RecordContext::ALL);
    {
        std::lock_guard<std::mutex> guard(mutex_);
        live_.erase(moment.address);
    }
    add(moment, stack);
    Moment completed = moment;
    completed.action = Action::FREE_COMPLETED;
    add(completed, std::move(stack));
}

void History::note(const Moment &moment)
{
    add(moment, gather(native::RecordContext::ALLOC));
}

void History::annotate(c10::DeviceIndex device, const std::vector<std::pair<std::string, std::string>> &pairs)
{
    if (!enabled()) {
        return;
    }
    Annotation annotation(device, c10::getApproximateTime());
    for (const auto &pair : pairs) {
        annotation.recordUserMetadata(pair.first, pair.second);
    }
    std::lock_guard<std::mutex> guard(mutex_);
    annotations_.push_back(std::move(annotation));
    while (annotations_.size() > most_) {
        annotations_.pop_front();
    }
}

Stack History::stack(size_t address) const
{
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = live_.find(address);
    return found == live_.end() ? nullptr : found->second;
}

void History::write(native::SnapshotInfo &snapshot, size_t devices, c10::MempoolId_t pool) const
{
    std::lock_guard<std::mutex> guard(mutex_);
    snapshot.device_traces.resize(devices);
    if (clock_ == nullptr) {
        return;
    }
    auto nanoseconds = clock_->makeConverter();
    auto microseconds = [&](auto &time) { time.t_ = nanoseconds(time.approx_t_) / 1000; };
    const c10::MempoolId_t all = {0, 0};
    for (const auto &kept : entries_) {
        if ((pool == all || kept.mempool_ == pool) && static_cast<size_t>(kept.device_) < devices) {
            auto &trace = snapshot.device_traces[static_cast<size_t>(kept.device_)];
            trace.push_back(kept);
            microseconds(trace.back().time_);
        }
    }
    for (const auto &kept : annotations_) {
        snapshot.external_annotations.push_back(kept);
        microseconds(snapshot.external_annotations.back().time_);
    }
}

} // namespace millpond
