//! What can go wrong with graphs.

/// A rule of capture, replay or update was broken. The texts say what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A default stream cannot be captured.
    #[error("a default stream cannot be captured: create a stream and capture that")]
    DefaultStream,
    /// The stream takes part in a capture, so this call cannot be made on it.
    #[error(
        "{call} is not possible while stream {stream} is being captured, and ended the capture"
    )]
    StreamCaptured {
        /// What was called.
        call: &'static str,
        /// The stream's number.
        stream: u64,
    },
    /// The stream takes part in a capture already.
    #[error("stream {stream} is being captured already")]
    AlreadyCaptured {
        /// The stream's number.
        stream: u64,
    },
    /// The event was recorded in a capture, so only streams of that capture may use it.
    #[error(
        "event {event} was recorded by a captured stream: outside of that capture it can only be recorded again"
    )]
    EventCaptured {
        /// The event's number.
        event: u64,
    },
    /// A captured stream may only wait for what is in the same capture.
    #[error(
        "stream {stream} is being captured and cannot wait for event {event}, which was not recorded in the same capture: record it on \
         a captured stream, or create it with ACL_EVENT_EXTERNAL"
    )]
    OtherCapture {
        /// The stream's number.
        stream: u64,
        /// The event's number.
        event: u64,
    },
    /// This work cannot be part of a graph.
    #[error("{what} cannot be captured: {reason}")]
    NotCapturable {
        /// What it is.
        what: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// This work cannot be in a task group, because it has no arguments that could be updated.
    #[error(
        "{what} cannot be in a task group: only copies, fills and operators by function (aclnn...) can. Models, and operators by name, \
         which are models of one operator, run in ONNX Runtime"
    )]
    NotInGroup {
        /// What it is.
        what: &'static str,
    },
    /// The stream takes part in no capture.
    #[error("stream {stream} is not being captured")]
    NotCaptured {
        /// The stream's number.
        stream: u64,
    },
    /// A capture ends on the stream on which it began.
    #[error("the capture began on stream {began}, so it ends there and not on stream {stream}")]
    OtherStream {
        /// Where it began.
        began: u64,
        /// The stream's number.
        stream: u64,
    },
    /// Something ended the capture before its end.
    #[error("the capture is no longer valid: {by}")]
    Invalidated {
        /// What did.
        by: String,
    },
    /// A stream that joined the capture did not come back.
    #[error(
        "stream {stream} joined the capture, but stream {origin}, where it began, does not wait for its last work ({last}): record an \
         event on it and wait for that before the capture ends"
    )]
    Unjoined {
        /// The stream that did not come back.
        stream: u64,
        /// Where the capture began.
        origin: u64,
        /// What its last work is.
        last: String,
    },
    /// The capture is not over.
    #[error("the graph is still being captured")]
    NotReady,
    /// A branch of a condition in the graph is not captured yet.
    #[error("a branch of a condition in the graph is still being captured: end that capture first")]
    BranchCaptured,
    /// The graph belongs to another device.
    #[error(
        "the graph was captured on device {captured}, but the stream belongs to device {stream}"
    )]
    OtherDevice {
        /// Where it was captured.
        captured: u32,
        /// Where it was to run.
        stream: u32,
    },
    /// Its last launch may not be over, and the stream of that launch cannot be waited for.
    #[error(
        "the last launch of the graph, on stream {stream}, may not have ended, and that stream is being captured: wait for the launch \
         before the capture begins"
    )]
    StillRuns {
        /// The stream of the last launch.
        stream: u64,
    },
    /// The same thread launches a graph while it launches it.
    #[error("a graph cannot be launched from inside its own launch")]
    InsideLaunch,
    /// Groups of tasks do not nest, and end where they began.
    #[error("{0}")]
    Group(&'static str),
    /// The tasks of an update are not those of the group.
    #[error("{0}")]
    Update(String),
    /// What a captured call did when it was repeated.
    #[error("{what}, which was captured, cannot be repeated: {reason}")]
    Repeated {
        /// Which call.
        what: &'static str,
        /// Why.
        reason: String,
    },
}
