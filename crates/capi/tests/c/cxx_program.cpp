// Does C++ work as C++ people write it? Owners that clean up, errors as exceptions,
// threads of the standard library, a lambda behind a host function.
#include "check.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Error : public std::runtime_error {
public:
    Error(aclError code, const std::string &text) : std::runtime_error(text), code_(code) {}
    aclError code() const { return code_; }

private:
    aclError code_;
};

void call(aclError code)
{
    if (code != ACL_SUCCESS) {
        const char *text = aclGetRecentErrMsg();
        throw Error(code, text == nullptr ? "no text" : text);
    }
}

class Device {
public:
    explicit Device(int32_t id) : id_(id) { call(aclrtSetDevice(id_)); }
    ~Device() { (void)aclrtResetDevice(id_); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

private:
    int32_t id_;
};

class Stream {
public:
    Stream() { call(aclrtCreateStream(&handle_)); }
    ~Stream() { (void)aclrtDestroyStream(handle_); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    void synchronize() const { call(aclrtSynchronizeStream(handle_)); }
    aclrtStream get() const { return handle_; }

private:
    aclrtStream handle_ = nullptr;
};

class Event {
public:
    Event() { call(aclrtCreateEventExWithFlag(&handle_, ACL_EVENT_SYNC)); }
    ~Event() { (void)aclrtDestroyEvent(handle_); }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;
    void record(const Stream &stream) const { call(aclrtRecordEvent(handle_, stream.get())); }
    void hold(const Stream &stream) const { call(aclrtStreamWaitEvent(stream.get(), handle_)); }

private:
    aclrtEvent handle_ = nullptr;
};

struct FreeDevice {
    void operator()(void *p) const { (void)aclrtFree(p); }
};
struct FreeHost {
    void operator()(void *p) const { (void)aclrtFreeHost(p); }
};

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t count) : count_(count)
    {
        void *p = nullptr;
        call(aclrtMallocAlign32(&p, bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
        memory_.reset(p);
    }
    size_t bytes() const { return count_ * sizeof(T); }
    void *get() const { return memory_.get(); }

private:
    size_t count_;
    std::unique_ptr<void, FreeDevice> memory_;
};

template <typename T>
class HostArray {
public:
    explicit HostArray(size_t count) : count_(count)
    {
        void *p = nullptr;
        call(aclrtMallocHost(&p, count * sizeof(T)));
        memory_.reset(p);
    }
    T &operator[](size_t i) { return static_cast<T *>(memory_.get())[i]; }
    void *get() const { return memory_.get(); }
    size_t size() const { return count_; }

private:
    size_t count_;
    std::unique_ptr<void, FreeHost> memory_;
};

// Two streams, one event between them.
void one_worker(int seed)
{
    constexpr size_t count = 10000;
    Device device(0);
    Stream up, down;
    Event arrived;
    DeviceArray<int32_t> there(count);
    HostArray<int32_t> from(count), to(count);
    std::atomic<int> done{0};

    for (size_t i = 0; i < count; i++) {
        from[i] = seed + static_cast<int32_t>(i);
        to[i] = -1;
    }
    call(aclrtMemcpyAsync(there.get(), there.bytes(), from.get(), there.bytes(),
                          ACL_MEMCPY_HOST_TO_DEVICE, up.get()));
    arrived.record(up);
    arrived.hold(down);
    call(aclrtMemcpyAsync(to.get(), there.bytes(), there.get(), there.bytes(),
                          ACL_MEMCPY_DEVICE_TO_HOST, down.get()));
    call(aclrtLaunchHostFunc(
        down.get(), [](void *p) { static_cast<std::atomic<int> *>(p)->store(1); }, &done));
    down.synchronize();

    CHECK(done.load() == 1);
    for (size_t i = 0; i < count; i++) {
        EQ(to[i], seed + static_cast<int32_t>(i));
    }
}

void errors_become_exceptions()
{
    Device device(0);
    bool caught = false;
    try {
        DeviceArray<char> nothing(0);
    } catch (const Error &error) {
        caught = true;
        EQ(error.code(), ACL_ERROR_INVALID_PARAM);
        CHECK(std::string(error.what()).find("size") != std::string::npos);
    }
    CHECK(caught);
}

} // namespace

int main()
{
    OK(aclInit(nullptr));
    try {
        std::vector<std::thread> workers;
        for (int i = 0; i < 4; i++) {
            workers.emplace_back(one_worker, i * 1000);
        }
        for (auto &worker : workers) {
            worker.join();
        }
        errors_become_exceptions();
    } catch (const Error &error) {
        fprintf(stderr, "%d: %s\n", error.code(), error.what());
        return 1;
    }
    OK(aclFinalize());
    return 0;
}
