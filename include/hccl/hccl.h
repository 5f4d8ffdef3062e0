/*
 * HCCL: collective communication between ranks.
 *
 * A rank is a thread or a process with a device. Ranks meet in a communicator. Every rank calls the same operations on it in the same
 * order; an operation is a task of its stream, and the call returns at once. Buffers are device memory and belong to the operation until
 * the stream has passed it; arrays of counts, displacements and items are read before the call returns.
 */
#ifndef MILLPOND_HCCL_HCCL_H
#define MILLPOND_HCCL_HCCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_rt.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a meeting on one rank. Give the result to all ranks of the new communicator, as bytes. */
HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);
/* Joins a meeting; returns when all ranks have joined. */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);
/* As HcclCommInitRootInfo, with settings. */
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm);
/* Joins the ranks that a file describes. */
HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
/* As HcclCommInitClusterInfo, with settings. */
HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config, HcclComm *comm);
/* Makes one rank for each device of this process. */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);
/* Makes a communicator of some ranks of another. Ranks that are not part of it pass rankIds NULL and subCommId 0xFFFFFFFF. */
HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);
/* Ends this rank's part. Operations in flight fail, here and on the other ranks. */
HcclResult HcclCommDestroy(HcclComm comm);
/* Recovery of hardware faults: not supported. */
HcclResult HcclCommSuspend(HcclComm comm);
/* Recovery of hardware faults: not supported. */
HcclResult HcclCommResume(HcclComm comm);

/* Name, at most 128 bytes with its end. */
HcclResult HcclGetCommName(HcclComm comm, char *commName);
/* This rank's number. */
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);
/* How many ranks there are. */
HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
/* HCCL_SUCCESS, or why the communicator is of no use any more. */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);
/* The name of a result. */
const char *HcclGetErrorString(HcclResult code);
/* How many fields of HcclCommConfig this library knows, as HcclCommConfigCapability. */
uint32_t HcclGetCommConfigCapability(void);
/* Sets something for the process. Sums are deterministic anyway. */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);

/* Every rank gets the combined elements of all. */
HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream);
/* Every rank gets the elements of the root. */
HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream);
/* Every rank gets the elements of all, in the order of the ranks. */
HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream);
/* The same with another number of elements for each rank. Counts and displacements are uint64_t, in elements. */
HcclResult HcclAllGatherV(const void *sendBuf, uint64_t sendCount, const void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream);
/* Rank r gets the combined elements of all ranks' part r. */
HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream);
/* The same with another number of elements for each rank. */
HcclResult HcclReduceScatterV(const void *sendBuf, const void *sendCounts, const void *sendDispls, const void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream);
/* The root gets the combined elements of all ranks. */
HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream);
/* Rank r gets part r of the root's elements. */
HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream);
/* Every rank sends as many elements to every rank. */
HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream);
/* The same with another number of elements for each pair. Counts and displacements are uint64_t, in elements. */
HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls, HcclDataType sendType,
                         const void *recvBuf, const void *recvCounts, const void *rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream);
/* The same with all ranks' counts: element i * ranks + j is what i sends to j. Parts follow each other without gaps. */
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType, const void *recvBuf,
                          HcclDataType recvType, HcclComm comm, aclrtStream stream);
/* Returns on the stream when every rank has reached it. */
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/* Sends elements to a rank; done on the stream when that rank has received them. */
HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream);
/* Receives elements from a rank. */
HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream);
/* Several messages that do not block each other: at most one for each direction and rank. */
HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream);
/* Begins a group: messages until the end of the group do not block each other. Groups may be nested. */
HcclResult HcclGroupStart(void);
/* Ends a group, and queues its messages. */
HcclResult HcclGroupEnd(void);

/* Announces memory to a communicator. Nothing is needed for it here, so it is only remembered. */
HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag);
/* Ends what HcclCommRegister began. */
HcclResult HcclCommDeregister(HcclComm comm, void *handle);
/* Exchanges announced memory with other ranks: nothing to do here. */
HcclResult HcclCommExchangeMem(HcclComm comm, void *handle, uint32_t *peerRanks, uint32_t peerRankNum);
/* Announces a range of reserved addresses. */
HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment, uint64_t flags);
/* Ends what HcclCommSetMemoryRange began. */
HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr);
/* Announces that memory is mapped in such a range. */
HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset,
                                      aclrtDrvMemHandle handle, uint64_t flags);
/* Ends what HcclCommActivateCommMemory began. */
HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr);
/* Chooses network cards of hardware: not supported. */
HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks);

/* Fills in what every field of HcclCommConfig is when nothing was chosen. */
static inline void HcclCommConfigInit(HcclCommConfig *config)
{
    HcclCommConfig fresh = {0};
    if (config == NULL) {
        return;
    }
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
