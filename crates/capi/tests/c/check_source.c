/* The host buffer of a queued copy is changed before the copy has run: that is found. Changed after a
 * synchronisation it is not. */
#include "checked.h"

int main(void)
{
    /* Without closed pages, that is: with them the write itself is found. */
    static const char *const latest[] = {"MILLPOND_SCHEDULE=latest", "MILLPOND_PATIENCE=60000", "MILLPOND_CHECK_PINNED=no", NULL};
    static const char *const closed[] = {"MILLPOND_SCHEDULE=latest", "MILLPOND_PATIENCE=60000", NULL};
    aclrtStream stream;
    void *device = NULL;
    char *host = NULL;
    int status;

    if (part() == NULL) {
        status = play("wrong", latest);
        LEFT(status, 0);
        TIMES(records, "changed before it ran", 1);
        HAS(found, "\"stream.host-buffer\"");
        TIMES(found, "\"finding\"", 1);
        status = play("wrong", closed);
        LEFT(status, 0);
        HAS(found, "the program writes");
        TIMES(found, "\"finding\"", 1);
        status = play("right", latest);
        LEFT(status, 0);
        TIMES(records, "changed before it ran", 0);
        TIMES(found, "\"finding\"", 0);
        return 0;
    }
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&host, 4096));
    memset(host, 1, 4096);
    OK(aclrtMemcpyAsync(device, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    if (strcmp(part(), "right") == 0) {
        OK(aclrtSynchronizeStream(stream));
    }
    memset(host, 2, 4096);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(host));
    OK(aclrtFree(device));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
