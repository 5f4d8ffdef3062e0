/* A library that keeps a stream and memory until it is ended. Pinned memory is the last thing that it gives back,
 * behind the reset: a checker asks for that at the end of the process. With LEAVES it keeps it. With CONSTRUCTS it
 * begins as soon as it is loaded. */
#include "../check.h"

static aclrtStream stream;
static void *block, *host;

__attribute__((visibility("default"))) void plugin_begin(void);
void plugin_begin(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 4096));
    OK(aclrtMemsetAsync(block, 4096, 0x11, 4096, stream));
}

/* The earliest use of all: before main, and perhaps before the runtime's own library was initialised. */
__attribute__((constructor)) static void plugin_construct(void)
{
    if (getenv("CONSTRUCTS") != NULL) {
        plugin_begin();
    }
}

__attribute__((destructor)) static void plugin_end(void)
{
    if (stream == NULL) {
        fprintf(stderr, "the plug-in never began\n");
        _exit(4);
    }
    OK(aclrtMemcpyAsync(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(((unsigned char *)host)[4095], 0x11);
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(block));
    OK(aclrtResetDevice(0));
    if (getenv("LEAVES") == NULL) {
        OK(aclrtFreeHost(host));
    }
}
