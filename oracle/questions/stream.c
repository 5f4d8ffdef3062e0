/* Streams: order, queries, priorities, flags, failure, ends. */
#include "../oracle.h"
#define GROUP "stream"

QUESTION(create_null, "aclrtCreateStream aclrtDestroyStream aclrtDestroyStreamForce", "What do they return for NULL?")
{
    code("create", CALL(aclrtCreateStream)(NULL));
    code("destroy", CALL(aclrtDestroyStream)(NULL));
    code("force", CALL(aclrtDestroyStreamForce)(NULL));
}

QUESTION_ALONE(destroy_twice, "aclrtDestroyStream", "What does the second aclrtDestroyStream of a handle return?")
{
    aclrtStream stream = new_stream();
    code("first", CALL(aclrtDestroyStream)(stream));
    code("second", CALL(aclrtDestroyStream)(stream));
}

QUESTION_ALONE(use_destroyed, "aclrtSynchronizeStream", "What does aclrtSynchronizeStream return for a destroyed stream?")
{
    aclrtStream stream = new_stream();
    need("aclrtDestroyStream", CALL(aclrtDestroyStream)(stream));
    code("code", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION(query, "aclrtStreamQuery", "What is the status of a stream that is idle, busy, and idle again?")
{
    aclrtStream stream = new_stream();
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    code("idle", CALL(aclrtStreamQuery)(stream, &status));
    code("is", status);
    struct gate *gate = new_gate(stream);
    code("busy", CALL(aclrtStreamQuery)(stream, &status));
    code("was", status);
    open_gate(gate);
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    code("after", CALL(aclrtStreamQuery)(stream, &status));
    code("then", status);
    code("null_status", CALL(aclrtStreamQuery)(stream, NULL));
}

QUESTION(timeout, "aclrtSynchronizeStreamWithTimeout", "What does a wait that is too short return, and is the stream usable after it?")
{
    aclrtStream stream = new_stream();
    struct gate *gate = new_gate(stream);
    code("code", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 20));
    open_gate(gate);
    code("after", CALL(aclrtSynchronizeStreamWithTimeout)(stream, -1));
    code("negative", CALL(aclrtSynchronizeStreamWithTimeout)(stream, -2));
    code("zero", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 0));
}

QUESTION(destroy_busy, "aclrtDestroyStreamForce", "Does aclrtDestroyStreamForce return while work is queued behind a host function that waits?")
{
    aclrtStream stream = new_stream();
    struct gate *gate = new_gate(stream);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(new_block(64), 64, 0, 64, stream));
    code("code", CALL(aclrtDestroyStreamForce)(stream));
    open_gate(gate);
}

QUESTION(default_stream, "aclrtSynchronizeStream aclrtStreamQuery aclrtCtxGetCurrentDefaultStream", "Is NULL the default stream, and may it be destroyed?")
{
    aclrtStream stream = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    code("query", CALL(aclrtStreamQuery)(NULL, &status));
    code("get", CALL(aclrtCtxGetCurrentDefaultStream)(&stream));
    fact("is", "%s", pointer(stream));
    code("destroy", CALL(aclrtDestroyStream)(stream));
}

QUESTION(numbers, "aclrtStreamGetId aclrtStreamGetPriority aclrtStreamGetFlags aclrtDeviceGetStreamPriorityRange", "Which priorities and flags do streams have?")
{
    aclrtStream stream = new_stream();
    int32_t id = -1, other = -1, least = -1, greatest = -1;
    uint32_t priority = 99, flags = 99;
    code("id", CALL(aclrtStreamGetId)(stream, &id));
    code("id2", CALL(aclrtStreamGetId)(new_stream(), &other));
    fact("differ", "%s", id != other ? "yes" : "no");
    code("priority", CALL(aclrtStreamGetPriority)(stream, &priority));
    code("is", priority);
    code("flags", CALL(aclrtStreamGetFlags)(stream, &flags));
    code("are", flags);
    code("range", CALL(aclrtDeviceGetStreamPriorityRange)(&least, &greatest));
    fact("from", "%d:%d", least, greatest);
    code("null_id", CALL(aclrtStreamGetId)(NULL, &id));
}

QUESTION(with_config, "aclrtCreateStreamWithConfig", "Which priorities and flags does aclrtCreateStreamWithConfig accept?")
{
    static const struct { uint32_t priority, flags; } rows[] = {
        {0, 0}, {7, 0}, {8, 0}, {100, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 8}, {0, 0x20}, {0, 0x80000000U},
    };
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        aclrtStream stream = NULL;
        char name[32];
        snprintf(name, sizeof name, "p%uf%x", rows[index].priority, rows[index].flags);
        code(name, CALL(aclrtCreateStreamWithConfig)(&stream, rows[index].priority, rows[index].flags));
        if (stream) {
            CALL(aclrtDestroyStreamForce)(stream);
        }
    }
}

