/*
 * Graphs: work that is captured from streams once and launched as often as wanted. The interface
 * calls a graph a model running instance, aclmdlRI.
 */
#ifndef MILLPOND_ACL_RT_GRAPH_H
#define MILLPOND_ACL_RT_GRAPH_H

#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles of a graph, of a group of its tasks, and of a value that chooses among branches. */
typedef void *aclmdlRI;
typedef void *aclrtTaskGrp;
typedef void *aclmdlRICondHandle;

/* Which threads may make unsafe calls, such as aclrtMemcpy, while a stream is captured. */
typedef enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,       /* none */
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1, /* all but the one that captures */
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2       /* all */
} aclmdlRICaptureMode;

/* Whether a stream is being captured. */
typedef enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

/* How the value of a condition chooses. */
typedef enum aclmdlRICondTaskType {
    ACL_MODEL_RI_COND_TASK_TYPE_IF = 0,    /* not zero: branch 0; zero: branch 1, if there is one */
    ACL_MODEL_RI_COND_TASK_TYPE_WHILE = 1, /* branch 0 as long as it is not zero */
    ACL_MODEL_RI_COND_TASK_TYPE_SWITCH = 2 /* the branch with this number, if there is one */
} aclmdlRICondTaskType;

/* Flags of aclmdlRICondHandleCreate. */
#define ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1U /* set to the initial value before each launch */

/* A task that runs one of several graphs. The array gets the new, empty graphs of the branches. */
typedef struct aclmdlRICondTaskParams {
    aclmdlRICondHandle handle;
    aclmdlRICondTaskType type;
    uint32_t size;
    aclmdlRI *modelRIArray;
} aclmdlRICondTaskParams;

/*
 * Capturing. From begin to end, work that is queued on the stream does not run. A stream that
 * waits for an event of the capture joins it, and has to come back the same way before the end.
 * End names the stream of begin and, unless the mode is relaxed, is called by the same thread.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI);
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/* Sets the mode of the calling thread, and returns the mode before in the same place. */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* Launching. The second form waits, at most so many milliseconds; -1 for no limit. */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/* Ends the use of a graph. Launches that are queued still run. */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/* A number that no other graph has. */
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/*
 * Task groups. Between begin and end, on a captured stream, operators by function and copies belong to a
 * group. An update, on a stream that is not captured, queues the same operators again: they do
 * not run, but their arguments replace those of the group when the stream comes to its end.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/*
 * Conditions. The value is 8 bytes of device memory that captured work writes. A branch is filled
 * by capturing another stream to it.
 */
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue, uint32_t flag,
                                  aclmdlRICondHandle *handle);
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **devPtr);
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags);
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                       aclmdlRICaptureMode mode);

/* The tasks of a graph, printed, or written to a file as JSON; the flags are not used. */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
