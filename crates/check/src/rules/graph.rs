//! Rules about graphs.

super::rules! {
    ILLEGAL_CALL: "graph.illegal-call", Error,
        "a call that is not allowed while a stream is captured",
        "While a stream is captured, nothing waits for it or asks it, its events, its context or its device, the default stream is not used, \
         and calls that touch memory at once follow the mode of the capture.",
        "aclmdlRICaptureBegin, aclmdlRICaptureThreadExchangeMode";
    UNJOINED: "graph.unjoined", Error,
        "a stream joined a capture and did not come back",
        "Every stream that joins a capture is waited for by the stream on which the capture began, directly or through others, before the capture ends.",
        "aclmdlRICaptureEnd";
    FREED_MEMORY: "graph.freed-memory", Error,
        "a graph is launched after memory that it uses was freed",
        "Memory that captured tasks use stays allocated until the graph is destroyed, or at least until its last launch has ended.",
        "aclmdlRIExecuteAsync, aclmdlRIDestroy";
    TWO_STREAMS: "graph.two-streams", Error,
        "a graph is launched while it may still run on another stream",
        "Launches of one graph are ordered: on one stream, or by events and synchronisation between streams.",
        "aclmdlRIExecuteAsync";
}
