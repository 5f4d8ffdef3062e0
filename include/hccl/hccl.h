/*
 * HCCL: collective communication between ranks.
 *
 * A rank is a thread or a process with a device. Ranks communicate through a communicator: all of them call the same collectives on it in
 * the same order. An operation is a task of its stream, and the call returns at once. Buffers are device memory and belong to the operation
 * until the stream has passed it. Arrays of counts, displacements and items are read before the call returns.
 */
#ifndef MILLPOND_HCCL_HCCL_H
#define MILLPOND_HCCL_HCCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../acl/acl_rt.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates the root info of a new communicator. Call it on one rank, and copy the bytes to all ranks. */
HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);
/* Joins the communicator of a root info. Returns when all ranks have joined. */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);
/* As HcclCommInitRootInfo, with settings. */
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm);
/* Joins the communicator that a rank table file describes. */
HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
/* As HcclCommInitClusterInfo, with settings. */
HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config, HcclComm *comm);
/* Creates a communicator with one rank for each of these devices, all in this process. */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);
/* Creates a communicator from some ranks of another. Other ranks pass rankIds NULL and subCommId 0xFFFFFFFF. */
HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);
/* Destroys this rank's handle. Operations in flight fail, on this rank and on the others. */
HcclResult HcclCommDestroy(HcclComm comm);
/* Recovery from hardware faults: not supported. */
HcclResult HcclCommSuspend(HcclComm comm);
/* Recovery from hardware faults: not supported. */
HcclResult HcclCommResume(HcclComm comm);

/* The communicator's name. commName has room for 128 bytes, including the terminating NUL. */
HcclResult HcclGetCommName(HcclComm comm, char *commName);
/* This rank's number. */
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);
/* The number of ranks. */
HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
/* HCCL_SUCCESS, or the error after which the communicator is unusable. */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);
/* The name of a result. */
const char *HcclGetErrorString(HcclResult code);
/* The number of HcclCommConfigCapability values that this library knows. */
uint32_t HcclGetCommConfigCapability(void);
/* Changes a setting of the process. HCCL_DETERMINISTIC has no effect: reductions are deterministic without it. */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);

/* Every rank gets the reduced elements of all ranks. */
HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream);
/* Every rank gets the elements of the root. */
HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream);
/* Every rank gets the elements of all ranks, in rank order. */
HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream);
/* The same with a separate count for each rank. Counts and displacements are uint64_t, in elements. */
HcclResult HcclAllGatherV(const void *sendBuf, uint64_t sendCount, const void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream);
/* Rank r gets the reduction of part r of all ranks. */
HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream);
/* The same with a separate count for each rank. */
HcclResult HcclReduceScatterV(const void *sendBuf, const void *sendCounts, const void *sendDispls, const void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream);
/* The root gets the reduced elements of all ranks. */
HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream);
/* Rank r gets part r of the root's elements. */
HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream);
/* Every rank sends the same number of elements to every rank. */
HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream);
/* The same with a separate count for each pair of ranks. Counts and displacements are uint64_t, in elements. */
HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls, HcclDataType sendType,
                         const void *recvBuf, const void *recvCounts, const void *rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream);
/* The same with the counts of all ranks: element i * ranks + j is what rank i sends to rank j. Parts are packed without gaps. */
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType, const void *recvBuf,
                          HcclDataType recvType, HcclComm comm, aclrtStream stream);
/* Completes on the stream when every rank has reached it. */
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/* Sends elements to a rank. Completes on the stream when that rank has received them. */
HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream);
/* Receives elements from a rank. */
HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream);
/* Sends and receives several messages that do not block each other: at most one for each direction and rank. */
HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream);
/* Begins a group on this thread: the operations of a group do not block each other. Groups may be nested. */
HcclResult HcclGroupStart(void);
/* Ends a group. The end of the outermost group queues its operations. */
HcclResult HcclGroupEnd(void);

/* Registers memory with a communicator. Operations do not need it: the range is only stored. */
HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag);
/* Undoes HcclCommRegister. */
HcclResult HcclCommDeregister(HcclComm comm, void *handle);
/* Exchanges registered memory with other ranks. Only checks its arguments. */
HcclResult HcclCommExchangeMem(HcclComm comm, void *handle, uint32_t *peerRanks, uint32_t peerRankNum);
/* Registers a range of reserved addresses. */
HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment, uint64_t flags);
/* Undoes HcclCommSetMemoryRange. */
HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr);
/* Registers memory that is mapped in such a range. */
HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset,
                                      aclrtDrvMemHandle handle, uint64_t flags);
/* The counterpart of HcclCommActivateCommMemory. Only checks its arguments. */
HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr);
/* Selects network cards of the hardware: not supported. */
HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks);

/* Sets every field to its default. */
static inline void HcclCommConfigInit(HcclCommConfig *config)
{
    HcclCommConfig fresh;
    if (config == NULL) {
        return;
    }
    memset(&fresh, 0, sizeof fresh);
    fresh.size = sizeof(HcclCommConfig);
    fresh.magicWord = HCCL_COMM_CONFIG_MAGIC_WORD;
    fresh.version = HCCL_COMM_CONFIG_VERSION;
    fresh.hcclBufferSize = HCCL_COMM_VALUE_NOT_SET;
    fresh.hcclDeterministic = HCCL_COMM_VALUE_NOT_SET;
    fresh.hcclRdmaTrafficClass = HCCL_COMM_VALUE_NOT_SET;
    fresh.hcclRdmaServiceLevel = HCCL_COMM_VALUE_NOT_SET;
    fresh.hcclExecTimeOut = -1;
    fresh.hcclQos = HCCL_COMM_VALUE_NOT_SET;
    *config = fresh;
}

#ifdef __cplusplus
}
#endif

#endif
