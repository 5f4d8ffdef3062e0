//! Rules about operations between ranks.

super::rules! {
    MISMATCH: "collective.mismatch", Error,
        "ranks call different collectives, or the same one with different arguments",
        "All ranks of a communicator call the same operations in the same order, with the same count, type, reduction and root.",
        "HcclAllReduce, HcclBroadcast, HcclAllGather, HcclReduceScatter, HcclReduce, HcclScatter";
    MESSAGE_MISMATCH: "collective.message-mismatch", Error,
        "a receive does not match the size or type of its send",
        "A receive has the count and type of its send. In HcclAlltoAllV, the count that rank i sends to rank j is the count that rank j receives from rank i.",
        "HcclSend, HcclRecv, HcclBatchSendRecv, HcclAlltoAllV";
    RANK_GONE: "collective.rank-gone", Error,
        "ranks wait for a rank that has ended or destroyed its communicator",
        "A rank takes part in every operation that needs it before it destroys its communicator or ends.",
        "HcclCommDestroy, HcclAllReduce";
    DEADLOCK: "collective.deadlock", Error,
        "ranks wait for each other in a cycle",
        "A send completes when its receive has taken the data, and a collective completes when all ranks have reached it. Ranks queue them in an order in which one rank can always continue.",
        "HcclSend, HcclRecv, HcclAllReduce";
    TIMEOUT: "collective.timeout", Error,
        "an operation timed out waiting for other ranks",
        "All ranks reach an operation within HCCL_EXEC_TIMEOUT.",
        "HCCL_EXEC_TIMEOUT";
    MEETING: "collective.meeting", Error,
        "the ranks of a communicator fail to join it",
        "Every rank joins the communicator once, with the same number of ranks and the same root info, within HCCL_CONNECT_TIMEOUT.",
        "HcclCommInitRootInfo, HcclCommInitClusterInfo, HcclCreateSubCommConfig";
    DESTROYED_IN_USE: "collective.destroyed-in-use", Error,
        "a communicator was destroyed while its operations were in flight",
        "A communicator is destroyed only after its operations have completed.",
        "HcclCommDestroy";
    WRONG_DEVICE: "collective.wrong-device", Error,
        "an operation's stream and communicator belong to different devices",
        "The operations of a communicator use streams of the device that was current when it was created.",
        "HcclCommInitRootInfo, HcclAllReduce";
    SHARED_DEVICE: "collective.shared-device", Warning,
        "two ranks of a communicator share a device",
        "Each rank of a communicator has its own device.",
        "HcclCommInitRootInfo";
    NOT_A_NUMBER: "collective.not-a-number", Hint,
        "a reduction spreads a NaN from one rank to all",
        "A NaN in the elements of one rank makes the result of a reduction NaN on every rank.",
        "HcclAllReduce, HcclReduceScatter, HcclReduce";
}
