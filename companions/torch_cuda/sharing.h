/*
 * Blocks that other processes use: torch.multiprocessing.
 *
 * The pages of a block are exported as file descriptors. A handle is a text with the name of a socket of this process and a
 * number; whoever opens it connects, says the number, and receives the descriptors. Only processes of the same user get any.
 */
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>

namespace millpond {

class Opened;

class Sharing {
public:
    /* The handle of the block that contains an address; the same one each time. */
    c10::cuda::CUDACachingAllocator::ShareableHandle share(void *address);
    /* Maps a block of another process; it is unmapped when the last owner lets go. */
    std::shared_ptr<void> open(const std::string &handle, int device);
    /* Lets a device of this process access memory that was or will be opened on another one. */
    void let(int peer, int device);
    /* A block is freed: its descriptors are closed. */
    void forget(void *block);
    bool any() const { return any_.load(std::memory_order_relaxed); }

private:
    struct Shared {
        uint64_t number = 0;
        std::string handle;
        uint64_t page_bytes = 0;
        std::vector<int> descriptors;
    };

    static void export_pages(void *block, Shared &shared, uint64_t &offset);
    static void close_all(const Shared &shared);
    void serve_once();
    void serve(int socket);
    void answer(int peer);

    std::atomic<bool> any_{false};
    /* Of what is shared. The thread that answers takes it, so nobody may hold it while waiting for another process. */
    std::mutex mutex_;
    /* The name of the socket; empty until something is shared. A forked process needs one of its own. */
    std::string name_;
    int owner_ = 0;
    uint64_t last_ = 0;
    std::map<void *, Shared> shared_;
    /* Of what was opened. */
    std::mutex opened_mutex_;
    std::map<std::string, std::weak_ptr<void>> opened_;
    std::vector<std::weak_ptr<Opened>> mappings_;
    /* Pairs of a device and the device whose memory it may access. */
    std::vector<std::pair<int, int>> peers_;
};

} // namespace millpond
