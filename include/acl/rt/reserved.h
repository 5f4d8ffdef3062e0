/* Types of parts that are refused or not declared: kernels, labels, groups of cores, snapshots. */
#ifndef MILLPOND_ACL_RT_RESERVED_H
#define MILLPOND_ACL_RT_RESERVED_H

/* Handles. */
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;

/* Compute groups of a device. */
typedef struct aclrtGroupInfo aclrtGroupInfo;

/* What can be asked of a compute group. */
typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT = 0,
    ACL_GROUP_AIV_INT = 1,
    ACL_GROUP_AIC_INT = 2,
    ACL_GROUP_SDMANUM_INT = 3,
    ACL_GROUP_ASQNUM_INT = 4,
    ACL_GROUP_GROUPID_INT = 5
} aclrtGroupAttr;

/* Engine that runs a kernel. */
typedef enum aclrtEngineType {
    ACL_RT_ENGINE_TYPE_AIC = 0,
    ACL_RT_ENGINE_TYPE_AIV = 1
} aclrtEngineType;

/* State of a process that takes a snapshot. */
typedef enum aclrtProcessState {
    ACL_RT_PROCESS_STATE_RUNNING = 0,
    ACL_RT_PROCESS_STATE_LOCKED = 1
} aclrtProcessState;

/* Streams of a recorded graph. */
#define ACL_MODEL_STREAM_FLAG_HEAD    0x00000000U
#define ACL_MODEL_STREAM_FLAG_DEFAULT 0x7FFFFFFFU

#endif
