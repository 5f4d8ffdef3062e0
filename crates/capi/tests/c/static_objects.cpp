// May objects that live as long as the process or as a thread clean up after themselves? On an NPU they may, so
// destructors of static and thread_local objects, atexit handlers and destructors of thread-specific data use the
// context that their thread had. LEAVES names the one that does not free its block: a checker has to notice.
#include "check.h"

#include <climits>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>

namespace {

constexpr size_t BYTES = 4096;

bool leaves(const char *name)
{
    const char *who = std::getenv("LEAVES");
    return who != nullptr && std::string(who) == name;
}

/* Everything a program may own: a stream with work in it, an event, memory of both kinds. */
class Owner {
public:
    explicit Owner(const char *name) : name_(name) {}
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;

    void open()
    {
        OK(aclrtCreateStream(&stream_));
        OK(aclrtCreateEvent(&event_));
        OK(aclrtMalloc(&block_, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost(&host_, BYTES));
        OK(aclrtMemsetAsync(block_, BYTES, 0x5a, BYTES, stream_));
        OK(aclrtRecordEvent(event_, stream_));
    }

    void close()
    {
        int32_t device = -1;
        void *late = nullptr;
        closed_++;
        OK(aclrtGetDevice(&device));
        EQ(device, 0);
        OK(aclrtSynchronizeStream(stream_));
        OK(aclrtMemcpy(host_, BYTES, block_, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(static_cast<unsigned char *>(host_)[BYTES - 1], 0x5a);
        OK(aclrtMalloc(&late, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemsetAsync(late, BYTES, 1, BYTES, stream_));
        OK(aclrtSynchronizeStreamWithTimeout(stream_, -1));
        OK(aclrtFree(late));
        /* What goes wrong is explained here too. */
        CODE(aclrtMalloc(&late, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
        OK(aclrtDestroyEvent(event_));
        OK(aclrtDestroyStream(stream_));
        OK(aclrtFreeHost(host_));
        if (!leaves(name_)) {
            OK(aclrtFree(block_));
        }
    }

    static int closed() { return closed_; }

private:
    const char *name_;
    aclrtStream stream_ = nullptr;
    aclrtEvent event_ = nullptr;
    void *block_ = nullptr;
    void *host_ = nullptr;
    static inline int closed_ = 0;
};

/* Closes at the end of its life. */
struct Guard : Owner {
    using Owner::Owner;
    ~Guard() { close(); }
};

Guard global("global");

Owner early("early handler"), late("late handler");

void early_handler() { early.close(); }
void late_handler() { late.close(); }

Guard &local_static()
{
    static Guard guard("local");
    return guard;
}

Guard &per_thread(const char *name)
{
    thread_local Guard guard(name);
    return guard;
}

Owner specific("specific");

/* A destructor of thread-specific data that asks for another round, as it is allowed to. */
pthread_key_t key;
int rounds;

void end_specific(void *)
{
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(key, &specific);
        return;
    }
    specific.close();
}

void worker()
{
    OK(aclrtSetDevice(0));
    per_thread("worker").open();
    specific.open();
    EQ(pthread_setspecific(key, &specific), 0);
}

/* Runs after the destructors of all static objects. */
__attribute__((destructor)) void last_of_all()
{
    if (Owner::closed() != 7) {
        fprintf(stderr, "%d of 7 objects were closed\n", Owner::closed());
        _exit(4);
    }
    OK(aclrtResetDevice(0));
    CLOSE_DEVICE();
}

} // namespace

int main()
{
    CHECK(std::atexit(early_handler) == 0);
    CHECK(pthread_key_create(&key, end_specific) == 0);
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    global.open();
    early.open();
    local_static().open();
    per_thread("main").open();
    late.open();
    CHECK(std::atexit(late_handler) == 0);
    std::thread(worker).join();
    EQ(Owner::closed(), 2);
    return 0;
}
