//! Rules about handles: streams, events, descriptors and others.

super::rules! {
    LEAK: "handle.leak", Warning,
        "a handle was created and never destroyed",
        "Streams, events, contexts and descriptions are destroyed by the program that created them.",
        "aclrtCreateStream, aclrtCreateEvent, aclCreateDataBuffer, aclCreateTensorDesc, aclmdlCreateDataset";
    USE_AFTER_DESTROY: "handle.use-after-destroy", Error,
        "a call uses a destroyed handle",
        "A stream, an event, a context or a description is not used after it was destroyed.",
        "aclrtDestroyStream, aclrtDestroyEvent, aclrtDestroyContext, aclDestroyDataBuffer, aclDestroyTensorDesc, aclmdlDestroyDataset";
    DESTROYED_IN_USE: "handle.destroyed-in-use", Error,
        "something was destroyed while queued work still needs it",
        "A model is unloaded after its queued runs were waited for, and an event is not destroyed while a stream waits for a recording of it that is still to come.",
        "aclmdlUnload, aclrtDestroyEvent";
}
