/* Choosing a device, waiting for it, access between devices, and options. */
#ifndef MILLPOND_ACL_RT_DEVICE_H
#define MILLPOND_ACL_RT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the program itself runs: on the device, sharing its memory, or on a host beside it. */
typedef enum aclrtRunMode {
    ACL_DEVICE = 0,
    ACL_HOST = 1
} aclrtRunMode;

/* Task scheduler of a device. */
typedef enum aclrtTsId {
    ACL_TS_ID_AICORE = 0,
    ACL_TS_ID_AIVECTOR = 1,
    ACL_TS_ID_RESERVED = 2
} aclrtTsId;

/* How an operator handles overflow. */
typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

/*
 * The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
 * context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
 * the device's work and frees what it holds. aclrtResetDeviceForce drops all references.
 */
aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtResetDevice(int32_t deviceId);
aclError aclrtResetDeviceForce(int32_t deviceId);
aclError aclrtGetDevice(int32_t *deviceId);
aclError aclrtGetDeviceCount(uint32_t *count);
aclError aclrtGetRunMode(aclrtRunMode *runMode);
aclError aclrtSetTsDevice(aclrtTsId tsId);

/* Waiting for all streams of the current device. The timeout is in milliseconds; -1 waits without a limit. */
aclError aclrtSynchronizeDevice(void);
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/*
 * Access to the memory of another device. Enabling works in one direction: from the current device
 * to the peer. flags is 0.
 */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);

/*
 * Options of the current context, and of the process. Reading one that was never set is
 * ACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.
 */
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/*
 * How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
 * what it makes of an overflow.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);
aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);
aclError aclrtGetOpTimeOutInterval(uint64_t *interval);
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/*
 * Whether a result on the stream's device was infinite or not a number, while its stream had
 * aclrtSetStreamOverflowSwitch on. In the order of the stream, the first writes 64 bytes of device
 * memory: a number other than 0 if so, and zeros. The second forgets it.
 */
aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);
aclError aclrtResetOverflowStatus(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
