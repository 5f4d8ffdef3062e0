/*
 * Profiling: what a program calls and what its streams run, with times, written to a folder. The command
 * msprof turns that into a trace and tables: see docs/profiling.md. What only hardware knows (pipelines,
 * caches, links, power) is absent.
 *
 * The order of calls is aclprofInit, aclprofCreateConfig, aclprofStart, aclprofStop, aclprofFinalize.
 */
#ifndef MILLPOND_ACL_ACL_PROF_H
#define MILLPOND_ACL_ACL_PROF_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to collect: bits of dataTypeConfig. Bits that stand for hardware counters are accepted, and nothing is collected for them. */
#define ACL_PROF_ACL_API        0x0001ULL
#define ACL_PROF_TASK_TIME      0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU          0x0008ULL
#define ACL_PROF_L2CACHE        0x0010ULL
#define ACL_PROF_HCCL_TRACE     0x0020ULL
#define ACL_PROF_TRAINING_TRACE 0x0040ULL
#define ACL_PROF_MSPROFTX       0x0080ULL
#define ACL_PROF_RUNTIME_API    0x0100ULL
#define ACL_PROF_TASK_TIME_L0   0x0800ULL
#define ACL_PROF_TASK_MEMORY    0x1000ULL
#define ACL_PROF_OP_ATTR        0x4000ULL

/* The longest path that aclprofInit takes, and the longest value of aclprofSetConfig. */
#define ACL_PROF_MAX_PATH_LENGTH   4096
#define ACL_PROF_MAX_CONFIG_LENGTH 256

/* Counters of a core. There are none here; only the names are checked. */
typedef enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 0xFF
} aclprofAicoreMetrics;

/* Options of aclprofSetConfig. */
typedef enum aclprofConfigType {
    ACL_PROF_ARGS_MIN = 0,
    ACL_PROF_STORAGE_LIMIT = 1,
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
    ACL_PROF_LLC_MODE = 4,
    ACL_PROF_SYS_IO_FREQ = 5,
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
    ACL_PROF_DVPP_FREQ = 7,
    ACL_PROF_HOST_SYS = 8,
    ACL_PROF_HOST_SYS_USAGE = 9,
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
    ACL_PROF_LOW_POWER_FREQ = 11,
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
    ACL_PROF_SYS_CPU_FREQ = 13,
    ACL_PROF_SCALE = 14,
    ACL_PROF_ARGS_MAX = 15
} aclprofConfigType;

/* The two ends of a step. */
typedef enum aclprofStepTag {
    ACL_STEP_START = 0,
    ACL_STEP_END = 1
} aclprofStepTag;

/* What an entry of a subscription is. */
typedef enum aclprofSubscribeOpFlag {
    ACL_SUBSCRIBE_OP = 0,
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    ACL_SUBSCRIBE_OP_THREAD = 2,
    ACL_SUBSCRIBE_NONE = 3
} aclprofSubscribeOpFlag;

/* What can be asked about an entry of a subscription. */
typedef enum aclprofSubscribeOpAttri {
    ACL_SUBSCRIBE_ATTRI_THREADID = 0,
    ACL_SUBSCRIBE_ATTRI_NONE = 1
} aclprofSubscribeOpAttri;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

/* The folder that profiles are written to, by its absolute path and the length of that without the final NUL. */
aclError aclprofInit(const char *profilerResultPath, size_t length);

/* Ends profiling; profiles that still run are stopped. */
aclError aclprofFinalize(void);

/* What to collect on which devices; NULL if an argument is wrong. aicoreEvents must be NULL. */
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
    aclprofAicoreMetrics aicoreMetrics, const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig);

/* Destroys a configuration that is not in use. */
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/* Sets an option for the profiles that are started after it. */
aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/* Creates the folder of a profile in advance, so that starting it is quick. */
aclError aclprofWarmup(const aclprofConfig *profilerConfig);

/* Starts collecting. A device can be in one running profile only. */
aclError aclprofStart(const aclprofConfig *profilerConfig);

/* Stops collecting, and writes what was collected. Work that has not ended by then is absent: synchronise first. */
aclError aclprofStop(const aclprofConfig *profilerConfig);

/* Steps: each end of a step is set once, in the order of a stream. */
aclprofStepInfo *aclprofCreateStepInfo(void);
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

/* Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop may be on two. */
void *aclprofCreateStamp(void);
void aclprofDestroyStamp(void *stamp);
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);
aclError aclprofMark(void *stamp);
aclError aclprofPush(void *stamp);
aclError aclprofPop(void);
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
aclError aclprofRangeStop(uint32_t rangeId);

/* A mark with a text in the order of a stream. */
aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/* Subscriptions to the operators inside a model. */
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
    aclprofAicoreMetrics aicoreMetrics, void *fd);
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);
aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
aclError aclprofModelUnSubscribe(uint32_t modelId);
aclError aclprofGetOpDescSize(size_t *opDescSize);
aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);
aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
    size_t opTypeLen);
aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);
aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
    size_t opNameLen);
uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);
uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);
uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);
size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);
aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);
const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
    aclprofSubscribeOpAttri attri);

#ifdef __cplusplus
}
#endif

#endif