QUESTION(available, "aclrtGetStreamAvailableNum", "Does the number of available streams shrink when one is created?")
{
    uint32_t before = 0, after = 0;
    code("code", CALL(aclrtGetStreamAvailableNum)(&before));
    new_stream();
    need("aclrtGetStreamAvailableNum", CALL(aclrtGetStreamAvailableNum)(&after));
    code("fewer", (long long)before - after);
    fact("~count", "%u", before);
}

QUESTION(failure_mode, "aclrtSetStreamFailureMode", "Which failure modes does a stream accept?")
{
    aclrtStream stream = new_stream();
    code("continue", CALL(aclrtSetStreamFailureMode)(stream, ACL_CONTINUE_ON_FAILURE));
    code("stop", CALL(aclrtSetStreamFailureMode)(stream, ACL_STOP_ON_FAILURE));
    code("other", CALL(aclrtSetStreamFailureMode)(stream, 2));
    code("default_stream", CALL(aclrtSetStreamFailureMode)(NULL, ACL_STOP_ON_FAILURE));
}

QUESTION(abort_idle, "aclrtStreamAbort", "What do calls return after aclrtStreamAbort of an idle stream?")
{
    aclrtStream stream = new_stream();
    code("abort", CALL(aclrtStreamAbort)(stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("again", CALL(aclrtSynchronizeStream)(stream));
    code("fill", CALL(aclrtMemsetAsync)(new_block(64), 64, 0, 64, stream));
    code("destroy", CALL(aclrtDestroyStream)(stream));
}

QUESTION(attributes, "aclrtSetStreamAttribute aclrtGetStreamAttribute", "Which attributes can be set and read, and what are they at the start?")
{
    aclrtStream stream = new_stream();
    for (int attribute = 1; attribute <= 6; attribute++) {
        aclrtStreamAttrValue value;
        char name[16];
        memset(&value, 0, sizeof value);
        snprintf(name, sizeof name, "get%d", attribute);
        aclError status = CALL(aclrtGetStreamAttribute)(stream, (aclrtStreamAttr)attribute, &value);
        fact(name, "%d:%u", status, value.overflowSwitch);
        value.overflowSwitch = 1;
        snprintf(name, sizeof name, "set%d", attribute);
        code(name, CALL(aclrtSetStreamAttribute)(stream, (aclrtStreamAttr)attribute, &value));
    }
}

QUESTION(overflow, "aclrtSetStreamOverflowSwitch aclrtGetStreamOverflowSwitch", "Can the overflow check of a stream be switched on?")
{
    aclrtStream stream = new_stream();
    uint32_t flag = 9;
    code("get", CALL(aclrtGetStreamOverflowSwitch)(stream, &flag));
    code("is", flag);
    code("off", CALL(aclrtSetStreamOverflowSwitch)(stream, 0));
    code("on", CALL(aclrtSetStreamOverflowSwitch)(stream, 1));
    code("other", CALL(aclrtSetStreamOverflowSwitch)(stream, 2));
}

QUESTION(order, "aclrtMemsetAsync aclrtMemcpyAsync", "Do tasks of one stream run in the order in which they were queued?")
{
    aclrtStream stream = new_stream();
    char *block = new_block(64), *host = new_pinned(64);
    for (int value = 1; value <= 20; value++) {
        need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(block, 64, value, 64, stream));
    }
    need("aclrtMemcpyAsync", CALL(aclrtMemcpyAsync)(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("last", host[0]);
}

QUESTION(independent, "aclrtSynchronizeStream", "Does a stream run while another one is held up?")
{
    aclrtStream held = new_stream(), other = new_stream();
    struct gate *gate = new_gate(held);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(new_block(64), 64, 1, 64, other));
    code("other", CALL(aclrtSynchronizeStreamWithTimeout)(other, 10000));
    code("held", CALL(aclrtSynchronizeStreamWithTimeout)(held, 20));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeStream)(held));
}

QUESTION(default_waits, "aclrtSynchronizeStream", "Does the default stream wait for other streams of its context?")
{
    aclrtStream held = new_stream();
    struct gate *gate = new_gate(held);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(new_block(64), 64, 1, 64, NULL));
    code("default", CALL(aclrtSynchronizeStreamWithTimeout)(NULL, 10000));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeStream)(held));
}

QUESTION(device_waits, "aclrtSynchronizeDevice aclrtSynchronizeDeviceWithTimeout", "Does waiting for the device wait for every stream?")
{
    aclrtStream held = new_stream();
    struct gate *gate = new_gate(held);
    code("early", CALL(aclrtSynchronizeDeviceWithTimeout)(20));
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeDevice)());
}

