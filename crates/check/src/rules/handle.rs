//! Rules about handles: streams, events, descriptions and the rest.

super::rules! {
    LEAK: "handle.leak", Warning,
        "something was created and not destroyed",
        "Streams, events, contexts and descriptions are destroyed by the program that created them.",
        "aclrtCreateStream, aclrtCreateEvent, aclCreateDataBuffer, aclCreateTensorDesc, aclmdlCreateDataset";
    DESTROYED_IN_USE: "handle.destroyed-in-use", Error,
        "something was destroyed while queued work still uses it",
        "A stream, an event or a model is destroyed after the work that uses it was waited for.",
        "aclrtDestroyStream, aclrtDestroyEvent, aclmdlUnload";
}
