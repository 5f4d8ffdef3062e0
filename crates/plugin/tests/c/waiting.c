/* With leave to wait, a request waits for the other stream rather than fail. Another thread opens the gate. */
#include "shared.h"
#include "gate.h"
#include <pthread.h>

static Gate gate;

static void *open_later(void *context)
{
    sleep_ms(50);
    OK(aclrtSetCurrentContext(context));
    gate_open(gate);
    return NULL;
}

int main(void)
{
    millpondAllocatorOptions options;
    aclrtStream first = NULL, second = NULL;
    aclrtContext context = NULL;
    Allocator a, b;
    pthread_t thread;
    void *block;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&context));
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.limit_bytes = 64 * MIB;
    options.flags = MILLPOND_ALLOCATOR_ALLOW_WAIT | MILLPOND_ALLOCATOR_POLL;
    a = registered(first, &options);
    b = registered(second, &options);

    gate = gate_close(first);
    block = a.alloc(a.object, 40 * MIB);
    CHECK(block != NULL);
    OK(aclrtMemsetAsync(a.address(block), 40 * MIB, 7, 40 * MIB, first));
    a.free(a.object, block);

    EQ(pthread_create(&thread, NULL, open_later, context), 0);
    block = b.alloc(b.object, 40 * MIB);
    CHECK(block != NULL);
    CHECK(numbers(&b).waits >= 1);
    EQ(pthread_join(thread, NULL), 0);
    b.free(b.object, block);

    gate_free(gate);
    unregistered(&a);
    unregistered(&b);
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
