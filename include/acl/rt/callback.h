/* Functions of the program that the runtime calls. */
#ifndef MILLPOND_ACL_RT_CALLBACK_H
#define MILLPOND_ACL_RT_CALLBACK_H

#include <stddef.h>
#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task that failed on a device, lent to a callback for the time of the call. */
typedef struct aclrtExceptionInfo aclrtExceptionInfo;

/* Whether a callback holds its stream until it has returned. */
typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0,
    ACL_CALLBACK_BLOCK = 1
} aclrtCallbackBlockType;

/* When a stream's callback is called. */
typedef enum aclrtStreamState {
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;

/* When a device's callback is called. */
typedef enum aclrtDeviceState {
    ACL_RT_DEVICE_STATE_SET_PRE = 0,
    ACL_RT_DEVICE_STATE_SET_POST = 1,
    ACL_RT_DEVICE_STATE_RESET_PRE = 2,
    ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;

/* When an abort's callback is called. */
typedef enum aclrtDeviceTaskAbortStage {
    ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
    ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;

/* Which part's start or end a callback belongs to. */
typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL = 0,
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    ACL_REG_TYPE_ACL_DVPP = 6,
    ACL_REG_TYPE_ACL_RETR = 7,
    ACL_REG_TYPE_OTHER = 0xffff
} aclRegisterCallbackType;

/* Run by a stream. */
typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

/* Told of a failed task. */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo, void *userData);

/* Told of a change of state. */
typedef void (*aclrtStreamStateCallback)(aclrtStream stream, aclrtStreamState state, void *args);
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void *args);
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage,
    uint32_t timeout, void *args);

/* Called by aclInit and aclFinalize. */
typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/*
 * Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
 * stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
 * its own thread. A function that runs in a stream must not call the interface itself. A C++
 * exception that leaves the function ends the process.
 */
aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
    aclrtStream stream);
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
aclError aclrtProcessReport(int32_t timeout);
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
aclError aclrtProcessHostFunc(int32_t timeout);
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/* Changes of state. regName identifies a registration; a NULL callback ends it. */
aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback,
    void *args);
aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback,
    void *args);
aclError aclrtSetDeviceTaskAbortCallback(const char *regName, aclrtDeviceTaskAbortCallback callback,
    void *args);

/* Start and end of the runtime. Unregistering names the same type and function. */
aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
    void *userData);
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
    void *userData);
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
    aclFinalizeCallbackFunc cbFunc);

/*
 * Failed tasks. The function is called once for each, on a thread of the library, before a call
 * returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
 * anything else. A NULL callback ends what was set; the other two add and remove functions.
 */
ACL_DEPRECATED_MESSAGE("use aclrtExceptionInfoCallbackRegister")
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

#ifdef __cplusplus
}
#endif

#endif
