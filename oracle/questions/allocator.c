/* Allocators that a program registers for a stream: what is accepted, and what the runtime calls. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "../oracle.h"
#define GROUP "allocator"

struct seen {
    int allocations, advised, frees, addresses;
    long thread;
};
static struct seen seen;
static const char object[] = "the allocator";

static void *allocate(aclrtAllocator allocator, size_t size)
{
    void *block = NULL;
    (void)allocator;
    seen.allocations++;
    seen.thread = syscall(SYS_gettid);
    CALL(aclrtMalloc)(&block, size, ACL_MEM_MALLOC_HUGE_FIRST);
    return block;
}
static void *allocate_near(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr address)
{
    (void)address;
    seen.advised++;
    return allocate(allocator, size);
}
static void release(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
    (void)allocator;
    seen.frees++;
    CALL(aclrtFree)(block);
}
static void *address_of(aclrtAllocatorBlock block)
{
    seen.addresses++;
    return block;
}

static aclrtAllocatorDesc complete(void)
{
    aclrtAllocatorDesc description = CALL(aclrtAllocatorCreateDesc)();
    if (!description) {
        need("aclrtAllocatorCreateDesc", 1);
    }
    need("object", CALL(aclrtAllocatorSetObjToDesc)(description, (void *)object));
    need("alloc", CALL(aclrtAllocatorSetAllocFuncToDesc)(description, allocate));
    need("free", CALL(aclrtAllocatorSetFreeFuncToDesc)(description, release));
    need("advise", CALL(aclrtAllocatorSetAllocAdviseFuncToDesc)(description, allocate_near));
    need("address", CALL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc)(description, address_of));
    return description;
}

QUESTION(null_functions, "aclrtAllocatorCreateDesc aclrtAllocatorSetObjToDesc aclrtAllocatorSetAllocFuncToDesc aclrtAllocatorSetFreeFuncToDesc aclrtAllocatorSetAllocAdviseFuncToDesc aclrtAllocatorSetGetAddrFromBlockFuncToDesc", "Which parts of a description may be set to NULL?")
{
    aclrtAllocatorDesc description = CALL(aclrtAllocatorCreateDesc)();
    fact("create", "%s", pointer(description));
    code("object", CALL(aclrtAllocatorSetObjToDesc)(description, NULL));
    code("alloc", CALL(aclrtAllocatorSetAllocFuncToDesc)(description, NULL));
    code("free", CALL(aclrtAllocatorSetFreeFuncToDesc)(description, NULL));
    code("advise", CALL(aclrtAllocatorSetAllocAdviseFuncToDesc)(description, NULL));
    code("address", CALL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc)(description, NULL));
}

QUESTION_ALONE(incomplete, "aclrtAllocatorRegister", "Is a description without functions accepted by aclrtAllocatorRegister?")
{
    code("code", CALL(aclrtAllocatorRegister)(new_stream(), CALL(aclrtAllocatorCreateDesc)()));
}

QUESTION(registered, "aclrtAllocatorRegister aclrtAllocatorGetByStream aclrtAllocatorUnregister aclrtAllocatorDestroyDesc", "What is read back after registering, destroying the description, and unregistering?")
{
    aclrtStream stream = new_stream();
    aclrtAllocatorDesc description = complete(), read = NULL;
    aclrtAllocator got = NULL;
    aclrtAllocatorAllocFunc alloc = NULL;
    code("before", CALL(aclrtAllocatorGetByStream)(stream, &read, &got, NULL, NULL, NULL, NULL));
    code("register", CALL(aclrtAllocatorRegister)(stream, description));
    code("again", CALL(aclrtAllocatorRegister)(stream, description));
    code("destroy", CALL(aclrtAllocatorDestroyDesc)(description));
    code("get", CALL(aclrtAllocatorGetByStream)(stream, &read, &got, &alloc, NULL, NULL, NULL));
    fact("object", "%s", got == (void *)object ? "same" : "other");
    fact("function", "%s", alloc == allocate ? "same" : "other");
    fact("description", "%s", read == description ? "same" : pointer(read));
    code("unregister", CALL(aclrtAllocatorUnregister)(stream));
    code("twice", CALL(aclrtAllocatorUnregister)(stream));
    code("null", CALL(aclrtAllocatorUnregister)(NULL));
}

QUESTION_ALONE(destroy_twice, "aclrtAllocatorDestroyDesc", "What does destroying a description twice return?")
{
    aclrtAllocatorDesc description = complete();
    code("first", CALL(aclrtAllocatorDestroyDesc)(description));
    code("second", CALL(aclrtAllocatorDestroyDesc)(description));
}

QUESTION_ALONE(destroyed_stream, "aclrtAllocatorRegister aclrtAllocatorUnregister", "What do they return for a destroyed stream?")
{
    aclrtStream stream = new_stream();
    aclrtAllocatorDesc description = complete();
    need("aclrtDestroyStream", CALL(aclrtDestroyStream)(stream));
    code("register", CALL(aclrtAllocatorRegister)(stream, description));
    code("unregister", CALL(aclrtAllocatorUnregister)(stream));
}

static aclTensorDesc *description_of(int64_t count)
{
    aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, &count, ACL_FORMAT_ND);
    if (!made) {
        need("aclCreateTensorDesc", 1);
    }
    return made;
}

QUESTION_ALONE(operator_allocates, "aclrtAllocatorRegister aclopCompileAndExecuteV2", "Which functions of an allocator does an operator by name call, and on which thread?")
{
    enum { COUNT = 4096 };
    aclrtStream stream = new_stream();
    aclTensorDesc *inputs[2] = {description_of(COUNT), description_of(COUNT)}, *outputs[1] = {description_of(COUNT)};
    aclDataBuffer *in[2], *out[1];
    char *blocks[3];
    for (int index = 0; index < 3; index++) {
        blocks[index] = new_block(COUNT * 4);
        need("aclrtMemset", CALL(aclrtMemset)(blocks[index], COUNT * 4, 0, COUNT * 4));
    }
    in[0] = CALL(aclCreateDataBuffer)(blocks[0], COUNT * 4);
    in[1] = CALL(aclCreateDataBuffer)(blocks[1], COUNT * 4);
    out[0] = CALL(aclCreateDataBuffer)(blocks[2], COUNT * 4);
    need("aclrtAllocatorRegister", CALL(aclrtAllocatorRegister)(stream, complete()));
    code("run", CALL(aclopCompileAndExecuteV2)("Add", 2, inputs, in, 1, outputs, out, CALL(aclopCreateAttr)(), ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    fact("~calls", "%d:%d:%d:%d", seen.allocations, seen.advised, seen.addresses, seen.frees);
    fact("freed", "%s", seen.allocations == seen.frees ? "all" : "some");
    fact("thread", "%s", !seen.allocations ? "none" : seen.thread == syscall(SYS_gettid) ? "caller" : "other");
}
