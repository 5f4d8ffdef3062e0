// How may a process end? Each way is tried in a child of its own, forked before any use: the calls that clean up return
// something, nothing crashes, and nothing hangs.
#include "check.h"

#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>

namespace {

void begin()
{
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
}

/* A status that no way of failing has. */
constexpr int FINE = 42;

void fine() { _exit(FINE); }

/* From a function that a stream waits for: destructors then run on a thread that has no context. */
void exit_in_a_function(void *)
{
    std::atexit([] {
        RETURNS(aclrtSynchronizeDevice());
        RETURNS(aclrtResetDevice(0));
    });
    exit(FINE);
}

void function_exits()
{
    aclrtStream stream = nullptr;
    begin();
    OK(aclrtCreateStream(&stream));
    OK(aclrtLaunchHostFunc(stream, exit_in_a_function, nullptr));
    for (;;) {
        pause();
    }
}

void report_exits()
{
    aclrtStream stream = nullptr;
    begin();
    OK(aclrtCreateStream(&stream));
    static aclrtStream kept = stream;
    std::thread([] {
        OK(aclrtSetDevice(0));
        for (;;) {
            (void)aclrtProcessReport(1000);
        }
    }).detach();
    /* The thread that exits is the one that fetches reports, which is this one. */
    OK(aclrtSubscribeReport((uint64_t)pthread_self(), kept));
    OK(aclrtLaunchCallback([](void *) { exit(FINE); }, nullptr, ACL_CALLBACK_BLOCK, kept));
    for (;;) {
        (void)aclrtProcessReport(1000);
    }
}

/* Another thread than main, while main and others go on calling. */
void thread_exits()
{
    begin();
    std::thread([] {
        OK(aclrtSetDevice(0));
        std::atexit([] { RETURNS(aclFinalize()); });
        exit(FINE);
    }).detach();
    for (;;) {
        void *block = nullptr;
        if (aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0) {
            (void)aclrtFree(block);
        }
    }
}

/* Main ends alone, and the last thread ends the process. */
void main_leaves_first()
{
    begin();
    static pthread_t first = pthread_self();
    static aclrtContext context;
    OK(aclrtGetCurrentContext(&context));
    std::thread([] {
        pthread_join(first, nullptr);
        OK(aclrtSetCurrentContext(context));
        OK(aclrtSynchronizeDevice());
        CLOSE_DEVICE();
        exit(FINE);
    }).detach();
    pthread_exit(nullptr);
}

/* Ended twice, begun again and ended once more by those who do not know of each other. */
void ends_several_times()
{
    begin();
    std::atexit([] {
        CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
        fine();
    });
    std::atexit([] {
        OK(aclFinalize());
        CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
        OK(aclInit(nullptr));
        OK(aclrtSetDevice(0));
        CLOSE_DEVICE();
    });
    exit(1);
}

/* An object of a thread that outlives the library's use. */
struct Late {
    void *block = nullptr;
    aclrtStream stream = nullptr;
    ~Late()
    {
        int32_t device = -1;
        OK(aclrtGetDevice(&device));
        EQ(device, 0);
        FAILS(aclrtFree(block));
        FAILS(aclrtDestroyStream(stream));
    }
};

void frees_after_the_end()
{
    begin();
    thread_local Late late;
    OK(aclrtMalloc(&late.block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCreateStream(&late.stream));
    std::thread([] {
        thread_local Late own;
        OK(aclrtSetDevice(0));
        OK(aclrtMalloc(&own.block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtCreateStream(&own.stream));
        OK(aclFinalize());
    }).join();
    std::atexit(fine);
    exit(1);
}

/* The first use of all is at the end. */
void begins_at_the_end()
{
    std::atexit(fine);
    std::atexit([] {
        void *block = nullptr;
        begin();
        OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtFree(block));
        CLOSE_DEVICE();
    });
    exit(1);
}

/* Closing a library that cannot be unloaded, and using it afterwards. */
void closes_the_library()
{
    begin();
    void *library = dlopen("libascendcl.so", RTLD_NOW | RTLD_NOLOAD);
    CHECK(library != nullptr);
    std::atexit(fine);
    static void *kept = library;
    std::atexit([] {
        CHECK(dlclose(kept) == 0);
        OK(aclrtSynchronizeDevice());
    });
    exit(1);
}

/* Forks while other threads are inside calls: the child is refused, and hangs nowhere. */
[[maybe_unused]] void forks_in_the_middle()
{
    begin();
    static std::atomic<int> running{0};
    for (int i = 0; i < 3; i++) {
        std::thread([] {
            OK(aclrtSetDevice(0));
            running++;
            for (;;) {
                void *block = nullptr;
                aclrtStream stream = nullptr;
                OK(aclrtCreateStream(&stream));
                OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
                OK(aclrtMemsetAsync(block, 4096, 1, 4096, stream));
                OK(aclrtSynchronizeStream(stream));
                OK(aclrtFree(block));
                OK(aclrtDestroyStream(stream));
                (void)aclrtFree(nullptr);
            }
        }).detach();
    }
    while (running < 3) {
        std::this_thread::yield();
    }
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            void *block = nullptr;
            uint32_t count = 0;
            FAILS(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
            MENTIONS("fork");
            FAILS(aclrtGetDeviceCount(&count));
            FAILS(aclFinalize());
            exit(FINE);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == FINE);
    }
    fine();
}

void quick_exits()
{
    begin();
    at_quick_exit([] { OK(aclrtSynchronizeDevice()); });
    quick_exit(FINE);
}

struct Way {
    const char *name;
    void (*run)();
};

constexpr Way WAYS[] = {
    {"a function exits", function_exits},
    {"a report exits", report_exits},
    {"a thread exits", thread_exits},
    {"main leaves first", main_leaves_first},
    {"ends several times", ends_several_times},
    {"frees after the end", frees_after_the_end},
    {"begins at the end", begins_at_the_end},
    {"closes the library", closes_the_library},
#ifndef __SANITIZE_ADDRESS__
    /* The sanitizer's own allocator does not survive a fork beside threads that allocate. */
    {"forks in the middle", forks_in_the_middle},
#endif
    {"quick_exit", quick_exits},
};

} // namespace

int main()
{
    for (const Way &way : WAYS) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            /* One that hangs is ended, and not waited for until the whole program is. */
            alarm(50);
            way.run();
            _exit(3);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != FINE) {
            fprintf(stderr, "%s: wait status %#x\n", way.name, status);
            return 1;
        }
    }
    return 0;
}
