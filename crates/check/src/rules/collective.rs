//! Rules about operations between ranks.

super::rules! {
    MISMATCH: "collective.mismatch", Error,
        "ranks do different things at the same place of their order",
        "All ranks of a communicator call the same operations in the same order, with the same count, type, reduction and root.",
        "HcclAllReduce, HcclBroadcast, HcclAllGather, HcclReduceScatter, HcclReduce, HcclScatter";
    MESSAGE_MISMATCH: "collective.message-mismatch", Error,
        "a message is received with another size or type than it was sent with",
        "A receive has the count and type of the send that it matches, and in an exchange the count that rank i sends to rank j is the count that rank j receives from rank i.",
        "HcclSend, HcclRecv, HcclBatchSendRecv, HcclAlltoAllV";
    RANK_GONE: "collective.rank-gone", Error,
        "ranks wait for one that has ended or has destroyed its communicator",
        "A rank takes part in every operation of its communicator before it destroys it or ends.",
        "HcclCommDestroy, HcclAllReduce";
    DEADLOCK: "collective.deadlock", Error,
        "ranks wait for each other in a cycle",
        "A send ends when its receive has taken the data, and an operation ends when all ranks have reached it, so ranks queue them in an order in which one of them can always continue.",
        "HcclSend, HcclRecv, HcclAllReduce";
    TIMEOUT: "collective.timeout", Error,
        "an operation waited for other ranks longer than its limit",
        "All ranks reach an operation within HCCL_EXEC_TIMEOUT.",
        "HCCL_EXEC_TIMEOUT";
    MEETING: "collective.meeting", Error,
        "the ranks of a communicator do not come together",
        "Every rank creates the communicator once, with the same number of ranks and the same root info, within HCCL_CONNECT_TIMEOUT.",
        "HcclCommInitRootInfo, HcclCommInitClusterInfo, HcclCreateSubCommConfig";
    DESTROYED_IN_USE: "collective.destroyed-in-use", Error,
        "a communicator was destroyed while its operations were in flight",
        "A communicator is destroyed after its operations were waited for.",
        "HcclCommDestroy";
    WRONG_DEVICE: "collective.wrong-device", Error,
        "an operation uses a stream of another device than its communicator",
        "The operations of a communicator use streams of the device that was current when it was created.",
        "HcclCommInitRootInfo, HcclAllReduce";
    SHARED_DEVICE: "collective.shared-device", Warning,
        "two ranks of a communicator use one device",
        "Each rank of a communicator has a device of its own.",
        "HcclCommInitRootInfo";
}