QUESTION_ALONE(copy_waits, "aclrtMemcpy", "Does aclrtMemcpy wait for what other streams have queued?")
{
    aclrtStream held = new_stream();
    char *block = new_block(64), back[64] = {0};
    need("aclrtMemset", CALL(aclrtMemset)(block, 64, 1, 64));
    struct gate *gate = new_gate(held);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(block, 64, 2, 64, held));
    code("copy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sees", back[0]);
    open_gate(gate);
    code("end", CALL(aclrtSynchronizeStream)(held));
}

QUESTION(configuration, "aclrtCreateStreamConfigHandle aclrtCreateStreamV2 aclrtDestroyStreamConfigHandle", "What is a stream of a new configuration, and does it live on without it?")
{
    aclrtStream stream = NULL;
    uint32_t priority = 99, flags = 99;
    aclrtStreamConfigHandle *config = CALL(aclrtCreateStreamConfigHandle)();
    fact("config", "%s", pointer(config));
    code("create", CALL(aclrtCreateStreamV2)(&stream, config));
    RESULT("priority", CALL(aclrtStreamGetPriority)(stream, &priority), priority);
    RESULT("flags", CALL(aclrtStreamGetFlags)(stream, &flags), flags);
    code("destroy_config", CALL(aclrtDestroyStreamConfigHandle)(config));
    code("fill", CALL(aclrtMemsetAsync)(new_block(64), 64, 1, 64, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("destroy", CALL(aclrtDestroyStream)(stream));
    code("no_config", CALL(aclrtCreateStreamV2)(&stream, NULL));
}

QUESTION(configuration_options, "aclrtSetStreamConfigOpt aclrtCreateStreamV2", "Which options of a configuration are accepted, with which sizes, and which of them make no stream?")
{
    uint64_t value = 1;
    for (int option = 0; option <= 4; option++) {
        aclrtStreamConfigHandle *config = CALL(aclrtCreateStreamConfigHandle)();
        aclrtStream stream = NULL;
        char name[16];
        aclError eight = CALL(aclrtSetStreamConfigOpt)(config, (aclrtStreamConfigAttr)option, &value, 8);
        aclError four = CALL(aclrtSetStreamConfigOpt)(config, (aclrtStreamConfigAttr)option, &value, 4);
        snprintf(name, sizeof name, "o%d", option);
        if (option >= ACL_RT_STREAM_FLAG) {
            fact(name, "%d:%d:%d", eight, four, CALL(aclrtCreateStreamV2)(&stream, config));
        } else {
            fact(name, "%d:%d", eight, four);
        }
        CALL(aclrtDestroyStreamConfigHandle)(config);
    }
    code("no_value", CALL(aclrtSetStreamConfigOpt)(CALL(aclrtCreateStreamConfigHandle)(), ACL_RT_STREAM_FLAG, NULL, 8));
    code("no_config", CALL(aclrtSetStreamConfigOpt)(NULL, ACL_RT_STREAM_FLAG, &value, 8));
}

QUESTION(configuration_memory, "aclrtSetStreamConfigOpt aclrtCreateStreamV2", "Does a stream take work memory, and one of its two options alone?")
{
    void *block = new_block(1 << 20);
    size_t bytes = 1 << 20;
    aclrtStream stream = NULL;
    aclrtStreamConfigHandle *both = CALL(aclrtCreateStreamConfigHandle)(), *address = CALL(aclrtCreateStreamConfigHandle)(), *size = CALL(aclrtCreateStreamConfigHandle)();
    code("address", CALL(aclrtSetStreamConfigOpt)(both, ACL_RT_STREAM_WORK_ADDR_PTR, &block, sizeof block));
    code("size", CALL(aclrtSetStreamConfigOpt)(both, ACL_RT_STREAM_WORK_SIZE, &bytes, sizeof bytes));
    code("both", CALL(aclrtCreateStreamV2)(&stream, both));
    CALL(aclrtSetStreamConfigOpt)(address, ACL_RT_STREAM_WORK_ADDR_PTR, &block, sizeof block);
    code("only_address", CALL(aclrtCreateStreamV2)(&stream, address));
    CALL(aclrtSetStreamConfigOpt)(size, ACL_RT_STREAM_WORK_SIZE, &bytes, sizeof bytes);
    code("only_size", CALL(aclrtCreateStreamV2)(&stream, size));
}

QUESTION_ALONE(configuration_twice, "aclrtDestroyStreamConfigHandle", "What does destroying a configuration of streams twice return?")
{
    aclrtStreamConfigHandle *config = CALL(aclrtCreateStreamConfigHandle)();
    code("first", CALL(aclrtDestroyStreamConfigHandle)(config));
    code("second", CALL(aclrtDestroyStreamConfigHandle)(config));
}
