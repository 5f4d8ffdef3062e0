#include "sharing.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda.h>

#include <millpond/cuda.h>

#include "allocator.h"

namespace millpond {

namespace {

/* Linux passes at most 253 descriptors in a message. */
constexpr size_t AT_ONCE = 250;
constexpr const char *MARK = "millpond-1";

/* What a process asks for, and what it is told before the descriptors. */
struct Question {
    uint64_t number;
};
struct Reply {
    uint64_t count;
    uint64_t page_bytes;
};

/* The functions of the driver that this file needs, from the driver that the library uses. */
struct Driver {
    decltype(&cuMemExportToShareableHandle) export_handle;
    decltype(&cuMemImportFromShareableHandle) import_handle;
    decltype(&cuMemAddressReserve) reserve;
    decltype(&cuMemAddressFree) release_range;
    decltype(&cuMemMap) map;
    decltype(&cuMemUnmap) unmap;
    decltype(&cuMemSetAccess) set_access;
    decltype(&cuMemRelease) release;
    decltype(&cuGetErrorName) name;
    decltype(&cuGetErrorString) text;
};

const Driver &driver()
{
    static const Driver made = [] {
        const char *path = std::getenv("MILLPOND_CUDA_DRIVER");
        void *library = dlopen(path != nullptr && *path != '\0' ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        TORCH_CHECK(library != nullptr, "sharing CUDA memory needs the driver: ", dlerror());
        auto find = [&](auto &function, const char *symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
            TORCH_CHECK(function != nullptr, "the CUDA driver lacks ", symbol, ", which sharing memory needs");
        };
        Driver driver{};
        find(driver.export_handle, "cuMemExportToShareableHandle");
        find(driver.import_handle, "cuMemImportFromShareableHandle");
        find(driver.reserve, "cuMemAddressReserve");
        find(driver.release_range, "cuMemAddressFree");
        find(driver.map, "cuMemMap");
        find(driver.unmap, "cuMemUnmap");
        find(driver.set_access, "cuMemSetAccess");
        find(driver.release, "cuMemRelease");
        find(driver.name, "cuGetErrorName");
        find(driver.text, "cuGetErrorString");
        return driver;
    }();
    return made;
}

constexpr const char *FILES = ". Each page of the tensor needs a file descriptor: the limit of open files (ulimit -n) may be too low";
constexpr const char *UNSEEN =
    ". Start both processes with the same CUDA_VISIBLE_DEVICES: a GPU must have the same number in both to share its memory";

void check(CUresult code, const char *function, const char *advice = "")
{
    if (code != CUDA_SUCCESS) {
        const char *name = "?";
        const char *text = "?";
        (void)driver().name(code, &name);
        (void)driver().text(code, &text);
        TORCH_CHECK(false, function, " returned ", name, " (", static_cast<int>(code), "): ", text, advice);
    }
}

/* A file descriptor with an owner. */
struct Descriptor {
    int value = -1;
    Descriptor() = default;
    explicit Descriptor(int from) : value(from) {}
    Descriptor(Descriptor &&other) noexcept : value(other.value) { other.value = -1; }
    Descriptor &operator=(Descriptor &&) = delete;
    ~Descriptor()
    {
        if (value >= 0) {
            close(value);
        }
    }
};

/* The address of a socket without a file, by name. */
socklen_t address_of(const std::string &name, sockaddr_un &address)
{
    address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path + 1, name.data(), name.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

bool send_descriptors(int peer, const void *data, size_t bytes, const int *descriptors, size_t count)
{
    std::vector<char> control(CMSG_SPACE(count * sizeof(int)));
    iovec part{const_cast<void *>(data), bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    return sendmsg(peer, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

/* Receives one message of exactly this size; what came along is appended. */
bool receive(int peer, void *data, size_t bytes, std::vector<Descriptor> &descriptors)
{
    std::vector<char> control(CMSG_SPACE(AT_ONCE * sizeof(int)));
    iovec part{data, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = recvmsg(peer, &message, MSG_CMSG_CLOEXEC);
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t index = 0; index < count; ++index) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
                descriptors.emplace_back(descriptor);
            }
        }
    }
    return got == static_cast<ssize_t>(bytes) && (message.msg_flags & MSG_CTRUNC) == 0;
}

} // namespace

/* A block of another process, mapped here. */
class Opened {
public:
    Opened(int device, uint64_t page_bytes, std::vector<Descriptor> descriptors) : page_bytes_(page_bytes), device_(device)
    {
        try {
            check(driver().reserve(&start_, page_bytes * descriptors.size(), 0, 0, 0), "cuMemAddressReserve");
            reserved_ = page_bytes * descriptors.size();
            for (const auto &descriptor : descriptors) {
                CUmemGenericAllocationHandle handle;
                auto value = static_cast<uintptr_t>(descriptor.value);
                check(driver().import_handle(&handle, reinterpret_cast<void *>(value), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                    "cuMemImportFromShareableHandle", UNSEEN);
                CUresult code = driver().map(start_ + mapped_, page_bytes, 0, handle, 0);
                /* The mapping keeps the memory. */
                (void)driver().release(handle);
                check(code, "cuMemMap");
                mapped_ += page_bytes;
            }
            let(device);
        } catch (...) {
            clear();
            throw;
        }
    }
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;
    ~Opened()
    {
        /* Queued work may still use it. */
        try {
            c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device_));
            (void)cudaDeviceSynchronize();
        } catch (const std::exception &) {
            /* At the end of the process there may be no device left. */
        }
        clear();
    }
    void *start() const { return reinterpret_cast<void *>(start_); }
    int device() const { return device_; }
    /* Lets a device access the block. */
    void let(int device) const
    {
        CUmemAccessDesc access{};
        access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.location.id = device;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        check(driver().set_access(start_, mapped_, &access, 1), "cuMemSetAccess", UNSEEN);
    }

private:
    void clear()
    {
        if (mapped_ > 0) {
            (void)driver().unmap(start_, mapped_);
        }
        if (reserved_ > 0) {
            (void)driver().release_range(start_, reserved_);
        }
        mapped_ = reserved_ = 0;
    }

    CUdeviceptr start_ = 0;
    uint64_t page_bytes_;
    size_t reserved_ = 0;
    size_t mapped_ = 0;
    int device_;
};

/* ---- The process that has the memory ---- */

c10::cuda::CUDACachingAllocator::ShareableHandle Sharing::share(void *address)
{
    millpondCudaBlock block{};
    block.struct_size = sizeof block;
    TORCH_CHECK(millpondCudaFind(address, &block) == 0, "CUDA memory at ", address, " cannot be shared: ", millpondCudaMessage());
    ptrdiff_t inside = static_cast<char *>(address) - static_cast<char *>(block.address);
    {
        std::lock_guard<std::mutex> guard(mutex_);
        auto known = shared_.find(block.address);
        if (known != shared_.end()) {
            return {inside, known->second.handle};
        }
        serve_once();
    }
    Shared made;
    uint64_t offset = 0;
    export_pages(block.address, made, offset);
    std::lock_guard<std::mutex> guard(mutex_);
    auto entry = shared_.try_emplace(block.address);
    if (!entry.second) {
        /* Another thread was first. */
        close_all(made);
        return {inside, entry.first->second.handle};
    }
    entry.first->second = std::move(made);
    Shared &shared = entry.first->second;
    shared.number = ++last_;
    std::ostringstream text;
    text << MARK << ' ' << name_ << ' ' << shared.number << ' ' << offset;
    shared.handle = text.str();
    any_ = true;
    return {inside, shared.handle};
}

/* One descriptor for each page behind the block, and where in the first the block begins. */
void Sharing::export_pages(void *block, Shared &shared, uint64_t &offset)
{
    size_t count = 0;
    std::vector<uint64_t> pages(1);
    int code = millpondCudaPages(block, pages.data(), pages.size(), &count, &shared.page_bytes, &offset);
    if (code == 0 && count > pages.size()) {
        pages.resize(count);
        code = millpondCudaPages(block, pages.data(), pages.size(), &count, &shared.page_bytes, &offset);
    }
    TORCH_CHECK(code == 0, "CUDA memory at ", block, " cannot be shared: ", millpondCudaMessage());
    try {
        for (size_t index = 0; index < count; ++index) {
            int descriptor = -1;
            check(driver().export_handle(&descriptor, pages[index], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                "cuMemExportToShareableHandle", FILES);
            shared.descriptors.push_back(descriptor);
        }
    } catch (...) {
        close_all(shared);
        throw;
    }
}

void Sharing::close_all(const Shared &shared)
{
    for (int descriptor : shared.descriptors) {
        close(descriptor);
    }
}

void Sharing::forget(void *block)
{
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = shared_.find(block);
    if (found == shared_.end()) {
        return;
    }
    close_all(found->second);
    shared_.erase(found);
    any_ = !shared_.empty();
}

/* Starts the thread that hands out descriptors. The lock is held. */
void Sharing::serve_once()
{
    if (!name_.empty() && owner_ == getpid()) {
        return;
    }
    uint64_t random[2];
    TORCH_CHECK(getrandom(random, sizeof random, 0) == sizeof random, "getrandom: ", strerror(errno));
    std::ostringstream text;
    text << "millpond-" << getpid() << '-' << std::hex << random[0] << random[1];
    Descriptor listening(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    TORCH_CHECK(listening.value >= 0, "socket: ", strerror(errno));
    sockaddr_un address;
    socklen_t bytes = address_of(text.str(), address);
    TORCH_CHECK(bind(listening.value, reinterpret_cast<sockaddr *>(&address), bytes) == 0, "bind: ", strerror(errno));
    TORCH_CHECK(listen(listening.value, 64) == 0, "listen: ", strerror(errno));
    int socket = listening.value;
    std::thread([this, socket] { serve(socket); }).detach();
    listening.value = -1;
    name_ = text.str();
    owner_ = getpid();
}

void Sharing::serve(int socket)
{
    for (;;) {
        Descriptor peer(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
        if (peer.value < 0) {
            if (errno == EINTR || errno == ECONNABORTED) {
                continue;
            }
            if (errno == EMFILE || errno == ENFILE) {
                usleep(1000);
                continue;
            }
            return;
        }
        ucred who{};
        socklen_t bytes = sizeof who;
        if (getsockopt(peer.value, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && (who.uid == geteuid() || who.uid == 0)) {
            answer(peer.value);
        }
    }
}

void Sharing::answer(int peer)
{
    /* A peer that says nothing must not stop the others. */
    timeval limit{10, 0};
    (void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    Question question{};
    std::vector<Descriptor> none;
    if (!receive(peer, &question, sizeof question, none)) {
        return;
    }
    /* Copies, so that the block may be freed meanwhile. */
    std::vector<Descriptor> copies;
    Reply reply{};
    {
        std::lock_guard<std::mutex> guard(mutex_);
        for (const auto &entry : shared_) {
            if (entry.second.number == question.number) {
                for (int descriptor : entry.second.descriptors) {
                    copies.emplace_back(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
                }
                reply = {copies.size(), entry.second.page_bytes};
            }
        }
    }
    if (!send_descriptors(peer, &reply, sizeof reply, nullptr, 0)) {
        return;
    }
    for (size_t sent = 0; sent < copies.size(); sent += AT_ONCE) {
        std::vector<int> part;
        for (size_t index = sent; index < std::min(sent + AT_ONCE, copies.size()); ++index) {
            part.push_back(copies[index].value);
        }
        char byte = 0;
        if (!send_descriptors(peer, &byte, 1, part.data(), part.size())) {
            return;
        }
    }
}

/* ---- The process that uses it ---- */

std::shared_ptr<void> Sharing::open(const std::string &handle, int device)
{
    std::istringstream text(handle);
    std::string mark;
    std::string name;
    Question question{};
    uint64_t offset = 0;
    TORCH_CHECK(text >> mark >> name >> question.number >> offset && mark == MARK,
        "the handle is not one of Millpond's pool: both processes must call millpond.torch.enable(), or neither");
    {
        std::lock_guard<std::mutex> guard(opened_mutex_);
        if (auto known = opened_[handle].lock()) {
            return known;
        }
    }
    Descriptor peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    TORCH_CHECK(peer.value >= 0, "socket: ", strerror(errno));
    sockaddr_un address;
    TORCH_CHECK(name.size() < sizeof address.sun_path - 1, "the handle is damaged");
    socklen_t bytes = address_of(name, address);
    TORCH_CHECK(connect(peer.value, reinterpret_cast<sockaddr *>(&address), bytes) == 0,
        "the process that shares CUDA memory cannot be reached (", strerror(errno), "): it must be running, in the same network namespace");
    Reply reply{};
    std::vector<Descriptor> descriptors;
    TORCH_CHECK(send_descriptors(peer.value, &question, sizeof question, nullptr, 0) &&
            receive(peer.value, &reply, sizeof reply, descriptors),
        "the process that shares CUDA memory did not answer: ", strerror(errno));
    TORCH_CHECK(reply.count > 0, "the shared CUDA memory was freed before it was opened: the sender must keep the tensor until then");
    while (descriptors.size() < reply.count) {
        char byte;
        TORCH_CHECK(receive(peer.value, &byte, 1, descriptors), "the process that shares CUDA memory passed only ", descriptors.size(), " of ",
            reply.count, " file descriptors: the limit of open files (ulimit -n) may be too low");
    }
    auto mapped = std::make_shared<Opened>(device, reply.page_bytes, std::move(descriptors));
    std::vector<std::pair<int, int>> peers;
    {
        std::lock_guard<std::mutex> guard(opened_mutex_);
        mappings_.erase(std::remove_if(mappings_.begin(), mappings_.end(), [](const auto &other) { return other.expired(); }),
            mappings_.end());
        mappings_.push_back(mapped);
        peers = peers_;
    }
    for (const auto &peer : peers) {
        if (peer.second == device) {
            mapped->let(peer.first);
        }
    }
    std::shared_ptr<void> block(mapped, static_cast<char *>(mapped->start()) + offset);
    std::lock_guard<std::mutex> guard(opened_mutex_);
    /* Another thread may have been faster; ours is unmapped then. */
    if (auto known = opened_[handle].lock()) {
        return known;
    }
    for (auto entry = opened_.begin(); entry != opened_.end();) {
        entry = entry->second.expired() ? opened_.erase(entry) : std::next(entry);
    }
    opened_[handle] = block;
    return block;
}

/* A block that is opened meanwhile either finds the peer in peers_, or is in mappings_ here. */
void Sharing::let(int peer, int device)
{
    std::vector<std::weak_ptr<Opened>> mappings;
    {
        std::lock_guard<std::mutex> guard(opened_mutex_);
        peers_.emplace_back(peer, device);
        mappings = mappings_;
    }
    for (const auto &each : mappings) {
        auto mapped = each.lock();
        if (mapped != nullptr && mapped->device() == device) {
            mapped->let(peer);
        }
    }
}

native::ShareableHandle Allocator::shareIpcHandle(void *address)
{
    return sharing_.share(address);
}

std::shared_ptr<void> Allocator::getIpcDevPtr(std::string handle)
{
    return sharing_.open(handle, c10::cuda::current_device());
}

} // namespace millpond
